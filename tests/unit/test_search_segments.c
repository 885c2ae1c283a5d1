// libs: carrel_search carrel_base
/* test_search_segments.c - however a segment came about, it is the one that is built from its living documents. */
#include "tests/unit/harness.h"

#include <stdio.h>
#include <stdlib.h>

#include "workers/search/index/tiers.h"
#include "workers/search/ranking/ranking.h"
#include "workers/search/index/builder.h"
#include "workers/search/index/builder_finish.h"

#define UNITS	60	/* tables with their columns; a unit is the item of all its documents */
#define NAMES	30	/* of columns, by key */
#define MANY	70000	/* more words than sixteen bits count */

static const char *const words[] = {
	"customer", "order", "custmst", "kunnr", "kna", "1", "orderHeader", "amount", "of", "the", "Bestellung", "qty",
	"ab", "bc", "cd", "de", "ef", "fg", "gh", "hi", "ij", "jk", "kl", "lm", "mn", "no", "op", "pq", "qr", "rs",
	"unusually_long_names_of_many_words_are_names_as_well",
};

static struct vocab *v;

/* How documents are given to a builder. */
struct way {
	bool	known;		/* names of columns by their key */
	bool	families;
	float	scale;		/* of columns */
};

static const struct way plainly = { false, true, 1 }, by_key = { true, true, 1 };

static struct span
draw_text(uint64_t *seed, size_t most)
{
	static char text[4096];
	size_t n = test_random(seed) % (most + 1), len = 0;

	while (n-- > 0)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%c",
		    words[test_random(seed) % (sizeof(words) / sizeof(words[0]))], "_ "[test_random(seed) % 2]);
	return span_of(text, len);
}

/* The documents of a unit, drawn from its number and version. */
static void
describe(struct builder *b, uint32_t unit, uint64_t version, struct way way)
{
	uint64_t seed = unit * 1000 + version;
	uint32_t parent = builder_doc(b, KIND_TABLE, VOCAB_NONE, unit);
	bool family = test_random(&seed) % 3 > 0;

	builder_text(b, FIELD_NAME, draw_text(&seed, 4));
	builder_text(b, FIELD_COMMENT, draw_text(&seed, test_random(&seed) % 2 == 0 ? 2 : 40));
	for (uint64_t n = test_random(&seed) % 5; n > 0; n--) {
		uint64_t key = test_random(&seed) % NAMES, of = key;
		struct span name = draw_text(&of, 5);

		builder_doc(b, KIND_COLUMN, parent, unit);
		builder_scale(b, way.scale);
		if (way.known)
			builder_name(b, (uint32_t)key, name);
		else
			builder_text(b, FIELD_NAME, name);
		if (test_random(&seed) % 2 == 0)
			builder_text(b, FIELD_NAME, draw_text(&seed, 3));
		builder_text(b, FIELD_DESCRIPTION, draw_text(&seed, test_random(&seed) % 2 == 0 ? 2 : 40));
	}
	if (family && way.families)
		builder_family(b, parent);
	builder_close(b);
}

static struct segment *
finish(struct builder *b)
{
	struct segment *s = builder_finish(b);

	builder_free(b);
	return s;
}

static void
assert_same(const struct segment *s, const struct segment *t)
{
	size_t n = s->starts[s->nterms];

	assert_int_equal(s->ndocs, t->ndocs);
	assert_int_equal(s->nlive, t->ndocs);
	assert_int_equal(s->kinds, t->kinds);
	assert_int_equal(s->nterms, t->nterms);
	if (s->ndocs == 0)
		return;
	assert_memory_equal(s->kind, t->kind, s->ndocs);
	assert_memory_equal(s->parent, t->parent, s->ndocs * sizeof(*s->parent));
	assert_memory_equal(s->item, t->item, s->ndocs * sizeof(*s->item));
	assert_memory_equal(s->starts, t->starts, (s->nterms + 1) * sizeof(*s->starts));
	if (n == 0)
		return;
	assert_memory_equal(s->terms, t->terms, s->nterms * sizeof(*s->terms));
	assert_memory_equal(s->most, t->most, s->nterms);
	assert_memory_equal(s->docs, t->docs, n * sizeof(*s->docs));
	assert_memory_equal(s->weights, t->weights, n);
	assert_memory_equal(s->masks, t->masks, n);
	assert_memory_equal(s->block_most, t->block_most, (n + SEGMENT_BLOCK - 1) / SEGMENT_BLOCK);
	if (s->doc_starts == NULL || t->doc_starts == NULL)
		return;
	assert_memory_equal(s->doc_starts, t->doc_starts, (s->ndocs + 1) * sizeof(*s->doc_starts));
	for (uint32_t doc = 0; doc < s->ndocs; doc++) {
		uint32_t from = s->doc_starts[doc], many = s->doc_starts[doc + 1] - from;

		qsort(s->doc_terms + from, many, sizeof(*s->doc_terms), array_u32_compare);
		qsort(t->doc_terms + from, many, sizeof(*t->doc_terms), array_u32_compare);
	}
	assert_memory_equal(s->doc_terms, t->doc_terms, n * sizeof(*s->doc_terms));
}

