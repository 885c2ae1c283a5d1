/*
 * batch - the answers to one batch of messages, collected until all are there:
 * what a line client of 2025-03-26 gets is one array on one line.
 */
#ifndef FRONT_BATCH_H
#define FRONT_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "front/mcp.h"

#define BATCH_MESSAGES_MAX	100u		/* in one batch; beyond: refused */
#define BATCH_BYTES_MAX		(32u << 20)	/* of answers; what comes after is an error that says so */

struct batch {
	struct buf	 out;		/* the array, not yet closed */
	unsigned	 owed;		/* answers still to come, and one while messages are dispatched */
};

struct batch *batch_new(void);

/* One answer, of the request with this id. */
void batch_add(struct batch *b, struct span id, const struct answer *a);

/*
 * One of those owed is settled, answered or not.  True: that was the last;
 * out then holds the whole array, or nothing when nothing was answered, and
 * the caller frees b.
 */
bool batch_settle(struct batch *b);

void batch_free(struct batch *b);

/*
 * What is wrong with a batch from a client of this revision.  NULL: nothing.
 */
const char *batch_problem(const struct mp_value *messages, enum mcp_revision revision);

#endif
