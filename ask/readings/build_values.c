#include "ask/conditions.h"
#include "ask/finish.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/spans.h"

/* "whose name contains Lee": letters in either case. */
bool
build_like(struct plan *p, struct draft *d)
{
	enum ask_type type = plan_source(p, d->s.column.node)->columns[d->s.column.column].type;
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

	return first > 1 &&
	    (span_is_str(p->q.tokens[first - 1].folded, "in") || span_is_str(p->q.tokens[first - 2].folded, "in")) &&
	    build_like(p, d);
}

/* "which drug contains Aspirin", where it is an agent of drugs: that is not a part of their name. */
static bool
is_value_of_another(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < p->q.n; i++)
		for (size_t k = 0; p->q.items[i].text.p == d->s.text.p && k < p->q.items[i].nhits; k++) {
			const struct ask_entry *e = p->q.items[i].hits[k];

			if (e->kind == ASK_KIND_VALUE && e->source == p->m->nodes[p->root].source &&
			    e->index != d->columns[0].column)
				return !p->q.tokens[p->q.items[i].first].quoted;
		}
	return false;
}

/* "the names that contain lee" */
bool
build_like_listed(struct plan *p, struct draft *d)
{
	if (d->ncolumns != 1 || d->columns[0].node != p->root || d->and_next || d->or_next || d->last != DRAFT_ROOT ||
	    d->nconditions > 0 || is_value_of_another(p, d))
		return false;
	d->s.column = d->columns[0];
	d->at = DRAFT_ROOT;
	return build_like(p, d);
}

/* "die lee enthalten" */
bool
build_like_listed_behind(struct plan *p, struct draft *d)
{
	return p->q.language == ASK_GERMAN && build_like_listed(p, d);
}

/* "deren Name mit A beginnt" */
bool
build_like_behind(struct plan *p, struct draft *d)
{
	return p->q.language == ASK_GERMAN && build_like(p, d);
}

/* The user has to say first how the values are meant together. */
static void
ask_together(struct plan *p, struct draft *d, struct plan_column at, struct span first, struct span second)
{
	struct ask_clarification *q =
	    build_ask(p, d, SAYS_TOPIC_VALUES, SAYS_VALUES_TOGETHER, SPANS(plan_column_label(p, at)));

	if (q != NULL)
		plan_suggest(q, plan_says(p, SAYS_OR_TOGETHER, SPANS(first, second)));
	if (q != NULL && d->number)
		plan_suggest(q, plan_says(p, SAYS_VERSUS, SPANS(first, second)));
}

/*
 * "Norway or France", "Norway, France or Peru": one condition; "Norway and France" is asked about.  False: the value is
 * another condition.
 */
static bool
joins_values(struct plan *p, struct draft *d, struct plan_column at, bool negated)
{
	struct draft_condition *before = d->nconditions > 0 ? &d->conditions[d->nconditions - 1] : NULL;
	struct plan_condition *c = before == NULL ? NULL : &before->is;
	bool either = d->or_next;
	struct span versus;

	if (c == NULL || before->of != d->at || c->test != PLAN_IS || c->negated || negated || c->at.node != at.node ||
	    c->at.column != at.column || c->nvalues == sizeof(c->values) / sizeof(c->values[0]))
		return false;
	if (d->and_next && d->at == DRAFT_ROOT) {
		versus = plan_says(p, SAYS_VERSUS, SPANS(c->values[c->nvalues - 1], d->s.text));
		d->compare |= d->number && plan_is_answered(p, versus);
		either = (d->compare && c->nvalues == 1) ||
		    plan_is_answered(p, plan_says(p, SAYS_OR_TOGETHER, SPANS(c->values[c->nvalues - 1], d->s.text)));
		if (!either)
			ask_together(p, d, at, c->values[c->nvalues - 1], d->s.text);
	}
	if (!either && d->asks == NULL && (!d->s.apart || d->and_next))
		return false;
	c->values[c->nvalues++] = d->s.text;
	d->open_list = !either && d->asks == NULL;
	d->and_next = d->or_next = false;
	return true;
}

bool
build_add_value(struct plan *p, struct draft *d, struct plan_column at, bool negated)
{
	struct plan_condition *c, next = { .at = at, .test = PLAN_IS, .negated = negated };

	if (joins_values(p, d, at, negated))
		return true;
	if (!build_part_rows(d, &next))
		return false;
	c = build_add_condition(d, at, PLAN_IS);

	if (c == NULL)
		return false;
	c->negated = next.negated;
	c->items[c->nvalues] = d->s.value_item;
	c->values[c->nvalues++] = d->s.text;
	return true;
}

