/*
 * mysql_session - a connection to MariaDB or MySQL whose session only reads and is the same before every statement.
 *
 * mysql_settings.def lists what a session has.  Transactions are read-only by the session's default, which the server
 * holds against DDL, too; START TRANSACTION READ ONLY would not, since DDL ends it.  The server is asked to report
 * whatever a statement changes in the session.  After each statement mysql_session_settle() fails if something was
 * reported or a setting has another value.  Otherwise it resets the connection (locks, variables, prepared statements,
 * temporary tables) and makes the settings again.
 *
 * A statement is ended by KILL QUERY from a second connection, which is opened with the first one: later there is no
 * way out of the sandbox.  If a statement does not end within MYSQL_KILL_MS, the session is lost.
 */
#ifndef WORKERS_SQL_MYSQL_MYSQL_SESSION_H
#define WORKERS_SQL_MYSQL_MYSQL_SESSION_H

#include <mysql.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

#define MYSQL_KILL_MS	5000u

enum mysql_tls {
	MYSQL_TLS_DISABLE,
	MYSQL_TLS_REQUIRE,	/* encrypted, by whatever certificate */
	MYSQL_TLS_VERIFY	/* the certificate is of that host, by authorities that are trusted */
};

/* Texts may be NULL: the library's default. */
struct mysql_place {
	const char	*host, *socket, *user, *password, *database, *authorities;
	unsigned	 port;
	enum mysql_tls	 tls;
	unsigned	 connect_ms;
};

struct mysql_session;

/* NULL with ERR_DATABASE_UNAVAILABLE or ERR_DATABASE_ERROR. */
struct mysql_session *mysql_session_open(const struct mysql_place *place, struct err *err);

/* Accepts NULL. */
void mysql_session_close(struct mysql_session *s);

/*
 * Runs one statement until deadline_ns (clock_ns()) at most, and asks go_on() meanwhile.  *result is the caller's to
 * free; its rows are still to be read (mysql_use_result()); NULL: it has none.  -1 with ERR_QUERY_TIMEOUT,
 * ERR_QUERY_CANCELLED, ERR_DATABASE_ERROR, or ERR_DATABASE_UNAVAILABLE: the session is lost.
 */
int mysql_session_run(struct mysql_session *s, struct span sql, uint64_t deadline_ns, bool (*go_on)(void *arg),
    void *arg, MYSQL_RES **result, struct err *err);

/* Proves that the session is as it was, and resets it.  -1: it is not, or the connection is lost; close it. */
int mysql_session_settle(struct mysql_session *s, struct err *err);

/* The connection, for what the library says of it. */
MYSQL *mysql_session_handle(struct mysql_session *s);

#endif
