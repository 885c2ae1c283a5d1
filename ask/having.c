#include "ask/aggregates.h"
#include "ask/comparisons.h"
#include "ask/counts.h"
#include "ask/conditions.h"
#include "ask/groups.h"
#include "ask/having.h"
#include "ask/thresholds.h"

/* The condition in the question: the items from first to last. */
struct having {
	size_t first, last;
	size_t word, number, unit;
	size_t thing; /* the item that is measured or counted */
	size_t fold, counting, owner, distinct, times; /* the words beside the condition; PLAN_NO_ITEM: absent */
};

static bool
has_number_column(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_COLUMN && p->m->sources[e->source].columns[e->index].type == ASK_TYPE_NUMBER &&
		    !ask_is_foreign(p->m, e->source, p->m->sources[e->source].columns[e->index].names.name))
			return true;
	}
	return false;
}

static uint32_t
source_named(const struct plan *p, size_t i)
{
	for (size_t k = 0; i != PLAN_NO_ITEM && k < p->q.items[i].nhits; k++)
		if (p->q.items[i].hits[k]->kind == ASK_KIND_SOURCE)
			return p->q.items[i].hits[k]->source;
	return ASK_NONE;
}

bool
having_may_lead(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_STOP) || plan_is_word(p, i, ASK_WORD_WHICH) ||
	    plan_is_word(p, i, ASK_WORD_DISTINCT) ||
	    (plan_is_word(p, i, ASK_WORD_LIST) && p->q.items[i].arg != ASK_LIST_WHOLE);
}

/* "countries of customers": the item after the group that names the source of the group's column. */
static size_t
owner_of(const struct plan *p, size_t group)
{
	size_t next = plan_after(p, group), len;
	uint32_t source = next == PLAN_NO_ITEM ? ASK_NONE : source_named(p, next);

	if (source == ASK_NONE || !plan_is_free(p, next) || !plan_names_of(p, group, ASK_KIND_COLUMN, source) ||
	    source_named(p, group) != ASK_NONE)
		return PLAN_NO_ITEM;
	return next > group + 1 &&
		ask_word(p->q.language, &p->q.tokens[p->q.items[group + 1].first], 1, ASK_WORD_OF, &len) != NULL ?
	    next :
	    PLAN_NO_ITEM;
}

bool
having_is_condition(const struct plan *p, size_t i)
{
	return (plan_has(p, i, ASK_KIND_VALUE) || plan_has(p, i, ASK_KIND_SEGMENT) || plan_has(p, i, ASK_KIND_FLAG)) &&
	    !plan_has(p, i, ASK_KIND_SOURCE) && !plan_has(p, i, ASK_KIND_COLUMN) && !plan_has(p, i, ASK_KIND_MEASURE);
}

/* The first item with a meaning, when it may be a group. */
static size_t
group_led(const struct plan *p)
{
	size_t i = 0;
	bool of_some = false;

	while (i < p->q.n && having_may_lead(p, i))
		i++;
	for (; i < p->q.n && having_is_condition(p, i); i++)
		of_some = true;
	if (i < p->q.n && plan_is_free(p, i) &&
	    (plan_has(p, i, ASK_KIND_SOURCE) ||
		(!of_some &&
		    (plan_has(p, i, ASK_KIND_COLUMN) || plan_has(p, i, ASK_KIND_ALIAS) || groups_is_grain(p, i)))))
		return i;
	return PLAN_NO_ITEM;
}

