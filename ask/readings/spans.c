#include "ask/comparisons.h"
#include "ask/conditions.h"
#include "ask/groups.h"
#include "ask/thresholds.h"
#include "ask/readings/around.h"
#include "ask/readings/columns.h"
#include "ask/readings/spans.h"

#define VERB_STEM_MIN	4u

static bool
names_column_of(const struct plan *p, size_t i, bool number)
{
	bool any = false;

	for (size_t k = 0; i < p->q.n && p->q.items[i].kind == ASK_ITEM_NAME && k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_SOURCE)
			return false;
		any |= e->kind == ASK_KIND_COLUMN &&
		    (p->m->sources[e->source].columns[e->index].type == ASK_TYPE_NUMBER) == number;
	}
	return any;
}

bool
spans_says_kind(const struct plan *p, size_t i)
{
	static const char *const kinds[] = { "kind", "kinds", "type", "types", "sort", "sorts", NULL };
	const struct ask_item *it = &p->q.items[i];
	struct span word = p->q.tokens[it->first].folded;
	bool amount = span_is_str(word, "amount");
	size_t next = i + 1;

	if (it->kind != ASK_ITEM_UNKNOWN || it->n != 1 || it->first + 1 >= p->q.ntokens ||
	    !(amount || span_is_any(word, kinds)) || !span_is_str(p->q.tokens[it->first + 1].folded, "of"))
		return false;
	while (next < p->q.n && plan_is_word(p, next, ASK_WORD_STOP))
		next++;
	return names_column_of(p, next, amount);
}

/* "complaints about the product", unlike "about 500". */
static bool
relates_rows(const struct plan *p, size_t i)
{
	static const char *const words[] = { "about", "regarding", "concerning", NULL };
	size_t next = i + 1;

	while (next < p->q.n && plan_is_word(p, next, ASK_WORD_STOP))
		next++;
	return i > 0 && p->q.items[i].kind == ASK_ITEM_UNKNOWN && p->q.items[i].n == 1 &&
	    span_is_any(p->q.tokens[p->q.items[i].first].folded, words) && next < p->q.n &&
	    plan_names_any(p, i - 1, ASK_KIND_SOURCE) && plan_names_any(p, next, ASK_KIND_SOURCE);
}

/* "run through", "durch die … fließen": the way of a verb of a join, which says no more than the verb. */
static bool
is_way_of_verb(const struct plan *p, size_t i)
{
	static const char *const ways[] = { "through", "across", "along", "over", "past", "durch", "entlang", NULL };
	size_t verb = i;

	if (p->q.items[i].n != 1 || !span_is_any(p->q.tokens[p->q.items[i].first].folded, ways))
		return false;
	if (i > 0 && around_is_verb(p, i - 1))
		return true;
	/* "states through which the Ohio runs" */
	while (verb < p->q.n && !around_is_verb(p, verb))
		verb++;
	return verb < p->q.n && (plan_is_word(p, i + 1, ASK_WORD_WHICH) || p->q.language == ASK_GERMAN);
}

/* Whether the item has no meaning of its own in a pattern. */
static bool
stands_between(const struct plan *p, size_t i)
{
	if (is_way_of_verb(p, i))
		return true;
	/* "customers which have" */
	return (plan_is_word(p, i, ASK_WORD_STOP) && !p->q.tokens[p->q.items[i].first].quoted &&
		   !(i == 0 && p->q.items[i].arg == ASK_STOP_JOINS)) ||
	    /* "big orders": a condition of the figure, or a question back */
	    plan_is_left(p, i) || thresholds_is_said(p, i) || around_is_verb(p, i) || spans_says_kind(p, i) ||
	    relates_rows(p, i) ||
	    /* "countries in which" */
	    (i > 1 && plan_is_word(p, i, ASK_WORD_WHICH) && plan_is_word(p, i - 1, ASK_WORD_STOP) &&
		p->q.items[i - 2].kind == ASK_ITEM_NAME) ||
	    (i > 1 && i + 1 < p->q.n && p->q.items[i - 1].kind == ASK_ITEM_NAME && plan_is_word(p, i, ASK_WORD_WHICH) &&
		((plan_is_word(p, i + 1, ASK_WORD_STOP) && p->q.items[i + 1].arg == ASK_STOP_INSIDE) ||
		    around_is_verb(p, i + 1)));
}

static bool
is_skipped(const struct plan *p, size_t i)
{
	return p->names->skipped[i];
}

size_t
spans_skip(const struct plan *p, size_t i)
{
	while (i < p->q.n && is_skipped(p, i))
		i++;
	return i;
}

/* The words between a column and the rows that it is of. */
static size_t
skip_to_owner(const struct plan *p, size_t i)
{
	while (i < p->q.n &&
	    ((is_skipped(p, i) && p->names->words[p->q.items[i].first].belongs) || plan_is_left(p, i) ||
		thresholds_is_said(p, i)))
		i++;
	return i;
}

/* Whether "with" or "have" is among the words; article: "a". */
static bool
says_with(const struct plan *p, size_t i, bool article)
{
	const struct ask_item *it = &p->q.items[i];

	if (!article && around_is_verb(p, i))
		return true;
	for (size_t k = it->first; k < it->first + it->n; k++)
		if (article ? p->names->words[k].article : p->names->words[k].with)
			return true;
	return false;
}

static bool
leads(const struct plan *p, size_t i)
{
	struct span first = p->q.tokens[p->q.items[i].first].folded;

	/* "where can I find" */
	if (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].arg == ASK_STOP_JOINS)
		return false;
	if (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].arg == ASK_STOP_WHAT &&
	    (span_is_str(first, "how") || (span_is_str(first, "wie") && p->q.items[i].n < 2)))
		return false;
	/* "return on investment" */
	if (plan_is_word(p, i, ASK_WORD_LIST) && i + 1 < p->q.n &&
	    span_is_str(p->q.tokens[p->q.items[i + 1].first].folded, "on"))
		return false;
	return plan_is_word(p, i, ASK_WORD_STOP) || plan_is_word(p, i, ASK_WORD_LIST) ||
	    plan_is_word(p, i, ASK_WORD_WHICH);
}

/* "details of", which is a column or all of them. */
static bool
asks_whole(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_LIST) && p->q.items[i].arg == ASK_LIST_WHOLE;
}

bool
spans_asks(const struct plan *p, size_t i)
{
	return (plan_is_word(p, i, ASK_WORD_LIST) && !asks_whole(p, i)) || plan_is_word(p, i, ASK_WORD_WHICH) ||
	    plan_asks_which(p, i) ||
	    (plan_is_word(p, i, ASK_WORD_STOP) &&
		(p->q.items[i].arg == ASK_STOP_ROWS || p->q.items[i].arg == ASK_STOP_WHAT));
}

typedef void matcher(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got);

#define LETTER(letter, from, reader) static matcher match_##reader;
#define WORD(letter, kind, item)
#include "ask/readings/letters.def"
#undef LETTER
#undef WORD

static const struct letter {
	matcher *match; /* NULL: match_word() */
	enum { NEXT, HERE } from;
	enum ask_word_kind word;
	size_t item; /* offset in struct draft_spans; 0: none */
} letters[128] = {
#define LETTER(letter, from, reader) [letter] = { match_##reader, from, ASK_WORD_NONE, 0 },
#define WORD(letter, kind, item) [letter] = { NULL, NEXT, ASK_WORD_##kind, offsetof(struct draft_spans, item) },
#include "ask/readings/letters.def"
#undef LETTER
#undef WORD
};

static const char *
behind(const char *pattern)
{
	return pattern + 1 + (pattern[1] == '?');
}

/* The next span begins behind the n items from i on. */
static void
go_on(struct reading_search *s, const char *pattern, size_t i, size_t n, const struct draft_spans *got)
{
	spans_match(s, behind(pattern), i + n, got);
}

/* "bulk orders", "round trips" in one, "guests": a state of the root's rows that stands for them. */
static bool
names_state(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++)
		if ((it->hits[k]->kind != ASK_KIND_VALUE && it->hits[k]->kind != ASK_KIND_SEGMENT) ||
		    it->hits[k]->source != p->m->nodes[p->root].source || it->hits[k]->index != it->hits[0]->index)
			return false;
	return it->kind == ASK_ITEM_NAME && it->nhits > 0;
}

/* "full", of "full name" */
static bool
says_full(const struct plan *p, size_t i)
{
	static const char *const words[] = { "full", "whole", "complete", "vollständigen", "vollständiger", "vollen",
		NULL };

	return i + 1 < p->q.n && p->q.items[i].kind == ASK_ITEM_UNKNOWN && p->q.items[i].n == 1 &&
	    span_is_any(p->q.tokens[p->q.items[i].first].folded, words) && columns_is_name(p, i + 1);
}

/* The column that the item names in a list: "name" of a person begins with the first one. */
static uint32_t
listed_column(const struct plan *p, uint32_t node, size_t i, size_t *n)
{
	uint32_t column = columns_find(p, node, i, n);

	if (column == ASK_NONE && says_full(p, i)) {
		column = listed_column(p, node, i + 1, n);
		*n = 2;
		return column;
	}
	if (column != ASK_NONE || !columns_is_name(p, i))
		return column;
	*n = 1;
	for (uint32_t c = 0; c < plan_source(p, node)->ncolumns; c++)
		if (plan_source(p, node)->columns[c].of_person && !plan_source(p, node)->columns[c].masked &&
		    !plan_source(p, node)->columns[c].internal)
			return c;
	return ASK_NONE;
}

