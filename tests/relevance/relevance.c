/*
 * relevance.c - labelled questions over several projects: how high up the
 * answers stand, in all and by category, beside the baseline's.
 *
 * usage: relevance-ask (PROJECT CONNECTION DRIVER QUESTIONS)… [--wide …] [--blind …]
 *
 * Behind --wide stand projects of many trades and styles, whose questions were
 * written before they were ever asked and whose misses were looked at since;
 * behind --blind those that nothing was tuned on, and whose misses nobody looks
 * at: what they reach is what a schema reaches that was never seen.
 *
 * The reciprocal rank of a question is that of the first of its answers; its
 * recall is the share of its answers among the first ten.  A question to which
 * nothing is relevant is answered well by nothing: it scores 1 or 0 in a line
 * of its own and takes no part in the two means.
 *
 * Every third question, by a hash of its words, is held out: the ranking is
 * tuned on the others, whose misses RELEVANCE_MISSES=1 shows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/relevance/baseline.h"
#include "tests/relevance/project.h"
#include "workers/search/search.h"

#define DEPTH		10
#define CATEGORIES_MAX	16
#define CALL_ARENA	((size_t)8 << 20)

/* What has to be reached. */
#define MRR_LEAST	0.88
#define RECALL_LEAST	0.93
#define NOTHING_LEAST	0.85	/* of the questions nothing answers are left unanswered */
#define MISSES_MOST	0.50	/* of the baseline's at rank 1 */
#define QUESTIONS_LEAST	200

/* What schemas of other trades reach, and those never looked at. */
#define WIDE_MRR_LEAST		0.87
#define WIDE_RECALL_LEAST	0.92
#define BLIND_MRR_LEAST		0.77
#define BLIND_RECALL_LEAST	0.84

struct score {
	double		reciprocal, recall;
	unsigned	n, misses;	/* at rank 1 */
};

struct line {
	char		name[32];
	struct score	ours, baseline;
};

static struct line lines[CATEGORIES_MAX], all = { .name = "all" }, held = { .name = "held out" }, tuned = { .name = "tuned on" };
static struct line wide = { .name = "wide" }, blind = { .name = "blind" }, *apart;	/* what is asked now is of this line alone */
static size_t nlines;
static struct score nothing, nothing_baseline, nothing_apart;

/* The lines of one set by category, and of all blind ones; shown on request alone. */
struct kinds {
	size_t		n;
	struct line	lines[CATEGORIES_MAX];
};

static struct kinds set_kinds, blind_kinds;

static struct line *
line_in(struct line *v, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(v[i].name, name) == 0)
			return &v[i];
	if (*n == CATEGORIES_MAX)
		abort();
	snprintf(v[*n].name, sizeof(v[*n].name), "%s", name);
	return &v[(*n)++];
}

static struct line *
line_of(const char *name)
{
	return line_in(lines, &nlines, name);
}

static bool
is_wanted(const char *wanted, const char *id)
{
	size_t n = strlen(id);

	for (const char *at = wanted; (at = strstr(at, id)) != NULL; at += n)
		if ((at == wanted || at[-1] == '|') && (at[n] == '\0' || at[n] == '|'))
			return true;
	return false;
}

static size_t
count_wanted(const char *wanted)
{
	size_t n = 1;

	for (; *wanted != '\0'; wanted++)
		n += *wanted == '|';
	return n;
}

/* Rank of the first answer; 0: none. */
static unsigned
judge(struct score *s, const char *wanted, const char *const *ids, size_t n)
{
	unsigned rank = 0, found = 0;

	for (size_t i = 0; i < n; i++)
		if (is_wanted(wanted, ids[i])) {
			found++;
			if (rank == 0)
				rank = (unsigned)i + 1;
		}
	s->n++;
	s->misses += rank != 1;
	s->reciprocal += rank > 0 ? 1.0 / rank : 0;
	s->recall += (double)found / (double)count_wanted(wanted);
	return rank;
}