/* "more than 3", "between 3 and 5", "3 or more", each with a unit.  False: there is no number. */
static bool
find_number(const struct plan *p, size_t word, struct having *h)
{
	int arg = p->q.items[word].arg;

	*h = (struct having){ .first = word, .last = word, .word = word, .number = word, .unit = PLAN_NO_ITEM,
		.thing = PLAN_NO_ITEM, .fold = PLAN_NO_ITEM, .counting = PLAN_NO_ITEM, .owner = PLAN_NO_ITEM,
		.distinct = PLAN_NO_ITEM, .times = PLAN_NO_ITEM };
	if (plan_is_word(p, word, ASK_WORD_COMPARATOR)) {
		if (plan_is_number(p, word + 1))
			h->number = h->last = word + 1;
		else if (plan_is_word(p, word + 1, ASK_WORD_UNIT) && plan_is_number(p, word + 2)) {
			/* "over $500" */
			h->unit = word + 1;
			h->number = h->last = word + 2;
		} else if (word > 0 && plan_is_number(p, word - 1) && (arg == ASK_AT_LEAST || arg == ASK_AT_MOST))
			h->number = h->first = word - 1;
		else
			return false;
	} else if (!plan_is_word(p, word, ASK_WORD_RANGE))
		return false;
	if (h->unit == PLAN_NO_ITEM && plan_is_free(p, h->last + 1) && plan_is_word(p, h->last + 1, ASK_WORD_UNIT))
		h->unit = ++h->last;
	return plan_is_free(p, word) && plan_negation(p, h->first) == PLAN_NO_ITEM;
}

static bool
is_countable(const struct plan *p, size_t i)
{
	return i != PLAN_NO_ITEM && plan_has(p, i, ASK_KIND_SOURCE) && !has_number_column(p, i);
}

/* The thing after the number: "more than 3 orders", "more than 3 pending orders", "more than 500 euros net revenue". */
static bool
find_behind(const struct plan *p, struct having *h)
{
	size_t i = plan_after(p, h->last);

	if (i != PLAN_NO_ITEM && plan_is_free(p, i) && plan_is_word(p, i, ASK_WORD_DISTINCT)) {
		h->distinct = i;
		i = plan_after(p, i);
	}
	if (i != PLAN_NO_ITEM && plan_is_word(p, i, ASK_WORD_TIMES)) {
		h->times = h->last = i;
		return true;
	}
	while (i != PLAN_NO_ITEM && having_is_condition(p, i))
		i = plan_after(p, i);
	if (i == PLAN_NO_ITEM || !(plan_has(p, i, ASK_KIND_MEASURE) || is_countable(p, i)))
		return false;
	h->thing = h->last = i;
	return true;
}

static bool
is_fold(const struct plan *p, size_t i)
{
	return i != PLAN_NO_ITEM && plan_is_free(p, i) &&
	    (plan_is_word(p, i, ASK_WORD_AGGREGATE) || plan_is_word(p, i, ASK_WORD_EXTREME));
}

/*
 * The thing before the comparison: "whose net revenue is above 500", "where the average age of singers is over 30",
 * "the number of orders exceeds 3".
 */
static bool
find_before(const struct plan *p, struct having *h)
{
	size_t i = plan_before(p, h->first), before;

	if (i != PLAN_NO_ITEM && p->q.items[i].kind == ASK_ITEM_PERIOD)
		i = plan_before(p, i);
	before = i == PLAN_NO_ITEM ? i : plan_before(p, i);
	if (i == PLAN_NO_ITEM || !plan_is_free(p, i) || p->q.items[i].kind != ASK_ITEM_NAME || h->number < h->word)
		return false;
	h->thing = h->first = i;
	if (plan_has(p, i, ASK_KIND_MEASURE))
		return true;
	if (before == PLAN_NO_ITEM)
		return false;
	if (is_countable(p, i) && plan_is_word(p, before, ASK_WORD_COUNT)) {
		h->counting = h->first = before;
		return true;
	}
	if (plan_has(p, i, ASK_KIND_SOURCE) && plan_has(p, before, ASK_KIND_COLUMN) &&
	    plan_names_of(p, before, ASK_KIND_COLUMN, source_named(p, i))) {
		h->owner = i;
		i = before;
		before = plan_before(p, i);
	}
	if (!has_number_column(p, i) || !is_fold(p, before))
		return false;
	h->thing = i;
	h->fold = h->first = before;
	return true;
}

/*
 * Whether the condition is on another entity: "countries where customers have more than 3 orders" is on each customer.
 */
static bool
is_of_another(const struct plan *p, size_t group, size_t owner, const struct having *h)
{
	for (size_t i = (owner == PLAN_NO_ITEM ? group : owner) + 1; i < h->first; i++)
		if (plan_has(p, i, ASK_KIND_SOURCE) || plan_has(p, i, ASK_KIND_MEASURE) ||
		    plan_is_word(p, i, ASK_WORD_COUNT) || plan_is_word(p, i, ASK_WORD_BY) ||
		    plan_is_word(p, i, ASK_WORD_AGGREGATE) || plan_is_word(p, i, ASK_WORD_EXTREME))
			return true;
	return false;
}

