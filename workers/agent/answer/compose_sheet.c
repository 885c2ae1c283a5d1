#include "base/json/cell.h"
#include "base/text/locale_text.h"
#include "workers/agent/data/caveats.h"
#include "workers/agent/answer/compose_sheet.h"

static struct sheet_column
key_column(const struct ask_dimension *d, bool german)
{
	const char *period = d->time ? locale_granularity(d->granularity, german) : "";

	return (struct sheet_column){ .name = period[0] != '\0' ? span_str(period) : d->label,
		.granularity = d->granularity,
		.names = d->key,
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
compose_plain(struct arena *a, const struct answer_brief *b, const struct ask_query *q, const struct data_rows *r,
    struct err *err)
{
	struct sheet *s;

	if (r->ncolumns != q->ndimensions + q->nmeasures)
		return misfit(err);
	if ((s = sheet_new(a, r->ncolumns, r->nrows)) == NULL)
		return misfit(err);
	for (size_t i = 0; i < q->ndimensions; i++)
		s->columns[i] = key_column(&q->dimensions[i], b->german);
	for (size_t i = 0; i < q->nmeasures; i++)
		s->columns[q->ndimensions + i] = figure_column(&q->measures[i]);
	for (size_t i = 0; i < r->nrows * r->ncolumns; i++)
		s->cells[i] = r->cells[i];
	s->truncated = r->truncated;
	return s;
}

/* The reason for a missing percentage of this base. */
static struct span
no_percentage(struct arena *a, const struct answer_brief *b, const struct mp_value *base)
{
	double v;

	return caveat_text(a, b->german,
	    base->class == MP_NIL     ? CAVEAT_NO_BASE :
		cell_number(base, &v) ? CAVEAT_ZERO_BASE :
					CAVEAT_UNREADABLE_BASE,
	    NULL);
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
compose_share(struct arena *a, const struct answer_brief *b, const struct data_rows *rows, struct span *caveat,
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
	bool known = cell_number(&all, &whole_figure) && whole_figure != 0;

	if (part == NULL || q->nmeasures != 1 || part->ncolumns != q->ndimensions + 1)
		return misfit(err);
	n = q->ndimensions;
	ncolumns = n + 3;
	if ((s = sheet_new(a, ncolumns, part->nrows)) == NULL)
		return misfit(err);
	for (size_t i = 0; i < n; i++)
		s->columns[i] = key_column(&q->dimensions[i], b->german);
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
		if (cell_number(sheet_cell(s, row, n), &figure) && known)
			*sheet_cell(s, row, n + 2) = sheet_figure(a, 100 * figure / whole_figure);
	}
	if (!known && part->nrows > 0)
		*caveat = no_percentage(a, b, &all);
	s->truncated = part->truncated;
	return s;
}

/* One side of a comparison. */
struct side {
	struct mp_value label, figure;
	struct span start; /* of its window */
};

/* Exact where the numbers have at most 38 digits. */
static struct mp_value
difference_of(struct arena *a, const struct mp_value *to, const struct mp_value *from)
{
	struct decimal one, two, difference;
	double x = 0, y = 0;

	if (cell_decimal(to, &one) && cell_decimal(from, &two) && decimal_subtract(&one, &two, &difference))
		return sheet_decimal(a, &difference);
	(void)(cell_number(to, &x) && cell_number(from, &y));
	return sheet_figure(a, x - y);
}

/* A side without a value is seen; one that is no number is told. */
static struct span
no_difference(struct arena *a, const struct answer_brief *b, const struct side *sides)
{
	double v;

	for (size_t i = 0; i < 2; i++)
		if (sides[i].figure.class != MP_NIL && !cell_number(&sides[i].figure, &v))
			return caveat_text(a, b->german, CAVEAT_NO_NUMBER, NULL);
	return SPAN("");
}

static struct sheet *
compose_sides(struct arena *a, const struct answer_brief *b, const struct ask_query *q, const struct side *sides,
    struct span *caveat, struct err *err)
{
	bool second_is_base = b->shape == ASK_PERIODS && span_cmp(sides[1].start, sides[0].start) < 0;
	size_t base = second_is_base ? 1 : 0, other = 1 - base;
	struct sheet *s = sheet_new(a, 4, 2);
	double from, to, difference;

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
	if (cell_number(&sides[base].figure, &from) && cell_number(&sides[other].figure, &to)) {
		*sheet_cell(s, other, 2) = difference_of(a, &sides[other].figure, &sides[base].figure);
		if (from != 0 && cell_number(sheet_cell(s, other, 2), &difference))
			*sheet_cell(s, other, 3) = sheet_figure(a, 100 * difference / from);
		else
			*caveat = no_percentage(a, b, &sides[base].figure);
	} else
		*caveat = no_difference(a, b, sides);
	return s;
}

static struct sheet *
compose_comparison(struct arena *a, const struct answer_brief *b, const struct data_rows *rows, struct span *caveat,
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
		return compose_plain(a, b, &b->queries[0], &rows[0], err);
	for (size_t i = 0; i < 2; i++)
		sides[i] = (struct side){ *data_cell(&rows[0], i, 0), *data_cell(&rows[0], i, 1), { NULL, 0 } };
	return compose_sides(a, b, &b->queries[0], sides, caveat, err);
}

/* A name that several rows have is read with its key. */
static void
link_keys(struct sheet *s, const struct ask_query *q)
{
	size_t key = 0;

	for (size_t i = 0; i < q->ndimensions; i++) {
		if (!q->dimensions[i].keyed)
			continue;
		while (key < q->ndimensions && !q->dimensions[key].identity)
			key++;
		if (key < q->ndimensions)
			s->columns[i].key = key++;
	}
}

struct sheet *
compose_sheet(struct arena *a, const struct answer_brief *b, const struct data_rows *rows, struct span *caveat,
    struct err *err)
{
	struct sheet *s;

	*caveat = SPAN("");
	s = b->shape == ASK_SHARE                              ? compose_share(a, b, rows, caveat, err) :
	    b->shape == ASK_COMPARE || b->shape == ASK_PERIODS ? compose_comparison(a, b, rows, caveat, err) :
								 compose_plain(a, b, &b->queries[0], &rows[0], err);
	if (s != NULL) {
		s->german = b->german;
		link_keys(s, &b->queries[0]);
	}
	return s;
}
