#include <string.h>

#include "ask/ask_model.h"
#include "ask/lexicon_model.h"
#include "ask/examples.h"
#include "base/text/locale_text.h"

#define SUBJECTS_MAX 6u	 /* measures asked about */
#define HOPS_MAX     3u	 /* from a measure to its groups */
#define NODES_MAX    64u /* looked at for one measure */
#define VALUES_FEW   30u /* groups that fit into one look */
#define MODEL_LARGE  4000u

/* A measure and the labels of its groups. */
struct subject {
	const struct ask_source *source;
	const struct ask_source_measure *measure;
	struct span label, groups[2];
	size_t ngroups;
	int worth;
};

struct examples {
	const struct ask_model *m;
	const struct ask_context *c;
	struct arena *a;
	struct span *texts;
	size_t n, most;
	const char *when, *compared; /* "in 2024", "in 2024 compared with 2023" */
};

static int
names_worth(const struct ask_names *n)
{
	return 2 * (n->label.len > 0) + (n->nsynonyms > 0) + (n->description.len > 0);
}

/* Whether the name suggests a column with few distinct values. */
static bool
sounds_few(struct span name)
{
	static const char *const parts[] = { "area", "category", "channel", "country", "department", "gender", "genre",
		"group", "kind", "level", "plan", "region", "segment", "state", "status", "team", "tier", "type" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (memmem(name.p, name.len, parts[i], strlen(parts[i])) != NULL)
			return true;
	return false;
}

static bool
lists_values(struct span description)
{
	size_t commas = 0;

	for (size_t i = 0; i < description.len; i++)
		commas += description.p[i] == ',';
	return commas >= 2;
}

/* How well a column serves as a group; negative: not at all. */
static int
group_worth(const struct ask_source *s, uint32_t column, size_t hops)
{
	const struct ask_column *c = &s->columns[column];
	int worth = names_worth(&c->names) + (hops == 1);

	if (!ask_is_shown(c) || column == s->label || ask_is_in_grain(s, c) ||
	    (c->type != ASK_TYPE_TEXT && c->type != ASK_TYPE_BOOLEAN))
		return -1;
	worth += c->nvalues > 1 && c->nvalues <= VALUES_FEW ? 6 : 0;
	worth += 4 * lists_values(c->names.description) + 3 * sounds_few(c->names.name);
	return worth - 2 * (c->type == ASK_TYPE_BOOLEAN);
}

/* The two best group columns within reach of the measure's source. */
static void
find_groups(const struct examples *x, uint32_t root, struct subject *out)
{
	uint32_t queue[NODES_MAX] = { root };
	size_t hops[NODES_MAX] = { 0 }, n = 1;
	int best[2] = { -1, -1 };

	for (size_t at = 0; at < n; at++) {
		const struct ask_node *node = &x->m->nodes[queue[at]];
		const struct ask_source *s = &x->m->sources[node->source];

		for (uint32_t i = 0; i < s->ncolumns; i++) {
			int worth = group_worth(s, i, hops[at]);
			size_t place = worth > best[0] ? 0 : worth > best[1] ? 1 : 2;

			if (worth < 0 || place == 2)
				continue;
			if (place == 0) {
				best[1] = best[0];
				out->groups[1] = out->groups[0];
			}
			best[place] = worth;
			out->groups[place] = ask_label(x->a, &s->columns[i].names);
		}
		for (size_t i = 0; i < node->nedges && hops[at] < HOPS_MAX && n < NODES_MAX; i++) {
			queue[n] = node->edges[i].to;
			hops[n++] = hops[at] + 1;
		}
	}
	out->ngroups = (size_t)(best[0] >= 0) + (best[1] >= 0);
}

static int
subject_worth(const struct ask_source *s, const struct ask_source_measure *m)
{
	static const int kinds[] = { [ASK_AGGREGATE_SUM] = 4, [ASK_AGGREGATE_DERIVED] = 3, [ASK_AGGREGATE_COUNT] = 1 };
	int worth = names_worth(&m->names) + 4 * (s->time != ASK_NONE) + 2 * m->additive + (m->unit.len > 0);

	return worth + ((size_t)m->aggregate < sizeof(kinds) / sizeof(kinds[0]) ? kinds[m->aggregate] : 0);
}

/* The best measures, the best first, at most one a source. */
static size_t
find_subjects(const struct examples *x, struct subject out[SUBJECTS_MAX])
{
	size_t n = 0;

	for (uint32_t i = 0; i < x->m->nsources && i < MODEL_LARGE; i++) {
		const struct ask_source *s = &x->m->sources[i];
		struct subject best = { .source = s, .worth = -1 };
		size_t at;

		for (size_t k = 0; k < s->nmeasures && !s->covered; k++)
			if (subject_worth(s, &s->measures[k]) > best.worth) {
				best.worth = subject_worth(s, &s->measures[k]);
				best.measure = &s->measures[k];
			}
		for (at = n; at > 0 && out[at - 1].worth < best.worth; at--)
			continue;
		if (best.measure == NULL || at == SUBJECTS_MAX)
			continue;
		n += n < SUBJECTS_MAX;
		memmove(&out[at + 1], &out[at], (n - at - 1) * sizeof(*out));
		out[at] = best;
	}
	for (size_t i = 0; i < n; i++) {
		out[i].label = ask_label(x->a, &out[i].measure->names);
		find_groups(x, (uint32_t)(out[i].source - x->m->sources), &out[i]);
	}
	return n;
}

/* Keep the question if it can be answered.  False: it cannot. */
static bool
try_question(struct examples *x, const char *text)
{
	struct ask_reading reading;

	if (text == NULL || x->n == x->most)
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (span_is(x->texts[i], span_str(text)))
			return true;
	if (ask_read(x->m, x->c, span_str(text), NULL, x->a, &reading, NULL) != 0 ||
	    (reading.status != ASK_ANSWER && reading.status != ASK_CATALOGUE))
		return false;
	x->texts[x->n++] = span_str(text);
	return true;
}

/* The period of a measure that has a date. */
static const char *
when_of(const struct examples *x, const struct subject *s)
{
	return s->source->time == ASK_NONE ? "" : x->when;
}

/* One measure by its nth group. */
static void
try_groups(struct examples *x, const struct subject *s, size_t nth)
{
	if (nth < s->ngroups)
		try_question(x,
		    arena_printf(x->a, "%.*s by %.*s%s", SPAN_FMT(s->label), SPAN_FMT(s->groups[nth]), when_of(x, s)));
}

static void
try_scalar(struct examples *x, const struct subject *s)
{
	static const char counts[] = "number of ";
	bool dated = s->source->time != ASK_NONE, counted = span_begins(s->label, counts);
	struct span name =
	    counted ? span_of(s->label.p + sizeof(counts) - 1, s->label.len - (sizeof(counts) - 1)) : s->label;
	const char *begin = counted ? "How many" :
	    dated                   ? "What was" :
				      "What is",
		   *end = !counted ? "" :
	    dated                  ? " were there" :
				     " are there";

	try_question(x, arena_printf(x->a, "%s %.*s%s%s?", begin, SPAN_FMT(name), end, when_of(x, s)));
}

/* Questions that need a date: over time, or two periods compared. */
static void
try_times(struct examples *x, const struct subject *s, bool compared)
{
	if (s->source->time == ASK_NONE)
		return;
	try_question(x,
	    arena_printf(x->a, compared ? "%.*s%s" : "%.*s by month%s", SPAN_FMT(s->label),
		compared ? x->compared : x->when));
}

static void
try_parts(struct examples *x, const struct subject *s)
{
	const char *when = when_of(x, s);

	if (s->ngroups == 0)
		return;
	try_question(x,
	    arena_printf(x->a, "Top 3 %.*s by %.*s%s", SPAN_FMT(locale_plural(x->a, s->groups[0])), SPAN_FMT(s->label),
		when));
	if (s->measure->additive)
		try_question(x,
		    arena_printf(x->a, "Share of %.*s by %.*s%s", SPAN_FMT(s->label), SPAN_FMT(s->groups[0]), when));
}

/* Counts of sources whose rows have a name. */
static void
try_counts(struct examples *x, size_t most)
{
	size_t before = x->n;

	for (uint32_t i = 0; i < x->m->nsources && i < MODEL_LARGE && x->n < before + most; i++)
		if (!x->m->sources[i].covered && x->m->sources[i].label != ASK_NONE)
			try_question(x,
			    arena_printf(x->a, "How many %.*s are there?",
				SPAN_FMT(locale_plural(x->a, ask_label(x->a, &x->m->sources[i].names)))));
}

struct span
ask_examples_date(const struct ask_model *m, struct arena *a)
{
	struct examples x = { .m = m, .a = a };
	struct subject s[SUBJECTS_MAX];
	size_t n = find_subjects(&x, s);

	for (size_t i = 0; i < n; i++)
		if (s[i].source->time != ASK_NONE)
			return span_str(arena_printf(a, "%.*s.%.*s", SPAN_FMT(s[i].source->names.name),
			    SPAN_FMT(s[i].source->columns[s[i].source->time].names.name)));
	return SPAN_NONE;
}

size_t
ask_examples(const struct ask_model *m, const struct ask_context *c, unsigned year, struct arena *a,
    struct span *texts, size_t n)
{
	struct examples x = { .m = m, .c = c, .a = a, .texts = texts, .most = n, .when = " last year",
		.compared = " last year compared with the year before" };
	struct subject s[SUBJECTS_MAX];
	size_t subjects = find_subjects(&x, s);

	if (year > 0) {
		x.when = arena_printf(a, " in %u", year);
		x.compared = arena_printf(a, " in %u compared with %u", year, year - 1);
	}

	if (subjects > 0) {
		try_scalar(&x, &s[0]);
		try_groups(&x, &s[0], 0);
		try_times(&x, &s[0], false);
		try_parts(&x, &s[0]);
		try_times(&x, &s[0], true);
	}
	try_counts(&x, 1);
	for (size_t i = 1; i < subjects; i++)
		try_groups(&x, &s[i], i % 2);
	for (size_t i = 1; i < subjects; i++)
		try_scalar(&x, &s[i]);
	for (size_t i = 0; i < subjects; i++)
		for (size_t nth = 0; nth < 2; nth++)
			try_groups(&x, &s[i], nth);
	for (size_t i = 1; i < subjects; i++) {
		try_times(&x, &s[i], false);
		try_parts(&x, &s[i]);
	}
	try_question(&x, "Which measures are there?");
	return x.n;
}
