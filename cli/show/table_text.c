#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "base/text/safe_text.h"
#include "cli/show/table_text.h"
#include "cli/show/term.h"

#define CELL_BYTES	((size_t)TABLE_CELL_MAX * 8)	/* of a cell that are looked at */

enum style { STYLE_TEXT, STYLE_NUMBER, STYLE_FAINT };

struct table_cell {
	struct span	text;	/* safe to show (base/text/safe_text.h) */
	struct span	raw;	/* as it came; only where cells are kept whole */
	unsigned	width;
	enum style	style;
};

struct table_row {
	struct table_row	*next;
	size_t		 n;
	struct table_cell	*cells;
};

struct text_table {
	struct arena	*arena;
	size_t		 ncolumns, nrows;
	struct table_cell	 headers[TABLE_COLUMNS_MAX];
	struct table_row	*first, **last;
	struct table_row	*row;		/* the one being filled */
};

void
table_safe(struct span text, bool lines, struct buf *out)
{
	safe_text_escape(out, text, lines);
}

/* The bytes of text that fit into columns; *width is what they take. */
static size_t
fit(struct span text, size_t columns, size_t *width)
{
	size_t at = 0;

	*width = 0;
	while (at < text.len) {
		utf8proc_int32_t c;
		utf8proc_ssize_t n = utf8proc_iterate(text.p + at, (utf8proc_ssize_t)(text.len - at), &c);
		int w = n <= 0 ? 1 : utf8proc_charwidth(c);

		if (n <= 0)
			n = 1;
		if (w > 0 && *width + (size_t)w > columns)
			break;
		*width += w > 0 ? (size_t)w : 0;
		at += (size_t)n;
	}
	return at;
}

size_t
table_width(struct span text)
{
	size_t width;

	fit(text, SIZE_MAX, &width);
	return width;
}

size_t
table_fit(struct span text, size_t columns)
{
	size_t width;

	return fit(text, columns, &width);
}

static bool whole;

void
table_whole(bool wanted)
{
	whole = wanted;
}

static struct table_cell
make_cell(struct arena *a, struct span text, enum style style)
{
	struct buf safe = { 0 };
	struct table_cell cell = { .style = style };
	size_t width, most = whole ? UINT_MAX / 4 : TABLE_CELL_MAX;

	if (whole)
		cell.raw = arena_span(a, text);
	/* Cells are truncated on screen, so only their first bytes are processed. */
	if (!whole && text.len > CELL_BYTES)
		text.len = CELL_BYTES;
	table_safe(text, false, &safe);
	cell.text = arena_span(a, buf_view(&safe));
	buf_fini(&safe);
	if (cell.text.p == NULL)
		cell.text = SPAN("");
	fit(cell.text, most + 1, &width);
	cell.width = (unsigned)(width > most ? most : width);
	return cell;
}

struct text_table *
table_new(struct arena *a, const char *const *headers)
{
	struct text_table *t = arena_alloc(a, sizeof(*t));

	if (t == NULL)
		abort();
	t->arena = a;
	t->last = &t->first;
	for (; headers != NULL && *headers != NULL; headers++)
		table_column(t, span_str(*headers));
	return t;
}

void
table_column(struct text_table *t, struct span header)
{
	if (t->ncolumns < TABLE_COLUMNS_MAX)
		t->headers[t->ncolumns++] = make_cell(t->arena, header, STYLE_TEXT);
}

void
table_row(struct text_table *t)
{
	struct table_row *row = arena_alloc(t->arena, sizeof(*row));

	if (row == NULL || (row->cells = arena_array(t->arena, t->ncolumns, sizeof(*row->cells))) == NULL)
		abort();
	*t->last = t->row = row;
	t->last = &row->next;
	t->nrows++;
}

static void
add_cell(struct text_table *t, struct span text, enum style style)
{
	if (t->row->n < t->ncolumns)
		t->row->cells[t->row->n++] = make_cell(t->arena, text, style);
}

void
table_cell(struct text_table *t, struct span text)
{
	add_cell(t, text, STYLE_TEXT);
}

void
table_cell_number(struct text_table *t, struct span text)
{
	add_cell(t, text, STYLE_NUMBER);
}

void
table_cell_faint(struct text_table *t, struct span text)
{
	add_cell(t, text, STYLE_FAINT);
}

void
table_cellf(struct text_table *t, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add_cell(t, span_str(text), STYLE_TEXT);
}

size_t
table_rows(const struct text_table *t)
{
	return t->nrows;
}

#define GAP		2	/* between columns */
#define NARROWEST	10	/* no column is squeezed below this */

static void
measure(const struct text_table *t, unsigned *widths)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		widths[i] = t->headers[i].width;
	for (const struct table_row *row = t->first; row != NULL; row = row->next)
		for (size_t i = 0; i < row->n; i++)
			if (row->cells[i].width > widths[i])
				widths[i] = row->cells[i].width;
}

