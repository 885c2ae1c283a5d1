#include <math.h>
#include <string.h>

#include "base/text/markup.h"
#include "base/text/locale_text.h"
#include "cli/show/svg.h"
#include "cli/show/table_text.h"

#define WIDTH	   760.0
#define PLOT	   300.0 /* height of a plot */
#define LETTER	   7.0	 /* width assumed for a letter of a label: the reader's font is not known */
#define LINE	   18.0
#define MARGIN	   16.0
#define BARS_MOST  2000u /* bars of one drawing; further ones are counted, not drawn */
#define LABELS_CUT 40u	 /* letters that are shown of a longer label */
#define TICKS	   5
#define STEP_LEAST 1e-300

const char svg_style[] =
    "svg{background:#fff;color:#1c1b19;max-width:100%;height:auto}\n"
    "svg text{font:12px system-ui,sans-serif;fill:currentColor}\n"
    "svg .title{font-size:15px;font-weight:600}\n"
    "svg .end{text-anchor:end}\n"
    "svg .mid{text-anchor:middle}\n"
    "svg .grid{stroke:#d8d3ca}\n"
    "svg .axis{stroke:#5f5b55}\n"
    "svg .line{fill:none;stroke-width:2}\n"
    "svg .f0{fill:#1f6fc4}svg .f1{fill:#c9660a}svg .f2{fill:#1c8a5a}svg .f3{fill:#c03a3a}"
    "svg .f4{fill:#7a4fc0}svg .f5{fill:#0b8494}svg .f6{fill:#b8387f}svg .f7{fill:#6d7a1c}\n"
    "svg .l0{stroke:#1f6fc4}svg .l1{stroke:#c9660a}svg .l2{stroke:#1c8a5a}svg .l3{stroke:#c03a3a}"
    "svg .l4{stroke:#7a4fc0}svg .l5{stroke:#0b8494}svg .l6{stroke:#b8387f}svg .l7{stroke:#6d7a1c}\n"
    "@media (prefers-color-scheme:dark){svg{background:#171614;color:#ece8e1}\n"
    "svg .grid{stroke:#45413a}svg .axis{stroke:#aaa499}\n"
    "svg .f0{fill:#6cabf2}svg .f1{fill:#f2a04e}svg .f2{fill:#5cc99a}svg .f3{fill:#f08484}"
    "svg .f4{fill:#b798f0}svg .f5{fill:#56c6d6}svg .f6{fill:#ec86bb}svg .f7{fill:#b7c45c}\n"
    "svg .l0{stroke:#6cabf2}svg .l1{stroke:#f2a04e}svg .l2{stroke:#5cc99a}svg .l3{stroke:#f08484}"
    "svg .l4{stroke:#b798f0}svg .l5{stroke:#56c6d6}svg .l6{stroke:#ec86bb}svg .l7{stroke:#b7c45c}}\n";

void
svg_escape(struct buf *out, struct span text)
{
	struct buf safe = { 0 };

	table_safe(text, true, &safe);
	/* U+FFFE and U+FFFF are no characters of XML: the replacement character stands for them. */
	for (size_t k = 0; k + 2 < safe.len; k++)
		if (safe.p[k] == 0xef && safe.p[k + 1] == 0xbf && safe.p[k + 2] >= 0xbe)
			safe.p[k + 2] = 0xbd;
	markup_escape(out, buf_view(&safe));
	buf_fini(&safe);
}

static void
put_text(struct buf *out, double x, double y, const char *class, struct span text)
{
	size_t whole = table_fit(text, LABELS_CUT);

	buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
	if (class[0] != '\0')
		buf_printf(out, " class=\"%s\"", class);
	buf_byte(out, '>');
	svg_escape(out, span_of(text.p, strcmp(class, "title") == 0 ? text.len : whole));
	buf_printf(out, "%s</text>\n", whole < text.len && strcmp(class, "title") != 0 ? "…" : "");
}

