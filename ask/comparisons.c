#include <stdio.h>

#include "ask/comparisons.h"
#include "ask/conditions.h"

static const char *const operators[] = {
	[ASK_OVER] = ">", [ASK_UNDER] = "<", [ASK_AT_LEAST] = ">=", [ASK_AT_MOST] = "<=", [ASK_EXACTLY] = "="
};

const char *
comparisons_operator(int arg)
{
	return operators[arg];
}

static bool
is_number_column(const struct plan *p, size_t i)
{
	if (i == PLAN_NO_ITEM || !plan_is_free(p, i))
		return false;
	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_COLUMN && p->m->sources[e->source].columns[e->index].type == ASK_TYPE_NUMBER)
			return true;
	}
	return false;
}

static bool
is_free_unit(const struct plan *p, size_t i)
{
	return plan_is_free(p, i) && plan_is_word(p, i, ASK_WORD_UNIT);
}

static bool
is_than(const struct plan *p, size_t i)
{
	return plan_is_free(p, i) && p->q.items[i].n == 1 &&
	    span_is_str(p->q.tokens[p->q.items[i].first].folded, p->q.language == ASK_GERMAN ? "als" : "than");
}

/* Find the number and its unit: "over 500 euros", "over $500", "5 items or more".  False: there is no number. */
static bool
find_operands(const struct plan *p, size_t word, struct comparison *c)
{
	*c = (struct comparison){
		.first = word, .last = word, .word = word, .unit = PLAN_NO_ITEM, .column = PLAN_NO_ITEM,
		.than = PLAN_NO_ITEM
	};
	if (plan_is_word(p, word, ASK_WORD_RANGE))
		c->number = word;
	else if (p->q.items[word].arg == ASK_EXACTLY && plan_is_word(p, word + 1, ASK_WORD_RANGE))
		c->number = c->last = word + 1;
	else if (plan_is_number(p, word + 1))
		c->number = c->last = word + 1;
	else if (is_number_column(p, word + 1) && plan_is_number(p, word + 2)) {
		/* "above age 20" */
		c->column = word + 1;
		c->number = c->last = word + 2;
	} else if (is_number_column(p, word + 1) && is_than(p, word + 2) && plan_is_number(p, word + 3)) {
		/* "a greater weight than 10" */
		c->column = word + 1;
		c->than = word + 2;
		c->number = c->last = word + 3;
	} else if (is_free_unit(p, word + 1) && plan_is_number(p, word + 2)) {
		c->unit = word + 1;
		c->number = c->last = word + 2;
	} else if (word > 0 && plan_is_number(p, word - 1))
		c->number = c->first = word - 1;
	else if (word > 1 && is_free_unit(p, word - 1) && plan_is_number(p, word - 2)) {
		c->unit = word - 1;
		c->number = c->first = word - 2;
	} else
		return false;
	if (c->unit == PLAN_NO_ITEM && is_free_unit(p, c->last + 1))
		c->unit = ++c->last;
	/* "older than 30 years" */
	c->years = PLAN_NO_ITEM;
	if (c->unit == PLAN_NO_ITEM && plan_is_free(p, c->last + 1) &&
	    (plan_is_word(p, c->last + 1, ASK_WORD_AGED) ||
		(plan_is_word(p, c->last + 1, ASK_WORD_GRAIN) && p->q.items[c->last + 1].arg == ASK_UNIT_YEAR)))
		c->years = ++c->last;
	return true;
}

/*
 * The entity before the comparison whose number is compared; periods and values between them are skipped.  False:
 * none.
 */
static bool
entity_before(const struct plan *p, size_t first, uint32_t *node)
{
	size_t i = plan_before(p, first);

	while (i != PLAN_NO_ITEM &&
	    (p->q.items[i].kind == ASK_ITEM_PERIOD || span_begins(p->q.items[i].consumed_by, "value") ||
		span_begins(p->q.items[i].consumed_by, "segment") || plan_is_word(p, i, ASK_WORD_NOT)))
		i = plan_before(p, i);
	if (i == PLAN_NO_ITEM || p->q.items[i].kind != ASK_ITEM_NAME)
		return false;
	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_SOURCE && (*node = plan_only_node(p, e->source)) != ASK_NONE)
			return true;
	}
	return false;
}

