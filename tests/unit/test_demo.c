// libs: carrel_demo carrel_test_support carrel_semantic carrel_project carrel_ipc carrel_base sqlite3
/* test_demo.c - the demo: the same rows every time, a model that compiles and runs, and a scan of it. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/json/json_read.h"
#include "demo/create.h"
#include "project/format/atomic.h"
#include "project/config/config.h"
#include "project/format/files.h"
#include "project/scan/snapshot.h"
#include "project/model/source.h"
#include "project/model/wiki.h"
#include "semantic/compile.h"
#include "tests/support/child_driver.h"

static char project[] = "/tmp/carrel-demo-XXXXXX";
static int root = -1;
static sqlite3 *db;

static int
create(void **state)
{
	char path[PATH_MAX];
	struct err err = { 0 };

	(void)state;
	if (mkdtemp(project) == NULL || demo_create(project, SOURCE_DIR "/demo/project", NULL, &err) != 0) {
		fprintf(stderr, "%s\n", err.message);
		return -1;
	}
	root = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/warehouse.db", project);
	return sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK ? 0 : -1;
}

static int
destroy(void **state)
{
	(void)state;
	sqlite3_close(db);
	close(root);
	return atomic_remove(AT_FDCWD, project, NULL);
}

/* The first cell of a statement as text. */
static const char *
ask(const char *sql)
{
	static char text[256];
	sqlite3_stmt *s;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s\n%s", sqlite3_errmsg(db), sql);
	text[0] = '\0';
	if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0) != NULL)
		snprintf(text, sizeof(text), "%s", sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	return text;
}

static void
read_whole(int dir, const char *path, struct buf *out)
{
	if (files_read(dir, path, 64 << 20, out, NULL) != FILES_OK)
		fail_msg("%s", path);
}

/* --- the database ------------------------------------------------------------------- */

static void
same_every_time(void **state)
{
	struct buf a = { 0 }, b = { 0 };
	char path[PATH_MAX];
	struct err err;

	(void)state;
	snprintf(path, sizeof(path), "%s/again.db", project);
	assert_int_equal(demo_warehouse(path, &err), 0);
	read_whole(root, "warehouse.db", &a);
	read_whole(root, "again.db", &b);
	assert_true(span_is(buf_view(&a), buf_view(&b)));
	assert_int_equal(demo_warehouse(path, &err), -1); /* never replaces */
	assert_int_equal(unlink(path), 0);
	buf_fini(&a);
	buf_fini(&b);
}

/* What the documentation and other tests quote; a change of the generator shows here. */
static void
known_numbers(void **state)
{
	(void)state;
	assert_string_equal(ask("PRAGMA integrity_check"), "ok");
	assert_string_equal(ask("SELECT count(*) FROM pragma_foreign_key_check"), "0");
	assert_string_equal(ask("SELECT count(*) FROM orders"), "10295");
	assert_string_equal(ask("SELECT sum(net_ct) FROM v_order_revenue"), "275551654");
	assert_string_equal(ask("SELECT min(date(ordered_at)) FROM orders"), DEMO_FIRST_DAY);
	assert_string_equal(ask("SELECT max(date(ordered_at)) FROM orders"), DEMO_AS_OF);
	assert_string_equal(ask("SELECT count(*) FROM customers WHERE is_test"), "14");
}

/* Line totals, discounts and shipping make the order; payments and refunds fit it. */
static void
adds_up(void **state)
{
	(void)state;
	assert_string_equal(ask("SELECT count(*) FROM orders o WHERE amt_eur_ct <> shipping_ct - discount_ct + "
				"(SELECT sum(quantity * unit_price_ct) FROM order_items i WHERE i.order_id = o.id)"),
	    "0");
	assert_string_equal(ask("SELECT count(*) FROM payments p JOIN orders o ON o.id = p.order_id "
				"WHERE CAST(round(p.amount * 100) AS INTEGER) <> o.amt_eur_ct"),
	    "0");
	assert_string_equal(ask("SELECT count(*) FROM refunds r JOIN orders o ON o.id = r.order_id "
				"WHERE r.amount_ct > o.amt_eur_ct OR r.amount_ct <= 0"),
	    "0");
	assert_string_equal(ask("SELECT max(n) FROM (SELECT count(*) AS n FROM refunds GROUP BY order_id)"), "1");
	assert_string_equal(ask("SELECT count(*) FROM orders o JOIN customers c ON c.id = o.customer_id "
				"WHERE o.is_test <> c.is_test"),
	    "0");
	assert_string_equal(ask("SELECT count(*) FROM orders WHERE (order_no LIKE '%-D') <> "
				"(duplicate_of_id IS NOT NULL)"),
	    "0");
	assert_string_equal(ask("SELECT count(*) FROM orders WHERE delivered_at > '" DEMO_AS_OF " 23:59:59'"), "0");
	assert_string_equal(
	    ask("SELECT count(*) FROM web_sessions "
		"WHERE date(started_at_ms / 1000, 'unixepoch') NOT IN (session_date, date(session_date, '-1 day'))"),
	    "0");
}