/* The text shown when the pointer is on a shape: "Germany, Pro: 1,234.5". */
static void
put_said(struct buf *out, const struct picture *p, size_t s, size_t i)
{
	buf_str(out, "<title>");
	svg_escape(out, p->labels[i]);
	if (p->type == PICTURE_POINTS) {
		buf_str(out, p->labels[i].len > 0 ? ": " : "");
		buf_span(out, picture_x(p, i));
		buf_str(out, " / ");
	} else {
		if (p->nseries > 1) {
			buf_str(out, ", ");
			svg_escape(out, p->series[s]);
		}
		buf_str(out, ": ");
	}
	buf_span(out, picture_figure(p, s, i));
	buf_str(out, "</title>");
}

static double
text_width(struct span text)
{
	size_t columns = table_width(text);

	return LETTER * (double)(columns < LABELS_CUT ? columns : LABELS_CUT + 1);
}

static double
widest_text(const struct span *texts, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, text_width(texts[i]));
	return most;
}

/* Turns figures into places; the scale begins and ends with a round figure. */
struct scale {
	double low, high, step;
	double from, to; /* the places of low and high */
};

/* The nearest 1, 2 or 5 of a power of ten that is not below v. */
static double
round_step(double v)
{
	double power = pow(10, floor(log10(v)));
	double n = v / power;

	return power * (n <= 1 ? 1 : n <= 2 ? 2 : n <= 5 ? 5 : 10);
}

static struct scale
scale_make(double low, double high, double from, double to, bool whole)
{
	struct scale s = { .from = from, .to = to };

	if (!(high > low)) {
		double about = fabs(low) > 0 ? fabs(low) / 2 : 1;

		low -= about;
		high += about;
	}
	s.step = round_step(fmax(high / TICKS - low / TICKS, whole ? 1 : STEP_LEAST));
	s.low = floor(low / s.step) * s.step;
	s.high = ceil(high / s.step) * s.step;
	return s;
}

static double
scale_place(const struct scale *s, double v)
{
	return s->from + (v - s->low) / (s->high - s->low) * (s->to - s->from);
}

static size_t
scale_ticks(const struct scale *s)
{
	double n = (s->high - s->low) / s->step;

	return n > 0 && n < 3 * TICKS ? (size_t)(n + 0.5) + 1 : 2;
}

static double
scale_tick(const struct scale *s, size_t i)
{
	double v = s->low + (double)i * s->step;

	return fabs(v) < s->step / 1e6 ? 0 : v;
}

static double
scale_width(const struct picture *p, const struct scale *s)
{
	double most = 0;

	for (size_t i = 0; i < scale_ticks(s); i++)
		most = fmax(most, text_width(picture_number(p, scale_tick(s, i))));
	return most;
}

struct svg_drawing {
	const struct picture *p;
	struct buf *out;
	double y;		      /* where the next thing begins */
	double left, right, top, bottom; /* of the plot */
};

static void
begin_drawing(struct buf *out, const struct picture *p, double height, bool file)
{
	buf_printf(out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
	    "role=\"img\" aria-label=\"",
	    WIDTH, height, WIDTH, height);
	svg_escape(out, p->title);
	buf_str(out, "\">\n");
	if (file)
		buf_printf(out, "<style>\n%s</style>\n", svg_style);
	if (p->title.len > 0)
		put_text(out, MARGIN, MARGIN + 12, "title", p->title);
}

/* A square and a name a series; the height that this takes. */
static double
put_legend(struct buf *out, const struct span *names, size_t n, double y)
{
	double x = MARGIN, from = y;

	for (size_t s = 0; s < n; s++) {
		double width = text_width(names[s]) + 32;

		if (x > MARGIN && x + width > WIDTH - MARGIN) {
			x = MARGIN;
			y += LINE;
		}
		if (out != NULL) {
			buf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" class=\"f%zu\"/>\n", x,
			    y - 10, s % PICTURE_SERIES_MAX);
			put_text(out, x + 16, y, "", names[s]);
		}
		x += width;
	}
	return y + LINE - from;
}

