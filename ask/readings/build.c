#include "ask/comparisons.h"
#include "ask/conditions.h"
#include "ask/counts.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"
#include "ask/readings/match.h"
#include "ask/readings/spans.h"

bool
build_name_rows(const struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	if (d->nperiods + d->nmentions + d->ngroups > 0)
		return false;
	d->number = d->bare = false;
	d->rows = true;
	for (unsigned pass = 0; pass < 2 && d->ncolumns == 0; pass++)
		for (uint32_t c = 0; c < s->ncolumns && d->ncolumns < DRAFT_COLUMNS_MAX; c++)
			if ((pass == 0 ? ask_is_name(s, c) : c == plan_key_column(s)) && ask_is_shown(&s->columns[c]))
				d->columns[d->ncolumns++] = (struct plan_column){ p->root, c };
	return d->ncolumns > 0;
}

/*
 * What further related rows belong to: in "orders without parcels" to the orders, in "orders and no parcels" to what
 * the orders belong to.  False: the question does not say.
 */
static bool
find_owner(const struct plan *p, const struct draft *d, size_t *of)
{
	const struct draft_related *last;
	bool any = false;

	*of = DRAFT_ROOT;
	if (d->near != ASK_NONE && d->near != d->s.through &&
	    around_reaches(p, d->s.related, p->m->nodes[d->near].source))
		return false;
	for (size_t i = 0; i < d->nrelated; i++) {
		any |= around_reaches(p, d->s.related, p->m->nodes[d->related[i].node].source);
		if (d->s.through != ASK_NONE && around_is_linked(p, d->s.through, d->related[i].node))
			return false;
	}
	last = &d->related[d->last == DRAFT_ROOT ? 0 : d->last];
	/* "songs in English and songs in Bangla": further ones of the same rows */
	if (d->last != DRAFT_ROOT && d->and_next && last->node == d->s.related && last->through == d->s.through)
		return last->of == DRAFT_ROOT && !last->negated &&
		    last->operator== NULL && d->nrelated == 1 && draft_conditions_of(d, d->last) > 0;
	if (d->last == DRAFT_ROOT || !any || d->or_next)
		return true;
	if (d->and_next)
		return d->nrelated == 1 && !last->negated &&
		    last->operator== NULL && draft_conditions_of(d, d->last) == 0;
	*of = d->last;
	return !d->s.apart && around_leads_to(p, d->s.related, last->node, AROUND_HOPS_MAX);
}

static void
put_related(struct draft *d, size_t of, bool negated, const char *operator)
{
	d->last = d->nrelated;
	d->near = d->s.through;
	d->related[d->nrelated++] = (struct draft_related){ .node = d->s.related, .through = d->s.through,
		.way = d->s.way, .of = of,
		.negated = negated, .operator= operator, .number = d->s.number, .item = d->s.rows };
	d->and_next = false;
}

/* "the friends of Ada" are others than who has the friend Ada: to have them has to be said, or their number. */
static bool
says_having(const struct plan *p, const struct draft *d)
{
	return d->s.with || d->s.none || d->s.count != PLAN_NO_ITEM || d->s.comparator != PLAN_NO_ITEM ||
	    (plan_is_word(p, d->s.fold, ASK_WORD_EXTREME) && abs(p->q.items[d->s.fold].arg) == ASK_MOST);
}

bool
build_add_related(const struct plan *p, struct draft *d, bool negated, const char *operator)
{
	size_t of;

	if (d->s.way != ASK_NONE && !says_having(p, d))
		return false;
	if (d->commonest && !negated && !plan_names_any(p, d->s.rows, ASK_KIND_SOURCE))
		return false;
	/* "copies that were lent": those that the model counts, or all that were? */
	if (d->number && !negated && operator== NULL && !counts_every_row(p, plan_root(p)) &&
	    around_leads_to(p, d->s.related, p->root, 1))
		return false;
	for (size_t i = 0; i < d->nrelated; i++)
		if (d->related[i].compared)
			return false;
	/* "with the most orders and …": which rows the rest limits, the question does not say */
	if (d->nrelated == DRAFT_RELATED_MAX || d->first || d->most_of ||
	    (d->or_next && (negated || d->near != ASK_NONE)) || (d->nmeasures > 0 && negated) ||
	    (d->number && !d->s.negated && counts_has_quantity(p, p->m->nodes[d->s.related].source)) || d->pending ||
	    !counts_tells_rows(p, p->m->nodes[d->s.related].source) || !find_owner(p, d, &of))
		return false;
	if (d->or_next && of != DRAFT_ROOT)
		return false;
	put_related(d, of, negated, operator);
	d->related[d->last].either = d->or_next;
	d->any_of |= d->or_next;
	d->or_next = false;
	return true;
}

