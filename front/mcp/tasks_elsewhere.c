#include "front/mcp/tasks_elsewhere.h"

#include <stdlib.h>

#include <sodium.h>

#include "base/json/json_put.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "front/mcp/tasks.h"
#include "front/who/auth_ask.h"
#include "front/who/principal.h"

#define ID_CHARACTERS	32u

/* A question to carrel-auth, for x. */
struct task_look {
	struct exchange	*x;
	struct auth_ask	*ask;
	enum task_wish	 wish;
	char		 id[ID_CHARACTERS + 1];
};

void
tasks_owner(const struct principal *who, uint8_t owner[TASK_OWNER])
{
	struct span binding = principal_binding(who);

	crypto_generichash(owner, TASK_OWNER, binding.p, binding.len, NULL, 0);
}

void
tasks_put(const struct task_seen *t, struct buf *out)
{
	static const char *const names[] = { [TASK_WORKING] = "working", [TASK_INPUT_REQUIRED] = "input_required",
		[TASK_COMPLETED] = "completed", [TASK_FAILED] = "failed", [TASK_CANCELLED] = "cancelled" };
	char created[32], updated[32];

	clock_iso8601(t->created_ms, created);
	clock_iso8601(t->updated_ms, updated);
	json_put_str(out, "taskId", t->id);
	json_put_cstr(out, "status", names[t->status]);
	json_put_cstr(out, "createdAt", created);
	json_put_cstr(out, "lastUpdatedAt", updated);
	json_put_uint(out, "ttlMs", TASK_TTL_MS);
	json_put_uint(out, "pollIntervalMs", TASK_POLL_MS);
	if (t->message.len > 0)
		json_put_str(out, "statusMessage", t->message);
}

static void
say_unknown(struct exchange *x)
{
	mcp_error(x, 200, RPC_INVALID_PARAMS, "there is no such task, or it has been forgotten", SPAN_NONE);
}

/* Refuse with code and the node's name in the data. */
static void
say_node(struct exchange *x, const char *code, const char *message, struct span node)
{
	struct buf data = { .max = 0 };

	buf_byte(&data, '{');
	json_put_cstr(&data, "code", code);
	json_put_str(&data, "node", node);
	buf_byte(&data, '}');
	mcp_error(x, 200, RPC_INVALID_PARAMS, message, buf_view(&data));
	buf_fini(&data);
}

/* What runs on a node that is gone will not end any more; what it ran before it was started again has no outcome. */
static bool
is_lost(const struct ipc_task_seen *m)
{
	return m->status < TASK_COMPLETED ? m->gone != 0 : m->status != TASK_CANCELLED && m->outcome.len == 0;
}

static void
put_lost(struct buf *out)
{
	json_put_object(out, "error");
	json_put_key(out, "code");
	buf_printf(out, "%d", RPC_INTERNAL);
	json_put_cstr(out, "message",
	    "the node that served this task is gone, or was started again: call the tool again");
	json_end_object(out);
}

static void
answer_get(struct exchange *x, const char *id, const struct ipc_task_seen *m)
{
	bool lost = m->large == 0 && is_lost(m);
	struct task_seen seen = { .id = span_str(id), .message = m->message,
		.status = lost ? TASK_FAILED : (unsigned)m->status,
		.created_ms = m->created_unix_ms, .updated_ms = m->updated_unix_ms };
	struct buf members = { .max = 0 };

	if (m->large != 0) {
		say_node(x, "result_elsewhere", "the result is larger than 1 MiB: ask the node that has it", m->node);
		return;
	}
	tasks_put(&seen, &members);
	if (lost)
		put_lost(&members);
	else
		json_put_members(&members, m->outcome);
	mcp_answer(x, buf_view(&members));
	buf_fini(&members);
}

static void
on_seen(void *arg, const union ipc_any *answer)
{
	struct task_look *l = arg;
	struct exchange *x = l->x;
	const struct ipc_task_seen *m = answer == NULL ? NULL : &answer->task_seen;

	exchange_end_wait(x);
	if (m == NULL || m->unknown != 0)
		mcp_error(x, 200, RPC_INTERNAL, "tasks of other nodes cannot be looked up now; try again in a moment",
		    SPAN_NONE);
	else if (m->found == 0)
		say_unknown(x);
	else if (l->wish == TASK_GET)
		answer_get(x, l->id, m);
	else if (l->wish == TASK_UPDATE)
		say_node(x, "task_elsewhere", "this task waits for its answers on another node", m->node);
	else
		mcp_answer(x, SPAN_NONE);
	free(l);
}

static void
forget_look(struct exchange *x)
{
	struct task_look *l = x->waiting.of;

	auth_ask_forget(l->ask);
	free(l);
}

void
tasks_elsewhere(struct exchange *x, struct span id, enum task_wish wish)
{
	uint8_t owner[TASK_OWNER];
	struct task_look *l;

	if (!front_has_nodes(x->front) || id.len != ID_CHARACTERS) {
		say_unknown(x);
		return;
	}
	l = mem_new(1, sizeof(*l));
	*l = (struct task_look){ .x = x, .wish = wish };
	memcpy(l->id, id.p, ID_CHARACTERS);
	tasks_owner(x->who, owner);
	l->ask = auth_ask(x->front, IPC_MSG_TASK_LOOK,
	    &(struct ipc_task_look){
		.id = span_str(l->id), .owner = span_of(owner, sizeof(owner)), .cancel = wish == TASK_CANCEL },
	    IPC_MSG_TASK_SEEN, on_seen, l);
	if (l->ask != NULL)
		exchange_wait(x, forget_look, l);
	else {
		free(l);
		mcp_error(x, 200, RPC_INTERNAL, "tasks of other nodes cannot be looked up now; try again in a moment",
		    SPAN_NONE);
	}
}
