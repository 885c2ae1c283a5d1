/*
 * build - private to the readings: a builder for each row of readings.def.  It puts into the draft what the spans of
 * its row captured; false: it does not understand them so.
 */
#pragma once

#include "ask/comparisons.h"
#include "ask/readings/draft.h"

typedef bool reading_builder(struct plan *p, struct draft *d);

#define READING(name, place, needs, pattern, builder, score) reading_builder builder;
#include "ask/readings/readings.def"
#undef READING

/* The columns that the row lists; the rows, by what names them. */
reading_builder build_columns, build_rows;

/* Add a condition on what the row at hand is about.  NULL: there is no room, or the question joins it otherwise. */
struct plan_condition *build_add_condition(struct draft *d, struct plan_column at, enum plan_test test);
/* Add related rows that the spans captured; those of a column with the value; those with the number, or between two. */
bool build_add_related(const struct plan *p, struct draft *d, bool negated, const char *operator);
bool build_add_value(struct plan *p, struct draft *d, struct plan_column at, bool negated);
bool build_add_number(struct plan *p, struct draft *d, struct plan_column at);
/* A value without its column: of the rows themselves, or what names those that they lead to. */
bool build_value_of(struct plan *p, struct draft *d, bool negated);

/* What is said next is of another one of these related rows.  False: there is no room. */
bool build_repeat_related(struct draft *d, size_t of, bool negated);

/*
 * "a dog and a cat", "a dog but not a cat": of two rows, each of which has one of the values.  False: the question does
 * not say of which rows the next condition is.
 */
bool build_part_rows(struct draft *d, struct plan_condition *next);

/*
 * "patients with more than 1 visit, with a doctor": whether the groups that are limited lead to the source, too, so
 * that not only the rows that are counted may be meant.
 */
bool build_is_of_group(const struct plan *p, const struct draft *d, uint32_t source);

/* List the rows by what names them, else by their key.  False: they have neither, or a figure is asked for. */
bool build_name_rows(const struct plan *p, struct draft *d);

/* What the next condition is about: what the rows lead to, when it was named last, else the rows. */
uint32_t build_node_said(const struct plan *p, const struct draft *d);
/* "friends older than 30", "female friends": those to which the link leads, named last.  ASK_NONE: no link. */
uint32_t build_node_linked(const struct draft *d);

/* The user has to say this first; suggestion: an answer, or empty.  NULL: there is no memory. */
struct ask_clarification *build_ask(struct plan *p, struct draft *d, enum plan_says which, const struct span *args,
    struct span suggestion);

/* "price of parts", where a value is "Part": whether that value is meant. */
bool build_ask_value_only(struct plan *p, struct draft *d, struct plan_column at);

/*
 * A copy of the plan that keeps its questions back and assumptions to itself, for what may still be read otherwise.
 * False: there is no memory.
 */
bool build_aside(const struct plan *p, struct plan *copy);
/* Take what was asked or assumed aside.  False: nothing was asked. */
bool build_take_aside(struct draft *d, const struct plan *copy);

/* The only rows that the verb of a join says lead to the root; ASK_NONE: none, or several. */
uint32_t build_joined_source(const struct plan *p, size_t verb);

/* Whether the words around the item, which names a row, relate it to the root in any way that there is. */
bool build_relates_any_way(const struct plan *p, size_t item);


/* How many: the rows of the source that lead to the root, the rows that lead to both.  They become the related rows. */
unsigned build_find_links(const struct plan *p, struct draft *d, uint32_t source);

/* A period of what is measured; date.column ASK_NONE: its date depends on the measure and the groups. */
bool build_put_period(struct draft *d, struct plan_column date);

/* The aggregates that the row captured become those of the figure. */
void build_take_folds(struct draft *d);

/* The only number of the rows that "older than" compares.  False: none, or several. */
bool build_degree_column(const struct plan *p, const struct draft *d, struct plan_column *out);

/* The comparison of the row at hand. */
struct comparison build_comparison(const struct draft *d);

/* "along with their", "with their": what follows is shown with the rows. */
bool build_says_their(const struct plan *p, const struct draft *d);

/* "the most downtime", of a measure: no number of downtimes */
bool build_says_amount(const struct plan *p, size_t i);

/* "tried out for each team": of each, unlike "for a team" */
bool build_says_each(const struct plan *p, const struct draft *d);
bool build_says_who_did(const struct plan *p, size_t verb);	/* "did Ada borrow" */

/* "tickets solved in March": the word is about the period, see build_state_dated(). */
bool build_is_dated_state(const struct plan *p, const struct draft *d);

/* The adjectives of the rows that the row of readings.def named, as conditions.  False: one is of something else. */
bool build_adjectives(struct plan *p, struct draft *d);
