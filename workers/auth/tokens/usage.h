/*
 * usage - the use of connectivity tokens since the start, for administrators: number of calls, failures, latencies,
 * and the last few calls.  Taken from audit entries; contains neither questions nor answers.  Pure: no I/O.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "workers/auth/audit/audit_entry.h"

#define USAGE_LATENCIES	1024	/* latencies kept for the percentiles */
#define USAGE_RECENT	5
#define USAGE_NAME	64	/* bytes kept of a tool's name */

struct usage {
	uint64_t	requests, errors;
	uint32_t	latencies[USAGE_LATENCIES];	/* milliseconds; a ring */
	struct usage_call {
		uint64_t	at_unix_ms, duration_ms;
		char		tool[USAGE_NAME];
		bool		ok;
	}		recent[USAGE_RECENT];
};

/* Count an entry; entries without a token are ignored. */
void usage_note(struct usage *u, const struct audit_entry *e);

/*
 * Append the members "metrics" and "recent_queries" of connectivity_status (tools.md, section 6), the newest query
 * first: two pairs of a map.
 */
void usage_put(const struct usage *u, uint64_t active, uint64_t failures, struct buf *out);
