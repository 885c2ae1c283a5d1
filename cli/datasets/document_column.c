#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/io.h"
#include "base/json/json_put.h"
#include "base/json/json_read.h"
#include "cli/arguments.h"
#include "cli/datasets/cmd_dataset.h"
#include "cli/datasets/document_column.h"
#include "cli/show/term.h"
#include "project/passages.h"

struct document_column {
	struct documents	*d;
	struct client		*client;
	const char		*name;		/* as given, then as the table spells it */
	struct document		*one;
	int			 fd, other;	/* to carrel-import; other: carrel-import's end, -1 once passed on */
	uint64_t		 rows, rows_known;	/* rows read; rows of the table, 0: not known */
	struct view		 page;
	struct buf		 text, after, out;	/* text: what page borrows from */
};

static int
column_fail(struct document_column *x, const char *why)
{
	x->one->skipped = arena_printf(x->d->cli->arena, "%s", why);
	return -1;
}

static int
ask_page(struct document_column *x)
{
	struct arguments m;
	struct view result;
	struct err err;
	int r;

	arguments_begin(&m);
	mp_put_cstr(arguments_key(&m, "id"), x->d->id);
	mp_put_cstr(arguments_key(&m, "column"), x->name);
	if (x->after.len > 0)
		buf_span(arguments_key(&m, "after"), buf_view(&x->after));
	r = client_tool(x->client, "dataset_column", arguments_end(&m), NULL, NULL, &result, &err);
	buf_fini(&m.mp);
	if (r != 0)
		return column_fail(x, err.message);
	x->text.len = 0;
	buf_span(&x->text, result.raw);
	x->page = view_of(buf_view(&x->text));
	return 0;
}

/* Keep the row's key, to continue after it.  False: the cells define no order. */
static bool
keep_key(struct document_column *x, struct view row)
{
	size_t n = view_count(row), i = 0, at;
	struct view_iter it = view_iter(row);
	struct view cell;
	struct mp_value v;

	x->after.len = 0;
	if (n < 2)
		return false;
	mp_put_array(&x->after, n - 1);
	while (++i < n && view_next(&it, &cell)) {
		size_t from = x->after.len;

		if (json_read(cell.raw, &x->after, &at) != JSON_OK ||
		    !mp_value(span_of(x->after.p + from, x->after.len - from), &v) ||
		    (v.class != MP_STR && v.class != MP_BOOL && !mp_is_number(&v)))
			return false;
	}
	return true;
}

static int
column_send(struct document_column *x)
{
	int r = io_send(x->fd, buf_view(&x->out));

	x->out.len = 0;
	return r;
}

static void
put_keys(struct document_column *x)
{
	struct view_iter it = view_iter(view_get(x->page, "columns"));
	size_t n = view_count(view_get(x->page, "columns"));
	struct view each;

	json_put_object(&x->out, NULL);
	json_put_list(&x->out, "keys");
	for (size_t i = 1; view_true(view_get(x->page, "named")) && i < n && view_next(&it, &each); i++)
		json_put_raw(&x->out, NULL, each.raw);
	buf_str(&x->out, "]}\n");
}

/* Send all rows of the page; last is set to the last row.  -1: carrel-import stopped and reports why. */
static int
send_page(struct document_column *x, struct view *last)
{
	struct view_iter it = view_iter(view_get(x->page, "rows"));
	struct view row;

	while (view_next(&it, &row)) {
		*last = row;
		buf_span(&x->out, row.raw);
		buf_byte(&x->out, '\n');
		x->rows++;
	}
	return column_send(x);
}

static void
show_rows(const struct document_column *x)
{
	double most = (double)(x->rows_known > x->rows ? x->rows_known : x->rows);

	term_progress(most > 0 ? (double)x->rows / most : 1,
	    arena_printf(x->d->cli->arena, "%s: %llu rows", x->one->file, (unsigned long long)x->rows));
}

static int
send_pages(struct document_column *x)
{
	struct buf before = { 0 };
	struct view last = { VIEW_NONE, { NULL, 0 } };
	int result = 0;

	put_keys(x);
	for (;;) {
		if (send_page(x, &last) != 0 || !view_true(view_get(x->page, "truncated")))
			break;
		show_rows(x);
		before.len = 0;
		buf_span(&before, buf_view(&x->after));
		if (x->rows == 0 || !keep_key(x, last) || span_is(buf_view(&before), buf_view(&x->after))) {
			result = column_fail(x,
			    "its texts are more than can be read at once, and the table has no key to read it by in "
			    "parts; publish a view of fewer rows, or give the table a key and scan "
			    "again");
			break;
		}
		if ((result = ask_page(x)) != 0)
			break;
	}
	buf_fini(&before);
	return result;
}

/* Writes the input of carrel-import; without the final line it stores nothing. */
static int
feed_column(void *arg)
{
	struct document_column *x = arg;
	int result;

	close(x->other);
	x->other = -1;
	result = send_pages(x);
	if (result == 0) {
		json_put_object(&x->out, NULL);
		json_put_uint(&x->out, "rows", x->rows);
		json_end_object(&x->out);
		buf_byte(&x->out, '\n');
		(void)column_send(x);
	}
	close(x->fd);
	x->fd = -1;
	term_progress_end();
	return result;
}

static const char *
cited_as(const struct document_column *x)
{
	return arena_printf(x->d->cli->arena, PASSAGES_COLUMN "%s", x->name);
}

static bool
given_before(const struct documents *d, const char *file)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].skipped == NULL && strcmp(d->v[i].file, file) == 0)
			return true;
	return false;
}

static int
read_column(struct document_column *x, const struct config *cfg)
{
	int ends[2], code;

	if (!dataset_is_text(x->name))
		return column_fail(x, "its name is no UTF-8");
	if (ask_page(x) != 0)
		return -1;
	x->name = view_cstr(x->d->cli->arena, view_get(x->page, "column"), x->name);
	x->one->file = cited_as(x);
	x->one->name = document_name(x->d->cli, x->one->file);
	if (given_before(x->d, x->one->file))
		return column_fail(x, "it was given before");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return column_fail(x, strerror(errno));
	x->fd = ends[0];
	x->other = ends[1];
	code = document_read_into(x->d, cfg, x->other, "rows", feed_column, x, x->one);
	if (x->other >= 0)
		close(x->other);
	if (x->fd >= 0)
		close(x->fd);
	return code;
}

int
document_take_column(struct documents *d, const struct config *cfg, struct client *c, struct view dataset,
    const char *column)
{
	struct document one = { .name = "" };
	struct document_column x = { .d = d, .client = c, .name = column, .one = &one, .fd = -1, .other = -1,
		.rows_known = view_uint(view_get(dataset, "row_count"), 0) };
	int code;

	one.file = cited_as(&x);
	code = read_column(&x, cfg);
	document_add(d, one);
	buf_fini(&x.text);
	buf_fini(&x.after);
	buf_fini(&x.out);
	return code > CLI_OK ? code : CLI_OK;
}
