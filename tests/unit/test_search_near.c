// libs: carrel_search carrel_project carrel_base
/* test_search_near.c - words that are like others by word vectors of a file, and the list that they make. */
#include "tests/unit/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "project/format/atomic.h"
#include "workers/search/index/near.h"
#include "workers/search/library/follow.h"
#include "workers/search/rank/answers.h"
#include "workers/search/ranking/ranking.h"
#include "workers/search/rank/matched.h"
#include "workers/search/rank/question.h"
#include "workers/search/index/builder.h"
#include "workers/search/index/builder_finish.h"
#include "workers/search/index/guess.h"

static struct vocab *v;
static struct arena *a;
static struct vectors vectors;

/* A boat and a kelvar, which no dictionary has, are alike, a harbour less so, a pear not at all; "the" as a harbour. */
static const char few_words[] =
    "the 0.9 0.5 0 0.05\n"
    "kelvar 1 0 0 0.1\n"
    "boat 0.95 0.1 0 0.1\n"
    "harbour 0.9 0.5 0 0\n"
    "pear 0 0 1 0\n"
    "plum 0 0.1 0.95 0\n"
    "tax 0 0 0 1\n";

static void
read_vectors(const char *text)
{
	char path[] = "/tmp/carrel-near-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	unlink(path);
	vectors_init(&vectors, fd);
	vocab_near(v)->vectors = &vectors;
}

static void
finish_vectors(void)
{
	while (vectors_step(&vectors, UINT64_MAX))
		;
	assert_null(vectors.trouble);
	assert_false(near_step(vocab_near(v), v, UINT64_MAX));
}

static int
set_up(void **state)
{
	(void)state;
	v = vocab_new();
	a = arena_new(16 << 20);
	vectors_init(&vectors, -1);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	vocab_free(v);
	vectors_fini(&vectors);
	arena_free(a);
	return 0;
}

static uint32_t
add(const char *word)
{
	uint32_t t = vocab_add(v, span_str(word));

	if (vocab_documents(v, t) == 0)
		vocab_count_documents(v, t, 1);
	return t;
}

static void
the_likest_come_first(void **state)
{
	struct vocab_guess out[NEAR_MAX];
	uint32_t boat = add("boat"), harbour = add("harbour");

	(void)state;
	add("pear");
	add("the");
	add("nothing");
	read_vectors(few_words);
	finish_vectors();
	assert_int_equal(near_find(vocab_near(v), v, SPAN("kelvar"), 0.3f, out), 2);
	assert_int_equal(out[0].term, boat);
	assert_true(out[0].likeness > 0.95f && out[0].likeness <= 1.01f);
	assert_int_equal(out[1].term, harbour);
	assert_true(out[1].likeness < out[0].likeness);
	assert_int_equal(near_find(vocab_near(v), v, SPAN("kelvar"), out[1].likeness + 0.01f, out), 1);
	/* The word itself is as like as can be. */
	assert_true(near_find(vocab_near(v), v, SPAN("boat"), 0.9f, out) == 1 && out[0].term == boat);
	assert_int_equal(near_find(vocab_near(v), v, SPAN("unheard"), 0, out), 0);
	assert_int_equal(near_find(vocab_near(v), v, SPAN_NONE, 0, out), 0);
}

/* Words that came later are looked up in the next step; one whose documents have gone is not found. */
static void
words_come_and_go(void **state)
{
	struct vocab_guess out[NEAR_MAX];
	uint32_t boat = add("boat");

	(void)state;
	assert_false(near_step(vocab_near(v), v, UINT64_MAX));
	assert_int_equal(near_find(vocab_near(v), v, SPAN("kelvar"), 0.3f, out), 0);
	read_vectors(few_words);
	assert_true(near_step(vocab_near(v), v, UINT64_MAX));
	assert_int_equal(near_find(vocab_near(v), v, SPAN("kelvar"), 0.3f, out), 0);
	finish_vectors();
	assert_int_equal(near_find(vocab_near(v), v, SPAN("kelvar"), 0.3f, out), 1);
	add("harbour");
	assert_int_equal(near_find(vocab_near(v), v, SPAN("kelvar"), 0.3f, out), 1);
	assert_false(near_step(vocab_near(v), v, UINT64_MAX));
	assert_int_equal(near_find(vocab_near(v), v, SPAN("kelvar"), 0.3f, out), 2);
	vocab_count_documents(v, boat, -1);
	assert_int_equal(near_find(vocab_near(v), v, SPAN("kelvar"), 0.3f, out), 1);
	assert_true(near_bytes(vocab_near(v)) >= 2 * 4);
}

