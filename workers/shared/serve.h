/*
 * serve - the loop of a worker: one poll(2) over control channel, data
 * channels and the role's own descriptor.
 *
 * Calls are queued as they are read and served in order.  Looking at the
 * channels in the middle of a call is the same serve_pump() as between calls:
 * it answers pings, notes cancellations and credit, and queues what else
 * comes.  A call that waits for a sub-call lets others be served meanwhile,
 * one level deep.
 *
 * Where the role says so (at_once in child.h), each call has a stack of its own
 * instead: one that waits for anything gives way to the loop, and all of them
 * are looked at again when something has come.
 */
#pragma once

#include "policy/proof.h"
#include "workers/shared/child.h"

/*
 * Ask for an end after the current call (or at once, between calls): recycle,
 * connection lost.  Queued calls are left to the front to send elsewhere; what
 * was answered is flushed.  reason goes to the supervisor in UNABLE.
 */
void serve_stop_after_call(enum contract_exit code, const char *reason);

/* Ask the supervisor for a connection to a model; answered by dialled().  -1 with errno. */
int serve_dial(enum ipc_outside place, uint64_t serial);

/* Send a REPORT to the supervisor (a msgpack map), replacing the last one. */
void serve_report(struct span report);

/* Report server processes of PostgreSQL to the supervisor: one left behind, or those that are there (messages.def). */
void serve_left_behind(const struct ipc_left_behind *msg);
void serve_pool_seen(const struct ipc_pool_seen *msg);

/*
 * Tell every front what differs from what was given out: lists, a mask of 1
 * tools, 2 resources, 4 prompts, and the resource uri unless it is empty.
 * Sent between calls, several together; too many URIs become "everything".
 */
void serve_changed(unsigned lists, struct span uri);

/* The same for every resource. */
void serve_changed_all(unsigned lists);

/*
 * In idle(): the role's own work, for the caller whom the ticket (call_ticket(), kept
 * since) was made out for.  work() gets a call that has only an arena and a
 * deadline, may make sub-calls with it, and says what serve_ask_for() returns.
 * Meanwhile calls are served whose tools do not wait.  -1 with *err also when
 * no front is there to ask through.
 */
int serve_ask_for(struct span ticket, uint64_t budget_ns, int (*work)(struct call *c, void *arg, struct err *err),
    void *arg, struct err *err);

/* Whether the proof, good once, is one of this role's key for the call. */
bool serve_accepts(struct span proof, const struct proof_call *call);

/*
 * Queue a message for a peer that attached() named.  -1: that peer is gone, or the message
 * breaks its row.  It leaves after turn(), or with the next answer.
 */
int serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg);

/* Tell the supervisor that the store which nodes share cannot be used by this process any more. */
void serve_store_away(const char *reason);

/* What was sent and answered leaves now: before work that takes a while. */
void serve_flush_now(void);

/* Ask the supervisor to have a run committed; COMMITTED answers by serial.  -1: it could not be asked. */
int serve_commit(uint64_t serial, const char *run);

/* Ask the supervisor to have a document fetched; FETCHED answers by serial.  -1: it could not be asked. */
int serve_fetch(uint64_t serial, struct span url);

/* Ask the supervisor for a step at the identity provider; IDENTIFIED answers by serial.  -1: it could not be asked. */
int serve_identify(const struct ipc_identify *msg);

struct runtime;
struct worker_link;

/* Serve until told to stop; the process's exit code.  Frees everything of the runtime. */
enum contract_exit serve_run(struct runtime *rt);

/*
 * Wait at most timeout_ms (-1: for ever) for anything to happen and take it
 * in.  fd (-1: none) is watched as well, for events; true when it is ready.
 */
bool serve_pump(struct runtime *rt, int timeout_ms, int fd, short events);

/* Write what is queued on every channel. */
void serve_flush(struct runtime *rt);
void serve_flush_link(struct runtime *rt, struct worker_link *l);

/*
 * Whether answers stay while a call waits: several calls are queued behind it, so that nothing is lost by writing
 * them together, and the last ones were written less than SERVE_LOOK_NS ago.
 */
bool serve_holds(const struct runtime *rt, uint64_t now_ns);

/* Serve the first queued call that needs no waiting, from inside one that waits.  False: none. */
bool serve_another(struct runtime *rt);

/*
 * With at_once, from inside c: leave it to the loop until fd (-1: none) is ready for events, anything comes for
 * anybody, or until.  True: fd is ready.
 */
bool serve_park(struct call *c, int fd, short events, uint64_t until);

/* False when c should stop; *err then says why (see call_poll()). */
bool serve_may_go_on(const struct call *c, uint64_t now, struct err *err);

/* Answer c with FAIL and *err, unless it was answered. */
void serve_fail(struct call *c, const struct err *err);
