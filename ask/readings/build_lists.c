#include "ask/comparisons.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"

/* "the average price and weight of products": of both, if nothing sets the second one apart. */
bool
build_figure_of_two(struct plan *p, struct draft *d)
{
	size_t before = p->q.items[d->s.said_by].first - 1;

	if (!plan_is_word(p, d->s.said_by - 1, ASK_WORD_AND) || d->s.nfolds != 1 || p->names->words[before].article ||
	    d->s.folds[0].column == d->s.column.column ||
	    comparisons_holds_years(p, &plan_source(p, d->s.column.node)->columns[d->s.column.column]))
		return false;
	d->s.folds[1] = (struct draft_fold){ d->s.folds[0].item, d->s.column.column };
	d->s.nfolds = 2;
	return build_figure(p, d);
}

/* "the number of card types": of different ones, where a text tells no row; "countries" alone may be others. */
bool
build_number_of_values(struct plan *p, struct draft *d)
{
	const struct plan_column at = d->s.list[0];
	const struct ask_column *c = &plan_source(p, at.node)->columns[at.column];
	const struct ask_item *last = &p->q.items[d->s.count + 1];

	if (d->s.nlist != 1 || c->type != ASK_TYPE_TEXT || at.node != p->root || c->of_person ||
	    at.column == plan_source(p, at.node)->label || ask_is_in_grain(plan_source(p, at.node), c) ||
	    d->s.count + 1 >= p->q.n || !(d->s.owned || last->n > 1 || around_is_named(p, p->root)) ||
	    !p->q.tokens[last->first + last->n - 1].plural)
		return false;
	return build_groups_values(p, d);
}

/* "students whose tryout decision is yes" */
bool
build_has_value(struct plan *p, struct draft *d)
{
	struct plan_column at = d->s.column;

	if (d->s.none || d->s.noun || p->m->nodes[at.node].source != d->s.value.node ||
	    at.column != d->s.value.column || !build_add_related(p, d, false, NULL))
		return false;
	d->at = d->last;
	return build_add_value(p, d, at, false);
}

/* "artists whose song ratings are above 9" */
bool
build_has_compared(struct plan *p, struct draft *d)
{
	struct plan_column at = d->s.column;

	if (!build_add_related(p, d, false, NULL))
		return false;
	d->at = d->last;
	return build_add_number(p, d, at, false);
}

/* "with the most accounts, and how many accounts does he have": the number, which is shown anyway. */
bool
build_their_number(struct plan *p, struct draft *d)
{
	const struct draft_related *r = &d->related[0];
	bool again = d->s.rows == 0 || (d->s.related == r->node && d->s.through == r->through);

	(void)p;
	if (!(d->most || d->by_row) || d->nrelated != 1 || !again || d->or_next || d->s.distinct)
		return false;
	d->and_next = false;
	return true;
}
