// libs: carrel_project carrel_base
/* test_platforms.c - how programs are set up: each configuration has the shape its client reads, and no secret. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/mp.h"
#include "project/agents.h"
#include "project/platforms.h"

#define MCP	"http://127.0.0.1:7878/mcp"

#define TEXT(text)	{ (const uint8_t *)(text), sizeof(text) - 1 }

static const struct platform_dataset datasets[] = {
	{ TEXT("5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11"), TEXT("Stations"), TEXT("where\nthey are"), 412,
	  true },
	{ TEXT("00000000-0000-4000-8000-000000000001"), TEXT("Trips"), TEXT(""), 0, false },
};

static const struct platform_server on = {
	.url = "http://127.0.0.1:7878", .project_dir = "/srv/data \"x\"", .enabled = true, .token_id = "7fKq2LmX",
	.token_state = "active", .datasets = datasets, .ndatasets = 2,
};
static const struct platform_server off = { .url = "https://data.example.org/c", .project_dir = "/p" };

static char *
config_of(const char *name, const struct platform_server *s)
{
	struct buf out = { .max = 0 };
	char *text;

	platform_config(platform_named(span_str(name)), s, &out);
	text = strdup(buf_cstr(&out));
	buf_fini(&out);
	return text;
}

static struct mp_value
parse(const char *text, struct buf *room)
{
	struct mp_value v = { .class = MP_NIL };
	size_t at;

	if (json_read(span_str(text), room, &at) != JSON_OK || !mp_value(buf_view(room), &v))
		fail_msg("no JSON: %s", text);
	return v;
}

static void
assert_text(const struct mp_value *of, const char *name, const char *wanted)
{
	struct span found = mp_get_str(of, name, SPAN("(none)"));

	if (!span_is_str(found, wanted))
		fail_msg("%s is %.*s, not %s", name, SPAN_FMT(found), wanted);
}

/* What each client reads: the member its servers are in, where the URL is, what else, how it names variables. */
static const struct {
	const char *platform, *member, *url, *type, *bearer;
} shapes[] = {
	{ "claude_code", "mcpServers", "url", "http", "Bearer ${CARREL_MCP_TOKEN}" },
	{ "cursor", "mcpServers", "url", NULL, "Bearer ${env:CARREL_MCP_TOKEN}" },
	{ "opencode", "mcp", "url", "remote", "Bearer {env:CARREL_MCP_TOKEN}" },
	{ "gemini", "mcpServers", "httpUrl", NULL, "Bearer ${CARREL_MCP_TOKEN}" },
	{ "vscode", "servers", "url", "http", "Bearer ${env:CARREL_MCP_TOKEN}" },
	{ "windsurf", "mcpServers", "serverUrl", NULL, "Bearer ${env:CARREL_MCP_TOKEN}" },
};

static void
test_remote_entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct buf room = { .max = 0 };
		char *text = config_of(shapes[i].platform, &on);
		struct mp_value file = parse(text, &room), servers, entry, headers;

		assert_true(mp_get(&file, shapes[i].member, &servers));
		assert_int_equal(servers.n, 1);
		assert_true(mp_get(&servers, "carrel", &entry));
		assert_text(&entry, shapes[i].url, MCP);
		assert_text(&entry, "type", shapes[i].type != NULL ? shapes[i].type : "(none)");
		assert_true(mp_get(&entry, "headers", &headers));
		assert_int_equal(headers.n, 1);
		assert_text(&headers, "Authorization", shapes[i].bearer);
		assert_int_equal(entry.n, 2 + (shapes[i].type != NULL) + (strcmp(shapes[i].platform, "opencode") == 0));
		free(text);
		buf_fini(&room);
	}
}

/* Clients that cannot refer to a variable start Carrel, which reads the token from a file. */
static void
test_started_entries(void **state)
{
	static const char *const names[][2] = { { "claude_desktop", "mcpServers" }, { "zed", "context_servers" } };
	static const char *const wanted[] = { "--project-dir", "/srv/data \"x\"", "mcp", "stdio", "--token-file",
		"/srv/data \"x\"/.carrel/secrets/mcp-token" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct buf room = { .max = 0 };
		char *text = config_of(names[i][0], &on);
		struct mp_value file = parse(text, &room), servers, entry, args, arg;
		struct mp_iter it;
		size_t n = 0;

		assert_true(mp_get(&file, names[i][1], &servers));
		assert_true(mp_get(&servers, "carrel", &entry));
		assert_text(&entry, "command", "carrel");
		assert_true(mp_get(&entry, "args", &args));
		for (it = mp_iter(&args); mp_next(&it, &arg); n++)
			assert_true(n < 6 && span_is_str(arg.s, wanted[n]));
		assert_int_equal(n, 6);
		assert_int_equal(entry.n, 2);
		free(text);
		buf_fini(&room);
	}
}

