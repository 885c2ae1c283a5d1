/* compose_sheet.c - see compose_sheet.h. */
#include <math.h>

#include "workers/agent/answer/compose_sheet.h"

static const char no_base[] = "There is no percentage, because the total is zero.";

static struct sheet_column
key_column(const struct ask_dimension *d)
{
	return (struct sheet_column){ .name = d->label,
		.role = d->time     ? SHEET_TIME :
		    d->identity ? SHEET_OTHER :
				      SHEET_KEY };
}

static struct sheet_column
figure_column(const struct ask_measure *m)
{
	return (struct sheet_column){ .name = m->label, .role = SHEET_VALUE, .unit = m->unit, .additive = m->additive };
}

static struct sheet *
misfit(struct err *err)
{
	err_set(err, ERR_INTERNAL, "the rows of a query do not fit the question");
	return NULL;
}

/* The rows of one query, unchanged. */
static struct sheet *
compose_plain(struct arena *a, const struct ask_query *q, const struct data_rows *r, struct err *err)
{
	struct sheet *s;

	if (r->ncolumns != q->ndimensions + q->nmeasures)
		return misfit(err);
	if ((s = sheet_new(a, r->ncolumns, r->nrows)) == NULL)
		return misfit(err);
	for (size_t i = 0; i < q->ndimensions; i++)
		s->columns[i] = key_column(&q->dimensions[i]);
	for (size_t i = 0; i < q->nmeasures; i++)
		s->columns[q->ndimensions + i] = figure_column(&q->measures[i]);
	for (size_t i = 0; i < r->nrows * r->ncolumns; i++)
		s->cells[i] = r->cells[i];
	s->truncated = r->truncated;
	return s;
}

static const struct data_rows *
rows_of(const struct answer_brief *b, const struct data_rows *rows, enum ask_role role, const struct ask_query **q)
{
	for (size_t i = 0; i < b->nqueries; i++)
		if (b->queries[i].role == role) {
			*q = &b->queries[i];
			return &rows[i];
		}
	return NULL;
}

static struct sheet *
compose_share(struct arena *a, const struct answer_brief *b, const struct data_rows *rows, const char **caveat,
    struct err *err)
{
	const struct ask_query *q = NULL, *whole = NULL;
	const struct data_rows *part = rows_of(b, rows, ASK_VALUE, &q), *total = rows_of(b, rows, ASK_TOTAL, &whole);
	struct mp_value none = { .class = MP_NIL, .raw = SPAN("\xc0") };
	struct mp_value all =
	    total != NULL && total->nrows == 1 && total->ncolumns == 1 ? *data_cell(total, 0, 0) : none;
	size_t n, ncolumns;
	struct sheet *s;
	double whole_figure = 0, figure;
	bool known = sheet_number(&all, &whole_figure) && whole_figure != 0;

	if (part == NULL || q->nmeasures != 1 || part->ncolumns != q->ndimensions + 1)
		return misfit(err);
	n = q->ndimensions;
	ncolumns = n + 3;
	if ((s = sheet_new(a, ncolumns, part->nrows)) == NULL)
		return misfit(err);
	for (size_t i = 0; i < n; i++)
		s->columns[i] = key_column(&q->dimensions[i]);
	s->columns[n] = figure_column(&q->measures[0]);
	s->columns[n + 1] = figure_column(&q->measures[0]);
	s->columns[n + 1].name = b->german ? SPAN("Gesamt") : SPAN("Total");
	s->columns[n + 1].additive = false;
	s->columns[n + 2] = (struct sheet_column){
		.name = b->german ? SPAN("Anteil") : SPAN("Share"), .role = SHEET_VALUE, .unit = SPAN("%")
	};
	for (size_t row = 0; row < part->nrows; row++) {
		for (size_t i = 0; i <= n; i++)
			*sheet_cell(s, row, i) = *data_cell(part, row, i);
		*sheet_cell(s, row, n + 1) = all;
		if (sheet_number(sheet_cell(s, row, n), &figure) && known)
			*sheet_cell(s, row, n + 2) = sheet_figure(a, 100 * figure / whole_figure);
	}
	if (!known && part->nrows > 0)
		*caveat = no_base;
	s->truncated = part->truncated;
	return s;
}

