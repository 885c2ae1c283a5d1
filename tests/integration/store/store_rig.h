/* store_rig.h - one store that two nodes have open: a file of SQLite or, where PG_DIR is set, a PostgreSQL database. */
#pragma once

#include <fcntl.h>
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

struct store_rig {
	char		 dir[64];
	struct store	*a, *b;		/* two nodes */
	struct store	*local[2];	/* their own files; of SQLite the store itself */
};

static inline bool
rig_is_postgres(void)
{
	return getenv("PG_DIR") != NULL;
}

static inline void
rig_shell(const char *command)
{
	assert_int_equal(system(command), 0);
}

/* SQL as the server's superuser. */
static inline void
rig_psql(const char *sql)
{
	char command[2048];

	snprintf(command, sizeof(command), "'%s/tests/support/pg.sh' psql '%s' -q -c \"%s\" >/dev/null 2>&1",
	    SOURCE_DIR, getenv("PG_DIR"), sql);
	rig_shell(command);
}

/* A URL of the superuser over the socket; more: further parameters. */
static inline char *
rig_url(const char *more)
{
	static char url[512];
	char name[128], port[16] = "";
	FILE *f;

	snprintf(name, sizeof(name), "%s/port", getenv("PG_DIR"));
	assert_non_null(f = fopen(name, "r"));
	assert_non_null(fgets(port, sizeof(port), f));
	fclose(f);
	port[strcspn(port, "\n")] = '\0';
	snprintf(url, sizeof(url), "postgres:///postgres?user=postgres&host=%s/run&port=%s%s", getenv("PG_DIR"), port,
	    more);
	return url;
}

static inline struct store *
rig_local(const struct store_rig *r, int node)
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
rig_open(const struct store_rig *r, struct store *local)
{
	struct store *s;
	struct err err;

	if (!rig_is_postgres())
		return rig_local(r, 0);
	if ((s = store_postgres_open(rig_url(""), local, &err)) == NULL)
		fail_msg("%s", err.message);
	return s;
}

static inline int
rig_set_up(void **state)
{
	struct store_rig *r = calloc(1, sizeof(*r));

	snprintf(r->dir, sizeof(r->dir), "/tmp/carrel-nodes-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	if (rig_is_postgres()) {
		rig_psql("DROP SCHEMA IF EXISTS carrel CASCADE");
		r->local[0] = rig_local(r, 1);
		r->local[1] = rig_local(r, 2);
	}
	r->a = rig_open(r, r->local[0]);
	r->b = rig_open(r, r->local[1]);
	*state = r;
	return 0;
}

static inline int
rig_tear_down(void **state)
{
	struct store_rig *r = *state;
	char command[128];

	store_close(r->a);
	store_close(r->b);
	store_close(r->local[0]);
	store_close(r->local[1]);
	snprintf(command, sizeof(command), "rm -rf %s", r->dir);
	rig_shell(command);
	free(r);
	return 0;
}

/* rc is 0, or the store's sentence is the test's. */
#define must(rc) do {							\
	if ((rc) != 0)							\
		fail_msg("%s: %s", #rc, err.message);			\
} while (0)

#define RIG_TEST(f)	cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)

int store_rows_oauth_tests(void);
int store_nodes_tests(void);
int store_postgres_away_tests(void);
