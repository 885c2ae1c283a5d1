#include "ask/comparisons.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"

bool
build_columns(struct plan *p, struct draft *d)
{
	bool own = false;

	for (size_t i = 0; i < d->s.nlist; i++)
		own |= d->s.list[i].node == p->root;
	if (!d->s.named || !own)
		return false;
	d->distinct = d->s.distinct;
	d->ncolumns = d->s.nlist;
	memcpy(d->columns, d->s.list, sizeof(d->columns));
	return true;
}

/* A word that is the name of a column of the rows as well may ask for that. */
static bool
is_own_column(const struct plan *p, size_t item, uint32_t but)
{
	size_t n;
	uint32_t column = columns_find(p, p->root, item, &n);

	return column != ASK_NONE && column != but;
}

/* "guards", where a column of fairs holds a number of them: which number is meant, only the user knows. */
static bool
is_a_number(const struct plan *p, size_t item)
{
	for (size_t k = 0; k < p->q.items[item].nhits; k++) {
		const struct ask_entry *e = p->q.items[item].hits[k];

		if (e->kind == ASK_KIND_COLUMN && p->m->sources[e->source].columns[e->index].type == ASK_TYPE_NUMBER)
			return true;
	}
	return false;
}

bool
build_rows(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	for (uint32_t c = 0; c < s->ncolumns && d->ncolumns < DRAFT_COLUMNS_MAX; c++)
		if ((c == s->label || s->columns[c].of_person) && !s->columns[c].masked && !s->columns[c].internal)
			d->columns[d->ncolumns++] = (struct plan_column){ p->root, c };
	d->rows = !d->s.distinct;
	return d->ncolumns > 0 && !is_own_column(p, d->s.item, s->label) && !is_a_number(p, d->s.item);
}

bool
build_number(struct plan *p, struct draft *d)
{
	d->number = true;
	return around_counts_every_row(p, p->m->nodes[p->root].source) && !d->s.distinct && !is_own_column(p, d->s.item, ASK_NONE) && !is_a_number(p, d->s.item);
}

static bool
any_condition(const struct draft *d, size_t of)
{
	for (size_t i = 0; i < d->nconditions; i++)
		if (d->conditions[i].of == of)
			return true;
	return false;
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
	if (d->near != ASK_NONE && around_reaches(p, d->s.related, p->m->nodes[d->near].source))
		return false;
	for (size_t i = 0; i < d->nrelated; i++)
		any |= around_reaches(p, d->s.related, p->m->nodes[d->related[i].node].source);
	if (d->last == DRAFT_ROOT || !any)
		return true;
	last = &d->related[d->last];
	if (d->and)
		return d->nrelated == 1 && !last->negated && last->operator== NULL && !any_condition(d, d->last);
	*of = d->last;
	return !d->s.apart && around_leads_to(p, d->s.related, last->node, AROUND_HOPS_MAX);
}

static bool
add_related(const struct plan *p, struct draft *d, bool negated, const char *operator)
{
	size_t of;

	/* "with the most orders and …": which rows the rest limits, the question does not say */
	if (d->nrelated == DRAFT_RELATED_MAX || d->or || d->first || d->pending ||
	    !around_counts_every_row(p, p->m->nodes[d->s.related].source) || !find_owner(p, d, &of))
		return false;
	d->last = d->nrelated;
	d->near = ASK_NONE;
	d->related[d->nrelated++] = (struct draft_related){
		.node = d->s.related, .of = of, .negated = negated, .operator= operator,
		.number = d->s.number
	};
	d->and = false;
	return true;
}

bool
build_has_no(struct plan *p, struct draft *d)
{
	return (d->s.none || d->s.with) && add_related(p, d, true, NULL);
}

bool
build_has(struct plan *p, struct draft *d)
{
	return add_related(p, d, false, NULL);
}

bool
build_related(struct plan *p, struct draft *d)
{
	return add_related(p, d, false, NULL);
}

bool
build_not_related(struct plan *p, struct draft *d)
{
	return add_related(p, d, true, NULL);
}

/* "the mountains that they climb": how columns of two sources go together, which only one way does. */
bool
build_verb(struct plan *p, struct draft *d)
{
	for (size_t i = 0; i < d->ncolumns; i++)
		if (d->columns[i].node != p->root)
			return d->nrelated == 0 && !d->and &&!d->or ;
	return false;
}

static const char *
operator_of(int arg)
{
	static const char *const operators[] = { [ASK_OVER] = ">", [ASK_UNDER] = "<", [ASK_AT_LEAST] = ">=",
		[ASK_AT_MOST] = "<=", [ASK_EXACTLY] = "=" };

	return operators[arg];
}

