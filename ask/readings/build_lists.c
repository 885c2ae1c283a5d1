#include "ask/comparisons.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"
#include "ask/readings/spans.h"

/* "the average price and weight of products": of both, if nothing sets the second one apart. */
bool
build_figure_of_two(struct plan *p, struct draft *d)
{
	size_t before = p->q.items[d->s.said_by].first - 1;

	if (!plan_is_word(p, d->s.said_by - 1, ASK_WORD_AND) || d->s.nfolds != 1 || p->names->words[before].article ||
	    d->s.folds[0].column == d->s.column.column || comparisons_holds_years(plan_column(p, d->s.column)))
		return false;
	d->s.folds[1] = (struct draft_fold){ d->s.folds[0].item, d->s.column.column };
	d->s.nfolds = 2;
	return build_figure(p, d);
}

/* "the total number of kids", "how many kids … in total", "how many kids did Ada have": the sum of a column. */
bool
build_sum(struct plan *p, struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.count];
	bool total = false;

	for (size_t w = it->first; w < it->first + it->n; w++)
		total |= plan_reads(p, w, "total");
	d->s.folds[0] = (struct draft_fold){ d->s.count, d->s.column.column };
	d->s.nfolds = 1;
	d->loose = !total;
	return !plan_names_any(p, d->s.said_by, ASK_KIND_SOURCE) && build_figure(p, d);
}

/* The rows with the highest or lowest value become those of each group of theirs; no other condition is on them. */
static bool
take_groups_of_extreme(struct plan *p, struct draft *d, const struct plan_column *group)
{
	const struct ask_source *s = plan_source(p, p->root);
	struct plan_condition *c = &d->conditions[0].is;

	if (!d->first || !d->ordered || d->most || d->number || d->places > 0 || d->nconditions != 1 ||
	    d->nrelated > 0 || d->nthen > 0 || c->test != PLAN_PRESENT || d->order.node != p->root ||
	    group->node != p->root || group->column == s->label || group->column == d->order.column ||
	    ask_is_in_grain(s, &s->columns[group->column]) || s->columns[group->column].masked || p->m->governed ||
	    d->ncolumns + 2 > DRAFT_COLUMNS_MAX || d->and_next || d->or_next || d->bare)
		return false;
	c->test = PLAN_EXTREME;
	c->negated = !d->descending;
	c->nvalues = 2;
	c->values[0] = plan_field(p, *group);
	c->values[1] = ask_label(p->a, &s->columns[group->column].names);
	d->first = d->ordered = false;
	d->columns[d->ncolumns++] = *group;
	d->columns[d->ncolumns++] = d->order;
	return d->each = true;
}

/* "the heaviest car of each year", "the school with the smallest enrollment in each state" */
bool
build_of_each(struct plan *p, struct draft *d)
{
	return d->s.nlist == 1 && build_says_each(p, d) && take_groups_of_extreme(p, d, &d->s.list[0]);
}

/* "for each year, the heaviest car" */
bool
build_for_each_extreme(struct plan *p, struct draft *d)
{
	struct plan_column group = d->s.list[0];
	bool one = d->s.nlist == 1 && build_says_each(p, d);

	d->s.nlist = 0;
	return one && build_list(p, d) && take_groups_of_extreme(p, d, &group);
}

/* Whether the only listed column names the rows: "titles", "names of librarians". */
static bool
names_rows_listed(const struct plan *p, const struct draft *d)
{
	return d->nsteps == 1 && d->ncolumns == 1 && d->columns[0].node == p->root && !d->distinct &&
	    d->columns[0].column == plan_source(p, p->root)->label;
}

/* "the product with the highest price, and its category", "the branches with their opening date" */
bool
build_and_its(struct plan *p, struct draft *d)
{
	size_t from = d->steps[d->nsteps - 1].end, first;
	/* "whose plan is pro" begins a condition */
	const char *its = plan_is_word(p, from, ASK_WORD_AND) ?
	    "its their his her dessen deren ihre ihren seinen seine" :
	    "its their his her ihrem ihren ihrer seinem seiner";

	from = spans_skip(p, from + plan_is_word(p, from, ASK_WORD_AND));
	first = from < p->q.n ? p->q.items[from].first : 0;
	if (d->number && d->bare && d->nsteps == 1 && d->entity != PLAN_NO_ITEM && first > 0 &&
	    plan_reads(p, first - 1, its))
		d->rows = build_name_rows(p, d);
	if (!(d->first || d->rows || names_rows_listed(p, d)) || d->number || d->leads || first == 0 ||
	    !(build_says_their(p, d) || ask_is_any(span_str(d->steps[d->nsteps - 1].row), "and_its and_parent")) ||
	    d->ncolumns + d->s.nlist > DRAFT_COLUMNS_MAX)
		return false;
	for (size_t i = 0; i < d->s.nlist; i++) {
		if (d->s.list[i].node != p->root && d->first)
			return false;
		d->columns[d->ncolumns++] = d->s.list[i];
	}
	return true;
}