/* "along with their", "with their": what follows is shown with the rows. */
bool
build_says_their(const struct plan *p, const struct draft *d)
{
	size_t from = d->nsteps > 0 ? d->steps[d->nsteps - 1].end : 0;
	bool joins = plan_is_word(p, from, ASK_WORD_AND) || d->and_next, theirs = false;
	size_t end = spans_skip(p, from + plan_is_word(p, from, ASK_WORD_AND));

	for (size_t t = p->q.items[from].first; end < p->q.n && t < p->q.items[end].first; t++) {
		/* not so in "above the average price of their category" */
		joins |= p->names->words[t].with || p->q.tokens[t].comma;
		theirs |= plan_reads(p, t,
		    "its their his her along together dessen deren ihre ihren ihrer ihrem seine seinen seinem seiner");
	}
	return joins && theirs;
}

/* "did Ada borrow", "hat Ada 2024 ausgeliehen": who did it, and no condition on what it was done with. */
bool
build_says_who_did(const struct plan *p, size_t verb)
{
	size_t i = verb;

	if (plan_names_any(p, verb, ASK_KIND_SOURCE))
		return false;
	while (i > 0 && (plan_is_word(p, i - 1, ASK_WORD_STOP) || p->q.items[i - 1].kind == ASK_ITEM_PERIOD))
		i--;
	return i > 0 && plan_names_any(p, i - 1, ASK_KIND_VALUE) && p->q.items[i - 1].first > 0 &&
	    plan_reads(p, p->q.items[i - 1].first - 1, "did do does has have had hat haben hatte hatten");
}

bool
build_says_amount(const struct plan *p, size_t i)
{
	const struct ask_entry *e;
	bool amount = false;

	for (size_t k = 0; (e = plan_next_hit(p, i, ASK_KIND_MEASURE, &k)) != NULL;)
		amount |= !measures_is_count(&p->m->sources[e->source].measures[e->index]);
	return p->q.language == ASK_ENGLISH && !plan_last_word(p, i)->plural && amount;
}

bool
build_says_each(const struct plan *p, const struct draft *d)
{
	return plan_is_word(p, d->s.by, ASK_WORD_BY) &&
	    ask_is_any(plan_last_word(p, d->s.by)->folded, "each every per jeder jede jedem jedes");
}

/* "in 2024", "the colour red": one row has one of them. */
static bool
is_single(const struct plan_condition *c)
{
	return c->test == PLAN_IS || c->test == PLAN_WITHIN || (c->test == PLAN_COMPARED && c->operator[0] == '=');
}

bool
build_repeat_related(struct draft *d, size_t of, bool negated)
{
	if (d->nrelated == DRAFT_RELATED_MAX)
		return false;
	d->last = d->at = d->nrelated;
	d->near = d->related[of].through;
	d->related[d->nrelated] = d->related[of];
	d->related[d->nrelated++].negated = negated;
	d->and_next = false;
	return true;
}

bool
build_is_of_group(const struct plan *p, const struct draft *d, uint32_t source)
{
	bool any = false;

	for (size_t i = 0; d->limited && i < d->ngroups; i++)
		for (size_t k = 0; d->groups[i].item != PLAN_NO_ITEM && k < p->q.items[d->groups[i].item].nhits; k++)
			any |= around_reaches(p, p->q.items[d->groups[i].item].hits[k]->source, source);
	return any;
}

