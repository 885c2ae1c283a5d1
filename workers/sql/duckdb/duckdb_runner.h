/*
 * duckdb_runner - the thread on which the library works.
 *
 * Parsing, planning, constant folding and many functions of DuckDB look at no
 * interrupt.  So the process's own thread never calls the library for work:
 * it hands a job to this thread, serves the call's channel meanwhile, and at
 * the deadline, or when the call is cancelled, interrupts the job.  A job that
 * is still running half a second later is given up: the call is answered, and
 * the process ends behind it.
 *
 * The thread is started after Landlock, whose rules it inherits, and before
 * the system-call filter, which the kernel puts on all threads.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct call;
struct duckdb_runner;

#define DUCKDB_RUNNER_GRACE_MS	500u	/* from the interrupt until the job is given up */

/* Starts the thread, with a stack for the deepest expressions.  NULL with *err. */
struct duckdb_runner *duckdb_runner_new(struct err *err);

/* Ends the thread; after a job was given up nothing is freed.  Accepts NULL. */
void duckdb_runner_free(struct duckdb_runner *r);

/* How a job ended. */
enum duckdb_ran {
	DUCKDB_RAN,		/* to its end */
	DUCKDB_STOPPED,		/* interrupted, or its call ended before it: *err */
	DUCKDB_GIVEN_UP		/* it still runs: *err; nothing of it may be touched, and the process has to end */
};

/*
 * Runs work(arg) on the thread until deadline_ns; c NULL: without a call.  stop(arg) is called on this thread to interrupt the
 * job; it may be called before work() began to look.
 */
enum duckdb_ran duckdb_runner_run(struct duckdb_runner *r, struct call *c, uint64_t deadline_ns,
    void (*work)(void *arg), void (*stop)(void *arg), void *arg, struct err *err);

/*
 * By the job, on the thread: from until_ns on stop(arg) is called again and again until this is called again, or the
 * job is given up after four seconds; 0: no limit.  The return value says whether stop() was called since the last
 * time; no call of it is under way when this returns.
 */
bool duckdb_runner_limit(struct duckdb_runner *r, uint64_t until_ns);

/* Whether a job was given up. */
bool duckdb_runner_is_lost(const struct duckdb_runner *r);