/* "the librarians and their branches", "titles with their author": with what names the row to which each leads. */
bool
build_and_parent(struct plan *p, struct draft *d)
{
	const struct ask_source *s = plan_source(p, d->s.parent);

	/* "branches and their librarians": those who work there, not who manages it */
	if (!plan_names_any(p, d->s.rows, ASK_KIND_ALIAS) &&
	    (plan_last_word(p, d->s.rows)->plural || p->q.language == ASK_GERMAN) &&
	    around_reaches(p, p->m->nodes[d->s.parent].source, plan_root(p)))
		return false;
	if (d->s.nadjectives > 0 || p->m->nodes[d->s.parent].source == plan_root(p))
		return false;
	d->s.nlist = 0;
	for (uint32_t c = 0; c < s->ncolumns && d->s.nlist < DRAFT_COLUMNS_MAX; c++)
		if (ask_is_name(s, c) && ask_is_shown(&s->columns[c]))
			d->s.list[d->s.nlist++] = (struct plan_column){ d->s.parent, c };
	return d->s.nlist > 0 && build_and_its(p, d);
}

/* "the countries of customers, without duplicates" */
bool
build_distinct_behind(struct plan *p, struct draft *d)
{
	if (p->q.items[d->s.distinct_item].arg == 0 || d->rows || d->each || d->ncolumns == 0)
		return false;
	return d->distinct = true;
}

/* "each student's first name" */
bool
build_each_columns(struct plan *p, struct draft *d)
{
	d->s.each = true;
	return d->s.owned && build_columns(p, d);
}

/* "Kartenarten", of Karten: a compound that begins with the name of the rows. */
static bool
begins_with_rows(const struct plan *p, size_t i)
{
	struct span word = plan_word(p, i)->german;
	struct ask_words rows = ask_words_of(p->a, ask_label(p->a, &plan_source(p, p->root)->names), false);

	return p->q.language == ASK_GERMAN && rows.n == 1 && word.len > rows.t[0].german.len + 2 &&
	    memcmp(word.p, rows.t[0].german.p, rows.t[0].german.len) == 0;
}

/* "the number of card types": of different ones, where a text tells no row; "countries" alone may be others. */
bool
build_number_of_values(struct plan *p, struct draft *d)
{
	const struct plan_column at = d->s.list[0];
	const struct ask_column *c = plan_column(p, at);
	const struct ask_item *last = &p->q.items[d->s.count + 1];
	bool kinds = d->s.count + 1 < p->q.n && spans_says_kind(p, d->s.count + 1);

	if (d->s.nlist != 1 || c->type != ASK_TYPE_TEXT || at.node != p->root ||
	    ask_tells_rows(plan_source(p, at.node), at.column) || d->s.count + 1 >= p->q.n ||
	    !(kinds || d->s.owned || last->n > 1 || around_is_named(p, p->root) ||
		begins_with_rows(p, d->s.count + 1)) ||
	    !(kinds || p->q.language == ASK_GERMAN || p->q.tokens[last->first + last->n - 1].plural))
		return false;
	d->s.named |= kinds;
	return build_groups_values(p, d);
}

/* "students whose tryout decision is yes", "artists whose song ratings are above 9" */
bool
build_has_column(struct plan *p, struct draft *d)
{
	struct plan_column at = d->s.column;
	bool value = d->s.nvalues > 0;

	if ((value &&
		(d->s.none || d->s.noun || p->m->nodes[at.node].source != d->s.value.node ||
		    at.column != d->s.value.column)) ||
	    !build_add_related(p, d, false, NULL))
		return false;
	d->at = d->last;
	return value ? build_add_value(p, d, at, false) : build_add_number(p, d, at);
}

