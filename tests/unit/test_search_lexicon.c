// libs: carrel_search carrel_base
/* test_search_lexicon.c - words that mean the same, and words that are several written in one. */
#include "tests/unit/harness.h"

#include "base/buf.h"
#include "words/lexicon_head.h"

/* The heads of the rows a word belongs to, joined by commas. */
static const char *
heads(const char *word)
{
	static struct buf b;
	const struct lexicon_word *w[8];
	size_t n = lexicon_find(span_str(word), w, 8);

	b.len = 0;
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? "," : "", SPAN_FMT(lexicon_head(w[i]->row)));
	return buf_cstr(&b);
}

static void
words_are_found_in_any_form(void **state)
{
	static const char *const rows[][2] = {
		{ "customer", "customer,client" }, { "customers", "customer,client" }, { "kunde", "customer" }, { "kunden", "customer" },
		{ "cust", "customer" }, { "clients", "customer,client" }, { "qty", "quantity" }, { "lieferanten", "vendor" },
		{ "gäste", "guest" }, { "häuser", "building" }, { "zeitzone", "time zone,timezone" }, { "kandidat", "applicant,candidate" }, { "csat", "satisfaction,customer satisfaction,how happy,how satisfied,unhappy,happy" },
		{ "spend", "cost,spend,expense" }, { "xyzzy", "" }, { "", "" },
		/* A social security number is the last thing to offer somebody who asks for visits. */
		{ "ssn", "social security number" }, { "sess", "session" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(heads(rows[i][0]), rows[i][1]);
}

/* Nothing is said twice in one row, and everything is written as it is looked up. */
static void
rows_are_in_order(void **state)
{
	const struct lexicon_word *row;
	size_t n;

	(void)state;
	for (uint16_t r = 0; (row = lexicon_row(r, &n)) != NULL; r++) {
		assert_int_equal(row[0].class, LEXICON_HEAD);
		for (size_t i = 0; i < n; i++) {
			struct span word = lexicon_text(&row[i]);

			assert_true(word.len > 0 && word.len < 64);
			for (size_t k = 0; k < word.len; k++)
				assert_false(word.p[k] >= 'A' && word.p[k] <= 'Z');
			for (size_t k = 0; k < i; k++)
				if (span_is(lexicon_text(&row[k]), word) && row[k].class == row[i].class)
					fail_msg("%.*s is twice in the row of %.*s", SPAN_FMT(word),
					    SPAN_FMT(lexicon_head(r)));
		}
	}
}

/* The heads of several words that begin with a form of this one. */
static const char *
phrases(const char *word)
{
	static struct buf b;
	uint16_t rows[8];
	size_t n = lexicon_phrases(span_str(word), rows, 8);

	b.len = 0;
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? "," : "", SPAN_FMT(lexicon_head(rows[i])));
	return buf_cstr(&b);
}

static void
phrases_are_found_by_their_first_word(void **state)
{
	(void)state;
	assert_string_equal(phrases("units"), "unit of measure,unit price");
	assert_string_equal(phrases("on"), "on hand,on time,on call,on its way,on the way,on schedule");
	assert_string_equal(phrases("hand"), "hand in,handed in,hand over,hand out");
	assert_string_equal(phrases("of"), "");
	assert_true(lexicon_is_strict(SPAN("on hand")));
	assert_false(lexicon_is_strict(SPAN("unit of measure")));
}

static const char *
split(const char *word, bool loose)
{
	static struct buf b;
	struct span pieces[4];
	size_t n = lexicon_split(span_str(word), loose, pieces, 4);

	b.len = 0;
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? " " : "", SPAN_FMT(pieces[i]));
	return buf_cstr(&b);
}

static void
words_written_in_one_come_apart(void **state)
{
	static const char *const rows[][2] = {
		{ "custmst", "cust mst" }, { "ordhdr", "ord hdr" }, { "orderid", "order id" }, { "invdt", "inv dt" },
		{ "bestellmenge", "bestell menge" }, { "fehlernachricht", "fehler nachricht" }, { "lieferanschrift", "lieferung anschrift" }, { "kundennummer", "kunden nummer" },
		{ "rechnungsdatum", "rechnungs datum" }, { "customer", "" }, { "photosynthesis", "" }, { "island", "" },
		{ "gebdat", "geb dat" }, { "kdnr", "kd nr" }, { "werbekosten", "werbe kosten" }, { "wartezeit", "" }, { "point", "" }, { "reports", "" }, { "restart", "" },
		{ "a", "" }, { "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(split(rows[i][0], false), rows[i][1]) != 0)
			fail_msg("%s comes apart as \"%s\"", rows[i][0], split(rows[i][0], false));
	/* Only where it looks like one may a piece be anything. */
	assert_string_equal(split("zzqdt", false), "");
	assert_string_equal(split("zzqdt", true), "zzq dt");
	assert_string_equal(split("zaqodt", true), "zaqo dt");
	assert_string_equal(split("zooeaodt", true), "");
}

static void
misspelt_words_have_neighbours(void **state)
{
	const struct lexicon_word *near[4];
	unsigned distance;

	(void)state;
	assert_true(lexicon_guess(SPAN("vendro"), near, 4, &distance) > 0);
	assert_true(span_is(lexicon_text(near[0]), SPAN("vendor")) && distance == 1);
	assert_int_equal(lexicon_guess(SPAN("xyzzyx"), near, 4, &distance), 0);
	assert_int_equal(lexicon_guess(SPAN("id"), near, 4, &distance), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_found_in_any_form),
		cmocka_unit_test(rows_are_in_order),
		cmocka_unit_test(phrases_are_found_by_their_first_word),
		cmocka_unit_test(words_written_in_one_come_apart),
		cmocka_unit_test(misspelt_words_have_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
