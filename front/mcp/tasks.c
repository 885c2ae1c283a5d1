#include <stdlib.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/json/json_write.h"
#include "base/json/json_put.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "front/mcp/admission.h"
#include "front/mcp/elicit.h"
#include "front/wire/share.h"
#include "front/mcp/tasks.h"
#include "front/mcp/tasks_elsewhere.h"
#include "front/who/auth_ask.h"

#define ID_BYTES	16
#define MESSAGE_MAX	256

struct task {
	TAILQ_ENTRY(task)	 all;		/* oldest first */
	struct front		*front;
	struct principal	*who;
	struct front_call		*call;		/* NULL: it has ended */
	struct mcp_later	 later;
	struct grant		 grant;		/* its place among its caller's calls in flight */
	char			 id[2 * ID_BYTES + 1];
	enum task_status	 status;
	unsigned		 can;
	uint64_t		 serial, until_ns, created_ms, updated_ms;
	char			 message[MESSAGE_MAX];	/* of the last progress message */
	struct buf		 requests, state;	/* the worker's questions and state */
	struct buf		 answers;		/* a map of the answers given so far */
	struct buf		 outcome;		/* JSON: "result":{…} or "error":{…} */
};

static void
touch(struct task *t, enum task_status status)
{
	t->status = status;
	t->updated_ms = clock_unix_ms();
}

static bool
is_answered(const struct task *t, struct span key)
{
	struct mp_value answers, v;

	return mp_value(buf_view(&t->answers), &answers) && mp_member(&answers, key, &v);
}

/* The unanswered questions, as JSON. */
static unsigned
put_pending(struct buf *out, const struct task *t)
{
	struct mp_value requests, request;
	struct mp_iter it;
	struct span key;
	unsigned n = 0;

	buf_byte(out, '{');
	mp_value(buf_view(&t->requests), &requests);
	it = mp_iter(&requests);
	while (mp_next_pair(&it, &key, &request)) {
		if (is_answered(t, key))
			continue;
		if (n++ > 0)
			buf_byte(out, ',');
		json_write_string(out, key);
		buf_byte(out, ':');
		json_write(out, &request);
	}
	buf_byte(out, '}');
	return n;
}

/* For the other nodes, if there are any. */
static void
task_tell(const struct task *t)
{
	uint64_t now = clock_ns();
	struct buf members = { .max = 0 };
	uint8_t owner[TASK_OWNER];
	struct ipc_task_keep msg = { .id = span_str(t->id), .owner = span_of(owner, sizeof(owner)),
		.status = t->status, .message = span_str(t->message), .created_unix_ms = t->created_ms,
		.updated_unix_ms = t->updated_ms, .ttl_ms = TASK_TTL_MS };

	if (!front_has_nodes(t->front))
		return;
	if (t->status == TASK_INPUT_REQUIRED) {
		json_put_key(&members, "inputRequests");
		put_pending(&members, t);
	} else
		buf_span(&members, buf_view(&t->outcome));
	tasks_owner(t->who, owner);
	msg.ttl_ms = t->until_ns > now + CLOCK_MS ? (t->until_ns - now) / CLOCK_MS : 1;
	msg.large = members.len > TASK_ELSEWHERE_MAX;
	msg.outcome = msg.large ? SPAN("") : buf_view(&members);
	(void)auth_say(t->front, IPC_MSG_TASK_KEEP, 0, &msg);
	buf_fini(&members);
}

/* The call has ended, with any outcome. */
static void
task_settle(struct task *t, enum task_status status)
{
	t->call = NULL;
	t->who->in_flight--;
	admission_release(t->front, &t->grant);
	t->who->task_bytes += t->outcome.len;
	t->front->tasks.bytes += t->outcome.len;
	touch(t, status);
	task_tell(t);
}

static void
task_forget(struct task *t)
{
	struct front *f = t->front;

	if (t->call != NULL) {
		router_cancel(t->call);
		task_settle(t, TASK_CANCELLED);
	}
	t->who->task_bytes -= t->outcome.len;
	t->who->ntasks--;
	f->tasks.bytes -= t->outcome.len;
	f->tasks.n--;
	TAILQ_REMOVE(&f->tasks.list, t, all);
	buf_fini(&t->requests);
	buf_fini(&t->state);
	buf_fini(&t->answers);
	buf_fini(&t->outcome);
	mcp_later_fini(&t->later);
	free(t);
}

