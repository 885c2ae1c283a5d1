#include <string.h>

#include "base/utf8.h"
#include "cli/admin_commands.h"
#include "cli/arguments.h"
#include "cli/args.h"
#include "cli/admin/cmd_client.h"
#include "cli/say.h"

static void
put_text(struct cli *cli, struct text_table *t, struct view row, const char *member)
{
	table_cell(t, span_str(view_cstr(cli->arena, view_get(row, member), "-")));
}

static void
put_time(struct cli *cli, struct text_table *t, struct view row, const char *member)
{
	table_cell(t, span_str(admin_time(cli, view_get(row, member))));
}

static void
put_words(struct cli *cli, struct text_table *t, struct view list)
{
	struct view_iter it = view_iter(list);
	const char *all = "";
	struct view each;

	while (view_next(&it, &each))
		all =
		    arena_printf(cli->arena, "%s%s%s", all, all[0] != '\0' ? " " : "", view_cstr(cli->arena, each, ""));
	table_cell(t, span_str(all));
}

static int
show_clients(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "ID", "NAME", "SOURCE", "REDIRECTS", "LAST USED", "GRANTS", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "clients"));
	struct view each;

	while (view_next(&it, &each)) {
		table_row(t);
		put_text(cli, t, each, "client_id");
		put_text(cli, t, each, "client_name");
		put_text(cli, t, each, "source");
		put_words(cli, t, view_get(each, "redirect_uris"));
		put_time(cli, t, each, "last_used_at");
		table_cell_number(t, span_str(view_cstr(cli->arena, view_get(each, "grants"), "")));
	}
	return table_rows(t) > 0 ? cli_table(t) :
				   cli_print("There are no clients; they register when they are used.\n");
}

static int
show_grants(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "ID", "USER", "CLIENT", "SCOPES", "LAST USED", "EXPIRES", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "grants"));
	struct view each;

	while (view_next(&it, &each)) {
		table_row(t);
		put_text(cli, t, each, "grant_id");
		put_text(cli, t, each, "user");
		put_text(cli, t, each, view_get(each, "client_name").kind == VIEW_STRING ? "client_name" : "client_id");
		put_words(cli, t, view_get(each, "scopes"));
		put_time(cli, t, each, "last_used_at");
		put_time(cli, t, each, "expires_at");
	}
	return table_rows(t) > 0 ? cli_table(t) : cli_print("No user has allowed a client anything.\n");
}

static int
show_added(struct cli *cli, struct view result)
{
	return cli_print("client %s\n", view_cstr(cli->arena, view_get(result, "client.client_id"), ""));
}

static int
show_gone(struct cli *cli, struct view result)
{
	const char *id = view_cstr(cli->arena, view_get(result, "removed"), NULL);

	return cli_print("%s %s%s\n", id != NULL ? id : view_cstr(cli->arena, view_get(result, "grant_id"), ""),
	    id != NULL ? "is removed" : "is revoked", admin_ended(cli, view_get(result, "ended")));
}

static int
show_keys(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "KID", "ALGORITHM", "STATE", "CREATED", "UNTIL", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "keys"));
	struct view each;

	while (view_next(&it, &each)) {
		table_row(t);
		put_text(cli, t, each, "kid");
		put_text(cli, t, each, "alg");
		put_text(cli, t, each, "state");
		put_time(cli, t, each, "created_at");
		put_time(cli, t, each, "until");
	}
	return table_rows(t) > 0 ?
	    cli_table(t) :
	    cli_print("There are no keys yet: oauth.enabled draws one, or `carrel key rotate`.\n");
}

static bool
is_line_of_text(const char *text)
{
	return text[0] != '\0' && strlen(text) <= 2048 && utf8_valid((const uint8_t *)text, strlen(text));
}

/* A tool with one text, or none when it is NULL. */
static int
run_with(struct cli *cli, const char *tool, const char *key, const char *text,
    int (*show)(struct cli *cli, struct view result))
{
	struct arguments m;

	if (text != NULL && !is_line_of_text(text))
		return cli_fail(CLI_USAGE,
		    "an id is a text; `carrel client list` and `carrel client grants` show them");
	arguments_begin(&m);
	if (text != NULL)
		mp_put_cstr(arguments_key(&m, key), text);
	return admin_send(cli, tool, &m, show);
}

int
cmd_client_list(struct cli *cli)
{
	return run_with(cli, "client_list", NULL, NULL, show_clients);
}

int
cmd_client_add(struct cli *cli)
{
	const char *name = cli_option(cli, "name"), *id = cli_option(cli, "id");
	struct arguments m;
	const char **redirects;
	struct buf *out;
	size_t n;

	redirects = cli_options(cli, "redirect", &n);
	if (name == NULL || n == 0)
		return cli_fail(CLI_USAGE,
		    "say what the client is called and where users are sent back to: --name TEXT "
		    "--redirect URI");
	if (!is_line_of_text(name) || (id != NULL && !is_line_of_text(id)))
		return cli_fail(CLI_USAGE, "names and ids are texts in UTF-8");
	for (size_t i = 0; i < n; i++)
		if (!is_line_of_text(redirects[i]))
			return cli_fail(CLI_USAGE, "--redirect takes a URI of at most 2048 bytes");
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "name"), name);
	if (id != NULL)
		mp_put_cstr(arguments_key(&m, "client_id"), id);
	out = arguments_key(&m, "redirects");
	mp_put_array(out, n);
	for (size_t i = 0; i < n; i++)
		mp_put_cstr(out, redirects[i]);
	return admin_send(cli, "client_add", &m, show_added);
}

int
cmd_client_remove(struct cli *cli)
{
	return run_with(cli, "client_remove", "client_id", cli_operand(cli, 0), show_gone);
}

int
cmd_client_grants(struct cli *cli)
{
	const char *user = cli_option(cli, "user"), *client = cli_option(cli, "client");
	struct arguments m;

	if ((user != NULL && !is_line_of_text(user)) || (client != NULL && !is_line_of_text(client)))
		return cli_fail(CLI_USAGE, "users and clients are named by texts in UTF-8");
	arguments_begin(&m);
	if (user != NULL)
		mp_put_cstr(arguments_key(&m, "user"), user);
	if (client != NULL)
		mp_put_cstr(arguments_key(&m, "client_id"), client);
	return admin_send(cli, "client_grants", &m, show_grants);
}

int
cmd_client_revoke(struct cli *cli)
{
	return run_with(cli, "client_revoke", "grant_id", cli_operand(cli, 0), show_gone);
}

int
cmd_key_list(struct cli *cli)
{
	return run_with(cli, "key_list", NULL, NULL, show_keys);
}

int
cmd_key_rotate(struct cli *cli)
{
	return run_with(cli, "key_rotate", NULL, NULL, show_keys);
}
