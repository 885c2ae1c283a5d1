/* draw.c - see draw.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/draw.h"
#include "cli/table.h"

#define WIDTH_LEAST 32u
#define WIDTH_MOST  100u
#define BARS_MOST   60u /* further ones are counted, not drawn */
#define SERIES_MOST 8u
#define PLOT_ROWS   10u /* of characters, four dots each */
#define POINTS_MOST 2000u

/* One figure a label and series; NAN: none. */
struct picture {
	struct arena *a;
	unsigned width;
	size_t nlabels, nseries;
	struct span *labels;
	struct span series[SERIES_MOST];
	double *data[SERIES_MOST];
};

/* --- text ---------------------------------------------------------------------------------- */

static struct span
safe_text(struct arena *a, struct view v)
{
	struct buf text = { 0 }, safe = { 0 };
	struct span out;

	view_text(v, &text);
	table_safe(buf_view(&text), false, &safe);
	out = arena_span(a, buf_view(&safe));
	buf_fini(&text);
	buf_fini(&safe);
	return out;
}

static void
put_blanks(struct buf *out, size_t n)
{
	while (n-- > 0)
		buf_byte(out, ' ');
}

/* Text in a field of so many columns, cut or filled up. */
static void
put_field(struct buf *out, struct span text, size_t columns)
{
	size_t n = table_width(text);

	if (n > columns) {
		buf_append(out, text.p, table_fit(text, columns - 1));
		n = table_width(span_of(text.p, table_fit(text, columns - 1)));
		buf_str(out, "…");
		n++;
	} else
		buf_span(out, text);
	put_blanks(out, columns - n);
}

void
draw_number(double v, struct buf *out)
{
	char digits[400];
	int n;
	size_t whole, start;

	if (!isfinite(v)) {
		buf_str(out, "–");
		return;
	}
	if (v != 0 && fabs(v) < 0.01)
		n = snprintf(digits, sizeof(digits), "%.2g", v);
	else
		n = snprintf(digits, sizeof(digits), v == floor(v) ? "%.0f" : "%.2f", v);
	if (n < 0 || memchr(digits, 'e', (size_t)n) != NULL) {
		buf_append(out, digits, n < 0 ? 0 : (size_t)n);
		return;
	}
	start = digits[0] == '-';
	for (whole = start; whole < (size_t)n && digits[whole] != '.'; whole++)
		continue;
	for (size_t i = 0; i < (size_t)n; i++) {
		if (i > start && i < whole && (whole - i) % 3 == 0)
			buf_byte(out, ',');
		buf_byte(out, (uint8_t)digits[i]);
	}
}

static struct span
number_text(struct arena *a, double v)
{
	struct buf text = { 0 };
	struct span out;

	draw_number(v, &text);
	out = arena_span(a, buf_view(&text));
	buf_fini(&text);
	return out;
}

/* --- reading the specification ------------------------------------------------------------------ */

static double *
figures_make(struct picture *p, size_t n)
{
	double *data = arena_array(p->a, n > 0 ? n : 1, sizeof(*data));

	for (size_t i = 0; data != NULL && i < n; i++)
		data[i] = NAN;
	return data;
}

static bool
picture_of_series(struct picture *p, struct view chart)
{
	struct view categories = view_get(chart, "categories"), series = view_get(chart, "series"), v, data;
	struct view_iter it = view_iter(categories), in;
	size_t i = 0;

	p->nlabels = view_count(categories);
	if ((p->labels = arena_array(p->a, p->nlabels + 1, sizeof(*p->labels))) == NULL)
		return false;
	while (i < p->nlabels && view_next(&it, &v))
		p->labels[i++] = safe_text(p->a, v);
	it = view_iter(series);
	while (p->nseries < SERIES_MOST && view_next(&it, &v)) {
		double *to = figures_make(p, p->nlabels);

		if (to == NULL)
			return false;
		p->series[p->nseries] = safe_text(p->a, view_get(v, "label"));
		in = view_iter(view_get(v, "data"));
		for (i = 0; i < p->nlabels && view_next(&in, &data); i++)
			to[i] = view_number(data, NAN);
		p->data[p->nseries++] = to;
	}
	return p->nlabels > 0 && p->nseries > 0;
}

static bool
picture_of_slices(struct picture *p, struct view chart)
{
	struct view slices = view_get(chart, "slices"), v;
	struct view_iter it = view_iter(slices);

	p->nlabels = view_count(slices);
	p->labels = arena_array(p->a, p->nlabels + 1, sizeof(*p->labels));
	p->data[0] = figures_make(p, p->nlabels);
	p->nseries = 1;
	if (p->labels == NULL || p->data[0] == NULL)
		return false;
	p->series[0] = SPAN("");
	for (size_t i = 0; i < p->nlabels && view_next(&it, &v); i++) {
		p->labels[i] = safe_text(p->a, view_get(v, "label"));
		p->data[0][i] = view_number(view_get(v, "value"), NAN);
	}
	return p->nlabels > 0;
}

