// libs: carrel_search carrel_base
/* test_search_uri.c - names of resources to URIs and back, and what is none. */
#include <stdio.h>

#include "tests/unit/harness.h"

#include "workers/search/library/uri.h"

static void
assert_uri(enum uri_kind kind, const char *connection, const char *name, const char *uri)
{
	struct uri u = { kind, span_str(connection), span_str(name) }, back;
	struct buf text = { .max = 0 }, scratch = { .max = 0 };

	uri_put("carrel", &u, &text);
	assert_string_equal(buf_cstr(&text), uri);
	assert_true(uri_read("carrel", buf_view(&text), &scratch, &back));
	assert_int_equal(back.kind, kind);
	assert_true(span_is(back.connection, u.connection));
	assert_true(span_is(back.name, u.name));
	buf_fini(&text);
	buf_fini(&scratch);
}

static void
test_names_come_back(void **state)
{
	(void)state;
	assert_uri(URI_WIKI, "", "refund-policy", "carrel://wiki/refund-policy");
	assert_uri(URI_DIALECT, "w", "w", "carrel://dialect/w");
	assert_uri(URI_ONTOLOGIES, "", "", "carrel://ontologies");
	assert_uri(URI_ONTOLOGY, "0-1", "0-1", "carrel://ontologies/0-1");
	assert_uri(URI_DATASET, "0-1", "a b", "carrel://ontologies/0-1/datasets/a%20b");
	assert_uri(URI_SEMANTIC, "w", "orders", "carrel://semantic-layer/w/orders");
	assert_uri(URI_SCHEMA, "w", "public.orders", "carrel://schema/w/public.orders");
	assert_uri(URI_SCHEMA, "w", "a/b c%d?e#f", "carrel://schema/w/a%2Fb%20c%25d%3Fe%23f");
	assert_uri(URI_SCHEMA, "w", "größe", "carrel://schema/w/gr%C3%B6%C3%9Fe");
	assert_uri(URI_SCHEMA, "w", "..", "carrel://schema/w/..");
	assert_uri(URI_SCHEMA, "w", "two\nlines\x7f", "carrel://schema/w/two%0Alines%7F");
	assert_uri(URI_SCHEMA, "w", "\"Sales\".[Order Lines]", "carrel://schema/w/%22Sales%22.%5BOrder%20Lines%5D");
}

static const char *
name_in(const char *text, struct buf *scratch)
{
	static char name[256];
	struct uri u;

	scratch->len = 0;
	if (!uri_read("carrel", span_str(text), scratch, &u))
		return NULL;
	snprintf(name, sizeof(name), "%.*s", SPAN_FMT(u.name));
	return name;
}

/* What need not have been encoded may be, and the reverse where it leads to no doubt. */
static void
test_other_spellings(void **state)
{
	struct buf scratch = { .max = 0 };

	(void)state;
	assert_string_equal(name_in("carrel://schema/w/gr%c3%b6%C3%9fe", &scratch), "größe");
	assert_string_equal(name_in("carrel://schema/w/größe", &scratch), "größe");
	assert_string_equal(name_in("carrel://schema/w/%6frders", &scratch), "orders");
	assert_string_equal(name_in("carrel://schema/w/Order Lines", &scratch), "Order Lines");
	assert_string_equal(name_in("carrel://schema/w/a+b", &scratch), "a+b");
	assert_string_equal(name_in("CARREL://schema/w/x", &scratch), "x");
	buf_fini(&scratch);
}

static void
test_what_is_none(void **state)
{
	static const char *const texts[] = {
		"", "c", "carrel", "carrel:", "carrel:/", "carrel://", "carrel://wiki", "carrel://wiki/", "carrel:///wiki/x",
		"carrel://wiki/a/b", "carrel://wiki/a/", "carrel://wiki//a", "carrel://schema/w", "carrel://schema/w/",
		"carrel://schema//t", "carrel://schema/w/t/", "carrel://schema/w/t/u", "carrel://other/x", "carrel://wiki:1/x",
		"carrel://u@wiki/x", "carrel://WIKI/x", "carrels://wiki/x", "arrel://wiki/x", "carrel//wiki/x",
		"carrel://wiki/x?", "carrel://wiki/x?y", "carrel://wiki/x#", "carrel://wiki/%", "carrel://wiki/%4",
		"carrel://wiki/%4g", "carrel://wiki/%-1", "carrel://wiki/a%00b", "carrel://wiki/a\nb", "carrel://wiki/a\x7f",
		"carrel://wiki/%ff", "carrel://wiki/%c3", "carrel://wiki/%ed%a0%80", "carrel://wiki/\xc3",
		"../../etc/passwd", "file:///etc/passwd", "wiki://../../etc/passwd", "carrel://../../etc/passwd"
	};
	struct buf scratch = { .max = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (name_in(texts[i], &scratch) != NULL)
			fail_msg("%s", texts[i]);
	buf_fini(&scratch);
}

static void
test_another_scheme(void **state)
{
	struct buf text = { .max = 0 }, scratch = { .max = 0 };
	struct uri u;

	(void)state;
	uri_put_template("acme-data", URI_SEMANTIC, &text);
	assert_string_equal(buf_cstr(&text), "acme-data://semantic-layer/{connection}/{source}");
	assert_true(uri_read("acme-data", SPAN("acme-data://wiki/a"), &scratch, &u));
	assert_false(uri_read("acme-data", SPAN("carrel://wiki/a"), &scratch, &u));
	buf_fini(&text);
	buf_fini(&scratch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_come_back),
		cmocka_unit_test(test_other_spellings),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_another_scheme),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
