// libs: carrel_test_support carrel_project carrel_ipc carrel_base
/* test_scan.c - carrel-memory's scan against a played front: what is written, and what never half is. */
#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>

#include "base/json/json_write.h"
#include "tests/unit/memory_rig.h"

#define NOBODY		65534
#define TABLES_MAX	6000
#define LIVE		"raw-sources/warehouse/live-database"
#define SHARD		"semantic-layer/warehouse/_schema/public.yaml"

/* --- the database that introspection finds ------------------------------------------ */

struct column {
	const char	*name, *type, *comment;
	bool		 key;
};

struct table {
	char		 name[32];
	const char	*kind, *comment;
	long		 rows;
	struct column	 columns[4];
	struct { const char *from, *to, *column; } key;
};

static struct database {
	struct table	tables[TABLES_MAX];
	size_t		n;
	size_t		promised;	/* tableCount; 0: the truth */
	bool		fails;		/* after the rows */
	bool		silent;		/* sends rows and never an end */
} base;

static const struct table shop[] = {
	{ "customers", "table", "Kunden", 3, { { "id", "number", NULL, true }, { "name", "string", "Name", false } },
	    { NULL, NULL, NULL } },
	{ "orders", "table", NULL, 7, { { "id", "number", NULL, true }, { "customer_id", "number", NULL, false },
	    { "placed_at", "time", NULL, false } }, { "customer_id", "customers", "id" } },
	{ "v_open", "view", NULL, -1, { { "id", "number", NULL, false } }, { NULL, NULL, NULL } },
};

static void
quote(struct buf *b, const char *s)
{
	if (s == NULL)
		buf_str(b, "null");
	else
		json_write_string(b, span_str(s));
}

static void
put_table(struct buf *b, const struct table *t)
{
	buf_printf(b,
	    "[{\"name\":\"%s\",\"catalog\":null,\"db\":null,\"kind\":\"%s\",\"extra\":1,\"comment\":", t->name,
	    t->kind);
	quote(b, t->comment);
	if (t->rows < 0)
		buf_str(b, ",\"estimatedRows\":null,\"columns\":[");
	else
		buf_printf(b, ",\"estimatedRows\":%ld,\"columns\":[", t->rows);
	for (size_t i = 0; i < 4 && t->columns[i].name != NULL; i++) {
		const struct column *c = &t->columns[i];

		buf_printf(b,
		    "%s{\"name\":\"%s\",\"nativeType\":\"T\",\"normalizedType\":\"T\",\"dimensionType\":\"%s\","
		    "\"nullable\":%s,\"primaryKey\":%s,\"comment\":",
		    i > 0 ? "," : "", c->name, c->type, c->key ? "false" : "true", c->key ? "true" : "false");
		quote(b, c->comment);
		buf_str(b, "}");
	}
	buf_str(b, "],\"foreignKeys\":[");
	if (t->key.from != NULL)
		buf_printf(b,
		    "{\"fromColumn\":\"%s\",\"toCatalog\":null,\"toDb\":null,\"toTable\":\"%s\","
		    "\"toColumn\":\"%s\",\"constraintName\":null}",
		    t->key.from, t->key.to, t->key.column);
	buf_str(b, "]}]");
}

/* Plays the SQL worker behind the front: at most the eight chunks that may come unasked. */
static void
introspected(struct driver *d, void *arg, uint64_t id, const char *tool, const char *connection, const char *args)
{
	size_t per = base.n / 8 + 1;
	struct buf b = { 0 };
	char head[512];

	(void)arg;
	assert_string_equal(tool, "introspect");
	assert_string_equal(connection, "warehouse");
	assert_string_equal(args, "{}");
	driver_sub_progress(d, id, 500, "half of the tables");
	for (size_t i = 0; i < base.n;) {
		buf_reset(&b, SIZE_MAX);
		buf_str(&b, "[");
		for (size_t k = 0; k < per && i < base.n; k++, i++) {
			if (k > 0)
				buf_str(&b, ",");
			put_table(&b, &base.tables[i]);
		}
		buf_str(&b, "]");
		driver_sub_rows(d, id, buf_cstr(&b));
	}
	buf_fini(&b);
	snprintf(head, sizeof(head),
	    "{\"driver\":\"sqlite\",\"serverVersion\":\"3.40.1\",\"scope\":{},"
	    "\"metadata\":{\"file_path\":\"/x/w.db\",\"db_url\":\"postgres://u:p@h\"},"
	    "\"warnings\":[{\"code\":\"w1\",\"message\":\"mind the gap\",\"recoverable\":true}],\"tableCount\":%zu}",
	    base.promised != 0 ? base.promised : base.n);
	if (base.fails)
		driver_sub_fail(d, id, ERR_DATABASE_UNAVAILABLE, "the database went away");
	else if (!base.silent)
		driver_sub_result(d, id, head);
}

