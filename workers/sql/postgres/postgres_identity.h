/*
 * postgres_identity - the settings and the role that a statement runs with, where the connection has an identity.
 *
 * They are set by set_config() within the statement's transaction, with the values as parameters: SET LOCAL and SET
 * LOCAL ROLE, without a value in a text.  The rollback undoes them, and the session check, which knows the settings by
 * name, proves it.
 */
#pragma once

#include "workers/sql/postgres/postgres_db.h"

/*
 * Whether the account may take the roles, and is bound by row security in each; then the settings are made known to the
 * session, empty, so that they are part of its baseline.  No effect without an identity.
 */
int postgres_identity_open(struct sql_db *db, struct err *err);

/* Send the statement that sets them.  False as libpq's functions. */
bool postgres_identity_send(const struct sql_db *db, const struct identity_as *as);

/* That statement was refused. */
int postgres_identity_explain(const struct sql_db *db, const PGresult *res, struct err *err);

/* The names of the settings as an array of the server's; "{}" without an identity.  The caller frees it. */
char *postgres_identity_names(const struct sql_config *cfg);

/* What of the database weakens the connection's identity, for connection_test. */
int postgres_identity_test(struct sql_db *db, struct call *c, struct sql_test *t, struct err *err);