bool
comparisons_is_of_degree(const struct plan *p, struct span word, const struct ask_column *c)
{
	size_t n;
	struct ask_token *t = ask_tokens(p->a, c->names.name, true, 8, &n);

	for (size_t i = 0; t != NULL && i < n && i < 8; i++)
		if (ask_is_degree(p->q.language, word, t[i].folded))
			return true;
	return false;
}

static bool
is_answer(struct plan *p, struct plan_column at)
{
	return plan_is_answered(p, ask_label(p->a, &plan_source(p, at.node)->columns[at.column].names));
}

bool
comparisons_is_own_number(const struct plan *p, struct plan_column at)
{
	const struct ask_source *s = plan_source(p, at.node);
	const struct ask_column *c = &s->columns[at.column];

	return c->type == ASK_TYPE_NUMBER && ask_is_shown(c) && !(plan_has_key(s) && ask_is_in_grain(s, c)) &&
	    !ask_is_foreign(p->m, at.node, c->names.name);
}

/* Whether the column names a unit, even an ambiguous one. */
static bool
says_unit(const struct plan *p, const struct ask_column *c)
{
	return ask_names_unit(p->a, c->names.description) || ask_names_unit(p->a, c->names.label) ||
	    plan_column_unit(p, c) != ASK_MEASURED;
}

/* The word that tells the column: "older", "years old". */
static size_t
degree_said(const struct plan *p, const struct comparison *c)
{
	return c->years != PLAN_NO_ITEM && plan_is_word(p, c->years, ASK_WORD_AGED) ? c->years : c->word;
}

static bool
is_said_degree(const struct plan *p, const struct comparison *c, const struct ask_column *column)
{
	size_t word = degree_said(p, c);

	return word != PLAN_NO_ITEM && comparisons_is_of_degree(p, p->q.tokens[p->q.items[word].first].folded, column);
}

/*
 * One way to recognise the column: an earlier answer names it, the adjective fits, its unit fits, or its name says
 * money.
 */
static bool
is_meant(struct plan *p, const struct comparison *c, struct plan_column at, unsigned way)
{
	const struct ask_column *column = &plan_source(p, at.node)->columns[at.column];
	enum ask_measured kept, said;

	if (way == 0)
		return is_answer(p, at);
	if (way == 1)
		return is_said_degree(p, c, column);
	if (c->unit == PLAN_NO_ITEM)
		return false;
	kept = plan_column_unit(p, column);
	said = (enum ask_measured)p->q.items[c->unit].arg;
	if (way == 2)
		return kept == said;
	return kept == ASK_MEASURED && ask_is_money(said) && !says_unit(p, column) &&
	    comparisons_is_of_degree(p, SPAN("money"), column);
}

/* The number columns of the entity that the comparison may mean. */
static size_t
columns_meant(struct plan *p, const struct comparison *c, uint32_t node, struct plan_column *out, size_t max)
{
	size_t n = 0;

	for (unsigned way = 0; way < 4 && n == 0; way++)
		for (uint32_t i = 0; i < plan_source(p, node)->ncolumns && n < max; i++)
			if (comparisons_is_own_number(p, (struct plan_column){ node, i }) &&
			    is_meant(p, c, (struct plan_column){ node, i }, way))
				out[n++] = (struct plan_column){ node, i };
	return n;
}

static void
ask_which_number(struct plan *p, const struct comparison *c, uint32_t node, const struct plan_column *among, size_t n)
{
	const struct ask_source *s = plan_source(p, node);
	struct ask_clarification *q = plan_ask(p, SAYS_TOPIC_COLUMN, SAYS_NUMBER_ABOUT,
	    SPANS(p->q.items[c->word == PLAN_NO_ITEM ? c->years : c->word].text, p->q.items[c->number].text));

	for (size_t i = 0; i < n; i++)
		plan_suggest(q, ask_label(p->a, &s->columns[among[i].column].names));
	for (uint32_t i = 0; n == 0 && i < s->ncolumns; i++)
		if (comparisons_is_own_number(p, (struct plan_column){ node, i }))
			plan_suggest(q, ask_label(p->a, &s->columns[i].names));
}

bool
comparisons_find_column(struct plan *p, struct comparison *c, uint32_t node)
{
	struct plan_column among[8];
	size_t n;

	n = columns_meant(p, c, node, among, 8);
	if (c->years != PLAN_NO_ITEM && n == 1 &&
	    !is_said_degree(p, c, &plan_source(p, node)->columns[among[0].column]))
		return false;
	if (n != 1) {
		if (n > 1 || c->unit != PLAN_NO_ITEM)
			ask_which_number(p, c, node, among, n);
		return false;
	}
	c->at = among[0];
	return true;
}

