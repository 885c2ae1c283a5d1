/* attacks.c - see attacks.h. */
#include "policy/attacks.h"

#define HONEST(group, sql)	{ AUDIT_HONEST, group, AUDIT_TRY, AUDIT_ANYONE, NULL, sql },
#define HOSTILE(group, session, account, what, sql)	\
	{ AUDIT_HOSTILE, group, AUDIT_##session, AUDIT_##account, what, sql },

const struct audit_input audit_postgres[] = {
#include "policy/attacks_postgres.def"
};

const struct audit_input audit_sqlite[] = {
#include "policy/attacks_sqlite.def"
};

const size_t audit_postgres_n = sizeof(audit_postgres) / sizeof(audit_postgres[0]);
const size_t audit_sqlite_n = sizeof(audit_sqlite) / sizeof(audit_sqlite[0]);
