#include "ipc/state.h"

#define NO_CALL		CALL_STATES
#define NO_GREET	GREET_STATES

enum call_state
call_next(enum call_state state, unsigned type)
{
	/* Rows: the message; columns: NONE, OPEN, ROWS.  Missing rows are never allowed. */
	static const struct {
		unsigned type;
		enum call_state next[CALL_STATES];
	} table[] = {
		{ IPC_MSG_CALL, { CALL_OPEN, NO_CALL, NO_CALL } },
		{ IPC_MSG_SUBCALL, { CALL_OPEN, NO_CALL, NO_CALL } },
		{ IPC_MSG_PROGRESS, { NO_CALL, CALL_OPEN, CALL_ROWS } },
		{ IPC_MSG_ROWS, { NO_CALL, CALL_ROWS, CALL_ROWS } },
		{ IPC_MSG_RESULT, { NO_CALL, CALL_NONE, CALL_NONE } },
		{ IPC_MSG_FAIL, { NO_CALL, CALL_NONE, CALL_NONE } },
		{ IPC_MSG_CONTINUE, { NO_CALL, CALL_NONE, NO_CALL } },
		{ IPC_MSG_ASK, { NO_CALL, CALL_NONE, NO_CALL } },
		{ IPC_MSG_LONG, { NO_CALL, CALL_OPEN, NO_CALL } },
		{ IPC_MSG_NOTICE, { NO_CALL, CALL_OPEN, CALL_ROWS } },
		{ IPC_MSG_RAN_AS, { NO_CALL, CALL_OPEN, CALL_ROWS } },
		{ IPC_MSG_CANCEL, { CALL_NONE, CALL_OPEN, CALL_ROWS } },
		{ IPC_MSG_CREDIT, { CALL_NONE, CALL_OPEN, CALL_ROWS } },
	};

	if (state < CALL_STATES)
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
			if (table[i].type == type)
				return table[i].next[state];
	return NO_CALL;
}

enum greet_state
greet_next(enum greet_state state, unsigned type)
{
	/* Rows: the message; columns: NEW, HELLO, READY.  Missing rows are never allowed. */
	static const struct {
		unsigned type;
		enum greet_state next[GREET_STATES];
	} table[] = {
		{ IPC_MSG_HELLO, { GREET_HELLO, NO_GREET, NO_GREET } },
		{ IPC_MSG_TOOLS, { NO_GREET, GREET_HELLO, NO_GREET } },
		{ IPC_MSG_READY, { NO_GREET, GREET_READY, NO_GREET } },
		{ IPC_MSG_UNABLE, { GREET_NEW, GREET_HELLO, GREET_READY } },
		{ IPC_MSG_REPORT, { NO_GREET, GREET_HELLO, GREET_READY } },
		{ IPC_MSG_LEFT_BEHIND, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_POOL_SEEN, { NO_GREET, GREET_HELLO, GREET_READY } },
		{ IPC_MSG_PONG, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_COMPLAINT, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_STATUS_GET, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_DOCTOR_GET, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_SESSION_ENDED, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_SESSION_USE, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_PROBED, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_COMMIT, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_COMMITTED, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_FETCH, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_FETCHED, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_STORE_AWAY, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_IDENTIFY, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_IDENTIFIED, { NO_GREET, NO_GREET, GREET_READY } },
		{ IPC_MSG_DIAL, { NO_GREET, NO_GREET, GREET_READY } },
	};

	if (state < GREET_STATES)
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
			if (table[i].type == type)
				return table[i].next[state];
	return NO_GREET;
}
