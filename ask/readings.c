#include "ask/comparisons.h"
#include "ask/listing.h"
#include "ask/measures.h"
#include "ask/readings.h"
#include "ask/readings_columns.h"
#include "ask/readings_draft.h"

#define STEPS_MAX	20000u	/* of one search; a question that needs more is not read */
#define VERB_STEM_MIN	4u
#define HOPS_MAX	2u	/* from related rows to the row that they lead to */

enum place { HEAD, REST };

typedef bool reading_builder(struct plan *p, struct draft *d);

#define READING(name, place, pattern, builder, score) static reading_builder builder;
#include "ask/readings.def"
#undef READING

static const struct reading_row {
	const char *name;
	enum place place;
	const char *pattern;
	reading_builder *build;
	int score;
} readings[] = {
#define READING(name, place, pattern, builder, score) { #name, place, pattern, builder, score },
#include "ask/readings.def"
#undef READING
};

#define NREADINGS (sizeof(readings) / sizeof(readings[0]))

/* A search with one source as the root. */
struct reading_search {
	struct plan		*p;
	unsigned		 steps, row;
	size_t			 first;		/* item of the row at hand */
	bool			 found, several;
	struct draft		 best;
	struct span		 said;		/* what the best draft asks, as text */
};

static void lay(struct reading_search *s, const struct draft *d, enum place place);

/* ---- what a draft asks, to compare two */

static struct span
text_of(struct reading_search *s, const struct draft *d)
{
	struct ask_reading out = { .status = ASK_REFUSE };
	struct plan p = *s->p;
	struct buf text = { 0 };
	struct span said;
	const struct ask_query *q = &out.queries[0];

	p.out = &out;
	p.q.items = arena_array(p.a, p.q.n + 1, sizeof(*p.q.items));
	if (p.q.items == NULL) {
		s->steps = STEPS_MAX + 1; /* what was not compared might differ */
		return SPAN("");
	}
	memcpy(p.q.items, s->p->q.items, p.q.n * sizeof(*p.q.items));
	if (!draft_answer(&p, d))
		return SPAN("");
	for (size_t i = 0; i < q->nmeasures; i++)
		buf_printf(&text, "%.*s;", SPAN_FMT(q->measures[i].expr));
	for (size_t i = 0; i < q->ndimensions; i++)
		buf_printf(&text, "%.*s;", SPAN_FMT(q->dimensions[i].field));
	for (size_t i = 0; i < q->nfilters; i++)
		buf_printf(&text, "%.*s;", SPAN_FMT(q->filters[i].sql));
	buf_printf(&text, "%.*s %d %zu", SPAN_FMT(q->order_by), q->descending, q->limit);
	said = arena_span(p.a, buf_view(&text));
	buf_fini(&text);
	return said;
}

/* Whether each row of the answer is one row of the root: what names it is listed, or rows are counted. */
static bool
lists_rows(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	bool rows = d->number || d->rows;

	for (size_t i = 0; i < d->ncolumns; i++)
		rows |= d->columns[i].node == p->root &&
		    (d->columns[i].column == s->label || s->columns[d->columns[i].column].of_person ||
			(s->ngrain == 1 && span_is(s->columns[d->columns[i].column].names.name, s->grain[0])));
	return rows;
}

/*
 * Two conditions that one row cannot meet, "milk and cat", or that may mean two rows, "countries with singers over 40
 * and under 30".  AND and OR together may be read in two ways; so may a negated OR.
 */
static bool
contradicts(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < d->nconditions; i++)
		if (d->conditions[i].is.test == PLAN_AVERAGE && d->nconditions + d->nrelated > 1)
			return true;
	for (size_t i = 0; i < d->nconditions; i++)
		for (size_t k = i + 1; k < d->nconditions; k++) {
			const struct draft_condition *a = &d->conditions[i], *b = &d->conditions[k];
			bool same = a->is.at.node == b->is.at.node && a->is.at.column == b->is.at.column;

			if (a->of != b->of)
				continue;
			if (b->either != d->conditions[d->nconditions - 1].either ||
			    (b->either && (a->is.negated || b->is.negated)))
				return true;
			if (!b->either && same && !a->is.negated && !b->is.negated &&
			    ((a->is.test == PLAN_IS && b->is.test == PLAN_IS) || !lists_rows(p, d)))
				return true;
		}
	return false;
}

