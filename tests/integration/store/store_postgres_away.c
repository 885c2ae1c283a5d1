/* store_postgres_away.c - the store on PostgreSQL: what it refuses to use, and what happens when its server is away. */
#include <signal.h>

#include "tests/integration/store/store_pair.h"
#include "workers/auth/store/postgres/postgres_schema.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/store/store_token.h"

static struct err err;

static void
assert_refused(const char *url, const char *because)
{
	char copy[512];

	snprintf(copy, sizeof(copy), "%s", url);
	assert_null(store_postgres_open(copy, "c", 2000, &err));
	assert_holds(err.message, because);
	assert_lacks(err.message, "topsecret");
	assert_int_equal(copy[0], '\0');
}

static void
test_refused_urls(void **state)
{
	(void)state;

	assert_refused("postgres://carrel:topsecret%zz@db/x", "cannot be read as postgres:");
	assert_refused("postgres://carrel:topsecret@192.0.2.1/x?sslmode=require", "sslmode=verify-full only");
	assert_refused("postgres://carrel:topsecret@127.0.0.1,db2/x?sslmode=prefer", "sslmode=verify-full only");
	assert_refused("postgres:///x?service=far&sslmode=prefer", "sslmode=verify-full only");
	assert_refused("postgres://carrel:topsecret@127.0.0.1:1/x", "Connection refused");
}

/* PgBouncer on a socket in the pair's directory. */
static pid_t
start_pooler(const struct store_pair *r, const char *mode)
{
	static const char program[] = "/usr/sbin/pgbouncer";
	char name[128], command[512];
	FILE *f;
	pid_t pid;

	snprintf(name, sizeof(name), "%s/%s.ini", r->dir, mode);
	assert_non_null(f = fopen(name, "w"));
	fprintf(f,
	    "[databases]\npostgres = host=%s/run port=%s user=postgres\n[pgbouncer]\nlisten_port = 6432\n"
	    "unix_socket_dir = %s/run\nauth_type = any\npool_mode = %s\n",
	    getenv("PG_DIR"), pair_port(), getenv("PG_DIR"), mode);
	fclose(f);
	snprintf(command, sizeof(command), "chmod -R a+rX %s", r->dir);
	pair_shell(command);
	if ((pid = fork()) == 0) {
		if (getuid() == 0)
			execlp("setpriv", "setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", program,
			    "-q", name, (char *)NULL);
		execl(program, program, "-q", name, (char *)NULL);
		_exit(127);
	}
	snprintf(name, sizeof(name), "%s/run/.s.PGSQL.6432", getenv("PG_DIR"));
	for (int i = 0; i < 100 && access(name, F_OK) != 0; i++)
		usleep(50000);
	assert_int_equal(access(name, F_OK), 0);
	return pid;
}