/* The stories in wiki/global/incidents.md are in the numbers. */
static void
stories_show(void **state)
{
	(void)state;
	assert_string_equal(ask("SELECT count(DISTINCT date(created_at)) FROM payments "
				"WHERE failure_code = 'gateway_unavailable'"),
	    "2");
	assert_string_equal(
	    ask("SELECT (SELECT count(*) FROM web_sessions WHERE session_date BETWEEN '2025-05-05' AND "
		"'2025-05-11') * 5 < (SELECT count(*) FROM web_sessions WHERE session_date BETWEEN '2025-05-12' AND "
		"'2025-05-18')"),
	    "1");
	assert_string_equal(
	    ask("SELECT min(date(ordered_at)) >= '2025-07-01' FROM orders WHERE channel = 'b2b_portal'"), "1");
	assert_string_equal(ask("SELECT avg(reason = 'defect') > 0.5 FROM refunds "
				"WHERE refunded_at BETWEEN '2025-11-01' AND '2025-11-30'"),
	    "1");
	assert_string_equal(ask("SELECT count(*) FROM orders WHERE duplicate_of_id IS NOT NULL AND "
				"date(ordered_at) NOT BETWEEN '2024-09-11' AND '2024-10-01'"),
	    "0");
}

/* --- the project ------------------------------------------------------------------------ */

static void
configuration_is_clean(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct config_issues issues = { 0 };
	struct config cfg = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(config_load(a, project, &cfg, &issues, &err), 0);
	assert_int_equal(issues.n, 0);
	assert_int_equal(cfg.nconnections, 1);
	assert_string_equal(cfg.connections[0].id, "warehouse");
	assert_string_equal(cfg.connections[0].driver->name, "sqlite");
	arena_free(a);
}

static void
not_over_an_existing_one(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(demo_create(project, SOURCE_DIR "/demo/project", NULL, &err), -1);
	assert_non_null(strstr(err.message, "carrel.yaml"));
	assert_int_equal(demo_create("/proc/nothing", SOURCE_DIR "/demo/project", NULL, &err), -1);
	assert_int_equal(demo_create(project, "/nowhere", NULL, &err), -1);
}

static struct source_set *
load_sources(bool with_manifest)
{
	struct arena *a = arena_new(1 << 20);
	struct source_set *set = source_set_new();
	struct files_list list;
	struct buf text = { 0 };
	struct err err = { 0 };
	int dir;

	assert_int_equal(files_open_dir(root, "semantic-layer/warehouse", &dir), FILES_OK);
	assert_int_equal(files_list(dir, a, &list), FILES_OK);
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.entries[i].is_dir ? "_schema/public.yaml" : list.entries[i].name;

		if (list.entries[i].is_dir && !with_manifest)
			continue;
		buf_reset(&text, SIZE_MAX);
		read_whole(dir, name, &text);
		if (source_set_put(set, name, buf_view(&text), &err) != 0)
			fail_msg("%s: %s", name, err.message);
	}
	close(dir);
	buf_fini(&text);
	arena_free(a);
	source_set_compose(set, NULL, NULL);
	return set;
}

/* Is ref "source", "source.measure", "source.segment" or "source.column"? */
static bool
resolves(const struct source_set *set, struct span ref)
{
	const uint8_t *dot = memchr(ref.p, '.', ref.len);
	size_t len = dot != NULL ? (size_t)(dot - ref.p) : ref.len;
	const struct source *s = source_set_get(set, span_of(ref.p, len));
	struct span name;

	if (s == NULL || dot == NULL)
		return s != NULL;
	name = span_of(dot + 1, ref.len - len - 1);
	for (size_t i = 0; i < s->nmeasures; i++)
		if (span_is_str(name, s->measures[i].name))
			return true;
	for (size_t i = 0; i < s->nsegments; i++)
		if (span_is_str(name, s->segments[i].name))
			return true;
	for (size_t i = 0; i < s->ncolumns; i++)
		if (span_is_str(name, s->columns[i].name))
			return true;
	return false;
}

