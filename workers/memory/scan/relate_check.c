#include <stdlib.h>

#include "base/mem.h"
#include "base/mp.h"
#include "workers/memory/scan/pace.h"
#include "workers/memory/scan/relate_check.h"
#include "workers/memory/scan/relate_find.h"
#include "workers/memory/scan/relate_weights.h"
#include "workers/shared/ask_worker.h"
#include "workers/shared/call.h"

struct relate_job {
	struct relate_edge	*edge;		/* NULL: free */
	struct buf		 args, version;
};

struct checking {
	struct relate	*r;
	const struct deep *deep;
	struct relate_job	 jobs[CALL_SUBS_MAX];
	size_t		*order, n, next;	/* edges of this round */
	struct pace	 pace;
};

static void
put_arguments(const struct relate *r, const struct relate_edge *e, struct buf *out)
{
	size_t map = mp_open_map(out);

	relate_put_side(&r->tables[e->child], e->from, e->width, "child", out);
	relate_put_side(&r->tables[e->parent], e->to, e->width, "parent", out);
	mp_add_pairs(out, mp_uint("sampleRows", r->profile->limits.sample_rows),
	    mp_uint("timeoutMs", r->profile->limits.statement_ms));
	mp_end(out, map);
}

/* The versions of both tables' data; empty when one is unknown. */
static void
put_version(const struct relate *r, const struct relate_edge *e, struct buf *out)
{
	struct span a = r->tables[e->child].version, b = r->tables[e->parent].version;

	if (a.len > 0 && b.len > 0)
		buf_printf(out, "%zu:%.*s%.*s", a.len, SPAN_FMT(a), SPAN_FMT(b));
}

static void
take_counts(struct relate_edge *e, const struct mp_value *v)
{
	e->checked = true;
	e->child_rows = mp_get_uint(v, "childRows", 0);
	e->child_filled = mp_get_uint(v, "childFilled", 0);
	e->child_distinct = mp_get_uint(v, "childDistinct", 0);
	e->found_rows = mp_get_uint(v, "foundRows", 0);
	e->found_distinct = mp_get_uint(v, "foundDistinct", 0);
	e->parent_filled = mp_get_uint(v, "parentFilled", 0);
	e->parent_distinct = mp_get_uint(v, "parentDistinct", 0);
}

/* The next candidate that needs a query. */
static struct relate_edge *
next_edge(struct checking *g, struct relate_job *j, uint8_t key[RECALL_KEY])
{
	struct span value;
	struct mp_value v;

	for (; g->next < g->n; g->next++) {
		struct relate_edge *e = &g->r->edges[g->order[g->next]];

		buf_reset(&j->args, 65536);
		buf_reset(&j->version, 65536);
		put_arguments(g->r, e, &j->args);
		put_version(g->r, e, &j->version);
		recall_key(key, "relate", buf_view(&j->args), buf_view(&j->version));
		if (recall_find(g->deep->recall, key, &value) && mp_value(value, &v)) {
			take_counts(e, &v);
			g->r->nreused++;
		} else if (g->r->nqueries < g->r->budget && !pace_is_up(&g->pace)) {
			g->next++;
			return e;
		} else
			e->reason = "validation_unattempted";
	}
	return NULL;
}

static bool
relate_check_next(void *arg, struct call_ask *ask)
{
	struct checking *g = arg;
	struct relate_job *j = g->jobs;
	uint8_t key[RECALL_KEY];

	while (j->edge != NULL)
		j++;
	if ((j->edge = next_edge(g, j, key)) == NULL)
		return false;
	g->r->nqueries++;
	*ask = (struct call_ask){ .tool = "relate", .connection = span_str(g->deep->connection), .args = buf_view(&j->args),
		.arg = j };
	return true;
}

static int
relate_check_done(void *arg, const struct call_ask *ask, const struct mp_value *head, const struct err *why,
    struct err *err)
{
	struct checking *g = arg;
	struct relate_job *j = ask->arg;
	struct relate_edge *e = j->edge;
	uint8_t key[RECALL_KEY];

