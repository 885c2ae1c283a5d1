// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_auth_limits.c - rates, calls in flight and addresses with wrong credentials, with played time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/system/clock.h"
#include "workers/auth/limits.h"

#define AT(s)	((uint64_t)(1000 + (s)) * CLOCK_SECOND)

static const struct limits_conf conf = { .token_per_min = 30, .token_sql_per_min = 10, .tokens_per_min = 120,
	.token_in_flight = 3, .research_per_min = 0, .resources_per_min = 4, .ask_per_min = 5, .failures_per_min = 5,
	.block_s = 300 };

static uint64_t last_id;

static struct ipc_admitted
ask(struct limits *l, const char *principal, enum ipc_class class, uint64_t now)
{
	struct ipc_admit msg = { .class = class, .principal = span_str(principal) };
	struct ipc_admitted out;

	assert_true(limits_admit(l, 1, ++last_id, &msg, now, &out));
	return out;
}

/* A call that ends at once. */
static unsigned
call(struct limits *l, const char *principal, enum ipc_class class, uint64_t now)
{
	struct ipc_admitted out = ask(l, principal, class, now);

	if (out.admission == IPC_ADMISSION_GRANTED)
		limits_release(l, 1, last_id);
	return (unsigned)out.admission;
}

/* No more than 30 in any 60 seconds, wherever the minute begins. */
static void
test_rate(void **state)
{
	struct limits *l = limits_new(&conf);
	struct ipc_admitted out;

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_int_equal(call(l, "token:aaaaaaaa", IPC_CLASS_CALL, AT(50)), IPC_ADMISSION_GRANTED);
	for (int i = 0; i < 10; i++)
		assert_int_equal(call(l, "token:aaaaaaaa", IPC_CLASS_CALL, AT(59)), IPC_ADMISSION_GRANTED);
	out = ask(l, "token:aaaaaaaa", IPC_CLASS_CALL, AT(61));
	assert_int_equal(out.admission, IPC_ADMISSION_RATE);
	assert_int_equal(out.retry_after_s, 49); /* the first 20 came at 50 and leave at 110 */
	assert_int_equal(out.limit, 30);
	assert_int_equal(out.remaining, 0);
	assert_int_equal(call(l, "token:aaaaaaaa", IPC_CLASS_CALL, AT(109)), IPC_ADMISSION_RATE);
	/* What was refused did not count. */
	for (int i = 0; i < 20; i++)
		assert_int_equal(call(l, "token:aaaaaaaa", IPC_CLASS_CALL, AT(110)), IPC_ADMISSION_GRANTED);
	assert_int_equal(call(l, "token:aaaaaaaa", IPC_CLASS_CALL, AT(110)), IPC_ADMISSION_RATE);
	/* Others have their own. */
	assert_int_equal(call(l, "token:bbbbbbbb", IPC_CLASS_CALL, AT(110)), IPC_ADMISSION_GRANTED);
	/* And all is forgotten after long. */
	assert_int_equal(call(l, "token:aaaaaaaa", IPC_CLASS_CALL, AT(10000)), IPC_ADMISSION_GRANTED);
	limits_free(l);
}

static void
test_classes(void **state)
{
	struct limits *l = limits_new(&conf);
	struct ipc_admitted out;

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(call(l, "token:a", IPC_CLASS_SQL, AT(0)), IPC_ADMISSION_GRANTED);
	assert_int_equal(call(l, "token:a", IPC_CLASS_SQL, AT(0)), IPC_ADMISSION_RATE);
	/* Its SQL counts among its calls. */
	out = ask(l, "token:a", IPC_CLASS_CALL, AT(0));
	assert_int_equal(out.admission, IPC_ADMISSION_GRANTED);
	assert_int_equal(out.remaining, 19);
	for (int i = 0; i < 4; i++)
		assert_int_equal(call(l, "user:ada", IPC_CLASS_RESOURCE, AT(0)), IPC_ADMISSION_GRANTED);
	assert_int_equal(call(l, "user:ada", IPC_CLASS_RESOURCE, AT(0)), IPC_ADMISSION_RATE);
	assert_int_equal(call(l, "user:ada", IPC_CLASS_CALL, AT(0)), IPC_ADMISSION_GRANTED);
	for (int i = 0; i < 5; i++)
		assert_int_equal(call(l, "user:ada", IPC_CLASS_ASK, AT(0)), IPC_ADMISSION_GRANTED);
	assert_int_equal(call(l, "user:ada", IPC_CLASS_ASK, AT(0)), IPC_ADMISSION_RATE);
	/* The owner is not limited, unless it is configured. */
	for (int i = 0; i < 1000; i++)
		assert_int_equal(call(l, "local:1000", IPC_CLASS_ASK, AT(0)), IPC_ADMISSION_GRANTED);
	limits_free(l);
}

static void
test_all_tokens(void **state)
{
	struct limits *l = limits_new(&conf);
	unsigned granted = 0;
	char name[32];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "token:t%d", i);
		granted += call(l, name, IPC_CLASS_CALL, AT(0)) == IPC_ADMISSION_GRANTED;
	}
	assert_int_equal(granted, 120);
	assert_int_equal(call(l, "user:ada", IPC_CLASS_CALL, AT(0)), IPC_ADMISSION_GRANTED);
	limits_free(l);
}

