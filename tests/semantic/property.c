/*
 * property.c - random small models, data and queries: the compiled SQL's rows
 * must equal those of an evaluator that goes row by row.
 *
 *	semantic-property CASES [SEED]
 *
 * The evaluator knows nothing of SQL: it follows keys from row to row as the
 * rules of docs/semantic-layer.md say.  Models hold one-to-many joins declared
 * from either end, role-playing aliases, bridges, several facts, NULL and
 * dangling keys.  On a difference the case is printed whole, with its seed.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "semantic/compile.h"

#define TABLES_MAX	5
#define ROWS_MAX	7
#define JOINS_MAX	8
#define NONE		(-1)
#define OUT_ROWS_MAX	4096

/* NULL is present = false. */
struct value {
	bool	present, text;
	double	number;
	char	letter;
};

struct row {
	struct value	v, c;			/* a number, a letter */
	struct value	fk[JOINS_MAX];		/* by join */
};

struct join {
	int	from, to;		/* many, one */
	bool	declared_by_one, aliased;
	char	alias[16];
};

struct model {
	int		ntables, njoins, nrows[TABLES_MAX];
	struct row	rows[TABLES_MAX][ROWS_MAX];
	struct join	joins[JOINS_MAX];
};

/* A node is a table (0..ntables) or the alias of a join (ntables + join). */
enum measure { TOTAL, COUNT_ALL, COUNT_V, DISTINCT_C, MAX_V, TOTAL_A, RATIO, MEASURES };
static const char *const measure_names[] = { "total", "n", "nv", "dc", "mx", "total_a", "each" };

struct filter {
	int	node, kind;		/* 0: c = 'a'; 1: v > 3; 2: c IS NULL; 3: v <> 2 OR c = 'b'; 10: total > 4; 11: n >= 2 */
};

struct query {
	int		nmeasures, ndims, nfilters;
	int		fact[3], what[3], dim[2], segment;	/* segment: table or NONE */
	struct filter	filters[2];
	bool		include_empty;
};

static uint64_t state;

static unsigned
pick(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 33) % n;
}

/* --- making --------------------------------------------------------------------------- */

static struct value
number(double d)
{
	return (struct value){ .present = true, .number = d };
}

static void
make_model(struct model *m)
{
	memset(m, 0, sizeof(*m));
	m->ntables = 2 + (int)pick(TABLES_MAX - 1);
	for (int t = 1; t < m->ntables; t++) {
		int n = 1 + (int)pick(2);

		for (int k = 0; k < n && m->njoins < JOINS_MAX; k++) {
			struct join *j = &m->joins[m->njoins];

			*j = (struct join){ .from = t, .to = (int)pick((unsigned)t) };
			j->aliased = pick(5) == 0;
			j->declared_by_one = !j->aliased && pick(3) == 0;
			snprintf(j->alias, sizeof(j->alias), "as%d", m->njoins);
			m->njoins++;
		}
	}
	for (int t = 0; t < m->ntables; t++) {
		m->nrows[t] = (int)pick(ROWS_MAX + 1);
		for (int r = 0; r < m->nrows[t]; r++) {
			struct row *row = &m->rows[t][r];

			if (pick(5) != 0)
				row->v = number(pick(7));
			if (pick(5) != 0)
				row->c = (struct value){ .present = true, .text = true, .letter = (char)('a' + pick(3)) };
		}
	}
	for (int j = 0; j < m->njoins; j++)
		for (int r = 0; r < m->nrows[m->joins[j].from]; r++)
			if (pick(6) != 0)	/* up to two beyond the last: dangling */
				m->rows[m->joins[j].from][r].fk[j] = number(pick((unsigned)m->nrows[m->joins[j].to] + 2));
}

static int
table_of(const struct model *m, int node)
{
	return node < m->ntables ? node : m->joins[node - m->ntables].to;
}

