#include "ask/aggregates.h"
#include "ask/counts.h"
#include "ask/measures.h"
#include "ask/comparisons.h"
#include "base/text/locale_text.h"

/* "ticket count", "number of tickets" for "tickets" and for "support tickets"; "count" for everything. */
static bool
is_count_of(const struct plan *p, struct span measure, struct span source)
{
	struct ask_words of = ask_words_of(p->a, measure, true), own = ask_words_of(p->a, source, true);
	const struct ask_token *t = of.t;
	size_t n = of.n;

	if (n > 0 && span_is_str(t[n - 1].folded, "count"))
		n--;
	else if (n > 2 && span_is_str(t[0].folded, "number") && span_is_str(t[1].folded, "of")) {
		t += 2;
		n -= 2;
	} else
		return false;
	return n == 0 ||
	    (n <= own.n && span_is(ask_key(p->a, t, n, false), ask_key(p->a, own.t + own.n - n, n, false)));
}

/* Whether the measure is called after its source. */
static bool
is_named_count(const struct plan *p, const struct ask_source *s, const struct ask_source_measure *f)
{
	const struct span *measure, *rows;

	for (size_t i = 0; (measure = ask_names_at(&f->names, i)) != NULL; i++)
		for (size_t k = 0; (rows = ask_names_at(&s->names, k)) != NULL; k++)
			if (is_count_of(p, *measure, *rows))
				return true;
	return false;
}

/* Whether a row is an entity: it has a key of its own, which a pair of foreign keys is not. */
static bool
is_entity(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];
	bool own = s->ngrain == 1;

	for (size_t i = 0; plan_has_key(s) && i < s->ngrain && !own; i++)
		own = !ask_is_foreign(p->m, source, s->grain[i]);
	return own;
}

/* "Berge", of "wie viele Berge": the German plural of the rows, which the question alone says; empty: it does not. */
static struct span
counted_as(const struct plan *p, uint32_t source)
{
	for (size_t i = 1; p->q.language == ASK_GERMAN && i < p->q.n; i++) {
		size_t before = i - 1;

		const struct ask_token *t = plan_word(p, i);

		/* a part of a compound is written otherwise */
		if (!plan_names_of(p, i, ASK_KIND_SOURCE, source) || p->q.items[i].kind != ASK_ITEM_NAME ||
		    p->q.items[i].n != 1 || !t->capital || !span_is(ask_folded(p->a, t->text), t->folded))
			continue;
		while (before > 0 && !plan_is_word(p, before, ASK_WORD_COUNT) && !plan_word(p, before)->capital)
			before--;
		if (plan_is_word(p, before, ASK_WORD_COUNT))
			return p->q.items[i].text;
	}
	return SPAN("");
}

struct span
counts_label(struct plan *p, uint32_t source)
{
	struct span label = ask_label(p->a, &p->m->sources[source].names), said = counted_as(p, source);

	label = said.len > 0 ? said : label;
	return plan_says(p, SAYS_NUMBER_OF, SPANS(p->q.language == ASK_ENGLISH ? locale_plural(p->a, label) : label));
}

uint32_t
counts_own_measure(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];
	uint32_t named = ASK_NONE, plain = ASK_NONE;
	size_t nplain = 0;

	for (uint32_t i = 0; i < s->nmeasures; i++) {
		const struct ask_source_measure *f = &s->measures[i];

		if (f->aggregate != ASK_AGGREGATE_COUNT || f->filter.len > 0 || f->column.len > 0)
			continue;
		if (named == ASK_NONE && is_named_count(p, s, f))
			named = i;
		if (f->nsegments == 0 && nplain++ == 0)
			plain = i;
	}
	return named == ASK_NONE && nplain == 1 ? plain : named;
}

bool
counts_every_row(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];
	bool every = false, part = false;

	for (size_t i = 0; i < s->nmeasures; i++) {
		const struct ask_source_measure *f = &s->measures[i];
		bool all = f->filter.len == 0 && f->nsegments == 0;

		if (!measures_is_count(f))
			continue;
		if (!all && is_named_count(p, s, f))
			return false;
		every |= all && f->aggregate == ASK_AGGREGATE_COUNT && f->column.len == 0;
		part |= !all;
	}
	return every || !part;
}

bool
counts_tells_rows(const struct plan *p, uint32_t source)
{
	return counts_every_row(p, source) || counts_own_measure(p, source) != ASK_NONE;
}

bool
counts_defines_number(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];

	for (size_t i = 0; i < s->nmeasures; i++)
		if (!measures_is_count(&s->measures[i]) && is_named_count(p, s, &s->measures[i]))
			return true;
	return false;
}

