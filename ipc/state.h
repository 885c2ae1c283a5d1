/*
 * state - which message is allowed when, as two small tables.
 *
 * Types and permissions are messages.def's business; this is about order: a
 * RESULT for a call that was never made, rows after the result, READY before
 * HELLO.  Violations are faults (IPC_OUT_OF_STATE).
 */
#pragma once

#include "ipc/messages.h"

/* One call, seen from either end of a data channel. */
enum call_state {
	CALL_NONE,	/* no such call, or it has ended */
	CALL_OPEN,	/* CALL or SUBCALL was sent, nothing came back yet */
	CALL_ROWS,	/* at least one ROWS chunk came */
	CALL_STATES
};

/*
 * The state after a message of type in state, or CALL_STATES when it is not
 * allowed there.  CANCEL and CREDIT are allowed (and change nothing) also for
 * a call that has just ended: they may have crossed the answer.  CONTINUE is
 * not allowed once rows were sent.
 */
enum call_state call_next(enum call_state state, unsigned type);

/* One child, seen from the supervisor. */
enum greet_state {
	GREET_NEW,		/* started, nothing heard */
	GREET_HELLO,		/* HELLO came, configuration was sent */
	GREET_READY,		/* READY came */
	GREET_STATES
};

/* The state after a child's message of type, or GREET_STATES when it is not allowed there. */
enum greet_state greet_next(enum greet_state state, unsigned type);
