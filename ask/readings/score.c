#include "ask/readings/score.h"

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
		s->steps = SEARCH_STEPS_MAX + 1; /* what was not compared might differ */
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

void
score_complete(struct reading_search *s, const struct draft *d)
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
