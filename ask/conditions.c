#include "ask/comparisons.h"
#include "ask/conditions.h"
#include "ask/missing.h"

static void
take_segment(struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	const struct ask_entry *best = NULL;
	uint32_t node = ASK_NONE, next_source = plan_source_after(p, i);
	size_t n = 0, not = plan_negation(p, i);
	struct plan_condition *c;

	for (size_t k = 0; k < it->nhits; k++) {
		const struct ask_entry *e = it->hits[k];
		uint32_t at = ASK_NONE;
		size_t ways = 0;

		if (e->kind != ASK_KIND_SEGMENT || (next_source != ASK_NONE && next_source != e->source))
			continue;
		for (uint32_t j = 0; j < p->m->nnodes; j++)
			if (p->m->nodes[j].source == e->source && p->routes.hops[j] != ASK_NONE) {
				ways += 1 + p->routes.several[j];
				at = j;
			}
		if (ways != 1) {
			n += ways;
			continue;
		}
		n++;
		best = e;
		node = at;
	}
	if (n != 1 || best == NULL)
		return;
	if ((c = plan_add_condition(p, (struct plan_column){ node, 0 }, PLAN_SEGMENT)) == NULL)
		return;
	c->index = best->index;
	c->negated = not != PLAN_NO_ITEM;
	if (c->negated)
		plan_take(p, not, "not the segment");
	plan_worsen(p, best->tier);
	plan_take(p, i, "segment %.*s.%.*s", SPAN_FMT(p->m->sources[best->source].names.name),
	    SPAN_FMT(p->m->sources[best->source].segments[best->index].names.name));
}

/* The stored text among the hits that belongs to the column. */
static struct span
value_of(const struct plan *p, const struct ask_item *it, struct plan_column at, size_t *n)
{
	struct span found = { NULL, 0 };

	*n = 0;
	for (size_t k = 0; k < it->nhits; k++)
		if (it->hits[k]->kind == ASK_KIND_VALUE && it->hits[k]->source == p->m->nodes[at.node].source &&
		    it->hits[k]->index == at.column) {
			found = it->hits[k]->value;
			++*n;
		}
	return found;
}

/* Whether a join equates the two columns. */
static bool
are_joined(const struct plan *p, const struct ask_entry *a, const struct ask_entry *b)
{
	for (uint32_t n = 0; n < p->m->nnodes; n++)
		for (size_t k = 0; k < p->m->nodes[n].nedges; k++) {
			const struct ask_edge *e = &p->m->nodes[n].edges[k];
			const struct ask_entry *here = p->m->nodes[n].source == a->source ? a : b,
					       *there = here == a ? b : a;

			if (p->m->nodes[n].source == here->source && p->m->nodes[e->to].source == there->source &&
			    e->here.len > 0 &&
			    span_is(e->here, p->m->sources[here->source].columns[here->index].names.name) &&
			    span_is(e->there, p->m->sources[there->source].columns[there->index].names.name))
				return true;
		}
	return false;
}

bool
conditions_are_joined(const struct plan *p, const struct ask_entry *a, struct plan_column b)
{
	return are_joined(p, a, &(struct ask_entry){ .source = b.node, .index = b.column });
}

/* Whether another reachable source has the value too, not counting a pair of columns that a join equates. */
static bool
is_value_of_another(const struct plan *p, size_t i, const struct ask_entry *own)
{
	for (size_t h = 0; h < p->q.items[i].nhits; h++) {
		const struct ask_entry *v = p->q.items[i].hits[h];

		if (v->kind != ASK_KIND_VALUE || v->source == own->source || are_joined(p, own, v))
			continue;
		for (uint32_t n = 0; n < p->m->nnodes; n++)
			if (p->m->nodes[n].source == v->source && p->routes.hops[n] != ASK_NONE)
				return true;
	}
	return false;
}