static void
complete(struct reading_search *s, const struct draft *d)
{
	struct span said;
	bool unclear = contradicts(s->p, d);

	if (d->and || d->or || d->pending || (s->found && d->score < s->best.score))
		return;
	said = text_of(s, d);
	if (said.len == 0)
		return;
	if (s->found && d->score == s->best.score) {
		s->several |= unclear || !span_is(said, s->said);
		return;
	}
	s->found = true;
	s->several = unclear;
	s->best = *d;
	s->said = said;
}

/* ---- spans */

static bool
is_skipped(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_STOP);
}

static size_t
skip(const struct plan *p, size_t i)
{
	while (i < p->q.n && is_skipped(p, i))
		i++;
	return i;
}

/* The words between a column and the rows that it is of. */
static size_t
skip_to_owner(const struct plan *p, size_t i)
{
	size_t len;

	while (i < p->q.n && is_skipped(p, i) &&
	    ask_word(p->q.language, &p->q.tokens[p->q.items[i].first], 1, ASK_WORD_BELONGS, &len) != NULL)
		i++;
	return i;
}

static bool
says_with(const struct plan *p, size_t i)
{
	const struct ask_item *it = &p->q.items[i];
	size_t len;

	for (size_t k = it->first; k < it->first + it->n; k++) {
		const struct ask_word_row *row = ask_word(p->q.language, &p->q.tokens[k], 1, ASK_WORD_WITH, &len);

		if (row != NULL && row->arg == 0)
			return true;
	}
	return false;
}

static bool
leads(const struct plan *p, size_t i)
{
	struct span first = p->q.tokens[p->q.items[i].first].folded;

	if (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].arg == ASK_STOP_WHAT &&
	    (span_is_str(first, "how") || (span_is_str(first, "wie") && p->q.items[i].n < 2)))
		return false;
	return plan_is_word(p, i, ASK_WORD_STOP) || plan_is_word(p, i, ASK_WORD_LIST) ||
	    plan_is_word(p, i, ASK_WORD_WHICH);
}

/* Whether the word asks for rows. */
static bool
asks(const struct plan *p, size_t i)
{
	return (plan_is_word(p, i, ASK_WORD_LIST) && p->q.items[i].arg != ASK_LIST_WHOLE) ||
	    plan_is_word(p, i, ASK_WORD_WHICH) || listing_asks_which(p, i) ||
	    (plan_is_word(p, i, ASK_WORD_STOP) &&
		(p->q.items[i].arg == ASK_STOP_ROWS || p->q.items[i].arg == ASK_STOP_WHAT));
}

static bool
names_source(const struct plan *p, size_t i, uint32_t source)
{
	return i < p->q.n && p->q.items[i].kind == ASK_ITEM_NAME && plan_names_of(p, i, ASK_KIND_SOURCE, source);
}

static bool
is_named(const struct plan *p, uint32_t source)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (names_source(p, i, source))
			return true;
	return false;
}

/*
 * Whether the model counts every row of the source, of all time: one that a measure leaves out, or that needs a window,
 * is not read here.
 */
static bool
counts_every_row(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];

	for (size_t i = 0; i < s->nmeasures; i++)
		if (measures_is_count(&s->measures[i]) &&
		    (s->measures[i].filter.len > 0 || s->measures[i].nsegments > 0))
			return false;
	return s->time == ASK_NONE;
}

/* The only way from the rows of a source to a row of the node. */
static bool
leads_to(const struct plan *p, uint32_t source, uint32_t node, unsigned most)
{
	const struct ask_routes *routes = readings_routes(p, source);

	return source != node && routes != NULL && routes->hops[node] <= most && !routes->several[node];
}