/* Shrink the widest columns until the line fits.  False: they cannot shrink further. */
static bool
squeeze(unsigned *widths, size_t n, unsigned width)
{
	size_t total = n == 0 ? 0 : (n - 1) * GAP;

	for (size_t i = 0; i < n; i++)
		total += widths[i];
	while (total > width) {
		size_t widest = 0;

		for (size_t i = 1; i < n; i++)
			if (widths[i] > widths[widest])
				widest = i;
		if (widths[widest] <= NARROWEST)
			return false;
		widths[widest]--;
		total--;
	}
	return true;
}

static void
print_cell(const struct table_cell *cell, unsigned width, bool last, const char *on, struct buf *out)
{
	size_t shown, pad, used = fit(cell->text, width, &shown);
	bool cut = used < cell->text.len;

	if (cut)
		used = fit(cell->text, width > 0 ? width - 1 : 0, &shown);
	pad = width - shown - (cut ? 1 : 0);
	if (cell->style == STYLE_NUMBER)
		buf_printf(out, "%*s", (int)pad, "");
	buf_str(out, on);
	buf_append(out, cell->text.p, used);
	if (cut)
		buf_str(out, "…");
	if (*on != '\0')
		buf_str(out, TERM_PLAIN);
	if (!last && cell->style != STYLE_NUMBER)
		buf_printf(out, "%*s", (int)pad, "");
	if (!last)
		buf_printf(out, "%*s", GAP, "");
}

static bool
is_number_column(const struct text_table *t, size_t column)
{
	return t->first != NULL && t->first->n > column && t->first->cells[column].style == STYLE_NUMBER;
}

/* A block per row, a line per column: for rows that fit on no line. */
static void
print_tall(const struct text_table *t, unsigned width, bool colour, struct buf *out)
{
	unsigned name = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->ncolumns; i++)
		if (t->headers[i].width > name)
			name = t->headers[i].width;
	if (name > width / 2)
		name = width / 2;
	for (const struct table_row *row = t->first; row != NULL; row = row->next) {
		buf_printf(out, "%s%s-- %zu --%s\n", n > 0 ? "\n" : "", colour ? TERM_FAINT : "", n + 1,
		    colour ? TERM_PLAIN : "");
		n++;
		for (size_t i = 0; i < row->n; i++) {
			struct table_cell value = row->cells[i];

			print_cell(&t->headers[i], name, false, colour ? TERM_BOLD : "", out);
			if (value.style == STYLE_NUMBER)
				value.style = STYLE_TEXT;
			print_cell(&value, width > name + GAP ? width - name - GAP : NARROWEST, true,
			    colour && value.style == STYLE_FAINT ? TERM_FAINT : "", out);
			buf_byte(out, '\n');
		}
	}
}

void
table_print(const struct text_table *t, unsigned width, bool colour, struct buf *out)
{
	unsigned *widths = arena_array(t->arena, t->ncolumns + 1, sizeof(*widths));

	if (widths == NULL)
		abort();
	measure(t, widths);
	if (width > 0 && !squeeze(widths, t->ncolumns, width) && t->nrows > 0 && t->headers[0].text.len > 0) {
		print_tall(t, width, colour, out);
		return;
	}
	for (size_t i = 0; i < t->ncolumns && t->headers[0].text.len > 0; i++) {
		struct table_cell header = t->headers[i];

		if (is_number_column(t, i))
			header.style = STYLE_NUMBER;
		print_cell(&header, widths[i], i + 1 == t->ncolumns, colour ? TERM_BOLD : "", out);
	}
	if (t->ncolumns > 0 && t->headers[0].text.len > 0)
		buf_byte(out, '\n');
	for (const struct table_row *row = t->first; row != NULL; row = row->next) {
		for (size_t i = 0; i < row->n; i++)
			print_cell(&row->cells[i], widths[i], i + 1 == row->n,
			    colour && row->cells[i].style == STYLE_FAINT ? TERM_FAINT : "", out);
		buf_byte(out, '\n');
	}
}

static void
put_field(const struct table_cell *cell, struct buf *out)
{
	struct span text = cell->raw.p != NULL ? cell->raw : cell->text;
	bool quoted = text.len > 0 && (text.p[0] == ' ' || text.p[text.len - 1] == ' ');

	if (cell->style == STYLE_FAINT)
		return;
	for (size_t i = 0; i < text.len && !quoted; i++)
		quoted = text.p[i] == '"' || text.p[i] == ',' || text.p[i] == '\n' || text.p[i] == '\r';
	/* Quotes distinguish an empty text from an absent value. */
	if (!quoted && text.len > 0) {
		buf_span(out, text);
		return;
	}
	buf_byte(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] == '"')
			buf_byte(out, '"');
		buf_byte(out, text.p[i]);
	}
	buf_byte(out, '"');
}

static void
put_record(const struct table_cell *cells, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_byte(out, ',');
		put_field(&cells[i], out);
	}
	buf_str(out, "\r\n");
}

void
table_csv(const struct text_table *t, struct buf *out)
{
	if (t->ncolumns > 0)
		put_record(t->headers, t->ncolumns, out);
	for (const struct table_row *row = t->first; row != NULL; row = row->next)
		put_record(row->cells, row->n, out);
}