/* A person's name is all of its parts. */
static void
add_name_parts(const struct plan *p, struct draft_spans *got, uint32_t node, uint32_t label)
{
	const struct ask_source *s = plan_source(p, node);

	for (uint32_t c = 0; c < s->ncolumns && s->columns[label].of_person; c++)
		if (c != label && s->columns[c].of_person && ask_is_shown(&s->columns[c]) &&
		    got->nlist < DRAFT_COLUMNS_MAX)
			got->list[got->nlist++] = (struct plan_column){ node, c };
}

/* A column of the list was read; the list ends here, or goes on. */
static void
list_next(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	size_t next = spans_skip(p, i);

	go_on(s, pattern, i, 0, got);
	if (next < p->q.n && plan_is_word(p, next, ASK_WORD_AND))
		match_list(s, pattern, next + 1, got);
	else if (next < p->q.n && (p->q.tokens[p->q.items[next].first].comma || p->q.tokens[p->q.items[i].first].comma))
		match_list(s, pattern, next, got);
}

static bool
is_fold(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_AGGREGATE) || plan_is_word(p, i, ASK_WORD_EXTREME);
}

static void
list_add(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got, size_t at,
    uint32_t node, uint32_t column, bool named, bool owned)
{
	struct draft_spans more = *got;

	/* "average and maximum capacity", where a column is called average, too */
	if (more.nlist == DRAFT_COLUMNS_MAX || (strchr(pattern, 'f') != NULL && is_fold(s->p, at)))
		return;
	for (size_t k = 0; k < got->nlist; k++)
		if (got->list[k].node == node && got->list[k].column == column)
			return;
	more.list[more.nlist++] = (struct plan_column){ node, column };
	if (columns_is_name(s->p, at) || says_full(s->p, at))
		add_name_parts(s->p, &more, node, column);
	more.named |= named;
	more.owned |= owned;
	list_next(s, pattern, i, &more);
}

/* The rows whose key the column is, joined or called the same; ASK_NONE: none. */
static uint32_t
keyed_by(const struct plan *p, struct plan_column at)
{
	const struct ask_node *node = &p->m->nodes[at.node];
	struct span name = plan_source(p, at.node)->columns[at.column].names.name;

	for (size_t e = 0; e < node->nedges; e++)
		if (span_is(node->edges[e].here, name))
			return node->edges[e].to;
	for (uint32_t source = 0; at.column != plan_key_column(plan_source(p, at.node)) && source < p->m->nsources;
	     source++)
		if (source != node->source && p->m->sources[source].ngrain == 1 &&
		    span_is_folded(p->m->sources[source].grain[0], name))
			return source;
	return ASK_NONE;
}

static bool
shares_word(const struct ask_names *a, const struct ask_names *b)
{
	bool same = span_is_folded(a->name, b->name) || (a->label.len > 0 && span_is_folded(a->label, b->label));

	for (size_t i = 0; i < a->nsynonyms; i++) {
		same |= span_is_folded(a->synonyms[i], b->name) || span_is_folded(a->synonyms[i], b->label);
		for (size_t k = 0; k < b->nsynonyms; k++)
			same |= span_is_folded(a->synonyms[i], b->synonyms[k]);
	}
	return same;
}

/* Whether "name", "id" or what else the column is called may mean a column of the node, too. */
static bool
has_namesake(const struct plan *p, uint32_t node, struct plan_column other)
{
	const struct ask_source *s = plan_source(p, node), *from = plan_source(p, other.node);
	const struct ask_column *column = &from->columns[other.column];
	uint32_t key = plan_key_column(s);
	bool name = from->label == other.column || column->of_person;
	bool same = (name && s->label != ASK_NONE) ||
	    (key != ASK_NONE && key != s->label && plan_key_column(from) == other.column);

	for (uint32_t c = 0; c < s->ncolumns; c++)
		same |= (name && s->columns[c].of_person) || shares_word(&s->columns[c].names, &column->names) ||
		    shares_word(&column->names, &s->columns[c].names);
	return same;
}

/*
 * "names and cities of teams": the columns before are of the teams, too; "team names and cities" and "team id and name"
 * may be.
 */
static bool
may_be_of_another(const struct plan *p, const struct draft_spans *got, size_t i, uint32_t owner)
{
	uint32_t other = p->root;
	size_t n;

	for (size_t k = 0; owner != ASK_NONE && owner != p->root && got->bare > 0 && k < got->nlist; k++)
		if (has_namesake(p, owner, got->list[k]))
			return true;
	if (owner != ASK_NONE && owner != p->root)
		return false;
	if (got->nlist > 0 && (other = got->list[got->nlist - 1].node) == p->root)
		other = keyed_by(p, got->list[got->nlist - 1]);
	else if (owner != ASK_NONE)
		return false;
	return other != ASK_NONE && other != p->root && listed_column(p, other, i, &n) != ASK_NONE;
}

bool
spans_may_date(const struct plan *p, size_t i)
{
	for (size_t k = 0; plan_names_any(p, i, ASK_KIND_DATE) && k < p->q.n; k++)
		if (p->q.items[k].kind == ASK_ITEM_PERIOD)
			return true;
	return false;
}

/* "new york city": a city of that name, or one in the state? */
static bool
may_name_next(const struct plan *p, size_t i)
{
	static const char *const each[] = { "every", "each", "jeder", "jede", "jedes", "jeden", NULL };
	const struct ask_item *it = &p->q.items[i];
	bool may = false;

	for (size_t k = 0; k < it->nhits && !(it->first > 0 && span_is_any(p->q.tokens[it->first - 1].folded, each));
	     k++)
		may |= it->hits[k]->kind == ASK_KIND_VALUE &&
		    it->hits[k]->index == p->m->sources[it->hits[k]->source].label &&
		    !plan_names_of(p, i + 1, ASK_KIND_SOURCE, it->hits[k]->source);
	return may && plan_names_any(p, i + 1, ASK_KIND_SOURCE) && p->q.items[i + 1].n == 1 &&
	    !p->q.tokens[p->q.items[i + 1].first].plural;
}

/* "gold", of gold customers: a word that can only be a condition. */
static bool
is_adjective(const struct plan *p, size_t i)
{
	return i < p->q.n && p->q.items[i].kind == ASK_ITEM_NAME && !spans_may_date(p, i) &&
	    !(i + 1 < p->q.n && may_name_next(p, i)) &&
	    (plan_names_any(p, i, ASK_KIND_VALUE) || plan_names_any(p, i, ASK_KIND_FLAG) ||
		plan_names_any(p, i, ASK_KIND_SEGMENT)) &&
	    !plan_names_any(p, i, ASK_KIND_SOURCE) &&
	    (!plan_names_any(p, i, ASK_KIND_COLUMN) || plan_names_any(p, i, ASK_KIND_FLAG)) &&
	    !plan_names_any(p, i, ASK_KIND_MEASURE);
}

/* Capture the adjective at i, which describes the rows that follow.  False: the item is no adjective, a comma or "of"
 * follows ("numbers of wines", where one is called Numbers), or there is no room. */
static bool
take_adjective(const struct plan *p, size_t i, char of, struct draft_spans *s)
{
	static const char *const joins[] = { "of", "von", NULL };

	if (!is_adjective(p, i) || span_is_any(p->q.tokens[p->q.items[i].first + p->q.items[i].n].folded, joins) ||
	    s->nadjectives == sizeof(s->adjectives) / sizeof(s->adjectives[0]) ||
	    p->q.tokens[p->q.items[i].first + p->q.items[i].n].comma)
		return false;
	s->adjectives[s->nadjectives++] = i;
	s->adjectives_of = of;
	return true;
}

/* The node that a word for rows names in front of a column: the root or one of its parents. */
static uint32_t
owner_at(const struct plan *p, size_t i)
{
	uint32_t found = ASK_NONE;

	for (size_t k = 0; i < p->q.n && p->q.items[i].kind == ASK_ITEM_NAME && k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];
		uint32_t node = e->kind != ASK_KIND_SOURCE   ? ASK_NONE :
		    e->source == p->m->nodes[p->root].source ? p->root :
							       around_parent(p, p->root, e->source);

		if (node == ASK_NONE || node == found)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = node;
	}
	return found;
}

static bool
is_only_here(const struct plan *p, size_t i, size_t len)
{
	if (columns_is_name(p, i))
		return false;
	for (uint32_t other = 0; other < p->m->nsources; other++) {
		size_t n;

		if (other != p->m->nodes[p->root].source && !p->m->sources[other].covered &&
		    columns_find(p, other, i, &n) != ASK_NONE && n == len)
			return false;
	}
	return true;
}

/* Whether the item names rows other than the root's. */
static bool
names_others(const struct plan *p, size_t i)
{
	return plan_names_any(p, i, ASK_KIND_SOURCE) && !around_names(p, i, p->m->nodes[p->root].source);
}

bool
spans_is_word_of_rows(const struct plan *p, size_t word)
{
	for (unsigned german = 0; german < 2; german++) {
		const struct ask_entry *found[ASK_HITS_MAX];
		size_t k = ask_lexicon_find(p->m->lexicon, ask_key(p->a, &p->q.tokens[word], 1, german), german, found,
		    ASK_HITS_MAX);

		while (k-- > 0)
			if (found[k]->kind == ASK_KIND_SOURCE && found[k]->source == p->m->nodes[p->root].source)
				return true;
	}
	return false;
}

