/* build_figures.c - builders of questions for figures: measures, numbers, groups, rankings, limits. */
#include "ask/comparisons.h"
#include "ask/counts.h"
#include "ask/groups.h"
#include "ask/thresholds.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"
#include "ask/readings/spans.h"

/* of "largest first", said of any number */
static const char words_of_size[] = "highest lowest largest smallest biggest least grösste grössten höchste kleinste "
				    "kleinsten niedrigste";

static bool
add_measure(struct draft *d)
{
	if (d->nmeasures == ASK_MEASURES_MAX || d->ncolumns > 0)
		return false;
	d->measures[d->nmeasures++] = d->s.measure;
	d->measure_step = d->nsteps + 1;
	d->number = true;
	d->bare = d->leads = false;
	return true;
}

/* "the highest total amount": of the groups, and no aggregate of two words. */
static bool
ranks_figure(const struct plan *p, const struct draft *d)
{
	return plan_is_word(p, d->s.fold, ASK_WORD_AGGREGATE) && plan_is_word(p, d->s.fold - 1, ASK_WORD_EXTREME);
}

/* "Show the due dates": dates, where a number of them is called so, too. */
static bool
lists_values(const struct plan *p, const struct draft *d)
{
	return spans_asks_list(p, d->s.measure) && d->s.count == PLAN_NO_ITEM &&
	    measures_counts_values(p, d->s.measure);
}

/* "cities", which a measure that counts them is called, too */
static bool
is_word_of_rows(const struct plan *p, size_t item)
{
	const struct ask_source *s = plan_source(p, p->root);
	const struct ask_entry *e;
	bool counts = false;

	for (size_t k = 0; (e = plan_next_hit(p, item, ASK_KIND_MEASURE, &k)) != NULL;)
		counts |= e->source == plan_root(p) && measures_is_count(&s->measures[e->index]);
	return counts && plan_names_of(p, item, ASK_KIND_SOURCE, plan_root(p));
}

/* "list the cities", "which cities": the rows, not their number */
static bool
lists_rows(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < d->s.measure; i++)
		if (spans_asks(p, i))
			return d->s.count == PLAN_NO_ITEM && d->s.nfolds == 0 && is_word_of_rows(p, d->s.measure);
	return false;
}

/* "total net revenue" */
bool
build_measure(struct plan *p, struct draft *d)
{
	build_take_folds(d);
	d->counts = d->s.count != PLAN_NO_ITEM;
	d->lists = lists_rows(p, d);
	d->unit = d->s.said_unit;
	return (d->s.period == PLAN_NO_ITEM || build_put_period(d, (struct plan_column){ p->root, ASK_NONE })) &&
	    !lists_values(p, d) && add_measure(d);
}

/* "revenue and orders" */
bool
build_more_measures(struct plan *p, struct draft *d)
{
	size_t from = d->steps[d->nsteps - 1].end, item = d->s.measure;

	return d->nmeasures > 0 && d->measure_step == d->nsteps && !d->and_next && !d->limited &&
	    (plan_word(p, item)->comma || plan_is_word(p, from, ASK_WORD_AND)) && add_measure(d);
}

static bool
add_group(struct draft *d, bool per)
{
	if (d->ngroups == PLAN_GROUPS_MAX || d->ncolumns > 0)
		return false;
	d->groups[d->ngroups].item = d->s.group;
	d->groups[d->ngroups++].per = per;
	d->group_step = d->nsteps + 1;
	d->and_next = false;
	return true;
}

/* "lending branch" */
static bool
names_join(const struct plan *p, size_t item)
{
	return plan_names_any(p, item, ASK_KIND_ALIAS) && plan_names_any(p, item + 1, ASK_KIND_SOURCE);
}

/* Each row by itself is no group of rows. */
static bool
names_other_rows(const struct plan *p, size_t item)
{
	return plan_names_any(p, item, ASK_KIND_COLUMN) || names_join(p, item) ||
	    !plan_names_of(p, item, ASK_KIND_SOURCE, plan_root(p));
}

/* "in each class", whose groups are said already */
static bool
are_groups_again(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < d->ngroups; i++)
		if (d->groups[i].item == PLAN_NO_ITEM ?
			plan_names_column(p, d->s.group, ASK_KIND_COLUMN, d->groups[i].at) :
			span_is(plan_last_word(p, d->groups[i].item)->stem, plan_last_word(p, d->s.group)->stem))
			return true;
	return false;
}