/* More than are kept: the best stay, in steps that end at once. */
static void
only_the_best_are_kept(void **state)
{
	struct buf text = { 0 };
	struct vocab_guess out[NEAR_MAX];
	char word[32];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(word, sizeof(word), "word%c%c%c", (int)(97 + i % 26), (int)(97 + i / 26 % 26),
		    (int)(97 + i / 676));
		add(word);
		buf_printf(&text, "%s 1 %u.%03u 0\n", word, i / 1000, i % 1000);
	}
	buf_str(&text, "asked 1 0 0\nopposite -9 -9 0.1\n");
	read_vectors(buf_cstr(&text));
	while (vectors_step(&vectors, UINT64_MAX))
		;
	assert_true(near_step(vocab_near(v), v, 0));
	while (near_step(vocab_near(v), v, 0))
		;
	assert_int_equal(near_find(vocab_near(v), v, SPAN("asked"), 0.1f, out), NEAR_MAX);
	for (unsigned i = 1; i < NEAR_MAX; i++)
		assert_true(out[i].likeness <= out[i - 1].likeness);
	buf_fini(&text);
}

/* A number that no vector has spoils the file: nothing would be finite. */
static void
numbers_have_bounds(void **state)
{
	static const char *const bad[] = { "a 1e7 1\n", "a 1 -1e7\n", "a nan 1\n", "a inf 1\n", "a 1e400 1\n" };
	struct vocab_guess out[NEAR_MAX];

	(void)state;
	add("a");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		vectors_fini(&vectors);
		read_vectors(bad[i]);
		while (vectors_step(&vectors, UINT64_MAX))
			;
		assert_string_equal(vectors.trouble, "line 1 is no word with its numbers");
		assert_false(near_step(vocab_near(v), v, UINT64_MAX));
		assert_int_equal(near_find(vocab_near(v), v, SPAN("a"), 0, out), 0);
	}
}

/* A vector of nothing but zeros says nothing; centred, all of these would be alike. */
static void
zeros_are_like_nothing(void **state)
{
	struct vocab_guess out[NEAR_MAX];

	(void)state;
	add("alpha");
	add("beta");
	read_vectors("alpha 0 0\nbeta 0 0\ngamma 1 0\ndelta -1 0.5\n");
	finish_vectors();
	assert_int_equal(near_find(vocab_near(v), v, SPAN("alpha"), 0.1f, out), 0);
}

/* --- the list ------------------------------------------------------------------------------------ */

static const char *const tables[] = { "boat", "pear", "tax", "harbour", "bestellmenge" };

static void
table_name(const struct shelf *shelf, const struct segment *s, uint32_t doc, struct buf *out)
{
	(void)shelf;
	buf_str(out, tables[s->item[doc]]);
}

static const struct shelf_ops table_ops = { .name = table_name, .id = table_name };
static const struct shelf shelf = { .ops = &table_ops };

static struct segment *
build(void)
{
	struct builder *b = builder_new(v, false);
	struct segment *s;

	for (uint32_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		builder_doc(b, KIND_TABLE, VOCAB_NONE, i);
		builder_text(b, FIELD_NAME, span_str(tables[i]));
	}
	s = builder_finish(b);
	builder_free(b);
	return s;
}

static struct question q;
static struct match_result result;
static struct ranked ranked[50];

static size_t
ask(const char *text, const struct part *part)
{
	arena_reset(a);
	question_read(&q, v, a, span_str(text), part, 1, KINDS_ALL, part->segment->nlive);
	match(&q, part, 1, KINDS_ALL, MATCH_HITS_MAX, false, &result);
	return rank_answers(a, &q, span_str(text), part, KINDS_ALL, &result, 50, ranked);
}

