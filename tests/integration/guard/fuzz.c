/*
 * fuzz.c - what the guard lets through must leave nothing behind.  Every
 * function that the server has is called, and statements are made of pieces of
 * honest and hostile ones; the worker, connected as superuser, runs what its
 * guard allows in the read-only transaction that every caller gets.  Looked
 * for: any lasting effect (a dump, and between times counts, sequences and the
 * next transaction number), any change of the session, any file, any
 * connection to a listening socket, any notification, any death.
 *
 *	CARREL_FUZZ_SECONDS	how long; 20 when not given, an hour in `make soak`
 *	CARREL_FUZZ_SEED	where to begin; always the same when not given
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/system/clock.h"
#include "policy/attacks.h"
#include "tests/integration/guard/guard_statements.h"
#include "tests/integration/guard/mutate.h"
#include "tests/integration/guard/pg_rig.h"

#define BATCH		200u		/* statements between looks at the server */
#define SECONDS		20
#define TEXT_MAX	20000u		/* longer ones only cost time */

struct fuzz {
	struct driver	*d;
	PGconn		*watcher;		/* listens, and asks for the state */
	int		 listener;		/* a socket that nobody may connect to */
	unsigned	 port;
	struct buf	 state;			/* what it was in the beginning */
	char		*batch[BATCH];		/* the statements that ran since the last look */
	unsigned	 n;
	unsigned long	 tried, ran;
};

static struct fuzz fuzz;

/* --- what must not change --------------------------------------------------------------------------- */

/* The transaction number that comes next: a write would have taken one. */
static const char state_query[] =
    "SELECT concat_ws('|', (SELECT last_value::text || is_called FROM s1), pg_snapshot_xmax(pg_current_snapshot()),"
    " (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_roles),"
    " (SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM pg_replication_slots),"
    " (SELECT count(*) FROM pg_replication_origin), (SELECT count(*) FROM pg_prepared_xacts),"
    " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), pg_conf_load_time(), pg_postmaster_start_time(),"
    " (SELECT string_agg(concat(datname, stats_reset), ',') FROM pg_stat_database),"
    " (SELECT stats_reset FROM pg_stat_bgwriter), (SELECT stats_reset FROM pg_stat_wal),"
    " (SELECT count(*) FROM orders), (SELECT count(*) FROM audit_sink), pg_is_in_recovery())";

static int
is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.' && strcmp(e->d_name, "postmaster.pid") != 0 && strcmp(e->d_name, "core") != 0;
}