/* "written by authors": who did it, and no grouping, unlike "written by each author" */
static bool
says_who_did(const struct plan *p, const struct draft *d)
{
	const struct ask_item *by = &p->q.items[d->s.by];

	return d->s.by > 0 && around_is_verb(p, d->s.by - 1) && by->n == 1 && plan_reads(p, by->first, "by von") &&
	    plan_last_word(p, d->s.group)->plural;
}

/* "by channel" */
/* Whether "each" is how the groups are said, and not "by". */
static bool
names_each(const struct plan *p, size_t by, bool every)
{
	static const char *const all[] = { "every", "jede", "jeder", "jedes", "jeden", "jedem", NULL };
	struct span last = p->q.tokens[p->q.items[by].first + p->q.items[by].n - 1].folded;

	return span_is_any(last, all) || (!every && span_is_str(last, "each"));
}

/* "riders who rented every bike": all of them, and no groups, unlike "how many riders rented each bike" */
static bool
says_all_of(const struct plan *p, const struct draft *d)
{
	return d->through != PLAN_NO_ITEM && names_each(p, d->s.by, !d->bare);
}

/* Another group, unless they are said already. */
static bool
add_group_once(const struct plan *p, struct draft *d, bool per)
{
	if (d->limited)
		return false;
	if (are_groups_again(p, d))
		return !d->and_next && d->rank == 0;
	return !d->or_next && names_other_rows(p, d->s.group) && add_group(d, per);
}

/* "Anteil der Kanäle am Umsatz": by channel */
bool
build_share_groups(struct plan *p, struct draft *d)
{
	size_t group = p->q.items[d->s.group].first, before = p->q.items[d->s.measure].first - 1;

	before -= before > group && plan_reads(p, before, "der den dem");
	return group > 0 && plan_reads(p, group - 1, "der aller") && plan_reads(p, before, "am an") &&
	    names_other_rows(p, d->s.group) && build_measure(p, d) && add_group(d, false);
}

/* "by channel" */
bool
build_by(struct plan *p, struct draft *d)
{
	return !says_who_did(p, d) && !says_all_of(p, d) &&
	    (are_groups_again(p, d) || !groups_is_agent(p, d->s.by, d->s.group)) &&
	    add_group_once(p, d, p->q.items[d->s.by].arg == 1);
}

/* "How many rooms have a balcony? Show the number for each floor." */
bool
build_then_by(struct plan *p, struct draft *d)
{
	return d->ngroups == 0 && d->nfolds + d->nmeasures == 0 && build_by(p, d);
}

/* "the highest price in different regions", "for different regions": of each */
bool
build_by_different(struct plan *p, struct draft *d)
{
	size_t first = p->q.items[d->s.distinct_item].first;

	while (first > 0 && plan_reads(p, first - 1, "the all each every"))
		first--;
	return (are_groups_again(p, d) || plan_reads(p, first - 1, "in for of with across among from nach für pro")) &&
	    add_group_once(p, d, false);
}

/* "monthly" */
bool
build_by_itself(struct plan *p, struct draft *d)
{
	return p->q.items[d->s.group].arg >= ASK_GROUPS_BY_ITSELF && !d->limited &&
	    !(d->through != PLAN_NO_ITEM && d->bare) && add_group(d, false);
}

/* "by channel and month" */
bool
build_more_groups(struct plan *p, struct draft *d)
{
	size_t from = d->steps[d->nsteps - 1].end;

	return d->ngroups > 0 && d->group_step == d->nsteps && !d->and_next && d->rank == 0 &&
	    (plan_word(p, d->s.group)->comma || plan_is_word(p, from, ASK_WORD_AND)) &&
	    add_group(d, d->groups[d->ngroups - 1].per);
}

/* "channels", "the top 5 channels", "the largest depots", whose figure follows or is in an answer */
bool
build_groups(struct plan *p, struct draft *d)
{
	uint32_t source = plan_source_named(p, d->s.group);
	bool top = d->s.top != PLAN_NO_ITEM;

	if (top || d->s.fold != PLAN_NO_ITEM) {
		d->ranked_word = top ? d->s.top : d->s.fold;
		d->rank = p->q.items[d->ranked_word].arg > 0 ? 1 : -1;
		d->most_of = !top;
		if (top ? d->s.number > 1000 : !plan_is_word(p, d->s.fold, ASK_WORD_EXTREME))
			return false;
	}
	d->places = d->s.number > 0 && d->s.number < 1e9 ? (size_t)d->s.number : 0;
	if ((double)d->places != d->s.number)
		return false;
	/* what is said next is about them */
	d->near = source == ASK_NONE ? ASK_NONE : plan_only_node(p, source);
	d->owner = PLAN_NO_ITEM;
	return d->leads = add_group(d, false);
}

