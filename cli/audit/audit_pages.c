#include "cli/audit/audit_pages.h"

#include <stdio.h>

#include "base/mp.h"
#include "cli/args.h"
#include "cli/daemon/client.h"
#include "cli/say.h"

#define PAGE	500u

static void
put_look(struct buf *out, const struct audit_look *l)
{
	static const char *const filters[] = { "principal", "action", "target", "outcome", "code", "text" };
	size_t mark = mp_open_map(out);

	mp_pair_uint(out, "from", l->all ? 0 : l->from);
	mp_pair_bool(out, "down", l->down);
	mp_pair_uint(out, "limit", PAGE);
	if (l->since != NULL && l->since[0] != '\0')
		mp_pair_cstr(out, "since", l->since);
	if (l->until != NULL && l->until[0] != '\0')
		mp_pair_cstr(out, "until", l->until);
	if (l->all)
		mp_pair_bool(out, "allNodes", true);
	if (l->after[0] != '\0')
		mp_pair_cstr(out, "after", l->after);
	if (l->chain != NULL)
		mp_pair_cstr(out, "chain", l->chain);
	for (size_t i = 0; l->filters && i < sizeof(filters) / sizeof(filters[0]); i++) {
		const char *wanted = cli_option(l->cli, filters[i]);

		if (wanted != NULL)
			mp_pair_cstr(out, filters[i], wanted);
	}
	mp_end(out, mark);
}

/* A row's cells; texts are the caller's. */
static struct audit_line
read_line(struct view row, struct buf texts[3])
{
	struct view_iter cells = view_iter(row);
	struct audit_line one = { .seq = 0 };
	struct view cell = { 0 };

	for (size_t i = 0; i < 3; i++)
		buf_reset(&texts[i], SIZE_MAX);
	(void)view_next(&cells, &cell);
	one.seq = view_uint(cell, 0);
	(void)view_next(&cells, &cell);
	view_text(cell, &texts[0]);
	(void)view_next(&cells, &cell);
	view_text(cell, &texts[1]);
	(void)view_next(&cells, &cell);
	one.vouched = view_true(cell);
	if (view_next(&cells, &cell))
		view_text(cell, &texts[2]);
	one.text = buf_view(&texts[0]);
	one.hash = buf_view(&texts[1]);
	one.node = buf_view(&texts[2]);
	return one;
}

/* Whether there is a page behind this one, which l then asks for. */
static bool
go_on(struct audit_look *l, struct view result)
{
	struct view next = view_get(result, l->all ? "after" : "next");
	struct buf text = { .max = 0 };

	if (l->all) {
		view_text(next, &text);
		snprintf(l->after, sizeof(l->after), "%s", next.kind == VIEW_STRING ? buf_cstr(&text) : "");
		buf_fini(&text);
		return l->after[0] != '\0';
	}
	if (next.kind == VIEW_NUMBER)
		l->from = view_uint(next, 0);
	return next.kind == VIEW_NUMBER;
}

int
audit_pages_each(struct audit_look *l, audit_line_fn *fn, void *arg)
{
	struct buf arguments = { .max = 0 }, texts[3] = { 0 };
	bool more = true;
	int status = 0;

	while (more && status == 0) {
		struct view result, row;
		struct view_iter rows;
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
			struct audit_line one = read_line(row, texts);

			l->from = l->down ? one.seq - 1 : one.seq + 1;
			more = fn(arg, &one);
		}
		more = more && go_on(l, result);
	}
	buf_fini(&arguments);
	for (size_t i = 0; i < 3; i++)
		buf_fini(&texts[i]);
	return status;
}
