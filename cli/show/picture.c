#include <math.h>
#include <string.h>

#include "base/text/locale_text.h"
#include "cli/show/picture.h"
#include "cli/show/table_text.h"

#define FIGURE_MOST 1e300 /* beyond it no scale can be made */

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

static struct span
number_text(const struct picture *p, double v, const struct span *digits, bool fractions)
{
	struct buf text = { 0 };
	struct decimal d;
	struct span out;

	if ((digits != NULL && decimal_read(*digits, &d)) || (fractions && decimal_of_double(v, &d)))
		(fractions ? locale_put_fractional : locale_put_decimal)(&text, &d, 2, p->german);
	else
		locale_put_double(&text, v, 2, p->german);
	if (p->room > 0 && text.len > p->room && isfinite(v)) {
		text.len = 0;
		buf_printf(&text, "%.6g", v);
	}
	out = arena_span(p->a, buf_view(&text));
	buf_fini(&text);
	return out;
}

struct span
picture_number(const struct picture *p, double v)
{
	return number_text(p, v, NULL, false);
}

struct span
picture_figure(const struct picture *p, size_t series, size_t i)
{
	return number_text(p, p->data[series][i], p->digits[series] == NULL ? NULL : &p->digits[series][i],
	    p->fractions);
}

struct span
picture_x(const struct picture *p, size_t i)
{
	return number_text(p, p->x[i], p->x_digits == NULL ? NULL : &p->x_digits[i], false);
}

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

static struct span *
digits_make(struct picture *p, size_t n)
{
	struct span *digits = arena_array(p->a, n + 1, sizeof(*digits));

	for (size_t i = 0; digits != NULL && i < n; i++)
		digits[i] = SPAN("");
	return digits;
}

/* Room for the figures of n labels; the first series is empty. */
static bool
picture_make(struct picture *p, size_t n)
{
	p->nlabels = n;
	p->labels = digits_make(p, n);
	p->digits[0] = digits_make(p, n);
	return p->labels != NULL && p->digits[0] != NULL && (p->data[0] = figures_make(p, n)) != NULL;
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
		p->digits[p->nseries] = digits_make(p, p->nlabels);
		in = view_iter(view_get(v, "digits"));
		for (i = 0; p->digits[p->nseries] != NULL && i < p->nlabels && view_next(&in, &data); i++)
			p->digits[p->nseries][i] = picture_text(p->a, data);
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
		p->digits[0][i] = picture_text(p->a, view_get(v, "digits"));
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
	    (p->x = figures_make(p, p->nlabels)) == NULL || (p->x_digits = digits_make(p, p->nlabels)) == NULL)
		return false;
	p->nseries = 1;
	p->series[0] = SPAN("");
	for (size_t i = 0; i < p->nlabels && view_next(&it, &v); i++) {
		p->labels[i] = picture_text(p->a, view_get(v, "label"));
		p->x[i] = figure_of(view_get(v, "x"));
		p->data[0][i] = figure_of(view_get(v, "y"));
		p->digits[0][i] = picture_text(p->a, view_get(v, "digits"));
		p->x_digits[i] = picture_text(p->a, view_get(v, "xDigits"));
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
	if (!drawn)
		return false;
	p->fractions = !picture_is_whole(p);
	return picture_extent(p, &low, &high);
}
