/* mysql_db - the declarations that the files of the MariaDB and MySQL driver share. */
#pragma once

#include <mysql.h>
#include <stdbool.h>

#include "workers/sql/driver.h"
#include "workers/sql/mysql/guard/mysql_guard.h"
#include "workers/sql/mysql/mysql_session.h"
#include "workers/sql/mysql/mysql_settled.h"
#include "workers/sql/mysql/mysql_values.h"
#include "workers/sql/pool.h"

struct mysql_policy;

struct sql_db {
	const struct sql_config	*cfg;
	struct mysql_place	 place;		/* until it is connected */
	struct mysql_session	*session;
	char			*database;	/* the default one; with the session's own spelling */
	bool			 dead;		/* must not be used again: the process is about to end */
	bool			 asleep;	/* the server ended the session while it was idle */
	bool			 answered;	/* a statement ended since mysql_statement_idle() was called last */
	bool			 dirty;		/* what ran since the session was proved may have left something */
	struct mysql_settled	 settled;
	struct mysql_guard	 guard;		/* its schemas are the databases that are served */
	struct mysql_policy	*policy;	/* mysql_policy.h; NULL if not used yet, or none */
	struct late_limit	 limit;		/* of the current statement */
	struct pool_asked	 asked;
	uint64_t		 since_ns;	/* when it was sent */
	const struct identity_as *as;	/* as whom statements run until it is cleared; NULL: as the account */
	struct buf		 printed;	/* the statement as sent; kept to reuse its memory */
	struct mysql_header	*headers;	/* of the current rows */
	size_t			 ncolumns, column_cap;
};
