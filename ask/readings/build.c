#include "ask/comparisons.h"
#include "ask/conditions.h"
#include "ask/counts.h"
#include "ask/finish.h"
#include "ask/periods.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"
#include "ask/readings/spans.h"

/* "Who reports to Andrew" asks for people, which a number is not, nor the key of another row. */
static bool
asks_for_people(const struct plan *p, struct plan_column at)
{
	const struct ask_column *c = &plan_source(p, at.node)->columns[at.column];

	return (c->type == ASK_TYPE_NUMBER || ask_is_foreign(p->m, at.node, c->names.name)) &&
	    (span_is_str(p->q.tokens[0].folded, "who") || span_is_str(p->q.tokens[0].folded, "wer"));
}

/* "Who made the latest order" asks for another one than the rows, unlike "who is the oldest customer". */
static bool
asks_who_did(const struct plan *p)
{
	static const char *const is[] = { "is", "are", "was", "were", "has", "have", "had", "ist", "sind", "war",
		"waren", "hat", "haben", NULL };

	return (span_is_str(p->q.tokens[0].folded, "who") || span_is_str(p->q.tokens[0].folded, "wer")) &&
	    !(p->q.ntokens > 1 && span_is_any(p->q.tokens[1].folded, is));
}

/* "teachers and the courses they teach": the question says that the columns go together. */
static bool
says_each(const struct plan *p)
{
	static const char *const words[] = { "they", "their", "each", "corresponding", "sie", "ihre", "ihren", "deren",
		"jeweils", "jeweiligen", "jeweilige", "zugehörigen", NULL };

	for (size_t i = 0; i < p->q.ntokens; i++)
		if (span_is_any(p->q.tokens[i].folded, words))
			return true;
	return false;
}

/* "train stations", which lead to a station: the rows are called as one that they lead to. */
static bool
is_named_as_link(const struct plan *p)
{
	const struct ask_node *n = &p->m->nodes[p->root];
	size_t words, own;
	struct ask_token *t =
	    ask_tokens(p->a, plan_source(p, p->root)->names.name, true, ASK_LEXICON_WORDS_MAX, &words);

	for (size_t e = 0; e < n->nedges && t != NULL; e++) {
		const struct ask_token *to =
		    ask_tokens(p->a, plan_source(p, n->edges[e].to)->names.name, true, ASK_LEXICON_WORDS_MAX, &own);

		for (size_t k = 0; k < words && words <= ASK_LEXICON_WORDS_MAX && to != NULL && own == 1; k++)
			if (span_is(t[k].stem, to[0].stem))
				return true;
	}
	return t == NULL;
}

bool
build_columns(struct plan *p, struct draft *d)
{
	bool own = false, text = false, several = false;
	uint32_t key = plan_key_column(plan_source(p, p->root));

	for (size_t i = 0; i < d->s.nlist; i++) {
		own |= d->s.list[i].node == p->root || d->s.behind;
		several |= d->s.list[i].node != d->s.list[0].node;
		text |= plan_source(p, d->s.list[i].node)->columns[d->s.list[i].column].type == ASK_TYPE_TEXT;
		if (d->nsteps == 0 && asks_for_people(p, d->s.list[i]))
			return false;
	}
	if (d->link ? own || !several || !says_each(p) || !around_counts_every_row(p, p->m->nodes[p->root].source) :
		      !own)
		return false;
	d->distinct = d->s.distinct;
	d->each = d->s.each;
	d->behind = d->s.behind;
	for (size_t i = 0; i < d->s.nlist; i++)
		d->behind &= d->s.list[i].node != p->root;
	/* "locations of train stations", whose rows link trains and stations */
	if ((d->s.bare_behind && !d->s.owned) ||
	    (d->s.behind &&
		(d->distinct || key == ASK_NONE ||
		    (is_named_as_link(p) &&
			ask_is_foreign(p->m, p->root, plan_source(p, p->root)->columns[key].names.name)))))
		return false;
	d->owned = d->s.owned || d->s.item > 0;
	d->compound = d->s.compound && d->s.item == 0;
	d->loose = !d->link && (!d->s.named || d->s.of_parent || (!d->owned && (!text || d->s.singular)));
	d->ncolumns = d->s.nlist;
	memcpy(d->columns, d->s.list, sizeof(d->columns));
	return true;
}

/* "the population of Brazil" */
bool
build_row_columns(struct plan *p, struct draft *d)
{
	size_t first = spans_skip(p, 0), last;

	/* "first names" */
	first += p->q.items[first].kind == ASK_ITEM_UNKNOWN && first + 1 < p->q.n;
	last = p->q.items[first].first + p->q.items[first].n - 1;

	if (!build_columns(p, d) || d->s.distinct || d->link || span_is_str(p->q.tokens[0].folded, "how") ||
	    span_is_str(p->q.tokens[0].folded, "wie"))
		return false;
	/* "titles of movies" are several */
	d->loose |= !d->owned || !p->q.tokens[last].plural;
	return true;
}

/* "countries that customers are from": the rows of the listed columns. */
bool
build_these(struct plan *p, struct draft *d)
{
	(void)p;
	/* "the AVA regions", of which some are so: no list of a column */
	if (d->ncolumns == 0 || d->rows || (d->owned && !d->compound) || d->or_next || d->and_next || d->nrelated > 0 ||
	    (d->nsteps == 1 && d->s.item == d->steps[0].end))
		return false;
	/* "countries that do not have gold customers": what no customer of a country is */
	for (size_t i = 0; i < d->nconditions; i++)
		if (d->conditions[i].is.negated && d->conditions[i].is.at.column != d->columns[0].column)
			return false;
	return d->owned = true;
}

/* Whether the list before is of the rows, by what names them: "which makers", where a column is called so. */
static bool
asks_for_rows(const struct plan *p, const struct draft *d)
{
	const struct ask_item *last = &p->q.items[d->steps[0].end - 1];

	return d->rows ||
	    (d->ncolumns > 0 && !d->link &&
		(d->owned || (d->ncolumns == 1 && spans_is_word_of_rows(p, last->first + last->n - 1))));
}

/* "Which singers are over 40? List their names."  "For each, …" */
bool
build_then_columns(struct plan *p, struct draft *d)
{
	size_t from = d->steps[d->nsteps - 1].end;
	bool lists;

	from += plan_is_word(p, from, ASK_WORD_BY);
	/* not "players who received a card" */
	lists = plan_is_word(p, from, ASK_WORD_LIST) ||
	    (plan_is_word(p, from, ASK_WORD_STOP) && p->q.items[from].arg == ASK_STOP_ROWS &&
		!span_is_folded(p->q.items[from].text, SPAN("who")));
	if (!lists || !asks_for_rows(p, d) || (!d->rows && d->near != ASK_NONE) || d->and_next || d->or_next ||
	    !build_columns(p, d))
		return false;
	d->rows = d->loose = d->unnamed = false;
	return d->owned = true;
}

/* "Sort the names of singers by age" */
bool
build_sorted_columns(struct plan *p, struct draft *d)
{
	return d->sorted = build_columns(p, d);
}

/* A word that is the name of a column of the rows as well may ask for that. */
static bool
is_own_column(const struct plan *p, size_t item, uint32_t but, bool counts)
{
	size_t n;
	uint32_t column = columns_find(p, p->root, item, &n);

	/* what a number of a column is, the user is asked where rows are counted */
	return column != ASK_NONE && column != but &&
	    !(counts && comparisons_is_own_number(p, (struct plan_column){ p->root, column }));
}

/* List the rows by what names them, else by their key. */
static bool
name_rows(const struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	if (d->nperiods + d->nmentions + d->ngroups > 0)
		return false;
	d->number = d->bare = false;
	d->rows = true;
	for (unsigned pass = 0; pass < 2 && d->ncolumns == 0; pass++)
		for (uint32_t c = 0; c < s->ncolumns && d->ncolumns < DRAFT_COLUMNS_MAX; c++)
			if ((pass == 0 ? c == s->label || s->columns[c].of_person : c == plan_key_column(s)) &&
			    ask_is_shown(&s->columns[c]))
				d->columns[d->ncolumns++] = (struct plan_column){ p->root, c };
	return d->ncolumns > 0;
}

/* "wie groß ist die Stadt Ulm" */
static bool
asks_degree(const struct plan *p)
{
	static const char *const called[] = { "lautet", "lauten", "heißt", "heisst", "heißen", "heissen", NULL };

	return p->q.ntokens > 1 && span_is_str(p->q.tokens[0].folded, "wie") &&
	    !span_is_any(p->q.tokens[1].folded, called);
}

bool
build_rows(struct plan *p, struct draft *d)
{
	if (asks_who_did(p) || asks_degree(p) || !name_rows(p, d) ||
	    ask_item_names_number(p->m, &p->q.items[d->s.item]))
		return false;
	d->unnamed =
	    asks_for_people(p, d->columns[0]) || is_own_column(p, d->s.item, plan_source(p, p->root)->label, false);
	d->rows = !d->s.distinct;
	return true;
}

static bool
take_places(struct draft *d)
{
	d->places = d->s.number >= 1 && d->s.number <= 1000 ? (size_t)d->s.number : 0;
	return d->places > 0 && (double)d->places == d->s.number;
}