/* Whether rows of `from` lead to the source in any way. */
static bool
reaches(const struct plan *p, uint32_t from, uint32_t source)
{
	const struct ask_routes *routes = readings_routes(p, from);

	for (uint32_t node = 0; routes != NULL && node < p->m->nnodes; node++)
		if (node != from && p->m->nodes[node].source == source && routes->hops[node] != ASK_NONE)
			return true;
	return routes == NULL;
}

/* The node of the source to which rows of `from` lead; ASK_NONE: none, or several. */
static uint32_t
parent_of(const struct plan *p, uint32_t from, uint32_t source)
{
	const struct ask_routes *routes = readings_routes(p, from);
	uint32_t found = ASK_NONE;

	if (routes == NULL)
		return ASK_NONE;
	for (uint32_t node = 0; node < p->m->nnodes; node++) {
		if (node == from || p->m->nodes[node].source != source || routes->hops[node] == ASK_NONE)
			continue;
		if (found != ASK_NONE || routes->several[node])
			return ASK_NONE;
		found = node;
	}
	return found;
}

static uint32_t
node_of(const struct plan *p, const struct draft *d, size_t of)
{
	return of == DRAFT_ROOT ? p->root : d->related[of].node;
}

static void match_spans(struct reading_search *s, const char *pattern, size_t i, const struct draft *d);

static const char *
behind(const char *pattern)
{
	return pattern + 1 + (pattern[1] == '?');
}

/* The next span begins behind the n items from i on. */
static void
go_on(struct reading_search *s, const char *pattern, size_t i, size_t n, const struct draft *d)
{
	match_spans(s, behind(pattern), i + n, d);
}

static void match_list(struct reading_search *s, const char *pattern, size_t i, const struct draft *d);

/* A column of the list was read; the list ends here, or goes on. */
static void
list_next(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	const struct plan *p = s->p;
	size_t next = skip(p, i);

	go_on(s, pattern, i, 0, d);
	if (next < p->q.n && plan_is_word(p, next, ASK_WORD_AND))
		match_list(s, pattern, next + 1, d);
	else if (next < p->q.n && (p->q.tokens[p->q.items[next].first].comma || p->q.tokens[p->q.items[i].first].comma))
		match_list(s, pattern, next, d);
}

static void
list_add(struct reading_search *s, const char *pattern, size_t i, const struct draft *d, uint32_t node, uint32_t column,
    bool named)
{
	struct draft more = *d;

	if (more.s.nlist == DRAFT_COLUMNS_MAX)
		return;
	for (size_t k = 0; k < d->s.nlist; k++)
		if (d->s.list[k].node == node && d->s.list[k].column == column)
			return;
	more.s.list[more.s.nlist++] = (struct plan_column){ node, column };
	more.s.named |= named;
	list_next(s, pattern, i, &more);
}

/* "names and cities of teams": the columns before are of the teams, too; "team names and cities" may be. */
static bool
may_be_of_another(const struct plan *p, const struct draft *d, size_t i, uint32_t owner)
{
	size_t n;

	if (owner != ASK_NONE)
		return d->s.bare > 0 && owner != p->root;
	owner = d->s.nlist > 0 ? d->s.list[d->s.nlist - 1].node : p->root;
	return owner != p->root && readings_column(p, owner, i, &n) != ASK_NONE;
}

/* The node whose column is meant by a column and a word for rows: the root or a parent of it. */
static uint32_t
owner_at(const struct plan *p, size_t i)
{
	uint32_t found = ASK_NONE;

	for (size_t k = 0; i < p->q.n && p->q.items[i].kind == ASK_ITEM_NAME && k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];
		uint32_t node = e->kind != ASK_KIND_SOURCE   ? ASK_NONE :
		    e->source == p->m->nodes[p->root].source ? p->root :
							       parent_of(p, p->root, e->source);

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
	for (uint32_t other = 0; other < p->m->nsources; other++) {
		size_t n;

		if (other != p->m->nodes[p->root].source && !p->m->sources[other].covered &&
		    readings_column(p, other, i, &n) != ASK_NONE && n == len)
			return false;
	}
	return true;
}