static int
random_node(const struct model *m)
{
	unsigned n = (unsigned)m->ntables;
	int j;

	if (m->njoins > 0 && pick(4) == 0 && m->joins[j = (int)pick((unsigned)m->njoins)].aliased)
		return m->ntables + j;
	return (int)pick(n);
}

struct way;
static bool leads_to(const struct model *m, int root, int node);

/* Mostly a node that the first fact reaches: refusals are quick to judge and say little. */
static int
likely_node(const struct model *m, const struct query *q)
{
	int node = random_node(m);

	for (int tries = 0; tries < 6 && q->nmeasures > 0 && !leads_to(m, q->fact[0], node); tries++)
		node = random_node(m);
	return node;
}

static void
make_query(const struct model *m, struct query *q)
{
	memset(q, 0, sizeof(*q));
	q->nmeasures = (int)pick(4);
	for (int i = 0; i < q->nmeasures; i++) {
		q->fact[i] = i > 0 && pick(2) == 0 ? q->fact[i - 1] : (int)(pick(3) == 0 ? pick((unsigned)m->ntables) : (unsigned)m->ntables - 1 - pick(2));
		q->what[i] = (int)pick(MEASURES);
		for (int k = 0; k < i; k++)
			if (q->fact[k] == q->fact[i] && q->what[k] == q->what[i]) {
				q->nmeasures = i;
				break;
			}
	}
	q->ndims = (int)pick(3);
	if (q->nmeasures == 0 && q->ndims == 0)
		q->ndims = 1;
	for (int i = 0; i < q->ndims; i++)
		q->dim[i] = likely_node(m, q);
	if (q->ndims == 2 && q->dim[0] == q->dim[1])
		q->ndims = 1;
	q->nfilters = (int)pick(3);
	for (int i = 0; i < q->nfilters; i++) {
		q->filters[i].node = likely_node(m, q);
		q->filters[i].kind = (int)pick(4);
		if (q->nmeasures > 0 && pick(4) == 0) {
			q->filters[i].node = q->fact[0];
			q->filters[i].kind = 10 + (int)pick(2);
		}
	}
	q->segment = q->nmeasures > 0 && pick(5) == 0 ? q->fact[pick((unsigned)q->nmeasures)] : NONE;
	q->include_empty = pick(3) != 0;
}

/* --- paths: the way from a root over many-to-one joins ------------------------------------ */

struct way {
	int	distance[TABLES_MAX + JOINS_MAX], parent[TABLES_MAX + JOINS_MAX], join[TABLES_MAX + JOINS_MAX];
	bool	tie[TABLES_MAX + JOINS_MAX];	/* there is another way as short */
};

static void
find_ways(const struct model *m, int root, struct way *w)
{
	int queue[TABLES_MAX + JOINS_MAX], head = 0, tail = 0;

	for (int i = 0; i < TABLES_MAX + JOINS_MAX; i++)
		w->distance[i] = w->parent[i] = w->join[i] = NONE;
	memset(w->tie, 0, sizeof(w->tie));
	w->distance[root] = 0;
	queue[tail++] = root;
	while (head < tail) {
		int at = queue[head++];

		for (int j = 0; j < m->njoins; j++) {
			int to = m->joins[j].aliased ? m->ntables + j : m->joins[j].to;

			if (m->joins[j].from != table_of(m, at))
				continue;
			/* An alias's own aliases hang below its source, not below it. */
			if (w->distance[to] == NONE) {
				w->distance[to] = w->distance[at] + 1;
				w->parent[to] = at;
				w->join[to] = j;
				queue[tail++] = to;
			} else if (w->distance[to] == w->distance[at] + 1)
				w->tie[to] = true;
		}
	}
	/* A tie anywhere on the way is a tie. */
	for (int k = 0; k < tail; k++)
		if (w->parent[queue[k]] != NONE && w->tie[w->parent[queue[k]]])
			w->tie[queue[k]] = true;
}