/* "the top 3 products by price" */
bool
build_top_rows(struct plan *p, struct draft *d)
{
	d->top = d->s.extreme;
	return take_places(d) && build_sorted_rows(p, d);
}

/* "names of the top 3 products by price" */
bool
build_top_columns(struct plan *p, struct draft *d)
{
	d->top = d->s.extreme;
	return take_places(d) && build_sorted_columns(p, d);
}

/* "the first 3 customers", in the order that follows */
bool
build_first_rows(struct plan *p, struct draft *d)
{
	return take_places(d) && build_rows(p, d);
}

bool
build_first_columns(struct plan *p, struct draft *d)
{
	return take_places(d) && build_columns(p, d);
}

bool
build_sorted_rows(struct plan *p, struct draft *d)
{
	return d->sorted = build_rows(p, d);
}

/* "friends", of a key friend_id, which tells each of them; ASK_NONE: the root is no such link. */
static uint32_t
key_of_way(const struct plan *p)
{
	const struct ask_source *s = plan_source(p, p->root);
	const struct ask_node *n = &p->m->nodes[p->root];

	for (size_t e = 0; e < n->nedges; e++) {
		uint32_t far, to = n->edges[e].to, way = plan_way(p, p->root, p->m->nodes[to].source, &far);

		for (uint32_t c = 0; way != ASK_NONE && far == to && c < s->ncolumns; c++)
			if (span_is(s->columns[c].names.name, n->edges[e].here))
				return c;
	}
	return ASK_NONE;
}

bool
build_number(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	/* a name of the rows is no number of them: "schools", of a column school that names each */
	uint32_t label = s->label != ASK_NONE && s->columns[s->label].type == ASK_TYPE_TEXT ? s->label : ASK_NONE,
		 source = p->m->nodes[p->root].source;

	if (key_of_way(p) != ASK_NONE)
		label = key_of_way(p);
	d->number = true;
	d->entity = d->s.item;
	return (around_counts_every_row(p, source) || counts_own_measure(p, source) != ASK_NONE) &&
	    !(d->s.distinct && plan_key_column(s) == ASK_NONE) && !is_own_column(p, d->s.item, label, true);
}

/* "the total number of orders", "total orders" */
bool
build_total_number(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.fold];
	size_t len;

	d->bare = d->s.count == PLAN_NO_ITEM;
	/* "the sum of payments" is no number of them */
	if (d->bare && ask_word(p->q.language, &p->q.tokens[it->first + it->n - 1], 1, ASK_WORD_OF, &len) != NULL)
		return false;
	return it->word == ASK_WORD_AGGREGATE && it->arg == ASK_FOLD_SUM && build_number(p, d);
}

/* "share of orders" */
bool
build_share_number(struct plan *p, struct draft *d)
{
	return (d->share = true) && build_number(p, d);
}

/* "no gold customers" */
bool
build_not_counted(struct plan *p, struct draft *d)
{
	return d->s.nadjectives > 0 && build_counted(p, d);
}

/* "authors without books": an entity alone is counted */
bool
build_counted(struct plan *p, struct draft *d)
{
	d->bare = true;
	return build_number(p, d);
}

/* "is there a customer in Norway" */
bool
build_there_is(struct plan *p, struct draft *d)
{
	static const char *const is[] = { "is", "are", "gibt", NULL }, *const there[] = { "there", "es", NULL };

	return p->q.ntokens > 2 && span_is_any(p->q.tokens[0].folded, is) &&
	    span_is_any(p->q.tokens[1].folded, there) && build_counted(p, d);
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
		    last->operator== NULL && d->nrelated == 1 && any_condition(d, d->last);
	if (d->last == DRAFT_ROOT || !any || d->or_next)
		return true;
	if (d->and_next)
		return d->nrelated == 1 && !last->negated && last->operator== NULL && !any_condition(d, d->last);
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
		.negated = negated, .operator= operator, .number = d->s.number };
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
	for (size_t i = 0; i < d->nrelated; i++)
		if (d->related[i].compared)
			return false;
	/* "with the most orders and …": which rows the rest limits, the question does not say */
	if (d->nrelated == DRAFT_RELATED_MAX || d->first || d->most_of ||
	    (d->or_next && (negated || d->near != ASK_NONE)) || (d->nmeasures > 0 && negated) ||
	    (d->number && !d->s.negated && counts_has_quantity(p, p->m->nodes[d->s.related].source)) || d->pending ||
	    !around_counts_every_row(p, p->m->nodes[d->s.related].source) || !find_owner(p, d, &of))
		return false;
	if (d->or_next && of != DRAFT_ROOT)
		return false;
	put_related(d, of, negated, operator);
	d->related[d->last].either = d->or_next;
	d->any_of |= d->or_next;
	d->or_next = false;
	return true;
}

bool
build_has(struct plan *p, struct draft *d)
{
	return (!d->s.negated || d->s.none || d->s.with) && build_add_related(p, d, d->s.negated, NULL);
}

bool
build_says_each(const struct plan *p, const struct draft *d)
{
	static const char *const each[] = { "each", "every", "per", "jeder", "jede", "jedem", "jedes", NULL };
	const struct ask_item *by = &p->q.items[d->s.by];

	return plan_is_word(p, d->s.by, ASK_WORD_BY) && span_is_any(p->q.tokens[by->first + by->n - 1].folded, each);
}

bool
build_related(struct plan *p, struct draft *d)
{
	return !build_says_each(p, d) && build_add_related(p, d, d->s.negated, NULL);
}

/* Whether rows are named further on in the same part of the question, which the verb is about, then. */
static bool
names_later(const struct plan *p, size_t i)
{
	for (; i < p->q.n && !plan_is_word(p, i, ASK_WORD_AND) && !plan_is_word(p, i, ASK_WORD_OR); i++)
		if (plan_names_any(p, i, ASK_KIND_SOURCE))
			return true;
	return false;
}

/* "students who tried out", of tryouts that the model joins to them by this verb; not "that were tried out". */
bool
build_joined(struct plan *p, struct draft *d)
{
	static const char *const is[] = { "is", "are", "was", "were", "be", "been", "being", "t", NULL },
		*const no[] = { "not", "never", NULL };
	const struct ask_item *it = &p->q.items[d->s.verb];
	size_t before = it->first;
	uint32_t found = ASK_NONE;

	before -= before > 0 && span_is_any(p->q.tokens[before - 1].folded, no);
	if (p->q.language != ASK_ENGLISH || before == 0 || span_is_any(p->q.tokens[before - 1].folded, is) ||
	    d->last != DRAFT_ROOT || d->near != ASK_NONE || d->nrelated > 0 || d->and_next || d->or_next)
		return false;
	for (size_t k = 0; k < it->nhits; k++)
		if (it->hits[k]->kind == ASK_KIND_VERB && it->hits[k]->index == p->root) {
			if (found != ASK_NONE)
				return false;
			found = it->hits[k]->source;
		}
	d->s.related = found;
	d->s.with = true;
	return found != ASK_NONE && found < p->m->nsources && !names_later(p, d->s.verb + 1) &&
	    build_add_related(p, d, d->s.negated, NULL);
}

/* "Among all the cars, which …": of which rows the question is, where nothing more is said of them. */
bool
build_among_rows(struct plan *p, struct draft *d)
{
	(void)p;
	return d->s.nadjectives == 0;
}

/* "all customers except customers with orders" */
bool
build_except_rows(struct plan *p, struct draft *d)
{
	return d->s.but && build_add_related(p, d, true, NULL);
}

/* "the mountains that they climb": how columns of two sources go together, which only one way does. */
bool
build_verb(struct plan *p, struct draft *d)
{
	for (size_t i = 0; i < d->ncolumns; i++)
		if (d->columns[i].node != p->root)
			return d->nrelated == 0 && !d->and_next && !d->or_next;
	return false;
}

bool
build_has_number(struct plan *p, struct draft *d)
{
	/* Whether "less than 3" means those without any, too, the question does not say. */
	return d->s.number >= 1 && d->s.number < 1e9 && d->s.number == (double)(uint32_t)d->s.number &&
	    !ask_item_names_number(p->m, &p->q.items[d->s.rows]) &&
	    d->s.operator!= ASK_UNDER && d->s.operator!= ASK_AT_MOST &&(!d->bare || name_rows(p, d)) &&
	    build_add_related(p, d, false, comparisons_operator(d->s.operator));
}

/* "in 2024", "the colour red": one row has one of them. */
static bool
is_single(const struct plan_condition *c)
{
	return c->test == PLAN_IS || c->test == PLAN_WITHIN || (c->test == PLAN_COMPARED && c->operator[0] == '=');
}

/* What is said next is of another one of these related rows. */
static bool
repeat_related(struct draft *d, size_t of, bool negated)
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

/*
 * "a dog and a cat", "a dog but not a cat": of two rows, each of which has one of the values.  False: the question does
 * not say of which rows the next condition is.
 */