	(void)err;
	j->edge = NULL;
	if (head != NULL) {
		take_counts(e, head);
		recall_key(key, "relate", buf_view(&j->args), buf_view(&j->version));
		recall_add(g->deep->recall, key, j->version.len > 0, head->raw);
	} else {
		struct span child = g->r->tables[e->child].m->name, parent = g->r->tables[e->parent].m->name;

		g->r->nfailed++;
		e->reason = "validation_failed";
		warnings_add(g->deep->warnings, "relationship_validation_failed", NULL,
		    "whether %.*s points to %.*s could not be "
		    "checked: %s",
		    SPAN_FMT(child), SPAN_FMT(parent), why->message);
	}
	pace_step(&g->pace, g->deep->call, "Checked", "possible relationships", g->r->nqueries);
	return 0;
}

static double
ratio(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

static double
volume_of(uint64_t rows)
{
	return rows >= VOLUME_MANY ? 1 : rows >= VOLUME_SOME ? VOLUME_OF_SOME : rows > 0 ? VOLUME_OF_FEW : 0;
}

/* Whether the target is the declared key of its table. */
static bool
is_declared_key(const struct relate *r, const struct relate_edge *e)
{
	const struct relate_table *t = &r->tables[e->parent];

	for (size_t k = 0; k < e->width; k++)
		if (!t->columns[e->to[k]].primary)
			return false;
	return t->nprimary == e->width;
}

static void
judge_wide(struct relate_edge *e)
{
	bool passed = e->passed;

	e->confidence = passed ? CONFIDENCE_WIDE : CONFIDENCE_WIDE_FAILED;
	e->status = passed ? RELATE_ACCEPTED : e->coverage >= WIDE_REVIEW ? RELATE_IN_REVIEW : RELATE_REJECTED;
	e->reason = passed ? "values_found" : "values_missing";
}

static void
judge_single(const struct relate *r, struct relate_edge *e)
{
	bool passed = e->passed;

	r->tables[e->parent].entity = r->tables[e->parent].entity || (passed && e->named && !e->own);
	e->confidence = relate_round(CONFIDENCE_SCORE * e->score + CONFIDENCE_UNIQUENESS * e->uniqueness +
	    CONFIDENCE_COVERAGE * e->coverage + CONFIDENCE_SOUND * (1 - e->violations));
	if (passed && e->confidence >= RELATE_ACCEPT && e->pk >= PK_MIN) {
		e->status = RELATE_ACCEPTED;
		e->reason = "values_found";
	} else {
		e->status = e->confidence >= RELATE_REVIEW ? RELATE_IN_REVIEW : RELATE_REJECTED;
		e->reason = !passed ? "values_missing" : e->pk < PK_MIN ? "weak_target_key" : "low_confidence";
	}
}

static void
judge_edge(const struct relate *r, struct relate_edge *e)
{
	bool declared = is_declared_key(r, e);

	if (!e->checked)
		return;
	e->coverage = relate_round(ratio(e->found_distinct, e->child_distinct));
	e->violations =
	    relate_round(ratio(e->child_filled - (e->found_rows < e->child_filled ? e->found_rows : e->child_filled),
		e->child_filled));
	e->uniqueness = declared ? 1 : relate_round(ratio(e->parent_distinct, e->parent_filled));
	e->pk = relate_round(PK_UNIQUENESS * e->uniqueness + PK_NAME * e->target + PK_DECLARED * declared +
	    PK_VOLUME * volume_of(r->tables[e->parent].rows));
	if (e->child_distinct == 0) {
		e->reason = "no_values_to_check";
		return;
	}
	e->passed = e->uniqueness >= (e->width > 1 ? UNIQUE_WIDE : UNIQUE_MIN) && e->coverage >= COVERAGE_MIN &&
	    e->violations <= VIOLATIONS_MAX;
	if (e->width > 1)
		judge_wide(e);
	else
		judge_single(r, e);
	e->fk =
	    relate_round(FK_SCORE * e->score + FK_PK * e->pk + FK_CONFIDENCE * e->confidence + FK_PASSED * e->passed);
}

/* The candidates of a column, the best first; *n: their number. */
static struct relate_edge *
edges_of(const struct relate *r, uint32_t child, uint32_t column, size_t *n)
{
	size_t low = 0, high = r->nsingle;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct relate_edge *e = &r->edges[mid];

		if (e->child < child || (e->child == child && e->from[0] < column))
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < r->nsingle; ++*n)
		if (r->edges[low + *n].child != child || r->edges[low + *n].from[0] != column)
			break;
	return r->edges + low;
}