static bool
leads_to(const struct model *m, int root, int node)
{
	struct way w;

	find_ways(m, root, &w);
	return w.distance[node] != NONE && !w.tie[node];
}

/* --- evaluating --------------------------------------------------------------------------- */

/* One joined row: the row number of each node, NONE where there is none. */
struct joined {
	int	at[TABLES_MAX + JOINS_MAX];
};

struct result {
	int		n, ncolumns;
	struct value	cells[OUT_ROWS_MAX][8];
};

enum verdict { ROWS, REFUSED };

/* Fill at[] of node (and of what is on the way) from its parent's row. */
static void
follow(const struct model *m, const struct way *w, struct joined *j, int node)
{
	const struct row *row;
	struct value key;

	if (w->parent[node] == NONE || j->at[node] != NONE)
		return;
	follow(m, w, j, w->parent[node]);
	if (j->at[w->parent[node]] == NONE)
		return;
	row = &m->rows[table_of(m, w->parent[node])][j->at[w->parent[node]]];
	key = row->fk[w->join[node]];
	if (key.present && key.number < m->nrows[table_of(m, node)])
		j->at[node] = (int)key.number;
}

/* 1 true, 0 false, -1 unknown */
static int
holds(const struct model *m, const struct filter *f, const struct joined *j)
{
	const struct row *r = j->at[f->node] == NONE ? NULL : &m->rows[table_of(m, f->node)][j->at[f->node]];
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
	bool		any_v, seen[3];
};

static bool
same(struct value a, struct value b)
{
	return a.present == b.present && (!a.present || (a.number == b.number && a.letter == b.letter));
}

static struct value
key_of(const struct model *m, int node, const struct joined *j)
{
	return j->at[node] == NONE ? (struct value){ 0 } : m->rows[table_of(m, node)][j->at[node]].c;
}

static void
add_row(const struct model *m, const struct query *q, int fact, const struct joined *j, struct group *groups, int *n)
{
	struct value keys[2] = { { 0 }, { 0 } };
	struct group *g = NULL;
	const struct row *r;

	for (int i = 0; i < q->ndims; i++)
		keys[i] = key_of(m, q->dim[i], j);
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
	/* The segment of the fact: v > 1. */
	if (q->segment == fact && !(r->v.present && r->v.number > 1))
		return;
	g->n++;
	if (r->v.present) {
		g->nv++;
		g->total += r->v.number;
		g->max = g->any_v ? fmax(g->max, r->v.number) : r->v.number;
		g->any_v = true;
		if (r->c.present && r->c.letter == 'a') {
			g->total_a += r->v.number;
			g->n_total_a++;
		}
	}
	if (r->c.present)
		g->seen[r->c.letter - 'a'] = true;
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
		return number(g->seen[0] + g->seen[1] + g->seen[2]);
	case MAX_V:
		return g->any_v ? number(g->max) : (struct value){ 0 };
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
		if (!q->include_empty)	/* inner: every node on the way must be there */
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
	add_row(m, q, fact, j, groups, n);
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
	for (int r = 0; r < m->nrows[table_of(m, path[depth - 1])]; r++) {
		struct value key = m->rows[table_of(m, path[depth - 1])][r].fk[w->join[path[depth]]];
		struct joined next = *j;

		if (!key.present || (int)key.number != j->at[path[depth]])
			continue;
		found = true;
		next.at[path[depth - 1]] = r;
		descend(m, q, fact, w, applies, path, depth - 1, &next, groups, n);
	}
	if (!found)	/* nothing leads here: the group stays, without a fact */
		consider(m, q, fact, w, applies, j, groups, n);
}

