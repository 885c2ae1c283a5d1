#include <string.h>
#include <sys/utsname.h>

#include "base/system/clock.h"
#include "base/json/json_put.h"
#include "cli/admin_commands.h"
#include "cli/arguments.h"
#include "cli/doctor/cmd_doctor.h"
#include "cli/output.h"
#include "policy/tool_names.h"
#include "project/config/config.h"
#include "project/platforms.h"
#include "cli/args.h"
#include "cli/admin/cmd_connectivity.h"
#include "cli/say.h"

#define ERRORS_MAX	20u	/* entries of the audit in a bundle */

/* The platform of that name; NULL after an error message with those there are. */
static const struct platform *
platform_asked(const char *name)
{
	const struct platform *p = platform_named(span_str(name));
	struct buf names = { 0 };

	if (p != NULL)
		return p;
	platform_names(&names);
	(void)cli_fail(CLI_USAGE, "there is no such platform; there are %s", buf_cstr(&names));
	buf_fini(&names);
	return NULL;
}

static int
print_safe(const char *before, const char *text, bool lines)
{
	struct buf safe = { 0 };
	int code;

	table_safe(span_str(text), lines, &safe);
	code = cli_print("%s%s\n", before, buf_cstr(&safe));
	buf_fini(&safe);
	return code;
}

static int
show_list(struct cli *cli, const char *heading, struct view list)
{
	struct view_iter it = view_iter(list);
	struct view each;
	int code = view_count(list) == 0 ? CLI_OK : cli_print("\n%s\n", heading);

	while (code == CLI_OK && view_next(&it, &each))
		code = print_safe("  - ", view_cstr(cli->arena, each, ""), false);
	return code;
}

static int
show_guide(struct cli *cli, struct view guide)
{
	struct view_iter it = view_iter(view_get(guide, "steps"));
	const char *prompt = view_cstr(cli->arena, view_get(guide, "system_prompt"), NULL);
	struct view step;
	int code = CLI_OK;

	while (code == CLI_OK && view_next(&it, &step)) {
		const char *config = view_cstr(cli->arena, view_get(step, "config"), NULL);

		code = cli_print("%s. %s\n", view_cstr(cli->arena, view_get(step, "step"), ""),
		    view_cstr(cli->arena, view_get(step, "instruction"), ""));
		if (code == CLI_OK && config != NULL)
			code = cli_print("\n%s\n", config);
		if (code == CLI_OK)
			code = cli_print("   Check: %s\n", view_cstr(cli->arena, view_get(step, "validation"), ""));
	}
	if (code == CLI_OK)
		code = show_list(cli, "When it does not work:", view_get(guide, "troubleshooting"));
	if (code == CLI_OK && prompt != NULL)
		code = print_safe("\nWhat the model is told:\n\n", prompt, true);
	return code;
}

int
cmd_connectivity_setup(struct cli *cli)
{
	const char *token = cli_option(cli, "token"), *platform = cli_operand(cli, 0);
	struct arguments m;

	if (platform_asked(platform) == NULL)
		return CLI_USAGE;
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "platform"), platform);
	if (token != NULL)
		mp_put_cstr(arguments_key(&m, "token_id"), token);
	return admin_send(cli, "connectivity_guide", &m, show_guide);
}

/* These members of from, as far as it has them. */
static void
copy_members(struct buf *out, struct view from, const char *const *names)
{
	for (; *names != NULL; names++) {
		struct view v = view_get(from, *names);

		if (v.kind != VIEW_NONE)
			json_put_raw(out, *names, v.raw);
	}
}

/* An object of them. */
static void
copy_object(struct buf *out, const char *key, struct view from, const char *const *names)
{
	json_put_object(out, key);
	copy_members(out, from, names);
	json_end_object(out);
}

static int
show_check(struct cli *cli, struct view r)
{
	int code = cli_print("the token %s; %s datasets are open to it%s\n",
	    view_true(view_get(r, "token_valid")) ? "is good now" : "cannot be used now",
	    view_cstr(cli->arena, view_get(r, "datasets_accessible"), "0"),
	    view_true(view_get(r, "sample_query_ok")) ? ", and a sample query works" : "");

	if (code == CLI_OK)
		code = show_list(cli, "What is wrong:", view_get(r, "errors"));
	return code == CLI_OK ? show_list(cli, "What to do:", view_get(r, "recommendations")) : code;
}

