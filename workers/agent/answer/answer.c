#include "base/json/json_write.h"
#include "workers/agent/answer/answer.h"

static void
add_text(struct span *list, size_t *n, struct span text)
{
	for (size_t i = 0; i < *n; i++)
		if (span_is(list[i], text))
			return;
	if (text.len > 0 && *n < ANSWER_NOTES_MAX)
		list[(*n)++] = text;
}

void
answer_caveat(struct answer *a, struct span text)
{
	add_text(a->caveats, &a->ncaveats, text);
}

void
answer_assumption(struct answer *a, struct span text)
{
	add_text(a->assumptions, &a->nassumptions, text);
}

static bool
has_data(const struct answer *a)
{
	return a->status == ANSWER_ANSWERED && a->brief != NULL && a->brief->nqueries > 0 && a->rows != NULL;
}

/* Append the queries' measures, dimensions and filters, each once. */
static void
put_parts(struct buf *out, const struct answer *a)
{
	struct span measures[ANSWER_NOTES_MAX], dimensions[ANSWER_NOTES_MAX], filters[ANSWER_NOTES_MAX];
	size_t nmeasures = 0, ndimensions = 0, nfilters = 0;

	for (size_t k = 0; a->brief != NULL && k < a->brief->nqueries; k++) {
		const struct ask_query *q = &a->brief->queries[k];

		for (size_t i = 0; i < q->nmeasures; i++)
			add_text(measures, &nmeasures, q->measures[i].expr);
		for (size_t i = 0; i < q->ndimensions; i++)
			add_text(dimensions, &ndimensions, q->dimensions[i].field);
		for (size_t i = 0; i < q->nfilters; i++)
			add_text(filters, &nfilters, q->filters[i].sql);
	}
	mp_pair_strs(out, "measures", measures, nmeasures);
	mp_pair_strs(out, "dimensions", dimensions, ndimensions);
	mp_pair_strs(out, "filters", filters, nfilters);
}

static void
put_window(struct buf *out, const char *key, const struct ask_window *w, bool full)
{
	mp_put_cstr(out, key);
	if (w == NULL || w->field.len == 0) {
		mp_put_nil(out);
		return;
	}
	mp_put_map(out, full ? 4 : 2);
	if (full) {
		mp_pair_str(out, "field", w->field);
		mp_pair_some(out, "label", w->label);
	}
	mp_pair_some(out, "start", w->start);
	mp_pair_some(out, "end", w->end);
}

static void
put_units(struct buf *out, const struct answer *a)
{
	size_t mark;

	mp_put_cstr(out, "units");
	mark = mp_open_map(out);
	for (size_t i = 0; a->sheet != NULL && i < a->sheet->ncolumns; i++)
		if (a->sheet->columns[i].unit.len > 0) {
			mp_put_str(out, a->sheet->columns[i].name);
			mp_put_str(out, a->sheet->columns[i].unit);
		}
	mp_end(out, mark);
}

/* What the question called a dimension, else the dimension's label. */
static struct span
level_of(const struct answer *a, const struct ask_dimension *d, struct span label)
{
	struct buf by = { 0 };

	buf_printf(&by, "by %.*s", SPAN_FMT(d->field));
	for (size_t i = 0; i < a->nwords && !d->time; i++)
		if (span_is(a->words[i].consumed_by, buf_view(&by)))
			label = a->words[i].word;
	buf_fini(&by);
	return label;
}

/* The names of the columns that tell a row apart, or with levels those of the question. */
static size_t
grain_of(const struct answer *a, bool levels, struct span names[SHEET_COLUMNS_MAX])
{
	const struct ask_query *q = a->brief != NULL && a->brief->nqueries > 0 ? &a->brief->queries[0] : NULL;
	size_t n = 0;

	for (size_t i = 0; a->sheet != NULL && i < a->sheet->ncolumns; i++)
		if (a->sheet->columns[i].role != SHEET_VALUE) {
			names[n++] = levels && q != NULL && i < q->ndimensions ?
			    level_of(a, &q->dimensions[i], a->sheet->columns[i].name) :
			    a->sheet->columns[i].name;
		}
	return n;
}

/* The granularity of the periods in the rows; empty: there are none. */
static struct span
granularity_of(const struct answer *a)
{
	for (size_t i = 0; a->sheet != NULL && i < a->sheet->ncolumns; i++)
		if (a->sheet->columns[i].role == SHEET_TIME)
			return a->sheet->columns[i].granularity;
	return SPAN("");
}

