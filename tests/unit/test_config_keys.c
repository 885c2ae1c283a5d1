// libs: carrel_project carrel_policy carrel_base
/* test_config_keys.c - every row of config.def: its default, its bounds, what is refused, and where it goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "policy/tool_names.h"
#include "project/config/config.h"
#include "project/config/config_value.h"

static char dir[] = "/tmp/carrel-test-config-keys-XXXXXX";
static char path[200];
static struct arena *arena;
static struct config cfg;
static struct config_issues issues;
static struct err err;

static int
setup_dir(void **state)
{
	(void)state;
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/carrel.yaml", dir);
	return 0;
}

static int
teardown_dir(void **state)
{
	(void)state;
	return unlink(path) != 0 || rmdir(dir) != 0 ? -1 : 0;
}

static int
load(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
	arena_free(arena);
	arena = arena_new(4u << 20);
	memset(&err, 0, sizeof(err));
	return config_load(arena, dir, &cfg, &issues, &err);
}

static int
teardown(void **state)
{
	(void)state;
	arena_free(arena);
	arena = NULL;
	return 0;
}

/* What a key cannot be without: members of its own section, and other sections. */
static const struct companion {
	const char *section, *key, *members, *sections;
} companions[] = {
	{ "auth.oidc", "only", ", issuer: 'https://id', client_id: c, roles: { a: viewer }",
	    "oauth: { enabled: true }\n" },
	{ NULL, NULL, "", "" },
};

static const struct companion *
companion_of(const char *section, const char *key)
{
	const struct companion *c = companions;

	while (c->key != NULL && (strcmp(c->section, section) != 0 || strcmp(c->key, key) != 0))
		c++;
	return c;
}

/* A file with that one key, which stands in its third line, or its first at the top level; and its companions. */
static int
load_key(const char *section, const char *key, const char *value)
{
	const struct companion *with = companion_of(section, key);
	char text[8192];

	if (strchr(section, '.') != NULL)
		snprintf(text, sizeof(text), "# a remark\n%.*s:\n  %s: { %s: %s%s }\n%s", (int)strcspn(section, "."),
		    section, strchr(section, '.') + 1, key, value, with->members, with->sections);
	else if (*section != '\0')
		snprintf(text, sizeof(text), "# a remark\n%s:\n  %s: %s\n", section, key, value);
	else
		snprintf(text, sizeof(text), "# a remark\n# and one\n%s: %s\n", key, value);
	return load(text);
}

static const struct config_key *
row_of(const char *section, const char *key)
{
	for (const struct config_key *k = config_keys; k->key != NULL; k++)
		if (strcmp(k->section, section) == 0 && strcmp(k->key, key) == 0)
			return k;
	fail_msg("there is no key %s.%s", section, key);
	return NULL;
}

static const void *
field_of(const struct config_key *k)
{
	return (const char *)&cfg + k->offset;
}

static uint64_t
number_of(const struct config_key *k)
{
	uint64_t large;
	unsigned small;

	if (k->kind == CONFIG_UINT) {
		memcpy(&small, field_of(k), sizeof(small));
		return small;
	}
	memcpy(&large, field_of(k), sizeof(large));
	return k->kind == CONFIG_MB ? large >> 20 : large;
}

static bool
is_number(const struct config_key *k)
{
	return k->kind == CONFIG_UINT || k->kind == CONFIG_BYTES || k->kind == CONFIG_MB;
}

static void
is_taken(const struct config_key *k, const char *value)
{
	if (load_key(k->section, k->key, value) != 0)
		fail_msg("%s.%s: %.100s is refused: %s", k->section, k->key, value, err.message);
}

/* Refused, with the file, the line, the key and what was expected. */
static void
is_refused(const struct config_key *k, const char *value)
{
	struct buf expected = { 0 };
	char start[128];

	config_expected(k, &expected);
	snprintf(start, sizeof(start), "carrel.yaml:3: %s%s%s: expected ", k->section, *k->section != '\0' ? "." : "",
	    k->key);
	if (load_key(k->section, k->key, value) == 0)
		fail_msg("%s.%s: %.100s is taken", k->section, k->key, value);
	if (strncmp(err.message, start, strlen(start)) != 0 || strstr(err.message, buf_cstr(&expected)) == NULL)
		fail_msg("%s.%s: %.100s: %s", k->section, k->key, value, err.message);
	buf_fini(&expected);
}

static void
numbers_have_their_bounds(void **state)
{
	char text[64];
	size_t n = 0;

	(void)state;
	for (const struct config_key *k = config_keys; k->key != NULL; k++) {
		const uint64_t inside[] = { k->low, k->high, k->low + (k->high - k->low) / 2 };

		if (!is_number(k))
			continue;
		n++;
		assert_non_null(k->def);
		for (size_t i = 0; i < 3; i++) {
			snprintf(text, sizeof(text), "%llu", (unsigned long long)inside[i]);
			is_taken(k, text);
			assert_int_equal(number_of(k), inside[i]);
		}
		snprintf(text, sizeof(text), "%llu", (unsigned long long)k->high + 1);
		is_refused(k, text);
		snprintf(text, sizeof(text), "%lld", (long long)k->low - 1);
		is_refused(k, text);
		is_refused(k, "1.5");
		is_refused(k, "99999999999999999999999");
		is_refused(k, "many");
		is_refused(k, "''");
		is_refused(k, "[1]");
		is_refused(k, "{ a: 1 }");
		is_taken(k, "null");
		snprintf(text, sizeof(text), "%llu", (unsigned long long)number_of(k));
		assert_string_equal(text, k->def);
	}
	assert_true(n > 30);
}

