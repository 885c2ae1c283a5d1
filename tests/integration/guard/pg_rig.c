/* pg_rig.c - see pg_rig.h. */
#include "tests/integration/guard/pg_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const pg_rig_roles[PG_RIG_ROLES] = { "postgres", "researcher" };

static const char *dir;		/* the server's */
static unsigned port;

const char *
pg_rig_directory(void)
{
	return dir;
}

const char *
pg_rig_conninfo(const char *role)
{
	static char conninfo[512];

	snprintf(conninfo, sizeof(conninfo), "host='%s/run' port=%u user=%s dbname=postgres", dir, port, role);
	return conninfo;
}

PGconn *
pg_rig_connect(void)
{
	PGconn *conn = PQconnectdb(pg_rig_conninfo("postgres"));

	if (PQstatus(conn) != CONNECTION_OK)
		fail_msg("%s", PQerrorMessage(conn));
	return conn;
}

const char *
pg_rig_super(const char *sql)
{
	static char cell[256];
	PGconn *conn = pg_rig_connect();
	PGresult *res = PQexec(conn, sql);

	if (PQresultStatus(res) != PGRES_TUPLES_OK && PQresultStatus(res) != PGRES_COMMAND_OK)
		fail_msg("%.200s: %s", sql, PQerrorMessage(conn));
	snprintf(cell, sizeof(cell), "%s", PQntuples(res) > 0 ? PQgetvalue(res, 0, 0) : "");
	PQclear(res);
	PQfinish(conn);
	return cell;
}

void
pg_rig_dump(const char *name)
{
	char command[1024];

	/* \restrict lines carry a random key. */
	snprintf(command, sizeof(command),
	    "/usr/lib/postgresql/15/bin/pg_dumpall -h '%s/run' -p %u -U postgres"
	    " | grep -v -e '^.restrict' -e '^.unrestrict' >'%s/%s'",
	    dir, port, dir, name);
	assert_int_equal(system(command), 0);
}

void
pg_rig_assert_same(const char *one, const char *other)
{
	char command[2048];

	snprintf(command, sizeof(command), "diff '%s/%s' '%s/%s' >&2", dir, one, dir, other);
	assert_int_equal(system(command), 0);
}

void
pg_rig_assert_no_residue(void)
{
	static const char idle[] = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = "
				   "'client backend' AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'";

	assert_string_equal(pg_rig_super("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0");
	assert_string_equal(pg_rig_super("SELECT count(*) FROM pg_class WHERE relpersistence = 't'"), "0");
	assert_string_equal(pg_rig_super("SELECT count(*) FROM pg_largeobject_metadata"), "0");
	assert_string_equal(pg_rig_super("SELECT count(*) FROM pg_replication_slots"), "0");
	/* A transaction ends when the answer is on its way. */
	for (unsigned i = 0; i < 100 && strcmp(pg_rig_super(idle), "0") != 0; i++)
		usleep(20000);
	assert_string_equal(pg_rig_super(idle), "0");
}

int
pg_rig_open(void)
{
	char text[1024];
	FILE *f;

	if ((dir = getenv("PG_DIR")) == NULL) {
		print_error("run under tests/support/pg.sh run\n");
		exit(77);
	}
	snprintf(text, sizeof(text), "%s/port", dir);
	if ((f = fopen(text, "r")) == NULL || fscanf(f, "%u", &port) != 1)
		abort();
	fclose(f);
	return 0;
}

int
pg_rig_set_up(void **state)
{
	char text[1024];

	(void)state;
	if (pg_rig_open() != 0)
		return -1;
	snprintf(text, sizeof(text),
	    "'%s/tests/support/pg.sh' psql '%s' -f '%s/tests/guard/schema.postgres.sql' >/dev/null", SOURCE_DIR, dir,
	    SOURCE_DIR);
	return system(text);
}

struct driver *
pg_rig_start_as(const char *role)
{
	return sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = pg_rig_conninfo(role) });
}
