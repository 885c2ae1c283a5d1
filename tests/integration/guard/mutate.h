/*
 * mutate - new SQL from old: statements are cut into tokens, and pieces of one
 * that stand in brackets take the place of pieces of another.  The same seed
 * gives the same statements.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

struct mutator;

struct mutator *mutator_new(uint64_t seed);
void mutator_free(struct mutator *m);

/* A statement to make others of. */
void mutator_add(struct mutator *m, const char *sql);

/* What may stand where a function, a relation or a string stands; copied, written as it is. */
enum mutator_pool { MUTATOR_FUNCTIONS, MUTATOR_RELATIONS, MUTATOR_STRINGS, MUTATOR_POOLS };
void mutator_offer(struct mutator *m, enum mutator_pool pool, const char *text);

/* The next statement, into out. */
void mutator_next(struct mutator *m, struct buf *out);