static void
words_and_flags(void **state)
{
	static const char *const bad[] = { "perhaps", "2", "[true]", "{ a: true }", "''" };

	(void)state;
	for (const struct config_key *k = config_keys; k->key != NULL; k++) {
		bool flag = k->kind == CONFIG_FLAG || k->kind == CONFIG_SWITCH;

		if (!flag && k->kind != CONFIG_WORD && k->kind != CONFIG_WORD_TEXT)
			continue;
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			is_refused(k, bad[i]);
		is_taken(k, "null");
		if (flag) {
			is_taken(k, "true");
			is_taken(k, "'false'");
			is_taken(k, "off");
		}
		for (const char *w = k->words; !flag && w != NULL && *w != '\0';) {
			char word[64];
			size_t len = strcspn(w, "|");

			snprintf(word, sizeof(word), "%.*s", (int)len, w);
			is_taken(k, word);
			w += len + (w[len] == '|');
		}
	}
}

static void
a_switch_has_three_positions(void **state)
{
	static const struct {
		const char *value;
		enum config_switch v;
	} rows[] = {
		{ "null", CONFIG_SWITCH_UNSET },
		{ "~", CONFIG_SWITCH_UNSET },
		{ "", CONFIG_SWITCH_UNSET },
		{ "true", CONFIG_SWITCH_ON },
		{ "on", CONFIG_SWITCH_ON },
		{ "false", CONFIG_SWITCH_OFF },
		{ "no", CONFIG_SWITCH_OFF },
	};

	(void)state;
	assert_int_equal(load(""), 0);
	assert_int_equal(cfg.connectivity.enabled, CONFIG_SWITCH_UNSET);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(load_key("connectivity", "enabled", rows[i].value), 0);
		assert_int_equal(cfg.connectivity.enabled, rows[i].v);
		assert_int_equal(issues.n, 0);
	}
}

/* What the documentation promises of a file that says nothing. */
static void
the_defaults(void **state)
{
	static const struct {
		const char *section, *key;
		unsigned long long v;
	} numbers[] = {
		{ "server", "port", 7878 },
		{ "server", "fronts", 1 },
		{ "server", "result_memory_mb", 256 },
		{ "connectivity", "max_tokens", 10 },
		{ "connectivity", "requests_per_min", 30 },
		{ "connectivity", "sql_per_min", 10 },
		{ "connectivity", "global_per_min", 120 },
		{ "connectivity", "in_flight", 3 },
		{ "connectivity", "auth_failures_per_min", 5 },
		{ "connectivity", "block_s", 300 },
		{ "connectivity", "sql_timeout_s", 10 },
		{ "connectivity", "sql_max_rows", 500 },
		{ "connectivity", "sql_memory_mb", 256 },
		{ "connectivity", "sql_max_bytes", 4096 },
		{ "connectivity", "sql_threads", 2 },
		{ "sessions", "idle_min", 60 },
		{ "sessions", "sweep_min", 15 },
		{ "limits", "sql_timeout_s", 30 },
		{ "limits", "max_rows", 10000 },
		{ "limits", "result_bytes", 8388608 },
		{ "limits", "body_bytes", 4194304 },
		{ "limits", "research_per_min", 0 },
		{ "limits", "research_in_flight", 64 },
		{ "limits", "resources_per_min", 0 },
		{ "limits", "ask_per_min", 5 },
		{ "limits", "ask_timeout_s", 300 },
		{ "limits", "worker_memory_mb", 512 },
		{ "limits", "search_memory_mb", 8192 },
		{ "limits", "memory_memory_mb", 1024 },
		{ "limits", "front_memory_mb", 1024 },
		{ "scan", "sample_rows", 10000 },
		{ "scan", "values_per_column", 200 },
		{ "scan", "concurrency", 4 },
		{ "scan", "statement_timeout_s", 30 },
		{ "workers", "max_requests", 100000 },
		{ "audit", "retention_days", 365 },
	};
	char expected[300];

	(void)state;
	assert_int_equal(load(""), 0);
	assert_int_equal(issues.n, 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct config_key *k = row_of(numbers[i].section, numbers[i].key);

		if (number_of(k) != numbers[i].v)
			fail_msg("%s.%s is %llu", k->section, k->key, (unsigned long long)number_of(k));
	}
	assert_null(cfg.proxy_header);
	assert_null(cfg.proxy_role);
	assert_null(cfg.audit_key);
	assert_null(cfg.public_url);
	assert_false(cfg.connectivity.allow_lan);
	assert_string_equal(cfg.connectivity.token_prefix, "crlmcp");
	assert_int_equal(cfg.audit_on_failure, CONFIG_AUDIT_REFUSE);
	assert_int_equal(cfg.audit_durability, CONFIG_AUDIT_PROCESS);
	snprintf(expected, sizeof(expected), "%s/.carrel/state.db", dir);
	assert_string_equal(cfg.state, expected);
}

