/*
 * tasks - calls that outlive their request: the extension
 * io.modelcontextprotocol/tasks (SEP-2663), modern era only.
 *
 * A call of a client that declares the extension becomes a task when its
 * worker says that it takes long (LONG in ipc/messages.def), or when it has
 * taken TASK_AFTER_MS: the request is answered with the task's id, and the
 * client comes back for the outcome.  Questions of the worker's are the task's
 * then.  Tasks live in this front's memory, so they are offered only where it
 * is the only one, and end with it.
 */
#ifndef FRONT_TASKS_H
#define FRONT_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "front/mcp.h"

#define TASK_AFTER_MS	5000u
#define TASK_TTL_MS	900000u	/* from its creation; then it is forgotten, a running one cancelled */
#define TASK_POLL_MS	1000u	/* what clients are told */
#define TASKS_MAX	1024u	/* of all, shared as share.h says; beyond: calls stay with their requests */
#define TASKS_EACH_MAX	128u	/* of one principal, likewise */
#define TASK_BYTES_MAX	(128u << 20)	/* outcomes kept; beyond: the oldest of who has most are forgotten */

/* Are there any? */
bool tasks_offered(const struct front *f);

/* Does this ClientCapabilities object declare the extension? */
bool tasks_declared(const struct mp_value *capabilities);

/* The worker says that the call in x takes long; required: that it is a task or nothing. */
void task_lasts(struct exchange *x, bool required,
    void (*failed)(void *arg, const struct err *err, struct span details));

/* Every 100 ms or so: calls that have become long, tasks whose time is up. */
void tasks_tick(struct front *f, uint64_t now);
void tasks_free(struct front *f);

void handle_tasks_get(struct exchange *x, const struct mp_value *params);
void handle_tasks_update(struct exchange *x, const struct mp_value *params);
void handle_tasks_cancel(struct exchange *x, const struct mp_value *params);

#endif
