/*
 * ended - a set of ended ids, per owner, each remembered until it would have expired by itself.  Each
 * owner has bounded room.  Beyond that room the owner's oldest id is dropped, and every id of this
 * owner that expires no later counts as ended.  So an ended id never becomes valid again, and no owner
 * affects the ids of another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define ENDED_ID_MAX		64u
#define ENDED_OWNERS_MAX	4096u	/* when there are more, the owner that was added first is forgotten */

struct ended;

/* `each` bounds the ids of one owner, `all` the ids of all.  Beyond `all` the owner with the most ids drops one. */
struct ended *ended_new(size_t each, size_t all);
void ended_free(struct ended *e);

/* Remember one id; repeating is harmless.  An empty id: all ids of the owner that expire no later. */
void ended_add(struct ended *e, uint64_t owner, struct span id, uint64_t expires);

bool ended_has(const struct ended *e, uint64_t owner, struct span id, uint64_t expires);

/* Call tell() for all ids that have not expired at `now`, with arguments as ended_add() takes them. */
void ended_each(const struct ended *e, uint64_t now,
    void (*tell)(void *arg, uint64_t owner, struct span id, uint64_t expires), void *arg);

/* Forget expired ids. */
void ended_sweep(struct ended *e, uint64_t now);

/* The number of single ids that are remembered. */
size_t ended_count(const struct ended *e);
