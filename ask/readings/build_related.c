#include "ask/comparisons.h"
#include "ask/conditions.h"
#include "ask/counts.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"

bool
build_has(struct plan *p, struct draft *d)
{
	/* "with their orders": these are to be shown, too */
	return (!d->s.negated || d->s.none || d->s.with) && !build_says_their(p, d) &&
	    !build_says_who_did(p, d->s.rows) && build_add_related(p, d, d->s.negated, NULL);
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

/* "How many films did Ada direct": of the link that joins both by this verb, the doer by name. */
bool
build_value_joined(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.verb];
	size_t before = p->q.items[d->s.value_item].first;
	uint32_t doer = d->s.value.node, link = ASK_NONE;

	for (size_t k = 0; k < it->nhits; k++) {
		uint32_t source = it->hits[k]->source;

		if (it->hits[k]->kind != ASK_KIND_VERB || it->hits[k]->index != doer ||
		    !around_leads_to(p, source, p->root, 1))
			continue;
		if (link != ASK_NONE && link != source)
			return false;
		link = source;
	}
	if (p->q.language != ASK_ENGLISH || link == ASK_NONE || doer == p->root || d->s.noun || d->nrelated > 0 ||
	    before == 0 || names_later(p, d->s.verb + 1) || p->m->sources[doer].label != d->s.value.column ||
	    !plan_reads(p, before - 1, "did does do has have had that which"))
		return false;
	d->s.related = link;
	d->s.with = true;
	if (!build_add_related(p, d, false, NULL))
		return false;
	d->at = d->last;
	return build_add_value(p, d, (struct plan_column){ doer, d->s.value.column }, false);
}

/* "directed by" */
static bool
names_doer(const struct plan *p, size_t verb)
{
	size_t next = p->q.items[verb].first + p->q.items[verb].n;

	return next < p->q.ntokens && plan_reads(p, next, "by");
}

/* "students who tried out", of tryouts that the model joins to them by this verb; not "that were tried out". */
bool
build_joined(struct plan *p, struct draft *d)
{
	size_t before = p->q.items[d->s.verb].first;

	before -= before > 0 && plan_reads(p, before - 1, "not never");
	if (p->q.language != ASK_ENGLISH || before == 0 ||
	    (plan_reads(p, before - 1, "is are was were be been being t") && !names_doer(p, d->s.verb)) ||
	    d->nrelated > 0)
		return false;
	d->s.related = build_joined_source(p, d->s.verb);
	d->s.with = true;
	return d->s.related != ASK_NONE && !names_later(p, d->s.verb + 1) &&
	    build_add_related(p, d, d->s.negated, NULL);
}

/* "Among the cars", "for cars", whose conditions follow, and then what is asked of them. */
bool
build_among_rows(struct plan *p, struct draft *d)
{
	d->among = d->s.item;
	return d->nsteps == 0 &&
	    (d->s.by != PLAN_NO_ITEM || plan_reads(p, 0, "for of in from considering für von bei"));
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
			return d->nrelated == 0;
	return false;
}

bool
build_has_number(struct plan *p, struct draft *d)
{
	/* Whether "less than 3" means those without any, too, the question does not say. */
	return d->s.number >= 1 && d->s.number < 1e9 && d->s.number == (double)(uint32_t)d->s.number &&
	    !counts_may_be_column(p, d->s.rows, p->m->nodes[d->s.related].source, plan_root(p)) &&
	    !counts_defines_number(p, p->m->nodes[d->s.related].source) &&
	    d->s.operator!= ASK_UNDER && d->s.operator!= ASK_AT_MOST &&(!d->bare || build_name_rows(p, d)) &&
	    build_add_related(p, d, false, comparisons_operator(d->s.operator));
}

/* "phones that are on a market", "… not in any concert": the word before the rows relates them in any way. */
bool
build_in_rows(struct plan *p, struct draft *d)
{
	static const char in[] = "in on at auf";
	size_t first = p->q.items[d->s.rows].first;

	while (plan_reads(p, first - 1, "a an any the some one einem einer dem der"))
		first--;
	/* "students in a tryout", where tryouts link them */
	if (d->last != DRAFT_ROOT && d->related[d->last].node == d->s.related &&
	    d->related[d->last].through != ASK_NONE && d->s.nadjectives == 0 && !d->s.negated && !d->and_next &&
	    !d->or_next && plan_reads(p, first - 1, in))
		return true;
	return plan_reads(p, first - 1, in) && !d->s.none && !d->and_next && !d->or_next && d->s.nadjectives == 0 &&
	    d->last == DRAFT_ROOT && d->near == ASK_NONE && build_add_related(p, d, d->s.negated, NULL);
}

/* "by the customer": what is said next is about what the rows lead to. */
bool
build_parent(struct plan *p, struct draft *d)
{
	/* "with reviews and rentals" may be two things that the rows have */
	if (build_is_of_group(p, d, p->m->nodes[d->s.parent].source) || d->pending || d->or_next || d->first ||
	    build_says_their(p, d) || (d->and_next && d->last != DRAFT_ROOT))
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

	/* "employees who have no employees": none whose boss they are */
	if (p->m->nodes[d->s.parent].source == plan_root(p) && !plan_names_any(p, d->s.rows, ASK_KIND_ALIAS))
		return false;
	if (!(d->number || (d->rows && d->s.none)) || d->s.but || d->last != DRAFT_ROOT || key.column == ASK_NONE ||
	    d->s.nadjectives > 0 ||
	    (s->label != ASK_NONE && conditions_nothing(p, (struct plan_column){ d->s.parent, s->label }).len > 0))
		return false;
	d->at = DRAFT_ROOT;
	if ((c = build_add_condition(d, key, PLAN_PRESENT)) == NULL)
		return false;
	return c->negated = true;
}