/* No two keys share a field: what is written is read where it belongs. */
static void
each_key_has_its_field(void **state)
{
	(void)state;
	for (const struct config_key *a = config_keys; a->key != NULL; a++)
		for (const struct config_key *b = a + 1; b->key != NULL; b++)
			if (a->offset == b->offset)
				fail_msg("%s.%s and %s.%s", a->section, a->key, b->section, b->key);
	assert_int_equal(load("connectivity:\n  enabled: true\n  allow_lan: true\n  token_prefix: shop2\n"
			      "auth: { proxy_header: X-Remote-User, proxy_role: contributor }\n"
			      "audit: { on_failure: warn, durability: disk, retention_days: 30, key: 'cred:audit' }\n"
			      "state: data/../state/s.db\n"),
	    0);
	assert_int_equal(cfg.connectivity.enabled, CONFIG_SWITCH_ON);
	assert_true(cfg.connectivity.allow_lan);
	assert_string_equal(cfg.connectivity.token_prefix, "shop2");
	assert_string_equal(cfg.proxy_header, "X-Remote-User");
	assert_string_equal(cfg.proxy_role, "contributor");
	assert_int_equal(cfg.audit_on_failure, CONFIG_AUDIT_WARN);
	assert_int_equal(cfg.audit_durability, CONFIG_AUDIT_DISK);
	assert_int_equal(cfg.audit_retention_days, 30);
	assert_string_equal(cfg.audit_key, "cred:audit");
	assert_int_equal(load("state: /var/lib/carrel/state.db\n"), 0);
	assert_string_equal(cfg.state, "/var/lib/carrel/state.db");
	assert_int_equal(issues.n, 0);
}

#define SECRET	"client_secret: file:s, "
#define OIDC(more)	"oauth: { enabled: true }\nauth: { oidc: { " more OIDC_REST
#define OIDC_REST	"issuer: 'https://id', client_id: c, roles: { a: viewer } } }\n"
#define ISSUERS(rest)	"oauth: { enabled: true }\nauth: { issuers: [ { issuer: 'https://id', " rest " } ] }\n"
#define PROXY_USER	"oauth: { enabled: true }\nauth: { proxy_header: X-User }\nserver: { "