/* "names of climbers", "climber names", "names": one column of a list, and the rows that it is of. */
static void
match_list(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	struct plan *p = s->p;
	uint32_t owner, column;
	struct draft own = *d;
	size_t n, after;

	for (i = skip(p, i); i < p->q.n && plan_is_word(p, i, ASK_WORD_DISTINCT); i = skip(p, i + 1))
		own.s.distinct = true;
	if (i >= p->q.n)
		return;
	owner = owner_at(p, i);
	own.s.bare = 0;
	if (owner != ASK_NONE && (column = readings_column(p, owner, i + 1, &n)) != ASK_NONE &&
	    !p->q.tokens[p->q.items[i + 1].first].comma)
		list_add(s, pattern, i + 1 + n, &own, owner, column, owner == p->root);
	for (size_t len = 1; len <= 4; len++) {
		after = skip_to_owner(p, i + len);
		owner = owner_at(p, after);
		own.s.bare = 0;
		if (owner != ASK_NONE && (column = readings_column(p, owner, i, &n)) != ASK_NONE && n == len &&
		    !may_be_of_another(p, d, i, owner))
			list_add(s, pattern, after + 1, &own, owner, column, owner == p->root);
	}
	own.s.bare = d->s.bare + 1;
	if ((column = readings_column(p, p->root, i, &n)) != ASK_NONE && !may_be_of_another(p, d, i, ASK_NONE))
		list_add(s, pattern, i + n, &own, p->root, column, is_only_here(p, i, n));
}

/* A column of what the rows lead to, of the rows that the words are about, then of the root. */
static void
match_column(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	const struct {
		uint32_t node;
		size_t of;
	} about[] = { { d->near, d->last }, { node_of(s->p, d, d->last), d->last }, { s->p->root, DRAFT_ROOT } };
	uint32_t before = ASK_NONE, column;
	size_t n;

	for (size_t k = 0; k < sizeof(about) / sizeof(about[0]); k++) {
		struct draft more = *d;

		if (about[k].node == ASK_NONE || about[k].node == before ||
		    (column = readings_column(s->p, about[k].node, i, &n)) == ASK_NONE)
			continue;
		if (d->s.said && (d->s.column.node != about[k].node || d->s.column.column != column))
			continue;
		more.s.column = (struct plan_column){ about[k].node, column };
		more.s.said = true;
		more.at = about[k].of;
		go_on(s, pattern, i, n, &more);
		if (!d->s.named) /* no AND before it: about what was named last */
			return;
		before = about[k].node;
	}
}

/* Each column that has the value. */
static void
match_value(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	const struct ask_item *it = &s->p->q.items[i];
	uint32_t root = s->p->m->nodes[s->p->root].source;
	bool of_root = false;

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++)
		of_root |= it->hits[k]->kind == ASK_KIND_VALUE &&
		    (it->hits[k]->source == root || reaches(s->p, s->p->root, it->hits[k]->source));
	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++) {
		struct draft more = *d;

		if (it->hits[k]->kind != ASK_KIND_VALUE)
			continue;
		more.s.of_root = of_root;
		more.s.value = (struct plan_column){ it->hits[k]->source, it->hits[k]->index };
		more.s.text = it->hits[k]->value;
		more.s.noun = plan_names_any(s->p, i, ASK_KIND_SOURCE) || plan_names_any(s->p, i, ASK_KIND_COLUMN);
		go_on(s, pattern, i, 1, &more);
	}
}

/*
 * The node of the source to which the rows that the words are about lead; not the row that they belong to, nor beyond
 * it.
 */
static uint32_t
parent_of_last(const struct plan *p, const struct draft *d, uint32_t source)
{
	uint32_t from = node_of(p, d, d->last), parent = parent_of(p, from, source), row;
	const struct ask_routes *near, *far;

	if (d->last == DRAFT_ROOT || parent == ASK_NONE)
		return parent;
	row = node_of(p, d, d->related[d->last].of);
	if ((near = readings_routes(p, from)) == NULL || (far = readings_routes(p, row)) == NULL)
		return ASK_NONE;
	if (far->hops[parent] != ASK_NONE && near->hops[parent] == near->hops[row] + far->hops[parent])
		return ASK_NONE;
	return parent;
}

