/* property_make.c - random models, data and queries; see property.h. */
#include <stdio.h>
#include <string.h>

#include "tests/semantic/property.h"

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

/* Up to two rows beyond the last are meant: dangling.  One-to-one: each row by one at most. */
static void
make_keys(struct model *m, int j)
{
	const struct join *x = &m->joins[j];
	unsigned rows = (unsigned)m->nrows[x->to] + 2;
	bool used[ROWS_MAX + 2] = { false };

	for (int r = 0; r < m->nrows[x->from]; r++) {
		unsigned key = pick(rows);

		if (pick(6) == 0 || (x->one_to_one && used[key]))
			continue;
		used[key] = true;
		m->rows[x->from][r].fk[j] = number(key);
	}
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
			j->one_to_one = !j->aliased && pick(5) == 0;
			j->declared_by_one = !j->aliased && pick(3) == 0;
			j->composite = pick(5) == 0;
			snprintf(j->alias, sizeof(j->alias), "as%d", m->njoins);
			m->njoins++;
		}
	}
	for (int t = 0; t < m->ntables; t++) {
		m->nrows[t] = (int)pick(ROWS_MAX + 1);
		for (int r = 0; r < m->nrows[t]; r++) {
			struct row *row = &m->rows[t][r];

			if (pick(5) != 0)
				row->v = number(pick(VALUES));
			if (pick(5) != 0)
				row->c = (struct value){ .present = true, .text = true, .letter = "abA"[pick(3)] };
			if (pick(6) != 0) /* around two new years */
				row->d = number(19715 + pick(24) * 17);
		}
	}
	for (int j = 0; j < m->njoins; j++)
		make_keys(m, j);
}

int
property_table_of(const struct model *m, int node)
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
		q->fact[i] = i > 0 && pick(2) == 0 ?
		    q->fact[i - 1] :
		    (int)(pick(3) == 0 ? pick((unsigned)m->ntables) : (unsigned)m->ntables - 1 - pick(2));
		q->what[i] = (int)pick(MEASURES);
		q->other[i] = (int)pick((unsigned)m->ntables);
		if (q->other[i] != q->fact[i] && pick(6) == 0)
			q->what[i] = MINUS + (int)pick(2);
		for (int k = 0; k < i; k++)
			if (q->fact[k] == q->fact[i] && q->what[k] == q->what[i] &&
			    (q->what[i] < MINUS || q->other[k] == q->other[i])) {
				q->nmeasures = i;
				break;
			}
	}
	q->ndims = (int)pick(3);
	if (q->nmeasures == 0 && q->ndims == 0)
		q->ndims = 1;
	for (int i = 0; i < q->ndims; i++) {
		q->dim[i] = likely_node(m, q);
		q->grain[i] = pick(4) == 0 ? (enum grain)pick(GRAINS) : PLAIN;
	}
	if (q->ndims == 2 && q->dim[0] == q->dim[1] && q->grain[0] == q->grain[1])
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
	q->segment = q->nmeasures > 0 && pick(5) == 0 ? likely_node(m, q) : NONE;
	q->include_empty = pick(3) != 0;
}

/* --- paths: the way from a root over many-to-one joins ------------------------------------ */

static void
arrive(struct way *w, int *queue, int *tail, int at, int to, int join, bool inverse)
{
	if (w->distance[to] == NONE) {
		w->distance[to] = w->distance[at] + 1;
		w->parent[to] = at;
		w->join[to] = join;
		w->inverse[to] = inverse;
		queue[(*tail)++] = to;
	} else if (w->distance[to] == w->distance[at] + 1)
		w->tie[to] = true;
}

void
property_ways(const struct model *m, int root, struct way *w)
{
	int queue[NODES_MAX], head = 0, tail = 0;

	memset(w, 0, sizeof(*w));
	for (int i = 0; i < NODES_MAX; i++)
		w->distance[i] = w->parent[i] = w->join[i] = NONE;
	w->distance[root] = 0;
	queue[tail++] = root;
	while (head < tail) {
		int at = queue[head++];
		/* What a source reaches, its second name reaches as well, save where that name comes from. */
		int owner = at >= m->ntables ? m->joins[at - m->ntables].from : NONE;

		for (int j = 0; j < m->njoins; j++) {
			const struct join *x = &m->joins[j];
			int to = x->aliased ? m->ntables + j : x->to;

			if (x->from == property_table_of(m, at) && to != owner)
				arrive(w, queue, &tail, at, to, j, false);
			if (x->one_to_one && x->to == property_table_of(m, at) && x->from != owner)
				arrive(w, queue, &tail, at, x->from, j, true);
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

	property_ways(m, root, &w);
	return w.distance[node] != NONE && !w.tie[node];
}


void
property_make(uint64_t seed, struct model *m, struct query *q)
{
	state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (int i = 0; i < 4; i++)
		pick(2);
	make_model(m);
	make_query(m, q);
}
