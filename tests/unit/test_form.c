// libs: carrel_front
/* test_form.c - forms and queries as strangers send them. */
#include <stdio.h>

#include "base/text/percent.h"
#include "front/wire/form.h"
#include "tests/unit/harness.h"

static enum form_fault
fault_of(const char *text, const char *many)
{
	struct form f;
	enum form_fault fault = form_read(span_str(text), many, &f);

	assert_true(fault == FORM_OK || f.n == 0);
	form_fini(&f);
	return fault;
}

static void
fields(void **state)
{
	struct form f;

	(void)state;
	assert_int_equal(form_read(SPAN("a=1&b=x+y%2Bz&c&d=&&e=%c3%A9=1"), NULL, &f), FORM_OK);
	assert_int_equal(f.n, 5);
	assert_true(span_is_str(form_get(&f, "a"), "1"));
	assert_true(span_is_str(form_get(&f, "b"), "x y+z"));
	assert_int_equal(form_get(&f, "c").len, 0);
	assert_int_equal(form_get(&f, "d").len, 0);
	assert_true(span_is_str(form_get(&f, "e"), "\xc3\xa9=1"));
	assert_int_equal(form_get(&f, "missing").len, 0);
	form_fini(&f);
	assert_int_equal(form_read(SPAN(""), NULL, &f), FORM_OK);
	assert_int_equal(f.n, 0);
	form_fini(&f);
}

/* RFC 6749 3.1: a parameter comes once at most. */
static void
repeated(void **state)
{
	struct form f;

	(void)state;
	assert_int_equal(fault_of("a=1&b=2&a=1", NULL), FORM_REPEATED);
	assert_int_equal(fault_of("a=1&%61=2", NULL), FORM_REPEATED);
	assert_int_equal(fault_of("scope=1&scope=2&a=1&a=2", "scope"), FORM_REPEATED);
	assert_int_equal(form_read(SPAN("scope=1&scope=2"), "scope", &f), FORM_OK);
	assert_int_equal(f.n, 2);
	form_fini(&f);
}

static void
malformed(void **state)
{
	(void)state;
	assert_int_equal(fault_of("a=%", NULL), FORM_SYNTAX);
	assert_int_equal(fault_of("a=%4", NULL), FORM_SYNTAX);
	assert_int_equal(fault_of("a=%4g", NULL), FORM_SYNTAX);
	assert_int_equal(fault_of("a=%00", NULL), FORM_SYNTAX);
	assert_int_equal(fault_of("a=%0d%0aLocation:x", NULL), FORM_SYNTAX);
	assert_int_equal(fault_of("a=%7f", NULL), FORM_SYNTAX);
	assert_int_equal(fault_of("a=%ff", NULL), FORM_SYNTAX);
	assert_int_equal(fault_of("a=%ed%a0%80", NULL), FORM_SYNTAX);
	assert_int_equal(fault_of("=1", NULL), FORM_SYNTAX);
}

static void
bounds(void **state)
{
	static char text[FORM_MAX + 2];
	size_t n = 0;

	(void)state;
	memset(text, 'a', FORM_MAX + 1);
	assert_int_equal(fault_of(text, NULL), FORM_TOO_MUCH);
	text[FORM_MAX] = '\0';
	assert_int_equal(fault_of(text, NULL), FORM_OK);
	for (unsigned i = 0; i <= FORM_FIELDS_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "f%u=1&", i);
	assert_int_equal(fault_of(text, NULL), FORM_TOO_MUCH);
}

/* What is written escaped reads back as the same bytes. */
static void
escaped(void **state)
{
	struct buf out = { .max = 0 };
	struct form f;

	(void)state;
	buf_str(&out, "state=");
	percent_put(&out, SPAN("a b+c&d=e%#\"<>\xc3\xa9~-._"), percent_is_unreserved);
	assert_int_equal(form_read(buf_view(&out), NULL, &f), FORM_OK);
	assert_true(span_is_str(form_get(&f, "state"), "a b+c&d=e%#\"<>\xc3\xa9~-._"));
	form_fini(&f);
	buf_fini(&out);
}

static void
faults_have_words(void **state)
{
	(void)state;
	for (enum form_fault f = FORM_OK; f <= FORM_TOO_MUCH; f++)
		assert_true(strlen(form_fault_text(f)) > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(repeated),
		cmocka_unit_test(malformed),
		cmocka_unit_test(bounds),
		cmocka_unit_test(escaped),
		cmocka_unit_test(faults_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
