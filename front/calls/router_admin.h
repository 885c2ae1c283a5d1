/*
 * router_admin - the router's life, its pools and what is said of them: in the status, in the metrics, and whether the
 * front is ready.
 */
#pragma once

#include <event2/event.h>

#include "front/calls/router.h"

struct metrics;

struct router_hooks {
	/* The worker behind this data channel broke the protocol or missed its deadline: reason as in COMPLAINT. */
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
	/* A worker has said something of a call: what is not to be answered any more is to be ended first. */
	void	(*heard)(void *arg);
	/* The channel to carrel-auth was made or lost. */
	void	(*auth_channel)(void *arg, bool up);
	void	*arg;
};

/* signing_key: the front's, for tickets. */
struct router *router_new(struct event_base *base, struct tools *tools, struct result_budget *results,
    const uint8_t signing_key[32], const struct router_hooks *hooks);
void router_free(struct router *r);

/* connections: array of {id, driver, workers}.  -1 when it is malformed. */
int router_configure(struct router *r, struct span connections, unsigned sql_timeout_ms,
    struct err *err);

/* Add a worker's data channel; takes fd over.  -1: there is no such pool, and fd is closed. */
int router_attach(struct router *r, enum ipc_role role, struct span connection,
    uint64_t generation, int fd);
void router_connection_state(struct router *r, struct span connection, enum ipc_pool_state state,
    struct span reason);

/* Refuse a connection that is not configured: -1 with *err, and {"connections": [ids…]} as msgpack in *details. */
int router_no_connection(const struct router *r, struct span connection, struct buf *details, struct err *err);

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
