#include "ask/comparisons.h"
#include "ask/conditions.h"
#include "ask/counts.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"

static bool
any_condition(const struct draft *d, size_t of)
{
	for (size_t i = 0; i < d->nconditions; i++)
		if (d->conditions[i].of == of)
			return true;
	return false;
}

/*
 * What further related rows belong to: in "orders without parcels" to the orders, in "orders and no parcels" to what
 * the orders belong to.  False: the question does not say.
 */
static bool
find_owner(const struct plan *p, const struct draft *d, size_t *of)
{
	const struct draft_related *last;
	bool any = false;

	*of = DRAFT_ROOT;
	if (d->near != ASK_NONE && d->near != d->s.through &&
	    around_reaches(p, d->s.related, p->m->nodes[d->near].source))
		return false;
	for (size_t i = 0; i < d->nrelated; i++) {
		any |= around_reaches(p, d->s.related, p->m->nodes[d->related[i].node].source);
		if (d->s.through != ASK_NONE && around_is_linked(p, d->s.through, d->related[i].node))
			return false;
	}
	last = &d->related[d->last == DRAFT_ROOT ? 0 : d->last];
	/* "songs in English and songs in Bangla": further ones of the same rows */
	if (d->last != DRAFT_ROOT && d->and_next && last->node == d->s.related && last->through == d->s.through)
		return last->of == DRAFT_ROOT && !last->negated &&
		    last->operator== NULL && d->nrelated == 1 && any_condition(d, d->last);
	if (d->last == DRAFT_ROOT || !any || d->or_next)
		return true;
	if (d->and_next)
		return d->nrelated == 1 && !last->negated && last->operator== NULL && !any_condition(d, d->last);
	*of = d->last;
	return !d->s.apart && around_leads_to(p, d->s.related, last->node, AROUND_HOPS_MAX);
}

static void
put_related(struct draft *d, size_t of, bool negated, const char *operator)
{
	d->last = d->nrelated;
	d->near = d->s.through;
	d->related[d->nrelated++] = (struct draft_related){ .node = d->s.related, .through = d->s.through,
		.way = d->s.way, .of = of,
		.negated = negated, .operator= operator, .number = d->s.number };
	d->and_next = false;
}

/* "the friends of Ada" are others than who has the friend Ada: to have them has to be said, or their number. */
static bool
says_having(const struct plan *p, const struct draft *d)
{
	return d->s.with || d->s.none || d->s.count != PLAN_NO_ITEM || d->s.comparator != PLAN_NO_ITEM ||
	    (plan_is_word(p, d->s.fold, ASK_WORD_EXTREME) && abs(p->q.items[d->s.fold].arg) == ASK_MOST);
}

bool
build_add_related(const struct plan *p, struct draft *d, bool negated, const char *operator)
{
	size_t of;

	if (d->s.way != ASK_NONE && !says_having(p, d))
		return false;
	for (size_t i = 0; i < d->nrelated; i++)
		if (d->related[i].compared)
			return false;
	/* "with the most orders and …": which rows the rest limits, the question does not say */
	if (d->nrelated == DRAFT_RELATED_MAX || d->first || d->most_of ||
	    (d->or_next && (negated || d->near != ASK_NONE)) || (d->nmeasures > 0 && negated) ||
	    (d->number && !d->s.negated && counts_has_quantity(p, p->m->nodes[d->s.related].source)) || d->pending ||
	    !around_counts_every_row(p, p->m->nodes[d->s.related].source) || !find_owner(p, d, &of))
		return false;
	if (d->or_next && of != DRAFT_ROOT)
		return false;
	put_related(d, of, negated, operator);
	d->related[d->last].either = d->or_next;
	d->any_of |= d->or_next;
	d->or_next = false;
	return true;
}

bool
build_has(struct plan *p, struct draft *d)
{
	return (!d->s.negated || d->s.none || d->s.with) && build_add_related(p, d, d->s.negated, NULL);
}

