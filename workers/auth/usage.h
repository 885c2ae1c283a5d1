/*
 * usage - what has been asked for with connectivity tokens since the start, for whoever looks after them: how many
 * calls, how many failed, how long they took, and the last few.  Taken from the entries of the audit; never what was
 * asked or answered.  Pure: no I/O.
 */
#ifndef WORKERS_AUTH_USAGE_H
#define WORKERS_AUTH_USAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "workers/auth/audit_entry.h"

#define USAGE_LATENCIES	1024	/* of the last calls, for the percentiles */
#define USAGE_RECENT	5
#define USAGE_NAME	64	/* bytes kept of a tool's name */

struct usage {
	uint64_t	requests, errors;
	uint32_t	latencies[USAGE_LATENCIES];	/* milliseconds; the oldest is written over */
	struct usage_call {
		uint64_t	at_unix_ms, duration_ms;
		char		tool[USAGE_NAME];
		bool		ok;
	}		recent[USAGE_RECENT];
};

/* Take note of an entry; those that no token made are passed over. */
void usage_note(struct usage *u, const struct audit_entry *e);

/*
 * Append the members "metrics" and "recent_queries" of connectivity_status (tools.md, section 6), the newest query
 * first: two pairs of a map.
 */
void usage_put(const struct usage *u, uint64_t active, uint64_t failures, struct buf *out);

#endif
