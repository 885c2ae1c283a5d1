/*
 * changes - notifies fronts of changes in what the worker offers: CHANGED in ipc/messages.def.
 * Private to workers/shared; workers see child.h.  Changes are recorded as they happen and sent
 * between calls: the first at once, later ones together after CHANGES_NS.  Beyond the bounds a message
 * says "everything".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct runtime;

#define CHANGES_NS		(100 * CLOCK_MS)
#define CHANGES_URIS_MAX	256u		/* URIs of one message; beyond: everything */
#define CHANGES_BYTES_MAX	(48u * 1024)	/* bytes of those URIs; beyond: everything */

struct changes {
	unsigned	lists;		/* as in CHANGED */
	bool		everything;
	struct buf	uris;		/* msgpack strings, one after another */
	size_t		nuris;
	uint64_t	told_ns;
};

/* Between calls: send pending changes, and greet new fronts. */
void changes_tell(struct runtime *rt, uint64_t now);

/* The timeout for poll(2) in ms until changes are due; otherwise, or -1 (no timeout), when none are pending. */
int changes_patience(const struct runtime *rt, uint64_t now, int otherwise);

/* Record a change; serve_changed() and serve_changed_all() call these. */
void changes_note(struct runtime *rt, unsigned lists, bool everything, struct span uri);
