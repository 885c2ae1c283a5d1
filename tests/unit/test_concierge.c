// libs: carrel_test_support carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_concierge.c - the connectivity tools of carrel-auth: who may, what they answer, and that none has a secret. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json/json_read.h"
#include "base/json/json_schema.h"
#include "project/format/atomic.h"
#include "project/platforms.h"
#include "tests/support/child_driver.h"
#include "workers/auth/store/store_user.h"
#include "workers/auth/store/sqlite/store_sqlite.h"

static char dir[] = "/tmp/carrel-concierge-XXXXXX";
static struct driver *d;
static struct buf tools;	/* TOOLS as msgpack */

static void
make_file(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static void
start(unsigned connectivity)
{
	static const uint8_t key[32] = { 1, 2, 3 };
	char state[128];
	struct ipc_configure_auth m = {
		.project_dir = SPAN("/srv/project"), .token_key = { key, 32 }, .audit_mac_key = { key, 32 },
		.audit_sign_seed = { key, 32 }, .refresh_key = { key, 32 }, .seal_key = { key, 32 },
		.audit_retention_days = 10, .token_prefix = SPAN("crlmcp"), .connectivity = connectivity,
		.bind_host = SPAN("127.0.0.1"), .port = 7878, .max_tokens = 3, .in_flight = 3, .auth_failures_per_min
		    = 5,
		.block_s = 300, .code_ttl_s = 60, .access_ttl_s = 900, .refresh_ttl_days = 14, .refresh_max_days = 90,
		.register_per_min = 10, .authorize_per_min = 10, .session_h = 12, .redirect_schemes = SPAN("\x90"),
		.preferences = SPAN("\x80"), .page_keys = SPAN("\x80"), .oidc_roles = SPAN("\x80"),
		.issuers = SPAN("\x90"), .roles = SPAN("\x80"), .team = SPAN("\x80"),
		.local_key = { driver_local_key, PROOF_KEY }, .memory_max = UINT64_C(8)
		    << 30,
	};
	size_t at;

	snprintf(state, sizeof(state), "%s/state.db", dir);
	m.state = span_str(state);
	d = driver_spawn(BIN_DIR "/carrel-auth", IPC_AUTH, NULL);
	if (!driver_configure(d, IPC_MSG_CONFIGURE_AUTH, &m))
		fail_msg("not ready: %s\n%s", driver_reason(d), driver_log(d));
	driver_attach(d);
	tools.len = 0;
	assert_int_equal(json_read(span_str(driver_tools(d)), &tools, &at), JSON_OK);
	driver_set_principal(d, "user:anna");
	driver_set_scopes(d, POLICY_SCOPES_ADMIN);
}

static void
add_user(const char *name, const char *role, bool disabled)
{
	struct store_user u = { .disabled = disabled };
	char state[128];
	struct store *s;
	struct err err;

	snprintf(state, sizeof(state), "%s/state.db", dir);
	snprintf(u.name, sizeof(u.name), "%s", name);
	snprintf(u.role, sizeof(u.role), "%s", role);
	s = store_open(state, false, &err);
	if (s == NULL || store_user_add(s, &u, &err) != 0)
		fail_msg("%s", err.message);
	store_close(s);
}

static int
set_up(void **state)
{
	(void)state;
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
	if (mkdtemp(dir) == NULL)
		return -1;
	make_file("state.db");
	make_file("state.db-wal");
	make_file("state.db-shm");
	make_file("state.db-before");
	add_user("anna", "admin", false);
	add_user("bert", "contributor", false);
	add_user("cleo", "admin", true);
	start(0);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	driver_shutdown(d, 1000);
	if (driver_exit_code(d) != EXIT_STOPPED)
		fail_msg("ended with %d:\n%s", driver_exit_code(d), driver_log(d));
	driver_free(d);
	buf_fini(&tools);
	return atomic_remove(AT_FDCWD, dir, NULL);
}

/* What was announced of a tool. */
static struct mp_value
announced(const char *name)
{
	struct mp_value all, each;
	struct mp_iter it;

	assert_true(mp_value(buf_view(&tools), &all));
	for (it = mp_iter(&all); mp_next(&it, &each);)
		if (span_is_str(mp_get_str(&each, "name", SPAN("")), name))
			return each;
	fail_msg("%s is not announced", name);
	return each;
}

/* The answer fits what was announced, and holds no secret of any token. */
static struct mp_value
parse(const char *tool, const char *text)
{
	static struct buf room;
	struct mp_value value, schema, row = announced(tool);
	struct schema_result issues = { .total = 0 };
	size_t at;

	buf_reset(&room, SIZE_MAX);
	assert_int_equal(json_read(span_str(text), &room, &at), JSON_OK);
	assert_true(mp_value(buf_view(&room), &value));
	if (mp_get(&row, "outputSchema", &schema) && !schema_check(&schema, &value, &issues))
		fail_msg("%s: %s %s in %s", tool, issues.issues[0].path, issues.issues[0].problem, text);
	assert_null(strstr(text, "crlmcp_"));
	return value;
}

static struct mp_value
call(const char *tool, const char *arguments)
{
	const struct driver_answer *a = driver_call(d, tool, "", arguments);

	if (a->kind != DRIVER_RESULT)
		fail_msg("%s %s: %s", tool, arguments, a->message);
	return parse(tool, a->result);
}

static void
assert_fails(const char *tool, const char *arguments, const char *code)
{
	const struct driver_answer *a = driver_call(d, tool, "", arguments);

	if (a->kind != DRIVER_FAIL || strcmp(a->code, code) != 0)
		fail_msg("%s %s: %s, not %s", tool, arguments, a->kind == DRIVER_FAIL ? a->code : a->result, code);
}

static const char *const names[] = { "connectivity_status", "connectivity_enable", "connectivity_disable",
	"connectivity_create_token", "connectivity_revoke_token", "connectivity_generate_setup", "connectivity_test" };
static const char *const arguments[] = { "{}", "{}", "{}", "{\"label\":\"x\"}", "{\"token_id\":\"x\"}",
	"{\"platform\":\"cursor\"}", "{\"token_id\":\"x\"}" };

/* A user with the scope; not the owner without his proof, no token, and nobody without the scope. */
static void
test_who_may(void **state)
{
	static const char *const others[] = { "local:1000", "cli:1000", "static", "token:7fKq2LmX", "users:anna",
		"user:bert", "user:cleo", "user:nobody", "user:" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
			driver_set_principal(d, others[j]);
			assert_fails(names[i], arguments[i], "scope_denied");
		}
		driver_set_principal(d, "user:anna");
		driver_set_scopes(d, POLICY_SCOPES_ALL & ~(uint32_t)POLICY_SCOPE_CONNECTIVITY_ADMIN);
		assert_fails(names[i], arguments[i], "scope_denied");
		driver_set_scopes(d, POLICY_SCOPES_ADMIN);
	}
	assert_int_equal(call("connectivity_status", "{}").n, 6);
}

