#include "ask/comparisons.h"
#include "ask/periods.h"

/* The date of the root that the user chose in an answer.  False: none. */
static bool
answered_date(const struct plan *p, struct plan_column *out)
{
	const struct ask_source *s = plan_source(p, p->root);

	for (uint32_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].time && !s->columns[i].internal &&
		    plan_is_answered(p, ask_label(p->a, &s->columns[i].names))) {
			*out = (struct plan_column){ p->root, i };
			return true;
		}
	return false;
}

uint32_t
periods_only_date(const struct ask_source *s, size_t *n)
{
	uint32_t found = ASK_NONE;

	*n = 0;
	for (uint32_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].time && !s->columns[i].internal) {
			found = i;
			++*n;
		}
	return found;
}

void
periods_suggest_dates(struct plan *p, struct ask_clarification *q)
{
	const struct ask_source *s = plan_source(p, p->root);

	for (uint32_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].time && !s->columns[i].internal)
			plan_suggest(q, ask_label(p->a, &s->columns[i].names));
}

bool
periods_ask_state(struct plan *p, size_t word, size_t period, struct plan_column *date)
{
	if (answered_date(p, date))
		return true;
	periods_suggest_dates(p,
	    plan_ask(p, SAYS_WHEN_OR_WHICH, SPANS(p->q.items[word].text, p->q.items[period].text)));
	return false;
}

bool
periods_parent_date(struct plan *p, struct plan_column *out)
{
	uint32_t nearest = ASK_NONE;
	size_t n = 0;

	for (uint32_t i = 0; i < p->m->nnodes; i++) {
		if (i == p->root || plan_source(p, i)->time == ASK_NONE || p->routes.hops[i] > nearest)
			continue;
		n = p->routes.hops[i] < nearest ? 1 : n + 1;
		nearest = p->routes.hops[i];
		*out = (struct plan_column){ i, plan_source(p, i)->time };
	}
	if (n != 1 || nearest == ASK_NONE)
		return false;
	plan_note(p, SAYS_PERIOD_IS_OF, SPANS(plan_field(p, *out)));
	return true;
}

/* The date of the row itself: invoice_date of invoices, the date of races.  ASK_NONE: none, or several. */
static uint32_t
own_date(const struct ask_source *s)
{
	return ask_only_ending(s, "date datetime timestamp day datum", true);
}

/* Whether the only date says when each row happened: placed_on, sold_at, ordered_at of orders. */
static bool
is_date_of_event(const struct plan *p, const struct ask_source *s)
{
	size_t dates;
	struct ask_words name = s->columns[periods_only_date(s, &dates)].names.words, rows = s->names.words;
	struct span row, verb;

	if (name.n == 0 || name.n > 2 || rows.n == 0)
		return false;
	row = rows.t[rows.n - 1].stem;
	verb = name.t[0].folded;
	/* ordered_at of orders, visited_on of visits */
	return ask_is_any(verb,
		   "placed sold bought purchased issued booked invoiced occurred happened "
		   "bestellt verkauft gekauft gebucht") ||
	    (ask_is_participle(p->q.language, verb) && row.len > 3 && verb.len >= row.len &&
		span_is(span_of(verb.p, row.len), row));
}

/* Whether "by month" groups by a date of the rows themselves: then a count in a period is not the state on a day. */
static bool
groups_dates(const struct plan *p)
{
	for (size_t i = 0; i < p->ndimensions; i++)
		if (p->dimensions[i].grain >= 0)
			return true;
	return false;
}

/* The date that windows use when the question names none.  False: the user is asked, or the question is refused. */
static bool
default_date(struct plan *p, struct plan_column *out)
{
	const struct ask_source *s = plan_source(p, p->root);
	uint32_t own = p->through ? ASK_NONE : own_date(s), only;
	size_t n;

	*out = (struct plan_column){ p->root, s->time };
	if (s->time != ASK_NONE)
		return true;
	only = periods_only_date(s, &n);
	/*
	 * A measure uses the source's only date.  A count may mean the state on a day, so it does not without groups,
	 * but of rows that are placed or sold on a day.
	 */
	if (n == 1 && (!p->counted || groups_dates(p) || (!p->through && is_date_of_event(p, s))))
		own = only;
	if (own != ASK_NONE) {
		out->column = own;
		plan_note(p, SAYS_PERIOD_IS_OF, SPANS(plan_field(p, *out)));
		return true;
	}
	if (n == 0 && !p->through && periods_parent_date(p, out))
		return true;
	if (n == 0)
		return plan_refuse(p, SAYS_NO_DATE, SPANS(s->names.name));
	if (answered_date(p, out))
		return true;
	periods_suggest_dates(p, plan_ask(p, SAYS_WHICH_DATE_OF, SPANS(s->names.name)));
	return false;
}

