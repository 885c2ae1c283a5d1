#include <math.h>
#include <string.h>

#include "cli/show/draw.h"
#include "cli/show/table_text.h"
#include "cli/show/term.h"

#define WIDTH_MOST  100u
#define BARS_MOST   60u /* further ones are counted, not drawn */
#define BAR_LEAST   4u  /* columns; where there are fewer, figures stand alone */
#define LABEL_LEAST 4u
#define PLOT_ROWS   10u /* of characters, four dots each */
#define PLOT_LEAST  4u  /* columns of a plot */

struct chart_drawing {
	const struct picture *p;
	struct buf *out;
	size_t width;
	bool colour;
};

static void
put_blanks(struct buf *out, size_t n)
{
	while (n-- > 0)
		buf_byte(out, ' ');
}

/* Text in a field of that many columns, cut or padded. */
static void
put_field(struct buf *out, struct span text, size_t columns)
{
	size_t n = table_width(text);

	if (n > columns && columns > 0) {
		buf_append(out, text.p, table_fit(text, columns - 1));
		n = table_width(span_of(text.p, table_fit(text, columns - 1)));
		buf_str(out, "…");
		n++;
	} else if (n <= columns)
		buf_span(out, text);
	put_blanks(out, columns > n ? columns - n : 0);
}

/* Text at the left, cut where it has to be. */
static void
put_line(const struct chart_drawing *d, struct span text)
{
	size_t n = table_width(text);

	put_field(d->out, text, n < d->width ? n : d->width);
	buf_byte(d->out, '\n');
}

static void
begin_series(const struct chart_drawing *d, size_t s)
{
	static const char *const colours[PICTURE_SERIES_MAX] = { "\033[34m", "\033[33m", "\033[32m", "\033[31m",
		"\033[35m", "\033[36m", "\033[94m", "\033[92m" };

	if (d->colour)
		buf_str(d->out, colours[s]);
}

static void
end_series(const struct chart_drawing *d)
{
	if (d->colour)
		buf_str(d->out, TERM_PLAIN);
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

/* The widest figure of the first n labels. */
static size_t
widest_figure(const struct picture *p, size_t n)
{
	size_t most = 0;

	for (size_t s = 0; s < p->nseries; s++)
		for (size_t i = 0; i < n; i++) {
			size_t width = table_width(picture_figure(p, s, i));

			most = width > most ? width : most;
		}
	return most;
}

/* The widths of a line's parts with a bar. */
struct bars {
	size_t shown, label, figure, room; /* room 0: no bar */
	double most;
};

static struct bars
bars_plan(const struct chart_drawing *d)
{
	const struct picture *p = d->p;
	struct bars b = { .shown = p->nlabels < BARS_MOST ? p->nlabels : BARS_MOST };
	double low, high;
	size_t left;

	(void)picture_extent(p, &low, &high);
	b.most = fmax(fabs(high), fabs(low));
	b.label = widest(p->labels, b.shown);
	b.figure = widest_figure(p, b.shown);
	for (size_t s = 0; s < p->nseries && p->nseries > 1; s++)
		if (table_width(p->series[s]) + 2 > b.label)
			b.label = table_width(p->series[s]) + 2;
	left = d->width > b.figure + 3 ? d->width - b.figure - 3 : 0; /* a blank, a sign, and one before the end */
	if (b.label > d->width / 3)
		b.label = d->width / 3;
	if (left < b.label + BAR_LEAST) {
		left = d->width > b.figure + 1 ? d->width - b.figure - 1 : 0;
		b.label = left < b.label || left < LABEL_LEAST ? left : b.label;
	} else
		b.room = left - b.label;
	return b;
}

/* A bar of that many eighths of a column. */
static void
put_eighths(struct buf *out, double eighths)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	size_t n = eighths <= 0 ? 0 : (size_t)(eighths + 0.5);

	for (size_t i = 0; i < n / 8; i++)
		buf_str(out, "█");
	buf_str(out, parts[n % 8]);
}