/* "product names", "amounts of transactions" in one: whether a word of the column names the root's rows. */
static bool
says_rows(const struct plan *p, size_t i, size_t n, uint32_t column)
{
	size_t end = p->q.items[i + n - 1].first + p->q.items[i + n - 1].n;

	/* the column that is called as its rows names them */
	if (n == 1 && around_names(p, i, p->m->nodes[p->root].source))
		return plan_source(p, p->root)->columns[column].type == ASK_TYPE_TEXT;
	for (size_t w = p->q.items[i].first; w < end && end > p->q.items[i].first + 1; w++)
		if (spans_is_word_of_rows(p, w))
			return true;
	return false;
}

/* "the model of a car", which is a column of the car's version and a row to which that leads: the same. */
static bool
leads_by(const struct plan *p, uint32_t node, uint32_t column, uint32_t to)
{
	const struct ask_node *n = &p->m->nodes[node];

	for (size_t e = 0; e < n->nedges; e++)
		if (n->edges[e].to == to && span_is(n->edges[e].here, plan_source(p, node)->columns[column].names.name))
			return true;
	return false;
}

/* The only node that the root leads to with a column that the items from i on name; ASK_NONE: none, or several. */
static uint32_t
only_behind(const struct plan *p, size_t i, uint32_t *column, size_t *n)
{
	const struct ask_routes *routes = around_routes(p, p->root);
	uint32_t found = ASK_NONE;
	size_t len;

	if (columns_is_name(p, i) || columns_find(p, p->root, i, &len) != ASK_NONE || routes == NULL ||
	    plan_names_of(p, i, ASK_KIND_COLUMN, p->m->nodes[p->root].source))
		return ASK_NONE;
	for (uint32_t node = 0; node < p->m->nnodes; node++) {
		uint32_t c;

		if (node == p->root || routes->hops[node] == ASK_NONE ||
		    p->m->sources[p->m->nodes[node].source].covered || (c = columns_find(p, node, i, &len)) == ASK_NONE)
			continue;
		if (found != ASK_NONE && routes->hops[found] < routes->hops[node] && leads_by(p, found, *column, node))
			continue;
		if (found != ASK_NONE && !(routes->hops[node] < routes->hops[found] && leads_by(p, node, c, found)))
			return ASK_NONE;
		found = node;
		*column = c;
		*n = len;
	}
	return found == ASK_NONE || routes->hops[found] > 1 || found >= p->m->nsources ||
		*column == plan_key_column(plan_source(p, found)) ?
	    ASK_NONE :
	    found;
}

/* "the size of songs", which their files have; "the model of the car": what names it. */
static void
list_behind(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	struct draft_spans more = *got;
	uint32_t column, node = only_behind(p, i, &column, &more.distinct_item);
	size_t n = more.distinct_item, after;

	if (node == ASK_NONE) {
		/* a column of the rows themselves is meant */
		node = columns_find(p, p->root, i, &n) == ASK_NONE ? owner_at(p, i) : ASK_NONE;
		n = 1;
		if (node == ASK_NONE || node == p->root || (column = plan_source(p, node)->label) == ASK_NONE ||
		    !ask_is_shown(&plan_source(p, node)->columns[column]))
			return;
		more.of_parent = true;
	}
	more.distinct_item = got->distinct_item;
	after = skip_to_owner(p, i + n);
	if (after == i + n || owner_at(p, after) != p->root) {
		if (more.of_parent)
			return;
		more.bare_behind = true;
		list_add(s, pattern, i + n, &more, i, node, column, false, false);
		return;
	}
	more.behind = true;
	list_add(s, pattern, after + 1, &more, i, node, column, true, true);
}

uint32_t
spans_rows_of_groups(const struct plan *p, const struct draft *d)
{
	size_t item = d->ngroups == 1 && d->number && !d->leads ? d->groups[0].item : PLAN_NO_ITEM;
	uint32_t rows = item == PLAN_NO_ITEM ? ASK_NONE : owner_at(p, item);

	for (size_t k = 0; rows != ASK_NONE && k < p->q.items[item].nhits; k++) {
		const struct ask_entry *e = p->q.items[item].hits[k];
		bool here = e->source == p->m->nodes[p->root].source || around_reaches(p, p->root, e->source);

		if (e->kind == ASK_KIND_COLUMN && here && e->index != plan_key_column(&p->m->sources[e->source]) &&
		    !(e->source == p->m->nodes[rows].source && e->index == p->m->sources[e->source].label) &&
		    !ask_is_foreign(p->m, e->source, p->m->sources[e->source].columns[e->index].names.name))
			return ASK_NONE;
	}
	return rows == p->root ? ASK_NONE : rows;
}

bool
spans_stands_for_rows(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	uint32_t root = p->m->nodes[p->root].source;
	bool segment = false, of_root = it->kind == ASK_ITEM_NAME;

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++) {
		segment |= it->hits[k]->kind == ASK_KIND_SEGMENT;
		of_root &= it->hits[k]->source == root &&
		    (it->hits[k]->kind == ASK_KIND_SEGMENT || it->hits[k]->kind == ASK_KIND_VALUE);
	}
	return segment && of_root &&
	    !(i + 1 < p->q.n && p->q.items[i + 1].first == it->first + it->n && around_names(p, i + 1, root));
}

/* "names of climbers", "climber names", "names": one column of a list, and the rows that it is of. */
static void
match_list(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct plan *p = s->p;
	uint32_t owner, column, of_groups;
	struct draft_spans own = *got;
	size_t n, after;

	for (i = spans_skip(p, i); i < p->q.n && plan_is_word(p, i, ASK_WORD_DISTINCT); i = spans_skip(p, i + 1))
		own.distinct = true;
	if (i >= p->q.n)
		return;
	owner = owner_at(p, i);
	own.bare = 0;
	of_groups = spans_rows_of_groups(p, s->before);
	if (of_groups != ASK_NONE && (column = listed_column(p, of_groups, i, &n)) != ASK_NONE)
		list_add(s, pattern, i + n, &own, i, of_groups, column, true, true);
	if (owner != ASK_NONE && (column = listed_column(p, owner, i + 1, &n)) != ASK_NONE &&
	    !p->q.tokens[p->q.items[i + 1].first].comma) {
		struct draft_spans of = own;

		of.compound |= owner == p->root;
		list_add(s, pattern, i + 1 + n, &of, i + 1, owner, column, owner == p->root, owner == p->root);
	}
	/* "große Städte" are no "Größe der Städte" */
	if (p->q.language == ASK_GERMAN && !p->q.tokens[p->q.items[i].first].capital && owner_at(p, i + 1) != ASK_NONE)
		return;
	/* "song format", which the song's file has */
	if (owner == p->root && !p->q.tokens[p->q.items[i + 1].first].comma &&
	    (owner = only_behind(p, i + 1, &column, &n)) != ASK_NONE) {
		struct draft_spans more = own;

		more.behind = true;
		list_add(s, pattern, i + 1 + n, &more, i + 1, owner, column, true, true);
	}
	for (size_t len = 1; len <= 4; len++) {
		struct draft_spans of = own;

		after = skip_to_owner(p, i + len);
		/* "of each room" */
		if (after < p->q.n && plan_is_word(p, after, ASK_WORD_BY) && p->q.items[after].arg == 0 &&
		    !span_is_str(p->q.tokens[p->q.items[after].first].folded, "by")) {
			of.each = true;
			after++;
		}
		/* "of the different clubs" */
		if (after > i + len && after < p->q.n && plan_is_word(p, after, ASK_WORD_DISTINCT)) {
			of.distinct = true;
			after++;
		}
		for (; is_adjective(p, after) && take_adjective(p, after, 'E', &of); after++)
			;
		/* "names of women" */
		if (of.nadjectives > 0 && spans_stands_for_rows(p, after - 1) &&
		    (column = listed_column(p, p->root, i, &n)) != ASK_NONE && n == len)
			list_add(s, pattern, after, &of, i, p->root, column, true, true);
		/* not so in "id, genre and title of songs" */
		owner = after < p->q.n && p->q.tokens[p->q.items[after].first].comma ? ASK_NONE : owner_at(p, after);
		if (owner != ASK_NONE && (column = listed_column(p, owner, i, &n)) != ASK_NONE && n == len &&
		    !may_be_of_another(p, got, i, owner) && (owner == p->root || of.nadjectives == 0))
			list_add(s, pattern, after + 1, &of, i, owner, column, owner == p->root, owner == p->root);
	}
	list_behind(s, pattern, i, &own);
	if ((column = listed_column(p, p->root, i, &n)) != ASK_NONE && !may_be_of_another(p, got, i, ASK_NONE)) {
		own.bare = got->bare + !says_rows(p, i, n, column);
		own.compound |= says_rows(p, i, n, column);
		list_add(s, pattern, i + n, &own, i, p->root, column,
		    says_rows(p, i, n, column) || (is_only_here(p, i, n) && !(n == 1 && names_others(p, i))),
		    says_rows(p, i, n, column));
	}
}

