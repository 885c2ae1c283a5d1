/* figures.c - the queries of a question for figures: what is measured, by groups, ranked or limited. */
#include "ask/aggregates.h"
#include "ask/comparisons.h"
#include "ask/counts.h"
#include "ask/groups.h"
#include "ask/having.h"
#include "ask/leftovers.h"
#include "ask/periods.h"
#include "ask/thresholds.h"
#include "ask/readings/around.h"
#include "ask/readings/figures.h"

/* The aggregate word before a measure repeats its own aggregate, or is one of the column that it sums. */
static bool
fold_measure(struct plan *p, const struct draft *d)
{
	size_t fold = d->folds[0].item;
	const struct ask_item *it;

	if (d->nfolds == 0)
		return true;
	it = &p->q.items[fold];
	if (d->nfolds > 1 || p->nmeasures != 1)
		return false;
	if (it->word == ASK_WORD_AGGREGATE &&
	    ((it->arg == ASK_FOLD_SUM && p->measures[0].additive) || (it->arg == ASK_FOLD_AVG && p->averages)))
		return true;
	return it->word == ASK_WORD_AGGREGATE && aggregates_of_summed(p, fold, d->measures[0]);
}

/* Suggest the numbers of the source, then what adds up over its rows and over what belongs to them. */
static void
ask_by_which(struct plan *p, size_t word, uint32_t source)
{
	struct ask_clarification *q;
	const struct ask_source *own = &p->m->sources[source];

	q = plan_ask(p, SAYS_BY_WHICH_NUMBER, SPANS(p->q.items[word].text));

	for (uint32_t i = 0; !plan_is_word(p, word, ASK_WORD_TOP) && i < own->ncolumns; i++)
		if (comparisons_is_own_number(p, (struct plan_column){ source, i }))
			plan_suggest(q, ask_label(p->a, &own->columns[i].names));
	for (uint32_t s = 0; s < p->m->nsources; s++) {
		bool belongs = s == source || plan_belongs(p, s, source);

		for (size_t i = 0; belongs && i < p->m->sources[s].nmeasures; i++)
			if (p->m->sources[s].measures[i].additive &&
			    !(s == source && measures_is_count(&own->measures[i])))
				plan_suggest(q, ask_label(p->a, &p->m->sources[s].measures[i].names));
	}
}

/* The groups are ranked by the measure that an answer names; without an answer the user is asked for one. */
static bool
take_answered(struct plan *p, const struct draft *d)
{
	uint32_t root = plan_root(p);
	bool answered = false;

	for (uint32_t s = 0; s < p->m->nsources; s++)
		for (uint32_t i = 0; i < p->m->sources[s].nmeasures; i++) {
			if (!plan_is_answered(p, ask_label(p->a, &p->m->sources[s].measures[i].names)))
				continue;
			answered = true;
			if (s == root && p->nmeasures == 0)
				measures_add(p, s, i);
		}
	if (!answered && plan_names_of(p, d->groups[0].item, ASK_KIND_SOURCE, root))
		ask_by_which(p, d->ranked_word, root);
	return p->nmeasures > 0;
}

/* "which shelf has the most rooms", where each is in one room: one each, which is no answer. */
static bool
groups_by_itself(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < d->ngroups; i++)
		if (d->groups[i].item != PLAN_NO_ITEM && around_names(p, d->groups[i].item, plan_root(p)))
			return true;
	return false;
}

