#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/admin_commands.h"
#include "cli/arguments.h"
#include "cli/args.h"
#include "cli/admin/cmd_token.h"
#include "cli/say.h"
#include "policy/scopes.h"
#include "project/config/config_tools.h"


static bool
is_text(const char *text)
{
	return utf8_valid((const uint8_t *)text, strlen(text));
}

/* A scope of a tool that carrel.yaml does not have is taken, for the tool may come, but could be a slip. */
static void
note_unknown_tool(const struct config *cfg, struct span scope)
{
	char name[PARAMETER_NAME_MOST + 1];

	if (!span_begins(scope, POLICY_TOOL_SCOPE) || scope.len - strlen(POLICY_TOOL_SCOPE) >= sizeof(name))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(scope.len - strlen(POLICY_TOOL_SCOPE)),
	    (const char *)scope.p + strlen(POLICY_TOOL_SCOPE));
	if (parameter_is_name(span_str(name)) && config_tool_named(cfg, name) == NULL)
		cli_note("carrel.yaml has no tool %s yet; `carrel tool list` shows those there are", name);
}

/* Every --scopes, with commas between; an empty one stays, for carrel-auth to refuse. */
static void
put_scopes(struct cli *cli, struct arguments *m)
{
	size_t n, total = 0, mark;
	const char **given = cli_options(cli, "scopes", &n);
	struct config cfg = { 0 };
	bool known = false; /* cfg is */
	struct buf *out;

	if (n == 0)
		return;
	for (size_t i = 0; i < n && !known; i++)
		known = strstr(given[i], POLICY_TOOL_SCOPE) != NULL && cli_config(cli, false, &cfg);
	out = arguments_key(m, "scopes");
	mark = mp_open_array(out);
	for (size_t i = 0; i < n; i++)
		for (const char *p = given[i]; *p != '\0'; total++) {
			size_t len = strcspn(p, ",");

			if (known)
				note_unknown_tool(&cfg, span_of(p, len));
			mp_put_str(out, span_of(p, len));
			p += len + (p[len] == ',');
		}
	mp_close(out, mark, total);
}

static int
cmd_token_make(struct cli *cli, struct arguments *m)
{
	const char *label = cli_option(cli, "label"), *expires = cli_option(cli, "expires");
	const char *scopes = cli_option(cli, "scopes");
	uint64_t seconds = 0;

	if (label == NULL)
		return cli_fail(CLI_USAGE, "say what the token is for: --label TEXT");
	if (!is_text(label) || (scopes != NULL && !is_text(scopes)))
		return cli_fail(CLI_USAGE, "labels and scopes are text in UTF-8");
	if (expires != NULL && strcmp(expires, "never") != 0 && !admin_duration(expires, &seconds))
		return cli_fail(CLI_USAGE,
		    "--expires takes a whole number with s, m, h or d, as 90d, or never; found \"%s\"", expires);
	mp_put_cstr(arguments_key(m, "label"), label);
	put_scopes(cli, m);
	if (expires != NULL)
		mp_put_uint(arguments_key(m, "expires_s"), seconds);
	if (cli_flag(cli, "no-reveal"))
		mp_put_bool(arguments_key(m, "reveal"), false);
	return admin_put_claims(cli, m);
}

static int
show_tokens(struct cli *cli, struct view tokens)
{
	static const struct admin_column columns[] = { { "ID", "id", ADMIN_TEXT }, { "LABEL", "label", ADMIN_TEXT },
		{ "STATE", "state", ADMIN_TEXT }, { "SCOPES", "scopes", ADMIN_WORDS },
		{ "EXPIRES", "expires_at", ADMIN_TIME }, { "LAST USED", "last_used_at", ADMIN_TIME },
		{ "REQUESTS", "request_count", ADMIN_NUMBER }, { "ENDS IN", "secret_last4", ADMIN_TEXT },
		{ NULL, NULL, ADMIN_TEXT } };

	return admin_list(cli, tokens, columns,
	    "There are no tokens; `carrel token create --label TEXT` creates one.\n");
}

/* The secret stands alone on the last line, so that a script can cut it out. */
static int
show_secret(struct cli *cli, struct view result)
{
	const char *secret = view_cstr(cli->arena, view_get(result, "secret"), NULL);

	if (secret == NULL)
		return CLI_OK;
	cli_note("this is the only time the secret is shown; keep it where no one else reads it");
	return cli_print("%s\n", secret);
}

