#include "ask/aggregates.h"
#include "ask/counts.h"
#include "ask/measures.h"
#include "ask/comparisons.h"
#include "ask/conditions.h"
#include "ask/groups.h"
#include "ask/having.h"
#include "ask/superlatives.h"

/* The numbers of the source that the word names; an answer of the user decides. */
static size_t
numbers_named(struct plan *p, size_t word, uint32_t source, uint32_t *column)
{
	const struct ask_source *s = &p->m->sources[source];
	struct span said = p->q.tokens[p->q.items[word].first].folded;
	size_t n = 0;

	for (unsigned answered = 2; answered-- > 0 && n == 0;)
		for (uint32_t i = 0; i < s->ncolumns; i++)
			if (comparisons_is_own_number(p, (struct plan_column){ source, i }) &&
			    (answered ? plan_is_answered(p, ask_label(p->a, &s->columns[i].names)) :
					comparisons_is_of_degree(p, said, &s->columns[i]))) {
				*column = i;
				n++;
			}
	return n;
}

/* "[Measure: revenue]" as the answer: the rows are groups of that measure. */
static bool
take_answered_measure(struct plan *p)
{
	for (uint32_t s = 0; s < p->m->nsources; s++)
		for (uint32_t i = 0; i < p->m->sources[s].nmeasures; i++)
			if (plan_is_answered(p, ask_label(p->a, &p->m->sources[s].measures[i].names))) {
				p->root = s;
				p->by_answer = true;
				measures_add(p, s, i);
				return true;
			}
	return false;
}

/* Suggest the numbers of the source, then what adds up over its rows and over what belongs to them. */
void
superlatives_by_answer(struct plan *p, size_t word, uint32_t source)
{
	struct ask_clarification *q;
	const struct ask_source *own = &p->m->sources[source];

	if (take_answered_measure(p))
		return;
	q = plan_ask(p, SAYS_TOPIC_MEASURE, SAYS_BY_WHICH_NUMBER, SPANS(p->q.items[word].text));

	for (uint32_t i = 0; !plan_is_word(p, word, ASK_WORD_TOP) && i < own->ncolumns; i++)
		if (comparisons_is_own_number(p, (struct plan_column){ source, i }))
			plan_suggest(q, ask_label(p->a, &own->columns[i].names));
	for (uint32_t s = 0; s < p->m->nsources; s++) {
		bool belongs = s == source || plan_belongs(p, s, source);

		for (size_t i = 0; belongs && i < p->m->sources[s].nmeasures; i++)
			if (p->m->sources[s].measures[i].additive &&
			    !(s == source && measures_is_count(&own->measures[i])))
				plan_suggest(q, ask_label(p->a, &p->m->sources[s].measures[i].names));
	}
}

bool
superlatives_read(struct plan *p)
{
	size_t most = plan_find(p, ASK_WORD_EXTREME), rows = most == PLAN_NO_ITEM ? most : plan_after(p, most);
	uint32_t source, column = ASK_NONE;

	while (rows != PLAN_NO_ITEM && having_is_condition(p, rows))
		rows = plan_after(p, rows);
	if (rows == PLAN_NO_ITEM || plan_is_extreme(p, most, ASK_MOST) || !plan_has(p, rows, ASK_KIND_SOURCE))
		return false;
	source = counts_choose_source(p, rows);
	if (source == ASK_NONE)
		return p->done;
	if (numbers_named(p, most, source, &column) != 1) {
		superlatives_by_answer(p, most, source);
		return true;
	}
	aggregates_add_fold(p, most, source, column);
	plan_note(p->out->assumptions, &p->out->nassumptions,
	    plan_says(p, SAYS_TAKEN_BY,
		SPANS(p->q.items[most].text, plan_column_label(p, (struct plan_column){ source, column }))));
	p->by_rows = true;
	p->rows = rows;
	return true;
}

