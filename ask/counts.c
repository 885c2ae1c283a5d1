#include "ask/aggregates.h"
#include "ask/counts.h"
#include "ask/measures.h"
#include "ask/comparisons.h"
#include "base/text/locale_text.h"

/* "ticket count", "number of tickets" for "tickets" and for "support tickets"; "count" for everything. */
static bool
is_count_of(struct plan *p, struct span measure, struct span source)
{
	size_t n, k;
	struct ask_token *t = ask_tokens(p->a, measure, true, 8, &n), *own = ask_tokens(p->a, source, true, 8, &k);

	if (t == NULL || own == NULL || n == 0 || n > 8 || k > 8)
		return false;
	if (span_is_str(t[n - 1].folded, "count"))
		n--;
	else if (n > 2 && span_is_str(t[0].folded, "number") && span_is_str(t[1].folded, "of")) {
		t += 2;
		n -= 2;
	} else
		return false;
	return n == 0 || (n <= k && span_is(ask_key(p->a, t, n, false), ask_key(p->a, own + k - n, n, false)));
}

static bool
is_count_of_any(struct plan *p, struct span measure, const struct ask_names *source)
{
	bool named = is_count_of(p, measure, source->name) || is_count_of(p, measure, source->label);

	for (size_t i = 0; i < source->nsynonyms && !named; i++)
		named = is_count_of(p, measure, source->synonyms[i]);
	return named;
}

/* Whether the measure is called after its source. */
static bool
is_named_count(struct plan *p, const struct ask_source *s, const struct ask_source_measure *f)
{
	bool named = is_count_of_any(p, f->names.name, &s->names) || is_count_of_any(p, f->names.label, &s->names);

	for (size_t i = 0; i < f->names.nsynonyms && !named; i++)
		named = is_count_of_any(p, f->names.synonyms[i], &s->names);
	return named;
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

struct span
counts_label(struct plan *p, uint32_t source)
{
	struct span label = ask_label(p->a, &p->m->sources[source].names);

	return plan_says(p, SAYS_NUMBER_OF, SPANS(p->q.language == ASK_ENGLISH ? locale_plural(p->a, label) : label));
}

uint32_t
counts_own_measure(struct plan *p, uint32_t source)
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
		plan_refuse(p, ASK_REASON_NO_MEASURE, SAYS_NO_ROW_KEY, SPANS(s->names.name));
		return;
	}
	p->inline_measure = true;
	p->unit = ASK_MEASURED;
	p->measures[p->nmeasures++] = (struct ask_measure){
		.expr = plan_call(p, "count", s->measured > 0, s, s->grain[0]), /* unique then, perhaps not now */
		.name = plan_text(p, "%.*s_count", SPAN_FMT(s->names.name)),
		.label = counts_label(p, source), .unit = span_of("", 0),
		.additive = true, .rows = true, .counts = true };
}

/* The source that the item names; ASK_NONE: none, or the user is asked which one. */
uint32_t
counts_choose_source(struct plan *p, size_t item)
{
	const struct ask_item *it = &p->q.items[item];
	uint32_t best = ASK_NONE;
	unsigned tier = 99;
	struct ask_clarification *q;
	bool several = false;

	for (size_t i = 0; i < it->nhits; i++) {
		const struct ask_entry *e = it->hits[i];

		if (e->kind != ASK_KIND_SOURCE || e->tier > tier)
			continue;
		several = tier == e->tier && best != e->source;
		tier = e->tier;
		best = e->source;
	}
	if (!several)
		return best;
	q = plan_ask(p, SAYS_TOPIC_SOURCE, SAYS_WHICH_SOURCE, SPANS(it->text));
	plan_ask_instead(p, q, item, item);
	for (size_t i = 0; i < it->nhits; i++)
		if (it->hits[i]->kind == ASK_KIND_SOURCE)
			plan_suggest(q, ask_label(p->a, &p->m->sources[it->hits[i]->source].names));
	return ASK_NONE;
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
	struct ask_clarification *q = plan_ask(p, SAYS_TOPIC_MEASURE, SAYS_WHICH_ROWS, SPANS(s->names.name));

	for (uint32_t i = 0; i < s->nmeasures; i++)
		if (measures_is_count(&s->measures[i]))
			plan_suggest(q, ask_label(p->a, &s->measures[i].names));
	return true;
}

