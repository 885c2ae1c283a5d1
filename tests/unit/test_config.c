// libs: carrel_project carrel_base
/* test_config.c - carrel.yaml and ktx.yaml: defaults, every kind of value, everything that is refused. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json/json_read.h"
#include "base/json/json_schema.h"
#include "project/config/config_connection.h"
#include "project/config/config_schema.h"
#include "project/config/config_value.h"

static char dir[] = "/tmp/carrel-test-config-XXXXXX";
static struct arena *arena;
static struct config cfg;
static struct config_issues issues;
static struct err err;

static int
setup_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int
teardown_dir(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static int
setup(void **state)
{
	(void)state;
	arena = arena_new(16u << 20);
	memset(&err, 0, sizeof(err));
	return 0;
}

static int
teardown(void **state)
{
	static const char *const names[] = { "carrel.yaml", "ktx.yaml" };
	char path[200];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	arena_free(arena);
	return 0;
}

static void
put_file(const char *name, const char *text, mode_t mode)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fputs(text, f) >= 0, 1);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

static int
load(const char *text)
{
	put_file("carrel.yaml", text, 0644);
	return config_load(arena, dir, &cfg, &issues, &err);
}

static void
has_issue(bool is_fatal, unsigned line, const char *text)
{
	for (size_t i = 0; i < issues.n; i++)
		if (issues.list[i].fatal == is_fatal && issues.list[i].line == line &&
		    strstr(issues.list[i].text, text) != NULL)
			return;
	for (size_t i = 0; i < issues.n; i++)
		print_message("%d %u %s\n", issues.list[i].fatal, issues.list[i].line, issues.list[i].text);
	fail_msg("no issue at line %u with \"%s\" (%s)", line, text, err.message);
}

static void
test_defaults(void **state)
{
	(void)state;
	assert_int_equal(load(""), 0);
	assert_int_equal(issues.n, 0);
	assert_string_equal(cfg.host, "127.0.0.1");
	assert_int_equal(cfg.port, 7878);
	assert_null(cfg.listen);
	assert_int_equal(cfg.fronts, 1);
	assert_int_equal(cfg.result_memory, 256u << 20);
	assert_int_equal(cfg.loopback, CONFIG_LOOPBACK_DEFAULT);
	assert_null(cfg.token);
	assert_int_equal(cfg.sql_timeout_s, 30);
	assert_int_equal(cfg.max_rows, 10000);
	assert_int_equal(cfg.result_bytes, 8388608);
	assert_int_equal(cfg.body_bytes, 4194304);
	assert_int_equal(cfg.session_idle_min, 60);
	assert_int_equal(cfg.session_sweep_min, 15);
	assert_int_equal(cfg.research_in_flight, 64);
	assert_true(cfg.search_memory == UINT64_C(8192) << 20);
	assert_int_equal(cfg.max_requests, 100000);
	assert_int_equal(cfg.sandbox, CONFIG_SANDBOX_REQUIRED);
	assert_int_equal(cfg.nconnections, 0);
	assert_false(cfg.ktx);
}

static void
test_values(void **state)
{
	(void)state;
	assert_int_equal(load("connections:\n"
			      "  warehouse:\n"
			      "    driver: postgres\n"
			      "    url: env:WAREHOUSE_URL\n"
			      "    schemas: [public, sales]\n"
			      "    workers: 3\n"
			      "  local: { driver: sqlite, path: data/x.db, enabled_tables: [orders] }\n"
			      "server: { host: LOCALHOST, port: '0', allowed_hosts: [Example.COM:8443], fronts: 2,\n"
			      "          allowed_origins: ['https://a.example:8443', 'http://[::1]:80'], "
			      "trusted_proxies: [10.0.0.0/8, '::1'] }\n"
			      "auth: { loopback: required, token: file:secret }\n"
			      "limits: { sql_timeout_s: 5, worker_memory_mb: 128 }\n"
			      "sandbox: best-effort\n"),
	    0);
	assert_int_equal(issues.n, 0);
	assert_string_equal(cfg.host, "localhost");
	assert_int_equal(cfg.port, 0);
	assert_int_equal(cfg.fronts, 2);
	assert_string_equal(cfg.allowed_hosts.v[0], "example.com");
	assert_int_equal(cfg.allowed_origins.n, 2);
	assert_int_equal(cfg.trusted_proxies.n, 2);
	assert_int_equal(cfg.loopback, CONFIG_LOOPBACK_REQUIRED);
	assert_string_equal(cfg.token, "file:secret");
	assert_int_equal(cfg.worker_memory, 128u << 20);
	assert_int_equal(cfg.sandbox, CONFIG_SANDBOX_BEST_EFFORT);
	assert_int_equal(cfg.nconnections, 2);
	assert_string_equal(cfg.connections[0].id, "warehouse");
	assert_string_equal(cfg.connections[0].driver->name, "postgres");
	assert_int_equal(cfg.connections[0].line, 2);
	assert_int_equal(cfg.connections[0].schemas.n, 2);
	assert_int_equal(cfg.connections[0].workers, 3);
	assert_string_equal(cfg.connections[0].name, "warehouse");
	assert_null(cfg.connections[0].path);
	assert_string_equal(cfg.connections[1].driver->name, "sqlite");
	assert_true(strstr(cfg.connections[1].path, "/data/x.db") != NULL && cfg.connections[1].path[0] == '/');
	assert_string_equal(cfg.connections[1].enabled_tables.v[0], "orders");
}

static void
test_all_issues_at_once(void **state)
{
	(void)state;
	assert_int_equal(load("server:\n"
			      "  port: abc\n"
			      "  fronts: 0\n"
			      "  speed: 3\n"
			      "bogus: 1\n"
			      "sandbox: off\n"
			      "auth: { loopback: maybe }\n"
			      "limits: { max_rows: 1.5, result_bytes: 99999999999 }\n"
			      "connections:\n"
			      "  bad id: { driver: sqlite, path: x.db }\n"
			      "  a: { driver: oracle }\n"
			      "  b: { driver: sqlite }\n"
			      "  c: { driver: postgres }\n"
			      "  d: hello\n"
			      "  e: { path: x.db }\n"
			      "  f: { driver: sqlite, path: x.db, columns: { mask: [a.b.c.d] } }\n"
			      "  g: { driver: snowflake, url: 'env:X', whatever: 1 }\n"
			      "  h: { driver: sqlite, path: x.db, colour: red }\n"
			      "surface: { tool_prefix: 'X y', resource_scheme: a_b }\n"
			      "memory: { review: maybe, author: me }\n"
			      "model: { name: gpt, data: all }\n"),
	    -1);
	has_issue(true, 2, "server.port: expected a whole number from 0 to 65535, found \"abc\"");
	has_issue(true, 3, "server.fronts: expected");
	has_issue(false, 4, "server.speed: unknown key");
	has_issue(false, 5, "bogus: unknown key");
	has_issue(true, 6, "sandbox: expected one of required, best-effort, found \"off\"");
	has_issue(true, 7, "auth.loopback: expected one of open, required");
	has_issue(true, 8, "limits.max_rows");
	has_issue(true, 8, "limits.result_bytes");
	has_issue(false, 10, "connections.bad id: left out");
	has_issue(false, 11, "driver \"oracle\" is not served");
	has_issue(false, 12, "needs a path");
	has_issue(false, 13, "needs a url");
	has_issue(false, 14, "expected a mapping");
	has_issue(false, 15, "driver is missing");
	has_issue(false, 16, "connections.f.columns.mask: expected a column pattern");
	has_issue(false, 17, "is not served by this version");
	has_issue(false, 18, "connections.h.colour: unknown key");
	has_issue(true, 19, "surface.tool_prefix: expected a prefix of small letters");
	has_issue(true, 19, "surface.resource_scheme: expected a URI scheme");
	has_issue(true, 20, "memory.review: expected one of off, required");
	has_issue(true, 20, "memory.author: expected a name and a mail address");
	has_issue(true, 21, "model.data: expected one of none, schema, rows");
	/* A default is passed over, unless its name promises what is not there. */
	assert_int_equal(load("surface: { tool_prefix: carrel }\nstate: .carrel/state.db\n"), 0);
	assert_int_equal(issues.n, 0);
	assert_non_null(strstr(err.message, "carrel.yaml:2: server.port"));
}

