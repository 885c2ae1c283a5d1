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

bool
comparisons_is_of_degree(const struct plan *p, struct span word, const struct ask_column *c, bool part)
{
	for (size_t name = 0; name < (part ? 2 + c->names.nsynonyms : 1); name++) {
		struct ask_words said = name == 0 ?
		    c->names.words :
		    ask_words_of(p->a, name == 1 ? c->names.label : c->names.synonyms[name - 2], false);

		for (size_t i = 0; i < said.n; i++)
			if (ask_is_degree(p->q.language, word, said.t[i].folded, part))
				return true;
	}
	return false;
}

static bool
is_answer(struct plan *p, struct plan_column at)
{
	return plan_is_answered(p, ask_label(p->a, &plan_column(p, at)->names));
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
is_said_degree(const struct plan *p, const struct comparison *c, const struct ask_column *column, bool part)
{
	size_t word = degree_said(p, c);

	return word != PLAN_NO_ITEM && comparisons_is_of_degree(p, plan_word(p, word)->folded, column, part);
}

/*
 * One way to recognise the column: an earlier answer names it, the adjective fits, its unit fits, or its name says
 * money.
 */
static bool
is_meant(struct plan *p, const struct comparison *c, struct plan_column at, unsigned way)
{
	const struct ask_column *column = plan_column(p, at);
	enum ask_measured kept, said;

	if (way == 0)
		return is_answer(p, at);
	if (way == 1 || way == 2)
		return is_said_degree(p, c, column, way == 2);
	if (c->unit == PLAN_NO_ITEM)
		return false;
	kept = plan_column_unit(p, column);
	said = (enum ask_measured)p->q.items[c->unit].arg;
	if (way == 3)
		return kept == said;
	return kept == ASK_MEASURED && ask_is_money(said) && !says_unit(p, column) &&
	    comparisons_is_of_degree(p, SPAN("money"), column, false);
}

/* The number columns of the entity that the comparison may mean. */
static size_t
columns_meant(struct plan *p, const struct comparison *c, uint32_t node, struct plan_column *out, size_t max)
{
	size_t n = 0;

	for (unsigned way = 0; way < 5 && n == 0; way++)
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
	struct ask_clarification *q = plan_ask(p, SAYS_NUMBER_ABOUT,
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
	    !is_said_degree(p, c, &plan_source(p, node)->columns[among[0].column], true))
		return false;
	if (n != 1) {
		if (n > 1 || c->unit != PLAN_NO_ITEM)
			ask_which_number(p, c, node, among, n);
		return false;
	}
	c->at = among[0];
	return true;
}

bool
comparisons_tells_unit(const struct ask_column *c, bool money)
{
	for (size_t k = 0; k < c->names.words.n; k++)
		if (ask_is_any(c->names.words.t[k].folded, "currency währung waehrung") ||
		    (!money && ask_is_any(c->names.words.t[k].folded, "unit einheit")))
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

			if (!comparisons_tells_unit(&plan_source(p, node)->columns[i], true))
				continue;
			label = plan_column_label(p, (struct plan_column){ node, i });
			all = plan_says(p, SAYS_ANY_UNIT, SPANS(label));
			if (plan_is_answered(p, all))
				return false;
			plan_suggest(plan_ask(p, SAYS_UNIT_OF_ROW, SPANS(label, p->q.items[c->unit].text)), all);
			return true;
		}
	return false;
}

bool
comparisons_has_unit(struct plan *p, const struct comparison *c)
{
	const struct ask_column *column = plan_column(p, c->at);
	enum ask_measured kept = plan_column_unit(p, column), said;
	struct ask_clarification *q;

	if (c->unit == PLAN_NO_ITEM && kept == ASK_CENTS) {
		(void)plan_ask(p, SAYS_IN_CENTS, SPANS(ask_label(p->a, &column->names), p->q.items[c->number].text));
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
		plan_note(p, SAYS_CURRENCY_TAKEN, SPANS(plan_column_label(p, c->at), plan_unit(p, said)));
		return true;
	}
	q = plan_ask(p, SAYS_KEPT_IN,
	    SPANS(ask_label(p->a, &column->names), plan_unit(p, kept), p->q.items[c->unit].text));
	q->assumption = span_of("", 0);
	return false;
}

bool
comparisons_holds_years(const struct ask_column *c)
{
	const struct ask_token *t = c->names.words.t;
	size_t n = c->names.words.n;

	return (c->type == ASK_TYPE_NUMBER || c->type == ASK_TYPE_TEXT) && ask_is_shown(c) && n > 0 &&
	    (ask_is_any(t[n - 1].folded, "year jahr") ||
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
		if (comparisons_holds_years(&s->columns[i]) &&
		    (span_is_folded(s->columns[i].names.name, SPAN("year")) ||
			span_is_folded(s->columns[i].names.name, SPAN("jahr")))) {
			*out = (struct plan_column){ node, i };
			n++;
		}
	return n == 1;
}

