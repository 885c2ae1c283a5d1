#include "ask/comparisons.h"
#include "ask/counts.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"
#include "ask/readings/spans.h"

static bool rank_rows(struct plan *p, struct draft *d, struct plan_column at, bool descending);

/* "the first 3" are those in the order that is asked for. */
static bool
order_by(struct plan *p, struct draft *d, struct plan_column at, bool descending)
{
	/* "employees of the branch Bonn, sorted by name" */
	if (d->bare && d->s.order != PLAN_NO_ITEM && !d->ordered && !build_name_rows(p, d))
		return false;
	if (d->ordered || d->number || d->leads || d->or_next)
		return false;
	if (d->places > 0 && d->top == 0 && !d->first) {
		d->s.number = (double)d->places;
		return rank_rows(p, d, at, descending);
	}
	d->ordered = true;
	d->spelled = d->s.spelled;
	d->descending = descending;
	d->order = at;
	d->and_next = false;
	return true;
}

bool
build_ordered(struct plan *p, struct draft *d)
{
	bool listed = d->rows || d->owned || around_is_named(p, p->root);

	for (size_t i = 0; i < d->ncolumns; i++)
		listed |= d->columns[i].node == d->s.column.node && d->columns[i].column == d->s.column.column;
	return listed && d->s.column.node == p->root && order_by(p, d, d->s.column, d->s.direction < 0);
}

/* "by city, then by age": where only the first rows are asked for, those of the same city have the same place. */
bool
build_then_ordered(struct plan *p, struct draft *d)
{
	if (!d->ordered || d->most || d->places > 0 || d->first || d->nthen == ASK_THEN_MAX || d->or_next ||
	    d->s.column.node != p->root)
		return false;
	d->then[d->nthen].at = d->s.column;
	d->then[d->nthen++].descending = d->s.direction < 0;
	return true;
}

bool
build_alphabetical(struct plan *p, struct draft *d)
{
	/* "artists in alphabetical order of their country" is not that of their names */
	for (size_t i = 0; d->bare && i + 1 < p->q.n; i++)
		if (plan_is_word(p, i, ASK_WORD_ALPHABETICAL) &&
		    plan_reads_behind(p, i, "of by nach von der des ihrer ihres"))
			return false;
	if (d->bare && !build_name_rows(p, d))
		return false;
	for (size_t i = 0; i < d->ncolumns; i++)
		if (plan_source(p, d->columns[i].node)->columns[d->columns[i].column].type == ASK_TYPE_TEXT)
			return order_by(p, d, d->columns[i], d->s.direction < 0);
	return false;
}

/* A row without the number has no rank. */
static bool
rank_rows(struct plan *p, struct draft *d, struct plan_column at, bool descending)
{
	double places = d->s.number > 0 || d->top != 0 ? d->s.number : (double)d->places;

	/* "the top 5 cities with the highest population", and no "bottom 5" of these */
	if ((d->places > 0 && places > 0 && places != (double)d->places) || (d->top != 0 && (d->top > 0) != descending))
		return false;
	places = places > 0 ? places : (double)d->places;
	d->at = DRAFT_ROOT;
	if (at.node != p->root || d->and_next || (d->bare && !build_name_rows(p, d)) ||
	    !counts_tells_rows(p, plan_root(p)) || places < 0 || places > 1000 || places != (double)(size_t)places ||
	    build_add_condition(d, at, PLAN_PRESENT) == NULL)
		return false;
	d->first = true;
	d->places = (size_t)places;
	return order_by(p, d, at, descending);
}

/* "list the branches by floor area", "show them by date": rows in that order; a text may tell groups of them. */
static bool
lists_by(const struct plan *p, const struct draft *d)
{
	const struct ask_column *c = plan_column(p, d->s.column);

	return spans_asks_list(p, d->steps[0].end) && d->rows && !plan_reads(p, 0, "who wer") &&
	    p->q.items[d->s.by].n == 1 && plan_reads(p, p->q.items[d->s.by].first, "by nach") &&
	    (c->type == ASK_TYPE_NUMBER || c->type == ASK_TYPE_TIME ||
		d->s.column.column == plan_source(p, d->s.column.node)->label);
}

