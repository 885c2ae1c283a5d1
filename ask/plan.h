/*
 * plan - a question between its items and its reading: what the table of readings fills in, and the words that it
 * records as consumed.  A word that nothing consumed becomes a clarifying question or a refusal (leftovers.h).
 */
#pragma once

#include "ask/items.h"
#include "ask/route.h"

#define PLAN_GROUPS_MAX		3u
#define PLAN_DIMENSIONS_MAX	(2 * PLAN_GROUPS_MAX)	/* groups and keys that tell their rows apart */
#define PLAN_CONDITIONS_MAX	8u
#define PLAN_PERIODS_MAX	4u
#define PLAN_ANSWERS_MAX	6u
#define PLAN_NO_ITEM		SIZE_MAX

/* The texts of says.def. */
enum plan_says {
#define SAYS(NAME, english, german) SAYS_##NAME,
#include "ask/says.def"
	SAYS_N
};

/* A column of a node. */
struct plan_column {
	uint32_t	node, column;
};

enum plan_test {
	PLAN_IS,	/* one of the values */
	PLAN_COMPARED,	/* with values[0], by the operator */
	PLAN_BETWEEN,	/* values[0] and values[1], both included */
	PLAN_PRESENT,	/* has a value */
	PLAN_TRUE,	/* a boolean */
	PLAN_WITHIN,	/* the period of items[0]: from values[0] to before values[1]; empty: open */
	PLAN_AVERAGE,	/* with the average of the column, by the operator */
	/* the highest of the column over all rows, or of each group values[0], called values[1]; negated: the lowest */
	PLAN_EXTREME,
	PLAN_LIKE,	/* the text has values[0] in it: index, an enum ask_like, says where */
	PLAN_SEGMENT
};

/* A condition on rows of a node. */
struct plan_condition {
	struct plan_column	 at;
	enum plan_test		 test;
	bool			 negated;
	bool			 implied;	/* by what the question asks for; the question does not state it */
	size_t			 nvalues;
	struct span		 values[4];
	size_t			 items[4];
	const char		*operator;
	uint32_t		 index;		/* of a segment; PLAN_AVERAGE: enum plan_of */
};

/* What PLAN_AVERAGE compares with: an aggregate over all rows, or over those of the condition values[0]. */
enum plan_of { PLAN_OF_AVERAGE, PLAN_OF_HIGHEST, PLAN_OF_LOWEST };

/* A condition on groups, see having.c. */
struct plan_having {
	/* nothing: groups without rows meet the condition; alone: only those do */
	bool		 is, nothing, nothing_alone;
	size_t		 group, owner;	/* items; owner: PLAN_NO_ITEM when absent */
	const char	*operator;	/* NULL: between least and most, both included */
	double		 least, most;
};

struct plan {
	const struct ask_model	*m;
	const struct ask_context *c;
	const struct ask_known	*known;
	struct arena		*a;
	struct ask_reading	*out;
	struct ask_items	 q;
	struct readings_names	*names;		/* of readings.c alone */
	size_t			 nanswers;
	struct span		 answers[PLAN_ANSWERS_MAX];	/* answers to earlier clarifying questions */
	size_t			 nthresholds;
	struct ask_threshold	 thresholds[PLAN_ANSWERS_MAX];	/* the same that are conditions; word empty: any */
	size_t			 places;			/* the same of a ranking; 0: not answered */
	bool			 proceeds;			/* assume what would be asked */
	bool			 period_said;			/* an answer is a time period */
	size_t			 nassumed;
	struct span		 assumed[PLAN_ANSWERS_MAX];	/* "Time period: last quarter" */
	bool			 leaves;			/* unknown words are left for a question back */
	size_t			 far;				/* the item up to which readings came */
	bool			 relation;			/* the question is how two measures go together */

	uint32_t		 root;
	struct ask_routes	 routes;
	size_t			 nmeasures;
	struct ask_measure	 measures[ASK_MEASURES_MAX];
	bool			 inline_measure;	/* an aggregate of a column */
	bool			 latest;		/* the latest or earliest value of a column: needs no window */
	bool			 counted;		/* rows of an entity */
	/* an entity is counted through an event, and only the event's own date counts */
	bool			 through;
	bool			 averages;		/* the measure is an average */
	bool			 counts;		/* the measure is a count of the model */
	/* nothing asks to count rows, but no other reading is left */
	bool			 entity;
	enum ask_tier		 worst;			/* the worst tier among the chosen hits */
	enum ask_measured	 unit;			/* of the measures */

