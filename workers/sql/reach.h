/* reach - how much of a database a connection serves, and how much of that its account may read. */
#ifndef WORKERS_SQL_REACH_H
#define WORKERS_SQL_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define SQL_REACH_SCHEMAS	250	/* that are named */
#define SQL_REACH_REFUSED	5

/* Texts are in the call's arena.  "Tables" are views, too. */
struct sql_reach {
	bool		 known;				/* the engine has schemas and accounts, and they were asked */
	size_t		 ntables, nreadable;		/* that are served */
	const char	*account;
	size_t		 nrefused;
	const char	*refused[SQL_REACH_REFUSED];	/* the first that may not be read, "schema.table" */
	size_t		 nother_tables, nothers;	/* in schemas that are not served */
	const char	*others[SQL_REACH_SCHEMAS];	/* those schemas */
	bool		 more_others;
};

/* "42 tables in billing, clinic are not served: …" with what takes them; nothing when nothing was left out. */
void reach_put_others(const struct sql_reach *r, const char *connection, struct buf *out);

/* "the account can read 0 of 54 tables and views …" with what helps; nothing when it can read all. */
void reach_put_refused(const struct sql_reach *r, const char *connection, struct buf *out);

#endif