/* "sort the products by price", "the top 3 products by price" */
bool
build_sorted_by(struct plan *p, struct draft *d)
{
	if (d->top == 0)
		return (d->sorted || lists_by(p, d)) && build_ordered(p, d);
	d->s.number = (double)d->places;
	return d->s.direction == 0 && plan_column(p, d->s.column)->type == ASK_TYPE_NUMBER &&
	    rank_rows(p, d, d->s.column, d->top > 0);
}

/* The condition that a row of another source has the highest or lowest value of all rows. */
static bool
add_highest(struct plan *p, struct draft *d, struct plan_column at, bool highest)
{
	struct plan_condition *c;

	if (p->m->governed || d->and_next || d->or_next || d->s.nadjectives > 0 ||
	    !counts_every_row(p, p->m->nodes[at.node].source) || (c = build_add_condition(d, at, PLAN_EXTREME)) == NULL)
		return false;
	c->negated = !highest;
	return true;
}

/* A number is the highest, a date or a year the latest. */
static bool
is_ranked_by(const struct plan *p, const struct draft *d)
{
	const struct ask_column *c = plan_column(p, d->s.column);
	struct span word = plan_word(p, d->s.fold)->folded;

	if (!plan_is_word(p, d->s.fold, ASK_WORD_LATEST))
		return c->type == ASK_TYPE_NUMBER;
	/* the youngest have the latest date, and the oldest years are the first */
	return (c->type == ASK_TYPE_TIME || (c->type == ASK_TYPE_NUMBER && comparisons_holds_years(c))) &&
	    !ask_is_degree(p->q.language, word, SPAN(""), false);
}

/*
 * "which capital has the most people": a state's people are none of its capital's where cities have some, too, and the
 * most of a country is the sum of its rows.
 */
static bool
is_of_group(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	const struct ask_entry *e;
	uint32_t c = d->columns[0].column;
	bool others = d->s.extreme == ASK_MOST || d->s.extreme == -ASK_MOST;

	for (size_t k = 0; (e = plan_next_hit(p, d->s.said_by, ASK_KIND_COLUMN, &k)) != NULL;)
		others |= e->source != plan_root(p);
	/* "which state capital", unlike "the capital of the state" */
	size_t end = d->steps[0].end;
	const struct ask_item *last = &p->q.items[end - 1];
	bool owned = d->owned && !(end > 1 && around_names(p, end - 2, plan_root(p))) &&
	    !(last->n > 1 && spans_is_word_of_rows(p, last->first));

	return others && d->ncolumns == 1 && !d->rows && !owned && d->columns[0].node == p->root &&
	    !ask_tells_rows(s, c);
}

bool
build_superlative(struct plan *p, struct draft *d)
{
	/* "density of the smallest state" is in no order of density */
	const struct ask_item *column = &p->q.items[d->s.said_by];

	if (is_of_group(p, d) || plan_reads_before(p, d->s.fold, "a an") ||
	    (d->s.fold > d->s.said_by && plan_reads(p, column->first + column->n, "of von der des")))
		return false;
	/* "the orders of the customer with the highest age" */
	if (d->s.column.node != p->root)
		return (d->pending || (d->at != DRAFT_ROOT && d->at == d->last && !d->related[d->at].negated)) &&
		    d->s.number == 0 && !plan_is_word(p, d->s.fold, ASK_WORD_LATEST) &&
		    plan_column(p, d->s.column)->type == ASK_TYPE_NUMBER &&
		    add_highest(p, d, d->s.column, d->s.extreme > 0);
	return d->at == DRAFT_ROOT && is_ranked_by(p, d) && rank_rows(p, d, d->s.column, d->s.extreme > 0);
}

/* "the room with the maximum occupancy", a column of this name, which each room has */
bool
build_extreme_name(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.said_by];
	const struct ask_word_row *row;
	size_t len;

	row = ask_word(p->q.language, &p->q.tokens[it->first], 1, ASK_WORD_EXTREME, &len);
	d->s.extreme = row == NULL ? 0 : row->arg;
	d->s.number = 0;
	return d->s.with && it->n > 1 && (d->s.extreme == 1 || d->s.extreme == -1) && !d->number &&
	    d->at == DRAFT_ROOT && plan_column(p, d->s.column)->type == ASK_TYPE_NUMBER &&
	    d->s.column.node == p->root && it->first > 0 && plan_reads(p, it->first - 1, "the") &&
	    rank_rows(p, d, d->s.column, d->s.extreme > 0);
}

