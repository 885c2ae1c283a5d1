#include "ask/conditions.h"
#include "ask/readings/around.h"
#include "ask/readings/match.h"
#include "ask/readings/spans.h"

/* "all parts" where one value is "Part": a noun, which a value in another number is not. */
static bool
is_noun(const struct plan *p, size_t i, struct span value)
{
	const struct ask_token *t = plan_word(p, i);
	struct span label = t->folded;

	return plan_names_any(p, i, ASK_KIND_SOURCE) || plan_names_any(p, i, ASK_KIND_COLUMN) ||
	    (p->q.items[i].n == 1 && t->plural && !t->capital && !span_is_folded(value, label));
}

/* "from Oslo" is no destination, "to Oslo" no origin; without such a word the value is neither. */
static bool
is_led_otherwise(const struct plan *p, size_t i, const struct ask_column *c)
{
	const struct ask_token *t = c->names.words.t;
	size_t before = p->q.items[i].first;
	struct span lead = before > 0 ? p->q.tokens[before - 1].folded : SPAN_NONE;

	for (size_t w = 0; w < c->names.words.n; w++)
		if (ask_is_any(t[w].folded, "origin source departure from start"))
			return !ask_is_any(lead, "from von aus");
		else if (ask_is_any(t[w].folded, "destination target arrival to dest end"))
			return !ask_is_any(lead, "to nach");
	return false;
}

/* Whether another column of the same rows has the value, too, and no word tells which is meant. */
static bool
is_of_several(const struct plan *p, size_t i, const struct ask_entry *value, bool loose)
{
	const struct ask_entry *e;

	/* "the people of Washington": what names the row is meant before another column of it */
	if (loose && value->index == p->m->sources[value->source].label)
		return false;
	for (size_t k = 0; (e = plan_next_hit(p, i, ASK_KIND_VALUE, &k)) != NULL;)
		if (e->source == value->source && e->index != value->index &&
		    !is_led_otherwise(p, i, &p->m->sources[e->source].columns[e->index]))
			return true;
	return false;
}

/* Whether the user said that this column's value is meant. */
static bool
is_answered(const struct plan *p, const struct ask_entry *value)
{
	struct plan copy = *p;

	return p->nanswers > 0 &&
	    plan_is_answered(p, plan_column_label(&copy, (struct plan_column){ value->source, value->index }));
}

/* "Ada", as a key of friendships, which her own name is as well */
static bool
is_key_of_way(const struct plan *p, size_t i, const struct ask_entry *value)
{
	const struct ask_node *n = &p->m->nodes[value->source];
	bool key = false;

	for (size_t e = 0; e < n->nedges; e++) {
		const struct ask_node *to = &p->m->nodes[n->edges[e].to];

		key |= to->owner == value->source && to->label.len > 0 &&
		    span_is(n->edges[e].here, p->m->sources[value->source].columns[value->index].names.name) &&
		    plan_names_column(p, i, ASK_KIND_VALUE,
			(struct plan_column){ n->edges[e].to, p->m->sources[to->source].label });
	}
	return key;
}

/* "Sonoma County", an appellation, whose county is another column: either may be meant. */
static bool
ends_in_column(const struct plan *p, size_t i, const struct ask_entry *value)
{
	const struct ask_entry *last[ASK_HITS_MAX];
	const struct ask_token *t = plan_last_word(p, i);
	size_t n = p->q.items[i].n < 2 || t->quoted ?
	    0 :
	    ask_lexicon_find(p->m->lexicon, ask_key(p->a, t, 1, false), false, last, ASK_HITS_MAX);

	while (n-- > 0)
		if (last[n]->kind == ASK_KIND_COLUMN &&
		    (last[n]->source != value->source || last[n]->index != value->index))
			return true;
	return false;
}

/* Whether the value names a row of other rows than the root's. */
static bool
names_row(const struct plan *p, size_t i)
{
	const struct ask_entry *e;
	bool names = false;

	for (size_t k = 0; (e = plan_next_hit(p, i, ASK_KIND_VALUE, &k)) != NULL;)
		names |= e->source != plan_root(p) && e->index == p->m->sources[e->source].label;
	return names;
}

