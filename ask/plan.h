/*
 * plan - a question between its items and its reading.  Each step takes the items that it understands and
 * says by what they are consumed; what is left at the end has no meaning here, and ends in a question back
 * or a refusal (plan_leftovers()).
 */
#ifndef ASK_PLAN_H
#define ASK_PLAN_H

#include "ask/items.h"
#include "ask/route.h"

#define PLAN_DIMENSIONS_MAX	3u
#define PLAN_CONDITIONS_MAX	8u
#define PLAN_PERIODS_MAX	4u
#define PLAN_ANSWERS_MAX	6u
#define PLAN_NO_ITEM		SIZE_MAX

/* A column at the end of a way. */
struct plan_column {
	uint32_t	node, column;
};

enum plan_test {
	PLAN_IS,	/* one of the values */
	PLAN_COMPARED,	/* with values[0], by the operator */
	PLAN_BETWEEN,	/* values[0] and values[1], both included */
	PLAN_PRESENT,	/* has a value */
	PLAN_TRUE,	/* a boolean */
	PLAN_SEGMENT
};

/* What rows of a node must fulfil, or must not. */
struct plan_condition {
	struct plan_column	 at;
	enum plan_test		 test;
	bool			 negated;
	bool			 implied;	/* by what the question asks for; not said in it */
	size_t			 nvalues;
	struct span		 values[4];
	size_t			 items[4];
	const char		*operator;
	uint32_t		 index;		/* of a segment */
};

/* A condition on groups, see having.c. */
struct plan_having {
	/* nothing: a group fulfils it that there is nothing of; alone: no other does */
	bool		 is, nothing, nothing_alone;
	size_t		 group, owner;	/* items; owner: PLAN_NO_ITEM, none */
	const char	*operator;	/* NULL: between least and most, both included */
	double		 least, most;
};

/* Columns of the root that are listed, see listing.c; rows: one of them names the root's rows. */
struct plan_listing {
	size_t		n;		/* 0: it is no list */
	uint32_t	columns[PLAN_DIMENSIONS_MAX];
	bool		rows;
};

struct plan {
	const struct ask_model	*m;
	const struct ask_context *c;
	const struct ask_known	*known;
	struct arena		*a;
	struct ask_reading	*out;
	struct ask_items	 q;
	size_t			 nanswers;
	struct span		 answers[PLAN_ANSWERS_MAX];	/* of earlier questions back */

	uint32_t		 root;
	struct ask_routes	 routes;
	size_t			 nmeasures;
	struct ask_measure	 measures[ASK_MEASURES_MAX];
	bool			 inline_measure;	/* an aggregate of a column */
	bool			 latest;		/* of a field: needs no window */
	bool			 counted;		/* rows of an entity */
	/* an entity is counted through what happened, which is dated by itself alone */
	bool			 through;
	bool			 averages;		/* the measure is an average */
	/* nothing says that rows are counted, but nothing else can be meant */
	bool			 entity;
	enum ask_tier		 worst;			/* of what was chosen */
	enum ask_measured	 unit;			/* of the measures */

	size_t			 ndimensions;
	/* grain: -1, or enum ask_unit of the window's date */
	struct { struct plan_column at; int grain; bool identity; } dimensions[PLAN_DIMENSIONS_MAX];
	size_t			 nconditions;
	struct plan_condition	 conditions[PLAN_CONDITIONS_MAX];
	size_t			 nperiods;
	struct { size_t item; struct plan_column date; bool bound; } periods[PLAN_PERIODS_MAX];

	struct plan_having	 having;
	struct plan_listing	 listing;
	int			 rank;		/* 1, -1; 0: none */
	size_t			 limit;
	bool			 share, compare, change, done;
	bool			 always;	/* no window is meant */
	struct ask_clarification nowhere;	/* what there is no room for */
};

/* --- what every step uses (plan.c) ---------------------------------------------------------------------- */