bool
build_part_rows(struct draft *d, struct plan_condition *next)
{
	const struct draft_condition *c = &d->conditions[d->nconditions > 0 ? d->nconditions - 1 : 0];
	size_t of = d->at;

	if (of == DRAFT_ROOT || (d->related[of].compared && !d->related[of].alike) ||
	    !(d->and_next || (next->negated && d->s.but)))
		return true;
	if (draft_conditions_of(d, of) != 1 || c->of != of || c->is.negated || !is_single(&c->is) || !is_single(next) ||
	    c->is.at.node != next->at.node || c->is.at.column != next->at.column || d->related[of].negated ||
	    d->related[of].operator!= NULL || d->related[of].of != DRAFT_ROOT || d->most)
		return !next->negated || d->related[of].alike;
	if (!build_repeat_related(d, of, next->negated))
		return false;
	next->negated = false;
	return true;
}

struct plan_condition *
build_add_condition(struct draft *d, struct plan_column at, enum plan_test test)
{
	struct draft_condition *c = &d->conditions[d->nconditions];
	bool apart = d->nconditions == 0 || c[-1].of != d->at;

	if (d->nconditions == DRAFT_CONDITIONS_MAX || ((d->first || d->most_of) && d->and_next) ||
	    (d->or_next && apart && (d->at != DRAFT_ROOT || d->nrelated == 0)))
		return NULL;
	/* "with more than 2 orders or from Oslo" */
	d->any_of |= d->or_next && apart;
	*c = (struct draft_condition){ .is = { .at = at, .test = test }, .of = d->at, .either = d->or_next };
	d->nconditions++;
	d->pending &= at.node != d->near;
	d->and_next = d->or_next = false;
	return &c->is;
}

struct ask_clarification *
build_ask(struct plan *p, struct draft *d, enum plan_says which, const struct span *args, struct span suggestion)
{
	struct ask_clarification *q = arena_alloc(p->a, sizeof(*q));

	if (q != NULL) {
		*q = plan_question(p, which, args);
		if (suggestion.len > 0)
			plan_suggest(q, suggestion);
	}
	d->asks = q;
	return q;
}

bool
build_aside(const struct plan *p, struct plan *copy)
{
	*copy = *p;
	copy->out = arena_alloc(p->a, sizeof(*copy->out));
	if (copy->out != NULL)
		copy->out->german = p->out->german;
	return copy->out != NULL;
}

bool
build_take_aside(struct draft *d, const struct plan *copy)
{
	if (copy->out->nassumptions > 0)
		d->assumption = copy->out->assumptions[0];
	if (copy->out->nquestions == 1)
		d->asks = &copy->out->questions[0];
	return copy->out->nquestions == 1;
}

struct comparison
build_comparison(const struct draft *d)
{
	return (struct comparison){ .number = d->s.number_item, .word = d->s.comparator, .unit = d->s.said_unit,
		.years = d->s.years };
}

static const char *
negate(const char *operator)
{
	static const char *const others[][2] = { { ">", "<=" }, { "<", ">=" }, { ">=", "<" }, { "<=", ">" },
		{ "=", "<>" } };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i][0], operator) == 0)
			return others[i][1];
	return operator;
}

bool
build_add_number(struct plan *p, struct draft *d, struct plan_column at)
{
	struct plan_condition *c;
	struct comparison said = build_comparison(d);
	struct plan copy;

	said.at = at;
	if (plan_column(p, at)->type != ASK_TYPE_NUMBER || d->s.none || !build_aside(p, &copy) ||
	    (!comparisons_has_unit(&copy, &said) && !build_take_aside(d, &copy)) ||
	    (c = build_add_condition(d, at, d->s.range ? PLAN_BETWEEN : PLAN_COMPARED)) == NULL)
		return false;
	build_take_aside(d, &copy);
	c->operator= comparisons_operator(d->s.operator);
	if (d->s.negated)
		c->operator= negate(c->operator);
	c->negated = d->s.range && d->s.negated;
	c->values[c->nvalues++] = plan_text(p, "%.15g", d->s.number);
	if (d->s.range)
		c->values[c->nvalues++] = plan_text(p, "%.15g", d->s.upto);
	return true;
}

uint32_t
build_node_linked(const struct draft *d)
{
	return d->last != DRAFT_ROOT && d->near != ASK_NONE && d->related[d->last].through == d->near ? d->near :
													ASK_NONE;
}

