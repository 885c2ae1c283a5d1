#include "ask/conditions.h"
#include "ask/finish.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/match.h"
#include "ask/readings/spans.h"

/* "whose name contains Lee": letters in either case. */
bool
build_like(struct plan *p, struct draft *d)
{
	enum ask_type type = plan_column(p, d->s.column)->type;
	struct span text = ask_folded(p->a, d->s.text);
	struct plan_condition *c;

	if (text.len == 0 || memchr(text.p, '\\', text.len) != NULL || !finish_may_be_like(text) ||
	    type != ASK_TYPE_TEXT || d->s.none || (c = build_add_condition(d, d->s.column, PLAN_LIKE)) == NULL)
		return false;
	c->negated = d->s.negated;
	c->index = (uint32_t)d->s.operator;
	c->values[c->nvalues++] = text;
	return true;
}

/* "with the word lee in their name" */
bool
build_like_in(struct plan *p, struct draft *d)
{
	size_t first = p->q.items[d->s.said_by].first;

	return first > 1 && (plan_reads(p, first - 1, "in") || plan_reads(p, first - 2, "in")) && build_like(p, d);
}

/* "which drug contains Aspirin", where it is an agent of drugs: that is not a part of their name. */
static bool
is_value_of_another(const struct plan *p, const struct draft *d)
{
	const struct ask_entry *e;

	for (size_t i = 0; i < p->q.n; i++)
		for (size_t k = 0;
		     p->q.items[i].text.p == d->s.text.p && (e = plan_next_hit(p, i, ASK_KIND_VALUE, &k)) != NULL;)
			if (e->source == plan_root(p) && e->index != d->columns[0].column)
				return !plan_word(p, i)->quoted;
	return false;
}

/* "the names that contain lee" */
bool
build_like_listed(struct plan *p, struct draft *d)
{
	if (d->ncolumns != 1 || d->columns[0].node != p->root || d->last != DRAFT_ROOT || d->nconditions > 0 ||
	    is_value_of_another(p, d))
		return false;
	d->s.column = d->columns[0];
	d->at = DRAFT_ROOT;
	return build_like(p, d);
}

/* "customers without newsletter": whether they have one is asked, not by what word a column of theirs is filled. */
static bool
is_possession(struct plan *p, struct draft *d)
{
	struct plan_column at = { p->root, d->s.value.column };

	if (d->s.value.node != plan_root(p) || plan_is_answered(p, plan_column_label(p, at)))
		return false;
	if (d->number)
		build_ask_value_only(p, d, at);
	return true;
}

bool
build_value(struct plan *p, struct draft *d)
{
	if (build_is_dated_state(p, d))
		return false;
	if (d->s.none && (!d->number || is_possession(p, d)))
		return d->asks != NULL;
	return build_value_of(p, d, d->s.negated);
}

/* "sex is F", of what the rows lead to */
bool
build_group_value(struct plan *p, struct draft *d)
{
	return plan_names_value(p, d->s.group, d->s.value_item) &&
	    plan_names_column(p, d->s.group, ASK_KIND_COLUMN, d->s.value) && build_value_of(p, d, d->s.negated);
}

/* "In Oslo, …", unlike "the numbers of wines" where one wine is called Numbers */
bool
build_value_before(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.value_item];
	struct span next = it->first + it->n < p->q.ntokens ? p->q.tokens[it->first + it->n].folded : SPAN("");

	return !span_is_str(next, "of") && !span_is_str(next, "von") && build_value(p, d);
}

/* "ratings by Ada": of the related rows. */
bool
build_by_value(struct plan *p, struct draft *d)
{
	/* "songs by Ada" */
	bool other = d->s.value.node != plan_root(p);

	/* a list by a person or a house of that name, and by no state: "by gold" */
	bool named = other && d->s.value.column == p->m->sources[d->s.value.node].label;

	return (d->last != DRAFT_ROOT || (d->number ? d->compare || other : named)) && build_value_of(p, d, false);
}

/* "born in Ulm", where birth_year is "born", too, and the city is birth_city: the verb of both. */
static bool
is_verb_of_both(const struct plan *p, const struct draft *d)
{
	const struct ask_column *columns = p->m->sources[d->s.value.node].columns;
	const struct ask_item *it = &p->q.items[d->s.said_by];
	struct ask_words verb = columns[d->s.column.column].names.words, of = columns[d->s.value.column].names.words;

	return d->s.said_by < d->s.value_item && it->n == 1 && verb.n > 1 && of.n > 1 &&
	    ask_is_participle(p->q.language, p->q.tokens[it->first].folded) &&
	    (span_is(verb.t[0].folded, of.t[0].folded) || match_common_stem(verb.t[0].folded, of.t[0].folded) > 0);
}

bool
build_column_value(struct plan *p, struct draft *d)
{
	struct plan_column at = d->s.column;

	if (p->m->nodes[at.node].source == d->s.value.node && at.column != d->s.value.column && is_verb_of_both(p, d))
		at.column = d->s.value.column;
	if (d->s.none || (d->s.comparator != PLAN_NO_ITEM && d->s.operator!= ASK_EXACTLY) ||
	    p->m->nodes[at.node].source != d->s.value.node || at.column != d->s.value.column ||
	    !build_add_value(p, d, at, d->s.negated))
		return false;
	if (d->nconditions > 0)
		d->conditions[d->nconditions - 1].named = true;
	return true;
}

/* "without a tier", where a value says "none": that, or no value at all? */
static bool
says_nothing(struct plan *p, struct draft *d)
{
	struct span nothing = conditions_nothing(p, d->s.column);

	if (plan_is_answered(p, nothing)) {
		d->s.text = nothing;
		return build_add_value(p, d, d->s.column, false);
	}
	return build_ask(p, d, SAYS_HAS_VALUE, SPANS(p->q.items[d->s.said_by].text, nothing), nothing) != NULL;
}

/* "with a phone number", "without".  Where a value of the column says "no", what the others say is not known. */
bool
build_present(struct plan *p, struct draft *d)
{
	enum ask_type type = plan_column(p, d->s.column)->type;
	struct plan_condition *c;
	size_t item = d->s.said_by;

	if (!(d->s.negated ? d->s.none || d->s.with : d->s.article) ||
	    (type != ASK_TYPE_TEXT && type != ASK_TYPE_TIME && !comparisons_holds_years(plan_column(p, d->s.column))) ||
	    plan_names_any(p, item, ASK_KIND_SOURCE) || plan_names_any(p, item, ASK_KIND_ALIAS) ||
	    plan_names_any(p, item, ASK_KIND_VALUE) || plan_names_any(p, item, ASK_KIND_SEGMENT))
		return false;
	if (conditions_nothing(p, d->s.column).len > 0)
		return d->number && d->s.negated && says_nothing(p, d);
	if ((c = build_add_condition(d, d->s.column, PLAN_PRESENT)) == NULL)
		return false;
	c->negated = d->s.negated;
	return true;
}