/* --- the project -------------------------------------------------------------------------- */

static int
setup(void **state)
{
	(void)state;
	rig_make_project();
	memset(&base, 0, sizeof(base));
	memcpy(base.tables, shop, sizeof(shop));
	base.n = sizeof(shop) / sizeof(shop[0]);
	return 0;
}

static struct driver *
start(const char *faults, uid_t uid)
{
	struct driver *d = rig_spawn((struct ipc_configure_memory){
	    /* [{"id": "warehouse", "driver": "sqlite"}] */
	    .connections = SPAN("\x91\x82\xa2id\xa9warehouse\xa6" "driver\xa6" "sqlite") },
	    &(struct peer_options){ .uid = uid, .faults = faults });

	(void)driver_attach(d);
	driver_set_subcall(d, introspected, NULL);
	return d;
}

static const struct driver_answer *
scan(struct driver *d)
{
	return driver_call(d, "scan", "", "{\"connectionId\":\"warehouse\"}");
}

static const struct driver_answer *
scan_well(struct driver *d)
{
	const struct driver_answer *a = scan(d);

	if (a->kind != DRIVER_RESULT)
		fail_msg("%s: %s\n%s", a->code, a->message, driver_log(d));
	return a;
}

/* A scan in a worker of its own. */
static void
scan_once(void)
{
	struct driver *d = start(NULL, 0);

	(void)scan_well(d);
	stop(d);
}

