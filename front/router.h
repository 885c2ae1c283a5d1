/*
 * router - calls to the workers' tools: pools, queues, deadlines, one retry after a worker's death,
 * and sub-calls.
 *
 * The outcome of a call reaches its sink exactly once, from the event loop, never from inside
 * router_call() or router_cancel().
 */
#ifndef FRONT_ROUTER_H
#define FRONT_ROUTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <event2/event.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mp.h"
#include "base/span.h"
#include "front/tool_result.h"
#include "front/tools.h"
#include "ipc/channel.h"
#include "ipc/ipc.h"

#define ROUTER_IN_FLIGHT_MAX	1024u	/* clients' calls at one time; the caller of router_call() enforces the bound */
#define ROUTER_ASK_MS		300000u	/* time for a client to answer a worker's question */
#define ROUTER_RESPAWN_MS	5000u	/* a call waits this long for a pool that has just lost its last worker */

struct metrics;
struct router;
struct front_call;

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
	 * role sql), principal, scopes, asker, deadline_ns (0: the tool's own
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

struct router_hooks {
	/* The worker behind this data channel broke the protocol (1) or missed its deadline (2). */
	void	(*complain)(void *arg, uint64_t generation, unsigned reason);
	/*
	 * A worker reports changes in what it offers.  Spans of msg are valid only during the function.
	 * False: the message breaks the protocol.
	 */
	bool	(*changed)(void *arg, enum ipc_role role, const struct ipc_changed *msg);
	/*
	 * carrel-auth sent a message that belongs to no call.  Spans of msg are valid only during the function.  False:
	 * the message breaks the protocol.
	 */
	bool	(*auth)(void *arg, const struct ipc_frame *frame, const union ipc_any *msg);
	/* The channel to carrel-auth was made or lost. */
	void	(*auth_channel)(void *arg, bool up);
	void	*arg;
};

struct router *router_new(struct event_base *base, struct tools *tools,
    struct result_budget *results, const struct router_hooks *hooks);
void router_free(struct router *r);

/* connections: array of {id, driver, workers}.  -1 when it is malformed. */
int router_configure(struct router *r, struct span connections, unsigned sql_timeout_ms,
    struct err *err);

/* Add a worker's data channel; takes fd over.  -1: there is no such pool, and fd is closed. */
int router_attach(struct router *r, enum ipc_role role, struct span connection,
    uint64_t generation, int fd);
void router_detach(struct router *r, uint64_t generation, unsigned cause);
void router_connection_state(struct router *r, struct span connection, enum ipc_pool_state state,
    struct span reason);

/*
 * Start a call.  NULL with *err when it cannot start: quarantined, no worker, or no such connection
 * (details, a msgpack map, then lists the known ones).
 */
struct front_call *router_call(struct router *r, const struct call_request *q, struct err *err,
    struct buf *details);

/* The client answered the questions of asked(): send c to a worker again, with state and answers. */
void router_resume(struct front_call *c, struct span state, struct span answers);

/* From now on this sink gets the events of c, with arg. */
void router_hand_over(struct front_call *c, const struct sink *sink, void *arg);

/* The tool and arguments of c, for comparing with another request.  Borrowed from c. */
void router_identify(const struct front_call *c, struct span *tool, struct span *args);

/* Cancel: tell the worker to stop.  The sink hears nothing more. */
void router_cancel(struct front_call *c);

/* Detach the client but let the worker finish: the call has side effects. */
void router_release(struct front_call *c);

/* Refuse a connection that is not configured: -1 with *err, and {"connections": [ids…]} as msgpack in *details. */
int router_no_connection(const struct router *r, struct span connection, struct buf *details, struct err *err);

/* Whether there is a channel to carrel-auth. */
bool router_has_auth(struct router *r);

/* Send carrel-auth a message other than a call.  False: no channel to it exists. */
bool router_say_auth(struct router *r, unsigned type, uint64_t id, const void *msg);

/* Number of clients' calls being served. */
unsigned router_in_flight(const struct router *r);

/* Once per turn of the loop: write queued messages to workers, free dead workers. */
void router_turn(struct router *r);

/* Every 100 ms or so. */
void router_tick(struct router *r, uint64_t now);

/* The database server did not cancel the statement with this hash (ipc/print.h). */
void router_hold_back(struct router *r, struct span connection, struct span print);

unsigned router_clear_quarantine(struct router *r);

/* Append members of a JSON object: "pools":[…],"quarantine":[…]. */
void router_put_status(struct router *r, struct buf *out);

/* Set in m how many calls each pool has, and how many wait. */
void router_put_metrics(const struct router *r, struct metrics *m);

/* Append members of a JSON object: "workers":[{"name","state","workers"}…]. */
void router_put_workers(const struct router *r, struct buf *out);

/*
 * True when the workers for search and memory run.  A connection without a worker does not count: it
 * must not take other connections, or the whole node, out of service.  router_put_workers() lists it.
 */
bool router_is_ready(const struct router *r);

/* "r-3f2a9c01-1b4", for people and logs: the run of the front (upper half of serial) and the request. */
#define REQUEST_ID_MAX	40
void request_id_print(uint64_t serial, char out[REQUEST_ID_MAX]);

/* Parse a printed serial; 0: malformed. */
uint64_t request_id_read(struct span text);

#endif