/* "which peak is the highest in height" */
bool
build_is_highest(struct plan *p, struct draft *d)
{
	return d->rows && d->nsteps == 1 && build_superlative(p, d);
}

/* "cars built in the earliest year" */
bool
build_in_latest(struct plan *p, struct draft *d)
{
	size_t first = p->q.items[d->s.fold].first;

	return (d->rows || d->owned) && first > 1 && plan_reads(p, first - 2, "in") &&
	    plan_reads(p, first - 1, "the") && plan_is_word(p, d->s.fold, ASK_WORD_LATEST) && d->at == DRAFT_ROOT &&
	    d->s.column.node == p->root && comparisons_holds_years(plan_column(p, d->s.column)) &&
	    build_superlative(p, d);
}

/* Whether a word of the name is one of those that belong to `what`: "birth" to "born". */
static bool
is_called(const struct ask_names *names, const char *what)
{
	bool is = false;

	for (size_t i = 0; i < names->words.n; i++)
		is |= ask_is_degree(ASK_ENGLISH, span_str(what), names->words.t[i].folded, false) ||
		    ask_is_degree(ASK_ENGLISH, span_str(what), names->words.t[i].stem, false);
	return is;
}

static bool
is_person(const struct ask_source *s)
{
	bool is = is_called(&s->names, "person");

	for (uint32_t c = 0; c < s->ncolumns; c++)
		is |= s->columns[c].of_person || is_called(&s->columns[c].names, "person");
	return is;
}

static bool
is_dated(const struct ask_column *c)
{
	return (c->time && ask_is_shown(c)) ||
	    (comparisons_holds_years(c) && (is_called(&c->names, "born") || is_called(&c->names, "dated")));
}

/*
 * The dates that "oldest" may mean: that of the birth; without one, of what is no person, when it was made, and of
 * "newest" when it came.  "Latest" means any date.  Returns how many there are.
 */
static size_t
dates_compared(const struct plan *p, uint32_t node, struct span word, struct plan_column *at)
{
	const struct ask_source *s = plan_source(p, node);
	bool degree = ask_is_degree(p->q.language, word, SPAN(""), false), person = degree && is_person(s);
	bool newest = ask_is_any(word, "newest neueste neuesten");
	size_t n = 0;

	for (unsigned born = degree && !newest ? 2 : 1; born-- > 0 && n == 0;)
		for (uint32_t c = 0; c < s->ncolumns; c++) {
			const struct ask_column *column = &s->columns[c];

			/* the oldest car is not the one that was sold first */
			if (!is_dated(column) ||
			    (born ? !is_called(&column->names, "born") :
				    (column->time ? s->time != ASK_NONE && s->time != c : !degree) ||
					(degree && !(newest && is_called(&column->names, "entered")) &&
					    (person || !is_called(&column->names, "dated")))))
				continue;
			*at = (struct plan_column){ node, c };
			n++;
		}
	return n;
}

/* The column of the node that "oldest" compares: an age, else a date or a year.  False: none, or several. */
static bool
extreme_column(const struct plan *p, struct draft *d, uint32_t node, struct plan_column *at, bool *descending)
{
	const struct ask_source *s = plan_source(p, node);
	const struct ask_item *it = &p->q.items[d->s.fold];
	struct span word = p->q.tokens[it->first + it->n - 1].folded;
	bool latest = plan_is_word(p, d->s.fold, ASK_WORD_LATEST);
	size_t n, dates = 0;

	*descending = d->s.extreme > 0;
	for (uint32_t c = 0; c < s->ncolumns; c++)
		if ((comparisons_is_own_number(p, (struct plan_column){ node, c }) ||
			(latest && is_dated(&s->columns[c]))) &&
		    plan_is_answered(p, ask_label(p->a, &s->columns[c].names))) {
			*at = (struct plan_column){ node, c };
			return true;
		}
	n = columns_of_degree(p, node, word, at);
	/* the oldest has the highest age, and the earliest date */
	if (n > 0 && latest)
		*descending = d->s.extreme < 0;
	if (n == 0 && latest)
		dates = dates_compared(p, node, word, at);
	return n + dates == 1 || (n + dates == 0 && latest && comparisons_column_of_years(p, node, at));
}

/* The same column, which the answer tells. */
static bool
take_extreme(struct plan *p, struct draft *d, uint32_t node, struct plan_column *at, bool *descending)
{
	if (!extreme_column(p, d, node, at, descending))
		return false;
	d->assumption = plan_says(p, SAYS_TAKEN_BY,
	    SPANS(p->q.items[d->s.fold].text, ask_label(p->a, &plan_column(p, *at)->names)));
	return true;
}

