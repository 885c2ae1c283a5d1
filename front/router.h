/*
 * router - calls to the workers' tools: pools, queues, deadlines, the second
 * try after a worker's death, and sub-calls.
 *
 * A call's outcome reaches its sink exactly once, from the event loop, never
 * from inside router_call() or router_cancel().
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
#include "front/result.h"
#include "front/tools.h"
#include "ipc/ipc.h"

#define ROUTER_IN_FLIGHT_MAX	1024u	/* calls of clients: whoever starts one sees that there are not more */
#define ROUTER_ASK_MS		300000u	/* a client has this long to answer what a worker asked it */
#define ROUTER_RESPAWN_MS	5000u	/* a call waits this long for a pool that just lost its last worker */

struct router;
struct call;

/* Who is told.  Spans die with the function. */
struct sink {
	void	(*progress)(void *arg, unsigned permille, struct span message);
	/* The worker says that it takes long; required: that nobody should wait for it.  May be NULL. */
	void	(*lasts)(void *arg, bool required);
	/* May be NULL: notices are dropped. */
	void	(*notice)(void *arg, const struct ipc_notice *msg);
	/*
	 * The worker wants the client asked.  The call rests until router_resume()
	 * or router_cancel(); after ROUTER_ASK_MS it fails.  NULL: it fails at once.
	 */
	void	(*asked)(void *arg, const struct ipc_ask *msg);
	/* All is kept and handed over at the end; the receiver frees it. */
	void	(*done)(void *arg, struct result *result);
	/* Instead of done: chunks as they come, and the rest.  Set both or neither. */
	void	(*rows)(void *arg, struct span rows);
	void	(*finished)(void *arg, struct span front, const struct ipc_result *msg);
	/* details is a msgpack map or empty. */
	void	(*failed)(void *arg, const struct err *err, struct span details);
};

/* What is called, for whom, and who is told. */
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
	uint64_t		 serial;	/* of the request, for the log */
	unsigned		 depth;		/* 0: a client's call; sub-calls one more than their parent's */
	const struct sink	*sink;
	void			*arg;
};

struct router_hooks {
	/* The peer of this data channel broke the protocol (1) or is past its deadline (2). */
	void	(*complain)(void *arg, uint64_t generation, unsigned reason);
	/*
	 * A worker says that what it offers has changed.  msg dies with the
	 * function.  False: the message breaks the protocol.
	 */
	bool	(*changed)(void *arg, enum ipc_role role, const struct ipc_changed *msg);
	void	*arg;
};

struct router *router_new(struct event_base *base, struct tools *tools,
    struct result_budget *results, const struct router_hooks *hooks);
void router_free(struct router *r);

/* connections: array of {id, driver, workers}.  -1 when it is not. */
int router_configure(struct router *r, struct span connections, unsigned sql_timeout_ms,
    struct err *err);

/* Takes fd over.  -1: there is no such pool (fd is closed). */
int router_attach(struct router *r, enum ipc_role role, struct span connection,
    uint64_t generation, int fd);
void router_detach(struct router *r, uint64_t generation, unsigned cause);
void router_connection_state(struct router *r, struct span connection, unsigned state,
    struct span reason);

/*
 * Start a call.  NULL with *err when it cannot be: quarantined, no such
 * connection (details, a msgpack map, then lists the known ones), no worker.
 */
struct call *router_call(struct router *r, const struct call_request *q, struct err *err,
    struct buf *details);

/* The client answered what asked() told of: serve c once more, with this. */
void router_resume(struct call *c, struct span state, struct span answers);

/* From now on it is this sink that is told, as arg. */
void router_hand_over(struct call *c, const struct sink *sink, void *arg);

/* What c runs and with what, to recognise it when it is asked for again.  Borrowed from c. */
void router_identify(const struct call *c, struct span *tool, struct span *args);

/* Nobody waits any more: the worker is told to stop, the sink hears nothing. */
void router_cancel(struct call *c);

/* Nobody waits any more, and what it changes is to be finished all the same. */
void router_release(struct call *c);

/* Refuse a connection that is not configured: -1 with *err, and {"connections": [ids…]} as msgpack in *details. */
int router_no_connection(const struct router *r, struct span connection, struct buf *details, struct err *err);

/* Calls of clients being served. */
unsigned router_in_flight(const struct router *r);

/* Once per turn of the loop: write what was queued for workers, bury the dead. */
void router_turn(struct router *r);

/* Every 100 ms or so. */
void router_tick(struct router *r, uint64_t now);

/* The database server does not end the statement with this print (ipc/print.h). */
void router_hold_back(struct router *r, struct span connection, struct span print);

unsigned router_clear_quarantine(struct router *r);

/* Append members of a JSON object: "pools":[…],"quarantine":[…]. */
void router_put_status(struct router *r, struct buf *out);

/* Append members of a JSON object: "workers":[{"name","state","workers"}…]. */
void router_put_workers(const struct router *r, struct buf *out);

/*
 * True when the project can be searched and kept.  A connection that is not served is a line of
 * router_put_workers(): it takes no other connection, and so no node, out of service.
 */
bool router_is_ready(const struct router *r);

/* "r-3f2a9c01-1b4" for people and logs: which life of a front, in the upper half of serial, and which request. */
#define REQUEST_ID_MAX	40
void request_id_print(uint64_t serial, char out[REQUEST_ID_MAX]);

/* The serial that is printed so; 0: none is. */
uint64_t request_id_read(struct span text);

#endif