/* What is wrong with one connection costs that one: it is listed with the reason, and the rest is served. */
static void
test_spoilt_connections(void **state)
{
	static const struct {
		const char *id, *body, *reason;
	} bad[] = {
		{ "mongo", "{ driver: mongodb, url: env:X }", "driver \"mongodb\" is not served" },
		{ "drive", "{ driver: gdrive, folder_id: [1, 2] }", "driver \"gdrive\" is not served" },
		{ "typo", "{ driver: postgress, url: 'env:X' }", "driver \"postgress\" is not served" },
		{ "list", "{ driver: [postgres] }", "driver: expected text" },
		{ "none", "{ path: x.db }", "driver is missing" },
		{ "bare", "{ driver: postgres }", "a postgres connection needs a url, or host and database" },
		{ "pathless", "{ driver: sqlite }", "a sqlite connection needs a path" },
		{ "port", "{ driver: postgres, host: h, port: many }", "port: expected a whole number" },
		{ "closed", "{ driver: sqlite, path: x.db, query_policy: everything }",
		    "query_policy: expected one of open" },
		{ "empty", "{ driver: sqlite, path: x.db, query_policy: }", "query_policy: expected open" },
		{ "listed", "{ driver: sqlite, path: x.db, query_policy: [open] }",
		    "query_policy: expected one of open" },
		{ "hidden", "{ driver: sqlite, path: x.db, columns: { hides: [a.b] } }", "expected" },
		{ "text", "hello", "expected a mapping" },
		{ "nothing", "null", "expected a mapping" },
	};
	struct buf b = { 0 };
	size_t n = sizeof(bad) / sizeof(bad[0]);

	(void)state;
	buf_str(&b,
	    "connections:\n  first: { driver: sqlite, path: x.db }\n  '../up': { driver: sqlite, path: x.db }\n");
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "  %s: %s\n", bad[i].id, bad[i].body);
	buf_str(&b, "  last: { driver: postgres, url: 'env:X', query_policy: semantic-layer-only }\n");
	for (int ktx = 0; ktx < 2; ktx++) {
		if (ktx) {
			char path[200];

			snprintf(path, sizeof(path), "%s/carrel.yaml", dir);
			unlink(path);
			put_file("ktx.yaml", buf_cstr(&b), 0644);
			assert_int_equal(config_load(arena, dir, &cfg, &issues, &err), 0);
		} else
			assert_int_equal(load(buf_cstr(&b)), 0);
		assert_int_equal(issues.nfatal, 0);
		assert_int_equal(cfg.nconnections, n + 2);
		for (size_t i = 0; i < n; i++) {
			const struct config_connection *c = &cfg.connections[i + 1];

			assert_string_equal(c->id, bad[i].id);
			assert_null(c->driver);
			assert_int_equal(c->workers, 0);
			assert_non_null(c->driver_name);
			if (c->unusable == NULL || strstr(c->unusable, bad[i].reason) == NULL)
				fail_msg("%s: %s", bad[i].id, c->unusable != NULL ? c->unusable : "usable");
			has_issue(false, (unsigned)i + 4, bad[i].reason);
		}
		assert_null(cfg.connections[0].unusable);
		assert_int_equal(cfg.connections[0].query_policy, CONFIG_QUERIES_OPEN);
		assert_string_equal(cfg.connections[n + 1].id, "last");
		assert_string_equal(cfg.connections[n + 1].driver->name, "postgres");
		assert_int_equal(cfg.connections[n + 1].query_policy, CONFIG_QUERIES_SEMANTIC);
	}
	buf_fini(&b);
}