static size_t
outcomes_of(const struct principal *who)
{
	return who->task_bytes;
}

/* Drop the oldest outcomes of the principal with the most, until their bytes are within the bound. */
static void
forget_outcomes(struct front *f)
{
	struct principal *most;
	struct task *t;

	while (f->tasks.bytes > TASK_BYTES_MAX && (most = principal_greatest(f, outcomes_of)) != NULL) {
		t = TAILQ_FIRST(&f->tasks.list);
		while (t->who != most || t->outcome.len == 0)
			t = TAILQ_NEXT(t, all);
		task_forget(t);
	}
}

unsigned
tasks_end(struct front *f, const struct principal *who)
{
	struct task *t, *next;
	unsigned running = 0;

	for (t = TAILQ_FIRST(&f->tasks.list); t != NULL; t = next) {
		next = TAILQ_NEXT(t, all);
		if (who != NULL && t->who != who)
			continue;
		running += t->call != NULL;
		task_forget(t);
	}
	return running;
}

void
tasks_free(struct front *f)
{
	tasks_end(f, NULL);
}

bool
tasks_offered(const struct front *f)
{
	return f->conf.alone;
}

bool
tasks_declared(const struct mp_value *capabilities)
{
	struct mp_value extensions, v;

	return capabilities->class == MP_MAP && mp_get(capabilities, "extensions", &extensions) &&
	    mp_get(&extensions, TASKS_EXTENSION, &v) && v.class == MP_MAP;
}

static bool
has_room(const struct front *f, const struct principal *who)
{
	return who->ntasks < TASKS_EACH_MAX && share_allows(who->ntasks, f->tasks.n, 1, TASKS_MAX);
}

static void
tasks_fail(struct task *t, int code, const char *message)
{
	json_put_object(&t->outcome, "error");
	json_put_key(&t->outcome, "code");
	buf_printf(&t->outcome, "%d", code);
	json_put_cstr(&t->outcome, "message", message);
	json_end_object(&t->outcome);
	task_settle(t, TASK_FAILED);
}

static void
on_progress(void *arg, unsigned permille, struct span message)
{
	struct task *t = arg;
	size_t n = utf8_cut(message.p, message.len, sizeof(t->message) - 1);

	(void)permille;
	if (n > 0)
		memcpy(t->message, message.p, n);
	t->message[n] = '\0';
	touch(t, TASK_WORKING);
}

static void
on_asked(void *arg, const struct ipc_ask *msg)
{
	struct task *t = arg;
	struct mp_value requests;
	unsigned needed = mp_value(msg->requests, &requests) ? elicit_needs(&requests) : 0;

	if (needed == 0 || (needed & ~t->can) != 0) {
		router_cancel(t->call);
		tasks_fail(t, needed == 0 ? RPC_INTERNAL : RPC_CAPABILITY_MISSING,
		    needed == 0 ? err_text(ERR_INTERNAL) : "this needs a capability that the client did not declare");
		return;
	}
	buf_reset(&t->requests, IPC_CHUNK_MAX);
	buf_span(&t->requests, msg->requests);
	buf_reset(&t->state, IPC_ASK_STATE_MAX);
	buf_span(&t->state, msg->state);
	buf_reset(&t->answers, IPC_ARGS_MAX);
	mp_put_map(&t->answers, 0);
	touch(t, TASK_INPUT_REQUIRED);
	task_tell(t);
}

/* An error that the tool reports is the task's result.  A failure of the call is an error. */
static void
on_failed(void *arg, const struct err *err, struct span details)
{
	struct task *t = arg;
	struct buf json = { .max = 0 };
	char request_id[REQUEST_ID_MAX];
	struct mp_value v;

	t->front->figures.failed++;
	if (err->code == ERR_INTERNAL || err->code == ERR_WORKER_LOST) {
		request_id_print(t->serial, request_id);
		log_request(span_str(request_id));
		log_warn("a task failed: %s: %s", err_name(err->code), err->message);
		log_request(SPAN_NONE);
		tasks_fail(t, RPC_INTERNAL, mcp_public_message(err));
		return;
	}
	if (details.len > 0 && mp_value(details, &v) && v.class == MP_MAP)
		json_write(&json, &v);
	json_put_object(&t->outcome, "result");
	mcp_put_tool_error(&t->outcome, t->serial, err, buf_view(&json));
	json_end_object(&t->outcome);
	buf_fini(&json);
	task_settle(t, TASK_COMPLETED);
}