/* Lines across the plot at round figures, which stand at the left. */
static void
put_grid(const struct svg_drawing *d, const struct scale *s)
{
	for (size_t i = 0; i < scale_ticks(s); i++) {
		double v = scale_tick(s, i), y = scale_place(s, v);

		buf_printf(d->out, "<path d=\"M%.1f %.1fH%.1f\" class=\"%s\"/>\n", d->left, y, d->right,
		    v == 0 ? "axis" : "grid");
		put_text(d->out, d->left - 6, y + 4, "end", picture_number(d->p, v));
	}
}

/* The lines of the scale down the plot, with their figures below. */
static void
put_columns(const struct svg_drawing *d, const struct scale *s)
{
	for (size_t i = 0; i < scale_ticks(s); i++) {
		double v = scale_tick(s, i), x = scale_place(s, v);

		buf_printf(d->out, "<path d=\"M%.1f %.1fV%.1f\" class=\"%s\"/>\n", x, d->top, d->bottom,
		    v == 0 ? "axis" : "grid");
		put_text(d->out, x, d->bottom + 16, "mid", picture_number(d->p, v));
	}
}

/* The labels below a plot, as many as have room. */
static void
put_labels(const struct svg_drawing *d, double first, double step)
{
	const struct picture *p = d->p;
	double wide = widest_text(p->labels, p->nlabels) + 10;
	size_t every = step > 0 && step < wide ? (size_t)ceil(wide / step) : 1;

	for (size_t i = 0; i < p->nlabels; i += every) {
		double x = first + step * (double)i, half = text_width(p->labels[i]) / 2;

		/* No label is cut by an end of the drawing. */
		x = fmin(fmax(x, half + 2), WIDTH - half - 2);
		put_text(d->out, x, d->bottom + 18, "mid", p->labels[i]);
	}
}

static void
put_upright_bars(const struct svg_drawing *d, const struct scale *s, double step)
{
	const struct picture *p = d->p;
	double wide = step * 0.8 / (double)p->nseries, zero = scale_place(s, 0);

	for (size_t i = 0; i < p->nlabels; i++)
		for (size_t k = 0; k < p->nseries; k++) {
			double y = scale_place(s, p->data[k][i]);

			if (isnan(y))
				continue;
			buf_printf(d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"f%zu\">",
			    d->left + step * ((double)i + 0.1) + wide * (double)k, fmin(y, zero), fmax(wide - 1, 0.5),
			    fabs(zero - y), k);
			put_said(d->out, p, k, i);
			buf_str(d->out, "</rect>\n");
		}
}

/* A line through the existing values, and a point at each. */
static void
put_lines(const struct svg_drawing *d, const struct scale *s, double first, double step)
{
	const struct picture *p = d->p;

	for (size_t k = 0; k < p->nseries; k++) {
		bool drawing = false;

		buf_printf(d->out, "<path class=\"line l%zu\" d=\"", k);
		for (size_t i = 0; i < p->nlabels; i++) {
			if (!isnan(p->data[k][i]))
				buf_printf(d->out, "%c%.1f %.1f", drawing ? 'L' : 'M', first + step * (double)i,
				    scale_place(s, p->data[k][i]));
			drawing = !isnan(p->data[k][i]);
		}
		buf_str(d->out, "\"/>\n");
		for (size_t i = 0; i < p->nlabels; i++) {
			if (isnan(p->data[k][i]))
				continue;
			buf_printf(d->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" class=\"f%zu\">",
			    first + step * (double)i, scale_place(s, p->data[k][i]), step < 8 ? "1.5" : "3", k);
			put_said(d->out, p, k, i);
			buf_str(d->out, "</circle>\n");
		}
	}
}

