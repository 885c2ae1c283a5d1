#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/admin_commands.h"
#include "cli/arguments.h"
#include "cli/show/table_text.h"
#include "cli/show/term.h"
#include "policy/scopes.h"
#include "cli/args.h"
#include "cli/admin/cmd_user.h"
#include "cli/say.h"

#define PASSWORD_MAX	1024	/* bytes; what is longer is refused by carrel-auth */

/* The first line that can be read from fd. */
static void
read_line(int fd, struct buf *out)
{
	char c;

	while (out->len <= PASSWORD_MAX && read(fd, &c, 1) == 1 && c != '\n')
		buf_byte(out, (uint8_t)c);
	if (out->len > 0 && out->p[out->len - 1] == '\r')
		out->len--;
}

static int
read_password_file(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), code = CLI_OK;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		code = cli_fail(CLI_FAILED, "cannot read the password file %s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0)
		code = cli_fail(CLI_FAILED,
		    "the password file %s must be a file that only you can read; run `chmod 600 %s`", path, path);
	else
		read_line(fd, out);
	if (fd >= 0)
		close(fd);
	return code;
}

/* Asked twice, because typing is not shown. */
static int
ask_password(struct buf *out)
{
	struct buf again = { 0 };
	int code = CLI_OK;

	buf_reserve(out, PASSWORD_MAX);
	buf_reserve(&again, PASSWORD_MAX);
	if (!isatty(STDIN_FILENO) || !term_ask_secret("Password (12 characters or more): ", out) ||
	    !term_ask_secret("The same again: ", &again))
		code =
		    cli_fail(CLI_USAGE, "give the password by --password-stdin or --password-file, or at a terminal");
	else if (!span_is(buf_view(out), buf_view(&again)))
		code = cli_fail(CLI_FAILED, "the two passwords differ; nothing was changed");
	buf_wipe(&again);
	return code;
}

/* The password into out, when one is given or required. */
static int
take_password(struct cli *cli, bool needed, struct buf *out)
{
	const char *file = cli_option(cli, "password-file");
	int code = CLI_OK;

	if (file != NULL && cli_flag(cli, "password-stdin"))
		return cli_fail(CLI_USAGE, "give the password once: --password-stdin, or --password-file");
	if (file == NULL && !cli_flag(cli, "password-stdin"))
		return needed ? ask_password(out) : CLI_OK;
	buf_reserve(out, PASSWORD_MAX + 2); /* once: nothing is left behind by growing */
	if (file != NULL)
		code = read_password_file(file, out);
	else
		read_line(STDIN_FILENO, out);
	if (code == CLI_OK && out->len == 0)
		code = cli_fail(CLI_FAILED, "%s holds no password; write it there as one line",
		    file != NULL ? file : "standard input");
	if (code == CLI_OK && !utf8_valid(out->p, out->len))
		code = cli_fail(CLI_FAILED, "the password is no text in UTF-8");
	return code;
}

static int
show_user(struct cli *cli, struct view result)
{
	struct view user = view_get(result, "user");

	return cli_print("user %s is %s%s%s\n", view_cstr(cli->arena, view_get(user, "name"), ""),
	    view_cstr(cli->arena, view_get(user, "role"), ""),
	    view_true(view_get(user, "disabled")) ? ", disabled" : "", admin_ended(cli, view_get(result, "ended")));
}

static int
show_removed(struct cli *cli, struct view result)
{
	return cli_print("%s is removed%s\n", view_cstr(cli->arena, view_get(result, "removed"), ""),
	    admin_ended(cli, view_get(result, "ended")));
}

/* Names have dots in them, so no path leads there. */
static struct view
claims_of(struct view all, const char *user)
{
	struct view_iter it = view_iter(all);
	struct view claims;
	struct span name;

	while (all.kind == VIEW_OBJECT && view_next_member(&it, &name, &claims))
		if (span_is_str(name, user))
			return claims;
	return (struct view){ .kind = VIEW_NULL };
}

/* tenant=acme db_role=eu */
static const char *
claims_text(struct cli *cli, struct view claims)
{
	struct view_iter it = view_iter(claims);
	struct buf text = { 0 };
	struct view value;
	struct span name;
	const char *kept;

	while (claims.kind == VIEW_OBJECT && view_next_member(&it, &name, &value))
		buf_printf(&text, "%s%.*s=%s", text.len > 0 ? " " : "", SPAN_FMT(name),
		    view_cstr(cli->arena, value, ""));
	kept = arena_cstr(cli->arena, buf_view(&text));
	buf_fini(&text);
	return kept;
}

static int
show_users(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "NAME", "ROLE", "STATE", "LAST LOGIN", "GRANTS", "SESSIONS", "CLAIMS",
		NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "users"));
	struct view each;

	while (view_next(&it, &each)) {
		table_row(t);
		table_cell(t, span_str(view_cstr(cli->arena, view_get(each, "name"), "")));
		table_cell(t, span_str(view_cstr(cli->arena, view_get(each, "role"), "")));
		table_cell(t, view_true(view_get(each, "disabled")) ? SPAN("disabled") : SPAN("enabled"));
		table_cell(t, span_str(admin_time(cli, view_get(each, "last_login_at"))));
		table_cell_number(t, span_str(view_cstr(cli->arena, view_get(each, "grants"), "")));
		table_cell_number(t, span_str(view_cstr(cli->arena, view_get(each, "sessions"), "")));
		table_cell(t,
		    span_str(claims_text(cli,
			claims_of(view_get(result, "claims"), view_cstr(cli->arena, view_get(each, "name"), "")))));
	}
	return table_rows(t) > 0 ? cli_table(t) :
				   cli_print("There are no users; `carrel user add NAME --role admin` makes one.\n");
}

