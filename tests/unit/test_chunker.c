// libs: carrel_import
/* test_chunker.c - running text as passages: how long they are, where they end, what of one stands in the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "workers/import/document_text.h"

#define MOST	2000

static struct passage {
	char		*text;
	uint32_t	 page;
} passages[MOST];
static size_t npassages, refuse_at;

static int
keep(void *arg, struct span text, uint32_t page)
{
	(void)arg;
	if (npassages == refuse_at)
		return -1;
	assert_true(npassages < MOST);
	assert_true(text.len > 0 && utf8_valid(text.p, text.len));
	assert_true(utf8_count(text) <= CHUNKER_CHARACTERS);
	passages[npassages].page = page;
	passages[npassages++].text = strndup((const char *)text.p, text.len);
	return 0;
}

static struct chunker *
begin(void)
{
	while (npassages > 0)
		free(passages[--npassages].text);
	refuse_at = SIZE_MAX;
	return chunker_new(keep, NULL);
}

static void
end(struct chunker *c)
{
	assert_int_equal(chunker_end(c), 0);
	chunker_free(c);
}

static void
say(struct chunker *c, const char *text)
{
	chunker_text(c, span_str(text));
}

static size_t
words_in(const char *text)
{
	size_t n = 0;
	char before = ' ';

	for (; *text != '\0'; before = *text++)
		n += strchr(" \n", before) != NULL && strchr(" \n", *text) == NULL;
	return n;
}

/* How many words of the end of one passage the next one begins with. */
static size_t
shared_words(const char *one, const char *next)
{
	for (const char *p = one; (p = strpbrk(p, " \n")) != NULL;) {
		p++;
		if (strncmp(p, next, strlen(p)) == 0)
			return words_in(p);
	}
	return 0;
}

static bool
has_end(const char *text, const char *with)
{
	return span_ends(span_str(text), with);
}

/* --- lengths and overlap ------------------------------------------------------------------- */

static void
test_words(void **state)
{
	struct chunker *c = begin();
	char word[32];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		snprintf(word, sizeof(word), "%s%s%d%s", i % 12 == 0 ? "\t  " : " ", i % 11 == 0 ? "Word" : "word", i,
		    i % 11 == 10 ? ".\r\n" : "");
		say(c, word);
	}
	end(c);
	assert_in_range(npassages, 25, 40);
	for (size_t i = 0; i < npassages; i++) {
		if (i + 1 < npassages) {
			assert_in_range(words_in(passages[i].text), 150, 250);
			assert_in_range(shared_words(passages[i].text, passages[i + 1].text), 20, 60);
			/* Sentences are near: each passage is whole sentences. */
			assert_true(has_end(passages[i].text, "."));
		}
		assert_null(strstr(passages[i].text, "  "));
		assert_null(strpbrk(passages[i].text, "\t\r\n"));
	}
	assert_int_equal(strncmp(passages[0].text, "Word0 word1 ", 12), 0);
	assert_true(has_end(passages[npassages - 1].text, " word4999"));
}

static void
test_short(void **state)
{
	struct chunker *c = begin();

	(void)state;
	say(c, "  One word");
	say(c, "s are joined.\t");
	chunker_paragraph(c, false);
	chunker_paragraph(c, false);
	say(c, "Next.");
	end(c);
	assert_int_equal(npassages, 1);
	assert_string_equal(passages[0].text, "One words are joined.\nNext.");
	assert_int_equal(passages[0].page, 0);
	c = begin();
	say(c, " \n\t ");
	end(c);
	assert_int_equal(npassages, 0);
}

/* Nothing divides what has no blanks, so it is divided by characters; nothing is lost of it. */
static void
test_long_words(void **state)
{
	struct chunker *c = begin();
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 9973; i++)
		say(c, i % 7 == 0 ? "x\xcc\x88" : "a");
	end(c);
	assert_in_range(npassages, 5, 12);
	for (size_t i = 0; i < npassages; i++) {
		assert_null(strchr(passages[i].text, ' '));
		assert_int_not_equal((uint8_t)passages[i].text[0], 0xcc);
		n += strlen(passages[i].text);
	}
	assert_true(n >= 9973);
}

