#include "ask/having.h"
#include "ask/listing.h"

/* The only source that the item names, if a column names its rows; ASK_NONE: none. */
static uint32_t
source_of(const struct plan *p, size_t i)
{
	uint32_t found = ASK_NONE;

	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind != ASK_KIND_SOURCE || e->source == found)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = e->source;
	}
	return found;
}

static uint32_t
column_of(const struct plan *p, size_t i, uint32_t source)
{
	uint32_t found = ASK_NONE;

	for (size_t k = 0; k < p->q.items[i].nhits; k++) {
		const struct ask_entry *e = p->q.items[i].hits[k];

		if (e->kind != ASK_KIND_COLUMN || e->source != source || e->index == found)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = e->index;
	}
	return found;
}

bool
listing_asks_which(const struct plan *p, size_t i)
{
	size_t len;

	return plan_is_word(p, i, ASK_WORD_WHICH) ||
	    (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].n == 1 &&
		ask_word(p->q.language, &p->q.tokens[p->q.items[i].first], 1, ASK_WORD_WHICH, &len) != NULL);
}

/* Whether the word asks for a list: "which", "show me". */
static bool
asks_for_list(const struct plan *p, size_t i)
{
	return plan_is_word(p, i, ASK_WORD_LIST) || plan_is_word(p, i, ASK_WORD_DISTINCT) || listing_asks_which(p, i) ||
	    (plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].arg == ASK_STOP_ROWS);
}

/* Whether the question also asks for a figure, a group or a ranking. */
static bool
asks_for_more(const struct plan *p)
{
	static const enum ask_word_kind others[] = { ASK_WORD_BY, ASK_WORD_COUNT, ASK_WORD_AGGREGATE, ASK_WORD_EXTREME,
		ASK_WORD_TOP, ASK_WORD_LATEST, ASK_WORD_SHARE, ASK_WORD_VERSUS, ASK_WORD_COMPARE, ASK_WORD_CHANGE,
		ASK_WORD_WHEN, ASK_WORD_TIMES };

	for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
		if (plan_find(p, others[k]) != PLAN_NO_ITEM)
			return true;
	return false;
}

/* Whether item i continues the list after the item `last`; *and: the word between them. */
static bool
goes_on(const struct plan *p, size_t last, size_t i, size_t *and)
{
	*and = PLAN_NO_ITEM;
	if (i == PLAN_NO_ITEM)
		return false;
	if (plan_is_word(p, i, ASK_WORD_AND))
		*and = i;
	else if (i != last + 1 || !p->q.tokens[p->q.items[i].first].comma)
		return false;
	return true;
}

struct item_listing {
	size_t n, items[PLAN_DIMENSIONS_MAX], ands[PLAN_DIMENSIONS_MAX];
	size_t owner; /* PLAN_NO_ITEM: none */
};

static bool
is_listable(const struct plan *p, size_t i)
{
	return i < p->q.n && plan_is_free(p, i) && p->q.items[i].kind == ASK_ITEM_NAME &&
	    !plan_has(p, i, ASK_KIND_MEASURE) && !plan_has(p, i, ASK_KIND_VALUE) &&
	    (plan_has(p, i, ASK_KIND_COLUMN) || plan_has(p, i, ASK_KIND_SOURCE));
}

/* "customer names": whether the item is a source and the next item one of its columns. */
static bool
is_owner(const struct plan *p, size_t i)
{
	uint32_t source = source_of(p, i);

	return source != ASK_NONE && is_listable(p, i + 1) && !plan_names_value(p, i + 1, plan_after(p, i + 1)) &&
	    !p->q.tokens[p->q.items[i + 1].first].comma && column_of(p, i + 1, source) != ASK_NONE;
}

/* "names, ages and countries": the listed items from i on; false: none, or too many. */
static bool
read_items(const struct plan *p, size_t i, struct item_listing *l)
{
	size_t and = PLAN_NO_ITEM, some = i;

	*l = (struct item_listing){ .owner = PLAN_NO_ITEM };
	while (i < p->q.n && having_is_condition(p, i))
		i++;
	if (i < p->q.n && is_owner(p, i))
		l->owner = i++;
	else if (i < p->q.n && i > some && !plan_has(p, i, ASK_KIND_SOURCE))
		return false;
	for (;;) {
		size_t next;

		if (!is_listable(p, i) || l->n == PLAN_DIMENSIONS_MAX)
			return false;
		l->items[l->n] = i;
		l->ands[l->n++] = and;
		if (!plan_has(p, i, ASK_KIND_COLUMN))
			return l->n == 1;
		next = plan_after(p, i);
		if (!goes_on(p, i, next, &and))
			return true;
		i = and == PLAN_NO_ITEM ? next : plan_after(p, and);
		if (i == PLAN_NO_ITEM)
			return false;
	}
}

bool
listing_names_a_row(const struct plan *p, const struct ask_entry *e)
{
	return e->index == p->m->sources[e->source].label || p->m->sources[e->source].columns[e->index].of_person;
}