/* Count the rows of the published datasets: whether any of their workers answers, and after how long. */
static bool
sample_query(struct client *c, uint64_t *ms)
{
	uint64_t began = clock_ns();
	struct view result, each;
	struct view_iter it;
	struct err err;
	bool answers = false;

	if (client_tool(c, "dataset_list", MP_EMPTY_MAP, NULL, NULL, &result, &err) != 0)
		return false;
	for (it = view_iter(view_get(result, "datasets")); view_next(&it, &each);)
		answers |= view_get(each, "row_count").kind == VIEW_NUMBER;
	*ms = (clock_ns() - began) / CLOCK_MS;
	return answers;
}

/* Combines carrel-auth's findings about the token with the result of a test query. */
static int
check_token(struct client *c, struct span arguments, struct buf *out, struct err *err)
{
	static const char *const before[] = { "token_valid", "scopes", "datasets_accessible", NULL };
	static const char *const after[] = { "errors", "recommendations", NULL };
	struct buf tail = { 0 };
	struct view result;
	uint64_t ms;
	bool answers;

	if (client_tool(c, "connectivity_check", arguments, NULL, NULL, &result, err) != 0)
		return -1;
	json_put_object(out, NULL);
	copy_members(out, result, before);
	copy_members(&tail, result, after); /* the next answer takes the place of this one */
	ms = view_uint(view_get(result, "latency_ms"), 0);
	answers = view_uint(view_get(result, "datasets_accessible"), 0) > 0 && sample_query(c, &ms);
	json_put_bool(out, "sample_query_ok", answers);
	json_put_uint(out, "latency_ms", ms);
	json_put_members(out, buf_view(&tail));
	buf_fini(&tail);
	json_end_object(out);
	return 0;
}