/* The names of what lies in the server's directory. */
static void
put_files(struct buf *out, const char *sub)
{
	struct dirent **list = NULL;
	char path[512];
	int n;

	snprintf(path, sizeof(path), "%s/data%s", pg_rig_directory(), sub);
	n = scandir(path, &list, is_visible, alphasort);
	for (int i = 0; i < n; i++) {
		buf_printf(out, "|%s", list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

static void
read_state(struct buf *out)
{
	PGresult *res = PQexec(fuzz.watcher, state_query);

	buf_reset(out, SIZE_MAX);
	if (PQresultStatus(res) != PGRES_TUPLES_OK)
		fail_msg("the server does not answer: %s", PQerrorMessage(fuzz.watcher));
	buf_str(out, PQgetvalue(res, 0, 0));
	PQclear(res);
	put_files(out, "");
	put_files(out, "/pg_tblspc");
	put_files(out, "/pg_replslot");
}

static void
forget_batch(void)
{
	while (fuzz.n > 0)
		free(fuzz.batch[--fuzz.n]);
}

static void
complain(const char *what, const char *more)
{
	for (unsigned i = 0; i < fuzz.n; i++)
		print_error("%.2000s\n\n", fuzz.batch[i]);
	fail_msg("after one of the %u statements above: %s %s", fuzz.n, what, more);
}

/* Has any of the batch had an effect? */
static void
look(void)
{
	struct buf now = { 0 };
	PGnotify *told;

	read_state(&now);
	if (!span_is(buf_view(&now), buf_view(&fuzz.state))) {
		print_error("was %s\n", buf_cstr(&fuzz.state));
		complain("the server is not as before:", buf_cstr(&now));
	}
	buf_fini(&now);
	if ((told = PQnotifies(fuzz.watcher)) != NULL)
		complain("a notification came:", told->relname);
	if (accept4(fuzz.listener, NULL, NULL, SOCK_NONBLOCK) >= 0)
		complain("a connection was made", "to another server");
	forget_batch();
}

/* Things that happen on the server are seen, or the tests below would prove nothing. */
static void
effects_are_seen(void **state)
{
	static const char *const effects[] = {
		"SELECT nextval('s1')", "SELECT txid_current()", "CREATE TABLE seen(a int)", "DROP TABLE seen",
		"SELECT lo_create(4711)", "SELECT lo_unlink(4711)", "SELECT pg_reload_conf()", "SELECT pg_stat_reset()",
		"SELECT pg_create_physical_replication_slot('seen')", "SELECT pg_drop_replication_slot('seen')",
		"SELECT pg_file_write('seen', 'x', false)", "SELECT pg_file_unlink('seen')", "SELECT pg_replication_origin_create('seen')", "INSERT INTO audit_sink VALUES ('seen')",
	};
	struct buf now = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
		pg_rig_super(effects[i]);
		/* A configuration is loaded, and statistics are written, when the server gets to it. */
		for (int wait = 0; wait < 500; wait++) {
			read_state(&now);
			if (!span_is(buf_view(&now), buf_view(&fuzz.state)))
				break;
			usleep(10000);
		}
		if (span_is(buf_view(&now), buf_view(&fuzz.state)))
			fail_msg("not seen: %s", effects[i]);
		read_state(&fuzz.state);
	}
	buf_fini(&now);
	pg_rig_super("SELECT pg_replication_origin_drop('seen')");
	pg_rig_super("DELETE FROM audit_sink");
	pg_rig_super("SELECT setval('s1', 1, false)");
	pg_rig_super("NOTIFY news");
	PQconsumeInput(fuzz.watcher);
	for (int wait = 0; wait < 500; wait++) {
		PGnotify *told = PQnotifies(fuzz.watcher);

		if (told != NULL) {
			PQfreemem(told);
			read_state(&fuzz.state);
			return;
		}
		usleep(10000);
		PQconsumeInput(fuzz.watcher);
	}
	fail_msg("a notification is not seen");
}

/* --- running ------------------------------------------------------------------------------------------- */

static void
start(void)
{
	fuzz.d = sql_start(&(struct sql_setup){ .driver = "postgres", .conninfo = pg_rig_conninfo("postgres"),
	    .timeout_ms = 700, .result_bytes = 1 << 20, .max_requests = 1000000 });
	driver_set_progress(fuzz.d, false);
}

/* Workers leave for good reasons too: a large row, a time limit that passed. */
static void
restart(const char *sql)
{
	int code = driver_exit_code(fuzz.d);
	const char *reason = driver_reason(fuzz.d);

	if (code != EXIT_RECYCLE || strstr(reason, "could not be reset") != NULL) {
		print_error("%s\n%.2000s\n", driver_log(fuzz.d), sql);
		complain("the worker ended:", reason);
	}
	driver_free(fuzz.d);
	start();
}

static void
try(const char *sql)
{
	const struct driver_answer *a = sql_run(fuzz.d, sql, 20);

	if (a->kind == DRIVER_LOST) {
		restart(sql);
		a = sql_run(fuzz.d, sql, 20);
	}
	if (a->kind == DRIVER_LOST || a->kind == DRIVER_OPEN)
		complain("twice no answer to", sql);
	fuzz.tried++;
	if (a->kind == DRIVER_FAIL && (strcmp(a->code, "forbidden_sql") == 0 || strcmp(a->code, "sql_too_long") == 0))
		return;
	if (a->kind == DRIVER_FAIL && strcmp(a->code, "internal_error") == 0)
		complain("an internal error:", a->message);
	fuzz.ran += a->kind == DRIVER_RESULT;
	if ((fuzz.batch[fuzz.n] = strdup(sql)) == NULL)
		abort();
	if (++fuzz.n == BATCH)
		look();
}

/* Rows of one text column. */
static void
each_row(const char *sql, void (*fn)(const char *text, void *arg), void *arg)
{
	PGresult *res = PQexec(fuzz.watcher, sql);

	if (PQresultStatus(res) != PGRES_TUPLES_OK)
		fail_msg("%.200s: %s", sql, PQerrorMessage(fuzz.watcher));
	for (int i = 0; i < PQntuples(res); i++)
		fn(PQgetvalue(res, i, 0), arg);
	PQclear(res);
}

static void
try_row(const char *sql, void *arg)
{
	(void)arg;
	try(sql);
}

/* --- every function there is ------------------------------------------------------------------------------- */

/* A call of each function with values of its arguments' types; $s is the text for all that take text. */
static const char calls_query[] =
    "SELECT format('SELECT %%I.%%I(%%s)', n.nspname, p.proname, (SELECT string_agg(CASE"
    "  WHEN t.typname IN ('int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'oid', 'money') THEN '1::' || t.typname"
    "  WHEN t.typname IN ('text', 'varchar', 'bpchar', 'name', 'cstring', 'citext') THEN '%s'"
    "  WHEN t.typname = 'bool' THEN 'true' WHEN t.typname = 'regclass' THEN '''s1''::regclass'"
    "  WHEN t.typname IN ('any', 'anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray') THEN '%s::text'"
    "  WHEN t.typname IN ('anyarray', 'anycompatiblearray', '_text') THEN 'ARRAY[%s::text]'"
    "  WHEN t.typname = '_int4' THEN 'ARRAY[1, 2]' WHEN t.typname = 'bytea' THEN '''x''::bytea'"
    "  WHEN t.typname IN ('json', 'jsonb') THEN '''{\"a\": [1]}''::' || t.typname"
    "  WHEN t.typname = 'tsquery' THEN '''a & b''::tsquery' WHEN t.typname = 'tsvector' THEN '''a:1 b:2''::tsvector'"
    "  WHEN t.typname IN ('date', 'timestamp', 'timestamptz', 'time', 'timetz') THEN '''2024-01-01 10:00''::' || t.typname"
    "  WHEN t.typname = 'interval' THEN '''1 day''::interval' WHEN t.typname = 'record' THEN 'ROW(1, 2)'"
    "  WHEN t.typname = 'anyrange' THEN 'int4range(1, 5)' WHEN t.typname = 'anyenum' THEN '''ok''::mood'"
    "  WHEN t.typtype = 'p' THEN 'NULL' ELSE 'NULL::' || format_type(t.oid, NULL) END, ', ' ORDER BY a.i)"
    "  FROM unnest(p.proargtypes) WITH ORDINALITY a(type, i) JOIN pg_type t ON t.oid = a.type))"
    " FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE p.prokind IN ('f', 'a') ORDER BY p.oid";

static void
every_function_is_harmless(void **state)
{
	const char *const texts[] = { "''s1''", "''SELECT nextval(''''s1'''')''", "''/etc/passwd''" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf query = { 0 };

		buf_printf(&query, calls_query, texts[i], texts[i], texts[i]);
		each_row(buf_cstr(&query), try_row, NULL);
		buf_fini(&query);
	}
	look();
	print_message("%lu calls, %lu of them ran\n", fuzz.tried, fuzz.ran);
}

/* --- statements made of statements --------------------------------------------------------------------------- */

static void
add_statement(const char *sql, void *arg)
{
	if (strlen(sql) < 2000)
		mutator_add(arg, sql);
}

static void
offer_function(const char *name, void *arg)
{
	mutator_offer(arg, MUTATOR_FUNCTIONS, name);
}

static void
offer_relation(const char *name, void *arg)
{
	mutator_offer(arg, MUTATOR_RELATIONS, name);
}

static void
offer_strings(struct mutator *m)
{
	static const char *const strings[] = {
		"'s1'", "'SELECT nextval(''s1'')'", "'SELECT 1'", "'orders'", "'pg_authid'", "'/etc/passwd'", "'evil'",
		"'data_directory'", "'$.a'", "'{1,2}'", "'2024-01-01'", "'[1,5)'", "'(1,2)'", "'1 day'", "E'\\\\'", "$$x$$",
		"'DELETE FROM orders'", "'postgresql.conf'", "'news'", "'<a/>'", "'x' :: regclass", "NULL :: oid", "'purge_old'",
	};
	char dsn[128];

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		mutator_offer(m, MUTATOR_STRINGS, strings[i]);
	snprintf(dsn, sizeof(dsn), "'host=127.0.0.1 port=%u user=postgres connect_timeout=1'", fuzz.port);
	mutator_offer(m, MUTATOR_STRINGS, dsn);
}

static struct mutator *
make_mutator(uint64_t seed)
{
	static const struct audit_input inputs[] = {
#include "workers/sql/postgres/guard/attacks_postgres.def"
	};
	struct mutator *m = mutator_new(seed);

	statements_each("honest", "postgres", add_statement, m);
	statements_each("hostile", "postgres", add_statement, m);
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		add_statement(inputs[i].sql, m);
	each_row("SELECT DISTINCT quote_ident(proname) FROM pg_proc ORDER BY 1", offer_function, m);
	each_row(
	    "SELECT DISTINCT 'public.' || quote_ident(proname) FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
	    " ORDER BY 1",
	    offer_function, m);
	each_row("SELECT quote_ident(relname) FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'S', 'i') ORDER BY 1",
	    offer_relation, m);
	offer_strings(m);
	return m;
}

static uint64_t
number_of(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void
mutated_statements_are_harmless(void **state)
{
	uint64_t seed = number_of("CARREL_FUZZ_SEED", 1);
	uint64_t until = clock_ns() + number_of("CARREL_FUZZ_SECONDS", SECONDS) * CLOCK_SECOND;
	struct mutator *m = make_mutator(seed);
	struct buf sql = { 0 };

	(void)state;
	fuzz.tried = fuzz.ran = 0;
	while (clock_ns() < until) {
		mutator_next(m, &sql);
		if (sql.len > 0 && sql.len < TEXT_MAX)
			try(buf_cstr(&sql));
	}
	look();
	print_message("seed %llu: %lu statements, %lu of them ran\n", (unsigned long long)seed, fuzz.tried, fuzz.ran);
	buf_fini(&sql);
	mutator_free(m);
}

/* --- around it ---------------------------------------------------------------------------------------------------- */

static int
set_up(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);

	if (pg_rig_set_up(state) != 0)
		return -1;
	fuzz.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fuzz.listener < 0 || bind(fuzz.listener, (struct sockaddr *)&address, len) != 0 ||
	    listen(fuzz.listener, 16) != 0 || getsockname(fuzz.listener, (struct sockaddr *)&address, &len) != 0)
		return -1;
	fuzz.port = ntohs(address.sin_port);
	pg_rig_dump("before");
	fuzz.watcher = pg_rig_connect();
	PQclear(PQexec(fuzz.watcher, "LISTEN news; LISTEN deploy; LISTEN x; LISTEN evil; LISTEN carrel_audit"));
	start();
	read_state(&fuzz.state);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	sql_stop(fuzz.d);
	PQfinish(fuzz.watcher);
	close(fuzz.listener);
	forget_batch();
	buf_fini(&fuzz.state);
	pg_rig_assert_no_residue();
	pg_rig_dump("after");
	pg_rig_assert_same("before", "after");
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(effects_are_seen),
		cmocka_unit_test(every_function_is_harmless),
		cmocka_unit_test(mutated_statements_are_harmless),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
