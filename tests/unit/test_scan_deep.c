// libs: carrel_test_support carrel_project carrel_ipc carrel_base
/* test_scan_deep.c - a deep scan against a played SQL worker: the profile, its failures, and what stays when it ends early. */
#include <limits.h>
#include <string.h>

#include "project/format/files.h"
#include "project/scan/snapshot.h"
#include "tests/unit/memory_rig.h"

#define LIVE	"raw-sources/warehouse/live-database"

#define COLUMN(name, type, dimension)	"{\"name\":\"" name "\",\"nativeType\":\"" type "\",\"normalizedType\":\"" type	\
    "\",\"dimensionType\":\"" dimension "\",\"nullable\":true,\"primaryKey\":false,\"comment\":null}"
#define TABLE(db, name, kind, columns)	"[{\"catalog\":null,\"db\":" db ",\"name\":\"" name "\",\"kind\":\"" kind		\
    "\",\"comment\":null,\"estimatedRows\":70000,\"columns\":[" columns "],\"foreignKeys\":[]}]"

/* Two tables of one name, one whose name looks like a key, a view. */
static const char tables[] = "["
    TABLE("\"a\"", "orders", "table", COLUMN("status", "text", "string") "," COLUMN("n", "int", "number") ","
	COLUMN("doc", "jsonb", "string") "," COLUMN("raw", "bytea", "string")) ","
    TABLE("\"b\"", "orders", "table", COLUMN("status", "text", "string")) ","
    TABLE("null", "x.\\\"y", "table", COLUMN("größe", "text", "string")) ","
    TABLE("null", "v", "view", COLUMN("status", "text", "string")) "]";

#define PROFILED(name, extra)	"[{\"column\":\"" name "\",\"nativeType\":\"text\",\"normalizedType\":\"text\",\"rowCount\":4,"	\
    "\"nullCount\":1,\"distinctCount\":2,\"uniquenessRatio\":0.5,\"nullRate\":0.25,\"sampleValues\":[\"open\",\"" extra	\
    "\"],\"minTextLength\":4,\"maxTextLength\":6}]"

/* Three tables whose relationships nobody declared. */
#define KEY(name)	"{\"name\":\"" name "\",\"nativeType\":\"int\",\"normalizedType\":\"int\",\"dimensionType\":\"number\","	\
    "\"nullable\":false,\"primaryKey\":true,\"comment\":null}"
#define OF(version, name, columns)	"[{\"catalog\":null,\"db\":\"s\",\"name\":\"" name "\",\"kind\":\"table\",\"comment\":null,"	\
    "\"estimatedRows\":50,\"dataVersion\":" version ",\"columns\":[" columns "],\"foreignKeys\":[]}]"
static const char shop[] = "["
    OF("\"v1\"", "customers", KEY("id")) ","
    OF("\"v1\"", "orders", KEY("id") "," COLUMN("customer_id", "int", "number") "," COLUMN("client_id", "int", "number")) ","
    OF("null", "clients", KEY("id")) "]";

static struct {
	bool		 shop;			/* those instead */
	unsigned	 related;		/* checks of relationships */
	bool		 unrelated;		/* none of them can be made */
	unsigned	 asked;			/* profiles */
	char		 arguments[2048];	/* of the first */
	const char	*value;			/* a sampled one */
	enum err_code	 failure;		/* of every profile of b.orders; 0: none */
	bool		 all, silent;		/* all fail; the second is never answered */
	bool		 held;			/* none is answered */
	bool		 half;			/* rows come before the failure */
	const char	*keyless, *columns;	/* a table instead: "name:type:distinct …" of 40 rows */
	bool		 declared;		/* its first column is the primary key */
	unsigned	 nulls, distinct;	/* of 1000 rows that a count finds; distinct 0: the count fails */
	char		 counted[128];		/* the arguments of the counts, one after the other */
} base;

static void profile_shop(struct driver *d, uint64_t id, const char *args);

/* Calls put_one for each column of the table without a key, between brackets. */
static void
each_keyless(struct buf *out,
    void (*put_one)(struct buf *out, struct span name, struct span type, struct span distinct))
{
	struct span parts[3];
	const char *at = base.columns;

	buf_byte(out, '[');
	for (bool first = true; *at != '\0'; first = false) {
		for (size_t i = 0; i < 3; i++) {
			parts[i] = span_of(at, strcspn(at, i < 2 ? ":" : " "));
			at += parts[i].len + (at[parts[i].len] != '\0');
		}
		buf_str(out, first ? "" : ",");
		put_one(out, parts[0], parts[1], parts[2]);
	}
	buf_byte(out, ']');
}