static int
show_created(struct cli *cli, struct view result)
{
	struct view token = view_get(result, "token");
	const char *id = view_cstr(cli->arena, view_get(token, "id"), "");
	int code = cli_print("token %s, %s, for %s\n", id, view_cstr(cli->arena, view_get(token, "state"), ""),
	    admin_words(cli, view_get(token, "scopes")));

	if (code != CLI_OK || view_get(result, "secret").kind == VIEW_STRING)
		return code == CLI_OK ? show_secret(cli, result) : code;
	return cli_print("`carrel token reveal %s` draws its secret and shows it, once, within 24 hours\n", id);
}

static int
show_revoked(struct cli *cli, struct view result)
{
	struct buf label = { 0 };
	int code;

	table_safe(span_str(view_cstr(cli->arena, view_get(result, "label"), "")), false, &label);
	code = cli_print("token %s (%s) is revoked%s\n", view_cstr(cli->arena, view_get(result, "id"), ""),
	    buf_cstr(&label), admin_ended(cli, view_get(result, "ended")));
	buf_fini(&label);
	return code;
}

static int
show_list(struct cli *cli, struct view result)
{
	return show_tokens(cli, view_get(result, "tokens"));
}

static int
show_connectivity(struct cli *cli, struct view result)
{
	return cli_print("connectivity tokens are %s at %s port %s%s\n",
	    view_true(view_get(result, "enabled")) ? "accepted" : "not accepted",
	    view_cstr(cli->arena, view_get(result, "bind_host"), ""),
	    view_cstr(cli->arena, view_get(result, "port"), ""), admin_ended(cli, view_get(result, "ended")));
}

static int
show_switched(struct cli *cli, struct view result)
{
	int code = show_connectivity(cli, result);

	if (code == CLI_OK && view_true(view_get(result, "enabled")))
		cli_note("next: `carrel dataset publish CONNECTION TABLE`, `carrel token create --label NAME`, and "
			 "`carrel connectivity setup PLATFORM --token ID` says how a client uses it");
	return code;
}

static int
show_status(struct cli *cli, struct view result)
{
	struct view metrics = view_get(result, "metrics");
	int code = show_connectivity(cli, result);

	if (code == CLI_OK && view_uint(view_get(metrics, "requests_total"), 0) > 0)
		code = cli_print(
		    "%s calls with tokens since the start, %s failed; half within %s ms, 99 of 100 within %s\n",
		    view_cstr(cli->arena, view_get(metrics, "requests_total"), ""),
		    view_cstr(cli->arena, view_get(metrics, "errors_total"), ""),
		    view_cstr(cli->arena, view_get(metrics, "latency_ms.p50"), ""),
		    view_cstr(cli->arena, view_get(metrics, "latency_ms.p99"), ""));
	return code == CLI_OK ? show_list(cli, result) : code;
}

int
cmd_token_create(struct cli *cli)
{
	struct arguments m;
	int code;

	arguments_begin(&m);
	if ((code = cmd_token_make(cli, &m)) == CLI_OK)
		code = admin_run(cli, "token_create", arguments_end(&m), show_created);
	buf_fini(&m.mp);
	return code;
}

int
cmd_token_list(struct cli *cli)
{
	struct arguments m;

	arguments_begin(&m);
	if (cli_flag(cli, "all"))
		mp_put_bool(arguments_key(&m, "all"), true);
	return admin_send(cli, "token_list", &m, show_list);
}

/* The tool with {"id": operand}. */
static int
run_with_id(struct cli *cli, const char *tool, int (*show)(struct cli *cli, struct view result))
{
	const char *id = cli_operand(cli, 0);
	struct arguments m;

	if (!is_text(id) || id[0] == '\0')
		return cli_fail(CLI_USAGE, "name a token by its id or its label; `carrel token list` shows them");
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "id"), id);
	return admin_send(cli, tool, &m, show);
}

int
cmd_token_reveal(struct cli *cli)
{
	return run_with_id(cli, "token_reveal", show_secret);
}

int
cmd_token_revoke(struct cli *cli)
{
	return run_with_id(cli, "token_revoke", show_revoked);
}

static int
cmd_token_switch(struct cli *cli, bool on)
{
	struct arguments m;

	arguments_begin(&m);
	mp_put_bool(arguments_key(&m, "enabled"), on);
	return admin_send(cli, "connectivity_set", &m, show_switched);
}

int
cmd_connectivity_enable(struct cli *cli)
{
	return cmd_token_switch(cli, true);
}

int
cmd_connectivity_disable(struct cli *cli)
{
	return cmd_token_switch(cli, false);
}

int
cmd_connectivity_status(struct cli *cli)
{
	return admin_run(cli, "connectivity_state", MP_EMPTY_MAP, show_status);
}