static bool
part_rows(struct draft *d, struct plan_condition *next)
{
	const struct draft_condition *c = &d->conditions[d->nconditions > 0 ? d->nconditions - 1 : 0];
	size_t of = d->at, n = 0;

	if (of == DRAFT_ROOT || (d->related[of].compared && !d->related[of].alike) ||
	    !(d->and_next || (next->negated && d->s.but)))
		return true;
	for (size_t i = 0; i < d->nconditions; i++)
		n += d->conditions[i].of == of;
	if (n != 1 || c->of != of || c->is.negated || !is_single(&c->is) || !is_single(next) ||
	    c->is.at.node != next->at.node || c->is.at.column != next->at.column || d->related[of].negated ||
	    d->related[of].operator!= NULL || d->related[of].of != DRAFT_ROOT || d->most)
		return !next->negated || d->related[of].alike;
	if (!repeat_related(d, of, next->negated))
		return false;
	next->negated = false;
	return true;
}

/* "die einen Hund haben": the verb comes last. */
bool
build_has_behind(struct plan *p, struct draft *d)
{
	return p->q.language == ASK_GERMAN && build_add_related(p, d, false, NULL);
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
build_ask(struct plan *p, struct draft *d, enum plan_says topic, enum plan_says which, const struct span *args)
{
	struct ask_clarification *q = arena_alloc(p->a, sizeof(*q));

	if (q != NULL)
		*q = (struct ask_clarification){ .topic = plan_says(p, topic, NULL),
			.question = plan_says(p, which, args) };
	d->asks = q;
	return q;
}

/* A plan that keeps its questions back and assumptions to itself, for what may still be read otherwise. */
static bool
plan_aside(const struct plan *p, struct plan *copy)
{
	*copy = *p;
	copy->out = arena_alloc(p->a, sizeof(*copy->out));
	if (copy->out != NULL)
		copy->out->german = p->out->german;
	return copy->out != NULL;
}

/* Take what was asked or assumed aside.  False: nothing was asked. */
static bool
take_aside(struct draft *d, const struct plan *copy)
{
	if (copy->out->nassumptions > 0)
		d->assumption = copy->out->assumptions[0];
	if (copy->out->nquestions == 1)
		d->asks = &copy->out->questions[0];
	return copy->out->nquestions == 1;
}

/* The comparison of the row at hand. */
static struct comparison
comparison_said(const struct draft *d)
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
build_add_number(struct plan *p, struct draft *d, struct plan_column at, bool range)
{
	struct plan_condition *c;
	struct comparison said = comparison_said(d);
	struct plan copy;

	said.at = at;
	if (plan_source(p, at.node)->columns[at.column].type != ASK_TYPE_NUMBER || d->s.none || !plan_aside(p, &copy) ||
	    (!comparisons_has_unit(&copy, &said) && !take_aside(d, &copy)) ||
	    (c = build_add_condition(d, at, range ? PLAN_BETWEEN : PLAN_COMPARED)) == NULL)
		return false;
	take_aside(d, &copy);
	c->operator= comparisons_operator(d->s.operator);
	if (d->s.negated)
		c->operator= negate(c->operator);
	c->negated = range && d->s.negated;
	c->values[c->nvalues++] = plan_text(p, "%.15g", d->s.number);
	if (range)
		c->values[c->nvalues++] = plan_text(p, "%.15g", d->s.upto);
	return true;
}

/* "guards older than 50", where a column holds the number of guards: the word compares their age. */
static bool
compares_others(const struct plan *p, const struct draft *d)
{
	return plan_names_any(p, d->s.said_by, ASK_KIND_SOURCE) && d->s.word.len > 0 &&
	    ask_is_degree(p->q.language, d->s.word, SPAN(""), false) &&
	    !comparisons_is_of_degree(p, d->s.word, &plan_source(p, d->s.column.node)->columns[d->s.column.column],
		true);
}

bool
build_compared(struct plan *p, struct draft *d)
{
	return !compares_others(p, d) && build_add_number(p, d, d->s.column, false);
}

/* "how many orders in total" */
bool
build_in_total(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.fold];

	d->loose &= !d->number;
	return d->number && (d->nfolds == 0 || plan_is_word(p, d->folds[0].item, ASK_WORD_COUNT)) && !d->and_next &&
	    !d->or_next && (span_is_folded(it->text, SPAN("in total")) || span_is_folded(it->text, SPAN("insgesamt")));
}

/* "over 3000 in year 2001": the number is not the year. */
static bool
is_number_within(const struct plan *p, const struct draft *d)
{
	static const char *const in[] = { "in", "during", "within", "im", NULL };
	size_t first = p->q.items[d->s.number_item].first + p->q.items[d->s.number_item].n;

	return d->s.said_by > d->s.number_item && span_is_any(p->q.tokens[first].folded, in) &&
	    comparisons_holds_years(p, &plan_source(p, d->s.column.node)->columns[d->s.column.column]);
}

bool
build_more_of(struct plan *p, struct draft *d)
{
	return !is_number_within(p, d) && build_add_number(p, d, d->s.column, false) &&
	    (d->conditions[d->nconditions - 1].counted = true);
}

/* Over all rows: where others are left out, over which ones the average is taken, the question does not say. */
bool
build_average(struct plan *p, struct draft *d)
{
	struct plan_condition *c;

	if (d->at != DRAFT_ROOT || d->s.column.node != p->root || d->nconditions + d->nrelated > 0 || p->m->governed ||
	    !around_counts_every_row(p, p->m->nodes[p->root].source) ||
	    plan_source(p, p->root)->columns[d->s.column.column].type != ASK_TYPE_NUMBER ||
	    (c = build_add_condition(d, d->s.column, PLAN_AVERAGE)) == NULL)
		return false;
	c->operator= comparisons_operator(d->s.operator);
	return true;
}

/* "whose name contains Lee": letters in either case. */
bool
build_like(struct plan *p, struct draft *d)
{
	enum ask_type type = plan_source(p, d->s.column.node)->columns[d->s.column.column].type;
	struct span text = ask_folded(p->a, d->s.text);
	struct plan_condition *c;

	if (text.len == 0 || memchr(text.p, '\\', text.len) != NULL || !finish_may_be_like(text) ||
	    type != ASK_TYPE_TEXT || d->s.none || (c = build_add_condition(d, d->s.column, PLAN_LIKE)) == NULL)
		return false;
	c->negated = d->s.negated;
	c->index = (uint32_t)d->s.operator;
	c->values[c->nvalues++] = text;
	return true;
}

/* "with the word lee in their name" */
bool
build_like_in(struct plan *p, struct draft *d)
{
	size_t first = p->q.items[d->s.said_by].first;

	return first > 1 &&
	    (span_is_str(p->q.tokens[first - 1].folded, "in") || span_is_str(p->q.tokens[first - 2].folded, "in")) &&
	    build_like(p, d);
}

/* "which drug contains Aspirin", where it is an agent of drugs: that is not a part of their name. */
static bool
is_value_of_another(const struct plan *p, const struct draft *d)
{
	for (size_t i = 0; i < p->q.n; i++)
		for (size_t k = 0; p->q.items[i].text.p == d->s.text.p && k < p->q.items[i].nhits; k++) {
			const struct ask_entry *e = p->q.items[i].hits[k];

			if (e->kind == ASK_KIND_VALUE && e->source == p->m->nodes[p->root].source &&
			    e->index != d->columns[0].column)
				return !p->q.tokens[p->q.items[i].first].quoted;
		}
	return false;
}

/* "the names that contain lee" */
bool
build_like_listed(struct plan *p, struct draft *d)
{
	if (d->ncolumns != 1 || d->columns[0].node != p->root || d->and_next || d->or_next || d->last != DRAFT_ROOT ||
	    d->nconditions > 0 || is_value_of_another(p, d))
		return false;
	d->s.column = d->columns[0];
	d->at = DRAFT_ROOT;
	return build_like(p, d);
}

/* "die lee enthalten" */
bool
build_like_listed_behind(struct plan *p, struct draft *d)
{
	return p->q.language == ASK_GERMAN && build_like_listed(p, d);
}

/* "deren Name mit A beginnt" */
bool
build_like_behind(struct plan *p, struct draft *d)
{
	return p->q.language == ASK_GERMAN && build_like(p, d);
}

/* "older than the average" */
bool
build_degree_average(struct plan *p, struct draft *d)
{
	return build_degree_column(p, d, &d->s.column) && build_average(p, d);
}

bool
build_range(struct plan *p, struct draft *d)
{
	return build_add_number(p, d, d->s.column, true);
}

/* "with 3 stars", "card number 4560": a text of digits is a value. */
bool
build_column_number(struct plan *p, struct draft *d)
{
	const struct draft_condition *before = &d->conditions[d->nconditions > 0 ? d->nconditions - 1 : 0];

	if (is_number_within(p, d))
		return false;
	/* "at least 2 regions and 10 cities": at least 10, or 10? */
	if (d->and_next &&
	    ((d->last != DRAFT_ROOT && d->related[d->last].operator!= NULL) ||
		(d->nconditions > 0 && before->counted && before->is.operator[0] != '=')))
		return false;
	if (plan_source(p, d->s.column.node)->columns[d->s.column.column].type == ASK_TYPE_TEXT &&
	    d->s.amount.len > 0) {
		/* "a duration of 3 minutes", of a text: how it is written there, the question does not say */
		if (d->s.said_unit != PLAN_NO_ITEM)
			return false;
		d->s.text = d->s.amount;
		return !d->or_next && build_add_value(p, d, d->s.column, false);
	}
	d->s.operator= ASK_EXACTLY;
	return build_add_number(p, d, d->s.column, false);
}