static size_t
ask(struct library *l, const char *question, struct arena *a, const char **ids)
{
	struct answers answers;
	struct err err;

	if (search_ask(l, a, span_str(question), NULL, KINDS_ALL, DEPTH, &answers, &err) != 0)
		abort();
	for (size_t i = 0; i < answers.n; i++) {
		struct buf id = { 0 };

		buf_printf(&id, "%s:%.*s", kind_name(answers.v[i].kind), SPAN_FMT(answers.v[i].id));
		ids[i] = arena_cstr(a, buf_view(&id));
		buf_fini(&id);
	}
	return answers.n;
}

static bool
is_held_out(const char *question)
{
	uint32_t h = 2166136261u;

	for (; *question != '\0'; question++)
		h = (h ^ (uint8_t)*question) * 16777619u;
	return (h >> 8) % 3 == 0;
}

static void
add(struct score *to, const struct score *s)
{
	to->reciprocal += s->reciprocal;
	to->recall += s->recall;
	to->n += s->n;
	to->misses += s->misses;
}

/* Ours alone: the baseline is compared in whole sets. */
static void
add_kind(const char *category, const struct score *s)
{
	if (apart != &blind)
		return;
	add(&line_in(set_kinds.lines, &set_kinds.n, category)->ours, s);
	add(&line_in(blind_kinds.lines, &blind_kinds.n, category)->ours, s);
}

static void
show_kinds(const char *what, const struct kinds *k)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct score *s = &k->lines[i].ours;

		printf("%-12s %-13s %4u   %.3f  %.3f  %4u\n", what, k->lines[i].name, s->n, s->reciprocal / s->n,
		    s->recall / s->n, s->misses);
	}
}

static void
test_question(struct library *l, struct baseline *b, const char *category, const char *question, const char *wanted)
{
	const char *ours[DEPTH], *theirs[DEPTH];
	struct arena *a = arena_new(CALL_ARENA);
	size_t n = ask(l, question, a, ours), m = baseline_ask(b, question, DEPTH, theirs);
	struct line *line, *half = is_held_out(question) ? &held : &tuned;
	bool show = getenv("RELEVANCE_MISSES") != NULL && (apart == NULL ? half == &tuned : apart == &wide);
	struct score mine = { 0 }, other = { 0 };
	unsigned rank;

	if (strcmp(wanted, "-") == 0) {
		struct score *to = apart == NULL ? &nothing : &nothing_apart;

		mine = (struct score){ .n = 1, .misses = n > 0, .reciprocal = n == 0, .recall = n == 0 };
		add(to, &mine);
		add_kind(category, &mine);
		nothing_baseline.reciprocal += apart == NULL && m == 0;
		if (n > 0 && show)
			printf("  nothing       %s: %s\n", question, ours[0]);
		arena_free(a);
		return;
	}
	rank = judge(&mine, wanted, ours, n);
	(void)judge(&other, wanted, theirs, m);
	if (show && (rank != 1 || mine.recall < 1))
		printf("  %-13s %2u %.2f  %s  [%s %s %s]  wants %s\n", category, rank, mine.recall, question,
		    n > 0 ? ours[0] : "", n > 1 ? ours[1] : "", n > 2 ? ours[2] : "", wanted);
	line = apart != NULL ? apart : line_of(category);
	add(&line->ours, &mine);
	add(&line->baseline, &other);
	add_kind(category, &mine);
	if (apart == NULL) {
		add(&half->ours, &mine);
		add(&half->baseline, &other);
		add(&all.ours, &mine);
		add(&all.baseline, &other);
	}
	arena_free(a);
}

static bool
run(char **argv)
{
	struct library *l = project_open(argv[0], argv[1], argv[2]);
	struct baseline *b = baseline_new(l);
	FILE *f = fopen(argv[3], "re");
	char *text = NULL;
	size_t room = 0;
	bool good = f != NULL;

	while (good && getline(&text, &room, f) > 0) {
		char *rest = text, *category, *question, *wanted;

		text[strcspn(text, "\n")] = '\0';
		if (*text == '#' || *text == '\0')
			continue;
		category = strsep(&rest, "\t");
		question = strsep(&rest, "\t");
		if (question == NULL || (wanted = rest) == NULL) {
			fprintf(stderr, "%s: no three columns: %s\n", argv[3], text);
			good = false;
		} else
			test_question(l, b, category, question, wanted);
	}
	free(text);
	if (f != NULL)
		fclose(f);
	baseline_free(b);
	library_free(l);
	return good;
}

