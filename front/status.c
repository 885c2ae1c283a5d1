#include <inttypes.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/json/json_put.h"
#include "base/mem.h"
#include "front/mcp/audit_requests.h"
#include "front/mcp/exchange.h"
#include "front/http/caller.h"
#include "front/http/conn.h"
#include "front/http/conn_write.h"
#include "front/to_supervisor.h"
#include "front/local_client.h"
#include "front/calls/router.h"
#include "front/calls/router_admin.h"
#include "front/status.h"

struct status_wait {
	TAILQ_ENTRY(status_wait)	 next;
	void			(*told)(void *arg, struct span status);
	void			*arg;
	uint64_t		 serial, due;
};

struct statuses {
	TAILQ_HEAD(status_waits, status_wait) waits;
	uint64_t		serial;
};

struct statuses *
statuses_new(void)
{
	struct statuses *s = mem_new(1, sizeof(*s));

	TAILQ_INIT(&s->waits);
	return s;
}

static void
forget_report(struct statuses *s, struct status_wait *a)
{
	TAILQ_REMOVE(&s->waits, a, next);
	free(a);
}

void
statuses_free(struct statuses *s)
{
	struct status_wait *a;

	if (s == NULL)
		return;
	while ((a = TAILQ_FIRST(&s->waits)) != NULL)
		forget_report(s, a);
	free(s);
}

static void
put_front(struct front *f, struct buf *out)
{
	const struct figures *g = &f->figures;
	struct buf why = { 0 };

	status_put_reason(f, &why);
	json_put_object(out, "front");
	json_put_uint(out, "connections", conns_count(f->conns));
	json_put_uint(out, "localClients", locals_count(f->locals));
	json_put_uint(out, "sessions", sessions_known(f->sessions));
	json_put_uint(out, "inFlight", router_in_flight(f->router));
	json_put_uint(out, "resultBytes", f->results.used);
	json_put_uint(out, "requests", g->requests);
	json_put_uint(out, "refused", g->refused);
	json_put_uint(out, "calls", g->calls);
	json_put_uint(out, "failed", g->failed);
	json_put_uint(out, "cancelled", g->cancelled);
	json_put_uint(out, "upSeconds", (clock_unix_ms() - g->began_unix_ms) / 1000);
	json_put_bool(out, "degraded", f->degraded);
	json_put_cstr(out, "reason", why.len > 0 ? buf_cstr(&why) : NULL);
	buf_fini(&why);
	router_put_status(f->router, out);
	json_end_object(out);
}

static void
tell_status(struct front *f, struct status_wait *a, struct span status)
{
	struct status_wait w = *a;

	forget_report(f->statuses, a);
	w.told(w.arg, status);
}

/* Answer with the supervisor's map, without its sums for /metrics, and with the front's own figures. */
static void
status_answer(void *arg, struct span status)
{
	struct exchange *x = arg;
	struct buf out = { .max = 0 };
	struct mp_value map, v;
	struct mp_iter it;
	struct span key;

	exchange_end_wait(x);
	if (status.len > 0 && mp_value(status, &map)) {
		it = mp_iter(&map);
		while (mp_next_pair(&it, &key, &v)) {
			if (span_is_str(key, "front") || span_is_str(key, "metrics"))
				continue;
			json_put_str(&out, NULL, key);
			buf_byte(&out, ':');
			json_write(&out, &v);
		}
	}
	put_front(x->front, &out);
	mcp_answer(x, buf_view(&out));
	buf_fini(&out);
}

static void
on_forget(struct exchange *x)
{
	forget_report(x->front->statuses, x->waiting.of);
}

/* Append the members of the object that `carrel doctor --json` wrote.  False: it wrote no object. */
static bool
doctor_read(struct span found, struct buf *members)
{
	struct buf parsed = { .max = IPC_RAW_MAX };
	struct mp_value map, v;
	struct mp_iter it;
	struct span key;
	size_t at;
	bool ok = found.len > 0 && json_read(found, &parsed, &at) == JSON_OK && mp_value(buf_view(&parsed), &map) &&
	    map.class == MP_MAP;

	if (ok) {
		it = mp_iter(&map);
		while (mp_next_pair(&it, &key, &v)) {
			if (members->len > 0)
				buf_byte(members, ',');
			json_write_string(members, key);
			buf_byte(members, ':');
			json_write(members, &v);
		}
	}
	buf_fini(&parsed);
	return ok;
}

static void
doctor_answer(void *arg, struct span found)
{
	struct exchange *x = arg;
	struct buf members = { .max = 0 };
	struct err err;

	exchange_end_wait(x);
	if (doctor_read(found, &members))
		mcp_answer(x, buf_view(&members));
	else {
		err_set(&err, ERR_SERVICE_UNAVAILABLE,
		    "`carrel doctor` did not answer here; run it on the server, where the log says more");
		mcp_tool_error(x, &err, SPAN_NONE);
	}
	buf_fini(&members);
}