/* One side of a comparison. */
struct side {
	struct mp_value label, figure;
	struct span start; /* of its window */
};

static struct sheet *
compose_sides(struct arena *a, const struct answer_brief *b, const struct ask_query *q, const struct side *sides,
    const char **caveat, struct err *err)
{
	bool second_is_base = b->shape == ASK_PERIODS && span_cmp(sides[1].start, sides[0].start) < 0;
	size_t base = second_is_base ? 1 : 0, other = 1 - base;
	struct sheet *s = sheet_new(a, 4, 2);
	double from, to;

	if (s == NULL)
		return misfit(err);
	s->columns[0] = (struct sheet_column){ .role = SHEET_KEY,
		.name = b->shape == ASK_PERIODS ? (b->german ? SPAN("Zeitraum") : SPAN("Period")) :
		    q->ndimensions > 0          ? q->dimensions[0].label :
		    b->german                   ? SPAN("Seite") :
						  SPAN("Side") };
	s->columns[1] = figure_column(&q->measures[0]);
	s->columns[2] = (struct sheet_column){ .name = b->german ? SPAN("Differenz") : SPAN("Difference"),
		.role = SHEET_VALUE,
		.unit = q->measures[0].unit };
	s->columns[3] = (struct sheet_column){ .name = b->german ? SPAN("Differenz in %") : SPAN("Difference in %"),
		.role = SHEET_VALUE,
		.unit = SPAN("%") };
	for (size_t row = 0; row < 2; row++) {
		*sheet_cell(s, row, 0) = sides[row].label;
		*sheet_cell(s, row, 1) = sides[row].figure;
	}
	if (sheet_number(&sides[base].figure, &from) && sheet_number(&sides[other].figure, &to)) {
		*sheet_cell(s, other, 2) = sheet_figure(a, to - from);
		if (from != 0)
			*sheet_cell(s, other, 3) = sheet_figure(a, 100 * (to - from) / from);
		else
			*caveat = no_base;
	}
	return s;
}

static struct sheet *
compose_comparison(struct arena *a, const struct answer_brief *b, const struct data_rows *rows, const char **caveat,
    struct err *err)
{
	const struct ask_query *first = NULL, *second = NULL;
	const struct data_rows *one = rows_of(b, rows, ASK_FIRST, &first), *two = rows_of(b, rows, ASK_SECOND, &second);
	struct side sides[2];

	if (one != NULL && two != NULL) {
		if (one->nrows != 1 || two->nrows != 1 || one->ncolumns != 1 || two->ncolumns != 1)
			return misfit(err);
		sides[0] = (struct side){ sheet_text(a, first->label), *data_cell(one, 0, 0), first->window.start };
		sides[1] = (struct side){ sheet_text(a, second->label), *data_cell(two, 0, 0), second->window.start };
		return compose_sides(a, b, first, sides, caveat, err);
	}
	/* A single query by the compared column: a side without rows is missing from the result. */
	if (b->queries[0].ndimensions != 1 || b->queries[0].nmeasures != 1 || rows[0].nrows != 2 ||
	    rows[0].ncolumns != 2)
		return compose_plain(a, &b->queries[0], &rows[0], err);
	for (size_t i = 0; i < 2; i++)
		sides[i] = (struct side){ *data_cell(&rows[0], i, 0), *data_cell(&rows[0], i, 1), { NULL, 0 } };
	return compose_sides(a, b, &b->queries[0], sides, caveat, err);
}

struct sheet *
compose_sheet(struct arena *a, const struct answer_brief *b, const struct data_rows *rows, const char **caveat,
    struct err *err)
{
	*caveat = NULL;
	switch (b->shape) {
	case ASK_SHARE:
		return compose_share(a, b, rows, caveat, err);
	case ASK_COMPARE:
	case ASK_PERIODS:
		return compose_comparison(a, b, rows, caveat, err);
	default:
		return compose_plain(a, &b->queries[0], &rows[0], err);
	}
}