bool
build_has_number(struct plan *p, struct draft *d)
{
	/* Whether "less than 3" means those without any, too, the question does not say. */
	return d->s.number >= 1 && d->s.number < 1e9 && d->s.number == (double)(uint32_t)d->s.number &&
	    !p->m->governed &&
	    d->s.operator!= ASK_UNDER && d->s.operator!= ASK_AT_MOST &&
	    add_related(p, d, false, operator_of(d->s.operator));
}

static struct plan_condition *
add_condition(struct draft *d, struct plan_column at, enum plan_test test)
{
	struct draft_condition *c = &d->conditions[d->nconditions];

	if (d->nconditions == DRAFT_CONDITIONS_MAX || (d->first && d->and) ||
	    (d->or &&(d->nconditions == 0 || c[-1].of != d->at)))
		return NULL;
	*c = (struct draft_condition){ .is = { .at = at, .test = test }, .of = d->at, .either = d->or };
	d->nconditions++;
	d->pending &= at.node != d->near;
	d->and = d->or = false;
	return &c->is;
}

static bool
add_number(struct plan *p, struct draft *d, struct plan_column at, bool range)
{
	struct plan_condition *c;

	if (plan_source(p, at.node)->columns[at.column].type != ASK_TYPE_NUMBER ||
	    (c = add_condition(d, at, range ? PLAN_BETWEEN : PLAN_COMPARED)) == NULL)
		return false;
	c->operator= operator_of(d->s.operator);
	c->values[c->nvalues++] = plan_text(p, "%.15g", d->s.number);
	if (range)
		c->values[c->nvalues++] = plan_text(p, "%.15g", d->s.upto);
	return true;
}

bool
build_compared(struct plan *p, struct draft *d)
{
	return add_number(p, d, d->s.column, false);
}

/* Over all rows: where others are left out, over which ones the average is taken, the question does not say. */
bool
build_average(struct plan *p, struct draft *d)
{
	struct plan_condition *c;

	if (d->at != DRAFT_ROOT || d->s.column.node != p->root || d->nconditions + d->nrelated > 0 || p->m->governed ||
	    !around_counts_every_row(p, p->m->nodes[p->root].source) ||
	    plan_source(p, p->root)->columns[d->s.column.column].type != ASK_TYPE_NUMBER ||
	    (c = add_condition(d, d->s.column, PLAN_AVERAGE)) == NULL)
		return false;
	c->operator= operator_of(d->s.operator);
	return true;
}

bool
build_range(struct plan *p, struct draft *d)
{
	return add_number(p, d, d->s.column, true);
}

bool
build_column_number(struct plan *p, struct draft *d)
{
	d->s.operator= ASK_EXACTLY;
	return add_number(p, d, d->s.column, false);
}

/* "older than 20": the only number of the rows that the word compares. */
bool
build_degree(struct plan *p, struct draft *d)
{
	uint32_t node = d->pending ? d->near : draft_node(p, d, d->last), found = ASK_NONE;

	d->at = d->last;
	for (uint32_t c = 0; c < plan_source(p, node)->ncolumns; c++) {
		struct plan_column at = { node, c };

		if (!comparisons_is_own_number(p, at) ||
		    !comparisons_is_of_degree(p, d->s.word, &plan_source(p, node)->columns[c]))
			continue;
		if (found != ASK_NONE)
			return false;
		found = c;
	}
	return found != ASK_NONE && add_number(p, d, (struct plan_column){ node, found }, false);
}

/* "a dog and a cat", "a dog but not a cat": of two rows, each of which has one of the values. */
static bool
begins_other(const struct draft *d, struct plan_column at)
{
	const struct draft_condition *c = &d->conditions[d->nconditions > 0 ? d->nconditions - 1 : 0];
	size_t of = d->at, n = 0;

	for (size_t i = 0; i < d->nconditions; i++)
		n += d->conditions[i].of == of;
	return n == 1 && c->of == of && c->is.test == PLAN_IS && !c->is.negated && c->is.at.node == at.node &&
	    c->is.at.column == at.column && !d->related[of].negated &&
	    d->related[of].operator== NULL && d->related[of].of == DRAFT_ROOT && !d->most;
}

static bool
add_value(const struct plan *p, struct draft *d, struct plan_column at, bool negated)
{
	bool apart = d->at != DRAFT_ROOT && (d->and || (negated && d->s.but));
	struct plan_condition *c;

	if (apart && begins_other(d, at)) {
		d->s.related = d->related[d->at].node;
		if (!add_related(p, d, negated, NULL))
			return false;
		d->at = d->last;
		negated = false;
	} else if (apart && negated) /* of the same row, or of no row at all? */
		return false;
	c = add_condition(d, at, PLAN_IS);

	if (c == NULL)
		return false;
	c->negated = negated;
	c->values[c->nvalues++] = d->s.text;
	return true;
}