static bool
any_comma(const struct plan *p, size_t first, size_t last)
{
	for (size_t i = first; i <= last; i++)
		if (p->q.tokens[p->q.items[i].first].comma)
			return true;
	return false;
}

/* Rows that lead to the root, or to which it leads. */
static void
match_source(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	const struct plan *p = s->p;
	const struct ask_item *it = &p->q.items[i];

	for (size_t k = 0; it->kind == ASK_ITEM_NAME && k < it->nhits; k++) {
		uint32_t source = it->hits[k]->source;
		struct draft more = *d;

		if (it->hits[k]->kind != ASK_KIND_SOURCE || p->m->sources[source].covered)
			continue;
		if (*pattern == 'r') {
			if (!leads_to(p, source, p->root, HOPS_MAX))
				continue;
			more.s.related = source;
			more.s.apart = any_comma(p, s->first, i);
		} else if ((more.s.parent = parent_of_last(p, d, source)) == ASK_NONE)
			continue;
		go_on(s, pattern, i, 1, &more);
	}
}

static bool
is_word_of(const struct plan *p, size_t i, char letter)
{
	static const struct {
		char letter;
		enum ask_word_kind kind;
	} words[] = { { 'K', ASK_WORD_COUNT }, { 'D', ASK_WORD_DISTINCT }, { 'P', ASK_WORD_COMPARATOR },
		{ 'R', ASK_WORD_RANGE }, { 'B', ASK_WORD_BY }, { 'O', ASK_WORD_ORDER }, { 'd', ASK_WORD_DIRECTION },
		{ 'a', ASK_WORD_ALPHABETICAL }, { 'Y', ASK_WORD_AGED }, { '|', ASK_WORD_OR } };

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if (words[k].letter == letter)
			return plan_is_word(p, i, words[k].kind);
	return false;
}

/* "climbed", of climbers that the question names: the verb of their name. */
static bool
is_verb(const struct plan *p, size_t i)
{
	const struct ask_token *t = &p->q.tokens[p->q.items[i].first];

	bool word = p->q.items[i].kind == ASK_ITEM_UNKNOWN || p->q.items[i].kind == ASK_ITEM_NAME;

	for (size_t k = 0; k < p->q.items[i].nhits; k++)
		word &= p->q.items[i].hits[k]->kind == ASK_KIND_EVENT;
	if (!word || p->q.items[i].n != 1 || t->capital)
		return false;
	for (uint32_t source = 0; source < p->m->nsources; source++) {
		struct span name = p->m->sources[source].names.name;
		size_t n = 0;

		while (n < name.len && n < t->folded.len && ascii_lower(name.p[n]) == t->folded.p[n])
			n++;
		if (n >= VERB_STEM_MIN && t->folded.len - n <= 3 && name.len - n <= 4 && is_named(p, source))
			return true;
	}
	return false;
}

static bool
is_but(const struct plan *p, size_t i)
{
	struct span word = p->q.tokens[p->q.items[i].first].folded;

	return span_is_str(word, "but") || span_is_str(word, "aber");
}

/* Whether the word takes something away from what was said before it, as "not" alone does not. */
static bool
is_exception(const struct plan *p, size_t i)
{
	struct span word = p->q.tokens[p->q.items[i].first].folded;

	return is_but(p, i) || span_begins(word, "exc") || span_is_str(word, "ausgenommen");
}