uint32_t
build_node_said(const struct plan *p, const struct draft *d)
{
	return d->pending && d->near != ASK_NONE ? d->near : draft_node(p, d, d->last);
}

bool
build_degree_column(const struct plan *p, const struct draft *d, struct plan_column *out)
{
	return columns_of_degree(p, build_node_said(p, d), d->s.word, out) == 1;
}

/* The user has to say first how the values are meant together. */
static void
ask_together(struct plan *p, struct draft *d, struct plan_column at, struct span first, struct span second)
{
	struct ask_clarification *q = build_ask(p, d, SAYS_VALUES_TOGETHER, SPANS(plan_column_label(p, at)),
	    plan_says(p, SAYS_OR_TOGETHER, SPANS(first, second)));

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
	const struct ask_entry *e;

	for (size_t k = 0;
	     (d->number || d->leads) && (e = plan_next_hit(p, d->s.value_item, ASK_KIND_VALUE, &k)) != NULL;)
		if (e->source != d->s.value.node &&
		    (e->source == plan_root(p) || around_reaches(p, p->root, e->source)) &&
		    !conditions_are_joined(p, e, d->s.value))
			return true;
	return false;
}

/* Whether the value names a row of its source. */
static bool
value_names_row(const struct plan *p, const struct draft *d)
{
	return ask_is_name(&p->m->sources[d->s.value.node], d->s.value.column);
}

/* "Ada", whom the rows' own column holds for another reason, is also the name of a row to which they lead. */
static bool
names_parent_row(const struct plan *p, const struct draft *d, struct plan_column own)
{
	const struct ask_entry *e;
	bool any = false;

	for (size_t k = 0;
	     !value_names_row(p, d) && (e = plan_next_hit(p, d->s.value_item, ASK_KIND_VALUE, &k)) != NULL;)
		any |= e->source != p->m->nodes[own.node].source && e->index == p->m->sources[e->source].label &&
		    around_parent(p, p->root, e->source) != ASK_NONE && !conditions_are_joined(p, e, d->s.value);
	return any;
}

/* "invoices from France": shipped there, or of customers there?  True: the user has to say so first. */
static bool
asks_which_column(struct plan *p, struct draft *d, struct plan_column at)
{
	const struct ask_item *it = &p->q.items[d->s.value_item];
	const struct ask_entry *e;
	struct ask_clarification *q;

	if (!(d->bare || names_parent_row(p, d, at)) || !is_value_of_several(p, d) ||
	    plan_is_answered(p, plan_column_label(p, at)) ||
	    (q = build_ask(p, d, SAYS_WHAT_MEANS, SPANS(it->text), SPAN_NONE)) == NULL)
		return false;
	for (size_t k = 0; (e = plan_next_hit(p, d->s.value_item, ASK_KIND_VALUE, &k)) != NULL;)
		plan_suggest(q, plan_column_label(p, (struct plan_column){ e->source, e->index }));
	return true;
}