/* What a server that people sign in to needs, and what of it costs others something. */
static void
oauth_is_checked_as_a_whole(void **state)
{
	static const struct {
		const char *text;
		int result;
		size_t issues;
	} rows[] = {
		{ "oauth: { enabled: true }\n", 0, 0 },
		{ "oauth: { enabled: true }\nserver: { public_url: 'http://carrel.example' }\n", -1, 1 },
		{ "oauth: { enabled: true }\nserver: { public_url: 'https://carrel.example' }\n", 0, 0 },
		{ "oauth: { enabled: true }\nserver: { public_url: 'http://localhost:8080' }\n", 0, 0 },
		{ "oauth: { enabled: true }\nserver: { public_url: 'http://localhost.example' }\n", -1, 1 },
		{ "oauth: { enabled: false }\nserver: { public_url: 'http://carrel.example' }\n", 0, 0 },
		{ "oauth: { enabled: true }\nserver: { listen: 'unix:/run/x' }\n", -1, 1 },
		{ "oauth: { enabled: true, access_ttl_s: 300 }\n", 0, 1 },
		{ "oauth: { enabled: true, access_ttl_s: 301 }\n", 0, 0 },
		{ "oauth: { enabled: true, client_metadata: true }\n", 0, 0 },
		{ "oauth: { client_metadata: true }\n", 0, 0 },
		{ "oauth: { enabled: true, client_metadata: false }\n", 0, 0 },
		{ PROXY_USER "}\n", 0, 1 },
		{ PROXY_USER "listen: 'unix:/run/x', public_url: 'https://carrel.example' }\n", 0, 0 },
		{ PROXY_USER "listen: 'unix:/x', public_url: 'https://a.example', trusted_proxies: ['::1'] }\n", 0, 0 },
		{ PROXY_USER "trusted_proxies: [127.0.0.1] }\n", -1, 1 },
		{ PROXY_USER "trusted_proxies: [10.1.2.3, '::/0'] }\n", -1, 1 },
		{ PROXY_USER "trusted_proxies: [126.0.0.0/7] }\n", -1, 1 },
		{ PROXY_USER "trusted_proxies: [10.1.2.3] }\n", 0, 0 },
		{ PROXY_USER "trusted_proxies: [127.0.0.1], proxy_users: [www-data, 33] }\n", 0, 0 },
		{ "server: { trusted_proxies: [127.0.0.1] }\n", 0, 0 },
		{ "server: { proxy_users: ['no one'] }\n", -1, 1 },
		{ "auth: { proxy_header: X-User }\n", 0, 1 },
		{ "auth: { proxy_role: viewer }\n", 0, 1 },
		{ "auth: { proxy_header: X-User, proxy_role: desk, roles: { desk: 'research:read' } }\n", 0, 1 },
		{ "auth: { proxy_header: X-User, proxy_role: desk, roles: { desks: 'research:read' } }\n", -1, 2 },
		{ OIDC(SECRET), 0, 0 },
		{ OIDC(""), 0, 0 },
		{ OIDC("scopes: 'openid groups', name_claim: email, role_claim: hd, only: true, "), 0, 0 },
		{ OIDC("client_secret: verysecret, "), -1, 1 },
		{ OIDC("scopes: profile, "), -1, 1 },
		{ OIDC("scope: openid, "), -1, 1 },
		{ "oauth: { enabled: true }\nauth: { oidc: { client_id: c, roles: { a: viewer } } }\n", 0, 1 },
		{ "oauth: { enabled: true }\nauth: { oidc: { only: true } }\n", -1, 1 },
		{ "auth: { oidc: { only: true, client_id: c, roles: { a: viewer } } }\n", -1, 1 },
		{ "auth: { oidc: { only: false } }\n", 0, 0 },
		{ ISSUERS("audience: a, roles: { '*': viewer }"), 0, 0 },
		{ ISSUERS("audience: a, roles: { a: viewer }, scope_claim: '', role_claim: r, typ: J, max_age_s: 60"),
		    0, 0 },
		{ ISSUERS("roles: { a: viewer }"), -1, 1 },
		{ ISSUERS("audience: a"), -1, 1 },
		{ ISSUERS("audience: a, roles: { a: owner }"), -1, 1 },
		{ ISSUERS("audience: a, roles: { a: viewer }, max_age_s: 59"), -1, 1 },
		{ ISSUERS("audience: a, roles: { a: viewer }, claims: [tenant, realm.tenant]"), 0, 0 },
		{ ISSUERS("audience: a, roles: { a: viewer }, claims: []"), -1, 1 },
		{ ISSUERS("audience: a, roles: { a: viewer }, claims: tenant"), -1, 1 },
		{ ISSUERS("audience: a, roles: { a: viewer }, claims: [{ a: b }]"), -1, 1 },
		{ OIDC("client_secret: 'file:s', claims: [tenant], "), 0, 0 },
		{ OIDC("client_secret: 'file:s', claims: [], "), -1, 1 },
		{ ISSUERS("audience: a, roles: { a: viewer }, algorithms: none"), -1, 1 },
		{ ISSUERS("audience: '', roles: { a: viewer }"), -1, 1 },
		{ "auth: { issuers: [ { issuer: 'https://id', audience: a, roles: { a: viewer } } ] }\n", -1, 1 },
		{ "oauth: { enabled: true }\nauth: { issuers: [ { issuer: 'http://id', audience: a, "
		  "roles: { a: viewer } } ] }\n",
		    -1, 1 },
		{ "oauth: { enabled: true }\nauth: { issuers: { issuer: 'https://id' } }\n", -1, 1 },
		{ "oauth: { enabled: true }\nauth: { issuers: [ 'https://id' ] }\n", -1, 1 },
		{ "oauth: { enabled: true }\nauth: { issuers: [ { issuer: 'https://id', audience: c, "
		  "roles: { a: viewer } } ], oidc: { issuer: 'https://id', client_id: c, roles: { a: viewer } } }\n",
		    -1, 1 },
		{ "oauth: { enabled: true }\nauth: { issuers: [ { issuer: 'https://id', audience: c, "
		  "roles: { a: viewer } }, { issuer: 'https://id', audience: d, roles: { a: viewer } } ] }\n",
		    -1, 1 },
		{ "oauth: { enabled: true }\nauth: { oidc: { issuer: 'https://id', roles: { a: viewer } } }\n", -1, 1 },
		{ "oauth: { enabled: true }\nauth: { oidc: { issuer: 'https://id', client_id: c } }\n", -1, 1 },
		{ "oauth: { enabled: true }\nauth: { oidc: { issuer: 'https://id', client_id: c, roles: { a: root } } "
		  "}\n",
		    -1, 1 },
		{ "oauth: { enabled: true }\nauth: { oidc: { issuer: 'http://id', client_id: c, roles: { a: viewer } } "
		  "}\n",
		    -1, 1 },
		{ "oauth: { enabled: true }\nauth: { oidc: { issuer: 'https://id?a', client_id: c, roles: { a: viewer "
		  "} } }\n",
		    -1, 2 },
		{ "auth: { oidc: { issuer: 'https://id', client_id: c, roles: { a: viewer } } }\n", -1, 1 },
		{ "auth: { oidc: [] }\n", -1, 1 },
		{ "auth.oidc: { issuer: 'https://id' }\n", 0, 1 },
		{ "oauth: { enabled: true }\nserver: { listen: 'unix:/run/x', public_url: 'https://carrel.example' }\n"
		  "auth: { proxy_header: X-User, oidc: { issuer: 'https://id', client_id: c, roles: { a: viewer } } }",
		    -1, 1 },
		{ "oauth: { redirect_schemes: [zoo, Bad] }\n", -1, 1 },
		{ "oauth: { code_ttl_s: 601 }\n", -1, 1 },
		{ "preferences: { thresholds: { large: '> 10', old: 5 }, fiscal_year_start: 04-01 }\n", 0, 0 },
		{ "preferences: { thresholds: [a] }\n", -1, 1 },
		{ "preferences: { fiscal_year_start: 02-30 }\n", -1, 1 },
		{ "preferences: { time_zone: '../x' }\n", -1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (load(rows[i].text) != rows[i].result || issues.n != rows[i].issues)
			fail_msg("%s: %zu issues, %s", rows[i].text, issues.n, issues.n > 0 ? issues.list[0].text : "");
	assert_int_equal(load("oauth: { redirect_schemes: [zoo] }\n"), 0);
	assert_int_equal(cfg.oauth.redirect_schemes.n, 1);
	assert_string_equal(cfg.oauth.redirect_schemes.v[0], "zoo");
	assert_int_equal(load(""), 0);
	assert_int_equal(cfg.oauth.redirect_schemes.n, 5);
	assert_string_equal(cfg.oauth.redirect_schemes.v[4], "zed");
	assert_int_equal(cfg.preferences.thresholds.n, 0);
}

#define ID	"5F3B6C1E-8a54-4f0b-9a52-0d9e4b7c2f11"
#define OF	"ontologies: [{ id: " ID ", name: Sales, connection: sales"
#define SALES	"connections: { sales: { driver: sqlite, path: s.db } }\n"

static void
ontologies_are_checked(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "ontologies: []\n", NULL },
		{ "ontologies:\n", NULL },
		{ OF " }]\n", NULL },
		{ OF ", sources: '*' }]\n", NULL },
		{ OF ", sources: [orders, 7] }]\n", NULL },
		{ "ontologies: {}\n", "expected a list of 0 to 64 entries" },
		{ "ontologies: [sales]\n", "expected the keys id" },
		{ "ontologies: [{ name: Sales, connection: sales }]\n", "id is missing" },
		{ "ontologies: [{ id: 5f3b, name: Sales, connection: sales }]\n", "expected a UUID as id" },
		{ "ontologies: [{ id: " ID "0, name: Sales, connection: sales }]\n", "text of 1 to 36 bytes as id" },
		{ "ontologies: [{ id: 5f3b6c1e_8a54_4f0b_9a52_0d9e4b7c2f11, name: Sales, connection: sales }]\n",
		    "expected a UUID as id" },
		{ "ontologies: [{ id: " ID ", connection: sales }]\n", "name is missing" },
		{ "ontologies: [{ id: " ID ", name: '', connection: sales }]\n", "text of 1 to 256 bytes as name" },
		{ "ontologies: [{ id: " ID ", name: [a], connection: sales }]\n", "text of 1 to 256 bytes as name" },
		{ "ontologies: [{ id: " ID ", name: Sales }]\n", "connection is missing" },
		{ "ontologies: [{ id: " ID ", name: Sales, connection: absent }]\n",
		    "no connection is called \"absent\"" },
		{ OF ", sources: [] }]\n", "expected a list of 1 to" },
		{ OF ", sources: {} }]\n", "expected a list of 1 to" },
		{ OF ", sources: [[a]] }]\n", "name of a source" },
		{ OF ", tables: [a] }]\n", "unknown key" },
		{ "ontologies: [{ id: " ID ", name: A, connection: sales }, "
		  "{ id: " ID ", name: B, connection: sales }]\n",
		    "is another one's too" },
	};
	char text[600];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", SALES, rows[i].text);
		if (load(text) != (rows[i].says == NULL ? 0 : -1) || issues.n != (rows[i].says != NULL))
			fail_msg("%s: %zu issues, %s", rows[i].text, issues.n, issues.n > 0 ? issues.list[0].text : "");
		if (rows[i].says != NULL && strstr(issues.list[0].text, rows[i].says) == NULL)
			fail_msg("%s: %s", rows[i].text, issues.list[0].text);
	}
	assert_int_equal(load(SALES OF ", description: 7, sources: [a, '*'] }]\n"), 0);
	assert_int_equal(cfg.ontologies.n, 1);
	assert_string_equal(cfg.ontologies.v[0].id, "5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11");
	assert_string_equal(cfg.ontologies.v[0].description, "7");
	assert_int_equal(cfg.ontologies.v[0].sources.n, 0);
	assert_int_equal(load(SALES OF ", sources: orders }]\n"), 0);
	assert_int_equal(cfg.ontologies.v[0].sources.n, 1);
	assert_string_equal(cfg.ontologies.v[0].sources.v[0], "orders");
}