/* The figure with its bar, and the end of the line. */
static void
put_bar(const struct chart_drawing *d, const struct bars *b, size_t s, size_t i)
{
	double v = d->p->data[s][i];
	struct span text = picture_figure(d->p, s, i);
	size_t n = table_width(text);

	buf_byte(d->out, ' ');
	put_blanks(d->out, b->figure - n);
	buf_span(d->out, text);
	if (b->room > 0 && isfinite(v) && v != 0) {
		buf_str(d->out, v < 0 ? " -" : " ");
		begin_series(d, s);
		put_eighths(d->out, fabs(v) / b->most * 8 * (double)b->room);
		end_series(d);
	}
	buf_byte(d->out, '\n');
}

static void
draw_bars(const struct chart_drawing *d)
{
	const struct picture *p = d->p;
	struct bars b = bars_plan(d);

	for (size_t i = 0; i < b.shown; i++) {
		if (p->nseries > 1)
			put_line(d, p->labels[i]);
		for (size_t s = 0; s < p->nseries; s++) {
			if (p->nseries > 1) {
				put_blanks(d->out, b.label < 2 ? b.label : 2);
				put_field(d->out, p->series[s], b.label < 2 ? 0 : b.label - 2);
			} else
				put_field(d->out, p->labels[i], b.label);
			put_bar(d, &b, s, i);
		}
	}
	if (b.shown < p->nlabels)
		buf_printf(d->out, p->german ? "… und %zu weitere\n" : "… and %zu more\n", p->nlabels - b.shown);
}

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

/* The columns that the figures at the left take. */
static size_t
axis_width(const struct picture *p, double low, double high)
{
	size_t top = table_width(picture_number(p, high)), bottom = table_width(picture_number(p, low));

	return top > bottom ? top : bottom;
}

/* The plot with its highest and lowest figure at the left, and the first and last label below. */
static void
put_plot(const struct chart_drawing *d, const struct canvas *c, double low, double high, struct span first,
    struct span last)
{
	const struct picture *p = d->p;
	size_t axis = axis_width(p, low, high), n = table_width(last);

	for (size_t row = 0; row < c->rows; row++) {
		struct span text = row == 0 ? picture_number(p, high) :
		    row == c->rows - 1      ? picture_number(p, low) :
					      SPAN("");

		put_blanks(d->out, axis - table_width(text));
		buf_span(d->out, text);
		buf_str(d->out, " ┤");
		begin_series(d, 0);
		canvas_put(c, row, d->out);
		end_series(d);
		buf_byte(d->out, '\n');
	}
	put_blanks(d->out, axis + 2);
	if (n + 1 + table_width(first) > c->columns && n > c->columns / 2)
		n = c->columns / 2;
	if (n >= c->columns)
		n = c->columns - 1;
	put_field(d->out, first, c->columns - n - 1);
	buf_byte(d->out, ' ');
	put_field(d->out, last, n);
	buf_byte(d->out, '\n');
}

/* False: there is no room for a plot. */
static bool
canvas_make(const struct chart_drawing *d, double low, double high, struct canvas *c)
{
	size_t axis = axis_width(d->p, low, high) + 2;

	if (axis + PLOT_LEAST > d->width)
		return false;
	c->columns = d->width - axis;
	c->rows = PLOT_ROWS;
	c->cells = arena_alloc(d->p->a, c->columns * c->rows);
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
draw_line(const struct chart_drawing *d)
{
	const struct picture *p = d->p;
	const double *data = p->data[0];
	double low, high, step;
	struct canvas c;
	size_t before = SIZE_MAX;

	(void)picture_extent(p, &low, &high);
	if (picture_is_whole(p))
		low = fmin(low, 0);
	if (!canvas_make(d, low, high, &c)) {
		draw_bars(d);
		return;
	}
	step = p->nlabels > 1 ? (double)(c.columns * 2 - 1) / (double)(p->nlabels - 1) : 0;
	for (size_t i = 0; i < p->nlabels; i++) {
		if (isnan(data[i])) {
			before = SIZE_MAX;
			continue;
		}
		if (before == SIZE_MAX)
			before = i;
		canvas_line(&c, step * (double)before, height_of(data[before], low, high), step * (double)i,
		    height_of(data[i], low, high));
		before = i;
	}
	put_plot(d, &c, low, high, p->labels[0], p->labels[p->nlabels - 1]);
}

/* A row of blocks: each terminal column shows one label, or the last of several. */
static void
put_blocks(const struct chart_drawing *d, size_t s, size_t room, double low, double high)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const struct picture *p = d->p;
	size_t columns = p->nlabels < room ? p->nlabels : room;

	begin_series(d, s);
	for (size_t at = 0; at < columns; at++) {
		double v = p->data[s][(at + 1) * p->nlabels / columns - 1];

		if (isnan(v))
			buf_byte(d->out, ' ');
		else
			buf_str(d->out, blocks[(size_t)(high > low ? (v - low) / (high - low) * 7.0 : 3.0)]);
	}
	end_series(d);
}