/* "nominated", a value of the result, where the nominee is a column, too: the verb may ask about that. */
static bool
is_verb_of_column(const struct plan *p, const struct draft *d)
{
	enum { BEGINNING = 5 };
	const struct ask_source *s = &p->m->sources[d->s.value.node];
	const struct ask_token *t = plan_word(p, d->s.value_item);

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
bool
build_ask_value_only(struct plan *p, struct draft *d, struct plan_column at)
{
	return build_ask(p, d, SAYS_VALUE_ONLY, SPANS(p->q.items[d->s.value_item].text), plan_column_label(p, at)) !=
	    NULL;
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

/* "with friends of Ada": whose friend she is, not who has her as one */
static bool
is_of_way(const struct plan *p, const struct draft *d)
{
	return d->last != DRAFT_ROOT && d->related[d->last].way != ASK_NONE &&
	    plan_reads_before(p, d->s.value_item, "of von");
}

/* "in Colorado", "does Colorado have" */
static bool
is_place(const struct plan *p, size_t item)
{
	size_t first = p->q.items[item].first;

	if (plan_reads(p, first - 1, "the"))
		first--;
	return plan_reads(p, first - 1, "in within from through does do hat haben durch aus");
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

/* "to students", "by seniors": a state of other rows, in the plural, behind such a word. */
static bool
is_whom(const struct plan *p, const struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.value_item];

	/* "which librarians are trainees" */
	if (d->s.value.node == plan_root(p))
		return it->n == 1 && plan_word(p, d->s.value_item)->plural &&
		    plan_reads(p, it->first - 1, "are were sind waren not nicht");
	return plan_reads(p, it->first - 1, "to by for an für von durch") && it->n == 1 && d->number;
}

/* "purchases from Germany", where authors have a country too, to whom these do not lead. */
static bool
is_only_within_reach(const struct plan *p, const struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.value_item];

	for (size_t k = 0; !d->s.only && k < it->nhits; k++) {
		const struct ask_entry *e = it->hits[k];

		if (e->kind != ASK_KIND_VALUE ||
		    ((e->source != d->s.value.node || e->index != d->s.value.column) &&
			(e->source == plan_root(p) || around_reaches(p, p->root, e->source) ||
			    around_reaches(p, e->source, plan_root(p)))))
			return false;
	}
	return true;
}

bool
build_value_of(struct plan *p, struct draft *d, bool negated)
{
	uint32_t node = draft_node(p, d, d->last), parent, far;
	const struct ask_source *s = &p->m->sources[d->s.value.node];
	bool only;

	/* "to students": what the rows that are meant are */
	if (d->s.noun && d->last == DRAFT_ROOT && is_whom(p, d)) {
		d->s.noun = false;
		if (!d->s.only && d->s.value.node != plan_root(p))
			return add_chosen(p, d, negated);
		d->assumption = plan_says(p, SAYS_VALUE_TAKEN,
		    SPANS(p->q.items[d->s.value_item].text,
			plan_column_label(p, (struct plan_column){ d->s.value.node, d->s.value.column })));
	}
	if (d->s.noun && d->s.only && d->number && d->last == DRAFT_ROOT)
		return build_ask_value_only(p, d, (struct plan_column){ d->s.value.node, d->s.value.column });
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
	    !plan_reads(p, p->q.items[d->s.value_item - 1].first, "where"))
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
	only = is_only_within_reach(p, d);
	if (s->label != d->s.value.column && !only && !d->number)
		return false;
	if (!is_value_of_several(p, d) && (s->label == d->s.value.column || only) &&
	    (parent = draft_parent(p, d, d->s.value.node)) != ASK_NONE)
		return build_add_value(p, d, (struct plan_column){ parent, d->s.value.column }, negated);
	return d->number && d->last == DRAFT_ROOT && add_chosen(p, d, negated);
}

bool
build_is_dated_state(const struct plan *p, const struct draft *d)
{
	size_t i = d->s.value_item, next = spans_skip(p, i + 1);
	const struct ask_token *t = plan_word(p, i);

	return d->number && !d->before && i > 0 && next < p->q.n && p->q.items[next].kind == ASK_ITEM_PERIOD &&
	    p->q.items[i].n == 1 && !t->capital && !t->quoted && ask_is_participle(p->q.language, t->folded) &&
	    (plan_names_any(p, i - 1, ASK_KIND_SOURCE) || plan_names_any(p, i - 1, ASK_KIND_MEASURE) ||
		(plan_is_word(p, i - 1, ASK_WORD_STOP) && p->q.items[i - 1].arg == ASK_STOP_INSIDE));
}

/* "in Algebra", "does Ada have" */
bool
build_relates_any_way(const struct plan *p, size_t item)
{
	/* "written by Ada", "that Ada wrote": a verb that the model declares for a join, which the reading then uses */
	if ((item > 0 && around_is_verb(p, item - 1)) || (item + 1 < p->q.n && around_is_verb(p, item + 1)) ||
	    (item > 1 && around_is_verb(p, item - 2) && plan_reads_before(p, item, "by von")))
		return true;
	return plan_reads_before(p, item, "in at with does do did bei mit hat haben");
}

unsigned
build_find_links(const struct plan *p, struct draft *d, uint32_t source)
{
	uint32_t link = around_bridge(p, source, p->root);
	bool leads = around_leads_to(p, source, p->root, 1);

	d->s.related = leads ? source : link;
	d->s.through = leads ? ASK_NONE : source;
	return (unsigned)leads + (link != ASK_NONE);
}