/* Where a table is in the semantic list. */
static size_t
place_in_list(const char *name, const struct segment *s)
{
	const struct hits *hits = &result.lists[MATCH_SEMANTIC];

	for (size_t i = 0; i < hits->n; i++)
		if (strcmp(tables[s->item[hits->v[i].doc]], name) == 0)
			return i;
	fail_msg("%s is not in the semantic list", name);
	return 0;
}

/* Without vectors a question has two lists, and they stay as they are when there are some. */
static void
another_word_for_it_is_found(void **state)
{
	struct segment *s = build();
	struct part part = { s, &shelf };
	struct match_reason reasons[MATCH_GROUPS_MAX];
	struct match_result before;
	struct hit hit;

	(void)state;
	assert_int_equal(ask("kelvar", &part), 0);
	assert_int_equal(ask("tax of the boat", &part), 2);
	assert_int_equal(result.lists[MATCH_SEMANTIC].n, 0);
	before = result;
	read_vectors(few_words);
	finish_vectors();

	assert_int_equal(ask("kelvar", &part), 1);
	assert_true(span_is_str(ranked[0].id, "boat"));
	assert_int_equal(match_found_by(&q, s, ranked[0].doc), MATCH_IN(MATCH_SEMANTIC));
	assert_true(ranked[0].lanes[MATCH_LEXICAL].rank == 0 && ranked[0].lanes[MATCH_SEMANTIC].rank == 1);
	/* It answers nothing that was asked for in so many words; beside what does, it is half as sure. */
	assert_float_equal(ranked[0].share, 0, 0);
	assert_int_equal(match_explain(&q, s, ranked[0].doc, MATCH_SEMANTIC, reasons, &hit), 1);
	assert_true(hit.score > 0 && span_is_str(vocab_text(v, reasons[0].via), "boat"));
	assert_int_equal(match_explain(&q, s, ranked[0].doc, MATCH_LEXICAL, reasons, &hit), 0);

	assert_int_equal(ask("tax of the boat", &part), 3);
	assert_true(span_is_str(ranked[2].id, "harbour"));
	assert_float_equal(ranked[2].share,
	    ranking.near * result.lists[MATCH_SEMANTIC].v[place_in_list("harbour", s)].share, 1e-6);
	assert_true(ranked[2].share > 0);
	assert_int_equal(result.lists[MATCH_LEXICAL].n, before.lists[MATCH_LEXICAL].n);
	for (size_t i = 0; i < before.lists[MATCH_LEXICAL].n; i++) {
		assert_int_equal(result.lists[MATCH_LEXICAL].v[i].doc, before.lists[MATCH_LEXICAL].v[i].doc);
		assert_float_equal(result.lists[MATCH_LEXICAL].v[i].score, before.lists[MATCH_LEXICAL].v[i].score, 0);
	}
	segment_free(s, v);
}

/* A word stands before what is only like it. */
static void
the_word_itself_comes_first(void **state)
{
	struct segment *s = build();
	struct part part = { s, &shelf };

	(void)state;
	ranking.near_least = 0.3f;
	read_vectors(few_words);
	finish_vectors();
	assert_int_equal(ask("harbour", &part), 2);
	assert_true(span_is_str(ranked[0].id, "harbour") && span_is_str(ranked[1].id, "boat"));
	assert_int_equal(match_found_by(&q, s, ranked[0].doc), MATCH_IN(MATCH_LEXICAL));
	/* In that list the word is the same, once; what is like it is beside it. */
	assert_float_equal(ranked[0].lanes[MATCH_SEMANTIC].matched, ranked[0].lanes[MATCH_LEXICAL].matched, 1e-5);
	/* A small word is like nothing. */
	assert_int_equal(ask("the", &part), 0);
	ask("the harbour", &part);
	for (size_t i = 0; i < q.ngroups; i++)
		assert_true(q.groups[i].lists != MATCH_IN(MATCH_SEMANTIC) || (q.groups[i].words & q.content) != 0);
	segment_free(s, v);
}

