/* conditions.c - filters: values, comparisons with numbers, segments. */
#include "ask/plan.h"

static struct plan_condition *
add_condition(struct plan *p, struct plan_column at)
{
	struct plan_condition *c;

	if (p->nconditions == PLAN_CONDITIONS_MAX) {
		plan_refuse(p, ASK_REASON_UNSUPPORTED, "These are too many conditions.");
		return NULL;
	}
	c = &p->conditions[p->nconditions++];
	*c = (struct plan_condition){ .at = at };
	return c;
}

/* --- segments -------------------------------------------------------------------------------------------------- */

static void
take_segment(struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	const struct ask_entry *best = NULL;
	uint32_t node = ASK_NONE, next_source = ASK_NONE;
	size_t next = plan_after(p, i), n = 0;
	struct plan_condition *c;

	if (next != PLAN_NO_ITEM && p->q.items[next].kind == ASK_ITEM_NAME)
		for (size_t k = 0; k < p->q.items[next].nhits; k++)
			if (p->q.items[next].hits[k]->kind == ASK_KIND_SOURCE)
				next_source = p->q.items[next].hits[k]->source;
	for (size_t k = 0; k < it->nhits; k++) {
		const struct ask_entry *e = it->hits[k];
		uint32_t at = ASK_NONE;
		size_t ways = 0;

		if (e->kind != ASK_KIND_SEGMENT || (next_source != ASK_NONE && next_source != e->source))
			continue;
		for (uint32_t j = 0; j < p->m->nnodes; j++)
			if (p->m->nodes[j].source == e->source && p->routes.hops[j] != ASK_NONE) {
				ways += 1 + p->routes.several[j];
				at = j;
			}
		if (ways != 1) {
			n += ways;
			continue;
		}
		n++;
		best = e;
		node = at;
	}
	if (n != 1 || best == NULL)
		return;
	if ((c = add_condition(p, (struct plan_column){ node, 0 })) == NULL)
		return;
	c->segment = true;
	c->index = best->index;
	p->worst = best->tier > p->worst ? (enum ask_tier)best->tier : p->worst;
	plan_take(p, i, "segment %.*s.%.*s", SPAN_FMT(p->m->sources[best->source].names.name),
	    SPAN_FMT(p->m->sources[best->source].segments[best->index].names.name));
}

/* --- comparisons with a number ------------------------------------------------------------------------------------ */

static const char *const operators[] = { [ASK_OVER] = ">", [ASK_UNDER] = "<", [ASK_AT_LEAST] = ">=", [ASK_AT_MOST] = "<=", [ASK_EXACTLY] = "=" };

static bool
is_number_column(const struct plan *p, size_t i)
{
	if (i == PLAN_NO_ITEM || !plan_is_free(p, i))
		return false;
	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_COLUMN && p->m->sources[e->source].columns[e->index].type == ASK_TYPE_NUMBER)
			return true;
	}
	return false;
}