/* Whether the question holds nothing but conditions beside this one. */
static bool
is_all_there_is(const struct plan *p, const struct having *h)
{
	static const enum ask_word_kind others[] = { ASK_WORD_BY, ASK_WORD_TOP, ASK_WORD_SHARE, ASK_WORD_VERSUS,
		ASK_WORD_COMPARE, ASK_WORD_CHANGE, ASK_WORD_LATEST, ASK_WORD_WHEN };

	for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
		if (plan_find(p, others[k]) != PLAN_NO_ITEM)
			return false;
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_is_word(p, i, ASK_WORD_COUNT) && i != h->counting)
			return false;
	return true;
}

static const char *
operator_of(const struct plan *p, const struct having *h)
{
	return plan_is_word(p, h->word, ASK_WORD_RANGE) ? NULL : comparisons_operator(p->q.items[h->word].arg);
}

/* Whether a group without any rows, whose figure is 0, meets the condition. */
static bool
holds_for_nothing(const struct plan_having *h)
{
	bool equal = h->operator== NULL || h->operator[0] == '=' || h->operator[1] == '=';

	if (h->operator!= NULL && h->operator[0] == '<')
		return equal ? h->least >= 0 : h->least > 0;
	return equal ? h->least <= 0 : h->least < 0;
}

/* True if only a group without rows can meet this count condition: "exactly 0", "fewer than 1". */
static bool
holds_for_nothing_alone(const struct plan_having *h)
{
	if (h->operator== NULL || h->operator[0] == '>' || !holds_for_nothing(h))
		return false;
	return h->operator[0] == '=' ||(h->operator[1] == '=' ? h->least < 1 : h->least <= 1);
}

static bool
measure_thing(struct plan *p, const struct having *h, size_t group)
{
	if (h->times != PLAN_NO_ITEM)
		return counts_measure_times(p, group, h->first);
	if (h->fold != PLAN_NO_ITEM)
		return aggregates_measure_fold(p, h->fold, h->thing);
	if (plan_has(p, h->thing, ASK_KIND_MEASURE))
		return measures_named(p, h->thing);
	return counts_measure(p, h->thing);
}

static void
take_words(struct plan *p, const struct having *h, size_t group)
{
	plan_take(p, h->word, "condition on groups");
	if (h->number != h->word)
		plan_take(p, h->number, "number");
	if (h->unit != PLAN_NO_ITEM && p->unit == (enum ask_measured)p->q.items[h->unit].arg)
		plan_take(p, h->unit, "unit of the measure");
	if (h->counting != PLAN_NO_ITEM)
		plan_take(p, h->counting, "count");
	if (h->owner != PLAN_NO_ITEM)
		plan_take(p, h->owner, "source of the column");
	if (h->times != PLAN_NO_ITEM)
		plan_take(p, h->times, "count");
	if (h->distinct != PLAN_NO_ITEM && p->counted)
		plan_take(p, h->distinct, "each one counted once");
	for (size_t i = 0; i < h->first; i++)
		if ((i < group && having_may_lead(p, i) && !plan_is_word(p, i, ASK_WORD_STOP)) ||
		    (i > group && plan_is_word(p, i, ASK_WORD_WHICH)))
			plan_take(p, i, "asks for the groups");
}

/* Record the condition on the measured figure; said: the number as people wrote it, NULL: with its unit. */
static void
set_having(struct plan *p, struct plan_having having, const struct span *said)
{
	p->having = having;
	p->having.is = true;
	p->having.nothing = holds_for_nothing(&having);
	p->having.nothing_alone = p->counted && holds_for_nothing_alone(&having);
	if (p->unit == ASK_CENTS && said != NULL)
		(void)plan_ask(p, SAYS_TOPIC_UNIT, SAYS_IN_CENTS, SPANS(p->measures[0].label, *said));
}

