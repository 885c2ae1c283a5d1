#include "ask/comparisons.h"
#include "ask/readings/around.h"
#include "ask/readings/columns.h"
#include "ask/readings/match.h"
#include "ask/readings/spans.h"

/* "full", of "full name" */
static bool
says_full(const struct plan *p, size_t i)
{

	return i + 1 < p->q.n && p->q.items[i].kind == ASK_ITEM_UNKNOWN && p->q.items[i].n == 1 &&
	    plan_reads(p, p->q.items[i].first, "full whole complete vollständigen vollständiger vollen") &&
	    columns_is_name(p, i + 1);
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

	match_go_on(s, pattern, i, 0, got);
	if (next < p->q.n && plan_is_word(p, next, ASK_WORD_AND))
		match_list(s, pattern, next + 1, got);
	else if (next < p->q.n && (plan_word(p, next)->comma || plan_word(p, i)->comma))
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
	struct span name = plan_column(p, at)->names.name;

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

static bool
is_only_here(const struct plan *p, size_t i, size_t len)
{
	if (columns_is_name(p, i))
		return false;
	for (uint32_t other = 0; other < p->m->nsources; other++) {
		size_t n;

		if (other != plan_root(p) && !p->m->sources[other].covered &&
		    columns_find(p, other, i, &n) != ASK_NONE && n == len)
			return false;
	}
	return true;
}

/* Whether the item names rows other than the root's. */
static bool
names_others(const struct plan *p, size_t i)
{
	return plan_names_any(p, i, ASK_KIND_SOURCE) && !around_names(p, i, plan_root(p));
}

/* "product names", "amounts of transactions" in one: whether a word of the column names the root's rows. */
static bool
says_rows(const struct plan *p, size_t i, size_t n, uint32_t column)
{
	size_t end = p->q.items[i + n - 1].first + p->q.items[i + n - 1].n;

	/* the column that is called as its rows names them */
	if (n == 1 && around_names(p, i, plan_root(p)))
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
	    plan_names_of(p, i, ASK_KIND_COLUMN, plan_root(p)))
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
		node = columns_find(p, p->root, i, &n) == ASK_NONE ? match_owner_at(p, i) : ASK_NONE;
		n = 1;
		if (node == ASK_NONE || node == p->root || (column = plan_source(p, node)->label) == ASK_NONE ||
		    !ask_is_shown(&plan_source(p, node)->columns[column]))
			return;
		more.of_parent = true;
	}
	more.distinct_item = got->distinct_item;
	after = match_skip_to_owner(p, i + n);
	more.behind = after > i + n && match_owner_at(p, after) == p->root;
	after = more.behind ? after + 1 : i + n;
	/* "for the cars with 4 cylinders, which model" */
	more.behind |= s->before->among != PLAN_NO_ITEM && !more.of_parent;
	more.bare_behind |= !more.behind;
	if (more.behind || !more.of_parent)
		list_add(s, pattern, after, &more, i, node, column, more.behind, more.behind);
}

/* "actors born in Oslo", "discontinued products": a word that tells of the rows asks for no column. */
static bool
tells_of_rows(const struct plan *p, size_t i)
{
	return i < p->q.n && p->q.items[i].n == 1 && ask_is_participle(p->q.language, plan_word(p, i)->folded);
}

