/*
 * router - calls to the workers' tools: pools, queues, deadlines, one retry after a worker's death,
 * and sub-calls.
 *
 * The outcome of a call reaches its sink exactly once, from the event loop, never from inside
 * router_call() or router_cancel().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "front/calls/tool_result.h"
#include "front/calls/tools.h"
#include "ipc/channel.h"
#include "ipc/messages.h"

#define ROUTER_IN_FLIGHT_MAX	1024u	/* clients' calls at one time; the caller of router_call() enforces the bound */
#define ROUTER_ASK_MS		300000u	/* time for a client to answer a worker's question */
#define ROUTER_RESPAWN_MS	5000u	/* a call waits this long for a pool that has just lost its last worker */

struct front_call;
struct pool;
struct router;

/* The receiver of a call's events.  Spans are valid only during the function. */
struct sink {
	void	(*progress)(void *arg, unsigned permille, struct span message);
	/*
	 * The worker reports that the call takes long.  required: the call must not keep a client waiting.
	 * May be NULL.
	 */
	void	(*lasts)(void *arg, bool required);
	/* May be NULL: notices are dropped. */
	void	(*notice)(void *arg, const struct ipc_notice *msg);
	/*
	 * The worker has questions for the client.  The call is suspended until router_resume() or
	 * router_cancel(), and fails after ROUTER_ASK_MS.  NULL: the call fails at once.
	 */
	void	(*asked)(void *arg, const struct ipc_ask *msg);
	/* The call continues with SQL that its worker wrote.  May be NULL. */
	void	(*continued)(void *arg, const struct ipc_continue_with *msg);
	/* Before done() and finished(): as whom a statement of the call ran, for the audit.  May be NULL. */
	void	(*ran_as)(void *arg, struct span text);
	/* Called at the end with the whole result; the receiver frees the result. */
	void	(*done)(void *arg, struct tool_result *result);
	/* Instead of done: rows chunk by chunk as they arrive, then the rest.  Set both or neither. */
	void	(*rows)(void *arg, struct span rows);
	void	(*finished)(void *arg, struct span front, const struct ipc_result *msg);
	/* details is a msgpack map or empty. */
	void	(*failed)(void *arg, const struct err *err, struct span details);
};

/* A call to start: the tool, the caller, and the receiver of the outcome. */
struct call_request {
	const struct tool_entry	*tool;
	/*
	 * The worker's message.  The caller sets connection (which pool, for
	 * role sql), principal, claims, scopes, asker, deadline_ns (0: the tool's own
	 * budget from now), progress, trace, can, notices, proof, state,
	 * answers (empty: none) and args, a map that was validated; the router
	 * sets the rest when it is sent.  router_call() copies all spans.
	 */
	struct ipc_call		 msg;
	uint64_t		*held;		/* see result_new() */
	uint64_t		 serial;	/* of the client's request, for the log */
	unsigned		 depth;		/* 0: a client's call; a sub-call has its parent's depth + 1 */
	const struct sink	*sink;
	void			*arg;
};

/*
 * Start a call.  NULL with *err when it cannot start: quarantined, no worker, or no such connection
 * (details, a msgpack map, then lists the known ones).
 */
struct front_call *router_call(struct router *r, const struct call_request *q, struct err *err,
    struct buf *details);

/* The client answered the questions of asked(): send c to a worker again, with state and answers. */
void router_resume(struct front_call *c, struct span state, struct span answers);

/* The receiver of rows() can take this number of further chunks. */
void router_credit(struct front_call *c, unsigned chunks);

/* From now on this sink gets the events of c, with arg. */
void router_hand_over(struct front_call *c, const struct sink *sink, void *arg);

/* The tool and arguments of c, for comparing with another request.  Borrowed from c. */
void router_identify(const struct front_call *c, struct span *tool, struct span *args);

/* Cancel: tell the worker to stop.  The sink hears nothing more. */
void router_cancel(struct front_call *c);

/* Detach the client but let the worker finish: the call has side effects. */
void router_release(struct front_call *c);

/* Whether there is a channel to carrel-auth. */
bool router_has_auth(struct router *r);

/* Send carrel-auth a message other than a call.  False: no channel to it exists. */
bool router_say_auth(struct router *r, unsigned type, uint64_t id, const void *msg);

/* Number of clients' calls being served. */
unsigned router_in_flight(const struct router *r);

/* Once per turn of the loop: write queued messages to workers, free dead workers. */
void router_turn(struct router *r);

/* The worker of this generation is gone, or gets no new calls; cause as in DETACH. */
void router_detach(struct router *r, uint64_t generation, unsigned cause);

/* Every 100 ms or so. */
void router_tick(struct router *r, uint64_t now);

/* "r-3f2a9c01-1b4", for people and logs: the run of the front (upper half of serial) and the request. */
#define REQUEST_ID_MAX	40
void request_id_print(uint64_t serial, char out[REQUEST_ID_MAX]);

/* Parse a printed serial; 0: malformed. */
uint64_t request_id_read(struct span text);

/* What the arguments of a call have an SQL worker run, as quarantine knows it; empty: nothing that a caller chose. */
struct span router_statement(const struct mp_value *args);

struct pool *pool_find(struct router *r, enum ipc_role role, struct span connection);
void pool_dispatch(struct pool *p);
struct front_call *call_find(struct router *r, uint64_t id);

/*
 * Take a call back from the worker that has not begun it: it waits before all others of its pool.  Should the worker
 * have begun it all the same, what it says is dropped.  False: it stays there, for want of a slot.
 */
bool call_take_back(struct front_call *c);

/* Report the outcome to the sink and free the call. */
void call_fail(struct front_call *c, const struct err *err, struct span details);
void call_free(struct front_call *c);

/* Free a call that is on no list. */
void call_drop(struct front_call *c);

/* The worker of a SENT call is lost. */
void call_worker_lost(struct front_call *c);

/* A continuation: send the call to another tool. */
int call_continue_with(struct front_call *c, const struct ipc_continue_with *msg, struct err *err,
    struct buf *details);

/* The worker has questions for the client: take the call off the worker and suspend it. */
void call_ask_client(struct front_call *c, const struct ipc_ask *msg);

struct pool;

/* ERR_DATABASE_UNAVAILABLE with the pool's reason.  Returns -1. */
int pool_unavailable(const struct pool *p, struct err *err);
