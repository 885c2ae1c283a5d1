#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/date.h"
#include "workers/agent/data/gaps.h"

#define DATE_BYTES 10u /* "2025-03-01" */

/* How far one period is from the next. */
struct stride {
	const char	*granularity;
	unsigned	 days, months;
};

static const struct stride strides[] = {
	{ "day", 1, 0 }, { "week", 7, 0 }, { "month", 0, 1 }, { "quarter", 0, 3 }, { "year", 0, 12 }
};

static bool
read_date(const struct mp_value *cell, struct date *out)
{
	static const char form[] = "dddd-dd-dd";
	unsigned parts[3] = { 0 }, part = 0;

	if (cell->class != MP_STR || cell->s.len < DATE_BYTES)
		return false;
	for (size_t i = 0; i < DATE_BYTES; i++)
		if (form[i] == '-' ? cell->s.p[i] != '-' : !ascii_is_digit(cell->s.p[i]))
			return false;
		else if (form[i] == '-')
			part++;
		else
			parts[part] = parts[part] * 10 + (unsigned)(cell->s.p[i] - '0');
	*out = (struct date){ parts[0], parts[1], parts[2] };
	return parts[1] >= 1 && parts[1] <= 12;
}

static struct date
next_date(const struct stride *s, struct date d)
{
	int64_t months = d.year * 12 + (int64_t)d.month - 1 + s->months;

	if (s->days > 0)
		return date_of_days(date_days(d.year, d.month, d.day) + s->days);
	return (struct date){ months / 12, (unsigned)(months % 12) + 1, d.day };
}

static int64_t
days_of(struct date d)
{
	return date_days(d.year, d.month, d.day);
}

/* The number of periods between two rows that have no row; 0 also if the rows are not dates in order. */
static size_t
missing_between(const struct stride *s, const struct mp_value *first, const struct mp_value *second, size_t most)
{
	struct date from, to;
	size_t n = 0;

	if (!read_date(first, &from) || !read_date(second, &to))
		return 0;
	for (from = next_date(s, from); n <= most && days_of(from) < days_of(to); from = next_date(s, from))
		n++;
	return n;
}

/* A row of the period after the one in the row before, with its keys and without figures. */
static void
put_missing(struct arena *a, struct sheet *out, size_t row, size_t time, const struct stride *s)
{
	struct mp_value *before = sheet_cell(out, row - 1, time);
	struct date d;
	char text[96];

	for (size_t c = 0; c < out->ncolumns; c++)
		if (out->columns[c].role == SHEET_KEY)
			*sheet_cell(out, row, c) = *sheet_cell(out, row - 1, c);
	if (!read_date(before, &d))
		return;
	d = next_date(s, d);
	snprintf(text, sizeof(text), "%04lld-%02u-%02u%.*s", (long long)d.year, d.month, d.day,
	    (int)(before->s.len - DATE_BYTES < 48 ? before->s.len - DATE_BYTES : 48),
	    (const char *)before->s.p + DATE_BYTES);
	*sheet_cell(out, row, time) = sheet_text(a, span_str(text));
}

static const struct stride *
stride_of(struct span granularity)
{
	for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++)
		if (span_is_str(granularity, strides[i].granularity))
			return &strides[i];
	return NULL;
}

const struct sheet *
gaps_fill(struct arena *a, const struct sheet *t)
{
	size_t time = sheet_column_of(t, SHEET_TIME, 0), missing = 0, at = 0;
	const struct stride *s = time < t->ncolumns ? stride_of(t->columns[time].granularity) : NULL;
	struct sheet *out;

	for (size_t row = 1; s != NULL && row < t->nrows && missing <= t->nrows; row++)
		missing += missing_between(s, sheet_cell(t, row - 1, time), sheet_cell(t, row, time), t->nrows);
	if (missing == 0 || missing > t->nrows || (out = sheet_new(a, t->ncolumns, t->nrows + missing)) == NULL)
		return t;
	memcpy(out->columns, t->columns, sizeof(out->columns));
	out->truncated = t->truncated;
	out->german = t->german;
	for (size_t row = 0; row < t->nrows; row++) {
		size_t n =
		    row == 0 ? 0 : missing_between(s, sheet_cell(t, row - 1, time), sheet_cell(t, row, time), t->nrows);

		while (n-- > 0)
			put_missing(a, out, at++, time, s);
		memcpy(sheet_cell(out, at++, 0), sheet_cell(t, row, 0), t->ncolumns * sizeof(*t->cells));
	}
	return out;
}
