/*
 * compounds - German words that others make up: compounds of words that the model has ("Hundenamen", the names of
 * Hunde), words cut short ("Vor- und Nachname"), and verbs that stand in two places ("reichten … ein").
 */
#pragma once

#include "ask/lexicon_model.h"

/*
 * The words with each such compound as two words, and each such verb as one, in a new array; *n: how many.  A word that
 * means something as it stands, and one that may be cut in several ways, stays.  NULL: a is full.
 */
struct ask_token *compounds_split(const struct ask_model *m, struct arena *a, const struct ask_token *t, size_t *n);