static void
put_interpretation(struct buf *out, const struct answer *a)
{
	struct span names[SHEET_COLUMNS_MAX];

	mp_put_cstr(out, "interpretation");
	mp_put_map(out, 11);
	mp_pair_str(out, "text", a->interpretation);
	mp_pair_cstr(out, "language", a->brief != NULL && a->brief->german ? "de" : "en");
	mp_pair_str(out, "granularity", granularity_of(a));
	put_parts(out, a);
	put_window(out, "timeWindow", a->brief != NULL && a->brief->nqueries > 0 ? &a->brief->queries[0].window : NULL,
	    true);
	mp_pair_strs(out, "grain", names, grain_of(a, false, names));
	put_units(out, a);
	mp_pair_array(out, "sql", has_data(a) ? a->brief->nqueries : 0);
	for (size_t i = 0; has_data(a) && i < a->brief->nqueries; i++)
		mp_put_str(out, a->rows[i].sql);
	mp_pair_array(out, "words", a->nwords);
	for (size_t i = 0; i < a->nwords; i++) {
		mp_put_pairs(out, mp_str("word", a->words[i].word), mp_some("consumedBy", a->words[i].consumed_by));
	}
}

/* Collect one member of all plans into a single list; each value once. */
static size_t
put_of_plans(struct buf *out, const struct answer *a, const char *member,
    void (*put)(struct buf *out, const struct answer *a, const struct mp_value *one))
{
	struct span seen[ANSWER_NOTES_MAX];
	size_t n = 0;

	for (size_t k = 0; k < a->brief->nqueries; k++) {
		struct mp_value list, one;
		struct mp_iter it;

		if (a->rows[k].plan.class != MP_MAP || !mp_get(&a->rows[k].plan, member, &list) ||
		    list.class != MP_ARRAY)
			continue;
		for (it = mp_iter(&list); mp_next(&it, &one);) {
			size_t before = n;

			add_text(seen, &n, one.raw);
			if (n > before)
				put(out, a, &one);
		}
	}
	return n;
}

/* The physical table of a source, as a plan has it; empty: the source is a query. */
static struct span
table_of(const struct answer *a, struct span source)
{
	struct mp_value tables, table;

	for (size_t k = 0; k < a->brief->nqueries; k++)
		if (a->rows[k].plan.class == MP_MAP && mp_get(&a->rows[k].plan, "tables", &tables) &&
		    mp_member(&tables, source, &table) && table.class == MP_STR)
			return table.s;
	return SPAN("");
}

static void
put_dataset(struct buf *out, const struct answer *a, const struct mp_value *one)
{
	struct span name = one->class == MP_STR ? one->s : SPAN(""), table = table_of(a, name);

	mp_put_pairs(out, mp_str("name", name), mp_str("source", table.len > 0 ? table : name));
}

static void
put_join(struct buf *out, const struct answer *a, const struct mp_value *one)
{
	(void)a;
	mp_put_map(out, 3);
	mp_pair_str(out, "left", mp_get_str(one, "from", SPAN("")));
	mp_pair_str(out, "right", mp_get_str(one, "to", SPAN("")));
	mp_pair_array(out, "on", 1);
	mp_put_str(out, mp_get_str(one, "on", SPAN("")));
}

/* A condition of the plan, with its parts if the reading has them. */
static void
put_condition(struct buf *out, const struct answer_brief *b, struct span text)
{
	mp_put_map(out, 3);
	for (size_t k = 0; k < b->nqueries; k++)
		for (size_t i = 0; i < b->queries[k].nfilters; i++) {
			const struct ask_filter *f = &b->queries[k].filters[i];

			if (f->field.len == 0 || !span_is(f->sql, text))
				continue;
			mp_pair_str(out, "field", f->field);
			mp_pair_str(out, "operator", f->operator);
			mp_pair_str(out, "value", f->value);
			return;
		}
	mp_pair_str(out, "field", text);
	mp_pair_str(out, "operator", SPAN(""));
	mp_pair_str(out, "value", SPAN(""));
}

/* A window as a condition; both of its days belong to it.  False: the window is open on both sides. */
static bool
put_window_condition(struct buf *out, const struct ask_window *w)
{
	struct arena *a = arena_new(4096);
	struct span last = brief_last_day(a, w->end);
	bool starts = w->start.len > 0, ends = w->end.len > 0;

	if (w->field.len > 0 && (starts || ends)) {
		mp_put_pairs(out, mp_str("field", w->field),
		    mp_cstr("operator",
			starts && ends ? "between" :
			    starts     ? ">=" :
					 "<="),
		    mp_cstr("value",
			arena_printf(a, "%.*s%s%.*s", SPAN_FMT(w->start), starts && ends ? " and " : "",
			    SPAN_FMT(last))));
	}
	arena_free(a);
	return w->field.len > 0 && (starts || ends);
}