/* "with 3 or 4 stars": of the same column. */
bool
build_or_number(struct plan *p, struct draft *d)
{
	const struct draft_condition *before = d->nconditions > 0 ? &d->conditions[d->nconditions - 1] : NULL;

	if (before == NULL || d->and_next || d->or_next || before->is.test != PLAN_COMPARED ||
	    before->is.operator[0] != '=')
		return false;
	d->or_next = true;
	d->at = before->of;
	d->s.operator= ASK_EXACTLY;
	return build_add_number(p, d, before->is.at, false);
}

/* "a population over 1500 or less than 500": the other end of the same column. */
bool
build_or_compared(struct plan *p, struct draft *d)
{
	const struct draft_condition *before = d->nconditions > 0 ? &d->conditions[d->nconditions - 1] : NULL;
	char way = comparisons_operator(d->s.operator)[0];

	if (before == NULL || d->and_next || d->or_next || before->is.test != PLAN_COMPARED || before->is.negated ||
	    (way != '<' && way != '>') || before->is.operator[0] !=(way == '<' ? '>' : '<'))
		return false;
	d->or_next = true;
	d->at = before->of;
	return build_add_number(p, d, before->is.at, false);
}

/* "a capacity over 500 and below 800": of the same column; "shared by cities over 1500 and below 500" are two. */
bool
build_and_compared(struct plan *p, struct draft *d)
{
	const struct draft_condition *before = d->nconditions > 0 ? &d->conditions[d->nconditions - 1] : NULL;
	char way = comparisons_operator(d->s.operator)[0];
	double number;

	if (before == NULL || d->and_next || d->or_next || before->either || before->is.test != PLAN_COMPARED ||
	    before->is.negated || (way != '<' && way != '>') || before->is.operator[0] !=(way == '<' ? '>' : '<') ||
	    !ask_items_number(before->is.values[0], ASK_ENGLISH, &number))
		return false;
	d->at = before->of;
	if (d->at != DRAFT_ROOT && d->related[d->at].alike &&
	    (way == '<' ? d->s.number <= number : d->s.number >= number) && !repeat_related(d, d->at, false))
		return false;
	d->and_next = true;
	return build_add_number(p, d, before->is.at, false);
}

/* "prices of products over 500": the number that is listed. */
bool
build_listed(struct plan *p, struct draft *d)
{
	d->at = DRAFT_ROOT;
	return d->ncolumns == 1 && !d->rows && d->columns[0].column != plan_key_column(plan_source(p, p->root)) &&
	    d->nrelated == 0 && build_add_number(p, d, d->columns[0], false);
}

/* "friends older than 30", "female friends": those to which the link leads, named last.  ASK_NONE: no link. */
static uint32_t
node_linked(const struct draft *d)
{
	return d->last != DRAFT_ROOT && d->near != ASK_NONE && d->related[d->last].through == d->near ? d->near :
													ASK_NONE;
}

/* What the next condition is about: what the rows lead to, when it was named last, else the rows. */
static uint32_t
node_said(const struct plan *p, const struct draft *d)
{
	return d->pending && d->near != ASK_NONE ? d->near : draft_node(p, d, d->last);
}

bool
build_degree_column(const struct plan *p, const struct draft *d, struct plan_column *out)
{
	size_t n = 0;

	out->node = node_said(p, d);
	for (unsigned part = 0; part < 2 && n == 0; part++)
		for (uint32_t c = 0; c < plan_source(p, out->node)->ncolumns; c++)
			if (comparisons_is_own_number(p, (struct plan_column){ out->node, c }) &&
			    comparisons_is_of_degree(p, d->s.word, &plan_source(p, out->node)->columns[c], part == 1)) {
				out->column = c;
				n++;
			}
	return n == 1;
}

/* "older than 20", "over 100 euros": the number of the rows that the word or the unit tells. */
static bool
add_meant(struct plan *p, struct draft *d, bool range)
{
	struct comparison said = comparison_said(d);
	struct plan copy;

	d->at = d->last;
	if (!plan_aside(p, &copy))
		return false;
	if (!(node_linked(d) != ASK_NONE && comparisons_find_column(&copy, &said, node_linked(d))) &&
	    !comparisons_find_column(&copy, &said, node_said(p, d)))
		return d->number && !d->limited && take_aside(d, &copy);
	return build_add_number(p, d, said.at, range);
}

bool
build_degree(struct plan *p, struct draft *d)
{
	size_t next = d->s.number_item + 1;

	/* "more than 2 rooms": their number */
	if (d->s.said_unit == PLAN_NO_ITEM && d->s.years == PLAN_NO_ITEM && next < p->q.n &&
	    d->s.comparator < d->s.number_item && plan_names_any(p, next, ASK_KIND_SOURCE) &&
	    p->q.items[next].first == p->q.items[next - 1].first + p->q.items[next - 1].n)
		return false;
	return add_meant(p, d, false);
}

/* "aged 20 to 30", "between 5 and 10 euros" */
bool
build_degree_range(struct plan *p, struct draft *d)
{
	return (plan_is_word(p, d->s.comparator, ASK_WORD_RANGE) || d->s.operator== ASK_EXACTLY) &&
	    add_meant(p, d, true);
}

/* "52 years old" */
bool
build_aged(struct plan *p, struct draft *d)
{
	d->s.operator= ASK_EXACTLY;
	return add_meant(p, d, false);
}

/* The user has to say first how the values are meant together. */
static void
ask_together(struct plan *p, struct draft *d, struct plan_column at, struct span first, struct span second)
{
	struct ask_clarification *q =
	    build_ask(p, d, SAYS_TOPIC_VALUES, SAYS_VALUES_TOGETHER, SPANS(plan_column_label(p, at)));

	if (q != NULL)
		plan_suggest(q, plan_says(p, SAYS_OR_TOGETHER, SPANS(first, second)));
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
	if (!part_rows(d, &next))
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
	for (size_t k = 0; (d->number || d->leads) && k < p->q.items[d->s.value_item].nhits; k++) {
		const struct ask_entry *e = p->q.items[d->s.value_item].hits[k];

		if (e->kind == ASK_KIND_VALUE && e->source != d->s.value.node &&
		    (e->source == p->m->nodes[p->root].source || around_reaches(p, p->root, e->source)) &&
		    !conditions_are_joined(p, e, d->s.value))
			return true;
	}
	return false;
}

/* "invoices from France": shipped there, or of customers there?  True: the user has to say so first. */
static bool
asks_which_column(struct plan *p, struct draft *d, struct plan_column at)
{
	const struct ask_item *it = &p->q.items[d->s.value_item];
	struct ask_clarification *q;

	if (!d->bare || !is_value_of_several(p, d) || plan_is_answered(p, plan_column_label(p, at)) ||
	    (q = build_ask(p, d, SAYS_TOPIC_MEANING, SAYS_WHAT_MEANS, SPANS(it->text))) == NULL)
		return false;
	for (size_t k = 0; k < it->nhits; k++)
		if (it->hits[k]->kind == ASK_KIND_VALUE)
			plan_suggest(q,
			    plan_column_label(p, (struct plan_column){ it->hits[k]->source, it->hits[k]->index }));
	return true;
}