/* "countries of customers" */
bool
build_groups_of(struct plan *p, struct draft *d)
{
	uint32_t source = plan_source_of_column(p, d->s.item, d->s.group);

	if (source == ASK_NONE || plan_names_any(p, d->s.group, ASK_KIND_SOURCE) || d->s.item <= d->s.group + 1 ||
	    !p->names->words[p->q.items[d->s.item].first - 1].belongs || !build_groups(p, d) || !build_mention(p, d))
		return false;
	/* "categories of festivals", where festivals are counted */
	d->of_root = source == plan_root(p);
	if (!d->of_root)
		d->owner = d->s.item;
	return true;
}

/* "high-value customers" */
bool
build_threshold_groups(struct plan *p, struct draft *d)
{
	d->threshold = d->s.value_item;
	d->number = true;
	return build_groups(p, d) && !(d->leads = false);
}

static bool
counts_root(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	uint32_t root = plan_root(p), key = plan_key_column(s);
	size_t item = d->groups[0].item;

	/* of one row each, there is one */
	return (!plan_names_of(p, item, ASK_KIND_SOURCE, root) || names_join(p, item)) &&
	    !counts_may_be_column(p, d->s.item, root, plan_source_named(p, item)) &&
	    !(key != ASK_NONE && plan_names_column(p, item, ASK_KIND_COLUMN, (struct plan_column){ p->root, key })) &&
	    !(s->label != ASK_NONE &&
		plan_names_column(p, item, ASK_KIND_COLUMN, (struct plan_column){ p->root, s->label }));
}

static bool
count_rows(const struct plan *p, struct draft *d)
{
	d->number = d->counts = true;
	d->leads = false;
	return d->ngroups > 0 && d->nmeasures == 0 && counts_root(p, d) &&
	    !(d->s.distinct && plan_key_column(plan_source(p, p->root)) == ASK_NONE);
}

/* What the groups that were said are measured by: a measure, a figure of a column, or the number of rows. */
static bool
add_measured(struct plan *p, struct draft *d)
{
	if (d->s.measure == PLAN_NO_ITEM && d->s.nfolds == 0)
		return count_rows(p, d);
	if (d->s.measure == PLAN_NO_ITEM)
		return build_figure(p, d) && !(d->leads = false);
	build_take_folds(d);
	return add_measure(d);
}

/* "by revenue", "by the number of orders", of the top 5 channels */
bool
build_ranked_by(struct plan *p, struct draft *d)
{
	bool rows = d->s.measure == PLAN_NO_ITEM;

	/* unlike "the highest price of each bike" */
	return d->rank != 0 && d->ngroups == 1 && !(rows && names_each(p, d->s.by, false)) && add_measured(p, d);
}

/* "channels and the revenue", "… and the number of orders", "models and the highest price" */
bool
build_with(struct plan *p, struct draft *d)
{
	bool figure = d->s.measure == PLAN_NO_ITEM && d->s.nfolds > 0;

	return d->rank == 0 && d->group_step == d->nsteps && !(figure && d->groups[0].item == 0) && add_measured(p, d);
}

/* "the most common plan", of riders */
bool
build_commonest(struct plan *p, struct draft *d)
{
	d->commonest = true;
	return build_groups(p, d) && count_rows(p, d) && plan_names_of(p, d->s.group, ASK_KIND_COLUMN, plan_root(p));
}

/* "borrowed", of loans, whose word or date it is */
static bool
is_happening(const struct plan *p, const struct draft *d)
{
	return (d->s.said_by == 0 ?
		       plan_names_of(p, d->s.item, ASK_KIND_EVENT, plan_root(p)) :
		       d->s.column.node == p->root && d->s.column.column == plan_source(p, p->root)->time) &&
	    !counts_has_quantity(p, plan_root(p));
}

/* "the most borrowed titles", by the number of loans */
bool
build_most_happened(struct plan *p, struct draft *d)
{
	return is_happening(p, d) && build_groups(p, d) && count_rows(p, d);
}

