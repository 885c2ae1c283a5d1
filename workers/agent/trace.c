#include "workers/agent/trace.h"

static void
begin_artifact(struct buf *out, const char *phase)
{
	mp_put_map(out, 2);
	mp_pair_cstr(out, "phase", phase);
	mp_put_cstr(out, "artifact");
}

/* The part of "source.column" before the point. */
static struct span
source_of(struct span field)
{
	size_t n = 0;

	while (n < field.len && field.p[n] != '.' && field.p[n] != '(')
		n++;
	return span_of(field.p, n < field.len && field.p[n] == '.' ? n : 0);
}

static void
put_questions(struct buf *out, const struct answer *a)
{
	mp_put_array(out, a->nquestions);
	for (size_t i = 0; i < a->nquestions; i++) {
		size_t map = mp_open_pairs(out, mp_str("question", a->questions[i].question));

		mp_pair_array(out, "suggestions", a->questions[i].nsuggestions);
		for (size_t j = 0; j < a->questions[i].nsuggestions; j++)
			mp_put_str(out, a->questions[i].suggestions[j]);
		mp_pair_str(out, "assumption", a->questions[i].assumption);
		mp_end(out, map);
	}
}

/* The purpose of a query in the answer. */
static const char *
purpose_of(const struct ask_query *q)
{
	static const char *const purposes[] = { "the figures", "the total that they are a share of", "the first side",
		"the second side" };

	return purposes[q->role];
}

static void
put_steps(struct buf *out, const struct reading *r, const struct answer *a)
{
	const struct answer_brief *b = &r->brief;
	size_t n = r->status == READING_ANSWER ? b->nqueries : 0;

	mp_put_array(out, n);
	for (size_t i = 0; i < n; i++) {
		const struct ask_query *q = &b->queries[i];

		mp_put_map(out, 7);
		mp_pair_uint(out, "id", i + 1);
		mp_pair_cstr(out, "description", purpose_of(q));
		mp_pair_array(out, "dependsOn", 0);
		mp_pair_array(out, "datasets", 1);
		mp_put_str(out, source_of(q->nmeasures > 0 ? q->measures[0].expr : q->dimensions[0].field));
		mp_pair_cstr(out, "expectedOutput", q->ndimensions > 0 ? "one row a group" : "one row");
		mp_put_cstr(out, "chartType");
		mp_put_cstr(out, a->ncharts > 0 ? chart_type_name(a->charts[0].type) : NULL);
		mp_put_cstr(out, "query");
		brief_put_query(out, b, q, NULL);
	}
}

static void
put_labels(struct buf *out, const struct reading *r)
{
	const struct ask_query *q = &r->brief.queries[0];
	bool any = r->status == READING_ANSWER && r->brief.nqueries > 0;

	mp_pair_array(out, "metrics", any ? q->nmeasures : 0);
	for (size_t i = 0; any && i < q->nmeasures; i++)
		mp_put_str(out, q->measures[i].expr);
	mp_pair_array(out, "dimensions", any ? q->ndimensions : 0);
	for (size_t i = 0; any && i < q->ndimensions; i++)
		mp_put_str(out, q->dimensions[i].field);
	mp_put_cstr(out, "timeWindow");
	if (any && q->window.field.len > 0) {
		mp_put_pairs(out, mp_str("field", q->window.field), mp_some("start", q->window.start),
		    mp_some("end", q->window.end));
	} else
		mp_put_nil(out);
	mp_pair_array(out, "filters", any ? q->nfilters : 0);
	for (size_t i = 0; any && i < q->nfilters; i++)
		mp_put_str(out, q->filters[i].sql);
	mp_put_cstr(out, "grain");
	mp_put_cstr(out, NULL);
}