static void
put_declared(struct buf *out, struct span name, struct span type, struct span distinct)
{
	(void)distinct;
	buf_printf(out,
	    "{\"name\":\"%.*s\",\"nativeType\":\"%.*s\",\"normalizedType\":\"%.*s\",\"dimensionType\":"
	    "\"string\",\"nullable\":true,\"primaryKey\":%s,\"comment\":null}",
	    SPAN_FMT(name), SPAN_FMT(type), SPAN_FMT(type),
	    base.declared && out->p[out->len - 1] == '[' ? "true" : "false");
}

static void
put_profiled(struct buf *out, struct span name, struct span type, struct span distinct)
{
	buf_printf(out,
	    "{\"column\":\"%.*s\",\"nativeType\":\"%.*s\",\"normalizedType\":\"%.*s\",\"rowCount\":40,"
	    "\"nullCount\":0,\"distinctCount\":%.*s,\"uniquenessRatio\":1,\"nullRate\":0,\"sampleValues\":[],"
	    "\"minTextLength\":1,\"maxTextLength\":2}",
	    SPAN_FMT(name), SPAN_FMT(type), SPAN_FMT(type), SPAN_FMT(distinct));
}

static void
introspect_keyless(struct driver *d, uint64_t id)
{
	struct buf b = { 0 };

	buf_printf(&b,
	    "[[{\"catalog\":null,\"db\":\"s\",\"name\":\"%s\",\"kind\":\"table\",\"comment\":null,"
	    "\"estimatedRows\":40,\"dataVersion\":null,\"foreignKeys\":[],\"columns\":",
	    base.keyless);
	each_keyless(&b, put_declared);
	buf_str(&b, "}]]");
	driver_sub_rows(d, id, buf_cstr(&b));
	driver_sub_result(d, id,
	    "{\"driver\":\"postgres\",\"scope\":{\"schemas\":[\"s\"]},\"metadata\":{},\"warnings\":[],\"tableCount\":"
	    "1}");
	buf_fini(&b);
}

static void
profile_keyless(struct driver *d, uint64_t id)
{
	struct buf b = { 0 }, rows = { 0 };

	each_keyless(&b, put_profiled);
	for (const char *p = buf_cstr(&b); *p != '\0'; p++) /* each row has one cell */
		buf_printf(&rows, *p == '{' ? "[{" : *p == '}' ? "}]" : "%c", *p);
	driver_sub_rows(d, id, buf_cstr(&rows));
	driver_sub_result(d, id, "{\"sampledRows\":40,\"failures\":[]}");
	buf_fini(&b);
	buf_fini(&rows);
}

static void
count_keyless(struct driver *d, uint64_t id, const char *args)
{
	const char *columns = strstr(args, "\"columns\":");
	size_t n = strlen(base.counted);
	char head[128];

	assert_null(strstr(args, "parent"));
	assert_non_null(columns);
	snprintf(base.counted + n, sizeof(base.counted) - n, "%.*s", (int)strcspn(columns + 10, "]") + 1, columns + 10);
	snprintf(head, sizeof(head), "{\"childRows\":1000,\"childFilled\":%u,\"childDistinct\":%u}", 1000 - base.nulls,
	    base.distinct);
	if (base.distinct == 0)
		driver_sub_fail(d, id, ERR_QUERY_TIMEOUT, "too slow");
	else
		driver_sub_result(d, id, head);
}

static void
profile(struct driver *d, uint64_t id, const char *args)
{
	char rows[1024];

	if (base.keyless != NULL) {
		profile_keyless(d, id);
		return;
	}
	if (base.shop) {
		base.asked++;
		profile_shop(d, id, args);
		return;
	}
	if (base.asked++ == 0)
		snprintf(base.arguments, sizeof(base.arguments), "%s", args);
	if (base.held || (base.silent && base.asked == 2))
		return;
	snprintf(rows, sizeof(rows), "[" PROFILED("status", "%s") "]", base.value);
	if (base.failure != 0 && (base.all || strstr(args, "\"db\":\"b\"") != NULL)) {
		if (base.half)
			driver_sub_rows(d, id, rows);
		driver_sub_fail(d, id, base.failure, "permission denied for table orders");
	} else if (strstr(args, "x.") != NULL) {
		driver_sub_rows(d, id, "[" PROFILED("größe", "Ü") "]");
		driver_sub_result(d, id,
		    "{\"sampledRows\":4,\"failures\":[{\"column\":\"q\",\"message\":\"no output\"}]}");
	} else {
		driver_sub_rows(d, id, rows);
		driver_sub_result(d, id, "{\"sampledRows\":4,\"failures\":[]}");
	}
}

