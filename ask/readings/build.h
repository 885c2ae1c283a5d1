/*
 * build - private to the readings: a builder for each row of readings.def.  It puts into the draft what the spans of
 * its row captured; false: it does not understand them so.
 */
#pragma once

#include "ask/readings/draft.h"

typedef bool reading_builder(struct plan *p, struct draft *d);

#define READING(name, place, pattern, builder, score) reading_builder builder;
#include "ask/readings/readings.def"
#undef READING

/* Add a condition on what the row at hand is about.  NULL: there is no room, or the question joins it otherwise. */
struct plan_condition *build_add_condition(struct draft *d, struct plan_column at, enum plan_test test);
/* Add related rows that the spans captured; those of a column with the value; those with the number, or between two. */
bool build_add_related(const struct plan *p, struct draft *d, bool negated, const char *operator);
bool build_add_value(struct plan *p, struct draft *d, struct plan_column at, bool negated);
bool build_add_number(struct plan *p, struct draft *d, struct plan_column at, bool range);

/* The user has to say this first.  NULL: there is no memory. */
struct ask_clarification *build_ask(struct plan *p, struct draft *d, enum plan_says topic, enum plan_says which,
    const struct span *args);

/* Whether the words around the item, which names a row, relate it to the root in any way that there is. */
bool build_relates_any_way(const struct plan *p, size_t item);

/* The only number of the rows that "older than" compares.  False: none, or several. */
bool build_degree_column(const struct plan *p, const struct draft *d, struct plan_column *out);

/* "tried out for each team": of each, unlike "for a team" */
bool build_says_each(const struct plan *p, const struct draft *d);

/* The adjectives of the rows that the row of readings.def named, as conditions.  False: one is of something else. */
bool build_adjectives(struct plan *p, struct draft *d);
