/* reach - how much of a database a connection serves, and how much of that its account may read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define SQL_REACH_SCHEMAS	250	/* limit for the names */
#define SQL_REACH_REFUSED	5

struct catalog;

/* Texts are in the call's arena.  "Tables" include views. */
struct sql_reach {
	bool		 known;				/* the engine has schemas, and was asked */
	size_t		 ntables, nreadable;		/* served ones; readable ones of these */
	const char	*account;
	size_t		 nrefused;
	const char	*refused[SQL_REACH_REFUSED];	/* the first unreadable ones, "schema.table" */
	size_t		 nother_tables, nothers;	/* in schemas that are not served */
	const char	*others[SQL_REACH_SCHEMAS];	/* those schemas */
	bool		 more_others;
};

/* Count a table of a schema that is not served.  Tables come ordered by schema. */
void reach_add_other(struct sql_reach *r, struct arena *a, const char *schema);

/* For a scan: a warning for what is left out or unreadable; -1 with *err if no table is left, but there are tables. */
int reach_judge(const struct sql_reach *r, const char *connection, struct catalog *cat, struct err *err);

/* "42 tables in billing, clinic are not served: …" with the command that adds them; nothing if all are served. */
void reach_put_others(const struct sql_reach *r, const char *connection, struct buf *out);

/* "the account can read 0 of 54 tables and views …" with a remedy; nothing if it can read all of them. */
void reach_put_refused(const struct sql_reach *r, const char *connection, struct buf *out);