bool
build_says_each(const struct plan *p, const struct draft *d)
{
	static const char *const each[] = { "each", "every", "per", "jeder", "jede", "jedem", "jedes", NULL };
	const struct ask_item *by = &p->q.items[d->s.by];

	return plan_is_word(p, d->s.by, ASK_WORD_BY) && span_is_any(p->q.tokens[by->first + by->n - 1].folded, each);
}

bool
build_related(struct plan *p, struct draft *d)
{
	return !build_says_each(p, d) && build_add_related(p, d, d->s.negated, NULL);
}

/* Whether rows are named further on in the same part of the question, which the verb is about, then. */
static bool
names_later(const struct plan *p, size_t i)
{
	for (; i < p->q.n && !plan_is_word(p, i, ASK_WORD_AND) && !plan_is_word(p, i, ASK_WORD_OR); i++)
		if (plan_names_any(p, i, ASK_KIND_SOURCE))
			return true;
	return false;
}

/* "students who tried out", of tryouts that the model joins to them by this verb; not "that were tried out". */
bool
build_joined(struct plan *p, struct draft *d)
{
	static const char *const is[] = { "is", "are", "was", "were", "be", "been", "being", "t", NULL },
		*const no[] = { "not", "never", NULL };
	const struct ask_item *it = &p->q.items[d->s.verb];
	size_t before = it->first;
	uint32_t found = ASK_NONE;

	before -= before > 0 && span_is_any(p->q.tokens[before - 1].folded, no);
	if (p->q.language != ASK_ENGLISH || before == 0 || span_is_any(p->q.tokens[before - 1].folded, is) ||
	    d->last != DRAFT_ROOT || d->near != ASK_NONE || d->nrelated > 0 || d->and_next || d->or_next)
		return false;
	for (size_t k = 0; k < it->nhits; k++)
		if (it->hits[k]->kind == ASK_KIND_VERB && it->hits[k]->index == p->root) {
			if (found != ASK_NONE)
				return false;
			found = it->hits[k]->source;
		}
	d->s.related = found;
	d->s.with = true;
	return found != ASK_NONE && found < p->m->nsources && !names_later(p, d->s.verb + 1) &&
	    build_add_related(p, d, d->s.negated, NULL);
}

/* "Among all the cars, which …": of which rows the question is, where nothing more is said of them. */
bool
build_among_rows(struct plan *p, struct draft *d)
{
	(void)p;
	return d->s.nadjectives == 0;
}

/* "all customers except customers with orders" */
bool
build_except_rows(struct plan *p, struct draft *d)
{
	return d->s.but && build_add_related(p, d, true, NULL);
}

/* "the mountains that they climb": how columns of two sources go together, which only one way does. */
bool
build_verb(struct plan *p, struct draft *d)
{
	for (size_t i = 0; i < d->ncolumns; i++)
		if (d->columns[i].node != p->root)
			return d->nrelated == 0 && !d->and_next && !d->or_next;
	return false;
}

bool
build_has_number(struct plan *p, struct draft *d)
{
	/* Whether "less than 3" means those without any, too, the question does not say. */
	return d->s.number >= 1 && d->s.number < 1e9 && d->s.number == (double)(uint32_t)d->s.number &&
	    !ask_item_names_number(p->m, &p->q.items[d->s.rows]) &&
	    d->s.operator!= ASK_UNDER && d->s.operator!= ASK_AT_MOST &&(!d->bare || build_name_rows(p, d)) &&
	    build_add_related(p, d, false, comparisons_operator(d->s.operator));
}

/* "in 2024", "the colour red": one row has one of them. */
static bool
is_single(const struct plan_condition *c)
{
	return c->test == PLAN_IS || c->test == PLAN_WITHIN || (c->test == PLAN_COMPARED && c->operator[0] == '=');
}

