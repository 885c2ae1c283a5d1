/* draft - private to the readings: what a chain of rows of readings.def has understood so far. */
#pragma once

#include "ask/plan.h"

#define DRAFT_COLUMNS_MAX	6u
#define DRAFT_CONDITIONS_MAX	8u
#define DRAFT_RELATED_MAX	4u
#define DRAFT_STEPS_MAX		24u
#define DRAFT_ROOT		SIZE_MAX

/* An aggregate of a column of the root; column ASK_NONE: not said yet. */
struct draft_fold {
	size_t		item;
	uint32_t	column;
};

/* What the spans of one row captured.  A row's pattern copies it at each span, the draft only where the row ends. */
struct draft_spans {
	size_t			 at;			/* what this condition is about, see struct draft */
	bool			 and_next;		/* AND was read before or within the row */
	size_t			 nlist;
	struct plan_column	 list[DRAFT_COLUMNS_MAX];
	size_t			 bare;			/* columns at the end of the list that no owner was named for */
	struct plan_column	 column, value;		/* value: the column of text */
	struct span		 text;
	struct plan_column	 first_value;		/* of the value before this one, in the same row */
	struct span		 first_text;
	size_t			 nvalues;
	uint32_t		 related, parent;	/* nodes */
	uint32_t		 through;		/* what the related rows link to; ASK_NONE: they are meant */
	uint32_t		 way;			/* to the root, of two; ASK_NONE: there is one */
	double			 number, upto;
	struct span		 amount;		/* the number as it is written in digits; empty: in words */
	bool			 said;			/* a column was captured */
	size_t			 item, rows;		/* that name the root, and related rows; of 'J': said_by */
	int			 operator;		/* enum ask_operator, or enum ask_like */
	int			 direction;		/* 1, -1: descending; 0: not said */
	size_t			 fold;			/* the item of a superlative, or of "average" in a comparison */
	size_t			 nfolds;
	struct draft_fold	 folds[ASK_MEASURES_MAX];
	int			 extreme;
	bool			 named, distinct;	/* named: the question names the root here */
	size_t			 distinct_item;
	bool			 behind;		/* a column of what the root leads to, which nothing else has */
	bool			 bare_behind;		/* the same, before the rows are named */
	bool			 of_parent;		/* "the model of the car": what names it */
	bool			 with, negated;		/* "with" was said; "no" or "not" was */
	bool			 none;			/* it was "no" */
	bool			 but;			/* "but not", "except" */
	bool			 apart;			/* related rows or a value, behind a comma */
	bool			 of_root;		/* the root, or what it leads to, has the value */
	bool			 only;			/* nothing else has the value */
	bool			 noun;			/* the words may mean something else */
	bool			 compound;		/* by a word of the column: "product category" */
	bool			 owned, article;	/* owned: the rows are named; article: "with a" */
	bool			 compared;		/* the rows named here are those that are compared with */
	bool			 singular;		/* "what is" */
	bool			 each;			/* "of each room" */
	size_t			 value_item;
	size_t			 period, said_by, verb;	/* items: of the period; of the column; 'q' */
	size_t			 years;			/* item: "years old"; PLAN_NO_ITEM: was not said */
	size_t			 nadjectives, adjectives[2];	/* items: "gold customers" */
	char			 adjectives_of;		/* the letter of the rows */
	struct span		 word;			/* of the comparator; "largest", of "largest first" */
	size_t			 group, measure, comparator, count, by, top, said_unit, number_item, order; /* items */
	bool			 share, compare, change, always, spelled;	/* see struct draft */
	bool			 range;			/* the number is one, and upto the other */
};

struct draft_condition {
	struct plan_condition	 is;
	size_t			 of;	/* the related rows that it is about; DRAFT_ROOT: the root's */
	bool			 either;	/* or the one before it */
	bool			 named;		/* the question names its column */
	bool			 counted;	/* "more than 3 beds": the number comes first */
};

struct draft_related {
	uint32_t		 node;
	size_t			 of;	/* the related rows that they lead to; DRAFT_ROOT: the root's */
	size_t			 item;	/* that names them */
	uint32_t		 through;	/* a row of this node is meant; ASK_NONE: the row itself */
	uint32_t		 way;		/* the node by which they lead to the row, see plan_way() */
	bool			 negated;
	bool			 compared;	/* no related rows: those of the root that its rows are compared with */
	bool			 alike;		/* compared: rows of the root with the same values in the list */
	bool			 either;	/* or what was said before it */
	bool			 unsaid;	/* a condition on them has to follow */
	const char		*operator;	/* NULL: there are some */
	double			 number;
};