static bool
is_plain(const char *text)
{
	return utf8_valid((const uint8_t *)text, strlen(text)) && strlen(text) <= 256;
}

/* "viewer, contributor or admin" */
static const char *
role_words(struct cli *cli)
{
	struct buf words = { 0 };
	const char *text;

	policy_roles_text(&words);
	text = arena_cstr(cli->arena, buf_view(&words));
	buf_fini(&words);
	return text;
}

static int
put_account(struct cli *cli, bool adds, struct arguments *m)
{
	const char *name = cli_operand(cli, 0), *role = cli_option(cli, "role");
	struct buf password = { 0 };
	int code;

	if (!is_plain(name) || (role != NULL && !is_plain(role)))
		return cli_fail(CLI_USAGE, "names and roles are short texts in UTF-8");
	if (adds && role == NULL)
		return cli_fail(CLI_USAGE, "say what the user may do: --role %s, or of auth.roles", role_words(cli));
	mp_put_cstr(arguments_key(m, "name"), name);
	if (role != NULL)
		mp_put_cstr(arguments_key(m, "role"), role);
	if ((code = admin_put_claims(cli, m)) != CLI_OK)
		return code;
	if ((code = take_password(cli, adds, &password)) == CLI_OK && password.len > 0) {
		buf_reserve(&m->mp, password.len + 64);
		mp_put_str(arguments_key(m, "password"), buf_view(&password));
	}
	buf_wipe(&password);
	return code;
}

int
cmd_user_add(struct cli *cli)
{
	struct arguments m;
	int code;

	arguments_begin(&m);
	if ((code = put_account(cli, true, &m)) == CLI_OK)
		code = admin_run(cli, "user_add", arguments_end(&m), show_user);
	buf_wipe(&m.mp);
	return code;
}

int
cmd_user_list(struct cli *cli)
{
	return admin_run(cli, "user_list", MP_EMPTY_MAP, show_users);
}

int
cmd_user_set(struct cli *cli)
{
	bool off = cli_flag(cli, "disable"), on = cli_flag(cli, "enable");
	struct arguments m;
	int code;

	if (off && on)
		return cli_fail(CLI_USAGE, "--disable and --enable are opposites; give one of them");
	arguments_begin(&m);
	code = put_account(cli, false, &m);
	if (off || on)
		mp_put_bool(arguments_key(&m, "disabled"), off);
	if (cli_flag(cli, "sign-out"))
		mp_put_bool(arguments_key(&m, "sign_out"), true);
	if (code == CLI_OK && m.n == 1)
		code = cli_fail(CLI_USAGE,
		    "say what is to change: --role, --claim, --disable, --enable, --password-stdin, --password-file or "
		    "--sign-out");
	if (code == CLI_OK)
		code = admin_run(cli, "user_set", arguments_end(&m), show_user);
	buf_wipe(&m.mp);
	return code;
}

int
cmd_user_remove(struct cli *cli)
{
	struct arguments m;

	if (!is_plain(cli_operand(cli, 0)))
		return cli_fail(CLI_USAGE, "name a user; `carrel user list` shows them");
	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "name"), cli_operand(cli, 0));
	return admin_send(cli, "user_remove", &m, show_removed);
}

static void
put_preference(struct text_table *t, struct span key, struct view value)
{
	struct buf text = { 0 };

	table_row(t);
	table_cell(t, key);
	view_text(value, &text);
	if (value.kind == VIEW_NULL || buf_view(&text).len == 0)
		table_cell_faint(t, SPAN("not set"));
	else
		table_cell(t, buf_view(&text));
	buf_fini(&text);
}

/* Thresholds are shown by the names that are set: thresholds.large. */
static int
show_preferences(struct cli *cli, struct view result)
{
	static const char *const headers[] = { "PREFERENCE", "VALUE", NULL };
	struct text_table *t = table_new(cli->arena, headers);
	struct view_iter it = view_iter(view_get(result, "preferences")), inner;
	struct view value, word;
	struct span key, name;

	while (view_next_member(&it, &key, &value)) {
		if (value.kind != VIEW_OBJECT) {
			put_preference(t, key, value);
			continue;
		}
		for (inner = view_iter(value); view_next_member(&inner, &name, &word);)
			put_preference(t,
			    span_str(arena_printf(cli->arena, "%.*s.%.*s", SPAN_FMT(key), SPAN_FMT(name))), word);
	}
	return cli_table(t);
}

static int
run_preferences(struct cli *cli, const char *tool, bool sets)
{
	const char *user = cli_option(cli, "user");
	struct arguments m;
	struct buf *out;

	if (user != NULL && (!is_plain(user) || *user == '\0'))
		return cli_fail(CLI_USAGE, "name a user; `carrel user list` shows them");
	for (size_t i = 0; i < cli->noperands; i++)
		if (!is_plain(cli_operand(cli, i)) || strchr(cli_operand(cli, i), '=') == NULL)
			return cli_fail(CLI_USAGE, "write KEY=VALUE, as in weekStart=sunday; an empty value unsets");
	arguments_begin(&m);
	if (user != NULL)
		mp_put_cstr(arguments_key(&m, "user"), user);
	if (sets) {
		out = arguments_key(&m, "set");
		mp_put_array(out, cli->noperands);
		for (size_t i = 0; i < cli->noperands; i++)
			mp_put_cstr(out, cli_operand(cli, i));
	}
	return admin_send(cli, tool, &m, show_preferences);
}

int
cmd_preferences_get(struct cli *cli)
{
	return run_preferences(cli, "preferences_get", false);
}

int
cmd_preferences_set(struct cli *cli)
{
	return run_preferences(cli, "preferences_set", true);
}
