/*
 * guesses - wrong passwords and setup links, counted by address, by name and by both: over all nodes that share a
 * store, in one statement each, else in memory.
 */
#pragma once

#include "workers/auth/oauth/login.h"

/* The seconds to wait before the next attempt; 0: go on, and it counts as wrong until guesses_right(). */
int guesses_begin(struct auth *a, const struct login *l, unsigned *wait, struct err *err);

/* It was right after all, or could not be checked. */
void guesses_right(struct auth *a, const struct login *l);

/* It was wrong.  slow: further ones for the name from other addresses wait ever longer. */
void guesses_wrong(struct auth *a, const struct login *l, bool slow);
