#include "cli/research/cmd_import_tools.h"

#include <string.h>

#include "base/mp.h"
#include "cli/args.h"
#include "cli/daemon/client.h"
#include "cli/input.h"
#include "cli/say.h"
#include "cli/research/toolbox.h"
#include "policy/tool_names.h"
#include "project/config/config_tools.h"
#include "project/format/yaml_emit.h"

#define FILE_MAX	((size_t)4 << 20)

struct import_tools {
	struct cli		*cli;
	const struct config	*cfg;
	struct toolbox_tool	*v;
	size_t			 n, taken;
	struct buf		 yaml;
};

/* What --source NAME=CONNECTION says of a source; NULL: nothing. */
static const char *
mapped(struct cli *cli, const char *source)
{
	size_t n, len = strlen(source);
	const char **given = cli_options(cli, "source", &n);

	for (size_t i = 0; i < n; i++)
		if (strncmp(given[i], source, len) == 0 && given[i][len] == '=')
			return given[i] + len + 1;
	return NULL;
}

/* By the name that was said, or the source's own; else the driver's only connection.  NULL: none, *reason says why. */
static const struct config_connection *
connection_of(struct import_tools *m, const struct toolbox_tool *t, const char **reason)
{
	const char *said = mapped(m->cli, t->source);
	const struct config_connection *only = NULL;
	size_t n = 0;

	for (size_t i = 0; i < m->cfg->nconnections; i++) {
		const struct config_connection *c = &m->cfg->connections[i];
		bool fits = c->driver != NULL && strcmp(c->driver->name, t->driver) == 0;

		if (strcmp(c->id, said != NULL ? said : t->source) == 0 && (fits || said != NULL)) {
			*reason =
			    fits ? NULL : arena_printf(m->cli->arena, "%s is no connection of %s", c->id, t->driver);
			return fits ? c : NULL;
		}
		n += fits;
		only = fits ? c : only;
	}
	if (n == 1 && said == NULL)
		return only;
	*reason = arena_printf(m->cli->arena, "no connection is called %s; say --source %s=CONNECTION",
	    said != NULL ? said : t->source, t->source);
	return NULL;
}

/* The guard's word on the statement: 0; 1: *reason says why it is refused; -1 after a message. */
static int
ask_guard(struct import_tools *m, struct client *c, const struct toolbox_tool *t, const char *connection,
    const char **reason)
{
	struct buf args = { 0 };
	struct view ignored;
	struct err err;
	int rc;

	mp_put_pairs(&args, mp_cstr("connectionId", connection),
	    mp_cstr("sql", arena_printf(m->cli->arena, "EXPLAIN %s", t->sample)), mp_uint("maxRows", 1));
	rc = client_tool(c, "sql_execution", buf_view(&args), NULL, NULL, &ignored, &err);
	buf_fini(&args);
	if (rc == 0)
		return 0;
	if (err.code == ERR_DATABASE_UNAVAILABLE || err.code == ERR_BUSY || err.code == ERR_WORKER_LOST) {
		fail_connection(connection, &err);
		return -1;
	}
	*reason = arena_cstr(m->cli->arena, span_str(err.message));
	return 1;
}

static void
put_quoted_key(struct buf *out, const char *indent, const char *key, const char *text)
{
	buf_printf(out, "%s%s: ", indent, key);
	yaml_put_quoted(span_str(text), out);
	buf_byte(out, '\n');
}

/* A value, in quotes: the configuration reads the text by the type of the parameter. */
static void
put_member(struct buf *out, const char *key, const char *text)
{
	buf_printf(out, ", %s: ", key);
	yaml_put_quoted(span_str(text), out);
}

static void
put_parameter(struct buf *out, const struct toolbox_parameter *p)
{
	buf_printf(out, "      %s: {type: %s, description: ", p->name, parameter_kinds[p->type].word);
	yaml_put_quoted(span_str(p->description), out);
	for (size_t i = 0; p->values != NULL && i < p->values->n; i++) {
		buf_str(out, i == 0 ? ", values: [" : ", ");
		yaml_put_quoted(p->values->items[i].text, out);
	}
	buf_str(out, p->values != NULL ? "]" : "");
	if (p->minimum != NULL)
		put_member(out, "minimum", p->minimum);
	if (p->maximum != NULL)
		put_member(out, "maximum", p->maximum);
	if (p->preset != NULL)
		put_member(out, "default", p->preset);
	else if (p->optional)
		buf_str(out, ", default: null");
	buf_str(out, "}\n");
}

