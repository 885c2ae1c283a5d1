#include "ask/conditions.h"
#include "ask/groups.h"
#include "ask/having.h"

#define NAMES	(1u << ASK_KIND_COLUMN | 1u << ASK_KIND_SOURCE | 1u << ASK_KIND_ALIAS)

static bool
is_group_name(const struct plan *p, size_t i)
{
	return plan_has(p, i, ASK_KIND_COLUMN) || plan_has(p, i, ASK_KIND_SOURCE) || plan_has(p, i, ASK_KIND_ALIAS);
}

/* Whether the item is a column of the measured source, which has no date: "year" of concerts. */
static bool
is_dateless_column(const struct plan *p, size_t i)
{
	const struct ask_source *s = plan_source(p, p->root);
	bool own = plan_names_of(p, i, ASK_KIND_COLUMN, plan_root(p));

	/* A source may have both a date and such a column: races have a date and the year of their season. */
	if (own && s->time == ASK_NONE && p->q.items[i].arg == ASK_UNIT_YEAR)
		return true;
	for (uint32_t k = 0; k < s->ncolumns && own; k++)
		own = s->columns[k].type != ASK_TYPE_TIME;
	return own;
}

bool
groups_is_grain(const struct plan *p, size_t i)
{
	return plan_is_free(p, i) && p->q.items[i].word == ASK_WORD_GRAIN &&
	    (p->q.items[i].kind == ASK_ITEM_WORD || (p->q.items[i].kind == ASK_ITEM_NAME && !is_dateless_column(p, i)));
}

static void
add_grain(struct plan *p, size_t i)
{
	int grain = p->q.items[i].arg % ASK_GROUPS_BY_ITSELF;

	for (size_t k = 0; k < p->ndimensions; k++)
		if (p->dimensions[k].grain >= 0)
			return;
	if (plan_groups(p) == PLAN_GROUPS_MAX)
		return;
	p->dimensions[p->ndimensions].at = (struct plan_column){ ASK_NONE, ASK_NONE };
	p->dimensions[p->ndimensions++].grain = grain;
	plan_take(p, i, "by %s", ask_unit_of_time(grain));
}

/* The group of the column; the number of groups: it has no group. */
static size_t
group_of(const struct plan *p, struct plan_column at)
{
	size_t k = 0;

	while (k < p->ndimensions && (p->dimensions[k].at.node != at.node || p->dimensions[k].at.column != at.column))
		k++;
	return k;
}

/* "by airline", where flights have the number of an airline, and airlines have names that no join leads to. */
static bool
is_nameless_key(const struct plan *p, size_t i, struct plan_column at)
{
	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_SOURCE && e->source != p->m->nodes[at.node].source &&
		    p->m->sources[e->source].label != ASK_NONE)
			return true;
	}
	return false;
}

/*
 * The key of a joined row as the root keeps it: the same value without the join, which leaves out rows whose key leads
 * nowhere.
 */
static struct plan_column
own_side_of_key(const struct plan *p, struct plan_column at)
{
	const struct ask_source *root = plan_source(p, p->root);
	struct span key = plan_column(p, at)->names.name;

	for (size_t e = 0; e < p->m->nodes[p->root].nedges; e++) {
		const struct ask_edge *edge = &p->m->nodes[p->root].edges[e];

		for (uint32_t i = 0; edge->to == at.node && span_is(edge->there, key) && i < root->ncolumns; i++)
			if (span_is(root->columns[i].names.name, edge->here) && !root->columns[i].internal &&
			    !root->columns[i].masked)
				return (struct plan_column){ p->root, i };
	}
	return at;
}

/* Whether the item is a source with a measure that counts its rows. */
static bool
counts_its_rows(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];
		const struct ask_source *s = &p->m->sources[e->source];

		for (size_t n = 0; e->kind == ASK_KIND_SOURCE && n < s->nmeasures; n++)
			if (s->measures[n].aggregate == ASK_AGGREGATE_COUNT)
				return true;
	}
	return false;
}

/* Whether the item names rows, and the column is what they are called: "by member", unlike "by member name". */
static bool
names_rows(const struct plan *p, size_t i, struct plan_column at)
{
	return plan_source(p, at.node)->label == at.column &&
	    (plan_names_any(p, i, ASK_KIND_SOURCE) || plan_names_any(p, i, ASK_KIND_ALIAS));
}

