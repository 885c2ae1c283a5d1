/* main_postgres.c - carrel-auth where several nodes share a store: the same, and a connection to its server. */
#include <string.h>

#include "workers/auth/auth.h"
#include "workers/auth/migrate_postgres.h"
#include "workers/auth/store/postgres/store_postgres.h"

/*
 * Before the confinement: afterwards nothing can be connected.  A process that is alone serves the owner without it;
 * another one ends when it has noted why (lease_note()).
 */
static int
connect_store(void *state, struct err *err)
{
	struct auth *a = state;

	if (a->conf.state_url[0] == '\0')
		return 0;
	a->store = store_postgres_open(a->conf.state_url, a->conf.node, a->conf.lease_ms, err);
	err->detail[0] = '\0';
	if (a->store == NULL)
		a->store = store_postgres_lost(a->conf.node, err->message);
	return 0;
}

int
main(int argc, char **argv)
{
	struct role role = auth_role;

	if (argc == 3 && strcmp(argv[1], "migrate") == 0)
		return migrate_postgres(argv[2]);
	role.binary = "carrel-auth-postgres";
	role.profile = "auth-nodes";
	role.connect = connect_store;
	return child_main(&role);
}