static void
aggregate(const struct model *m, const struct query *q, int fact, const struct way *w, const bool *applies,
    bool anchored, struct group *groups, int *n)
{
	struct joined empty;
	int path[TABLES_MAX + JOINS_MAX], depth = 0;

	for (int i = 0; i < TABLES_MAX + JOINS_MAX; i++)
		empty.at[i] = NONE;
	*n = 0;
	if (anchored && q->dim[0] != fact) {
		for (int at = q->dim[0]; at != NONE; at = w->parent[at])
			depth++;
		for (int at = q->dim[0], k = depth; at != NONE; at = w->parent[at])
			path[--k] = at;
		for (int r = 0; r < m->nrows[table_of(m, q->dim[0])]; r++) {
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

/* The facts of a query: sources of its measures, of its group filters, or of its dimensions. */
static int
facts_of(const struct model *m, const struct query *q, int *facts)
{
	int n = 0;

	for (int i = 0; i < q->nmeasures + q->nfilters; i++) {
		int f = i < q->nmeasures ? q->fact[i] : q->filters[i - q->nmeasures].node;
		bool known = i >= q->nmeasures && q->filters[i - q->nmeasures].kind < 10;

		for (int k = 0; k < n && !known; k++)
			known = facts[k] == f;
		if (!known)
			facts[n++] = f;
	}
	for (int i = 0; i < q->ndims && n == 0; i++) {
		struct way w;
		bool all = true;

		find_ways(m, table_of(m, q->dim[i]) == q->dim[i] ? q->dim[i] : q->dim[i], &w);
		for (int k = 0; k < q->ndims; k++)
			all = all && w.distance[q->dim[k]] != NONE;
		if (all)
			facts[n++] = q->dim[i];
	}
	return n;
}

static enum verdict
evaluate(const struct model *m, const struct query *q, struct result *out)
{
	static struct group groups[4][OUT_ROWS_MAX];
	int facts[8], ngroups[4], nfacts = facts_of(m, q, facts);
	struct way ways[4];
	bool applies[4][2];

	out->n = 0;
	out->ncolumns = q->ndims + q->nmeasures;
	if (nfacts == 0)
		return REFUSED;
	for (int f = 0; f < nfacts; f++) {
		find_ways(m, facts[f], &ways[f]);
		for (int i = 0; i < q->ndims; i++)
			if (!usable(&ways[f], q->dim[i]))
				return REFUSED;
	}
	for (int i = 0; i < q->nfilters; i++) {
		bool any = false;

		if (q->filters[i].kind >= 10)
			continue;
		for (int f = 0; f < nfacts; f++) {
			applies[f][i] = ways[f].distance[q->filters[i].node] != NONE;
			if (applies[f][i] && ways[f].tie[q->filters[i].node])
				return REFUSED;
			any = any || applies[f][i];
		}
		if (!any)
			return REFUSED;
	}
	for (int f = 0; f < nfacts; f++) {
		bool table = facts[f] < m->ntables;

		if (!table)
			return REFUSED;	/* not made: dimension-only over an alias is covered elsewhere */
		aggregate(m, q, facts[f], &ways[f], applies[f], nfacts == 1 && q->include_empty && q->ndims > 0,
		    groups[f], &ngroups[f]);
	}
	for (int f = 0; f < nfacts; f++)
		for (int g = 0; g < ngroups[f]; g++) {
			const struct group *side[4];
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
				for (int k = 0; k < nfacts; k++)
					if (facts[k] == q->filters[i].node && side[k] != NULL)
						v = measure_of(side[k], q->filters[i].kind == 10 ? TOTAL : COUNT_ALL);
				if (!v.present && nfacts > 1)
					v = number(0);
				kept = v.present && (q->filters[i].kind == 10 ? v.number > 4 : v.number >= 2);
			}
			if (!kept)
				continue;
			for (int i = 0; i < q->ndims; i++)
				out->cells[out->n][i] = groups[f][g].keys[i];
			for (int i = 0; i < q->nmeasures; i++) {
				struct value v = { 0 };

				for (int k = 0; k < nfacts; k++)
					if (facts[k] == q->fact[i] && side[k] != NULL)
						v = measure_of(side[k], q->what[i]);
				out->cells[out->n][q->ndims + i] = v;
			}
			out->n++;
		}
	return ROWS;
}

/* --- the same through the compiler ---------------------------------------------------------- */

static void
exec(sqlite3 *db, const char *fmt, ...)
{
	char sql[2048], *error = NULL;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sql, sizeof(sql), fmt, ap);
	va_end(ap);
	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", sql, error);
		exit(2);
	}
}