static void
test_in_flight(void **state)
{
	struct limits *l = limits_new(&conf);
	struct ipc_admit msg = { .class = IPC_CLASS_CALL, .principal = SPAN("token:a") };
	struct ipc_admitted out;

	(void)state;
	for (uint64_t id = 1; id <= 3; id++) {
		assert_true(limits_admit(l, id, 7, &msg, AT(0), &out)); /* over three fronts */
		assert_int_equal(out.admission, IPC_ADMISSION_GRANTED);
	}
	assert_true(limits_admit(l, 4, 7, &msg, AT(0), &out));
	assert_int_equal(out.admission, IPC_ADMISSION_IN_FLIGHT);
	/* The same call twice is a front that is broken. */
	assert_false(limits_admit(l, 1, 7, &msg, AT(0), &out));
	/* Calls that ran before carrel-auth did: they count, and are not refused, however many there are. */
	msg.held = 1;
	for (uint64_t id = 20; id < 24; id++)
		assert_true(limits_admit(l, 5, id, &msg, AT(0), &out));
	msg.held = 0;
	limits_release(l, 1, 7);
	assert_true(limits_admit(l, 4, 7, &msg, AT(0), &out));
	assert_int_equal(out.admission, IPC_ADMISSION_IN_FLIGHT);
	for (uint64_t id = 20; id < 24; id++)
		limits_release(l, 5, id);
	limits_release(l, 1, 7);
	assert_true(limits_admit(l, 4, 7, &msg, AT(0), &out));
	assert_int_equal(out.admission, IPC_ADMISSION_GRANTED);
	/* A front's end is the end of its calls. */
	limits_gone(l, 2);
	assert_true(limits_admit(l, 4, 8, &msg, AT(0), &out));
	assert_int_equal(out.admission, IPC_ADMISSION_GRANTED);
	assert_true(limits_admit(l, 4, 9, &msg, AT(0), &out));
	assert_int_equal(out.admission, IPC_ADMISSION_IN_FLIGHT);
	limits_free(l);
}

static void
test_strange_principals(void **state)
{
	static const char *const names[] = { "", "token", "root", "Token:a", "statics" };
	struct limits *l = limits_new(&conf);
	struct ipc_admitted out;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(limits_admit(l, 1, 100 + i,
		    &(struct ipc_admit){ .class = IPC_CLASS_CALL, .principal = span_str(names[i]) }, AT(0), &out));
	assert_int_equal(call(l, "static", IPC_CLASS_CALL, AT(0)), IPC_ADMISSION_GRANTED);
	limits_free(l);
}

/* More principals than are counted: those in flight are kept, and the rest has room. */
static void
test_many_principals(void **state)
{
	struct limits_conf wide = conf;
	struct limits *l;
	struct ipc_admitted out;
	char name[32];

	(void)state;
	wide.tokens_per_min = 0;
	l = limits_new(&wide);
	out = ask(l, "token:first", IPC_CLASS_CALL, AT(0));
	assert_int_equal(out.admission, IPC_ADMISSION_GRANTED);
	for (unsigned i = 0; i < 3 * LIMITS_PRINCIPALS; i++) {
		snprintf(name, sizeof(name), "token:%u", i);
		assert_int_equal(call(l, name, IPC_CLASS_CALL, AT(1)), IPC_ADMISSION_GRANTED);
	}
	out = ask(l, "token:first", IPC_CLASS_CALL, AT(2));
	assert_int_equal(out.remaining, 28); /* it was not forgotten */
	limits_free(l);
}

static unsigned blocks;

static void
count_block(void *arg, const char *address, unsigned seconds)
{
	assert_string_equal(address, arg);
	assert_true(seconds > 0 && seconds <= 300);
	blocks++;
}

static void
test_failures(void **state)
{
	struct limits *l = limits_new(&conf);
	char name[32], bad[] = "192.0.2.1";

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(limits_failure(l, span_str(bad), AT(i)), 0);
	assert_int_equal(limits_failure(l, span_str(bad), AT(5)), 300);
	assert_int_equal(limits_failure(l, span_str(bad), AT(6)), 0);
	limits_each_block(l, AT(7), count_block, bad);
	assert_int_equal(blocks, 1);
	/* Others crowd nobody out who is blocked. */
	for (unsigned i = 0; i < 2 * LIMITS_ADDRESSES; i++) {
		snprintf(name, sizeof(name), "2001:db8::%x", i);
		assert_int_equal(limits_failure(l, span_str(name), AT(8)), 0);
	}
	limits_each_block(l, AT(9), count_block, bad);
	assert_int_equal(blocks, 2);
	/* After the block it begins anew. */
	limits_each_block(l, AT(306), count_block, bad);
	assert_int_equal(blocks, 2);
	assert_int_equal(limits_failure(l, span_str(bad), AT(306)), 0);
	/* Four a minute are let be for ever. */
	for (int i = 0; i < 40; i++)
		assert_int_equal(limits_failure(l, SPAN("198.51.100.7"), AT(400 + 16 * i)), 0);
	limits_free(l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_all_tokens),
		cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_strange_principals),
		cmocka_unit_test(test_many_principals),
		cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
