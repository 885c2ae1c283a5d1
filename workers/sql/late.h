/* late - what is said of a query that was stopped at its deadline. */
#ifndef WORKERS_SQL_LATE_H
#define WORKERS_SQL_LATE_H

#include <stdint.h>

#include "base/err.h"

/*
 * ERR_QUERY_TIMEOUT with how long it ran, and the key that says so when that
 * is what a statement may at most, limit_ms.  Returns -1.
 */
int late_query(uint64_t ran_ns, uint64_t limit_ms, struct err *err);

#endif
