/*
 * tasks - calls that outlive their request: the extension io.modelcontextprotocol/tasks (SEP-2663),
 * modern era only.
 *
 * A client must declare the extension.  A call then becomes a task when the worker reports that the
 * call takes long (LONG in ipc/messages.def), or after TASK_AFTER_MS.  The request is answered with
 * the task's id, and the client fetches the outcome later.  The worker's questions then belong to the
 * task.
 *
 * Tasks live in the memory of one front and end with it.  So tasks are only offered when the project
 * has a single front.  Where nodes share a store, a task is kept there as well, at each change of its status, and
 * another node answers what it is and how it ended, and has it cancelled (tasks_elsewhere.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "front/mcp/exchange.h"

#define TASK_AFTER_MS	5000u
#define TASK_TTL_MS	900000u	/* lifetime of a task; then it is dropped, and a running call is cancelled */
#define TASK_POLL_MS	1000u	/* polling interval that clients are told */
#define TASKS_EXTENSION	"io.modelcontextprotocol/tasks"
#define TASKS_MAX	1024u	/* of all principals, shared as share.h says; beyond: calls stay with their requests */
#define TASKS_EACH_MAX	128u	/* of one principal; beyond: the same */
/* bytes of outcomes; beyond: the oldest of the principal with the most are dropped */
#define TASK_BYTES_MAX	(128u << 20)

/* Whether this front offers tasks. */
bool tasks_offered(const struct front *f);

/* Whether this ClientCapabilities object declares the extension. */
bool tasks_declared(const struct mp_value *capabilities);

/* The worker reports that the call of x takes long.  required: the call must become a task or fail. */
void task_lasts(struct exchange *x, bool required,
    void (*failed)(void *arg, const struct err *err, struct span details));

/* Every 100 ms or so: turn long calls into tasks, drop expired tasks. */
void tasks_tick(struct front *f, uint64_t now);
void tasks_free(struct front *f);

/* End all tasks of a principal, or with NULL everybody's.  Returns how many were running. */
unsigned tasks_end(struct front *f, const struct principal *who);

/* Where nodes share a store: tell carrel-auth, which knows nothing of them yet, of all tasks. */
void tasks_tell(struct front *f);

/* A client cancels the task on another node. */
void tasks_cancel(struct front *f, struct span id);

void handle_tasks_get(struct exchange *x, const struct mp_value *params);
void handle_tasks_update(struct exchange *x, const struct mp_value *params);
void handle_tasks_cancel(struct exchange *x, const struct mp_value *params);
