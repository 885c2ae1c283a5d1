#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/mp.h"
#include "workers/shared/child.h"
#include "workers/sql/team.h"
#include "workers/sql/tunnel.h"
#include "workers/sql/worker.h"

#define TUNNEL_SAYS_MS	300

/* The process serves one connection: there is one worker. */
static struct sql_worker worker;
static bool tunnelled; /* the server is reached through tunnel.h */

/* Reads an array of str into a list; any other element is refused. */
static int
copy_list(struct span raw, const char *what, size_t *n, char ***out, struct err *err)
{
	struct mp_value array, item;
	struct mp_iter it;

	if (!mp_value(raw, &array) || array.class != MP_ARRAY)
		return err_set(err, ERR_INTERNAL, "%s: not a list", what);
	*out = mem_new(array.n, sizeof(**out));
	*n = 0;
	for (it = mp_iter(&array); mp_next(&it, &item);) {
		if (item.class != MP_STR || memchr(item.s.p, '\0', item.s.len) != NULL)
			return err_set(err, ERR_INTERNAL, "%s: not a list of names", what);
		(*out)[(*n)++] = mem_text(item.s);
	}
	return 0;
}

static void
free_list(size_t n, char **list)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

/* Names the pool by its configuration: after a change, connections of the old pool may still be ending. */
static void
name_pool(struct sql_config *cfg, const struct ipc_configure_sql *m)
{
	const struct span parts[] = { m->pool, m->schemas, m->enabled_tables, m->functions, m->columns,
		m->team, m->identity };
	uint64_t h = HASH_START;

	cfg->pool_size = m->pool_size;
	if (m->pool.len == 0)
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		h = hash_more(h, parts[i].p, parts[i].len);
	snprintf(cfg->pool, sizeof(cfg->pool), "%016" PRIx64, h);
}

static int
configure_with(const void *msg, void **state, struct confine_places *places, uint64_t *memory_max,
    bool *best_effort, struct err *err)
{
	const struct ipc_configure_sql *m = msg;
	struct sql_config *cfg = &worker.cfg;

	*state = &worker;
	if (!span_is_str(m->driver, sql_driver.name))
		return err_set(err, ERR_INTERNAL, "this binary serves %s, not %.*s", sql_driver.name,
		    SPAN_FMT(m->driver));
	cfg->connection = mem_text(m->connection);
	cfg->path = mem_text(m->path);
	cfg->target = mem_text(m->target);
	if (copy_list(m->schemas, "schemas", &cfg->nschemas, &cfg->schemas, err) == -1 ||
	    copy_list(m->enabled_tables, "enabled_tables", &cfg->nenabled, &cfg->enabled, err) == -1 ||
	    copy_list(m->functions, "functions", &cfg->nfunctions, &cfg->functions, err) == -1)
		return -1;
	if (columns_new(&cfg->columns, m->columns, err) == -1)
		return -1;
	cfg->column_key = mem_text(m->column_key);
	if (identity_new(&cfg->identity, cfg->connection, m->identity, err) == -1)
		return -1;
	columns_digest(cfg->columns, cfg->policy);
	identity_mark(m->identity, cfg->policy);
	cfg->explain_analyze = m->explain_analyze != 0;
	cfg->semantic_only = m->semantic_only != 0;
	cfg->stand_in = m->stand_in != 0;
	if (m->tunnel.len > 0) {
		char *path = mem_text(m->tunnel);

		tunnel_use(path);
		tunnelled = true;
		free(path);
	}
	cfg->timeout_ms = m->timeout_ms;
	cfg->max_rows = m->max_rows;
	cfg->result_bytes = m->result_bytes;
	cfg->memory_max = m->memory_max;
	cfg->max_requests = m->max_requests;
	if (!team_is_usable(m->team))
		return err_set(err, ERR_INTERNAL, "the team's tools are no statements with parameters");
	buf_span(&cfg->team, m->team);
	name_pool(cfg, m);
	places->database_path = cfg->path[0] == '\0' ? NULL : cfg->path;
	*memory_max = cfg->memory_max;
	*best_effort = m->best_effort != 0;
	if (sql_driver.init(cfg, &worker.db, err) == -1)
		return -1;
	places->database_files = sql_driver.files == NULL ? NULL : sql_driver.files(worker.db);
	return 0;
}

int
sql_column_action(struct sql_db *db, const struct sql_config *cfg, struct call *c, uint32_t scopes,
    const char *schema, const char *table, const char *column, enum columns_action *action, struct err *err)
{
	*action = COLUMNS_CLEAR;
	if (columns_is_empty(cfg->columns))
		return 0;
	if (sql_driver.column == NULL) {
		*action = columns_decide(cfg->columns, columns_view(cfg->columns, scopes), span_str(schema),
		    span_str(table), span_str(column));
		return 0;
	}
	return sql_driver.column(db, c, scopes, schema, table, column, action, err);
}

static int
connect_database(void *state, struct err *err)
{
	/* A stand-in is confined like a serving process but never gets a call, so it needs no connection. */
	if (((struct sql_worker *)state)->cfg.stand_in)
		return 0;
	if (sql_driver.connect(((struct sql_worker *)state)->db, err) == 0)
		return 0;
	/* What ssh says of it is to reach the supervisor before we do. */
	if (tunnelled)
		poll(NULL, 0, TUNNEL_SAYS_MS);
	return -1;
}

static int
open_database(void *state, struct err *err)
{
	return sql_driver.open(((struct sql_worker *)state)->db, err);
}

static void
worker_idle(void *state)
{
	sql_driver.idle(((struct sql_worker *)state)->db);
}

static int
watch_database(void *state)
{
	return sql_driver.watch(((struct sql_worker *)state)->db);
}

static void
close_database(void *state)
{
	struct sql_worker *w = state == NULL ? &worker : state;
	struct sql_config *cfg = &w->cfg;

	sql_driver.close(w->db);
	w->db = NULL;
	row_stream_fini(&w->result);
	if (cfg->target != NULL)
		explicit_bzero(cfg->target, strlen(cfg->target));
	if (cfg->column_key != NULL)
		explicit_bzero(cfg->column_key, strlen(cfg->column_key));
	free(cfg->column_key);
	identity_free(cfg->identity);
	columns_free(cfg->columns);
	free(cfg->connection);
	free(cfg->path);
	free(cfg->target);
	free_list(cfg->nschemas, cfg->schemas);
	free_list(cfg->nenabled, cfg->enabled);
	free_list(cfg->nfunctions, cfg->functions);
	buf_fini(&cfg->team);
	memset(cfg, 0, sizeof(*cfg));
}

int
main(int argc, char **argv)
{
	struct role role = {
		.binary = sql_driver.binary,
		.role = IPC_SQL,
		.profile = sql_driver.profile,
		.tools = sql_tools,
		.configure = IPC_MSG_CONFIGURE_SQL,
		.configure_size = sizeof(struct ipc_configure_sql),
		.local_key = offsetof(struct ipc_configure_sql, local_key),
		.configure_with = configure_with,
		.connect = sql_driver.connect == NULL ? NULL : connect_database,
		.open = open_database,
		.idle = sql_driver.idle == NULL ? NULL : worker_idle,
		.watch = sql_driver.watch == NULL ? NULL : watch_database,
		.close = close_database,
	};

	return argc > 1 && sql_driver.alone != NULL ? sql_driver.alone(argv) : child_main(&role);
}
