/* picture.c - see picture.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/show/picture.h"
#include "cli/show/table_text.h"

#define FIGURE_MOST 1e300 /* beyond it no scale can be made */

/* --- text ---------------------------------------------------------------------------------- */

/* A text of an answer as one line that is safe to show, in a. */
static struct span
picture_text(struct arena *a, struct view v)
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

void
picture_put_number(struct buf *out, double v)
{
	char digits[64];
	int n;
	size_t whole, start;

	if (!isfinite(v)) {
		buf_str(out, "–");
		return;
	}
	if ((v != 0 && fabs(v) < 0.01) || fabs(v) >= 1e15)
		n = snprintf(digits, sizeof(digits), fabs(v) < 1 ? "%.2g" : "%.6g", v);
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

struct span
picture_number(struct arena *a, double v)
{
	struct buf text = { 0 };
	struct span out;

	picture_put_number(&text, v);
	out = arena_span(a, buf_view(&text));
	buf_fini(&text);
	return out;
}

/* --- reading the specification ------------------------------------------------------------------ */

static double
figure_of(struct view v)
{
	double figure = view_number(v, NAN);

	return fabs(figure) < FIGURE_MOST ? figure : NAN;
}

static double *
figures_make(struct picture *p, size_t n)
{
	double *data = arena_array(p->a, n > 0 ? n : 1, sizeof(*data));

	for (size_t i = 0; data != NULL && i < n; i++)
		data[i] = NAN;
	return data;
}

/* Room for the figures of n labels; the first series is empty. */
static bool
picture_make(struct picture *p, size_t n)
{
	p->nlabels = n;
	p->labels = arena_array(p->a, n + 1, sizeof(*p->labels));
	for (size_t i = 0; p->labels != NULL && i < n; i++)
		p->labels[i] = SPAN("");
	return p->labels != NULL && (p->data[0] = figures_make(p, n)) != NULL;
}

static bool
picture_of_series(struct picture *p, struct view chart)
{
	struct view categories = view_get(chart, "categories"), v, data;
	struct view_iter it = view_iter(categories), in;
	size_t i = 0;

	if (!picture_make(p, view_count(categories)))
		return false;
	while (i < p->nlabels && view_next(&it, &v))
		p->labels[i++] = picture_text(p->a, v);
	it = view_iter(view_get(chart, "series"));
	while (p->nseries < PICTURE_SERIES_MAX && view_next(&it, &v)) {
		double *to = figures_make(p, p->nlabels);

		if (to == NULL)
			return false;
		p->series[p->nseries] = picture_text(p->a, view_get(v, "label"));
		in = view_iter(view_get(v, "data"));
		for (i = 0; i < p->nlabels && view_next(&in, &data); i++)
			to[i] = figure_of(data);
		p->data[p->nseries++] = to;
	}
	return p->nlabels > 0 && p->nseries > 0;
}

static bool
picture_of_slices(struct picture *p, struct view chart)
{
	struct view slices = view_get(chart, "slices"), v;
	struct view_iter it = view_iter(slices);

	if (!picture_make(p, view_count(slices)))
		return false;
	p->nseries = 1;
	p->series[0] = SPAN("");
	for (size_t i = 0; i < p->nlabels && view_next(&it, &v); i++) {
		p->labels[i] = picture_text(p->a, view_get(v, "label"));
		p->data[0][i] = figure_of(view_get(v, "value"));
	}
	return p->nlabels > 0;
}

static bool
picture_of_points(struct picture *p, struct view chart)
{
	struct view points = view_get(chart, "points"), v;
	struct view_iter it = view_iter(points);
	size_t n = view_count(points);

	if (!picture_make(p, n < PICTURE_POINTS_MAX ? n : PICTURE_POINTS_MAX) ||
	    (p->x = figures_make(p, p->nlabels)) == NULL)
		return false;
	p->nseries = 1;
	p->series[0] = SPAN("");
	for (size_t i = 0; i < p->nlabels && view_next(&it, &v); i++) {
		p->labels[i] = picture_text(p->a, view_get(v, "label"));
		p->x[i] = figure_of(view_get(v, "x"));
		p->data[0][i] = figure_of(view_get(v, "y"));
	}
	return p->nlabels > 0;
}

bool
picture_extent(const struct picture *p, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t s = 0; s < p->nseries; s++)
		for (size_t i = 0; i < p->nlabels; i++)
			if (isfinite(p->data[s][i])) {
				*low = fmin(*low, p->data[s][i]);
				*high = fmax(*high, p->data[s][i]);
			}
	return isfinite(*low) && isfinite(*high);
}

bool
picture_read(struct picture *p, struct arena *a, struct view chart)
{
	const char *type = view_cstr(a, view_get(chart, "type"), "");
	double low, high;
	bool drawn;

	*p = (struct picture){ .a = a,
		.title = picture_text(a, view_get(chart, "title")),
		.x_label = picture_text(a, view_get(chart, "xAxisLabel")),
		.y_label = picture_text(a, view_get(chart, "yAxisLabel")),
		.horizontal = strcmp(view_cstr(a, view_get(chart, "layout"), ""), "horizontal") == 0 };
	if (strcmp(type, "scatter") == 0) {
		p->type = PICTURE_POINTS;
		drawn = picture_of_points(p, chart);
	} else if (strcmp(type, "pie") == 0) {
		p->type = PICTURE_SLICES;
		drawn = picture_of_slices(p, chart);
	} else {
		p->type = strcmp(type, "line") == 0 ? PICTURE_LINES : PICTURE_BARS;
		drawn = (p->type == PICTURE_LINES || strcmp(type, "bar") == 0) && picture_of_series(p, chart);
	}
	return drawn && picture_extent(p, &low, &high);
}
