/* pg_rig - a real server with the schema of tests/guard, for tests of the guard. */
#pragma once

#include <libpq-fe.h>

#include "tests/integration/sql/sql_harness.h"

/* The accounts every statement is tried as. */
#define PG_RIG_ROLES	2
extern const char *const pg_rig_roles[PG_RIG_ROLES];	/* the superuser, and one that may only SELECT */

/* Find the server at PG_DIR, empty as it is.  Exits with 77 outside of pg.sh run. */
int pg_rig_open(void);

/* For cmocka: load the schema into the server at PG_DIR.  Exits with 77 outside of pg.sh run. */
int pg_rig_set_up(void **state);

const char *pg_rig_directory(void);

/* A connection of the superuser's own; the caller's to finish. */
PGconn *pg_rig_connect(void);

/* The first cell of what sql returns, as superuser; until the next call. */
const char *pg_rig_super(const char *sql);

/* As conninfo for that role over the socket; until the next call. */
const char *pg_rig_conninfo(const char *role);

/* A worker that is ready, with that account. */
struct driver *pg_rig_start_as(const char *role);

/* Everything in the cluster as SQL, into a file of that name; then: are two of them the same? */
void pg_rig_dump(const char *name);
void pg_rig_assert_same(const char *one, const char *other);

/* Nothing of a session is left on the server: advisory locks, temporary objects, open transactions. */
void pg_rig_assert_no_residue(void);
