#include <math.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/json/cell.h"
#include "base/text/locale_text.h"
#include "base/utf8.h"
#include "workers/agent/data/caveats.h"
#include "workers/agent/answer/chart.h"

#define EXACT_BELOW 9007199254740992.0 /* 2^53 */
#define LONG_LABEL  15u /* characters; longer labels need horizontal bars */
#define KEPT_SERIES 7u  /* plus one for all others */
#define ROOM	    92u /* characters of labels below upright bars, with what stands between them */
#define GAP	    2u

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
	struct span label = chart_cut(a, text, CHART_LABEL_MAX);
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

/* The groups of a key column. */
struct chart_groups {
	size_t n;
	struct span *keys; /* uncut */
	double *sums, *sizes; /* sizes: the sums of the absolute values; NAN: no figure */
	size_t *of_row;
};

static struct span
key_of(struct arena *a, const struct sheet *t, size_t row, size_t column)
{
	struct buf text = { 0 };
	struct span key;

	sheet_put_key(&text, t, row, column, true);
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
		g->sums[g->n] = 0;
		g->sizes[g->n++] = NAN;
	}
	return i;
}

static double
number_at(const struct sheet *t, size_t row, size_t column)
{
	double v;

	return cell_number(sheet_cell(t, row, column), &v) ? v : NAN;
}

/* Make the groups of a key column, with the sums of a figure column. */
static bool
groups_make(struct arena *a, struct chart_groups *g, const struct sheet *t, size_t key, size_t figure)
{
	*g = (struct chart_groups){ .keys = arena_array(a, t->nrows, sizeof(*g->keys)),
		.sums = arena_array(a, t->nrows, sizeof(*g->sums)),
		.sizes = arena_array(a, t->nrows, sizeof(*g->sizes)),
		.of_row = arena_array(a, t->nrows, sizeof(*g->of_row)) };
	if (g->keys == NULL || g->sums == NULL || g->sizes == NULL || g->of_row == NULL)
		return false;
	for (size_t row = 0; row < t->nrows; row++) {
		double v = number_at(t, row, figure);
		size_t at = groups_number(g, key_of(a, t, row, key));

		g->of_row[row] = at;
		if (isnan(v))
			continue;
		g->sums[at] += v;
		g->sizes[at] = fabs(v) + (isnan(g->sizes[at]) ? 0 : g->sizes[at]);
	}
	return true;
}

/* The rank of a group: how many groups are larger. */
static size_t
place_of(const struct chart_groups *g, size_t which)
{
	size_t place = 0;

	for (size_t i = 0; i < g->n; i++)
		place += g->sizes[i] > g->sizes[which] || (g->sizes[i] == g->sizes[which] && i < which);
	return place;
}

#define NOT_DRAWN SIZE_MAX

/* How groups become categories. */
struct chart_order {
	size_t most;	/* categories; 0: all groups */
	bool by_size, reversed, holes;
};

/*
 * The category of each group: with most > 0 the smallest groups share the last one; a group without a figure, which
 * would leave a hole, is NOT_DRAWN unless holes are wanted.  Returns the number of categories; 0 when a is full.
 */
static size_t
groups_order(struct arena *a, const struct chart_groups *g, const struct chart_order *o, size_t *to)
{
	size_t *list = arena_array(a, g->n + 1, sizeof(*list)), n = 0, drawn = 0;
	bool others;

	if (list == NULL)
		return 0;
	for (size_t i = 0; i < g->n; i++)
		drawn += o->holes || !isnan(g->sizes[i]);
	others = o->most > 0 && drawn > o->most;
	for (size_t i = 0, at; i < g->n; i++) {
		to[i] = !o->holes && isnan(g->sizes[i])     ? NOT_DRAWN :
		    others && place_of(g, i) >= o->most - 1 ? o->most - 1 :
							      0;
		if (to[i] != 0)
			continue;
		for (at = n++; at > 0 && (o->reversed || (o->by_size && g->sums[list[at - 1]] < g->sums[i])); at--)
			list[at] = list[at - 1];
		list[at] = i;
	}
	for (size_t k = 0; k < n; k++)
		to[list[k]] = k;
	return others ? o->most : n;
}

struct maker {
	struct arena *a;
	const struct chart_about *about;
	const struct sheet *t;
	struct chart *out;
	struct span caveat;
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
	if (c->nseries == CHART_SERIES_MAX || (s->data = make_data(m, c->ncategories)) == NULL ||
	    (s->exact = arena_array(m->a, c->ncategories + 1, sizeof(*s->exact))) == NULL)
		return false;
	s->label = label_of(m->a, label, labels, c->nseries);
	c->nseries++;
	return true;
}