static void
refuse_groups(struct plan *p, const struct comparison *c, size_t what)
{
	if (what != PLAN_NO_ITEM && (plan_has(p, what, ASK_KIND_SOURCE) || plan_has(p, what, ASK_KIND_MEASURE)))
		plan_refuse(p, ASK_REASON_NESTED, SAYS_GROUP_CONDITION,
		    SPANS(p->q.items[c->word].text, p->q.items[c->number].text, p->q.items[what].text));
}

/* "hosts older than 50" with a column number_of_hosts: the word compares the hosts' age, which the item is not. */
static bool
is_of_other_degree(const struct plan *p, const struct comparison *c, size_t item)
{
	struct span word = p->q.tokens[p->q.items[c->word].first].folded;

	if (!plan_has(p, item, ASK_KIND_SOURCE) || !ask_is_degree(p->q.language, word, SPAN("")))
		return false;
	for (size_t k = 0; k < p->q.items[item].nhits; k++) {
		const struct ask_entry *e = p->q.items[item].hits[k];

		if (e->kind == ASK_KIND_COLUMN &&
		    comparisons_is_of_degree(p, word, &p->m->sources[e->source].columns[e->index]))
			return false;
	}
	return true;
}

static bool
find_meant(struct plan *p, struct comparison *c)
{
	uint32_t node;

	return entity_before(p, c->first, &node) && comparisons_find_column(p, c, node);
}

/* The column of the comparison, in c->at; c->column is its item, PLAN_NO_ITEM when none names it. */
static bool
find_column(struct plan *p, struct comparison *c)
{
	size_t before = plan_before(p, c->first), after = plan_after(p, c->last);

	if (c->column != PLAN_NO_ITEM)
		return plan_choose(p, c->column, 1u << ASK_KIND_COLUMN, ASK_NONE, &c->at);
	if (before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_NOT))
		before = plan_before(p, before);
	c->column = after == c->last + 1 && is_number_column(p, after)       ? after :
	    is_number_column(p, before) && !is_of_other_degree(p, c, before) ? before :
									       PLAN_NO_ITEM;
	if (c->column == PLAN_NO_ITEM) {
		refuse_groups(p, c, after);
		return !p->done && find_meant(p, c);
	}
	return plan_choose(p, c->column, 1u << ASK_KIND_COLUMN, ASK_NONE, &c->at) &&
	    plan_source(p, c->at.node)->columns[c->at.column].type == ASK_TYPE_NUMBER;
}

bool
comparisons_tells_unit(const struct plan *p, const struct ask_column *c, bool money)
{
	static const char *const words[] = { "unit", "einheit", "currency", "währung", "waehrung", NULL };
	size_t n;
	struct ask_token *t = ask_tokens(p->a, c->names.name, true, 8, &n);

	for (size_t k = 0; t != NULL && k < n && n <= 8; k++)
		for (const char *const *w = words + (money ? 2 : 0); *w != NULL; w++)
			if (span_is_str(t[k].folded, *w))
				return true;
	return false;
}

/* "over 100 USD" where each row has a currency of its own: ask whether the others count, too. */
static bool
asks_about_units(struct plan *p, const struct comparison *c)
{
	for (uint32_t node = 0; node < p->m->nnodes; node++)
		for (uint32_t i = 0; p->routes.hops[node] != ASK_NONE && i < plan_source(p, node)->ncolumns; i++) {
			struct span label, all;

			if (!comparisons_tells_unit(p, &plan_source(p, node)->columns[i], true))
				continue;
			label = plan_column_label(p, (struct plan_column){ node, i });
			all = plan_says(p, SAYS_ANY_UNIT, SPANS(label));
			if (plan_is_answered(p, all))
				return false;
			plan_suggest(plan_ask(p, SAYS_TOPIC_UNIT, SAYS_UNIT_OF_ROW,
					 SPANS(label, p->q.items[c->unit].text)),
			    all);
			return true;
		}
	return false;
}