/* "nominated", a value of the result, where the nominee is a column, too: the verb may ask about that. */
static bool
is_verb_of_column(const struct plan *p, const struct draft *d)
{
	enum { BEGINNING = 5 };
	const struct ask_source *s = &p->m->sources[d->s.value.node];
	const struct ask_token *t = &p->q.tokens[p->q.items[d->s.value_item].first];

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
static bool
ask_value_only(struct plan *p, struct draft *d, struct plan_column at)
{
	struct ask_clarification *q =
	    build_ask(p, d, SAYS_TOPIC_MEANING, SAYS_VALUE_ONLY, SPANS(p->q.items[d->s.value_item].text));

	if (q != NULL)
		plan_suggest(q, plan_column_label(p, at));
	return q != NULL;
}

/* "trips from Opera", of the start or the end: the user has to say so first. */
static bool
add_chosen(struct plan *p, struct draft *d, bool negated)
{
	struct plan_column at;
	struct plan copy;

	if (!plan_aside(p, &copy))
		return false;
	copy.q.items = arena_array(p->a, p->q.n + 1, sizeof(*copy.q.items));
	if (copy.q.items == NULL)
		return false;
	memcpy(copy.q.items, p->q.items, p->q.n * sizeof(*copy.q.items));
	if (!plan_choose(&copy, d->s.value_item, 1u << ASK_KIND_VALUE, ASK_NONE, &at))
		return take_aside(d, &copy);
	return p->m->nodes[at.node].source == d->s.value.node && at.column == d->s.value.column &&
	    plan_is_answered(p, plan_column_label(p, at)) && build_add_value(p, d, at, negated);
}

/* Whether the value names a row of its source. */
static bool
value_names_row(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = &p->m->sources[d->s.value.node];

	return s->label == d->s.value.column || s->columns[d->s.value.column].of_person;
}

/* "with friends of Ada": whose friend she is, not who has her as one */
static bool
is_of_way(const struct plan *p, const struct draft *d)
{
	static const char *const of[] = { "of", "von", NULL };
	size_t first = p->q.items[d->s.value_item].first;

	return d->last != DRAFT_ROOT && d->related[d->last].way != ASK_NONE && first > 0 &&
	    span_is_any(p->q.tokens[first - 1].folded, of);
}

/* "in Colorado", "does Colorado have" */
static bool
is_place(const struct plan *p, size_t item)
{
	static const char *const words[] = { "in", "within", "from", "through", "does", "do", "hat", "haben", "durch",
		"aus", NULL };
	size_t first = p->q.items[item].first;

	if (first > 0 && span_is_str(p->q.tokens[first - 1].folded, "the"))
		first--;
	return first > 0 && span_is_any(p->q.tokens[first - 1].folded, words);
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

/* A value without its column: of the rows themselves, or what names those that they lead to. */
static bool
build_value_of(struct plan *p, struct draft *d, bool negated)
{
	uint32_t node = draft_node(p, d, d->last), parent, far;
	const struct ask_source *s = &p->m->sources[d->s.value.node];

	if (d->s.noun && d->s.only && d->number && d->last == DRAFT_ROOT)
		return ask_value_only(p, d, (struct plan_column){ d->s.value.node, d->s.value.column });
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
	    !span_is_str(p->q.tokens[p->q.items[d->s.value_item - 1].first].folded, "where"))
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
	if (s->label != d->s.value.column && !d->s.only && !d->number)
		return false;
	if (!is_value_of_several(p, d) && (s->label == d->s.value.column || d->s.only) &&
	    (parent = draft_parent(p, d, d->s.value.node)) != ASK_NONE)
		return build_add_value(p, d, (struct plan_column){ parent, d->s.value.column }, negated);
	return d->number && d->last == DRAFT_ROOT && add_chosen(p, d, negated);
}

/* "customers without newsletter": whether they have one is asked, not by what word a column of theirs is filled. */
static bool
is_possession(struct plan *p, struct draft *d)
{
	struct span label = plan_column_label(p, (struct plan_column){ p->root, d->s.value.column });
	struct ask_clarification *q;

	if (d->s.value.node != p->m->nodes[p->root].source || plan_is_answered(p, label))
		return false;
	if (d->number &&
	    (q = build_ask(p, d, SAYS_TOPIC_MEANING, SAYS_VALUE_ONLY, SPANS(p->q.items[d->s.value_item].text))) != NULL)
		plan_suggest(q, label);
	return true;
}

/* "tickets solved in March": the word is about the period, see build_state_dated(). */
static bool
is_dated_state(const struct plan *p, const struct draft *d)
{
	size_t i = d->s.value_item, next = spans_skip(p, i + 1);
	const struct ask_token *t = &p->q.tokens[p->q.items[i].first];

	return d->number && !d->before && i > 0 && next < p->q.n && p->q.items[next].kind == ASK_ITEM_PERIOD &&
	    p->q.items[i].n == 1 && !t->capital && !t->quoted && ask_is_participle(p->q.language, t->folded) &&
	    (plan_names_any(p, i - 1, ASK_KIND_SOURCE) || plan_names_any(p, i - 1, ASK_KIND_MEASURE) ||
		(plan_is_word(p, i - 1, ASK_WORD_STOP) && p->q.items[i - 1].arg == ASK_STOP_INSIDE));
}

bool
build_value(struct plan *p, struct draft *d)
{
	if (is_dated_state(p, d))
		return false;
	if (d->s.none && (!d->number || is_possession(p, d)))
		return d->asks != NULL;
	return build_value_of(p, d, d->s.negated);
}

/* "tier = gold" */
bool
build_column_is(struct plan *p, struct draft *d)
{
	return d->s.operator== ASK_EXACTLY && build_column_value(p, d);
}

/* "sex is F", of what the rows lead to */
bool
build_group_value(struct plan *p, struct draft *d)
{
	return d->number && plan_names_value(p, d->s.group, d->s.value_item) &&
	    plan_names_column(p, d->s.group, ASK_KIND_COLUMN, d->s.value) && build_value_of(p, d, d->s.negated);
}

/* "In Oslo, …", unlike "the numbers of wines" where one wine is called Numbers */
bool
build_value_before(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.value_item];
	struct span next = it->first + it->n < p->q.ntokens ? p->q.tokens[it->first + it->n].folded : SPAN("");

	return !span_is_str(next, "of") && !span_is_str(next, "von") && build_value(p, d);
}

/* "movies reviewed by Ada": the row of this name, to which the rows or a link lead, or which leads to them. */
bool
build_done_by_value(struct plan *p, struct draft *d)
{
	uint32_t doer = d->s.value.node, parent = draft_parent(p, d, doer);
	bool leads = around_leads_to(p, doer, p->root, 1);
	uint32_t link = around_bridge(p, doer, p->root);

	if (d->s.noun || d->last != DRAFT_ROOT || d->near != ASK_NONE || !spans_is_verb_of(p, d->s.verb, doer) ||
	    p->m->sources[doer].label != d->s.value.column || (parent != ASK_NONE) + leads + (link != ASK_NONE) != 1)
		return false;
	if (parent != ASK_NONE) {
		d->at = DRAFT_ROOT;
		/* "not supplied by Fir": also what has no supplier */
		return !d->s.negated && build_add_value(p, d, (struct plan_column){ parent, d->s.value.column }, false);
	}
	d->s.related = leads ? doer : link;
	d->s.through = leads ? ASK_NONE : doer;
	if (!build_add_related(p, d, d->s.negated, NULL))
		return false;
	d->at = d->last;
	return build_add_value(p, d, (struct plan_column){ doer, d->s.value.column }, false);
}

/* "phones that are on a market", "… not in any concert": the word before the rows relates them in any way. */
bool
build_in_rows(struct plan *p, struct draft *d)
{
	static const char *const in[] = { "in", "on", "at", "auf", NULL },
		*const articles[] = { "a", "an", "any", "the", "some", "one", "einem", "einer", "dem", "der", NULL };
	size_t first = p->q.items[d->s.rows].first;

	while (first > 0 && span_is_any(p->q.tokens[first - 1].folded, articles))
		first--;
	/* "students in a tryout", where tryouts link them */
	if (d->last != DRAFT_ROOT && d->related[d->last].node == d->s.related &&
	    d->related[d->last].through != ASK_NONE && d->s.nadjectives == 0 && !d->s.negated && !d->and_next &&
	    !d->or_next && first > 0 && span_is_any(p->q.tokens[first - 1].folded, in))
		return true;
	return first > 0 && span_is_any(p->q.tokens[first - 1].folded, in) && !d->s.none && !d->and_next &&
	    !d->or_next && d->s.nadjectives == 0 && d->last == DRAFT_ROOT && d->near == ASK_NONE &&
	    build_add_related(p, d, d->s.negated, NULL);
}

/* "members of the club Owls": the row of that name, that other rows link to the members. */
bool
build_rows_called(struct plan *p, struct draft *d)
{
	uint32_t node = d->s.through != ASK_NONE ? d->s.through : d->s.related;

	if (p->m->nodes[node].source != d->s.value.node || !value_names_row(p, d) || d->s.noun ||
	    is_verbs_object(p, d) || d->and_next || d->or_next || d->last != DRAFT_ROOT ||
	    !build_add_related(p, d, false, NULL) || is_of_way(p, d))
		return false;
	d->at = d->last;
	return build_add_value(p, d, (struct plan_column){ node, d->s.value.column }, false);
}

/* "in Algebra", "does Ada have" */
bool
build_relates_any_way(const struct plan *p, size_t item)
{
	static const char *const words[] = { "in", "at", "with", "does", "do", "did", "bei", "mit", "hat", "haben",
		NULL };
	size_t first = p->q.items[item].first;
	struct span before = first > 0 ? p->q.tokens[first - 1].folded : SPAN("");

	/* "written by Ada", "that Ada wrote": a verb that the model declares for a join, which the reading then uses */
	if ((item > 0 && around_is_verb(p, item - 1)) || (item + 1 < p->q.n && around_is_verb(p, item + 1)) ||
	    (item > 1 && around_is_verb(p, item - 2) && (span_is_str(before, "by") || span_is_str(before, "von"))))
		return true;
	return span_is_any(before, words);
}

/* "students in Algebra", a course to which enrollments lead them: the only row of that name, and the only way. */
bool
build_linked_value(struct plan *p, struct draft *d)
{
	uint32_t source = d->s.value.node, link = around_bridge(p, source, p->root);
	bool leads = around_leads_to(p, source, p->root, 1);

	if (d->s.noun || !d->s.only || d->s.of_root || !value_names_row(p, d) ||
	    !(build_relates_any_way(p, d->s.value_item) ||
		((d->rows || d->number) && spans_is_located(p, d->s.value_item))) ||
	    d->last != DRAFT_ROOT || d->near != ASK_NONE || d->and_next || d->or_next || leads == (link != ASK_NONE))
		return false;
	d->s.related = leads ? source : link;
	d->s.through = leads ? ASK_NONE : source;
	if (!build_add_related(p, d, false, NULL))
		return false;
	d->at = d->last;
	return build_add_value(p, d, (struct plan_column){ source, d->s.value.column }, false);
}