/* "How many songs does each artist sing? List the artist's country and the number": of each group. */
bool
build_then_groups(struct plan *p, struct draft *d)
{
	uint32_t rows = spans_rows_of_groups(p, d);
	const struct ask_source *s;

	if (rows == ASK_NONE || d->nmeasures > 0 || d->nfolds > 0 || d->values || d->s.nlist == 0)
		return false;
	s = plan_source(p, rows);
	for (size_t i = 0; i < d->s.nlist; i++) {
		if (d->s.list[i].node != rows)
			return false;
		/* shown anyway: what names the rows, or else their key */
		if (d->s.list[i].column == (s->label != ASK_NONE ? s->label : plan_key_column(s)))
			continue;
		if (d->ngroups == PLAN_GROUPS_MAX)
			return false;
		d->groups[d->ngroups].item = PLAN_NO_ITEM;
		d->groups[d->ngroups++].at = d->s.list[i];
	}
	return true;
}

/* "with the most accounts, and how many accounts does he have": the number, which is shown anyway. */
bool
build_their_number(struct plan *p, struct draft *d)
{
	const struct draft_related *r = &d->related[0];
	bool again = d->s.rows == 0 || (d->s.related == r->node && d->s.through == r->through);

	(void)p;
	if (!(d->most || d->by_row) || d->nrelated != 1 || !again || d->or_next || d->s.distinct)
		return false;
	d->and_next = false;
	return true;
}

/* The two values of the row at hand, one after the other, joined by '&', '|' or nothing. */
static bool
add_both_values(struct plan *p, struct draft *d, struct plan_column first, struct plan_column last, char joined)
{
	struct span text = d->s.text;

	d->at = d->last;
	d->s.text = d->s.first_text;
	if (!build_add_value(p, d, first, false))
		return false;
	d->s.text = text;
	d->and_next = joined == '&';
	d->or_next = joined == '|';
	return build_add_value(p, d, last, false);
}

/* "papers written by Ada Quill": the person of this first and last name, whom other rows link to these. */
bool
build_linked_person(struct plan *p, struct draft *d)
{
	uint32_t source = d->s.value.node, parent = draft_parent(p, d, source), called = d->s.through;
	const struct ask_source *s = &p->m->sources[source];
	bool named = d->s.rows > 0;
	struct plan_column first = { source, d->s.first_value.column }, last = { source, d->s.value.column };

	/* the rows that are named have to be those of the value */
	called = called != ASK_NONE ? called : d->s.related;
	if (d->s.nvalues != 2 || d->s.first_value.node != source || first.column == last.column ||
	    !s->columns[first.column].of_person || !s->columns[last.column].of_person ||
	    (parent != ASK_NONE) + build_find_links(p, d, source) != 1 ||
	    !(named || build_relates_any_way(p, d->s.value_item - 1) || build_relates_any_way(p, d->s.value_item)) ||
	    (named && parent == ASK_NONE && p->m->nodes[called].source != source))
		return false;
	first.node = last.node = parent != ASK_NONE ? parent : source;
	if (parent == ASK_NONE && !build_add_related(p, d, false, NULL))
		return false;
	return add_both_values(p, d, first, last, '\0');
}

/* What the words between the items say of the rows: 1, compared with each; -1, with one; 0, nothing. */
static int
says_which(const struct plan *p, size_t first, size_t end)
{
	static const char each[] = "all every each alle aller allen jedes jeder jedem";
	int which = 0;

	for (size_t i = p->q.items[first].first + p->q.items[first].n; i < p->q.items[end].first; i++)
		if (plan_reads(p, i, each) ||
		    plan_reads(p, i, "some einige manche manchen irgendein irgendeines irgendeiner"))
			which = plan_reads(p, i, each) ? 1 : -1;
		else if (plan_reads(p, i, "any"))
			return 0;
	return which;
}

/* "heavier than the heaviest car of 1974", and not than the oldest one */
static bool
is_extreme_of(const struct plan *p, const struct draft *d)
{
	const struct ask_item *it = &p->q.items[d->s.fold];

	return d->s.extreme == 0 ||
	    (plan_is_word(p, d->s.fold, ASK_WORD_EXTREME) &&
		comparisons_is_of_degree(p, p->q.tokens[it->first + it->n - 1].folded, plan_column(p, d->s.column),
		    true));
}

