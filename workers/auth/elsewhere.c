#include "workers/auth/elsewhere.h"

#include <stdio.h>

#include <sodium.h>

#include "base/system/log.h"
#include "workers/auth/sealed.h"
#include "workers/auth/store/store_shared.h"
#include "workers/shared/serve.h"

/*
 * What is told of a task is sealed for: this task of this principal, on this node.  So it is of no other, whatever the
 * row says that it is put into.
 */
struct task_purpose {
	char	text[240];
};

static struct task_purpose
purpose_of(struct span id, struct span owner, struct span node)
{
	struct task_purpose p;
	char hex[2 * 32 + 1];

	sodium_bin2hex(hex, sizeof(hex), owner.p, owner.len < 32 ? owner.len : 32);
	snprintf(p.text, sizeof(p.text), "tasks: what other nodes are told: %.64s %.*s %.*s", hex,
	    (int)(id.len < 48 ? id.len : 48), (const char *)id.p, (int)(node.len < 64 ? node.len : 64),
	    (const char *)node.p);
	return p;
}

/* Statements need some of it in columns as well; of these nothing but times is told. */
static void
task_seal(const struct auth *a, const struct ipc_task_keep *m, struct buf *sealed)
{
	struct buf plain = { 0 };
	size_t map = mp_open_pairs(&plain, mp_uint("status", m->status), mp_str("message", m->message),
	    mp_uint("created", m->created_unix_ms), mp_uint("updated", m->updated_unix_ms),
	    mp_bool("large", m->large != 0), mp_str("outcome", m->outcome));

	mp_end(&plain, map);
	sealed_put(a, purpose_of(m->id, m->owner, span_str(a->conf.node)).text, buf_view(&plain), sealed);
	buf_wipe(&plain);
}

/* What the task's node told, or that the node was started again.  False: neither, or another state than the row's. */
static bool
task_open(const struct auth *a, const struct store_task *t, struct buf *plain, struct ipc_task_seen *out)
{
	struct mp_value map;

	if (t->outcome.len == 0) {
		out->status = STORE_TASK_FAILED;
		out->created_unix_ms = t->created_ms;
		out->updated_unix_ms = t->updated_ms;
		return t->status >= STORE_TASK_ENDED;
	}
	if (!sealed_open(a, purpose_of(t->id, t->owner, t->node).text, t->outcome, plain) ||
	    mp_scan(buf_view(plain)) != MP_OK || !mp_value(buf_view(plain), &map) || map.class != MP_MAP)
		return false;
	out->node = t->node;
	out->status = mp_get_uint(&map, "status", STORE_TASK_FAILED);
	out->message = mp_get_str(&map, "message", SPAN(""));
	out->created_unix_ms = mp_get_uint(&map, "created", 0);
	out->updated_unix_ms = mp_get_uint(&map, "updated", 0);
	out->large = mp_get_bool(&map, "large", false);
	out->outcome = mp_get_str(&map, "outcome", SPAN(""));
	return out->status == t->status;
}

static bool
is_there(const struct auth *a)
{
	return store_is_shared(a->store) && store_away(a->store) == NULL;
}

void
elsewhere_session(struct auth *a, uint64_t peer, const struct ipc_session_over *m)
{
	struct err err;

	if (!store_is_shared(a->store))
		return;
	if (store_session_over(a->store, m->id.p, m->expires_unix_s, &err) != 0)
		log_warn("that a session has ended is not told to the other nodes yet: %s", err.message);
	else
		(void)serve_send(peer, IPC_MSG_SESSION_OVER, 0, m); /* its front need not tell it again */
}

struct telling {
	struct auth	*a;
	uint64_t	 peer;	/* 0: all fronts */
};

static void
tell_session(void *arg, const uint8_t id[STORE_SESSION], uint64_t expires_s)
{
	struct telling *t = arg;
	struct ipc_session_over msg = { .id = span_of(id, STORE_SESSION), .expires_unix_s = expires_s };

	if (t->peer == 0)
		fronts_tell(&t->a->fronts, IPC_MSG_SESSION_OVER, 0, &msg);
	else
		(void)serve_send(t->peer, IPC_MSG_SESSION_OVER, 0, &msg);
}

