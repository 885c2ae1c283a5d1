#include "ask/counts.h"
#include "ask/leftovers.h"
#include "ask/readings/around.h"
#include "ask/readings/build.h"
#include "ask/readings/columns.h"
#include "ask/readings/match.h"
#include "ask/readings/parts.h"
#include "ask/readings/readings.h"
#include "ask/readings/score.h"
#include "ask/readings/spans.h"
#include "ask/thresholds.h"

enum place { BEFORE, HEAD, REST, FIGURE };

/* What a row needs of what the rows before it have understood, and of the question and the model. */
enum need {
	ANY = 0,
	NUMBER = 1,	/* a number or a figure is asked for */
	LEADS = 2,	/* groups, whose figure is to follow */
	ROWS = 4,	/* neither of these */
	ALONE = 8,	/* no AND or OR came last */
	ROOT = 16,	/* the rows themselves were named last, none that are related to them */
	GERMAN = 32,
	OPEN = 64,	/* the model allows more than its measures */
	EVERY = 128,	/* and counts every row of the root */
	AMONG = 256,	/* the rows of which the question asks are named before */
};

static const struct reading_row {
	const char *name;
	enum place place;
	unsigned needs;
	const char *pattern;
	reading_builder *build;
	int score;
} readings[] = {
#define READING(name, place, needs, pattern, builder, score) { #name, place, needs, pattern, builder, score },
#include "ask/readings/readings.def"
#undef READING
};

#define NREADINGS	 (sizeof(readings) / sizeof(readings[0]))
#define SPOKEN_BYTES_MAX ((size_t)64 << 20) /* of one model; further names are found again for each question */

static void lay(struct reading_search *s, const struct draft *d, enum place place);

/* ", which of them": whether what is asked for begins there, after rows and conditions on them. */
static bool
begins_question(const struct plan *p, const struct draft *d, size_t i)
{
	return i < p->q.n &&
	    (p->q.tokens[p->q.items[i].first].comma || spans_asks(p, i) || plan_is_word(p, i, ASK_WORD_COUNT)) &&
	    !d->ordered && !d->and_next && !d->or_next && !d->pending && !d->open_list && d->ncolumns == 0;
}

/* "without a doctor and not older than 30": AND, OR or a comma, and then what both have: whose is meant is not said. */
static bool
may_be_of_root(const struct plan *p, const struct draft *before, const struct draft *d, size_t first, size_t end)
{
	const struct ask_source *s = plan_source(p, p->root);

	/* "with visits, with state open", in one row */
	bool within =
	    before->last == DRAFT_ROOT && d->nrelated > before->nrelated && match_any_comma(p, first + 1, end - 1);

	if (!within &&
	    (before->last == DRAFT_ROOT || d->nrelated > before->nrelated || d->last != before->last ||
		!(before->and_next || before->or_next || plan_word(p, first)->comma)))
		return false;
	if (d->pending && !before->pending && around_reaches(p, p->root, p->m->nodes[d->near].source))
		return true;
	/* "or with state shut" may have joined the values before it */
	for (size_t i = before->nconditions - (before->nconditions > 0 && d->s.said); i < d->nconditions; i++) {
		struct plan_column at = d->conditions[i].is.at;

		if (at.node == p->root || at.column >= plan_source(p, at.node)->ncolumns)
			continue;
		for (size_t c = 0; c < s->ncolumns; c++)
			if (span_is(s->columns[c].names.name, plan_source(p, at.node)->columns[at.column].names.name))
				return true;
	}
	return false;
}

/* "female and gold customers": both at once, or those who are either? */
static bool
joins_adjectives(const struct plan *p, const struct draft *before, const struct draft *d, size_t first, size_t end)
{
	size_t rows = first + 1;

	return before->and_next && d->nconditions > before->nconditions && first >= 2 &&
	    (end == rows || end == rows + 1) && match_is_adjective(p, first) && match_is_adjective(p, first - 2) &&
	    plan_is_word(p, first - 1, ASK_WORD_AND) && around_names(p, rows, plan_root(p)) &&
	    plan_last_word(p, rows)->plural && !plan_reads_before(p, first - 2, "from in aus im") &&
	    d->last == DRAFT_ROOT;
}

/* "not shipped to Osaka": NOT is about both. */
static bool
goes_on_denied(const struct plan *p, const struct draft *before, const struct draft *d, size_t first)
{
	const struct draft_step *last = &before->steps[before->nsteps > 0 ? before->nsteps - 1 : 0];

	return before->nsteps > 0 && strcmp(last->row, "not_value") == 0 && !before->and_next && !before->or_next &&
	    d->nconditions > before->nconditions && !plan_word(p, first)->comma &&
	    ask_is_participle(p->q.language, plan_word(p, last->end - 1)->folded);
}

