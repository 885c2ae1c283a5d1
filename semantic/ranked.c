/* ranked.c - see ranked.h. */
#include "semantic/ranked.h"

bool
ranked_outside(const struct sem_plan *c, const struct plan_fact *fact)
{
	return fact->ranked && !c->inside;
}

int
ranked_put_column(struct sem_plan *c, struct buf *out, struct plan_fact *fact, struct span expr)
{
	struct plan_ranked **k = &fact->ranks;
	size_t n = 1;

	while (*k != NULL && !span_is((*k)->expr, expr)) {
		k = &(*k)->next;
		n++;
	}
	if (*k == NULL) {
		if ((*k = arena_alloc(c->arena, sizeof(**k))) == NULL)
			return sem_fail(c->problem, SEM_PARSE_ERROR, expr, "The query is too large.");
		**k = (struct plan_ranked){ .expr = arena_span(c->arena, expr) };
		if ((*k)->expr.p == NULL)
			return sem_fail(c->problem, SEM_PARSE_ERROR, expr, "The query is too large.");
	}
	buf_printf(out, "ranked.c%zu", n);
	return 0;
}

void
ranked_put_from(struct buf *out, const struct plan_fact *fact, struct span from)
{
	size_t n = 0;

	if (!fact->ranked) {
		buf_span(out, from);
		return;
	}
	buf_str(out, "\nFROM (\nSELECT");
	for (const struct plan_ranked *k = fact->ranks; k != NULL; k = k->next, n++)
		buf_printf(out, "%s\n  %.*s AS c%zu", n == 0 ? "" : ",", SPAN_FMT(k->expr), n + 1);
	buf_span(out, from);
	buf_str(out, "\n) AS ranked");
}
