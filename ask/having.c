#include "ask/aggregates.h"
#include "ask/comparisons.h"
#include "ask/counts.h"
#include "ask/conditions.h"
#include "ask/groups.h"
#include "ask/having.h"
#include "ask/thresholds.h"

bool
having_may_lead(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_STOP) || plan_is_word(p, i, ASK_WORD_WHICH) ||
	    plan_is_word(p, i, ASK_WORD_DISTINCT) ||
	    (plan_is_word(p, i, ASK_WORD_LIST) && p->q.items[i].arg != ASK_LIST_WHOLE);
}

/* Whether a group whose figure is this meets the condition: 0 of those without any rows. */
static bool
holds_for(const struct plan_having *h, double figure)
{
	bool equal = h->operator== NULL || h->operator[0] == '=' || h->operator[1] == '=';

	if (equal && figure == h->least)
		return true;
	if (h->operator== NULL || h->operator[0] == '>')
		return figure > h->least;
	return h->operator[0] == '<' && figure<h->least;
}

/* Record the condition on the measured figure; said: the number as people wrote it, NULL: with its unit. */
void
having_set(struct plan *p, struct plan_having having, const struct span *said)
{
	p->having = having;
	p->having.is = true;
	p->having.nothing = holds_for(&having, 0);
	/* "exactly 0", "fewer than 1" of a count */
	p->having.nothing_alone = p->counted &&
	    having.operator!= NULL && having.operator[0] != '>' && holds_for(&having, 0) && !holds_for(&having, 1);
	if (p->unit == ASK_CENTS && said != NULL)
		(void)plan_ask(p, SAYS_IN_CENTS, SPANS(p->measures[0].label, *said));
}

bool
having_of_threshold(struct plan *p, size_t word, size_t group)
{
	struct plan_threshold t;

	if (plan_source_named(p, group) == ASK_NONE || !thresholds_on_measure(p, word, plan_source_named(p, group), &t))
		return false;
	measures_take(p, word);
	if (p->done)
		return false;
	having_set(p, (struct plan_having){ .group = group, .owner = PLAN_NO_ITEM, .operator = t.operator,
		.least = t.number }, t.unit == ASK_MEASURED ? &t.value : NULL);
	if (t.unit != ASK_MEASURED && t.unit != p->unit)
		(void)plan_ask(p, SAYS_OTHER_UNIT, SPANS(plan_unit(p, p->unit), plan_unit(p, t.unit)));
	thresholds_tell(p, word, p->measures[0].label, &t);
	return true;
}

void
having_add_key(struct plan *p, struct plan_column at)
{
	const struct ask_source *s = plan_source(p, at.node);
	uint32_t key = plan_key_column(s);

	if (s->ngrain != 1) {
		plan_refuse(p, SAYS_NO_ROW_GROUPS, SPANS(s->names.name));
		return;
	}
	if (key == at.column || (p->ndimensions > 0 && p->dimensions[p->ndimensions - 1].identity))
		return;
	if (key == ASK_NONE || s->columns[key].masked) {
		plan_refuse(p, SAYS_SAME_NAMES, SPANS(s->names.name));
		return;
	}
	p->dimensions[p->ndimensions].at = (struct plan_column){ at.node, key };
	p->dimensions[p->ndimensions].identity = true;
	p->dimensions[p->ndimensions++].grain = -1;
}

void
having_groups(struct plan *p)
{
	size_t group = p->having.group, owner = p->having.owner;
	uint32_t rows = plan_source_named(p, group);
	struct plan_column at;
	struct plan_condition *c;

	if (owner != PLAN_NO_ITEM) {
		if (!plan_choose(p, group, 1u << ASK_KIND_COLUMN, plan_source_named(p, owner), &at))
			return;
		groups_add_column(p, at);
		plan_take(p, group, "by %.*s", SPAN_FMT(plan_field(p, at)));
		plan_take(p, owner, "source of the column");
		having_add_key(p, at);
	} else if (!groups_add(p, group, false)) {
		plan_refuse(p, SAYS_WHAT_AS_GROUPS, SPANS(p->q.items[group].text));
		return;
	} else if (p->dimensions[0].grain >= 0)
		return;
	else {
		at = p->dimensions[0].at;
		if (plan_source(p, at.node)->label == at.column &&
		    (at.node != p->root || rows == p->m->nodes[at.node].source))
			having_add_key(p, at);
		else if (plan_key_column(plan_source(p, at.node)) != at.column &&
		    (c = plan_add_condition(p, at, PLAN_PRESENT)) != NULL)
			c->implied = true;
	}
	if (!p->done && plan_column(p, at)->masked)
		plan_refuse(p, SAYS_NOT_SHOWN, SPANS(p->q.items[group].text));
}

/*
 * Decide whether groups without rows are in the answer: customers without any order have fewer than 3, too.  The user
 * is asked unless the condition excludes them or was answered before.  Groups of the measured source itself that a
 * condition emptied cannot be shown.  False: the user is asked.
 */
static bool
decide_on_nothing(struct plan *p, struct ask_query *q)
{
	bool own = p->dimensions[0].grain >= 0 || p->dimensions[0].at.node == p->root, left_out = p->nperiods > 0;
	struct ask_clarification *ask;

	for (size_t i = 0; i < p->nconditions; i++)
		left_out |= !p->conditions[i].implied;
	if (!p->having.nothing || p->averages || (own && !left_out) ||
	    plan_is_answered(p, plan_says(p, SAYS_WITHOUT_NOTHING, NULL)))
		return true;
	if (!own && (p->having.nothing_alone || plan_is_answered(p, plan_says(p, SAYS_WITH_NOTHING, NULL)))) {
		q->no_empty = false;
		return true;
	}
	ask = plan_ask(p, SAYS_GROUPS_WITHOUT, SPANS(ask_label(p->a, &plan_source(p, p->root)->names)));
	plan_suggest(ask, plan_says(p, SAYS_WITHOUT_NOTHING, NULL));
	if (!own)
		plan_suggest(ask, plan_says(p, SAYS_WITH_NOTHING, NULL));
	return false;
}

void
having_filter(struct plan *p, struct ask_query *q)
{
	struct span expr = p->measures[0].expr;
	struct ask_filter *f = &q->filters[q->nfilters];

	if (!decide_on_nothing(p, q))
		return;
	if (q->nfilters == ASK_FILTERS_MAX) {
		plan_refuse(p, SAYS_TOO_MANY_CONDITIONS, NULL);
		return;
	}
	/* A sum over no rows is NULL. */
	if (!q->no_empty)
		expr = plan_text(p, "coalesce(%.*s, 0)", SPAN_FMT(expr));
	q->nfilters++;
	*f = (struct ask_filter){ .field = p->measures[0].label, .groups = true };
	if (p->having.operator== NULL) {
		f->sql = plan_text(p, "(%.*s >= %.15g AND %.*s <= %.15g)", SPAN_FMT(expr), p->having.least,
		    SPAN_FMT(expr), p->having.most);
		f->operator= SPAN("between");
		f->value = plan_says(p, SAYS_AND,
		    SPANS(plan_text(p, "%.15g", p->having.least), plan_text(p, "%.15g", p->having.most)));
	} else {
		f->sql = plan_text(p, "%.*s %s %.15g", SPAN_FMT(expr), p->having.operator, p->having.least);
		f->operator= span_str(p->having.operator);
		f->value = plan_text(p, "%.15g", p->having.least);
	}
	if (p->having.nothing && q->no_empty && p->counted)
		f->sql = plan_text(p, "(%.*s AND %.*s > 0)", SPAN_FMT(f->sql), SPAN_FMT(expr));
}
