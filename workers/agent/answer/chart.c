/* chart.c - see chart.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "workers/agent/answer/chart.h"

#define LONG_LABEL  15u /* characters; longer labels need horizontal bars */
#define KEPT_SERIES 7u  /* plus one for all others */
#define OTHER       "Other"

static const char too_many[] =
    "No chart is drawn: there are too many groups, and figures like these cannot be added up to a group of the others.";

/* --- labels ----------------------------------------------------------------------------- */

/* The bytes of the first n characters. */
static size_t
length_of(struct span s, size_t n)
{
	size_t i = 0;

	for (; i < s.len; i++)
		if ((s.p[i] & 0xc0) != 0x80 && n-- == 0)
			break;
	return i;
}

static struct span
chart_cut(struct arena *a, struct span s, size_t most)
{
	struct buf text = { 0 };
	struct span out;

	if (utf8_count(s) <= most)
		return arena_span(a, s);
	buf_append(&text, s.p, length_of(s, most - 1));
	buf_str(&text, "…");
	out = arena_span(a, buf_view(&text));
	buf_fini(&text);
	return out;
}

static bool
is_taken(const struct span *labels, size_t n, struct span label)
{
	for (size_t i = 0; i < n; i++)
		if (span_is(labels[i], label))
			return true;
	return false;
}

/* Cut the text, and make it different from the n labels. */
static struct span
label_of(struct arena *a, struct span text, const struct span *labels, size_t n)
{
	struct span label = chart_cut(a, text.len > 0 ? text : SPAN("(none)"), CHART_LABEL_MAX);
	struct buf tried = { 0 };

	for (unsigned i = 2; is_taken(labels, n, label); i++) {
		buf_reset(&tried, 256);
		buf_append(&tried, text.p, length_of(text, CHART_LABEL_MAX - 6));
		buf_printf(&tried, "… (%u)", i);
		label = arena_span(a, buf_view(&tried));
	}
	buf_fini(&tried);
	return label;
}

/* --- groups ----------------------------------------------------------------------------- */

/* The groups of a key column. */
struct chart_groups {
	size_t n;
	struct span *keys; /* uncut */
	double *sums;
	size_t *of_row;
};

static struct span
key_of(struct arena *a, const struct sheet *t, size_t row, size_t column)
{
	struct buf text = { 0 };
	struct span key;

	sheet_put_key(&text, sheet_cell(t, row, column));
	key = arena_span(a, buf_view(&text));
	buf_fini(&text);
	return key;
}

/* The number of the group; a new key gets a new number. */
static size_t
groups_number(struct chart_groups *g, struct span key)
{
	size_t i = 0;

	while (i < g->n && !span_is(g->keys[i], key))
		i++;
	if (i == g->n) {
		g->keys[g->n] = key;
		g->sums[g->n++] = 0;
	}
	return i;
}

static double
number_at(const struct sheet *t, size_t row, size_t column)
{
	double v;

	return sheet_number(sheet_cell(t, row, column), &v) ? v : NAN;
}

/* Make the groups of a key column, with the sums of a figure column. */
static bool
groups_make(struct arena *a, struct chart_groups *g, const struct sheet *t, size_t key, size_t figure)
{
	*g = (struct chart_groups){ .keys = arena_array(a, t->nrows, sizeof(*g->keys)),
		.sums = arena_array(a, t->nrows, sizeof(*g->sums)),
		.of_row = arena_array(a, t->nrows, sizeof(*g->of_row)) };
	if (g->keys == NULL || g->sums == NULL || g->of_row == NULL)
		return false;
	for (size_t row = 0; row < t->nrows; row++) {
		double v = number_at(t, row, figure);

		g->of_row[row] = groups_number(g, key_of(a, t, row, key));
		g->sums[g->of_row[row]] += isnan(v) ? 0 : fabs(v);
	}
	return true;
}

/* The rank of a group: how many groups are larger. */
static size_t
place_of(const struct chart_groups *g, size_t which)
{
	size_t place = 0;

	for (size_t i = 0; i < g->n; i++)
		place += g->sums[i] > g->sums[which] || (g->sums[i] == g->sums[which] && i < which);
	return place;
}

/* --- making ----------------------------------------------------------------------------- */