/* review_count, of reviews, and the count of arrivals, of which a row holds several. */
static bool
says_how_many(const struct plan *p, size_t item, struct plan_column at, uint32_t source)
{
	static const char *const counts[] = { "count", "cnt", "anzahl", NULL };
	const struct ask_item *it = &p->q.items[item];
	struct ask_words name = plan_source(p, at.node)->columns[at.column].names.words;

	if (name.n == 0 || !span_is_any(name.t[name.n - 1].folded, counts) || !comparisons_is_own_number(p, at))
		return false;
	for (size_t i = 0; i + 1 < name.n; i++)
		if (name.n - 1 != it->n || !span_is(name.t[i].stem, p->q.tokens[it->first + i].stem))
			return false;
	return name.n > 1 || at.node == source;
}

bool
counts_may_be_column(const struct plan *p, size_t item, uint32_t source, uint32_t other)
{
	const uint32_t of[] = { source, other };

	for (size_t i = 0; i < 2 && of[i] != ASK_NONE; i++)
		for (uint32_t c = 0; c < p->m->sources[of[i]].ncolumns; c++)
			if (says_how_many(p, item, (struct plan_column){ of[i], c }, source))
				return true;
	return ask_item_names_number(p->m, &p->q.items[item]);
}

/* Count rows: by the source's own count without a filter, else by its key. */
void
counts_rows(struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];
	uint32_t named = counts_own_measure(p, source);

	p->root = source;
	p->counted = true;
	if (named != ASK_NONE) {
		measures_add(p, source, named);
		p->measures[0].rows = p->nmeasures == 1;
		return;
	}
	if (!is_entity(p, source)) {
		plan_refuse(p, SAYS_NO_ROW_KEY, SPANS(s->names.name));
		return;
	}
	measures_add_inline(p, source, ASK_MEASURED,
	    (struct ask_measure){
		.expr = plan_call(p, "count", s->measured > 0, s, s->grain[0]), /* unique then, perhaps not now */
		.name = plan_text(p, "%.*s_count", SPAN_FMT(s->names.name)),
		.label = counts_label(p, source),
		.additive = true,
		.rows = true,
		.counts = true });
}

/*
 * The foreign key that relates rows of a source to the counted entity.  NULL if absent; *several: more than one.
 */
static const struct ask_edge *
way_to_counted(const struct plan *p, uint32_t source, uint32_t counted, bool *several)
{
	const struct ask_edge *way = NULL;

	*several = false;
	for (size_t k = 0; k < p->m->nodes[source].nedges; k++) {
		const struct ask_edge *e = &p->m->nodes[source].edges[k];

		if (p->m->nodes[e->to].source != counted)
			continue;
		*several |= way != NULL || e->here.len == 0;
		way = e;
	}
	return way;
}

/*
 * Use the source's distinct count of the key.  If there is none but a filtered count of rows, ask the user which is
 * meant.
 */
static bool
take_distinct_measure(struct plan *p, uint32_t source, struct span key)
{
	const struct ask_source *s = &p->m->sources[source];
	uint32_t found = ASK_NONE;
	size_t n = 0;
	bool filtered = false;

	for (uint32_t i = 0; i < s->nmeasures; i++) {
		const struct ask_source_measure *f = &s->measures[i];

		filtered |= f->aggregate == ASK_AGGREGATE_COUNT && f->column.len == 0 &&
		    (f->filter.len > 0 || f->nsegments > 0) && is_named_count(p, s, f);
		if (f->aggregate != ASK_AGGREGATE_COUNT_DISTINCT || !span_is_folded(f->column, key))
			continue;
		found = i;
		n++;
	}
	if (n == 1) {
		measures_add(p, source, found);
		return true;
	}
	for (uint32_t i = 0; i < s->nmeasures; i++)
		if (n != 1 && filtered && measures_is_count(&s->measures[i]) &&
		    plan_is_answered(p, ask_label(p->a, &s->measures[i].names))) {
			measures_add(p, source, i);
			return true;
		}
	if (n == 0 && !filtered)
		return false;
	struct ask_clarification *q = plan_ask(p, SAYS_WHICH_ROWS, SPANS(s->names.name));

	for (uint32_t i = 0; i < s->nmeasures; i++)
		if (measures_is_count(&s->measures[i]))
			plan_suggest(q, ask_label(p->a, &s->measures[i].names));
	return true;
}