/* What is measured.  False: the user is asked, or the words do not fit it. */
static bool
fill_measures(struct plan *p, const struct draft *d)
{
	uint32_t root = p->root;

	if (d->leads)
		return take_answered(p, d);
	if (d->threshold != PLAN_NO_ITEM)
		return having_of_threshold(p, d->threshold, d->groups[0].item) && !p->done && p->root == root;
	for (size_t i = 0; i < d->nmeasures && !p->done; i++)
		measures_take(p, d->measures[i]);
	if (d->nmeasures > 0)
		return !p->done && p->root == root && fold_measure(p, d) &&
		    !(d->counts &&
			(p->nmeasures != 1 || p->measures[0].unit.len > 0 || p->measures[0].ratio ||
			    (!p->counts && plan_names_any(p, d->measures[0], ASK_KIND_SOURCE) &&
				!counts_defines_number(p, p->m->nodes[root].source))));
	if (d->both)
		counts_rows(p, root);
	for (size_t i = 0; i < d->nfolds && p->nmeasures < ASK_MEASURES_MAX && !p->done; i++)
		aggregates_add_fold(p, d->folds[i].item, plan_root(p), d->folds[i].column);
	p->latest = d->latest;
	if ((d->counted != ASK_NONE || d->through != PLAN_NO_ITEM) && groups_by_itself(p, d))
		return false;
	if (d->counted != ASK_NONE) {
		p->counted = true;
		return counts_through(p, d->through, p->m->nodes[d->counted].source, d->through,
		    p->m->nodes[root].source);
	}
	if (d->through != PLAN_NO_ITEM) {
		uint32_t counted = plan_source_named(p, d->through);

		p->entity = d->bare;
		p->counted = true;
		return counted != ASK_NONE &&
		    counts_through(p, d->through, counted, d->event, p->m->nodes[root].source);
	}
	if (d->nfolds > 0) {
		p->averages = d->limited &&
		    (p->q.items[d->folds[0].item].arg != ASK_FOLD_SUM ||
			plan_is_word(p, d->folds[0].item, ASK_WORD_EXTREME));
	} else if (d->values)
		aggregates_add_values(p, plan_root(p), d->columns[0].column);
	else if (d->entity == PLAN_NO_ITEM || !counts_offer_column(p, d->entity, p->m->nodes[root].source, !d->bare)) {
		counts_rows(p, p->root);
		p->entity = d->bare;
	}
	return !p->done && p->root == root;
}

static void
fill_groups(struct plan *p, const struct draft *d)
{
	struct plan_having having = d->having;
	struct span word = SPAN_NONE;

	if (d->threshold != PLAN_NO_ITEM) {
		having_groups(p);
		return;
	}
	if (d->limited) {
		having.group = d->groups[0].item;
		having.owner = d->owner;
		having_set(p, having, d->unit == PLAN_NO_ITEM ? &p->q.items[d->number_item].text : NULL);
		if (!p->done)
			having_groups(p);
		return;
	}
	for (size_t i = 0; i < d->ngroups && !p->done; i++)
		if (d->groups[i].item == PLAN_NO_ITEM)
			groups_add_column(p, d->groups[i].at);
		else if (!groups_add(p, d->groups[i].item, d->groups[i].per) && !p->done)
			p->done = true;
	p->order = !d->ordered ? 0 : d->descending ? 1 : -1;
	if (d->rank == 0 || p->done)
		return;
	p->rank = d->rank;
	p->limit = d->places;
	if (d->groups[0].item == PLAN_NO_ITEM)
		return;
	if (d->groups[0].item > 0)
		word = plan_word(p, d->groups[0].item - 1)->folded;
	/* "der häufigste" is one, "die häufigsten" may be several */
	if (d->places == 0 && d->most_of && d->counts && p->q.language == ASK_GERMAN && word.len > 0 && d->commonest &&
	    word.p[word.len - 1] != 'n')
		p->limit = 1;
	if (d->most_of)
		groups_rank_rows(p, d->groups[0].item);
	groups_rank_places(p, d->groups[0].item);
}

/* Whether the groups are said, and are none of the rows that are counted through others, nor of what these lead to. */
static bool
groups_counted(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < p->ndimensions; i++)
		if (p->dimensions[i].grain < 0 &&
		    (p->dimensions[i].at.node == d->counted ||
			around_goes_over(p, p->root, p->dimensions[i].at.node, p->root, d->counted)))
			return false;
	return p->ndimensions > 0;
}

/* "which customers placed orders in 2024": that they were placed says the period's date. */
static bool
is_in_period(const struct plan *p, const struct draft *d, size_t i)
{
	const struct plan_condition *c = &d->conditions[i].is;

	return d->nperiods > 0 && c->test == PLAN_PRESENT && !c->negated && c->at.node == p->root &&
	    c->at.column == plan_source(p, p->root)->time;
}

/* "revenue in CHF": the value of a column of currencies is a unit that was named. */
static void
ask_unit_of_value(struct plan *p, const struct plan_condition *c)
{
	size_t item = c->items[0];
	struct ask_clarification *q = plan_ask(p, SAYS_OTHER_UNIT, SPANS(plan_unit(p, p->unit), p->q.items[item].text));

	plan_suggest(q, plan_unit(p, p->unit));
	plan_ask_instead(p, q, item, item);
}