bool
elsewhere_is_told(const struct auth *a)
{
	return !store_is_shared(a->store) || store_sessions_newest(a->store) <= a->sessions_told;
}

void
elsewhere_task(struct auth *a, const struct ipc_task_keep *m)
{
	struct store_task t = { .id = m->id, .owner = m->owner, .message = SPAN(""), .status = m->status,
		.created_ms = m->created_unix_ms, .updated_ms = m->updated_unix_ms, .ttl_ms = m->ttl_ms,
		.large = m->large != 0 };
	struct buf sealed = { 0 };
	struct err err;

	if (!is_there(a))
		return;
	task_seal(a, m, &sealed);
	t.outcome = buf_view(&sealed);
	if (store_task_keep(a->store, &t, &err) != 0)
		log_warn("a task is not known to the other nodes: %s", err.message);
	buf_fini(&sealed);
}

struct task_question {
	struct auth	*a;
	uint64_t	 peer, id;
};

static void
say_task(void *arg, const struct store_task *t)
{
	const struct task_question *l = arg;
	struct ipc_task_seen out = { .found = 1, .gone = t->gone }, unknown = { .found = 1, .unknown = 1 };
	struct buf plain = { 0 };

	(void)serve_send(l->peer, IPC_MSG_TASK_SEEN, l->id, task_open(l->a, t, &plain, &out) ? &out : &unknown);
	buf_wipe(&plain);
}

void
elsewhere_look(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_task_look *m)
{
	struct task_question l = { a, peer, id };
	struct ipc_task_seen none = { .found = 0 };
	struct err err;
	int found = 0;

	if (store_is_shared(a->store)) {
		found = m->cancel == 0 ? 0 : store_task_cancel(a->store, m->id, m->owner, &err);
		if (found == 0)
			found = store_task_look(a->store, m->id, m->owner, say_task, &l, &err);
	}
	if (found == 1)
		return;
	if (found < 0)
		log_warn("a task of another node was not looked up: %s", err.message);
	none.unknown = found < 0;
	(void)serve_send(peer, IPC_MSG_TASK_SEEN, id, &none);
}

static void
tell_cancel(void *arg, struct span id)
{
	struct auth *a = arg;

	fronts_tell(&a->fronts, IPC_MSG_TASK_CANCEL, 0, &(struct ipc_task_cancel){ .id = id });
}

void
elsewhere_greet(struct auth *a, uint64_t peer)
{
	struct telling t = { a, peer };
	uint64_t newest;
	struct err err;

	if (!is_there(a))
		return;
	/* Its tasks, which it tells again, and sessions that ended before it or this process was there. */
	if (store_tasks_lost(a->store, &err) != 0 ||
	    store_sessions_over(a->store, 0, tell_session, &t, &newest, &err) != 0)
		log_warn("what has ended on other nodes is not known yet: %s", err.message);
	else if (newest > a->sessions_told && a->fronts.n == 1)
		a->sessions_told = newest;
}

void
elsewhere_tend(struct auth *a)
{
	struct telling t = { a, 0 };
	uint64_t newest;
	struct err err;

	if (!is_there(a))
		return;
	if (!elsewhere_is_told(a)) {
		if (store_sessions_over(a->store, a->sessions_told, tell_session, &t, &newest, &err) != 0)
			log_warn("which sessions have ended on other nodes is not known yet: %s", err.message);
		else /* those that have expired are of no interest */
			a->sessions_told =
			    store_sessions_newest(a->store) > newest ? store_sessions_newest(a->store) : newest;
	}
	if (store_tasks_unwanted(a->store) != 0 && store_tasks_cancelled(a->store, tell_cancel, a, &err) != 0)
		log_warn("tasks that were cancelled on other nodes go on for now: %s", err.message);
}