static void
test_functions(void **state)
{
	(void)state;
	assert_int_equal(load("connections:\n"
			      "  a: { driver: postgres, url: 'env:X', functions: [analytics.score, 'public.h3'] }\n"),
	    0);
	assert_int_equal(cfg.connections[0].functions.n, 2);
	assert_string_equal(cfg.connections[0].functions.v[1], "public.h3");
	has_issue(false, 2, "functions: 2 are called for every caller");
	assert_int_equal(load("connections:\n"
			      "  a: { driver: postgres, url: 'env:X', functions: [score] }\n"
			      "  b: { driver: postgres, url: 'env:X', functions: [pg_catalog.pg_read_file] }\n"
			      "  c: { driver: sqlite, path: x.db, functions: [main.load_extension] }\n"),
	    0);
	for (size_t i = 0; i < 3; i++)
		assert_non_null(cfg.connections[i].unusable);
	has_issue(false, 2, "\"score\" is not a function in its schema");
	has_issue(false, 3, "the server's own");
	has_issue(false, 4, "only be added to a postgres or mysql connection");
}

static void
test_column_rules(void **state)
{
	static const char text[] = "connections:\n"
				   "  a:\n"
				   "    driver: sqlite\n"
				   "    path: x.db\n"
				   "    columns:\n"
				   "      hide: ['*.password_hash', ssn]\n"
				   "      mask: app.customers.email\n"
				   "      hash: ['\"odd.name\".\"a \"\"b\"']\n"
				   "      scopes:\n"
				   "        ext:sql: { hide: [customers.*] }\n";
	const struct config_column_rules *r = &cfg.connections[0].columns;

	(void)state;
	assert_int_equal(load(text), 0);
	r = &cfg.connections[0].columns;
	assert_int_equal(r->n, 5);
	assert_string_equal(r->v[0].action, "hide");
	assert_string_equal(r->v[0].pattern, "*.password_hash");
	assert_string_equal(r->v[1].pattern, "ssn");
	assert_string_equal(r->v[2].action, "mask");
	assert_string_equal(r->v[3].pattern, "\"odd.name\".\"a \"\"b\"");
	assert_null(r->v[3].scope);
	assert_string_equal(r->v[4].scope, "ext:sql");
	assert_string_equal(r->v[4].pattern, "customers.*");
}