static void
test_hints(void **state)
{
	static const unsigned hints[] = {
		TOOL_READ_ONLY | TOOL_IDEMPOTENT, TOOL_IDEMPOTENT, TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT,
		TOOL_NOT_IDEMPOTENT, TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT, TOOL_NOT_IDEMPOTENT,
		TOOL_READ_ONLY | TOOL_NOT_IDEMPOTENT
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct mp_value row = announced(names[i]), schema;

		assert_int_equal(mp_get_uint(&row, "hints", 0), hints[i]);
		assert_true(mp_get(&row, "outputSchema", &schema));
		assert_true(mp_get_str(&row, "description", SPAN("")).len > 60);
	}
}

static void
test_switch(void **state)
{
	struct mp_value v = call("connectivity_status", "{}");

	(void)state;
	assert_false(mp_get_bool(&v, "enabled", true));
	assert_int_equal(mp_get_uint(&v, "port", 0), 7878);
	v = call("connectivity_enable", "{}");
	assert_true(mp_get_bool(&v, "enabled", false));
	v = call("connectivity_enable", "{}");
	assert_true(mp_get_bool(&v, "enabled", false));
	v = call("connectivity_disable", "{}");
	assert_false(mp_get_bool(&v, "enabled", true));
	v = call("connectivity_status", "{}");
	assert_false(mp_get_bool(&v, "enabled", true));
}