static void
test_others(void **state)
{
	char *text = config_of("codex", &on);

	(void)state;
	assert_string_equal(text,
	    "[mcp_servers.carrel]\nurl = \"" MCP "\"\nbearer_token_env_var = \"CARREL_MCP_TOKEN\"\n");
	free(text);
	text = config_of("chatgpt_desktop", &off);
	assert_non_null(strstr(text, "https://data.example.org/c/mcp\n"));
	free(text);
	text = config_of("openai_custom_gpt", &off);
	assert_non_null(strstr(text, "https://data.example.org/c/api/v1/ext/openapi.json\n"));
	free(text);
	text = config_of("generic_rest", &on);
	assert_non_null(strstr(text, "$CARREL_MCP_TOKEN\" http://127.0.0.1:7878/api/v1/ext/datasets\n"));
	free(text);
	text = config_of("opencode", &on);
	assert_non_null(strstr(text, "\"$schema\": \"https://opencode.ai/config.json\""));
	free(text);
}

/* Steps from one on, each with what shows that it is done; a place on every system, or none at all. */
static void
check_guide(const struct platform *p, const struct platform_server *s)
{
	struct buf out = { .max = 0 }, text = { .max = 0 };
	struct mp_value guide, steps, step, places, troubles;
	struct mp_iter it;
	size_t n = 0;

	platform_guide(p, s, &out);
	assert_true(mp_value(buf_view(&out), &guide));
	assert_true(mp_get(&guide, "steps", &steps) && mp_get(&guide, "troubleshooting", &troubles));
	for (it = mp_iter(&steps); mp_next(&it, &step);) {
		assert_int_equal(mp_get_uint(&step, "step", 0), ++n);
		assert_true(mp_get_str(&step, "instruction", SPAN("")).len > 10);
		assert_true(mp_get_str(&step, "validation", SPAN("")).len > 15);
	}
	assert_true(n >= 4 && troubles.n >= 6);
	assert_true(mp_get_str(&guide, "config", SPAN("")).len > 0);
	assert_true(mp_get(&guide, "config_file_paths", &places));
	assert_int_equal(mp_get_str(&places, "linux", SPAN("")).len > 0, p->way == PLATFORM_FILE);
	assert_int_equal(mp_get_str(&places, "macos", SPAN("")).len > 0, p->way == PLATFORM_FILE);
	assert_int_equal(mp_get_str(&places, "windows", SPAN("")).len > 0, p->way == PLATFORM_FILE);
	assert_int_equal(mp_get_str(&guide, "config_file_path", SPAN("")).len > 0, p->way == PLATFORM_FILE);
	json_write(&text, &guide);
	assert_null(strstr(buf_cstr(&text), "crlmcp_"));
	assert_int_equal(strstr(buf_cstr(&text), "carrel connectivity enable`.\",\"val") != NULL, !s->enabled);
	buf_fini(&text);
	buf_fini(&out);
}

static void
test_guides(void **state)
{
	struct platform_server pending = on;

	(void)state;
	pending.token_state = "pending";
	for (size_t i = 0; i < PLATFORMS; i++) {
		assert_ptr_equal(platform_named(span_str(platforms[i].name)), &platforms[i]);
		assert_int_equal(platforms[i].agent != NULL, platforms[i].way == PLATFORM_FILE);
		assert_true(platforms[i].agent == NULL || agent_target(platforms[i].agent) != NULL);
		check_guide(&platforms[i], &on);
		check_guide(&platforms[i], &off);
		check_guide(&platforms[i], &pending);
	}
	assert_null(platform_named(SPAN("claude")));
	assert_null(platform_named(SPAN("")));
}

static void
test_prompt(void **state)
{
	struct buf out = { .max = 0 };

	(void)state;
	platform_prompt(NULL, &on, &out);
	assert_non_null(strstr(buf_cstr(&out), "Base URL: http://127.0.0.1:7878/api/v1/ext\n"));
	assert_non_null(strstr(buf_cstr(&out), "`POST /sql`"));
	assert_non_null(strstr(buf_cstr(&out),
	    "- Stations (id 5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11, in SQL dataset_5f3b6c1e_8a54_4f0b_9a52_0d9e4b7c2f11, "
	    "412 rows): where they are\n"));
	assert_non_null(strstr(buf_cstr(&out), "dataset_00000000_0000_4000_8000_000000000001)\n"));
	buf_reset(&out, SIZE_MAX);
	platform_prompt(platform_named(SPAN("cursor")), &off, &out);
	assert_non_null(strstr(buf_cstr(&out), "`carrel_list_datasets`"));
	assert_null(strstr(buf_cstr(&out), "Base URL"));
	assert_non_null(strstr(buf_cstr(&out), "Nothing is published"));
	buf_fini(&out);
}

static void
test_origins(void **state)
{
	static const struct {
		const char *public_url, *host, *origin;
	} rows[] = {
		{ "", "127.0.0.1", "http://127.0.0.1:7878" },
		{ "", "0.0.0.0", "http://127.0.0.1:7878" },
		{ "", "::", "http://127.0.0.1:7878" },
		{ "", "::1", "http://[::1]:7878" },
		{ "", "data.lan", "http://data.lan:7878" },
		{ "https://x.example/", "127.0.0.1", "https://x.example" },
		{ "https://x.example/sub", "::", "https://x.example/sub" },
	};
	struct buf out = { .max = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_reset(&out, SIZE_MAX);
		platform_origin(rows[i].public_url, rows[i].host, 7878, &out);
		assert_string_equal(buf_cstr(&out), rows[i].origin);
	}
	buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remote_entries),
		cmocka_unit_test(test_started_entries),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_guides),
		cmocka_unit_test(test_prompt),
		cmocka_unit_test(test_origins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