#define TOOL	"tools: [{ name: stock, description: d, connection: sales, sql: 'SELECT :n'"
#define QUERY	"tools: [{ name: stock, description: d, connection: sales, query: "
#define N	", parameters: { n: { type: integer, description: d"

/* What a tool of the team's may not be; the last rows are good. */
static void
tools_are_checked(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "tools: {}\n", "expected a list of 0 to 100 entries" },
		{ "tools: [stock]\n", "expected the keys name" },
		{ "tools: [{ description: d }]\n", "name is missing" },
		{ "tools: [{ name: Stock, description: d, connection: sales, sql: s }]\n", "by a small letter" },
		{ "tools: [{ name: stock, connection: sales, sql: s }]\n", "description is missing" },
		{ "tools: [{ name: stock, description: d, sql: s }]\n", "connection is missing" },
		{ "tools: [{ name: stock, description: d, connection: sales }]\n", "sql is missing" },
		{ "tools: [{ name: stock, description: d, connection: absent, sql: s }]\n", "no connection is" },
		{ TOOL ", limit: 3 }]\n", "unknown key" },
		{ TOOL ", max_rows: 0 }]\n", "whole number from 1 to 10000 as max_rows" },
		{ TOOL ", scopes: research }]\n", "a list of 0 to 8 scopes" },
		{ TOOL ", parameters: [n] }]\n", "the keys of 0 to 16 parameters" },
		{ TOOL ", parameters: { n: integer } }]\n", "the keys type" },
		{ TOOL ", parameters: { n: { description: d } } }]\n", "type is missing" },
		{ TOOL ", parameters: { n: { type: text, description: d } } }]\n", "expected string, integer" },
		{ TOOL ", parameters: { n: { type: integer } } }]\n", "description is missing" },
		{ TOOL ", parameters: { N: { type: integer, description: d } } }]\n", "small letters, digits and _" },
		{ TOOL N " }, m: { type: integer, description: d } } }]\n", "the statement does not have :m" },
		{ TOOL N ", values: 3 } } }]\n", "list of 1 to 200 values" },
		{ TOOL N ", values: [1, b] } } }]\n", "values holds no value of the type integer" },
		{ TOOL N ", values: { } } } }]\n", "dimension is missing" },
		{ TOOL N ", values: { dimension: a.b, limit: 3 } } } }]\n", "unknown key" },
		{ TOOL N ", values: { dimension: [a] } } } }]\n", "dimension" },
		{ TOOL ", parameters: { n: { type: number, description: d, values: { dimension: a.b } } } }]\n",
		    "for the types string, integer and date" },
		{ TOOL N ", default: x } } }]\n", "default holds no value of the type integer" },
		{ TOOL N ", default: 3, values: [1, 2] } } }]\n", "the default is not one of values" },
		{ TOOL N ", default: 500, maximum: 120 } } }]\n", "the default is not within minimum and maximum" },
		{ TOOL N ", default: -1, minimum: 0 } } }]\n", "the default is not within minimum and maximum" },
		{ TOOL N ", minimum: 2, maximum: 1 } } }]\n", "minimum is more than maximum" },
		{ TOOL ", parameters: { n: { type: date, description: d, minimum: 1 } } }]\n", "minimum is for" },
		{ TOOL N " } } }, { name: stock, description: d, connection: sales, sql: s }]\n", "the same name" },
		{ TOOL ", query: { measures: [a.b] } }]\n", "sql and query" },
		{ QUERY "[a.b] }]\n", "expected the keys measures" },
		{ QUERY "{ measures: [a.b], include: [sql] } }]\n", "unknown key" },
		{ QUERY "{ measures: a.b } }]\n", "list of at most 50 texts or mappings as query.measures" },
		{ QUERY "{ measures: [a.b], filters: [{ a: b }] } }]\n", "list of at most 50 texts as query.filters" },
		{ QUERY "{ measures: [a.b], limit: 1001 } }]\n", "whole number from 1 to 1000 as limit" },
		{ QUERY "{ measures: [a.b], filters: ['a.c = :m'] }" N " } } }]\n",
		    "none of the query's filters has :n" },
		{ QUERY "{ measures: [a.b], filters: ['a.c = :n'], limit: 9 }" N " } } }]\n", NULL },
		{ "tools: []\n", NULL },
		{ TOOL N ", values: [1, 2], default: 2, minimum: 1, maximum: 9 } }, scopes: [] }]\n", NULL },
		{ TOOL N ", default: null, values: { dimension: a.b } } }, title: T, max_rows: 3 }]\n", NULL },
	};
	char text[600];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", SALES, rows[i].text);
		if (load(text) != (rows[i].says == NULL ? 0 : -1))
			fail_msg("%s: %zu issues, %s", rows[i].text, issues.n, issues.n > 0 ? issues.list[0].text : "");
		if (rows[i].says != NULL && strstr(issues.list[0].text, rows[i].says) == NULL)
			fail_msg("%s: %s", rows[i].text, issues.list[0].text);
	}
	assert_int_equal(cfg.tools.n, 1);
	assert_string_equal(cfg.tools.v[0].title, "T");
	assert_int_equal(cfg.tools.v[0].max_rows, 3);
	assert_true(cfg.tools.v[0].parameters[0].optional && cfg.tools.v[0].parameters[0].preset == NULL);
	assert_string_equal(cfg.tools.v[0].parameters[0].dimension, "a.b");
	assert_int_equal(cfg.tools.v[0].scopes.n, 1);
	assert_string_equal(cfg.tools.v[0].scopes.v[0], "research:query");
}

