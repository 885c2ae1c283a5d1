/* parts - private to the readings: the parts of the model that no join connects; a reading stays within one. */
#pragma once

#include "ask/readings/columns.h"

/* Find the parts of the model.  False: the arena is full. */
bool parts_find(const struct ask_model *m, struct readings_spoken *spoken);

/*
 * Whether each item may have a meaning for rows of the source or of what joins connect with it.  False: no reading with
 * this root is complete.
 */
bool parts_know_all(const struct plan *p, uint32_t source);
