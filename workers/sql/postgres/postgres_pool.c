#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "ipc/print.h"
#include "workers/shared/serve.h"
#include "workers/sql/postgres/postgres_pool.h"
#include "workers/sql/postgres/postgres_sql.h"

#define NAME_HEAD	"carrel "
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

/* waited: abandoned connections have had time to end. */
static void
report_left(const PGresult *res, bool waited)
{
	struct buf list = { 0 };
	struct ipc_pool_seen msg = { .waited = waited };
	int n = PQntuples(res);

	mp_put_array(&list, (size_t)n);
	for (int i = 0; i < n; i++) {
		mp_put_pairs(&list, mp_uint("pid", strtoull(PQgetvalue(res, i, PID), NULL, 10)),
		    mp_uint("sinceMs", strtoull(PQgetvalue(res, i, SINCE), NULL, 10)),
		    mp_bool("overdue", PQgetvalue(res, i, LATE)[0] == 't'));
	}
	msg.list = buf_view(&list);
	serve_pool_seen(&msg);
	buf_fini(&list);
}

static int
refuse_full(const struct sql_db *db, const PGresult *res, struct err *err)
{
	char since[25];

	clock_iso8601(strtoull(PQgetvalue(res, 0, SINCE), NULL, 10), since);
	return err_set(err, ERR_DATABASE_UNAVAILABLE,
	    "the server still runs statements that were stopped (process %s "
	    "since %s); with these the connection has all of its %llu server processes, and answers again when they "
	    "end. The owner can look up with `carrel status` which do not end by themselves, and end them: "
	    "pg_terminate_backend(), or by restarting the server",
	    PQgetvalue(res, 0, PID), since, (unsigned long long)db->cfg->pool_size);
}

int
pg_pool_enter(struct sql_db *db, struct err *err)
{
	uint64_t until = clock_ns() + ENDING_MS * CLOCK_MS;
	/* Servers before version 14 do not notice that a client has gone. */
	bool notices = PQserverVersion(db->session.conn) >= 140000, waited = false;
	PGresult *res;
	int rc = 0;

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
	report_left(res, waited && notices);
	if ((uint64_t)PQntuples(res) >= db->cfg->pool_size)
		rc = refuse_full(db, res, err);
	PQclear(res);
	return rc;
}

void
pg_pool_note(struct sql_db *db, struct span statement)
{
	buf_reset(&db->asked, SIZE_MAX);
	buf_span(&db->asked, statement);
	db->asked_unix_ms = clock_unix_ms();
}

void
pg_pool_leave(struct sql_db *db)
{
	struct ipc_left_behind msg = { .since_unix_ms = db->asked_unix_ms };
	int pid = PQbackendPID(db->session.conn);
	struct print print;

	if (db->cfg->pool[0] == '\0' || db->asked.len == 0 || pid <= 0 || db->session.dead)
		return;
	statement_print(span_str(db->cfg->connection), buf_view(&db->asked), &print);
	msg.pid = (uint64_t)pid;
	msg.print = span_of(print.bytes, sizeof(print.bytes));
	serve_left_behind(&msg);
}