static void
put_conditions(struct buf *out, const struct answer *a)
{
	struct span seen[ANSWER_NOTES_MAX];
	size_t mark, n = 0;

	mark = mp_pair_open_array(out, "filters");
	for (size_t k = 0; k < a->brief->nqueries; k++) {
		const struct ask_query *q = &a->brief->queries[k];

		for (size_t i = 0; i < q->nfilters; i++) {
			size_t before = n;

			add_text(seen, &n, q->filters[i].sql);
			if (n > before)
				put_condition(out, a->brief, q->filters[i].sql);
		}
	}
	for (size_t k = 0; k < a->brief->nqueries; k++) {
		const struct ask_window *w = &a->brief->queries[k].window;

		if (k == 0 || !span_is(w->start, a->brief->queries[0].window.start) ||
		    !span_is(w->end, a->brief->queries[0].window.end))
			n += put_window_condition(out, w);
	}
	mp_close(out, mark, n);
}

void
answer_put_lineage(struct buf *out, const struct answer *a)
{
	size_t mark = mp_open_map(out), n = 10, inner, nnames;
	struct span names[SHEET_COLUMNS_MAX];
	const struct ask_window *w = &a->brief->queries[0].window;
	struct buf sql = { 0 }, grain = { 0 };

	mp_pair_cstr(out, "_type", "data_lineage");
	inner = mp_pair_open_array(out, "datasets");
	mp_close(out, inner, put_of_plans(out, a, "sources", put_dataset));
	inner = mp_pair_open_array(out, "joins");
	mp_close(out, inner, put_of_plans(out, a, "joins", put_join));
	put_conditions(out, a);
	if (w->field.len > 0) {
		put_window(out, "timeWindow", w, false);
		n++;
	}
	nnames = grain_of(a, true, names);
	for (size_t i = 0; i < nnames; i++)
		buf_printf(&grain, "%s%.*s", i > 0 ? ", " : "", SPAN_FMT(names[i]));
	mp_pair_str(out, "grain", buf_view(&grain));
	buf_fini(&grain);
	mp_pair_uint(out, "rowCount", a->sheet->nrows);
	mp_pair_bool(out, "truncated", a->sheet->truncated);
	for (size_t i = 0; i < a->brief->nqueries; i++) {
		buf_str(&sql, i > 0 ? ";\n" : "");
		buf_span(&sql, a->rows[i].sql);
	}
	mp_pair_str(out, "sql", buf_view(&sql));
	mp_pair_str(out, "connectionId", a->brief->connection);
	mp_pair_some(out, "snapshot", a->snapshot);
	buf_fini(&sql);
	mp_close(out, mark, n);
}

void
answer_put_charts(struct buf *out, const struct answer *a)
{
	mp_pair_array(out, "charts", a->ncharts);
	for (size_t i = 0; i < a->ncharts; i++)
		chart_put(out, &a->charts[i]);
}

static void
put_questions(struct buf *out, const struct answer *a)
{
	mp_pair_array(out, "questions", a->nquestions);
	for (size_t i = 0; i < a->nquestions; i++) {
		const struct answer_question *q = &a->questions[i];

		mp_put_pairs(out, mp_str("question", q->question),
		    mp_strs("suggestions", q->suggestions, q->nsuggestions), mp_str("assumption", q->assumption),
		    mp_when(q->topic.len > 0, mp_str("topic", q->topic)));
	}
}

static void
put_reason(struct buf *out, const struct answer *a)
{
	mp_put_cstr(out, "reason");
	mp_put_pairs(out, mp_str("code", a->code), mp_str("message", a->message), mp_str("understood", a->understood),
	    mp_strs("closest", a->closest, a->nclosest),
	    mp_when(a->nmissing > 0, mp_strs("missingDatasets", a->missing, a->nmissing)),
	    mp_when(a->nmissing > 0, mp_strs("availableDatasets", a->available, a->navailable)));
}