/* Its kinds, and the most of each term and of each block, are what it holds; terms and postings are in order. */
static void
assert_sound(const struct segment *s)
{
	unsigned kinds = 0;

	for (uint32_t doc = 0; doc < s->ndocs; doc++)
		kinds |= KIND_BIT(s->kind[doc]);
	assert_int_equal(s->kinds, kinds);
	for (uint32_t i = 0; i < s->nterms; i++) {
		uint8_t most = 0;

		assert_true(s->starts[i] < s->starts[i + 1] && (i == 0 || s->terms[i - 1] < s->terms[i]));
		for (uint32_t k = s->starts[i]; k < s->starts[i + 1]; k++) {
			assert_true(s->docs[k] < s->ndocs && s->weights[k] > 0 && s->masks[k] != 0);
			assert_true(k == s->starts[i] || s->docs[k - 1] < s->docs[k]);
			assert_true(s->weights[k] <= s->block_most[k / SEGMENT_BLOCK]);
			most = s->weights[k] > most ? s->weights[k] : most;
		}
		assert_int_equal(s->most[i], most);
	}
}

static uint32_t
term_at(uint32_t i)
{
	return i < vocab_count(v) ? i : VOCAB_EXACT | (i - vocab_count(v));
}

static uint32_t
count_all(void)
{
	return vocab_count(v) + vocab_count_exact(v);
}

static int
set_up(void **state)
{
	(void)state;
	v = vocab_new();
	return 0;
}

/* Whatever was built gave back its counts and its working space. */
static int
tear_down(void **state)
{
	struct vocab_scratch scratch = vocab_scratch(v);

	(void)state;
	for (uint32_t i = 0; i < count_all(); i++)
		if (vocab_documents(v, term_at(i)) != 0 || *vocab_place(&scratch, term_at(i)) != 0)
			return -1;
	vocab_free(v);
	return 0;
}

/* Build the living units of t in their order, and take all its segments over at once: both are the same. */
static void
compare_with_fresh(const struct tiers *t, const uint64_t version[UNITS], bool forward)
{
	struct builder *b = builder_new(v, true), *m = builder_new(v, forward);
	uint32_t *counts = array_new(count_all(), sizeof(*counts));
	struct segment *fresh, *merged;
	size_t there = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct segment *s = t->segments[i];

		for (uint32_t doc = 0; doc < s->ndocs; doc++)
			if (s->parent[doc] == doc && !segment_is_dead(s, doc)) {
				assert_ptr_equal(t->places[s->item[doc]].segment, s);
				assert_int_equal(t->places[s->item[doc]].doc, doc);
				describe(b, s->item[doc], version[s->item[doc]], plainly);
				there++;
			}
	}
	for (size_t unit = 0; unit < UNITS; unit++)
		there -= version[unit] != 0;
	assert_int_equal(there, 0);
	for (uint32_t i = 0; i < count_all(); i++)
		counts[i] = vocab_documents(v, term_at(i));
	fresh = finish(b);
	for (uint32_t i = 0; i < count_all(); i++)
		assert_int_equal(vocab_documents(v, term_at(i)), 2 * counts[i]);
	free(counts);
	for (size_t i = 0; i < t->n; i++)
		builder_segment(m, t->segments[i]);
	merged = finish(m);
	assert_sound(merged);
	assert_same(merged, fresh);
	assert_int_equal(tiers_documents(t), fresh->ndocs);
	segment_free(merged, v);
	segment_free(fresh, v);
}

