/* measures.c - measures of the model. */
#include "ask/measures.h"

bool
measures_is_count(const struct ask_source_measure *f)
{
	return f->aggregate == ASK_AGGREGATE_COUNT || f->aggregate == ASK_AGGREGATE_COUNT_DISTINCT;
}

enum ask_measured
measures_unit(const struct plan *p, const struct ask_source_measure *f)
{
	if (measures_is_count(f))
		return ASK_MEASURED;
	return ask_unit_of(p->a, f->unit.len > 0 ? f->unit : f->names.description);
}

void
measures_add(struct plan *p, uint32_t source, uint32_t index)
{
	const struct ask_source *s = &p->m->sources[source];
	const struct ask_source_measure *f = &s->measures[index];
	struct ask_measure *out = &p->measures[p->nmeasures++];
	enum ask_measured unit;

	*out = (struct ask_measure){ .expr = plan_operand(p, s, f->names.name),
		.name = span_of("", 0), .label = ask_label(p->a, &f->names), .unit = f->unit,
		.additive = f->additive && f->nnone_over == 0,
		.nnone_over = f->nnone_over, .none_over = f->none_over };
	out->ratio = f->aggregate == ASK_AGGREGATE_DERIVED;
	out->counts = measures_is_count(f);
	p->averages = f->aggregate == ASK_AGGREGATE_AVG;
	unit = measures_unit(p, f);
	p->counts = measures_is_count(f);
	/* Measures of several units are answered side by side; a unit that the question says is neither's then. */
	p->unit = p->nmeasures > 1 && unit != p->unit ? ASK_MEASURED : unit;
	if (out->unit.len == 0 && unit != ASK_MEASURED)
		out->unit = span_str(ask_unit_name(unit));
}

void
measures_add_inline(struct plan *p, uint32_t source, enum ask_measured unit, struct ask_measure measure)
{
	p->root = source;
	p->inline_measure = true;
	p->unit = unit;
	measure.unit = unit == ASK_MEASURED ? SPAN("") : span_str(ask_unit_name(unit));
	p->measures[p->nmeasures++] = measure;
}

/* The only measure that the item names.  NULL: several, and the user is asked which one. */
static const struct ask_entry *
choose_measure(struct plan *p, size_t item)
{
	const struct ask_item *it = &p->q.items[item];
	const struct ask_entry *best = NULL;
	bool several = false;
	struct ask_clarification *q;

	for (size_t i = 0; i < it->nhits; i++) {
		const struct ask_entry *e = it->hits[i];

		if (e->kind != ASK_KIND_MEASURE || (best != NULL && e->tier > best->tier))
			continue;
		several = best != NULL;
		best = e;
	}
	for (size_t i = 0; i < it->nhits && several; i++)
		if (it->hits[i]->kind == ASK_KIND_MEASURE && plan_is_answered(p, plan_entry_label(p, it->hits[i])))
			return it->hits[i];
	if (!several)
		return best;
	q = plan_ask(p, SAYS_WHICH_MEASURE, SPANS(it->text));
	for (size_t i = 0; i < it->nhits; i++)
		if (it->hits[i]->kind == ASK_KIND_MEASURE)
			plan_suggest(q, plan_entry_label(p, it->hits[i]));
	return NULL;
}

bool
measures_counts_values(const struct plan *p, size_t item)
{
	const struct ask_item *it = &p->q.items[item];

	for (size_t i = 0; i < it->nhits; i++) {
		const struct ask_source *s = &p->m->sources[it->hits[i]->source];

		if (it->hits[i]->kind == ASK_KIND_MEASURE && !measures_is_count(&s->measures[it->hits[i]->index]))
			return false;
	}
	for (size_t i = 0; i < it->nhits; i++)
		if (it->hits[i]->kind == ASK_KIND_COLUMN &&
		    p->m->sources[it->hits[i]->source].columns[it->hits[i]->index].type != ASK_TYPE_NUMBER)
			return true;
	return false;
}

void
measures_take(struct plan *p, size_t item)
{
	const struct ask_entry *e = choose_measure(p, item);
	struct span name;

	if (e == NULL)
		return;
	if (p->nmeasures > 0 && e->source != p->root) {
		measures_add(p, e->source, e->index);
		if (!p->done)
			plan_refuse(p, SAYS_DATES_OF_THEIR_OWN, SPANS(p->measures[0].label, p->measures[1].label));
		return;
	}
	if (p->nmeasures == ASK_MEASURES_MAX) {
		plan_refuse(p, SAYS_TOO_MANY_MEASURES, NULL);
		return;
	}
	p->root = e->source;
	plan_worsen(p, e->tier);
	measures_add(p, e->source, e->index);
	name = p->measures[p->nmeasures - 1].expr;
	plan_take(p, item, "measure %.*s", SPAN_FMT(name));
}