/* The column of the node's rows at i: "height", of the root's also "building height", not "and a building opened". */
static uint32_t
column_of_rows(const struct plan *p, const struct draft_spans *got, uint32_t node, size_t i, size_t *n)
{
	uint32_t column = columns_find(p, node, i, n);

	/* a column that is called as its rows, and another behind it: "school enrollment" */
	if (column != ASK_NONE && *n == 1 && node == p->root && i + 1 < p->q.n && !got->and_next &&
	    around_names(p, i, p->m->nodes[node].source) && !p->q.tokens[p->q.items[i].first].plural &&
	    p->q.items[i + 1].kind == ASK_ITEM_NAME && !p->q.tokens[p->q.items[i + 1].first].comma) {
		size_t more;
		uint32_t behind = columns_find(p, node, i + 1, &more);

		if (behind != ASK_NONE && behind != column) {
			*n = 1 + more;
			return behind;
		}
	}
	if (column != ASK_NONE || node != p->root || got->and_next || i == 0 || i + 1 >= p->q.n ||
	    !around_names(p, i, p->m->nodes[node].source) || says_with(p, i - 1, true) ||
	    p->q.tokens[p->q.items[i + 1].first].comma)
		return column;
	column = columns_find(p, node, i + 1, n);
	*n += column != ASK_NONE;
	return column;
}

/* "publishers whose name": of what a column lists, or of its rows? */
static bool
names_no_rows(const struct plan *p, const struct draft *d, size_t i)
{
	const struct ask_item *last = &p->q.items[d->nsteps > 0 ? d->steps[0].end - 1 : 0];

	return columns_is_name(p, i) && d->nsteps == 1 && d->ncolumns > 0 && !d->rows &&
	    !spans_is_word_of_rows(p, last->first + last->n - 1);
}

/*
 * "number of visits with fee over 10", where fees are measured, too: of a figure, each row's own column is compared.
 * Of groups, and behind AND, only the column's own word says so: "by region with fees over 10" may be of each region.
 */
static void
match_column_measured(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct draft *d = s->before;
	uint32_t column;
	struct draft_spans more;

	/* "number of visits and fees over 10": what is measured */
	if ((d->nconditions == 0 && (d->and_next || p->q.tokens[p->q.items[i].first].comma)) || !d->number ||
	    d->leads || got->said || got->rows > 0 || got->nfolds > 0 || d->last != DRAFT_ROOT ||
	    (column = columns_of_measure(p, p->root, i)) == ASK_NONE ||
	    ((d->ngroups > 0 || d->and_next) &&
		!span_is_folded(p->q.items[i].text, plan_source(p, p->root)->columns[column].names.name)))
		return;
	more = *got;
	more.column = (struct plan_column){ p->root, column };
	more.said = true;
	more.said_by = i;
	more.at = DRAFT_ROOT;
	go_on(s, pattern, i, 1, &more);
}

/* "songs with file format mp3": a column of the only rows behind the root that have it. */
static void
match_column_behind(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	struct draft_spans more;
	struct plan_column at;
	size_t n;

	if (got->said || got->rows > 0 || draft_node(p, s->before, s->before->last) != p->root ||
	    s->before->near != ASK_NONE || s->before->ngroups > 0 || got->nfolds > 0 ||
	    p->q.items[i].kind == ASK_ITEM_WORD || names_others(p, i) ||
	    (at.node = only_behind(p, i, &at.column, &n)) == ASK_NONE)
		return;
	more = *got;
	more.column = at;
	more.said = true;
	more.said_by = i;
	more.at = s->before->last;
	go_on(s, pattern, i, n, &more);
}

/* The length in bytes of the common beginning, if at most 4 bytes of each word follow it; else 0. */
static size_t
common_stem(struct span a, struct span b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && ascii_lower(a.p[n]) == ascii_lower(b.p[n]))
		n++;
	return n >= VERB_STEM_MIN && a.len - n <= 4 && b.len - n <= 4 ? n : 0;
}

/* "weighing more than 3000", "more than 500 enrolled": the only number whose name the verb is of. */
static uint32_t
number_of_verb(const struct plan *p, const struct draft_spans *got, uint32_t node, size_t i)
{
	const struct ask_source *s = plan_source(p, node);
	struct span word = p->q.tokens[p->q.items[i].first].folded;
	uint32_t found = ASK_NONE;

	if (p->q.items[i].kind != ASK_ITEM_UNKNOWN || p->q.items[i].n != 1 ||
	    !(span_ends(word, "ing") || span_ends(word, "ed")) ||
	    !(got->comparator != PLAN_NO_ITEM || plan_is_word(p, i + 1, ASK_WORD_COMPARATOR) ||
		plan_is_word(p, i + 1, ASK_WORD_RANGE)))
		return ASK_NONE;
	for (uint32_t c = 0; c < s->ncolumns; c++) {
		size_t n;
		struct ask_token *t =
		    ask_tokens(p->a, ask_label(p->a, &s->columns[c].names), true, ASK_LEXICON_WORDS_MAX, &n);

		if (t == NULL || n != 1 || !comparisons_is_own_number(p, (struct plan_column){ node, c }) ||
		    common_stem(t[0].folded, word) < VERB_STEM_MIN)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = c;
	}
	return found;
}

/* "two beds", where the type of a bed is called so, too: the only number.  ASK_NONE: none, or several. */
static uint32_t
number_called(const struct plan *p, uint32_t node, size_t i)
{
	const struct ask_source *s = plan_source(p, node);
	uint32_t found = ASK_NONE;

	for (size_t k = 0; i > 0 && p->q.items[i - 1].kind == ASK_ITEM_NUMBER && k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind != ASK_KIND_COLUMN || e->source != p->m->nodes[node].source ||
		    s->columns[e->index].type != ASK_TYPE_NUMBER)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = e->index;
	}
	return found;
}

static bool
any_comma(const struct plan *p, size_t first, size_t last)
{
	for (size_t i = first; i <= last; i++)
		if (p->q.tokens[p->q.items[i].first].comma)
			return true;
	return false;
}

/* A column of what the rows lead to, of the rows that the words are about, then of the root. */
static void
match_column(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct {
		uint32_t node;
		size_t of;
	} about[] = { { got->rows > 0 ? got->through : ASK_NONE, s->before->nrelated },
		{ got->rows > 0 ? got->related : ASK_NONE, s->before->nrelated }, { s->before->near, s->before->last },
		{ draft_node(s->p, s->before, s->before->last), s->before->last }, { s->p->root, DRAFT_ROOT } };
	uint32_t before = ASK_NONE, column;
	size_t n;

	/* "the maximum, the average and the minimum of …", where a column is called average, too */
	if (got->nfolds > 0 && !got->said && any_comma(s->p, got->fold + 1, i))
		return;
	for (size_t k = 0; k < sizeof(about) / sizeof(about[0]); k++) {
		struct draft_spans more = *got;

		if (about[k].node == ASK_NONE || about[k].node == before || (got->rows > 0 && k > 1))
			continue;
		column = column_of_rows(s->p, got, about[k].node, i, &n);
		/* "a king bed", where beds are counted, too */
		if (column == ASK_NONE && got->nvalues > 0 && s->p->m->nodes[about[k].node].source == got->value.node &&
		    plan_names_column(s->p, i, ASK_KIND_COLUMN, got->value)) {
			column = got->value.column;
			n = 1;
		}
		if (column == ASK_NONE &&
		    ((column = number_called(s->p, about[k].node, i)) != ASK_NONE ||
			(column = number_of_verb(s->p, got, about[k].node, i)) != ASK_NONE))
			n = 1;
		if (column == ASK_NONE)
			continue;
		if (got->said && got->nfolds == 0 &&
		    (got->column.node != about[k].node || got->column.column != column))
			continue;
		if (names_no_rows(s->p, s->before, i))
			continue;
		more.column = (struct plan_column){ about[k].node, column };
		more.said = true;
		more.said_by = i;
		more.at = about[k].of;
		for (size_t fold = 0; fold < more.nfolds; fold++)
			if (more.folds[fold].column == ASK_NONE)
				more.folds[fold].column = column;
		go_on(s, pattern, i, n, &more);
		if (!got->named) /* no AND before it: about what was named last */
			return;
		before = about[k].node;
	}
	match_column_measured(s, pattern, i, got);
	match_column_behind(s, pattern, i, got);
}

static bool
joins_root(const struct plan *p, uint32_t source)
{
	for (size_t e = 0; e < p->m->nodes[source].nedges; e++)
		if (p->m->nodes[source].edges[e].to == p->root)
			return source != p->root;
	return false;
}

/* A column of the only other rows that lead to the root and have it: "customers with card number 5". */
static void
match_related_column(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct ask_routes *routes;
	struct plan_column at = { ASK_NONE, ASK_NONE };
	struct draft_spans more;
	size_t n = 0, len;

	if (s->before->last != DRAFT_ROOT || s->before->near != ASK_NONE || p->q.items[i].kind == ASK_ITEM_WORD ||
	    columns_is_name(p, i) || columns_find(p, p->root, i, &len) != ASK_NONE ||
	    (routes = around_routes(p, p->root)) == NULL)
		return;
	for (uint32_t source = 0; source < p->m->nsources; source++) {
		bool leads = joins_root(p, source);
		uint32_t column;

		if ((!leads && routes->hops[source] == ASK_NONE) || p->m->sources[source].covered ||
		    (column = columns_find(p, source, i, &len)) == ASK_NONE)
			continue;
		if (at.node != ASK_NONE || !leads || !around_leads_to(p, source, p->root, 1))
			return;
		n = len;
		at = (struct plan_column){ source, column };
	}
	if (at.node == ASK_NONE)
		return;
	more = *got;
	more.column = at;
	more.rows = more.said_by = i;
	more.related = at.node;
	more.through = ASK_NONE;
	more.said = true;
	go_on(s, pattern, i, n, &more);
}