/* Whatever is not understood is an error: a warning would leave a column open. */
static void
test_column_rules_are_strict(void **state)
{
	static const char *const bad[] = { "hides: [a.b]", "hide: [a..b]", "hide: ['']", "hide: [a.b.c.d]", "hide: [\"'a\\\"b'\"]",
		"hide: { a: b }", "mask: [[a.b]]", "scopes: [a]", "scopes: { nonsense: { hide: [a] } }",
		"scopes: { 'ext:sql': { hides: [a] } }", "scopes: { 'ext:sql': { scopes: {} } }", "hide: ['a.\"b']", "hide: ['\"\"']" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text),
		    "connections:\n  a:\n    driver: sqlite\n    path: x.db\n    columns:\n      %s\n", bad[i]);
		if (load(text) != 0 || cfg.connections[0].unusable == NULL)
			fail_msg("accepted: %s", bad[i]);
	}
	assert_int_equal(load("connections: { a: { driver: sqlite, path: x.db, columns: [a.b] } }\n"), 0);
	assert_non_null(cfg.connections[0].unusable);
	assert_int_equal(load("connections: { a: { driver: sqlite, path: x.db, columns: null } }\n"), 0);
}

static void
test_secrets_in_file(void **state)
{
	(void)state;
	assert_int_equal(load("auth: { token: hunter2hunter2 }\n"
			      "connections:\n"
			      "  a: { driver: postgres, url: 'postgres://u:s3cret@h/db' }\n"
			      "  b: { driver: postgres, host: h, password: s3cret }\n"
			      "  c: { driver: postgres, url: 'postgres://u@h:5432/db' }\n"
			      "  d: { driver: postgres, url: 'host=h password=s3cret' }\n"
			      "  e: { driver: postgres, url: 'env:X', password: 'cred:pw' }\n"),
	    0);
	assert_int_equal(issues.n, 4);
	has_issue(false, 1, "auth.token: a literal token");
	has_issue(false, 3, "connections.a.url: a literal password");
	has_issue(false, 4, "connections.b.password: a literal password");
	has_issue(false, 6, "connections.d.url: a literal password");
	for (size_t i = 0; i < issues.n; i++)
		assert_null(strstr(issues.list[i].text, "s3cret"));
	/* Nor does an error quote what might be one. */
	assert_int_equal(load("auth: { token: [s3cret] }\n"), -1);
	assert_null(strstr(err.message, "s3cret"));
}

static void
test_ktx(void **state)
{
	(void)state;
	put_file("ktx.yaml",
	    "setup: { database_connection_ids: [w] }\n"
	    "llm: { provider: { backend: none } }\n"
	    "strange: 1\n"
	    "connections:\n"
	    "  w:\n"
	    "    driver: postgres\n"
	    "    host: db\n"
	    "    port: 5433\n"
	    "    database: shop\n"
	    "    username: reader\n"
	    "    password: env:PW\n"
	    "    schema: sales\n"
	    "    ssl: true\n"
	    "    maxConnections: 10\n"
	    "  v: { driver: postgres, url: 'env:V', ssl: true, rejectUnauthorized: false, schema: a, schemas: [b, c] "
	    "}\n"
	    "  s: { driver: sqlite, url: 'file:///tmp/x/y.db?mode=ro' }\n"
	    "  p: { driver: sqlite, path: 'env:DB_PATH' }\n"
	    "  q: { driver: sqlite, url: 'sqlite:rel.db' }\n"
	    "  n: { driver: notion, auth_token: 'env:N', crawl_mode: selected_roots }\n"
	    "  k: { driver: sqlite, path: x.db, query_policy: read-only-sql, maxConnections: 3, query_polcy: open }\n",
	    0644);
	assert_int_equal(config_load(arena, dir, &cfg, &issues, &err), 0);
	assert_true(cfg.ktx);
	assert_string_equal(cfg.file, "ktx.yaml");
	has_issue(false, 3, "strange: unknown key");
	has_issue(false, 19, "driver \"notion\" is not served");
	has_issue(false, 20, "connections.k.query_polcy: unknown key");
	assert_int_equal(issues.n, 3);
	assert_int_equal(cfg.nconnections, 7);
	assert_null(cfg.connections[6].unusable);
	assert_string_equal(config_setting(&cfg.connections[0], "user"), "reader");
	assert_non_null(strstr(cfg.connections[0].driver->where(&cfg.connections[0], arena), ":5433/"));
	assert_string_equal(cfg.connections[0].schemas.v[0], "sales");
	assert_string_equal(config_setting(&cfg.connections[0], "sslmode"), "verify-full");
	assert_string_equal(config_setting(&cfg.connections[1], "sslmode"), "require");
	assert_int_equal(cfg.connections[1].schemas.n, 2);
	assert_string_equal(cfg.connections[2].path, "/tmp/x/y.db");
	assert_null(cfg.connections[3].path);
	assert_string_equal(cfg.connections[3].path_ref, "env:DB_PATH");
	assert_non_null(strstr(cfg.connections[4].path, "/rel.db"));
	assert_null(cfg.connections[5].driver);
	/* carrel.yaml wins when both are there. */
	assert_int_equal(load("server: { port: 1 }\n"), 0);
	assert_false(cfg.ktx);
}

