/*
 * property_eval.c - the answer to a query without SQL: keys are followed from
 * row to row as docs/semantic-layer.md says; see property.h.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "tests/semantic/property.h"

static struct value
number(double d)
{
	return (struct value){ .present = true, .number = d };
}

/* --- evaluating --------------------------------------------------------------------------- */

/* One joined row: the row number of each node, NONE where there is none. */
struct joined {
	int	at[NODES_MAX];
};

/* Row above of node's parent and row of node belong together. */
static bool
is_linked(const struct model *m, const struct way *w, int node, int above, int row)
{
	int parent = property_table_of(m, w->parent[node]), table = property_table_of(m, node), j = w->join[node];
	struct value key = w->inverse[node] ? m->rows[table][row].fk[j] : m->rows[parent][above].fk[j];

	return key.present && (int)key.number == (w->inverse[node] ? above : row);
}

/* Fill at[] of node (and of what is on the way) from its parent's row. */
static void
follow(const struct model *m, const struct way *w, struct joined *j, int node)
{
	if (w->parent[node] == NONE || j->at[node] != NONE)
		return;
	follow(m, w, j, w->parent[node]);
	if (j->at[w->parent[node]] == NONE)
		return;
	for (int r = 0; r < m->nrows[property_table_of(m, node)]; r++)
		if (is_linked(m, w, node, j->at[w->parent[node]], r))
			j->at[node] = r;
}

/* 1 true, 0 false, -1 unknown */
static int
holds(const struct model *m, const struct filter *f, const struct joined *j)
{
	const struct row *r = j->at[f->node] == NONE ? NULL : &m->rows[property_table_of(m, f->node)][j->at[f->node]];
	struct value v = r != NULL ? r->v : (struct value){ 0 }, c = r != NULL ? r->c : (struct value){ 0 };
	int left, right;

	switch (f->kind) {
	case 0:
		return !c.present ? -1 : c.letter == 'a';
	case 1:
		return !v.present ? -1 : v.number > 3;
	case 2:
		return !c.present;
	default:
		left = !v.present ? -1 : v.number != 2;
		right = !c.present ? -1 : c.letter == 'b';
		return left == 1 || right == 1 ? 1 : left == 0 && right == 0 ? 0 : -1;
	}
}

struct group {
	struct value	keys[2];
	bool		has_fact;
	double		total, total_a, max;
	int		n, nv, n_total_a;
	int		with[VALUES];		/* rows with that v */
	bool		any_v, seen['b' + 1];	/* the letters a, b and A */
};

static bool
same(struct value a, struct value b)
{
	return a.present == b.present && (!a.present || (a.number == b.number && a.letter == b.letter));
}