int
cmd_connectivity_test(struct cli *cli)
{
	struct buf out = { 0 };
	struct arguments m;
	struct client c;
	struct err err;
	int code;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "token_id"), cli_operand(cli, 0));
	if (check_token(&c, arguments_end(&m), &out, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else
		code = cli->json ? cli_json(buf_view(&out)) : show_check(cli, view_of(buf_view(&out)));
	client_close(&c);
	buf_fini(&m.mp);
	buf_fini(&out);
	return code;
}

/* Only named members of an answer go into the bundle: none of them is a secret, a statement or a row. */

static void
copy_tokens(struct buf *out, struct view list, const char *const *names)
{
	struct view_iter it = view_iter(list);
	struct view each;

	json_put_list(out, "tokens");
	while (view_next(&it, &each))
		copy_object(out, NULL, each, names);
	json_end_list(out);
}

static void
put_versions(struct buf *out)
{
	struct buf text = { 0 };
	struct utsname u;
	char now[25];

	clock_iso8601(clock_unix_ms(), now);
	json_put_cstr(out, "generated_at", now);
	json_put_object(out, "versions");
	json_put_cstr(out, "carrel", CARREL_VERSION);
	if (uname(&u) == 0)
		buf_printf(&text, "%s %s %s", u.sysname, u.release, u.machine);
	json_put_cstr(out, "system", text.len > 0 ? buf_cstr(&text) : NULL);
	json_end_object(out);
	buf_fini(&text);
}

static int
put_status(struct client *c, struct buf *out, struct err *err)
{
	static const char *const members[] = { "enabled", "bind_host", "port", "metrics", "recent_queries", NULL };
	static const char *const tokens[] = { "id", "state", "scopes", "created_at", "expires_at", "last_used_at",
		"request_count", NULL };
	struct view status;

	if (client_tool(c, "connectivity_state", MP_EMPTY_MAP, NULL, NULL, &status, err) != 0)
		return -1;
	copy_object(out, "status", status, members);
	copy_tokens(out, view_get(status, "tokens"), tokens);
	return 0;
}

/* The newest calls that failed, without what they asked. */
static int
put_errors(struct client *c, struct buf *out, struct err *err)
{
	static const char *const members[] = { "at", "receipt", "surface", "action", "target", "outcome", "code",
		"duration_ms", NULL };
	struct buf args = { 0 }, text = { 0 };
	struct view page, row, cell;
	struct view_iter rows, cells;
	int result;

	mp_put_pairs(&args, mp_uint("from", ((uint64_t)1 << 53) - 1), mp_bool("down", true),
	    mp_uint("limit", ERRORS_MAX), mp_cstr("outcome", "error"));
	result = client_tool(c, "audit_page", buf_view(&args), NULL, NULL, &page, err);
	json_put_list(out, "last_errors");
	for (rows = view_iter(view_get(page, "entries")); result == 0 && view_next(&rows, &row);) {
		cells = view_iter(row);
		if (!view_next(&cells, &cell) || !view_next(&cells, &cell))
			continue;
		buf_reset(&text, SIZE_MAX);
		view_text(cell, &text);
		copy_object(out, NULL, view_of(buf_view(&text)), members);
	}
	json_end_list(out);
	buf_fini(&text);
	buf_fini(&args);
	return result;
}

static int
put_bundle(struct cli *cli, struct buf *out)
{
	struct client c;
	struct err err;
	int result;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	json_put_object(out, NULL);
	put_versions(out);
	result = put_status(&c, out, &err) != 0 ? -1 : put_errors(&c, out, &err);
	client_close(&c);
	if (result != 0)
		return cli_fail(CLI_FAILED, "%s", err.message);
	json_put_key(out, "doctor");
	doctor_report(cli, out);
	json_end_object(out);
	return CLI_OK;
}

static int
write_bundle(const char *path, struct span text)
{
	int code = output_write(path, text);

	if (code == CLI_OK)
		cli_note("%s holds no secret, no statement and no row; read it before you send it on", path);
	return code;
}

int
cmd_connectivity_diagnose(struct cli *cli)
{
	const char *path = cli_option(cli, "output");
	struct buf out = { 0 };
	int code = put_bundle(cli, &out);

	if (code == CLI_OK && path != NULL && strcmp(path, "-") != 0) {
		buf_byte(&out, '\n');
		code = write_bundle(path, buf_view(&out));
	} else if (code == CLI_OK)
		code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}

static int
print_prompt(struct cli *cli, struct buf *text)
{
	struct buf json = { 0 };
	int code;

	if (!cli->json)
		return print_safe("", buf_cstr(text), true);
	json_put_object(&json, NULL);
	json_put_str(&json, "prompt", buf_view(text));
	json_end_object(&json);
	code = cli_json(buf_view(&json));
	buf_fini(&json);
	return code;
}

/* Reads the published datasets into the arena; s borrows the list. */
static int
take_datasets(struct cli *cli, struct client *c, struct platform_server *s, struct err *err)
{
	struct view result, list, each, rows;
	struct platform_dataset *d;
	struct view_iter it;

	if (client_tool(c, "dataset_list", MP_EMPTY_MAP, NULL, NULL, &result, err) != 0)
		return -1;
	list = view_get(result, "datasets");
	s->datasets = d = arena_alloc(cli->arena, (view_count(list) + 1) * sizeof(*d));
	for (it = view_iter(list); view_next(&it, &each); s->ndatasets++, d++) {
		rows = view_get(each, "row_count");
		*d = (struct platform_dataset){
			.id = span_str(view_cstr(cli->arena, view_get(each, "id"), "")),
			.name = span_str(view_cstr(cli->arena, view_get(each, "name"), "")),
			.description = span_str(view_cstr(cli->arena, view_get(each, "description"), "")),
			.rows = view_uint(rows, 0), .rows_known = rows.kind == VIEW_NUMBER,
		};
	}
	return 0;
}

int
cmd_prompt(struct cli *cli)
{
	const char *name = cli_option(cli, "platform");
	const struct platform *p = NULL;
	struct platform_server s = { .url = "" };
	struct buf origin = { 0 }, plain = { 0 }, out = { 0 };
	struct config cfg = { 0 };
	struct view status;
	struct client c;
	struct err err;
	int code = CLI_OK;

	if (name != NULL && (p = platform_asked(name)) == NULL)
		return CLI_USAGE;
	if (!cli_config(cli, false, &cfg) || client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	if (client_tool(&c, "connectivity_state", MP_EMPTY_MAP, NULL, NULL, &status, &err) != 0)
		code = cli_fail(CLI_FAILED, "%s", err.message);
	else {
		platform_origin(cfg.public_url != NULL ? cfg.public_url : "",
		    view_cstr(cli->arena, view_get(status, "bind_host"), ""),
		    (unsigned)view_uint(view_get(status, "port"), 0), &origin);
		s.url = buf_cstr(&origin);
		if (take_datasets(cli, &c, &s, &err) != 0)
			code = cli_fail(CLI_FAILED, "%s", err.message);
	}
	if (code == CLI_OK) {
		platform_prompt(p, &s, &plain);
		tool_names_text(cfg.tool_prefix, buf_view(&plain), &out);
		code = print_prompt(cli, &out);
	}
	client_close(&c);
	buf_fini(&origin);
	buf_fini(&plain);
	buf_fini(&out);
	return code;
}
