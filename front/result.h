/*
 * result - one tool's result: kept once, as msgpack, and written twice, as
 * the text block and as structuredContent, while the socket drains.
 *
 * The object is: the members put in front by a continuation, the head's,
 * one member holding all rows, the tail's.  A member that came before is not
 * repeated.
 */
#ifndef FRONT_RESULT_H
#define FRONT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct result;

/* What all results together hold: shared by all of a front. */
struct result_budget {
	uint64_t	used, max;	/* bytes */
	uint64_t	max_each;
	SLIST_HEAD(results, result) spare;	/* kept for reuse */
	unsigned	nspare;
};

/* own counts what its principal's results hold, which is shared as share.h says once more than one of them; NULL: nobody's. */
struct result *result_new(struct result_budget *budget, uint64_t *own);
void result_free(struct result *r);

/* Free what is kept for reuse. */
void result_drain_pool(struct result_budget *budget);

/*
 * Add a chunk: one msgpack array of rows that mp_scan() accepted.  -1 with
 * result_too_large past max_each, busy past what all may hold.
 */
int result_add_rows(struct result *r, struct span rows, struct err *err);

/* Members that go in front: a continuation's.  map is a msgpack map.  -1 as above. */
int result_put_front(struct result *r, struct span map, struct err *err);

/* Forget the rows: the call is sent once more. */
void result_forget_rows(struct result *r);

/* All is there.  rows_field is empty when there is no such member.  -1 as above. */
int result_finish(struct result *r, struct span head, struct span rows_field, struct span tail,
    struct err *err);

/*
 * What is shown beside or instead of the object: a msgpack array of content
 * blocks; an empty one for none.  After result_finish().  -1 as above.
 */
int result_put_content(struct result *r, struct span content, struct err *err);

/* The columns of the rows whose numbers are strings, as in RESULT.  After result_finish(). */
void result_put_texts(struct result *r, struct span texts);

/* The blocks; of length 0 when there are none.  Borrowed. */
struct span result_content(const struct result *r);

/* True when the object has no members. */
bool result_is_bare(const struct result *r);
/* True when there are neither members nor rows. */
bool result_is_empty(const struct result *r);

/* What the front keeps for itself: the tail goes to out and is no longer part of the object. */
void result_take_tail(struct result *r, struct buf *out);

/* Bytes kept. */
size_t result_bytes(const struct result *r);

/*
 * Begin writing: before, the object escaped as the inside of a JSON string,
 * between, the object, after.  between.len == 0: the object once, unescaped
 * (before + object + after).  Texts are copied.
 */
void result_begin(struct result *r, struct span before, struct span between, struct span after);

/* The object's members without its braces, once: before, members, after. */
void result_begin_members(struct result *r, struct span before, struct span after);
/* Begin again from the first byte. */
void result_rewind(struct result *r);

/* A struct source's fill: append about OUT_BLOCK bytes; false at the end. */
bool result_fill(void *result, struct buf *out);

/* A struct source's release. */
void result_release(void *result);

#endif