/* The first day of the bucket that day is in, as YYYYMMDD. */
static struct value
bucket(struct value day, enum grain grain)
{
	time_t seconds = (time_t)day.number * 86400;
	struct tm tm;

	if (!day.present)
		return (struct value){ 0 };
	gmtime_r(&seconds, &tm);
	if (grain == WEEK) {
		seconds -= (time_t)((tm.tm_wday + 6) % 7) * 86400;
		gmtime_r(&seconds, &tm);
	} else {
		tm.tm_mday = 1;
		if (grain == QUARTER)
			tm.tm_mon -= tm.tm_mon % 3;
	}
	return number((tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday);
}

static struct value
key_of(const struct model *m, int node, enum grain grain, const struct joined *j)
{
	const struct row *r;

	if (j->at[node] == NONE)
		return (struct value){ 0 };
	r = &m->rows[property_table_of(m, node)][j->at[node]];
	return grain == PLAIN ? r->c : bucket(r->d, grain);
}

/* The condition of every segment: v > 1. */
static bool
in_segment(const struct model *m, int node, const struct joined *j)
{
	const struct row *r = j->at[node] == NONE ? NULL : &m->rows[property_table_of(m, node)][j->at[node]];

	return r != NULL && r->v.present && r->v.number > 1;
}

static void
add_row(const struct model *m, const struct query *q, int fact, bool segment, const struct joined *j,
    struct group *groups, int *n)
{
	struct value keys[2] = { { 0 }, { 0 } };
	struct group *g = NULL;
	const struct row *r;

	for (int i = 0; i < q->ndims; i++)
		keys[i] = key_of(m, q->dim[i], q->grain[i], j);
	for (int i = 0; i < *n && g == NULL; i++)
		if (same(groups[i].keys[0], keys[0]) && same(groups[i].keys[1], keys[1]))
			g = &groups[i];
	if (g == NULL) {
		g = &groups[(*n)++];
		memset(g, 0, sizeof(*g));
		memcpy(g->keys, keys, sizeof(keys));
	}
	if (j->at[fact] == NONE)
		return;
	r = &m->rows[fact][j->at[fact]];
	g->has_fact = true;
	if (segment && !in_segment(m, q->segment, j))
		return;
	g->n++;
	if (r->v.present) {
		g->nv++;
		g->with[(int)r->v.number]++;
		g->total += r->v.number;
		g->max = g->any_v ? fmax(g->max, r->v.number) : r->v.number;
		g->any_v = true;
		if (r->c.present && r->c.letter == 'a') {
			g->total_a += r->v.number;
			g->n_total_a++;
		}
	}
	if (r->c.present)
		g->seen[(unsigned char)r->c.letter] = true;
}

/* The value at index before (from 0) in ascending order. */
static double
nth(const struct group *g, int before)
{
	int v = 0;

	while ((before -= g->with[v]) >= 0)
		v++;
	return v;
}

static struct value
median(const struct group *g)
{
	return g->any_v ? number((nth(g, (g->nv - 1) / 2) + nth(g, g->nv / 2)) / 2) : (struct value){ 0 };
}

static struct value
least_letter(const struct group *g)
{
	for (const char *c = "Aab"; *c != '\0'; c++)
		if (g->seen[(unsigned char)*c])
			return (struct value){ .present = true, .text = true, .letter = *c };
	return (struct value){ 0 };
}

static struct value
measure_of(const struct group *g, int what)
{
	switch (what) {
	case TOTAL:
		return g->any_v ? number(g->total) : (struct value){ 0 };
	case COUNT_ALL:
		return number(g->n);
	case COUNT_V:
		return number(g->nv);
	case DISTINCT_C:
		return number(g->seen['a'] + g->seen['b'] + g->seen['A']);
	case MAX_V:
		return g->any_v ? number(g->max) : (struct value){ 0 };
	case MEDIAN:
		return median(g);
	case LEAST_C:
		return least_letter(g);
	case TOTAL_A:
		return g->n_total_a > 0 ? number(g->total_a) : (struct value){ 0 };
	default:
		return g->any_v && g->n > 0 ? number(g->total / g->n) : (struct value){ 0 };
	}
}

static void
consider(const struct model *m, const struct query *q, int fact, const struct way *w, const bool *applies,
    struct joined *j, struct group *groups, int *n)
{
	for (int i = 0; i < q->ndims; i++) {
		follow(m, w, j, q->dim[i]);
		if (!q->include_empty) /* inner: every node on the way must be there */
			for (int at = q->dim[i]; at != NONE; at = w->parent[at])
				if (j->at[at] == NONE)
					return;
	}
	for (int i = 0; i < q->nfilters; i++) {
		if (q->filters[i].kind >= 10 || !applies[i])
			continue;
		follow(m, w, j, q->filters[i].node);
		if (holds(m, &q->filters[i], j) != 1)
			return;
	}
	if (applies[SEGMENT])
		follow(m, w, j, q->segment);
	add_row(m, q, fact, applies[SEGMENT], j, groups, n);
}

/* From a row of the anchor down to the rows of the fact that lead to it. */
static void
descend(const struct model *m, const struct query *q, int fact, const struct way *w, const bool *applies,
    const int *path, int depth, struct joined *j, struct group *groups, int *n)
{
	bool found = false;

	if (depth == 0) {
		consider(m, q, fact, w, applies, j, groups, n);
		return;
	}
	for (int r = 0; r < m->nrows[property_table_of(m, path[depth - 1])]; r++) {
		struct joined next = *j;

		if (!is_linked(m, w, path[depth], r, j->at[path[depth]]))
			continue;
		found = true;
		next.at[path[depth - 1]] = r;
		descend(m, q, fact, w, applies, path, depth - 1, &next, groups, n);
	}
	if (!found) /* nothing leads here: the group stays, without a fact */
		consider(m, q, fact, w, applies, j, groups, n);
}

static void
aggregate(const struct model *m, const struct query *q, int fact, const struct way *w, const bool *applies,
    bool anchored, struct group *groups, int *n)
{
	struct joined empty;
	int path[NODES_MAX], depth = 0;

	for (int i = 0; i < NODES_MAX; i++)
		empty.at[i] = NONE;
	*n = 0;
	if (anchored && q->dim[0] != fact) {
		for (int at = q->dim[0]; at != NONE; at = w->parent[at])
			depth++;
		for (int at = q->dim[0], k = depth; at != NONE; at = w->parent[at])
			path[--k] = at;
		for (int r = 0; r < m->nrows[property_table_of(m, q->dim[0])]; r++) {
			struct joined j = empty;

			j.at[q->dim[0]] = r;
			descend(m, q, fact, w, applies, path, depth - 1, &j, groups, n);
		}
	} else
		for (int r = 0; r < m->nrows[fact]; r++) {
			struct joined j = empty;

			j.at[fact] = r;
			consider(m, q, fact, w, applies, &j, groups, n);
		}
	/* Without dimensions there is always one group, save in dimension-only queries. */
	if (q->ndims == 0 && *n == 0) {
		memset(&groups[0], 0, sizeof(groups[0]));
		*n = 1;
	}
}

static bool
usable(const struct way *w, int node)
{
	return w->distance[node] != NONE && !w->tie[node];
}

static void
add_fact(int *facts, int *n, int f)
{
	for (int k = 0; k < *n; k++)
		if (facts[k] == f)
			return;
	facts[(*n)++] = f;
}

/* The facts of a query: sources of its measures, of its group filters, or of its dimensions. */
static int
facts_of(const struct model *m, const struct query *q, int *facts)
{
	int n = 0;

	for (int i = 0; i < q->nmeasures; i++) {
		add_fact(facts, &n, q->fact[i]);
		if (q->what[i] >= MINUS)
			add_fact(facts, &n, q->other[i]);
	}
	for (int i = 0; i < q->nfilters; i++)
		if (q->filters[i].kind >= 10)
			add_fact(facts, &n, q->filters[i].node);
	for (int i = 0; i < q->ndims && n == 0; i++) {
		struct way w;
		bool all = true;

		property_ways(m, q->dim[i], &w);
		for (int k = 0; k < q->ndims; k++)
			all = all && w.distance[q->dim[k]] != NONE;
		if (all)
			facts[n++] = q->dim[i];
	}
	return n;
}

/* What fact measures in the group that side[] holds for each fact. */
static struct value
side_value(const int *facts, int nfacts, const struct group *const *side, int fact, int what)
{
	for (int k = 0; k < nfacts; k++)
		if (facts[k] == fact && side[k] != NULL)
			return measure_of(side[k], what);
	return (struct value){ 0 };
}

static struct value
output(const struct query *q, int i, const int *facts, int nfacts, const struct group *const *side)
{
	double left, right;

	if (q->what[i] < MINUS)
		return side_value(facts, nfacts, side, q->fact[i], q->what[i]);
	/* What is missing is 0 in both. */
	left = side_value(facts, nfacts, side, q->fact[i], TOTAL).number;
	right = side_value(facts, nfacts, side, q->other[i], q->what[i] == MINUS ? TOTAL : COUNT_ALL).number;
	if (q->what[i] == MINUS)
		return number(left - right);
	return right != 0 ? number(left / right) : (struct value){ 0 };
}

enum verdict
property_evaluate(const struct model *m, const struct query *q, struct result *out)
{
	static struct group groups[FACTS_MAX][OUT_ROWS_MAX];
	int facts[FACTS_MAX], ngroups[FACTS_MAX], nfacts = facts_of(m, q, facts);
	struct way ways[FACTS_MAX];
	bool applies[FACTS_MAX][SEGMENT + 1] = { { false } };

	out->n = out->lacking = 0;
	out->ncolumns = q->ndims + q->nmeasures;
	if (nfacts == 0)
		return REFUSED;
	for (int f = 0; f < nfacts; f++) {
		property_ways(m, facts[f], &ways[f]);
		for (int i = 0; i < q->ndims; i++)
			if (!usable(&ways[f], q->dim[i]))
				return REFUSED;
	}
	for (int i = 0; i <= SEGMENT; i++) {
		int node = i == SEGMENT                        ? q->segment :
		    i < q->nfilters && q->filters[i].kind < 10 ? q->filters[i].node :
								 NONE;
		bool any = node == NONE;

		for (int f = 0; f < nfacts && node != NONE; f++) {
			applies[f][i] = ways[f].distance[node] != NONE;
			if (applies[f][i] && ways[f].tie[node])
				return REFUSED;
			any = any || applies[f][i];
			out->lacking += !applies[f][i];
		}
		if (!any)
			return REFUSED;
	}
	for (int f = 0; f < nfacts; f++) {
		bool table = facts[f] < m->ntables;

		if (!table)
			return REFUSED; /* not made: dimension-only over an alias is covered elsewhere */
		aggregate(m, q, facts[f], &ways[f], applies[f], nfacts == 1 && q->include_empty && q->ndims > 0,
		    groups[f], &ngroups[f]);
	}
	for (int f = 0; f < nfacts; f++)
		for (int g = 0; g < ngroups[f]; g++) {
			const struct group *side[FACTS_MAX];
			int sides = 0;
			bool earlier = false, kept = true;

			for (int k = 0; k < nfacts; k++) {
				side[k] = NULL;
				for (int h = 0; h < ngroups[k]; h++)
					if (same(groups[k][h].keys[0], groups[f][g].keys[0]) &&
					    same(groups[k][h].keys[1], groups[f][g].keys[1]))
						side[k] = &groups[k][h];
				if (side[k] != NULL) {
					sides++;
					earlier = earlier || k < f;
				}
			}
			if (earlier || (!q->include_empty && sides < nfacts))
				continue;
			for (int i = 0; i < q->nfilters && kept; i++) {
				struct value v = { 0 };

				if (q->filters[i].kind < 10)
					continue;
				v = side_value(facts, nfacts, side, q->filters[i].node,
				    q->filters[i].kind == 10 ? TOTAL : COUNT_ALL);
				if (!v.present && nfacts > 1)
					v = number(0);
				kept = v.present && (q->filters[i].kind == 10 ? v.number > 4 : v.number >= 2);
			}
			if (!kept)
				continue;
			for (int i = 0; i < q->ndims; i++)
				out->cells[out->n][i] = groups[f][g].keys[i];
			for (int i = 0; i < q->nmeasures; i++)
				out->cells[out->n][q->ndims + i] = output(q, i, facts, nfacts, side);
			out->n++;
		}
	return ROWS;
}