static void
test_bad_files(void **state)
{
	char path[200];

	(void)state;
	assert_int_equal(config_load(arena, dir, &cfg, &issues, &err), -1);
	assert_non_null(strstr(err.message, "carrel init"));
	assert_int_equal(load("- a\n- b\n"), -1);
	assert_non_null(strstr(err.message, "must hold a mapping"));
	assert_int_equal(load("a: [\n"), -1);
	assert_non_null(strstr(err.message, "carrel.yaml: line"));
	assert_int_equal(load("a: &x 1\nb: *x\n"), -1);
	assert_int_equal(load("server: 5\n"), -1);
	has_issue(true, 1, "server: expected a mapping");
	assert_int_equal(load("connections: [a]\n"), -1);
	put_file("carrel.yaml", "server: {}\n", 0666);
	assert_int_equal(config_load(arena, dir, &cfg, &issues, &err), -1);
	assert_non_null(strstr(err.message, "can be written by everybody"));
	if (geteuid() == 0) {
		put_file("carrel.yaml", "server: {}\n", 0644);
		snprintf(path, sizeof(path), "%s/carrel.yaml", dir);
		assert_int_equal(chown(path, 65534, 65534), 0);
		assert_int_equal(config_load(arena, dir, &cfg, &issues, &err), -1);
		assert_non_null(strstr(err.message, "belongs to another user"));
	}
	snprintf(path, sizeof(path), "%s/carrel.yaml", dir);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(config_load(arena, dir, &cfg, &issues, &err), -1);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(config_load(arena, dir, &cfg, &issues, &err), -1);
	assert_non_null(strstr(err.message, "not a regular file"));
}

static void
test_many_issues(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (int i = 0; i < 200; i++)
		buf_printf(&b, "unknown%d: 1\n", i);
	buf_str(&b, "sandbox: nonsense\n");
	assert_int_equal(load(buf_cstr(&b)), -1);
	assert_int_equal(issues.n, CONFIG_ISSUES_MAX);
	assert_int_equal(issues.nfatal, 1);
	has_issue(true, 201, "sandbox");
	buf_fini(&b);
}

static void
test_origins_and_hosts(void **state)
{
	static const char *const typed[][2] = { { "B.Example:99", "b.example" }, { "[::1]", "::1" },
		{ "[FE80::1]:80", "fe80::1" }, { "::1", "::1" }, { "a:99999", "a:99999" }, { "a:b", "a:b" },
		{ "[::1]x", "[::1]x" }, { "[", "[" }, { "", "" } };
	char host[32];

	(void)state;
	assert_true(config_is_host("example.com"));
	assert_true(config_is_host("10.0.0.1"));
	assert_true(config_is_host("::1"));
	assert_false(config_is_host(""));
	assert_false(config_is_host("a b"));
	assert_false(config_is_host("a:80"));
	assert_false(config_is_host("[::1]"));
	assert_false(config_is_host("a/b"));
	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
		snprintf(host, sizeof(host), "%s", typed[i][0]);
		config_host_fold(host);
		assert_string_equal(host, typed[i][1]);
	}
	assert_true(config_is_origin("http://localhost"));
	assert_true(config_is_origin("https://a.example:8443"));
	assert_true(config_is_origin("http://[::1]:80"));
	assert_false(config_is_origin("http://"));
	assert_false(config_is_origin("http://a/"));
	assert_false(config_is_origin("http://a:"));
	assert_false(config_is_origin("http://a:99999"));
	assert_false(config_is_origin("ftp://a"));
	assert_false(config_is_origin("http://::1"));
	assert_false(config_is_origin("http://[::1"));
	assert_false(config_is_origin("http://u@a"));
	assert_false(config_is_origin("*"));
	assert_false(config_is_origin("null"));
}

