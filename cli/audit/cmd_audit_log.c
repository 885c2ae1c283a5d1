#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/json/json_put.h"
#include "cli/daemon/client.h"
#include "policy/audit_words.h"
#include "project/audit_chain.h"
#include "cli/args.h"
#include "cli/audit/audit_pages.h"
#include "cli/audit/cmd_audit_log.h"
#include "cli/say.h"

#define FOLLOW_MS	300u
#define SHOWN_MAX	10000u
#define TIME_TEMPLATE	"0000-00-00T00:00:00.000Z"

/* "90s", "15m", "2h", "7d": milliseconds; 0 if invalid. */
static uint64_t
duration_ms(const char *text)
{
	static const struct {
		char unit;
		uint64_t ms;
	} units[] = { { 's', 1000 }, { 'm', 60000 }, { 'h', 3600000 }, { 'd', 86400000 } };
	char *end;
	uint64_t n;

	if (text[0] < '0' || text[0] > '9')
		return 0;
	n = strtoull(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end[0] == units[i].unit && end[1] == '\0' && n <= UINT64_MAX / 2 / units[i].ms)
			return n * units[i].ms;
	return 0;
}

/* A TIME as entries have it, in out; false if invalid. */
static bool
time_read(const char *text, char out[25])
{
	uint64_t back = duration_ms(text), now = clock_unix_ms();
	size_t len = strlen(text), given = len;

	if (back > 0) {
		clock_iso8601(back < now ? now - back : 0, out);
		return true;
	}
	if (len > 0 && text[len - 1] == 'Z')
		given--;
	/* A date, with hours and minutes, seconds, or thousandths. */
	if (given != 10 && given != 16 && given != 19 && given != 23)
		return false;
	memcpy(out, TIME_TEMPLATE, 25);
	for (size_t i = 0; i < given; i++) {
		bool digit = TIME_TEMPLATE[i] == '0';

		if (digit ? text[i] < '0' || text[i] > '9' : text[i] != TIME_TEMPLATE[i])
			return false;
		out[i] = text[i];
	}
	return true;
}

/* The options since and until, as entries have them; empty: not given.  False: said why. */
static bool
time_options(struct cli *cli, char since[25], char until[25])
{
	const char *const names[] = { "since", "until" };
	char *const to[] = { since, until };

	for (size_t i = 0; i < 2; i++) {
		const char *text = cli_option(cli, names[i]);

		to[i][0] = '\0';
		if (text == NULL || time_read(text, to[i]))
			continue;
		(void)cli_fail(CLI_USAGE,
		    "--%s is a time back from now like 90s, 15m, 2h or 7d, or one in UTC like 2026-01-31T12:00:00Z",
		    names[i]);
		return false;
	}
	return true;
}

/* The newest entries that are wanted, newest first. */
struct newest {
	struct arena	*arena;
	bool		 all;		/* of all nodes */
	struct audit_line *rows;	/* without their hashes */
	size_t		 n, max, doubtful;
	bool		 more;
	uint64_t	 last;	/* the number of the newest entry shown */
};

static bool
newest_take(void *arg, const struct audit_line *row)
{
	struct newest *w = arg;

	if (w->n == w->max) {
		w->more = true;
		return false;
	}
	if (w->last == 0)
		w->last = row->seq;
	w->doubtful += !row->vouched;
	w->rows[w->n] = *row;
	w->rows[w->n].node = arena_span(w->arena, row->node);
	w->rows[w->n++].text = arena_span(w->arena, row->text);
	return true;
}

static int
show_table(struct cli *cli, const struct newest *w)
{
	static const char *const headers[] = { "node", "seq", "at", "principal", "surface", "action", "target",
		"outcome", "code", "ms", "rows", "statement", NULL };
	static const char *const paths[] = { "seq", "at", "principal.id", "surface", "action", "target", "outcome",
		"code", "duration_ms", "rows", "statement" };
	struct text_table *t = table_new(cli->arena, headers + (w->all ? 0 : 1));

	for (size_t i = w->n; i-- > 0;) {
		struct view entry = view_of(w->rows[i].text);

		table_row(t);
		if (w->all)
			table_cell(t, w->rows[i].node);
		table_cellf(t, "%llu%s", (unsigned long long)w->rows[i].seq, w->rows[i].vouched ? "" : " !");
		for (size_t j = 1; j < sizeof(paths) / sizeof(paths[0]); j++) {
			/* A question that was asked back, or declined, was served as well. */
			struct view answer = strcmp(paths[j], "outcome") == 0 ? view_get(entry, "policy.answer") :
										view_get(entry, paths[j]);

			view_cell(answer.kind == VIEW_STRING ? answer : view_get(entry, paths[j]), "-", t);
		}
	}
	return cli_table(t);
}

