/*
 * postgres_session_check - is the session's state the same as when it was opened?
 *
 * After a caller's statement the server computes a fingerprint of everything that a session
 * can change and a rollback might not undo: every setting that this account can see and that
 * can be set within a session, the names of the account and the role, prepared statements,
 * cursors, channels listened to, and the schema of temporary objects.  The fingerprint must
 * not change.
 *
 * This costs the server more than a small statement does.  So a statement within
 * PG_SESSION_CHECK_INTERVAL of the last fingerprint is followed by a brief one: the roles,
 * the temporary schema, and the settings that decide which objects a statement finds and what
 * it may do.  The rest is undone by the rollback.  Statements that leave nothing behind
 * (workers/sql/postgres/guard/guard_plain.h) are followed by neither, as long as the last whole fingerprint is
 * younger than PG_SESSION_CHECK_MAX_AGE.  Both queries release advisory locks
 * (pg_advisory_unlock_all), which takes no reading of the server's whole lock table.  Neither
 * is kept prepared: a caller that could run any statement could replace it.
 *
 * If the server's owner changes a setting for all sessions, the fingerprint changes too: then
 * the connection is made again, which does no harm.
 */
#pragma once

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/system/clock.h"
#include "base/err.h"

struct sql_config;

#define PG_SESSION_CHECK_PARTS		6
#define PG_SESSION_CHECK_INTERVAL	(50 * CLOCK_MS)
#define PG_SESSION_CHECK_MAX_AGE	(5 * CLOCK_SECOND)

struct pg_session_check {
	char		*own;				/* names of an identity's settings, as text[] */
	char		*settings;			/* the names of all, as text[] */
	char		*text;				/* the whole query */
	char		*baseline[PG_SESSION_CHECK_PARTS];	/* its answer in a fresh session */
	char		*brief;				/* the answer to the brief query in a fresh session */
	bool		 always;			/* after every statement: a pooler may change the session */
	bool		 is_brief;			/* the last query sent was the brief one */
	uint64_t	 sent_ns;			/* when the whole query was sent last */
};

/* Takes the fingerprint of an unused session, on a connection that is not yet in pipeline mode. */
int pg_session_check_open(struct pg_session_check *p, PGconn *conn, const struct sql_config *cfg, struct err *err);

void pg_session_check_fini(struct pg_session_check *p);

/* Whether any statement, plain or not, must be followed by the whole query. */
bool pg_session_check_is_due(const struct pg_session_check *p);

/* Sends the whole or the brief query; false if the connection does not take it. */
bool pg_session_check_send(struct pg_session_check *p, PGconn *conn);

/* What has changed in the session, by the answer to the last query; NULL: nothing. */
const char *pg_session_check_differs(const struct pg_session_check *p, const PGresult *answer);
