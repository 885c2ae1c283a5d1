/*
 * tasks_elsewhere - tasks of other nodes that share the store: carrel-auth has what their front told of them.
 */
#pragma once

#include "front/mcp/exchange.h"

#define TASK_OWNER		32		/* bytes of a digest of who may ask for a task */
#define TASK_ELSEWHERE_MAX	(1u << 20)	/* bytes of an outcome that other nodes know */

enum task_wish { TASK_GET, TASK_UPDATE, TASK_CANCEL };

/* In the store and in messages the numbers stand: new ones come at the end.  Below TASK_COMPLETED it runs. */
enum task_status { TASK_WORKING, TASK_INPUT_REQUIRED, TASK_COMPLETED, TASK_FAILED, TASK_CANCELLED };

/* What clients are told of a task; status: enum task_status. */
struct task_seen {
	struct span	id, message;
	unsigned	status;
	uint64_t	created_ms, updated_ms;
};

void tasks_put(const struct task_seen *t, struct buf *out);
void tasks_owner(const struct principal *who, uint8_t owner[TASK_OWNER]);

/* Answer x, which wishes for a task that this node does not have: now or when carrel-auth has answered. */
void tasks_elsewhere(struct exchange *x, struct span id, enum task_wish wish);