/* Where the configuration says, nobody else does. */
static void
test_configured(void **state)
{
	(void)state;
	driver_shutdown(d, 1000);
	assert_int_equal(driver_exit_code(d), EXIT_STOPPED);
	driver_free(d);
	start(1);
	assert_fails("connectivity_enable", "{}", "invalid_arguments");
}

static void
test_tokens(void **state)
{
	struct mp_value v = call("connectivity_create_token", "{\"label\":\"board\"}"), list;
	char id[16], text[128];

	(void)state;
	snprintf(id, sizeof(id), "%.*s", SPAN_FMT(mp_get_str(&v, "token_id", SPAN(""))));
	assert_int_equal(strlen(id), 8);
	assert_true(span_is(mp_get_str(&v, "state", SPAN("")), SPAN("pending")));
	snprintf(text, sizeof(text), "carrel token reveal %s", id);
	assert_true(span_is_str(mp_get_str(&v, "reveal", SPAN("")), text));
	assert_true(mp_get(&v, "scopes", &list) && list.n == 4);
	assert_int_equal(v.n, 5);
	v = call("connectivity_create_token", "{\"label\":\"other\",\"scopes\":[\"ext:sql\",\"research:read\"]}");
	assert_true(mp_get(&v, "scopes", &list) && list.n == 2);
	assert_fails("connectivity_create_token", "{\"label\":\"x\",\"scopes\":[\"connectivity:admin\"]}",
	    "invalid_arguments");
	assert_fails("connectivity_create_token", "{\"label\":\"x\",\"scopes\":[\"*\"]}", "invalid_arguments");
	assert_fails("connectivity_create_token", "{\"label\":\" x\"}", "invalid_arguments");
	(void)call("connectivity_create_token", "{\"label\":\"third\"}");
	assert_fails("connectivity_create_token", "{\"label\":\"fourth\"}", "invalid_arguments");
	assert_fails("connectivity_revoke_token", "{\"token_id\":\"nothing\"}", "invalid_arguments");
	snprintf(text, sizeof(text), "{\"token_id\":\"%s\"}", id);
	for (unsigned i = 0; i < 2; i++) {
		v = call("connectivity_revoke_token", text);
		assert_true(mp_get_bool(&v, "revoked", false));
		assert_true(span_is_str(mp_get_str(&v, "id", SPAN("")), id));
	}
	snprintf(text, sizeof(text), "{\"platform\":\"cursor\",\"token_id\":\"%s\"}", id);
	assert_fails("connectivity_generate_setup", text, "invalid_arguments");
}

static void
assert_tokens(size_t n)
{
	struct mp_value v = call("connectivity_status", "{}"), list, t;
	struct mp_iter it;

	assert_true(mp_get(&v, "tokens", &list));
	assert_int_equal(list.n, n);
	for (it = mp_iter(&list); mp_next(&it, &t);)
		assert_int_equal(mp_get_str(&t, "secret_last4", SPAN("")).len, 0);
}