/* customers have all of the orders' ids, clients have half of them. */
static void
relate(struct driver *d, uint64_t id, const char *args)
{
	base.related++;
	if (base.unrelated)
		driver_sub_fail(d, id, ERR_QUERY_TIMEOUT, "too slow");
	else if (strstr(args, "\"name\":\"customers\"") != NULL)
		driver_sub_result(d, id,
		    "{\"childRows\":50,\"childFilled\":50,\"childDistinct\":20,\"foundRows\":50,"
		    "\"foundDistinct\":20,\"parentRows\":50,\"parentFilled\":50,\"parentDistinct\":50}");
	else
		driver_sub_result(d, id,
		    "{\"childRows\":50,\"childFilled\":50,\"childDistinct\":20,\"foundRows\":25,"
		    "\"foundDistinct\":10,\"parentRows\":50,\"parentFilled\":50,\"parentDistinct\":50}");
}

/* What the shop's tables hold. */
static void
profile_shop(struct driver *d, uint64_t id, const char *args)
{
	static const char column[] =
	    "[{\"column\":\"%s\",\"nativeType\":\"int\",\"normalizedType\":\"int\",\"rowCount\":50,"
	    "\"nullCount\":0,\"distinctCount\":%d,\"uniquenessRatio\":1,\"nullRate\":0,\"sampleValues\":[],"
	    "\"minTextLength\":1,\"maxTextLength\":2}]";
	char rows[1024], one[512];
	size_t n;

	n = (size_t)snprintf(rows, sizeof(rows), "[");
	snprintf(one, sizeof(one), column, "id", 50);
	n += (size_t)snprintf(rows + n, sizeof(rows) - n, "%s", one);
	if (strstr(args, "customer_id") != NULL)
		for (size_t i = 0; i < 2; i++) {
			snprintf(one, sizeof(one), column, i == 0 ? "customer_id" : "client_id", 20);
			n += (size_t)snprintf(rows + n, sizeof(rows) - n, ",%s", one);
		}
	snprintf(rows + n, sizeof(rows) - n, "]");
	driver_sub_rows(d, id, rows);
	driver_sub_result(d, id, "{\"sampledRows\":50,\"failures\":[]}");
}

static void
answer(struct driver *d, void *arg, uint64_t id, const char *tool, const char *connection, const char *args)
{
	char head[256];

	(void)arg;
	assert_string_equal(connection, "warehouse");
	if (strcmp(tool, "profile") == 0) {
		profile(d, id, args);
		return;
	}
	if (strcmp(tool, "relate") == 0) {
		if (base.keyless != NULL)
			count_keyless(d, id, args);
		else
			relate(d, id, args);
		return;
	}
	assert_string_equal(tool, "introspect");
	if (base.keyless != NULL) {
		introspect_keyless(d, id);
		return;
	}
	driver_sub_rows(d, id, base.shop ? shop : tables);
	snprintf(head, sizeof(head),
	    "{\"driver\":\"postgres\",\"scope\":{},\"metadata\":{},\"warnings\":[],\"tableCount\":%d}",
	    base.shop ? 3 : 4);
	driver_sub_result(d, id, head);
}

/* --- the project ----------------------------------------------------------------- */

static int
setup(void **state)
{
	(void)state;
	rig_make_project();
	memset(&base, 0, sizeof(base));
	base.value = "closed";
	return 0;
}

static struct driver *
start(void)
{
	struct driver *d = rig_spawn((struct ipc_configure_memory){
	    /* [{"id": "warehouse", "driver": "postgres", "concurrency": 2}] */
	    .connections = SPAN("\x91\x83\xa2id\xa9warehouse\xa6" "driver\xa8" "postgres\xab" "concurrency\x02"),
	    .scan_rows = 1000, .scan_values = 20, .scan_statement_ms = 5000 }, NULL);

	(void)driver_attach(d);
	driver_set_subcall(d, answer, NULL);
	return d;
}

