/*
 * ended - what has ended, of whom, until it would have expired by itself.
 *
 * Each owner has room for so many; beyond, its oldest is dropped and all of
 * this owner that expires no later counts as ended with it.  So what ended
 * never comes back, and nobody's endings touch what is another's.
 */
#ifndef BASE_ENDED_H
#define BASE_ENDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define ENDED_ID_MAX		64u
#define ENDED_OWNERS_MAX	4096u	/* beyond: the one heard of first is forgotten */

struct ended;

/* Room for `each` of one owner and `all` together: beyond, the owner of the most drops one. */
struct ended *ended_new(size_t each, size_t all);
void ended_free(struct ended *e);

/* Remember one; again is once.  An empty id: all of the owner that expires no later. */
void ended_add(struct ended *e, uint64_t owner, struct span id, uint64_t expires);

bool ended_has(const struct ended *e, uint64_t owner, struct span id, uint64_t expires);

/* All that is remembered and has not expired at `now`, in the form ended_add() takes. */
void ended_each(const struct ended *e, uint64_t now,
    void (*tell)(void *arg, uint64_t owner, struct span id, uint64_t expires), void *arg);

/* Forget what has expired by itself. */
void ended_sweep(struct ended *e, uint64_t now);

/* How many are remembered, each by its id. */
size_t ended_count(const struct ended *e);

#endif