bool
comparisons_has_unit(struct plan *p, const struct comparison *c)
{
	const struct ask_column *column = &plan_source(p, c->at.node)->columns[c->at.column];
	enum ask_measured kept = plan_column_unit(p, column), said;
	struct ask_clarification *q;

	if (c->unit == PLAN_NO_ITEM && kept == ASK_CENTS) {
		(void)plan_ask(p, SAYS_TOPIC_UNIT, SAYS_IN_CENTS,
		    SPANS(ask_label(p->a, &column->names), p->q.items[c->number].text));
		return false;
	}
	if (c->unit == PLAN_NO_ITEM)
		return true;
	said = (enum ask_measured)p->q.items[c->unit].arg;
	if (kept == said)
		return true;
	if (ask_is_money(said) && !says_unit(p, column)) {
		if (asks_about_units(p, c))
			return false;
		plan_note(p->out->assumptions, &p->out->nassumptions,
		    plan_says(p, SAYS_CURRENCY_TAKEN, SPANS(plan_column_label(p, c->at), plan_unit(p, said))));
		return true;
	}
	q = plan_ask(p, SAYS_TOPIC_UNIT, SAYS_KEPT_IN,
	    SPANS(ask_label(p->a, &column->names), plan_unit(p, kept), p->q.items[c->unit].text));
	q->assumption = span_of("", 0);
	return false;
}

static const char *
operator_of(const struct plan *p, size_t word, bool negated)
{
	static const char *const others[] = {
		[ASK_OVER] = "<=", [ASK_UNDER] = ">=", [ASK_AT_LEAST] = "<", [ASK_AT_MOST] = ">", [ASK_EXACTLY] = "<>"
	};
	int arg = word == PLAN_NO_ITEM ? ASK_EXACTLY : p->q.items[word].arg;

	return negated ? others[arg] : operators[arg];
}

static void
add_comparison(struct plan *p, const struct comparison *c)
{
	bool range = plan_is_word(p, c->number, ASK_WORD_RANGE);
	size_t not = plan_negation(p, c->first);
	struct plan_condition *d;

	if (!comparisons_has_unit(p, c) ||
	    (d = plan_add_condition(p, c->at, range ? PLAN_BETWEEN : PLAN_COMPARED)) == NULL)
		return;
	d->negated = range && not != PLAN_NO_ITEM;
	d->operator= operator_of(p, range ? PLAN_NO_ITEM : c->word, not != PLAN_NO_ITEM);
	d->values[d->nvalues++] = plan_text(p, "%.15g", p->q.items[c->number].number);
	if (range)
		d->values[d->nvalues++] = plan_text(p, "%.15g", p->q.items[c->number].upto);
	if (not != PLAN_NO_ITEM)
		plan_take(p, not, "not");
	if (c->word != PLAN_NO_ITEM)
		plan_take(p, c->word, "compared with a number");
	if (c->number != c->word)
		plan_take(p, c->number, "number");
	if (c->than != PLAN_NO_ITEM)
		plan_take(p, c->than, "compared with a number");
	if (c->unit != PLAN_NO_ITEM)
		plan_take(p, c->unit, "unit of the column");
	if (c->years != PLAN_NO_ITEM)
		plan_take(p, c->years, "years of an age");
	if (c->column != PLAN_NO_ITEM)
		plan_take(p, c->column, "column %.*s", SPAN_FMT(plan_field(p, c->at)));
}

/* "floor 1", "capacity of 12", "with 3 renewals": equal to the number. */
static void
take_equal(struct plan *p, size_t i)
{
	size_t before = i > 0 ? plan_before(p, i) : PLAN_NO_ITEM, len;
	struct comparison c = {
		.first = i, .last = i, .number = i, .unit = PLAN_NO_ITEM, .years = PLAN_NO_ITEM, .than = PLAN_NO_ITEM,
		.word = PLAN_NO_ITEM,
		.column = before
	};

	if (is_free_unit(p, i + 1))
		c.unit = c.last = i + 1;
	if (plan_is_free(p, i + 1) && plan_is_word(p, i + 1, ASK_WORD_AGED)) {
		c.years = c.last = i + 1;
		c.column = PLAN_NO_ITEM;
		if (find_meant(p, &c))
			add_comparison(p, &c);
		return;
	}
	if (!is_number_column(p, before)) {
		c.column = c.last + 1;
		if (i == 0 || !is_number_column(p, c.column) ||
		    ask_word(p->q.language, &p->q.tokens[p->q.items[i].first - 1], 1, ASK_WORD_WITH, &len) == NULL)
			return;
	} else
		c.first = before;
	if (plan_choose(p, c.column, 1u << ASK_KIND_COLUMN, ASK_NONE, &c.at))
		add_comparison(p, &c);
}