/* "How many different customers opened a ticket": over the key by which tickets lead to customers. */
static bool
take_distinct_key(struct plan *p, size_t item, uint32_t counted, size_t event, uint32_t source)
{
	bool several;
	const struct ask_edge *way = way_to_counted(p, source, counted, &several);

	if (several)
		plan_refuse(p, ASK_REASON_NO_PATH, SAYS_SEVERAL_WAYS,
		    SPANS(p->m->sources[source].names.name, p->m->sources[counted].names.name));
	if (several || way == NULL)
		return several;
	p->root = source;
	p->through = true;
	plan_take(p, item, "counted: %.*s", SPAN_FMT(p->m->sources[counted].names.name));
	/* The word of a date tells which rows count; the period after it uses it. */
	if (!plan_has(p, event, ASK_KIND_DATE))
		plan_take(p, event, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
	if (take_distinct_measure(p, source, way->here))
		return true;
	p->inline_measure = true;
	p->unit = ASK_MEASURED;
	p->measures[p->nmeasures++] = (struct ask_measure){
		.expr = plan_call(p, "count", true, &p->m->sources[source], way->here),
		.name = plan_text(p, "%.*s_count", SPAN_FMT(p->m->sources[counted].names.name)),
		.label = plan_says(p, SAYS_DIFFERENT_WITH,
		    SPANS(ask_label(p->a, &p->m->sources[counted].names),
			ask_label(p->a, &p->m->sources[source].names))), .unit = span_of("", 0), .counts = true };
	return true;
}

/* Whether a word between the items says how often the event happened, or that it did not. */
static bool
is_qualified(const struct plan *p, size_t first, size_t last)
{
	for (size_t i = first; i <= last && i < p->q.n; i++)
		if (plan_is_word(p, i, ASK_WORD_NOT) || plan_is_word(p, i, ASK_WORD_COMPARATOR) ||
		    plan_is_word(p, i, ASK_WORD_RANGE) || plan_is_word(p, i, ASK_WORD_EXTREME) ||
		    p->q.items[i].kind == ASK_ITEM_NUMBER)
			return true;
	return false;
}

/* "with orders", "made a trip", "opened a ticket": the words before the noun make it an event. */
static bool
verb_before(const struct plan *p, size_t i, bool with)
{
	size_t before = plan_before(p, i), len;

	if (before != PLAN_NO_ITEM && plan_has(p, before, ASK_KIND_DATE))
		return true;
	for (size_t k = i; k-- > 0 && (plan_is_word(p, k, ASK_WORD_STOP) || p->q.items[k].kind == ASK_ITEM_PERIOD);)
		if (p->q.items[k].kind == ASK_ITEM_PERIOD)
			continue;
		else if (p->q.items[k].arg == ASK_STOP_HAPPENS ||
		    (with &&
			ask_word(p->q.language, &p->q.tokens[p->q.items[k].first], 1, ASK_WORD_WITH, &len) != NULL))
			return true;
	return false;
}

/* "created": happens to rows of any source, and so does not point to another source. */
static bool
is_of_any_row(const struct plan *p, size_t i)
{
	static const char *const words[] = { "created", "updated", "modified", "inserted", "added", "changed",
		"deleted", "recorded", "loaded", "imported", "registered", "erstellt", "angelegt", "geändert",
		"gelöscht", NULL };

	for (size_t k = 0; words[k] != NULL; k++)
		if (span_is_str(p->q.tokens[p->q.items[i].first].folded, words[k]))
			return true;
	return false;
}

/*
 * The event through which an entity is counted, and its source: a verb ("customers who ordered"), the word of a date
 * that the entity itself does not have ("patients admitted"), or a noun after a verb.  PLAN_NO_ITEM: there is none, or
 * there are several.
 */
static size_t
event_of(const struct plan *p, size_t item, uint32_t counted, bool distinct, uint32_t *source)
{
	size_t found = PLAN_NO_ITEM;

	*source = ASK_NONE;
	/* Nouns and verbs first: they name the event's source.  The word of a date may belong to several sources. */
	for (unsigned pass = 0; pass < 2 && found == PLAN_NO_ITEM; pass++)
		for (size_t i = item + 1; i < p->q.n && !plan_is_word(p, i, ASK_WORD_BY); i++) {
			bool noun = plan_has(p, i, ASK_KIND_SOURCE) && (distinct || verb_before(p, i, true)), several;

			for (size_t k = 0; plan_is_free(p, i) && k < p->q.items[i].nhits; k++) {
				const struct ask_entry *e = p->q.items[i].hits[k];
				bool date = e->kind == ASK_KIND_DATE, event = e->kind == ASK_KIND_EVENT;

				if ((date || event) && e->source == counted)
					return PLAN_NO_ITEM;
				if ((date || event) &&
				    (is_of_any_row(p, i) || plan_has(p, i, ASK_KIND_VALUE) ||
					plan_has(p, i, ASK_KIND_SEGMENT) || plan_has(p, i, ASK_KIND_FLAG)))
					continue;
				if (!(pass == 1 ? date : event || (e->kind == ASK_KIND_SOURCE && noun)) ||
				    e->source == counted || way_to_counted(p, e->source, counted, &several) == NULL)
					continue;
				if (*source != ASK_NONE && *source != e->source)
					return PLAN_NO_ITEM;
				if (found == PLAN_NO_ITEM || e->kind == ASK_KIND_SOURCE)
					found = i;
				*source = e->source;
			}
		}
	return found == PLAN_NO_ITEM || is_qualified(p, item + 1, found) ? PLAN_NO_ITEM : found;
}

/* Whether rows have a quantity: a passive verb ("sold 10 times") may then mean pieces, not rows. */
bool
counts_has_quantity(const struct plan *p, uint32_t source)
{
	static const char *const names[] = { "quantity", "qty", "units", "pieces", "menge", "stückzahl", NULL };
	const struct ask_source *s = &p->m->sources[source];

	for (uint32_t i = 0; i < s->ncolumns; i++) {
		size_t n;
		struct ask_token *t = ask_tokens(p->a, s->columns[i].names.name, true, ASK_LEXICON_WORDS_MAX, &n);

		if (t != NULL && n > 0 && n <= ASK_LEXICON_WORDS_MAX && span_is_any(t[n - 1].folded, names))
			return true;
	}
	return false;
}

bool
counts_through(struct plan *p, size_t item, uint32_t counted, size_t event, uint32_t source)
{
	return take_distinct_key(p, item, counted, event, source) && !p->done;
}

bool
counts_happens_before(const struct plan *p, size_t i)
{
	return verb_before(p, i, true);
}

static bool
is_counted_through(struct plan *p, size_t item, uint32_t counted, bool distinct)
{
	uint32_t source;
	size_t event = event_of(p, item, counted, distinct, &source);

	if (event == PLAN_NO_ITEM)
		return false;
	if (plan_says_all(p, item, event)) {
		plan_refuse(p, ASK_REASON_NESTED, SAYS_WHICH_ROW, SPANS(p->q.items[event].text));
		return true;
	}
	if (!distinct && counts_has_quantity(p, source)) {
		struct ask_clarification *q =
		    plan_ask(p, SAYS_TOPIC_MEASURE, SAYS_HOW_COUNTED, SPANS(p->q.items[item].text));

		plan_suggest(q, plan_says(p, SAYS_HOW_MANY_DIFFERENT, SPANS(p->q.items[item].text)));
		plan_suggest(q, counts_label(p, source));
		return true;
	}
	return take_distinct_key(p, item, counted, event, source) || p->done;
}

static bool
is_text(const struct plan *p, const struct ask_entry *e)
{
	return p->m->sources[e->source].columns[e->index].type == ASK_TYPE_TEXT;
}

/*
 * Offer a column in place of the number of rows.  True: the user wants it; else *q asks.
 */
static bool
offer_column(struct plan *p, size_t item, struct plan_column at, struct span rows, struct ask_clarification **q)
{
	const struct ask_source *s = plan_source(p, at.node);
	bool text = s->columns[at.column].type == ASK_TYPE_TEXT;
	struct span other =
	    plan_says(p, text ? SAYS_VALUES_DIFFERENT : SAYS_FOLD_TOTAL, SPANS(plan_column_label(p, at)));

	if (plan_is_answered(p, other)) {
		if (text)
			aggregates_add_values(p, at.node, at.column);
		else
			aggregates_add_sum(p, at.node, at.column);
		plan_take(p, item, "column %.*s", SPAN_FMT(plan_field(p, at)));
		return true;
	}
	if (*q == NULL) {
		*q = plan_ask(p, SAYS_TOPIC_MEASURE, SAYS_WHAT_NUMBER_OF, SPANS(p->q.items[item].text));
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
	const struct ask_token *noun = &p->q.tokens[p->q.items[item].first + p->q.items[item].n - 1];
	size_t sum = plan_find(p, ASK_WORD_AGGREGATE), n;
	struct ask_token *t = ask_tokens(p->a, plan_source(p, at.node)->columns[at.column].names.name, true, 8, &n);

	if ((noun->plural && sum == PLAN_NO_ITEM) || plan_source(p, at.node)->nmeasures > 0 ||
	    !comparisons_is_own_number(p, at))
		return false;
	for (size_t i = 0; t != NULL && i < n && i < 8; i++)
		if (span_is(t[i].stem, noun->stem))
			return true;
	return sum != PLAN_NO_ITEM && p->q.items[sum].arg == ASK_FOLD_SUM &&
	    comparisons_is_of_degree(p, SPAN("money"), &plan_source(p, at.node)->columns[at.column]);
}

bool
counts_offer_column(struct plan *p, size_t item, uint32_t source, bool counting, bool distinct)
{
	struct span rows = plan_says(p, SAYS_ROWS_OF, SPANS(ask_label(p->a, &p->m->sources[source].names)));
	struct ask_clarification *q = NULL;

	if (plan_is_answered(p, rows))
		return false;
	for (size_t k = 0; k < p->q.items[item].nhits; k++) {
		const struct ask_entry *e = p->q.items[item].hits[k];
		struct plan_column at = { e->source, e->index };

		if (e->kind == ASK_KIND_COLUMN && (counting || e->source == source) &&
		    (comparisons_is_own_number(p, at) || (distinct && e->source == source && is_text(p, e))) &&
		    offer_column(p, item, at, rows, &q))
			return true;
	}
	for (uint32_t c = 0; !counting && !distinct && c < p->m->sources[source].ncolumns; c++)
		if (holds_noun(p, item, (struct plan_column){ source, c }) &&
		    offer_column(p, item, (struct plan_column){ source, c }, rows, &q))
			return true;
	return q != NULL;
}

/* Count an entity. */
void
counts_entity(struct plan *p, size_t item, size_t counting, size_t distinct)
{
	uint32_t source = counts_choose_source(p, item);

	if (source == ASK_NONE)
		return;
	/* "sales in different shops" are not different sales. */
	if (distinct != PLAN_NO_ITEM && plan_after(p, distinct) != item)
		distinct = PLAN_NO_ITEM;
	if (counting != PLAN_NO_ITEM)
		plan_take(p, counting, "count");
	/* Two rows of a link table can name the same thing, so rows are different ones only by a key of one column. */
	if (distinct != PLAN_NO_ITEM &&
	    (plan_key_column(&p->m->sources[source]) != ASK_NONE || p->m->sources[source].ngrain == 0))
		plan_take(p, distinct, "each one counted once");
	if (is_counted_through(p, item, source, distinct != PLAN_NO_ITEM) ||
	    counts_offer_column(p, item, source, counting != PLAN_NO_ITEM, distinct != PLAN_NO_ITEM))
		return;
	counts_rows(p, source);
	plan_take(p, item, "source %.*s", SPAN_FMT(p->m->sources[source].names.name));
}
