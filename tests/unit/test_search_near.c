// libs: carrel_search carrel_base
/* test_search_near.c - words that are like others by word vectors of a file, and the list that they make. */
#include "tests/unit/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "workers/search/index/near.h"
#include "workers/search/rank/rank.h"
#include "workers/search/ranking.h"

static struct vocab *v;
static struct arena *a;
static struct vectors vectors;

/* A boat and a kelvar, which no dictionary has, are alike, a harbour less so, a pear not at all; "the" is like all. */
static const char few_words[] =
    "the 0.5 0.5 0.5 0.5\n"
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

/* --- the list ------------------------------------------------------------------------------------ */

static const char *const tables[] = { "boat", "pear", "tax", "harbour" };

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
	/* It answers nothing that was asked for in so many words. */
	assert_float_equal(ranked[0].share, 0, 0);
	assert_int_equal(match_explain(&q, s, ranked[0].doc, MATCH_SEMANTIC, reasons, &hit), 1);
	assert_true(hit.score > 0 && span_is_str(vocab_text(v, reasons[0].via), "boat"));
	assert_int_equal(match_explain(&q, s, ranked[0].doc, MATCH_LEXICAL, reasons, &hit), 0);

	assert_int_equal(ask("tax of the boat", &part), 3);
	assert_true(span_is_str(ranked[2].id, "harbour"));
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
	/* Nothing but a small word: it is like nothing. */
	assert_int_equal(ask("the", &part), 0);
	segment_free(s, v);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_likest_come_first),
		TEST(words_come_and_go),
		TEST(only_the_best_are_kept),
		TEST(another_word_for_it_is_found),
		TEST(the_word_itself_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