static void
on_done(void *arg, struct tool_result *result)
{
	struct task *t = arg;
	struct err e;

	if (result_shape(result, &t->later.shape, &e) != 0) {
		result_free(result);
		on_failed(arg, &e, SPAN_NONE);
		return;
	}
	json_put_object(&t->outcome, "result");
	mcp_put_result(t->front, t->who, &t->later, result, &t->outcome);
	json_end_object(&t->outcome);
	task_settle(t, TASK_COMPLETED);
}

static const struct sink task_sink = {
	.progress = on_progress, .asked = on_asked, .done = on_done, .failed = on_failed,
};

static void
put_task(struct buf *out, const struct task *t)
{
	tasks_put(&(struct task_seen){ .id = span_str(t->id), .status = t->status, .created_ms = t->created_ms,
	    .updated_ms = t->updated_ms, .message = span_str(t->message) }, out);
}

/* Turn the call of x into a task.  True: x was answered and freed. */
static bool
take_over(struct exchange *x)
{
	struct front *f = x->front;
	struct buf members = { .max = 0 };
	uint8_t random[ID_BYTES];
	struct task *t;

	if (!x->accepts.tasks || x->target.surface != NULL || !has_room(f, x->who))
		return false;
	t = mem_new(1, sizeof(*t));
	t->front = f;
	t->who = x->who;
	t->call = exchange_end_call(x);
	t->can = x->accepts.can;
	t->serial = x->serial;
	mcp_keep_later(x, &t->later);
	t->created_ms = t->updated_ms = clock_unix_ms();
	t->until_ns = clock_ns() + TASK_TTL_MS * CLOCK_MS;
	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(t->id, sizeof(t->id), random, sizeof(random));
	TAILQ_INSERT_TAIL(&f->tasks.list, t, all);
	f->tasks.n++;
	t->who->ntasks++;
	/* The task takes over the call and its place among the principal's calls in flight. */
	router_hand_over(t->call, &task_sink, t);
	x->admission.counted = false;
	t->grant = x->admission.grant;
	x->admission.grant.id = 0;
	task_tell(t);
	put_task(&members, t);
	mcp_answer_as(x, "task", buf_view(&members));
	buf_fini(&members);
	return true;
}

static void
refuse_undeclared(struct exchange *x)
{
	struct buf data = { .max = 0 };

	json_put_object(&data, NULL);
	json_put_object(&data, "requiredCapabilities");
	json_put_object(&data, "extensions");
	json_put_object(&data, TASKS_EXTENSION);
	for (unsigned i = 0; i < 4; i++)
		json_end_object(&data);
	mcp_error(x, 400, RPC_CAPABILITY_MISSING,
	    "this needs the extension " TASKS_EXTENSION ", which the client did not declare", buf_view(&data));
	buf_fini(&data);
}

void
task_lasts(struct exchange *x, bool required,
    void (*failed)(void *arg, const struct err *err, struct span details))
{
	struct err e;

	if (take_over(x) || !required)
		return;
	exchange_cancel_call(x);
	if (mcp_is_modern(x) && !x->accepts.tasks && tasks_offered(x->front)) {
		refuse_undeclared(x);
		return;
	}
	err_set(&e, ERR_SERVICE_UNAVAILABLE,
	    "This call takes too long to wait for, and its result could not be fetched later from this server.");
	failed(x, &e, SPAN_NONE);
}

/* Find a call that has run long enough to become a task; NULL: none. */
static struct exchange *
lasting(const struct front *f, uint64_t now)
{
	struct exchange *x;

	LIST_FOREACH(x, &f->running, running)
		if (x->accepts.tasks && x->stage == EXCHANGE_CALLING &&
		    now - x->calling.since_ns >= TASK_AFTER_MS * CLOCK_MS)
			return x;
	return NULL;
}

void
tasks_tick(struct front *f, uint64_t now)
{
	struct exchange *x;
	struct task *t, *next;

	while ((x = lasting(f, now)) != NULL) /* search from the start: an answer may end other exchanges */
		if (!take_over(x))
			x->accepts.tasks = false; /* no room for a task: the call stays with its request */
	for (t = TAILQ_FIRST(&f->tasks.list); t != NULL && now >= t->until_ns; t = next) {
		next = TAILQ_NEXT(t, all);
		task_forget(t);
	}
	forget_outcomes(f);
}