/* state_name of a city, or its state: a column called as the source, or as the column that names its rows. */
static bool
is_called_as(const struct plan *p, const struct ask_column *c, const struct ask_entry *other_row)
{
	const struct ask_source *s = &p->m->sources[other_row->source];
	size_t n, k;
	struct ask_token *own = ask_tokens(p->a, c->names.name, true, ASK_LEXICON_WORDS_MAX, &n),
			 *other = ask_tokens(p->a, s->names.name, true, ASK_LEXICON_WORDS_MAX, &k);

	if (s->label != ASK_NONE && span_is_folded(c->names.name, s->columns[s->label].names.name))
		return true;
	if (own == NULL || other == NULL || k == 0 || k > n || n > ASK_LEXICON_WORDS_MAX)
		return false;
	for (size_t i = 0; i < k; i++)
		if (!span_is(own[i].stem, other[i].stem))
			return false;
	return true;
}

static bool
names_source(const struct plan *p, uint32_t source)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (p->q.items[i].kind == ASK_ITEM_NAME && plan_names_of(p, i, ASK_KIND_SOURCE, source))
			return true;
	return false;
}

/* Whether the entry is a value that names a row, or a part of a person's name. */
static bool
names_a_row(const struct plan *p, const struct ask_entry *e)
{
	return e->index == p->m->sources[e->source].label || p->m->sources[e->source].columns[e->index].of_person;
}

bool
conditions_is_of_another(const struct plan *p)
{
	uint32_t root = p->m->nodes[p->root].source;

	for (size_t i = 0; i < p->q.n && !names_source(p, root); i++) {
		const struct ask_item *it = &p->q.items[i];

		for (size_t k = 0; k < it->nhits; k++)
			if ((span_begins(it->consumed_by, "measure ") || span_begins(it->consumed_by, "column ")) &&
			    (it->hits[k]->kind == ASK_KIND_COLUMN || it->hits[k]->kind == ASK_KIND_MEASURE) &&
			    it->hits[k]->source != root && !p->m->sources[it->hits[k]->source].covered)
				return true;
	}
	return false;
}

/* "A city named Springfield", "the red river": the words around or in the value name a source other than its own. */
static bool
is_of_named_source(const struct plan *p, size_t i, const struct ask_column *c, uint32_t source)
{
	const struct ask_item *it = &p->q.items[i];
	const struct ask_token *named = it->first > 0 ? &p->q.tokens[it->first - 1] : NULL;
	size_t before = plan_before(p, i);
	bool called = named != NULL && (span_is_str(named->folded, "named") || span_is_str(named->folded, "called"));

	for (size_t k = 0; called && before != PLAN_NO_ITEM && k < p->q.items[before].nhits; k++)
		if (p->q.items[before].hits[k]->kind == ASK_KIND_SOURCE &&
		    p->q.items[before].hits[k]->source != source && !is_called_as(p, c, p->q.items[before].hits[k]))
			return true;
	for (size_t w = 0; w < it->n && it->n > 1; w++) {
		const struct ask_entry *found[ASK_HITS_MAX];
		size_t n = ask_lexicon_find(p->m->lexicon, ask_key(p->a, &p->q.tokens[it->first + w], 1, false), false,
		    found, ASK_HITS_MAX);

		for (size_t k = 0; k < n; k++)
			if (found[k]->kind == ASK_KIND_SOURCE && found[k]->source != source &&
			    !is_called_as(p, c, found[k]))
				return true;
	}
	return false;
}

/*
 * Boston is the capital of a state, and a city: a value is not taken for one of a column that has nothing to do with
 * the source that the question names, or that has a row of this name.
 */
static bool
is_row_of_another(struct plan *p, size_t i, struct plan_column at)
{
	const struct ask_item *it = &p->q.items[i];
	struct ask_entry own = { .source = p->m->nodes[at.node].source, .index = at.column };
	const struct ask_column *c = &p->m->sources[own.source].columns[own.index];
	bool row = names_a_row(p, &own), another = is_of_named_source(p, i, c, own.source);
	struct ask_clarification *q;

	/* "Rivers in Texas" names the rivers, so that the value is in a column of them; but it is not their name. */
	if (row || !names_source(p, own.source)) {
		another |= !row && at.node == p->root && conditions_is_of_another(p);
		for (size_t h = 0; h < it->nhits; h++) {
			const struct ask_entry *v = it->hits[h];

			another |= v->kind == ASK_KIND_VALUE && v->source != own.source && names_a_row(p, v) &&
			    !p->m->sources[v->source].covered && !are_joined(p, &own, v) && !is_called_as(p, c, v);
		}
	}
	if (!another || plan_is_answered(p, plan_column_label(p, at)))
		return false;
	q = plan_ask(p, SAYS_TOPIC_MEANING, SAYS_WHAT_MEANS, SPANS(it->text));
	plan_suggest(q, plan_column_label(p, at));
	for (size_t h = 0; h < it->nhits; h++)
		if (it->hits[h]->kind == ASK_KIND_VALUE)
			plan_suggest(q,
			    plan_column_label(p, (struct plan_column){ it->hits[h]->source, it->hits[h]->index }));
	return true;
}