static void
put_doubtful(struct buf *out, const struct newest *w)
{
	if (w->doubtful == 0)
		return;
	json_put_list(out, "doubtful");
	for (size_t i = w->n; i-- > 0;)
		if (!w->rows[i].vouched && !w->all)
			json_put_uint(out, NULL, w->rows[i].seq);
		else if (!w->rows[i].vouched) {
			json_put_object(out, NULL);
			json_put_str(out, "node", w->rows[i].node);
			json_put_uint(out, "seq", w->rows[i].seq);
			json_end_object(out);
		}
	json_end_list(out);
}

/* The entry; of all nodes with another member, the node's name. */
static void
put_entry(struct buf *out, const struct newest *w, const struct audit_line *row)
{
	struct buf text = { .max = 0 };

	if (w->all) {
		json_put_object(&text, NULL);
		json_put_str(&text, "node", row->node);
		if (row->text.len > 2)
			json_put_members(&text, span_of(row->text.p + 1, row->text.len - 2));
		json_end_object(&text);
	}
	json_put_raw(out, NULL, w->all ? buf_view(&text) : row->text);
	buf_fini(&text);
}

static int
show_json(const struct newest *w, bool truncated)
{
	struct buf out = { .max = 0 };
	int code;

	json_put_object(&out, NULL);
	json_put_list(&out, "entries");
	for (size_t i = w->n; i-- > 0;)
		put_entry(&out, w, &w->rows[i]);
	json_end_list(&out);
	put_doubtful(&out, w);
	if (truncated)
		json_put_bool(&out, "truncated", w->more);
	json_end_object(&out);
	code = cli_json(buf_view(&out));
	buf_fini(&out);
	return code;
}

static int
show_newest(struct cli *cli, const struct newest *w, bool truncated)
{
	int code = cli->json ? show_json(w, truncated) : show_table(cli, w);

	if (code == CLI_OK && truncated && w->more && !cli->json)
		cli_note("there are older ones that match; -n N shows more");
	if (w->doubtful > 0)
		cli_note("%zu of these rows (marked !) %s no part of the audit's chain: `carrel audit verify` says why",
		    w->doubtful, w->doubtful == 1 ? "is" : "are");
	return code;
}

static bool
follow_line(void *arg, const struct audit_line *row)
{
	struct buf line = { .max = 0 };
	bool *over = arg;

	if (row->text.len == 0)
		return true;
	audit_line_put(&line, row->text, row->hash);
	buf_byte(&line, '\n');
	*over = fwrite(line.p, 1, line.len, stdout) != line.len;
	buf_fini(&line);
	if (!row->vouched)
		cli_note("row %llu is no part of the audit's chain", (unsigned long long)row->seq);
	return !*over;
}

/* Print new entries until the output is closed or a signal ends this process. */
static int
follow(struct audit_look *l)
{
	bool over = false;

	while (!over) {
		if (audit_pages_each(l, follow_line, &over) != 0)
			return CLI_FAILED;
		over |= fflush(stdout) != 0;
		usleep(FOLLOW_MS * 1000);
	}
	return CLI_OK;
}

