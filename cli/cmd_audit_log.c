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
#include "cli/cmd_audit_log.h"
#include "cli/say.h"

#define PAGE		500u
#define FOLLOW_MS	300u
#define PROBLEMS_MAX	1000u	/* listed; all are counted */
#define SHOWN_MAX	10000u
#define NEWEST		(((uint64_t)1 << 53) - 1)	/* no entry has a greater number */
#define TIME_TEMPLATE	"0000-00-00T00:00:00.000Z"

static const struct span none = { NULL, 0 };

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

/* An entry as audit_page gives it; borrowed. */
struct audit_line {
	uint64_t	seq;
	struct span	text, hash;
	bool		vouched;	/* by the entry after it, or the head */
};

typedef bool audit_line_fn(void *arg, const struct audit_line *row);

/* The range and filters of a search. */
struct audit_look {
	struct cli	*cli;
	struct client	*client;
	bool		 down;
	uint64_t	 from;
	const char	*since, *until;	/* "": any */
	bool		 filters;	/* the filters of the options apply */
};

static void
put_look(struct buf *out, const struct audit_look *l)
{
	static const char *const filters[] = { "principal", "action", "target", "outcome", "code", "text" };
	size_t mark = mp_open_map(out), n = 3;

	mp_pair_uint(out, "from", l->from);
	mp_pair_bool(out, "down", l->down);
	mp_pair_uint(out, "limit", PAGE);
	if (l->since != NULL && l->since[0] != '\0') {
		mp_pair_cstr(out, "since", l->since);
		n++;
	}
	if (l->until != NULL && l->until[0] != '\0') {
		mp_pair_cstr(out, "until", l->until);
		n++;
	}
	for (size_t i = 0; l->filters && i < sizeof(filters) / sizeof(filters[0]); i++) {
		const char *wanted = cli_option(l->cli, filters[i]);

		if (wanted == NULL)
			continue;
		mp_pair_cstr(out, filters[i], wanted);
		n++;
	}
	mp_close(out, mark, n);
}

/*
 * Hand every entry from l->from on to fn, until it returns false or the entries end; l->from is then where the
 * next look would begin.  -1: said why.
 */
static int
look_each(struct audit_look *l, audit_line_fn *fn, void *arg)
{
	struct buf arguments = { .max = 0 }, text = { .max = 0 }, hash = { .max = 0 };
	bool more = true;
	int status = 0;

	while (more && status == 0) {
		struct view result, row, cell, next;
		struct view_iter rows, cells;
		struct err e;

		buf_reset(&arguments, SIZE_MAX);
		put_look(&arguments, l);
		if (client_tool(l->client, "audit_page", buf_view(&arguments), NULL, NULL, &result, &e) != 0) {
			(void)cli_fail(CLI_FAILED, "%s", e.message);
			status = -1;
			break;
		}
		rows = view_iter(view_get(result, "entries"));
		while (more && view_next(&rows, &row)) {
			struct audit_line one;

			cells = view_iter(row);
			view_next(&cells, &cell);
			one.seq = view_uint(cell, 0);
			buf_reset(&text, SIZE_MAX);
			buf_reset(&hash, SIZE_MAX);
			view_next(&cells, &cell);
			view_text(cell, &text);
			view_next(&cells, &cell);
			view_text(cell, &hash);
			view_next(&cells, &cell);
			one.text = buf_view(&text);
			one.hash = buf_view(&hash);
			one.vouched = view_true(cell);
			l->from = l->down ? one.seq - 1 : one.seq + 1;
			more = fn(arg, &one);
		}
		next = view_get(result, "next");
		if (more && next.kind == VIEW_NUMBER)
			l->from = view_uint(next, 0);
		else
			more = false;
	}
	buf_fini(&arguments);
	buf_fini(&text);
	buf_fini(&hash);
	return status;
}

/* The newest entries that are wanted, newest first. */
struct newest {
	struct arena	*arena;
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
	w->rows[w->n++].text = arena_span(w->arena, row->text);
	return true;
}

