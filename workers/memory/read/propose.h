/*
 * propose - extracts proposals from a text: its definitions, formulas and statements.  Pure, except for the sources,
 * which a callback supplies.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "project/model/source.h"
#include "workers/memory/read/measure.h"
#include "workers/memory/read/mention.h"

struct text_reading;

#define PROPOSALS_MAX	32

enum proposal_kind {
	PROPOSAL_WORDS,		/* a definition without a formula: for the wiki */
	PROPOSAL_MEASURE,
	PROPOSAL_COLUMN,	/* a computed dimension */
	PROPOSAL_DESCRIPTION	/* said: of a column or measure that there is, or of a source if it names none */
};

struct proposal {
	enum proposal_kind	 kind;
	bool			 fragment;	/* from another tool's model, LookML or dbt */
	struct span		 subject;	/* the text's name for it; may be empty */
	struct span		 said;		/* its own sentence, or the description; may be empty */
	struct span		 formula;	/* as the text spells it */
	struct measure		 measure;	/* valid when refused is empty */
	struct span		 refused;	/* why the semantic layer cannot take it */
};

struct proposals {
	size_t		 n, more;		/* more: number of further proposals, which were not read */
	struct proposal	 v[PROPOSALS_MAX];
	bool		 prose;			/* there is prose outside of fragments */
	struct span	 model;			/* the view or model of the first fragment */
};

/* The current source of that name; NULL if absent. */
typedef const struct source *propose_source(void *arg, struct span name);

/* A note, as the input of proposals. */
struct propose_text {
	struct span	content;
	struct span	title;		/* names a statement that has no name of its own */
	struct span	above;		/* lines above the whole text, such as the summary and tags of a page */
};

/* The text's proposals, in its order.  If source is NULL, conditions in words are not understood. */
void propose(struct arena *a, const struct propose_text *text, propose_source *source, void *arg,
    struct proposals *out);

/* Adds a description of the column or measure; its names are copied into a. */
void propose_description(struct arena *a, struct proposals *out, const struct mention *of, struct span said);

/* Whether the proposal is a formula: it is tried against the database. */
static inline bool
propose_is_formula(const struct proposal *p)
{
	return p->kind == PROPOSAL_MEASURE || p->kind == PROPOSAL_COLUMN;
}

/* For fragment.c: makes room for one more; NULL if there are too many. */
struct proposal *propose_add(struct proposals *out, enum proposal_kind kind);

/* The source of that name, for the conditions of a formula over it. */
struct condition_of reading_source(const struct text_reading *r, struct span name);

/* Refuses the proposal for the semantic layer, with this reason. */
void reading_refuse(const struct text_reading *r, struct proposal *p, const char *why);

/* Refuses the proposal because the words next to the formula were not understood. */
void reading_refuse_words(const struct text_reading *r, struct proposal *p, struct span words);
