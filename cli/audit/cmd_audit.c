#include <stdlib.h>
#include <string.h>

#include "base/json/json_put.h"
#include "base/mem.h"
#include "cli/say.h"
#include "cli/show/term.h"
#include "cli/args.h"
#include "cli/audit/cmd_audit.h"

#define LAYERS	4u

static const char *const layers[LAYERS] = { "parser", "functions", "session", "account" };

/* A row as audit_sql answers it: group, kind, input, outcome, right, then a verdict and its reason per layer. */
struct input {
	struct view	group, kind, sql, outcome, right, verdict[LAYERS], why[LAYERS];
};

struct audit_tally {
	size_t	hostile, honest, held, passed;		/* held: hostile and not allowed; passed: honest and allowed */
	size_t	wrong;
	size_t	by[LAYERS];				/* hostile ones that this layer alone holds */
};

static struct input
read_input(struct view row)
{
	struct view_iter it = view_iter(row);
	struct input in = { 0 };
	struct view *cells[] = { &in.group, &in.kind, &in.sql, &in.outcome, &in.right };

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		(void)view_next(&it, cells[i]);
	for (unsigned i = 0; i < LAYERS; i++) {
		(void)view_next(&it, &in.verdict[i]);
		(void)view_next(&it, &in.why[i]);
	}
	return in;
}

static bool
member_is(struct cli *cli, struct view v, const char *word)
{
	return strcmp(view_cstr(cli->arena, v, ""), word) == 0;
}

static bool
verdict_holds(struct cli *cli, struct view verdict)
{
	return member_is(cli, verdict, "stops") || member_is(cli, verdict, "undoes") ||
	    member_is(cli, verdict, "bounds");
}

static void
cmd_audit_count(struct cli *cli, const struct input *in, struct audit_tally *t)
{
	bool hostile = member_is(cli, in->kind, "hostile"), allowed = member_is(cli, in->outcome, "allowed");

	t->hostile += hostile;
	t->honest += !hostile;
	t->held += hostile && !allowed;
	t->passed += !hostile && allowed;
	t->wrong += !view_true(in->right);
	for (unsigned i = 0; i < LAYERS; i++)
		t->by[i] += hostile && verdict_holds(cli, in->verdict[i]);
}

static struct text_table *
new_table(struct cli *cli, int only)
{
	static const char *const all[] = { "GROUP", "PARSER", "FUNCTIONS", "SESSION", "ACCOUNT", "OUTCOME", "INPUT",
		NULL };
	static const char *const one[] = { "GROUP", "VERDICT", "INPUT", "WHY", NULL };

	return table_new(cli->arena, only < 0 ? all : one);
}

static void
add_cell(struct cli *cli, struct text_table *t, struct view v)
{
	table_cell(t, span_str(view_cstr(cli->arena, v, "")));
}

/* Short, so that a table of them fits a terminal. */
static void
add_verdict(struct cli *cli, struct text_table *t, struct view v)
{
	if (member_is(cli, v, "passes"))
		table_cell_faint(t, SPAN("-"));
	else if (member_is(cli, v, "not tried"))
		table_cell_faint(t, SPAN("untried"));
	else
		add_cell(cli, t, v);
}

static void
add_row(struct cli *cli, struct text_table *t, const struct input *in, int only)
{
	table_row(t);
	add_cell(cli, t, in->group);
	for (unsigned i = 0; i < LAYERS; i++)
		if (only < 0 || i == (unsigned)only)
			add_verdict(cli, t, in->verdict[i]);
	if (only < 0)
		table_cellf(t, "%s%s", view_cstr(cli->arena, in->outcome, ""), view_true(in->right) ? "" : ", WRONG");
	add_cell(cli, t, in->sql);
	if (only >= 0)
		add_cell(cli, t, in->why[only]);
}

struct group {
	const char	*name;
	struct audit_tally	 tally;
};

struct audit_groups {
	size_t		 n, cap;
	struct group	*v;
};

/* The group's tally, in the order in which they come. */
static struct audit_tally *
tally_of(struct cli *cli, struct audit_groups *g, const struct input *in)
{
	const char *name = view_cstr(cli->arena, in->group, "");

	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->v[i].name, name) == 0)
			return &g->v[i].tally;
	g->v = mem_grow(g->v, g->n, &g->cap, sizeof(*g->v));
	g->v[g->n] = (struct group){ .name = name };
	return &g->v[g->n++].tally;
}

static int
show_groups(struct cli *cli, const struct audit_groups *g)
{
	static const char *const headers[] = { "GROUP", "HOSTILE", "HELD", "HONEST", "PASSED", NULL };
	struct text_table *t = table_new(cli->arena, headers);

	for (size_t i = 0; i < g->n; i++) {
		const struct audit_tally *each = &g->v[i].tally;
		const size_t figures[] = { each->hostile, each->held, each->honest, each->passed };

		table_row(t);
		table_cell(t, span_str(g->v[i].name));
		for (size_t k = 0; k < sizeof(figures) / sizeof(figures[0]); k++)
			table_cell_number(t, span_str(arena_printf(cli->arena, "%zu", figures[k])));
	}
	return cli_table(t);
}