/* "the orders of the oldest customer" */
bool
build_of_extreme(struct plan *p, struct draft *d)
{
	struct plan_column at;
	bool highest;

	d->at = d->last;
	if (!build_parent(p, d) || !take_extreme(p, d, d->near, &at, &highest) || !add_highest(p, d, at, highest))
		return false;
	d->pending = false;
	return true;
}

/* "the oldest employee", of whom the day of hiring alone is known: the user has to say so first. */
static bool
asks_which_date(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	struct ask_clarification *q = NULL;

	for (uint32_t c = 0; c < s->ncolumns && plan_is_word(p, d->s.fold, ASK_WORD_LATEST); c++)
		if (is_dated(&s->columns[c]) &&
		    (q != NULL ||
			(q = build_ask(p, d, SAYS_BY_WHICH_DATE, SPANS(p->q.items[d->s.fold].text), SPAN_NONE)) !=
			    NULL))
			plan_suggest(q, ask_label(p->a, &s->columns[c].names));
	return q != NULL;
}

static bool
add_extreme(struct plan *p, struct draft *d)
{
	struct plan_column at;
	bool descending;

	return take_extreme(p, d, p->root, &at, &descending) ? rank_rows(p, d, at, descending) : asks_which_date(p, d);
}

static bool
take_places(struct draft *d)
{
	d->places = d->s.number >= 1 && d->s.number <= 1000 ? (size_t)d->s.number : 0;
	return d->places > 0 && (double)d->places == d->s.number;
}

/*
 * Columns of rows, or the rows: "the names of customers", "the first 3 customers", in the order that follows, "the top
 * 3 products by price", "sort the names by age", "customers ordered by city", "the three oldest students".
 */
bool
build_list(struct plan *p, struct draft *d)
{
	bool extreme = d->s.fold != PLAN_NO_ITEM, top = d->s.top != PLAN_NO_ITEM && !extreme;

	if (d->s.number_item != PLAN_NO_ITEM && !extreme && !take_places(d))
		return false;
	if (d->s.nlist > 0 ? !build_columns(p, d) : !build_rows(p, d))
		return false;
	d->top = top ? d->s.extreme : 0;
	d->sorted = top || d->s.order != PLAN_NO_ITEM;
	return (!extreme || add_extreme(p, d)) && (!d->s.said || build_ordered(p, d));
}

/* "the highest fine", of which the only number is one of money: the highest amount */
bool
build_highest_of(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	size_t n = 0;

	for (uint32_t c = 0; c < s->ncolumns; c++)
		if (comparisons_is_own_number(p, (struct plan_column){ p->root, c })) {
			d->s.column = (struct plan_column){ p->root, c };
			n++;
		}
	d->s.folds[0] = (struct draft_fold){ d->s.fold, d->s.column.column };
	d->s.nfolds = 1;
	return n == 1 && ask_is_money(plan_column_unit(p, plan_column(p, d->s.column))) && s->label == ASK_NONE &&
	    d->s.number == 0 && plan_is_word(p, d->s.fold, ASK_WORD_EXTREME) &&
	    ask_is_any(plan_last_word(p, d->s.fold)->folded, "highest lowest höchste höchsten höchster niedrigste") &&
	    !plan_last_word(p, d->s.item)->plural && build_figure(p, d);
}

/* "which branch was opened first", "hired last" */
bool
build_dated_extreme(struct plan *p, struct draft *d)
{
	d->s.number = 0;
	return d->s.fold + 1 == p->q.n && plan_is_word(p, d->s.fold, ASK_WORD_LATEST) && d->s.column.node == p->root &&
	    ask_is_any(plan_word(p, d->s.fold)->folded, "first last zuerst zuletzt") && !d->ordered &&
	    rank_rows(p, d, d->s.column, d->s.extreme > 0);
}

/* "the five largest districts by population" */
bool
build_extreme_by(struct plan *p, struct draft *d)
{
	bool plain = plan_is_word(p, d->s.fold, ASK_WORD_EXTREME) && (d->s.extreme == 1 || d->s.extreme == -1);

	if (!plain || plan_column(p, d->s.column)->type != ASK_TYPE_NUMBER || d->s.column.node != p->root ||
	    !plan_reads(p, p->q.items[d->s.by].first, "by nach") ||
	    (d->s.number_item != PLAN_NO_ITEM && !take_places(d)) || !build_rows(p, d))
		return false;
	return rank_rows(p, d, d->s.column, d->s.extreme > 0);
}