static void
assert_page(int dir, struct span key)
{
	char name[128];

	snprintf(name, sizeof(name), "%.*s.md", SPAN_FMT(key));
	if (faccessat(dir, name, F_OK, 0) != 0)
		fail_msg("no page %s", name);
}

/* Every page has a summary and tags, and whatever it refers to exists. */
static void
wiki_is_sound(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct source_set *set = load_sources(true);
	struct files_list list;
	int dir;

	(void)state;
	assert_int_equal(files_open_dir(root, "wiki/global", &dir), FILES_OK);
	assert_int_equal(files_list(dir, a, &list), FILES_OK);
	assert_true(list.n >= 12);
	for (size_t i = 0; i < list.n; i++) {
		struct wiki_page page = { 0 };
		struct buf text = { 0 };
		struct err err = { 0 };

		read_whole(dir, list.entries[i].name, &text);
		if (wiki_parse(a, buf_view(&text), &page, &err) != 0)
			fail_msg("%s: %s", list.entries[i].name, err.message);
		assert_true(page.summary.len > 0 && page.summary.len <= 200);
		assert_true(page.tags.n > 0 && page.body.len > 200);
		for (size_t k = 0; k < page.refs.n; k++)
			assert_page(dir, page.refs.v[k]);
		for (size_t k = 0; k < page.sl_refs.n; k++)
			if (!resolves(set, page.sl_refs.v[k]))
				fail_msg("%s: %.*s", list.entries[i].name, SPAN_FMT(page.sl_refs.v[k]));
		for (const char *at = buf_cstr(&text); (at = strstr(at, "[[")) != NULL; at += 2)
			assert_page(dir, span_of(at + 2, strcspn(at + 2, "]")));
		buf_fini(&text);
	}
	close(dir);
	source_set_free(set);
	arena_free(a);
}

/* Compile one query and count its rows; headers are returned for the caller to look at. */
static size_t
run_query(const struct sem_model *m, const char *json)
{
	struct arena *a = arena_new(8 << 20);
	struct buf mp = { 0 };
	struct sem_problem problem = { 0 };
	struct sem_compiled out = { 0 };
	struct sem_query q = { 0 };
	struct mp_value v;
	sqlite3_stmt *s;
	size_t at, n = 0;
	int r;

	assert_int_equal(json_read(span_str(json), &mp, &at), JSON_OK);
	assert_true(mp_value(buf_view(&mp), &v));
	if (sem_query_read(a, &v, &q, &problem) != 0 || sem_compile(m, &dialect_sqlite, &q, a, &out, &problem) != 0)
		fail_msg("%s: %s", json, problem.message);
	if (sqlite3_prepare_v2(db, (const char *)out.sql.p, (int)out.sql.len, &s, NULL) != SQLITE_OK)
		fail_msg("%s\n%.*s", sqlite3_errmsg(db), SPAN_FMT(out.sql));
	while ((r = sqlite3_step(s)) == SQLITE_ROW)
		n++;
	if (r != SQLITE_DONE)
		fail_msg("%s\n%.*s", sqlite3_errmsg(db), SPAN_FMT(out.sql));
	sqlite3_finalize(s);
	buf_fini(&mp);
	arena_free(a);
	return n;
}

static void
try_source(const struct sem_model *m, const struct source *s)
{
	char query[512];

	for (size_t i = 0; i < s->nmeasures; i++) {
		snprintf(query, sizeof(query), "{\"measures\":[\"%s.%s\"]}", s->name, s->measures[i].name);
		assert_int_equal(run_query(m, query), 1);
		assert_true(s->measures[i].description.len > 0);
	}
	for (size_t i = 0; i < s->ncolumns; i++) {
		if (s->columns[i].visibility == SOURCE_HIDDEN)
			continue;
		snprintf(query, sizeof(query), "{\"measures\":[],\"dimensions\":[{\"field\":\"%s.%s\"}],\"limit\":3}",
		    s->name, s->columns[i].name);
		assert_true(run_query(m, query) > 0);
	}
	for (size_t i = 0; i < s->nsegments && s->nmeasures > 0; i++) {
		snprintf(query, sizeof(query),
		    "{\"measures\":[{\"expr\":\"count(%s.%s)\",\"name\":\"n\"}],"
		    "\"segments\":[\"%s.%s\"]}",
		    s->name, s->grain[0], s->name, s->segments[i].name);
		assert_int_equal(run_query(m, query), 1);
	}
}