/*
 * Whether a way that the item names is as short as any to the same rows.  "By club" is no way to clubs over players,
 * where transfers themselves have two clubs.
 */
static bool
names_near_way(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];
		bool near = e->kind == ASK_KIND_ALIAS;

		for (uint32_t node = 0; near && node < p->m->nnodes; node++)
			near = node == p->root || p->m->nodes[node].source != p->m->nodes[e->index].source ||
			    p->routes.hops[node] >= p->routes.hops[e->index];
		if (near)
			return true;
	}
	return false;
}

/*
 * "by customer" means the rows of customers, not a name, which several may have: their key is a group, too.  A word
 * that is a column's means that column: "by customer name".
 */
static void
tell_rows_apart(struct plan *p, size_t i, struct plan_column at)
{
	if (plan_source(p, at.node)->ngrain == 1 && names_rows(p, i, at))
		having_add_key(p, at);
}

void
groups_add_column(struct plan *p, struct plan_column at)
{
	size_t k = group_of(p, at);

	p->dimensions[k].at = at;
	p->dimensions[k].identity = false;
	p->dimensions[k].grain = -1;
	p->ndimensions += k == p->ndimensions;
}

bool
groups_add(struct plan *p, size_t i, bool per)
{
	struct plan_column at;
	size_t next = plan_after(p, i);
	uint32_t only = ASK_NONE;
	const struct ask_column *c;

	if (groups_is_grain(p, i)) {
		add_grain(p, i);
		return plan_is_free(p, i) == false;
	}
	if (!is_group_name(p, i) || plan_groups(p) == PLAN_GROUPS_MAX)
		return false;
	/* "by customer country", "by agent office" */
	if (next == i + 1 && plan_has(p, next, ASK_KIND_COLUMN) && !plan_word(p, next)->comma) {
		if (plan_has(p, i, ASK_KIND_SOURCE) && !plan_has(p, i, ASK_KIND_ALIAS)) {
			only = plan_source_of_column(p, i, next);
			if (only != ASK_NONE)
				plan_take(p, i, "source of the column");
		}
		if (only != ASK_NONE || plan_has(p, i, ASK_KIND_ALIAS))
			i = next;
	}
	if (!plan_choose(p, i, names_near_way(p, i) ? 1u << ASK_KIND_ALIAS | 1u << ASK_KIND_COLUMN : NAMES, only, &at))
		return false;
	if (!p->having.is)
		at = own_side_of_key(p, at);
	c = plan_column(p, at);
	if (per && c->type == ASK_TYPE_NUMBER && !c->internal && plan_has(p, i, ASK_KIND_COLUMN))
		return plan_refuse(p, SAYS_PER_ROW, SPANS(p->q.items[i].text));
	if (c->type == ASK_TYPE_NUMBER && is_nameless_key(p, i, at))
		return plan_refuse(p, SAYS_ONLY_NUMBER, SPANS(p->q.items[i].text, p->m->sources[p->root].names.name));
	if (c->masked)
		return plan_refuse(p, SAYS_NOT_SHOWN, SPANS(p->q.items[i].text));
	/* "revenue per customer", "orders per customer" is a ratio where customers are counted, never a list. */
	if (per && p->measures[0].additive &&
	    (p->entity ? plan_has(p, i, ASK_KIND_SOURCE) : !p->counted && counts_its_rows(p, i)))
		return plan_refuse(p, SAYS_NO_RATIO, SPANS(p->measures[0].label, p->q.items[i].text));
	/* "average points per race": the average of rows, or of the totals per race? */
	if (per && p->inline_measure && span_begins(p->measures[0].name, "avg_") && plan_has(p, i, ASK_KIND_SOURCE))
		return plan_refuse(p, SAYS_AVERAGE_OF_WHAT, SPANS(p->q.items[i].text));
	if (group_of(p, at) == p->ndimensions) {
		groups_add_column(p, at);
		tell_rows_apart(p, i, at);
	}
	plan_take(p, i, "by %.*s", SPAN_FMT(plan_field(p, at)));
	return !p->done;
}

