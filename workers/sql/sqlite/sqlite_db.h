/* sqlite_db - the declarations that the files of the SQLite driver share. */
#pragma once

#include <sqlite3.h>

#include "workers/sql/driver.h"
#include "workers/sql/leave.h"
#include "workers/sql/sqlite/sqlite_bounds.h"
#include "workers/sql/sqlite/sqlite_cache.h"
#include "workers/sql/sqlite/sqlite_columns.h"
#include "workers/sql/sqlite/sqlite_file.h"
#include "workers/sql/sqlite/sqlite_guard.h"

#define SQLITE_VALUE_MAX	(16 * 1024 * 1024)	/* bytes of one value; a larger one is refused */

/* The call to be served while SQLite computes. */
struct sqlite_watch {
	struct call	*call;		/* NULL: no call */
	uint64_t	 since_ns, deadline_ns, looked_ns;
	bool		 stopped;
	struct err	 why;
};

struct sql_db {
	const struct sql_config	*cfg;
	sqlite3			*db;
	struct sqlite_file	 file;
	struct sqlite_bounds	*bounds;
	struct sqlite_guard	 guard;
	struct sqlite_columns	*columns;	/* NULL: no column policy */
	struct sqlite_cache	 cache;
	bool			 no_automatic;	/* no automatic indexes for the running statement */
	bool			 reworded;	/* the running text was changed for this schema */
	struct span		 asked;		/* the caller's text while it, or a changed text, is compiled;
                                                 * borrowed */
	const struct sql_bound	*bound;		/* of the running statement; NULL: it may have no parameters */
	struct sqlite_watch	 watch;
	struct late_limit	 limit;		/* of the running statement */
	bool			 published;	/* the running statement may read datasets and nothing else */
	struct sql_db		*names;		/* sqlite_datasets.h */
};