/* "which district is the most common" */
bool
build_is_commonest(struct plan *p, struct draft *d)
{
	d->s.group = d->groups[0].item;
	d->s.number = 0;
	/* "which genre is borrowed most often": no number of what is borrowed */
	if (d->ngroups != 1 || d->nrelated > 0)
		return false;
	d->ngroups = 0;
	return build_commonest(p, d);
}

/* "each director directed", whose verb it is */
bool
build_verb_of_group(struct plan *p, struct draft *d)
{
	return d->ngroups == 1 && d->group_step == d->nsteps && d->groups[0].item != PLAN_NO_ITEM &&
	    plan_names_column(p, d->groups[0].item, ASK_KIND_COLUMN, d->s.column);
}

/* "which bike was rented most" */
bool
build_is_most(struct plan *p, struct draft *d)
{
	return d->s.fold + 1 == p->q.n && p->q.items[d->s.fold].n == 1 && d->s.fold > 0 &&
	    (around_is_verb(p, d->s.fold - 1) || (d->s.fold > 1 && around_is_verb(p, d->s.fold - 2))) &&
	    build_is_commonest(p, d);
}

/* "the number of schools and the average enrollment", "the average age and the highest weight" */
bool
build_and_figure(struct plan *p, struct draft *d)
{
	struct draft_fold before[ASK_MEASURES_MAX];
	size_t n = d->nfolds, from = d->steps[d->nsteps - 1].end;

	if (!(plan_word(p, d->s.folds[0].item)->comma || plan_is_word(p, from, ASK_WORD_AND)) || !d->number ||
	    d->bare || d->values || d->nmeasures > 0 || (n == 0 && d->entity == PLAN_NO_ITEM) ||
	    n + d->s.nfolds > ASK_MEASURES_MAX)
		return false;
	memcpy(before, d->folds, sizeof(before));
	if (!build_figure(p, d))
		return false;
	d->both |= n == 0;
	memmove(d->folds + n, d->folds, d->nfolds * sizeof(d->folds[0]));
	memcpy(d->folds, before, n * sizeof(d->folds[0]));
	d->nfolds += n;
	return true;
}

/* "the average enrollment and the number of schools" */
bool
build_and_number(struct plan *p, struct draft *d)
{
	return d->number && d->nfolds > 0 && !d->both && d->nmeasures == 0 && (d->both = true) && build_number(p, d);
}

/* "the name of the customer": the mentioned rows themselves */
static bool
names_rows(const struct plan *p, const struct draft *d)
{
	const struct ask_entry *e;

	for (size_t k = 0; (e = plan_next_hit(p, d->groups[0].item, ASK_KIND_COLUMN, &k)) != NULL;)
		if (e->index == p->m->sources[e->source].label &&
		    plan_names_of(p, d->mentions[0], ASK_KIND_SOURCE, e->source))
			return true;
	return false;
}

/* "the country of the customer with the most orders" is that of one customer */
static bool
add_most(const struct plan *p, struct draft *d)
{
	/* "channels and the number of orders with the most orders" */
	d->leads |= d->counts && d->nmeasures == 0 && d->rank == 0 && !d->limited && !d->ordered;
	d->rank = d->s.extreme > 0 ? 1 : -1;
	d->most_of = true;
	return d->leads && d->ngroups == 1 && (d->nmentions == 0 || names_rows(p, d));
}

/* "which title was borrowed most", "am häufigsten ausgeliehen" */
bool
build_happened_most(struct plan *p, struct draft *d)
{
	d->s.extreme = p->q.items[d->s.fold].arg;
	return is_happening(p, d) && add_most(p, d) && count_rows(p, d);
}

/*
 * "which channel had the highest revenue", "… the most orders", "… the highest total amount", where the superlative
 * is no aggregate of the amount.
 */
bool
build_most_of(struct plan *p, struct draft *d)
{
	/* "hatte 2024 den höchsten Umsatz": German has the period in front */
	size_t before = p->q.language == ASK_GERMAN && span_is_str(span_str(d->steps[d->nsteps - 1].row), "period");

	/* "the largest city" is a row, by what is to be said */
	if (d->s.measure != PLAN_NO_ITEM && (d->nperiods + d->nconditions > before || is_word_of_rows(p, d->s.measure)))
		return false;
	if (d->s.measure == PLAN_NO_ITEM && d->s.nfolds == 0 && d->s.named && build_says_amount(p, d->s.item))
		return false;
	return (d->s.nfolds == 0 || ranks_figure(p, d)) && add_most(p, d) && add_measured(p, d);
}

