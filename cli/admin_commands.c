#include <string.h>

#include "base/text/identity_text.h"
#include "cli/admin_commands.h"
#include "cli/args.h"
#include "cli/daemon/client.h"
#include "cli/say.h"

int
admin_run(struct cli *cli, const char *tool, struct span arguments, int (*show)(struct cli *cli, struct view result))
{
	struct view result;
	struct client c;
	struct err err;
	int code;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	if (client_tool(&c, tool, arguments, NULL, NULL, &result, &err) != 0)
		/* Processes of our own do without carrel-auth where its store or key cannot be used. */
		code = c.child != 0 && strstr(err.message, "no such tool") != NULL ?
		    cli_fail(CLI_FAILED,
			"the project's state store cannot be written, or its key not be used, and without them there "
			"are "
			"no tokens, preferences and audit; `carrel doctor` says what is wrong") :
		    cli_fail(CLI_FAILED, "%s", err.message);
	else
		code = cli->json ? cli_json(result.raw) : show(cli, result);
	client_close(&c);
	return code;
}

int
admin_send(struct cli *cli, const char *tool, struct arguments *m, int (*show)(struct cli *cli, struct view result))
{
	int code = admin_run(cli, tool, arguments_end(m), show);

	buf_fini(&m->mp);
	return code;
}

int
admin_put_claims(struct cli *cli, struct arguments *m)
{
	size_t n, mark, total = 0;
	const char **given = cli_options(cli, "claim", &n);
	struct buf *out;

	if (n == 0)
		return CLI_OK;
	out = arguments_key(m, "claims");
	mark = mp_open_map(out);
	for (size_t i = 0; i < n; i++) {
		const char *equals = strchr(given[i], '=');
		struct span value = span_str(equals == NULL ? "" : equals + 1), name;

		if (n == 1 && given[i][0] == '\0')
			break;
		name = span_of(given[i], equals == NULL ? 0 : (size_t)(equals - given[i]));
		if (!identity_text_is_name(name) || !identity_text_is_value(value))
			return cli_fail(CLI_USAGE,
			    "--claim takes NAME=VALUE, as tenant=acme: a name of letters, digits, _ . : / -, and a "
			    "text of "
			    "1 to %u bytes",
			    IDENTITY_VALUE_MAX);
		for (size_t k = 0; k < i; k++)
			if (strncmp(given[k], given[i], name.len + 1) == 0)
				return cli_fail(CLI_USAGE, "--claim %.*s is given twice", SPAN_FMT(name));
		mp_put_str(out, name);
		mp_put_str(out, value);
		total++;
	}
	mp_close(out, mark, total);
	return CLI_OK;
}

bool
admin_duration(const char *text, uint64_t *seconds)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	uint64_t n = 0;
	size_t i = 0;

	for (; text[i] >= '0' && text[i] <= '9' && i < 10; i++)
		n = 10 * n + (uint64_t)(text[i] - '0');
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++)
		if (n > 0 && text[i] == units[u].unit && text[i + 1] == '\0') {
			*seconds = n * units[u].seconds;
			return true;
		}
	return false;
}

const char *
admin_words(struct cli *cli, struct view list)
{
	struct view_iter it = view_iter(list);
	const char *all = "";
	struct view each;

	while (view_next(&it, &each))
		all =
		    arena_printf(cli->arena, "%s%s%s", all, all[0] != '\0' ? " " : "", view_cstr(cli->arena, each, ""));
	return all;
}

static void
put_admin_cell(struct cli *cli, struct text_table *t, struct view row, const struct admin_column *c)
{
	const char *other = strchr(c->member, '|');
	struct view v = view_get(row,
	    other == NULL ? c->member : arena_printf(cli->arena, "%.*s", (int)(other - c->member), c->member));

	if (other != NULL && v.kind != VIEW_STRING)
		v = view_get(row, other + 1);
	switch (c->as) {
	case ADMIN_TEXT:
		table_cell(t, span_str(view_cstr(cli->arena, v, "-")));
		return;
	case ADMIN_NUMBER:
		table_cell_number(t, span_str(view_cstr(cli->arena, v, "")));
		return;
	case ADMIN_TIME:
		table_cell(t, span_str(admin_time(cli, v)));
		return;
	case ADMIN_WORDS:
		table_cell(t, span_str(admin_words(cli, v)));
		return;
	}
}

int
admin_list(struct cli *cli, struct view list, const struct admin_column *columns, const char *none)
{
	static const char *const headless[] = { NULL };
	struct text_table *t = table_new(cli->arena, headless);
	struct view_iter it = view_iter(list);
	struct view each;

	for (const struct admin_column *c = columns; c->header != NULL; c++)
		table_column(t, span_str(c->header));
	while (view_next(&it, &each)) {
		table_row(t);
		for (const struct admin_column *c = columns; c->header != NULL; c++)
			put_admin_cell(cli, t, each, c);
	}
	return table_rows(t) > 0 ? cli_table(t) : cli_print("%s", none);
}

const char *
admin_time(struct cli *cli, struct view at)
{
	const char *text = view_cstr(cli->arena, at, "-");

	/* 2026-01-31T12:34:56.789Z */
	return strlen(text) < 20 ? text : arena_printf(cli->arena, "%.10s %.8s UTC", text, text + 11);
}

static const char *
count_of(struct cli *cli, struct view ended, const char *member, const char *one, const char *many)
{
	uint64_t n = view_uint(view_get(ended, member), 0);

	return n == 0 ? "" : arena_printf(cli->arena, " %llu %s,", (unsigned long long)n, n == 1 ? one : many);
}

const char *
admin_ended(struct cli *cli, struct view ended)
{
	const char *text = arena_printf(cli->arena, "%s%s%s%s", count_of(cli, ended, "grants", "grant", "grants"),
	    count_of(cli, ended, "sessions", "session", "sessions"),
	    count_of(cli, ended, "streams", "stream", "streams"), count_of(cli, ended, "calls", "call", "calls"));
	const char *nodes = view_cstr(cli->arena, view_get(view_get(ended, "nodes"), "message"), "");
	size_t n = strlen(text);

	return arena_printf(cli->arena, "%s%.*s%s%s", n == 0 ? "" : "; cut off:", n == 0 ? 0 : (int)n - 1, text,
	    nodes[0] == '\0' ? "" : "; ", nodes);
}