static const char deep[] = "{\"connectionId\":\"warehouse\",\"deep\":true}";

static const struct driver_answer *
scan(struct driver *d)
{
	return driver_call(d, "scan", "", deep);
}

/* How many syncs there are; the latest's file in b, empty when it has none. */
static size_t
latest(const char *file, struct buf *b)
{
	struct arena *a = arena_new(1 << 20);
	struct files_list list = { 0 };
	char path[PATH_MAX];
	int fd = -1;
	size_t n = 0;

	b->len = 0;
	if (files_open_dir(root, LIVE, &fd) == FILES_OK && files_list(fd, a, &list) == FILES_OK && list.n > 0) {
		snprintf(path, sizeof(path), "%s/%s", list.entries[list.n - 1].name, file);
		(void)files_read(fd, path, 1 << 20, b, NULL);
		n = list.n;
	}
	if (fd >= 0)
		close(fd);
	arena_free(a);
	return n;
}

#define PROFILE	"enrichment/relationship-profile.json"

/* --- what is written -------------------------------------------------------------- */

static void
writes_the_profile(void **state)
{
	struct driver *d = start();
	struct buf b = { 0 };
	struct arena *a = arena_new(1 << 20);
	struct snapshot_profile p;
	struct err err;

	(void)state;
	assert_int_equal(scan(d)->kind, DRIVER_RESULT);
	assert_int_equal(base.asked, 3); /* not the view */
	assert_int_equal(latest(PROFILE, &b), 1);
	assert_int_equal(snapshot_read_profile(a, buf_view(&b), &p, &err), 0);
	assert_int_equal(p.sample_rows, 1000);
	assert_int_equal(p.values_per_column, 20);
	assert_true(p.profiled_at.len == 24);
	assert_int_equal(p.n, 3);
	assert_true(span_is_str(p.v[0].db, "a") && span_is_str(p.v[1].db, "b"));
	assert_true(span_is_str(p.v[2].table, "x.\"y") && span_is_str(p.v[2].column, "größe"));
	assert_int_equal(p.v[0].nvalues, 2);
	assert_true(span_is_str(p.v[2].values[1], "Ü"));
	assert_holds(buf_cstr(&b), "\"b.orders.status\": {");
	assert_holds(buf_cstr(&b), "\"profile_failed:x.\\\"y.q:no output\"");
	assert_int_equal(latest("scan-report.json", &b), 1);
	assert_holds(buf_cstr(&b), "\"mode\": \"enriched\"");
	assert_holds(buf_cstr(&b), "\"dataDictionary\": \"completed\"");
	assert_holds(buf_cstr(&b), PROFILE "\"");
	stop(d);
	arena_free(a);
	buf_fini(&b);
}

/* Which values may leave the database is said column by column. */
static void
asks_for_what_may_be_kept(void **state)
{
	struct driver *d = start();

	(void)state;
	assert_int_equal(scan(d)->kind, DRIVER_RESULT);
	assert_holds(base.arguments,
	    "\"name\":\"status\",\"nativeType\":\"text\",\"normalizedType\":\"text\",\"values\":20}");
	assert_holds(base.arguments, "\"normalizedType\":\"int\",\"values\":5}");
	assert_holds(base.arguments, "\"normalizedType\":\"jsonb\",\"values\":5}");
	assert_holds(base.arguments, "\"normalizedType\":\"bytea\",\"values\":0}");
	assert_holds(base.arguments, "\"sampleRows\":1000,\"valuesPerColumn\":20,\"timeoutMs\":5000}");
	stop(d);
}

static void
the_same_again_is_nothing_new(void **state)
{
	struct driver *d = start();
	struct buf b = { 0 };

	(void)state;
	assert_holds(scan(d)->result, "\"changed\":true");
	assert_holds(scan(d)->result, "\"changed\":false");
	assert_int_equal(latest(PROFILE, &b), 1);
	base.value = "lost";
	assert_holds(scan(d)->result, "\"changed\":true");
	assert_int_equal(latest(PROFILE, &b), 2);
	assert_holds(buf_cstr(&b), "\"lost\"");
	/* A scan of the structure asks for none. */
	base.asked = 0;
	assert_int_equal(driver_call(d, "scan", "", "{\"connectionId\":\"warehouse\"}")->kind, DRIVER_RESULT);
	assert_int_equal(base.asked, 0);
	stop(d);
	buf_fini(&b);
}

