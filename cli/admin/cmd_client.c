#include <string.h>

#include "base/utf8.h"
#include "cli/admin_commands.h"
#include "cli/arguments.h"
#include "cli/args.h"
#include "cli/admin/cmd_client.h"
#include "cli/say.h"

static int
show_clients(struct cli *cli, struct view result)
{
	static const struct admin_column columns[] = { { "ID", "client_id", ADMIN_TEXT },
		{ "NAME", "client_name", ADMIN_TEXT }, { "SOURCE", "source", ADMIN_TEXT },
		{ "REDIRECTS", "redirect_uris", ADMIN_WORDS }, { "LAST USED", "last_used_at", ADMIN_TIME },
		{ "GRANTS", "grants", ADMIN_NUMBER }, { NULL, NULL, ADMIN_TEXT } };

	return admin_list(cli, view_get(result, "clients"), columns,
	    "There are no clients; they register when they are used.\n");
}

static int
show_grants(struct cli *cli, struct view result)
{
	static const struct admin_column columns[] = { { "ID", "grant_id", ADMIN_TEXT }, { "USER", "user", ADMIN_TEXT },
		{ "CLIENT", "client_name|client_id", ADMIN_TEXT }, { "SCOPES", "scopes", ADMIN_WORDS },
		{ "LAST USED", "last_used_at", ADMIN_TIME }, { "EXPIRES", "expires_at", ADMIN_TIME },
		{ NULL, NULL, ADMIN_TEXT } };

	return admin_list(cli, view_get(result, "grants"), columns, "No user has granted a client anything.\n");
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
	static const struct admin_column columns[] = { { "KID", "kid", ADMIN_TEXT }, { "ALGORITHM", "alg", ADMIN_TEXT },
		{ "STATE", "state", ADMIN_TEXT }, { "CREATED", "created_at", ADMIN_TIME },
		{ "UNTIL", "until", ADMIN_TIME }, { NULL, NULL, ADMIN_TEXT } };

	return admin_list(cli, view_get(result, "keys"), columns,
	    "There are no keys yet: oauth.enabled makes one, or `carrel key rotate`.\n");
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