/* As a block where every line of it can stand so, else in quotes. */
static void
put_sql(struct buf *out, const char *sql)
{
	struct span rest = span_str(sql), line;

	for (const char *p = sql; *p != '\0'; p++)
		if ((uint8_t)*p >= 0x7f || ((uint8_t)*p < ' ' && *p != '\n')) {
			put_quoted_key(out, "    ", "sql", sql);
			return;
		}
	buf_str(out, "    sql: |2-\n");
	while (span_line(&rest, &line))
		buf_printf(out, "      %.*s\n", SPAN_FMT(line));
}

static void
put_tool(struct import_tools *m, const struct toolbox_tool *t, const char *connection)
{
	struct buf *out = &m->yaml;

	buf_printf(out, "%s  - name: %s\n", m->taken == 0 ? "tools:\n" : "", t->name);
	put_quoted_key(out, "    ", "description", t->description);
	put_quoted_key(out, "    ", "connection", connection);
	if (t->nparameters > 0)
		buf_str(out, "    parameters:\n");
	for (size_t i = 0; i < t->nparameters; i++)
		put_parameter(out, &t->parameters[i]);
	put_sql(out, t->sql);
	m->taken++;
}

static bool
is_called_twice(const struct import_tools *m, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (m->v[i].reason == NULL && strcmp(m->v[i].name, m->v[at].name) == 0)
			return true;
	return config_tool_named(m->cfg, m->v[at].name) != NULL;
}

/* -1 after a message: nothing can be said of the statements. */
static int
convert_tool(struct import_tools *m, struct client *c, size_t at)
{
	struct toolbox_tool *t = &m->v[at];
	const struct config_connection *to;

	if (t->reason != NULL)
		return 0;
	if (tool_names_is_taken(m->cfg->tool_prefix, span_str(t->name)))
		t->reason = "a tool of Carrel's own has that name";
	else if (is_called_twice(m, at))
		t->reason = "another tool has that name";
	else if ((to = connection_of(m, t, &t->reason)) != NULL) {
		if (ask_guard(m, c, t, to->id, &t->reason) == -1)
			return -1;
		if (t->reason == NULL)
			put_tool(m, t, to->id);
	}
	return 0;
}

static int
convert_all(struct import_tools *m)
{
	struct client c;
	int rc = client_open(m->cli, &c, CLIENT_CLI, NULL, false);

	if (rc != 0)
		return -1;
	for (size_t i = 0; i < m->n && rc == 0; i++)
		rc = convert_tool(m, &c, i);
	client_close(&c);
	return rc;
}

static int
print_json(struct import_tools *m)
{
	struct buf mp = { 0 };
	size_t map = mp_open_pairs(&mp, mp_str("yaml", buf_view(&m->yaml))), list = mp_pair_open_array(&mp, "tools");
	int code;

	for (size_t i = 0; i < m->n; i++)
		mp_put_pairs(&mp, mp_cstr("name", m->v[i].called), mp_bool("taken", m->v[i].reason == NULL),
		    mp_cstr("reason", m->v[i].reason));
	mp_end(&mp, list);
	mp_end(&mp, map);
	code = cli_json_mp(buf_view(&mp));
	buf_fini(&mp);
	return code;
}

static int
print_tools(struct import_tools *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].reason != NULL)
			cli_note("left out: %.80s: %s", m->v[i].called, m->v[i].reason);
	if (m->taken == 0)
		return cli_fail(CLI_FAILED, "none of the %zu tools can be taken", m->n);
	cli_note("%zu of %zu tools; put them into carrel.yaml, then `carrel mcp reload`", m->taken, m->n);
	return cli_write(buf_view(&m->yaml));
}

int
cmd_import_toolbox(struct cli *cli)
{
	const char *file = cli->operands[0];
	struct config cfg = { 0 };
	struct import_tools m = { .cli = cli, .cfg = &cfg };
	struct buf text = { 0 };
	struct err err;
	int code = CLI_FAILED, error;

	if (!cli_config(cli, false, &cfg))
		return CLI_FAILED;
	if ((error = input_read(file, FILE_MAX, &text)) != 0)
		code = cli_fail(CLI_FAILED, "cannot read %s: %s", input_name(file), strerror(error));
	else if ((m.v = toolbox_read(cli->arena, buf_view(&text), &m.n, &err)) == NULL)
		code = cli_fail(CLI_FAILED, "%s cannot be read as a configuration of MCP Toolbox: %s", input_name(file),
		    err.message);
	else if (convert_all(&m) == 0)
		code = cli->json ? print_json(&m) : print_tools(&m);
	buf_fini(&text);
	buf_fini(&m.yaml);
	return code;
}