/* A word of the tables, or a number. */
static void
match_word(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	const struct ask_item *it = &s->p->q.items[i];
	struct draft more = *d;
	size_t n;

	switch (*pattern) {
	case 'N':
		if (it->kind != ASK_ITEM_NUMBER)
			return;
		more.s.number = it->number;
		break;
	case 'X':
		if (!plan_is_word(s->p, i, ASK_WORD_NOT) || it->arg == ASK_NOT_BUT)
			return;
		break;
	case '&':
		if (!plan_is_word(s->p, i, ASK_WORD_AND) &&
		    !(plan_is_word(s->p, i, ASK_WORD_NOT) && it->arg == ASK_NOT_BUT && is_but(s->p, i)))
			return;
		break;
	case 'v':
		if (!is_verb(s->p, i))
			return;
		break;
	case 'g':
		/* A column may be called so as well. */
		if (!plan_is_word(s->p, i, ASK_WORD_AGGREGATE) || it->arg != ASK_FOLD_AVG ||
		    readings_column(s->p, s->p->root, i, &n) != ASK_NONE)
			return;
		break;
	case 'm':
		if (!plan_is_word(s->p, i, ASK_WORD_EXTREME) || it->arg != ASK_MOST)
			return;
		break;
	case 's':
		if (!plan_is_word(s->p, i, ASK_WORD_EXTREME) || plan_is_extreme(s->p, i, ASK_MOST))
			return;
		more.s.extreme = it->arg;
		break;
	default:
		if (!is_word_of(s->p, i, *pattern))
			return;
		break;
	}
	if (*pattern == 'P') {
		more.s.operator= it->arg;
		more.s.word = s->p->q.tokens[it->first].folded;
	} else if (*pattern == 'R') {
		more.s.number = it->number;
		more.s.upto = it->upto;
	} else if (*pattern == 'd')
		more.s.direction = it->arg;
	else if (*pattern == 'D')
		more.s.distinct = true;
	else if (*pattern == 'X') {
		more.s.none = it->arg == ASK_NOT_HAVING;
		more.s.but = is_exception(s->p, i);
	} else if (*pattern == 'Y')
		more.s.word = SPAN("aged");
	go_on(s, pattern, i, 1, &more);
}

static void
match_lead(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	bool asked = false;

	/* "Who has a friend" asks who has one, not for the friends. */
	for (; i < s->p->q.n && leads(s->p, i) && !says_with(s->p, i); i++)
		asked |= asks(s->p, i);
	if (asked && !(i < s->p->q.n && is_skipped(s->p, i)))
		go_on(s, pattern, i, 0, d);
}

static void
match_with(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	struct draft more = *d;

	more.s.with = false;
	for (; i < s->p->q.n && is_skipped(s->p, i); i++)
		more.s.with |= says_with(s->p, i);
	if (more.s.with)
		go_on(s, pattern, i, 0, &more);
}

/* The row's pattern has matched up to item i. */
static void
row_ends(struct reading_search *s, size_t i, const struct draft *d)
{
	struct draft more = *d;
	unsigned row = s->row;
	size_t first = s->first;

	if (more.nsteps == DRAFT_STEPS_MAX || i == first || !readings[row].build(s->p, &more))
		return;
	more.steps[more.nsteps++] = (struct draft_step){ readings[row].name, first, i };
	more.score += readings[row].score;
	lay(s, &more, REST);
	s->row = row;
	s->first = first;
}

/* Match the rest of the row's pattern from item i on, in every way. */
static void
match_spans(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	if (s->steps++ > STEPS_MAX)
		return;
	if (*pattern == '\0') {
		row_ends(s, i, d);
		return;
	}
	if (*pattern == 'L')
		match_lead(s, pattern, i, d);
	else if (*pattern == 'W')
		match_with(s, pattern, i, d);
	else if (*pattern == 'C')
		match_list(s, pattern, i, d);
	else if (skip(s->p, i) < s->p->q.n) {
		size_t at = skip(s->p, i);

		switch (*pattern) {
		case 'E':
			if (at == skip_to_owner(s->p, i) && names_source(s->p, at, s->p->m->nodes[s->p->root].source)) {
				struct draft more = *d;

				more.s.named = true;
				more.s.item = at;
				go_on(s, pattern, at, 1, &more);
			}
			break;
		case 'c':
			match_column(s, pattern, at, d);
			break;
		case 'V':
			match_value(s, pattern, at, d);
			break;
		case 'r':
		case 'u':
			match_source(s, pattern, at, d);
			break;
		default:
			match_word(s, pattern, at, d);
			break;
		}
	}
	if (pattern[1] == '?')
		match_spans(s, pattern + 2, i, d);
}

