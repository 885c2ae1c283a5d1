#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "workers/sql/pool.h"
#include "workers/sql/postgres/postgres_pool.h"
#include "workers/sql/postgres/postgres_sql.h"

#define NAME_HEAD	"carrel "
#define SEEN_MAX	64	/* the statement's LIMIT */
#define OVERDUE_MS	2000u	/* a statement this long past its timeout does not end by itself */
#define ENDING_MS	1500u	/* time for an abandoned connection to end; checked repeatedly */
#define LOOK_MS		50u

enum { PID, SINCE, LATE, OURS };

void
pg_pool_name(const struct sql_config *cfg, char out[PG_POOL_NAME])
{
	out[0] = '\0';
	if (cfg->pool[0] != '\0')
		snprintf(out, PG_POOL_NAME, NAME_HEAD "%s %.*s", cfg->pool, PG_POOL_NAME - 26, cfg->connection);
}

static PGresult *
read_pool(const struct sql_db *db)
{
	char late[32], head[16];
	const char *params[] = { late, head };
	PGresult *res;

	snprintf(late, sizeof(late), "%llu", (unsigned long long)(db->cfg->timeout_ms + OVERDUE_MS));
	snprintf(head, sizeof(head), "%zu", strlen(NAME_HEAD) + 18);
	res = PQexecParams(db->session.conn, postgres_pool_seen_sql, 2, NULL, params, NULL, NULL, 0);
	if (PQresultStatus(res) == PGRES_TUPLES_OK)
		return res;
	PQclear(res);
	return NULL;
}

static size_t
list_pool(const PGresult *res, struct pool_process seen[SEEN_MAX])
{
	size_t n = 0;

	for (int i = 0; i < PQntuples(res) && n < SEEN_MAX; i++)
		seen[n++] = (struct pool_process){ .pid = strtoull(PQgetvalue(res, i, PID), NULL, 10),
			.since_unix_ms = strtoull(PQgetvalue(res, i, SINCE), NULL, 10),
			.overdue = PQgetvalue(res, i, LATE)[0] == 't' };
	return n;
}

int
pg_pool_enter(struct sql_db *db, struct err *err)
{
	uint64_t until = clock_ns() + ENDING_MS * CLOCK_MS;
	/* Servers before version 14 do not notice that a client has gone. */
	bool notices = PQserverVersion(db->session.conn) >= 140000, waited = false;
	struct pool_process seen[SEEN_MAX];
	PGresult *res;
	size_t n;

	if (db->cfg->pool[0] == '\0' || db->cfg->pool_size == 0)
		return 0;
	/* If pg_stat_activity cannot be read (a pooler, a restricted view), there is nothing to count. */
	while ((res = read_pool(db)) != NULL && (uint64_t)PQntuples(res) >= db->cfg->pool_size && !waited) {
		PQclear(res);
		poll(NULL, 0, LOOK_MS);
		waited = clock_ns() > until;
	}
	if (res == NULL)
		return 0;
	n = list_pool(res, seen);
	PQclear(res);
	pool_report(seen, n, waited && notices);
	return n < db->cfg->pool_size ?
	    0 :
	    pool_refuse(db->cfg, &seen[0], "pg_terminate_backend(), or by restarting the server", err);
}

void
pg_pool_leave(struct sql_db *db)
{
	int pid = PQbackendPID(db->session.conn);

	if (pid > 0 && !db->session.dead)
		pool_leave(db->cfg, &db->asked, (uint64_t)pid);
}