static bool
add_having(struct plan *p, struct draft *d)
{
	bool range = plan_is_word(p, d->s.comparator, ASK_WORD_RANGE);

	/* "countries where customers have more than 3 orders" is on each customer */
	if (d->limited || d->ngroups != 1 || d->rank != 0 || d->s.negated || d->or_next ||
	    d->nmentions > (d->owner != PLAN_NO_ITEM || d->of_root))
		return false;
	/* "older than 30 with visits": not 30 visits */
	if (d->s.item > d->s.number_item && d->s.item < p->q.n && plan_reads_before(p, d->s.item, "with having mit"))
		return false;
	d->limited = true;
	for (size_t i = 0; i < d->nconditions; i++)
		if (build_is_of_group(p, d, p->m->nodes[d->conditions[i].is.at.node].source))
			return false;
	d->having = (struct plan_having){ .operator = range ? NULL : comparisons_operator(d->s.operator),
		.least = d->s.number, .most = d->s.upto };
	d->unit = d->s.said_unit;
	d->number_item = d->s.number_item;
	return true;
}

static bool
is_called(const struct ask_names *names, struct span text)
{
	const struct span *name;

	for (size_t k = 0; (name = ask_names_at(names, k)) != NULL; k++)
		if (span_is_folded(*name, text))
			return true;
	return false;
}

/* "claims with a reserve over 100": a column of each claim, as it is spelled, and no measure called "reserves". */
static bool
is_column_of_each(const struct plan *p, const struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.measure != PLAN_NO_ITEM ? d->s.measure : 0];
	bool column = false,
	     measure = d->s.measure == PLAN_NO_ITEM || d->owner != PLAN_NO_ITEM || d->ngroups != 1 ||
	    d->groups[0].item == PLAN_NO_ITEM || !around_names(p, d->groups[0].item, plan_root(p));

	for (size_t k = 0; k < it->nhits && !measure; k++) {
		const struct ask_source *s = &p->m->sources[it->hits[k]->source];

		if (it->hits[k]->kind == ASK_KIND_COLUMN && it->hits[k]->source == plan_root(p))
			column |= is_called(&s->columns[it->hits[k]->index].names, it->text);
		if (it->hits[k]->kind == ASK_KIND_MEASURE)
			measure |= is_called(&s->measures[it->hits[k]->index].names, it->text);
	}
	return column && !measure;
}

/*
 * "channels with more than 3 orders", "… with a revenue over 500 euros", "countries whose average age is over 30",
 * "deren Umsatz 2024 über 500 liegt".
 */
bool
build_having(struct plan *p, struct draft *d)
{
	return !is_column_of_each(p, d) &&
	    (d->s.period == PLAN_NO_ITEM || build_put_period(d, (struct plan_column){ p->root, ASK_NONE })) &&
	    add_having(p, d) && add_measured(p, d);
}

/* "customers who ordered at least 2 times" */
bool
build_having_times(struct plan *p, struct draft *d)
{
	return plan_names_of(p, d->s.item, ASK_KIND_EVENT, plan_root(p)) && !counts_has_quantity(p, plan_root(p)) &&
	    add_having(p, d) && count_rows(p, d);
}

/* "among stations" */
bool
build_overall(struct plan *p, struct draft *d)
{
	return plan_names_of(p, d->s.item, ASK_KIND_SOURCE, plan_root(p)) && build_mention(p, d);
}

/* "the latest order date" */
bool
build_latest(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	if (!plan_is_word(p, d->s.fold, ASK_WORD_LATEST) || d->s.column.node != p->root ||
	    s->columns[d->s.column.column].type != ASK_TYPE_TIME || p->m->governed || d->ncolumns > 0)
		return false;
	d->folds[0] = (struct draft_fold){ d->s.fold, d->s.column.column };
	d->nfolds = 1;
	return d->number = d->latest = true;
}

/* "When was the most recent order placed?" */
bool
build_when_latest(struct plan *p, struct draft *d)
{
	size_t next = spans_skip(p, d->s.item + 1);

	if (d->s.said_by == 0 && next < p->q.n && plan_names_any(p, next, ASK_KIND_DATE))
		return false;
	if (d->s.said_by == 0)
		d->s.column = (struct plan_column){ p->root, plan_source(p, p->root)->time };
	return d->s.column.column != ASK_NONE && build_latest(p, d);
}

