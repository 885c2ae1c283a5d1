/*
 * readings - questions for rows, read by a table of shapes (readings.def).
 *
 * Each source that the question names is tried as the one whose rows are asked for.  A search lays rows of the table
 * over the items from the first to the last; a row's builder may refuse what it does not understand.  Only a chain
 * that consumes every item is a reading; two chains of the best score with different meanings are ambiguous, and
 * nothing is read.
 */
#pragma once

#include "ask/plan.h"

/* What the columns of the model's sources are called, found when a question needs it.  NULL: there are too many. */
struct readings_spoken *readings_spoken_new(const struct ask_model *m);
void readings_spoken_free(struct readings_spoken *spoken);

/* Read the items of a fresh plan.  False: no row of the table, or several, read the question; p is then spoilt. */
bool readings_read(struct plan *p);