static void
draw_upright(struct svg_drawing *d)
{
	const struct picture *p = d->p;
	bool lines = p->type == PICTURE_LINES, whole = picture_is_whole(p);
	double low, high, step, first;
	struct scale s;

	(void)picture_extent(p, &low, &high);
	d->top = d->y;
	d->bottom = d->y + PLOT;
	/* Bars say by their length how much; lines need not begin at zero where all figures but counts are far from it.
	 */
	if (!lines || whole || (low <= high / 2 && high >= low / 2)) {
		low = fmin(low, 0);
		high = fmax(high, 0);
	}
	s = scale_make(low, high, d->bottom, d->top, whole);
	d->left = MARGIN + scale_width(p, &s) + 6;
	d->right = WIDTH - MARGIN;
	put_grid(d, &s);
	step = (d->right - d->left) / (double)p->nlabels;
	first = d->left + step / 2;
	if (lines)
		put_lines(d, &s, first, step);
	else
		put_upright_bars(d, &s, step);
	put_labels(d, first, step);
}

static void
draw_lying(struct svg_drawing *d, size_t shown)
{
	const struct picture *p = d->p;
	double low, high, thick = p->nseries > 1 ? 12 : 16, step = thick * (double)p->nseries + 8, zero;
	struct scale s;

	(void)picture_extent(p, &low, &high);
	d->left = MARGIN + widest_text(p->labels, shown) + 8;
	d->right = WIDTH - MARGIN - LETTER * 9; /* the longest bar's figure stands behind it */
	d->top = d->y;
	d->bottom = d->y + step * (double)shown;
	s = scale_make(fmin(low, 0), fmax(high, 0), d->left, d->right, picture_is_whole(p));
	zero = scale_place(&s, 0);
	put_columns(d, &s);
	for (size_t i = 0; i < shown; i++) {
		double top = d->top + step * (double)i + 4;

		put_text(d->out, d->left - 8, top + (step - 8) / 2 + 4, "end", p->labels[i]);
		for (size_t k = 0; k < p->nseries; k++) {
			double x = scale_place(&s, p->data[k][i]), y = top + thick * (double)k;

			if (isnan(x))
				continue;
			buf_printf(d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"f%zu\">",
			    fmin(x, zero), y, fabs(x - zero), thick - 1, k);
			put_said(d->out, p, k, i);
			buf_str(d->out, "</rect>\n");
			put_text(d->out, fmax(x, zero) + 4, y + thick - 4, "", picture_figure(p, k, i));
		}
	}
	if (shown < p->nlabels)
		put_text(d->out, MARGIN, d->bottom + 34, "",
		    span_str(arena_printf(p->a, p->german ? "… und %zu weitere" : "… and %zu more",
			p->nlabels - shown)));
}

static void
put_slice(const struct svg_drawing *d, size_t i, double from, double part)
{
	const double x = MARGIN + PLOT / 2, y = d->y + PLOT / 2, r = PLOT / 2 - 8, turn = 2 * M_PI;

	if (part >= 0.9999)
		buf_printf(d->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"f%zu\">", x, y, r, i);
	else
		buf_printf(d->out, "<path d=\"M%.1f %.1fL%.2f %.2fA%.1f %.1f 0 %d 1 %.2f %.2fZ\" class=\"f%zu\">", x, y,
		    x + r * sin(turn * from), y - r * cos(turn * from), r, r, part > 0.5,
		    x + r * sin(turn * (from + part)), y - r * cos(turn * (from + part)), i);
	put_said(d->out, d->p, 0, i);
	buf_printf(d->out, "</%s>\n", part >= 0.9999 ? "circle" : "path");
}

static struct span
share_text(const struct picture *p, double part)
{
	struct buf text = { 0 };
	struct span out;

	locale_put_double(&text, part * 100, 1, p->german);
	buf_str(&text, " %");
	out = arena_span(p->a, buf_view(&text));
	buf_fini(&text);
	return out;
}