/* "all parts" where one value is "Part": a noun, which a value in another number is not. */
static bool
is_noun(const struct plan *p, size_t i, struct span value)
{
	const struct ask_token *t = &p->q.tokens[p->q.items[i].first];
	struct span label = t->folded;

	return plan_names_any(p, i, ASK_KIND_SOURCE) || plan_names_any(p, i, ASK_KIND_COLUMN) ||
	    (p->q.items[i].n == 1 && t->plural && !t->capital && !span_is_folded(value, label));
}

/* "from Oslo" is no destination, "to Oslo" no origin; without such a word the value is neither. */
static bool
is_led_otherwise(const struct plan *p, size_t i, const struct ask_column *c)
{
	static const char *const origins[] = { "origin", "source", "departure", "from", "start", NULL },
		*const ends[] = { "destination", "target", "arrival", "to", "dest", "end", NULL },
		*const from[] = { "from", "von", "aus", NULL }, *const to[] = { "to", "nach", NULL };
	size_t n, before = p->q.items[i].first;
	struct ask_token *t = ask_tokens(p->a, c->names.name, true, ASK_LEXICON_WORDS_MAX, &n);
	struct span lead = before > 0 ? p->q.tokens[before - 1].folded : SPAN_NONE;

	for (size_t w = 0; t != NULL && w < n && n <= ASK_LEXICON_WORDS_MAX; w++)
		if (span_is_any(t[w].folded, origins))
			return !span_is_any(lead, from);
		else if (span_is_any(t[w].folded, ends))
			return !span_is_any(lead, to);
	return false;
}

/* Whether another column of the same rows has the value, too, and no word tells which is meant. */
static bool
is_of_several(const struct plan *p, size_t i, const struct ask_entry *value, bool loose)
{
	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		/* "the people of Washington": what names the row is meant before another column of it */
		if (loose && value->index == p->m->sources[value->source].label)
			return false;
		if (e->kind == ASK_KIND_VALUE && e->source == value->source && e->index != value->index &&
		    !is_led_otherwise(p, i, &p->m->sources[e->source].columns[e->index]))
			return true;
	}
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
	const struct ask_token *t = &p->q.tokens[p->q.items[i].first + p->q.items[i].n - 1];
	size_t n = p->q.items[i].n < 2 || t->quoted ?
	    0 :
	    ask_lexicon_find(p->m->lexicon, ask_key(p->a, t, 1, false), false, last, ASK_HITS_MAX);

	while (n-- > 0)
		if (last[n]->kind == ASK_KIND_COLUMN &&
		    (last[n]->source != value->source || last[n]->index != value->index))
			return true;
	return false;
}

static bool
has_stem(const struct ask_token *t, size_t n, struct span stem)
{
	for (size_t i = 0; i < n && i < ASK_LEXICON_WORDS_MAX; i++)
		if (span_is(t[i].stem, stem))
			return true;
	return false;
}

/* Whether the item names a source whose rows have names. */
static bool
has_label(const struct plan *p, size_t i)
{
	bool has = false;

	for (size_t k = 0; k < p->q.items[i].nhits; k++)
		has |= p->q.items[i].hits[k]->kind == ASK_KIND_SOURCE &&
		    p->m->sources[p->q.items[i].hits[k]->source].label != ASK_NONE;
	return has;
}

/* Whether the value names a row of other rows than the root's. */
static bool
names_row(const struct plan *p, size_t i)
{
	bool names = false;

	for (size_t k = 0; k < p->q.items[i].nhits; k++)
		names |= p->q.items[i].hits[k]->kind == ASK_KIND_VALUE &&
		    p->q.items[i].hits[k]->source != p->m->nodes[p->root].source &&
		    p->q.items[i].hits[k]->index == p->m->sources[p->q.items[i].hits[k]->source].label;
	return names;
}

bool
spans_is_located(const struct plan *p, size_t i)
{
	static const char *const is[] = { "is", "are", "liegt", NULL };
	size_t first = p->q.items[i].first, behind = first + p->q.items[i].n, rows = i;

	while (rows > 0 && (p->q.items[rows - 1].kind == ASK_ITEM_WORD || around_is_verb(p, rows - 1)))
		rows--;
	return rows > 0 && has_label(p, rows - 1) && !plan_names_any(p, rows - 1, ASK_KIND_COLUMN) &&
	    span_is_any(p->q.tokens[first - 1].folded, is) &&
	    ((behind + 1 == p->q.ntokens && span_is_str(p->q.tokens[behind].folded, "in")) ||
		(behind == p->q.ntokens && span_is_str(p->q.tokens[0].folded, "in")));
}

/* "towns named Elm", "the town Elm": whether the value has to be what names a row of theirs, and is not. */
static bool
is_other_name(const struct plan *p, size_t i, const struct ask_entry *value)
{
	static const char *const called[] = { "named", "called", "namens", "genannt", NULL };
	const struct ask_source *s = &p->m->sources[value->source];
	size_t first = p->q.items[i].first, rows = i, n;
	struct ask_token *t;
	bool said = first > 0 && span_is_any(p->q.tokens[first - 1].folded, called);

	/* "which state is austin in" */
	if (spans_is_located(p, i))
		return names_row(p, i) && (s->label != value->index || value->source == p->m->nodes[p->root].source);
	/* "the mississippi river", of states */
	if (i + 1 < p->q.n && has_label(p, i + 1) && !plan_names_any(p, i + 1, ASK_KIND_COLUMN) &&
	    p->q.items[i + 1].n == 1 && !p->q.tokens[p->q.items[i + 1].first].plural &&
	    !plan_names_of(p, i + 1, ASK_KIND_SOURCE, value->source) &&
	    !plan_names_of(p, i + 1, ASK_KIND_SOURCE, p->m->nodes[p->root].source))
		return true;
	if (first == 0 || p->q.tokens[first].comma || (i + 1 < p->q.n && around_is_verb(p, i + 1)))
		return false;
	while (said && rows > 0 && p->q.items[rows - 1].kind == ASK_ITEM_WORD)
		rows--;
	if (rows == 0 || !has_label(p, rows - 1) || plan_names_any(p, rows - 1, ASK_KIND_COLUMN))
		return false;
	if (plan_names_of(p, rows - 1, ASK_KIND_SOURCE, value->source))
		return said && s->label != value->index && !s->columns[value->index].of_person;
	/* "the series named", by series_name */
	t = ask_tokens(p->a, s->columns[value->index].names.name, true, ASK_LEXICON_WORDS_MAX, &n);
	if (t != NULL && has_stem(t, n, p->q.tokens[p->q.items[rows - 1].first + p->q.items[rows - 1].n - 1].stem))
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
	uint32_t node = draft_node(p, s->before, s->before->last);

	for (size_t k = 0; s->before->near == ASK_NONE && k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind == ASK_KIND_VALUE && e->source == p->m->nodes[node].source && e->source != other->source &&
		    !is_key_of_way(p, i, e) &&
		    conditions_are_joined(p, other, (struct plan_column){ e->source, e->index }))
			return true;
	}
	return false;
}

/* Each column that has the value. */
static void
match_value(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct ask_item *it = &s->p->q.items[i];
	uint32_t root = s->p->m->nodes[s->p->root].source;
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
		    (ends_in_column(s->p, i, it->hits[k]) && it->first > 0 &&
			span_is_str(s->p->q.tokens[it->first - 1].folded, "in")) ||
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
		go_on(s, pattern, i, 1, &more);
	}
}

/* Rows that lead to the root, or to which it leads. */
static void
match_source(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct ask_item *it = &p->q.items[i];

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++) {
		uint32_t source = it->hits[k]->source;
		struct draft_spans more = *got;

		more.rows = i;
		if (*pattern == 'u' && it->hits[k]->kind == ASK_KIND_ALIAS &&
		    draft_leads_to(p, s->before, it->hits[k]->index)) {
			more.parent = it->hits[k]->index;
			go_on(s, pattern, i, 1, &more);
			continue;
		}
		if (it->hits[k]->kind != (*pattern == 'o' ? ASK_KIND_EVENT : ASK_KIND_SOURCE) ||
		    p->m->sources[source].covered)
			continue;
		if (*pattern != 'u') {
			more.related = source;
			more.apart = any_comma(p, s->first, i);
			if (!around_leads_to(p, source, p->root, AROUND_HOPS_MAX)) {
				more.way =
				    p->root < p->m->nsources ? plan_way(p, source, p->root, &more.through) : ASK_NONE;
				if (more.way == ASK_NONE &&
				    (more.related = around_bridge(p, source, p->root)) == ASK_NONE)
					continue;
				more.through = more.way == ASK_NONE ? source : more.through;
			} else if (around_is_linked_only(p, source, p->root))
				continue; /* "the events of a product": the event's own, or those of products_in_events
					   */
		} else if ((more.parent = draft_parent(p, s->before, source)) == ASK_NONE)
			continue;
		go_on(s, pattern, i, 1, &more);
	}
}

