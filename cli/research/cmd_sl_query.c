#include <errno.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/research/cmd_research.h"
#include "cli/input.h"
#include "cli/args.h"
#include "cli/research/cmd_sl_query.h"
#include "cli/say.h"

#define QUERY_MAX	((size_t)1 << 20)

/* The part after the last colon if it is one of words; *left is the part before it. */
static const char *
suffix(const char *text, const char *const *words, size_t *left)
{
	const char *colon = strrchr(text, ':');

	*left = strlen(text);
	for (; colon != NULL && *words != NULL; words++)
		if (strcmp(colon + 1, *words) == 0) {
			*left = (size_t)(colon - text);
			return colon + 1;
		}
	return NULL;
}

/* "sum(orders.amount)", or "revenue=sum(orders.amount)" with a name of its own. */
static void
put_measure(struct buf *mp, const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t name = strspn(text, letters);

	if (name == 0 || text[name] != '=' || text[name + 1] == '=') {
		mp_put_cstr(mp, text);
		return;
	}
	mp_put_pairs(mp, mp_str("name", span_of(text, name)), mp_cstr("expr", text + name + 1));
}

/* "orders.created_at:month"; any word after the colon is meant as a granularity. */
static void
put_dimension(struct buf *mp, const char *text)
{
	const char *colon = strrchr(text, ':');

	if (colon == NULL) {
		mp_put_cstr(mp, text);
		return;
	}
	mp_put_pairs(mp, mp_str("field", span_of(text, (size_t)(colon - text))), mp_cstr("granularity", colon + 1));
}

static void
put_order(struct buf *mp, const char *text)
{
	static const char *const directions[] = { "asc", "desc", NULL };
	size_t left;
	const char *direction = suffix(text, directions, &left);

	if (direction == NULL) {
		mp_put_cstr(mp, text);
		return;
	}
	mp_put_pairs(mp, mp_str("field", span_of(text, left)), mp_cstr("direction", direction));
}

static void
put_text(struct buf *mp, const char *text)
{
	mp_put_cstr(mp, text);
}

/* The options that make up a query, and the members they become; measures first. */
static const struct {
	const char	*option, *key;
	void		(*put)(struct buf *mp, const char *text);
} lists[] = {
	{ "measure", "measures", put_measure },
	{ "dimension", "dimensions", put_dimension },
	{ "filter", "filters", put_text },
	{ "segment", "segments", put_text },
	{ "order-by", "order_by", put_order },
};

/* False, with a message, when the value of an option is not valid text. */
static bool
put_lists(struct cli *cli, struct arguments *m)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		size_t n;
		const char **values = cli_options(cli, lists[i].option, &n);
		struct buf *mp;

		if (n == 0 && i > 0) /* measures are asked for, if only to be none */
			continue;
		mp = arguments_key(m, lists[i].key);
		mp_put_array(mp, n);
		for (size_t k = 0; k < n; k++) {
			if (!utf8_valid((const uint8_t *)values[k], strlen(values[k]))) {
				cli_fail(CLI_USAGE, "--%s is not valid UTF-8; check the terminal's encoding",
				    lists[i].option);
				return false;
			}
			lists[i].put(mp, values[k]);
		}
	}
	return true;
}

static int
put_file(struct cli *cli, const char *path, struct arguments *m)
{
	struct buf text = { 0 }, doc = { 0 };
	int error = input_read(path, QUERY_MAX, &text), code = CLI_OK;
	struct mp_value all, v;
	struct mp_iter it;
	struct span key;
	size_t at = 0;

	if (error == EFBIG)
		code = cli_fail(CLI_FAILED, "%s is larger than a query may be", input_name(path));
	else if (error != 0)
		code =
		    cli_fail(CLI_FAILED, "cannot read %s: %s; name a JSON file with a query, or - for standard input",
			input_name(path), strerror(error));
	else if (json_read(buf_view(&text), &doc, &at) != JSON_OK || !mp_value(buf_view(&doc), &all) ||
	    all.class != MP_MAP)
		code = cli_fail(CLI_FAILED,
		    "%s is no JSON object (look at byte %zu); write {\"measures\": [\"source.measure\"], …}", path, at);
	else
		for (it = mp_iter(&all); mp_next_pair(&it, &key, &v);) {
			if ((span_is(key, SPAN("connectionId")) && cli_option(cli, "connection") != NULL) ||
			    (span_is(key, SPAN("include")) && (cli->json || cli_flag(cli, "sql"))))
				continue;
			mp_put_str(&m->mp, key);
			buf_span(&m->mp, v.raw);
			m->n++;
		}
	buf_fini(&text);
	buf_fini(&doc);
	return code;
}