/* "revenue in CHF": the value of a column of currencies is a unit that was named, not a condition. */
static bool
is_unit(struct plan *p, size_t i, struct plan_column at)
{
	struct ask_clarification *q;

	if (p->unit == ASK_MEASURED || !comparisons_tells_unit(p, &plan_source(p, at.node)->columns[at.column], false))
		return false;
	q = plan_ask(p, SAYS_TOPIC_UNIT, SAYS_OTHER_UNIT, SPANS(plan_unit(p, p->unit), p->q.items[i].text));
	plan_suggest(q, plan_unit(p, p->unit));
	plan_ask_instead(p, q, i, i);
	return true;
}

/* "all products" where one value is "product": a noun of the question, which a value in another number is not. */
static bool
is_noun(struct plan *p, size_t i, struct plan_column at, struct span value)
{
	const struct ask_item *it = &p->q.items[i];
	const struct ask_token *last = &p->q.tokens[it->first + it->n - 1];
	struct span label = plan_column_label(p, at);
	size_t n;
	struct ask_token *t = ask_tokens(p->a, value, false, 20, &n);

	if (it->n != 1 || !last->plural || last->capital || t == NULL || n != 1 || span_is(t[0].folded, last->folded) ||
	    plan_is_answered(p, label))
		return false;
	plan_suggest(plan_ask(p, SAYS_TOPIC_MEANING, SAYS_VALUE_ONLY, SPANS(it->text)), label);
	return true;
}

/*
 * "nominated", a value of the result, where the nominee is a column, too: the verb may ask about that.  Shared
 * beginnings tell such columns.
 */
static bool
is_verb_of_column(struct plan *p, size_t i, struct plan_column at)
{
	enum { BEGINNING = 5 };
	const struct ask_source *s = plan_source(p, at.node);
	struct span word = p->q.tokens[p->q.items[i].first].folded, label = plan_column_label(p, at);
	struct ask_clarification *q;

	if (p->q.items[i].n != 1 || word.len <= BEGINNING || !ask_is_participle(p->q.language, word) ||
	    plan_is_answered(p, label))
		return false;
	for (uint32_t c = 0; c < s->ncolumns; c++) {
		if (c == at.column || s->columns[c].type != ASK_TYPE_TEXT || s->columns[c].internal ||
		    s->columns[c].names.name.len < BEGINNING ||
		    !span_is_folded(span_of(s->columns[c].names.name.p, BEGINNING), span_of(word.p, BEGINNING)))
			continue;
		q = plan_ask(p, SAYS_TOPIC_MEANING, SAYS_WHAT_MEANS, SPANS(p->q.items[i].text));
		plan_suggest(q, label);
		plan_suggest(q, plan_column_label(p, (struct plan_column){ at.node, c }));
		return true;
	}
	return false;
}

/*
 * "customers without newsletter": whether they have one is asked, not by what word a column of theirs is filled; "no
 * gold customers" says what they are.
 */
static bool
is_possession(struct plan *p, size_t i, size_t before, struct plan_column at)
{
	struct span label = plan_column_label(p, at);

	if (p->q.items[before].arg != ASK_NOT_HAVING || !p->counted || at.node != p->root ||
	    plan_source_after(p, i) == p->m->nodes[p->root].source || plan_is_answered(p, label))
		return false;
	plan_suggest(plan_ask(p, SAYS_TOPIC_MEANING, SAYS_VALUE_ONLY, SPANS(p->q.items[i].text)), label);
	return true;
}