static void
extent_of(const struct picture *p, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t s = 0; s < p->nseries; s++)
		for (size_t i = 0; i < p->nlabels; i++)
			if (!isnan(p->data[s][i])) {
				*low = fmin(*low, p->data[s][i]);
				*high = fmax(*high, p->data[s][i]);
			}
}

/* --- bars ------------------------------------------------------------------------------------------- */

/* So many eighths of a column. */
static void
put_bar(struct buf *out, double eighths)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	size_t n = eighths <= 0 ? 0 : (size_t)(eighths + 0.5);

	for (size_t i = 0; i < n / 8; i++)
		buf_str(out, "█");
	buf_str(out, parts[n % 8]);
}

static size_t
widest(const struct span *labels, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (table_width(labels[i]) > most)
			most = table_width(labels[i]);
	return most;
}

static void
draw_bars(const struct picture *p, struct buf *out)
{
	size_t shown = p->nlabels < BARS_MOST ? p->nlabels : BARS_MOST, label = widest(p->labels, shown), figure = 0,
	       room;
	double low, high;

	extent_of(p, &low, &high);
	if (!isfinite(high))
		return;
	for (size_t s = 0; s < p->nseries; s++) {
		if (p->nseries > 1 && table_width(p->series[s]) + 2 > label)
			label = table_width(p->series[s]) + 2;
		for (size_t i = 0; i < shown; i++)
			if (table_width(number_text(p->a, p->data[s][i])) > figure)
				figure = table_width(number_text(p->a, p->data[s][i]));
	}
	if (label > p->width / 3)
		label = p->width / 3;
	room = p->width > label + figure + 4 ? p->width - label - figure - 4 : 4;
	for (size_t i = 0; i < shown; i++) {
		if (p->nseries > 1) {
			put_field(out, p->labels[i], label);
			buf_byte(out, '\n');
		}
		for (size_t s = 0; s < p->nseries; s++) {
			double v = p->data[s][i], most = fmax(fabs(high), fabs(low));
			struct span text = number_text(p->a, v);

			if (p->nseries > 1) {
				buf_str(out, "  ");
				put_field(out, p->series[s], label - 2);
			} else
				put_field(out, p->labels[i], label);
			buf_byte(out, ' ');
			put_blanks(out, figure - table_width(text));
			buf_span(out, text);
			buf_str(out, v < 0 ? " -" : " ");
			if (!isnan(v) && most > 0)
				put_bar(out, fabs(v) / most * 8 * (double)room);
			buf_byte(out, '\n');
		}
	}
	if (shown < p->nlabels)
		buf_printf(out, "… and %zu more\n", p->nlabels - shown);
}

/* --- dots ------------------------------------------------------------------------------------------- */

struct canvas {
	size_t columns, rows; /* characters: two by four dots each */
	uint8_t *cells;
};

static void
canvas_dot(struct canvas *c, long x, long y)
{
	static const uint8_t bits[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };

	if (x < 0 || y < 0 || x >= (long)c->columns * 2 || y >= (long)c->rows * 4)
		return;
	c->cells[(size_t)(y / 4) * c->columns + (size_t)(x / 2)] |= bits[y % 4][x % 2];
}

static void
canvas_line(struct canvas *c, double x0, double y0, double x1, double y1)
{
	double n = fmax(fmax(fabs(x1 - x0), fabs(y1 - y0)), 1);

	for (double i = 0; i <= n; i++)
		canvas_dot(c, lround(x0 + (x1 - x0) * i / n), lround(y0 + (y1 - y0) * i / n));
}

static void
canvas_put(const struct canvas *c, size_t row, struct buf *out)
{
	for (size_t i = 0; i < c->columns; i++) {
		uint8_t bits = c->cells[row * c->columns + i];
		const uint8_t letter[3] = { 0xe2, (uint8_t)(0xa0 | bits >> 6), (uint8_t)(0x80 | (bits & 0x3f)) };

		buf_append(out, letter, sizeof(letter));
	}
}

/* The plot with its highest and lowest figure at the left, and the first and last label below. */
static void
put_plot(const struct picture *p, const struct canvas *c, double low, double high, struct span first, struct span last,
    struct buf *out)
{
	struct span top = number_text(p->a, high), bottom = number_text(p->a, low);
	size_t axis = table_width(top) > table_width(bottom) ? table_width(top) : table_width(bottom), n, most;

	for (size_t row = 0; row < c->rows; row++) {
		struct span text = row == 0 ? top : row == c->rows - 1 ? bottom : SPAN("");

		put_blanks(out, axis - table_width(text));
		buf_span(out, text);
		buf_str(out, " ┤");
		canvas_put(c, row, out);
		buf_byte(out, '\n');
	}
	put_blanks(out, axis + 2);
	most = c->columns / 2;
	n = table_width(last) < most ? table_width(last) : most;
	put_field(out, first, c->columns - n);
	put_field(out, last, n);
	buf_byte(out, '\n');
}

static bool
canvas_make(const struct picture *p, struct canvas *c)
{
	c->columns = p->width > 40 ? p->width - 16 : p->width / 2;
	c->rows = PLOT_ROWS;
	c->cells = arena_alloc(p->a, c->columns * c->rows);
	if (c->cells != NULL)
		memset(c->cells, 0, c->columns * c->rows);
	return c->cells != NULL;
}