/* "ratings by Ada": of the related rows. */
bool
build_by_value(struct plan *p, struct draft *d)
{
	/* "songs by Ada" */
	bool other = d->s.value.node != p->m->nodes[p->root].source;

	return (d->last != DRAFT_ROOT || (d->number && (d->compare || other))) && build_value_of(p, d, false);
}

bool
build_column_value(struct plan *p, struct draft *d)
{
	if (d->s.none || p->m->nodes[d->s.column.node].source != d->s.value.node ||
	    d->s.column.column != d->s.value.column || !build_add_value(p, d, d->s.column, d->s.negated))
		return false;
	if (d->nconditions > 0)
		d->conditions[d->nconditions - 1].named = true;
	return true;
}

/* "by the customer": what is said next is about what the rows lead to. */
bool
build_parent(struct plan *p, struct draft *d)
{
	(void)p;
	/* "with reviews and rentals" may be two things that the rows have */
	if (d->pending || d->or_next || d->first || (d->and_next && d->last != DRAFT_ROOT))
		return false;
	d->near = d->s.parent;
	d->pending = true;
	d->and_next = false;
	return true;
}

bool
build_and(struct plan *p, struct draft *d)
{
	(void)p;
	return !d->and_next && !d->or_next && (d->and_next = true);
}

static bool put_period(struct draft *d, struct plan_column date);

/* "Norway vs Czechia", "2024 compared to 2023" */
bool
build_versus(struct plan *p, struct draft *d)
{
	return d->nconditions + d->nperiods > 0 && build_and(p, d) && (d->compare = true);
}

bool
build_compare(struct plan *p, struct draft *d)
{
	(void)p;
	return d->compare = true;
}

/* "how did it change" */
bool
build_change(struct plan *p, struct draft *d)
{
	(void)p;
	return d->change = true;
}

/* "in 1980, how many": of the figure that follows */
bool
build_period_before(struct plan *p, struct draft *d)
{
	return put_period(d, (struct plan_column){ p->root, ASK_NONE });
}

bool
build_or(struct plan *p, struct draft *d)
{
	(void)p;
	return !d->and_next && !d->or_next && d->nconditions + d->nrelated > 0 && (d->or_next = true);
}

static bool rank_rows(struct plan *p, struct draft *d, struct plan_column at, bool descending);

/* "the first 3" are those in the order that is asked for. */
static bool
order_by(struct plan *p, struct draft *d, struct plan_column at, bool descending)
{
	if (d->ordered || d->number || d->or_next)
		return false;
	if (d->places > 0 && d->top == 0 && !d->first) {
		d->s.number = (double)d->places;
		return rank_rows(p, d, at, descending);
	}
	d->ordered = true;
	d->descending = descending;
	d->order = at;
	d->and_next = false;
	return true;
}

bool
build_ordered(struct plan *p, struct draft *d)
{
	bool listed = d->rows || d->owned || around_is_named(p, p->root);

	for (size_t i = 0; i < d->ncolumns; i++)
		listed |= d->columns[i].node == d->s.column.node && d->columns[i].column == d->s.column.column;
	return listed && d->s.column.node == p->root && order_by(p, d, d->s.column, d->s.direction < 0);
}

/* "customers ordered by city" is a list without a word that asks for it */
bool
build_rows_ordered(struct plan *p, struct draft *d)
{
	return build_rows(p, d) && build_ordered(p, d);
}

/* "by city, then by age": where only the first rows are asked for, those of the same city have the same place. */
bool
build_then_ordered(struct plan *p, struct draft *d)
{
	if (!d->ordered || d->most || d->places > 0 || d->first || d->nthen == ASK_THEN_MAX || d->or_next ||
	    d->s.column.node != p->root)
		return false;
	d->then[d->nthen].at = d->s.column;
	d->then[d->nthen++].descending = d->s.direction < 0;
	return true;
}

bool
build_alphabetical(struct plan *p, struct draft *d)
{
	for (size_t i = 0; i < d->ncolumns; i++)
		if (plan_source(p, d->columns[i].node)->columns[d->columns[i].column].type == ASK_TYPE_TEXT)
			return d->spelled = order_by(p, d, d->columns[i], d->s.direction < 0);
	return false;
}

bool
build_alphabetical_by(struct plan *p, struct draft *d)
{
	return d->spelled = build_ordered(p, d);
}

/* A row without the number has no rank. */
static bool
rank_rows(struct plan *p, struct draft *d, struct plan_column at, bool descending)
{
	double places = d->s.number > 0 || d->top != 0 ? d->s.number : (double)d->places;

	/* "the top 5 cities with the highest population", and no "bottom 5" of these */
	if ((d->places > 0 && places > 0 && places != (double)d->places) || (d->top != 0 && (d->top > 0) != descending))
		return false;
	places = places > 0 ? places : (double)d->places;
	d->at = DRAFT_ROOT;
	if (at.node != p->root || d->and_next || (d->bare && !name_rows(p, d)) ||
	    !around_counts_every_row(p, p->m->nodes[p->root].source) || places < 0 || places > 1000 ||
	    places != (double)(size_t)places || build_add_condition(d, at, PLAN_PRESENT) == NULL)
		return false;
	d->first = true;
	d->places = (size_t)places;
	return order_by(p, d, at, descending);
}

/* "sort the products by price", "the top 3 products by price" */
bool
build_sorted_by(struct plan *p, struct draft *d)
{
	if (d->top == 0)
		return d->sorted && build_ordered(p, d);
	d->s.number = (double)d->places;
	return d->s.direction == 0 &&
	    plan_source(p, d->s.column.node)->columns[d->s.column.column].type == ASK_TYPE_NUMBER &&
	    rank_rows(p, d, d->s.column, d->top > 0);
}

/* The condition that a row of another source has the highest or lowest value of all rows. */
static bool
add_highest(struct plan *p, struct draft *d, struct plan_column at, bool highest)
{
	struct plan_condition *c;

	if (p->m->governed || d->and_next || d->or_next || d->s.nadjectives > 0 ||
	    !around_counts_every_row(p, p->m->nodes[at.node].source) ||
	    (c = build_add_condition(d, at, PLAN_EXTREME)) == NULL)
		return false;
	c->negated = !highest;
	return true;
}

/* A number is the highest, a date or a year the latest. */
static bool
is_ranked_by(const struct plan *p, const struct draft *d)
{
	const struct ask_column *c = &plan_source(p, d->s.column.node)->columns[d->s.column.column];
	struct span word = p->q.tokens[p->q.items[d->s.fold].first].folded;

	if (!plan_is_word(p, d->s.fold, ASK_WORD_LATEST))
		return c->type == ASK_TYPE_NUMBER;
	/* the youngest have the latest date, and the oldest years are the first */
	return (c->type == ASK_TYPE_TIME || (c->type == ASK_TYPE_NUMBER && comparisons_holds_years(p, c))) &&
	    !ask_is_degree(p->q.language, word, SPAN(""), false);
}

/*
 * "which capital has the most people": a state's people are none of its capital's where cities have some, too, and the
 * most of a country is the sum of its rows.
 */
static bool
is_of_group(const struct plan *p, const struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	const struct ask_item *it = &p->q.items[d->s.said_by];
	uint32_t c = d->columns[0].column;
	bool others = d->s.extreme == ASK_MOST || d->s.extreme == -ASK_MOST;

	for (size_t k = 0; k < it->nhits; k++)
		others |= it->hits[k]->kind == ASK_KIND_COLUMN && it->hits[k]->source != p->m->nodes[p->root].source;
	/* "which state capital", unlike "the capital of the state" */
	size_t end = d->steps[0].end;
	const struct ask_item *last = &p->q.items[end - 1];
	bool owned = d->owned && !(end > 1 && around_names(p, end - 2, p->m->nodes[p->root].source)) &&
	    !(last->n > 1 && spans_is_word_of_rows(p, last->first));

	return others && d->ncolumns == 1 && !d->rows && !owned && d->columns[0].node == p->root && c != s->label &&
	    !s->columns[c].of_person && !ask_is_in_grain(s, &s->columns[c]);
}

bool
build_superlative(struct plan *p, struct draft *d)
{
	/* "density of the smallest state" is in no order of density */
	static const char *const of[] = { "of", "von", "der", "des", NULL };
	const struct ask_item *column = &p->q.items[d->s.said_by];

	if (is_of_group(p, d) ||
	    (d->s.fold > d->s.said_by && span_is_any(p->q.tokens[column->first + column->n].folded, of)))
		return false;
	/* "the orders of the customer with the highest age" */
	if (d->s.column.node != p->root)
		return (d->pending || (d->at != DRAFT_ROOT && d->at == d->last && !d->related[d->at].negated)) &&
		    d->s.number == 0 && !plan_is_word(p, d->s.fold, ASK_WORD_LATEST) &&
		    plan_source(p, d->s.column.node)->columns[d->s.column.column].type == ASK_TYPE_NUMBER &&
		    add_highest(p, d, d->s.column, d->s.extreme > 0);
	return d->at == DRAFT_ROOT && is_ranked_by(p, d) && rank_rows(p, d, d->s.column, d->s.extreme > 0);
}