/* "revenue in euros" */
bool
build_unit_said(struct plan *p, struct draft *d)
{
	(void)p;
	d->unit = d->s.said_unit;
	return d->nmeasures + d->nfolds > 0 && !d->limited;
}

/* "across all regions": the total; "across regions" may mean that or each region. */
bool
build_across(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.by];
	struct span total = plan_says(p, SAYS_IN_TOTAL, NULL);

	if (it->arg == 2 || d->ngroups > 0 ||
	    /* "above the average across all artists" */
	    (d->nconditions > 0 && d->conditions[d->nconditions - 1].is.test == PLAN_AVERAGE))
		return false;
	if (it->arg == 1 && !plan_is_answered(p, total))
		build_ask(p, d, SAYS_ONE_TOTAL, SPANS(it->text), total);
	return true;
}

/* "weekly number of orders" */
bool
build_grain_before(struct plan *p, struct draft *d)
{
	return p->q.items[d->s.group].arg >= ASK_GROUPS_BY_ITSELF && groups_is_grain(p, d->s.group) &&
	    add_group(d, false);
}

/* "orders" in "revenue of orders": checked when all is read. */
bool
build_mention(struct plan *p, struct draft *d)
{
	/* "with more than 1 visit and with open visits": others than those that are counted */
	if (d->nmentions == sizeof(d->mentions) / sizeof(d->mentions[0]) ||
	    plan_reads_before(p, d->s.item, "whose deren dessen") ||
	    build_is_of_group(p, d, plan_source_named(p, d->s.item)) ||
	    (d->limited && d->nmeasures + d->nfolds == 0 && plan_names_of(p, d->s.item, ASK_KIND_SOURCE, plan_root(p))))
		return false;
	d->mentions[d->nmentions++] = d->s.item;
	return true;
}

/* "bulk orders", "round trips", "guests": a state that stands for the rows which have it. */
bool
build_state_rows(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.value_item];
	const struct ask_entry *e = it->hits[0];
	struct plan_column at = { p->root, e->kind == ASK_KIND_VALUE ? e->index : 0 };
	struct plan_condition *c;
	bool rows = e->kind == ASK_KIND_SEGMENT;

	for (size_t w = it->first; w < it->first + it->n && it->n > 1; w++)
		rows |= spans_is_word_of_rows(p, w);
	d->bare = d->s.count == PLAN_NO_ITEM;
	d->number = true;
	if (!rows && (d->bare || !p->q.tokens[it->first + it->n - 1].plural))
		return false;
	d->at = DRAFT_ROOT;
	if (!rows && !plan_is_answered(p, plan_column_label(p, at)))
		build_ask_value_only(p, d, at);
	if ((c = build_add_condition(d, at, e->kind == ASK_KIND_VALUE ? PLAN_IS : PLAN_SEGMENT)) == NULL)
		return false;
	c->index = e->index;
	c->values[0] = e->value;
	c->nvalues = e->kind == ASK_KIND_VALUE;
	return true;
}

/* "share of web of the revenue" */
bool
build_share_value(struct plan *p, struct draft *d)
{
	d->number = true;
	return build_value(p, d) && build_measure(p, d);
}

/*
 * "how many customers ordered in 2024", "… placed an order": the different ones that rows of the root lead to, in its
 * window.  Of rows without a date it is read as "customers that have orders".
 */
static bool
count_through(const struct plan *p, struct draft *d)
{
	if (d->s.period != PLAN_NO_ITEM && !build_put_period(d, (struct plan_column){ p->root, ASK_NONE }))
		return false;
	d->through = d->s.rows;
	d->event = d->s.item;
	d->bare = d->s.count == PLAN_NO_ITEM;
	d->number = true;
	return d->s.nadjectives == 0 &&
	    (plan_source(p, p->root)->time != ASK_NONE || plan_source(p, d->s.parent)->time != ASK_NONE) &&
	    !d->before && !plan_says_all(p, 0, d->event) && d->s.parent < p->m->nsources &&
	    (d->s.distinct || !counts_has_quantity(p, plan_root(p)));
}

bool
build_through(struct plan *p, struct draft *d)
{
	bool happens = d->s.named ? d->s.distinct || counts_happens_before(p, d->s.item) :
				    plan_names_of(p, d->s.item, ASK_KIND_EVENT, plan_root(p));

	return happens && count_through(p, d);
}