bool
comparisons_holds_years(const struct plan *p, const struct ask_column *c)
{
	size_t n;
	struct ask_token *t = ask_tokens(p->a, c->names.name, true, 8, &n);

	return (c->type == ASK_TYPE_NUMBER || c->type == ASK_TYPE_TEXT) && ask_is_shown(c) && t != NULL && n > 0 &&
	    n <= 8 &&
	    (span_is_str(t[n - 1].folded, "year") || span_is_str(t[n - 1].folded, "jahr") ||
		(n == 1 && c->type == ASK_TYPE_NUMBER && ask_is_participle(ASK_ENGLISH, t[0].folded)));
}

/* The year whose first day this is; 0: the day does not begin a year. */
static int
year_that_begins(int32_t day)
{
	char text[11];
	int year = 0;

	ask_period_day(day, text);
	return sscanf(text, "%4d-01-01", &year) == 1 && ask_period_days(year, 1, 1) == day ? year : 0;
}

bool
comparisons_years(struct plan *p, const struct ask_period *w, struct plan_condition *d)
{
	int first = w->start == ASK_OPEN ? 0 : year_that_begins(w->start),
	    end = w->end == ASK_OPEN ? 0 : year_that_begins(w->end);
	bool until_now = w->end == ask_period_today(p->c) + 1;

	if ((first == 0 && w->start != ASK_OPEN) || (end == 0 && !until_now) || w->fiscal_unsaid || w->day_or_month)
		return false;
	d->test = first > 0 && end > first + 1 ? PLAN_BETWEEN : PLAN_COMPARED;
	d->operator= first == 0 ? "<" : until_now ? ">=" : "=";
	d->values[d->nvalues++] = plan_text(p, "%d", first == 0 ? end : first);
	if (d->test == PLAN_BETWEEN)
		d->values[d->nvalues++] = plan_text(p, "%d", end - 1);
	return true;
}

bool
comparisons_period_of_years(struct plan *p, size_t period, struct plan_column at)
{
	struct plan_condition years = { .at = at }, *d;

	if (!comparisons_years(p, &p->q.items[period].period, &years) ||
	    (d = plan_add_condition(p, at, years.test)) == NULL)
		return false;
	*d = years;
	plan_take(p, period, "years of %.*s", SPAN_FMT(plan_field(p, at)));
	return true;
}

bool
comparisons_column_of_years(const struct plan *p, uint32_t node, struct plan_column *out)
{
	const struct ask_source *s = plan_source(p, node);
	size_t n = 0;

	for (uint32_t i = 0; i < s->ncolumns; i++)
		if (comparisons_holds_years(p, &s->columns[i]) &&
		    (span_is_folded(s->columns[i].names.name, SPAN("year")) ||
			span_is_folded(s->columns[i].names.name, SPAN("jahr")))) {
			*out = (struct plan_column){ node, i };
			n++;
		}
	return n == 1;
}

/* "birth year 1980", "birth year before 1980", "Baujahr zwischen 1970 und 1980". */
static void
take_years(struct plan *p, size_t i)
{
	size_t before = plan_before(p, i);
	struct plan_column at;
	bool years = false;

	if (before == PLAN_NO_ITEM || !plan_has(p, before, ASK_KIND_COLUMN))
		return;
	for (size_t k = 0; k < p->q.items[before].nhits; k++) {
		const struct ask_entry *e = p->q.items[before].hits[k];

		years |= e->kind == ASK_KIND_COLUMN &&
		    comparisons_holds_years(p, &p->m->sources[e->source].columns[e->index]);
	}
	if (years && plan_choose(p, before, 1u << ASK_KIND_COLUMN, ASK_NONE, &at) &&
	    comparisons_holds_years(p, &plan_source(p, at.node)->columns[at.column]) &&
	    comparisons_period_of_years(p, i, at))
		plan_take(p, before, "column %.*s", SPAN_FMT(plan_field(p, at)));
}

void
comparisons_read(struct plan *p)
{
	struct comparison c;

	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_is_free(p, i) &&
		    (plan_is_word(p, i, ASK_WORD_COMPARATOR) || plan_is_word(p, i, ASK_WORD_RANGE)) &&
		    find_operands(p, i, &c) && find_column(p, &c))
			add_comparison(p, &c);
	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_is_number(p, i))
			take_equal(p, i);
		else if (plan_is_free(p, i) && p->q.items[i].kind == ASK_ITEM_PERIOD)
			take_years(p, i);
}