/* "revenue from Enterprise": of a plan, or of customers in that segment? */
static bool
is_value_of_several(const struct plan *p, const struct draft *d)
{
	for (size_t k = 0; (d->number || d->leads) && k < p->q.items[d->s.value_item].nhits; k++) {
		const struct ask_entry *e = p->q.items[d->s.value_item].hits[k];

		if (e->kind == ASK_KIND_VALUE && e->source != d->s.value.node &&
		    (e->source == p->m->nodes[p->root].source || around_reaches(p, p->root, e->source)) &&
		    !conditions_are_joined(p, e, d->s.value))
			return true;
	}
	return false;
}

/* "invoices from France": shipped there, or of customers there?  True: the user has to say so first. */
static bool
asks_which_column(struct plan *p, struct draft *d, struct plan_column at)
{
	const struct ask_item *it = &p->q.items[d->s.value_item];
	struct ask_clarification *q;

	if (!d->bare || !is_value_of_several(p, d) || plan_is_answered(p, plan_column_label(p, at)) ||
	    (q = build_ask(p, d, SAYS_TOPIC_MEANING, SAYS_WHAT_MEANS, SPANS(it->text))) == NULL)
		return false;
	for (size_t k = 0; k < it->nhits; k++)
		if (it->hits[k]->kind == ASK_KIND_VALUE)
			plan_suggest(q,
			    plan_column_label(p, (struct plan_column){ it->hits[k]->source, it->hits[k]->index }));
	return true;
}

/* "nominated", a value of the result, where the nominee is a column, too: the verb may ask about that. */
static bool
is_verb_of_column(const struct plan *p, const struct draft *d)
{
	enum { BEGINNING = 5 };
	const struct ask_source *s = &p->m->sources[d->s.value.node];
	const struct ask_token *t = &p->q.tokens[p->q.items[d->s.value_item].first];

	if (p->q.items[d->s.value_item].n != 1 || t->folded.len <= BEGINNING ||
	    !ask_is_participle(p->q.language, t->folded))
		return false;
	for (uint32_t c = 0; c < s->ncolumns; c++)
		if (c != d->s.value.column && s->columns[c].type == ASK_TYPE_TEXT && !s->columns[c].internal &&
		    s->columns[c].names.name.len >= BEGINNING &&
		    span_is_folded(span_of(s->columns[c].names.name.p, BEGINNING), span_of(t->folded.p, BEGINNING)))
			return true;
	return false;
}

/* "price of parts", where a value is "Part" */
static bool
ask_value_only(struct plan *p, struct draft *d, struct plan_column at)
{
	struct ask_clarification *q =
	    build_ask(p, d, SAYS_TOPIC_MEANING, SAYS_VALUE_ONLY, SPANS(p->q.items[d->s.value_item].text));

	if (q != NULL)
		plan_suggest(q, plan_column_label(p, at));
	return q != NULL;
}

/* "trips from Opera", of the start or the end: the user has to say so first. */
static bool
add_chosen(struct plan *p, struct draft *d, bool negated)
{
	struct plan_column at;
	struct plan copy;

	if (!build_aside(p, &copy))
		return false;
	copy.q.items = arena_array(p->a, p->q.n + 1, sizeof(*copy.q.items));
	if (copy.q.items == NULL)
		return false;
	memcpy(copy.q.items, p->q.items, p->q.n * sizeof(*copy.q.items));
	if (!plan_choose(&copy, d->s.value_item, 1u << ASK_KIND_VALUE, ASK_NONE, &at))
		return build_take_aside(d, &copy);
	return p->m->nodes[at.node].source == d->s.value.node && at.column == d->s.value.column &&
	    plan_is_answered(p, plan_column_label(p, at)) && build_add_value(p, d, at, negated);
}

/* Whether the value names a row of its source. */
static bool
value_names_row(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = &p->m->sources[d->s.value.node];

	return s->label == d->s.value.column || s->columns[d->s.value.column].of_person;
}

/* "with friends of Ada": whose friend she is, not who has her as one */
static bool
is_of_way(const struct plan *p, const struct draft *d)
{
	static const char *const of[] = { "of", "von", NULL };
	size_t first = p->q.items[d->s.value_item].first;

	return d->last != DRAFT_ROOT && d->related[d->last].way != ASK_NONE && first > 0 &&
	    span_is_any(p->q.tokens[first - 1].folded, of);
}

/* "in Colorado", "does Colorado have" */
static bool
is_place(const struct plan *p, size_t item)
{
	static const char *const words[] = { "in", "within", "from", "through", "does", "do", "hat", "haben", "durch",
		"aus", NULL };
	size_t first = p->q.items[item].first;

	if (first > 0 && span_is_str(p->q.tokens[first - 1].folded, "the"))
		first--;
	return first > 0 && span_is_any(p->q.tokens[first - 1].folded, words);
}

