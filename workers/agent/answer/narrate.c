#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json/cell.h"
#include "base/mem.h"
#include "base/text/locale_text.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"
#include "workers/agent/answer/narrate.h"

#define KEY_BYTES 160u /* shown of one key; the rows have all of it */
#define ROWS_TOLD 10u /* the rows have the others */

enum text {
#define TEXT(NAME, english, german) TEXT_##NAME,
#include "workers/agent/answer/narrate.def"
#undef TEXT
	TEXTS
};

#define EXACT_BELOW 9007199254740992.0 /* 2^53 */

static const char *const texts[TEXTS][2] = {
#define TEXT(NAME, english, german) [TEXT_##NAME] = { english, german },
#include "workers/agent/answer/narrate.def"
#undef TEXT
};

void
narrate_figure(struct buf *out, const struct mp_value *cell, const struct sheet_column *column, bool german)
{
	struct decimal d;
	double v;

	if (cell->class == MP_NIL) {
		buf_str(out, "–");
		return;
	}
	if (cell->class == MP_FLOAT ? cell_number(cell, &v) && fabs(v) < EXACT_BELOW && decimal_of_double(v, &d) :
				      cell_decimal(cell, &d))
		(column->fractions ? locale_put_fractional : locale_put_decimal)(out, &d, 2, german);
	else if (cell_number(cell, &v))
		locale_put_double(out, v, 2, german);
	else if (cell->class == MP_STR)
		locale_put_period(out, cell->s, SPAN(""), german, false);
	else
		cell_put_text(out, cell);
	if (column->unit.len > 0)
		buf_printf(out, " %.*s", SPAN_FMT(locale_unit(column->unit, german)));
}

static void
put_percent(struct buf *out, const struct mp_value *cell, bool german)
{
	double v;

	locale_put_double(out, cell_number(cell, &v) ? v : NAN, 1, german);
	buf_str(out, cell_number(cell, &v) ? " %" : "");
}

struct teller {
	struct buf *out;
	const struct narrate_about *about;
	const struct sheet *s;
};

/* Escape markdown in names, and drop invisible characters. */
static void
put_plain(struct buf *out, struct span text)
{
	struct buf seen = { 0 };

	safe_text_strip(&seen, text, false);
	for (size_t i = 0; i < seen.len; i++) {
		if (ascii_is_any(seen.p[i], "*_`[]<>|\\#"))
			buf_byte(out, '\\');
		buf_byte(out, seen.p[i]);
	}
	buf_fini(&seen);
}

/* Append the cell of a key, cut to KEY_BYTES. */
static void
put_key(const struct teller *t, struct buf *out, size_t row, size_t column)
{
	struct buf key = { 0 };
	size_t n;

	sheet_put_key(&key, t->s, row, column, false);
	n = utf8_cut(key.p, key.len, KEY_BYTES);
	buf_append(out, key.p, n);
	if (n < key.len)
		buf_str(out, "…");
	buf_fini(&key);
}

/* An argument of a sentence: a cell with its column, or a text, as narrate.def says. */
struct sentence_part {
	const struct mp_value *cell;
	const struct sheet_column *column;
	struct span text;
};

static void
tell_sentence(const struct teller *t, enum text which, const struct sentence_part *parts)
{
	const char *p = texts[which][t->about->german];

	if (t->out->len > 0 && which != TEXT_AND_OF)
		buf_byte(t->out, '\n');
	for (; *p != '\0'; p++) {
		if (p[0] != '%' || strchr("FKMP", p[1]) == NULL || p[1] == '\0') {
			buf_byte(t->out, (uint8_t)*p);
			continue;
		}
		switch (*++p) {
		case 'F':
			narrate_figure(t->out, parts->cell, parts->column, t->about->german);
			break;
		case 'P':
			put_percent(t->out, parts->cell, t->about->german);
			break;
		case 'K':
			put_plain(t->out, parts->text);
			break;
		default:
			put_plain(t->out, parts->column->name);
			break;
		}
		parts++;
	}
}

static struct sentence_part
cell_part(const struct teller *t, size_t row, size_t column)
{
	return (struct sentence_part){ .cell = sheet_cell(t->s, row, column), .column = &t->s->columns[column] };
}

/* The row's keys as one text: "Germany, Pro". */
static struct span
keys_of(const struct teller *t, size_t row, struct buf *text)
{
	buf_reset(text, 4096);
	for (size_t i = 0; i < t->s->ncolumns; i++) {
		if (t->s->columns[i].role != SHEET_KEY && t->s->columns[i].role != SHEET_TIME)
			continue;
		if (text->len > 0)
			buf_str(text, ", ");
		put_key(t, text, row, i);
	}
	return buf_view(text);
}