bool
counts_through(struct plan *p, size_t item, uint32_t counted, size_t event, uint32_t source)
{
	bool several;
	const struct ask_edge *way = way_to_counted(p, source, counted, &several);

	if (several)
		plan_refuse(p, SAYS_SEVERAL_WAYS,
		    SPANS(p->m->sources[source].names.name, p->m->sources[counted].names.name));
	if (several || way == NULL)
		return false;
	p->root = source;
	p->through = true;
	plan_take(p, item, "counted: %.*s", SPAN_FMT(p->m->sources[counted].names.name));
	/* The word of a date tells which rows count; the period after it uses it. */
	if (!plan_has(p, event, ASK_KIND_DATE))
		plan_take(p, event, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
	if (take_distinct_measure(p, source, way->here))
		return !p->done;
	measures_add_inline(p, source, ASK_MEASURED,
	    (struct ask_measure){ .expr = plan_call(p, "count", true, &p->m->sources[source], way->here),
		.name = plan_text(p, "%.*s_count", SPAN_FMT(p->m->sources[counted].names.name)),
		.label = plan_says(p, SAYS_DIFFERENT_WITH,
		    SPANS(ask_label(p->a, &p->m->sources[counted].names),
			ask_label(p->a, &p->m->sources[source].names))),
		.counts = true });
	return true;
}

bool
counts_happens_before(const struct plan *p, size_t i)
{
	size_t before = plan_before(p, i), len;

	if (before != PLAN_NO_ITEM && plan_has(p, before, ASK_KIND_DATE))
		return true;
	for (size_t k = i; k-- > 0 && (plan_is_word(p, k, ASK_WORD_STOP) || p->q.items[k].kind == ASK_ITEM_PERIOD);)
		if (p->q.items[k].kind != ASK_ITEM_PERIOD &&
		    (p->q.items[k].arg == ASK_STOP_HAPPENS ||
			ask_word(p->q.language, plan_word(p, k), 1, ASK_WORD_WITH, &len) != NULL))
			return true;
	return false;
}

/* Whether rows have a quantity: a passive verb ("sold 10 times") may then mean pieces, not rows. */
bool
counts_has_quantity(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];

	for (uint32_t i = 0; i < s->ncolumns; i++) {
		struct ask_words name = s->columns[i].names.words;

		if (name.n > 0 && ask_is_any(name.t[name.n - 1].folded, "quantity qty units pieces menge stückzahl"))
			return true;
	}
	return false;
}

/*
 * Offer a column in place of the number of rows.  True: the user wants it; else *q asks.
 */
static bool
offer_column(struct plan *p, size_t item, struct plan_column at, struct span rows, struct ask_clarification **q)
{
	struct span other = plan_says(p, SAYS_FOLD_TOTAL, SPANS(plan_column_label(p, at)));

	if (plan_is_answered(p, other)) {
		aggregates_add_sum(p, at.node, at.column);
		plan_take(p, item, "column %.*s", SPAN_FMT(plan_field(p, at)));
		return true;
	}
	if (*q == NULL) {
		*q = plan_ask(p, SAYS_WHAT_NUMBER_OF, SPANS(p->q.items[item].text));
		plan_suggest(*q, rows);
	}
	plan_suggest(*q, other);
	return false;
}

/*
 * "Enrollment" where enrollments have a number total_enrollment: no plural, or a sum, asks for their number; so does
 * "total payments" where payments have an amount.
 */
static bool
holds_noun(const struct plan *p, size_t item, struct plan_column at)
{
	const struct ask_token *noun = plan_last_word(p, item);
	const struct ask_column *c = plan_column(p, at);
	size_t sum = plan_find(p, ASK_WORD_AGGREGATE);

	if ((noun->plural && sum == PLAN_NO_ITEM) || plan_source(p, at.node)->nmeasures > 0 ||
	    !comparisons_is_own_number(p, at))
		return false;
	return ask_words_have(c->names.words, noun->stem) ||
	    (sum != PLAN_NO_ITEM && p->q.items[sum].arg == ASK_FOLD_SUM &&
		comparisons_is_of_degree(p, SPAN("money"), c, false));
}

/* Whether the question is about the source: "reviews by Ada" are not those that shops count. */
static bool
is_about(const struct plan *p, uint32_t source)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_names_of(p, i, ASK_KIND_SOURCE, source) || plan_names_of(p, i, ASK_KIND_VALUE, source))
			return true;
	return false;
}

bool
counts_offer_column(struct plan *p, size_t item, uint32_t source, bool counting)
{
	struct span rows = plan_says(p, SAYS_ROWS_OF, SPANS(ask_label(p->a, &p->m->sources[source].names)));
	struct ask_clarification *q = NULL;

	if (plan_is_answered(p, rows))
		return false;
	for (size_t k = 0; k < p->q.items[item].nhits; k++) {
		const struct ask_entry *e = p->q.items[item].hits[k];
		struct plan_column at = { e->source, e->index };

		if (e->kind == ASK_KIND_COLUMN && (counting || e->source == source) &&
		    comparisons_is_own_number(p, at) && offer_column(p, item, at, rows, &q))
			return true;
	}
	for (uint32_t s = 0; s < p->m->nsources; s++)
		for (uint32_t c = 0; is_about(p, s) && c < p->m->sources[s].ncolumns; c++)
			if (says_how_many(p, item, (struct plan_column){ s, c }, source) &&
			    offer_column(p, item, (struct plan_column){ s, c }, rows, &q))
				return true;
	for (uint32_t c = 0; !counting && c < p->m->sources[source].ncolumns; c++)
		if (holds_noun(p, item, (struct plan_column){ source, c }) &&
		    offer_column(p, item, (struct plan_column){ source, c }, rows, &q))
			return true;
	return q != NULL;
}