/* Rows, with adjectives before them. */
static void
match_rows(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	struct draft_spans more = *got;

	/* "the title and artist for every song in English" */
	if (*pattern == 'E' && s->before->nsteps == 0 && got->nlist > 0 && i < p->q.n &&
	    plan_is_word(p, i, ASK_WORD_BY) && p->q.items[i].arg == 0 && p->q.items[i].n == 2) {
		more.each = true;
		i++;
	}
	for (size_t at = spans_skip(p, i); at < p->q.n; at = spans_skip(p, at + 1)) {
		if (*pattern == 'r' || *pattern == 'u' || *pattern == 'o') {
			if (!plan_says_all(p, s->before->nsteps > 0 ? s->before->steps[s->before->nsteps - 1].end : 0,
				at))
				match_source(s, pattern, at, &more);
		} else if (!(*pattern == 'E' && at == i && got->nlist > 0 && pattern[-1] == 'C' &&
			       !more.each) && /* "the AVA regions" */
		    (*pattern == 'e' || more.nadjectives > got->nadjectives || at == skip_to_owner(p, i)) &&
		    around_names(p, at, p->m->nodes[p->root].source)) {
			struct draft_spans named = more;

			named.named = true;
			named.item = at;
			go_on(s, pattern, at, 1, &named);
		} else if ((*pattern == 'E' || *pattern == 'e') && spans_stands_for_rows(p, at)) {
			struct draft_spans named = more;

			named.named = true;
			named.item = at;
			if (take_adjective(p, at, *pattern, &named))
				go_on(s, pattern, at, 1, &named);
		}
		if (*pattern == 'o' || !take_adjective(p, at, *pattern, &more))
			return;
	}
}

/* "pieces sold by article delivered in March", where orders are delivered: of the only rows that the root leads to. */
static void
match_date_behind(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct ask_item *it = &p->q.items[i];
	struct draft_spans more = *got;
	uint32_t node = ASK_NONE;

	for (size_t k = 0; k < it->nhits; k++) {
		if (it->hits[k]->kind != ASK_KIND_DATE)
			continue;
		if (node != ASK_NONE || it->hits[k]->source == p->m->nodes[p->root].source)
			return;
		node = plan_only_node(p, it->hits[k]->source);
		more.column = (struct plan_column){ node, it->hits[k]->index };
	}
	more.said_by = i;
	more.at = DRAFT_ROOT;
	if (node != ASK_NONE && s->before->number && s->before->near == ASK_NONE)
		go_on(s, pattern, i, 1, &more);
}

/* The date that the word tells: "joined", of the rows named last, or of the root. */
static void
match_date(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct ask_item *it = &p->q.items[i];
	const size_t about[] = { s->before->last, DRAFT_ROOT };

	for (size_t of = 0; (s->before->leads || s->before->number) && s->before->near != ASK_NONE && of < it->nhits;
	     of++)
		if (it->hits[of]->kind == ASK_KIND_DATE &&
		    it->hits[of]->source == p->m->nodes[s->before->near].source) {
			struct draft_spans more = *got;

			more.column = (struct plan_column){ s->before->near, it->hits[of]->index };
			more.said_by = i;
			more.at = DRAFT_ROOT;
			go_on(s, pattern, i, 1, &more);
		}
	for (size_t of = 0; of < 2; of++)
		for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits && (of == 0 || about[0] != about[1]);
		     k++) {
			uint32_t node = draft_node(p, s->before, about[of]);
			struct draft_spans more = *got;

			if (it->hits[k]->kind != ASK_KIND_DATE || it->hits[k]->source != p->m->nodes[node].source)
				continue;
			more.column = (struct plan_column){ node, it->hits[k]->index };
			more.said_by = i;
			more.at = about[of];
			go_on(s, pattern, i, 1, &more);
		}
	match_date_behind(s, pattern, i, got);
}

/* "how old", "wie lang": the only number of the root that the adjective measures. */
static void
match_how(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	static const char *const how[] = { "how", "wie", "was", NULL }, *const much[] = { "much", "viel", NULL };
	const struct plan *p = s->p;
	const struct ask_source *root = plan_source(p, p->root);
	struct draft_spans more = *got;
	/* "wie viel kosten" */
	size_t end = i, n = 0, word = p->q.ntokens > 1 && span_is_any(p->q.tokens[1].folded, much) ? 2 : 1;

	while (end < p->q.n && p->q.items[end].first <= word)
		end++;
	/* "wie hoch sind" is one item */
	if (p->q.ntokens < word + 2 || end >= p->q.n || p->q.items[end].first > word + 2 ||
	    !span_is_any(p->q.tokens[0].folded, how))
		return;
	for (unsigned part = 0; part < 2 && n == 0; part++)
		for (uint32_t c = 0; c < root->ncolumns; c++)
			if (comparisons_is_own_number(p, (struct plan_column){ p->root, c }) &&
			    comparisons_is_of_degree(p, p->q.tokens[word].folded, &root->columns[c], part == 1)) {
				more.column = (struct plan_column){ p->root, c };
				n++;
			}
	if (n == 1)
		go_on(s, pattern, end, 0, &more);
}

/* "the number", behind which nothing follows that is counted. */
static bool
is_bare_number(const struct plan *p, size_t i)
{
	static const char *const words[] = { "number", "anzahl", NULL };
	const struct ask_item *it = &p->q.items[i];

	return it->kind == ASK_ITEM_UNKNOWN && it->n == 1 && span_is_any(p->q.tokens[it->first].folded, words) &&
	    (i + 1 == p->q.n || plan_is_word(p, i + 1, ASK_WORD_AND) || plan_is_word(p, i + 1, ASK_WORD_BY) ||
		p->q.tokens[it->first + 1].comma);
}

static bool
is_word_of(const struct plan *p, size_t i, char letter)
{
	enum ask_word_kind word = letters[letter & 127].word;

	return (word != ASK_WORD_NONE && plan_is_word(p, i, word)) ||
	    /* "…, and the number": of what was said */
	    (letter == 'K' && is_bare_number(p, i)) ||
	    /* "older than 30 years" */
	    (letter == 'Y' && plan_is_word(p, i, ASK_WORD_GRAIN) && p->q.items[i].arg == ASK_UNIT_YEAR);
}

/* "owner", of "owned" */
static bool
is_doer(struct span noun, struct span participle)
{
	return noun.len > 3 && noun.len == participle.len && span_ends(participle, "ed") &&
	    (span_ends(noun, "er") || span_ends(noun, "or")) && common_stem(noun, participle) + 1 >= noun.len;
}

uint32_t
spans_verb_column(const struct plan *p, size_t i, uint32_t source)
{
	struct span word = p->q.tokens[p->q.items[i].first].folded;
	const struct ask_source *s = &p->m->sources[source];
	uint32_t found = ASK_NONE;

	if (p->q.items[i].kind != ASK_ITEM_UNKNOWN || p->q.items[i].n != 1 || !ask_is_participle(p->q.language, word))
		return ASK_NONE;
	for (uint32_t c = 0; c < s->ncolumns; c++)
		if (s->columns[c].type == ASK_TYPE_TEXT && ask_is_shown(&s->columns[c]) &&
		    (common_stem(s->columns[c].names.name, word) > VERB_STEM_MIN ||
			is_doer(s->columns[c].names.name, word))) {
			if (found != ASK_NONE)
				return ASK_NONE;
			found = c;
		}
	return found;
}

/* "directed", of the rows named last. */
static void
match_verb(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	uint32_t node = draft_node(s->p, s->before, s->before->last);
	uint32_t column = spans_verb_column(s->p, i, s->p->m->nodes[node].source);
	struct draft_spans more;

	if (column == ASK_NONE)
		return;
	more = *got;
	more.column = (struct plan_column){ node, column };
	more.at = s->before->last;
	go_on(s, pattern, i, 1, &more);
}

/* "arranged", of course_arrange: the verb of a word of the name. */
static bool
is_verb_of_name(const struct plan *p, struct span name, const struct ask_token *verb)
{
	size_t n;
	struct ask_token *t = ask_tokens(p->a, name, true, ASK_LEXICON_WORDS_MAX, &n);

	for (size_t i = 0; t != NULL && i < n && n <= ASK_LEXICON_WORDS_MAX; i++)
		if (common_stem(t[i].folded, verb->folded) > 0)
			return true;
	return false;
}

/* A word that nothing knows but an event's name, as people write a verb. */
static bool
may_be_verb(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	bool word = it->kind == ASK_ITEM_UNKNOWN || it->kind == ASK_ITEM_NAME;

	for (size_t k = 0; k < it->nhits; k++)
		word &= it->hits[k]->kind == ASK_KIND_EVENT;
	return word && it->n == 1 && !p->q.tokens[it->first].capital;
}

/* The sources of whose names the item is a verb: looked for once. */
static const struct reading_verbs *
verbs_at(const struct plan *p, size_t i)
{
	struct reading_verbs *v = &p->names->verbs[i];

	if (v->looked)
		return v;
	v->looked = true;
	if (!may_be_verb(p, i) || (v->sources = arena_array(p->a, p->m->nsources, sizeof(*v->sources))) == NULL)
		return v;
	for (uint32_t source = 0; source < p->m->nsources; source++)
		if (is_verb_of_name(p, p->m->sources[source].names.name, &p->q.tokens[p->q.items[i].first]))
			v->sources[v->n++] = source;
	return v;
}

bool
spans_is_verb_of(const struct plan *p, size_t i, uint32_t source)
{
	const struct reading_verbs *v = verbs_at(p, i);

	for (size_t k = 0; k < v->n; k++)
		if (v->sources[k] == source)
			return true;
	return false;
}