/* The groups' figures, then in full what did not end as it should. */
static int
show_brief(struct cli *cli, const struct audit_groups *g, const struct text_table *wrong)
{
	int code = show_groups(cli, g);

	if (code != CLI_OK || table_rows(wrong) == 0)
		return code;
	code = cli_print("\n");
	return code == CLI_OK ? cli_table(wrong) : code;
}

static int
show_tally(const struct audit_tally *t, int only)
{
	int code = cli_print("\n");

	for (unsigned i = 0; i < LAYERS; i++)
		if ((only < 0 || i == (unsigned)only) && code == CLI_OK)
			code = cli_print("%-10s alone holds %3zu of %zu hostile inputs\n", layers[i], t->by[i],
			    t->hostile);
	if (code == CLI_OK)
		code =
		    cli_print("%sTogether they hold %zu of %zu hostile inputs and let %zu of %zu honest ones pass.%s\n",
			cli_colour(t->wrong == 0 ? TERM_GREEN : TERM_RED), t->held, t->hostile, t->passed, t->honest,
			cli_colour(TERM_PLAIN));
	return code;
}

static void
put_member(struct buf *out, const char *key, struct view v)
{
	json_put_raw(out, key, v.kind == VIEW_NONE ? SPAN("null") : v.raw);
}

static void
put_input(struct buf *out, const struct input *in, int only)
{
	json_put_object(out, NULL);
	put_member(out, "group", in->group);
	put_member(out, "kind", in->kind);
	put_member(out, "input", in->sql);
	put_member(out, "outcome", in->outcome);
	put_member(out, "right", in->right);
	json_put_object(out, "layers");
	for (unsigned i = 0; i < LAYERS; i++) {
		if (only >= 0 && i != (unsigned)only)
			continue;
		json_put_object(out, layers[i]);
		put_member(out, "verdict", in->verdict[i]);
		put_member(out, "why", in->why[i]);
		json_end_object(out);
	}
	json_end_object(out);
	json_end_object(out);
}

static void
put_summary(struct buf *out, const struct audit_tally *t)
{
	json_put_object(out, "summary");
	json_put_uint(out, "hostile", t->hostile);
	json_put_uint(out, "held", t->held);
	json_put_uint(out, "honest", t->honest);
	json_put_uint(out, "passed", t->passed);
	json_put_uint(out, "wrong", t->wrong);
	json_put_object(out, "heldAlone");
	for (unsigned i = 0; i < LAYERS; i++)
		json_put_uint(out, layers[i], t->by[i]);
	json_end_object(out);
	json_end_object(out);
}

static int
audit_sql_show(struct cli *cli, struct view result, int only)
{
	static const char *const members[] = { "connection", "driver", "serverVersion", "user" };
	bool brief = cli->format == FORMAT_TABLE && only < 0 && !cli_flag(cli, "verbose");
	struct text_table *table = new_table(cli, only);
	struct audit_groups groups = { 0 };
	struct view_iter it = view_iter(view_get(result, "inputs"));
	struct audit_tally t = { 0 };
	struct buf json = { 0 };
	struct view row;
	int code;

	json_put_object(&json, NULL);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		put_member(&json, members[i], view_get(result, members[i]));
	json_put_list(&json, "inputs");
	while (view_next(&it, &row)) {
		struct input in = read_input(row);

		cmd_audit_count(cli, &in, &t);
		put_input(&json, &in, only);
		cmd_audit_count(cli, &in, tally_of(cli, &groups, &in));
		if (!brief || !view_true(in.right))
			add_row(cli, table, &in, only);
	}
	json_end_list(&json);
	put_summary(&json, &t);
	json_end_object(&json);
	code = cli->json ? cli_json(buf_view(&json)) : brief ? show_brief(cli, &groups, table) : cli_table(table);
	if (!cli->json && code == CLI_OK)
		code = show_tally(&t, only);
	buf_fini(&json);
	free(groups.v);
	if (code == CLI_OK && t.wrong > 0)
		code = cli_fail(CLI_FAILED, "%zu inputs did not end as they should; docs/guard.md explains each group",
		    t.wrong);
	return code;
}

/* The layer that --layer names; -1: all of them, -2: there is no such layer. */
static int
layer_option(struct cli *cli)
{
	const char *name = cli_option(cli, "layer");

	if (name == NULL)
		return -1;
	for (unsigned i = 0; i < LAYERS; i++)
		if (strcmp(layers[i], name) == 0)
			return (int)i;
	return -2;
}

int
cmd_audit_sql(struct cli *cli)
{
	const struct config_connection *connection;
	struct buf arguments = { 0 };
	struct config cfg = { 0 };
	int only = layer_option(cli), code;
	struct view result;
	struct client c;
	struct err err;

	if (only == -2)
		return cli_fail(CLI_USAGE, "--layer is one of parser, functions, session and account");
	if (!cli_config(cli, true, &cfg) || (connection = cli_connection(&cfg, cli_operand(cli, 0))) == NULL ||
	    client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	mp_put_pairs(&arguments, mp_cstr("connectionId", connection->id));
	if (client_tool(&c, "audit_sql", buf_view(&arguments), NULL, NULL, &result, &err) == 0)
		code = audit_sql_show(cli, result, only);
	else
		code = fail_connection(connection->id, &err);
	buf_fini(&arguments);
	client_close(&c);
	return code;
}