/*
 * The number of sources that have all the columns, with `named` only those that the question names; the last one in
 * *found.
 */
static size_t
count_sources(const struct plan *p, const struct item_listing *l, bool named, uint32_t *found)
{
	size_t n = 0;

	for (uint32_t s = 0; s < p->m->nsources; s++) {
		bool all = !p->m->sources[s].covered, said = !named;

		for (size_t i = 0; i < l->n && all; i++)
			all = column_of(p, l->items[i], s) != ASK_NONE;
		for (size_t i = 0; i < p->q.n && all && !said; i++)
			said = p->q.items[i].kind == ASK_ITEM_NAME && source_of(p, i) == s;
		if (all && said) {
			*found = s;
			n++;
		}
	}
	return n;
}

/* The only source of which the question names a row, "the population of Brazil"; ASK_NONE: none, or several. */
static uint32_t
source_of_row(const struct plan *p, const struct item_listing *l)
{
	uint32_t found = ASK_NONE;

	for (size_t i = l->items[l->n - 1] + 1; i < p->q.n; i++)
		for (size_t k = 0; plan_has(p, i, ASK_KIND_VALUE) && k < p->q.items[i].nhits; k++) {
			const struct ask_entry *e = p->q.items[i].hits[k];

			if (e->kind != ASK_KIND_VALUE || !listing_names_a_row(p, e) ||
			    p->m->sources[e->source].covered || e->source == found)
				continue;
			if (found != ASK_NONE)
				return ASK_NONE;
			found = e->source;
		}
	for (size_t i = 0; i < l->n && found != ASK_NONE; i++)
		if (column_of(p, l->items[i], found) == ASK_NONE)
			return ASK_NONE;
	return found;
}

/* The source of all the columns: the one that the question names, the one whose row it names, else the only one. */
static uint32_t
common_source(const struct plan *p, const struct item_listing *l)
{
	uint32_t found = ASK_NONE;
	size_t n = count_sources(p, l, true, &found);

	if (n == 0 && (found = source_of_row(p, l)) != ASK_NONE)
		return found;
	if (n == 0)
		n = count_sources(p, l, false, &found);
	return n == 1 ? found : ASK_NONE;
}

/* A text or a number that may be shown; raw dates are not listed. */
static bool
may_be_shown(const struct ask_source *s, uint32_t column)
{
	enum ask_type type = s->columns[column].type;

	return !s->columns[column].masked && !s->columns[column].internal &&
	    (type == ASK_TYPE_TEXT || type == ASK_TYPE_NUMBER);
}

/* "the country of Ostrava Mills": whether a value from item `from` on names a row of the source. */
static bool
names_row(const struct plan *p, size_t from)
{
	for (size_t i = from; i < p->q.n; i++)
		for (size_t k = 0; plan_has(p, i, ASK_KIND_VALUE) && k < p->q.items[i].nhits; k++) {
			const struct ask_entry *e = p->q.items[i].hits[k];

			if (e->kind == ASK_KIND_VALUE && e->source == p->root && listing_names_a_row(p, e))
				return true;
		}
	return false;
}

/* "Who reports to Andrew" asks for people, which the column is not: a number, or the key of another row. */
static bool
asks_for_people(const struct plan *p, uint32_t column)
{
	const struct ask_source *s = plan_source(p, p->root);
	bool other = s->columns[column].type == ASK_TYPE_NUMBER;

	for (size_t k = 0; k < p->m->nodes[p->root].nedges; k++)
		other |= span_is(p->m->nodes[p->root].edges[k].here, s->columns[column].names.name);
	return other && (span_is_str(p->q.tokens[0].folded, "who") || span_is_str(p->q.tokens[0].folded, "wer"));
}

/* False: the question is not a list. */
static bool
choose_columns(struct plan *p, const struct item_listing *l)
{
	uint32_t source = l->owner != PLAN_NO_ITEM ? source_of(p, l->owner) : common_source(p, l);
	uint32_t named = l->owner != PLAN_NO_ITEM ? ASK_NONE : source_of(p, l->items[0]);
	const struct ask_source *s;
	bool text = false;

	/* A source is listed by the column that names its rows, unless a column has that name itself. */
	if (l->n == 1 && named != ASK_NONE && (source == ASK_NONE || p->m->sources[named].label != ASK_NONE)) {
		p->listing.columns[0] = p->m->sources[named].label;
		source = named;
	} else if (source != ASK_NONE)
		for (size_t i = 0; i < l->n; i++)
			if ((p->listing.columns[i] = column_of(p, l->items[i], source)) == ASK_NONE)
				return false;
	if (source == ASK_NONE || p->m->sources[source].covered || p->listing.columns[0] == ASK_NONE)
		return false;
	s = &p->m->sources[source];
	p->root = source;
	for (size_t i = 0; i < l->n; i++) {
		if (!may_be_shown(s, p->listing.columns[i]) || asks_for_people(p, p->listing.columns[i]))
			return false;
		text |= s->columns[p->listing.columns[i]].type == ASK_TYPE_TEXT;
		p->listing.rows |= p->listing.columns[i] == s->label;
	}
	p->listing.n = l->n;
	/* "how high" asks for a number */
	if (text && (span_is_str(p->q.tokens[0].folded, "how") || span_is_str(p->q.tokens[0].folded, "wie")))
		return false;
	return text || names_row(p, l->items[l->n - 1] + 1);
}