/* "Which building is the tallest" */
bool
build_is_extreme(struct plan *p, struct draft *d)
{
	bool names = d->ncolumns == 1 && d->columns[0].node == p->root && !d->distinct &&
	    d->columns[0].column == plan_source(p, p->root)->label;

	return d->nsteps == 1 && (d->rows || names) && d->ncolumns > 0 && d->nconditions + d->nrelated == 0 &&
	    d->places == 0 && !d->ordered && add_extreme(p, d);
}

/* "How old is Ada": the number of the row that a value names; "How old is the youngest person" */
bool
build_how_degree(struct plan *p, struct draft *d)
{
	d->columns[0] = d->s.column;
	d->ncolumns = 1;
	d->loose = true;
	d->owned = d->s.fold != PLAN_NO_ITEM;
	return d->s.fold == PLAN_NO_ITEM || add_extreme(p, d);
}

/* The value names a row of the root, which the listed column is of. */
static bool
take_row(struct plan *p, struct draft *d, struct plan_column listed)
{
	d->columns[0] = listed;
	d->ncolumns = 1;
	return d->loose = d->s.value.node == plan_root(p) && !d->s.noun &&
	    d->s.value.column == plan_source(p, p->root)->label &&
	    build_add_value(p, d, (struct plan_column){ p->root, d->s.value.column }, false);
}

/* "When did Riverside open", "When was Dune published": a date or a year of the row. */
bool
build_when_of(struct plan *p, struct draft *d)
{
	const struct ask_column *c = plan_column(p, d->s.column);

	return d->s.column.node == p->root && ask_is_shown(c) &&
	    (c->type == ASK_TYPE_TIME || comparisons_holds_years(c)) && take_row(p, d, d->s.column);
}

/* "who is the manager of Riverside": what names the row to which a join of that name leads. */
bool
build_row_joined(struct plan *p, struct draft *d)
{
	uint32_t to = d->s.parent;
	const struct ask_routes *routes = around_routes(p, p->root);
	struct plan_column who = { to, plan_source(p, to)->label };

	return to >= p->m->nsources && plan_names_any(p, d->s.rows, ASK_KIND_ALIAS) && routes != NULL &&
	    routes->hops[to] == 1 && d->s.nadjectives == 0 && who.column != ASK_NONE &&
	    plan_reads(p, p->q.items[d->s.value_item].first - 1, "of von") && ask_is_shown(plan_column(p, who)) &&
	    (d->behind = d->owned = take_row(p, d, who));
}

/* "Who wrote Dune": what names the row to which the verb's join leads. */
bool
build_who_did(struct plan *p, struct draft *d)
{
	struct plan_column who = { ASK_NONE, ASK_NONE };
	const struct ask_entry *e;

	for (size_t i = 0; i < p->q.n; i++)
		for (size_t k = 0; around_is_verb(p, i) && (e = plan_next_hit(p, i, ASK_KIND_VERB, &k)) != NULL;) {
			if (e->source != p->root)
				continue;
			if (who.node != ASK_NONE && who.node != e->index)
				return false;
			who = (struct plan_column){ e->index, plan_source(p, e->index)->label };
		}
	return plan_reads(p, 0, "who wer") && who.node != ASK_NONE && who.column != ASK_NONE &&
	    ask_is_shown(plan_column(p, who)) && (d->behind = d->owned = take_row(p, d, who));
}

/* The rows in an order of those that lead to them. */
static bool
rank_by_related(struct plan *p, struct draft *d)
{
	bool first = d->nrelated == 0, names = false;

	/* "stadium name and capacity", unlike "product category" */
	for (size_t i = 0; i < d->ncolumns; i++)
		names |= d->columns[i].node == p->root && ask_tells_rows(plan_source(p, p->root), d->columns[i].column);

	for (size_t i = 0; i < d->ncolumns; i++)
		/* a row without a parent is not counted; "which city has the most customers", by their address, is
		 * about cities */
		first &= d->columns[i].node == p->root &&
		    ((d->owned && (!d->compound || names)) || d->rows ||
			ask_tells_rows(plan_source(p, p->root), d->columns[i].column));
	if (!first || d->ordered || (d->number && !d->bare) || (d->bare && !build_name_rows(p, d)) ||
	    !build_add_related(p, d, false, NULL))
		return false;
	d->descending = d->s.extreme >= 0;
	return d->ordered = d->most = d->first = true;
}