static struct status_wait *
status_wait_new(struct front *f, uint64_t wait_ms, void (*told)(void *arg, struct span status), void *arg)
{
	struct status_wait *a = mem_new(1, sizeof(*a));

	*a = (struct status_wait){ .told = told, .arg = arg, .serial = ++f->statuses->serial,
		.due = clock_ns() + wait_ms * CLOCK_MS };
	TAILQ_INSERT_TAIL(&f->statuses->waits, a, next);
	return a;
}

static void
status_send(struct front *f, struct status_wait *a)
{
	if (!supervisor_ask_status(a->serial))
		tell_status(f, a, SPAN_NONE);
}

void
status_ask(struct front *f, struct exchange *x)
{
	struct status_wait *a = status_wait_new(f, STATUS_WAIT_MS, status_answer, x);

	exchange_wait(x, on_forget, a);
	status_send(f, a);
}

void
status_ask_doctor(struct front *f, struct exchange *x)
{
	struct status_wait *a = status_wait_new(f, STATUS_DOCTOR_MS, doctor_answer, x);

	exchange_wait(x, on_forget, a);
	if (!supervisor_ask_doctor(a->serial))
		tell_status(f, a, SPAN_NONE);
}

void
status_fetch(struct front *f, void (*told)(void *arg, struct span status), void *arg)
{
	status_send(f, status_wait_new(f, STATUS_WAIT_MS, told, arg));
}

void
status_take(struct front *f, uint64_t serial, struct span status)
{
	struct status_wait *a;

	TAILQ_FOREACH(a, &f->statuses->waits, next)
		if (a->serial == serial) {
			tell_status(f, a, status);
			return;
		}
}

static struct status_wait *
first_due(const struct statuses *s, uint64_t now)
{
	struct status_wait *a;

	TAILQ_FOREACH(a, &s->waits, next)
		if (a->due <= now)
			return a;
	return NULL;
}

void
status_tick(struct front *f, uint64_t now)
{
	struct status_wait *a;

	/* Search from the start: telling one may end other waits. */
	while ((a = first_due(f->statuses, now)) != NULL)
		tell_status(f, a, SPAN_NONE);
}

bool
status_is_well(const struct front *f)
{
	return !f->degraded && router_is_ready(f->router) && audit_failure(f) == NULL && f->auth.failing[0] == '\0' &&
	    !lease_is_over(f);
}

void
status_put_reason(const struct front *f, struct buf *out)
{
	const char *failure = audit_failure(f);

	if (failure != NULL)
		buf_printf(out, "calls cannot be put on record: %s", failure);
	else if (f->auth.failing[0] != '\0')
		buf_str(out, f->auth.failing);
	else if (lease_is_over(f))
		buf_str(out, "the state store was not confirmed for too long: nothing is decided about credentials");
	else if (!router_is_ready(f->router))
		buf_str(out, "a process is not ready; /health/ready and `carrel status` say which");
	else if (f->degraded)
		buf_str(out, "a process is not confined; `carrel sandbox verify` says which");
}

void
status_serve_health(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct front *f = c->front;
	struct http_reply r = { .status = 200, .type = "application/json", .no_store = true };
	struct buf out = { .max = 0 }, why = { .max = 0 };

	(void)who, (void)body;
	json_put_object(&out, NULL);
	json_put_cstr(&out, "status", status_is_well(f) ? "ok" : "degraded");
	if (caller_is_owner(c, q)) {
		json_put_cstr(&out, "projectDir", f->conf.project_dir);
		json_put_uint(&out, "port", f->access.port);
		status_put_reason(f, &why);
		if (why.len > 0)
			json_put_str(&out, "reason", buf_view(&why));
	}
	json_end_object(&out);
	conn_reply(c, &r, buf_view(&out));
	buf_fini(&out);
	buf_fini(&why);
}

void
status_serve_ready(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct front *f = c->front;
	bool ready =
	    router_is_ready(f->router) && !f->stop.begun && !lease_is_over(f) && !f->lease.drained && !f->lease.behind;
	struct http_reply r = {
		.status = ready ? 200 : 503, .type = "application/json", .no_store = true
	};
	struct buf out = { .max = 0 };

	(void)who, (void)body;
	json_put_object(&out, NULL);
	json_put_bool(&out, "ready", ready);
	if (caller_is_owner(c, q)) {
		json_put_bool(&out, "drained", f->lease.drained);
		json_put_bool(&out, "behind", f->lease.behind);
		router_put_workers(f->router, &out);
	}
	json_end_object(&out);
	conn_reply(c, &r, buf_view(&out));
	buf_fini(&out);
}