static void
lay(struct reading_search *s, const struct draft *d, enum place place)
{
	size_t from = d->nsteps == 0 ? 0 : d->steps[d->nsteps - 1].end;

	if (place == REST && skip(s->p, from) == s->p->q.n) {
		complete(s, d);
		return;
	}
	for (unsigned row = 0; row < NREADINGS; row++) {
		struct draft begin = *d;

		if (readings[row].place != place)
			continue;
		begin.s = (struct draft_spans){ .named = place == REST && d->and };
		begin.at = DRAFT_ROOT;
		s->row = row;
		s->first = from;
		match_spans(s, readings[row].pattern, from, &begin);
	}
}

/* ---- builders */

static bool
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
	uint32_t column = readings_column(p, p->root, item, &n);

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

static bool
build_rows(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	for (uint32_t c = 0; c < s->ncolumns && d->ncolumns < DRAFT_COLUMNS_MAX; c++)
		if ((c == s->label || s->columns[c].of_person) && !s->columns[c].masked && !s->columns[c].internal)
			d->columns[d->ncolumns++] = (struct plan_column){ p->root, c };
	d->rows = !d->s.distinct;
	return d->ncolumns > 0 && !is_own_column(p, d->s.item, s->label) && !is_a_number(p, d->s.item);
}

static bool
build_number(struct plan *p, struct draft *d)
{
	d->number = true;
	return counts_every_row(p, p->m->nodes[p->root].source) && !d->s.distinct &&
	    !is_own_column(p, d->s.item, ASK_NONE) && !is_a_number(p, d->s.item);
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
	if (d->near != ASK_NONE && reaches(p, d->s.related, p->m->nodes[d->near].source))
		return false;
	for (size_t i = 0; i < d->nrelated; i++)
		any |= reaches(p, d->s.related, p->m->nodes[d->related[i].node].source);
	if (d->last == DRAFT_ROOT || !any)
		return true;
	last = &d->related[d->last];
	if (d->and)
		return d->nrelated == 1 && !last->negated && last->operator== NULL && !any_condition(d, d->last);
	*of = d->last;
	return !d->s.apart && leads_to(p, d->s.related, last->node, HOPS_MAX);
}

