#include "ask/comparisons.h"
#include "ask/counts.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"
#include "ask/readings/spans.h"

/* "Who reports to Andrew" asks for people, which a number is not, nor the key of another row. */
static bool
asks_for_people(const struct plan *p, struct plan_column at)
{
	const struct ask_column *c = plan_column(p, at);

	return (c->type == ASK_TYPE_NUMBER || ask_is_foreign(p->m, at.node, c->names.name)) &&
	    plan_reads(p, 0, "who wer");
}

/* "Who made the latest order" asks for another one than the rows, unlike "who is the oldest customer". */
static bool
asks_who_did(const struct plan *p)
{

	return plan_reads(p, 0, "who wer") &&
	    !(p->q.ntokens > 1 && plan_reads(p, 1, "is are was were has have had ist sind war waren hat haben"));
}

/* "teachers and the courses they teach": the question says that the columns go together. */
static bool
says_each(const struct plan *p)
{

	for (size_t i = 0; i < p->q.ntokens; i++)
		if (plan_reads(p, i,
			"they their each corresponding sie ihre ihren deren jeweils jeweiligen jeweilige zugehörigen"))
			return true;
	return false;
}

/* "train stations", which lead to a station: the rows are called as one that they lead to. */
static bool
is_named_as_link(const struct plan *p)
{
	const struct ask_node *n = &p->m->nodes[p->root];

	for (size_t e = 0; e < n->nedges; e++) {
		struct ask_words to = plan_source(p, n->edges[e].to)->names.words;

		if (to.n == 1 && ask_words_have(plan_source(p, p->root)->names.words, to.t[0].stem))
			return true;
	}
	return false;
}

/* "the sequel of Rain", by a column "sequel of": of what Rain is the sequel, or what is Rain's? */
static bool
ends_in_of(const struct plan *p)
{
	bool any = false;

	for (size_t i = 0; i + 1 < p->q.n; i++)
		any |= p->q.items[i].n > 1 && plan_names_any(p, i, ASK_KIND_COLUMN) &&
		    plan_reads_before(p, i + 1, "of von") && plan_names_any(p, i + 1, ASK_KIND_VALUE) &&
		    p->q.items[i].first + p->q.items[i].n == p->q.items[i + 1].first;
	return any;
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
	if ((d->link ? own || !several || !says_each(p) || !counts_every_row(p, plan_root(p)) : !own) || ends_in_of(p))
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
	d->loose = !d->link && d->among == PLAN_NO_ITEM &&
	    (!d->s.named || d->s.of_parent || (!d->owned && (!text || d->s.singular)));
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

	if (!build_columns(p, d) || d->s.distinct || d->link || plan_reads(p, 0, "how wie"))
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
	if (d->ncolumns == 0 || d->rows || (d->owned && !d->compound) || d->nrelated > 0 ||
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
	if (!lists || !asks_for_rows(p, d) || (!d->rows && d->near != ASK_NONE) || !build_columns(p, d))
		return false;
	d->rows = d->loose = d->unnamed = false;
	return d->owned = true;
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

/* "wie groß ist die Stadt Ulm" */
static bool
asks_degree(const struct plan *p)
{

	return p->q.ntokens > 1 && plan_reads(p, 0, "wie") &&
	    !plan_reads(p, 1, "lautet lauten heißt heisst heißen heissen");
}

bool
build_rows(struct plan *p, struct draft *d)
{
	if (asks_who_did(p) || asks_degree(p) || !build_name_rows(p, d) ||
	    ask_item_names_number(p->m, &p->q.items[d->s.item]))
		return false;
	d->unnamed =
	    asks_for_people(p, d->columns[0]) || is_own_column(p, d->s.item, plan_source(p, p->root)->label, false);
	d->rows = !d->s.distinct;
	return true;
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

/* "how many orders", "share of orders"; "authors without books": an entity alone is counted */
bool
build_number(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);
	/* a name of the rows is no number of them: "schools", of a column school that names each */
	uint32_t label = s->label != ASK_NONE && s->columns[s->label].type == ASK_TYPE_TEXT ? s->label : ASK_NONE,
		 source = plan_root(p);

	if (key_of_way(p) != ASK_NONE)
		label = key_of_way(p);
	if (d->s.item == 0 && d->among != PLAN_NO_ITEM)
		d->s.item = d->among;
	d->number = true;
	d->bare = d->s.count == PLAN_NO_ITEM && !d->s.share;
	d->entity = d->s.item;
	return (counts_every_row(p, source) || counts_own_measure(p, source) != ASK_NONE) &&
	    !(d->s.distinct && plan_key_column(s) == ASK_NONE) && !is_own_column(p, d->s.item, label, true) &&
	    !counts_defines_number(p, source);
}

/* "the total number of orders", "total orders"; "the sum of payments" is no number of them */
bool
build_total_number(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.fold];
	size_t len;

	return it->word == ASK_WORD_AGGREGATE && it->arg == ASK_FOLD_SUM &&
	    !(d->s.count == PLAN_NO_ITEM &&
		ask_word(p->q.language, plan_last_word(p, d->s.fold), 1, ASK_WORD_OF, &len) != NULL) &&
	    build_number(p, d);
}

/* "is there a customer in Norway", "no gold customers" */
bool
build_there_is(struct plan *p, struct draft *d)
{
	return (d->s.negated ? d->s.nadjectives > 0 :
			       p->q.ntokens > 2 && plan_reads(p, 0, "is are gibt") && plan_reads(p, 1, "there es")) &&
	    build_number(p, d);
}

/* "the average age of patients", where the root are doctors, who have an age too. */
static bool
is_column_of_others(const struct plan *p, const struct draft *d)
{
	size_t next = d->s.said_by < p->q.n ? spans_skip(p, d->s.said_by + 1) : p->q.n, n;
	uint32_t source = next < p->q.n ? plan_source_named(p, next) : ASK_NONE;

	return source != ASK_NONE && source != plan_root(p) && p->q.items[next].first > 0 &&
	    p->names->words[p->q.items[next].first - 1].belongs &&
	    columns_find(p, source, d->s.said_by, &n) != ASK_NONE;
}

/* "the average age of students", where the rest limits the students. */
bool
build_figure(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, p->root);

	/* where the model counts only some of the rows, the average is over these */
	if (d->s.column.node != p->root || p->m->governed || is_column_of_others(p, d) ||
	    (!counts_tells_rows(p, plan_root(p)) && !plan_is_word(p, d->s.fold, ASK_WORD_EXTREME)))
		return false;
	for (size_t i = 0; i < d->s.nfolds; i++) {
		uint32_t column = d->s.folds[i].column;

		if (column == ASK_NONE || s->columns[column].type != ASK_TYPE_NUMBER ||
		    !comparisons_is_own_number(p, (struct plan_column){ p->root, column }))
			return false;
	}
	build_take_folds(d);
	return d->number = true;
}
