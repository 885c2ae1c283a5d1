#include "ask/conditions.h"
#include "ask/readings/build.h"
#include "ask/readings/spans.h"

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
	static const char *const is[] = { "is", "are", "was", "were", "ist", "sind", "waren", "not", "nicht", NULL };
	size_t item = d->s.adjectives[0], before = item > 1 ? item - 2 : 0, first = p->q.items[before].first;

	bool in_front = item + 1 < p->q.n && plan_names_any(p, item + 1, ASK_KIND_SOURCE) &&
	    plan_names_any(p, before, ASK_KIND_SEGMENT);

	return d->and_next && item > 1 && plan_is_word(p, item - 1, ASK_WORD_AND) &&
	    (in_front || (spans_stands_for_rows(p, item) && spans_stands_for_rows(p, before))) &&
	    !(first > 0 && span_is_any(p->q.tokens[first - 1].folded, is));
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

/* "without a tier", where a value says "none": that, or no value at all? */
static bool
says_nothing(struct plan *p, struct draft *d)
{
	struct span nothing = conditions_nothing(p, d->s.column);
	struct ask_clarification *q;

	if (plan_is_answered(p, nothing)) {
		d->s.text = nothing;
		return build_add_value(p, d, d->s.column, false);
	}
	q = build_ask(p, d, SAYS_TOPIC_VALUE, SAYS_HAS_VALUE, SPANS(p->q.items[d->s.said_by].text, nothing));
	if (q != NULL)
		plan_suggest(q, nothing);
	return q != NULL;
}

/* "with a phone number", "without".  Where a value of the column says "no", what the others say is not known. */
bool
build_present(struct plan *p, struct draft *d)
{
	enum ask_type type = plan_source(p, d->s.column.node)->columns[d->s.column.column].type;
	struct plan_condition *c;
	size_t item = d->s.said_by;

	if (!(d->s.negated ? d->s.none || d->s.with : d->s.article) ||
	    (type != ASK_TYPE_TEXT && type != ASK_TYPE_TIME) || plan_names_any(p, item, ASK_KIND_SOURCE) ||
	    plan_names_any(p, item, ASK_KIND_ALIAS) || plan_names_any(p, item, ASK_KIND_VALUE) ||
	    plan_names_any(p, item, ASK_KIND_SEGMENT))
		return false;
	if (conditions_nothing(p, d->s.column).len > 0)
		return d->number && d->s.negated && says_nothing(p, d);
	if ((c = build_add_condition(d, d->s.column, PLAN_PRESENT)) == NULL)
		return false;
	c->negated = d->s.negated;
	return true;
}