/* --- what fails -------------------------------------------------------------------- */

static void
a_failing_table_fails_alone(void **state)
{
	struct driver *d = start();
	struct buf b = { 0 };
	const struct driver_answer *a;

	(void)state;
	base.failure = ERR_DATABASE_ERROR;
	base.half = true;
	a = scan(d);
	assert_int_equal(a->kind, DRIVER_RESULT);
	assert_holds(a->result, "no values of orders were looked at: permission denied for table orders");
	assert_int_equal(latest(PROFILE, &b), 1);
	assert_holds(buf_cstr(&b), "profile_failed:orders:permission denied");
	assert_holds(buf_cstr(&b), "größe");
	assert_null(strstr(buf_cstr(&b), "\"db\": \"b\"")); /* nor what it had sent before */
	latest("scan-report.json", &b);
	assert_holds(buf_cstr(&b), "\"dataDictionary\": \"failed\"");
	stop(d);
	buf_fini(&b);
}

static void
a_lost_database_ends_the_scan(void **state)
{
	struct driver *d = start();
	struct buf b = { 0 };

	(void)state;
	base.failure = ERR_DATABASE_UNAVAILABLE;
	base.all = true;
	assert_string_equal(scan(d)->code, "database_unavailable");
	assert_int_equal(latest(PROFILE, &b), 0);
	stop(d);
	buf_fini(&b);
}

static bool
asked_twice(struct driver *d, void *arg)
{
	(void)d, (void)arg;
	return base.asked >= 2;
}

static void
a_cancelled_scan_leaves_the_last_one(void **state)
{
	struct driver *d = start();
	struct buf before = { 0 }, after = { 0 };
	uint64_t id;

	(void)state;
	assert_int_equal(scan(d)->kind, DRIVER_RESULT);
	latest(PROFILE, &before);
	base.asked = 0;
	base.silent = true;
	base.value = "never";
	id = driver_start(d, "scan", "", deep);
	assert_true(driver_until(d, asked_twice, NULL));
	driver_cancel(d, id);
	assert_int_equal(driver_wait(d, id)->kind, DRIVER_FAIL);
	assert_true(driver_sub_cancelled(d));
	assert_int_equal(latest(PROFILE, &after), 1);
	assert_true(span_is(buf_view(&before), buf_view(&after)));
	/* And the next one works. */
	base.silent = false;
	assert_holds(scan(d)->result, "\"changed\":true");
	stop(d);
	buf_fini(&before);
	buf_fini(&after);
}

/* --- several at once ------------------------------------------------------------------ */

static void
tables_are_sampled_side_by_side(void **state)
{
	struct driver *d = start();
	uint64_t id;

	(void)state;
	base.held = true;
	id = driver_start(d, "scan", "", deep);
	assert_true(driver_until(d, asked_twice, NULL));
	/* The third waits for one of them. */
	(void)driver_call(d, "memory_log", "", "{}");
	assert_int_equal(base.asked, 2);
	driver_cancel(d, id);
	assert_int_equal(driver_wait(d, id)->kind, DRIVER_FAIL);
	stop(d);
}

/* --- what is remembered ---------------------------------------------------------------- */

/* A table whose rows have not changed is not read again; what it said is written as before. */
static void
what_has_not_changed_is_not_read_again(void **state)
{
	struct driver *d = start();

	(void)state;
	base.shop = true;
	assert_holds(scan(d)->result, "\"tablesReused\":0");
	assert_int_equal(base.asked, 3);
	base.asked = base.related = 0;
	assert_holds(scan(d)->result, "\"changed\":false");
	assert_int_equal(base.asked, 1); /* nothing vouches for clients */
	assert_int_equal(base.related, 1);
	stop(d);
}

/* Killed between two tables, the next process goes on with the second. */
static void
a_killed_scan_goes_on(void **state)
{
	struct driver *d = start();
	struct buf b = { 0 };

	(void)state;
	base.silent = true;
	(void)driver_start(d, "scan", "", deep);
	assert_true(driver_until(d, asked_twice, NULL));
	(void)driver_call(d, "memory_log", "", "{}"); /* the first one's answer was taken */
	kill(driver_pid(d), SIGKILL);
	assert_true(driver_exit_code(d) != 0);
	driver_free(d);
	assert_int_equal(latest(PROFILE, &b), 0);
	base.silent = false;
	base.asked = 0;
	d = start();
	assert_holds(scan(d)->result, "\"tablesReused\":1");
	assert_int_equal(base.asked, 2);
	assert_int_equal(latest(PROFILE, &b), 1);
	assert_holds(buf_cstr(&b), "größe");
	stop(d);
	buf_fini(&b);
}