/* "a singer above 40 and a singer below 30": two rows, which a condition on one row cannot express. */
static bool
names_twice(const struct plan *p, size_t from)
{
	size_t n = 0;

	for (size_t i = from; i < p->q.n; i++)
		n += p->q.items[i].kind == ASK_ITEM_NAME && source_of(p, i) == p->root;
	return n > 1;
}

bool
listing_read(struct plan *p)
{
	size_t i = 0, len;
	bool asks = false, has = false;
	uint32_t root = p->root;
	struct item_listing l;

	/* "Who has a friend": asks who has one, not for the friends. */
	for (; i < p->q.n && having_may_lead(p, i); i++) {
		const struct ask_word_row *with =
		    ask_word(p->q.language, &p->q.tokens[p->q.items[i].first], 1, ASK_WORD_WITH, &len);

		asks |= asks_for_list(p, i);
		has |= with != NULL && with->arg == 0;
	}
	if (i == p->q.n || has || asks_for_more(p) || !read_items(p, i, &l) || !choose_columns(p, &l) ||
	    names_twice(p, i) || !(asks || (!plan_has(p, l.items[0], ASK_KIND_SOURCE) && names_row(p, i)))) {
		p->listing = (struct plan_listing){ .n = 0 };
		p->root = root;
		return false;
	}
	if (l.owner != PLAN_NO_ITEM)
		plan_take(p, l.owner, "source of the column");
	for (size_t k = 0; k < i; k++)
		if (!plan_is_word(p, k, ASK_WORD_STOP))
			plan_take(p, k, "asks for a list");
	for (size_t k = 0; k < l.n; k++) {
		plan_take(p, l.items[k], "lists %.*s",
		    SPAN_FMT(plan_source(p, p->root)->columns[p->listing.columns[k]].names.name));
		if (l.ands[k] != PLAN_NO_ITEM)
			plan_take(p, l.ands[k], "several columns");
	}
	p->counted = true;
	p->always = true;
	return true;
}

void
listing_groups(struct plan *p)
{
	for (size_t i = 0; i < p->listing.n; i++) {
		p->dimensions[i].at = (struct plan_column){ p->root, p->listing.columns[i] };
		p->dimensions[i].grain = -1;
	}
	p->ndimensions = p->listing.n;
}

/* "the names called Ada": the question already contains the value that would be listed. */
static bool
lists_what_is_said(const struct plan *p)
{
	for (size_t i = 0; i < p->nconditions; i++)
		for (size_t k = 0; k < p->listing.n; k++)
			if (p->conditions[i].test == PLAN_IS && !p->conditions[i].negated &&
			    p->conditions[i].at.node == p->root && p->conditions[i].at.column == p->listing.columns[k])
				return true;
	return false;
}

/*
 * "countries that have no gold customers": a condition on all rows of a country, which a filter on rows cannot
 * express.
 */
static bool
denies_rows(const struct plan *p)
{
	bool denied = false;

	for (size_t i = 0; i < p->q.n; i++)
		denied |= plan_is_word(p, i, ASK_WORD_NOT);
	for (size_t i = 0; i < p->nconditions && denied && !p->listing.rows; i++)
		if (p->conditions[i].at.node != p->root || p->conditions[i].at.column != p->listing.columns[0])
			return true;
	return false;
}

/* "countries with singers over 40 and under 30" may mean two singers; "singers over 20 and under 30" means one. */
static bool
may_mean_several(const struct plan *p)
{
	for (size_t i = 0; i < p->nconditions && !p->listing.rows; i++)
		for (size_t k = i + 1; k < p->nconditions; k++)
			if (!p->conditions[i].implied && !p->conditions[k].implied &&
			    p->conditions[i].at.node == p->conditions[k].at.node &&
			    p->conditions[i].at.column == p->conditions[k].at.column)
				return true;
	return false;
}

void
listing_query(struct plan *p, struct ask_query *q)
{
	const struct ask_source *s = plan_source(p, p->root);

	if (lists_what_is_said(p)) {
		plan_refuse(p, ASK_REASON_UNSUPPORTED, SAYS_LIST_REPEATS, NULL);
		return;
	}
	if (denies_rows(p)) {
		plan_refuse(p, ASK_REASON_NESTED, SAYS_NO_ROW_DOES, NULL);
		return;
	}
	if (may_mean_several(p)) {
		plan_refuse(p, ASK_REASON_NESTED, SAYS_ONE_ROW_OR_TWO, NULL);
		return;
	}
	if (p->listing.rows && s->ngrain == 1 && !p->m->governed)
		q->rows = plan_call(p, "count", false, s, s->grain[0]);
}
