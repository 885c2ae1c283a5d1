#include "ask/comparisons.h"
#include "ask/counts.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"

/* "guards older than 50", where a column holds the number of guards: the word compares their age. */
static bool
compares_others(const struct plan *p, const struct draft *d)
{
	return plan_names_any(p, d->s.said_by, ASK_KIND_SOURCE) && d->s.word.len > 0 &&
	    ask_is_degree(p->q.language, d->s.word, SPAN(""), false) &&
	    !comparisons_is_of_degree(p, d->s.word, plan_column(p, d->s.column), true);
}

/* "how many orders in total" */
bool
build_in_total(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.fold];

	d->loose = false;
	return (d->nfolds == 0 || plan_is_word(p, d->folds[0].item, ASK_WORD_COUNT)) &&
	    (ask_is_any(it->text, "overall insgesamt") || span_is_folded(it->text, SPAN("in total")));
}

/* "over 3000 in year 2001": the number is not the year. */
static bool
is_number_within(const struct plan *p, const struct draft *d)
{
	return d->s.said_by > d->s.number_item && plan_reads_behind(p, d->s.number_item, "in during within im") &&
	    comparisons_holds_years(plan_column(p, d->s.column));
}

/* "a rating over 3", "between 3 and 5 stars", "more than 3 beds" */
bool
build_compared(struct plan *p, struct draft *d)
{
	bool counted = d->s.number_item < d->s.said_by && !d->s.range;

	if ((counted ? is_number_within(p, d) : compares_others(p, d)) || !build_add_number(p, d, d->s.column))
		return false;
	d->conditions[d->nconditions - 1].counted = counted;
	return true;
}

/* "a rating above the average", "older than the average": where others are left out, over which rows, is not said. */
bool
build_average(struct plan *p, struct draft *d)
{
	struct plan_condition *c;

	if ((!d->s.said && !build_degree_column(p, d, &d->s.column)) || d->at != DRAFT_ROOT ||
	    d->s.column.node != p->root || d->nconditions + d->nrelated > 0 ||
	    plan_column(p, d->s.column)->type != ASK_TYPE_NUMBER ||
	    (c = build_add_condition(d, d->s.column, PLAN_AVERAGE)) == NULL)
		return false;
	c->operator= comparisons_operator(d->s.operator);
	return true;
}

/* "larger than the average area", "above the average number of pages" */
bool
build_degree_average(struct plan *p, struct draft *d)
{
	return (!ask_is_degree(p->q.language, d->s.word, SPAN(""), false) ||
		   comparisons_is_of_degree(p, d->s.word, plan_column(p, d->s.column), true)) &&
	    build_average(p, d);
}

/* "with 3 stars", "card number 4560": a text of digits is a value. */
bool
build_column_number(struct plan *p, struct draft *d)
{
	const struct draft_condition *before = &d->conditions[d->nconditions > 0 ? d->nconditions - 1 : 0];

	if (is_number_within(p, d))
		return false;
	/* "at least 2 regions and 10 cities": at least 10, or 10? */
	if (d->and_next &&
	    ((d->last != DRAFT_ROOT && d->related[d->last].operator!= NULL) ||
		(d->nconditions > 0 && before->counted && before->is.operator[0] != '=')))
		return false;
	if (plan_column(p, d->s.column)->type == ASK_TYPE_TEXT && d->s.amount.len > 0) {
		/* "a duration of 3 minutes", of a text: how it is written there, the question does not say */
		if (d->s.said_unit != PLAN_NO_ITEM)
			return false;
		d->s.text = d->s.amount;
		return !d->or_next && build_add_value(p, d, d->s.column, false);
	}
	return build_add_number(p, d, d->s.column);
}

/* The comparison before, of the same column, that the row at hand may go on with; NULL: none. */
static const struct draft_condition *
compared_before(const struct draft *d)
{
	const struct draft_condition *before = &d->conditions[d->nconditions > 0 ? d->nconditions - 1 : 0];

	return d->nconditions > 0 && before->is.test == PLAN_COMPARED && !before->is.negated ? before : NULL;
}

/* "a population over 1500 or less than 500": the other end of the same column. */
static const struct draft_condition *
other_end_before(const struct draft *d)
{
	const struct draft_condition *before = compared_before(d);
	char way = comparisons_operator(d->s.operator)[0];

	return before != NULL && before->is.operator[0] ==(way == '<' ? '>' : '<') && (way == '<' || way == '>') ?
	    before :
	    NULL;
}

/* "with 3 or 4 stars", "a population over 1500 or less than 500": of the same column. */
bool
build_or_number(struct plan *p, struct draft *d)
{
	bool compared = d->s.comparator != PLAN_NO_ITEM;
	const struct draft_condition *before = compared ? other_end_before(d) : compared_before(d);

	if (before == NULL || (!compared && before->is.operator[0] != '='))
		return false;
	d->or_next = true;
	d->at = before->of;
	return build_add_number(p, d, before->is.at);
}

/* "a capacity over 500 and below 800": of the same column; "shared by cities over 1500 and below 500" are two. */
bool
build_and_compared(struct plan *p, struct draft *d)
{
	const struct draft_condition *before = other_end_before(d);
	double number;

	if (before == NULL || before->either || !ask_items_number(before->is.values[0], ASK_ENGLISH, &number))
		return false;
	d->at = before->of;
	if (d->at != DRAFT_ROOT && d->related[d->at].alike &&
	    (before->is.operator[0] == '>' ? d->s.number <= number : d->s.number >= number) &&
	    !build_repeat_related(d, d->at, false))
		return false;
	d->and_next = true;
	return build_add_number(p, d, before->is.at);
}

/* "prices of products over 500": the number that is listed. */
bool
build_listed(struct plan *p, struct draft *d)
{
	d->at = DRAFT_ROOT;
	return d->ncolumns == 1 && !d->rows && d->columns[0].column != plan_key_column(plan_source(p, p->root)) &&
	    d->nrelated == 0 && build_add_number(p, d, d->columns[0]);
}

/* "older than 20", "over 100 euros": the number of the rows that the word or the unit tells. */
static bool
add_meant(struct plan *p, struct draft *d)
{
	struct comparison said = build_comparison(d);
	struct plan copy;

	d->at = d->last;
	if (!build_aside(p, &copy))
		return false;
	if (!(build_node_linked(d) != ASK_NONE && comparisons_find_column(&copy, &said, build_node_linked(d))) &&
	    !comparisons_find_column(&copy, &said, build_node_said(p, d)))
		return d->number && !d->limited && build_take_aside(d, &copy);
	return build_add_number(p, d, said.at);
}

/* "older than 30", "over 100 euros", "aged 20 to 30", "52 years old" */
bool
build_degree(struct plan *p, struct draft *d)
{
	size_t next = d->s.number_item + 1;

	if (d->s.range ? d->s.operator != ASK_EXACTLY :
	    /* "more than 2 rooms": their number */
	    d->s.said_unit == PLAN_NO_ITEM && d->s.years == PLAN_NO_ITEM && next < p->q.n &&
	    d->s.comparator < d->s.number_item && plan_names_any(p, next, ASK_KIND_SOURCE) &&
	    p->q.items[next].first == p->q.items[next - 1].first + p->q.items[next - 1].n)
		return false;
	return add_meant(p, d);
}
