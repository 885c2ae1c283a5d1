#include "ask/listing.h"
#include "ask/readings/around.h"
#include "ask/readings/columns.h"
#include "ask/readings/spans.h"

#define VERB_STEM_MIN	4u

static bool
is_skipped(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_STOP);
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

static const char *
behind(const char *pattern)
{
	return pattern + 1 + (pattern[1] == '?');
}

/* The next span begins behind the n items from i on. */
static void
go_on(struct reading_search *s, const char *pattern, size_t i, size_t n, const struct draft *d)
{
	spans_match(s, behind(pattern), i + n, d);
}

static void match_list(struct reading_search *s, const char *pattern, size_t i, const struct draft *d);

/* A column of the list was read; the list ends here, or goes on. */
static void
list_next(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	const struct plan *p = s->p;
	size_t next = spans_skip(p, i);

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
	return owner != p->root && columns_find(p, owner, i, &n) != ASK_NONE;
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
	for (uint32_t other = 0; other < p->m->nsources; other++) {
		size_t n;

		if (other != p->m->nodes[p->root].source && !p->m->sources[other].covered &&
		    columns_find(p, other, i, &n) != ASK_NONE && n == len)
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

	for (i = spans_skip(p, i); i < p->q.n && plan_is_word(p, i, ASK_WORD_DISTINCT); i = spans_skip(p, i + 1))
		own.s.distinct = true;
	if (i >= p->q.n)
		return;
	owner = owner_at(p, i);
	own.s.bare = 0;
	if (owner != ASK_NONE && (column = columns_find(p, owner, i + 1, &n)) != ASK_NONE &&
	    !p->q.tokens[p->q.items[i + 1].first].comma)
		list_add(s, pattern, i + 1 + n, &own, owner, column, owner == p->root);
	for (size_t len = 1; len <= 4; len++) {
		after = skip_to_owner(p, i + len);
		owner = owner_at(p, after);
		own.s.bare = 0;
		if (owner != ASK_NONE && (column = columns_find(p, owner, i, &n)) != ASK_NONE && n == len &&
		    !may_be_of_another(p, d, i, owner))
			list_add(s, pattern, after + 1, &own, owner, column, owner == p->root);
	}
	own.s.bare = d->s.bare + 1;
	if ((column = columns_find(p, p->root, i, &n)) != ASK_NONE && !may_be_of_another(p, d, i, ASK_NONE))
		list_add(s, pattern, i + n, &own, p->root, column, is_only_here(p, i, n));
}

/* A column of what the rows lead to, of the rows that the words are about, then of the root. */
static void
match_column(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	const struct {
		uint32_t node;
		size_t of;
	} about[] = { { d->near, d->last }, { draft_node(s->p, d, d->last), d->last }, { s->p->root, DRAFT_ROOT } };
	uint32_t before = ASK_NONE, column;
	size_t n;

	for (size_t k = 0; k < sizeof(about) / sizeof(about[0]); k++) {
		struct draft more = *d;

		if (about[k].node == ASK_NONE || about[k].node == before ||
		    (column = columns_find(s->p, about[k].node, i, &n)) == ASK_NONE)
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
		    (it->hits[k]->source == root || around_reaches(s->p, s->p->root, it->hits[k]->source));
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
			if (!around_leads_to(p, source, p->root, AROUND_HOPS_MAX))
				continue;
			more.s.related = source;
			more.s.apart = any_comma(p, s->first, i);
		} else if ((more.s.parent = draft_parent(p, d, source)) == ASK_NONE)
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
		if (n >= VERB_STEM_MIN && t->folded.len - n <= 3 && name.len - n <= 4 && around_is_named(p, source))
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
		    columns_find(s->p, s->p->root, i, &n) != ASK_NONE)
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

void
spans_match(struct reading_search *s, const char *pattern, size_t i, const struct draft *d)
{
	if (s->steps++ > SEARCH_STEPS_MAX)
		return;
	if (*pattern == '\0') {
		s->row_ends(s, i, d);
		return;
	}
	if (*pattern == 'L')
		match_lead(s, pattern, i, d);
	else if (*pattern == 'W')
		match_with(s, pattern, i, d);
	else if (*pattern == 'C')
		match_list(s, pattern, i, d);
	else if (spans_skip(s->p, i) < s->p->q.n) {
		size_t at = spans_skip(s->p, i);

		switch (*pattern) {
		case 'E':
			if (at == skip_to_owner(s->p, i) && around_names(s->p, at, s->p->m->nodes[s->p->root].source)) {
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
		spans_match(s, pattern + 2, i, d);
}