static void
changes_leave_what_is_built_afresh(void **state)
{
	uint64_t seed = 11, version[UNITS] = { 0 };
	struct tiers t;

	(void)state;
	tiers_init(&t, v);
	for (uint64_t round = 1; round <= 1500; round++) {
		uint32_t unit = (uint32_t)(test_random(&seed) % UNITS);
		uint64_t act = test_random(&seed) % 8;

		if (act < 5) {
			describe(tiers_put(&t, unit), unit, version[unit] = round, by_key);
		} else if (act < 7 || round / 300 % 2 == 1) {
			tiers_remove(&t, unit);
			version[unit] = 0;
		} else {
			tiers_commit(&t);
		}
		if (round % 50 == 0) {
			tiers_commit(&t);
			compare_with_fresh(&t, version, round % 100 == 0);
		}
	}
	tiers_fini(&t);
}

/* Units from..to, of which every third was taken out again. */
static struct segment *
build_with_dead(uint32_t from, uint32_t to)
{
	struct builder *b = builder_new(v, true);
	struct segment *s;

	for (uint32_t unit = from; unit < to; unit++)
		describe(b, unit, 1, by_key);
	s = finish(b);
	for (uint32_t doc = 0; doc < s->ndocs; doc++)
		if (s->item[doc] % 3 == 0)
			segment_kill(s, v, doc);
	return s;
}

static void
describe_living(struct builder *b, uint32_t from, uint32_t to)
{
	for (uint32_t unit = from; unit < to; unit++)
		if (unit % 3 != 0)
			describe(b, unit, 1, plainly);
}

/* New documents before, between and behind segments; the builder is then used again, and once more for nothing. */
static void
segments_stand_among_new_documents(void **state)
{
	struct segment *first = build_with_dead(10, 20), *second = build_with_dead(20, 40),
		       *dead = build_with_dead(0, 1);

	(void)state;
	for (unsigned forward = 0; forward < 2; forward++) {
		struct builder *mixed = builder_new(v, forward != 0), *b = builder_new(v, true);
		struct segment *fresh, *s;

		describe_living(b, 0, 60);
		fresh = finish(b);
		for (unsigned round = 0; round < 3; round++) {
			for (uint32_t unit = 0; unit < 10; unit++)
				if (unit % 3 != 0)
					describe(mixed, unit, 1, by_key);
			builder_segment(mixed, dead);
			builder_segment(mixed, first);
			builder_segment(mixed, second);
			for (uint32_t unit = 40; unit < 60; unit++)
				if (unit % 3 != 0)
					describe(mixed, unit, 1, by_key);
			s = builder_finish(mixed);
			assert_sound(s);
			assert_same(s, fresh);
			segment_free(s, v);
			s = builder_finish(mixed);
			assert_int_equal(s->ndocs + s->nterms + s->starts[0], 0);
			builder_segment(mixed, dead);
			if (forward != 0)
				builder_segment(mixed, s);
			assert_int_equal(builder_docs(mixed), 0);
			segment_free(s, v);
		}
		segment_free(fresh, v);
		builder_free(mixed);
	}
	segment_free(first, v);
	segment_free(second, v);
	segment_free(dead, v);
}

/* What each word of a unit counts in its family, computed from documents without families. */
static struct part_of {
	uint8_t	weight, mask;
} expected[UNITS][256];