static void
stop_pooler(pid_t pid)
{
	assert_int_equal(kill(pid, SIGINT), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A pooler that keeps a session for each client is as the server; one that shares them is refused. */
static void
test_poolers(void **state)
{
	struct store_pair *r = *state;
	char url[512], copy[512];
	struct store *s;
	pid_t pid;

	snprintf(url, sizeof(url), "postgres:///postgres?user=postgres&host=%s/run&port=6432", getenv("PG_DIR"));
	pid = start_pooler(r, "transaction");
	assert_refused(url, "pool_mode = session");
	stop_pooler(pid);
	pid = start_pooler(r, "session");
	snprintf(copy, sizeof(copy), "%s", url);
	if ((s = store_postgres_open(copy, "c", 2000, &err)) == NULL)
		fail_msg("%s", err.message);
	must(store_over(s, r->local[0], &err));
	must(store_begin(s, &err));
	must(store_set_setting(s, "a", SPAN("b"), &err));
	must(store_commit(s, &err));
	store_close(s);
	stop_pooler(pid);
}

static void
test_versions(void **state)
{
	struct store *s;

	(void)state;
	/* A newer program has added something that this one leaves alone; then something that it cannot. */
	pair_psql("UPDATE carrel.version SET taken = 97");
	assert_non_null(s = store_postgres_open(pair_url(), "c", 2000, &err));
	store_close(s);
	pair_psql("UPDATE carrel.version SET least = 95");
	assert_refused(pair_url(), "needs a newer Carrel (its tables are of version 97");
}

static void
test_steps(void **state)
{
	const int own = postgres_nsteps, all = own + 2;
	struct postgres_step steps[24];
	struct postgres_link l;
	int64_t n = -1;

	(void)state;
	assert_true((size_t)all <= sizeof(steps) / sizeof(steps[0]));
	for (int i = 0; i < own; i++)
		steps[i] = postgres_steps[i];
	steps[own] = (struct postgres_step){ 1, "CREATE TABLE more(a int)" };
	steps[own + 1] = (struct postgres_step){ all, "DROP TABLE nothing" };
	must(postgres_link_open(&l, pair_url(), &err));
	/* A step that fails leaves all as it was. */
	assert_int_equal(postgres_schema_migrate(&l, steps, all, &err), -1);
	assert_holds(err.message, "nothing");
	must(postgres_link_number(&l, "SELECT taken FROM version", &n, &err));
	assert_int_equal(n, own);
	must(postgres_schema_migrate(&l, steps, own + 1, &err));
	must(postgres_link_number(&l, "SELECT least FROM version", &n, &err));
	assert_in_range(n, 1, own);
	must(postgres_link_number(&l, "SELECT count(*) FROM more", &n, &err));
	must(postgres_schema_migrate(&l, postgres_steps, postgres_nsteps, &err));
	steps[own + 1].sql = "DROP TABLE more";
	must(postgres_schema_migrate(&l, steps, all, &err));
	assert_int_equal(postgres_schema_migrate(&l, steps, own + 1, &err), -1);
	assert_holds(err.message, "needs a newer Carrel");
	postgres_link_close(&l);
}

static void
test_steps_at_once(void **state)
{
	struct store_pair *r = *state;
	int status;

	pair_psql("DROP SCHEMA carrel CASCADE");
	for (int i = 0; i < 6; i++)
		if (fork() == 0) {
			struct store *s = pair_open(r, pair_local(r, 3 + i));

			_exit(store_set_setting(s, "a", SPAN("b"), &err) == 0 ? 0 : 1);
		}
	for (int i = 0; i < 6; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
}

/* Everything fails at once and says why, and nothing is written on either side. */
static void
assert_away(struct store_pair *r, const char *why)
{
	struct store_token t;
	uint64_t since = clock_ns();

	assert_int_equal(store_begin(r->a, &err), -1);
	assert_int_equal(err.code, ERR_SERVICE_UNAVAILABLE);
	assert_holds(err.message, "the state store is away");
	assert_holds(err.message, why);
	assert_int_equal(store_token(r->a, SPAN("AAAAAAAA"), &t, &err), -1);
	assert_int_equal(err.code, ERR_SERVICE_UNAVAILABLE);
	assert_false(store_changed_elsewhere(r->a));
	assert_true(clock_ns() - since < CLOCK_SECOND);
	/* The node's own store is free. */
	must(store_begin(r->local[0], &err));
	must(store_commit(r->local[0], &err));
}

static void
test_ended_session(void **state)
{
	struct store_pair *r = *state;
	struct buf out = { 0 };

	must(store_begin(r->a, &err));
	must(store_set_setting(r->a, "a", SPAN("1"), &err));
	pair_psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in transaction'");
	assert_int_equal(store_commit(r->a, &err), -1);
	assert_away(r, "shutting down");
	assert_int_equal(store_setting(r->b, "a", &out, &err), 0);
}

static int64_t
count_entries(struct store *s)
{
	uint64_t first, last;

	must(store_audit_bounds(s, &first, &last, &err));
	return (int64_t)last;
}

/* A change and its entry: both, or neither. */
static void
test_entry_and_change(void **state)
{
	struct store_pair *r = *state;
	struct buf out = { 0 };

	must(store_begin(r->a, &err));
	must(store_audit_add(r->local[0], 1, SPAN("{}"), SPAN("00"), &err));
	must(store_set_setting(r->a, "a", SPAN("1"), &err));
	must(store_commit(r->a, &err));
	assert_int_equal(count_entries(r->local[0]), 1);
	must(store_begin(r->a, &err));
	must(store_audit_add(r->local[0], 2, SPAN("{}"), SPAN("00"), &err));
	must(store_set_setting(r->a, "b", SPAN("1"), &err));
	pair_psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in transaction'");
	assert_int_equal(store_commit(r->a, &err), -1);
	assert_int_equal(count_entries(r->local[0]), 1);
	assert_int_equal(store_setting(r->b, "b", &out, &err), 0);
	/* And where the entry cannot be written, there is no change. */
	must(store_begin(r->b, &err));
	must(store_set_setting(r->b, "c", SPAN("1"), &err));
	store_rollback(r->local[1]);
	must(store_begin(r->local[1], &err));
	store_rollback(r->b);
	assert_int_equal(store_setting(r->b, "c", &out, &err), 0);
}

/* A node that stops within a transaction holds the others up for a moment only. */
static void
test_stopped_node(void **state)
{
	struct store_pair *r = *state;
	uint64_t since = clock_ns();

	must(store_begin(r->b, &err));
	must(store_set_setting(r->b, "b", SPAN("1"), &err));
	assert_int_equal(store_begin(r->a, &err), -1);
	assert_holds(err.message, "held by another node");
	while (store_begin(r->a, &err) != 0)
		assert_true(clock_ns() - since < 10 * CLOCK_SECOND);
	must(store_commit(r->a, &err));
	assert_int_equal(store_commit(r->b, &err), -1);
	assert_holds(err.message, "stopped for too long");
}

/* Send a signal to all of the server's processes but the first. */
static void
signal_server(const char *name)
{
	char command[256];

	snprintf(command, sizeof(command), "kill -%s $(cat /proc/$(head -1 '%s/data/postmaster.pid')/task/*/children)",
	    name, getenv("PG_DIR"));
	pair_shell(command);
}

/* A server that is there and says nothing. */
static void
test_silent_server(void **state)
{
	struct store_pair *r = *state;
	struct store_token t;
	uint64_t since;

	signal_server("STOP");
	since = clock_ns();
	assert_int_equal(store_token(r->a, SPAN("AAAAAAAA"), &t, &err), -1);
	assert_in_range((clock_ns() - since) / CLOCK_MS, 900, 5000);
	signal_server("CONT");
	assert_away(r, "does not answer");
}

int
store_postgres_away_tests(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(test_refused_urls),
		PAIR_TEST(test_poolers),
		PAIR_TEST(test_versions),
		PAIR_TEST(test_steps),
		PAIR_TEST(test_steps_at_once),
		PAIR_TEST(test_ended_session),
		PAIR_TEST(test_entry_and_change),
		PAIR_TEST(test_stopped_node),
		PAIR_TEST(test_silent_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
