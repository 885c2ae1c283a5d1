/*
 * postgres_proof - is the session as it was when it was opened?
 *
 * After each caller's statement the server is asked for a fingerprint of all
 * that a session can change and a rollback might not take back: every setting
 * that this account can see and that can be set within a session, the names of
 * the account and the role, prepared statements, cursors, channels listened
 * to, and the schema of temporary objects.  It must be what it was.  Advisory
 * locks are given back by the statement before (pg_advisory_unlock_all), which
 * needs no reading of the whole server's table of locks.
 *
 * A setting that the server's owner changes for all sessions changes the
 * fingerprint too: then the connection is made again, which does no harm.
 */
#ifndef WORKERS_SQL_POSTGRES_PROOF_H
#define WORKERS_SQL_POSTGRES_PROOF_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/err.h"

#define PG_PROOF_PARTS	6

struct pg_proof {
	char	*settings;			/* their names, as text[] */
	char	*text;				/* the question */
	char	*baseline[PG_PROOF_PARTS];	/* the answer when nothing had been done yet */
};

/* Take the fingerprint of a session that nobody has used, on a connection that is not yet in pipeline mode. */
int pg_proof_open(struct pg_proof *p, PGconn *conn, struct err *err);

void pg_proof_fini(struct pg_proof *p);

/* Send the question; false when the connection does not take it. */
bool pg_proof_send(const struct pg_proof *p, PGconn *conn);

/* What of the session has changed, by the answer; NULL: nothing. */
const char *pg_proof_differs(const struct pg_proof *p, const PGresult *answer);

#endif
