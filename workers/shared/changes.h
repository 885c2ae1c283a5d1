/*
 * changes - what fronts are told when what the worker offers differs: CHANGED
 * in ipc/messages.def.  Private to workers/shared; workers see child.h.
 *
 * Changes are noted as they happen and told between calls: the first at once,
 * those that follow together, CHANGES_NS later.  What cannot be named any more
 * becomes "everything".
 */
#ifndef WORKERS_SHARED_CHANGES_H
#define WORKERS_SHARED_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct runtime;

#define CHANGES_NS		(100 * CLOCK_MS)
#define CHANGES_URIS_MAX	256u		/* named in one message; beyond: everything */
#define CHANGES_BYTES_MAX	(48u * 1024)	/* of them; beyond: everything */

struct changes {
	unsigned	lists;		/* as in CHANGED */
	bool		everything;
	struct buf	uris;		/* msgpack strings, one after another */
	size_t		nuris;
	uint64_t	told_ns;
};

/* Between calls: tell what is due, and greet fronts that are new. */
void changes_tell(struct runtime *rt, uint64_t now);

/* How long to sleep at most, in ms, when nothing happens; otherwise (-1: for ever) when nothing waits to be told. */
int changes_patience(const struct runtime *rt, uint64_t now, int otherwise);

#endif