/* "the most orders".  What has the fewest may have none: those that have some are ranked. */
bool
build_most(struct plan *p, struct draft *d)
{
	if ((d->s.distinct && !plan_has_key(&p->m->sources[d->s.related])) || build_says_amount(p, d->s.rows) ||
	    counts_may_be_column(p, d->s.rows, p->m->nodes[d->s.related].source, plan_root(p)) ||
	    counts_defines_number(p, p->m->nodes[d->s.related].source) || !rank_by_related(p, d))
		return false;
	if (!d->descending)
		d->assumption = plan_says(p, SAYS_RANKED_SOME, NULL);
	return true;
}

/*
 * The rows in the order of the highest, or lowest, of a column of those that lead to them; last: the item that ends it.
 * "the highest rates", without a number of them, may be those of all that belong to a row.
 */
static bool
rank_by_highest(struct plan *p, struct draft *d, struct plan_column at, bool highest, size_t last)
{
	if (d->s.distinct || d->s.through != ASK_NONE || (d->places == 0 && plan_last_word(p, last)->plural) ||
	    !rank_by_related(p, d))
		return false;
	d->descending = highest;
	d->folds[d->nfolds++] = (struct draft_fold){ d->s.fold, at.column };
	d->at = d->last;
	return build_add_condition(d, at, PLAN_PRESENT) != NULL;
}

/*
 * "the room with the highest rate", "… with the highest reservation rate": of one of its reservations.  "The highest
 * rating" and "the highest population" may be of all that belong to a row, together.
 */
bool
build_superlative_related(struct plan *p, struct draft *d)
{
	const struct ask_column *c = plan_column(p, d->s.column);
	struct span word = plan_last_word(p, d->s.fold)->folded;
	bool named = d->s.rows != d->s.said_by;

	return (comparisons_is_of_degree(p, SPAN("singly"), c, true) ||
		   (named &&
		       (comparisons_is_of_degree(p, SPAN("money"), c, true) ||
			   comparisons_is_of_degree(p, word, c, true)))) &&
	    comparisons_is_own_number(p, d->s.column) && d->s.column.node == d->s.related &&
	    !plan_names_any(p, d->s.said_by, ASK_KIND_MEASURE) && plan_is_word(p, d->s.fold, ASK_WORD_EXTREME) &&
	    rank_by_highest(p, d, d->s.column, d->s.extreme > 0, d->s.said_by);
}

/* "the team of the oldest player" */
bool
build_of_extreme_rows(struct plan *p, struct draft *d)
{
	struct plan_column at;
	bool highest;

	return take_extreme(p, d, d->s.related, &at, &highest) && rank_by_highest(p, d, at, highest, d->s.rows);
}

/* The number of related rows for each of those that have some. */
static bool
add_number_of_each(struct plan *p, struct draft *d)
{
	if ((d->s.through == ASK_NONE && !plan_has_key(&p->m->sources[d->s.related])) || !build_most(p, d))
		return false;
	d->first = false;
	return d->by_row = true;
}

/* "customers in descending order of the number of orders" */
bool
build_groups_ranked(struct plan *p, struct draft *d)
{
	if (d->ordered || d->nrelated > 0 || d->places > 0 || !add_number_of_each(p, d))
		return false;
	d->descending = d->s.direction < 0;
	return true;
}

/* "the names of customers and the number of orders", "for each customer, the number of orders" */
bool
build_groups_related(struct plan *p, struct draft *d)
{
	bool rows = d->s.nlist == 0;

	/* "cities of customers and the number of orders": of each city, or of each customer? */
	for (size_t i = 0; i < d->s.nlist; i++)
		rows |= (d->s.list[i].node == p->root && ask_tells_rows(plan_source(p, p->root), d->s.list[i].column));
	if (!rows || (d->s.nlist > 0 ? !build_columns(p, d) : !build_rows(p, d)) || !add_number_of_each(p, d))
		return false;
	if (d->s.nlist > 0)
		d->loose = d->distinct = false;
	d->ordered = false;
	return true;
}
