/* ask_worker - sub-calls: a worker asks others through the front, for the caller of its own call. */
#pragma once

#include "workers/shared/tool.h"
#include "workers/shared/call.h"

/*
 * Ask the front to make that call for this call's principal, and wait.  result
 * holds the merged head and tail maps, in the call's arena.  Only in tools with
 * `waits`.
 */
int call_sub(struct call *c, const struct call_ask *ask, struct mp_value *result, struct err *err);

/*
 * As call_sub(), but up to width of them at once.  next() fills in another one,
 * false after the last; done() is told each one's end, as they
 * come: result (valid during it) is NULL when the sub-call failed, *why then
 * says how.  It returns 0, or -1 with *err to stop everything.  -1 with *err
 * also when the call itself should stop; what is under way is then cancelled.
 */
int call_sub_many(struct call *c, size_t width, bool (*next)(void *arg, struct call_ask *ask),
    int (*done)(void *arg, const struct call_ask *ask, const struct mp_value *result, const struct err *why,
	struct err *err), void *arg, struct err *err);
