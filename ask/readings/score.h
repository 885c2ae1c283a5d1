/*
 * score - private to the readings: which complete draft is the reading.  Drafts of the same score that ask different
 * things are no reading.
 */
#pragma once

#include "ask/readings/search.h"

/* The draft consumes every word: keep it if nothing speaks against it and no draft has a better score. */
void score_complete(struct reading_search *s, const struct draft *d);

/* Whether the draft is worse than the best one; one that asks is worse than one that does not. */
bool score_is_worse(const struct reading_search *s, const struct draft *d);