/* "names of climbers", "climber names", "names": one column of a list, and the rows that it is of. */
void
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
	owner = match_owner_at(p, i);
	own.bare = 0;
	of_groups = spans_rows_of_groups(p, s->before);
	if (of_groups != ASK_NONE && (column = listed_column(p, of_groups, i, &n)) != ASK_NONE)
		list_add(s, pattern, i + n, &own, i, of_groups, column, true, true);
	if (owner != ASK_NONE && (column = listed_column(p, owner, i + 1, &n)) != ASK_NONE &&
	    !plan_word(p, i + 1)->comma && !(plan_word(p, i)->plural && tells_of_rows(p, i + 1))) {
		struct draft_spans of = own;

		of.compound |= owner == p->root;
		list_add(s, pattern, i + 1 + n, &of, i + 1, owner, column, owner == p->root, owner == p->root);
	}
	/* "große Städte" are no "Größe der Städte" */
	if (p->q.language == ASK_GERMAN && !plan_word(p, i)->capital && match_owner_at(p, i + 1) != ASK_NONE)
		return;
	/* "song format", which the song's file has */
	if (owner == p->root && !plan_word(p, i + 1)->comma &&
	    (owner = only_behind(p, i + 1, &column, &n)) != ASK_NONE) {
		struct draft_spans more = own;

		more.behind = true;
		list_add(s, pattern, i + 1 + n, &more, i + 1, owner, column, true, true);
	}
	for (size_t len = 1; len <= 4; len++) {
		struct draft_spans of = own;

		after = match_skip_to_owner(p, i + len);
		/* "of each room" */
		if (after < p->q.n && plan_is_word(p, after, ASK_WORD_BY) && p->q.items[after].arg == 0 &&
		    !plan_reads(p, p->q.items[after].first, "by")) {
			of.each = true;
			after++;
		}
		/* "of the different clubs" */
		if (after > i + len && after < p->q.n && plan_is_word(p, after, ASK_WORD_DISTINCT)) {
			of.distinct = true;
			after++;
		}
		for (; match_is_adjective(p, after) && match_take_adjective(p, after, 'E', &of); after++)
			;
		/* "names of women" */
		if (of.nadjectives > 0 && spans_stands_for_rows(p, after - 1) &&
		    (column = listed_column(p, p->root, i, &n)) != ASK_NONE && n == len)
			list_add(s, pattern, after, &of, i, p->root, column, true, true);
		/* not so in "id, genre and title of songs" */
		owner = (after < p->q.n && plan_word(p, after)->comma) || (after == i + len && tells_of_rows(p, i)) ?
		    ASK_NONE :
		    match_owner_at(p, after);
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
	    around_names(p, i, p->m->nodes[node].source) && !plan_word(p, i)->plural &&
	    p->q.items[i + 1].kind == ASK_ITEM_NAME && !plan_word(p, i + 1)->comma) {
		size_t more;
		uint32_t behind = columns_find(p, node, i + 1, &more);

		if (behind != ASK_NONE && behind != column) {
			*n = 1 + more;
			return behind;
		}
	}
	if (column != ASK_NONE || node != p->root || got->and_next || i == 0 || i + 1 >= p->q.n ||
	    !around_names(p, i, p->m->nodes[node].source) || match_says_with(p, i - 1, true) ||
	    plan_word(p, i + 1)->comma)
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

/* Go on with the column, which n items name, also of aggregates before it; of: what a condition on it is about. */
static void
go_on_with_column(struct reading_search *s, const char *pattern, size_t i, size_t n, const struct draft_spans *got,
    struct plan_column at, size_t of)
{
	struct draft_spans more = *got;

	more.column = at;
	more.said = true;
	more.said_by = i;
	more.at = of;
	for (size_t fold = 0; fold < more.nfolds; fold++)
		if (more.folds[fold].column == ASK_NONE)
			more.folds[fold].column = at.column;
	match_go_on(s, pattern, i, n, &more);
}

/*
 * "number of visits with fee over 10", where fees are measured, too: of a figure, each row's own column is compared.
 * Of groups, and behind AND, only the column's own word says so: "by region with fees over 10" may be of each region.
 */
void
match_column_measured(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	const struct draft *d = s->before;
	uint32_t column;

	/* "number of visits and fees over 10": what is measured */
	if ((d->nconditions == 0 && (d->and_next || plan_word(p, i)->comma)) || !d->number || d->leads || got->said ||
	    got->rows > 0 || got->nfolds > 0 || d->last != DRAFT_ROOT ||
	    (column = columns_of_measure(p, p->root, i)) == ASK_NONE ||
	    ((d->ngroups > 0 || d->and_next) &&
		!span_is_folded(p->q.items[i].text, plan_source(p, p->root)->columns[column].names.name)))
		return;
	go_on_with_column(s, pattern, i, 1, got, (struct plan_column){ p->root, column }, DRAFT_ROOT);
}

/* "songs with file format mp3": a column of the only rows behind the root that have it. */
void
match_column_behind(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got)
{
	const struct plan *p = s->p;
	struct plan_column at;
	size_t n;

	if (got->said || got->rows > 0 || draft_node(p, s->before, s->before->last) != p->root ||
	    s->before->near != ASK_NONE || s->before->ngroups > 0 || got->nfolds > 0 ||
	    p->q.items[i].kind == ASK_ITEM_WORD || names_others(p, i) ||
	    (at.node = only_behind(p, i, &at.column, &n)) == ASK_NONE)
		return;
	go_on_with_column(s, pattern, i, n, got, at, s->before->last);
}

