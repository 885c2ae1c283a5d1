/*
 * mysql_settled - when the session need not be proved to be as before a statement (mysql_session_settle()).
 *
 * The proof takes four round trips, more than a small statement.  A plain statement (guard/mysql_plain.h) over tables
 * can leave nothing, so it goes without, as long as the last proof and the last look at these tables in the catalogue
 * are younger than MYSQL_SETTLED_MS.  Any other statement is followed by the proof, which is when the tables of a
 * plain one are looked up: so of a busy worker one statement in MYSQL_SETTLED_MS is.
 *
 * A table here has its rows in an engine of the server, which runs no code that somebody else wrote, and no column
 * that is computed.  A table in whose place a view was put is known as a table for MYSQL_SETTLED_MS at most.  What the
 * view's functions leave is found by the next proof, which comes before any statement that is sent later than
 * MYSQL_SETTLED_MS after the last one; it ends the session.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "workers/sql/mysql/guard/mysql_plain.h"

#define MYSQL_SETTLED_MS	1000u
#define MYSQL_SETTLED_TABLES	64u	/* that are known at one time; the oldest one makes room */

struct sql_db;
struct mysql_node;

enum mysql_settled_kind { MYSQL_SETTLED_ABSENT, MYSQL_SETTLED_OTHER, MYSQL_SETTLED_TABLE };

struct mysql_settled_table {
	char			schema[65], name[65];
	enum mysql_settled_kind	kind;
	uint64_t		seen_ns;	/* when the catalogue was asked; 0: the place is free */
};

struct mysql_settled {
	uint64_t			proved_ns;	/* when the session was proved last */
	bool				unproved;	/* plain statements ran since */
	uint64_t			rest_ns;	/* until then the catalogue is not asked */
	size_t				nwanted;	/* tables to be looked up */
	struct mysql_settled_table	wanted[MYSQL_PLAIN_TABLES], known[MYSQL_SETTLED_TABLES];
};

/* Whether the statement, which is sent next, can leave nothing; else its tables are looked up after it. */
bool mysql_settled_goes_without(struct sql_db *db, const struct mysql_node *statement);

/* The statement that went without a proof has ended, and all of its rows were read. */
void mysql_settled_note(struct sql_db *db);

/* Whether the session is to be proved although all that ran were plain statements: the last proof is too old. */
bool mysql_settled_is_due(const struct sql_db *db);

/* The session was just proved.  -1 with ERR_DATABASE_UNAVAILABLE: it is lost. */
int mysql_settled_proved(struct sql_db *db, struct err *err);