/* Whether the column points to the target of e too: by its declared key, or by its values; joined: and is a join. */
static bool
leads_to(const struct relate *r, uint32_t child, uint32_t column, const struct relate_edge *e, bool joined)
{
	size_t n;
	const struct relate_edge *list = edges_of(r, child, column, &n);

	for (size_t i = 0; i < n; i++)
		if ((joined ? list[i].told : list[i].passed) && list[i].parent == e->parent &&
		    list[i].to[0] == e->to[0])
			return true;
	return relate_is_pointing(r, child, column, e);
}

/*
 * Whether the values would not all be found in e's table by chance if they came from the larger one of the other
 * candidate: some would be missing, and it is much smaller or filled by them, or a part of the larger one, which is
 * found through it.  Of two keys with the same values that one is nearer whose table alone is named by columns.
 */
static bool
is_nearer(const struct relate *r, const struct relate_edge *e, const struct relate_edge *than)
{
	const struct relate_table *child = &r->tables[e->child];
	const struct relate_column *c = &child->columns[e->from[0]];
	double n = (double)c->distinct, all = n < UNIQUE * (double)c->rows ? n : (double)child->rows;
	double mine = (double)r->tables[e->parent].rows, theirs = (double)r->tables[than->parent].rows;

	/* As many rows as were sampled: there may be more. */
	if (n > mine || r->tables[e->parent].rows == r->profile->limits.sample_rows)
		return false;
	if (mine == theirs)
		return r->tables[e->parent].entity && !r->tables[than->parent].entity &&
		    leads_to(r, than->parent, than->to[0], e, false);
	return mine < theirs && n * (theirs - mine) / theirs >= NEARER_MISSES &&
	    (mine * NEARER_SMALLER <= theirs || all >= NEARER_FILLED * mine ||
		leads_to(r, e->parent, e->to[0], than, false)) &&
	    (!e->own || mine > all || (r->tables[e->parent].entity && !child->entity));
}

/*
 * Whether an earlier candidate of the column was accepted, and this one cannot be better: the name says that table is
 * meant, and nothing that the values do this one.
 */
static bool
is_settled(const struct relate *r, const struct relate_edge *e, size_t at)
{
	/* A column's candidates are adjacent, the best first. */
	for (size_t i = at - e->rank; i < at; i++)
		if (r->edges[i].status == RELATE_ACCEPTED && e->name < r->edges[i].name &&
		    !is_nearer(r, e, &r->edges[i]))
			return true;
	return false;
}

/*
 * Of several accepted candidates of a column the one that the name names, unless the values say a nearer one.  Where
 * neither tells two apart, or two tables share a key that is called as neither, a person decides: generated numbers
 * fit everywhere.
 */
static void
choose_target(const struct relate *r, struct relate_edge *first, size_t n)
{
	struct relate_edge *best = NULL, *named = NULL;
	size_t alike = 0;

	for (struct relate_edge *e = first; e < first + n; e++) {
		if (e->status != RELATE_ACCEPTED)
			continue;
		named = named == NULL && e->named ? e : named;
		if (best == NULL || (e->coverage >= best->coverage && is_nearer(r, e, best)))
			best = e;
	}
	for (struct relate_edge *e = first; best != NULL && e < first + n; e++) {
		e->open = e == best ? e->own && named == NULL :
				      e->status == RELATE_ACCEPTED && e->name >= best->name && !is_nearer(r, best, e);
		alike += e->open;
	}
	if (alike > 0 && named != NULL)
		best = named;
	for (struct relate_edge *e = first; best != NULL && e < first + n; e++) {
		if (named == NULL && alike > 0 && (e == best || e->open)) {
			e->status = RELATE_IN_REVIEW;
			e->reason = best->own ? "key_of_both" : "several_targets";
		} else if (e != best && e->status != RELATE_REJECTED) {
			e->status = RELATE_SKIPPED;
			e->reason = "better_candidate_accepted";
		}
	}
}