static const char *
literal(struct value v, char out[16])
{
	if (!v.present)
		return "NULL";
	if (v.text)
		snprintf(out, 16, "'%c'", v.letter);
	else
		snprintf(out, 16, "%d", (int)v.number);
	return out;
}

static void
fill(sqlite3 *db, const struct model *m)
{
	for (int t = 0; t < m->ntables; t++) {
		exec(db, "DROP TABLE IF EXISTS t%d", t);
		exec(db, "CREATE TABLE t%d (id INTEGER, v INTEGER, c TEXT, k0, k1, k2, k3, k4, k5, k6, k7)", t);
		for (int r = 0; r < m->nrows[t]; r++) {
			const struct row *row = &m->rows[t][r];
			char a[16], b[16], k[JOINS_MAX][16];
			const char *s[JOINS_MAX];

			for (int j = 0; j < JOINS_MAX; j++)
				s[j] = literal(row->fk[j], k[j]);
			exec(db, "INSERT INTO t%d VALUES (%d, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", t, r,
			    literal(row->v, a), literal(row->c, b), s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]);
		}
	}
}

static void
write_source(const struct model *m, int t, struct buf *out)
{
	buf_printf(out, "name: t%d\ntable: t%d\ngrain: [id]\ncolumns:\n", t, t);
	buf_str(out, "  - {name: id, type: number}\n  - {name: v, type: number}\n  - {name: c, type: string}\n");
	for (int j = 0; j < m->njoins; j++)
		if (m->joins[j].from == t)
			buf_printf(out, "  - {name: k%d, type: number}\n", j);
	buf_str(out, "joins:\n");
	for (int j = 0; j < m->njoins; j++) {
		const struct join *x = &m->joins[j];

		if (x->declared_by_one && x->to == t)
			buf_printf(out, "  - {to: t%d, on: id = t%d.k%d, relationship: one_to_many}\n", x->from, x->from, j);
		else if (!x->declared_by_one && x->from == t && x->aliased)
			buf_printf(out, "  - {to: t%d, on: k%d = t%d.id, relationship: many_to_one, alias: %s}\n", x->to, j, x->to, x->alias);
		else if (!x->declared_by_one && x->from == t)
			buf_printf(out, "  - {to: t%d, on: t%d.id = t%d.k%d, relationship: many_to_one}\n", x->to, x->to, t, j);
	}
	if (out->p[out->len - 2] == ':')
		out->len -= 7;
	buf_str(out, "measures:\n  - {name: total, expr: sum(v)}\n  - {name: n, expr: count(*)}\n"
	    "  - {name: nv, expr: count(v)}\n  - {name: dc, expr: count_distinct(c)}\n  - {name: mx, expr: max(v)}\n"
	    "  - {name: total_a, expr: sum(v), filter: c = 'a'}\n  - {name: each, expr: total / n}\n"
	    "segments:\n  - {name: s, expr: v > 1}\n");
}

static void
node_name(const struct model *m, int node, char out[16])
{
	if (node < m->ntables)
		snprintf(out, 16, "t%d", node);
	else
		snprintf(out, 16, "%s", m->joins[node - m->ntables].alias);
}