	size_t			 ndimensions;
	/* grain: -1, or the enum ask_unit into which the window's date is cut */
	struct { struct plan_column at; int grain; bool identity; } dimensions[PLAN_DIMENSIONS_MAX];
	size_t			 nconditions;
	struct plan_condition	 conditions[PLAN_CONDITIONS_MAX];
	size_t			 nperiods;
	struct { size_t item; struct plan_column date; bool bound; } periods[PLAN_PERIODS_MAX];

	struct plan_having	 having;
	bool			 lists;		/* rows or values, not figures */
	bool			 by_rows;	/* the ranked groups are the rows of the root */
	bool			 nothing;	/* a group without rows has the lowest rank */
	int			 rank;		/* above 0: the highest first; below: the lowest; 0: none */
	int			 order;		/* the same of all groups */
	size_t			 limit;
	enum plan_says		 asked;		/* the last question back */
	bool			 share, compare, change, done;
	bool			 always;	/* the question means all time: no window */
	struct ask_clarification nowhere;	/* takes the clarifying questions that have no room */
};

/* The first and the last word of item i. */
static inline const struct ask_token *
plan_word(const struct plan *p, size_t i)
{
	return &p->q.tokens[p->q.items[i].first];
}

static inline const struct ask_token *
plan_last_word(const struct plan *p, size_t i)
{
	return &p->q.tokens[p->q.items[i].first + p->q.items[i].n - 1];
}

/* Whether word w of the question is one of a list, as for ask_is_any(); the one before or behind item i. */
bool plan_reads(const struct plan *p, size_t w, const char *words);
bool plan_reads_before(const struct plan *p, size_t i, const char *words);
bool plan_reads_behind(const struct plan *p, size_t i, const char *words);