static void
choose_targets(const struct relate *r)
{
	for (size_t i = 0, n; i < r->n; i += n) {
		for (n = 1; i + n < r->n && r->edges[i + n].rank > 0; n++)
			;
		choose_target(r, &r->edges[i], n);
	}
}

/*
 * Without values the names decide: a column that is called as its table's key is its key, as in a schema that is not
 * filled yet.  The next deep scan looks at what rows there are by then.
 */
static void
judge_by_names(const struct relate *r, struct relate_edge *e)
{
	const struct relate_column *key = &r->tables[e->parent].columns[e->to[0]];
	bool is_key = is_declared_key(r, e) || (key->rows > 0 && key->distinct == key->rows);
	size_t n;

	(void)edges_of(r, e->child, e->from[0], &n);
	e->status = e->width == 1 && n == 1 && is_key && e->named && !e->own ? RELATE_ACCEPTED : RELATE_IN_REVIEW;
	e->reason = e->status == RELATE_ACCEPTED ? "no_values_but_names_agree" : "no_values_to_check";
}

/* Chooses the candidates of this round; rank UINT_MAX: composite keys. */
static void
relate_check_choose(struct checking *g, unsigned rank, bool wide)
{
	struct relate *r = g->r;

	g->n = g->next = 0;
	for (size_t i = 0; i < r->n; i++) {
		struct relate_edge *e = &r->edges[i];

		if ((e->width > 1) != wide || (!wide && e->rank != rank))
			continue;
		if (r->tables[e->child].rows == 0)
			judge_by_names(r, e);
		else if (!wide && is_settled(r, e, i)) {
			e->status = RELATE_SKIPPED;
			e->reason = "better_candidate_accepted";
		} else
			g->order[g->n++] = i;
	}
}

static int
by_promise(const void *a, const void *b, void *arg)
{
	const struct relate *r = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (r->edges[x].score != r->edges[y].score)
		return r->edges[x].score > r->edges[y].score ? -1 : 1;
	return (x > y) - (x < y);
}

/* For two tables with the same values: the smaller one, else the one with the longer name, is the child. */
static bool
yields_to(const struct relate *r, const struct relate_edge *e, const struct relate_edge *other)
{
	const struct relate_table *mine = &r->tables[e->parent], *theirs = &r->tables[other->parent];

	if (mine->rows != theirs->rows)
		return mine->rows < theirs->rows;
	if (mine->m->name.len != theirs->m->name.len)
		return mine->m->name.len > theirs->m->name.len;
	return mine->m > theirs->m;
}

static bool
is_inverse(const struct relate_edge *e, const struct relate_edge *other)
{
	if (e->child != other->parent || e->parent != other->child || e->width != other->width)
		return false;
	for (size_t k = 0; k < e->width; k++) {
		bool found = false;

		for (size_t j = 0; j < e->width; j++)
			found = found || (e->from[k] == other->to[j] && e->to[k] == other->from[j]);
		if (!found)
			return false;
	}
	return true;
}

static int
by_pair(const void *a, const void *b, void *arg)
{
	const struct relate *r = arg;
	const struct relate_edge *x = &r->edges[*(const size_t *)a], *y = &r->edges[*(const size_t *)b];
	bool up = x->child < x->parent, other_up = y->child < y->parent;
	uint32_t low = up ? x->child : x->parent, other_low = other_up ? y->child : y->parent;
	uint32_t high = up ? x->parent : x->child, other_high = other_up ? y->parent : y->child;

	if (low != other_low)
		return low < other_low ? -1 : 1;
	if (high != other_high)
		return high < other_high ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool
is_same_pair(const struct relate_edge *a, const struct relate_edge *b)
{
	return (a->child == b->child && a->parent == b->parent) || (a->child == b->parent && a->parent == b->child);
}

/* Drops one of two relationships that are each other's reverse. */
static void
drop_inverses(const struct relate *r, const size_t *pair, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			struct relate_edge *a = &r->edges[pair[i]], *b = &r->edges[pair[k]], *loser;

			if (a->status != RELATE_ACCEPTED || b->status != RELATE_ACCEPTED || !is_inverse(a, b))
				continue;
			loser = yields_to(r, a, b) ? a : b;
			loser->status = RELATE_REJECTED;
			loser->reason = "conflict_lost";
		}
}