static void
row_ends(struct reading_search *s, size_t i, const struct draft_spans *got)
{
	const struct draft *before = s->before;
	unsigned row = s->row;
	size_t first = s->first;
	struct draft more;
	bool among;

	if (before->nsteps == DRAFT_STEPS_MAX || i == first)
		return;
	more = *before;
	more.s = *got;
	more.at = got->at;
	more.and_next = got->and_next;
	if (!readings[row].build(s->p, &more) || !build_adjectives(s->p, &more) ||
	    may_be_of_root(s->p, before, &more, first, i) || joins_adjectives(s->p, before, &more, first, i) ||
	    goes_on_denied(s->p, before, &more, first))
		return;
	more.steps[more.nsteps++] = (struct draft_step){ readings[row].name, first, i };
	more.score += readings[row].score;
	more.share |= got->share;
	more.compare |= got->compare;
	more.change |= got->change;
	more.always |= got->always;
	s->p->far = i > s->p->far ? i : s->p->far;
	more.before |= readings[row].place == BEFORE && readings[row].build != build_among_rows;
	s->led |= readings[row].place == HEAD;
	if (s->vain && s->led)
		return;
	if (readings[row].place == HEAD)
		more.among = PLAN_NO_ITEM;
	among = more.among != PLAN_NO_ITEM;
	if (among || readings[row].place != BEFORE)
		lay(s, &more, REST);
	if (among ? begins_question(s->p, &more, i) : readings[row].place == BEFORE) {
		more.last = DRAFT_ROOT;
		more.near = ASK_NONE;
		lay(s, &more, HEAD);
	}
	s->before = before;
	s->row = row;
	s->first = first;
}

/* "customers without orders are from Oslo": a verb behind related rows is about the root, unlike "that are". */
static bool
begins_with_verb(const struct plan *p, size_t i)
{
	return i < p->q.n && plan_is_word(p, i, ASK_WORD_STOP) && p->q.items[i].arg == ASK_STOP_INSIDE;
}

/* The needs that are met. */
static unsigned
needs_met(const struct plan *p, const struct draft *d)
{
	return (d->number ? NUMBER : 0) | (d->leads ? LEADS : 0) | (d->number || d->leads ? 0 : ROWS) |
	    (d->and_next || d->or_next ? 0 : ALONE) | (d->last == DRAFT_ROOT && d->near == ASK_NONE ? ROOT : 0) |
	    (p->q.language == ASK_GERMAN ? GERMAN : 0) | (p->m->governed ? 0 : OPEN) |
	    (counts_every_row(p, plan_root(p)) ? EVERY : 0) | (d->among != PLAN_NO_ITEM ? AMONG : 0);
}

static void
lay(struct reading_search *s, const struct draft *d, enum place place)
{
	size_t from = d->nsteps == 0 ? 0 : d->steps[d->nsteps - 1].end;
	const struct draft_spans nothing = { .at = DRAFT_ROOT,
		.and_next = d->and_next,
		.named = place == REST && d->and_next,
		.through = ASK_NONE,
		.way = ASK_NONE,
		.count = PLAN_NO_ITEM,
		.by = PLAN_NO_ITEM,
		.top = PLAN_NO_ITEM,
		.fold = PLAN_NO_ITEM,
		.order = PLAN_NO_ITEM,
		.measure = PLAN_NO_ITEM,
		.number_item = PLAN_NO_ITEM,
		.operator = ASK_EXACTLY,
		.said_unit = PLAN_NO_ITEM,
		.years = PLAN_NO_ITEM,
		.period = PLAN_NO_ITEM,
		.comparator = PLAN_NO_ITEM };
	uint64_t letters = from < s->p->q.n ? s->p->names->letters[from] : 0;
	unsigned met;
	struct draft begin;

	if (place == REST && spans_skip(s->p, from) == s->p->q.n) {
		score_complete(s, d);
		return;
	}
	begin = *d;
	if (place == REST && begins_with_verb(s->p, from)) {
		begin.last = DRAFT_ROOT;
		begin.near = ASK_NONE;
	}
	met = needs_met(s->p, &begin);
	for (unsigned row = 0; row < NREADINGS; row++) {
		if ((s->needed[row] & ~letters) != 0 || (readings[row].needs & ~met) != 0)
			continue;
		if (readings[row].place != place && !(place == HEAD && readings[row].place == BEFORE) &&
		    !(place == REST && readings[row].place == FIGURE && (d->number || d->leads)))
			continue;
		s->before = &begin;
		s->row = row;
		s->first = from;
		spans_match(s, readings[row].pattern, from, &nothing);
	}
	s->before = d; /* begin ends here */
}

