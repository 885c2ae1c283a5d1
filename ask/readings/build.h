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

/* The adjectives of the rows that the row of readings.def named, as conditions.  False: one is of something else. */
bool build_adjectives(struct plan *p, struct draft *d);