/* Related rows with this value. */
static bool
add_related_value(struct plan *p, struct draft *d, uint32_t node, bool negated)
{
	if (!build_add_related(p, d, negated, NULL))
		return false;
	d->at = d->last;
	return build_add_value(p, d, (struct plan_column){ node, d->s.value.column }, false);
}

/* "members of the club Owls": the row of that name, that other rows link to the members. */
bool
build_rows_called(struct plan *p, struct draft *d)
{
	uint32_t node = d->s.through != ASK_NONE ? d->s.through : d->s.related;

	return p->m->nodes[node].source == d->s.value.node && value_names_row(p, d) && !d->s.noun &&
	    !is_verbs_object(p, d) && d->last == DRAFT_ROOT && add_related_value(p, d, node, false) && !is_of_way(p, d);
}

/* "students in Algebra", a course to which enrollments lead them: the only row of that name, and the only way. */
bool
build_linked_value(struct plan *p, struct draft *d)
{
	return !d->s.noun && d->s.only && !d->s.of_root && value_names_row(p, d) &&
	    (build_relates_any_way(p, d->s.value_item) ||
		((d->rows || d->number) && spans_is_located(p, d->s.value_item))) &&
	    build_find_links(p, d, d->s.value.node) == 1 && add_related_value(p, d, d->s.value.node, false);
}

/* "movies reviewed by Ada": the row of this name, to which the rows or a link lead, or which leads to them. */
bool
build_done_by_value(struct plan *p, struct draft *d)
{
	uint32_t doer = d->s.value.node, parent = draft_parent(p, d, doer);
	unsigned links = build_find_links(p, d, doer);

	if (d->s.noun || !match_is_verb_of(p, d->s.verb, doer) || p->m->sources[doer].label != d->s.value.column ||
	    (unsigned)(parent != ASK_NONE) + links != 1)
		return false;
	if (links == 1)
		return add_related_value(p, d, doer, d->s.negated);
	d->at = DRAFT_ROOT;
	/* "not supplied by Fir": also what has no supplier */
	return !d->s.negated && build_add_value(p, d, (struct plan_column){ parent, d->s.value.column }, false);
}

/* A yes or no, a segment or a value of the rows. */
static bool
add_adjective(struct plan *p, struct draft *d, uint32_t node, const struct ask_entry *e, bool negated)
{
	struct plan_column at = { node, e->kind == ASK_KIND_SEGMENT ? 0 : e->index };
	struct plan_condition *c;

	if (e->kind == ASK_KIND_VALUE) {
		d->s.text = e->value;
		return build_add_value(p, d, at, negated);
	}
	if ((c = build_add_condition(d, at, e->kind == ASK_KIND_FLAG ? PLAN_TRUE : PLAN_SEGMENT)) == NULL)
		return false;
	c->negated = negated;
	c->index = e->index;
	return true;
}

/* A value of the same source that is called as a segment is: the model says what the word means. */
static bool
is_segment_too(const struct plan *p, size_t item, const struct ask_entry *e)
{
	return e->kind == ASK_KIND_VALUE && plan_names_of(p, item, ASK_KIND_SEGMENT, e->source);
}

/* "electric rentals": the only thing that the adjective says of what the rows lead to.  ASK_NONE: nothing. */
static uint32_t
flag_of_parent(const struct plan *p, size_t item, const struct ask_entry **found)
{
	uint32_t node = ASK_NONE;

	*found = NULL;
	for (size_t k = 0; k < p->q.items[item].nhits; k++) {
		const struct ask_entry *e = p->q.items[item].hits[k];

		if (is_segment_too(p, item, e))
			continue;
		if ((e->kind != ASK_KIND_FLAG && e->kind != ASK_KIND_SEGMENT && e->kind != ASK_KIND_VALUE) ||
		    (node != ASK_NONE && plan_only_node(p, e->source) != ASK_NONE))
			return ASK_NONE;
		if ((node = plan_only_node(p, e->source)) != ASK_NONE)
			*found = e;
	}
	return node;
}