/* "states bordering Texas": what is done to the row of that name by others of its kind */
static bool
is_verbs_object(const struct plan *p, const struct draft *d)
{
	size_t i = d->s.value_item;

	while (i > 0 && plan_is_word(p, i - 1, ASK_WORD_STOP))
		i--;
	if (i == 0 || !around_is_verb(p, --i))
		return false;
	while (i > 0 && plan_is_word(p, i - 1, ASK_WORD_STOP))
		i--;
	return i > 0 && around_names(p, i - 1, d->s.value.node);
}

/* A value without its column: of the rows themselves, or what names those that they lead to. */
bool
build_value_of(struct plan *p, struct draft *d, bool negated)
{
	uint32_t node = draft_node(p, d, d->last), parent, far;
	const struct ask_source *s = &p->m->sources[d->s.value.node];

	if (d->s.noun && d->s.only && d->number && d->last == DRAFT_ROOT)
		return ask_value_only(p, d, (struct plan_column){ d->s.value.node, d->s.value.column });
	/* "customers with orders from Berlin": the orders, or the customers? */
	if (d->s.noun || is_verb_of_column(p, d) || is_of_way(p, d) || is_verbs_object(p, d) ||
	    ((d->number || d->nsteps == 0 || d->before) && spans_may_date(p, d->s.value_item)) ||
	    (d->s.of_root && d->last != DRAFT_ROOT && !d->related[d->last].compared))
		return false;
	d->at = d->last;
	if (d->near != ASK_NONE && p->m->nodes[d->near].source == d->s.value.node)
		return build_add_value(p, d, (struct plan_column){ d->near, d->s.value.column }, negated);
	/* "a city named Austin": see build_rows_called() */
	if (d->last != DRAFT_ROOT && d->s.value_item > 0 && plan_is_word(p, d->s.value_item - 1, ASK_WORD_STOP) &&
	    p->q.items[d->s.value_item - 1].arg == ASK_STOP_JOINS &&
	    !span_is_str(p->q.tokens[p->q.items[d->s.value_item - 1].first].folded, "where"))
		return false;
	/* "rivers in Colorado" are none of that name */
	if (p->m->nodes[node].source == d->s.value.node && node == p->root && (d->rows || (d->number && !d->loose)) &&
	    s->label == d->s.value.column && is_place(p, d->s.value_item))
		return false;
	if (p->m->nodes[node].source == d->s.value.node)
		return asks_which_column(p, d, (struct plan_column){ node, d->s.value.column }) ||
		    build_add_value(p, d, (struct plan_column){ node, d->s.value.column }, negated);
	/* "how many friends does Ada have" */
	if (d->last == DRAFT_ROOT && value_names_row(p, d) &&
	    (parent = plan_way(p, p->root, d->s.value.node, &far)) != ASK_NONE)
		return build_add_value(p, d, (struct plan_column){ parent, d->s.value.column }, negated);
	if (s->label != d->s.value.column && !d->s.only && !d->number)
		return false;
	if (!is_value_of_several(p, d) && (s->label == d->s.value.column || d->s.only) &&
	    (parent = draft_parent(p, d, d->s.value.node)) != ASK_NONE)
		return build_add_value(p, d, (struct plan_column){ parent, d->s.value.column }, negated);
	return d->number && d->last == DRAFT_ROOT && add_chosen(p, d, negated);
}

/* "customers without newsletter": whether they have one is asked, not by what word a column of theirs is filled. */
static bool
is_possession(struct plan *p, struct draft *d)
{
	struct span label = plan_column_label(p, (struct plan_column){ p->root, d->s.value.column });
	struct ask_clarification *q;

	if (d->s.value.node != p->m->nodes[p->root].source || plan_is_answered(p, label))
		return false;
	if (d->number &&
	    (q = build_ask(p, d, SAYS_TOPIC_MEANING, SAYS_VALUE_ONLY, SPANS(p->q.items[d->s.value_item].text))) != NULL)
		plan_suggest(q, label);
	return true;
}