static void
check_period(struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	struct ask_clarification *q;
	char day[11];

	if (it->period.fiscal_unsaid) {
		(void)plan_ask(p, SAYS_FISCAL_BEGINS, SPANS(it->text));
		return;
	}
	if (it->period.day_or_month) {
		q = plan_ask(p, SAYS_DAY_OR_MONTH, SPANS(it->text));
		plan_ask_instead(p, q, i, i);
		ask_period_day(it->period.start, day);
		plan_suggest(q, arena_span(p->a, span_str(day)));
		/* The same date with day and month swapped. */
		plan_suggest(q, plan_text(p, "%.4s-%.2s-%.2s", day, day + 8, day + 5));
		return;
	}
	if (it->period.fiscal) {
		ask_period_day(it->period.start, day);
		plan_note(p, SAYS_FISCAL_PREFERRED, SPANS(it->text, arena_span(p->a, span_str(day))));
	}
	if (it->period.future)
		plan_refuse(p, SAYS_LIES_AHEAD, SPANS(it->text));
}

bool
periods_of_rows(struct plan *p, uint32_t node, size_t i, struct plan_column *date)
{
	p->root = node;
	p->counted = true;
	check_period(p, i);
	return !p->done && (date->column != ASK_NONE || default_date(p, date));
}

/* "concerts in 2014", where concerts have a column of years and no default date. */
static void
take_periods_of_years(struct plan *p)
{
	const struct ask_source *s = plan_source(p, p->root);
	struct plan_column at;

	if (p->done || s->time != ASK_NONE || p->nperiods != 1 || p->periods[0].bound ||
	    !comparisons_column_of_years(p, p->root, &at) || !comparisons_period_of_years(p, p->periods[0].item, at))
		return;
	p->nperiods = 0;
}

/* The dates of periods that the question names none for. */
static void
date_periods(struct plan *p)
{
	for (size_t i = 0; i < p->nperiods && !p->done; i++)
		check_period(p, p->periods[i].item);
	take_periods_of_years(p);
	for (size_t i = 0; i < p->nperiods && !p->done; i++) {
		if (!p->periods[i].bound && !default_date(p, &p->periods[i].date))
			return;
		plan_take(p, p->periods[i].item, "period of %.*s", SPAN_FMT(plan_field(p, p->periods[i].date)));
		if (p->q.items[p->periods[i].item].period.assumed_year)
			plan_note(p, SAYS_LATEST_BEGUN, SPANS(p->q.items[p->periods[i].item].text));
	}
}

/* Append the preferred default period as an item. */
static bool
preferred_period(struct plan *p)
{
	struct span text = p->c->preferences.default_period;
	struct ask_period period;
	size_t n;
	struct ask_token *t = ask_tokens(p->a, text, false, 12, &n);
	struct ask_item *it = &p->q.items[p->q.n];

	if (text.len == 0 || t == NULL || n == 0 || n > 12 || p->nperiods == PLAN_PERIODS_MAX)
		return false;
	if (ask_period_at(p->c, ask_language_of(t, n), t, n, &period) != n || period.fiscal_unsaid ||
	    period.day_or_month)
		return false;
	*it = (struct ask_item){ .kind = ASK_ITEM_PERIOD, .period = period, .text = text };
	p->periods[p->nperiods].item = p->q.n;
	p->periods[p->nperiods].bound = false;
	if (!default_date(p, &p->periods[p->nperiods].date))
		return true;
	p->nperiods++;
	plan_note(p, SAYS_PERIOD_PREFERRED, SPANS(text));
	return true;
}