/* "the room with the maximum occupancy", a column of this name, which each room has */
bool
build_extreme_name(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.said_by];
	const struct ask_word_row *row;
	size_t len;

	row = ask_word(p->q.language, &p->q.tokens[it->first], 1, ASK_WORD_EXTREME, &len);
	d->s.extreme = row == NULL ? 0 : row->arg;
	d->s.number = 0;
	return d->s.with && it->n > 1 && (d->s.extreme == 1 || d->s.extreme == -1) && !d->number &&
	    d->at == DRAFT_ROOT && plan_source(p, p->root)->columns[d->s.column.column].type == ASK_TYPE_NUMBER &&
	    d->s.column.node == p->root && it->first > 0 && span_is_str(p->q.tokens[it->first - 1].folded, "the") &&
	    rank_rows(p, d, d->s.column, d->s.extreme > 0);
}

/* "which peak is the highest in height" */
bool
build_is_highest(struct plan *p, struct draft *d)
{
	return d->rows && d->nsteps == 1 && build_superlative(p, d);
}

/* "cars built in the earliest year" */
bool
build_in_latest(struct plan *p, struct draft *d)
{
	size_t first = p->q.items[d->s.fold].first;

	return (d->rows || d->owned) && first > 1 && span_is_str(p->q.tokens[first - 2].folded, "in") &&
	    span_is_str(p->q.tokens[first - 1].folded, "the") && plan_is_word(p, d->s.fold, ASK_WORD_LATEST) &&
	    d->at == DRAFT_ROOT && d->s.column.node == p->root &&
	    comparisons_holds_years(p, &plan_source(p, p->root)->columns[d->s.column.column]) &&
	    build_superlative(p, d);
}

/* The column of the node that "oldest" compares: an age, else a date or a year.  False: none, or several. */
static bool
extreme_column(const struct plan *p, struct draft *d, uint32_t node, struct plan_column *at, bool *descending)
{
	const struct ask_source *s = plan_source(p, node);
	const struct ask_item *it = &p->q.items[d->s.fold];
	struct span word = p->q.tokens[it->first + it->n - 1].folded;
	bool latest = plan_is_word(p, d->s.fold, ASK_WORD_LATEST);
	size_t n = 0, dates = 0;

	*descending = d->s.extreme > 0;
	for (uint32_t c = 0; c < s->ncolumns; c++)
		if (comparisons_is_own_number(p, (struct plan_column){ node, c }) &&
		    plan_is_answered(p, ask_label(p->a, &s->columns[c].names))) {
			*at = (struct plan_column){ node, c };
			return true;
		}
	for (uint32_t i = 0; i < 2 * s->ncolumns && (n == 0 || i < s->ncolumns); i++) {
		uint32_t c = i % (uint32_t)s->ncolumns;

		/* first by the whole word */
		if (comparisons_is_own_number(p, (struct plan_column){ node, c }) &&
		    comparisons_is_of_degree(p, word, &s->columns[c], i >= s->ncolumns)) {
			*at = (struct plan_column){ node, c };
			/* the oldest has the highest age, and the earliest date */
			*descending = latest ? d->s.extreme < 0 : *descending;
			n++;
		}
	}
	/* the oldest car is not the one that was sold first */
	for (uint32_t c = 0; c < s->ncolumns && n == 0 && latest; c++)
		if (s->columns[c].time && ask_is_shown(&s->columns[c]) && (s->time == ASK_NONE || s->time == c) &&
		    (!ask_is_degree(p->q.language, word, SPAN(""), false) ||
			comparisons_is_of_degree(p, SPAN("dated"), &s->columns[c], false))) {
			*at = (struct plan_column){ node, c };
			dates++;
		}
	return n + dates == 1 || (n + dates == 0 && latest && comparisons_column_of_years(p, node, at));
}

static void
assume_extreme(struct plan *p, struct draft *d, struct plan_column at)
{
	d->assumption = plan_says(p, SAYS_TAKEN_BY,
	    SPANS(p->q.items[d->s.fold].text, ask_label(p->a, &plan_source(p, at.node)->columns[at.column].names)));
}

static bool
add_extreme_of(struct plan *p, struct draft *d, uint32_t node)
{
	struct plan_column at;
	bool highest;

	if (!extreme_column(p, d, node, &at, &highest) || !add_highest(p, d, at, highest))
		return false;
	assume_extreme(p, d, at);
	return true;
}

/* "the orders of the oldest customer" */
bool
build_of_extreme(struct plan *p, struct draft *d)
{
	d->at = d->last;
	if (!build_parent(p, d) || !add_extreme_of(p, d, d->near))
		return false;
	d->pending = false;
	return true;
}

/* "the team of the oldest player" */
bool
build_of_extreme_rows(struct plan *p, struct draft *d)
{
	if (!build_add_related(p, d, false, NULL))
		return false;
	d->at = d->last;
	return add_extreme_of(p, d, draft_node(p, d, d->last));
}

static bool
add_extreme(struct plan *p, struct draft *d)
{
	struct plan_column at;
	bool descending;

	if (!extreme_column(p, d, p->root, &at, &descending) || !rank_rows(p, d, at, descending))
		return false;
	assume_extreme(p, d, at);
	return true;
}

/* "the three oldest students" */
bool
build_extreme_rows(struct plan *p, struct draft *d)
{
	return build_rows(p, d) && add_extreme(p, d);
}

/* "names of the oldest students" */
bool
build_extreme_columns(struct plan *p, struct draft *d)
{
	return build_columns(p, d) && add_extreme(p, d);
}

/* "Which building is the tallest" */
bool
build_is_extreme(struct plan *p, struct draft *d)
{
	return d->nsteps == 1 && d->rows && d->ncolumns > 0 && d->nconditions + d->nrelated == 0 && d->places == 0 &&
	    !d->ordered && !d->and_next && !d->or_next && add_extreme(p, d);
}

/* "How old is Ada": the number of the row that a value names. */
bool
build_how_degree(struct plan *p, struct draft *d)
{
	(void)p;
	d->columns[0] = d->s.column;
	d->ncolumns = 1;
	return d->loose = true;
}

/* "How old is the youngest person" */
bool
build_how_extreme(struct plan *p, struct draft *d)
{
	d->owned = true;
	return build_how_degree(p, d) && add_extreme(p, d);
}

/* Whether a measure of the source leaves rows out: then nothing says over which rows an average is taken. */
static bool
limits_rows(const struct ask_source *s)
{
	bool limits = false;

	for (size_t i = 0; i < s->nmeasures; i++)
		limits |= s->measures[i].filter.len > 0 || s->measures[i].nsegments > 0;
	return limits;
}

/* "the average age of students", where the rest limits the students. */
bool
build_figure(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	if (d->s.column.node != p->root || p->m->governed ||
	    (limits_rows(s) && !plan_is_word(p, d->s.fold, ASK_WORD_EXTREME)))
		return false;
	for (size_t i = 0; i < d->s.nfolds; i++) {
		uint32_t column = d->s.folds[i].column;

		if (column == ASK_NONE || s->columns[column].type != ASK_TYPE_NUMBER ||
		    !comparisons_is_own_number(p, (struct plan_column){ p->root, column }))
			return false;
	}
	d->number = true;
	d->nfolds = d->s.nfolds;
	memcpy(d->folds, d->s.folds, sizeof(d->folds));
	return true;
}

static bool
names_row(const struct plan *p, uint32_t column)
{
	const struct ask_source *s = plan_source(p, p->root);

	return column == s->label || s->columns[column].of_person || ask_is_in_grain(s, &s->columns[column]);
}

/* "the most orders".  What has the fewest may have none: those that have some are ranked. */
bool
build_most(struct plan *p, struct draft *d)
{
	bool first = d->nrelated == 0, names = false;

	/* "stadium name and capacity", unlike "product category" */
	for (size_t i = 0; i < d->ncolumns; i++)
		names |= d->columns[i].node == p->root && names_row(p, d->columns[i].column);

	for (size_t i = 0; i < d->ncolumns; i++)
		/* a row without a parent is not counted; "which city has the most customers", by their address, is
		 * about cities */
		first &= d->columns[i].node == p->root &&
		    ((d->owned && (!d->compound || names)) || d->rows || names_row(p, d->columns[i].column));
	if (!first || d->ordered || (d->s.distinct && !plan_has_key(&p->m->sources[d->s.related])) ||
	    (d->number && !d->bare) || (d->bare && !name_rows(p, d)) ||
	    ask_item_names_number(p->m, &p->q.items[d->s.rows]) || !build_add_related(p, d, false, NULL))
		return false;
	d->ordered = d->most = d->first = true;
	d->descending = d->s.extreme >= 0;
	if (!d->descending)
		d->assumption = plan_says(p, SAYS_RANKED_SOME, NULL);
	return true;
}

/* "for each customer, the number of orders" */
bool
build_groups_of_rows(struct plan *p, struct draft *d)
{
	if ((d->s.through == ASK_NONE && !plan_has_key(&p->m->sources[d->s.related])) || !build_rows(p, d) ||
	    !build_most(p, d))
		return false;
	d->ordered = d->first = false;
	return d->by_row = true;
}

/* "customers in descending order of the number of orders": with that number, those that have some. */
bool
build_groups_ranked(struct plan *p, struct draft *d)
{
	if (d->ordered || d->number || d->nrelated > 0 || d->and_next || d->or_next || d->places > 0 ||
	    (d->s.through == ASK_NONE && !plan_has_key(&p->m->sources[d->s.related])) || !build_most(p, d))
		return false;
	d->first = false;
	d->descending = d->s.direction < 0;
	return d->by_row = true;
}