/* "towns named Elm", "the town Elm": whether the value has to be what names a row of theirs, and is not. */
static bool
is_other_name(const struct plan *p, size_t i, const struct ask_entry *value)
{
	const struct ask_source *s = &p->m->sources[value->source];
	size_t first = p->q.items[i].first, rows = i;
	bool said = plan_reads(p, first - 1, "named called namens genannt");

	/* "which state is austin in" */
	if (spans_is_located(p, i))
		return names_row(p, i) && (s->label != value->index || value->source == plan_root(p));
	/* "the mississippi river", of states */
	if (i + 1 < p->q.n && spans_has_label(p, i + 1) && !plan_names_any(p, i + 1, ASK_KIND_COLUMN) &&
	    p->q.items[i + 1].n == 1 && !plan_word(p, i + 1)->plural &&
	    !plan_names_of(p, i + 1, ASK_KIND_SOURCE, value->source) &&
	    !plan_names_of(p, i + 1, ASK_KIND_SOURCE, plan_root(p)))
		return true;
	if (first == 0 || p->q.tokens[first].comma || (i + 1 < p->q.n && around_is_verb(p, i + 1)))
		return false;
	while (said && rows > 0 && p->q.items[rows - 1].kind == ASK_ITEM_WORD)
		rows--;
	if (rows == 0 || !spans_has_label(p, rows - 1) || plan_names_any(p, rows - 1, ASK_KIND_COLUMN))
		return false;
	if (plan_names_of(p, rows - 1, ASK_KIND_SOURCE, value->source))
		return said && s->label != value->index && !s->columns[value->index].of_person;
	/* "the series named", by series_name */
	if (ask_words_have(s->columns[value->index].names.words, plan_last_word(p, rows - 1)->stem))
		return false;
	return said || (!p->q.tokens[first - 1].plural && p->q.language == ASK_ENGLISH && p->q.items[rows - 1].n == 1);
}

/* "border iowa": whether the column is named whose value it is. */
static bool
is_of_column(const struct plan *p, const struct draft_spans *got, const struct ask_entry *value)
{
	return got->said && p->m->nodes[got->column.node].source == value->source && got->column.column == value->index;
}

/* Whether the rows that the words are about have the value in a column by which they lead to the other source. */
static bool
has_it_joined(const struct reading_search *s, size_t i, const struct ask_entry *other)
{
	const struct plan *p = s->p;
	const struct ask_entry *e;
	uint32_t node = draft_node(p, s->before, s->before->last);

	for (size_t k = 0; s->before->near == ASK_NONE && (e = plan_next_hit(p, i, ASK_KIND_VALUE, &k)) != NULL;)
		if (e->source == p->m->nodes[node].source && e->source != other->source && !is_key_of_way(p, i, e) &&
		    conditions_are_joined(p, other, (struct plan_column){ e->source, e->index }))
			return true;
	return false;
}

/* Each column that has the value. */
void
match_value(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct ask_item *it = &s->p->q.items[i];
	uint32_t root = plan_root(s->p);
	bool of_root = false;
	size_t n = 0;

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++) {
		bool meant = it->hits[k]->kind != ASK_KIND_VALUE || !is_other_name(s->p, i, it->hits[k]);

		n += meant;
		of_root |= meant && it->hits[k]->kind == ASK_KIND_VALUE &&
		    (it->hits[k]->source == root || around_reaches(s->p, s->p->root, it->hits[k]->source));
	}
	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++) {
		struct draft_spans more = *got;

		if (it->hits[k]->kind != ASK_KIND_VALUE || is_key_of_way(s->p, i, it->hits[k]) ||
		    (!is_of_column(s->p, got, it->hits[k]) && has_it_joined(s, i, it->hits[k])) ||
		    is_other_name(s->p, i, it->hits[k]) ||
		    (ends_in_column(s->p, i, it->hits[k]) && it->first > 0 && plan_reads(s->p, it->first - 1, "in")) ||
		    /* "doctors", of which the model says what they are */
		    (!got->said && pattern[1] != 'c' && plan_names_of(s->p, i, ASK_KIND_SEGMENT, it->hits[k]->source)))
			continue;
		more.first_value = got->value;
		more.first_text = got->text;
		more.nvalues++;
		more.of_root = of_root;
		more.value_item = i;
		more.only = n == 1;
		more.apart = s->p->q.tokens[it->first].comma;
		more.value = (struct plan_column){ it->hits[k]->source, it->hits[k]->index };
		more.text = it->hits[k]->value;
		more.noun = !is_answered(s->p, it->hits[k]) &&
		    (is_noun(s->p, i, it->hits[k]->value) || ends_in_column(s->p, i, it->hits[k]) ||
			is_of_several(s->p, i, it->hits[k], s->before->loose) ||
			is_led_otherwise(s->p, i, &s->p->m->sources[it->hits[k]->source].columns[it->hits[k]->index]));
		match_go_on(s, pattern, i, 1, &more);
	}
}