struct maker {
	struct arena *a;
	const struct chart_about *about;
	const struct sheet *t;
	struct chart *out;
	const char *caveat;
};

static double *
make_data(struct maker *m, size_t n)
{
	double *data = arena_array(m->a, n > 0 ? n : 1, sizeof(*data));

	for (size_t i = 0; data != NULL && i < n; i++)
		data[i] = NAN;
	return data;
}

static bool
add_series(struct maker *m, struct span label)
{
	struct chart *c = m->out;
	struct chart_series *s = &c->series[c->nseries];
	struct span labels[CHART_SERIES_MAX];

	for (size_t i = 0; i < c->nseries; i++)
		labels[i] = c->series[i].label;
	if (c->nseries == CHART_SERIES_MAX || (s->data = make_data(m, c->ncategories)) == NULL)
		return false;
	s->label = label_of(m->a, label, labels, c->nseries);
	c->nseries++;
	return true;
}

static void
add_to(double *cell, double v)
{
	if (!isnan(v))
		*cell = isnan(*cell) ? v : *cell + v;
}

static struct span
axis_of(struct maker *m, const struct sheet_column *c)
{
	struct buf text = { 0 };
	struct span out;

	buf_span(&text, c->name);
	if (c->unit.len > 0)
		buf_printf(&text, " (%.*s)", SPAN_FMT(c->unit));
	out = arena_span(m->a, buf_view(&text));
	buf_fini(&text);
	return out;
}

/* Name the categories after the groups in g; with `others` the groups beyond the maximum share the last one. */
static bool
name_categories(struct maker *m, const struct chart_groups *g, const size_t *to, size_t n, bool others)
{
	struct chart *c = m->out;

	c->ncategories = n;
	if ((c->categories = arena_array(m->a, n > 0 ? n : 1, sizeof(*c->categories))) == NULL)
		return false;
	for (size_t at = 0; at < n - others; at++)
		for (size_t i = 0; i < g->n; i++)
			if (to[i] == at)
				c->categories[at] = label_of(m->a, g->keys[i], c->categories, at);
	if (others)
		c->categories[n - 1] = label_of(m->a, SPAN(OTHER), c->categories, n - 1);
	return true;
}

/* The figure columns that become series: all if they share a unit, else only the first. */
static size_t
figures_of(const struct sheet *t, size_t columns[CHART_SERIES_MAX])
{
	size_t n = 0, at;

	while (n < CHART_SERIES_MAX && (at = sheet_column_of(t, SHEET_VALUE, n)) < t->ncolumns &&
	    (n == 0 || span_is(t->columns[at].unit, t->columns[columns[0]].unit)))
		columns[n++] = at;
	return n;
}

/* One category for each group of `key`, one series for each figure column. */
static bool
make_plain(struct maker *m, size_t key, size_t most)
{
	const struct sheet *t = m->t;
	size_t columns[CHART_SERIES_MAX], n = m->about->share ? 1 : figures_of(t, columns), ncategories;
	bool others, additive = true;
	struct chart_groups g;
	size_t *to;

	columns[0] = sheet_column_of(t, SHEET_VALUE, 0);
	for (size_t i = 0; i < n; i++)
		additive = additive && t->columns[columns[i]].additive;
	if (!groups_make(m->a, &g, t, key, columns[0]) || (to = arena_array(m->a, t->nrows, sizeof(*to))) == NULL)
		return false;
	others = most > 0 && g.n > most;
	if (others && !additive) {
		m->caveat = too_many;
		return false;
	}
	ncategories = 0;
	for (size_t i = 0; i < g.n; i++)
		to[i] = !others ? i : place_of(&g, i) < most - 1 ? ncategories++ : most - 1;
	if (!name_categories(m, &g, to, others ? most : g.n, others))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!add_series(m, t->columns[columns[i]].name))
			return false;
		for (size_t row = 0; row < t->nrows; row++)
			add_to(&m->out->series[i].data[to[g.of_row[row]]], number_at(t, row, columns[i]));
	}
	return true;
}

