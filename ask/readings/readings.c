#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"
#include "ask/readings/readings.h"
#include "ask/readings/score.h"
#include "ask/readings/spans.h"

enum place { HEAD, REST };

static const struct reading_row {
	const char *name;
	enum place place;
	const char *pattern;
	reading_builder *build;
	int score;
} readings[] = {
#define READING(name, place, pattern, builder, score) { #name, place, pattern, builder, score },
#include "ask/readings/readings.def"
#undef READING
};

#define NREADINGS (sizeof(readings) / sizeof(readings[0]))

static void lay(struct reading_search *s, const struct draft *d, enum place place);

static void
row_ends(struct reading_search *s, size_t i, const struct draft *d)
{
	struct draft more = *d;
	unsigned row = s->row;
	size_t first = s->first;

	if (more.nsteps == DRAFT_STEPS_MAX || i == first || !readings[row].build(s->p, &more))
		return;
	more.steps[more.nsteps++] = (struct draft_step){ readings[row].name, first, i };
	more.score += readings[row].score;
	lay(s, &more, REST);
	s->row = row;
	s->first = first;
}

static void
lay(struct reading_search *s, const struct draft *d, enum place place)
{
	size_t from = d->nsteps == 0 ? 0 : d->steps[d->nsteps - 1].end;

	if (place == REST && spans_skip(s->p, from) == s->p->q.n) {
		score_complete(s, d);
		return;
	}
	for (unsigned row = 0; row < NREADINGS; row++) {
		struct draft begin = *d;

		if (readings[row].place != place)
			continue;
		begin.s = (struct draft_spans){ .named = place == REST && d->and };
		begin.at = DRAFT_ROOT;
		s->row = row;
		s->first = from;
		spans_match(s, readings[row].pattern, from, &begin);
	}
}

bool
readings_read(struct plan *p)
{
	struct reading_search best = { .p = p };
	uint32_t root = ASK_NONE;

	if ((p->names = columns_names_new(p)) == NULL)
		return false;

	for (uint32_t source = 0; source < p->m->nsources; source++) {
		struct reading_search s = { .p = p, .row_ends = row_ends };
		struct draft d = { .last = DRAFT_ROOT, .near = ASK_NONE };

		if (p->m->sources[source].covered || !around_is_named(p, source))
			continue;
		p->root = source;
		if (ask_routes_from(p->m, source, p->a, &p->routes) != 0)
			return false;
		lay(&s, &d, HEAD);
		if (s.steps > SEARCH_STEPS_MAX)
			return false;
		if (!s.found || (best.found && s.best.score < best.best.score))
			continue;
		if (best.found && s.best.score == best.best.score) {
			best.several |= !span_is(s.said, best.said);
			continue;
		}
		best = s;
		root = source;
	}
	if (!best.found || best.several)
		return false;
	p->root = root;
	return ask_routes_from(p->m, root, p->a, &p->routes) == 0 && draft_answer(p, &best.best);
}