/* "how many members borrowed", of loans whose date says so */
bool
build_through_date(struct plan *p, struct draft *d)
{
	d->date_said = d->s.column;
	d->s.item = d->s.said_by;
	return d->s.column.node == p->root && d->s.column.column == plan_source(p, p->root)->time &&
	    count_through(p, d);
}

/* "accounts signed up each month in 2025": the word of the period's date */
bool
build_date_word(struct plan *p, struct draft *d)
{
	if (d->date_said.column != ASK_NONE || d->s.column.node != p->root)
		return false;
	d->date_said = d->s.column;
	return true;
}

/* "rented a bike": the key that leads to one is there. */
bool
build_object(struct plan *p, struct draft *d)
{
	struct plan_column key = { d->s.parent, plan_key_column(plan_source(p, d->s.parent)) };
	size_t first = p->q.items[d->s.rows].first, len;
	const struct ask_word_row *article =
	    first == 0 ? NULL : ask_word(p->q.language, &p->q.tokens[first - 1], 1, ASK_WORD_WITH, &len);

	d->at = DRAFT_ROOT;
	return d->through != PLAN_NO_ITEM && article != NULL && article->arg == 1 && key.column != ASK_NONE &&
	    build_add_condition(d, key, PLAN_PRESENT) != NULL;
}

/* Take the listed columns as the groups.  False: one of them tells rows apart, or they may be of several sources. */
static bool
take_groups(const struct plan *p, struct draft *d, bool parents)
{
	if (d->s.nlist == 0 || d->s.nlist > 2 || p->m->governed || d->ngroups > 0 || d->ncolumns > 0)
		return false;
	for (size_t i = 0; i < d->s.nlist; i++) {
		/* a key is a group of what it leads to, which has a name */
		if ((d->s.list[i].node != p->root && !(parents && d->s.bare_behind)) ||
		    ask_tells_rows(plan_source(p, d->s.list[i].node), d->s.list[i].column) ||
		    ask_is_foreign(p->m, p->m->nodes[d->s.list[i].node].source,
			plan_source(p, d->s.list[i].node)->columns[d->s.list[i].column].names.name))
			return false;
		d->groups[d->ngroups].item = PLAN_NO_ITEM;
		d->groups[d->ngroups++].at = d->s.list[i];
	}
	d->bare = false;
	return true;
}

/* "each denomination and the number of schools", "each class and the average age of captains" */
bool
build_groups_columns(struct plan *p, struct draft *d)
{
	return (d->s.nfolds > 0 ? build_figure(p, d) : build_number(p, d)) && take_groups(p, d, true);
}

/* "the different countries, ordered by the number of members": groups are different ones anyway. */
bool
build_values_by_number(struct plan *p, struct draft *d)
{
	d->s.distinct = false;
	return build_groups_columns(p, d) && build_groups_ordered(p, d);
}

/* "the type of parcel with the highest average weight", "… with the most parcels", "… that is the most common" */
bool
build_columns_most(struct plan *p, struct draft *d)
{
	size_t first = spans_skip(p, 0);
	const struct ask_item *listed = &p->q.items[first];
	bool folds = d->s.nfolds > 0;

	if (folds && !ranks_figure(p, d))
		return false;
	d->rank = (folds ? d->s.extreme : p->q.items[d->s.fold].arg) > 0 ? 1 : -1;
	d->places = p->q.tokens[listed->first + listed->n - 1].plural ? 0 : 1;
	d->most_of = d->places == 1;
	d->counts = !folds;
	return d->s.nlist == 1 && d->places == 1 && (folds ? build_figure(p, d) : build_number(p, d)) &&
	    take_groups(p, d, !folds && plan_is_extreme(p, d->s.fold, ASK_COMMONEST));
}

/* "how many students for each position": the different ones that tryouts lead to, which have the position. */
bool
build_number_linked(struct plan *p, struct draft *d)
{
	const struct ask_routes *routes = around_routes(p, p->root);

	d->counted = d->near = d->s.parent;
	d->through = d->s.rows;
	d->number = true;
	return routes != NULL && d->s.parent < p->m->nsources && routes->hops[d->s.parent] == 1 &&
	    d->s.nadjectives == 0 && !d->before && counts_every_row(p, plan_root(p)) &&
	    plan_key_column(plan_source(p, d->s.parent)) != ASK_NONE &&
	    !ask_item_names_number(p->m, &p->q.items[d->s.rows]) && (d->s.nlist == 0 || take_groups(p, d, true));
}