/* A family has each word of its documents, for as much as where it counts most, and no exact term. */
static void
families_are_the_words_of_their_documents(void **state)
{
	const struct way apart = { false, false, ranking.parts };
	struct builder *b = builder_new(v, false), *one = builder_new(v, false);
	struct segment *parts, *s;
	size_t families = 0;

	(void)state;
	for (uint32_t unit = 0; unit < UNITS; unit++) {
		describe(b, unit, 2, apart);
		describe(one, unit, 2, by_key);
	}
	parts = finish(b);
	s = finish(one);
	assert_sound(s);
	assert_in_range(vocab_count(v), 1, 256);
	for (uint32_t i = 0; i < parts->nterms && (parts->terms[i] & VOCAB_EXACT) == 0; i++)
		for (uint32_t k = parts->starts[i]; k < parts->starts[i + 1]; k++) {
			struct part_of *p = &expected[parts->item[parts->docs[k]]][parts->terms[i]];

			p->weight = parts->weights[k] > p->weight ? parts->weights[k] : p->weight;
			p->mask |= parts->kind[parts->docs[k]] == KIND_TABLE ? parts->masks[k] : 1u << FIELD_DISPLAY;
		}
	for (uint32_t i = 0; i < s->nterms; i++)
		for (uint32_t k = s->starts[i]; k < s->starts[i + 1]; k++) {
			struct part_of *p = &expected[s->item[s->docs[k]]][s->terms[i] & 255];

			if (s->kind[s->docs[k]] != KIND_FAMILY)
				continue;
			assert_int_equal(s->terms[i] & VOCAB_EXACT, 0);
			/* The share of a weight is taken before or behind other products: it may be rounded otherwise.
			 */
			assert_in_range(s->weights[k] + 1, p->weight, p->weight + 2);
			assert_int_equal(s->masks[k], p->mask);
			*p = (struct part_of){ 0 };
		}
	for (uint32_t doc = 0; doc < s->ndocs; doc++) {
		bool family = s->kind[doc] == KIND_FAMILY;

		families += family;
		for (size_t term = 0; family && term < 256; term++)
			assert_int_equal(expected[s->item[doc]][term].mask, 0);
	}
	assert_in_range(families, UNITS / 2, UNITS);
	segment_free(parts, v);
	segment_free(s, v);
}

/* A name with a key, a child and a family, each of more words than sixteen bits count; a weight above a byte. */
static void
many_words_are_counted(void **state)
{
	struct builder *b = builder_new(v, true);
	struct buf text = { 0 };
	struct segment *s, *again;
	uint32_t from, to;
	uint8_t most;

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		buf_printf(&text, "q%c%c%cx%c ", (int)('a' + i % 26), (int)('a' + i / 26 % 26),
		    (int)('a' + i / 676 % 26), (int)('a' + i / 17576));
	for (uint32_t unit = 0; unit < 2; unit++) {
		uint32_t parent = builder_doc(b, KIND_TABLE, VOCAB_NONE, unit);

		builder_name(b, 7, buf_view(&text));
		builder_doc(b, KIND_COLUMN, parent, unit);
		builder_text(b, FIELD_SAMPLE, buf_view(&text));
		for (unsigned i = 0; i < 20; i++)
			builder_text(b, FIELD_NAME, SPAN("amount"));
		builder_text(b, FIELD_DESCRIPTION, SPAN("amount"));
		builder_family(b, parent);
	}
	s = builder_finish(b);
	assert_sound(s);
	assert_int_equal(s->ndocs, 6);
	for (uint32_t doc = 0; doc < s->ndocs; doc++)
		assert_in_range(s->doc_starts[doc + 1] - s->doc_starts[doc], MANY, 2 * MANY);
	for (uint32_t i = 0; i < s->nterms && i < MANY; i++)
		assert_int_equal(s->starts[i + 1] - s->starts[i], 6);
	assert_true(segment_find(s, vocab_find(v, SPAN("amount")), &from, &to, &most));
	assert_int_equal(to - from, 4);
	for (; from < to; from++) {
		bool family = s->kind[s->docs[from]] == KIND_FAMILY;

		assert_int_equal(s->weights[from], 255);
		assert_int_equal(s->masks[from],
		    family ? 1u << FIELD_DISPLAY : 1u << FIELD_NAME | 1u << FIELD_DESCRIPTION);
	}
	builder_segment(b, s);
	again = finish(b);
	assert_same(again, s);
	segment_free(again, v);
	segment_free(s, v);
	/* Few words beside a large vocabulary. */
	s = build_with_dead(1, 3);
	assert_sound(s);
	assert_in_range(s->starts[s->nterms], 1, MANY / 100);
	segment_free(s, v);
	buf_fini(&text);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(changes_leave_what_is_built_afresh),
		TEST(segments_stand_among_new_documents),
		TEST(families_are_the_words_of_their_documents),
		TEST(many_words_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