static void
test_find_project(void **state)
{
	char here[4096], sub[200];
	const char *found;

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	unsetenv("CARREL_PROJECT_DIR");
	unsetenv("KTX_PROJECT_DIR");
	put_file("carrel.yaml", "", 0644);
	snprintf(sub, sizeof(sub), "%s/deep", dir);
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(chdir(sub), 0);
	found = config_find_project(arena, NULL, &err);
	assert_string_equal(found, dir);
	assert_string_equal(config_find_project(arena, ".", &err), sub);
	assert_null(config_find_project(arena, "", &err));
	assert_null(config_find_project(arena, "/no/such/place", &err));
	setenv("CARREL_PROJECT_DIR", sub, 1);
	assert_string_equal(config_find_project(arena, NULL, &err), sub);
	setenv("CARREL_PROJECT_DIR", "", 1);
	assert_null(config_find_project(arena, NULL, &err));
	setenv("CARREL_PROJECT_DIR", sub, 1);
	setenv("KTX_PROJECT_DIR", "/no/such/place", 1);
	assert_string_equal(config_find_project(arena, NULL, &err), sub); /* our own name wins */
	unsetenv("CARREL_PROJECT_DIR");
	assert_null(config_find_project(arena, NULL, &err));
	setenv("KTX_PROJECT_DIR", sub, 1);
	assert_string_equal(config_find_project(arena, NULL, &err), sub);
	setenv("KTX_PROJECT_DIR", "", 1);
	assert_null(config_find_project(arena, NULL, &err));
	assert_non_null(strstr(err.message, "KTX_PROJECT_DIR must not be empty"));
	unsetenv("KTX_PROJECT_DIR");
	assert_int_equal(chdir(here), 0);
}

static void
test_reference(void **state)
{
	struct buf out = { 0 };

	(void)state;
	config_reference(&out);
	assert_non_null(strstr(buf_cstr(&out), "server.port"));
	assert_non_null(strstr(buf_cstr(&out), "Default: 7878"));
	assert_non_null(strstr(buf_cstr(&out), "connections.<name>.functions"));
	assert_non_null(strstr(buf_cstr(&out), "connections.<name>.enabled_tables"));
	assert_non_null(strstr(buf_cstr(&out), "memory.review"));
	buf_fini(&out);
}

/* --- the schema ------------------------------------------------------------------------ */

static struct buf schema_text, schema_mp;
static struct mp_value schema;

static void
read_schema(void)
{
	size_t at = 0;

	buf_reset(&schema_text, SIZE_MAX);
	buf_reset(&schema_mp, SIZE_MAX);
	config_schema(&schema_text);
	assert_int_equal(json_read(buf_view(&schema_text), &schema_mp, &at), JSON_OK);
	assert_true(mp_value(buf_view(&schema_mp), &schema));
}

/* An identity that cannot be served as it is meant leaves the connection out; nothing of it is passed over. */
static void
test_identity(void **state)
{
	static const struct {
		const char *identity, *says;
	} cases[] = {
		{ "", "expected the keys settings" },
		{ "[]", "expected the keys settings" },
		{ "{}", "it is the same for every caller" },
		{ "{settings: {app.user: ada}}", "it is the same for every caller" },
		{ "{setting: {app.user: '{user.name}'}}", "unknown key" },
		{ "{settings: {app.user: '{user}'}}", "between { and } stands user.name" },
		{ "{settings: {app.user: '{user.name'}}", "has no }" },
		{ "{settings: {app.user: '{user.name}'}, roles: [a]}", "roles needs role" },
		{ "{role: '{claims.r}'}", "role needs roles" },
		{ "{role: '{claims.r}', roles: []}", "expected a list of 1 to 64 roles" },
		{ "{role: '{claims.r}', roles: [none]}", "is no role" },
		{ "{settings: {app.user: '{user.name}'}, owner: {claims: {a: b}}}", "name is missing" },
		{ "{settings: {app.t: '{claims.t}'}, neutral: {name: x}}", "claims lacks t" },
		{ "{settings: {app.t: '{claims.t}'}, owner: {claims: {t: ''}}}", "the name of a claim and its value" },
		{ "{settings: {app.t: '{claims.t}'}, owner: {tenant: x}}", "unknown key" },
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text),
		    "connections:\n  w:\n    driver: postgres\n    url: env:W\n    identity: %s\n", cases[i].identity);
		assert_int_equal(load(text), 0);
		assert_non_null(cfg.connections[0].unusable);
		has_issue(false, i == 0 ? 5 : 5, cases[i].says);
	}
	assert_int_equal(load("connections: {w: {driver: sqlite, path: x.db, identity: {settings: "
			      "{app.user: '{user.name}'}}}}"),
	    0);
	assert_non_null(cfg.connections[0].unusable);
	has_issue(false, 1, "cannot apply row security by caller");
	assert_int_equal(load("connections: {w: {driver: postgres, url: env:W, identities: {}}}"), 0);
	assert_non_null(cfg.connections[0].unusable);
}

/* The schema of a section, which may be within another one: auth.oidc. */
static struct mp_value
section_of(const char *section)
{
	struct mp_value v = schema, down;

	for (const char *s = section; *s != '\0';) {
		size_t n = strcspn(s, ".");

		assert_true(mp_get(&v, "properties", &down));
		if (!mp_member(&down, span_of(s, n), &v))
			fail_msg("the schema has no section %s", section);
		s += n + (s[n] == '.');
	}
	if (strcmp(section, "connections") == 0) {
		assert_true(mp_get(&v, "additionalProperties", &down));
		v = down;
	}
	return v;
}

