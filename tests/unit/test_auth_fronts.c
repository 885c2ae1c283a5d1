// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_auth_fronts.c - what ends is told to every front, and all of it has one time together to be answered. */
#include "base/system/clock.h"
#include "tests/unit/harness.h"
#include "workers/auth/fronts.h"
#include "workers/shared/tool.h"

#define ANSWERS	UINT64_C(7)	/* a front that does */
#define SILENT	UINT64_C(8)
#define ENDS	200u
#define LIMIT_NS	(3 * CLOCK_SECOND)

static struct fronts fronts;
static uint64_t now_ns, unanswered[2 * ENDS];
static unsigned told[2], nunanswered, most;

uint64_t __wrap_clock_ns(void);
int __wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg);
bool __wrap_call_wait(struct call *c, int fd, bool writing, unsigned ms, struct err *err);

uint64_t
__wrap_clock_ns(void)
{
	return now_ns;
}

int
__wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg)
{
	(void)msg;
	assert_int_equal(type, IPC_MSG_END);
	told[peer - ANSWERS]++;
	if (peer == ANSWERS)
		unanswered[nunanswered++] = id;
	if (nunanswered > most)
		most = nunanswered;
	return 0;
}

bool
__wrap_call_wait(struct call *c, int fd, bool writing, unsigned ms, struct err *err)
{
	(void)c, (void)fd, (void)writing, (void)err;
	now_ns += ms * CLOCK_MS;
	while (nunanswered > 0)
		fronts_ended(&fronts, ANSWERS, unanswered[--nunanswered], &(struct ipc_ended){ .calls = 1 });
	return true;
}

static int
set_up(void **state)
{
	(void)state;
	memset(&fronts, 0, sizeof(fronts));
	memset(told, 0, sizeof(told));
	nunanswered = most = 0;
	now_ns = CLOCK_SECOND;
	fronts_add(&fronts, ANSWERS);
	return 0;
}

static void
end_many(void)
{
	fronts_begin(&fronts);
	for (unsigned i = 0; i < ENDS; i++)
		fronts_say(&fronts, NULL, &(struct ipc_end){ .principal = SPAN("user:ada") });
	fronts_wait(&fronts, NULL);
}

static void
all_are_counted_and_none_has_too_many_to_read(void **state)
{
	(void)state;
	end_many();
	assert_int_equal(told[0], ENDS);
	assert_int_equal(fronts.total.calls, ENDS);
	assert_in_range(most, 2, FRONTS_OWED);
	assert_true(now_ns < CLOCK_SECOND + LIMIT_NS);
}

/* Its time is that of one, not of each; it is told all the same, and what the others say counts. */
static void
a_front_that_does_not_answer_is_waited_for_once(void **state)
{
	(void)state;
	fronts_add(&fronts, SILENT);
	end_many();
	assert_int_equal(told[0], ENDS);
	assert_int_equal(told[1], ENDS);
	assert_in_range(fronts.total.calls, FRONTS_OWED, ENDS);
	assert_true(now_ns <= CLOCK_SECOND + LIMIT_NS + CLOCK_SECOND / 10);
}

/* An answer that comes after its time, or to what nobody waits for, counts for nothing. */
static void
late_answers_count_for_nothing(void **state)
{
	uint64_t first;

	(void)state;
	fronts_add(&fronts, SILENT);
	fronts_say_and_wait(&fronts, NULL, &(struct ipc_end){ .principal = SPAN("user:ada") });
	first = fronts.last_id;
	fronts_ended(&fronts, SILENT, first, &(struct ipc_ended){ .calls = 5 });
	assert_int_equal(fronts.total.calls, 1);
	fronts_begin(&fronts);
	fronts_say(&fronts, NULL, &(struct ipc_end){ .principal = SPAN("user:bob") });
	fronts_ended(&fronts, SILENT, first, &(struct ipc_ended){ .calls = 5 });
	assert_int_equal(fronts.total.calls, 0);
	fronts_ended(&fronts, SILENT, first + 1, &(struct ipc_ended){ .calls = 3 });
	fronts_ended(&fronts, SILENT, first + 1, &(struct ipc_ended){ .calls = 3 });
	assert_int_equal(fronts.total.calls, 3);
	fronts_wait(&fronts, NULL);
	assert_int_equal(fronts.total.calls, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_are_counted_and_none_has_too_many_to_read, set_up),
		cmocka_unit_test_setup(a_front_that_does_not_answer_is_waited_for_once, set_up),
		cmocka_unit_test_setup(late_answers_count_for_nothing, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
