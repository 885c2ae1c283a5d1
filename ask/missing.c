#include "ask/conditions.h"
#include "ask/missing.h"

static enum ask_type
type_of_hit(const struct plan *p, const struct ask_entry *e)
{
	return p->m->sources[e->source].columns[e->index].type;
}

/* Whether an empty cell of every column that the item names means a missing value; not so for numbers. */
static bool
may_be_missing(const struct plan *p, size_t i, enum ask_kind kind)
{
	bool any = false;

	if (!plan_has(p, i, kind) || plan_has(p, i, ASK_KIND_MEASURE) || plan_has(p, i, ASK_KIND_SEGMENT) ||
	    plan_has(p, i, ASK_KIND_VALUE) || (kind == ASK_KIND_COLUMN && plan_has(p, i, ASK_KIND_SOURCE)))
		return false;
	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind != kind)
			continue;
		any = true;
		if (type_of_hit(p, e) != ASK_TYPE_TEXT && type_of_hit(p, e) != ASK_TYPE_TIME)
			return false;
	}
	return any;
}

static bool
is_date_of_root(const struct plan *p, size_t i)
{
	return plan_names_of(p, i, ASK_KIND_DATE, p->m->nodes[p->root].source) && may_be_missing(p, i, ASK_KIND_DATE);
}

struct span
missing_nothing(const struct plan *p, struct plan_column at)
{
	const struct ask_source *s = plan_source(p, at.node);

	for (size_t k = 0; p->known != NULL && k < p->known->nvalues; k++) {
		const struct ask_value *v = &p->known->values[k];

		if (!span_is(v->source, s->names.name) || !span_is(v->column, s->columns[at.column].names.name))
			continue;
		for (size_t n = 0; ask_nothings[n] != NULL; n++)
			if (span_is_folded(v->value, span_str(ask_nothings[n])) ||
			    (n == 0 && v->value.len > 3 && span_is_folded(span_of(v->value.p, 3), SPAN("no "))))
				return v->value;
	}
	return span_of("", 0);
}

/* Ask whether the column's value such as "none" or an empty cell is meant.  False: it has no such value. */
static bool
is_said_by_value(struct plan *p, size_t i, struct plan_column at)
{
	struct span nothing = missing_nothing(p, at);

	if (nothing.len > 0)
		plan_suggest(plan_ask(p, SAYS_TOPIC_VALUE, SAYS_HAS_VALUE, SPANS(p->q.items[i].text, nothing)),
		    nothing);
	return nothing.len > 0;
}

static void
add_presence(struct plan *p, size_t i, struct plan_column at, bool negated)
{
	struct plan_condition *c;
	struct span nothing = missing_nothing(p, at);

	if (plan_source(p, at.node)->columns[at.column].masked) {
		plan_refuse(p, ASK_REASON_UNKNOWN, SAYS_NOT_SHOWN, SPANS(p->q.items[i].text));
		return;
	}
	/* "with a newsletter" where the column says "no": what it says else is not known, so the word is asked about */
	if (negated && nothing.len > 0 && plan_is_answered(p, nothing)) {
		if ((c = plan_add_condition(p, at, PLAN_IS)) != NULL) {
			c->values[c->nvalues++] = nothing;
			plan_take(p, i, "value of %.*s", SPAN_FMT(plan_field(p, at)));
		}
		return;
	}
	if (negated ? is_said_by_value(p, i, at) : nothing.len > 0)
		return;
	if ((c = plan_add_condition(p, at, PLAN_PRESENT)) == NULL)
		return;
	c->negated = negated;
	plan_take(p, i, negated ? "missing %.*s" : "present %.*s", SPAN_FMT(plan_field(p, at)));
}

/* "trips without a rider": the foreign key of the join, which is empty then. */
static bool
key_of_source(struct plan *p, size_t i, struct plan_column *out)
{
	size_t n = 0;

	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];
		const struct ask_source *s = &p->m->sources[e->source];

		if (e->kind != ASK_KIND_SOURCE && e->kind != ASK_KIND_ALIAS)
			continue;
		for (uint32_t node = 0; node < p->m->nnodes; node++) {
			if (p->m->nodes[node].source != e->source || (e->kind == ASK_KIND_ALIAS && node != e->index) ||
			    p->routes.hops[node] == ASK_NONE || node == p->root)
				continue;
			n += p->routes.several[node] ? 2 : 1;
			*out = (struct plan_column){ node, plan_key_column(s) };
		}
		if (plan_key_column(s) == ASK_NONE)
			return false;
	}
	return n == 1;
}

/* "without a bike of that model": further words describe the missing thing. */
static bool
is_described(const struct plan *p, size_t i, uint32_t node)
{
	if (i + 1 < p->q.n && p->q.items[i + 1].kind == ASK_ITEM_NAME)
		return true;
	for (size_t k = 0; k < p->nconditions; k++)
		if (p->conditions[k].at.node == node)
			return true;
	return false;
}

/* "not discontinued": a text column with a value for either state; the value is not missing. */
static bool
denies_state(const struct plan *p, size_t not, size_t i)
{
	const struct ask_item *word = &p->q.items[not ];
	const struct ask_token *last = &p->q.tokens[word->first + word->n - 1];

	return i == not +1 && plan_has(p, i, ASK_KIND_COLUMN) && !plan_has(p, i, ASK_KIND_DATE) &&
	    (span_is_str(last->folded, "not") || span_is_str(last->folded, "never") || span_is_str(last->folded, "t") ||
		span_is_str(last->folded, "nicht") || span_is_str(last->folded, "nie"));
}