static void
report(const struct line *line)
{
	const struct score *o = &line->ours, *b = &line->baseline;

	printf("%-13s %9u   %.3f  %.3f  %4u     %.3f  %.3f  %4u\n", line->name, o->n, o->reciprocal / o->n,
	    o->recall / o->n, o->misses, b->reciprocal / b->n, b->recall / b->n, b->misses);
}

static bool
holds(const char *what, double value, double bound, bool least)
{
	bool good = least ? value >= bound : value <= bound;

	printf("%s %.3f, %s %.2f%s\n", what, value, least ? "at least" : "at most", bound, good ? "" : "  FAILED");
	return good;
}

/* Everything there is to ask, in the order of the arguments. */
static bool
run_all(int argc, char **argv)
{
	for (int i = 1; i < argc; ) {
		if (strcmp(argv[i], "--wide") == 0 || strcmp(argv[i], "--blind") == 0) {
			apart = strcmp(argv[i++], "--wide") == 0 ? &wide : &blind;
			continue;
		}
		set_kinds.n = 0;
		memset(set_kinds.lines, 0, sizeof(set_kinds.lines));
		if (i + 4 > argc || !run(argv + i))
			return false;
		if (getenv("RELEVANCE_KINDS") != NULL)
			show_kinds(strrchr(argv[i + 3], '/') == NULL ? argv[i + 3] : strrchr(argv[i + 3], '/') + 1, &set_kinds);
		i += 4;
	}
	return true;
}

/* The lines apart, and whether they hold; those not asked do. */
static bool
judge_apart(void)
{
	bool good = true;

	if (wide.ours.n > 0) {
		report(&wide);
		good = holds("wide, mean reciprocal rank", wide.ours.reciprocal / wide.ours.n, WIDE_MRR_LEAST, true);
		good = holds("wide, recall at 10", wide.ours.recall / wide.ours.n, WIDE_RECALL_LEAST, true) && good;
	}
	if (getenv("RELEVANCE_KINDS") != NULL)
		show_kinds("all blind", &blind_kinds);
	if (blind.ours.n > 0) {
		report(&blind);
		good = holds("blind, mean reciprocal rank", blind.ours.reciprocal / blind.ours.n, BLIND_MRR_LEAST, true) && good;
		good = holds("blind, recall at 10", blind.ours.recall / blind.ours.n, BLIND_RECALL_LEAST, true) && good;
	}
	if (nothing_apart.n > 0)
		printf("%-13s %9u   of both left unanswered: %.0f\n", "nothing", nothing_apart.n, nothing_apart.reciprocal);
	return good;
}

int
main(int argc, char **argv)
{
	bool good = argc > 4 && run_all(argc, argv);

	if (!good || all.ours.n < QUESTIONS_LEAST) {
		fprintf(stderr, "usage: relevance-ask (PROJECT CONNECTION DRIVER QUESTIONS)… [--wide …] [--blind …], with at least %d questions\n",
		    QUESTIONS_LEAST);
		return 2;
	}
	printf("category      questions   MRR    @10  missed  baseline:  @10  missed\n");
	for (size_t i = 0; i < nlines; i++)
		report(&lines[i]);
	report(&tuned);
	report(&held);
	report(&all);
	printf("%-13s %9u   left unanswered: %.0f; by the baseline: %.0f\n", "nothing", nothing.n, nothing.reciprocal,
	    nothing_baseline.reciprocal);
	good = holds("mean reciprocal rank", all.ours.reciprocal / all.ours.n, MRR_LEAST, true);
	good = holds("recall at 10", all.ours.recall / all.ours.n, RECALL_LEAST, true) && good;
	good = holds("questions without an answer left unanswered", nothing.reciprocal / nothing.n, NOTHING_LEAST, true) && good;
	good = holds("misses at rank 1 over the baseline's", (double)all.ours.misses / all.baseline.misses, MISSES_MOST, false) && good;
	good = judge_apart() && good;
	return good ? 0 : 1;
}