/* A word that nothing has is spelt like one and has a vector: in the semantic list it is what its vector is like. */
static void
a_guess_is_of_the_second_list(void **state)
{
	static const char spelt[] = "hrabour 1 0 0\npear 0.9 0.1 0\nplum 0 0 1\ntax 0 1 0\n";
	struct segment *s = build();
	struct part part = { s, &shelf };

	(void)state;
	read_vectors(spelt);
	finish_vectors();
	assert_int_equal(ask("hrabour", &part), 2);
	for (size_t i = 0; i < q.ngroups; i++)
		if (q.groups[i].variants[0].relation == RELATION_GUESS)
			assert_int_equal(q.groups[i].lists, MATCH_IN(MATCH_FUZZY));
	assert_int_equal(match_found_by(&q, s, ranked[0].doc) | match_found_by(&q, s, ranked[1].doc),
	    MATCH_IN(MATCH_FUZZY) | MATCH_IN(MATCH_SEMANTIC));
	segment_free(s, v);
}

/* A question whose words have very many documents has no semantic list, nor does what has as many join one. */
static void
postings_have_a_bound(void **state)
{
	struct segment *s = build();
	struct part part = { s, &shelf };
	uint32_t boat = vocab_find(v, SPAN("boat"));

	(void)state;
	read_vectors(few_words);
	finish_vectors();
	assert_int_equal(ask("kelvar", &part), 1);
	assert_int_equal(q.lists, MATCH_IN(MATCH_SEMANTIC));
	ask("boat", &part);
	assert_int_equal(q.lists, MATCH_IN(MATCH_SEMANTIC));
	vocab_count_documents(v, boat, 200000);
	assert_int_equal(ask("kelvar", &part), 0);
	ask("boat", &part);
	assert_int_equal(q.lists, 0);
	vocab_count_documents(v, boat, -200000);
	segment_free(s, v);
}

/* In a large vocabulary only some words of a question are compared. */
static void
comparisons_have_a_bound(void **state)
{
	const char *asked = "qaa qbb qcc qdd qee qff qgg qhh qii qjj";
	struct segment *s = build();
	struct part part = { s, &shelf };
	struct buf text = { 0 };
	unsigned n = 0;
	char word[8];

	(void)state;
	for (char c = 'a'; c <= 'j'; c++)
		buf_printf(&text, "q%c%c 1 0.1\n", c, c);
	for (unsigned i = 0; i < 60000; i++) {
		snprintf(word, sizeof(word), "%c%c%c%c", (int)('a' + i % 26), (int)('a' + i / 26 % 26),
		    (int)('a' + i / 676 % 26), (int)('a' + i / 17576));
		add(word);
		buf_printf(&text, "%s %d 0.1\n", word, i % 2 == 0 ? 1 : -1);
	}
	read_vectors(buf_cstr(&text));
	finish_vectors();
	ask(asked, &part);
	for (size_t i = 0; i < q.ngroups; i++)
		n += q.groups[i].lists == MATCH_IN(MATCH_SEMANTIC);
	assert_true(n > 0 && n <= 400000 / vocab_near(v)->n);
	buf_fini(&text);
	segment_free(s, v);
}

/* A word that comes apart weighs in that list what it weighs in the others. */
static void
a_compound_keeps_its_weight(void **state)
{
	static const char text[] = "bestellmenge 1 0 0\nboat 0.95 0.1 0\npear 0 1 0\ntax -1 -1 0.1\n";
	struct segment *s = build();
	struct part part = { s, &shelf };
	unsigned n = 0;

	(void)state;
	read_vectors(text);
	finish_vectors();
	ask("bestellmenge", &part);
	assert_true(q.words[0].split);
	for (size_t i = q.nwords; i < q.ngroups; i++)
		if (q.groups[i].lists == MATCH_IN(MATCH_SEMANTIC) && q.groups[i].words == q.groups[0].words) {
			assert_float_equal(q.groups[i].rarity, q.groups[0].rarity, 1e-6);
			n++;
		}
	assert_int_equal(n, 1);
	segment_free(s, v);
}

/* --- a project ----------------------------------------------------------------------------------- */

static char project[64];

