#include "ask/readings/build.h"

struct plan_condition *
build_add_condition(struct draft *d, struct plan_column at, enum plan_test test)
{
	struct draft_condition *c = &d->conditions[d->nconditions];
	bool apart = d->nconditions == 0 || c[-1].of != d->at;

	if (d->nconditions == DRAFT_CONDITIONS_MAX || ((d->first || d->most_of) && d->and_next) ||
	    (d->or_next && apart && (d->at != DRAFT_ROOT || d->nrelated == 0)))
		return NULL;
	/* "with more than 2 orders or from Oslo" */
	d->any_of |= d->or_next && apart;
	*c = (struct draft_condition){ .is = { .at = at, .test = test }, .of = d->at, .either = d->or_next };
	d->nconditions++;
	d->pending &= at.node != d->near;
	d->and_next = d->or_next = false;
	return &c->is;
}

struct ask_clarification *
build_ask(struct plan *p, struct draft *d, enum plan_says topic, enum plan_says which, const struct span *args)
{
	struct ask_clarification *q = arena_alloc(p->a, sizeof(*q));

	if (q != NULL)
		*q = (struct ask_clarification){ .topic = plan_says(p, topic, NULL),
			.question = plan_says(p, which, args) };
	d->asks = q;
	return q;
}

/* A plan that keeps its questions back and assumptions to itself, for what may still be read otherwise. */
bool
build_aside(const struct plan *p, struct plan *copy)
{
	*copy = *p;
	copy->out = arena_alloc(p->a, sizeof(*copy->out));
	if (copy->out != NULL)
		copy->out->german = p->out->german;
	return copy->out != NULL;
}

/* Take what was asked or assumed aside.  False: nothing was asked. */
bool
build_take_aside(struct draft *d, const struct plan *copy)
{
	if (copy->out->nassumptions > 0)
		d->assumption = copy->out->assumptions[0];
	if (copy->out->nquestions == 1)
		d->asks = &copy->out->questions[0];
	return copy->out->nquestions == 1;
}

/* "friends older than 30", "female friends": those to which the link leads, named last.  ASK_NONE: no link. */
uint32_t
build_node_linked(const struct draft *d)
{
	return d->last != DRAFT_ROOT && d->near != ASK_NONE && d->related[d->last].through == d->near ? d->near :
													ASK_NONE;
}

/* What the next condition is about: what the rows lead to, when it was named last, else the rows. */
uint32_t
build_node_said(const struct plan *p, const struct draft *d)
{
	return d->pending && d->near != ASK_NONE ? d->near : draft_node(p, d, d->last);
}

bool
build_and(struct plan *p, struct draft *d)
{
	(void)p;
	return !d->and_next && !d->or_next && (d->and_next = true);
}

bool
build_compare(struct plan *p, struct draft *d)
{
	(void)p;
	return d->compare = true;
}

/* "how did it change" */
bool
build_change(struct plan *p, struct draft *d)
{
	(void)p;
	return d->change = true;
}

bool
build_or(struct plan *p, struct draft *d)
{
	(void)p;
	return !d->and_next && !d->or_next && d->nconditions + d->nrelated > 0 && (d->or_next = true);
}