/* "the names of customers and the number of orders": a row for each customer that has some. */
bool
build_groups_related(struct plan *p, struct draft *d)
{
	bool rows = false;

	/* "cities of customers and the number of orders": of each city, or of each customer? */
	for (size_t i = 0; i < d->s.nlist; i++)
		rows |= (d->s.list[i].node == p->root && names_row(p, d->s.list[i].column));
	if (!rows || (d->s.through == ASK_NONE && !plan_has_key(&p->m->sources[d->s.related])) ||
	    !build_columns(p, d) || !build_most(p, d))
		return false;
	d->loose = d->distinct = d->ordered = d->first = false;
	return d->by_row = true;
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
		    !(d->s.adjectives_of == 'r' && node_linked(d) != ASK_NONE &&
			take_adjective(p, d, node_linked(d), d->s.adjectives[i], false)))
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
	return take_adjective(p, d, node_said(p, d), d->s.adjectives[0], d->s.negated) ||
	    (node_linked(d) != ASK_NONE && take_adjective(p, d, node_linked(d), d->s.adjectives[0], d->s.negated));
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

/* "paid invoices in March": paid in March, or issued in March and paid since? */
static bool
says_state(const struct plan *p, size_t period)
{
	for (size_t i = 0; i < period; i++) {
		const struct ask_token *t = &p->q.tokens[p->q.items[i].first];

		if ((plan_names_any(p, i, ASK_KIND_VALUE) || plan_names_any(p, i, ASK_KIND_SEGMENT)) &&
		    p->q.items[i].n == 1 && !t->capital && !t->quoted && ask_is_participle(p->q.language, t->folded))
			return true;
	}
	return false;
}

/* "rentals without a rider": the key that leads to one is missing. */
bool
build_no_parent(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, d->s.parent);
	struct plan_column key = { d->s.parent, plan_key_column(s) };
	struct plan_condition *c;

	if (!d->number || d->s.but || d->last != DRAFT_ROOT || key.column == ASK_NONE || d->s.nadjectives > 0 ||
	    (s->label != ASK_NONE && conditions_nothing(p, (struct plan_column){ d->s.parent, s->label }).len > 0))
		return false;
	d->at = DRAFT_ROOT;
	if ((c = build_add_condition(d, key, PLAN_PRESENT)) == NULL)
		return false;
	return c->negated = true;
}

/* The period as a condition on the date, or on the rows' own date or year if date.column is ASK_NONE. */
static bool
add_period(struct plan *p, struct draft *d, struct plan_column date)
{
	const struct ask_item *it = &p->q.items[d->s.period];
	const struct draft_condition *before = d->nconditions > 0 ? &d->conditions[d->nconditions - 1] : NULL;
	const struct ask_source *s = plan_source(p, date.node);
	struct plan copy;
	struct plan_condition years = { .at = date }, *c;

	/* "joined in 2024 or 2023": of the same date */
	if (before != NULL && d->or_next && before->is.test == PLAN_WITHIN && date.column == ASK_NONE)
		date = before->is.at;

	if (date.column == ASK_NONE && s->time == ASK_NONE && comparisons_column_of_years(p, date.node, &years.at) &&
	    comparisons_years(p, &it->period, &years)) {
		if (!part_rows(d, &years))
			return false;
		if ((c = build_add_condition(d, years.at, years.test)) != NULL)
			*c = years;
		return c != NULL;
	}
	if (date.column != ASK_NONE && s->columns[date.column].type != ASK_TYPE_TIME && !s->columns[date.column].time) {
		if (!comparisons_holds_years(p, &s->columns[date.column]) ||
		    !comparisons_years(p, &it->period, &years) ||
		    (c = build_add_condition(d, date, years.test)) == NULL)
			return false;
		*c = years;
		return true;
	}
	if (!plan_aside(p, &copy))
		return false;
	if (!periods_of_rows(&copy, date.node, d->s.period, &date))
		return take_aside(d, &copy);
	take_aside(d, &copy);
	if (!part_rows(d, &(struct plan_condition){ .at = date, .test = PLAN_WITHIN }) ||
	    (c = build_add_condition(d, date, PLAN_WITHIN)) == NULL)
		return false;
	c->items[0] = d->s.period;
	c->values[c->nvalues++] = finish_day(p, it->period.start);
	c->values[c->nvalues++] = finish_day(p, it->period.end);
	return true;
}

/* "loans due in May", "loans returned in May": the word before the period is about it, and is no column of the list. */
static bool
follows_listed_date(const struct plan *p, const struct draft *d)
{
	size_t before = d->s.period;
	const struct ask_item *it;
	bool date;

	while (before > 0 && plan_is_word(p, before - 1, ASK_WORD_STOP))
		before--;
	if (d->nsteps == 0 || before == 0 || before != d->steps[0].end ||
	    plan_names_any(p, before - 1, ASK_KIND_SOURCE))
		return false;
	it = &p->q.items[before - 1];
	date = ask_is_participle(p->q.language, p->q.tokens[it->first + it->n - 1].folded);
	for (size_t i = 0; i < d->ncolumns; i++) {
		const struct ask_column *c = &plan_source(p, d->columns[i].node)->columns[d->columns[i].column];

		date |= c->type == ASK_TYPE_OTHER || c->time || comparisons_holds_years(p, c);
	}
	return date && d->ncolumns > 0;
}

/* A period of what is measured: its date depends on the measure and the groups. */
static bool
put_period(struct draft *d, struct plan_column date)
{
	if (d->nperiods == PLAN_PERIODS_MAX)
		return false;
	d->periods[d->nperiods].item = d->s.period;
	d->periods[d->nperiods++].date = date;
	d->and_next = false;
	return true;
}

/* "delivered orders in March": delivered in March, or ordered in March and delivered since?  The user has to say. */
static bool
add_period_of_state(struct plan *p, struct draft *d, size_t word, bool of_date)
{
	struct plan_column date;
	struct plan copy;

	if (!plan_aside(p, &copy))
		return false;
	if (!periods_ask_state(&copy, word, d->s.period, &date))
		return take_aside(d, &copy);
	return (!of_date || plan_names_column(p, word, ASK_KIND_DATE, date)) && put_period(d, date);
}

/* "tickets solved in March" */
bool
build_state_dated(struct plan *p, struct draft *d)
{
	return is_dated_state(p, d) && build_value_of(p, d, false) && add_period_of_state(p, d, d->s.value_item, false);
}

/* "delivered", before what it is said of */
bool
build_date_before(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.said_by];

	d->date_before = d->s.said_by;
	return it->n == 1 && d->s.column.node == p->root &&
	    ask_is_participle(p->q.language, p->q.tokens[it->first].folded);
}

bool
build_period(struct plan *p, struct draft *d)
{
	uint32_t node = draft_node(p, d, d->last);

	if (d->date_before != PLAN_NO_ITEM)
		return d->number && add_period_of_state(p, d, d->date_before, true);
	if ((!d->number && says_state(p, d->s.period)) || follows_listed_date(p, d))
		return false;
	if ((d->number || d->leads) && !d->or_next && d->last == DRAFT_ROOT)
		return put_period(d, (struct plan_column){ p->root, ASK_NONE });
	d->at = d->last;
	if (d->last != DRAFT_ROOT && d->related[d->last].through != ASK_NONE)
		node = d->related[d->last].through;
	return add_period(p, d, (struct plan_column){ node, ASK_NONE });
}

/* "shipped by Federal", "sent to Oslo": more than that it happened. */
static bool
says_how(const struct plan *p, const struct ask_item *verb)
{
	static const char *const words[] = { "by", "to", "from", "via", "through", "with", "von", "durch", "mit",
		NULL };
	size_t next = verb->first + verb->n;

	return next < p->q.ntokens && span_is_any(p->q.tokens[next].folded, words);
}

/* "orders that are not delivered", whose date says when they were: it is missing; "that are delivered": it is there. */
bool
build_happened(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.said_by];
	size_t behind = spans_skip(p, d->s.said_by + 1);
	struct plan_condition *c;

	/* "not returned in May" may mean that it happened at another time */
	if (d->s.none || (d->number && (plan_names_any(p, d->s.said_by, ASK_KIND_VALUE) || says_how(p, it))) ||
	    (behind < p->q.n && p->q.items[behind].kind == ASK_ITEM_PERIOD) ||
	    !ask_is_participle(p->q.language, p->q.tokens[it->first + it->n - 1].folded) ||
	    (p->q.language == ASK_ENGLISH && !ask_is_participle(ASK_ENGLISH, p->q.tokens[it->first].folded)) ||
	    plan_source(p, d->s.column.node)->columns[d->s.column.column].type != ASK_TYPE_TIME ||
	    (c = build_add_condition(d, d->s.column, PLAN_PRESENT)) == NULL)
		return false;
	c->negated = d->s.negated;
	return true;
}

bool
build_dated(struct plan *p, struct draft *d)
{
	if ((d->number || d->leads) && !d->or_next && d->s.column.node == p->root &&
	    plan_source(p, p->root)->columns[d->s.column.column].type == ASK_TYPE_TIME)
		return put_period(d, d->s.column);
	return add_period(p, d, d->s.column);
}