bool plan_is_word(const struct plan *p, size_t i, enum ask_word_kind kind);
/* a name that may mean this, not consumed yet */
bool plan_has(const struct plan *p, size_t i, enum ask_kind kind);
bool plan_has_date(const struct plan *p, size_t i);	/* of what there is a way to */
bool plan_is_free(const struct plan *p, size_t i);
bool plan_is_number(const struct plan *p, size_t i); /* a free one */
size_t plan_after(const struct plan *p, size_t i);	/* the next item that is no stop word; PLAN_NO_ITEM */
size_t plan_before(const struct plan *p, size_t i);
uint32_t plan_source_after(const struct plan *p, size_t i);	/* that plan_after() names; ASK_NONE: none */
size_t plan_find(const struct plan *p, enum ask_word_kind kind);	/* the first free one */
void plan_take(struct plan *p, size_t i, const char *format, ...) __attribute__((format(printf, 3, 4)));
void plan_refuse(struct plan *p, enum ask_reason reason, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Ask back; the first ASK_QUESTIONS_MAX questions stay. */
struct ask_clarification *plan_ask(struct plan *p, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void plan_suggest(struct ask_clarification *q, struct span text);
void plan_note(struct span *notes, size_t *n, struct span text);
struct span plan_text(struct plan *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

const struct ask_source *plan_source(const struct plan *p, uint32_t node);
struct span plan_field(struct plan *p, struct plan_column c);
/* What the number of a column is in: what its description says, its label, or what its name ends in. */
enum ask_measured plan_column_unit(const struct plan *p, const struct ask_column *c);
struct span plan_column_label(struct plan *p, struct plan_column c);	/* "country", "office of agent" */

/* "sales area is DACH": the first item is a column that the second is a value of. */
bool plan_names_value(const struct plan *p, size_t column, size_t value);

/* The column that the item means, seen from the root, by hits of these kinds (a mask); only: a source, or ASK_NONE. */
bool plan_choose(struct plan *p, size_t item, unsigned kinds, uint32_t only, struct plan_column *out);

/*
 * The date of what the root belongs to, for a root that has none: lines of an order have the order's.  False: there is
 * none, or several are as near.  (periods.c)
 */
bool plan_parent_date(struct plan *p, struct plan_column *out);

/* One more condition on the column; NULL: there are too many, which is refused. */
struct plan_condition *plan_add_condition(struct plan *p, struct plan_column at, enum plan_test test);

/*
 * "Show all countries and the number of singers", "each language and the number of channels": a question that
 * begins with groups.  The "and" between them and what is measured, *first the first group; PLAN_NO_ITEM: it
 * does not. (groups.c)
 */
size_t plan_listed(const struct plan *p, size_t *first);

/* Name of hour, day … year that groups a date; and the item as a group, false: it is none, or asked.  (groups.c) */
bool plan_is_grain(const struct plan *p, size_t i);
bool plan_add_group(struct plan *p, size_t i);

/* "gold customers": the item says which ones, and is nothing else. */
bool plan_is_condition(const struct plan *p, size_t i);

/* A word that may stand before groups or values that are asked for: "which", "list the". */
bool plan_may_lead(const struct plan *p, size_t i);

/* The question asks for groups under a condition: reads the measure, then groups and filter.  (having.c) */
bool plan_having(struct plan *p);
void plan_having_groups(struct plan *p);
void plan_having_filter(struct plan *p, struct ask_query *q);

/* The question asks for a list of values; then its groups, and what its query is.  (listing.c) */
bool plan_listing(struct plan *p);
void plan_listing_groups(struct plan *p);
void plan_listing_query(struct plan *p, struct ask_query *q);

/* "most common": of a group, by how many rows are in it.  (groups.c) */
bool plan_is_commonest(const struct plan *p, size_t i);

/* The word "not" before item i, not consumed; PLAN_NO_ITEM: there is none. */
size_t plan_negation(const struct plan *p, size_t i);

/*
 * The period as a condition on a column of years; false: it is not of whole years.  And the column of a node that is
 * called the year.
 * (comparisons.c)
 */
bool plan_period_of_years(struct plan *p, size_t period, struct plan_column at);
bool plan_column_of_years(const struct plan *p, uint32_t node, struct plan_column *out);

/* --- the steps, in their order --------------------------------------------------------------------------- */

bool plan_catalogue(struct plan *p);		/* catalogue.c: true: it is a question about the model itself */
void plan_head(struct plan *p);			/* head.c: what is measured */
void plan_thresholds(struct plan *p);		/* thresholds.c: words that preferences give a condition */
void plan_probes(struct plan *p);		/* leftovers.c: what may be a value that no sample has */
void plan_groups(struct plan *p);		/* groups.c: by what, and in which order */
void plan_conditions(struct plan *p);		/* conditions.c */
void plan_comparisons(struct plan *p);		/* comparisons.c: with numbers */
void plan_missing(struct plan *p);		/* missing.c: what has no value, or one of two */
void plan_periods(struct plan *p);		/* periods.c */
void plan_happened(struct plan *p);		/* missing.c: what has a date, whenever it was */
void plan_leftovers(struct plan *p);		/* leftovers.c */
void plan_finish(struct plan *p);		/* finish.c */
void plan_say(struct plan *p);			/* say.c: of an answer */

#endif
