// libs: carrel_front
/* test_cursor.c - a cursor is a position for one list and one principal, and nothing else is one. */
#include "tests/unit/harness.h"

#include "front/wire/cursor.h"

static const uint8_t key[32] = "a key", other_key[32] = "b key";
static struct signer c;

static int
begin(void **state)
{
	(void)state;
	signer_init(&c, SIGNER_CURSOR, key);
	return 0;
}

static bool
reads(const struct signer *by, const char *list, const char *who, struct span text, const char *position)
{
	struct buf out = { .max = 0 };
	bool ours = cursor_read(by, span_str(list), span_str(who), text, &out);

	if (ours)
		assert_true(span_is_str(buf_view(&out), position));
	else
		assert_int_equal(out.len, 0);
	buf_fini(&out);
	return ours;
}

static void
test_a_position_comes_back(void **state)
{
	static const char *const positions[] = { "", "x", "17 carrel://schema/w/größe", "\n\t \"" };
	struct buf text = { .max = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
		text.len = 0;
		cursor_put(&c, SPAN("l"), SPAN("p"), span_str(positions[i]), &text);
		for (size_t k = 0; k < text.len; k++)
			assert_non_null(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
			    text.p[k]));
		assert_true(reads(&c, "l", "p", buf_view(&text), positions[i]));
	}
	buf_fini(&text);
}

static void
test_bound_to_list_principal_and_key(void **state)
{
	struct buf text = { .max = 0 };
	struct signer again, other;

	(void)state;
	signer_init(&again, SIGNER_CURSOR, key);
	signer_init(&other, SIGNER_CURSOR, other_key);
	cursor_put(&c, SPAN("list"), SPAN("who"), SPAN("at"), &text);
	assert_true(reads(&again, "list", "who", buf_view(&text), "at")); /* after a restart */
	assert_false(reads(&other, "list", "who", buf_view(&text), ""));
	assert_false(reads(&c, "lists", "who", buf_view(&text), ""));
	assert_false(reads(&c, "list", "", buf_view(&text), ""));
	/* no part can take bytes of its neighbour */
	assert_false(reads(&c, "listw", "ho", buf_view(&text), ""));
	assert_false(reads(&c, "lis", "twho", buf_view(&text), ""));
	buf_fini(&text);
}

static void
test_nothing_else_is_one(void **state)
{
	struct buf text = { .max = 0 }, big = { .max = 0 };

	(void)state;
	assert_false(reads(&c, "l", "p", SPAN(""), ""));
	assert_false(reads(&c, "l", "p", SPAN("AQ"), ""));
	assert_false(reads(&c, "l", "p", SPAN("AQAAAAAAAAAAAAAAAAAAAAAAAA"), ""));
	cursor_put(&c, SPAN("l"), SPAN("p"), SPAN("position"), &text);
	for (size_t i = 0; i < text.len; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			text.p[i] ^= (uint8_t)(1u << bit);
			assert_false(reads(&c, "l", "p", buf_view(&text), ""));
			text.p[i] ^= (uint8_t)(1u << bit);
		}
	for (size_t n = 0; n < text.len; n++)
		assert_false(reads(&c, "l", "p", span_of(text.p, n), ""));
	buf_byte(&text, 'A');
	assert_false(reads(&c, "l", "p", buf_view(&text), ""));
	for (size_t i = 0; i <= CURSOR_MAX; i++)
		buf_byte(&big, 'A');
	assert_false(reads(&c, "l", "p", buf_view(&big), ""));
	buf_fini(&text);
	buf_fini(&big);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_position_comes_back, begin),
		cmocka_unit_test_setup(test_bound_to_list_principal_and_key, begin),
		cmocka_unit_test_setup(test_nothing_else_is_one, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