/*
 * The source that a neighbour names, when the value may be in one of its columns: "Retail customers", "the Team plan".
 * In "orders from Norway" the neighbour only decides if no other source has the value.
 */
static uint32_t
neighbour_source(const struct plan *p, size_t i)
{
	size_t neighbours[2] = { plan_after(p, i), plan_before(p, i) };

	for (size_t side = 0; side < 2; side++) {
		size_t at = neighbours[side];

		if (at == PLAN_NO_ITEM || p->q.items[at].kind != ASK_ITEM_NAME || (side == 0 && at != i + 1))
			continue;
		for (size_t k = 0; k < p->q.items[at].nhits; k++)
			for (size_t h = 0; h < p->q.items[i].nhits; h++)
				if (p->q.items[at].hits[k]->kind == ASK_KIND_SOURCE &&
				    p->q.items[i].hits[h]->kind == ASK_KIND_VALUE &&
				    p->q.items[at].hits[k]->source == p->q.items[i].hits[h]->source &&
				    (at + 1 == i || side == 0 || !is_value_of_another(p, i, p->q.items[i].hits[h])))
					return p->q.items[at].hits[k]->source;
	}
	return ASK_NONE;
}

/* A column named next to the value takes it: "method card", "priority high". */
static bool
neighbour_column(struct plan *p, size_t i, size_t before, struct plan_column *out)
{
	size_t neighbours[2] = { before, plan_after(p, i) };

	for (size_t side = 0; side < 2; side++) {
		size_t at = neighbours[side];

		if (side == 0 && at != PLAN_NO_ITEM && plan_is_word(p, at, ASK_WORD_NOT))
			at = plan_before(p, at);
		if (at == PLAN_NO_ITEM || !plan_has(p, at, ASK_KIND_COLUMN))
			continue;
		for (size_t k = 0; k < p->q.items[at].nhits; k++)
			for (size_t h = 0; h < p->q.items[i].nhits; h++) {
				const struct ask_entry *c = p->q.items[at].hits[k], *v = p->q.items[i].hits[h];
				uint32_t node;

				if (c->kind != ASK_KIND_COLUMN || v->kind != ASK_KIND_VALUE || c->source != v->source ||
				    c->index != v->index)
					continue;
				if ((node = plan_only_node(p, c->source)) == ASK_NONE)
					continue;
				*out = (struct plan_column){ node, c->index };
				plan_take(p, at, "column of the value");
				return true;
			}
	}
	return false;
}

/* The item before a value, skipping an equals sign. */
static size_t
value_before(struct plan *p, size_t i)
{
	size_t before = plan_before(p, i);

	if (before == PLAN_NO_ITEM || !plan_is_free(p, before) || !plan_is_word(p, before, ASK_WORD_COMPARATOR) ||
	    p->q.items[before].arg != ASK_EXACTLY)
		return before;
	plan_take(p, before, "is the value");
	return plan_before(p, before);
}