/* Chooses the best join of two tables, unless one is declared. */
static void
choose_told(const struct relate *r, const size_t *pair, size_t n)
{
	struct relate_edge *best = NULL;

	for (size_t i = 0; i < n; i++) {
		struct relate_edge *e = &r->edges[pair[i]];

		if (e->status == RELATE_ACCEPTED &&
		    (best == NULL || e->confidence > best->confidence ||
			(e->confidence == best->confidence && e->fk > best->fk)))
			best = e;
	}
	for (size_t i = 0; i < n; i++)
		r->edges[pair[i]].told = &r->edges[pair[i]] == best && !relate_is_linked(r, best);
}

/* Whether a row of the composite key's table is found wherever the column is filled. */
static bool
is_whole(const struct relate_table *child, const struct relate_edge *wide, size_t k)
{
	for (size_t i = 0; i < wide->width; i++)
		if (i != k && child->columns[wide->from[i]].nulls > 0)
			return false;
	return true;
}

/* Skips the joins of a table that a composite key of it implies: a line's product is its supplier's product. */
static void
skip_implied(const struct relate *r, const struct relate_edge *wide)
{
	for (size_t k = 0, n; k < wide->width; k++) {
		struct relate_edge *list = edges_of(r, wide->child, wide->from[k], &n);

		for (size_t i = 0; i < n; i++)
			if (list[i].status == RELATE_ACCEPTED &&
			    leads_to(r, wide->parent, wide->to[k], &list[i], true) &&
			    is_whole(&r->tables[wide->child], wide, k)) {
				list[i].status = RELATE_SKIPPED;
				list[i].reason = "implied";
			}
	}
}

/* Calls the function for every two tables with accepted relationships, which are sorted by pair. */
static void
each_pair(const struct checking *g, size_t n, void (*decide)(const struct relate *r, const size_t *pair, size_t n))
{
	const struct relate *r = g->r;

	for (size_t i = 0, k; i < n; i += k) {
		for (k = 1; i + k < n && is_same_pair(&r->edges[g->order[i]], &r->edges[g->order[i + k]]); k++)
			;
		decide(r, g->order + i, k);
	}
}

static void
relate_check_resolve(struct checking *g)
{
	struct relate *r = g->r;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->edges[i].status == RELATE_ACCEPTED)
			g->order[n++] = i;
	if (n > 0)
		qsort_r(g->order, n, sizeof(*g->order), by_pair, r);
	each_pair(g, n, drop_inverses);
	each_pair(g, n, choose_told);
	for (size_t i = r->nsingle; i < r->n; i++)
		if (r->edges[i].told)
			skip_implied(r, &r->edges[i]);
	each_pair(g, n, choose_told); /* again without what is implied */
}

static int
ask_round(struct checking *g, struct err *err)
{
	if (g->n > 0)
		qsort_r(g->order, g->n, sizeof(*g->order), by_promise, g->r);
	if (call_sub_many(g->deep->call, g->deep->width, relate_check_next, relate_check_done, g, err) == -1)
		return -1;
	for (size_t i = 0; i < g->n; i++)
		judge_edge(g->r, &g->r->edges[g->order[i]]);
	return 0;
}

int
relate_check(struct relate *r, const struct deep *d, unsigned from, unsigned to, struct err *err)
{
	struct checking g = { .r = r, .deep = d };
	unsigned ranks = 0;
	int result = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->edges[i].rank + 1 > ranks)
			ranks = r->edges[i].rank + 1;
	g.order = mem_new(r->n, sizeof(*g.order));
	pace_begin(&g.pace, d->call, r->n < r->budget ? r->n : r->budget, from, to);
	for (unsigned rank = 0; result == 0 && rank <= ranks; rank++) {
		relate_check_choose(&g, rank, rank == ranks);
		result = ask_round(&g, err);
	}
	choose_targets(r);
	if (result == 0)
		relate_check_resolve(&g);
	for (size_t i = 0; i < CALL_SUBS_MAX; i++) {
		buf_fini(&g.jobs[i].args);
		buf_fini(&g.jobs[i].version);
	}
	free(g.order);
	return result;
}
