/*
 * postgres_session_check - is the session as it was when it was opened?
 *
 * After a caller's statement the server is asked for a fingerprint of all that
 * a session can change and a rollback might not take back: every setting that
 * this account can see and that can be set within a session, the names of the
 * account and the role, prepared statements, cursors, channels listened to, and
 * the schema of temporary objects.  It must be what it was.
 *
 * That costs the server more than a small statement does.  So a statement sent
 * within PG_SESSION_CHECK_INTERVAL of the last fingerprint is followed by a brief one:
 * the roles, the temporary schema, and the settings that decide what a statement
 * finds and may do.  Of the rest, a rollback leaves nothing.
 *
 * Statements that can leave nothing behind (policy/guard_plain.h) are followed
 * by neither, as long as the last whole fingerprint is younger than PG_SESSION_CHECK_MAX_AGE.
 *
 * Either question gives back advisory locks (pg_advisory_unlock_all), which
 * needs no reading of the whole server's table of locks.  Neither is kept
 * prepared: whoever could run any statement could put another in its place.
 *
 * A setting that the server's owner changes for all sessions changes the
 * fingerprint too: then the connection is made again, which does no harm.
 */
#ifndef WORKERS_SQL_POSTGRES_POSTGRES_SESSION_CHECK_H
#define WORKERS_SQL_POSTGRES_POSTGRES_SESSION_CHECK_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/err.h"

#define PG_SESSION_CHECK_PARTS		6
#define PG_SESSION_CHECK_INTERVAL	(50 * CLOCK_MS)
#define PG_SESSION_CHECK_MAX_AGE	(5 * CLOCK_SECOND)

struct pg_session_check {
	char		*settings;			/* their names, as text[] */
	char		*text;				/* the question */
	char		*baseline[PG_SESSION_CHECK_PARTS];	/* the answer when nothing had been done yet */
	char		*brief;				/* that to the brief question */
	bool		 is_brief;			/* the question sent last */
	uint64_t	 sent_ns;			/* when the whole one was sent last */
};

/* Take the fingerprint of a session that nobody has used, on a connection that is not yet in pipeline mode. */
int pg_session_check_open(struct pg_session_check *p, PGconn *conn, struct err *err);

void pg_session_check_fini(struct pg_session_check *p);

/* Whether any statement, whatever it is, should be followed by the whole question. */
bool pg_session_check_is_due(const struct pg_session_check *p);

/* Send the question, or the brief one; false when the connection does not take it. */
bool pg_session_check_send(struct pg_session_check *p, PGconn *conn);

/* What of the session has changed, by the answer to the question sent last; NULL: nothing. */
const char *pg_session_check_differs(const struct pg_session_check *p, const PGresult *answer);

#endif