static void
filter_text(const struct model *m, const struct filter *f, char out[96])
{
	char n[16];

	node_name(m, f->node, n);
	switch (f->kind) {
	case 0:
		snprintf(out, 96, "%s.c = 'a'", n);
		break;
	case 1:
		snprintf(out, 96, "%s.v > 3", n);
		break;
	case 2:
		snprintf(out, 96, "%s.c IS NULL", n);
		break;
	case 3:
		snprintf(out, 96, "%s.v <> 2 OR %s.c = 'b'", n, n);
		break;
	case 10:
		snprintf(out, 96, "%s.total > 4", n);
		break;
	default:
		snprintf(out, 96, "%s.n >= 2", n);
		break;
	}
}

static bool
near(struct value a, struct value b)
{
	return a.present == b.present && (!a.present ||
	    (a.letter == b.letter && fabs(a.number - b.number) <= 1e-9 * fmax(1.0, fabs(a.number))));
}

/* Rows as a multiset: take each wanted row out of what is left. */
static bool
equal(const struct result *want, const struct result *got)
{
	static bool used[OUT_ROWS_MAX];

	if (want->n != got->n)
		return false;
	memset(used, 0, sizeof(used));
	for (int i = 0; i < want->n; i++) {
		bool found = false;

		for (int k = 0; k < got->n && !found; k++) {
			bool match = !used[k];

			for (int c = 0; c < want->ncolumns && match; c++)
				match = near(want->cells[i][c], got->cells[k][c]);
			if (match)
				used[k] = found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

static void
print_result(const char *title, const struct result *r)
{
	printf("%s: %d rows\n", title, r->n);
	for (int i = 0; i < r->n; i++) {
		for (int c = 0; c < r->ncolumns; c++) {
			struct value v = r->cells[i][c];

			if (!v.present)
				printf("  NULL");
			else if (v.letter != 0)
				printf("  %c", v.letter);
			else
				printf("  %g", v.number);
		}
		printf("\n");
	}
}

static const char *
run(sqlite3 *db, const struct sem_compiled *c, struct result *got)
{
	sqlite3_stmt *st;

	if (sqlite3_prepare_v2(db, (const char *)c->sql.p, (int)c->sql.len, &st, NULL) != SQLITE_OK)
		return sqlite3_errmsg(db);
	got->n = 0;
	got->ncolumns = sqlite3_column_count(st);
	while (sqlite3_step(st) == SQLITE_ROW && got->n < OUT_ROWS_MAX) {
		for (int i = 0; i < got->ncolumns; i++) {
			struct value v = { .present = sqlite3_column_type(st, i) != SQLITE_NULL };

			if (sqlite3_column_type(st, i) == SQLITE_TEXT)
				v.letter = (char)sqlite3_column_text(st, i)[0];
			else
				v.number = sqlite3_column_double(st, i);
			got->cells[got->n][i] = v;
		}
		got->n++;
	}
	sqlite3_finalize(st);
	return NULL;
}

static bool
one_case(sqlite3 *db, uint64_t seed, size_t *refused)
{
	static struct model m;
	static struct result want, got;
	struct query q;
	struct source_set *set = source_set_new();
	const struct source *list[TABLES_MAX];
	struct sem_model *model;
	struct arena *a = arena_new((size_t)64 << 20);
	struct buf yaml[TABLES_MAX] = { { 0 } };
	char texts[16][96];
	int ntexts = 0;
	struct sem_measure_item measures[3];
	struct sem_dimension_item dims[2];
	struct span filters[2], segment;
	struct sem_query sq = { .limit = 10000 };
	struct sem_compiled out = { 0 };
	struct sem_problem p = { 0 };
	const char *why = NULL;
	enum verdict verdict;
	bool ok;

	state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (int i = 0; i < 4; i++)
		pick(2);
	make_model(&m);
	make_query(&m, &q);
	fill(db, &m);
	for (int t = 0; t < m.ntables; t++) {
		struct err err;
		char path[32];

		write_source(&m, t, &yaml[t]);
		snprintf(path, sizeof(path), "t%d.yaml", t);
		if (source_set_put(set, path, buf_view(&yaml[t]), &err) == -1) {
			printf("%s: %s\n%s", path, err.message, buf_cstr(&yaml[t]));
			exit(2);
		}
	}
	source_set_compose(set, NULL, NULL);
	for (int t = 0; t < m.ntables; t++)
		list[t] = source_set_at(set, (size_t)t);
	model = sem_model_new(list, (size_t)m.ntables);
	for (int i = 0; i < q.nmeasures; i++) {
		snprintf(texts[ntexts], 96, "t%d.%s", q.fact[i], measure_names[q.what[i]]);
		measures[i] = (struct sem_measure_item){ .expr = span_str(texts[ntexts++]) };
	}
	for (int i = 0; i < q.ndims; i++) {
		char n[16];

		node_name(&m, q.dim[i], n);
		snprintf(texts[ntexts], 96, "%s.c", n);
		dims[i] = (struct sem_dimension_item){ .field = span_str(texts[ntexts++]) };
	}
	for (int i = 0; i < q.nfilters; i++) {
		filter_text(&m, &q.filters[i], texts[ntexts]);
		filters[i] = span_str(texts[ntexts++]);
	}
	sq.measures = measures;
	sq.nmeasures = (size_t)q.nmeasures;
	sq.dimensions = dims;
	sq.ndimensions = (size_t)q.ndims;
	sq.filters = filters;
	sq.nfilters = (size_t)q.nfilters;
	sq.include_empty = q.include_empty;
	if (q.segment != NONE) {
		snprintf(texts[ntexts], 96, "t%d.s", q.segment);
		segment = span_str(texts[ntexts++]);
		sq.segments = &segment;
		sq.nsegments = 1;
	}
	verdict = evaluate(&m, &q, &want);
	if (sem_compile(model, &dialect_sqlite, &sq, a, &out, &p) == -1)
		ok = verdict == REFUSED || (q.nmeasures == 0 && q.dim[0] >= m.ntables);
	else if ((why = run(db, &out, &got)) != NULL)
		ok = false;
	else
		ok = verdict == ROWS ? equal(&want, &got) : q.nmeasures == 0;
	*refused += verdict == REFUSED;
	if (!ok) {
		printf("case %llu differs%s%s\n", (unsigned long long)seed, why != NULL ? ": " : "", why != NULL ? why : "");
		for (int t = 0; t < m.ntables; t++) {
			printf("%s", buf_cstr(&yaml[t]));
			for (int r = 0; r < m.nrows[t]; r++) {
				char x[16], y[16], z[16];

				printf("  t%d row %d: v %s c %s keys", t, r, literal(m.rows[t][r].v, x), literal(m.rows[t][r].c, y));
				for (int j = 0; j < m.njoins; j++)
					if (m.joins[j].from == t)
						printf(" k%d=%s", j, literal(m.rows[t][r].fk[j], z));
				printf("\n");
			}
		}
		for (int i = 0; i < ntexts; i++)
			printf("  %s\n", texts[i]);
		printf("include_empty %d\n", q.include_empty);
		if (out.sql.len > 0)
			printf("%.*s\n", SPAN_FMT(out.sql));
		else
			printf("refused: %s\n", p.message);
		if (verdict == ROWS)
			print_result("expected", &want);
		else
			printf("expected a refusal\n");
		if (out.sql.len > 0 && why == NULL)
			print_result("got", &got);
	}
	for (int t = 0; t < m.ntables; t++)
		buf_fini(&yaml[t]);
	sem_model_free(model);
	source_set_free(set);
	arena_free(a);
	return ok;
}

int
main(int argc, char **argv)
{
	unsigned long long cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	unsigned long long seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	size_t failed = 0, refused = 0;
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		return 2;
	for (unsigned long long i = 0; i < cases && failed < 3; i++)
		failed += !one_case(db, seed + i, &refused);
	sqlite3_close(db);
	printf("%llu cases, %zu of them refused by both; %s\n", cases, refused, failed == 0 ? "no difference" : "differences");
	return failed != 0;
}
