// libs: carrel_base
/* test_b64.c - RFC 4648 vectors, round trips, and only one text for the same bytes. */
#include "base/text/b64.h"
#include "tests/unit/harness.h"

static void
vectors(void **state)
{
	static const struct {
		const char *plain, *standard, *url;
	} rows[] = {
		{ "", "", "" },
		{ "f", "Zg==", "Zg" },
		{ "fo", "Zm8=", "Zm8" },
		{ "foo", "Zm9v", "Zm9v" },
		{ "foob", "Zm9vYg==", "Zm9vYg" },
		{ "fooba", "Zm9vYmE=", "Zm9vYmE" },
		{ "foobar", "Zm9vYmFy", "Zm9vYmFy" },
		{ "\xfb\xff\xfe", "+//+", "-__-" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf b = BUF_MAX(0);

		b64_encode(&b, span_str(rows[i].plain));
		assert_string_equal(buf_cstr(&b), rows[i].standard);
		b.len = 0;
		b64url_encode(&b, span_str(rows[i].plain));
		assert_string_equal(buf_cstr(&b), rows[i].url);
		b.len = 0;
		assert_true(b64_decode(&b, span_str(rows[i].standard)));
		assert_string_equal(buf_cstr(&b), rows[i].plain);
		b.len = 0;
		assert_true(b64url_decode(&b, span_str(rows[i].url)));
		assert_string_equal(buf_cstr(&b), rows[i].plain);
		buf_fini(&b);
	}
}

static void
refused(void **state)
{
	static const char *const standard[] = {
		"Z", "Zg", "Zg=", "Zg===", "====", "=", "Zh==", "Zm9=", "Zg==Zg==", "Zm9v Yg==",
		"Zm9v\n", "Zm-v", "Zm_v", "Zm9v====", "Z===", "\xc3\xa9Zm", "Zm8=Zm8=",
	};
	static const char *const url[] = { "Z", "Zg==", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm9v=", "Zm9vY" };
	struct buf b = BUF_MAX(0);

	(void)state;
	buf_str(&b, "before");
	for (size_t i = 0; i < sizeof(standard) / sizeof(standard[0]); i++) {
		if (b64_decode(&b, span_str(standard[i])))
			fail_msg("'%s' was decoded", standard[i]);
		assert_buf(&b, "before");
	}
	for (size_t i = 0; i < sizeof(url) / sizeof(url[0]); i++) {
		if (b64url_decode(&b, span_str(url[i])))
			fail_msg("'%s' was decoded", url[i]);
		assert_buf(&b, "before");
	}
	buf_fini(&b);
}

static void
round_trips(void **state)
{
	uint8_t bytes[200];
	uint64_t seed = 1;

	(void)state;
	for (size_t n = 0; n < sizeof(bytes); n++) {
		struct buf text = BUF_MAX(0), back = BUF_MAX(0);

		bytes[n] = (uint8_t)test_random(&seed);
		b64_encode(&text, span_of(bytes, n));
		assert_true(b64_decode(&back, buf_view(&text)));
		assert_true(span_is(buf_view(&back), span_of(bytes, n)));
		text.len = back.len = 0;
		b64url_encode(&text, span_of(bytes, n));
		assert_true(b64url_decode(&back, buf_view(&text)));
		assert_true(span_is(buf_view(&back), span_of(bytes, n)));
		buf_fini(&text);
		buf_fini(&back);
	}
}

static void
ceiling(void **state)
{
	struct buf b = BUF_MAX(7);

	(void)state;
	b64_encode(&b, SPAN("fooba"));
	assert_true(b.full);
	assert_int_equal(b.len, 0);
	buf_reset(&b, 0);
	assert_false(b64_decode(&b, SPAN("Zm9vYmFyZm9v")));
	assert_int_equal(b.len, 0);
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(refused),
		cmocka_unit_test(round_trips),
		cmocka_unit_test(ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
