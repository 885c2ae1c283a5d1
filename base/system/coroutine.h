/*
 * coroutine - a function with its own stack, which can be suspended and resumed.  One thread runs them all: another
 * one only runs when this one yields.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define COROUTINE_STACK	((size_t)4 << 20)	/* bytes of addresses; pages are taken as they are used */

struct coroutine;

/* NULL with errno: there is no room for its stack. */
struct coroutine *coroutine_new(void);

/* The coroutine must have ended, or never have run. */
void coroutine_free(struct coroutine *co);

/* Run function until it yields or ends.  True: it has ended, and another one can be started. */
bool coroutine_start(struct coroutine *co, void (*function)(void *arg), void *arg);

/* Go on behind the yield.  As coroutine_start(). */
bool coroutine_resume(struct coroutine *co);

/* Called inside a coroutine: return to the caller that started or resumed it. */
void coroutine_yield(struct coroutine *co);