/* A value without its column: of the rows themselves, or what names those that they lead to. */
static bool
build_value_of(struct plan *p, struct draft *d, bool negated)
{
	uint32_t node = draft_node(p, d, d->last), parent;
	const struct ask_source *s = &p->m->sources[d->s.value.node];

	/* "orders with status open and from Berlin": the orders, or the customers? */
	if (d->s.noun || (d->s.of_root && d->last != DRAFT_ROOT && (d->and || d->or)))
		return false;
	d->at = d->last;
	if (d->near != ASK_NONE && p->m->nodes[d->near].source == d->s.value.node)
		return add_value(p, d, (struct plan_column){ d->near, d->s.value.column }, negated);
	if (p->m->nodes[node].source == d->s.value.node)
		return add_value(p, d, (struct plan_column){ node, d->s.value.column }, negated);
	if (s->label != d->s.value.column || (parent = draft_parent(p, d, d->s.value.node)) == ASK_NONE)
		return false;
	return add_value(p, d, (struct plan_column){ parent, d->s.value.column }, negated);
}

bool
build_value(struct plan *p, struct draft *d)
{
	return build_value_of(p, d, false);
}

bool
build_not_value(struct plan *p, struct draft *d)
{
	return !d->s.none && build_value_of(p, d, true);
}

static bool
column_has_value(struct plan *p, struct draft *d, bool negated)
{
	return p->m->nodes[d->s.column.node].source == d->s.value.node && d->s.column.column == d->s.value.column &&
	    add_value(p, d, d->s.column, negated);
}

bool
build_column_value(struct plan *p, struct draft *d)
{
	return column_has_value(p, d, false);
}

bool
build_not_column(struct plan *p, struct draft *d)
{
	return !d->s.none && column_has_value(p, d, true);
}

/* "by the customer": what is said next is about what the rows lead to. */
bool
build_parent(struct plan *p, struct draft *d)
{
	(void)p;
	/* "with reviews and rentals" may be two things that the rows have */
	if (d->pending || d->or || d->first || (d->and &&d->last != DRAFT_ROOT))
		return false;
	d->near = d->s.parent;
	d->pending = true;
	d->and = false;
	return true;
}

bool
build_and(struct plan *p, struct draft *d)
{
	(void)p;
	return !d->and &&!d->or &&(d->and = true);
}

bool
build_or(struct plan *p, struct draft *d)
{
	(void)p;
	return !d->and &&!d->or &&d->nconditions > 0 && (d->or = true);
}

static bool
order_by(struct draft *d, struct plan_column at, bool descending)
{
	if (d->ordered || d->number || d->or)
		return false;
	d->ordered = true;
	d->descending = descending;
	d->order = at;
	d->and = false;
	return true;
}

bool
build_ordered(struct plan *p, struct draft *d)
{
	return d->s.column.node == p->root && order_by(d, d->s.column, d->s.direction < 0);
}

bool
build_alphabetical(struct plan *p, struct draft *d)
{
	for (size_t i = 0; i < d->ncolumns; i++)
		if (plan_source(p, d->columns[i].node)->columns[d->columns[i].column].type == ASK_TYPE_TEXT)
			return order_by(d, d->columns[i], d->s.direction < 0);
	return false;
}

/* A row without the number has no rank. */
bool
build_superlative(struct plan *p, struct draft *d)
{
	size_t of = d->at;

	if (of != DRAFT_ROOT || d->s.column.node != p->root || d->and ||
	    !around_counts_every_row(p, p->m->nodes[p->root].source) ||
	    plan_source(p, p->root)->columns[d->s.column.column].type != ASK_TYPE_NUMBER ||
	    add_condition(d, d->s.column, PLAN_PRESENT) == NULL)
		return false;
	d->first = true;
	return order_by(d, d->s.column, d->s.extreme > 0);
}

/* "the most orders".  What has the fewest may have none, which the question does not say. */
bool
build_most(struct plan *p, struct draft *d)
{
	bool first = d->nrelated == 0;

	for (size_t i = 0; i < d->ncolumns; i++)
		first &= d->columns[i].node == p->root; /* a row without a parent is not counted */
	if (!first || d->ordered || d->number || p->m->governed || !add_related(p, d, false, NULL))
		return false;
	d->ordered = d->most = d->first = true;
	d->descending = true;
	return true;
}