/* Whether a verb before "by" names who acted: "placed by", unlike "sorted by". */
static bool
is_done_by(const struct plan *p, size_t by)
{
	size_t at = p->q.items[by].first;
	const struct ask_token *t = at > 0 ? &p->q.tokens[at - 1] : NULL;

	return t != NULL && by > 0 && !plan_is_word(p, by - 1, ASK_WORD_BY) &&
	    ask_is_participle(p->q.language, t->folded) &&
	    !(plan_is_word(p, by - 1, ASK_WORD_STOP) && p->q.items[by - 1].arg != ASK_STOP_HAPPENS);
}

/* "books by authors from Norway": of those, or a figure for each? */
static bool
is_from_value(const struct plan *p, size_t i)
{
	size_t behind = p->q.items[i].first + p->q.items[i].n;

	return behind < p->q.ntokens && span_is_str(p->q.tokens[behind].folded, "from") &&
	    p->q.items[i + 1].first == behind && plan_has(p, i + 2, ASK_KIND_VALUE);
}

bool
groups_is_agent(const struct plan *p, size_t by, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	size_t behind = it->first + it->n, len;
	const struct ask_token *t = p->q.tokens;

	if (p->q.items[by].arg != 0 || !plan_has(p, i, ASK_KIND_SOURCE) || !t[behind - 1].plural)
		return false;
	/* "orders placed by customers in Norway" */
	if ((p->q.items[by].n == 1 && is_done_by(p, by)) || is_from_value(p, i))
		return true;
	return behind < p->q.ntokens && !t[behind].comma &&
	    (ask_word(p->q.language, &t[behind], 1, ASK_WORD_WITH, &len) != NULL ||
		span_is_str(t[behind].folded, "who") || span_is_str(t[behind].folded, "whose") ||
		span_is_str(t[behind].folded, "that"));
}

void
groups_rank_places(struct plan *p, size_t group)
{
	struct ask_clarification *q;

	if (p->limit == 0)
		p->limit = p->places;
	if (p->limit > 0 || p->done)
		return;
	if (!p->q.tokens[p->q.items[group].first + p->q.items[group].n - 1].plural && p->q.language == ASK_ENGLISH) {
		p->limit = 1;
		return;
	}
	if (p->q.language == ASK_GERMAN && group > 0 && plan_is_word(p, group - 1, ASK_WORD_WHICH) &&
	    (!span_is_str(p->q.tokens[p->q.items[group - 1].first].folded, "welche") ||
		plan_reads(p, p->q.items[group].first + p->q.items[group].n, "hat hatte ist war wurde"))) {
		p->limit = 1;
		return;
	}
	q = plan_ask(p, SAYS_HOW_MANY, NULL);
	plan_suggest(q, SPAN("top 5"));
	plan_suggest(q, SPAN("top 10"));
	q->assumption = SPAN("top 10");
}

/* "the name of the student with the most likes": the rows that the column names stand right behind it. */
static bool
names_of_rows(const struct plan *p, size_t group, struct plan_column at)
{
	size_t next = group + 1;

	while (next < p->q.n && plan_is_word(p, next, ASK_WORD_STOP))
		next++;
	return plan_source(p, at.node)->label == at.column &&
	    (plan_names_of(p, next, ASK_KIND_SOURCE, p->m->nodes[at.node].source) ||
		plan_names_of(p, next, ASK_KIND_ALIAS, p->m->nodes[at.node].source));
}

/*
 * "The team with the most players" is a row of teams, not a name, which several rows may have.  What has the fewest may
 * have none.
 */
void
groups_rank_rows(struct plan *p, size_t group)
{
	struct plan_column at = p->dimensions[0].at;
	bool other = false;

	if (p->done || p->dimensions[0].grain >= 0)
		return;
	/* "which capital has the largest population": of the city, or of its state? */
	if (at.node == p->root && conditions_is_of_another(p)) {
		plan_refuse(p, SAYS_WHOSE_UNCLEAR, SPANS(p->measures[0].label));
		return;
	}
	for (size_t k = 0; k < p->q.items[group].nhits; k++)
		other |= p->q.items[group].hits[k]->kind != ASK_KIND_COLUMN &&
		    p->q.items[group].hits[k]->source != plan_root(p);
	if ((names_rows(p, group, at) || names_of_rows(p, group, at)) &&
	    span_begins(p->q.items[group].consumed_by, "by "))
		having_add_key(p, at);
	p->nothing = p->rank < 0 && p->counted && other;
}