static void
take_comparison(struct plan *p, size_t i)
{
	size_t number = i + 1, unit = i + 2, before = plan_before(p, i), after, item;
	struct plan_column at;
	struct plan_condition *c;
	const struct ask_column *column;
	bool has_unit;

	if (number >= p->q.n || p->q.items[number].kind != ASK_ITEM_NUMBER)
		return;
	has_unit = plan_is_word(p, unit, ASK_WORD_UNIT);
	after = plan_after(p, has_unit ? unit : number);
	if (after == number + 1 + has_unit && is_number_column(p, after))
		item = after;
	else if (is_number_column(p, before))
		item = before;
	else {
		if (after != PLAN_NO_ITEM &&
		    (plan_has(p, after, ASK_KIND_SOURCE) || plan_has(p, after, ASK_KIND_MEASURE)))
			plan_refuse(p, ASK_REASON_NESTED,
			    "\"%.*s %.*s %.*s\" is a condition on groups, which is not answered here.",
			    SPAN_FMT(p->q.items[i].text), SPAN_FMT(p->q.items[number].text),
			    SPAN_FMT(p->q.items[after].text));
		return;
	}
	if (!plan_choose(p, item, 1u << ASK_KIND_COLUMN, ASK_NONE, &at))
		return;
	column = &plan_source(p, at.node)->columns[at.column];
	if (column->type != ASK_TYPE_NUMBER)
		return;
	if (has_unit && ask_unit_of(p->a, column->names.description) != (enum ask_measured)p->q.items[unit].arg) {
		struct ask_clarification *q =
		    plan_ask(p, "Unit", "\"%.*s\" is kept in %s, and you say %.*s; which number do you mean there?",
			SPAN_FMT(p->q.items[item].text), ask_unit_name(ask_unit_of(p->a, column->names.description)),
			SPAN_FMT(p->q.items[unit].text));

		q->assumption = span_of("", 0);
		return;
	}
	if ((c = add_condition(p, at)) == NULL)
		return;
	c->operator= operators[p->q.items[i].arg];
	c->values[c->nvalues++] = plan_text(p, "%.15g", p->q.items[number].number);
	if (before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_NOT)) {
		c->negated = true;
		plan_take(p, before, "not");
	}
	plan_take(p, i, "compared with a number");
	plan_take(p, number, "number");
	if (has_unit)
		plan_take(p, unit, "unit of the column");
	plan_take(p, item, "column %.*s", SPAN_FMT(plan_field(p, at)));
}

/* --- values --------------------------------------------------------------------------------------------------------- */

/* The stored text among the hits that belongs to the column. */
static struct span
value_of(const struct plan *p, const struct ask_item *it, struct plan_column at, size_t *n)
{
	struct span found = { NULL, 0 };

	*n = 0;
	for (size_t k = 0; k < it->nhits; k++)
		if (it->hits[k]->kind == ASK_KIND_VALUE && it->hits[k]->source == p->m->nodes[at.node].source &&
		    it->hits[k]->index == at.column) {
			found = it->hits[k]->value;
			++*n;
		}
	return found;
}

/* The source that a neighbour names, when the value may be one of its columns: "Retail customers", "the Team plan". */
static uint32_t
neighbour_source(const struct plan *p, size_t i)
{
	size_t beside[2] = { plan_after(p, i), plan_before(p, i) };

	for (size_t side = 0; side < 2; side++) {
		size_t at = beside[side];

		if (at == PLAN_NO_ITEM || p->q.items[at].kind != ASK_ITEM_NAME || (side == 0 && at != i + 1))
			continue;
		for (size_t k = 0; k < p->q.items[at].nhits; k++)
			for (size_t h = 0; h < p->q.items[i].nhits; h++)
				if (p->q.items[at].hits[k]->kind == ASK_KIND_SOURCE &&
				    p->q.items[i].hits[h]->kind == ASK_KIND_VALUE &&
				    p->q.items[at].hits[k]->source == p->q.items[i].hits[h]->source)
					return p->q.items[at].hits[k]->source;
	}
	return ASK_NONE;
}

/* A column named beside the value takes it: "method card", "priority high". */
static bool
neighbour_column(struct plan *p, size_t i, struct plan_column *out)
{
	size_t beside[2] = { plan_before(p, i), plan_after(p, i) };

	for (size_t side = 0; side < 2; side++) {
		size_t at = beside[side];

		if (at == PLAN_NO_ITEM || !plan_has(p, at, ASK_KIND_COLUMN))
			continue;
		for (size_t k = 0; k < p->q.items[at].nhits; k++)
			for (size_t h = 0; h < p->q.items[i].nhits; h++) {
				const struct ask_entry *c = p->q.items[at].hits[k], *v = p->q.items[i].hits[h];

				if (c->kind != ASK_KIND_COLUMN || v->kind != ASK_KIND_VALUE || c->source != v->source ||
				    c->index != v->index)
					continue;
				for (uint32_t node = 0; node < p->m->nnodes; node++)
					if (p->m->nodes[node].source == c->source && p->routes.hops[node] != ASK_NONE &&
					    !p->routes.several[node]) {
						*out = (struct plan_column){ node, c->index };
						plan_take(p, at, "column of the value");
						return true;
					}
			}
	}
	return false;
}