bool plan_is_word(const struct plan *p, size_t i, enum ask_word_kind kind);
/* A word that the table skips: what it asks about, leftovers_settle() does. */
bool plan_is_left(const struct plan *p, size_t i);
/* a free name that may mean this kind */
bool plan_has(const struct plan *p, size_t i, enum ask_kind kind);
/* the same, free or not; of this source */
bool plan_names_any(const struct plan *p, size_t i, enum ask_kind kind);
bool plan_names_of(const struct plan *p, size_t i, enum ask_kind kind, uint32_t source);
bool plan_names_column(const struct plan *p, size_t i, enum ask_kind kind, struct plan_column at);
/* The next of the item's hits of the kind, from *k on, which is 0 at first; NULL: no more, or no item. */
const struct ask_entry *plan_next_hit(const struct plan *p, size_t i, enum ask_kind kind, size_t *k);
/* The source that the item names; ASK_NONE: none. */
uint32_t plan_source_named(const struct plan *p, size_t i);
/* The source that the first item names and the second is a column of, else ASK_NONE. */
uint32_t plan_source_of_column(const struct plan *p, size_t source, size_t column);
bool plan_is_free(const struct plan *p, size_t i);
bool plan_is_number(const struct plan *p, size_t i); /* a free number */
size_t plan_after(const struct plan *p, size_t i);	/* the next item that is not a stop word, or PLAN_NO_ITEM */
size_t plan_before(const struct plan *p, size_t i);
uint32_t plan_source_after(const struct plan *p, size_t i);	/* that plan_after() names */
bool plan_belongs(const struct plan *p, uint32_t source, uint32_t to);	/* a row of the source has one of the other */
size_t plan_find(const struct plan *p, enum ask_word_kind kind);	/* the first free one, or PLAN_NO_ITEM */
void plan_take(struct plan *p, size_t i, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The arguments of a text; NULL: none. */
#define SPANS(...) (const struct span[]){ __VA_ARGS__ }

/* Whether the text names this topic of clarifying questions, or one of them all, in either language. */
bool plan_is_topic_of(struct span text, enum plan_says topic);
bool plan_is_topic(struct span text);

/* The text in the language of the question. */
struct span plan_says(const struct plan *p, enum plan_says which, const struct span *args);
bool plan_refuse(struct plan *p, enum plan_says which, const struct span *args);	/* false */

/* Refuses what the item names, to which no join leads, and names a source that leads to both.  False. */
bool plan_refuse_unreached(struct plan *p, size_t item);

/* Ask the user; only the first ASK_QUESTIONS_MAX questions are kept. */
struct ask_clarification *plan_ask(struct plan *p, enum plan_says which, const struct span *args);
/* The name of the unit in the language of the question. */
struct span plan_unit(const struct plan *p, enum ask_measured unit);
void plan_suggest(struct ask_clarification *q, struct span text);
/* The answer takes the place of the items from first to last: their words are the topic. */
void plan_ask_instead(const struct plan *p, struct ask_clarification *q, size_t first, size_t last);
/* The question, for who asks it later. */
struct ask_clarification plan_question(const struct plan *p, enum plan_says which, const struct span *args);
void plan_note(struct plan *p, enum plan_says which, const struct span *args);	/* a caveat or an assumption */
void plan_assume(struct plan *p, struct span text);
struct span plan_text(struct plan *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the model says what a row is: its grain is a key, not just all of its columns. */
bool plan_has_key(const struct ask_source *s);

/* The number of dimensions without keys that only tell rows of the same name apart. */
size_t plan_groups(const struct plan *p);

/* The only column of the key; ASK_NONE: it has several, or none. */
uint32_t plan_key_column(const struct ask_source *s);

const struct ask_source *plan_source(const struct plan *p, uint32_t node);
const struct ask_column *plan_column(const struct plan *p, struct plan_column at);
uint32_t plan_root(const struct plan *p);	/* the source of the root */
/* The root if it is of the source, else its only reachable node.  ASK_NONE: none or several are reachable. */
/*
 * Of a link whose two keys lead to rows of the same source, that of whose rows it is: the one by which the link is not
 * called, as student_id of Friend, with friend_id as *far.  ASK_NONE: it is no such link, or its names do not tell.
 */
uint32_t plan_way(const struct plan *p, uint32_t link, uint32_t source, uint32_t *far);

uint32_t plan_only_node(const struct plan *p, uint32_t source);
bool plan_reaches(const struct plan *p, uint32_t source);	/* joins lead from the root to rows of the source */
struct span plan_field(struct plan *p, struct plan_column c);
/* source.name, and a function of it, as expressions write them: names are quoted where they have to be. */
struct span plan_operand(struct plan *p, const struct ask_source *s, struct span name);
struct span plan_call(struct plan *p, const char *function, bool distinct, const struct ask_source *s,
    struct span name);
/* The unit of a number column, from its description, its label or the ending of its name. */
enum ask_measured plan_column_unit(const struct plan *p, const struct ask_column *c);
/* What the entry is called; of an alias or a value, what its rows are.  Its label: "country". */
const struct ask_names *plan_entry_names(const struct plan *p, const struct ask_entry *e);
struct span plan_entry_label(const struct plan *p, const struct ask_entry *e);
struct span plan_column_label(struct plan *p, struct plan_column c);	/* "country", "office of agent" */

/* "sales area is DACH": whether the first item is a column and the second one of its values. */
bool plan_names_value(const struct plan *p, size_t column, size_t value);

/*
 * Choose the column that the item means, from hits of these kinds (a mask); only: restricts to a source, or ASK_NONE.
 * False: asked or refused.
 */
bool plan_choose(struct plan *p, size_t item, unsigned kinds, uint32_t only, struct plan_column *out);

/* Remember the tier of a hit that was chosen. */
void plan_worsen(struct plan *p, unsigned tier);

/* Whether an answer of the user is this text. */
bool plan_is_answered(const struct plan *p, struct span text);

/* Add a condition on the column; NULL: refused, as there are too many. */
struct plan_condition *plan_add_condition(struct plan *p, struct plan_column at, enum plan_test test);
void plan_tell_left_out(struct plan *p, const struct plan_condition *c);	/* rows without a value, in a caveat */

/* Whether "all" is among the items: "customers with all orders delivered" says something of each order. */
bool plan_says_all(const struct plan *p, size_t first, size_t end);

/* The word "not" before item i, not consumed; PLAN_NO_ITEM: none. */
size_t plan_negation(const struct plan *p, size_t i);

/* Whether the word asks which: "which", "what". */
bool plan_asks_which(const struct plan *p, size_t i);

/* Whether the word at i is a superlative of at least this strength: ASK_MOST, ASK_COMMONEST. */
bool plan_is_extreme(const struct plan *p, size_t i, int strength);
