/* late - the error for a query that was stopped at its deadline. */
#ifndef WORKERS_SQL_LATE_H
#define WORKERS_SQL_LATE_H

#include <stdint.h>

#include "base/err.h"

/*
 * ERR_QUERY_TIMEOUT with the time it ran, and, if that time is the limit for
 * statements (limit_ms), the configuration key of the limit.  Returns -1.
 */
int late_query(uint64_t ran_ns, uint64_t limit_ms, struct err *err);

#endif