/* schema.properties.section.properties.key, or that of a connection. */
static struct mp_value
key_of(const char *section, const char *key)
{
	struct mp_value v = section_of(section), down;

	assert_true(mp_get(&v, "properties", &down));
	if (!mp_get(&down, key, &v))
		fail_msg("the schema has no %s.%s", section, key);
	return v;
}

static size_t
members_of(const char *section)
{
	struct mp_value v = section_of(section), down;

	assert_true(mp_get(&v, "properties", &down));
	return down.n;
}

static void
bounds_are(const struct config_key *k, const struct mp_value *v)
{
	struct mp_value low, high;

	switch (k->kind) {
	case CONFIG_UINT:
	case CONFIG_BYTES:
	case CONFIG_MB:
	case CONFIG_SHARE:
		assert_true(mp_get(v, "minimum", &low) && mp_get(v, "maximum", &high));
		assert_true(low.u == k->low && high.u == k->high);
		break;
	case CONFIG_WORD:
	case CONFIG_WORD_TEXT:
		assert_true(mp_get(v, "enum", &low) && low.class == MP_ARRAY && low.n >= 3);
		break;
	default:
		assert_true(mp_get(v, "type", &low));
	}
	assert_int_equal(mp_get(v, "default", &low), k->def != NULL && k->kind != CONFIG_COLUMNS);
}

/* The sections there are but for the top level, each once. */
static size_t
add_section(const char **sections, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(sections[i], name) == 0)
			return n;
	assert_true(n < 32);
	if (*name == '\0')
		return n;
	sections[n] = name;
	return n + 1;
}

static size_t
keys_in(const char *section)
{
	size_t n = 0;

	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		n += strcmp(k->section, section) == 0;
	return n;
}

/* Those of the sections that are within this one. */
static size_t
sections_in(const char *const *sections, size_t n, const char *section)
{
	size_t len = strlen(section), count = 0;

	for (size_t i = 0; i < n; i++) {
		const char *dot = strrchr(sections[i], '.');

		count += len == 0 ? dot == NULL : dot == sections[i] + len && memcmp(sections[i], section, len) == 0;
	}
	return count;
}

static void
the_schema_is_the_table(void **state)
{
	const char *sections[32];
	size_t n = 0, members;

	(void)state;
	read_schema();
	for (const struct config_key *k = config_keys; k->key != NULL; k++) {
		struct mp_value v = key_of(k->section, k->key);

		bounds_are(k, &v);
	}
	for (const struct config_key *k = config_connection_keys; k->key != NULL; k++) {
		struct mp_value v = key_of("connections", k->key);

		bounds_are(k, &v);
	}
	/* And nothing else is in it. */
	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		n = add_section(sections, n, k->section);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(members_of(sections[i]), keys_in(sections[i]) + sections_in(sections, n, sections[i]));
	for (members = 0; config_connection_keys[members].key != NULL; members++)
		;
	for (size_t i = 0; drivers_key(i) != NULL; i++, members++) {
		struct mp_value v = key_of("connections", drivers_key(i)->key);

		bounds_are(drivers_key(i), &v);
	}
	assert_int_equal(members_of("connections"), members);
	assert_int_equal(members_of(""), keys_in("") + sections_in(sections, n, "") + 1);
}