static int
audit_newest(struct cli *cli, uint64_t max, bool searches)
{
	char since[25] = "", until[25] = "";
	struct newest w = { .arena = arena_new((size_t)64 << 20), .max = max };
	struct client c;
	struct audit_look l = { .cli = cli, .client = &c, .down = true, .from = AUDIT_NEWEST, .filters = searches };
	int code = CLI_FAILED;

	w.all = l.all = searches && cli_flag(cli, "all-nodes");
	if (searches && !time_options(cli, since, until)) {
		arena_free(w.arena);
		return CLI_USAGE;
	}
	l.since = since;
	l.until = until;
	w.rows = calloc(max, sizeof(*w.rows));
	if (w.rows == NULL || client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		goto out;
	if (audit_pages_each(&l, newest_take, &w) == 0) {
		bool follows = !searches && cli_flag(cli, "follow");

		l.down = false;
		l.from = w.last + 1;
		if (!follows)
			code = show_newest(cli, &w, searches);
		else {
			/* The last ones first, in the form of those that follow. */
			if (w.n > 0)
				l.from = w.rows[w.n - 1].seq;
			code = follow(&l);
		}
	}
	client_close(&c);
out:
	free(w.rows);
	arena_free(w.arena);
	return code;
}

int
cmd_audit_tail(struct cli *cli)
{
	uint64_t n = 20;

	if (!cli_number(cli, "limit", 1, SHOWN_MAX, &n))
		return CLI_USAGE;
	return audit_newest(cli, n, false);
}

/* Checks options with few possible words: an unknown word would find nothing, and look like a result. */
static bool
words_options(struct cli *cli)
{
	const char *outcome = cli_option(cli, "outcome"), *action = cli_option(cli, "action");

	if (outcome != NULL && audit_outcome_of(span_str(outcome)) == AUDIT_OUTCOMES) {
		cli_fail(CLI_USAGE, "--outcome \"%s\": ok, refused, error or cancelled", outcome);
		return false;
	}
	if (action != NULL && audit_action_of(span_str(action)) == AUDIT_ACTIONS) {
		cli_fail(CLI_USAGE, "--action \"%s\" is no action of the audit; `carrel audit tail` shows actions",
		    action);
		return false;
	}
	return true;
}

int
cmd_audit_search(struct cli *cli)
{
	uint64_t n = 50;

	if (!cli_number(cli, "limit", 1, SHOWN_MAX, &n) || !words_options(cli))
		return CLI_USAGE;
	return audit_newest(cli, n, true);
}

static int
show_members(struct span entry)
{
	struct view_iter it = view_iter(view_of(entry));
	struct buf out = { .max = 0 }, text = { .max = 0 };
	struct span key;
	struct view v;
	int code;

	while (view_next_member(&it, &key, &v)) {
		if (v.kind == VIEW_NULL)
			continue;
		buf_reset(&text, SIZE_MAX);
		view_text(v, &text);
		buf_printf(&out, "%-12.*s ", SPAN_FMT(key));
		table_safe(buf_view(&text), false, &out);
		buf_byte(&out, '\n');
	}
	code = cli_write(buf_view(&out));
	buf_fini(&out);
	buf_fini(&text);
	return code;
}

int
cmd_audit_show(struct cli *cli)
{
	struct buf arguments = { .max = 0 }, entry = { .max = 0 }, out = { .max = 0 };
	struct view result;
	struct client c;
	struct err e;
	int code = CLI_FAILED;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return CLI_FAILED;
	mp_put_pairs(&arguments, mp_cstr("receipt", cli_operand(cli, 0)),
	    mp_when(cli_flag(cli, "all-nodes"), mp_bool("allNodes", true)));
	if (client_tool(&c, "audit_find", buf_view(&arguments), NULL, NULL, &result, &e) != 0)
		(void)cli_fail(CLI_FAILED, "%s", e.message);
	else if (view_get(result, "entry").kind != VIEW_STRING)
		(void)cli_fail(CLI_FAILED,
		    "no entry has the receipt %s; `carrel audit search` finds entries by their text",
		    cli_operand(cli, 0));
	else {
		const char *node = view_cstr(cli->arena, view_get(result, "node"), "");

		view_text(view_get(result, "entry"), &entry);
		json_put_object(&out, NULL);
		json_put_raw(&out, "entry", buf_view(&entry));
		if (node[0] != '\0')
			json_put_cstr(&out, "node", node);
		json_end_object(&out);
		if (!cli->json && node[0] != '\0')
			(void)cli_print("%-12s %s\n", "node", node);
		code = cli->json ? cli_json(buf_view(&out)) : show_members(buf_view(&entry));
		if (!view_true(view_get(result, "vouched")))
			cli_note("this row is no part of the audit's chain: `carrel audit verify` says why");
	}
	client_close(&c);
	buf_fini(&arguments);
	buf_fini(&entry);
	buf_fini(&out);
	return code;
}

struct export_run {
	FILE	*to;
	bool	 csv, failed;
	bool	 of_copy;
	uint64_t unreadable;	/* rows of a copy */
};

static const char *const csv_members[] = { "seq", "at", "receipt", "principal.kind", "principal.id", "surface",
	"action", "target", "outcome", "code", "duration_ms", "rows", "truncated", "statement", "connection",
	"snapshot", "policy", "client", "address", "trace_id", "prev" };

#define CSV_MEMBERS	(sizeof(csv_members) / sizeof(csv_members[0]))

static void
csv_heading(struct buf *out)
{
	for (size_t i = 0; i < CSV_MEMBERS; i++) {
		for (const char *p = csv_members[i]; *p != '\0'; p++)
			buf_byte(out, *p == '.' ? '_' : (uint8_t)*p);
		buf_byte(out, ',');
	}
	buf_str(out, "hash\r\n");
}

static void
csv_row(struct buf *out, struct span entry, struct span hash)
{
	struct buf text = { .max = 0 };
	struct view whole = view_of(entry);

	for (size_t i = 0; i < CSV_MEMBERS; i++) {
		struct view v = view_get(whole, csv_members[i]);

		buf_reset(&text, SIZE_MAX);
		if (v.kind != VIEW_NULL && v.kind != VIEW_NONE)
			view_text(v, &text);
		if (v.kind == VIEW_STRING || v.kind == VIEW_OBJECT)
			buf_quoted(out, buf_view(&text), '"');
		else
			buf_span(out, buf_view(&text));
		buf_byte(out, ',');
	}
	buf_span(out, hash);
	buf_str(out, "\r\n");
	buf_fini(&text);
}

static bool
export_take(void *arg, const struct audit_line *row)
{
	struct export_run *x = arg;
	struct buf out = { .max = 0 };

	if (x->of_copy && !row->vouched) {
		x->unreadable++;
		return true;
	}
	if (x->csv)
		csv_row(&out, row->text, row->hash);
	else if (row->text.len > 0) {
		audit_line_put(&out, row->text, row->hash);
		buf_byte(&out, '\n');
	}
	x->failed = fwrite(out.p, 1, out.len, x->to) != out.len;
	buf_fini(&out);
	return !x->failed;
}

static FILE *
export_open(const char *path)
{
	int fd;

	if (path == NULL || strcmp(path, "-") == 0)
		return stdout;
	/* Statements may hold what not everybody is to read. */
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

/*
 * The chain of the node's name, or with this number; of several with one name that which goes on.  A record that no
 * node wrote names nothing: what it stands for is taken by its number alone.  False: said why.
 */
static bool
find_chain(struct audit_look *l, const char *node)
{
	uint64_t age, newest = UINT64_MAX;
	struct view result, row;
	struct view_iter it;
	const char *planted = NULL;
	struct err e;

	if (client_tool(l->client, "audit_nodes", MP_EMPTY_MAP, NULL, NULL, &result, &e) != 0) {
		(void)cli_fail(CLI_FAILED, "%s", e.message);
		return false;
	}
	for (it = view_iter(view_get(result, "chains")); view_next(&it, &row);) {
		const char *chain = view_cstr(l->cli->arena, view_get(row, "chain"), "");
		bool is = strcmp(chain, node) == 0;

		age = is ? 0 : view_uint(view_get(row, "ageMs"), 0);
		if (!is && strcmp(view_cstr(l->cli->arena, view_get(row, "node"), ""), node) != 0)
			continue;
		if (!view_true(view_get(row, "vouched")))
			planted = chain;
		if ((planted == chain && !is) || (age >= newest && !is))
			continue;
		newest = age;
		l->chain = chain;
	}
	if (planted != NULL)
		cli_note(
		    "the record of the copy %s was not written by a node: `carrel audit verify --all-nodes` says more",
		    planted);
	if (l->chain == NULL && planted != NULL)
		(void)cli_fail(CLI_FAILED,
		    "no record of a node names a copy of %s; --node %s exports what stands there", node, planted);
	else if (l->chain == NULL)
		(void)cli_fail(CLI_FAILED,
		    "the store has no copy of an audit of the node %s; `carrel audit verify --all-nodes` shows what it "
		    "has",
		    node);
	return l->chain != NULL;
}

#define NAMES_THEM	"; `carrel audit verify --all-nodes` says which"

int
cmd_audit_export(struct cli *cli)
{
	const char *path = cli_option(cli, "output");
	struct export_run x = { .csv = cli->format == FORMAT_CSV };
	char since[25], until[25];
	struct client c;
	const char *node = cli_option(cli, "node");
	struct audit_look l = { .cli = cli, .client = &c, .since = since, .until = until };
	struct buf heading = { .max = 0 };
	int status = -1;

	if (!time_options(cli, since, until))
		return CLI_USAGE;
	if ((x.to = export_open(path)) == NULL)
		return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
	x.of_copy = node != NULL;
	if (x.csv)
		csv_heading(&heading);
	if (client_open(cli, &c, CLIENT_CLI, NULL, false) == 0) {
		x.failed = heading.len > 0 && fwrite(heading.p, 1, heading.len, x.to) != heading.len;
		status = x.failed                         ? 0 :
		    node != NULL && !find_chain(&l, node) ? -1 :
							    audit_pages_each(&l, export_take, &x);
		client_close(&c);
	}
	buf_fini(&heading);
	x.failed |= fflush(x.to) != 0;
	if (x.to != stdout)
		x.failed |= fclose(x.to) != 0;
	if (x.unreadable == 1)
		cli_note("a row of the copy is not as the node wrote it, and is left out" NAMES_THEM);
	else if (x.unreadable > 0)
		cli_note("%llu rows of the copy are not as the node wrote them, and are left out" NAMES_THEM,
		    (unsigned long long)x.unreadable);
	if (status == 0 && x.failed)
		return cli_fail(CLI_FAILED, "%s: not all could be written", path == NULL ? "standard output" : path);
	return status == 0 ? CLI_OK : CLI_FAILED;
}
