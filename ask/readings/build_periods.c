#include "ask/comparisons.h"
#include "ask/finish.h"
#include "ask/periods.h"
#include "ask/readings/build.h"
#include "ask/readings/spans.h"

/* "Norway vs Czechia", "2024 compared to 2023" */
bool
build_versus(struct plan *p, struct draft *d)
{
	return d->nconditions + d->nperiods > 0 && build_and(p, d);
}

/* "in 1980, how many": of the figure that follows */
bool
build_period_before(struct plan *p, struct draft *d)
{
	return build_put_period(d, (struct plan_column){ p->root, ASK_NONE });
}

/* "paid invoices in March": paid in March, or issued in March and paid since? */
static bool
says_state(const struct plan *p, size_t period)
{
	for (size_t i = 0; i < period; i++) {
		const struct ask_token *t = plan_word(p, i);

		if ((plan_names_any(p, i, ASK_KIND_VALUE) || plan_names_any(p, i, ASK_KIND_SEGMENT)) &&
		    p->q.items[i].n == 1 && !t->capital && !t->quoted && ask_is_participle(p->q.language, t->folded))
			return true;
	}
	return false;
}

/* The period as a condition on the date, or on the rows' own date or year if date.column is ASK_NONE. */
static bool
add_period(struct plan *p, struct draft *d, struct plan_column date)
{
	const struct ask_item *it = &p->q.items[d->s.period];
	const struct draft_condition *before = d->nconditions > 0 ? &d->conditions[d->nconditions - 1] : NULL;
	const struct ask_source *s = plan_source(p, date.node);
	struct plan copy;
	struct plan_condition years = { .at = date }, *c;

	/* "joined in 2024 or 2023": of the same date */
	if (before != NULL && d->or_next && before->is.test == PLAN_WITHIN && date.column == ASK_NONE)
		date = before->is.at;

	if (date.column == ASK_NONE && s->time == ASK_NONE && comparisons_column_of_years(p, date.node, &years.at) &&
	    comparisons_years(p, &it->period, &years)) {
		if (!build_part_rows(d, &years))
			return false;
		if ((c = build_add_condition(d, years.at, years.test)) != NULL)
			*c = years;
		return c != NULL;
	}
	if (date.column != ASK_NONE && s->columns[date.column].type != ASK_TYPE_TIME && !s->columns[date.column].time) {
		if (!comparisons_holds_years(&s->columns[date.column]) || !comparisons_years(p, &it->period, &years) ||
		    (c = build_add_condition(d, date, years.test)) == NULL)
			return false;
		*c = years;
		return true;
	}
	if (!build_aside(p, &copy))
		return false;
	if (!periods_of_rows(&copy, date.node, d->s.period, &date))
		return build_take_aside(d, &copy);
	build_take_aside(d, &copy);
	if (!build_part_rows(d, &(struct plan_condition){ .at = date, .test = PLAN_WITHIN }) ||
	    (c = build_add_condition(d, date, PLAN_WITHIN)) == NULL)
		return false;
	c->items[0] = d->s.period;
	c->values[c->nvalues++] = finish_day(p, it->period.start);
	c->values[c->nvalues++] = finish_day(p, it->period.end);
	return true;
}

/* "loans due in May", "loans returned in May": the word before the period is about it, and is no column of the list. */
static bool
follows_listed_date(const struct plan *p, const struct draft *d)
{
	size_t before = d->s.period;
	const struct ask_item *it;
	bool date;

	while (before > 0 && plan_is_word(p, before - 1, ASK_WORD_STOP))
		before--;
	if (d->nsteps == 0 || before == 0 || before != d->steps[0].end ||
	    plan_names_any(p, before - 1, ASK_KIND_SOURCE))
		return false;
	it = &p->q.items[before - 1];
	date = ask_is_participle(p->q.language, p->q.tokens[it->first + it->n - 1].folded);
	for (size_t i = 0; i < d->ncolumns; i++) {
		const struct ask_column *c = &plan_source(p, d->columns[i].node)->columns[d->columns[i].column];

		date |= c->type == ASK_TYPE_OTHER || c->time || comparisons_holds_years(c);
	}
	return date && d->ncolumns > 0;
}

