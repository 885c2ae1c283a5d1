#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "base/mp.h"
#include "workers/memory/scan/relate_put.h"

/* One entry of a list: an inferred edge, or a declared link. */
struct relate_item {
	char				*id;
	const struct relate_edge	*edge;		/* NULL: declared */
	const struct manifest_link	*link;
};

static const char *const states[] = { "accepted", "review", "rejected", "skipped" };

static void
put_table_id(const struct manifest_table *t, struct buf *out)
{
	const struct span parts[] = { t->catalog, t->db, t->name };
	size_t start = out->len;

	for (size_t i = 0; i < 3; i++) {
		if (parts[i].len == 0)
			continue;
		if (out->len > start)
			buf_byte(out, '.');
		buf_span(out, parts[i]);
	}
}

static struct span
column_of(const struct relate *r, const struct relate_item *it, bool from, size_t k)
{
	const struct relate_edge *e = it->edge;

	if (e == NULL)
		return from ? it->link->from[k] : it->link->to[k];
	return from ? r->tables[e->child].columns[e->from[k]].name : r->tables[e->parent].columns[e->to[k]].name;
}

static const struct manifest_table *
table_of(const struct relate *r, const struct relate_item *it, bool from)
{
	if (it->edge == NULL)
		return from ? it->link->child : it->link->parent;
	return r->tables[from ? it->edge->child : it->edge->parent].m;
}

static size_t
width_of(const struct relate_item *it)
{
	return it->edge == NULL ? it->link->n : it->edge->width;
}

static void
put_end(const struct relate *r, const struct relate_item *it, bool from, struct buf *out)
{
	put_table_id(table_of(r, it, from), out);
	buf_str(out, ".(");
	for (size_t k = 0; k < width_of(it); k++) {
		struct span name = column_of(r, it, from, k);

		buf_printf(out, "%s%.*s", k > 0 ? "," : "", SPAN_FMT(name));
	}
	buf_byte(out, ')');
}

/* "public.orders.(customer_id)->public.customers.(id)" */
static char *
id_of(const struct relate *r, const struct relate_item *it)
{
	struct buf b = { 0 };
	char *id;

	put_end(r, it, true, &b);
	buf_str(&b, "->");
	put_end(r, it, false, &b);
	id = mem_text(buf_view(&b));
	buf_fini(&b);
	return id;
}

static int
by_id(const void *a, const void *b)
{
	return strcmp(((const struct relate_item *)a)->id, ((const struct relate_item *)b)->id);
}

static void
put_number(struct buf *out, const char *key, double x)
{
	mp_put_cstr(out, key);
	if (x < 0)
		mp_put_nil(out);
	else
		mp_put_double(out, x);
}

static void
put_side(const struct relate *r, const struct relate_item *it, bool from, struct buf *out)
{
	const struct manifest_table *t = table_of(r, it, from);
	struct buf id = { 0 };
	size_t mark;

	mp_put_cstr(out, from ? "from" : "to");
	mp_put_map(out, 4);
	mp_put_cstr(out, "tableId");
	put_table_id(t, &id);
	mp_put_str(out, buf_view(&id));
	mp_pair_array(out, "columnIds", width_of(it));
	mark = id.len;
	for (size_t k = 0; k < width_of(it); k++) {
		id.len = mark;
		buf_byte(&id, '.');
		buf_span(&id, column_of(r, it, from, k));
		mp_put_str(out, buf_view(&id));
	}
	mp_put_cstr(out, "table");
	mp_put_pairs(out, mp_maybe("catalog", t->catalog), mp_maybe("db", t->db), mp_maybe("name", t->name));
	mp_pair_array(out, "columns", width_of(it));
	for (size_t k = 0; k < width_of(it); k++)
		mp_put_str(out, column_of(r, it, from, k));
	buf_fini(&id);
}

static void
put_evidence(const struct relate_item *it, struct buf *out)
{
	const struct relate_edge *e = it->edge;
	size_t map;

	mp_put_cstr(out, "evidence");
	if (e == NULL) {
		mp_put_pairs(out, mp_maybe("constraintName", it->link->constraint));
		return;
	}
	map = mp_open_pairs(out, mp_cstr("rule", e->rule));
	put_number(out, "nameScore", e->name);
	put_number(out, "typeScore", e->type);
	put_number(out, "valueOverlap", e->overlap);
	put_number(out, "targetKeyScore", e->target);
	put_number(out, "targetUniqueness", e->uniqueness);
	put_number(out, "nullRate", e->nulls);
	put_number(out, "structuralPrior", e->structure);
	mp_end(out, map);
}

static void
put_validation(const struct relate_edge *e, struct buf *out)
{
	size_t map;

	mp_put_cstr(out, "validation");
	if (e == NULL || !e->checked) {
		mp_put_pairs(out, mp_cstr("status", e == NULL ? "not_needed" : "unattempted"));
		return;
	}
	map = mp_open_pairs(out, mp_cstr("status", e->passed ? "passed" : "failed"),
	    mp_uint("childRows", e->child_rows), mp_uint("childDistinct", e->child_distinct),
	    mp_uint("matchedRows", e->found_rows), mp_uint("matchedDistinct", e->found_distinct),
	    mp_uint("parentRows", e->parent_filled), mp_uint("parentDistinct", e->parent_distinct));
	put_number(out, "coverage", e->coverage);
	put_number(out, "violationRatio", e->violations);
	put_number(out, "targetUniqueness", e->uniqueness);
	mp_end(out, map);
}