static bool
same_column(struct plan_column a, struct plan_column b)
{
	return a.node == b.node && a.column == b.column;
}

/* "in 2025 … in 2025": a period that is said twice is one. */
static void
drop_equal_periods(struct plan *p)
{
	for (size_t i = 0; i < p->nperiods; i++)
		for (size_t k = p->nperiods; k-- > i + 1;) {
			const struct ask_period *a = &p->q.items[p->periods[i].item].period,
						*b = &p->q.items[p->periods[k].item].period;

			if (!same_column(p->periods[i].date, p->periods[k].date) || a->start != b->start ||
			    a->end != b->end)
				continue;
			p->nperiods--;
			memmove(&p->periods[k], &p->periods[k + 1], (p->nperiods - k) * sizeof(p->periods[0]));
		}
}

/* Two periods of one date: a comparison, or one too many. */
static void
check_pairs(struct plan *p)
{
	size_t change = plan_find(p, ASK_WORD_CHANGE), versus = plan_find(p, ASK_WORD_VERSUS), and;

	for (size_t i = 0; i < p->nperiods; i++)
		for (size_t k = i + 1; k < p->nperiods; k++) {
			struct ask_clarification *q;

			if (!same_column(p->periods[i].date, p->periods[k].date))
				continue;
			if (p->nperiods == 2 && (p->compare || change != PLAN_NO_ITEM)) {
				and = plan_before(p, p->periods[1].item);
				if (versus != PLAN_NO_ITEM)
					plan_take(p, versus, "compared with");
				else if (and != PLAN_NO_ITEM && plan_is_word(p, and, ASK_WORD_AND))
					plan_take(p, and, "compared with");
				p->change = true;
				continue;
			}
			q = plan_ask(p, SAYS_WHICH_PERIOD_OF,
			    SPANS(p->q.items[p->periods[i].item].text, p->q.items[p->periods[k].item].text));
			plan_suggest(q, p->q.items[p->periods[i].item].text);
			plan_suggest(q, p->q.items[p->periods[k].item].text);
			plan_suggest(q,
			    plan_says(p, SAYS_VERSUS,
				SPANS(p->q.items[p->periods[i].item].text, p->q.items[p->periods[k].item].text)));
			and = plan_after(p, p->periods[i].item);
			if (and == p->periods[k].item ||
			    (plan_is_word(p, and, ASK_WORD_AND) && plan_after(p, and) == p->periods[k].item))
				plan_ask_instead(p, q, p->periods[i].item, p->periods[k].item);
			return;
		}
	if (p->nperiods == 1 && p->q.items[p->periods[0].item].period.range &&
	    (change != PLAN_NO_ITEM || plan_find(p, ASK_WORD_COMPARE) != PLAN_NO_ITEM ||
		(p->compare && p->nconditions == 0)))
		p->change = true;
	for (; p->change && change != PLAN_NO_ITEM; change = plan_find(p, ASK_WORD_CHANGE))
		plan_take(p, change, "change between periods");
}

void
periods_settle(struct plan *p)
{
	const struct ask_source *s = plan_source(p, p->root);
	size_t vague = plan_find(p, ASK_WORD_VAGUE_TIME);
	struct ask_clarification *q;
	bool own = false;

	date_periods(p);
	drop_equal_periods(p);
	if (!p->done)
		check_pairs(p);
	for (size_t i = 0; i < p->nperiods; i++)
		own |= p->periods[i].date.node == p->root;
	if (own && p->period_said && vague != PLAN_NO_ITEM)
		plan_take(p, vague, "the period of your answer");
	if (p->done || own || p->latest || p->always || (s->time == ASK_NONE && vague == PLAN_NO_ITEM))
		return;
	if (vague == PLAN_NO_ITEM && preferred_period(p))
		return;
	q = plan_ask(p, SAYS_WHICH_PERIOD, NULL);
	plan_suggest(q, plan_says(p, SAYS_THIS_YEAR, NULL));
	plan_suggest(q, plan_says(p, SAYS_LAST_MONTH, NULL));
	q->assumption = plan_says(p, SAYS_LAST_QUARTER, NULL);
	plan_suggest(q, q->assumption);
}
