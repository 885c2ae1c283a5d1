/* pool - statements of the pool on the server, including abandoned ones that the server has not ended. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "workers/sql/driver.h"

/* A process of the server that serves, or served, the pool. */
struct pool_process {
	uint64_t	pid, since_unix_ms;
	bool		overdue;	/* it does not end by itself */
};

/* A caller's statement, unchanged, and the time it came. */
struct pool_asked {
	struct buf	text;
	uint64_t	unix_ms;
};

/* Call before a caller's statement is sent. */
void pool_note(struct pool_asked *asked, struct span statement);

/* Call when a connection is abandoned although the server may still run the statement. */
void pool_leave(const struct sql_config *cfg, const struct pool_asked *asked, uint64_t pid);

/* What was seen of the pool, the longest first.  waited: abandoned connections have had time to end. */
void pool_report(const struct pool_process *v, size_t n, bool waited);

/* ERR_DATABASE_UNAVAILABLE: the pool has all of its processes.  end: how the owner ends one.  Returns -1. */
int pool_refuse(const struct sql_config *cfg, const struct pool_process *longest, const char *end, struct err *err);