static void
test_without_blanks(void **state)
{
	struct chunker *c = begin();

	(void)state;
	for (int i = 0; i < 400; i++)
		say(c, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe6\x96\x87\xe7\xab\xa0\xe3\x80\x82");
	end(c);
	assert_in_range(npassages, 5, 12);
	for (size_t i = 0; i < npassages; i++) {
		assert_null(strchr(passages[i].text, ' '));
		/* 。 stands at the end of a sentence, never in front of one. */
		assert_true(has_end(passages[i].text, "\xe3\x80\x82"));
		assert_int_equal(strncmp(passages[i].text, "\xe6\x97\xa5", 3), 0);
		if (i + 1 < npassages)
			assert_in_range(utf8_count(span_str(passages[i].text)), 300, 600);
	}
}

/* --- where they end ---------------------------------------------------------------------------- */

static void
test_paragraphs(void **state)
{
	struct chunker *c = begin();

	(void)state;
	for (int p = 0; p < 30; p++) {
		for (int i = 0; i < 40; i++)
			say(c, i == 39 ? "last." : i % 13 == 12 ? "here. Then " : "words ");
		chunker_paragraph(c, false);
	}
	end(c);
	for (size_t i = 0; i < npassages; i++)
		assert_true(has_end(passages[i].text, "last."));
	assert_non_null(strstr(passages[0].text, "last.\nwords"));
}

static void
test_headings(void **state)
{
	struct chunker *c = begin();
	size_t headings = 0;

	(void)state;
	for (int p = 0; p < 40; p++) {
		say(c, "Heading of Nothing");
		chunker_paragraph(c, true);
		for (int i = 0; i < 61; i++)
			say(c, i % 7 == 6 ? "end. Next " : "words ");
		chunker_paragraph(c, false);
	}
	end(c);
	for (size_t i = 0; i < npassages; i++) {
		assert_false(has_end(passages[i].text, "Nothing"));
		assert_false(has_end(passages[i].text, "of"));
		headings += strncmp(passages[i].text, "Heading of Nothing\nwords", 24) == 0;
	}
	assert_true(headings > 0);
}

/* Nothing but headings is divided all the same. */
static void
test_only_headings(void **state)
{
	struct chunker *c = begin();

	(void)state;
	for (int p = 0; p < 2000; p++) {
		say(c, "Alone");
		chunker_paragraph(c, true);
	}
	end(c);
	assert_in_range(npassages, 8, 20);
}

static void
test_small_letters(void **state)
{
	struct chunker *c = begin();

	(void)state;
	for (int i = 0; i < 1200; i++)
		say(c, i % 30 == 29 ? "end. Begin " : i % 5 == 4 ? "approx. " : "about ");
	end(c);
	for (size_t i = 0; i + 1 < npassages; i++)
		assert_true(has_end(passages[i].text, "end."));
}

static void
test_pages(void **state)
{
	struct chunker *c = begin();

	(void)state;
	for (uint32_t page = 1; page <= 9; page++) {
		chunker_page(c, page);
		for (int i = 0; i < 100; i++) {
			char word[32];

			snprintf(word, sizeof(word), "p%u ", page);
			say(c, word);
		}
	}
	end(c);
	/* A passage is of one page, and each page has one. */
	assert_int_equal(npassages, 9);
	for (size_t i = 0; i < npassages; i++) {
		assert_int_equal(passages[i].page, i + 1);
		for (const char *word = passages[i].text; word != NULL; word = strchr(word + 1, 'p'))
			assert_int_equal((uint32_t)word[1] - '0', i + 1);
		assert_int_equal(words_in(passages[i].text), 100);
	}
}

/* --- bytes --------------------------------------------------------------------------------------- */

static void
test_bytes(void **state)
{
	struct chunker *c = begin();
	static const char text[] = "gr\xc3\xbc\xc3\x9f"
				   "e \xf0\x9f\x98\x80 \xe2\x82\xac!";

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(text); i++)
		chunker_text(c, span_of(text + i, 1));
	say(c,
	    " a\xff"
	    "b \xc3");
	say(c,
	    "( \xe2\x80\xae"
	    "hid\xc2\xad"
	    "den\xc2\xa0"
	    "x\x01y \xed\xa0\x80 \xf0\x9f");
	end(c);
	assert_int_equal(npassages, 1);
	assert_string_equal(passages[0].text,
	    "gr\xc3\xbc\xc3\x9f"
	    "e \xf0\x9f\x98\x80 \xe2\x82\xac! a\xef\xbf\xbd"
	    "b \xef\xbf\xbd( hidden x y "
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd");
}

static void
test_refused(void **state)
{
	struct chunker *c = begin();

	(void)state;
	refuse_at = 3;
	for (int i = 0; i < 100000 && !chunker_is_over(c); i++)
		say(c, "on and on. ");
	assert_true(chunker_is_over(c));
	assert_int_equal(chunker_end(c), -1);
	chunker_free(c);
	assert_int_equal(npassages, 3);
}

/* --- files of text ---------------------------------------------------------------------------------- */

/* The passages of a file, or its error. */
static const char *
read_text(struct span bytes, bool markdown)
{
	static struct err err;
	FILE *f = tmpfile();
	struct chunker *c = begin();
	int result;

	assert_int_equal(fwrite(bytes.p, 1, bytes.len, f), bytes.len);
	fflush(f);
	result = document_read_text(fileno(f), markdown, c, &err);
	fclose(f);
	if (result == 0)
		assert_int_equal(chunker_end(c), 0);
	chunker_free(c);
	return result != 0 ? err.message : npassages == 0 ? "" : passages[0].text;
}

static void
test_plain(void **state)
{
	(void)state;
	assert_string_equal(
	    read_text(SPAN("\xef\xbb\xbfOne line\r\nand its end.\r\n\r\n- an item\r\n- another\r\n2. two\r\nOf it"),
		false),
	    "One line and its end.\n- an item\n- another\n2. two Of it");
	assert_string_equal(read_text(SPAN("M\xfcller zahlt 5 \x80\nf\xfcr alles"), false),
	    "M\xc3\xbcller zahlt 5 \xe2\x82\xac f\xc3\xbcr alles");
	assert_string_equal(read_text(SPAN("\xff\xfe"
					   "a\0\xe9\0\n\0\n\0b\0=\xd8\0\xde"),
				false),
	    "a\xc3\xa9\nb\xf0\x9f\x98\x80");
	assert_string_equal(read_text(SPAN("\xfe\xff\0a\0\xe9"), false), "a\xc3\xa9");
	assert_string_equal(read_text(SPAN("\xc3\xa9 and \xff"), false), "\xc3\xa9 and \xef\xbf\xbd");
	assert_string_equal(read_text(SPAN(""), false), "");
	assert_non_null(strstr(read_text(SPAN("abc\0def"), false), "it is no text"));
	assert_non_null(strstr(read_text(SPAN("\1\2\3\4\5\6\7\1\2\3\4\5\6\7abc"), false), "it is no text"));
	/* What is no ASCII comes late, in another encoding than it seemed. */
	static char late[200001];
	memset(late, 'a', sizeof(late) - 1);
	for (size_t i = 9; i < sizeof(late) - 1; i += 10)
		late[i] = ' ';
	late[150003] = '\xfc';
	read_text(span_of(late, sizeof(late) - 1), false);
	assert_true(npassages > 50);
	bool found = false;
	for (size_t i = 0; i < npassages; i++)
		found = found ||
		    strstr(passages[i].text,
			"aaa\xc3\xbc"
			"aa") != NULL;
	assert_true(found);
}

static void
test_markdown(void **state)
{
	(void)state;
	assert_string_equal(read_text(SPAN("# Title #1\nText\nof it\n## Second\n\nUnder\n-----\n---\n| a | b |\n| - | "
					   "- |\n```sql\nSELECT 1\n  FROM t\n```\n#tag"),
				true),
	    "Title #1\nText of it\nSecond\nUnder\n| a | b |\n| - | - |\nSELECT 1\nFROM t\n#tag");
	assert_string_equal(read_text(SPAN("# Title\nText"), false), "# Title Text");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_short), cmocka_unit_test(test_long_words),
		cmocka_unit_test(test_without_blanks), cmocka_unit_test(test_paragraphs),
		cmocka_unit_test(test_headings), cmocka_unit_test(test_only_headings),
		cmocka_unit_test(test_small_letters), cmocka_unit_test(test_pages), cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_plain), cmocka_unit_test(test_markdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