/* Every measure, column and segment of every source means something to the database. */
static void
every_measure_runs(void **state)
{
	struct source_set *set = load_sources(*state != NULL);
	const struct source *sources[64];
	struct sem_model *m;
	size_t n = 0;

	/* Before the first scan the overlay on tbl_cst_adr has nothing to lie on. */
	assert_int_equal(source_set_troubles(set), *state != NULL ? 0 : 1);
	assert_true(source_set_count(set) <= 64);
	for (size_t i = 0; i < source_set_count(set); i++)
		sources[i] = source_set_at(set, i);
	m = sem_model_new(sources, source_set_count(set));
	for (size_t i = 0; i < sem_model_troubles(m); i++)
		fail_msg("%s: %s", sem_model_trouble(m, i)->source->name, sem_model_trouble(m, i)->text);
	for (size_t i = 0; i < source_set_count(set); i++) {
		const struct source *s = source_set_at(set, i);

		try_source(m, s);
		n += s->nmeasures > 0;
	}
	assert_true(n >= 8);
	assert_true(run_query(m,
			"{\"measures\":[\"order_revenue.net_revenue\"],"
			"\"dimensions\":[{\"field\":\"regions.sales_area\"}]}") >= 6);
	assert_int_equal(
	    run_query(m,
		"{\"measures\":[\"orders.gross_revenue\",\"refunds.refund_amount\","
		"\"support_tickets.ticket_count\"],\"dimensions\":[{\"field\":\"customers.segment_group\"}]}"),
	    3);
	assert_true(run_query(m,
			"{\"measures\":[\"support_tickets.sla_rate\"],"
			"\"dimensions\":[{\"field\":\"assignee.full_name\"}]}") >= 5);
	assert_int_equal(
	    run_query(m,
		"{\"measures\":[\"order_items.item_margin_pct\"],"
		"\"dimensions\":[{\"field\":\"products.category\"}],\"order_by\":[{\"field\":\"item_margin_pct\","
		"\"direction\":\"desc\"}],\"limit\":5}"),
	    5);
	assert_int_equal(run_query(m,
			     "{\"measures\":[\"orders.order_count\"],\"dimensions\":[{\"field\":"
			     "\"orders.ordered_at\",\"granularity\":\"month\"}]}"),
	    24);
	sem_model_free(m);
	source_set_free(set);
}

/* --- scanned by the real workers ------------------------------------------------------------ */

/* Plays the front: hands the memory worker's question to the SQL worker. */
static void
pass_on(struct driver *d, void *arg, uint64_t id, const char *tool, const char *connection, const char *args)
{
	struct driver *sql = arg;
	const struct driver_answer *a = driver_call(sql, tool, connection, args);

	assert_int_equal(a->kind, DRIVER_RESULT);
	driver_sub_rows(d, id, a->rows);
	driver_sub_result(d, id, a->result);
}

static struct driver *
sql_worker(void)
{
	char path[PATH_MAX];
	struct driver *d = driver_spawn(BIN_DIR "/carrel-sql-sqlite", IPC_SQL, NULL);
	struct ipc_configure_sql conf;

	snprintf(path, sizeof(path), "%s/warehouse.db", project);
	conf = (struct ipc_configure_sql){
		.team = SPAN("\x90"),
		.connection = SPAN("warehouse"), .driver = SPAN("sqlite"), .path = span_str(path),
		.schemas = SPAN("\x90"), .enabled_tables = SPAN("\x90"), .columns = SPAN("\x90"), .functions = SPAN("\x90"),
		.timeout_ms = 30000,
		.max_rows = 10000, .result_bytes = 8 << 20, .memory_max = 1 << 30, .max_requests = 1000,
	};
	if (!driver_configure(d, IPC_MSG_CONFIGURE_SQL, &conf))
		fail_msg("sql: %s\n%s", driver_reason(d), driver_log(d));
	(void)driver_attach(d);
	return d;
}