/* Whether the item may be the name of a row of the source: "how old is Ada". */
static bool
names_row_of(const struct plan *p, size_t i, uint32_t source)
{
	const struct ask_entry *e;

	for (size_t k = 0;
	     p->q.items[i].kind == ASK_ITEM_NAME && (e = plan_next_hit(p, i, ASK_KIND_VALUE, &k)) != NULL;)
		if (e->source == source && ask_is_name(&p->m->sources[source], e->index))
			return true;
	return false;
}

/* "large accounts", "how many guests": a state that stands for the rows. */
static bool
stands_for_rows(const struct plan *p, size_t i, uint32_t source)
{
	const struct ask_item *it = &p->q.items[i];

	if (it->kind != ASK_ITEM_NAME || it->nhits == 0 || it->hits[0]->source != source)
		return false;
	return it->hits[0]->kind == ASK_KIND_SEGMENT || (it->hits[0]->kind == ASK_KIND_VALUE && it->n > 1) ||
	    (it->hits[0]->kind == ASK_KIND_VALUE && i > 0 && p->q.tokens[it->first + it->n - 1].plural &&
		plan_find(p, ASK_WORD_COUNT) != PLAN_NO_ITEM);
}

/* Whether the question names the source, a column or a row of it. */
static bool
may_be_root(const struct plan *p, uint32_t source)
{
	const struct ask_source *s = &p->m->sources[source];

	for (size_t i = 0; p->nanswers > 0 && i < s->nmeasures; i++)
		if (plan_is_answered(p, ask_label(p->a, &s->measures[i].names)))
			return true;
	for (size_t i = 0; i < p->q.n; i++)
		if ((s->nmeasures > 0 && thresholds_is_said(p, i)) || stands_for_rows(p, i, source) ||
		    around_names(p, i, source) || names_row_of(p, i, source) ||
		    (p->q.items[i].kind == ASK_ITEM_NAME &&
			(plan_names_of(p, i, ASK_KIND_COLUMN, source) ||
			    plan_names_of(p, i, ASK_KIND_MEASURE, source) ||
			    plan_names_of(p, i, ASK_KIND_EVENT, source) ||
			    plan_names_column(p, i, ASK_KIND_DATE, (struct plan_column){ source, s->time }))))
			return true;
	return false;
}

/* Whether the question does not name the source, whose rows link two that it names. */
static bool
links_named(const struct plan *p, uint32_t source)
{
	const struct ask_node *n = &p->m->nodes[source];
	uint32_t first = ASK_NONE;

	for (size_t e = 0; e < n->nedges; e++) {
		uint32_t to = p->m->nodes[n->edges[e].to].source;

		if (to == first || to == source || !around_is_named(p, to))
			continue;
		if (first != ASK_NONE)
			return !around_is_named(p, source);
		first = to;
	}
	return false;
}

/* "papers by country": whether the rows lead to some that the question names, and to a column of others. */
static bool
links_column(const struct plan *p, uint32_t source)
{
	const struct ask_node *n = &p->m->nodes[source];
	bool named = false, column = false;

	for (size_t e = 0; e < n->nedges; e++) {
		uint32_t to = p->m->nodes[n->edges[e].to].source;
		bool is_named = around_is_named(p, to);

		named |= is_named;
		for (size_t i = 0; i < p->q.n && !is_named && !column; i++)
			column = plan_names_of(p, i, ASK_KIND_COLUMN, to);
	}
	return named && column;
}

/* The rows' beginning was read: a word that nothing knows may be a value of theirs, which the data tell. */
static bool
asks_data(struct plan *p, uint32_t root)
{
	p->root = root;
	if (ask_routes_from(p->m, root, p->a, &p->routes) != 0)
		return false;
	leftovers_probes(p);
	return p->out->status == ASK_PROBE;
}

