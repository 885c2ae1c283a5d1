/*
 * store_shared - legacy sessions that ended, and tasks, for all nodes that share the store; errors as in store.h.  Not
 * for a store of the node's own alone.
 */
#pragma once

#include "workers/auth/store/store.h"

#define STORE_SESSION	26	/* bytes: the session's identity, as fronts sign it */
#define STORE_TASK_ID	32
#define STORE_TASK_OWNER 32

/* A session has ended, until its id expires (Unix seconds).  The other nodes hear of it. */
int store_session_over(struct store *s, const uint8_t id[STORE_SESSION], uint64_t expires_s, struct err *err);

/* The number of the newest one, as this node's last question to the store had it. */
uint64_t store_sessions_newest(struct store *s);

/* Call fn for each that ended after number `after` and has not expired; returns the newest number, in *newest. */
int store_sessions_over(struct store *s, uint64_t after,
    void (*fn)(void *arg, const uint8_t id[STORE_SESSION], uint64_t expires_s), void *arg, uint64_t *newest,
    struct err *err);

/* As in front/mcp/tasks_elsewhere.h; it has ended from this number on. */
#define STORE_TASK_ENDED	2
#define STORE_TASK_FAILED	3

/*
 * A task; outcome: sealed by workers/auth/elsewhere.c, with what is told of it.  Spans of one that was found die with
 * the query.
 */
struct store_task {
	struct span	id, owner, node, message, outcome;
	uint64_t	status, created_ms, updated_ms, ttl_ms;
	bool		large, gone;	/* gone: its node has no lease */
};

int store_task_keep(struct store *s, const struct store_task *t, struct err *err);

/* Calls fn with the task, if there is one of that owner: 1, 0 or -1. */
int store_task_look(struct store *s, struct span id, struct span owner,
    void (*fn)(void *arg, const struct store_task *t), void *arg, struct err *err);

/* Have its node cancel it. */
int store_task_cancel(struct store *s, struct span id, struct span owner, struct err *err);

/* How many of this node's tasks are to be cancelled, as its last question had it; and fn for each of them, once. */
uint64_t store_tasks_unwanted(struct store *s);
int store_tasks_cancelled(struct store *s, void (*fn)(void *arg, struct span id), void *arg, struct err *err);

/* This node's tasks of before have ended with the front that had them. */
int store_tasks_lost(struct store *s, struct err *err);