/* "delivered orders in March": delivered in March, or ordered in March and delivered since?  The user has to say. */
static bool
add_period_of_state(struct plan *p, struct draft *d, size_t word, bool of_date)
{
	struct plan_column date;
	struct plan copy;

	if (!build_aside(p, &copy))
		return false;
	if (!periods_ask_state(&copy, word, d->s.period, &date))
		return build_take_aside(d, &copy);
	return (!of_date || plan_names_column(p, word, ASK_KIND_DATE, date)) && build_put_period(d, date);
}

/* "tickets solved in March" */
bool
build_state_dated(struct plan *p, struct draft *d)
{
	return build_is_dated_state(p, d) && build_value_of(p, d, false) &&
	    add_period_of_state(p, d, d->s.value_item, false);
}

/* "delivered", before what it is said of */
bool
build_date_before(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.said_by];

	d->date_before = d->s.said_by;
	return it->n == 1 && d->s.column.node == p->root &&
	    ask_is_participle(p->q.language, p->q.tokens[it->first].folded);
}

bool
build_period(struct plan *p, struct draft *d)
{
	uint32_t node = draft_node(p, d, d->last);

	if (d->date_before != PLAN_NO_ITEM)
		return d->number && add_period_of_state(p, d, d->date_before, true);
	if ((!d->number && says_state(p, d->s.period)) || follows_listed_date(p, d))
		return false;
	if ((d->number || d->leads) && !d->or_next && d->last == DRAFT_ROOT)
		return build_put_period(d, (struct plan_column){ p->root, ASK_NONE });
	/* "shipped by air to Norway in May" */
	for (size_t i = 0; i < d->nconditions; i++)
		if (d->conditions[i].is.test == PLAN_PRESENT && !d->conditions[i].is.negated &&
		    !d->conditions[i].named &&
		    plan_source(p, d->conditions[i].is.at.node)->columns[d->conditions[i].is.at.column].time)
			return false;
	d->at = d->last;
	if (d->last != DRAFT_ROOT && d->related[d->last].through != ASK_NONE)
		node = d->related[d->last].through;
	return add_period(p, d, (struct plan_column){ node, ASK_NONE });
}

/* "shipped by Federal", "sent to Oslo": more than that it happened. */
static bool
says_how(const struct plan *p, const struct ask_item *verb)
{
	size_t next = verb->first + verb->n;

	return next < p->q.ntokens && plan_reads(p, next, "by to from via through with von durch mit");
}

/* "orders that are not delivered", whose date says when they were: it is missing; "that are delivered": it is there. */
bool
build_happened(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.said_by];
	size_t behind = spans_skip(p, d->s.said_by + 1);
	struct plan_condition *c;

	/* "not returned in May" may mean that it happened at another time */
	if (d->s.none || (d->number && (plan_names_any(p, d->s.said_by, ASK_KIND_VALUE) || says_how(p, it))) ||
	    (behind < p->q.n && p->q.items[behind].kind == ASK_ITEM_PERIOD) ||
	    !ask_is_participle(p->q.language, p->q.tokens[it->first + it->n - 1].folded) ||
	    (p->q.language == ASK_ENGLISH && !ask_is_participle(ASK_ENGLISH, p->q.tokens[it->first].folded)) ||
	    plan_column(p, d->s.column)->type != ASK_TYPE_TIME ||
	    (c = build_add_condition(d, d->s.column, PLAN_PRESENT)) == NULL)
		return false;
	c->negated = d->s.negated;
	return true;
}

bool
build_dated(struct plan *p, struct draft *d)
{
	if ((d->number || d->leads) && !d->or_next && d->s.column.node == p->root &&
	    plan_column(p, d->s.column)->type == ASK_TYPE_TIME)
		return build_put_period(d, d->s.column);
	return add_period(p, d, d->s.column);
}

/* "shipped to Norway in May": shipped then */
bool
build_value_dated(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.said_by];

	return ask_is_participle(p->q.language, p->q.tokens[it->first + it->n - 1].folded) &&
	    build_value_of(p, d, false) && build_dated(p, d);
}

/* "born in Ulm after 1980", where both are of the verb */
bool
build_verb_value_dated(struct plan *p, struct draft *d)
{
	const struct plan_column at = d->s.column;

	return at.column != d->s.value.column && build_column_value(p, d) && add_period(p, d, at);
}