/* "tickets solved in March": the word is about the period, see build_state_dated(). */
bool
build_is_dated_state(const struct plan *p, const struct draft *d)
{
	size_t i = d->s.value_item, next = spans_skip(p, i + 1);
	const struct ask_token *t = &p->q.tokens[p->q.items[i].first];

	return d->number && !d->before && i > 0 && next < p->q.n && p->q.items[next].kind == ASK_ITEM_PERIOD &&
	    p->q.items[i].n == 1 && !t->capital && !t->quoted && ask_is_participle(p->q.language, t->folded) &&
	    (plan_names_any(p, i - 1, ASK_KIND_SOURCE) || plan_names_any(p, i - 1, ASK_KIND_MEASURE) ||
		(plan_is_word(p, i - 1, ASK_WORD_STOP) && p->q.items[i - 1].arg == ASK_STOP_INSIDE));
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

/* "tier = gold" */
bool
build_column_is(struct plan *p, struct draft *d)
{
	return d->s.operator== ASK_EXACTLY && build_column_value(p, d);
}

/* "sex is F", of what the rows lead to */
bool
build_group_value(struct plan *p, struct draft *d)
{
	return d->number && plan_names_value(p, d->s.group, d->s.value_item) &&
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

/* "movies reviewed by Ada": the row of this name, to which the rows or a link lead, or which leads to them. */
bool
build_done_by_value(struct plan *p, struct draft *d)
{
	uint32_t doer = d->s.value.node, parent = draft_parent(p, d, doer);
	bool leads = around_leads_to(p, doer, p->root, 1);
	uint32_t link = around_bridge(p, doer, p->root);

	if (d->s.noun || d->last != DRAFT_ROOT || d->near != ASK_NONE || !spans_is_verb_of(p, d->s.verb, doer) ||
	    p->m->sources[doer].label != d->s.value.column || (parent != ASK_NONE) + leads + (link != ASK_NONE) != 1)
		return false;
	if (parent != ASK_NONE) {
		d->at = DRAFT_ROOT;
		/* "not supplied by Fir": also what has no supplier */
		return !d->s.negated && build_add_value(p, d, (struct plan_column){ parent, d->s.value.column }, false);
	}
	d->s.related = leads ? doer : link;
	d->s.through = leads ? ASK_NONE : doer;
	if (!build_add_related(p, d, d->s.negated, NULL))
		return false;
	d->at = d->last;
	return build_add_value(p, d, (struct plan_column){ doer, d->s.value.column }, false);
}

/* "members of the club Owls": the row of that name, that other rows link to the members. */
bool
build_rows_called(struct plan *p, struct draft *d)
{
	uint32_t node = d->s.through != ASK_NONE ? d->s.through : d->s.related;

	if (p->m->nodes[node].source != d->s.value.node || !value_names_row(p, d) || d->s.noun ||
	    is_verbs_object(p, d) || d->and_next || d->or_next || d->last != DRAFT_ROOT ||
	    !build_add_related(p, d, false, NULL) || is_of_way(p, d))
		return false;
	d->at = d->last;
	return build_add_value(p, d, (struct plan_column){ node, d->s.value.column }, false);
}

/* "in Algebra", "does Ada have" */
bool
build_relates_any_way(const struct plan *p, size_t item)
{
	static const char *const words[] = { "in", "at", "with", "does", "do", "did", "bei", "mit", "hat", "haben",
		NULL };
	size_t first = p->q.items[item].first;
	struct span before = first > 0 ? p->q.tokens[first - 1].folded : SPAN("");

	/* "written by Ada", "that Ada wrote": a verb that the model declares for a join, which the reading then uses */
	if ((item > 0 && around_is_verb(p, item - 1)) || (item + 1 < p->q.n && around_is_verb(p, item + 1)) ||
	    (item > 1 && around_is_verb(p, item - 2) && (span_is_str(before, "by") || span_is_str(before, "von"))))
		return true;
	return span_is_any(before, words);
}

/* "students in Algebra", a course to which enrollments lead them: the only row of that name, and the only way. */
bool
build_linked_value(struct plan *p, struct draft *d)
{
	uint32_t source = d->s.value.node, link = around_bridge(p, source, p->root);
	bool leads = around_leads_to(p, source, p->root, 1);

	if (d->s.noun || !d->s.only || d->s.of_root || !value_names_row(p, d) ||
	    !(build_relates_any_way(p, d->s.value_item) ||
		((d->rows || d->number) && spans_is_located(p, d->s.value_item))) ||
	    d->last != DRAFT_ROOT || d->near != ASK_NONE || d->and_next || d->or_next || leads == (link != ASK_NONE))
		return false;
	d->s.related = leads ? source : link;
	d->s.through = leads ? ASK_NONE : source;
	if (!build_add_related(p, d, false, NULL))
		return false;
	d->at = d->last;
	return build_add_value(p, d, (struct plan_column){ source, d->s.value.column }, false);
}

/* "ratings by Ada": of the related rows. */
bool
build_by_value(struct plan *p, struct draft *d)
{
	/* "songs by Ada" */
	bool other = d->s.value.node != p->m->nodes[p->root].source;

	return (d->last != DRAFT_ROOT || (d->number && (d->compare || other))) && build_value_of(p, d, false);
}

bool
build_column_value(struct plan *p, struct draft *d)
{
	if (d->s.none || p->m->nodes[d->s.column.node].source != d->s.value.node ||
	    d->s.column.column != d->s.value.column || !build_add_value(p, d, d->s.column, d->s.negated))
		return false;
	if (d->nconditions > 0)
		d->conditions[d->nconditions - 1].named = true;
	return true;
}