static void
take_missing(struct plan *p, size_t not)
{
	size_t i = plan_after(p, not ), behind = i == PLAN_NO_ITEM ? i : plan_after(p, i);
	struct plan_column at;
	struct plan_condition *c;

	if (i == PLAN_NO_ITEM || !plan_is_free(p, i) || denies_state(p, not, i))
		return;
	if (may_be_missing(p, i, ASK_KIND_COLUMN)) {
		if (!plan_choose(p, i, 1u << ASK_KIND_COLUMN, ASK_NONE, &at))
			return;
		add_presence(p, i, at, true);
	} else if ((plan_has(p, i, ASK_KIND_SOURCE) || plan_has(p, i, ASK_KIND_ALIAS)) &&
	    !plan_has(p, i, ASK_KIND_COLUMN) && key_of_source(p, i, &at) && !is_described(p, i, at.node)) {
		uint32_t label = plan_source(p, at.node)->label;

		if (label != ASK_NONE && is_said_by_value(p, i, (struct plan_column){ at.node, label }))
			return;
		if ((c = plan_add_condition(p, at, PLAN_PRESENT)) == NULL)
			return;
		c->negated = true;
		plan_take(p, i, "missing %.*s", SPAN_FMT(plan_field(p, at)));
	} else if (is_date_of_root(p, i) && (behind == PLAN_NO_ITEM || p->q.items[behind].kind != ASK_ITEM_PERIOD)) {
		/* The event has not happened.  "not returned in May" may mean that it happened at another time. */
		if (!plan_choose(p, i, 1u << ASK_KIND_DATE, p->m->nodes[p->root].source, &at))
			return;
		add_presence(p, i, at, true);
	} else
		return;
	if (!p->done)
		plan_take(p, not, "has none");
}

/* "customers with an email", "that have a phone number": the column is filled.  No value and no group follows. */
static void
take_present(struct plan *p, size_t i)
{
	const struct ask_token *t = p->q.tokens;
	size_t at = p->q.items[i].first, len, words = 0;
	const struct ask_word_row *row = NULL;
	struct plan_column column;

	while (at > words && (row = ask_word(p->q.language, &t[at - words - 1], 1, ASK_WORD_WITH, &len)) != NULL) {
		words++;
		if (row->arg == 0)
			break;
	}
	/* "with a phone" means that the column is filled; "with phone" asks to show it. */
	if (words < 2 || row == NULL || row->arg != 0 || !p->counted || !may_be_missing(p, i, ASK_KIND_COLUMN))
		return;
	if (plan_choose(p, i, 1u << ASK_KIND_COLUMN, ASK_NONE, &column))
		add_presence(p, i, column, false);
}

/* "electric bikes": a boolean column, is_electric. */
static void
take_flag(struct plan *p, size_t i)
{
	size_t not = plan_negation(p, i);
	struct plan_column at;
	struct plan_condition *c;

	if (plan_has(p, i, ASK_KIND_VALUE) || plan_has(p, i, ASK_KIND_DATE) || plan_has(p, i, ASK_KIND_SOURCE) ||
	    !plan_choose(p, i, 1u << ASK_KIND_FLAG, ASK_NONE, &at) ||
	    (c = plan_add_condition(p, at, PLAN_TRUE)) == NULL)
		return;
	c->negated = not != PLAN_NO_ITEM;
	if (c->negated)
		plan_take(p, not, "not true");
	plan_take(p, i, "true: %.*s", SPAN_FMT(plan_field(p, at)));
}

/* "riders who rented a bike": the row's foreign key to the object is filled. */
static void
take_object(struct plan *p, size_t i)
{
	struct plan_column at;
	const struct ask_word_row *article;
	size_t len, first = p->q.items[i].first;

	if (!p->through || first == 0 || !plan_has(p, i, ASK_KIND_SOURCE) ||
	    p->q.tokens[first + p->q.items[i].n - 1].plural ||
	    (article = ask_word(p->q.language, &p->q.tokens[first - 1], 1, ASK_WORD_WITH, &len)) == NULL ||
	    article->arg != 1 || !key_of_source(p, i, &at))
		return;
	if (plan_add_condition(p, at, PLAN_PRESENT) != NULL)
		plan_take(p, i, "present %.*s", SPAN_FMT(plan_field(p, at)));
}

/*
 * Whether a verb means that its date is filled; not in "orders shipped by Federal" or "the shipper that shipped most".
 */
static bool
says_that_it_happened(const struct plan *p, size_t i)
{
	static const char *const prepositions[] = { "by", "to", "from", "via", "through", "with", "von", "durch", "mit",
		NULL };
	size_t before = plan_before(p, i), next = p->q.items[i].first + p->q.items[i].n;

	for (const char *const *b = prepositions; *b != NULL && next < p->q.ntokens; b++)
		if (span_is_str(p->q.tokens[next].folded, *b))
			return false;
	return before == PLAN_NO_ITEM || !plan_is_free(p, before) || plan_is_word(p, before, ASK_WORD_AND);
}

void
missing_happened(struct plan *p)
{
	struct plan_column at;

	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_is_free(p, i))
			take_object(p, i);

	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_is_free(p, i) && p->counted && is_date_of_root(p, i) && !plan_has(p, i, ASK_KIND_COLUMN) &&
		    says_that_it_happened(p, i) &&
		    plan_choose(p, i, 1u << ASK_KIND_DATE, p->m->nodes[p->root].source, &at))
			add_presence(p, i, at, false);
}

void
missing_read(struct plan *p)
{
	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_has(p, i, ASK_KIND_FLAG))
			take_flag(p, i);
	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_is_free(p, i) && plan_is_word(p, i, ASK_WORD_NOT))
			take_missing(p, i);
	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_is_free(p, i) && p->q.items[i].kind == ASK_ITEM_NAME)
			take_present(p, i);
}