/* One category for each group of `key`, one series for each group of `by`. */
static bool
make_crossed(struct maker *m, size_t key, size_t by, size_t most)
{
	const struct sheet *t = m->t;
	size_t column = sheet_column_of(t, SHEET_VALUE, 0), *to, *across, kept = 0;
	struct chart_groups g, s;
	bool others;

	if (!groups_make(m->a, &g, t, key, column) || !groups_make(m->a, &s, t, by, column) ||
	    (to = arena_array(m->a, t->nrows, sizeof(*to))) == NULL ||
	    (across = arena_array(m->a, t->nrows, sizeof(*across))) == NULL)
		return false;
	others = s.n > CHART_SERIES_MAX;
	if ((others && !t->columns[column].additive) || (most > 0 && g.n > most)) {
		m->caveat = too_many;
		return false;
	}
	for (size_t i = 0; i < g.n; i++)
		to[i] = i;
	if (!name_categories(m, &g, to, g.n, false))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		across[i] = !others ? i : place_of(&s, i) < KEPT_SERIES ? kept++ : KEPT_SERIES;
		if (across[i] < KEPT_SERIES + !others && !add_series(m, s.keys[i]))
			return false;
	}
	if (others && !add_series(m, SPAN(OTHER)))
		return false;
	for (size_t row = 0; row < t->nrows; row++)
		add_to(&m->out->series[across[s.of_row[row]]].data[g.of_row[row]], number_at(t, row, column));
	return true;
}

static bool
make_scatter(struct maker *m, size_t key)
{
	const struct sheet *t = m->t;
	size_t x = sheet_column_of(t, SHEET_VALUE, 0), y = sheet_column_of(t, SHEET_VALUE, 1);
	struct chart *c = m->out;

	c->ncategories = t->nrows;
	if ((c->categories = arena_array(m->a, t->nrows, sizeof(*c->categories))) == NULL ||
	    !add_series(m, t->columns[x].name) || !add_series(m, t->columns[y].name))
		return false;
	for (size_t row = 0; row < t->nrows; row++) {
		c->categories[row] =
		    key < t->ncolumns ? label_of(m->a, key_of(m->a, t, row, key), c->categories, row) : SPAN("");
		c->series[0].data[row] = number_at(t, row, x);
		c->series[1].data[row] = number_at(t, row, y);
	}
	c->x_label = axis_of(m, &t->columns[x]);
	c->y_label = axis_of(m, &t->columns[y]);
	return true;
}

/* --- what suits ------------------------------------------------------------------------- */

static bool
is_pie(const struct maker *m)
{
	size_t column = sheet_column_of(m->t, SHEET_VALUE, 0);

	if (!m->about->share || m->t->nrows < 2 || m->t->nrows > CHART_SLICES_MAX || !m->t->columns[column].additive)
		return false;
	for (size_t row = 0; row < m->t->nrows; row++)
		if (!(number_at(m->t, row, column) >= 0))
			return false;
	return true;
}

static bool
has_long_labels(const struct chart *c)
{
	for (size_t i = 0; i < c->ncategories; i++)
		if (utf8_count(c->categories[i]) > LONG_LABEL)
			return true;
	return false;
}

static enum chart_type
make_chart(struct maker *m)
{
	const struct sheet *t = m->t;
	size_t times = sheet_count(t, SHEET_TIME), keys = sheet_count(t, SHEET_KEY),
	       values = sheet_count(t, SHEET_VALUE);
	size_t key = sheet_column_of(t, SHEET_KEY, 0), time = sheet_column_of(t, SHEET_TIME, 0);
	size_t second = sheet_column_of(t, SHEET_KEY, 1), first = times == 1 ? time : key;

	if (t->nrows < 2 || values == 0 || times + keys == 0 || times > 1 || keys > 2 || times + keys > 2)
		return CHART_NONE;
	if (m->about->relation && values == 2 && t->nrows >= 3 && times == 0)
		return make_scatter(m, key) ? CHART_SCATTER : CHART_NONE;
	m->out->x_label = arena_span(m->a, t->columns[first].name);
	m->out->y_label = axis_of(m, &t->columns[sheet_column_of(t, SHEET_VALUE, 0)]);
	if (times == 1)
		return (keys == 1 ? make_crossed(m, time, key, 0) : make_plain(m, time, 0)) ? CHART_LINE : CHART_NONE;
	if (is_pie(m) && keys == 1)
		return make_plain(m, key, 0) ? CHART_PIE : CHART_NONE;
	if (!(keys == 2 ? make_crossed(m, key, second, CHART_CATEGORIES_MAX) :
			  make_plain(m, key, CHART_CATEGORIES_MAX)))
		return CHART_NONE;
	m->out->horizontal = m->about->ranking || has_long_labels(m->out);
	return CHART_BAR;
}