static void
texts_are_checked(void **state)
{
	static const struct {
		const char *section, *key, *good, *bad;
	} rows[] = {
		{ "connectivity", "token_prefix", "ab", "a" },
		{ "connectivity", "token_prefix", "a234567890123456", "a2345678901234567" },
		{ "connectivity", "token_prefix", "x9", "Ab" },
		{ "connectivity", "token_prefix", "crl", "c_rl" },
		{ "connectivity", "token_prefix", "crl", "9ab" },
		{ "connectivity", "token_prefix", "crl", "[crl]" },
		{ "connectivity", "token_prefix", "crl", "cr-l" },
		{ "connectivity", "token_prefix", "crl", "'crl '" },
		{ "auth", "proxy_header", "X-Forwarded-User", "'X Forwarded User'" },
		{ "auth", "proxy_header", "remote_user", "'X-User:'" },
		{ "auth", "proxy_header", "Y", "''" },
		{ "auth", "proxy_header", "X-User", "Authorization" },
		{ "auth", "proxy_header", "X-User", "x-forwarded-for" },
		{ "auth", "proxy_header", "X-User", "Host" },
		{ "auth", "proxy_header", "X-User", "\"X-User\\r\\nA: b\"" },
		{ "auth", "proxy_role", "viewer", "''" },
		{ "", "state", "a.db", "''" },
		{ "", "state", "a/b", "a/" },
		{ "", "state", "..a", "a/.." },
		{ "", "state", "a:b.db", "'postgres://h/d'" },
		{ "", "state", "env:STATE", "{ a: b }" },
		{ "", "state", "cred:state", "'postgres://u:p@h/d'" },
		{ "", "state", "x", "[a]" },
		{ "server", "public_url", "'https://carrel.example'", "carrel.example" },
		{ "server", "public_url", "'http://[::1]:8080/x'", "'ftp://carrel.example'" },
		{ "server", "public_url", "'https://a.example/'", "'https://u:p@a.example'" },
		{ "server", "public_url", "'https://a.example/carrel'", "'https://a.example?x=1'" },
		{ "server", "public_url", "'https://a.example:8443'", "'https://a.example:84430'" },
		{ "server", "public_url", "'https://a.example'", "'https://a.example//x'" },
		{ "server", "public_url", "'https://a.example'", "'https://a.example/../x'" },
		{ "server", "public_url", "'https://a.example'", "'https://:80'" },
		{ "server", "public_url", "'https://a.example'", "\"https://a.example\\r\\nX: y\"" },
		{ "server", "listen", "'unix:/run/c.sock'", "'unix:run/c.sock'" },
		{ "server", "trusted_proxies", "[10.0.0.0/8]", "[10.0.0.0/33]" },
		{ "server", "trusted_proxies", "['fd00::/8', '::ffff:10.0.0.1', 127.0.0.1]", "['fd00::/129']" },
		{ "server", "trusted_proxies", "10.0.0.1", "[proxy.example]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		is_taken(row_of(rows[i].section, rows[i].key), rows[i].good);
		is_refused(row_of(rows[i].section, rows[i].key), rows[i].bad);
	}
}

/* A message is shown on terminals and kept in logs. */
static void
secrets_are_not_repeated(void **state)
{
	static const char *const values[] = { "'postgres://shop:hunter2@db/state'",
		"'postgres://db/state?password=hunter2'" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(load_key("", "state", values[i]), -1);
		assert_null(strstr(err.message, "hunter2"));
	}
	assert_int_equal(load_key("server", "public_url", "'https://u:hunter2@a.example'"), -1);
	assert_null(strstr(err.message, "hunter2"));
	assert_int_equal(load_key("audit", "key", "[hunter2]"), -1);
	assert_null(strstr(err.message, "hunter2"));
	assert_int_equal(load_key("audit", "key", "hunter2"), -1);
	assert_non_null(strstr(err.message, "carrel.yaml:3: audit.key: a literal key"));
	assert_null(strstr(err.message, "hunter2"));
}

/* A typing error must not serve what was to be closed; any other is named with what it resembles. */
static void
misspelt_keys(void **state)
{
	static const struct {
		const char *section, *key, *meant;
		bool refused;
	} rows[] = {
		{ "auth", "tokn", "token", true },
		{ "auth", "Token", "token", true },
		{ "auth", "loopbakc", "loopback", true },
		{ "connectivity", "enabeld", "enabled", true },
		{ "connectivity", "enable", "enabled", true },
		{ "audit", "on-failure", "on_failure", true },
		{ "audit", "durabilty", "durability", true },
		{ "audit", "kye", "key", true },
		{ "memory", "reviews", "review", true },
		{ "", "atuh", "auth", true },
		{ "", "sandbx", "sandbox", true },
		{ "", "conectivity", "connectivity", true },
		{ "", "auditt", "audit", true },
		{ "server", "prot", "port", false },
		{ "limits", "max_row", "max_rows", true },
		{ "limits", "rows", NULL, true },
		{ "oauth", "enabld", "enabled", true },
		{ "oauth", "require_pkce", NULL, true },
		{ "workers", "max_request", "max_requests", false },
		{ "", "limit", "limits", false },
		{ "", "conections", "connections", false },
		{ "server", "speed", NULL, false },
		{ "auth", "x", NULL, true },
		{ "auth", "read_only-true", NULL, true },
		{ "audit", "x", NULL, true },
		{ "", "bogus", NULL, false },
		{ "connectivity", "colour", NULL, true },
		{ "auth", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(load_key(rows[i].section, rows[i].key, "'x'"), rows[i].refused ? -1 : 0);
		assert_int_equal(issues.n, 1);
		assert_int_equal(issues.list[0].line, 3);
		assert_non_null(strstr(issues.list[0].text, rows[i].key));
		assert_non_null(strstr(issues.list[0].text, "unknown key"));
		if (rows[i].meant != NULL && strstr(issues.list[0].text, rows[i].meant) == NULL)
			fail_msg("%s: %s", rows[i].key, issues.list[0].text);
		assert_int_equal(strstr(issues.list[0].text, "meant") != NULL, rows[i].meant != NULL);
	}
	/* Of a connection it costs the connection. */
	assert_int_equal(load("connections:\n  a: { driver: sqlite, path: x.db, query_polcy: semantic-layer-only }\n"
			      "  b: { driver: sqlite, path: x.db, colums: { hide: [a.b] } }\n"
			      "  c: { driver: sqlite, path: x.db, worker: 3 }\n"),
	    0);
	assert_non_null(strstr(cfg.connections[0].unusable, "query_policy"));
	assert_non_null(strstr(cfg.connections[1].unusable, "columns"));
	assert_null(cfg.connections[2].unusable);
	assert_int_equal(issues.n, 3);
}

/* What is unknown in a closed section is told with the file's line and all keys that the section has. */
static void
unknown_keys_of_closed_sections(void **state)
{
	static const char *const sections[] = { "auth", "oauth", "connectivity", "limits", "audit" };

	(void)state;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		assert_int_equal(load_key(sections[i], "zzzzzzzz", "1"), -1);
		assert_int_equal(issues.n, 1);
		assert_int_equal(issues.list[0].line, 3);
		for (const struct config_key *k = config_keys; k->key != NULL; k++)
			if (strcmp(k->section, sections[i]) == 0 && strstr(issues.list[0].text, k->key) == NULL)
				fail_msg("%s lacks %s: %s", sections[i], k->key, issues.list[0].text);
	}
}

/* A connection's key that nobody knows costs the connection if it reads as a protection, and only then. */
static void
unknown_keys_of_connections(void **state)
{
	static const struct {
		const char *key;
		bool refused;
	} rows[] = {
		{ "read_only-true", true },
		{ "read_onyl", true },
		{ "read_only", false },
		{ "readOnly", false },
		{ "ssl_cert", true },
		{ "requireTls", true },
		{ "exclude_tables", true },
		{ "allowedTables", true },
		{ "guard", true },
		{ "hidden-columns", true },
		{ "disable_writes", true },
		{ "securityLevel", true },
		{ "colour", false },
		{ "threads", false },
		{ "dwrites", false },
		{ "colours", false },
		{ "identities", true },
		{ "1", false },
		{ "pool", false },
		{ "comment", false },
		{ "rea", false },
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text),
		    "connections:\n  a:\n    driver: sqlite\n    path: x.db\n    %s: true\n"
		    "  b: { driver: sqlite, path: x.db }\n",
		    rows[i].key);
		assert_int_equal(load(text), 0);
		assert_int_equal(issues.n, 1);
		assert_int_equal(issues.list[0].line, 5);
		assert_non_null(strstr(issues.list[0].text, rows[i].key));
		if ((cfg.connections[0].unusable != NULL) != rows[i].refused)
			fail_msg("%s: %s", rows[i].key, issues.list[0].text);
		assert_null(cfg.connections[1].unusable);
	}
}

