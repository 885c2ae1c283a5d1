/*
 * propose - the definitions, formulas and statements of a text, each a
 * proposal of its own.  Pure but for the sources it is told.
 */
#ifndef WORKERS_MEMORY_INGEST_PROPOSE_H
#define WORKERS_MEMORY_INGEST_PROPOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "project/source.h"
#include "workers/memory/ingest/measure.h"

#define PROPOSALS_MAX	32

enum proposal_kind {
	PROPOSAL_WORDS,		/* a definition without a formula: for the wiki */
	PROPOSAL_MEASURE,
	PROPOSAL_COLUMN		/* a computed dimension */
};

struct proposal {
	enum proposal_kind	 kind;
	bool			 fragment;	/* out of somebody else's model, LookML or dbt */
	struct span		 subject;	/* as the text calls it; empty: it has no name there */
	struct span		 said;		/* the sentence that says it and nothing else; empty: none */
	struct span		 formula;	/* as it stands in the text */
	struct measure		 measure;	/* when refused is empty */
	struct span		 refused;	/* why it is nothing for the semantic layer */
};

struct proposals {
	size_t		 n, more;		/* more: those beyond, which were not looked at */
	struct proposal	 v[PROPOSALS_MAX];
	bool		 prose;			/* there are words outside of fragments */
	struct span	 model;			/* the view or model of the first fragment */
};

/* The source of that name as it is now; NULL: none is known. */
typedef const struct source *propose_source(void *arg, struct span name);

/* A note as it is proposed from. */
struct propose_text {
	struct span	content;
	struct span	title;		/* names a statement that has no name of its own */
	struct span	above;		/* lines that stand over all of it, such as the summary and the tags of a page */
};

/* The text's proposals in its order.  source may be NULL: then no conditions in words are understood. */
void propose(struct arena *a, const struct propose_text *text, propose_source *source, void *arg, struct proposals *out);

/* fragment.c: what another tool's model in text proposes, added to out.  False: text is none. */
bool fragment_propose(struct arena *a, struct span text, struct proposals *out);

/* For fragment.c: room for one more; NULL: there are too many. */
struct proposal *propose_add(struct proposals *out, enum proposal_kind kind);

#endif