/* --- relationships ------------------------------------------------------------------------ */

static void
relationships_are_proved(void **state)
{
	struct driver *d = start();
	struct buf b = { 0 };

	(void)state;
	base.shop = true;
	assert_holds(scan(d)->result, "\"relationships\":{\"accepted\":1,\"review\":1,\"rejected\":0,\"skipped\":0}");
	assert_int_equal(base.related, 2);
	latest("enrichment/relationships.json", &b);
	assert_holds(buf_cstr(&b),
	    "\"id\": \"s.orders.(customer_id)->s.customers.(id)\",\n      \"status\": \"accepted\",\n"
	    "      \"source\": \"inferred\"");
	assert_holds(buf_cstr(&b),
	    "\"tableId\": \"s.orders\",\n        \"columnIds\": [\n          \"s.orders.customer_id\"");
	assert_holds(buf_cstr(&b), "\"coverage\": 0.5");
	latest("enrichment/relationship-diagnostics.json", &b);
	assert_holds(buf_cstr(&b), "\"noAcceptedReason\": null");
	latest("scan-report.json", &b);
	assert_holds(buf_cstr(&b), "\"statisticalValidation\": \"completed\"");
	assert_holds(buf_cstr(&b), "enrichment/relationships.json\"");
	buf_reset(&b, 1 << 20);
	assert_int_equal(files_read(root, "semantic-layer/warehouse/_schema/s.yaml", 1 << 20, &b, NULL), FILES_OK);
	assert_holds(buf_cstr(&b),
	    "on\": orders.customer_id = customers.id\n        relationship: many_to_one\n        source: inferred");
	assert_holds(buf_cstr(&b), "relationship: one_to_many");
	assert_null(strstr(buf_cstr(&b), "clients.id"));
	stop(d);
	buf_fini(&b);
}

/* A check that fails leaves what it was about to people, and the rest of the scan alone. */
static void
a_check_that_fails_fails_alone(void **state)
{
	struct driver *d = start();
	struct buf b = { 0 };
	const struct driver_answer *a;

	(void)state;
	base.shop = base.unrelated = true;
	a = scan(d);
	assert_holds(a->result, "\"relationships\":{\"accepted\":0,\"review\":2,\"rejected\":0,\"skipped\":0}");
	assert_holds(a->result, "relationship_validation_failed");
	latest("enrichment/relationships.json", &b);
	assert_holds(buf_cstr(&b), "validation_failed");
	latest("scan-report.json", &b);
	assert_holds(buf_cstr(&b), "\"statisticalValidation\": \"failed\"");
	/* The next scan tries again. */
	base.unrelated = false;
	assert_holds(scan(d)->result, "\"relationships\":{\"accepted\":1,\"review\":1");
	stop(d);
	buf_fini(&b);
}

/* --- keys -------------------------------------------------------------------------------------- */

/* What the last scan wrote of the table; a text for each of the columns that it found unique. */
static void
measured(struct buf *b)
{
	buf_reset(b, 1 << 20);
	assert_int_equal(files_read(root, "semantic-layer/warehouse/_schema/s.yaml", 1 << 20, b, NULL), FILES_OK);
}

