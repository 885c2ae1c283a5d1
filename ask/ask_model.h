/*
 * The catalogue is a map {version, ontology, sources, nodes, words, unusable}; workers/search/ontology
 * describes its keys.  It comes from another process: node and source numbers are checked here, and lists are bounded.
 * Everything lives as long as the model.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ask/text_question.h"

#define ASK_SOURCES_MAX		20000u
#define ASK_MODEL_BYTES_MAX	((size_t)256 << 20)
#define ASK_NONE		UINT32_MAX

/* The names that people use for a thing. */
struct ask_names {
	struct span		 name, label, description;	/* label, description: may be empty */
	struct ask_words	 words;				/* of the name */
	size_t			 nsynonyms;
	const struct span	*synonyms;
};

/* The name, the label (may be empty) and the synonyms, one after another; past the last: NULL. */
static inline const struct span *
ask_names_at(const struct ask_names *n, size_t k)
{
	return k == 0 ? &n->name : k == 1 ? &n->label : k < 2 + n->nsynonyms ? &n->synonyms[k - 2] : NULL;
}

enum ask_aggregate {
	ASK_AGGREGATE_DERIVED, ASK_AGGREGATE_SUM, ASK_AGGREGATE_COUNT, ASK_AGGREGATE_COUNT_DISTINCT, ASK_AGGREGATE_AVG,
	ASK_AGGREGATE_MIN, ASK_AGGREGATE_MAX, ASK_AGGREGATE_OTHER
};

struct ask_source_measure {
	struct ask_names	 names;
	struct span		 expr, filter, column, unit;
	enum ask_aggregate	 aggregate;
	bool			 additive;	/* over every dimension */
	size_t			 nover, nnone_over, nsegments;
	const struct span	*over, *none_over;	/* over: when the measure is additive over these columns only */
	const struct span	*segments;
};

enum ask_type { ASK_TYPE_OTHER, ASK_TYPE_TEXT, ASK_TYPE_NUMBER, ASK_TYPE_TIME, ASK_TYPE_BOOLEAN };

struct ask_column {
	struct ask_names	 names;
	enum ask_type		 type;
	bool			 time;		/* says when something happened */
	bool			 internal, masked, computed;
	bool			 of_person;	/* a first or a last name */
	size_t			 nvalues;
	const struct span	*values;	/* all values that the database allows; empty: unknown */
};

struct ask_segment {
	struct ask_names	 names;
	struct span		 expr;
};

struct ask_source {
	struct ask_names	 names;
	bool			 covered;	/* a hand-written source covers its table */
	uint32_t		 time;		/* column that carries windows; ASK_NONE: none */
	uint32_t		 label;		/* column that names a row; ASK_NONE: none */
	size_t			 ngrain, nmeasures, ncolumns, nsegments;
	const struct span	*grain;
	uint64_t		 measured;	/* rows in which a scan found the grain unique; 0: it is declared */
	const struct ask_source_measure *measures;
	const struct ask_column	*columns;
	const struct ask_segment *segments;
};

struct ask_edge {
	uint32_t	to;
	struct span	here, there;	/* the joined columns when the join is over one column each; otherwise empty */
	size_t		 nverbs;
	const struct span *verbs;	/* what rows of one side do with those of the other: "produce" */
};

struct ask_node {
	struct span		 name;		/* as a query writes it */
	struct span		 label;		/* "origin", when several edges lead to the same source; otherwise
                                                 * empty */
	uint32_t		 source;
	uint32_t		 owner;		/* of an alias: the node that declares it; ASK_NONE for a source's
                                                 * own node */
	size_t			 nedges;
	const struct ask_edge	*edges;		/* joins that do not multiply rows */
};

/* A word that the wiki declares, and its meaning. */
struct ask_declared {
	struct span	word, means, page;
	bool		join;
	bool		agent;		/* of an agent, not approved by a person, or of a language model */
	struct span	value;		/* not empty: a value of the column that it means */
};

struct ask_lexicon;
struct readings_spoken;

struct ask_model {
	struct arena		*arena;
	size_t			 nsources, nnodes, ndeclared;
	const struct ask_source	*sources;
	/* node i < nsources is source i; the last nodes are split edges without an alias */
	const struct ask_node	*nodes;
	const struct ask_declared *declared;
	bool			 governed;	/* query_policy: semantic-layer-only: only measures of the model */
	struct ask_lexicon	*lexicon;	/* ask/lexicon_model.h */
	struct ask_lexicon	*agents;	/* words that agents declare: tried last */
	struct readings_spoken	*spoken;	/* ask/readings/readings.h; grows with the questions */
};

/*
 * Read the model of a catalogue, as search's ask_model answers it (see ask/ask_model.h for its shape), and index its
 * words.  Everything needed is copied: the catalogue may be freed.  NULL with *err when the value is not a catalogue.
 */
struct ask_model *ask_model_read(const struct mp_value *catalogue, struct err *err);
void ask_model_free(struct ask_model *m);

/* Whether the column may be shown to people. */
static inline bool
ask_is_shown(const struct ask_column *c)
{
	return !c->internal && !c->masked;
}

/* Whether the column is one of those that tell the rows of its source apart. */
static inline bool
ask_is_in_grain(const struct ask_source *s, const struct ask_column *c)
{
	for (size_t i = 0; i < s->ngrain; i++)
		if (span_is(s->grain[i], c->names.name))
			return true;
	return false;
}

/* Whether the column names the rows of its source; or tells them apart, by a name or a part of the key. */
static inline bool
ask_is_name(const struct ask_source *s, uint32_t column)
{
	return column == s->label || s->columns[column].of_person;
}

static inline bool
ask_tells_rows(const struct ask_source *s, uint32_t column)
{
	return ask_is_name(s, column) || ask_is_in_grain(s, &s->columns[column]);
}