static struct span
last_figure(const struct picture *p, size_t s)
{
	size_t n = p->nlabels;

	while (n > 1 && isnan(p->data[s][n - 1]))
		n--;
	return picture_figure(p, s, n - 1);
}

/* Lines that would cross are drawn below one another, each as a row of blocks with its last figure. */
static void
draw_rows(const struct chart_drawing *d)
{
	const struct picture *p = d->p;
	size_t label = widest(p->series, p->nseries), figure = widest_figure(p, p->nlabels), room;
	struct buf ends = { 0 };
	double low, high;

	(void)picture_extent(p, &low, &high);
	low = fmin(low, 0);
	if (label > d->width / 3)
		label = d->width / 3;
	if (label + figure + 2 > d->width)
		label = d->width > figure + 2 ? d->width - figure - 2 : 0;
	room = d->width > label + figure + 2 ? d->width - label - figure - 2 : 0;
	for (size_t s = 0; s < p->nseries; s++) {
		struct span last = last_figure(p, s);

		put_field(d->out, p->series[s], label);
		buf_byte(d->out, ' ');
		if (room >= BAR_LEAST) {
			put_blocks(d, s, room, low, high);
			buf_byte(d->out, ' ');
		}
		buf_span(d->out, last);
		buf_byte(d->out, '\n');
	}
	buf_span(&ends, p->labels[0]);
	buf_str(&ends, " – ");
	buf_span(&ends, p->labels[p->nlabels - 1]);
	put_line(d, buf_view(&ends));
	buf_fini(&ends);
}

static void
draw_points(const struct chart_drawing *d)
{
	const struct picture *p = d->p;
	double x_low = INFINITY, x_high = -INFINITY, low, high;
	struct canvas c;

	for (size_t i = 0; i < p->nlabels; i++)
		if (!isnan(p->x[i])) {
			x_low = fmin(x_low, p->x[i]);
			x_high = fmax(x_high, p->x[i]);
		}
	(void)picture_extent(p, &low, &high);
	if (!isfinite(x_high) || !canvas_make(d, low, high, &c))
		return;
	for (size_t i = 0; i < p->nlabels; i++) {
		double x = x_high > x_low ? (p->x[i] - x_low) / (x_high - x_low) * (double)(c.columns * 2 - 1) : 0;

		if (!isnan(p->x[i]) && !isnan(p->data[0][i]))
			canvas_dot(&c, lround(x), lround(height_of(p->data[0][i], low, high)));
	}
	put_plot(d, &c, low, high, picture_number(p, x_low), picture_number(p, x_high));
}

void
draw_chart(struct arena *a, struct view chart, bool german, unsigned width, bool colour, struct buf *out)
{
	struct picture p;
	bool drawn = picture_read(&p, a, chart, german);
	struct chart_drawing d = { &p, out,
		width < DRAW_WIDTH_LEAST ? DRAW_WIDTH_LEAST :
		    width > WIDTH_MOST   ? WIDTH_MOST :
					   width,
		colour };

	if (!drawn)
		return;
	p.room = d.width - 2;
	if (p.title.len > 0)
		put_line(&d, p.title);
	switch (p.type) {
	case PICTURE_POINTS:
		draw_points(&d);
		break;
	case PICTURE_LINES:
		if (p.nseries > 1)
			draw_rows(&d);
		else
			draw_line(&d);
		break;
	default:
		draw_bars(&d);
		break;
	}
}