/* Find the task of params, of this principal.  NULL: x was answered with an error, or will be from another node's. */
static struct task *
tasks_named(struct exchange *x, const struct mp_value *params, enum task_wish wish)
{
	struct span id = mp_get_str(params, "taskId", SPAN_NONE);
	struct task *t = NULL;

	if (!tasks_offered(x->front)) {
		mcp_error(x, 404, RPC_METHOD_NOT_FOUND, "there is no such method", SPAN_NONE);
		return NULL;
	}
	if (!x->accepts.tasks) {
		refuse_undeclared(x);
		return NULL;
	}
	TAILQ_FOREACH(t, &x->front->tasks.list, all)
		if (t->who == x->who && span_is_str(id, t->id))
			return t;
	tasks_elsewhere(x, id, wish);
	return NULL;
}

void
handle_tasks_get(struct exchange *x, const struct mp_value *params)
{
	struct task *t = tasks_named(x, params, TASK_GET);
	struct buf members = { .max = 0 };

	if (t == NULL)
		return;
	put_task(&members, t);
	if (t->status == TASK_INPUT_REQUIRED) {
		json_put_key(&members, "inputRequests");
		put_pending(&members, t);
	} else
		json_put_members(&members, buf_view(&t->outcome));
	mcp_answer(x, buf_view(&members));
	buf_fini(&members);
}

/* Merge given into the answers.  Members that answer no open question are ignored. */
static void
take_answers(struct task *t, const struct mp_value *given)
{
	struct buf all = { .max = IPC_ARGS_MAX };
	struct mp_value known, requests, v, one;
	struct mp_iter it;
	struct span key;
	size_t n = 0, mark = mp_open_map(&all);

	mp_value(buf_view(&t->answers), &known);
	for (it = mp_iter(&known); mp_next_pair(&it, &key, &v); n++) {
		mp_put_str(&all, key);
		buf_span(&all, v.raw);
	}
	mp_value(buf_view(&t->requests), &requests);
	it = mp_iter(&requests);
	while (mp_next_pair(&it, &key, &v)) {
		struct mp_iter theirs = mp_iter(given);
		struct span k;

		while (!is_answered(t, key) && mp_next_pair(&theirs, &k, &one))
			if (span_is(k, key) && one.class == MP_MAP) {
				mp_put_str(&all, key);
				buf_span(&all, one.raw);
				n++;
				break;
			}
	}
	mp_close(&all, mark, n);
	if (!all.full) {
		buf_reset(&t->answers, IPC_ARGS_MAX);
		buf_span(&t->answers, buf_view(&all));
	}
	buf_fini(&all);
}

void
handle_tasks_update(struct exchange *x, const struct mp_value *params)
{
	struct task *t = tasks_named(x, params, TASK_UPDATE);
	struct buf pending = { .max = 0 };
	struct mp_value given;

	if (t == NULL)
		return;
	if (!mp_get(params, "inputResponses", &given) || given.class != MP_MAP) {
		mcp_error(x, 200, RPC_INVALID_PARAMS, "\"inputResponses\" must be an object", SPAN_NONE);
		return;
	}
	if (t->status == TASK_INPUT_REQUIRED) {
		take_answers(t, &given);
		if (put_pending(&pending, t) == 0) {
			touch(t, TASK_WORKING);
			task_tell(t);
			router_resume(t->call, buf_view(&t->state), buf_view(&t->answers));
		}
		buf_fini(&pending);
	}
	mcp_answer(x, SPAN_NONE);
}

static void
task_cancel(struct task *t)
{
	if (t->call == NULL)
		return;
	router_cancel(t->call);
	t->front->figures.cancelled++;
	task_settle(t, TASK_CANCELLED);
}

void
handle_tasks_cancel(struct exchange *x, const struct mp_value *params)
{
	struct task *t = tasks_named(x, params, TASK_CANCEL);

	if (t == NULL)
		return;
	task_cancel(t);
	mcp_answer(x, SPAN_NONE);
}

void
tasks_cancel(struct front *f, struct span id)
{
	struct task *t;

	TAILQ_FOREACH(t, &f->tasks.list, all)
		if (span_is_str(id, t->id)) {
			task_cancel(t);
			return;
		}
}

void
tasks_tell(struct front *f)
{
	const struct task *t;

	TAILQ_FOREACH(t, &f->tasks.list, all)
		task_tell(t);
}