static void
test_setup(void **state)
{
	char text[128];

	(void)state;
	(void)call("connectivity_create_token", "{\"label\":\"board\"}");
	/* A token is made where none is named, without a secret, and not for a program that signs in by OAuth. */
	(void)call("connectivity_generate_setup", "{\"platform\":\"chatgpt_desktop\"}");
	assert_tokens(1);
	(void)call("connectivity_generate_setup", "{\"platform\":\"cursor\"}");
	assert_tokens(2);
	(void)call("connectivity_generate_setup", "{\"platform\":\"cursor\",\"token_id\":\"cursor\"}");
	assert_tokens(2);
	for (size_t i = 0; i < PLATFORMS; i++) {
		snprintf(text, sizeof(text), "{\"platform\":\"%s\",\"token_id\":\"board\"}", platforms[i].name);
		(void)call("connectivity_generate_setup", text);
	}
	assert_fails("connectivity_generate_setup", "{\"platform\":\"cursor\",\"token_id\":\"none\"}",
	    "invalid_arguments");
}

/* Every name that the schema allows is a platform, and the other way round. */
static void
test_platform_names(void **state)
{
	struct mp_value row = announced("connectivity_generate_setup"), schema, properties, platform, list, name;
	struct mp_iter it;
	size_t n = 0;

	(void)state;
	assert_true(mp_get(&row, "inputSchema", &schema) && mp_get(&schema, "properties", &properties) &&
	    mp_get(&properties, "platform", &platform) && mp_get(&platform, "enum", &list));
	for (it = mp_iter(&list); mp_next(&it, &name); n++)
		assert_non_null(platform_named(name.s));
	assert_int_equal(n, PLATFORMS);
}

static size_t
count_of(const struct mp_value *v, const char *name)
{
	struct mp_value list;

	assert_true(mp_get(v, name, &list));
	return list.n;
}

static void
test_check(void **state)
{
	struct mp_value v;

	(void)state;
	assert_fails("connectivity_test", "{\"token_id\":\"none\"}", "invalid_arguments");
	(void)call("connectivity_create_token", "{\"label\":\"board\"}");
	v = call("connectivity_test", "{\"token_id\":\"board\"}");
	assert_false(mp_get_bool(&v, "token_valid", true));
	assert_int_equal(count_of(&v, "errors"), 2);
	assert_true(count_of(&v, "recommendations") >= 2);
	(void)call("connectivity_enable", "{}");
	v = call("connectivity_test", "{\"token_id\":\"board\"}");
	assert_false(mp_get_bool(&v, "token_valid", true));
	assert_int_equal(count_of(&v, "errors"), 1);
	driver_set_scopes(d, POLICY_SCOPE_LOCAL);
	assert_int_equal(driver_call(d, "token_reveal", "", "{\"id\":\"board\"}")->kind, DRIVER_RESULT);
	driver_set_scopes(d, POLICY_SCOPES_ADMIN);
	v = call("connectivity_test", "{\"token_id\":\"board\"}");
	assert_true(mp_get_bool(&v, "token_valid", false));
	assert_int_equal(count_of(&v, "errors"), 0);
	assert_int_equal(count_of(&v, "scopes"), 4);
}

/* On record as the user's, over MCP. */
static void
test_on_record(void **state)
{
	const char *page;

	(void)state;
	(void)call("connectivity_enable", "{}");
	(void)call("connectivity_create_token", "{\"label\":\"board\"}");
	driver_set_scopes(d, POLICY_SCOPE_LOCAL);
	page = driver_call(d, "audit_page", "", "{\"principal\":\"user:anna\"}")->result;
	assert_non_null(strstr(page, "connectivity.enable"));
	assert_non_null(strstr(page, "token.create"));
	assert_non_null(strstr(page, "\\\"surface\\\":\\\"mcp\\\""));
	assert_null(strstr(page, "\\\"surface\\\":\\\"cli\\\""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_who_may),
		TEST(test_hints),
		TEST(test_switch),
		TEST(test_configured),
		TEST(test_tokens),
		TEST(test_setup),
		TEST(test_platform_names),
		TEST(test_check),
		TEST(test_on_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