/* "climbed", of climbers: the verb of their name; named: they have to be named, too. */
static bool
is_verb(const struct plan *p, size_t i, bool named)
{
	const struct reading_verbs *v = verbs_at(p, i);

	for (size_t k = 0; k < v->n; k++)
		if (!named || v->sources[k] == p->m->nodes[p->root].source || around_is_named(p, v->sources[k]))
			return true;
	return false;
}

/* Whether the item names rows, and nothing tells what they are called. */
static bool
is_nameless(const struct plan *p, size_t i)
{
	bool nameless = false;

	for (size_t k = 0; i < p->q.n && k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];
		const struct ask_source *s = &p->m->sources[e->source];

		nameless |= e->kind == ASK_KIND_SOURCE && s->label == ASK_NONE;
		if (e->kind == ASK_KIND_COLUMN && s->columns[e->index].type == ASK_TYPE_TEXT &&
		    !ask_is_foreign(p->m, e->source, s->columns[e->index].names.name) && e->index != plan_key_column(s))
			return false;
	}
	return nameless;
}

/* Words that are a group, and one that says whose column it is: "customer country". */
static void
match_group(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	struct draft_spans more = *got;
	bool alias;

	/* "names of studios", where a studio is but a name, or has one */
	if (columns_is_name(p, i) && skip_to_owner(p, i + 1) > i + 1 && !is_nameless(p, skip_to_owner(p, i + 1)))
		i = skip_to_owner(p, i + 1);
	/* "gold customers" */
	while (i < p->q.n && take_adjective(p, i, 'G', &more))
		i = spans_skip(p, i + 1);
	if (i >= p->q.n || (more.nadjectives > 0 && !plan_has(p, i, ASK_KIND_SOURCE)))
		return;
	alias = plan_has(p, i, ASK_KIND_ALIAS);
	more.group = i;
	if (groups_is_grain(p, i) ||
	    (p->q.items[i].kind == ASK_ITEM_NAME &&
		(plan_has(p, i, ASK_KIND_COLUMN) || plan_has(p, i, ASK_KIND_SOURCE) || alias)))
		go_on(s, pattern, i,
		    plan_has(p, i + 1, ASK_KIND_COLUMN) && !p->q.tokens[p->q.items[i + 1].first].comma &&
			    (alias ||
				(plan_has(p, i, ASK_KIND_SOURCE) && plan_source_of_column(p, i, i + 1) != ASK_NONE)) ?
			2 :
			1,
		    &more);
}

/* A measure of the root, which no other source has by a better name. */
static void
match_measure(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct ask_item *it = &p->q.items[i];
	unsigned own = ASK_NONE, other = ASK_NONE;
	struct draft_spans more = *got;

	for (size_t k = 0; k < it->nhits; k++)
		if (it->hits[k]->kind == ASK_KIND_MEASURE) {
			unsigned *best = it->hits[k]->source == p->m->nodes[p->root].source ? &own : &other;

			*best = it->hits[k]->tier < *best ? it->hits[k]->tier : *best;
		}
	more.measure = i;
	if (own != ASK_NONE && own <= other)
		go_on(s, pattern, i, 1, &more);
}

/* "the one with the highest price", "the price for 3": no number that a column is compared with. */
static bool
is_no_amount(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	struct span before = i > 0 ? p->q.tokens[it->first - 1].folded : SPAN_NONE;

	return span_is_str(before, "for") || span_is_str(before, "für") ||
	    (i > 0 && it->number == 1 && !ascii_is_digit(it->text.p[0]) && p->names->words[it->first - 1].belongs);
}

/* A number; one that is a value of some column as well is a number in front of "or more". */
static bool
number_at(const struct plan *p, size_t i, double *number)
{
	const struct ask_item *it = &p->q.items[i];

	*number = it->number;
	/* "4 cylinders" */
	if (it->kind == ASK_ITEM_NAME && it->n == 1 && p->q.tokens[it->first].number && i + 1 < p->q.n &&
	    ask_item_names_number(p->m, &p->q.items[i + 1]))
		return ask_items_number(it->text, p->q.language, number);
	/* "the 3 heaviest" */
	if (it->kind == ASK_ITEM_NAME && it->n == 1 && p->q.tokens[it->first].number &&
	    (plan_is_word(p, i + 1, ASK_WORD_EXTREME) || plan_is_word(p, i + 1, ASK_WORD_LATEST) ||
		(i > 0 && plan_is_word(p, i - 1, ASK_WORD_TOP))))
		return ask_items_number(it->text, p->q.language, number);
	return it->kind == ASK_ITEM_NUMBER ||
	    (it->kind == ASK_ITEM_NAME && it->n == 1 && plan_is_word(p, i + 1, ASK_WORD_COMPARATOR) &&
		ask_items_number(it->text, p->q.language, number));
}

/* "a", of "the letter a" */
static bool
is_letter(const struct plan *p, size_t i)
{
	return i > 0 && p->q.items[i].text.len == 1 && plan_is_word(p, i - 1, ASK_WORD_LIKE);
}

/* The items that are one text, in quotes or without a blank inside: "x.org"; at least one. */
static size_t
text_items(const struct plan *p, size_t i, struct span *text)
{
	size_t n = 0;

	*text = p->q.items[i].text;
	do {
		const struct ask_item *it = &p->q.items[i + n++];

		text->len = (size_t)(it->text.p + it->text.len - text->p);
	} while (i + n < p->q.n &&
	    ((p->q.tokens[p->q.items[i].first].quoted && p->q.tokens[p->q.items[i + n].first].quoted) ||
		memchr(text->p + text->len, ' ', (size_t)(p->q.items[i + n].text.p - text->p) - text->len) == NULL));
	return n;
}

/* "minimum, average and maximum": whether the aggregate word at i is the first, or joined to those before. */
static bool
joins_fold(const struct plan *p, size_t i, const struct draft_spans *got)
{
	return got->nfolds == 0 ||
	    (got->nfolds < ASK_MEASURES_MAX &&
		(p->q.tokens[p->q.items[i].first].comma ||
		    (plan_before(p, i) != PLAN_NO_ITEM && plan_is_word(p, plan_before(p, i), ASK_WORD_AND))));
}

/* "a higher price than": 1; "a lower one": 2; 0: neither */
static unsigned
higher_or_lower(struct span word)
{
	static const char *const higher[] = { "higher", "larger", "greater", "bigger", "höheren", "höhere",
		"höheres", "größere", "größeren", NULL };
	static const char *const lower[] = { "lower", "smaller", "less", "niedrigeren", "niedrigere", "kleinere",
		"kleineren", NULL };

	return span_is_any(word, higher) ? 1 : span_is_any(word, lower) ? 2 : 0;
}

/* Whether the item is a word, or a number, that the letter stands for. */
static bool
is_span(const struct plan *p, size_t i, char letter, const struct draft_spans *got)
{
	const struct ask_item *it = &p->q.items[i];
	static const char *const as[] = { "as", "for", "als", NULL };
	const struct ask_word_row *row;
	double number;
	size_t n;

	switch (letter) {
	case 'N':
		return !is_no_amount(p, i) && number_at(p, i, &number);
	case 't':
		return it->kind == ASK_ITEM_PERIOD;
	case 'i':
		/* "the first 3", unlike "the first name" */
		row = ask_word(p->q.language, &p->q.tokens[it->first], 1, ASK_WORD_ORDINAL, &n);
		return row != NULL && row->arg == 1 && it->n == 1 && plan_is_number(p, spans_skip(p, i + 1));
	case 'X':
		return plan_is_word(p, i, ASK_WORD_NOT) && it->arg != ASK_NOT_BUT && it->arg != ASK_NOT_APART;
	case '&':
		return plan_is_word(p, i, ASK_WORD_AND) || (plan_is_word(p, i, ASK_WORD_NOT) && it->arg == ASK_NOT_BUT);
	case 'v':
	case 'q':
		return is_verb(p, i, letter == 'v');
	case 'g':
	case 'f':
		/* A column may be called so as well. */
		return ((plan_is_word(p, i, ASK_WORD_AGGREGATE) && (letter == 'f' || it->arg == ASK_FOLD_AVG)) ||
			   (letter == 'f' && plan_is_word(p, i, ASK_WORD_EXTREME) &&
			       ((it->arg <= 1 && it->arg >= -1) || it->arg == -ASK_MOST))) &&
		    (letter == 'f' || columns_find(p, p->root, i, &n) == ASK_NONE) && joins_fold(p, i, got);
	case 'm':
		return plan_is_word(p, i, ASK_WORD_EXTREME) && (it->arg == ASK_MOST || it->arg == -ASK_MOST);
	case 'Q':
		return it->n == 1 && higher_or_lower(p->q.tokens[it->first].folded) > 0;
	case 'b':
		return plan_is_extreme(p, i, ASK_COMMONEST);
	case 'U':
		return plan_names_any(p, i, ASK_KIND_SOURCE) || plan_names_any(p, i, ASK_KIND_EVENT);
	case 'y':
		return names_state(p, i);
	case 'I':
		return it->n == 1 && span_is_any(p->q.tokens[it->first].folded, as);
	case 'n':
		return it->n == 1 &&
		    span_is_str(p->q.tokens[it->first].folded, p->q.language == ASK_GERMAN ? "als" : "than");
	case 's':
		return (plan_is_word(p, i, ASK_WORD_EXTREME) || plan_is_word(p, i, ASK_WORD_LATEST)) &&
		    !plan_is_extreme(p, i, ASK_MOST) && got->extreme >= 0; /* no "bottom 2 lightest" */
	default:
		return is_word_of(p, i, letter);
	}
}

