/*
 * mysql_session - a connection to MariaDB or MySQL whose session only reads and is the same before every statement.
 *
 * mysql_settings.def lists what a session has.  Transactions are read-only by the session's default, which the server
 * holds against DDL, too; START TRANSACTION READ ONLY would not, since DDL ends it.  The server is asked to report
 * whatever a statement changes in the session.  After each statement that may leave something (mysql_settled.h)
 * mysql_session_settle() fails if something was reported or a setting has another value.  Otherwise it resets the
 * connection (locks, variables, prepared statements, temporary tables) and makes the settings again.
 *
 * A statement is ended by KILL QUERY from a second connection, which is opened with the first one: later there is no
 * way out of the sandbox.  If a statement does not end within MYSQL_KILL_MS, the session is lost.
 */
#pragma once

#include <mysql.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "workers/sql/mysql/mysql_place.h"

#define MYSQL_KILL_MS	400u

struct mysql_session;

/*
 * No statement runs longer than statement_ms, or than the account may where that is less: the server itself sees to
 * it, also when this process has gone.  NULL with ERR_DATABASE_UNAVAILABLE or ERR_DATABASE_ERROR.
 */
struct mysql_session *mysql_session_open(const struct mysql_place *place, uint64_t statement_ms, struct err *err);

/* Accepts NULL. */
void mysql_session_close(struct mysql_session *s);

/*
 * Runs one statement until deadline_ns (clock_ns()) at most, and asks go_on() meanwhile.  The rows of *result are still
 * to be read by mysql_session_row(); NULL: it has none.  The caller frees it unless the session is lost, when that
 * would wait for the server.  -1 with ERR_QUERY_TIMEOUT,
 * ERR_QUERY_CANCELLED, ERR_DATABASE_ERROR, or ERR_DATABASE_UNAVAILABLE: the session is lost.
 */
int mysql_session_run(struct mysql_session *s, struct span sql, uint64_t deadline_ns, bool (*go_on)(void *arg),
    void *arg, MYSQL_RES **result, struct err *err);

/* A statement of our own without rows, whose n placeholders have these texts; NULL: null. */
int mysql_session_bind(struct mysql_session *s, const char *sql, size_t n, const char *const *texts, struct err *err);

/* The same, with all rows: for mysql_fetch_row().  *result is never NULL: a statement without rows fails. */
int mysql_session_ask(struct mysql_session *s, struct span sql, uint64_t deadline_ns, bool (*go_on)(void *arg),
    void *arg, MYSQL_RES **result, struct err *err);

/* The next row, valid until the one after it: 1; 0 if none.  -1 as mysql_session_run(). */
int mysql_session_row(struct mysql_session *s, MYSQL_RES *result, bool (*go_on)(void *arg), void *arg, MYSQL_ROW *row,
    struct err *err);

/* Ends a statement whose rows were not all read.  -1: the session is lost. */
int mysql_session_stop(struct mysql_session *s, MYSQL_RES *result, struct err *err);

/* Proves that the session is as it was, and resets it.  -1: it is not, or the connection is lost; close it. */
int mysql_session_settle(struct mysql_session *s, struct err *err);

/* Whether the statement was told to end since its time was over. */
bool mysql_session_was_late(const struct mysql_session *s);

/* Whether the server has ended a connection that was idle. */
bool mysql_session_is_asleep(const struct mysql_session *s);

/* The connection, for what the library says of it. */
MYSQL *mysql_session_handle(struct mysql_session *s);

/*
 * The server's lower_case_table_names.  0: names of databases and tables that differ in case are two; 1: they are kept
 * in lower case; 2: they are kept as given, and compared without case.
 */
unsigned mysql_session_name_case(const struct mysql_session *s);

/* Whether the server is MariaDB, not MySQL. */
bool mysql_session_is_mariadb(const struct mysql_session *s);