static void
take_value(struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	size_t before = plan_before(p, i), n, joint;
	bool negated = before != PLAN_NO_ITEM && plan_is_free(p, before) && plan_is_word(p, before, ASK_WORD_NOT);
	struct plan_column at;
	struct plan_condition *c;
	struct span value;

	if (!neighbour_column(p, i, &at) && !plan_choose(p, i, 1u << ASK_KIND_VALUE, neighbour_source(p, i), &at))
		return;
	value = value_of(p, it, at, &n);
	if (n > 1) {
		struct ask_clarification *q =
		    plan_ask(p, "Value", "Which spelling of \"%.*s\" do you mean?", SPAN_FMT(it->text));

		for (size_t k = 0; k < it->nhits; k++)
			if (it->hits[k]->kind == ASK_KIND_VALUE)
				plan_suggest(q, it->hits[k]->value);
		return;
	}
	for (size_t k = 0; k < p->nconditions; k++) {
		c = &p->conditions[k];
		if (c->segment || c->operator!= NULL || c->at.node != at.node || c->at.column != at.column)
			continue;
		joint = before;
		if (joint != PLAN_NO_ITEM && plan_is_word(p, joint, ASK_WORD_BY))
			joint = plan_before(p, joint);
		if (c->nvalues == 4 || c->negated != negated || joint == PLAN_NO_ITEM)
			break;
		if (plan_is_word(p, joint, ASK_WORD_OR) && !c->negated && plan_is_free(p, joint))
			plan_take(p, joint, "either value");
		else if (p->compare && c->nvalues == 1 &&
		    (plan_is_word(p, joint, ASK_WORD_AND) || plan_is_word(p, joint, ASK_WORD_VERSUS))) {
			if (plan_is_free(p, joint))
				plan_take(p, joint, "compared with");
		} else
			break;
		c->items[c->nvalues] = i;
		c->values[c->nvalues++] = value;
		plan_take(p, i, "value of %.*s", SPAN_FMT(plan_field(p, at)));
		if (before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_BY) && plan_is_free(p, before))
			plan_take(p, before, "filter");
		return;
	}
	for (size_t k = 0; k < p->nconditions; k++)
		if (!p->conditions[k].segment &&
		    p->conditions[k]
			.
			operator== NULL && p->conditions[k]
			.at.node == at.node && p->conditions[k]
			.at.column == at.column) {
			struct ask_clarification *q = plan_ask(p, "Values",
			    "How are the values of %.*s meant together?", SPAN_FMT(plan_column_label(p, at)));

			plan_suggest(q,
			    plan_text(p, "%.*s or %.*s, together", SPAN_FMT(p->conditions[k].values[0]),
				SPAN_FMT(value)));
			plan_suggest(q,
			    plan_text(p, "%.*s vs %.*s", SPAN_FMT(p->conditions[k].values[0]), SPAN_FMT(value)));
			return;
		}
	if ((c = add_condition(p, at)) == NULL)
		return;
	c->negated = negated;
	c->items[0] = i;
	c->values[c->nvalues++] = value;
	plan_take(p, i, "value of %.*s", SPAN_FMT(plan_field(p, at)));
	if (negated)
		plan_take(p, before, "not the value");
	else if (before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_BY) && plan_is_free(p, before))
		plan_take(p, before, "filter");
}

void
plan_conditions(struct plan *p)
{
	size_t versus = plan_find(p, ASK_WORD_VERSUS), compare = plan_find(p, ASK_WORD_COMPARE);

	p->compare = versus != PLAN_NO_ITEM || compare != PLAN_NO_ITEM;
	for (size_t i = 0; i < p->q.n && !p->done; i++) {
		if (plan_has(p, i, ASK_KIND_SEGMENT))
			take_segment(p, i);
		if (!p->done && plan_is_free(p, i) && plan_is_word(p, i, ASK_WORD_COMPARATOR))
			take_comparison(p, i);
	}
	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_has(p, i, ASK_KIND_VALUE) && !plan_has(p, i, ASK_KIND_DATE))
			take_value(p, i);
	if (p->compare && compare != PLAN_NO_ITEM && !p->done)
		plan_take(p, compare, "comparison");
}