static void
write_page(const char *name, unsigned i, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/wiki/global/%s%03u.md", project, name, i);
	assert_non_null(f = fopen(path, "we"));
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static struct library *
open_project(void)
{
	struct mp_value none;
	struct library *l;
	struct err err;
	char path[96];

	snprintf(project, sizeof(project), "/tmp/carrel-near-XXXXXX");
	assert_non_null(mkdtemp(project));
	snprintf(path, sizeof(path), "%s/wiki", project);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/wiki/global", project);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(mp_value(SPAN("\x90"), &none));
	l = library_new(span_str(project), SPAN(""), SPAN("carrel"), &none, NULL, &err);
	assert_non_null(l);
	return l;
}

static void
follow_all(struct library *l)
{
	const struct follow_budget budget = { .items = 5000, .ns = UINT64_C(1000000000) };
	struct err err;

	assert_int_equal(follow_open(l, &err), 0);
	do
		(void)follow_step(l, &budget);
	while (follow_is_busy(l) || l->chunks.vectors.fd != -1);
}

/* Three lists without a document in common: all of their answers are joined. */
static void
answers_of_three_lists_have_room(void **state)
{
	static const char text[] = "nearone 1 0 0\nwordone 1 0.01 0\nneartwo 0 1 0\nwordtwo 0 1 0.01\nnearthree 0 0 1\n"
				   "wordthree 0 0.01 1\nother -3 -3 -3\n";
	const char *asked = "quorl brandolek vermisten wordone wordtwo wordthree";
	struct library *l = open_project();
	struct answers answers;
	struct err err;
	size_t n;

	(void)state;
	for (unsigned i = 0; i < 250; i++) {
		write_page("a", i, "# quorl quorl\nquorl zennik\n");
		write_page("b", i, "# brandolak vermistan\nbrandolak vermistan filler filler\n");
		write_page("c", i, "# nearone neartwo nearthree\nnearone neartwo nearthree filler\n");
	}
	follow_all(l);
	read_vectors(text);
	while (vectors_step(&vectors, UINT64_MAX))
		;
	vocab_near(l->vocab)->vectors = &vectors;
	assert_false(near_step(vocab_near(l->vocab), l->vocab, UINT64_MAX));
	assert_int_equal(search_ask(l, a, span_str(asked), NULL, KINDS_ALL, 100, &answers, &err), 0);
	assert_true(answers.nranked > 2 * MATCH_HITS_MAX && answers.nranked <= MATCH_ANSWERS_MAX);
	assert_int_equal(search_find(l, a, span_str(asked), NULL, KINDS_ALL, 50, false, &answers, &n, &err), 0);
	assert_int_equal(n, 50);
	library_free(l);
	atomic_remove(AT_FDCWD, project, NULL);
}

/* A file that breaks off says so, and what was read of it is used: a word is like the same others as before. */
static void
a_file_that_breaks_off_is_told(void **state)
{
	static const char cut[] = "kelvar 1 0 0 0.1\nboat 0.95 0.1 0 0.1\npear 0 0 1 0\ntax 0 0 0 1\nplum 0 0.1\n";
	struct library *l = open_project();
	struct vocab_guess out[NEAR_MAX];

	(void)state;
	write_page("a", 0, "# boat\nboat pear tax\n");
	read_vectors(cut);
	l->chunks.vectors = vectors;
	vectors = (struct vectors){ .fd = -1 };
	follow_all(l);
	assert_true(follow_take_news(l));
	assert_string_equal(l->chunks.vectors.trouble, "line 5 has more or fewer numbers than the ones before it");
	assert_false(near_step(vocab_near(l->vocab), l->vocab, UINT64_MAX));
	assert_int_equal(near_find(vocab_near(l->vocab), l->vocab, SPAN("kelvar"), 0.5f, out), 1);
	assert_true(span_is_str(vocab_text(l->vocab, out[0].term), "boat"));
	library_free(l);
	atomic_remove(AT_FDCWD, project, NULL);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_likest_come_first),
		TEST(words_come_and_go),
		TEST(only_the_best_are_kept),
		TEST(numbers_have_bounds),
		TEST(zeros_are_like_nothing),
		TEST(another_word_for_it_is_found),
		TEST(the_word_itself_comes_first),
		TEST(a_guess_is_of_the_second_list),
		TEST(postings_have_a_bound),
		TEST(comparisons_have_a_bound),
		TEST(a_compound_keeps_its_weight),
		TEST(answers_of_three_lists_have_room),
		TEST(a_file_that_breaks_off_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
