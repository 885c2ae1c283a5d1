/* examples - example questions, made of a model's own labels; each is read before it is offered. */
#pragma once

#include "ask/ask.h"

/*
 * At most n example questions that the model answers, made of its own words.  Each was read and has an answer; no two
 * are equal.  They cover as many shapes as the model allows, measures over time first, and are about the year, or
 * about last year where it is 0.  Returns their number.
 */
size_t ask_examples(const struct ask_model *m, const struct ask_context *c, unsigned year, struct arena *a,
    struct span *texts, size_t n);

/* The date of the first example that has one, "orders.ordered_at"; empty: none has. */
struct span ask_examples_date(const struct ask_model *m, struct arena *a);
