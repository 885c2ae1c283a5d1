/* store_pair.h - one store that two nodes have open: a file, or with PG_DIR a database of PostgreSQL. */
#pragma once

#include <fcntl.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "policy/profile.h"
#include "tests/unit/harness.h"
#include "workers/auth/store/postgres/store_postgres.h"
#include "workers/auth/store/sqlite/store_sqlite.h"

struct store_pair {
	char		 dir[64];
	struct store	*a, *b;		/* two nodes */
	struct store	*local[2];	/* their own files; of SQLite the store itself */
};

static inline bool
pair_is_postgres(void)
{
	return getenv("PG_DIR") != NULL;
}

static inline void
pair_shell(const char *command)
{
	assert_int_equal(system(command), 0);
}

static inline const char *
pair_port(void)
{
	static char port[16];
	char name[128];
	FILE *f;

	snprintf(name, sizeof(name), "%s/port", getenv("PG_DIR"));
	assert_non_null(f = fopen(name, "r"));
	assert_non_null(fgets(port, sizeof(port), f));
	fclose(f);
	port[strcspn(port, "\n")] = '\0';
	return port;
}

/* A URL of the superuser over the socket. */
static inline char *
pair_url(void)
{
	static char url[512];

	snprintf(url, sizeof(url), "postgres:///postgres?user=postgres&host=%s/run&port=%s", getenv("PG_DIR"),
	    pair_port());
	return url;
}

/* SQL as the server's superuser. */
static inline void
pair_psql(const char *sql)
{
	PGconn *conn = PQconnectdb(pair_url());
	PGresult *res = PQexec(conn, sql);
	ExecStatusType status = PQresultStatus(res);

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		fail_msg("%s: %s", sql, PQerrorMessage(conn));
	PQclear(res);
	PQfinish(conn);
}

/* The number that a query gives, asked as the server's superuser. */
static inline uint64_t
pair_number(const char *sql)
{
	PGconn *conn = PQconnectdb(pair_url());
	PGresult *res = PQexec(conn, sql);
	uint64_t n;

	if (PQresultStatus(res) != PGRES_TUPLES_OK)
		fail_msg("%s: %s", sql, PQerrorMessage(conn));
	n = strtoull(PQgetvalue(res, 0, 0), NULL, 10);
	PQclear(res);
	PQfinish(conn);
	return n;
}

static inline struct store *
pair_local(const struct store_pair *r, int node)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	char path[100], name[120];
	struct store *s;
	struct err err;

	snprintf(path, sizeof(path), "%s/%d.db", r->dir, node);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		int fd;

		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		assert_true((fd = open(name, O_CREAT | O_RDWR, 0600)) >= 0);
		close(fd);
	}
	if ((s = store_open(path, false, &err)) == NULL)
		fail_msg("%s", err.message);
	return s;
}

static inline struct store *
pair_open(const struct store_pair *r, struct store *local)
{
	struct store *s;
	char node[32];
	struct err err;

	if (!pair_is_postgres())
		return pair_local(r, 0);
	snprintf(node, sizeof(node), "%s", local == r->local[0] ? "a" : "b");
	if (local != r->local[0] && local != r->local[1])
		snprintf(node, sizeof(node), "process-%d", (int)getpid());
	if ((s = store_postgres_open(pair_url(), node, 2000, &err)) == NULL || store_over(s, local, &err) != 0)
		fail_msg("%s", err.message);
	return s;
}

static inline int
pair_set_up(void **state)
{
	struct store_pair *r = calloc(1, sizeof(*r));

	snprintf(r->dir, sizeof(r->dir), "/tmp/carrel-nodes-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	if (pair_is_postgres()) {
		pair_psql("DROP SCHEMA IF EXISTS carrel CASCADE");
		r->local[0] = pair_local(r, 1);
		r->local[1] = pair_local(r, 2);
	}
	r->a = pair_open(r, r->local[0]);
	r->b = pair_open(r, r->local[1]);
	*state = r;
	return 0;
}

static inline int
pair_tear_down(void **state)
{
	struct store_pair *r = *state;
	char command[128];

	store_close(r->a);
	store_close(r->b);
	store_close(r->local[0]);
	store_close(r->local[1]);
	snprintf(command, sizeof(command), "rm -rf %s", r->dir);
	pair_shell(command);
	free(r);
	return 0;
}

/* rc is 0, or the store's sentence is the test's. */
#define must(rc) do {							\
	if ((rc) != 0)							\
		fail_msg("%s: %s", #rc, err.message);			\
} while (0)

#define PAIR_TEST(f)	cmocka_unit_test_setup_teardown(f, pair_set_up, pair_tear_down)

extern unsigned pair_statements;	/* sent to the server by this process */

int store_rows_oauth_tests(void);
int store_nodes_tests(void);
int store_copied_tests(void);
int store_auth_tests(void);
int store_counts_tests(void);
int store_audits_tests(void);
int store_files_tests(void);
int store_postgres_away_tests(void);
