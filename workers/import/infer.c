/* infer.c - see infer.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "workers/import/infer.h"
#include "workers/import/value_text.h"

static void
note_field(struct infer_column *c, const struct import_field *f)
{
	struct span t = f->text;
	unsigned among = c->readings;

	if (f->kind == FIELD_NULL || among == 0)
		return;
	t = span_trim(t);
	if (value_is_nothing(t) && (f->kind != FIELD_STRING || t.len == 0))
		return;
	/* Where the format distinguishes strings from numbers, a string of digits stays text. */
	if (f->kind == FIELD_STRING)
		among &= VALUE_DAYS | VALUE_CLOCKS;
	c->filled = true;
	c->readings = value_readings(t, among);
}

void
infer_row(struct infer_columns *c, const struct import_row *row)
{
	while (c->n < row->n) {
		c->v = mem_grow(c->v, c->n, &c->cap, sizeof(*c->v));
		c->v[c->n++] = (struct infer_column){ .readings = VALUE_ALL };
	}
	for (size_t i = 0; i < row->n; i++)
		note_field(&c->v[i], &row->fields[i]);
}

/* Whether the file uses decimal commas: some column is only readable with a comma, and none only with a point. */
static bool
writes_comma(const struct infer_columns *c)
{
	const unsigned point = VALUE_POINT | VALUE_POINT_GROUPED, comma = VALUE_COMMA | VALUE_COMMA_GROUPED;
	size_t points = 0, commas = 0;

	for (size_t i = 0; i < c->n; i++) {
		unsigned r = c->v[i].readings;

		if (!c->v[i].filled || (r & VALUE_INTEGER) != 0)
			continue;
		commas += (r & comma) != 0 && (r & point) == 0;
		points += (r & point) != 0 && (r & comma) == 0;
	}
	return commas > points;
}

/* The first of ways, a list that ends with 0, that is among readings; 0: none. */
static unsigned
first_of(unsigned readings, const unsigned *ways)
{
	for (; *ways != 0; ways++)
		if ((readings & *ways) != 0)
			return *ways;
	return 0;
}

static void
decide_type(struct infer_column *c, bool comma)
{
	static const unsigned points[] = { VALUE_POINT, VALUE_POINT_GROUPED, VALUE_COMMA, VALUE_COMMA_GROUPED, 0 };
	static const unsigned commas[] = { VALUE_COMMA, VALUE_COMMA_GROUPED, VALUE_POINT, VALUE_POINT_GROUPED, 0 };
	static const unsigned days[] = { VALUE_YMD, VALUE_DMY_POINT, VALUE_DAY_NAMED, VALUE_DMY, VALUE_MDY, 0 };
	static const unsigned clocks[] = { VALUE_DAY_ONLY, VALUE_TIMED, VALUE_ZONED, 0 };
	unsigned r = c->filled ? c->readings : 0, day, clock;

	c->type = COLUMN_TEXT;
	c->as = 0;
	if ((r & VALUE_FLAG) != 0) {
		c->type = COLUMN_BOOLEAN;
		c->as = VALUE_FLAG;
	} else if ((r & VALUE_INTEGER) != 0) {
		c->type = COLUMN_INTEGER;
		c->as = VALUE_INTEGER;
	} else if ((c->as = first_of(r, comma ? commas : points)) != 0)
		c->type = COLUMN_REAL;
	/* If all days fit both 03/04/2024 orders, the month is unknown: the column stays text. */
	else if ((r & (VALUE_DMY | VALUE_MDY)) != (VALUE_DMY | VALUE_MDY) && (day = first_of(r, days)) != 0 &&
	    (clock = first_of(r, clocks)) != 0) {
		c->type = clock == VALUE_DAY_ONLY ? COLUMN_DATE : COLUMN_TIMESTAMP;
		c->as = day | clock;
	}
}

void
infer_end(struct infer_columns *c)
{
	bool comma = writes_comma(c);

	for (size_t i = 0; i < c->n; i++)
		decide_type(&c->v[i], comma);
}

void
infer_free(struct infer_columns *c)
{
	free(c->v);
	*c = (struct infer_columns){ 0 };
}

const char *
column_type_name(enum column_type type)
{
	static const char *const names[] = { "TEXT", "BOOLEAN", "INTEGER", "REAL", "DATE", "TIMESTAMP" };

	return names[type];
}