/* --- looking ------------------------------------------------------------------------------- */

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Names in a directory, sorted, with dots only for hidden ones that matter. */
static size_t
names(const char *path, char (*out)[NAME_MAX + 1], size_t cap)
{
	int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	if (fd < 0)
		return 0;
	d = fdopendir(fd);
	while ((e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && n < cap)
			snprintf(out[n++], NAME_MAX + 1, "%s", e->d_name);
	closedir(d);
	qsort(out, n, NAME_MAX + 1, compare_names);
	return n;
}

/* The latest sync's path, which must be complete; "" when there is none. */
static const char *
latest(size_t *n)
{
	static char syncs[64][NAME_MAX + 1], path[PATH_MAX];
	char report[PATH_MAX + 32];

	*n = names(LIVE, syncs, 64);
	if (*n == 0)
		return "";
	snprintf(path, sizeof(path), LIVE "/%s", syncs[*n - 1]);
	snprintf(report, sizeof(report), "%s/scan-report.json", path);
	assert_non_null(slurp(report));
	return path;
}

static const char *
slurp_latest(const char *file)
{
	char path[PATH_MAX + 256];
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", latest(&n), file);
	return slurp(path);
}

/* Nothing temporary anywhere. */
static void
assert_tidy(void)
{
	static char found[64][NAME_MAX + 1];
	size_t n = names("raw-sources/warehouse", found, 64);

	for (size_t i = 0; i < n; i++)
		assert_string_equal(found[i], "live-database");
	n = names("semantic-layer/warehouse/_schema", found, 64);
	for (size_t i = 0; i < n; i++)
		assert_null(strstr(found[i], "tmp"));
}

/* --- what is written -------------------------------------------------------------------------- */

static mode_t
mode(const char *path)
{
	struct stat st;

	assert_int_equal(fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

static void
first_scan(void **state)
{
	struct driver *d = start(NULL, 0);
	const struct driver_answer *a = scan_well(d);
	static char found[16][NAME_MAX + 1];
	char path[PATH_MAX + 32];
	size_t n;

	(void)state;
	assert_holds(a->result, "\"changed\":true,\"tables\":2,\"views\":1,\"columns\":6,\"foreignKeys\":1,");
	assert_holds(a->result,
	    "\"diff\":{\"tablesAdded\":3,\"tablesModified\":0,\"tablesDeleted\":0,"
	    "\"tablesUnchanged\":0,\"columnsAdded\":6,");
	assert_holds(a->progress, "[350,\"half of the tables\"]");
	assert_holds(a->progress, "[1000,\"Scan completed\"]");
	snprintf(path, sizeof(path), "%s/tables", latest(&n));
	assert_int_equal(n, 1);
	assert_int_equal(names(path, found, 16), 3);
	assert_string_equal(found[0], "Xw.Xw.Y3VzdG9tZXJz.json");
	assert_string_equal(slurp_latest("tables/Xw.Xw.Y3VzdG9tZXJz.json"),
	    "{\n  \"catalog\": null,\n  \"db\": null,\n  \"name\": \"customers\",\n  \"kind\": \"table\",\n"
	    "  \"comment\": \"Kunden\",\n  \"estimatedRows\": 3,\n  \"columns\": [\n    {\n"
	    "      \"name\": \"id\",\n      \"nativeType\": \"T\",\n      \"normalizedType\": \"T\",\n"
	    "      \"dimensionType\": \"number\",\n      \"nullable\": false,\n      \"primaryKey\": true,\n"
	    "      \"comment\": null\n    },\n    {\n      \"name\": \"name\",\n      \"nativeType\": \"T\",\n"
	    "      \"normalizedType\": \"T\",\n      \"dimensionType\": \"string\",\n      \"nullable\": true,\n"
	    "      \"primaryKey\": false,\n      \"comment\": \"Name\"\n    }\n  ],\n  \"foreignKeys\": []\n}\n");
	assert_string_equal(slurp_latest("foreign-keys.json"),
	    "{\n  \"foreignKeys\": [\n    {\n      \"fromTable\": \"orders\",\n      \"fromTablePath\": \"orders\",\n"
	    "      \"fromColumn\": \"customer_id\",\n      \"toCatalog\": null,\n      \"toDb\": null,\n"
	    "      \"toTable\": \"customers\",\n      \"toColumn\": \"id\",\n      \"constraintName\": null\n"
	    "    }\n  ]\n}\n");
	assert_holds(slurp_latest("warnings.json"), "\"mind the gap\"");
	assert_holds(slurp_latest("connection.json"), "\"db_url\": \"<redacted>\"");
	assert_holds(slurp_latest("connection.json"), "\"tableCount\": 3");
	assert_holds(slurp_latest("scan-report.json"), "\"manifestShardsWritten\": 1");
	assert_holds(slurp_latest("scan-report.json"), "\"semantic-layer/warehouse/_schema/public.yaml\"");
	assert_string_equal(slurp(SHARD),
	    "tables:\n  customers:\n    table: customers\n    columns:\n      - name: id\n        type: number\n"
	    "        pk: true\n        nullable: false\n      - name: name\n        type: string\n"
	    "        descriptions:\n          db: Name\n    descriptions:\n      db: Kunden\n    joins:\n"
	    "      - to: orders\n        \"on\": orders.customer_id = customers.id\n"
	    "        relationship: one_to_many\n        source: formal\n  orders:\n    table: orders\n"
	    "    columns:\n      - name: id\n        type: number\n        pk: true\n        nullable: false\n"
	    "      - name: customer_id\n        type: number\n      - name: placed_at\n        type: time\n"
	    "    joins:\n      - to: customers\n        \"on\": orders.customer_id = customers.id\n"
	    "        relationship: many_to_one\n        source: formal\n  v_open:\n    table: v_open\n"
	    "    columns:\n      - name: id\n        type: number\n");
	assert_int_equal(mode(SHARD), 0640);
	assert_int_equal(mode(latest(&n)), 0750);
	assert_tidy();
	stop(d);
}

static void
nothing_new(void **state)
{
	struct driver *d = start(NULL, 0);
	const struct driver_answer *a = scan_well(d);
	char first[PATH_MAX], *shard;
	struct stat before, after;
	size_t n;

	(void)state;
	snprintf(first, sizeof(first), "%s", latest(&n));
	assert_int_equal(fstatat(root, SHARD, &before, 0), 0);
	a = scan_well(d);
	assert_holds(a->result, "\"changed\":false");
	assert_holds(a->result, "\"tablesUnchanged\":3");
	assert_holds(a->result, strrchr(first, '/') + 1);
	assert_string_equal(latest(&n), first);
	assert_int_equal(n, 1);
	assert_holds(slurp(".carrel/memory/scans/warehouse.json"), "\"changed\": false");
	assert_holds(slurp(".carrel/memory/scans/warehouse.json"), strrchr(first, '/') + 1);
	assert_int_equal(fstatat(root, SHARD, &after, 0), 0);
	assert_int_equal(before.st_ino, after.st_ino);

	/* The manifest is looked after even when the database did not change. */
	assert_int_equal(unlinkat(root, SHARD, 0), 0);
	(void)scan_well(d);
	shard = strdup(slurp(SHARD));
	assert_holds(shard, "customers");
	free(shard);
	assert_tidy();
	stop(d);
}

static ino_t
inode(const char *sync, const char *file)
{
	char path[PATH_MAX + 300];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", sync, file);
	assert_int_equal(fstatat(root, path, &st, 0), 0);
	return st.st_ino;
}

static void
one_table_changes(void **state)
{
	const char *faults = *state;
	char first[PATH_MAX], second[PATH_MAX];
	const struct driver_answer *a;
	struct driver *d;
	size_t n;

	scan_once();
	snprintf(first, sizeof(first), "%s", latest(&n));
	base.tables[1].columns[2] = (struct column){ "shipped_at", "time", NULL, false };
	base.tables[1].columns[1].type = "string";
	base.tables[2] = (struct table){ "refunds", "table", NULL, 1, { { "id", "number", NULL, true } },
		{ NULL, NULL, NULL } };
	d = start(faults, 0);
	a = scan_well(d);
	assert_holds(a->result,
	    "\"diff\":{\"tablesAdded\":1,\"tablesModified\":1,\"tablesDeleted\":1,"
	    "\"tablesUnchanged\":1,\"columnsAdded\":2,\"columnsModified\":1,\"columnsDeleted\":2}");
	snprintf(second, sizeof(second), "%s", latest(&n));
	assert_int_equal(n, 2);
	assert_true(strcmp(first, second) < 0);
	assert_int_equal(inode(first, "tables/Xw.Xw.Y3VzdG9tZXJz.json") ==
		inode(second, "tables/Xw.Xw.Y3VzdG9tZXJz.json"),
	    faults == NULL);
	assert_true(inode(first, "tables/Xw.Xw.b3JkZXJz.json") != inode(second, "tables/Xw.Xw.b3JkZXJz.json"));
	assert_null(strstr(slurp(SHARD), "v_open"));
	assert_tidy();
	stop(d);
}

static void
hand_made_stays(void **state)
{
	static const char text[] =
	    "# ours\ntables:\n  orders:\n    table: orders\n    tags: {dbt: [core]}\n    columns:\n"
	    "      - {name: id, type: string, descriptions: {user: Bestellnummer, db: old}, constraints: {dbt: "
	    "{unique: true}}}\n"
	    "      - {name: gone, type: string}\n    joins:\n"
	    "      - {to: v_open, \"on\": orders.id = v_open.id, relationship: one_to_one, source: manual}\n"
	    "      - {to: v_open, \"on\": orders.gone = v_open.id, relationship: one_to_one, source: manual}\n"
	    "      - {to: nowhere, \"on\": orders.id = nowhere.id, relationship: many_to_one, source: inferred}\n"
	    "version: 3\n";
	int fd;

	(void)state;
	make("semantic-layer/warehouse");
	make("semantic-layer/warehouse/_schema");
	fd = openat(root, SHARD, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	scan_once();
	assert_holds(slurp(SHARD), "user: Bestellnummer");
	assert_holds(slurp(SHARD), "unique: true");
	assert_holds(slurp(SHARD), "orders.id = v_open.id");
	assert_holds(slurp(SHARD), "version: 3");
	assert_holds(slurp(SHARD), "- core");
	assert_null(strstr(slurp(SHARD), "gone"));
	assert_null(strstr(slurp(SHARD), "nowhere"));
	assert_null(strstr(slurp(SHARD), "db: old"));
}

static void
broken_manifest_stays(void **state)
{
	struct driver *d;
	int fd;

	(void)state;
	make("semantic-layer/warehouse");
	make("semantic-layer/warehouse/_schema");
	fd = openat(root, SHARD, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(write(fd, "tables: [", 9), 9);
	close(fd);
	d = start(NULL, 0);
	assert_holds(scan_well(d)->result, "\"code\":\"manifest_unreadable\"");
	assert_string_equal(slurp(SHARD), "tables: [");
	stop(d);
}

static void
many_tables(void **state)
{
	static char found[TABLES_MAX][NAME_MAX + 1];
	char path[PATH_MAX + 32];
	struct driver *d = start(NULL, 0);
	size_t n;

	(void)state;
	for (base.n = 0; base.n < 5000; base.n++) {
		base.tables[base.n] = shop[base.n == 0 ? 0 : 1];
		if (base.n > 0)
			snprintf(base.tables[base.n].name, sizeof(base.tables[0].name), "t_%04zu", base.n);
	}
	assert_holds(scan_well(d)->result, "\"tables\":5000");
	snprintf(path, sizeof(path), "%s/tables", latest(&n));
	assert_int_equal(names(path, found, TABLES_MAX), 5000);
	assert_holds(scan_well(d)->result, "\"changed\":false");
	base.tables[17].rows++;
	assert_holds(scan_well(d)->result, "\"tablesModified\":1,\"tablesDeleted\":0,\"tablesUnchanged\":4999");
	assert_holds(slurp(SHARD), "t_4999");
	stop(d);
}

/* --- what goes wrong ----------------------------------------------------------------------------- */

static void
introspection_fails(void **state)
{
	struct driver *d = start(NULL, 0);
	const struct driver_answer *a;
	char first[PATH_MAX];
	size_t n;

	(void)state;
	(void)scan_well(d);
	snprintf(first, sizeof(first), "%s", latest(&n));
	base.tables[0].rows = 99;
	base.fails = true;
	a = scan(d);
	assert_int_equal(a->kind, DRIVER_FAIL);
	assert_string_equal(a->code, "database_unavailable");
	base.fails = false;
	base.promised = 12;
	assert_string_equal(scan(d)->code, "internal_error");
	base.promised = 0;
	base.tables[1].kind = "volcano";
	assert_string_equal(scan(d)->code, "internal_error");
	base.tables[1] = base.tables[0];
	assert_int_equal(scan(d)->kind, DRIVER_FAIL); /* the same table twice */
	assert_string_equal(latest(&n), first);
	assert_int_equal(n, 1);
	assert_tidy();
	stop(d);
}

static void
cancelled(void **state)
{
	struct driver *d = start(NULL, 0);
	uint64_t id;
	size_t n;

	(void)state;
	base.silent = true;
	id = driver_start(d, "scan", "", "{\"connectionId\":\"warehouse\"}");
	driver_pump(d, 200);
	driver_cancel(d, id);
	assert_string_equal(driver_wait(d, id)->code, "query_cancelled");
	assert_string_equal(latest(&n), "");
	assert_tidy();
	base.silent = false;
	(void)scan_well(d);
	stop(d);
}

static void
two_at_once(void **state)
{
	struct driver *d = start(NULL, 0);
	uint64_t id;

	(void)state;
	base.silent = true;
	id = driver_start(d, "scan", "", "{\"connectionId\":\"warehouse\"}");
	driver_pump(d, 200);
	assert_string_equal(scan(d)->code, "busy");
	assert_int_equal(driver_peek(d, id)->kind, DRIVER_OPEN);
	driver_cancel(d, id);
	assert_int_equal(driver_wait(d, id)->kind, DRIVER_FAIL);
	base.silent = false;
	(void)scan_well(d);
	stop(d);
}

static void
unknown_connection(void **state)
{
	struct driver *d = start(NULL, 0);

	(void)state;
	assert_string_equal(driver_call(d, "scan", "", "{\"connectionId\":\"../x\"}")->code, "connection_not_found");
	assert_string_equal(driver_call(d, "scan", "", "{\"connectionId\":\"other\"}")->code, "connection_not_found");
	stop(d);
}

static void
somebody_else_scans(void **state)
{
	struct driver *d = start(NULL, 0);
	int fd = openat(root, ".carrel/memory/scan-warehouse.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)state;
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_string_equal(scan(d)->code, "busy");
	close(fd);
	(void)scan_well(d);
	stop(d);
}

/* Where the worker may not write it says which place, and what to do. */
static void
not_writable(void **state)
{
	static const char *const places[] = { "raw-sources", "semantic-layer", ".carrel/memory" };
	const struct driver_answer *a;
	struct driver *d;

	(void)state;
	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(fchownat(root, places[k], k == i ? 0 : NOBODY, 0, 0), 0);
		/* What an earlier round made there may still be written to. */
		(void)unlinkat(root, ".carrel/memory/scans", AT_REMOVEDIR);
		d = start(NULL, NOBODY);
		a = scan(d);
		assert_int_equal(a->kind, DRIVER_FAIL);
		assert_string_equal(a->code, "service_unavailable");
		assert_holds(a->message, "writable");
		stop(d);
	}
	assert_int_equal(fchownat(root, "raw-sources", NOBODY, 0, 0), 0);
	assert_int_equal(fchownat(root, ".carrel/memory", NOBODY, 0, 0), 0);
	d = start(NULL, NOBODY);
	(void)scan_well(d);
	stop(d);
}

static void
missing_place(void **state)
{
	const struct driver_answer *a;
	struct driver *d;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(fchownat(root, ".carrel/memory", NOBODY, 0, 0), 0);
	assert_int_equal(unlinkat(root, "raw-sources", AT_REMOVEDIR), 0);
	d = start(NULL, NOBODY);
	a = scan(d);
	if (a->kind != DRIVER_FAIL)
		fail_msg("kind %d\n%s", (int)a->kind, driver_log(d));
	assert_string_equal(a->code, "service_unavailable");
	assert_holds(a->message, "raw-sources");
	stop(d);
}

/* What a model wrote in an earlier, enriched scan comes along; the sync it came from keeps its own. */
static void
descriptions_come_along(void **state)
{
	static const char text[] = "[{\"table\":{\"catalog\":null,\"db\":null,\"name\":\"orders\"},"
				   "\"tableDescription\":\"sales\",\"columnDescriptions\":{}}]";
	char path[PATH_MAX];
	size_t n;
	int fd;

	(void)state;
	scan_once();
	snprintf(path, sizeof(path), "%s/enrichment", latest(&n));
	make(path);
	strcat(path, "/descriptions.json");
	fd = openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	base.tables[0].rows++;
	scan_once();
	assert_string_equal(slurp_latest("enrichment/descriptions.json"), text);
	assert_string_equal(slurp(path), text);
}

/* A link planted in the project leads nowhere. */
static void
links_are_not_followed(void **state)
{
	static char found[4][NAME_MAX + 1];
	struct driver *d = start(NULL, 0);

	(void)state;
	make("elsewhere");
	assert_int_equal(symlinkat("../elsewhere", root, "raw-sources/warehouse"), 0);
	assert_int_equal(scan(d)->kind, DRIVER_FAIL);
	assert_int_equal(unlinkat(root, "raw-sources/warehouse", 0), 0);
	make("raw-sources/warehouse");
	assert_int_equal(symlinkat("../../elsewhere", root, LIVE), 0);
	assert_int_equal(scan(d)->kind, DRIVER_FAIL);
	assert_int_equal(unlinkat(root, LIVE, 0), 0);
	make("semantic-layer/warehouse");
	assert_int_equal(symlinkat("../../elsewhere", root, "semantic-layer/warehouse/_schema"), 0);
	assert_int_equal(scan(d)->kind, DRIVER_FAIL);
	assert_int_equal(names("elsewhere", found, 4), 0);
	stop(d);
}

static void
clock_set_back(void **state)
{
	struct driver *d = start(NULL, 0);
	size_t n;

	(void)state;
	(void)scan_well(d);
	assert_int_equal(renameat(root, latest(&n), root, LIVE "/2999-12-31-235959-local-abc"), 0);
	base.tables[0].rows++;
	(void)scan_well(d);
	assert_holds(latest(&n), "/3000-01-01-000000-local-");
	assert_int_equal(n, 2);
	assert_int_equal(renameat(root, latest(&n), root, LIVE "/zzz"), 0);
	base.tables[0].rows++;
	assert_holds(scan(d)->message, "zzz");
	stop(d);
}

#ifdef CARREL_FAULT_POINTS
/* --- faults: the scan before is in force, or the new one is, and either is whole ---------------------- */

static void
dies_at(const char *faults, bool published)
{
	char first[PATH_MAX];
	struct driver *d;
	size_t n;

	scan_once();
	snprintf(first, sizeof(first), "%s", latest(&n));
	base.tables[0].rows = 1000;
	base.tables[1].columns[2].name = "sent_at";
	d = start(faults, 0);
	if (scan(d)->kind != DRIVER_LOST)
		fail_msg("%s: nothing happened", faults);
	driver_free(d);
	assert_int_equal(strcmp(latest(&n), first) != 0, published);
	assert_int_equal(n, published ? 2 : 1);
	assert_holds(slurp(SHARD), "placed_at");

	/* The next start sweeps, the next scan completes what is missing. */
	d = start(NULL, 0);
	assert_tidy();
	(void)scan_well(d);
	assert_int_equal((latest(&n), n), 2);
	assert_holds(slurp(SHARD), "sent_at");
	assert_tidy();
	stop(d);
}

static void
dies(void **state)
{
	static const struct {
		const char *faults;
		bool published;
	} cases[] = {
		{ "memory.write=kill", false },
		{ "memory.write=kill@3", false },
		{ "memory.write=crash@6", false },
		{ "memory.sync=kill", false },
		{ "memory.sync=kill@5", false },
		{ "memory.before_report=kill", false },
		{ "memory.before_rename=kill", false },
		{ "memory.after_rename=kill", true },
		{ "memory.before_shard=kill", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		dies_at(cases[i].faults, cases[i].published);
		assert_int_equal(teardown(state), 0);
		assert_int_equal(setup(state), 0);
	}
}

/* Every single write and sync may fail: no scan is half in force, nothing is left lying about. */
static void
disk_fails(void **state)
{
	static const char *const kinds[] = { "memory.write=enospc@%d", "memory.write=eio@%d", "memory.sync=eio@%d" };
	char faults[64], first[PATH_MAX];
	const struct driver_answer *a;
	struct driver *d;
	int failed;
	size_t n;

	for (size_t k = 0; k < 3; k++) {
		for (int i = 1, over = 0; !over; i++) {
			scan_once();
			snprintf(first, sizeof(first), "%s", latest(&n));
			base.tables[0].rows = 1000;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(faults, sizeof(faults), kinds[k], i);
#pragma GCC diagnostic pop
			d = start(faults, 0);
			a = scan(d);
			failed = a->kind == DRIVER_FAIL;
			over = !failed;
			if (failed && strstr(a->message, "in force") == NULL) {
				assert_string_equal(latest(&n), first);
				assert_int_equal(n, 1);
			} else if (failed)
				assert_string_not_equal(latest(&n), first);
			if (failed && k == 0)
				assert_holds(a->message, "the disk is full");
			assert_tidy();
			if (failed)
				(void)scan_well(d); /* the same worker, the disk has room again */
			stop(d);
			assert_int_equal(teardown(state), 0);
			assert_int_equal(setup(state), 0);
			assert_true(i < 60);
		}
	}
}

static void
without_hard_links(void **state)
{
	static char faults[] = "memory.link=eio*";
	void *with = faults;

	(void)state;
	one_table_changes(&with);
}
#endif

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(first_scan), TEST(nothing_new), TEST(one_table_changes), TEST(hand_made_stays),
		TEST(broken_manifest_stays), TEST(many_tables),
		TEST(introspection_fails), TEST(cancelled), TEST(two_at_once), TEST(unknown_connection), TEST(somebody_else_scans),
		TEST(not_writable), TEST(missing_place), TEST(descriptions_come_along), TEST(links_are_not_followed), TEST(clock_set_back),
#ifdef CARREL_FAULT_POINTS
		TEST(dies), TEST(disk_fails), TEST(without_hard_links),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