/* What is said next is of another one of these related rows. */
bool
build_repeat_related(struct draft *d, size_t of, bool negated)
{
	if (d->nrelated == DRAFT_RELATED_MAX)
		return false;
	d->last = d->at = d->nrelated;
	d->near = d->related[of].through;
	d->related[d->nrelated] = d->related[of];
	d->related[d->nrelated++].negated = negated;
	d->and_next = false;
	return true;
}

/*
 * "a dog and a cat", "a dog but not a cat": of two rows, each of which has one of the values.  False: the question does
 * not say of which rows the next condition is.
 */
bool
build_part_rows(struct draft *d, struct plan_condition *next)
{
	const struct draft_condition *c = &d->conditions[d->nconditions > 0 ? d->nconditions - 1 : 0];
	size_t of = d->at, n = 0;

	if (of == DRAFT_ROOT || (d->related[of].compared && !d->related[of].alike) ||
	    !(d->and_next || (next->negated && d->s.but)))
		return true;
	for (size_t i = 0; i < d->nconditions; i++)
		n += d->conditions[i].of == of;
	if (n != 1 || c->of != of || c->is.negated || !is_single(&c->is) || !is_single(next) ||
	    c->is.at.node != next->at.node || c->is.at.column != next->at.column || d->related[of].negated ||
	    d->related[of].operator!= NULL || d->related[of].of != DRAFT_ROOT || d->most)
		return !next->negated || d->related[of].alike;
	if (!build_repeat_related(d, of, next->negated))
		return false;
	next->negated = false;
	return true;
}

/* "die einen Hund haben": the verb comes last. */
bool
build_has_behind(struct plan *p, struct draft *d)
{
	return p->q.language == ASK_GERMAN && build_add_related(p, d, false, NULL);
}

/* "phones that are on a market", "… not in any concert": the word before the rows relates them in any way. */
bool
build_in_rows(struct plan *p, struct draft *d)
{
	static const char *const in[] = { "in", "on", "at", "auf", NULL },
		*const articles[] = { "a", "an", "any", "the", "some", "one", "einem", "einer", "dem", "der", NULL };
	size_t first = p->q.items[d->s.rows].first;

	while (first > 0 && span_is_any(p->q.tokens[first - 1].folded, articles))
		first--;
	/* "students in a tryout", where tryouts link them */
	if (d->last != DRAFT_ROOT && d->related[d->last].node == d->s.related &&
	    d->related[d->last].through != ASK_NONE && d->s.nadjectives == 0 && !d->s.negated && !d->and_next &&
	    !d->or_next && first > 0 && span_is_any(p->q.tokens[first - 1].folded, in))
		return true;
	return first > 0 && span_is_any(p->q.tokens[first - 1].folded, in) && !d->s.none && !d->and_next &&
	    !d->or_next && d->s.nadjectives == 0 && d->last == DRAFT_ROOT && d->near == ASK_NONE &&
	    build_add_related(p, d, d->s.negated, NULL);
}

/* "by the customer": what is said next is about what the rows lead to. */
bool
build_parent(struct plan *p, struct draft *d)
{
	(void)p;
	/* "with reviews and rentals" may be two things that the rows have */
	if (d->pending || d->or_next || d->first || (d->and_next && d->last != DRAFT_ROOT))
		return false;
	d->near = d->s.parent;
	d->pending = true;
	d->and_next = false;
	return true;
}

/* "rentals without a rider": the key that leads to one is missing. */
bool
build_no_parent(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, d->s.parent);
	struct plan_column key = { d->s.parent, plan_key_column(s) };
	struct plan_condition *c;

	if (!d->number || d->s.but || d->last != DRAFT_ROOT || key.column == ASK_NONE || d->s.nadjectives > 0 ||
	    (s->label != ASK_NONE && conditions_nothing(p, (struct plan_column){ d->s.parent, s->label }).len > 0))
		return false;
	d->at = DRAFT_ROOT;
	if ((c = build_add_condition(d, key, PLAN_PRESENT)) == NULL)
		return false;
	return c->negated = true;
}