static bool
fill_conditions(struct plan *p, const struct draft *d)
{
	struct plan_condition *c;
	bool named[PLAN_CONDITIONS_MAX] = { false };

	for (size_t i = 0; i < d->nconditions; i++) {
		const struct plan_condition *said = &d->conditions[i].is;

		if (d->conditions[i].of != DRAFT_ROOT || d->conditions[i].either || is_in_period(p, d, i) ||
		    (i + 1 < d->nconditions && d->conditions[i + 1].either))
			continue;
		/* "for orders in 2024, what is …", and no other period */
		if (said->test == PLAN_WITHIN && said->at.node == p->root) {
			if (d->nperiods > 0 || p->nperiods == PLAN_PERIODS_MAX)
				return false;
			p->periods[p->nperiods].item = said->items[0];
			p->periods[p->nperiods].bound = true;
			p->periods[p->nperiods++].date = said->at;
		} else if ((c = plan_add_condition(p, said->at, said->test)) != NULL) {
			*c = *said;
			named[c - p->conditions] = d->conditions[i].named;
		}
	}
	for (size_t i = 0; i < p->nconditions; i++)
		if (p->unit != ASK_MEASURED && p->conditions[i].test == PLAN_IS && !named[i] &&
		    comparisons_tells_unit(
			&plan_source(p, p->conditions[i].at.node)->columns[p->conditions[i].at.column], false)) {
			ask_unit_of_value(p, &p->conditions[i]);
			return true;
		}
	for (size_t i = 0; i < d->nperiods; i++) {
		p->periods[p->nperiods].item = d->periods[i].item;
		p->periods[p->nperiods].bound = d->periods[i].date.column != ASK_NONE;
		p->periods[p->nperiods].date = d->periods[i].date;
		if (d->date_said.column != ASK_NONE && !p->periods[p->nperiods].bound) {
			p->periods[p->nperiods].bound = true;
			p->periods[p->nperiods].date = d->date_said;
		}
		p->nperiods++;
	}
	p->always = d->always;
	p->share = d->share;
	p->compare = d->compare;
	return true;
}

/* Ask about a unit that is not the measure's: nothing is converted. */
static void
ask_other_unit(struct plan *p, const struct draft *d)
{
	struct ask_clarification *q =
	    plan_ask(p, SAYS_OTHER_UNIT, SPANS(plan_unit(p, p->unit), p->q.items[d->unit].text));

	q->assumption = plan_unit(p, p->unit);
	if (d->limited)
		return;
	plan_suggest(q, q->assumption);
	plan_ask_instead(p, q, d->unit, d->unit);
}

bool
figures_fill(struct plan *p, const struct draft *d)
{
	p->out->status = ASK_ANSWER;
	/* the order of which of them? */
	if (d->both && (d->rank != 0 || d->limited || d->share || d->compare || d->change || d->ordered))
		return false;
	if (d->lists && d->ngroups == 0 && d->nperiods == 0)
		return false;
	/* "riders with rentals every month": of whose dates? */
	for (size_t i = 0; i < d->ngroups && d->nrelated > 0; i++)
		if (d->groups[i].item != PLAN_NO_ITEM && groups_is_grain(p, d->groups[i].item))
			return false;
	if (!fill_measures(p, d))
		return p->out->status == ASK_CLARIFY;
	if (d->share && (p->nmeasures != 1 || !p->measures[0].additive))
		plan_refuse(p, SAYS_NO_SHARES, SPANS(p->measures[0].label));
	if (p->done)
		return false;
	fill_groups(p, d);
	if (!p->done && d->counted != ASK_NONE && !groups_counted(p, d))
		return false;
	if (!p->done && d->unit != PLAN_NO_ITEM && p->unit != (enum ask_measured)p->q.items[d->unit].arg)
		ask_other_unit(p, d);
	if (!p->done && !fill_conditions(p, d))
		return false;
	if (!p->done)
		thresholds_read(p);
	if (!p->done)
		periods_settle(p);
	if (!p->done && d->change && !p->change)
		return false;
	for (size_t i = 0; i < d->nmentions && !p->done; i++)
		if (!(d->limited && d->mentions[i] == d->owner) && !leftovers_is_used(p, d->mentions[i]))
			return false;
	return p->out->status != ASK_REFUSE;
}