/* "high-value customers", where an answer or a preference says which measure of them, and how much. */
static bool
having_threshold(struct plan *p)
{
	const struct having none = { .counting = PLAN_NO_ITEM };
	struct plan_threshold t;
	size_t word = 0, group;

	while (word < p->q.n && (having_may_lead(p, word) || p->q.items[word].kind == ASK_ITEM_PERIOD))
		word++;
	group = word < p->q.n ? plan_after(p, word) : PLAN_NO_ITEM;
	while (group != PLAN_NO_ITEM && having_is_condition(p, group))
		group = plan_after(p, group);
	if (source_named(p, group) == ASK_NONE || !is_all_there_is(p, &none) ||
	    !thresholds_on_measure(p, word, source_named(p, group), &t))
		return false;
	if (!measures_named(p, word))
		return true;
	set_having(p, (struct plan_having){ .group = group, .owner = PLAN_NO_ITEM, .operator = t.operator,
		.least = t.number }, t.unit == ASK_MEASURED ? &t.value : NULL);
	if (t.unit != ASK_MEASURED && t.unit != p->unit)
		(void)plan_ask(p, SAYS_TOPIC_UNIT, SAYS_OTHER_UNIT, SPANS(plan_unit(p, p->unit), plan_unit(p, t.unit)));
	for (size_t i = 0; i < word; i++)
		if (p->q.items[i].kind == ASK_ITEM_WORD && !plan_is_word(p, i, ASK_WORD_STOP))
			plan_take(p, i, "asks for the groups");
	thresholds_tell(p, word, p->measures[0].label, &t);
	return true;
}

bool
having_read(struct plan *p)
{
	size_t group = group_led(p), owner = group == PLAN_NO_ITEM ? group : owner_of(p, group);
	struct having h;

	if (having_threshold(p))
		return true;
	for (size_t i = group; group != PLAN_NO_ITEM && i < p->q.n; i++) {
		if (!find_number(p, i, &h) || !(find_behind(p, &h) || find_before(p, &h)) || h.first <= group ||
		    (owner != PLAN_NO_ITEM && h.first <= owner) || is_of_another(p, group, owner, &h) ||
		    !is_all_there_is(p, &h))
			continue;
		/* Skip: the measured rows would be those of the group's own source. */
		if (h.thing != PLAN_NO_ITEM && h.fold == PLAN_NO_ITEM && !plan_has(p, h.thing, ASK_KIND_MEASURE) &&
		    source_named(p, h.thing) == source_named(p, owner == PLAN_NO_ITEM ? group : owner))
			continue;
		if (!measure_thing(p, &h, group))
			return p->done;
		set_having(p, (struct plan_having){ .group = group, .owner = owner, .operator = operator_of(p, &h),
			.least = p->q.items[h.number].number, .most = p->q.items[h.number].upto },
		    h.unit == PLAN_NO_ITEM ? &p->q.items[h.number].text : NULL);
		take_words(p, &h, group);
		return true;
	}
	return false;
}

void
having_add_key(struct plan *p, struct plan_column at)
{
	const struct ask_source *s = plan_source(p, at.node);
	uint32_t key = plan_key_column(s);

	if (s->ngrain != 1) {
		plan_refuse(p, ASK_REASON_NO_MEASURE, SAYS_NO_ROW_GROUPS, SPANS(s->names.name));
		return;
	}
	if (key == at.column || (p->ndimensions > 0 && p->dimensions[p->ndimensions - 1].identity))
		return;
	if (key == ASK_NONE || s->columns[key].masked) {
		plan_refuse(p, ASK_REASON_UNSUPPORTED, SAYS_SAME_NAMES, SPANS(s->names.name));
		return;
	}
	p->dimensions[p->ndimensions].at = (struct plan_column){ at.node, key };
	p->dimensions[p->ndimensions].identity = true;
	p->dimensions[p->ndimensions++].grain = -1;
}