struct draft {
	struct draft_spans	 s;
	bool			 number;	/* of rows, not the rows */
	bool			 bare;		/* nothing but the rows is said to be counted */
	bool			 rows;		/* things, each once, rather than values */
	bool			 distinct;
	bool			 each;		/* a row of the answer for each row */
	bool			 and_next, or_next;	/* AND or OR was read, and what it joins is not yet */
	bool			 any_of;	/* OR joins all that is said of the rows, related ones too */
	bool			 link;		/* the root is not named: its rows link those that are */
	bool			 compound;	/* by a word of the column alone */
	bool			 owned;		/* the question names the rows whose columns are listed */
	bool			 behind;	/* a listed column is of what the rows lead to, and none is their own */
	bool			 unnamed;	/* the words for the rows are no list of them; it follows */
	bool			 loose;		/* columns of a row that a value has to name: "the age of Ada" */
	const struct ask_clarification *asks;	/* what the user has to say first; NULL: nothing */
	struct span		 assumption;
	size_t			 ncolumns, nconditions, nrelated, nsteps;
	uint32_t		 near;		/* what the rows lead to, named last; ASK_NONE: nothing was */
	bool			 pending;	/* nothing is said about it yet */
	bool			 open_list;	/* values with commas between them, and OR is still to come */
	size_t			 at, last;	/* what this condition, and further ones, are about */
	struct plan_column	 columns[DRAFT_COLUMNS_MAX], order;
	struct draft_condition	 conditions[DRAFT_CONDITIONS_MAX];
	struct draft_related	 related[DRAFT_RELATED_MAX];
	bool			 ordered, descending;
	size_t			 nthen;		/* further columns of the order */
	struct { struct plan_column at; bool descending; } then[ASK_THEN_MAX];
	bool			 sorted;	/* an order was asked for, and is said behind the rows */
	bool			 spelled;	/* the order is that of the alphabet */
	int			 top;		/* "top 3": 1, or -1: "bottom 3"; by what is said behind the rows */
	/* in the order of how many of the first related rows there are, or of the highest of their folds[0] */
	bool			 most;
	bool			 first;		/* only the row or rows with the extreme */
	bool			 both;		/* the number of rows next to aggregates */
	size_t			 places;	/* as many rows; 0: one, and those equal to it */
	size_t			 nfolds;	/* aggregates of columns of the rows, instead of their number */
	struct draft_fold	 folds[ASK_MEASURES_MAX];
	bool			 values;	/* how many different values the only column has */
	bool			 by_row;	/* the number of the first related rows for each row */
	/* figures.c: a measure of the root, a number of its rows or aggregates of a column, by groups */
	size_t			 nmeasures, measures[ASK_MEASURES_MAX];	/* items */
	size_t			 ngroups, nperiods, nmentions;
	/* item PLAN_NO_ITEM: the column is known */
	struct { size_t item; bool per; struct plan_column at; } groups[PLAN_GROUPS_MAX];
	struct { size_t item; struct plan_column date; bool bound; } periods[PLAN_PERIODS_MAX];
	size_t			 mentions[4];	/* words for rows that the reading has to use */
	size_t			 group_step, measure_step;	/* the step behind the last one of its kind */
	bool			 leads;		/* the question begins with the groups, and the figure follows */
	bool			 lists;		/* rows are asked for, by a word that also names their count */
	bool			 always;	/* all time is meant: no window */
	bool			 before;	/* something precedes what is asked for */
	size_t			 among;		/* item: rows, said before what is asked of them; PLAN_NO_ITEM: none */
	bool			 compare, change;	/* two periods or values are compared; change: "grew" */
	struct plan_column	 date_said;	/* of the period, by a word apart from it; column ASK_NONE: no word */
	bool			 latest;	/* of a date, which needs no window */
	bool			 limited, share, counts;	/* counts: "how many" was said */
	bool			 commonest, of_root;	/* was said */
	bool			 most_of;	/* "the most", rather than "top" */
	struct plan_having	 having;	/* what limits the groups */
	size_t			 number_item, unit, owner;	/* items; owner: whose column the group is */
	size_t			 date_before;	/* item: "delivered", before the rows; PLAN_NO_ITEM: not said */
	size_t			 threshold;	/* item: "high-value", a condition on a measure; PLAN_NO_ITEM: none */
	uint32_t		 counted;	/* the node of rows counted by those that lead there; ASK_NONE: none */
	size_t			 through, event; /* items: what is counted by an event's rows, and the event */
	size_t			 entity;	/* item: the rows that are counted; PLAN_NO_ITEM: none */
	int			 rank;
	size_t			 ranked_word;	/* item: "top", "largest" */
	int			 score;
	struct draft_step { const char *row; size_t first, end; } steps[DRAFT_STEPS_MAX];
};

/* The plan's answer to the draft: its query, and the words that each row consumed.  False: it cannot be said. */
bool draft_answer(struct plan *p, const struct draft *d);

/* Which row of the table consumed each word. */
void draft_take_words(struct plan *p, const struct draft *d);

/* The node of the rows that `of` means: the root, or related rows. */
uint32_t draft_node(const struct plan *p, const struct draft *d, size_t of);

/* How many conditions are on these rows. */
size_t draft_conditions_of(const struct draft *d, size_t of);

/* Whether the related rows have a date, and no period limits them. */
bool draft_lacks_period(const struct plan *p, const struct draft *d, size_t related);

/* Whether the rows that the words are about lead to the node, in one way, and not over the row that they belong to. */
bool draft_leads_to(const struct plan *p, const struct draft *d, uint32_t parent);

/* The node of the source to which they lead so; ASK_NONE: none, or several. */
uint32_t draft_parent(const struct plan *p, const struct draft *d, uint32_t source);
