// libs: carrel_search carrel_base
/* test_search_lexicon_tables.c - what lexicon_make.c has written, against the rows it was made from. */
#include "tests/unit/harness.h"

#include "words/lexicon_tables.h"
#include "words/text.h"
#include "words/words.h"
#include "words/lexicon_head.h"

static const char *const rows[][4] = {
#define ROW(head, brief, other, german) { head, brief, other, german },
#include "words/lexicon_words.def"
#include "words/lexicon_trades.def"
#include "words/lexicon_sap.def"
#include "words/lexicon_talk.def"
#include "words/lexicon_daily.def"
#undef ROW
};

#define NROWS	(sizeof(rows) / sizeof(rows[0]))

static struct span
entry_text(const struct lexicon_entry *e)
{
	return span_of(lexicon_pool + e->at, e->len);
}

static void
assert_word(size_t i, size_t row, unsigned class, struct span text)
{
	const struct lexicon_word *w = &lexicon_words[i];

	assert_true(i < lexicon_nwords);
	if (w->row != row || w->class != class || !span_is(lexicon_text(w), text))
		fail_msg("word %zu is \"%.*s\" of row %u, not \"%.*s\" of row %zu", i, SPAN_FMT(lexicon_text(w)),
		    w->row, SPAN_FMT(text), row);
}

static void
words_are_those_of_the_rows(void **state)
{
	size_t at = 0;

	(void)state;
	assert_int_equal(lexicon_nrows, NROWS);
	for (size_t row = 0; row < NROWS; row++) {
		assert_int_equal(lexicon_starts[row], at);
		assert_word(at++, row, LEXICON_HEAD, span_str(rows[row][0]));
		for (unsigned class = LEXICON_SHORT; class <= LEXICON_GERMAN; class ++)
			for (const char *p = rows[row][class]; *(p += strspn(p, " ")) != '\0'; p += strcspn(p, " "))
				assert_word(at++, row, class, span_of(p, strcspn(p, " ")));
	}
	assert_int_equal(lexicon_starts[NROWS], at);
	assert_int_equal(lexicon_nwords, at);
}

static void
beginnings_are_those_of_the_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < lexicon_nwords; i++) {
		struct span s = lexicon_text(&lexicon_words[i]);

		assert_true(s.len < 3 || lexicon_has(&lexicon_known, lexicon_beginning(s, 3)));
	}
}

/* True when a word of that stem is German, or is not. */
static bool
has_stem(struct span stem, bool german)
{
	size_t low = 0, high = lexicon_by_stem.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(entry_text(&lexicon_by_stem.entries[mid]), stem) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < lexicon_by_stem.n && span_is(entry_text(&lexicon_by_stem.entries[low]), stem); low++)
		if ((lexicon_words[lexicon_by_stem.entries[low].of].class == LEXICON_GERMAN) == german)
			return true;
	return false;
}

/* What the sets of beginnings say no to has no stem that is known, whatever ending a word is given. */
static void
no_form_is_passed_over(void **state)
{
	static const char *const endings[] = {
		"", "s", "es", "ed", "ing", "er", "ers", "ly", "ness", "ment", "ation", "e", "en", "em", "ern", "st", "ung",
		"ungen", "heit", "ig", "lich", "isch"
	};
	size_t passed_over = 0;

	(void)state;
	for (size_t i = 0; i < lexicon_nwords; i++)
		for (size_t k = 0; k < sizeof(endings) / sizeof(endings[0]); k++) {
			uint8_t form[2 * TEXT_WORD_MAX], stem[TEXT_WORD_MAX];
			struct span word = lexicon_text(&lexicon_words[i]);
			size_t len = word.len > 3 && strchr("eyn", word.p[word.len - 1]) != NULL && k % 2 == 0 ?
			    word.len - 1 :
			    word.len;
			bool english, german;

			memcpy(form, word.p, len);
			memcpy(form + len, endings[k], strlen(endings[k]));
			word = span_of(form, len + strlen(endings[k]));
			if (word.len < 3 || word.len > TEXT_WORD_MAX ||
			    !lexicon_has(&lexicon_known, lexicon_beginning(word, 3)))
				continue;
			english = lexicon_has(&lexicon_english, lexicon_beginning(word, 3)) ||
			    lexicon_has(&lexicon_english, lexicon_beginning(word, 4));
			german = lexicon_has(&lexicon_german, lexicon_beginning(word, 3)) ||
			    lexicon_has(&lexicon_german, lexicon_beginning(word, 4));
			if (!english && has_stem(span_of(stem, text_stem(word, stem)), false))
				fail_msg("%.*s is passed over in English", SPAN_FMT(word));
			if (!german && has_stem(span_of(stem, text_german_stem(word, stem)), true))
				fail_msg("%.*s is passed over in German", SPAN_FMT(word));
			passed_over += !(english && german);
		}
	assert_true(passed_over > 10000);
}