void
having_groups(struct plan *p)
{
	size_t group = p->having.group, owner = p->having.owner;
	uint32_t rows = source_named(p, group);
	struct plan_column at;
	struct plan_condition *c;

	if (owner != PLAN_NO_ITEM) {
		if (!plan_choose(p, group, 1u << ASK_KIND_COLUMN, source_named(p, owner), &at))
			return;
		p->dimensions[p->ndimensions].at = at;
		p->dimensions[p->ndimensions++].grain = -1;
		plan_take(p, group, "by %.*s", SPAN_FMT(plan_field(p, at)));
		plan_take(p, owner, "source of the column");
		having_add_key(p, at);
	} else if (!groups_add(p, group)) {
		plan_refuse(p, ASK_REASON_UNSUPPORTED, SAYS_WHAT_AS_GROUPS, SPANS(p->q.items[group].text));
		return;
	} else if (p->dimensions[0].grain >= 0)
		return;
	else {
		at = p->dimensions[0].at;
		if (plan_source(p, at.node)->label == at.column &&
		    (at.node != p->root || rows == p->m->nodes[at.node].source))
			having_add_key(p, at);
		else if (plan_key_column(plan_source(p, at.node)) != at.column &&
		    (c = plan_add_condition(p, at, PLAN_PRESENT)) != NULL)
			c->implied = true;
	}
	if (!p->done && plan_source(p, at.node)->columns[at.column].masked)
		plan_refuse(p, ASK_REASON_UNKNOWN, SAYS_NOT_SHOWN, SPANS(p->q.items[group].text));
}

/*
 * Decide whether groups without rows are in the answer: customers without any order have fewer than 3, too.  The user
 * is asked unless the condition excludes them or was answered before.  Groups of the measured source itself that a
 * condition emptied cannot be shown.  False: the user is asked.
 */
static bool
decide_on_nothing(struct plan *p, struct ask_query *q)
{
	bool own = p->dimensions[0].grain >= 0 || p->dimensions[0].at.node == p->root, left_out = p->nperiods > 0;
	struct ask_clarification *ask;

	for (size_t i = 0; i < p->nconditions; i++)
		left_out |= !p->conditions[i].implied;
	if (!p->having.nothing || p->averages || (own && !left_out) ||
	    plan_is_answered(p, plan_says(p, SAYS_WITHOUT_NOTHING, NULL)))
		return true;
	if (!own && (p->having.nothing_alone || plan_is_answered(p, plan_says(p, SAYS_WITH_NOTHING, NULL)))) {
		q->no_empty = false;
		return true;
	}
	ask = plan_ask(p, SAYS_TOPIC_MEANING, SAYS_GROUPS_WITHOUT,
	    SPANS(ask_label(p->a, &plan_source(p, p->root)->names)));
	plan_suggest(ask, plan_says(p, SAYS_WITHOUT_NOTHING, NULL));
	if (!own)
		plan_suggest(ask, plan_says(p, SAYS_WITH_NOTHING, NULL));
	return false;
}

void
having_filter(struct plan *p, struct ask_query *q)
{
	struct span expr = p->measures[0].expr;
	struct ask_filter *f = &q->filters[q->nfilters];

	if (!decide_on_nothing(p, q))
		return;
	if (q->nfilters == ASK_FILTERS_MAX) {
		plan_refuse(p, ASK_REASON_UNSUPPORTED, SAYS_TOO_MANY_CONDITIONS, NULL);
		return;
	}
	/* A sum over no rows is NULL. */
	if (!q->no_empty)
		expr = plan_text(p, "coalesce(%.*s, 0)", SPAN_FMT(expr));
	q->nfilters++;
	*f = (struct ask_filter){ .field = p->measures[0].label, .groups = true };
	if (p->having.operator== NULL) {
		f->sql = plan_text(p, "(%.*s >= %.15g AND %.*s <= %.15g)", SPAN_FMT(expr), p->having.least,
		    SPAN_FMT(expr), p->having.most);
		f->operator= SPAN("between");
		f->value = plan_says(p, SAYS_AND,
		    SPANS(plan_text(p, "%.15g", p->having.least), plan_text(p, "%.15g", p->having.most)));
	} else {
		f->sql = plan_text(p, "%.*s %s %.15g", SPAN_FMT(expr), p->having.operator, p->having.least);
		f->operator= span_str(p->having.operator);
		f->value = plan_text(p, "%.15g", p->having.least);
	}
	if (p->having.nothing && q->no_empty && p->counted)
		f->sql = plan_text(p, "(%.*s AND %.*s > 0)", SPAN_FMT(f->sql), SPAN_FMT(expr));
}