/* Add a cell's number to a category, exactly as long as all of them are exact. */
static void
add_cell(struct chart_series *s, size_t at, const struct mp_value *cell)
{
	bool first = isnan(s->data[at]);
	struct decimal d;
	double v;

	if (!cell_number(cell, &v))
		return;
	if (cell->class != MP_FLOAT && cell_decimal(cell, &d) &&
	    (first || (s->exact[at].scale != CHART_INEXACT && decimal_add(&s->exact[at], &d, &d)))) {
		s->exact[at] = d;
		s->data[at] = decimal_double(&d);
	} else {
		s->exact[at].scale = CHART_INEXACT;
		s->data[at] = first ? v : s->data[at] + v;
	}
}

static struct span
axis_of(struct maker *m, const struct sheet_column *c)
{
	struct buf text = { 0 };
	struct span out;

	buf_span(&text, c->name);
	if (c->unit.len > 0)
		buf_printf(&text, " (%.*s)", SPAN_FMT(locale_unit(c->unit, m->t->german)));
	out = arena_span(m->a, buf_view(&text));
	buf_fini(&text);
	return out;
}

static struct span
others_label(const struct maker *m)
{
	return m->t->german ? SPAN("Übrige") : SPAN("Other");
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
		c->categories[n - 1] = label_of(m->a, others_label(m), c->categories, n - 1);
	return true;
}

/* The figure columns that become series: those with the unit of the first one from `from` on. */
static size_t
figures_of(const struct sheet *t, size_t from, size_t columns[CHART_SERIES_MAX])
{
	size_t n = 0;

	for (size_t at = from; at < t->ncolumns && n < CHART_SERIES_MAX; at++)
		if (t->columns[at].role == SHEET_VALUE && span_is(t->columns[at].unit, t->columns[from].unit))
			columns[n++] = at;
	return n;
}

static struct chart_order
order_of(const struct maker *m, size_t key)
{
	bool time = m->t->columns[key].role == SHEET_TIME;

	return (struct chart_order){ .most = time ? 0 : CHART_CATEGORIES_MAX,
		.holes = time,
		.reversed = m->about->reversed,
		.by_size = m->about->by_size && !sheet_is_ordered(m->t, key) };
}

/* One category for each group of `key`, one series for each figure column of the unit of `figure`. */
static bool
make_plain(struct maker *m, size_t key, size_t figure)
{
	const struct sheet *t = m->t;
	struct chart_order order = order_of(m, key);
	size_t columns[CHART_SERIES_MAX], n = m->about->share ? 1 : figures_of(t, figure, columns), ncategories, *to;
	struct chart_groups g;
	bool additive = true;

	columns[0] = figure;
	for (size_t i = 0; i < n; i++)
		additive = additive && t->columns[columns[i]].additive;
	if (!groups_make(m->a, &g, t, key, figure) || (to = arena_array(m->a, t->nrows, sizeof(*to))) == NULL ||
	    (ncategories = groups_order(m->a, &g, &order, to)) == 0)
		return false;
	if (ncategories == order.most && g.n > ncategories && !additive) {
		m->caveat = caveat_text(m->a, t->german, CAVEAT_TOO_MANY_GROUPS, NULL);
		return false;
	}
	if (!name_categories(m, &g, to, ncategories, ncategories == order.most && g.n > ncategories))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!add_series(m, t->columns[columns[i]].name))
			return false;
		for (size_t row = 0; row < t->nrows; row++)
			if (to[g.of_row[row]] != NOT_DRAWN)
				add_cell(&m->out->series[i], to[g.of_row[row]], sheet_cell(t, row, columns[i]));
	}
	return true;
}

/* One category for each group of `key`, one series for each group of `by`. */
static bool
make_crossed(struct maker *m, size_t key, size_t by, size_t figure)
{
	const struct sheet *t = m->t;
	struct chart_order order = order_of(m, key),
			   series = { .most = CHART_SERIES_MAX, .by_size = !sheet_is_ordered(t, by) };
	struct chart_groups g, s;
	size_t *to, *across, n, nseries;

	if (!groups_make(m->a, &g, t, key, figure) || !groups_make(m->a, &s, t, by, figure) ||
	    (to = arena_array(m->a, t->nrows, sizeof(*to))) == NULL ||
	    (across = arena_array(m->a, t->nrows, sizeof(*across))) == NULL ||
	    (n = groups_order(m->a, &g, &order, to)) == 0 || (nseries = groups_order(m->a, &s, &series, across)) == 0)
		return false;
	if ((s.n > CHART_SERIES_MAX && !t->columns[figure].additive) || (order.most > 0 && g.n > order.most)) {
		m->caveat = caveat_text(m->a, t->german, CAVEAT_TOO_MANY_GROUPS, NULL);
		return false;
	}
	if (!name_categories(m, &g, to, n, false))
		return false;
	for (size_t at = 0; at < nseries; at++) {
		size_t i = 0;

		while (i < s.n && across[i] != at)
			i++;
		if (!add_series(m, s.n > CHART_SERIES_MAX && at == nseries - 1 ? others_label(m) : s.keys[i]))
			return false;
	}
	for (size_t row = 0; row < t->nrows; row++)
		if (to[g.of_row[row]] != NOT_DRAWN && across[s.of_row[row]] != NOT_DRAWN)
			add_cell(&m->out->series[across[s.of_row[row]]], to[g.of_row[row]], sheet_cell(t, row, figure));
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
		add_cell(&c->series[0], row, sheet_cell(t, row, x));
		add_cell(&c->series[1], row, sheet_cell(t, row, y));
	}
	c->x_label = axis_of(m, &t->columns[x]);
	c->y_label = axis_of(m, &t->columns[y]);
	return true;
}

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