/* Whatever is taken as a prefix, no dataset tool has the name of another tool. */
static void
tool_prefixes_clash_with_nothing(void **state)
{
	static const char *const good[] = { "a", "carrel", "shop-2", "my_shop", "q9",
		"s2345678901234567890123456789012" };
	static const char *const bad[] = { "''", "Shop", "2shop", "_a", "a_", "a-", "'a b'", "a.b", "'a/b'", "ä",
		"s23456789012345678901234567890123", "[a]" };
	char prefix[64];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(load_key("surface", "tool_prefix", good[i]), 0);
		assert_int_equal(issues.n, 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (load_key("surface", "tool_prefix", bad[i]) == 0)
			fail_msg("%s is taken", bad[i]);
	for (size_t i = 0; i < policy_ntools; i++)
		for (size_t k = 0; k < policy_ntools; k++) {
			const char *tail = policy_tools[k].name + strlen(TOOL_NAMES_OWN), *name = policy_tools[i].name;
			size_t n = strlen(name);

			if (policy_tools[k].toolset != POLICY_TOOLSET_DATASETS ||
			    policy_tools[i].toolset == POLICY_TOOLSET_DATASETS || n <= strlen(tail) ||
			    strcmp(name + n - strlen(tail), tail) != 0)
				continue;
			snprintf(prefix, sizeof(prefix), "%.*s", (int)(n - strlen(tail)), name);
			if (load_key("surface", "tool_prefix", prefix) == 0)
				fail_msg("%s makes a second %s", prefix, name);
		}
}

/* The reference names each once. */
static void
the_reference_is_complete(void **state)
{
	struct buf out = { 0 };
	char line[128];
	const char *at;

	(void)state;
	config_reference(&out);
	for (const struct config_key *k = config_keys; k->key != NULL; k++) {
		snprintf(line, sizeof(line), "\n%s%s%s\n", k->section, *k->section != '\0' ? "." : "", k->key);
		at = strstr(buf_cstr(&out), line);
		if (at == NULL || strstr(at + 1, line) != NULL)
			fail_msg("%s stands there not at all, or twice", line);
	}
	buf_fini(&out);
}

int
main(void)
{
#define T(f)	cmocka_unit_test_teardown(f, teardown)
	const struct CMUnitTest tests[] = {
		T(numbers_have_their_bounds), T(words_and_flags), T(a_switch_has_three_positions), T(the_defaults),
		T(each_key_has_its_field), T(oauth_is_checked_as_a_whole),
		T(ontologies_are_checked), T(tools_are_checked),
		T(texts_are_checked), T(secrets_are_not_repeated),
		T(ontologies_are_checked), T(texts_are_checked), T(secrets_are_not_repeated),
		T(misspelt_keys),
		T(unknown_keys_of_closed_sections),
		T(unknown_keys_of_connections),
		T(the_reference_is_complete),
		T(tool_prefixes_clash_with_nothing),
	};

	return cmocka_run_group_tests(tests, setup_dir, teardown_dir);
}
