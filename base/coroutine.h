/*
 * coroutine - a function with a stack of its own, which can be left in its middle and gone on with later.  One thread
 * runs them all: nothing happens between two of them but where one yields.
 */
#ifndef BASE_COROUTINE_H
#define BASE_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

#define COROUTINE_STACK	((size_t)4 << 20)	/* bytes of addresses; pages are taken as they are used */

struct coroutine;

/* NULL with errno: there is no room for its stack. */
struct coroutine *coroutine_new(void);

/* Only of one that is at its end, or was never run. */
void coroutine_free(struct coroutine *co);

/* Run function until it yields or ends.  True: it has ended, and another one can be started. */
bool coroutine_start(struct coroutine *co, void (*function)(void *arg), void *arg);

/* Go on behind the yield.  As coroutine_start(). */
bool coroutine_resume(struct coroutine *co);

/* Within its function: leave it for whoever started or resumed it. */
void coroutine_yield(struct coroutine *co);

#endif