/* Parts of the answer other than the rows are printed only when asked for; JSON output gets all of them. */
static void
put_include(struct cli *cli, struct arguments *m)
{
	struct buf *mp;

	if (!cli->json && !cli_flag(cli, "sql"))
		return;
	mp = arguments_key(m, "include");
	mp_put_array(mp, cli->json ? 2 : 1);
	mp_put_cstr(mp, "sql");
	if (cli->json)
		mp_put_cstr(mp, "plan");
}

/* CLI_OK, or the exit code: said why. */
static int
read_query(struct cli *cli, struct arguments *m)
{
	const char *file = cli_option(cli, "file"), *connection = cli_option(cli, "connection");
	uint64_t limit = 0;
	int code = CLI_OK;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (file != NULL && cli_option(cli, lists[i].option) != NULL)
			return cli_fail(CLI_USAGE, "--file holds the whole query; --%s goes into it", lists[i].option);
	if (file != NULL &&
	    (cli_option(cli, "limit") != NULL || cli_flag(cli, "no-empty") || cli_flag(cli, "include-empty")))
		return cli_fail(CLI_USAGE, "--file holds the whole query; limit and include_empty go into it");
	if (connection != NULL)
		mp_put_cstr(arguments_key(m, "connectionId"), connection);
	if (file != NULL)
		code = put_file(cli, file, m);
	else if (!put_lists(cli, m) || !cli_number(cli, "limit", 0, 10000, &limit))
		return CLI_USAGE;
	put_include(cli, m);
	if (cli_option(cli, "limit") != NULL)
		mp_put_uint(arguments_key(m, "limit"), limit);
	if (cli_flag(cli, "no-empty") || cli_flag(cli, "include-empty"))
		mp_put_bool(arguments_key(m, "include_empty"), !cli_flag(cli, "no-empty"));
	return code;
}

static int
show_sql(struct view result, const char *end)
{
	struct buf text = { 0 }, safe = { 0 };
	int code;

	view_text(view_get(result, "sql"), &text);
	table_safe(buf_view(&text), true, &safe);
	buf_str(&safe, end);
	code = cli_write(buf_view(&safe));
	buf_fini(&text);
	buf_fini(&safe);
	return code;
}

static void
show_notes(struct cli *cli, struct view result)
{
	struct view_iter it = view_iter(view_get(result, "notes"));
	struct view note;

	while (view_next(&it, &note))
		cli_note("%s", view_cstr(cli->arena, note, ""));
}

static int
cmd_sl_query_show(struct cli *cli, struct view result)
{
	int code = cli_flag(cli, "sql") ? show_sql(result, "\n\n") : CLI_OK;

	show_notes(cli, result);
	return code == CLI_OK ? show_result_rows(cli, result) : code;
}

/* Only the statement, so that it can be passed to another program. */
static int
show_compiled(struct cli *cli, struct view result)
{
	show_notes(cli, result);
	return show_sql(result, "\n");
}

int
cmd_sl_query(struct cli *cli)
{
	bool alone = cli_flag(cli, "compile-only");
	struct arguments m;
	int code;

	if (alone && (cli->format == FORMAT_CSV || cli->format == FORMAT_JSONL))
		return cli_fail(CLI_USAGE, "--compile-only has no rows to print: --format table or json");
	arguments_begin(&m);
	code = read_query(cli, &m);
	if (code == CLI_OK)
		code = client_run(cli, alone ? "sl_compile" : "sl_query", arguments_end(&m),
		    alone ? show_compiled : cmd_sl_query_show, NULL);
	buf_fini(&m.mp);
	return code;
}