/* "a rating below that of all songs in English", "above the average rating of songs in English" */
bool
build_than(struct plan *p, struct draft *d)
{
	bool over = d->s.operator== ASK_OVER || d->s.operator== ASK_AT_LEAST;
	enum plan_of of = PLAN_OF_AVERAGE;
	struct plan_condition *c;
	int which;

	if (!d->s.said && (!build_degree_column(p, d, &d->s.column) || !is_extreme_of(p, d)))
		return false;
	if (d->s.negated ||
	    d->s.operator== ASK_EXACTLY || d->nrelated> 0 || d->at != DRAFT_ROOT || d->s.column.node != p->root ||
		d->near != ASK_NONE || plan_column(p, d->s.column)
		    ->type != ASK_TYPE_NUMBER)
		return false;
	if (d->s.extreme != 0)
		of = d->s.extreme > 0 ? PLAN_OF_HIGHEST : PLAN_OF_LOWEST;
	else if (!plan_is_word(p, d->s.fold, ASK_WORD_AGGREGATE) || d->s.fold < d->s.comparator) {
		if ((which = says_which(p, d->s.comparator, d->s.item)) == 0)
			return false;
		of = (which > 0) == over ? PLAN_OF_HIGHEST : PLAN_OF_LOWEST;
	}
	if ((c = build_add_condition(d, d->s.column, PLAN_AVERAGE)) == NULL)
		return false;
	c->operator= comparisons_operator(d->s.operator);
	c->index = of;
	d->last = d->nrelated;
	d->related[d->nrelated++] = (struct draft_related){ .node = p->root, .of = DRAFT_ROOT, .through = ASK_NONE,
		.way = ASK_NONE, .compared = true };
	return d->s.compared = true;
}

/*
 * "cities with both customers under 30 and customers over 40", "cities without customers under 30": each value of the
 * list, of whose rows some, or none, are so.
 */
bool
build_alike(struct plan *p, struct draft *d)
{
	bool first = d->nrelated == 0;

	for (size_t i = 0; i < d->ncolumns; i++)
		first &= d->columns[i].node == p->root &&
		    plan_source(p, p->root)->columns[d->columns[i].column].type == ASK_TYPE_TEXT;
	if (d->ncolumns == 0 || d->rows || (d->owned && !d->compound) || d->ordered || d->first || d->or_next ||
	    d->link || d->near != ASK_NONE || d->nrelated == DRAFT_RELATED_MAX ||
	    (first ? d->nconditions > 0 || d->and_next :
		     d->nrelated == 0 || !d->and_next || !d->related[d->nrelated - 1].alike) ||
	    (d->s.negated && !d->s.none && !d->s.with))
		return false;
	d->last = d->nrelated;
	d->related[d->nrelated++] = (struct draft_related){ .node = p->root, .of = DRAFT_ROOT, .through = ASK_NONE,
		.way = ASK_NONE, .compared = true, .alike = true, .negated = d->s.negated };
	d->and_next = false;
	return d->s.compared = true;
}

/* Whether a verb that the model declares for a join stands behind the item, as German verbs do. */
static bool
ends_in_join(const struct plan *p, size_t i)
{
	while (++i < p->q.n)
		if (around_is_verb(p, i))
			return p->q.language == ASK_GERMAN;
	return false;
}

/* "Artikel, die von Autoren der Uni geschrieben wurden": the verb, behind the rows, relates them. */
bool
build_joined_behind(struct plan *p, struct draft *d)
{
	static const char by[] = "von vom durch";
	size_t first = p->q.items[d->s.rows].first;

	while (first > 0 && p->names->words[first - 1].article)
		first--;
	return first > 0 && (plan_reads(p, first - 1, by) || (first > 1 && plan_reads(p, first - 2, by))) &&
	    ends_in_join(p, d->s.rows) && d->s.nadjectives == 0 && build_add_related(p, d, false, NULL);
}

/* "rooms that were never booked": those that no row leads to as the verb says. */
bool
build_no_join(struct plan *p, struct draft *d)
{
	size_t behind = spans_skip(p, d->s.verb + 1);

	d->s.related = build_joined_source(p, d->s.verb);
	return d->s.related != ASK_NONE && (behind == p->q.n || plan_word(p, behind)->comma) &&
	    build_add_related(p, d, true, NULL);
}

/* "Stadien, in denen 2014 kein Konzert stattfand", "haben 2014 kein Konzert": the period is of what follows. */
bool
build_period_has(struct plan *p, struct draft *d)
{
	size_t first = d->s.period;
	bool has = false;

	while (first > 0 && plan_is_word(p, first - 1, ASK_WORD_STOP) && !plan_word(p, first)->comma)
		has |= plan_reads(p, p->q.items[--first].first, "haben hat hatten hatte");
	return ((has && d->s.negated) || plan_word(p, first)->comma ||
		   (first > 0 && plan_is_word(p, first - 1, ASK_WORD_NOT))) &&
	    build_add_related(p, d, d->s.negated, NULL) && build_period(p, d);
}

