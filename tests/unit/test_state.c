// libs: carrel_base carrel_ipc
/* test_state.c - the order of messages: what may follow what, and IPC_OUT_OF_STATE for the rest. */
#include "ipc/state.h"
#include "tests/unit/harness.h"

/* Run a conversation of message types, 0-terminated; the state it ends in. */
static enum call_state
talk(const unsigned *types)
{
	enum call_state s = CALL_NONE;

	for (; *types != 0 && s != CALL_STATES; types++)
		s = call_next(s, *types);
	return s;
}

#define TALK(...)	talk((const unsigned[]){ __VA_ARGS__, 0 })

static void
calls(void **state)
{
	(void)state;
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_RESULT), CALL_NONE);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_FAIL), CALL_NONE);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_CONTINUE), CALL_NONE);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_NOTICE, IPC_MSG_ASK), CALL_NONE);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_ROWS, IPC_MSG_NOTICE), CALL_ROWS);
	assert_int_equal(TALK(IPC_MSG_SUBCALL, IPC_MSG_PROGRESS, IPC_MSG_ROWS, IPC_MSG_CREDIT, IPC_MSG_ROWS,
			     IPC_MSG_PROGRESS, IPC_MSG_RESULT),
	    CALL_NONE);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_PROGRESS), CALL_OPEN);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_ROWS, IPC_MSG_CANCEL), CALL_ROWS);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_ROWS, IPC_MSG_FAIL), CALL_NONE);
	/* These may cross the answer. */
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_RESULT, IPC_MSG_CANCEL, IPC_MSG_CREDIT), CALL_NONE);
}

static void
calls_out_of_state(void **state)
{
	(void)state;
	assert_int_equal(TALK(IPC_MSG_RESULT), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_ROWS), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_PROGRESS), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_FAIL), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_CONTINUE), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_CALL), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_SUBCALL), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_ROWS, IPC_MSG_CONTINUE), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_ROWS, IPC_MSG_ASK), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_ASK), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_NOTICE), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_RESULT, IPC_MSG_ROWS), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_RESULT, IPC_MSG_RESULT), CALL_STATES);
	assert_int_equal(TALK(IPC_MSG_CALL, IPC_MSG_FAIL, IPC_MSG_RESULT), CALL_STATES);
}

static void
control_messages_are_no_part_of_a_call(void **state)
{
	(void)state;
	for (int s = CALL_NONE; s <= CALL_STATES; s++)
		for (size_t i = 0; i < ipc_schema_count(); i++)
			if (ipc_schema_at(i)->type < IPC_MSG_CALL)
				assert_int_equal(call_next((enum call_state)s, ipc_schema_at(i)->type), CALL_STATES);
	assert_int_equal(call_next(CALL_STATES, IPC_MSG_CANCEL), CALL_STATES);
	assert_int_equal(call_next(CALL_OPEN, 9999), CALL_STATES);
}

static void
greetings(void **state)
{
	(void)state;
	assert_int_equal(greet_next(GREET_NEW, IPC_MSG_HELLO), GREET_HELLO);
	assert_int_equal(greet_next(GREET_HELLO, IPC_MSG_TOOLS), GREET_HELLO);
	assert_int_equal(greet_next(GREET_HELLO, IPC_MSG_UNABLE), GREET_HELLO);
	assert_int_equal(greet_next(GREET_HELLO, IPC_MSG_READY), GREET_READY);
	assert_int_equal(greet_next(GREET_READY, IPC_MSG_PONG), GREET_READY);
	assert_int_equal(greet_next(GREET_READY, IPC_MSG_REPORT), GREET_READY);
	assert_int_equal(greet_next(GREET_READY, IPC_MSG_COMPLAINT), GREET_READY);
	assert_int_equal(greet_next(GREET_READY, IPC_MSG_UNABLE), GREET_READY);
	assert_int_equal(greet_next(GREET_READY, IPC_MSG_PROBED), GREET_READY);
}

static void
greetings_out_of_state(void **state)
{
	static const unsigned later[] = {
		IPC_MSG_TOOLS, IPC_MSG_READY, IPC_MSG_PONG, IPC_MSG_COMPLAINT, IPC_MSG_REPORT,
		IPC_MSG_STATUS_GET, IPC_MSG_DOCTOR_GET, IPC_MSG_SESSION_ENDED, IPC_MSG_SESSION_USE,
		IPC_MSG_PROBED,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		assert_int_equal(greet_next(GREET_NEW, later[i]), GREET_STATES);
	assert_int_equal(greet_next(GREET_HELLO, IPC_MSG_HELLO), GREET_STATES);
	assert_int_equal(greet_next(GREET_HELLO, IPC_MSG_PONG), GREET_STATES);
	assert_int_equal(greet_next(GREET_READY, IPC_MSG_HELLO), GREET_STATES);
	assert_int_equal(greet_next(GREET_READY, IPC_MSG_TOOLS), GREET_STATES);
	assert_int_equal(greet_next(GREET_READY, IPC_MSG_READY), GREET_STATES);
	assert_int_equal(greet_next(GREET_STATES, IPC_MSG_HELLO), GREET_STATES);
}

/* What a child may send at all, it may send in some state; what it may not, in none. */
static void
greetings_match_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ipc_schema_count(); i++) {
		const struct ipc_schema *m = ipc_schema_at(i);
		bool some = false;

		for (int s = GREET_NEW; s < GREET_STATES; s++)
			some = some || greet_next((enum greet_state)s, m->type) != GREET_STATES;
		assert_int_equal(some, (m->from & IPC_CHILD) != 0 && (m->to & IPC_SUPERVISOR) != 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(calls_out_of_state),
		cmocka_unit_test(control_messages_are_no_part_of_a_call),
		cmocka_unit_test(greetings),
		cmocka_unit_test(greetings_out_of_state),
		cmocka_unit_test(greetings_match_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
