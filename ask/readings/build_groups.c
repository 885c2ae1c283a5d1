#include "ask/comparisons.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"

/* Whether the column tells or names the rows themselves: a group of it is one row. */
static bool
tells_rows(const struct plan *p, struct plan_column at)
{
	const struct ask_source *s = plan_source(p, p->root);

	return at.node == p->root &&
	    (at.column == s->label || s->columns[at.column].of_person || ask_is_in_grain(s, &s->columns[at.column]));
}

/* Take the listed columns as the groups.  False: one of them tells rows apart, or they may be of several sources. */
static bool
take_groups(const struct plan *p, struct draft *d)
{
	if (d->s.nlist == 0 || d->s.nlist > 2 || p->m->governed)
		return false;
	for (size_t i = 0; i < d->s.nlist; i++)
		/* a key is a group of what it leads to, which has a name */
		if (d->s.list[i].node != p->root || tells_rows(p, d->s.list[i]) ||
		    ask_is_foreign(p->m, p->root, plan_source(p, p->root)->columns[d->s.list[i].column].names.name))
			return false;
	d->ncolumns = d->s.nlist;
	memcpy(d->columns, d->s.list, sizeof(d->columns));
	d->loose = d->rows = d->bare = false;
	return d->grouped = d->owned = true;
}

/* "each denomination and the number of schools" */
bool
build_groups_number(struct plan *p, struct draft *d)
{
	return build_number(p, d) && take_groups(p, d);
}

/* "the different countries and the number of members": groups are different ones anyway. */
bool
build_groups_different(struct plan *p, struct draft *d)
{
	d->s.distinct = false;
	return build_groups_number(p, d);
}

/* "each class and the average age of captains" */
bool
build_groups_figure(struct plan *p, struct draft *d)
{
	return build_figure(p, d) && take_groups(p, d);
}

/* "the number of schools for each denomination"; the groups may be named again: "each class and … in each class" */
bool
build_groups_by(struct plan *p, struct draft *d)
{
	bool same = d->grouped && d->s.nlist == d->ncolumns;

	for (size_t i = 0; i < d->s.nlist && same; i++)
		same = d->s.list[i].node == d->columns[i].node && d->s.list[i].column == d->columns[i].column;
	return same ||
	    (!d->grouped && d->number && !d->bare && !d->values && !d->and_next && !d->or_next &&
		d->last == DRAFT_ROOT && take_groups(p, d));
}

/* "the number of orders of each", "… for each customer" */
bool
build_groups_each(struct plan *p, struct draft *d)
{
	(void)p;
	return (d->grouped && d->s.item == 0) || d->by_row;
}

/* "each denomination and the number of schools in descending order": in the order of the figure. */
bool
build_groups_ordered(struct plan *p, struct draft *d)
{
	/* "the names in descending order": of the names */
	if (!d->grouped && !d->by_row && !d->s.named && d->ncolumns == 1 && !d->rows && !d->number &&
	    d->columns[0].node == p->root) {
		d->s.column = d->columns[0];
		return build_ordered(p, d);
	}
	if (!(d->grouped || d->by_row) || d->ordered || d->nfolds > 1 || d->and_next || d->or_next ||
	    (d->s.named && !d->grouped))
		return false;
	d->descending = d->s.direction < 0;
	return d->ordered = true;
}

/* "the cities with more than 3 schools", of a column of schools: the values that as many rows have. */
bool
build_groups_having(struct plan *p, struct draft *d)
{
	if (d->grouped || d->number || d->rows || d->ncolumns == 0 || d->nconditions + d->nrelated > 0 || d->and_next ||
	    d->or_next || d->ordered || d->s.number < 1 || d->s.number >= 1e9 ||
	    d->s.number != (double)(uint32_t)d->s.number || d->s.operator== ASK_UNDER || d->s.operator== ASK_AT_MOST)
		return false;
	d->s.nlist = d->ncolumns;
	memcpy(d->s.list, d->columns, sizeof(d->s.list));
	if (!build_number(p, d) || !take_groups(p, d))
		return false;
	d->at = DRAFT_ROOT;
	for (size_t i = 0; i < d->ncolumns; i++)
		if (build_add_condition(d, d->columns[i], PLAN_PRESENT) == NULL)
			return false;
	d->having = comparisons_operator(d->s.operator);
	d->least = d->s.number;
	return true;
}

/* "for each customer, the number of orders" */
bool
build_groups_of_rows(struct plan *p, struct draft *d)
{
	if ((d->s.through == ASK_NONE && !plan_has_key(&p->m->sources[d->s.related])) || !build_rows(p, d) ||
	    !build_most(p, d))
		return false;
	d->ordered = d->first = false;
	return d->by_row = true;
}

/* "customers in descending order of the number of orders": with that number, those that have some. */
bool
build_groups_ranked(struct plan *p, struct draft *d)
{
	if (d->ordered || d->number || d->nrelated > 0 || d->and_next || d->or_next || d->places > 0 ||
	    (d->s.through == ASK_NONE && !plan_has_key(&p->m->sources[d->s.related])) || !build_most(p, d))
		return false;
	d->first = false;
	d->descending = d->s.direction < 0;
	return d->by_row = true;
}

/* "how many different cities": of the values of the only column. */
bool
build_groups_values(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	/* "how many different crews", of a column crew of the source crew */
	if (d->s.nlist != 1 || d->s.list[0].node != p->root ||
	    span_is_folded(s->columns[d->s.list[0].column].names.name, s->names.name) || p->m->governed ||
	    !d->s.named || !around_counts_every_row(p, p->m->nodes[p->root].source))
		return false;
	d->columns[0] = d->s.list[0];
	d->ncolumns = 1;
	return d->number = d->values = true;
}

/* "the names of customers and the number of orders": a row for each customer that has some. */
bool
build_groups_related(struct plan *p, struct draft *d)
{
	bool rows = false;

	/* "cities of customers and the number of orders": of each city, or of each customer? */
	for (size_t i = 0; i < d->s.nlist; i++)
		rows |= tells_rows(p, d->s.list[i]);
	if (!rows || (d->s.through == ASK_NONE && !plan_has_key(&p->m->sources[d->s.related])) ||
	    !build_columns(p, d) || !build_most(p, d))
		return false;
	d->loose = d->distinct = d->ordered = d->first = false;
	return d->by_row = true;
}