/* "weighing more than 3000", "more than 500 enrolled": the only number whose name the verb is of. */
static uint32_t
number_of_verb(const struct plan *p, const struct draft_spans *got, uint32_t node, size_t i)
{
	const struct ask_source *s = plan_source(p, node);
	struct span word = plan_word(p, i)->folded;
	uint32_t found = ASK_NONE;

	if (p->q.items[i].kind != ASK_ITEM_UNKNOWN || p->q.items[i].n != 1 ||
	    !(span_ends(word, "ing") || span_ends(word, "ed")) ||
	    !(got->comparator != PLAN_NO_ITEM || plan_is_word(p, i + 1, ASK_WORD_COMPARATOR) ||
		plan_is_word(p, i + 1, ASK_WORD_RANGE)))
		return ASK_NONE;
	for (uint32_t c = 0; c < s->ncolumns; c++) {
		struct ask_words name = ask_words_of(p->a, ask_label(p->a, &s->columns[c].names), true);

		if (name.n != 1 || !comparisons_is_own_number(p, (struct plan_column){ node, c }) ||
		    match_common_stem(name.t[0].folded, word) == 0)
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
	const struct ask_entry *e;
	uint32_t found = ASK_NONE;

	for (size_t k = 0; i > 0 && p->q.items[i - 1].kind == ASK_ITEM_NUMBER &&
	     (e = plan_next_hit(p, i, ASK_KIND_COLUMN, &k)) != NULL;) {
		if (e->source != p->m->nodes[node].source || s->columns[e->index].type != ASK_TYPE_NUMBER)
			continue;
		if (found != ASK_NONE)
			return ASK_NONE;
		found = e->index;
	}
	return found;
}

/* "born", as the model calls both the city and the year: what follows tells which. */
static void
match_each_called(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got, uint32_t node,
    size_t of)
{
	const struct ask_entry *e;

	if (!tells_of_rows(s->p, i) || got->said || got->nfolds > 0)
		return;
	for (size_t k = 0; (e = plan_next_hit(s->p, i, ASK_KIND_COLUMN, &k)) != NULL;)
		if (e->source == s->p->m->nodes[node].source &&
		    ask_is_shown(&plan_source(s->p, node)->columns[e->index]))
			go_on_with_column(s, pattern, i, 1, got, (struct plan_column){ node, e->index }, of);
}

/* A column of what the rows lead to, of the rows that the words are about, then of the root. */
void
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
	if (got->nfolds > 0 && !got->said && match_any_comma(s->p, got->fold + 1, i))
		return;
	for (size_t k = 0; k < sizeof(about) / sizeof(about[0]); k++) {
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
		if (column == ASK_NONE) {
			match_each_called(s, pattern, i, got, about[k].node, about[k].of);
			continue;
		}
		if (got->said && got->nfolds == 0 &&
		    (got->column.node != about[k].node || got->column.column != column))
			continue;
		if (names_no_rows(s->p, s->before, i))
			continue;
		go_on_with_column(s, pattern, i, n, got, (struct plan_column){ about[k].node, column }, about[k].of);
		if (!got->named) /* no AND before it: about what was named last */
			return;
		before = about[k].node;
	}
	match_column_measured(s, pattern, i, got);
	match_column_behind(s, pattern, i, got);
}

/* A column of the only other rows that lead to the root and have it: "customers with card number 5". */
void
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
		bool leads = source != p->root && around_reaches(p, source, p->m->nodes[p->root].source);
		uint32_t column;

		if ((!leads && routes->hops[source] == ASK_NONE) || p->m->sources[source].covered ||
		    (column = columns_find(p, source, i, &len)) == ASK_NONE ||
		    (!around_leads_to(p, source, p->root, 1) &&
			ask_is_foreign(p->m, source, p->m->sources[source].columns[column].names.name)))
			continue;
		if (at.node != ASK_NONE || !around_leads_to(p, source, p->root, 1))
			return;
		n = len;
		at = (struct plan_column){ source, column };
	}
	if (at.node == ASK_NONE)
		return;
	more = *got;
	more.rows = i;
	more.related = at.node;
	more.through = ASK_NONE;
	go_on_with_column(s, pattern, i, n, &more, at, more.at);
}
