#include "ask/say_plan.h"
#include "base/text/locale_text.h"

/* The period; either end may be open. */
static void
say_window(const struct ask_window *w, struct buf *out)
{
	buf_printf(out, ", %.*s", SPAN_FMT(w->field));
	if (w->start.len > 0)
		buf_printf(out, " from %.*s", SPAN_FMT(w->start));
	if (w->end.len > 0)
		buf_printf(out, "%s before %.*s", w->start.len > 0 ? " to" : "", SPAN_FMT(w->end));
}

static void
say_reading(struct plan *p)
{
	const struct ask_query *q = &p->out->queries[0];
	struct buf b = { 0 };

	if (p->share)
		buf_str(&b, "share of ");
	if (p->lists)
		buf_str(&b, "values of ");
	for (size_t i = 0; i < q->nmeasures; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? " and " : "", SPAN_FMT(q->measures[i].label));
	for (size_t i = 0; i < q->ndimensions; i++)
		buf_printf(&b, "%s%.*s",
		    i > 0        ? " and " :
			p->lists ? "" :
				   " by ",
		    SPAN_FMT(p->lists ? q->dimensions[i].field : q->dimensions[i].label));
	if (p->lists && q->order_by.len > 0)
		buf_printf(&b, ", ordered by %.*s%s", SPAN_FMT(q->order_by), q->descending ? " descending" : "");
	for (size_t i = 0; i < q->nthen; i++)
		buf_printf(&b, ", then by %.*s%s", SPAN_FMT(q->then[i].field),
		    q->then[i].descending ? " descending" : "");
	if (p->lists && q->order_by.len > 0 && q->limit > 0)
		buf_str(&b, ", the first");
	if (p->lists && q->limit > 1)
		buf_printf(&b, " %zu", q->limit);
	if (p->rank != 0)
		buf_printf(&b, ", %s %zu", p->rank > 0 ? "highest" : "lowest", p->limit);
	for (size_t k = 0; k < p->out->nqueries; k++) {
		q = &p->out->queries[k];
		if (k > 0 && q->role == ASK_TOTAL)
			break;
		if (k > 0)
			buf_str(&b, "; compared with");
		for (size_t i = 0; i < q->nfilters; i++)
			buf_printf(&b, ", %.*s%s%.*s%s%.*s", SPAN_FMT(q->filters[i].field),
			    q->filters[i].field.len > 0 ? " " : "", SPAN_FMT(q->filters[i].operator),
			    q->filters[i].operator.len> 0 && q->filters[i].value.len> 0 ? " " : "",
			    SPAN_FMT(q->filters[i].value));
		if (q->window.field.len > 0)
			say_window(&q->window, &b);
	}
	p->out->interpretation = ask_text(p->a, &b);
}

static void
title_condition(struct plan *p, const struct plan_condition *c, struct buf *out)
{
	const struct ask_source *s = plan_source(p, c->at.node);
	bool german = p->out->german;
	struct span label =
	    ask_label(p->a, c->test == PLAN_SEGMENT ? &s->segments[c->index].names : &s->columns[c->at.column].names);

	buf_str(out, ", ");
	if (c->test == PLAN_SEGMENT || c->test == PLAN_PRESENT || c->test == PLAN_TRUE) {
		buf_printf(out, "%s%.*s",
		    c->negated                  ? (german ? "ohne " : "without ") :
			c->test == PLAN_PRESENT ? (german ? "mit " : "with ") :
						  "",
		    SPAN_FMT(label));
		return;
	}
	if (c->negated)
		buf_str(out, german ? "nicht " : "not ");
	if (c->test != PLAN_IS)
		buf_printf(out, "%.*s %s", SPAN_FMT(label), c->test == PLAN_COMPARED ? c->operator: "");
	if (c->test == PLAN_COMPARED)
		buf_str(out, " ");
	for (size_t i = 0; i < c->nvalues; i++)
		buf_printf(out, "%s%.*s", i == 0 ? "" : c->test == PLAN_BETWEEN ? "–" : ", ", SPAN_FMT(c->values[i]));
}

/* A title uses labels and values only: no column names, no dates of a window. */
static void
say_title(struct plan *p)
{
	const struct ask_query *q = &p->out->queries[0];
	bool german = p->out->german;
	struct buf b = { 0 };

	if (p->share)
		buf_str(&b, german ? "Anteil: " : "Share of ");
	for (size_t i = 0; i < q->nmeasures; i++)
		buf_printf(&b, "%s%.*s", i == 0 ? "" : german ? " und " : " and ", SPAN_FMT(q->measures[i].label));
	p->out->title_measures = b.len;
	for (size_t i = 0; i < q->ndimensions && (i == 0 || !q->dimensions[i].identity); i++) {
		const char *period = locale_granularity(q->dimensions[i].granularity, german);

		buf_printf(&b, "%s%.*s",
		    i == 0     ? (german ? " nach " : " by ") :
			german ? " und " :
				 " and ",
		    SPAN_FMT(period[0] != '\0' ? span_str(period) : q->dimensions[i].label));
	}
	for (size_t i = 0; i < p->nconditions; i++)
		title_condition(p, &p->conditions[i], &b);
	for (size_t i = 0; i < p->nperiods; i++)
		buf_printf(&b, ", %.*s", SPAN_FMT(p->q.items[p->periods[i].item].text));
	p->out->title = ask_text(p->a, &b);
}

void
say_plan(struct plan *p)
{
	say_reading(p);
	say_title(p);
}
