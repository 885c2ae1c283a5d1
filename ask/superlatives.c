#include "ask/comparisons.h"
#include "ask/measures.h"
#include "ask/superlatives.h"

/* Suggest the numbers of the source, then what adds up over its rows and over what belongs to them. */
void
superlatives_ask(struct plan *p, size_t word, uint32_t source)
{
	struct ask_clarification *q;
	const struct ask_source *own = &p->m->sources[source];

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
