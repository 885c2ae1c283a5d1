/* metering - what this front counts for /metrics, and lines in the log of calls and refusals. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct front;
struct metering;
struct metrics;
struct policy_tool;
struct tool_result;

struct metering *metering_new(void);
void metering_free(struct metering *m);

/* The counts of this front, owned by m. */
struct metrics *metering_counted(struct metering *m);

/* A request that has ended. */
struct metered {
	const struct policy_tool	*tool;		/* NULL: it called no tool */
	const char			*principal, *trace;
	uint64_t			 serial, began_ns;
	enum err_code			 code;
	bool				 external;	/* it came over HTTP */
	const struct tool_result	*result;	/* NULL: it has no rows */
};

/* Count it, and log its call. */
void metering_request(struct metering *g, const struct metered *q);

/* Count an HTTP request that was refused before it became an exchange. */
void metering_refusal(struct front *f, enum err_code code);

/* Log a refusal.  At most a few lines are written per second; the rest are counted. */
void metering_log_refusal(struct front *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Count an audit entry: confirmed after this time, or not written. */
void metering_audit(struct front *f, uint64_t ns, bool written);