struct readings_spoken *
readings_spoken_new(const struct ask_model *m)
{
	struct arena *a = arena_new(SPOKEN_BYTES_MAX);
	struct readings_spoken *spoken = arena_alloc(a, sizeof(*spoken));

	spoken->a = a;
	for (unsigned i = 0; i < ASK_LANGUAGES; i++)
		if ((spoken->called[i] = arena_array(a, m->nsources + 1, sizeof(*spoken->called[i]))) == NULL) {
			readings_spoken_free(spoken);
			return NULL;
		}
	if (!parts_find(m, spoken)) {
		readings_spoken_free(spoken);
		return NULL;
	}
	return spoken;
}

void
readings_spoken_free(struct readings_spoken *spoken)
{
	if (spoken == NULL)
		return;
	for (unsigned i = 0; i < ASK_LANGUAGES; i++)
		free(spoken->words[i].slots);
	arena_free(spoken->a);
}

/* The best reading over all roots.  False: a is full, or a search came to its bound. */
static bool
search_roots(struct plan *p, struct reading_search *best, uint32_t *root, uint32_t *led)
{
	uint64_t needed[NREADINGS];

	for (unsigned row = 0; row < NREADINGS; row++)
		needed[row] = spans_needed(readings[row].pattern);
	spans_find_letters(p);
	for (uint32_t source = 0; source < p->m->nsources; source++) {
		struct reading_search s = { .p = p, .row_ends = row_ends, .needed = needed };
		struct draft d = { .last = DRAFT_ROOT, .near = ASK_NONE, .counted = ASK_NONE,
			.unit = PLAN_NO_ITEM, .entity = PLAN_NO_ITEM, .among = PLAN_NO_ITEM,
			.date_before = PLAN_NO_ITEM, .through = PLAN_NO_ITEM, .threshold = PLAN_NO_ITEM,
			.date_said = { .column = ASK_NONE } };

		if (p->m->sources[source].covered ||
		    (!(d.link = links_named(p, source)) && !may_be_root(p, source) && !links_column(p, source)))
			continue;
		/* only the first root of which the beginning was read counts */
		if ((s.vain = !parts_know_all(p, source)) && (p->leaves || *led != ASK_NONE))
			continue;
		p->root = source;
		if (ask_routes_from(p->m, source, p->a, &p->routes) != 0)
			return false;
		lay(&s, &d, HEAD);
		if (s.steps > SEARCH_STEPS_MAX)
			return false;
		*led = *led == ASK_NONE && s.led ? source : *led;
		if (s.refused && (!best->refused || s.refused_score > best->refused_score)) {
			best->refused = true;
			best->refused_score = s.refused_score;
			best->reason = s.reason;
			best->message = s.message;
		}
		if (!s.found || (best->found && score_is_worse(best, &s.best)))
			continue;
		if (best->found && !score_is_worse(&s, &best->best)) {
			best->several |= !span_is(s.said, best->said);
			continue;
		}
		best->found = true;
		best->several = s.several;
		best->best = s.best;
		best->said = s.said;
		*root = source;
	}
	return true;
}

static bool
any_unknown(const struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (p->q.items[i].kind == ASK_ITEM_UNKNOWN)
			return true;
	return false;
}

static bool
any_located(const struct plan *p)
{
	for (size_t i = 0; i < p->q.n; i++)
		if (spans_is_located(p, i))
			return true;
	return false;
}

/*
 * Words that nothing knows may be values, which the data tell.  If they are not, a second search skips them, and the
 * user is asked about them.
 */
bool
readings_read(struct plan *p)
{
	struct reading_search best = { .p = p };
	uint32_t root = ASK_NONE, led = ASK_NONE;

	if ((p->names = columns_names_new(p)) == NULL || !search_roots(p, &best, &root, &led))
		return false;
	if (!best.found && led != ASK_NONE && asks_data(p, led))
		return true;
	leftovers_probe_names(p, !best.found || best.best.loose || any_located(p));
	if (p->out->status == ASK_PROBE)
		return true;
	if (!best.found && any_unknown(p)) {
		p->leaves = true;
		if (!search_roots(p, &best, &root, &led))
			return false;
	}
	if (!best.found && best.refused) {
		p->out->status = ASK_REFUSE;
		p->out->reason = best.reason;
		p->out->message = best.message;
		return true;
	}
	if (!best.found || best.several)
		return false;
	p->root = root;
	if (p->q.others != NULL && asks_data(p, root))
		return true;
	if (best.best.asks != NULL) {
		draft_take_words(p, &best.best);
		p->out->status = ASK_CLARIFY;
		p->out->questions[p->out->nquestions++] = *best.best.asks;
		return true;
	}
	return ask_routes_from(p->m, root, p->a, &p->routes) == 0 && draft_answer(p, &best.best);
}