static void
put_edge(const struct relate *r, const struct relate_item *it, struct buf *out)
{
	const struct relate_edge *e = it->edge;
	const char *reason = e == NULL ? "declared_foreign_key" : e->reason;

	mp_put_map(out, 14);
	mp_pair_cstr(out, "id", it->id);
	mp_pair_cstr(out, "status", e == NULL ? "accepted" : states[e->status]);
	mp_pair_cstr(out, "source", e == NULL ? "formal" : "inferred");
	put_side(r, it, true, out);
	put_side(r, it, false, out);
	mp_pair_cstr(out, "relationshipType", "many_to_one");
	put_number(out, "confidence", e == NULL ? 1 : e->checked ? e->confidence : e->score);
	put_number(out, "pkScore", e == NULL ? 1 : e->pk);
	put_number(out, "fkScore", e == NULL ? 1 : e->fk);
	put_number(out, "score", e == NULL ? 1 : e->score);
	put_evidence(it, out);
	put_validation(e, out);
	mp_put_cstr(out, "graph");
	mp_put_pairs(out,
	    mp_cstr("resolution",
		e == NULL || e->told                                       ? "selected" :
		    e->status == RELATE_ACCEPTED                           ? "parallel" :
		    reason != NULL && strcmp(reason, "conflict_lost") == 0 ? "conflict_lost" :
									     "not_selected"));
	mp_pair_array(out, "reasons", reason != NULL);
	if (reason != NULL)
		mp_put_cstr(out, reason);
}

/* Everything, by id. */
static struct relate_item *
relate_put_collect(const struct relate *r, size_t *n)
{
	struct relate_item *v = mem_new(r->n + r->manifest->nlinks + 1, sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < r->manifest->nlinks; i++)
		v[(*n)++] = (struct relate_item){ .link = &r->manifest->links[i] };
	for (size_t i = 0; i < r->n; i++)
		v[(*n)++] = (struct relate_item){ .edge = &r->edges[i] };
	for (size_t i = 0; i < *n; i++)
		v[i].id = id_of(r, &v[i]);
	if (*n > 0)
		qsort(v, *n, sizeof(*v), by_id);
	return v;
}

static void
put_list(const struct relate *r, const struct relate_item *v, size_t n, enum relate_status status, struct buf *out)
{
	size_t mark;

	mark = mp_pair_open_array(out, states[status]);
	for (size_t i = 0; i < n; i++) {
		if ((v[i].edge == NULL ? RELATE_ACCEPTED : v[i].edge->status) != status)
			continue;
		if (status == RELATE_SKIPPED) {
			mp_put_pairs(out, mp_cstr("relationshipId", v[i].id), mp_cstr("reason", v[i].edge->reason));
		} else
			put_edge(r, &v[i], out);
	}
	mp_end(out, mark);
}

void
relate_put(const struct relate *r, const char *connection, struct buf *out)
{
	size_t n;
	struct relate_item *v = relate_put_collect(r, &n);

	mp_put_map(out, 5);
	mp_pair_cstr(out, "connectionId", connection);
	for (enum relate_status s = RELATE_ACCEPTED; s <= RELATE_SKIPPED; s++)
		put_list(r, v, n, s, out);
	for (size_t i = 0; i < n; i++)
		free(v[i].id);
	free(v);
}

static void
put_sources(const struct relate *r, struct buf *out)
{
	static const char *const rules[] = { "name_context", "name_exact", "name_inflected", "name_suffix",
		"name_prefix", "person_role", "self_reference", "column_name", "composite_key", "composite_columns" };
	const size_t nrules = sizeof(rules) / sizeof(rules[0]);

	mp_put_cstr(out, "candidateCountsBySource");
	mp_put_map(out, nrules + 1);
	mp_pair_uint(out, "formal", r->manifest->nlinks);
	for (size_t k = 0; k < nrules; k++) {
		uint64_t n = 0;

		for (size_t i = 0; i < r->n; i++)
			n += strcmp(r->edges[i].rule, rules[k]) == 0;
		mp_pair_uint(out, rules[k], n);
	}
}

void
relate_put_diagnostics(const struct relate *r, const char *connection, uint64_t at_ms, struct buf *out)
{
	struct relate_counts n = relate_count(r);
	char at[25];
	size_t map;

	clock_iso8601(at_ms, at);
	mp_put_map(out, 10);
	mp_pair_cstr(out, "connectionId", connection);
	mp_pair_cstr(out, "generatedAt", at);
	mp_put_cstr(out, "summary");
	mp_put_pairs(out, mp_uint("accepted", n.accepted), mp_uint("review", n.review), mp_uint("rejected", n.rejected),
	    mp_uint("skipped", n.skipped));
	mp_pair_cstr(out, "noAcceptedReason", n.accepted > 0 ? NULL : r->n == 0 ? "no_candidates" : "none_validated");
	put_sources(r, out);
	mp_put_cstr(out, "validation");
	mp_put_pairs(out, mp_bool("available", true), mp_bool("sqlAvailable", true), mp_uint("failedCount", r->nfailed),
	    mp_uint("budget", r->budget));
	mp_put_cstr(out, "thresholds");
	map = mp_open_map(out);
	put_number(out, "acceptThreshold", RELATE_ACCEPT);
	put_number(out, "reviewThreshold", RELATE_REVIEW);
	mp_end(out, map);
	mp_put_cstr(out, "policy");
	mp_put_pairs(out, mp_uint("profileSampleRows", r->profile->limits.sample_rows),
	    mp_uint("candidatesDropped", r->ndropped));
	mp_pair_array(out, "warnings", 0);
	mp_pair_array(out, "profileWarnings", 0);
}