static double
height_of(double v, double low, double high)
{
	return (double)(PLOT_ROWS * 4 - 1) * (high > low ? (high - v) / (high - low) : 0.5);
}

static void
draw_line(const struct picture *p, const double *data, struct buf *out)
{
	double low, high, step;
	struct canvas c;
	long before = -1;

	extent_of(p, &low, &high);
	if (!isfinite(high) || !canvas_make(p, &c))
		return;
	step = p->nlabels > 1 ? (double)(c.columns * 2 - 1) / (double)(p->nlabels - 1) : 0;
	for (size_t i = 0; i < p->nlabels; i++) {
		if (isnan(data[i])) {
			before = -1;
			continue;
		}
		canvas_line(&c, step * (double)(before < 0 ? (long)i : before),
		    height_of(data[before < 0 ? (long)i : before], low, high), step * (double)i,
		    height_of(data[i], low, high));
		before = (long)i;
	}
	put_plot(p, &c, low, high, p->labels[0], p->labels[p->nlabels - 1], out);
}

/* Lines that would cross one another without colours stand one above the other, as one row of blocks each. */
static void
draw_rows(const struct picture *p, struct buf *out)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	size_t label = widest(p->series, p->nseries), room;
	double low, high;

	extent_of(p, &low, &high);
	if (!isfinite(high))
		return;
	low = fmin(low, 0);
	if (label > p->width / 3)
		label = p->width / 3;
	room = p->width - label - 16;
	for (size_t s = 0; s < p->nseries; s++) {
		double last = NAN;

		put_field(out, p->series[s], label);
		buf_byte(out, ' ');
		/* A column of the terminal takes one label, or the last of several. */
		for (size_t i = 0; i < p->nlabels; i++) {
			size_t here = i * room / p->nlabels, next = (i + 1) * room / p->nlabels;
			double v = p->data[s][i];

			last = isnan(v) ? last : v;
			if (p->nlabels > room && here == next && i + 1 < p->nlabels)
				continue;
			if (isnan(v))
				buf_byte(out, ' ');
			else
				buf_str(out, blocks[(size_t)(high > low ? (v - low) / (high - low) * 7.0 : 3.0)]);
		}
		buf_byte(out, ' ');
		draw_number(last, out);
		buf_byte(out, '\n');
	}
	put_blanks(out, label + 1);
	buf_span(out, p->labels[0]);
	buf_str(out, " – ");
	buf_span(out, p->labels[p->nlabels - 1]);
	buf_byte(out, '\n');
}

static void
draw_points(struct picture *p, struct view chart, struct buf *out)
{
	struct view points = view_get(chart, "points"), v;
	struct view_iter it = view_iter(points);
	double x_low = INFINITY, x_high = -INFINITY, low, high;
	struct canvas c;
	double *x;

	p->nlabels = view_count(points) < POINTS_MOST ? view_count(points) : POINTS_MOST;
	p->nseries = 1;
	x = figures_make(p, p->nlabels);
	if (p->nlabels == 0 || x == NULL || (p->data[0] = figures_make(p, p->nlabels)) == NULL || !canvas_make(p, &c))
		return;
	for (size_t i = 0; i < p->nlabels && view_next(&it, &v); i++) {
		x[i] = view_number(view_get(v, "x"), NAN);
		p->data[0][i] = view_number(view_get(v, "y"), NAN);
		x_low = fmin(x_low, x[i]);
		x_high = fmax(x_high, x[i]);
	}
	extent_of(p, &low, &high);
	if (!isfinite(high) || !isfinite(x_high))
		return;
	for (size_t i = 0; i < p->nlabels; i++)
		if (!isnan(x[i]) && !isnan(p->data[0][i]))
			canvas_dot(&c,
			    lround(x_high > x_low ? (x[i] - x_low) / (x_high - x_low) * (double)(c.columns * 2 - 1) :
						    0),
			    lround(height_of(p->data[0][i], low, high)));
	put_plot(p, &c, low, high, number_text(p->a, x_low), number_text(p->a, x_high), out);
}

void
draw_chart(struct arena *a, struct view chart, unsigned width, struct buf *out)
{
	struct picture p = { .a = a,
		.width = width < WIDTH_LEAST ? WIDTH_LEAST :
		    width > WIDTH_MOST       ? WIDTH_MOST :
					       width };
	const char *type = view_cstr(a, view_get(chart, "type"), "");
	struct span title = safe_text(a, view_get(chart, "title"));

	if (title.len > 0) {
		put_field(out, title, table_width(title) < p.width ? table_width(title) : p.width);
		buf_byte(out, '\n');
	}
	if (strcmp(type, "scatter") == 0) {
		draw_points(&p, chart, out);
		return;
	}
	if (!(strcmp(type, "pie") == 0 ? picture_of_slices(&p, chart) : picture_of_series(&p, chart)))
		return;
	if (strcmp(type, "line") != 0)
		draw_bars(&p, out);
	else if (p.nseries == 1)
		draw_line(&p, p.data[0], out);
	else
		draw_rows(&p, out);
}
