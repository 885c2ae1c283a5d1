#include "cli/research/cmd_tool.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/num.h"
#include "base/utf8.h"
#include "cli/args.h"
#include "cli/arguments.h"
#include "cli/research/cmd_research.h"
#include "cli/say.h"
#include "policy/scopes.h"
#include "project/config/config_tools.h"

static const char *
parameters_of(struct cli *cli, const struct config_tool *t)
{
	const char *all = "";

	for (size_t i = 0; i < t->nparameters; i++)
		all = arena_printf(cli->arena, "%s%s%s%s", all, i > 0 ? ", " : "", t->parameters[i].name,
		    t->parameters[i].optional ? "?" : "");
	return all;
}

static const char *
scopes_of(struct cli *cli, const struct config_tool *t)
{
	const char *all = "";

	for (size_t i = 0; i < t->scopes.n; i++)
		all = arena_printf(cli->arena, "%s%s ", all, t->scopes.v[i]);
	return arena_printf(cli->arena, "%s" POLICY_TOOL_SCOPE "%s", all, t->name);
}

static int
print_tools(struct cli *cli, const struct config *cfg)
{
	static const char *const headers[] = { "TOOL", "CONNECTION", "PARAMETERS", "SCOPES", "TITLE", NULL };
	struct text_table *t = table_new(cli->arena, headers);

	for (size_t i = 0; i < cfg->tools.n; i++) {
		const struct config_tool *tool = &cfg->tools.v[i];

		table_row(t);
		table_cell(t, span_str(tool->name));
		table_cell(t, span_str(tool->connection));
		table_cell(t, span_str(parameters_of(cli, tool)));
		table_cell(t, span_str(scopes_of(cli, tool)));
		table_cell(t, span_str(tool->title));
	}
	return cli_table(t);
}

int
cmd_tool_list(struct cli *cli)
{
	struct config cfg = { 0 };
	struct buf mp = { 0 };
	size_t map;
	int code;

	if (!cli_config(cli, true, &cfg))
		return CLI_FAILED;
	if (cfg.tools.n == 0 && !cli->json)
		return cli_print(
		    "There are no tools of your own; docs/tools.md says how to define one in carrel.yaml.\n");
	if (!cli->json)
		return print_tools(cli, &cfg);
	map = mp_open_map(&mp);
	mp_pair_array(&mp, "tools", cfg.tools.n);
	for (size_t i = 0; i < cfg.tools.n; i++) {
		const struct config_tool *t = &cfg.tools.v[i];

		mp_put_pairs(&mp, mp_cstr("name", t->name), mp_cstr("title", t->title),
		    mp_cstr("description", t->description), mp_cstr("connection", t->connection),
		    mp_cstr("parameters", parameters_of(cli, t)), mp_cstr("scopes", scopes_of(cli, t)),
		    mp_when(t->sql != NULL, mp_cstr("sql", t->sql)),
		    mp_when(t->query.len > 0, mp_raw("query", t->query)));
	}
	mp_end(&mp, map);
	code = cli_json_mp(buf_view(&mp));
	buf_fini(&mp);
	return code;
}

static const struct config_parameter *
parameter_named(const struct config_tool *t, struct span name)
{
	for (size_t i = 0; i < t->nparameters; i++)
		if (span_is_str(name, t->parameters[i].name))
			return &t->parameters[i];
	return NULL;
}

/* A text that is no value of the type is sent as it is: the tool says what it takes. */
static void
put_value(struct buf *mp, enum parameter_type type, const char *text)
{
	double number;

	if (!parameter_fits(type, span_str(text)))
		mp_put_cstr(mp, text);
	else if (type == PARAMETER_INTEGER)
		mp_put_int(mp, strtoll(text, NULL, 10));
	else if (type == PARAMETER_NUMBER && num_read_double(text, strlen(text), &number))
		mp_put_double(mp, number);
	else if (type == PARAMETER_BOOLEAN)
		mp_put_bool(mp, strcmp(text, "true") == 0);
	else
		mp_put_cstr(mp, text);
}

/* "region=EU", of an option or an operand; - in its name stands for _. */
static bool
put_parameter(struct cli *cli, struct arguments *m, const struct config_tool *t, const char *word)
{
	const struct config_parameter *p;
	size_t n = strcspn(word, "=");
	char *name = arena_cstr(cli->arena, span_of(word, n));

	if (word[n] != '=' || !utf8_valid((const uint8_t *)word, strlen(word))) {
		cli_fail(CLI_USAGE, "a value is written --PARAMETER VALUE or PARAMETER=VALUE, in UTF-8; found \"%s\"",
		    utf8_valid((const uint8_t *)word, strlen(word)) ? word : "other bytes");
		return false;
	}
	for (char *c = name; *c != '\0'; c++)
		*c = (char)(*c == '-' ? '_' : *c);
	p = parameter_named(t, span_str(name));
	put_value(arguments_key(m, name), p == NULL ? PARAMETER_STRING : p->type, word + n + 1);
	return true;
}

static bool
put_parameters(struct cli *cli, struct arguments *m, const struct config_tool *t)
{
	size_t n;
	const char **given = cli_options(cli, ARGS_ANY, &n);

	for (size_t i = 0; i < n; i++)
		if (!put_parameter(cli, m, t, given[i]))
			return false;
	for (size_t i = 1; i < cli->noperands; i++)
		if (!put_parameter(cli, m, t, cli->operands[i]))
			return false;
	return true;
}

int
cmd_tool_try(struct cli *cli)
{
	const struct config_tool *t;
	struct config cfg = { 0 };
	struct arguments m;
	int code = CLI_USAGE;

	if (!cli_config(cli, false, &cfg))
		return CLI_FAILED;
	if ((t = config_tool_named(&cfg, cli->operands[0])) == NULL)
		return cli_fail(CLI_FAILED, "no tool is called %s; `carrel tool list` shows those there are",
		    cli->operands[0]);
	arguments_begin(&m);
	if (put_parameters(cli, &m, t))
		code = client_run(cli, t->name, arguments_end(&m), show_result_rows, NULL);
	buf_fini(&m.mp);
	return code;
}