/* "wurden 2025 nicht ausgeliehen": the participle, behind the period, is of rows that lead to these. */
bool
build_period_event(struct plan *p, struct draft *d)
{
	return !d->s.none && !build_says_who_did(p, d->s.rows) &&
	    ask_is_participle(p->q.language, plan_word(p, d->s.rows)->folded) &&
	    build_add_related(p, d, d->s.negated, NULL) && build_period(p, d);
}

/* "die 2024 gebaut wurden": the verb, behind the period, tells which date or year it is. */
bool
build_dated_behind(struct plan *p, struct draft *d)
{
	const struct ask_token *verb = plan_word(p, d->s.said_by);

	return !verb->capital && ask_is_participle(ASK_GERMAN, verb->folded) && build_dated(p, d);
}

/* "how old are the students on average", "wie viele Punkte haben die Spieler insgesamt" */
bool
build_average_behind(struct plan *p, struct draft *d)
{
	const struct ask_item *fold = &p->q.items[d->s.fold];

	bool sum = d->s.count != PLAN_NO_ITEM || plan_reads(p, 0, "was") || plan_reads(p, 1, "viel");

	if (!plan_is_word(p, d->s.fold, ASK_WORD_AGGREGATE) || (fold->arg != ASK_FOLD_AVG && !sum) || d->s.nfolds != 1)
		return false;
	d->s.folds[0].column = d->s.column.column;
	return build_figure(p, d);
}

/* Two values of one column of the source */
static bool
are_alike(const struct draft *d, uint32_t source)
{
	return d->s.nvalues == 2 && d->nrelated == 0 && d->s.value.node == source && d->s.first_value.node == source &&
	    d->s.first_value.column == d->s.value.column;
}

/* "both", in front of two values of one column of the source */
static bool
are_both(const struct plan *p, const struct draft *d, uint32_t source)
{
	size_t first = d->nsteps > 0 ? p->q.items[d->steps[d->nsteps - 1].end].first : 0;

	while (first < p->q.items[d->s.value_item].first && !plan_reads(p, first, "both sowohl"))
		first++;
	return first < p->q.items[d->s.value_item].first && are_alike(d, source);
}

/* "with both crime and poetry titles": some of each. */
bool
build_has_both(struct plan *p, struct draft *d)
{
	struct plan_column at = { d->s.related, d->s.value.column };

	return are_both(p, d, p->m->nodes[d->s.related].source) && d->s.through == ASK_NONE &&
	    build_add_related(p, d, false, NULL) && add_both_values(p, d, at, at, '&');
}

/* "with crime or poetry titles" */
bool
build_has_either(struct plan *p, struct draft *d)
{
	struct plan_column at = { d->s.related, d->s.value.column };

	return are_alike(d, p->m->nodes[d->s.related].source) && !are_both(p, d, p->m->nodes[d->s.related].source) &&
	    d->s.through == ASK_NONE && !d->s.negated && !d->s.none && build_add_related(p, d, false, NULL) &&
	    add_both_values(p, d, at, at, '|');
}

/* "with songs in English and songs in Bangla", "with orders and invoices" */
bool
build_again(struct plan *p, struct draft *d)
{
	return d->and_next && d->last != DRAFT_ROOT && !d->related[d->last].compared &&
	    build_add_related(p, d, false, NULL);
}

/* "papers by authors from Norway": of which more has to be said; "by author" alone may be groups. */
bool
build_by_rows(struct plan *p, struct draft *d)
{
	return plan_reads(p, p->q.items[d->s.by].first, "by") && build_add_related(p, d, false, NULL) &&
	    (d->related[d->last].unsaid = true);
}

/* "countries that have both Italian and English channels" */
bool
build_alike_values(struct plan *p, struct draft *d)
{
	struct plan_column at = { p->root, d->s.value.column };

	for (size_t i = 0; i < d->ncolumns; i++)
		if (d->columns[i].column == at.column)
			return false;
	return are_both(p, d, plan_root(p)) && !d->s.noun && build_alike(p, d) && add_both_values(p, d, at, at, '&');
}