static void
take_value(struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	size_t before = value_before(p, i), n, joint;
	bool negated = before != PLAN_NO_ITEM && plan_is_free(p, before) && plan_is_word(p, before, ASK_WORD_NOT);
	struct plan_column at;
	struct plan_condition *c;
	struct span value;

	bool named = neighbour_column(p, i, before, &at);

	/* A noun that names a source, a join or a column is no value. */
	if (!named &&
	    (plan_has(p, i, ASK_KIND_SOURCE) || plan_has(p, i, ASK_KIND_ALIAS) || plan_has(p, i, ASK_KIND_COLUMN) ||
		plan_has(p, i, ASK_KIND_MEASURE) ||
		!plan_choose(p, i, 1u << ASK_KIND_VALUE, neighbour_source(p, i), &at)))
		return;
	value = value_of(p, it, at, &n);
	if (!named &&
	    (is_row_of_another(p, i, at) || is_unit(p, i, at) || is_noun(p, i, at, value) ||
		is_verb_of_column(p, i, at) || (negated && is_possession(p, i, before, at))))
		return;
	if (n > 1) {
		struct ask_clarification *q = plan_ask(p, SAYS_TOPIC_VALUE, SAYS_WHICH_SPELLING, SPANS(it->text));

		for (size_t k = 0; k < it->nhits; k++)
			if (it->hits[k]->kind == ASK_KIND_VALUE)
				plan_suggest(q, it->hits[k]->value);
		return;
	}
	for (size_t k = 0; k < p->nconditions; k++) {
		c = &p->conditions[k];
		if (c->test != PLAN_IS || c->at.node != at.node || c->at.column != at.column)
			continue;
		joint = before;
		if (joint != PLAN_NO_ITEM && plan_is_word(p, joint, ASK_WORD_BY))
			joint = plan_before(p, joint);
		/* "male (sex is M)" says it twice */
		if (c->nvalues == 1 && c->negated == negated && !negated && span_is(c->values[0], value)) {
			plan_take(p, i, "value of %.*s", SPAN_FMT(plan_field(p, at)));
			return;
		}
		if (c->nvalues == 4 || c->negated != negated || joint == PLAN_NO_ITEM)
			break;
		if (((plan_is_word(p, joint, ASK_WORD_OR) && !c->negated) ||
			(plan_is_word(p, joint, ASK_WORD_AND) &&
			    plan_is_answered(p, plan_says(p, SAYS_OR_TOGETHER, SPANS(c->values[0], value))))) &&
		    plan_is_free(p, joint))
			plan_take(p, joint, "either value");
		else if ((p->compare |= plan_is_answered(p, plan_says(p, SAYS_VERSUS, SPANS(c->values[0], value)))) &&
		    c->nvalues == 1 &&
		    (plan_is_word(p, joint, ASK_WORD_AND) || plan_is_word(p, joint, ASK_WORD_VERSUS))) {
			if (plan_is_free(p, joint))
				plan_take(p, joint, "compared with");
		} else
			break;
		c->items[c->nvalues] = i;
		c->values[c->nvalues++] = value;
		plan_take(p, i, "value of %.*s", SPAN_FMT(plan_field(p, at)));
		if (before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_BY) && plan_is_free(p, before))
			plan_take(p, before, "filter");
		return;
	}
	for (size_t k = 0; k < p->nconditions; k++)
		if (p->conditions[k].test == PLAN_IS && p->conditions[k].at.node == at.node &&
		    p->conditions[k].at.column == at.column) {
			struct ask_clarification *q =
			    plan_ask(p, SAYS_TOPIC_VALUES, SAYS_VALUES_TOGETHER, SPANS(plan_column_label(p, at)));

			plan_suggest(q, plan_says(p, SAYS_OR_TOGETHER, SPANS(p->conditions[k].values[0], value)));
			plan_suggest(q, plan_says(p, SAYS_VERSUS, SPANS(p->conditions[k].values[0], value)));
			return;
		}
	if ((c = plan_add_condition(p, at, PLAN_IS)) == NULL)
		return;
	c->negated = negated;
	c->items[0] = i;
	c->values[c->nvalues++] = value;
	plan_take(p, i, "value of %.*s", SPAN_FMT(plan_field(p, at)));
	if (negated)
		plan_take(p, before, "not the value");
	else if (before != PLAN_NO_ITEM && plan_is_word(p, before, ASK_WORD_BY) && plan_is_free(p, before))
		plan_take(p, before, "filter");
}

void
conditions_read(struct plan *p)
{
	size_t versus = plan_find(p, ASK_WORD_VERSUS), compare = plan_find(p, ASK_WORD_COMPARE);

	p->compare = versus != PLAN_NO_ITEM || compare != PLAN_NO_ITEM;
	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_has(p, i, ASK_KIND_SEGMENT))
			take_segment(p, i);
	if (!p->done)
		comparisons_read(p);
	for (size_t i = 0; i < p->q.n && !p->done; i++)
		if (plan_has(p, i, ASK_KIND_VALUE) &&
		    (!plan_has_date(p, i) || plan_names_value(p, plan_before(p, i), i)))
			take_value(p, i);
	if (!p->done)
		missing_read(p);
	if (p->compare && compare != PLAN_NO_ITEM && !p->done)
		plan_take(p, compare, "comparison");
}