static void
put_planner(struct buf *out, const struct reading *r, const struct answer *a)
{
	static const char *const checks[] = { "every word of the question is part of the reading",
		"rows are unique at their grain", "no join counts rows twice",
		"groups add up to their total where they can" };

	begin_artifact(out, "planner");
	mp_put_map(out, 15);
	mp_pair_cstr(out, "complexity",
	    r->status == READING_CATALOGUE ? "conversational" :
		r->brief.nqueries > 1      ? "analytical" :
					     "simple");
	mp_pair_cstr(out, "intent", r->intent);
	put_labels(out, r);
	mp_pair_array(out, "ambiguities", a->nassumptions);
	for (size_t i = 0; i < a->nassumptions; i++) {
		mp_put_pairs(out, mp_str("question", a->assumptions[i]), mp_str("assumption", a->assumptions[i]));
	}
	mp_pair_array(out, "acceptanceChecks", sizeof(checks) / sizeof(checks[0]));
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		mp_put_cstr(out, checks[i]);
	mp_pair_bool(out, "shouldClarify", r->status == READING_CLARIFY);
	mp_put_cstr(out, "clarificationQuestions");
	put_questions(out, a);
	mp_pair_str(out, "confidenceLevel", r->confidence);
	mp_put_cstr(out, "steps");
	put_steps(out, r, a);
	mp_pair_array(out, "words", a->nwords);
	for (size_t i = 0; i < a->nwords; i++) {
		mp_put_pairs(out, mp_str("word", a->words[i].word), mp_some("consumedBy", a->words[i].consumed_by));
	}
	mp_pair_str(out, "interpretation", a->interpretation);
}

/* Put a list of the first query's plan; without a plan it is empty. */
static void
put_of_plan(struct buf *out, const struct answer *a, const char *key, const char *member)
{
	struct mp_value list;

	mp_put_cstr(out, key);
	if (a->rows != NULL && a->rows[0].plan.class == MP_MAP && mp_get(&a->rows[0].plan, member, &list))
		buf_span(out, list.raw);
	else
		mp_put_array(out, 0);
}

static void
put_refusal(struct buf *out, const struct answer *a)
{
	size_t map;

	begin_artifact(out, "navigator");
	map = mp_open_pairs(out, mp_str("reason", a->message));
	mp_pair_array(out, "availableDatasets", a->nclosest);
	for (size_t i = 0; i < a->nclosest; i++)
		mp_put_str(out, a->closest[i]);
	mp_end(out, map);
}

static void
put_queries(struct buf *out, const struct reading *r, const struct answer *a)
{
	size_t map;

	begin_artifact(out, "navigator");
	map = mp_open_map(out);
	put_of_plan(out, a, "relevantDatasets", "sources");
	put_of_plan(out, a, "joinPaths", "joins");
	put_of_plan(out, a, "notes", "notes");
	mp_end(out, map);
	begin_artifact(out, "sql_builder");
	mp_put_array(out, r->brief.nqueries);
	for (size_t i = 0; i < r->brief.nqueries; i++) {
		size_t each = mp_open_map(out);

		mp_put_cstr(out, "query");
		brief_put_query(out, &r->brief, &r->brief.queries[i], NULL);
		mp_pair_str(out, "sql", a->rows[i].sql);
		mp_end(out, each);
	}
	begin_artifact(out, "executor");
	mp_put_array(out, r->brief.nqueries);
	for (size_t i = 0; i < r->brief.nqueries; i++) {
		mp_put_pairs(out, mp_uint("rowCount", a->rows[i].nrows), mp_bool("truncated", a->rows[i].truncated));
	}
	begin_artifact(out, "verifier");
	verify_put(out, a->verify);
}

static void
put_explainer(struct buf *out, const struct answer *a)
{
	begin_artifact(out, "explainer");
	mp_put_map(out, 4);
	mp_pair_str(out, "narrative", a->narrative);
	answer_put_charts(out, a);
	mp_put_cstr(out, "lineage");
	if (a->rows != NULL && a->sheet != NULL)
		answer_put_lineage(out, a);
	else
		mp_put_nil(out);
	mp_pair_array(out, "caveats", a->ncaveats);
	for (size_t i = 0; i < a->ncaveats; i++)
		mp_put_str(out, a->caveats[i]);
}

void
trace_put(struct buf *out, const struct reading *r, const struct answer *a)
{
	size_t mark = mp_open_array(out), n = 1;

	put_planner(out, r, a);
	if (r->status == READING_REFUSE) {
		put_refusal(out, a);
		n++;
	} else if (a->rows != NULL && a->verify != NULL) {
		put_queries(out, r, a);
		n += 4;
	}
	if (a->sheet != NULL) {
		put_explainer(out, a);
		n++;
	}
	mp_close(out, mark, n);
}