/* The first word of a head that counts. */
static struct span
first_word(struct span head)
{
	struct span left = head;

	for (;;) {
		const uint8_t *blank = memchr(left.p, ' ', left.len);
		struct span word = span_of(left.p, blank == NULL ? left.len : (size_t)(blank - left.p));

		if (blank == NULL || lexicon_is_strict(head) || !words_has(WORDS_FUNCTION, word))
			return word;
		left = span_of(blank + 1, left.len - word.len - 1);
	}
}

/* Sorted, the same texts counted, each found at the first place of its hash that is its own. */
static void
assert_list(const struct lexicon_list *l)
{
	size_t texts = 0, taken = 0;

	assert_true(l->nplaces >= 2 * l->n && (l->nplaces & (l->nplaces - 1)) == 0);
	for (size_t i = 0; i < l->n; i++) {
		const struct lexicon_entry *e = &l->entries[i], *before = i == 0 ? NULL : e - 1;
		int order = before == NULL ? -1 : span_cmp(entry_text(before), entry_text(e));
		uint64_t hash = text_hash(entry_text(e));
		size_t at = hash & (l->nplaces - 1);

		assert_true(order < 0 || (order == 0 && before->of < e->of));
		assert_true(before == NULL || before->more == (order == 0 ? e->more + 1 : 0));
		assert_true(i + e->more < l->n);
		if (order == 0)
			continue;
		texts++;
		while (l->places[at].entry != i + 1) {
			assert_int_not_equal(l->places[at].entry, 0);
			at = (at + 1) & (l->nplaces - 1);
		}
		assert_int_equal(l->places[at].mark, lexicon_mark(hash));
	}
	for (size_t i = 0; i < l->nplaces; i++)
		taken += l->places[i].entry != 0;
	assert_int_equal(taken, texts);
}

static bool
holds(const struct lexicon_list *l, struct span text, size_t of)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->entries[i].of == of && span_is(entry_text(&l->entries[i]), text))
			return true;
	return false;
}

static void
every_word_is_listed_under_its_text_and_stem(void **state)
{
	size_t stems = 0;

	(void)state;
	assert_list(&lexicon_by_text);
	assert_list(&lexicon_by_stem);
	for (size_t i = 0; i < lexicon_nwords; i++) {
		const struct lexicon_word *w = &lexicon_words[i];
		struct span text = lexicon_text(w);
		uint8_t stem[TEXT_WORD_MAX];
		size_t len;

		assert_true(holds(&lexicon_by_text, text, i));
		if (w->class == LEXICON_SHORT)
			continue;
		len = w->class == LEXICON_GERMAN ? text_german_stem(text, stem) : text_stem(text, stem);
		if (!holds(&lexicon_by_stem, span_of(stem, len), i))
			fail_msg("\"%.*s\" is not found by its stem", SPAN_FMT(text));
		stems++;
	}
	assert_int_equal(lexicon_by_text.n, lexicon_nwords);
	assert_int_equal(lexicon_by_stem.n, stems);
}

static void
every_head_of_several_words_is_listed_under_one(void **state)
{
	size_t phrases = 0;

	(void)state;
	assert_list(&lexicon_by_first);
	for (size_t row = 0; row < NROWS; row++) {
		struct span head = span_str(rows[row][0]);
		uint8_t stem[TEXT_WORD_MAX];

		if (memchr(head.p, ' ', head.len) == NULL)
			continue;
		if (!holds(&lexicon_by_first, span_of(stem, text_stem(first_word(head), stem)), row))
			fail_msg("\"%.*s\" is not found by its first word", SPAN_FMT(head));
		phrases++;
	}
	assert_int_equal(lexicon_by_first.n, phrases);
}

static void
initials_part_the_words_and_the_stems(void **state)
{
	size_t words = 0, stems = 0;

	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		for (size_t i = lexicon_initial_starts[byte]; i < lexicon_initial_starts[byte + 1]; i++, words++) {
			assert_int_equal(lexicon_text(&lexicon_words[lexicon_initials[i]]).p[0], byte);
			assert_true(i == lexicon_initial_starts[byte] || lexicon_initials[i - 1] < lexicon_initials[i]);
		}
		for (size_t i = lexicon_stem_starts[byte]; i < lexicon_stem_starts[byte + 1]; i++, stems++)
			assert_int_equal(entry_text(&lexicon_by_stem.entries[i]).p[0], byte);
	}
	assert_int_equal(words, lexicon_nwords);
	assert_int_equal(stems, lexicon_by_stem.n);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_those_of_the_rows),
		cmocka_unit_test(beginnings_are_those_of_the_words),
		cmocka_unit_test(no_form_is_passed_over),
		cmocka_unit_test(every_word_is_listed_under_its_text_and_stem),
		cmocka_unit_test(every_head_of_several_words_is_listed_under_one),
		cmocka_unit_test(initials_part_the_words_and_the_stems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
