/* picture.c - see picture.h. */
#include <math.h>
#include <string.h>

#include "base/text/locale_text.h"
#include "cli/show/picture.h"
#include "cli/show/table_text.h"

#define FIGURE_MOST 1e300 /* beyond it no scale can be made */
#define LONG_FROM   1e15  /* a figure with more digits would take the room of its bar */

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
picture_put_number(const struct picture *p, struct buf *out, double v)
{
	if (fabs(v) >= LONG_FROM && isfinite(v))
		buf_printf(out, "%.6g", v);
	else
		locale_put_double(out, v, 2, p->german);
}

struct span
picture_number(const struct picture *p, double v)
{
	struct buf text = { 0 };
	struct span out;

	picture_put_number(p, &text, v);
	out = arena_span(p->a, buf_view(&text));
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

static bool
is_whole(const double *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isnan(data[i]) && data[i] != floor(data[i]))
			return false;
	return true;
}

bool
picture_is_whole(const struct picture *p)
{
	for (size_t s = 0; s < p->nseries; s++)
		if (!is_whole(p->data[s], p->nlabels))
			return false;
	return true;
}

bool
picture_read(struct picture *p, struct arena *a, struct view chart, bool german)
{
	const char *type = view_cstr(a, view_get(chart, "type"), "");
	double low, high;
	bool drawn;

	*p = (struct picture){ .a = a,
		.german = german,
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
