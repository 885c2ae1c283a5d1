/*
 * batch - the answers to one batch of messages, collected until the last has come.  A line client of
 * 2025-03-26 gets them as one array on one line.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "front/mcp/exchange.h"

#define BATCH_MESSAGES_MAX	100u		/* messages of one batch; beyond: refused */
#define BATCH_BYTES_MAX		(32u << 20)	/* bytes of answers; later answers become an error that says so */

struct batch {
	struct buf	 out;		/* the array, without its closing bracket */
	unsigned	 owed;		/* answers still missing, plus one while messages are dispatched */
};

struct batch *batch_new(void);

/* Add the answer to the request with this id. */
void batch_add(struct batch *b, struct span id, const struct mcp_answer *a);

/*
 * One expected answer has come or will never come.  True: that was the last.  out then holds the whole
 * array, or nothing when there was no answer at all, and the caller frees b.
 */
bool batch_settle(struct batch *b);

void batch_free(struct batch *b);

/* Why a batch from a client of this revision is refused.  NULL: the batch is fine. */
const char *batch_problem(const struct mp_value *messages, enum mcp_revision revision);
