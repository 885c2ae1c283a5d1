/*
 * surroundings - checks the rest of a note against a formula: the headings above it, and the sentences, rows and lists
 * next to it.
 *
 * Sentences near a formula must be understood, as a remark or as a condition; sentences elsewhere must only be
 * unsuspicious.  Otherwise the formula is refused for the semantic layer.
 */
#pragma once

#include "workers/memory/read/reading.h"

/* Checks every proposal that is not refused yet; conditions are added to its measure. */
void surroundings_weigh(struct text_reading *r);