static void
scan_demo(void **state)
{
	struct ipc_configure_memory conf = {
		.project_dir = span_str(project),
		/* [{"id": "warehouse", "driver": "sqlite"}] */
		.connections = SPAN("\x91\x82\xa2id\xa9warehouse\xa6" "driver\xa6" "sqlite"),
		.memory_max = 1 << 30,
	};
	struct driver *sql = sql_worker(), *d = driver_spawn(BIN_DIR "/carrel-memory", IPC_MEMORY, NULL);
	const struct driver_answer *a;

	(void)state;
	assert_int_equal(mkdirat(root, ".carrel", 0700), 0);
	if (!driver_configure(d, IPC_MSG_CONFIGURE_MEMORY, &conf))
		fail_msg("memory: %s\n%s", driver_reason(d), driver_log(d));
	(void)driver_attach(d);
	driver_set_subcall(d, pass_on, sql);
	a = driver_call(d, "scan", "", "{\"connectionId\":\"warehouse\"}");
	if (a->kind != DRIVER_RESULT)
		fail_msg("%s: %s\n%s", a->code, a->message, driver_log(d));
	assert_non_null(strstr(a->result, "\"tables\":14,\"views\":1,"));
	assert_non_null(strstr(a->result, "\"warnings\":[]"));
	a = driver_call(d, "scan", "", "{\"connectionId\":\"warehouse\"}");
	assert_non_null(strstr(a->result, "\"changed\":false"));
	driver_free(d);
	driver_free(sql);
}

/* What was written can be read back by the reader the search worker uses. */
static void
snapshot_reads_back(void **state)
{
	struct arena *a = arena_new(8 << 20);
	struct buf text = { 0 }, scratch = { 0 };
	struct snapshot_head head = { 0 };
	struct snapshot_table table;
	struct snapshot_keys keys;
	struct files_list list;
	struct err err = { 0 };
	int live, sync, tables;

	(void)state;
	assert_int_equal(files_open_dir(root, "raw-sources/warehouse/live-database", &live), FILES_OK);
	assert_int_equal(files_list(live, a, &list), FILES_OK);
	assert_int_equal(list.n, 1);
	assert_int_equal(files_open_dir(live, list.entries[0].name, &sync), FILES_OK);
	read_whole(sync, "scan-report.json", &text);
	if (snapshot_read_report(a, buf_view(&text), list.entries[0].name, "warehouse", &head, &err) != 0)
		fail_msg("%s", err.message);
	assert_true(span_is_str(head.driver, "sqlite"));
	buf_reset(&text, SIZE_MAX);
	read_whole(sync, "connection.json", &text);
	assert_int_equal(snapshot_read_connection(a, buf_view(&text), &head, &err), 0);
	buf_reset(&text, SIZE_MAX);
	read_whole(sync, "foreign-keys.json", &text);
	assert_int_equal(snapshot_read_keys(a, buf_view(&text), &keys, &err), 0);
	assert_int_equal(keys.n, 21);
	assert_int_equal(files_open_dir(sync, "tables", &tables), FILES_OK);
	assert_int_equal(files_list(tables, a, &list), FILES_OK);
	assert_int_equal(list.n, 15);
	for (size_t i = 0; i < list.n; i++) {
		buf_reset(&text, SIZE_MAX);
		read_whole(tables, list.entries[i].name, &text);
		if (snapshot_read_table(a, &scratch, buf_view(&text), &table, &err) != 0)
			fail_msg("%s: %s", list.entries[i].name, err.message);
		assert_true(table.ncolumns > 0);
		if (span_is_str(table.name, "orders")) {
			assert_int_equal(table.nkeys, 3);
			assert_int_equal(table.rows, 10295);
		}
	}
	close(tables);
	close(sync);
	close(live);
	buf_fini(&text);
	buf_fini(&scratch);
	arena_free(a);
}

int
main(void)
{
	static int yes = 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_every_time), cmocka_unit_test(known_numbers), cmocka_unit_test(adds_up),
		cmocka_unit_test(stories_show), cmocka_unit_test(configuration_is_clean),
		cmocka_unit_test(not_over_an_existing_one), cmocka_unit_test(every_measure_runs),
		cmocka_unit_test(scan_demo), cmocka_unit_test(snapshot_reads_back),
		cmocka_unit_test(wiki_is_sound), cmocka_unit_test_prestate(every_measure_runs, &yes),
	};

	return cmocka_run_group_tests(tests, create, destroy);
}