/* Whether the labels have no room below upright bars. */
static bool
has_long_labels(const struct chart *c)
{
	size_t most = 0;

	for (size_t i = 0; i < c->ncategories; i++)
		most = utf8_count(c->categories[i]) > most ? utf8_count(c->categories[i]) : most;
	return most > LONG_LABEL || (most + GAP) * c->ncategories > ROOM;
}

static enum chart_type
make_chart(struct maker *m, size_t figure)
{
	const struct sheet *t = m->t;
	size_t times = sheet_count(t, SHEET_TIME), keys = sheet_count(t, SHEET_KEY);
	size_t key = sheet_column_of(t, SHEET_KEY, 0), time = sheet_column_of(t, SHEET_TIME, 0);
	size_t second = sheet_column_of(t, SHEET_KEY, 1), first = times == 1 ? time : key;

	m->out->x_label = arena_span(m->a, t->columns[first].name);
	m->out->y_label = axis_of(m, &t->columns[figure]);
	if (times == 1)
		return (keys == 1 ? make_crossed(m, time, key, figure) : make_plain(m, time, figure)) ? CHART_LINE :
													CHART_NONE;
	if (is_pie(m) && keys == 1)
		return make_plain(m, key, figure) ? CHART_PIE : CHART_NONE;
	if (!(keys == 2 ? make_crossed(m, key, second, figure) : make_plain(m, key, figure)))
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

/* The title of a chart; one of several names its figures alone. */
static struct span
title_of(const struct maker *m, bool several, size_t figure)
{
	struct span title = m->about->title, out;
	struct buf text = { 0 };

	if (several) {
		buf_printf(&text, "%.*s%s", SPAN_FMT(m->t->columns[figure].name),
		    title.len > 0 && m->about->measures == 0 ? ": " : "");
		title = span_of(title.p + m->about->measures, title.len - m->about->measures);
	}
	buf_span(&text, title);
	if (text.len > 0)
		text.p[0] = ascii_is_lower(text.p[0]) ? text.p[0] & 0xdf : text.p[0];
	out = chart_cut(m->a, buf_view(&text), CHART_TITLE_MAX);
	buf_fini(&text);
	return out;
}

/* The first figure column from `from` on whose unit no column before it has. */
static size_t
next_unit(const struct sheet *t, size_t from)
{
	for (size_t at = from; at < t->ncolumns; at++) {
		size_t before = 0;

		while (before < at &&
		    (t->columns[before].role != SHEET_VALUE || !span_is(t->columns[before].unit, t->columns[at].unit)))
			before++;
		if (t->columns[at].role == SHEET_VALUE && before == at)
			return at;
	}
	return t->ncolumns;
}

/* The first figure that is no number is told: it is not drawn. */
static void
note_unreadable(struct maker *m)
{
	double v;

	for (size_t i = 0; i < m->t->ncolumns; i++)
		for (size_t row = 0; m->t->columns[i].role == SHEET_VALUE && row < m->t->nrows; row++)
			if (sheet_cell(m->t, row, i)->class != MP_NIL && !cell_number(sheet_cell(m->t, row, i), &v)) {
				m->caveat = caveat_text(m->a, m->t->german, CAVEAT_NOT_DRAWN, &m->t->columns[i].name);
				return;
			}
}

size_t
chart_choose(struct arena *a, const struct chart_about *about, const struct sheet *t, struct chart out[CHART_MAX],
    struct span *caveat)
{
	struct maker m = { .a = a, .about = about, .t = t, .caveat = SPAN("") };
	size_t times = sheet_count(t, SHEET_TIME), keys = sheet_count(t, SHEET_KEY), n = 0,
	       first = sheet_column_of(t, SHEET_VALUE, 0);
	bool several, relation = about->relation && sheet_count(t, SHEET_VALUE) == 2 && t->nrows >= 3;

	*caveat = SPAN("");
	if (t->nrows < 2 || first == t->ncolumns || times + keys == 0 || times > 1 || times + keys > 2)
		return 0;
	several = !about->share && !relation && next_unit(t, first + 1) < t->ncolumns;
	note_unreadable(&m);
	for (size_t at = first; m.caveat.len == 0 && at < t->ncolumns && n < CHART_MAX;
	     at = several ? next_unit(t, at + 1) : t->ncolumns) {
		m.out = &out[n];
		*m.out = (struct chart){ .title = title_of(&m, several, at) };
		m.out->type = !relation                                                         ? make_chart(&m, at) :
		    make_scatter(&m, sheet_column_of(t, times > 0 ? SHEET_TIME : SHEET_KEY, 0)) ? CHART_SCATTER :
												  CHART_NONE;
		n += m.out->type != CHART_NONE && has_figures(m.out);
	}
	*caveat = m.caveat;
	return n;
}

static void
put_figure(struct buf *out, double v)
{
	struct decimal d;

	if (isnan(v))
		mp_put_nil(out);
	else if (v == floor(v) && fabs(v) < EXACT_BELOW)
		mp_put_int(out, (int64_t)v);
	else
		mp_put_double(out, v != floor(v) && decimal_of_double(v, &d) ? decimal_double(&d) : v);
}

/* Whether a reader of the number alone would not have the figure's digits. */
static bool
needs_digits(const struct chart_series *s, size_t i)
{
	struct decimal d;

	if (isnan(s->data[i]) || s->exact[i].scale == CHART_INEXACT)
		return false;
	if (s->exact[i].scale == 0 && fabs(s->data[i]) < EXACT_BELOW)
		return false;
	return !decimal_of_double(s->data[i], &d) || d.units != s->exact[i].units || d.scale != s->exact[i].scale;
}

static void
put_digits(struct buf *out, const struct chart_series *s, size_t i)
{
	struct buf digits = { 0 };

	decimal_put(&digits, &s->exact[i]);
	mp_put_str(out, buf_view(&digits));
	buf_fini(&digits);
}

/* The figure as a member of the open map, and its digits where the number does not have them.  Returns the members. */
static size_t
put_member(struct buf *out, const char *name, const char *digits, const struct chart_series *s, size_t i)
{
	mp_put_cstr(out, name);
	put_figure(out, s->data[i]);
	if (!needs_digits(s, i))
		return 1;
	mp_put_cstr(out, digits);
	put_digits(out, s, i);
	return 2;
}

static void
put_slices(struct buf *out, const struct chart *c)
{
	mp_pair_array(out, "slices", c->ncategories);
	for (size_t i = 0; i < c->ncategories; i++) {
		size_t mark = mp_open_map(out);

		mp_pair_str(out, "label", c->categories[i]);
		mp_close(out, mark, 1 + put_member(out, "value", "digits", &c->series[0], i));
	}
}

static void
put_points(struct buf *out, const struct chart *c)
{
	size_t mark;

	mark = mp_pair_open_array(out, "points");
	for (size_t i = 0; i < c->ncategories; i++) {
		if (isnan(c->series[0].data[i]) || isnan(c->series[1].data[i]))
			continue;
		size_t point = mp_open_map(out), members;

		members = put_member(out, "x", "xDigits", &c->series[0], i);
		members += put_member(out, "y", "digits", &c->series[1], i);
		if (c->categories[i].len > 0)
			mp_pair_str(out, "label", c->categories[i]);
		mp_close(out, point, members + (c->categories[i].len > 0));
	}
	mp_end(out, mark);
}

static void
put_categories(struct buf *out, const struct chart *c)
{
	mp_pair_array(out, "categories", c->ncategories);
	for (size_t i = 0; i < c->ncategories; i++)
		mp_put_str(out, c->categories[i]);
	mp_pair_array(out, "series", c->nseries);
	for (size_t i = 0; i < c->nseries; i++) {
		const struct chart_series *s = &c->series[i];
		size_t long_ones = 0;
		size_t map;

		for (size_t j = 0; j < c->ncategories; j++)
			long_ones += needs_digits(s, j);
		map = mp_open_pairs(out, mp_str("label", s->label));
		mp_pair_array(out, "data", c->ncategories);
		for (size_t j = 0; j < c->ncategories; j++)
			put_figure(out, s->data[j]);
		if (long_ones > 0)
			mp_pair_array(out, "digits", c->ncategories);
		for (size_t j = 0; long_ones > 0 && j < c->ncategories; j++)
			if (needs_digits(s, j))
				put_digits(out, s, j);
			else
				mp_put_nil(out);
		mp_end(out, map);
	}
}

const char *
chart_type_name(enum chart_type type)
{
	static const char *const names[] = { "none", "bar", "line", "pie", "scatter" };

	return names[type];
}

void
chart_put(struct buf *out, const struct chart *c)
{
	size_t mark = mp_open_map(out), n = 4;

	mp_pair_cstr(out, "type", chart_type_name(c->type));
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