static bool
add_related(const struct plan *p, struct draft *d, bool negated, const char *operator)
{
	size_t of;

	/* "with the most orders and …": whether the rest limits the rows before or behind, the question does not say */
	if (d->nrelated == DRAFT_RELATED_MAX || d->or || d->first || d->pending ||
	    !counts_every_row(p, p->m->nodes[d->s.related].source) || !find_owner(p, d, &of))
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

static bool
build_has_no(struct plan *p, struct draft *d)
{
	return (d->s.none || d->s.with) && add_related(p, d, true, NULL);
}

static bool
build_has(struct plan *p, struct draft *d)
{
	return add_related(p, d, false, NULL);
}

static bool
build_related(struct plan *p, struct draft *d)
{
	return add_related(p, d, false, NULL);
}

static bool
build_not_related(struct plan *p, struct draft *d)
{
	return add_related(p, d, true, NULL);
}

/* "the mountains that they climb": how columns of two sources go together, which only one way does. */
static bool
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

static bool
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

static bool
build_compared(struct plan *p, struct draft *d)
{
	return add_number(p, d, d->s.column, false);
}

/* Over all rows: where others are left out, over which ones the average is taken, the question does not say. */
static bool
build_average(struct plan *p, struct draft *d)
{
	struct plan_condition *c;

	if (d->at != DRAFT_ROOT || d->s.column.node != p->root || d->nconditions + d->nrelated > 0 || p->m->governed ||
	    !counts_every_row(p, p->m->nodes[p->root].source) ||
	    plan_source(p, p->root)->columns[d->s.column.column].type != ASK_TYPE_NUMBER ||
	    (c = add_condition(d, d->s.column, PLAN_AVERAGE)) == NULL)
		return false;
	c->operator= operator_of(d->s.operator);
	return true;
}

static bool
build_range(struct plan *p, struct draft *d)
{
	return add_number(p, d, d->s.column, true);
}

static bool
build_column_number(struct plan *p, struct draft *d)
{
	d->s.operator= ASK_EXACTLY;
	return add_number(p, d, d->s.column, false);
}

/* "older than 20": the only number of the rows that the word compares. */
static bool
build_degree(struct plan *p, struct draft *d)
{
	uint32_t node = d->pending ? d->near : node_of(p, d, d->last), found = ASK_NONE;

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
	uint32_t node = node_of(p, d, d->last), parent;
	const struct ask_source *s = &p->m->sources[d->s.value.node];

	/* "orders with status open and from Berlin": the orders, or the customers? */
	if (d->s.noun || (d->s.of_root && d->last != DRAFT_ROOT && (d->and || d->or)))
		return false;
	d->at = d->last;
	if (d->near != ASK_NONE && p->m->nodes[d->near].source == d->s.value.node)
		return add_value(p, d, (struct plan_column){ d->near, d->s.value.column }, negated);
	if (p->m->nodes[node].source == d->s.value.node)
		return add_value(p, d, (struct plan_column){ node, d->s.value.column }, negated);
	if (s->label != d->s.value.column || (parent = parent_of_last(p, d, d->s.value.node)) == ASK_NONE)
		return false;
	return add_value(p, d, (struct plan_column){ parent, d->s.value.column }, negated);
}

static bool
build_value(struct plan *p, struct draft *d)
{
	return build_value_of(p, d, false);
}

static bool
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

static bool
build_column_value(struct plan *p, struct draft *d)
{
	return column_has_value(p, d, false);
}

static bool
build_not_column(struct plan *p, struct draft *d)
{
	return !d->s.none && column_has_value(p, d, true);
}

/* "by the customer": what is said next is about what the rows lead to. */
static bool
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

static bool
build_and(struct plan *p, struct draft *d)
{
	(void)p;
	return !d->and &&!d->or &&(d->and = true);
}

static bool
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

static bool
build_ordered(struct plan *p, struct draft *d)
{
	return d->s.column.node == p->root && order_by(d, d->s.column, d->s.direction < 0);
}

static bool
build_alphabetical(struct plan *p, struct draft *d)
{
	for (size_t i = 0; i < d->ncolumns; i++)
		if (plan_source(p, d->columns[i].node)->columns[d->columns[i].column].type == ASK_TYPE_TEXT)
			return order_by(d, d->columns[i], d->s.direction < 0);
	return false;
}

/* A row without the number has no rank. */
static bool
build_superlative(struct plan *p, struct draft *d)
{
	size_t of = d->at;

	if (of != DRAFT_ROOT || d->s.column.node != p->root || d->and ||
	    !counts_every_row(p, p->m->nodes[p->root].source) ||
	    plan_source(p, p->root)->columns[d->s.column.column].type != ASK_TYPE_NUMBER ||
	    add_condition(d, d->s.column, PLAN_PRESENT) == NULL)
		return false;
	d->first = true;
	return order_by(d, d->s.column, d->s.extreme > 0);
}

/* "the most orders".  What has the fewest may have none, which the question does not say. */
static bool
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

/* ---- the roots */

bool
readings_read(struct plan *p)
{
	struct reading_search best = { .p = p };
	uint32_t root = ASK_NONE;

	if ((p->names = readings_names_new(p)) == NULL)
		return false;

	for (uint32_t source = 0; source < p->m->nsources; source++) {
		struct reading_search s = { .p = p };
		struct draft d = { .last = DRAFT_ROOT, .near = ASK_NONE };

		if (p->m->sources[source].covered || !is_named(p, source))
			continue;
		p->root = source;
		if (ask_routes_from(p->m, source, p->a, &p->routes) != 0)
			return false;
		lay(&s, &d, HEAD);
		if (s.steps > STEPS_MAX)
			return false;
		if (!s.found || (best.found && s.best.score < best.best.score))
			continue;
		if (best.found && s.best.score == best.best.score) {
			best.several |= !span_is(s.said, best.said);
			continue;
		}
		best = s;
		root = source;
	}
	if (!best.found || best.several)
		return false;
	p->root = root;
	return ask_routes_from(p->m, root, p->a, &p->routes) == 0 && draft_answer(p, &best.best);
}
