#include "workers/sql/bound.h"

#include "base/ascii.h"
#include "workers/sql/driver.h"

static size_t
number_of(const struct sql_bound *bound, struct span name)
{
	size_t i = 0;

	while (i < bound->n && !span_is(bound->v[i].name, name))
		i++;
	return i + 1;
}

/* Behind a colon: a second one, or =, belongs to it; a name is a parameter's. */
static int
write_colon(const struct sql_bound_style *style, struct sqltext *s, const struct sql_bound *bound, struct buf *out,
    struct err *err)
{
	struct sqltext ahead = *s;
	struct sqltext_token t = sqltext_piece(&ahead);
	size_t number;

	if (sqltext_is_punct(&t, ':') || sqltext_is_punct(&t, '=')) {
		*s = ahead;
		buf_byte(out, ':');
		buf_span(out, t.text);
		return 0;
	}
	if (t.kind != SQLTEXT_WORD && t.kind != SQLTEXT_NUMBER) {
		buf_byte(out, ':');
		return 0;
	}
	number = number_of(bound, t.text);
	if (number > bound->n)
		return err_set(err, ERR_INVALID_SQL,
		    "the statement has :%.*s, which is no parameter of the tool; declare it, or write a blank behind "
		    "the "
		    "colon where none is meant",
		    (int)(t.text.len < 60 ? t.text.len : 60), (const char *)t.text.p);
	*s = ahead;
	if (style->put != NULL)
		style->put(out, number, &bound->v[number - 1]);
	else
		buf_printf(out, "%c%zu", style->mark, number);
	return 0;
}

int
sql_bound_write(const struct sql_bound_style *style, struct span sql, const struct sql_bound *bound, struct buf *out,
    struct err *err)
{
	struct sqltext s = { .dialect = style->dialect, .text = sql };
	struct sqltext_token t;

	while ((t = sqltext_piece(&s)).kind != SQLTEXT_END) {
		if (t.kind == SQLTEXT_PUNCT && ascii_is_any(t.text.p[0], style->marks))
			return err_set(err, ERR_INVALID_SQL,
			    "the statement has a placeholder of its own (%c); write :name for a parameter of the tool",
			    t.text.p[0]);
		if (!sqltext_is_punct(&t, ':'))
			buf_span(out, t.text);
		else if (write_colon(style, &s, bound, out, err) == -1)
			return -1;
	}
	return out->full ? err_set(err, ERR_SQL_TOO_LONG, "the statement is too long") : 0;
}

int
sql_bound_text(const struct sql_bound_style *style, struct arena *a, const struct sql_bound *bound, struct span *sql,
    struct err *err)
{
	struct buf out = BUF_MAX(SQL_TEXT_MAX);
	int rc = sql_bound_write(style, *sql, bound, &out, err);

	if (rc == 0 && (*sql = arena_span(a, buf_view(&out))).p == NULL)
		rc = err_set(err, ERR_SQL_TOO_LONG, "the statement is too long");
	buf_fini(&out);
	return rc;
}