/* The place of a row: behind larger figures, and earlier ones of the same; rows without a figure come last. */
struct row_place {
	double figure;
	size_t row;
};

static int
row_order(const void *a, const void *b)
{
	const struct row_place *x = a, *y = b;

	if (isnan(x->figure) != isnan(y->figure))
		return isnan(x->figure) ? 1 : -1;
	return x->figure > y->figure ? -1 : x->figure < y->figure ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

/* The order in which rows are told: groups by their size, unless their keys have an order.  The caller frees it. */
static struct row_place *
order_rows(const struct teller *t)
{
	struct row_place *list = mem_new(t->s->nrows + 1, sizeof(*list));
	size_t key = sheet_column_of(t->s, SHEET_KEY, 0), figure = sheet_column_of(t->s, SHEET_VALUE, 0);
	bool by_size = (t->about->form == NARRATE_GROUPS || t->about->form == NARRATE_SHARE) && key < t->s->ncolumns &&
	    figure < t->s->ncolumns && sheet_count(t->s, SHEET_TIME) == 0 && !sheet_is_ordered(t->s, key);

	for (size_t row = 0; row < t->s->nrows; row++) {
		list[row] = (struct row_place){ NAN, row };
		if (by_size)
			(void)cell_number(sheet_cell(t->s, row, figure), &list[row].figure);
	}
	qsort(list, t->s->nrows, sizeof(*list), row_order);
	return list;
}

static void
tell_scalar(const struct teller *t)
{
	for (size_t i = 0; i < t->s->ncolumns; i++) {
		struct sentence_part name = { .column = &t->s->columns[i] }, parts[2] = { name, cell_part(t, 0, i) };
		const struct mp_value *cell = sheet_cell(t->s, 0, i);
		double v;

		if (t->about->uncovered.len > 0 && (cell->class == MP_NIL || (cell_number(cell, &v) && v == 0)))
			tell_sentence(t, TEXT_UNCOVERED,
			    (const struct sentence_part[]){ name, { .text = t->about->uncovered } });
		else
			tell_sentence(t, cell->class == MP_NIL ? TEXT_NOTHING : TEXT_SCALAR, parts);
	}
}

/* "net revenue 12 EUR; refund rate 3 %" */
static void
tell_figures(const struct teller *t, size_t row, struct span key)
{
	size_t column;

	for (size_t i = 0; (column = sheet_column_of(t->s, SHEET_VALUE, i)) < t->s->ncolumns; i++) {
		struct sentence_part figure = cell_part(t, row, column);
		struct sentence_part first[3] = { { .text = key }, figure, figure };

		tell_sentence(t, i == 0 ? TEXT_GROUP_OF : TEXT_AND_OF, first + (i > 0));
	}
}

/* Tell every row with its figures. */
static void
tell_groups(const struct teller *t)
{
	size_t column = sheet_column_of(t->s, SHEET_VALUE, 0);
	bool several = t->about->form != NARRATE_COMPARE && sheet_count(t->s, SHEET_VALUE) > 1;
	struct row_place *order = order_rows(t);
	struct buf text = { 0 };

	for (size_t i = 0; i < t->s->nrows && i < ROWS_TOLD; i++) {
		size_t row = order[i].row;
		struct sentence_part parts[2] = { { .text = keys_of(t, row, &text) } };

		if (several) {
			tell_figures(t, row, parts[0].text);
			continue;
		}
		if (column < t->s->ncolumns)
			parts[1] = cell_part(t, row, column);
		tell_sentence(t, column < t->s->ncolumns ? TEXT_GROUP : TEXT_LIST, parts);
	}
	if (t->s->nrows > ROWS_TOLD)
		tell_sentence(t, TEXT_MORE, NULL);
	free(order);
	buf_fini(&text);
}

static void
tell_extremes(const struct teller *t, size_t column)
{
	size_t high = SIZE_MAX, low = SIZE_MAX;
	double v, most = 0, least = 0;
	struct buf text = { 0 };

	for (size_t row = 0; row < t->s->nrows; row++) {
		if (!cell_number(sheet_cell(t->s, row, column), &v))
			continue;
		if (high == SIZE_MAX || v > most) {
			high = row;
			most = v;
		}
		if (low == SIZE_MAX || v < least) {
			low = row;
			least = v;
		}
	}
	if (high != low) {
		struct sentence_part parts[2] = { { .text = keys_of(t, high, &text) }, cell_part(t, high, column) };

		tell_sentence(t, TEXT_HIGHEST, parts);
		parts[0].text = keys_of(t, low, &text);
		parts[1] = cell_part(t, low, column);
		tell_sentence(t, TEXT_LOWEST, parts);
	}
	buf_fini(&text);
}

static void
tell_time(const struct teller *t)
{
	size_t column = sheet_column_of(t->s, SHEET_VALUE, 0), last = t->s->nrows - 1;
	struct buf first_key = { 0 }, last_key = { 0 };

	if (sheet_count(t->s, SHEET_VALUE) != 1 || t->s->nrows <= 3 || sheet_count(t->s, SHEET_KEY) > 0) {
		tell_groups(t);
	} else {
		struct sentence_part parts[4] = { cell_part(t, 0, column), { .text = keys_of(t, 0, &first_key) },
			cell_part(t, last, column), { .text = keys_of(t, last, &last_key) } };

		tell_sentence(t, TEXT_FROM_TO, parts);
		tell_extremes(t, column);
	}
	buf_fini(&first_key);
	buf_fini(&last_key);
}

/* Part, total and percent are the last three columns. */
static void
tell_share(const struct teller *t)
{
	size_t n = t->s->ncolumns;
	struct row_place *order = order_rows(t);
	struct buf text = { 0 };

	for (size_t i = 0; i < t->s->nrows && i < ROWS_TOLD; i++) {
		size_t row = order[i].row;
		struct sentence_part part = cell_part(t, row, n - 3), total = cell_part(t, row, n - 2),
				     percent = cell_part(t, row, n - 1);
		struct span keys = keys_of(t, row, &text);

		if (keys.len > 0)
			tell_sentence(t, TEXT_SHARE,
			    (const struct sentence_part[]){ { .text = keys }, percent, part, total });
		else
			tell_sentence(t, TEXT_SHARE_ONE,
			    (const struct sentence_part[]){
				percent, { .column = &t->s->columns[n - 3] }, part, total });
	}
	if (t->s->nrows > ROWS_TOLD)
		tell_sentence(t, TEXT_MORE, NULL);
	free(order);
	buf_fini(&text);
}

/* The row with the difference is compared with the other row. */
static void
tell_compare(const struct teller *t)
{
	size_t n = t->s->ncolumns;
	double v;

	tell_groups(t);
	for (size_t row = 0; row < t->s->nrows && n >= 4; row++) {
		struct sentence_part parts[2] = { cell_part(t, row, n - 2), cell_part(t, row, n - 1) };

		if (cell_number(parts[0].cell, &v))
			tell_sentence(t, cell_number(parts[1].cell, &v) ? TEXT_DIFFERENCE : TEXT_DIFFERS, parts);
	}
}

static void
tell_rows(const struct teller *t)
{
	size_t value = sheet_column_of(t->s, SHEET_VALUE, 0);

	switch (t->about->form) {
	case NARRATE_SCALAR:
		tell_scalar(t);
		break;
	case NARRATE_TIME:
		tell_time(t);
		break;
	case NARRATE_SHARE:
		tell_share(t);
		break;
	case NARRATE_COMPARE:
		tell_compare(t);
		break;
	default:
		tell_groups(t);
		if (t->about->form == NARRATE_GROUPS && t->s->nrows > ROWS_TOLD && value < t->s->ncolumns)
			tell_extremes(t, value);
		break;
	}
}

/* One line: what was computed, and by whom the question was read. */
static void
tell_provenance(const struct teller *t)
{
	const struct narrate_about *about = t->about;
	enum text mode = about->told.len > 0 ? TEXT_TOLD : about->by_model ? TEXT_MODEL : TEXT_MODE;

	if (about->interpretation.len > 0)
		tell_sentence(t, TEXT_COMPUTED, &(const struct sentence_part){ .text = about->interpretation });
	buf_printf(t->out, "%c%s", about->interpretation.len > 0 ? ' ' : '\n', texts[mode][about->german]);
}

void
narrate(struct buf *out, const struct narrate_about *about, const struct sheet *s)
{
	struct buf text = { 0 };
	struct teller t = { .out = &text, .about = about, .s = s };
	size_t value = sheet_column_of(s, SHEET_VALUE, 0);

	if (about->told.len > 0)
		put_plain(&text, about->told);
	else if (s->nrows > 0)
		tell_rows(&t);
	else if (s->ncolumns > 0)
		tell_sentence(&t, about->uncovered.len > 0 ? TEXT_UNCOVERED : TEXT_NOTHING,
		    (const struct sentence_part[]){
			{ .column = &s->columns[value < s->ncolumns ? value : 0] }, { .text = about->uncovered } });
	buf_byte(&text, '\n');
	tell_provenance(&t);
	buf_span(out, buf_view(&text));
	buf_fini(&text);
}