bool
spans_is_word(const struct plan *p, size_t i)
{
	static const char of_the_model[] = "fgqUvy";

	for (int letter = '!'; letter <= '~'; letter++)
		if (strchr(of_the_model, letter) == NULL && is_span(p, i, (char)letter, &(struct draft_spans){ 0 }))
			return true;
	return is_skipped(p, i);
}

/* The letters that only some items match, whatever the root is; a bit of the sets each. */
static const char letters_of_items[] = "KDPRBOdahl$TzZASY|k/^@tiX&fmQbUynsIVFMwojW~";

uint64_t
spans_needed(const char *pattern)
{
	uint64_t set = 0;

	for (; *pattern != '\0'; pattern++) {
		const char *at = pattern[1] == '?' ? NULL : strchr(letters_of_items, *pattern);

		set |= at == NULL ? 0 : (uint64_t)1 << (at - letters_of_items);
	}
	return set;
}

/* Whether the item may match the letter, with some root. */
static bool
may_match(const struct plan *p, size_t i, char letter)
{
	switch (letter) {
	case 'V':
		return plan_names_any(p, i, ASK_KIND_VALUE);
	case 'F':
		return plan_names_any(p, i, ASK_KIND_FLAG) || plan_names_any(p, i, ASK_KIND_SEGMENT);
	case 'M':
		return plan_names_any(p, i, ASK_KIND_MEASURE);
	case 'w':
		return plan_names_any(p, i, ASK_KIND_DATE);
	case 'o':
		return plan_names_any(p, i, ASK_KIND_EVENT);
	case 'j':
		return around_is_verb(p, i);
	case 'W':
		return says_with(p, i, false);
	case '~':
		return thresholds_is_said(p, i);
	case 'y':
		return p->q.items[i].kind == ASK_ITEM_NAME;
	default:
		return is_span(p, i, letter, &(struct draft_spans){ 0 });
	}
}

void
spans_find_letters(const struct plan *p)
{
	uint64_t behind = 0;

	for (size_t i = p->q.n; i-- > 0;) {
		p->names->skipped[i] = stands_between(p, i);
		for (size_t k = 0; letters_of_items[k] != '\0'; k++)
			behind |= (uint64_t)may_match(p, i, letters_of_items[k]) << k;
		p->names->letters[i] = behind;
	}
}

/* What a word that is_span() has accepted says. */
static void
capture_word(const struct plan *p, size_t i, char letter, struct draft_spans *got)
{
	const struct ask_item *it = &p->q.items[i];

	/* "between 5 and 10", behind another word that compares */
	if (letter == 'R' && got->comparator == PLAN_NO_ITEM)
		got->comparator = i;
	if (letters[letter & 127].item > 0)
		*(size_t *)(void *)((char *)got + letters[letter & 127].item) = i;
	switch (letter) {
	case 'N':
		(void)number_at(p, i, &got->number);
		got->amount = it->n == 1 && p->q.tokens[it->first].number ? it->text : SPAN("");
		break;
	case 'R':
		got->number = it->number;
		got->upto = it->upto;
		break;
	case 'f':
		got->folds[got->nfolds++] = (struct draft_fold){ i, ASK_NONE };
		break;
	case 'm':
	case 's':
	case 'T':
		got->extreme = it->arg;
		break;
	case 'l':
		got->operator= it->arg;
		break;
	case 'P':
		got->operator= it->arg;
		got->word = p->q.tokens[it->first].folded;
		break;
	case 'Q':
		got->operator= higher_or_lower(p->q.tokens[it->first].folded) == 1 ? ASK_OVER : ASK_UNDER;
		break;
	case 'd':
		got->direction = it->arg;
		break;
	case '$':
		got->unit = it->arg;
		break;
	case 'D':
		got->distinct = true;
		break;
	case 'X':
		got->negated = true;
		got->none = it->arg == ASK_NOT_HAVING;
		got->but = it->arg == ASK_NOT_EXCEPT;
		got->with |= it->arg == ASK_NOT_NEITHER || it->arg == ASK_NOT_NOR;
		got->and_next |= it->arg == ASK_NOT_NOR;
		break;
	default:
		break;
	}
}

/* A text that a column contains. */
static void
match_text(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct ask_item *it;
	struct draft_spans more;
	size_t n;

	i = i < p->q.n && is_letter(p, i) ? i : spans_skip(p, i);
	if (i == p->q.n)
		return;
	it = &p->q.items[i];
	if ((it->kind == ASK_ITEM_WORD || it->kind == ASK_ITEM_PERIOD) && !p->q.tokens[it->first].quoted &&
	    !is_letter(p, i))
		return;
	/* "the land that contains the highest peak" */
	if (!p->q.tokens[it->first].quoted && i > 0 && p->q.items[i - 1].n == 1 &&
	    (plan_names_any(p, i, ASK_KIND_COLUMN) || plan_names_any(p, i, ASK_KIND_SOURCE)))
		return;
	/* "contains the substring 'a'": the quoted part is the text */
	if (i + 1 < p->q.n && !p->q.tokens[it->first].quoted && p->q.tokens[p->q.items[i + 1].first].quoted)
		return;
	more = *got;
	n = text_items(p, i, &more.text);
	go_on(s, pattern, i, n, &more);
}

/* A yes or no of the rows, in front of a word for them or behind it. */
static void
match_flag(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more;

	if (!plan_names_any(s->p, i, ASK_KIND_FLAG) && !plan_names_any(s->p, i, ASK_KIND_SEGMENT))
		return;
	more = *got;
	if (take_adjective(s->p, i, 'F', &more))
		go_on(s, pattern, i, 1, &more);
}

/* A word of the tables, or a number. */
static void
match_word(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	bool article = *pattern == 'N' && i > 0 && s->p->q.language == ASK_GERMAN && got->word.len > 0 &&
	    says_with(s->p, i - 1, true);
	struct draft_spans more;

	if (!article && !is_span(s->p, i, *pattern, got))
		return;
	more = *got;
	/* "mehr als eine Behandlung" */
	if (article)
		more.number = 1;
	else
		capture_word(s->p, i, *pattern, &more);
	go_on(s, pattern, i, article ? 0 : 1, &more);
}

/* "names of customers" asks for a list without a verb. */
static bool
begins_list(const struct plan *p, size_t i)
{
	size_t first = i < p->q.n ? p->q.items[i].first : p->q.ntokens, len;
	const struct ask_word_row *row =
	    ask_word(p->q.language, &p->q.tokens[first], p->q.ntokens - first, ASK_WORD_LIST, &len);

	return row != NULL && row->arg == ASK_LIST_NAMES;
}

static void
match_lead(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more = *got;
	bool asked = false;

	/* "does each continent have? List …" */
	while (i > 0 && i + 1 < s->p->q.n && is_skipped(s->p, i) && says_with(s->p, i, false) &&
	    (spans_asks(s->p, i + 1) || is_skipped(s->p, i + 1)))
		i++;
	/* "Who has a friend" asks who has one, not for the friends. */
	for (; i < s->p->q.n && leads(s->p, i) && !says_with(s->p, i, false) && !asks_whole(s->p, i); i++) {
		asked |= spans_asks(s->p, i);
		more.singular |= plan_is_word(s->p, i, ASK_WORD_STOP) && s->p->q.items[i].arg == ASK_STOP_WHAT;
	}
	if ((asked || begins_list(s->p, i)) &&
	    (i == s->p->q.n || !is_skipped(s->p, i) || plan_is_left(s->p, i) || thresholds_is_said(s->p, i) ||
		spans_says_kind(s->p, i)))
		go_on(s, pattern, i, 0, &more);
}

static void
match_with(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more = *got;

	more.with = more.article = false;
	for (; i < s->p->q.n && is_skipped(s->p, i); i++) {
		more.with |= says_with(s->p, i, false);
		more.article |= says_with(s->p, i, true);
	}
	if (more.with)
		go_on(s, pattern, i, 0, &more);
}

/* A verb that the model declares for a join, among words without a meaning of their own. */
static void
match_join(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more = *got;
	bool any = false;

	for (; i < s->p->q.n && is_skipped(s->p, i); i++)
		if (around_is_verb(s->p, i)) {
			more.verb = i;
			any = true;
		}
	if (any)
		go_on(s, pattern, i, 0, &more);
}

/* "high-value", which is known to be a condition; else it is skipped. */
static void
match_threshold(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	struct draft_spans more = *got;

	while (i < s->p->q.n && plan_is_word(s->p, i, ASK_WORD_STOP))
		i++;
	more.value_item = i;
	if (i < s->p->q.n && thresholds_is_said(s->p, i))
		go_on(s, pattern, i, 1, &more);
}

void
spans_match(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct letter *letter = &letters[*pattern & 127];
	size_t at;

	if (s->steps++ > SEARCH_STEPS_MAX || (s->vain && s->led) || (s->p->leaves && s->found))
		return;
	if (*pattern == '\0') {
		s->row_ends(s, i, got);
		return;
	}
	at = letter->from == HERE ? i : spans_skip(s->p, i);
	if (letter->from == HERE || at < s->p->q.n)
		(letter->match != NULL ? letter->match : match_word)(s, pattern, at, got);
	if (pattern[1] == '?')
		spans_match(s, pattern + 2, i, got);
}
