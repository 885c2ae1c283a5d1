#include <string.h>

#include "base/json/cell.h"
#include "workers/agent/data/durations.h"

/* The units of an interval's parts; months and years have no fixed length. */
static const struct {
	const char *name;
	unsigned seconds;
} parts[] = { { "day", 86400 }, { "days", 86400 } };

/* What durations are shown in, the largest first. */
static const struct {
	const char *name;
	unsigned seconds;
} shown[] = { { "days", 86400 }, { "hours", 3600 }, { "minutes", 60 }, { "seconds", 1 } };

/* Cut the text before the first such byte, or all, off the front of s. */
static struct span
cut_front(struct span *s, char at)
{
	const uint8_t *end = memchr(s->p, at, s->len);
	struct span front = end == NULL ? *s : span_of(s->p, (size_t)(end - s->p));

	*s = end == NULL ? span_of(s->p + s->len, 0) : span_of(end + 1, s->len - front.len - 1);
	return front;
}

/* *sum += text * seconds, or minus. */
static bool
add_part(struct span text, unsigned seconds, bool negative, struct decimal *sum)
{
	struct decimal d;

	if (!decimal_read(text, &d) || d.units > INT64_MAX || d.units < INT64_MIN)
		return false;
	d.units *= seconds;
	return negative ? decimal_subtract(sum, &d, sum) : decimal_add(sum, &d, sum);
}

/* "-04:05:06.7" */
static bool
add_clock(struct span clock, struct decimal *sum)
{
	bool negative = clock.len > 0 && clock.p[0] == '-';

	if (negative || (clock.len > 0 && clock.p[0] == '+'))
		clock = span_of(clock.p + 1, clock.len - 1);
	for (unsigned seconds = 3600; seconds > 0; seconds /= 60)
		if (!add_part(cut_front(&clock, ':'), seconds, negative, sum))
			return false;
	return clock.len == 0;
}

bool
duration_read(struct span text, struct decimal *seconds)
{
	*seconds = (struct decimal){ 0 };
	if (text.len == 0)
		return false;
	while (text.len > 0) {
		struct span number = cut_front(&text, ' '), unit;
		size_t i = 0;

		if (memchr(number.p, ':', number.len) != NULL)
			return text.len == 0 && add_clock(number, seconds);
		unit = cut_front(&text, ' ');
		while (i < sizeof(parts) / sizeof(parts[0]) && !span_is_str(unit, parts[i].name))
			i++;
		if (i == sizeof(parts) / sizeof(parts[0]) || !add_part(number, parts[i].seconds, false, seconds))
			return false;
	}
	return true;
}

void
durations_take(struct arena *a, struct data_rows *r, size_t from)
{
	for (size_t column = from; column < r->ncolumns; column++) {
		struct decimal d;

		for (size_t row = 0; r->intervals[column] && row < r->nrows; row++) {
			const struct mp_value *cell = data_cell(r, row, column);

			r->intervals[column] =
			    cell->class == MP_NIL || (cell->class == MP_STR && duration_read(cell->s, &d));
		}
		for (size_t row = 0; r->intervals[column] && row < r->nrows; row++) {
			struct mp_value *cell = &r->cells[row * r->ncolumns + column];

			if (cell->class == MP_STR && duration_read(cell->s, &d))
				*cell = sheet_decimal(a, &d);
		}
	}
}

/* Whether all durations of the measure are whole numbers of this many seconds. */
static bool
durations_fit(const struct data_rows *rows, size_t n, size_t from_last, unsigned seconds)
{
	for (size_t k = 0; k < n; k++)
		for (size_t row = 0; row < rows[k].nrows; row++) {
			struct decimal d;

			if (cell_decimal(data_cell(&rows[k], row, rows[k].ncolumns - from_last), &d) &&
			    (d.scale > 0 || d.units % seconds != 0))
				return false;
		}
	return true;
}

static void
scale_measure(struct arena *a, struct data_rows *rows, size_t n, size_t from_last, unsigned seconds)
{
	for (size_t k = 0; k < n; k++)
		for (size_t row = 0; row < rows[k].nrows; row++) {
			struct mp_value *cell = &rows[k].cells[(row + 1) * rows[k].ncolumns - from_last];
			struct decimal d;

			if (seconds == 1 || !cell_decimal(cell, &d))
				continue;
			d.units /= seconds;
			*cell = sheet_decimal(a, &d);
		}
}

void
durations_scale(struct arena *a, struct ask_query *queries, struct data_rows *rows, size_t n)
{
	for (size_t i = 0; n > 0 && i < queries[0].nmeasures; i++) {
		size_t from_last = queries[0].nmeasures - i, unit = 0;
		bool all = true;

		for (size_t k = 0; k < n; k++)
			all = all && queries[k].nmeasures == queries[0].nmeasures && rows[k].ncolumns >= from_last &&
			    rows[k].intervals[rows[k].ncolumns - from_last];
		if (!all)
			continue;
		while (!durations_fit(rows, n, from_last, shown[unit].seconds) && shown[unit].seconds > 1)
			unit++;
		scale_measure(a, rows, n, from_last, shown[unit].seconds);
		for (size_t k = 0; k < n; k++)
			queries[k].measures[i].unit = span_str(shown[unit].name);
	}
}