/* What an editor marks is what Carrel would say something about. */
static void
the_schema_judges_as_we_do(void **state)
{
	static const struct {
		const char *text;
		bool fits;
	} rows[] = {
		{ "{}", true },
		{ "{\"connections\":null,\"server\":null,\"sandbox\":null}", true },
		{ "{\"connections\":{\"a\":{\"driver\":\"sqlite\",\"path\":\"x.db\",\"workers\":3}},\"server\":{"
		  "\"port\":0}}",
		    true },
		{ "{\"connections\":{\"a\":{\"driver\":\"sqlite\",\"path\":\"x.db\",\"name\":2024,\"query_policy\":"
		  "\"semantic-layer-only\","
		  "\"columns\":{\"hide\":[\"*.ssn\"],\"mask\":\"a.b\",\"scopes\":{\"research:read\":{\"hash\":[\"c.d\"]"
		  "}}}}}}",
		    true },
		{ "{\"connections\":{\"a\":{\"driver\":\"sqlite\",\"path\":\"x.db\",\"enabled_tables\":[\"a\"],"
		  "\"schema\":\"one\"}}}",
		    true },
		{ "{\"memory\":{\"same_subject\":0.5,\"review\":\"required\"},\"limits\":{\"explain_analyze\":true}}",
		    true },
		{ "{\"server\":{\"port\":70000}}", false },
		{ "{\"server\":{\"port\":-1}}", false },
		{ "{\"server\":{\"port\":\"many\"}}", false },
		{ "{\"server\":{\"prot\":1}}", false },
		{ "{\"serber\":{}}", false },
		{ "{\"sandbox\":\"off\"}", false },
		{ "{\"memory\":{\"same_subject\":1.5}}", false },
		{ "{\"limits\":{\"explain_analyze\":\"perhaps\"}}", false },
		{ "{\"connections\":{\"a\":{\"path\":\"x.db\"}}}", false },
		{ "{\"connections\":{\"a\":{\"driver\":\"sqlite\",\"path\":\"x.db\",\"colour\":\"red\"}}}", false },
		{ "{\"connections\":{\"a\":{\"driver\":\"sqlite\",\"path\":\"x.db\",\"columns\":{\"hyde\":[\"*.ssn\"]}}"
		  "}}",
		    false },
		{ "{\"connections\":{\"a\":{\"driver\":\"sqlite\",\"path\":\"x.db\",\"columns\":{\"scopes\":{"
		  "\"research:read\":{\"scopes\":{}}}}}}}",
		    false },
		{ "{\"connections\":{\"a\":{\"driver\":\"postgres\",\"url\":\"env:X\",\"sslmode\":\"sometimes\"}}}",
		    false },
		{ "{\"connections\":[]}", false },
	};

	(void)state;
	read_schema();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf doc = { 0 };
		struct schema_result result;
		struct mp_value v;
		size_t at = 0;
		bool loads;

		memset(&issues, 0, sizeof(issues));
		loads = load(rows[i].text) == 0 && issues.n == 0;
		assert_int_equal(json_read(span_str(rows[i].text), &doc, &at), JSON_OK);
		assert_true(mp_value(buf_view(&doc), &v));
		if (schema_check(&schema, &v, &result) != rows[i].fits || loads != rows[i].fits)
			fail_msg("%s: schema %d, loader %d (%s), expected %d", rows[i].text, !rows[i].fits, loads,
			    issues.n > 0 ? issues.list[0].text : "", rows[i].fits);
		buf_fini(&doc);
	}
}

/* libpq looks for the user part's end as far as the path; a password may hold any mark, a slash by mistake. */
static void
passwords_in_urls(void **state)
{
	static const struct {
		const char *url, *bare;
		bool holds;
	} rows[] = {
		{ "postgres://db.example/w", "postgres://db.example/w", false },
		{ "postgres://db.example:5433/w?sslmode=require", "postgres://db.example:5433/w", false },
		{ "postgres://bob@db.example/w", "postgres://db.example/w", false },
		{ "postgres://bob:@db.example/w", "postgres://db.example/w", false },
		{ "postgres://db.example?sslmode=require", "postgres://db.example", false },
		{ "postgres://db.example/w?options=a:b@c", "postgres://db.example/w", false },
		{ "postgres://bob:geheim@db.example/w", "postgres://db.example/w", true },
		{ "postgres://bob:geh@eim@db.example/w", "postgres://db.example/w", true },
		{ "postgres://bob:geh#eim@db.example/w", "postgres://db.example/w", true },
		{ "postgres://bob:geh?eim@db.example/w", "postgres://db.example/w", true },
		{ "postgres://bob:geh?eim#@db.example?sslmode=require", "postgres://db.example", true },
		{ "postgres://bob:ge/heim@db.example/w", "postgres://db.example/w", true },
		{ "postgres://bob:g@e/heim@db.example/w", "postgres://db.example/w", true },
		{ "postgres://bob:ge/h?eim@db.example/w", "postgres://db.example/w", true },
		{ "postgres://db.example:5433/w@x", "postgres://x", false },
		{ "postgres://db.example/w?password=geheim", "postgres://db.example/w", true },
		{ "host=db.example password=geheim", "(a connection string)", true },
		{ "env:X", "env:X", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (config_holds_password(rows[i].url) != rows[i].holds)
			fail_msg("%s: holds a password: %d", rows[i].url, !rows[i].holds);
		assert_string_equal(config_bare_url(arena, rows[i].url), rows[i].bare);
	}
}

int
main(void)
{
#define T(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_defaults), T(test_values), T(test_all_issues_at_once), T(test_functions), T(test_spoilt_connections), T(test_column_rules),
		T(test_column_rules_are_strict), T(test_secrets_in_file), T(test_identity),
		T(test_ktx), T(test_bad_files), T(test_many_issues),
		T(test_origins_and_hosts), T(test_find_project), T(test_reference), T(passwords_in_urls),
		T(the_schema_is_the_table), T(the_schema_judges_as_we_do),
	};

	return cmocka_run_group_tests(tests, setup_dir, teardown_dir);
}
