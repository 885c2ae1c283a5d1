/* late - the error for a query that was stopped at its deadline. */
#pragma once

#include <stdint.h>

#include "base/err.h"

/* How long a statement may run, and the configuration key of that limit. */
struct late_limit {
	uint64_t	 ms;
	const char	*key;
};

#define LATE_LIMIT_KEY	"limits.sql_timeout_s"

/*
 * ERR_QUERY_TIMEOUT with the time it ran, and, if that time is the limit for
 * statements, the configuration key of the limit.  Returns -1.
 */
int late_query(uint64_t ran_ns, const struct late_limit *limit, struct err *err);