static void
draw_slices(struct svg_drawing *d)
{
	const struct picture *p = d->p;
	double sum = 0, from = 0, y = d->y + PLOT / 2 - LINE * ((double)p->nlabels - 1) / 2;

	for (size_t i = 0; i < p->nlabels; i++)
		sum += isnan(p->data[0][i]) ? 0 : fmax(p->data[0][i], 0);
	for (size_t i = 0; i < p->nlabels && sum > 0; i++) {
		double part = isnan(p->data[0][i]) ? 0 : fmax(p->data[0][i], 0) / sum;
		struct span share = share_text(p, part);
		double x = MARGIN + PLOT + 24;

		if (part > 0)
			put_slice(d, i % PICTURE_SERIES_MAX, from, part);
		from += part;
		buf_printf(d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" class=\"f%zu\"/>\n", x,
		    y - 10, i % PICTURE_SERIES_MAX);
		put_text(d->out, x + 72, y, "end", share);
		put_text(d->out, x + 84, y, "", p->labels[i]);
		put_text(d->out, WIDTH - MARGIN, y, "end", picture_figure(p, 0, i));
		y += LINE;
	}
}

static void
draw_points(struct svg_drawing *d)
{
	const struct picture *p = d->p;
	double x_low = INFINITY, x_high = -INFINITY, low, high;
	struct scale across, up;

	for (size_t i = 0; i < p->nlabels; i++)
		if (!isnan(p->x[i])) {
			x_low = fmin(x_low, p->x[i]);
			x_high = fmax(x_high, p->x[i]);
		}
	(void)picture_extent(p, &low, &high);
	if (!isfinite(x_high))
		return;
	d->top = d->y;
	d->bottom = d->y + PLOT;
	up = scale_make(low, high, d->bottom, d->top, picture_is_whole(p));
	d->left = MARGIN + scale_width(p, &up) + 6;
	d->right = WIDTH - MARGIN - 20;
	across = scale_make(x_low, x_high, d->left, d->right, false);
	put_grid(d, &up);
	put_columns(d, &across);
	for (size_t i = 0; i < p->nlabels; i++) {
		if (isnan(p->x[i]) || isnan(p->data[0][i]))
			continue;
		buf_printf(d->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"f0\">",
		    scale_place(&across, p->x[i]), scale_place(&up, p->data[0][i]));
		put_said(d->out, p, 0, i);
		buf_str(d->out, "</circle>\n");
	}
}

void
svg_put(struct buf *out, const struct picture *p, bool file)
{
	bool lying = p->type == PICTURE_BARS && p->horizontal, legend = p->nseries > 1;
	size_t shown = p->nlabels * p->nseries <= BARS_MOST ? p->nlabels : BARS_MOST / p->nseries;
	double head = p->title.len > 0 ? MARGIN + 32 : MARGIN + 12, under;
	struct svg_drawing d = { .p = p, .out = out, .y = head };
	double plot = PLOT;

	if (lying)
		plot = ((p->nseries > 1 ? 12 : 16) * (double)p->nseries + 8) * (double)shown;
	if (p->y_label.len > 0 && p->type != PICTURE_SLICES)
		d.y += LINE;
	if (legend)
		d.y += put_legend(NULL, p->series, p->nseries, d.y);
	under = d.y + plot;
	begin_drawing(out, p, under + (p->type == PICTURE_SLICES ? 0 : LINE * 3), file);
	if (p->y_label.len > 0 && p->type != PICTURE_SLICES)
		put_text(out, MARGIN, head, "", lying ? p->x_label : p->y_label);
	if (legend)
		(void)put_legend(out, p->series, p->nseries, head + (p->y_label.len > 0 ? LINE : 0));
	if (p->type == PICTURE_SLICES)
		draw_slices(&d);
	else if (p->type == PICTURE_POINTS)
		draw_points(&d);
	else if (lying)
		draw_lying(&d, shown);
	else
		draw_upright(&d);
	if (p->x_label.len > 0 && p->type != PICTURE_SLICES)
		put_text(out, (d.left + d.right) / 2, under + LINE * 2 + 2, "mid", lying ? p->y_label : p->x_label);
	buf_str(out, "</svg>\n");
}