/* Whether there is something to draw: a figure, for a line at least two points. */
static bool
has_figures(const struct chart *c)
{
	for (size_t i = 0; i < c->nseries; i++)
		for (size_t j = 0; j < c->ncategories; j++)
			if (!isnan(c->series[i].data[j]))
				return c->type != CHART_LINE || c->ncategories > 1;
	return false;
}

void
chart_choose(struct arena *a, const struct chart_about *about, const struct sheet *t, struct chart *out,
    const char **caveat)
{
	struct maker m = { .a = a, .about = about, .t = t, .out = out };

	*out = (struct chart){ .title = chart_cut(a, about->title, CHART_TITLE_MAX) };
	out->type = make_chart(&m);
	if (out->type != CHART_NONE && !has_figures(out))
		out->type = CHART_NONE;
	*caveat = m.caveat;
}

/* --- the specification ------------------------------------------------------------------ */

static void
put_figure(struct buf *out, double v)
{
	if (isnan(v))
		mp_put_nil(out);
	else if (v == floor(v) && fabs(v) < 9007199254740992.0)
		mp_put_int(out, (int64_t)v);
	else
		mp_put_double(out, v);
}

static void
put_slices(struct buf *out, const struct chart *c)
{
	mp_put_cstr(out, "slices");
	mp_put_array(out, c->ncategories);
	for (size_t i = 0; i < c->ncategories; i++) {
		mp_put_map(out, 2);
		mp_pair_str(out, "label", c->categories[i]);
		mp_put_cstr(out, "value");
		put_figure(out, c->series[0].data[i]);
	}
}

static void
put_points(struct buf *out, const struct chart *c)
{
	size_t mark, n = 0;

	mp_put_cstr(out, "points");
	mark = mp_open_array(out);
	for (size_t i = 0; i < c->ncategories; i++) {
		if (isnan(c->series[0].data[i]) || isnan(c->series[1].data[i]))
			continue;
		mp_put_map(out, c->categories[i].len > 0 ? 3 : 2);
		mp_put_cstr(out, "x");
		put_figure(out, c->series[0].data[i]);
		mp_put_cstr(out, "y");
		put_figure(out, c->series[1].data[i]);
		if (c->categories[i].len > 0)
			mp_pair_str(out, "label", c->categories[i]);
		n++;
	}
	mp_close(out, mark, n);
}

static void
put_categories(struct buf *out, const struct chart *c)
{
	mp_put_cstr(out, "categories");
	mp_put_array(out, c->ncategories);
	for (size_t i = 0; i < c->ncategories; i++)
		mp_put_str(out, c->categories[i]);
	mp_put_cstr(out, "series");
	mp_put_array(out, c->nseries);
	for (size_t i = 0; i < c->nseries; i++) {
		mp_put_map(out, 2);
		mp_pair_str(out, "label", c->series[i].label);
		mp_put_cstr(out, "data");
		mp_put_array(out, c->ncategories);
		for (size_t j = 0; j < c->ncategories; j++)
			put_figure(out, c->series[i].data[j]);
	}
}

void
chart_put(struct buf *out, const struct chart *c)
{
	static const char *const names[] = { "none", "bar", "line", "pie", "scatter" };
	size_t mark = mp_open_map(out), n = 4;

	mp_pair_cstr(out, "type", names[c->type]);
	mp_pair_str(out, "title", c->title);
	mp_pair_str(out, "xAxisLabel", c->x_label);
	mp_pair_str(out, "yAxisLabel", c->y_label);
	if (c->type == CHART_PIE) {
		put_slices(out, c);
		n++;
	} else if (c->type == CHART_SCATTER) {
		put_points(out, c);
		n++;
	} else {
		put_categories(out, c);
		n += 2;
	}
	if (c->type == CHART_BAR) {
		mp_pair_cstr(out, "layout", c->horizontal ? "horizontal" : "vertical");
		n++;
	}
	mp_close(out, mark, n);
}