/* Which columns are counted of a table that declares no key: those whose names say that they tell its rows apart. */
static void
names_choose_what_is_counted(void **state)
{
	static const struct {
		const char *table, *columns, *counted;
	} cases[] = {
		{ "rivers", "name:text:40 length:int:40", "[\"name\"]" },
		{ "rivers", "name:text:39 length:int:40", "" }, /* a river in several states */
		{ "rivers", "id:int:40 name:text:20", "" },
		{ "rivers", "id:int:40 name:text:38", "[\"id\"]" }, /* two rivers of one name */
		{ "rivers", "river_name:text:20 river_id:int:40", "[\"river_id\"]" },
		{ "WorldRivers", "RiverName:text:40", "[\"RiverName\"]" },
		{ "t_orders_2024", "order_no:varchar(10):40 total:float:40", "[\"order_no\"]" },
		{ "orders", "o_orderkey:int:40 o_total:int:7", "[\"o_orderkey\"]" },
		{ "orders", "customer_id:int:40", "" }, /* the key of something else */
		{ "orders", "placed_at:timestamp:40 total:float:40", "" },
		{ "rivers", "id:float:40", "" },
		{ "rivers", "river:int:40", "" }, /* how many they are */
		{ "births", "name:text:40 births:int:40", "" },
		{ "births", "name:text:40 total_births:numeric(10,2):40", "" },
		{ "births", "id:int:40 name:text:40 count:int:40", "" },
		{ "births", "number:int:40", "" },
		{ "deliveries", "delivery_number:int:40 number:int:9", "[\"delivery_number\"]" },
		{ "things", "uuid:uuid:40 name:text:40 title:text:40 code:text:40", "[\"uuid\"]" },
	};
	struct driver *d = start();
	struct buf b = { 0 };

	(void)state;
	base.distinct = 1000;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		base.keyless = cases[i].table;
		base.columns = cases[i].columns;
		base.counted[0] = '\0';
		assert_int_equal(scan(d)->kind, DRIVER_RESULT);
		measured(&b);
		if (strcmp(base.counted, cases[i].counted) != 0 ||
		    (strstr(buf_cstr(&b), "measured_unique: 1000") != NULL) != (cases[i].counted[0] != '\0'))
			fail_msg("%s (%s): %s\n%s", cases[i].table, cases[i].columns, base.counted, buf_cstr(&b));
	}
	stop(d);
	buf_fini(&b);
}

/* A few candidates are counted one after the other; what a count does not find unique in all rows is nothing. */
static void
all_rows_are_counted(void **state)
{
	struct driver *d = start();
	struct buf b = { 0 };

	(void)state;
	base.keyless = "things";
	base.columns = "uuid:uuid:40 name:text:40 title:text:40 code:text:40";
	for (unsigned i = 0; i < 3; i++) {
		base.nulls = i == 1;
		base.distinct = i == 2 ? 0 : 999;
		base.counted[0] = '\0';
		assert_int_equal(scan(d)->kind, DRIVER_RESULT);
		assert_string_equal(base.counted, "[\"uuid\"][\"code\"][\"name\"]");
		measured(&b);
		assert_null(strstr(buf_cstr(&b), "measured_unique"));
	}
	stop(d);
	buf_fini(&b);
}

/* What was measured stays until the table changes, is measured again, or declares a key. */
static void
what_was_measured_is_kept_until_then(void **state)
{
	static const char shallow[] = "{\"connectionId\":\"warehouse\"}";
	struct driver *d = start();
	struct buf b = { 0 };

	(void)state;
	base.keyless = "rivers";
	for (unsigned i = 0; i < 3; i++) {
		base.columns = "name:text:40 length:int:40";
		base.distinct = 1000;
		base.declared = false;
		assert_int_equal(scan(d)->kind, DRIVER_RESULT);
		assert_int_equal(driver_call(d, "scan", "", shallow)->kind, DRIVER_RESULT);
		measured(&b);
		assert_holds(buf_cstr(&b), "- name: name\n        type: string\n        measured_unique: 1000\n");
		if (i == 0)
			base.columns = "name:text:40 length:int:40 state:text:40";
		base.declared = i == 1;
		base.distinct = 900;
		assert_int_equal(i < 2 ? driver_call(d, "scan", "", shallow)->kind : scan(d)->kind, DRIVER_RESULT);
		measured(&b);
		assert_null(strstr(buf_cstr(&b), "measured_unique"));
	}
	stop(d);
	buf_fini(&b);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(writes_the_profile), TEST(asks_for_what_may_be_kept), TEST(the_same_again_is_nothing_new),
		TEST(a_failing_table_fails_alone), TEST(a_lost_database_ends_the_scan),
		TEST(a_cancelled_scan_leaves_the_last_one), TEST(tables_are_sampled_side_by_side),
		TEST(what_has_not_changed_is_not_read_again), TEST(a_killed_scan_goes_on), TEST(relationships_are_proved),
		TEST(a_check_that_fails_fails_alone), TEST(names_choose_what_is_counted), TEST(all_rows_are_counted),
		TEST(what_was_measured_is_kept_until_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