/* "the stadium with the highest capacity", "which state is the largest in population": the item of the rows. */
static size_t
rows_with(const struct plan *p, size_t fold)
{
	size_t i = fold, len;
	bool with = false;

	while (i-- > 0 && plan_is_word(p, i, ASK_WORD_STOP))
		with |= ask_word(p->q.language, &p->q.tokens[p->q.items[i].first], 1, ASK_WORD_WITH, &len) != NULL;
	while (i < p->q.n &&
	    (plan_is_word(p, i, ASK_WORD_STOP) || having_is_condition(p, i) || p->q.items[i].kind == ASK_ITEM_PERIOD))
		i--;
	if (!plan_names_of(p, i, ASK_KIND_SOURCE, p->m->nodes[p->root].source))
		return PLAN_NO_ITEM;
	return with || (i > 0 && plan_asks_which(p, i - 1)) ? i : PLAN_NO_ITEM;
}

static size_t
fold_of_extreme(const struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (plan_is_word(p, i, ASK_WORD_EXTREME) && span_begins(p->q.items[i].consumed_by, "aggregate"))
			return i;
	return PLAN_NO_ITEM;
}

static void
add_row_group(struct plan *p, uint32_t column, bool identity)
{
	for (size_t i = 0; i < p->ndimensions; i++)
		if (p->dimensions[i].at.column == column)
			return;
	if (plan_groups(p) == PLAN_GROUPS_MAX) {
		plan_refuse(p, ASK_REASON_UNSUPPORTED, SAYS_TOO_MANY_COLUMNS, NULL);
		return;
	}
	p->dimensions[p->ndimensions].at = (struct plan_column){ p->root, column };
	p->dimensions[p->ndimensions].identity = identity;
	p->dimensions[p->ndimensions++].grain = -1;
}

/* "the capital of the largest state": columns of the rows before the superlative. */
static void
show_columns(struct plan *p, size_t fold)
{
	for (size_t i = 0; i < fold && !p->done; i++) {
		struct plan_column at;

		if (!plan_has(p, i, ASK_KIND_COLUMN) || !plan_choose(p, i, 1u << ASK_KIND_COLUMN, p->root, &at))
			continue;
		if (at.column != p->extreme)
			add_row_group(p, at.column, false);
		plan_take(p, i, "shows %.*s", SPAN_FMT(plan_field(p, at)));
	}
}

/* The row's key is a group, too, so that rows of the same name stay apart.  A row without the number ranks nowhere. */
void
superlatives_rank_rows(struct plan *p)
{
	const struct ask_source *s = plan_source(p, p->root);
	size_t fold = fold_of_extreme(p), rows = fold == PLAN_NO_ITEM || p->by_rows ? p->rows : rows_with(p, fold);
	uint32_t key = plan_key_column(s);
	struct plan_condition *c;

	if (fold == PLAN_NO_ITEM || rows == PLAN_NO_ITEM)
		return;
	if (key == ASK_NONE || s->columns[key].masked || p->nmeasures != 1 ||
	    plan_find(p, ASK_WORD_BY) != PLAN_NO_ITEM) {
		plan_refuse(p, ASK_REASON_UNSUPPORTED, SAYS_WHICH_ROW, SPANS(p->q.items[rows].text));
		return;
	}
	p->by_rows = true;
	p->rank = p->q.items[fold].arg;
	show_columns(p, fold);
	if (s->label != ASK_NONE)
		add_row_group(p, s->label, false);
	add_row_group(p, key, true);
	plan_take(p, rows, "by %.*s", SPAN_FMT(plan_field(p, (struct plan_column){ p->root, key })));
	for (size_t i = 0; i < rows; i++)
		if (plan_is_free(p, i) && (plan_is_word(p, i, ASK_WORD_WHICH) || plan_is_word(p, i, ASK_WORD_LIST)))
			plan_take(p, i, "asks for the rows");
	if ((c = plan_add_condition(p, (struct plan_column){ p->root, p->extreme }, PLAN_PRESENT)) != NULL)
		c->implied = true;
	(void)groups_rank_number(p, plan_before(p, p->rows == rows ? fold : rows));
	if (!p->done)
		groups_rank_places(p, rows);
}