/* "which position has the most students", to which tryouts lead */
bool
build_most_linked(struct plan *p, struct draft *d)
{
	d->counts = true;
	return add_most(p, d) && d->nmeasures == 0 && build_number_linked(p, d) && !(d->leads = false);
}

/* "the number of schools for each denomination"; the groups may be named again: "each class and … in each class" */
bool
build_groups_by(struct plan *p, struct draft *d)
{
	bool same = d->ngroups > 0 && d->s.nlist == d->ngroups;

	for (size_t i = 0; i < d->s.nlist && same; i++)
		same = d->groups[i].item == PLAN_NO_ITEM && d->s.list[i].node == d->groups[i].at.node &&
		    d->s.list[i].column == d->groups[i].at.column;
	return same ||
	    (d->number && !d->bare && !d->values && !d->and_next && !d->or_next && d->last == DRAFT_ROOT &&
		take_groups(p, d, false));
}

/* "the number of orders of each", "… for each customer" */
bool
build_groups_each(struct plan *p, struct draft *d)
{
	(void)p;
	return (d->ngroups > 0 && d->groups[0].item == PLAN_NO_ITEM && d->s.item == 0) || d->by_row;
}

/* Whether "most expensive first" is said of the column: a size of any number, the latest of a date. */
static bool
is_first_by(const struct plan *p, const struct draft *d, struct plan_column at)
{
	const struct ask_column *c = plan_column(p, at);

	if (d->s.word.len == 0)
		return true;
	if (ask_is_any(d->s.word, "latest newest recent earliest neueste neuesten früheste"))
		return c->type == ASK_TYPE_TIME;
	return c->type == ASK_TYPE_NUMBER &&
	    (ask_is_any(d->s.word, words_of_size) || comparisons_is_of_degree(p, d->s.word, c, true));
}

/* "each denomination and the number of schools in descending order": in the order of the figure. */
bool
build_groups_ordered(struct plan *p, struct draft *d)
{
	bool groups = d->ngroups > 0 && d->number && d->rank == 0;
	struct plan_column last = d->columns[d->ncolumns > 0 ? d->ncolumns - 1 : 0];
	/* "the halls and their area, largest first" */
	bool its = d->rows && d->ncolumns == 2 && d->nsteps > 1 &&
	    span_is_str(span_str(d->steps[d->nsteps - 1].row), "and_its") && last.node == p->root &&
	    plan_column(p, last)->type != ASK_TYPE_TEXT;

	/* "the names in descending order": of the names; "the parts, most expensive first": by their only price */
	if (!groups && !d->by_row && !d->s.named && d->s.count == PLAN_NO_ITEM && (d->ncolumns == 1 || its) &&
	    !d->number && last.node == p->root) {
		d->s.column = last;
		if ((!d->rows || its) && is_first_by(p, d, last))
			return build_ordered(p, d);
		if (its || d->s.word.len == 0 || columns_of_degree(p, p->root, d->s.word, &d->s.column) != 1)
			return false;
		d->assumption =
		    plan_says(p, SAYS_TAKEN_BY, SPANS(d->s.word, ask_label(p->a, &plan_column(p, d->s.column)->names)));
		return build_ordered(p, d);
	}
	if (!(groups || d->by_row) || d->ordered || d->nfolds > 1 || d->nmeasures > 1 || d->and_next || d->or_next ||
	    (d->s.named && !groups) || (d->s.word.len > 0 && !ask_is_any(d->s.word, words_of_size)))
		return false;
	d->descending = d->s.direction < 0;
	return d->ordered = true;
}

/* "how many different cities": of the values of the only column. */
bool
build_groups_values(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	/* "how many different crews", of a column crew of the source crew */
	if (d->s.nlist != 1 || d->s.list[0].node != p->root ||
	    /* "how many different titles", which are called so and have one */
	    (d->s.list[0].column == s->label && around_names(p, spans_skip(p, d->s.distinct_item + 1), plan_root(p))) ||
	    span_is_folded(s->columns[d->s.list[0].column].names.name, s->names.name) || !d->s.named)
		return false;
	d->columns[0] = d->s.list[0];
	d->ncolumns = 1;
	return d->number = d->values = true;
}