void
answer_put(struct buf *out, const struct answer *a)
{
	static const char *const statuses[] = { "answered", "clarification", "cannot_answer" };
	size_t mark = mp_open_map(out), n = 8;

	mp_pair_cstr(out, "status", statuses[a->status]);
	mp_pair_cstr(out, "mode", a->by_model ? "model" : "deterministic");
	put_interpretation(out, a);
	if (a->status == ANSWER_ANSWERED) {
		mp_pair_str(out, "narrative", a->narrative);
		mp_put_cstr(out, "rows");
		sheet_put(out, a->sheet);
		n += 2;
	}
	answer_put_charts(out, a);
	mp_put_cstr(out, "lineage");
	if (has_data(a))
		answer_put_lineage(out, a);
	else
		mp_put_nil(out);
	mp_put_cstr(out, "checks");
	if (a->verify != NULL)
		verify_put(out, a->verify);
	else
		mp_put_array(out, 0);
	mp_pair_strs(out, "caveats", a->caveats, a->ncaveats);
	mp_pair_strs(out, "assumptions", a->assumptions, a->nassumptions);
	if (a->status == ANSWER_CLARIFICATION) {
		put_questions(out, a);
		n++;
	}
	if (a->status == ANSWER_CANNOT) {
		put_reason(out, a);
		n++;
	}
	mp_close(out, mark, n);
}

static void
put_block(struct buf *out, struct span text)
{
	mp_put_pairs(out, mp_cstr("type", "text"), mp_str("text", text));
}

/* Append a value as JSON, in a block of its own. */
static void
put_json_block(struct buf *out, const struct buf *packed)
{
	struct buf json = { 0 };
	struct mp_value v;

	if (mp_value(buf_view(packed), &v))
		json_write(&json, &v);
	put_block(out, buf_view(&json));
	buf_fini(&json);
}

static size_t
put_answer_blocks(struct buf *out, const struct answer *a)
{
	struct buf part = { 0 };
	size_t n = 1;

	put_block(out, a->narrative);
	if (a->ncharts > 0) {
		mp_put_map(&part, 2);
		mp_pair_cstr(&part, "_type", "chart_specs");
		answer_put_charts(&part, a);
		put_json_block(out, &part);
		n++;
	}
	if (has_data(a)) {
		buf_reset(&part, 4096);
		answer_put_lineage(&part, a);
		put_json_block(out, &part);
		n++;
	}
	buf_fini(&part);
	return n;
}

/* The caveats, after a warning sign. */
static size_t
put_caveat_block(struct buf *out, const struct answer *a)
{
	struct buf text = { 0 };

	if (a->ncaveats == 0)
		return 0;
	buf_str(&text, "⚠");
	for (size_t i = 0; i < a->ncaveats; i++)
		buf_printf(&text, "%s%.*s", a->ncaveats > 1 ? "\n- " : " ", SPAN_FMT(a->caveats[i]));
	put_block(out, buf_view(&text));
	buf_fini(&text);
	return 1;
}

static void
put_clarification_block(struct buf *out, const struct answer *a)
{
	struct buf part = { 0 };

	mp_put_map(&part, 2);
	mp_pair_cstr(&part, "_type", "clarification_request");
	put_questions(&part, a);
	put_json_block(out, &part);
	buf_fini(&part);
}

/* A line "title a, b, c"; nothing for no names. */
static void
put_names(struct buf *text, const char *title, const struct span *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(text, "%s%s%s%.*s", i == 0 ? "\n" : "", i == 0 ? title : ",", " ", SPAN_FMT(names[i]));
}

static void
put_refusal_block(struct buf *out, const struct answer *a)
{
	bool german = a->brief != NULL && a->brief->german;
	struct buf text = { 0 };

	buf_span(&text, a->message);
	if (a->understood.len > 0)
		buf_printf(&text, "\n%s: %.*s.", german ? "Verstanden" : "Understood", SPAN_FMT(a->understood));
	put_names(&text, german ? "Am nächsten:" : "Closest:", a->closest, a->nclosest);
	put_names(&text, german ? "**Fehlende Daten:**" : "**Missing datasets:**", a->missing, a->nmissing);
	put_names(&text, german ? "**Vorhandene Daten:**" : "**Available datasets:**", a->available, a->navailable);
	put_block(out, buf_view(&text));
	buf_fini(&text);
}

void
answer_put_blocks(struct buf *out, const struct answer *a)
{
	size_t mark = mp_open_array(out), n = 1;

	if (a->status == ANSWER_CLARIFICATION)
		put_clarification_block(out, a);
	else if (a->status == ANSWER_CANNOT)
		put_refusal_block(out, a);
	else
		n = put_answer_blocks(out, a) + put_caveat_block(out, a);
	mp_close(out, mark, n);
}