static int
show_table(struct cli *cli, const struct newest *w)
{
	static const char *const headers[] = { "seq", "at", "principal", "surface", "action", "target", "outcome",
		"code", "ms", "rows", "statement", NULL };
	static const char *const paths[] = { "seq", "at", "principal.id", "surface", "action", "target", "outcome",
		"code", "duration_ms", "rows", "statement" };
	struct text_table *t = table_new(cli->arena, headers);

	for (size_t i = w->n; i-- > 0;) {
		struct view entry = view_of(w->rows[i].text);

		table_row(t);
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
		if (!w->rows[i].vouched)
			json_put_uint(out, NULL, w->rows[i].seq);
	json_end_list(out);
}

static int
show_json(const struct newest *w, bool truncated)
{
	struct buf out = { .max = 0 };
	int code;

	json_put_object(&out, NULL);
	json_put_list(&out, "entries");
	for (size_t i = w->n; i-- > 0;)
		json_put_raw(&out, NULL, w->rows[i].text);
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
		if (look_each(l, follow_line, &over) != 0)
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
	struct audit_look l = { .cli = cli, .client = &c, .down = true, .from = NEWEST, .filters = searches };
	int code = CLI_FAILED;

	if (searches && !time_options(cli, since, until)) {
		arena_free(w.arena);
		return CLI_USAGE;
	}
	l.since = since;
	l.until = until;
	w.rows = calloc(max, sizeof(*w.rows));
	if (w.rows == NULL || client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		goto out;
	if (look_each(&l, newest_take, &w) == 0) {
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
	mp_put_pairs(&arguments, mp_cstr("receipt", cli_operand(cli, 0)));
	if (client_tool(&c, "audit_find", buf_view(&arguments), NULL, NULL, &result, &e) != 0)
		(void)cli_fail(CLI_FAILED, "%s", e.message);
	else if (view_get(result, "entry").kind != VIEW_STRING)
		(void)cli_fail(CLI_FAILED,
		    "no entry has the receipt %s; `carrel audit search` finds entries by their text",
		    cli_operand(cli, 0));
	else {
		view_text(view_get(result, "entry"), &entry);
		json_put_object(&out, NULL);
		json_put_raw(&out, "entry", buf_view(&entry));
		json_end_object(&out);
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

struct verify_run {
	struct audit_check	check;
	struct buf		json;	/* the problems */
	struct text_table		*table;
	size_t			listed;
	uint64_t		last;	/* when the check began; later entries are ignored */
};

static void
on_problem(void *arg, uint64_t seq, enum audit_problem_kind kind, const char *message)
{
	struct verify_run *v = arg;

	if (v->listed++ >= PROBLEMS_MAX)
		return;
	json_put_object(&v->json, NULL);
	json_put_uint(&v->json, "seq", seq);
	json_put_cstr(&v->json, "kind", audit_problem_name(kind));
	json_put_cstr(&v->json, "message", message);
	json_end_object(&v->json);
	table_row(v->table);
	table_cellf(v->table, "%llu", (unsigned long long)seq);
	table_cell(v->table, span_str(audit_problem_name(kind)));
	table_cell(v->table, span_str(message));
}

static bool
verify_take(void *arg, const struct audit_line *row)
{
	struct verify_run *v = arg;

	if (row->seq > v->last)
		return false;
	audit_check_entry(&v->check, row->seq, row->text, row->hash);
	return true;
}

static bool
hex_member(struct view result, const char *name, uint8_t *out, size_t n)
{
	struct buf text = { .max = 0 };
	bool good;

	view_text(view_get(result, name), &text);
	good = audit_unhex(buf_view(&text), out, n);
	buf_fini(&text);
	return good;
}

static void
read_ends(struct view now, struct audit_ends *e)
{
	e->heads = (unsigned)view_uint(view_get(now, "heads"), 0);
	e->head_is = (enum audit_witness)view_uint(view_get(now, "headIs"), AUDIT_ABSENT);
	e->head.seq = view_uint(view_get(now, "headSeq"), 0);
	e->copy_is = (enum audit_witness)view_uint(view_get(now, "copyIs"), AUDIT_ABSENT);
	e->known.seq = view_uint(view_get(now, "knownSeq"), 0);
	e->mark_is = (enum audit_witness)view_uint(view_get(now, "markIs"), AUDIT_ABSENT);
	e->mark = view_uint(view_get(now, "mark"), 0);
	e->used = view_true(view_get(now, "used"));
	(void)hex_member(now, "headHash", e->head.hash, AUDIT_HASH);
	(void)hex_member(now, "knownHash", e->known.hash, AUDIT_HASH);
}

static int
verify_store(struct cli *cli, struct verify_run *v, bool *outside)
{
	struct audit_expected *e = &v->check.expected;
	struct view now;
	struct client c;
	struct err err;
	struct audit_look l = { .cli = cli, .client = &c, .from = 0 };
	int status = -1;

	if (client_open(cli, &c, CLIENT_CLI, NULL, false) != 0)
		return -1;
	if (client_tool(&c, "audit_state", MP_EMPTY_MAP, NULL, NULL, &now, &err) != 0)
		(void)cli_fail(CLI_FAILED, "%s", err.message);
	else {
		v->last = view_uint(view_get(now, "lastSeq"), 0);
		e->whole = true;
		read_ends(now, &e->ends);
		e->has_key = hex_member(now, "publicKey", e->key, AUDIT_PUBLIC);
		*outside = view_true(view_get(now, "keyOutside"));
		status = v->last == 0 ? 0 : look_each(&l, verify_take, v);
	}
	client_close(&c);
	return status;
}

static int
verify_file(struct verify_run *v, const char *path)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	struct buf text = { .max = 0 };
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (f == NULL) {
		(void)cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
		return -1;
	}
	while ((n = getline(&line, &cap, f)) > 0) {
		struct span whole = span_of(line, (size_t)n - (line[n - 1] == '\n')), hash;

		if (whole.len == 0)
			continue;
		if (audit_line_read(whole, &text, &hash))
			audit_check_entry(&v->check, 0, buf_view(&text), hash);
		else
			audit_check_entry(&v->check, 0, none, none);
	}
	free(line);
	buf_fini(&text);
	n = ferror(f);
	if (f != stdin)
		(void)fclose(f);
	if (n == 0)
		return 0;
	(void)cli_fail(CLI_FAILED, "%s could not be read to its end", path);
	return -1;
}

static int
verify_show(struct cli *cli, const struct verify_run *v, bool of_store, bool outside)
{
	const struct audit_check *k = &v->check;
	struct buf out = { .max = 0 }, head = { .max = 0 };
	bool ok = k->problems == 0;
	int code;

	audit_hex(&head, k->last_hash, AUDIT_HASH);
	if (cli->json) {
		json_put_object(&out, NULL);
		json_put_bool(&out, "ok", ok);
		json_put_uint(&out, "entries", k->entries);
		json_put_known(&out, "first_seq", k->entries > 0, k->first_seq);
		json_put_known(&out, "last_seq", k->entries > 0, k->last_seq);
		json_put_cstr(&out, "head", k->entries > 0 ? buf_cstr(&head) : NULL);
		json_put_uint(&out, "checkpoints", k->checkpoints);
		json_put_list(&out, "problems");
		json_put_members(&out, buf_view(&v->json));
		json_end_list(&out);
		json_end_object(&out);
		code = cli_json(buf_view(&out));
	} else {
		code = v->listed > 0 ? cli_table(v->table) : CLI_OK;
		if (code == CLI_OK)
			code = cli_print("%s: %llu entries, %llu to %llu, %llu checkpoints\n",
			    ok ? "The chain is whole" : "The chain is broken", (unsigned long long)k->entries,
			    (unsigned long long)k->first_seq, (unsigned long long)k->last_seq,
			    (unsigned long long)k->checkpoints);
		if (code == CLI_OK && k->entries > 0)
			code = cli_print("head %s\n", buf_cstr(&head));
	}
	if (v->listed > PROBLEMS_MAX)
		cli_note("%zu problems were found, of which the first %u are listed", v->listed, PROBLEMS_MAX);
	if (of_store && !outside)
		cli_note("the audit's key is derived from .carrel/signing.key: who can read that can forge the audit; "
			 "audit.key takes one from outside");
	buf_fini(&out);
	buf_fini(&head);
	return code != CLI_OK ? code : ok ? CLI_OK : CLI_FAILED;
}

int
cmd_audit_verify(struct cli *cli)
{
	static const char *const headers[] = { "seq", "kind", "message", NULL };
	const char *file = cli_option(cli, "file");
	struct verify_run v = { .table = table_new(cli->arena, headers) };
	bool outside = false;
	int code = CLI_FAILED;

	v.check.problem = on_problem;
	v.check.arg = &v;
	if ((file != NULL ? verify_file(&v, file) : verify_store(cli, &v, &outside)) == 0) {
		audit_check_end(&v.check);
		code = verify_show(cli, &v, file == NULL, outside);
	}
	buf_fini(&v.json);
	return code;
}

struct export_run {
	FILE	*to;
	bool	 csv, failed;
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

int
cmd_audit_export(struct cli *cli)
{
	const char *path = cli_option(cli, "output");
	struct export_run x = { .csv = cli->format == FORMAT_CSV };
	char since[25], until[25];
	struct client c;
	struct audit_look l = { .cli = cli, .client = &c, .since = since, .until = until };
	struct buf heading = { .max = 0 };
	int status = -1;

	if (!time_options(cli, since, until))
		return CLI_USAGE;
	if ((x.to = export_open(path)) == NULL)
		return cli_fail(CLI_FAILED, "%s: %s", path, strerror(errno));
	if (x.csv)
		csv_heading(&heading);
	if (client_open(cli, &c, CLIENT_CLI, NULL, false) == 0) {
		x.failed = heading.len > 0 && fwrite(heading.p, 1, heading.len, x.to) != heading.len;
		status = x.failed ? 0 : look_each(&l, export_take, &x);
		client_close(&c);
	}
	buf_fini(&heading);
	x.failed |= fflush(x.to) != 0;
	if (x.to != stdout)
		x.failed |= fclose(x.to) != 0;
	if (status == 0 && x.failed)
		return cli_fail(CLI_FAILED, "%s: not all could be written", path == NULL ? "standard output" : path);
	return status == 0 ? CLI_OK : CLI_FAILED;
}