/* The only thing that the adjective says of rows of the node. */
static bool
take_adjective(struct plan *p, struct draft *d, uint32_t node, size_t item, bool negated)
{
	const struct ask_entry *found = NULL;

	for (size_t k = 0; k < p->q.items[item].nhits; k++) {
		const struct ask_entry *e = p->q.items[item].hits[k];

		if ((e->kind != ASK_KIND_VALUE && e->kind != ASK_KIND_FLAG && e->kind != ASK_KIND_SEGMENT) ||
		    e->source != p->m->nodes[node].source || is_segment_too(p, item, e))
			continue;
		if (found != NULL)
			return false;
		found = e;
	}
	if (found == NULL && node == p->root && (node = flag_of_parent(p, item, &found)) == ASK_NONE)
		return false;
	return found != NULL && add_adjective(p, d, node, found, negated);
}

bool
build_adjectives(struct plan *p, struct draft *d)
{
	bool root = d->s.adjectives_of == 'E' || d->s.adjectives_of == 'e';
	uint32_t node = d->s.adjectives_of == 'u' || d->s.adjectives_of == 'G' ? d->near :
	    root                                                               ? p->root :
										 draft_node(p, d, d->last);

	if (d->s.nadjectives > 0 && node == ASK_NONE)
		return false;
	d->at = root && !d->s.compared ? DRAFT_ROOT : d->last;
	for (size_t i = 0; i < d->s.nadjectives && d->s.adjectives_of != 'F'; i++)
		if (!take_adjective(p, d, node, d->s.adjectives[i], d->s.adjectives_of == 'e' && d->s.negated) &&
		    !(d->s.adjectives_of == 'r' && build_node_linked(d) != ASK_NONE &&
			take_adjective(p, d, build_node_linked(d), d->s.adjectives[i], false)))
			return false;
	return true;
}

/* "the age of men and women", "male and female guests": both together, or each?  Unlike "who are male and retired". */
static bool
lists_segments(const struct plan *p, const struct draft *d)
{
	size_t item = d->s.adjectives[0], before = item > 1 ? item - 2 : 0;
	bool in_front = item + 1 < p->q.n && plan_names_any(p, item + 1, ASK_KIND_SOURCE) &&
	    plan_names_any(p, before, ASK_KIND_SEGMENT);

	return d->and_next && item > 1 && plan_is_word(p, item - 1, ASK_WORD_AND) &&
	    (in_front || (spans_stands_for_rows(p, item) && spans_stands_for_rows(p, before))) &&
	    !plan_reads_before(p, before, "is are was were ist sind waren not nicht");
}

bool
build_flag(struct plan *p, struct draft *d)
{
	if (lists_segments(p, d))
		return false;
	d->at = d->last;
	if (d->s.none && !d->number)
		return false;
	return take_adjective(p, d, build_node_said(p, d), d->s.adjectives[0], d->s.negated) ||
	    (build_node_linked(d) != ASK_NONE &&
		take_adjective(p, d, build_node_linked(d), d->s.adjectives[0], d->s.negated));
}

/* A word that says all by itself, see the letters. */
bool
build_said(struct plan *p, struct draft *d)
{
	(void)p;
	(void)d;
	return true;
}

bool
build_and(struct plan *p, struct draft *d)
{
	(void)p;
	return d->and_next = true;
}

bool
build_or(struct plan *p, struct draft *d)
{
	(void)p;
	return d->nconditions + d->nrelated > 0 && (d->or_next = true);
}

void
build_take_folds(struct draft *d)
{
	d->nfolds = d->s.nfolds;
	memcpy(d->folds, d->s.folds, sizeof(d->folds));
}

bool
build_put_period(struct draft *d, struct plan_column date)
{
	if (d->nperiods == PLAN_PERIODS_MAX)
		return false;
	d->periods[d->nperiods].item = d->s.period;
	d->periods[d->nperiods++].date = date;
	d->and_next = false;
	return true;
}

uint32_t
build_joined_source(const struct plan *p, size_t verb)
{
	uint32_t found = ASK_NONE;
	const struct ask_entry *e;

	for (size_t k = 0; (e = plan_next_hit(p, verb, ASK_KIND_VERB, &k)) != NULL;) {
		if (e->index != p->root)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = e->source;
	}
	return found < p->m->nsources ? found : ASK_NONE;
}
