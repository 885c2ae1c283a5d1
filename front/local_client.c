#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event_struct.h>

#include "base/json/json_put.h"
#include "base/mem.h"
#include "front/mcp/legacy/batch.h"
#include "front/mcp/elicit.h"
#include "front/gateway.h"
#include "front/local_client.h"
#include "front/mcp/exchange.h"
#include "front/mcp/mcp_handlers.h"
#include "front/calls/metering.h"
#include "front/wire/out.h"
#include "front/calls/router_admin.h"
#include "front/status.h"

#define READ_BLOCK	(64u * 1024)

struct local {
	TAILQ_ENTRY(local)	 all;
	struct front		*front;
	int			 fd;
	struct event		 readable, writable;
	struct buf		 in;
	size_t			 scanned;	/* leading bytes of in without an end of line */
	struct out		 out;
	struct exchanges	 exchanges;
	struct principal	*who;
	enum mcp_revision	 revision;	/* the revision that initialize negotiated */
	struct subscriber	 subscriber;	/* of a legacy client */
	bool			 subscribing;
	/* client capabilities from initialize, log level from logging/setLevel */
	unsigned		 can, notices;
	char			*name;		/* "name version" from initialize; NULL: not given */
	struct buf		 token;		/* the credential of the greeting; empty: none was given */
	struct verify_wait	*waiting;	/* for the verdict on it; no message is served meanwhile */
	struct exchange		*hello;		/* the greeting that waits, or NULL */
	struct gate_refusal	 refusal;	/* why the credential was refused; ERR_NONE: it was not */
	bool			 admitted;	/* the verdict for the next message has come: it may pass */
	bool			 spoken;	/* the first message has come; carrel/hello is accepted only before */
	bool			 closing;	/* close when all output is written */
	bool			 reading, write_armed, dead;
};

TAILQ_HEAD(localq, local);

struct locals {
	struct front	*front;
	struct localq	 all;
	unsigned	 n;
	bool		 burying;
};

static const struct transport line_transport;

static void
local_client_drop(struct local *l)
{
	struct exchange *x;

	if (l->dead)
		return;
	l->dead = true;
	l->front->locals->burying = true;
	while ((x = TAILQ_FIRST(&l->exchanges)) != NULL) {
		TAILQ_REMOVE(&l->exchanges, x, of_client);
		if (x->batch != NULL && batch_settle(x->batch))
			batch_free(x->batch);
		exchange_abandon(x);
	}
	if (l->waiting != NULL)
		verify_forget(l->waiting);
	l->waiting = NULL;
	if (l->subscribing)
		subscriber_end(l->front, &l->subscriber);
	event_del(&l->readable);
	event_del(&l->writable);
}

/*
 * Stop reading while too many answers wait to be read by the client, or a verdict is waited for; start again
 * afterwards.
 */
static void
throttle(struct local *l)
{
	bool wanted = out_pending(&l->out) < LOCAL_AHEAD_MAX && !l->closing && l->waiting == NULL;

	if (wanted == l->reading)
		return;
	l->reading = wanted;
	if (wanted)
		event_add(&l->readable, NULL);
	else
		event_del(&l->readable);
}

static void
after_write(struct local *l, enum out_status status)
{
	if (status == OUT_DEAD || (status == OUT_EMPTY && l->closing)) {
		local_client_drop(l);
		return;
	}
	if ((status == OUT_MORE) != l->write_armed) {
		l->write_armed = status == OUT_MORE;
		if (l->write_armed)
			event_add(&l->writable, NULL);
		else
			event_del(&l->writable);
	}
	throttle(l);
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct local *l = arg;

	(void)fd, (void)what;
	after_write(l, out_flush(&l->out, l->fd));
}

static void
send_line(struct local *l, struct span line)
{
	if (!l->dead)
		after_write(l, out_send(&l->out, l->fd, line, NULL, SPAN("\n")));
}

/* Send a change notification to a legacy client.  False: the client is gone. */
static bool
local_send_change(struct subscriber *s, struct span message)
{
	struct local *l = s->owner;

	if (out_pending(&l->out) >= LOCAL_AHEAD_MAX) {
		metering_log_refusal(l->front, "cut off a local client that does not read");
		local_client_drop(l);
	} else
		send_line(l, message);
	return !l->dead;
}

static struct subscriber *
subscriber_of(struct local *l)
{
	if (!l->subscribing) {
		l->subscribing = true;
		l->subscriber =
		    (struct subscriber){ .lists = IPC_LISTS_ALL, .send = local_send_change, .who = l->who, .owner = l };
		subscriber_begin(l->front, &l->subscriber);
	}
	return &l->subscriber;
}

/* One answer of a batch has come or will not come.  After the last, all answers are sent together. */
static void
batch_answered(struct local *l, struct batch *b)
{
	if (!batch_settle(b))
		return;
	if (b->out.len > 0)
		send_line(l, buf_view(&b->out));
	batch_free(b);
}

static void
line_answer(struct exchange *x, const struct mcp_answer *a)
{
	struct local *l = x->client;

	TAILQ_REMOVE(&l->exchanges, x, of_client);
	if (x->batch != NULL) {
		batch_add(x->batch, buf_view(&x->id), a);
		batch_answered(l, x->batch);
		return;
	}
	if (l->dead) {
		result_free(a->result);
		return;
	}
	if (a->result != NULL) {
		out_source(&l->out, (struct out_source){ result_fill, result_release, a->result }, false);
		out_bytes(&l->out, SPAN("\n"));
	} else {
		out_bytes(&l->out, a->before);
		if (a->blob != NULL)
			out_blob(&l->out, a->blob);
		out_bytes(&l->out, a->after);
		out_bytes(&l->out, SPAN("\n"));
	}
	after_write(l, out_flush(&l->out, l->fd));
}

static bool
line_can_notify(const struct exchange *x)
{
	const struct local *l = x->client;

	return !l->dead && out_pending(&l->out) < LOCAL_AHEAD_MAX;
}

static bool
line_notify(struct exchange *x, struct span message)
{
	struct local *l = x->client;

	send_line(l, message);
	return !l->dead;
}

static void
line_cut(struct exchange *x)
{
	local_client_drop(x->client);
}

static struct subscriber *
line_subscriber(struct exchange *x)
{
	return subscriber_of(x->client);
}

static void
line_withdraw(struct exchange *x)
{
	struct local *l = x->client;

	TAILQ_REMOVE(&l->exchanges, x, of_client);
	if (x->batch != NULL)
		batch_answered(l, x->batch);
}

static void
line_remember(struct exchange *x)
{
	struct local *l = x->client;

	l->revision = x->revision;
	l->can = x->accepts.can;
	l->notices = x->accepts.notices;
	free(l->name);
	l->name = mem_text(audit_client(x));
}

static const struct transport line_transport = {
	.sessions = false, .surface = AUDIT_SURFACE_STDIO, .answer = line_answer, .notify = line_notify,
	.can_notify = line_can_notify, .withdraw = line_withdraw, .cut = line_cut,
	.subscriber = line_subscriber, .remember = line_remember,
};

static void
send_error(struct local *l, const struct mp_value *id, int code, const char *message)
{
	struct buf text = { .max = 0 }, line = { .max = 0 };

	if (id != NULL)
		rpc_put_id(&text, id);
	rpc_put_error(&line, buf_view(&text), code, message, SPAN_NONE);
	send_line(l, buf_view(&line));
	buf_fini(&text);
	buf_fini(&line);
}

static enum gate
note_refusal(struct passage *p, const struct gate_refusal *r)
{
	struct local *l = p->credential.arg;

	metering_log_refusal(l->front, "refused a local client: %s", r->message);
	l->refusal = *r;
	return GATE_REFUSED;
}

static void local_told(void *arg, const struct verdict *verdict);

/* A client without a token passes as the user who owns the socket.  A token is checked again for every message. */
static enum gate
local_pass(struct local *l, const struct verdict *known)
{
	struct passage p = {
		.front = l->front, .refuse = note_refusal,
		.credential = { .secret = buf_view(&l->token), .wait = &l->waiting, .told = local_told, .arg = l },
	};
	enum gate gate = l->token.len == 0 ? GATE_PASS : gateway_message(&p, known);

	if (gate == GATE_PASS && l->token.len > 0)
		l->who = p.verdict.who;
	if (gate == GATE_WAITS)
		throttle(l);
	return gate;
}

/* Answer a request of a client whose credential is not valid; the conversation is over. */
static void
refuse_request(struct local *l, struct exchange *x)
{
	struct buf data = { .max = 0 };

	audit_begin(x, AUDIT_ACTION_AUTH, NULL);
	audit_code(x, l->refusal.code);
	json_put_object(&data, NULL);
	json_put_cstr(&data, "code", err_name(l->refusal.code));
	json_end_object(&data);
	l->closing = l->refusal.code != ERR_SERVICE_UNAVAILABLE;
	mcp_error(x, err_http(l->refusal.code), mcp_is_modern(x) ? RPC_FORBIDDEN_MODERN : RPC_FORBIDDEN_LEGACY,
	    l->refusal.message, buf_view(&data));
	buf_fini(&data);
}

/* Take from carrel/hello who the client is: it gives a token, or says that it is the owner's command line. */
static void
read_greeting(struct local *l, const struct mp_value *params)
{
	struct mp_value token;
	char id[64];

	if (mp_get(params, "token", &token)) {
		/* A credential that is empty or not a string counts as wrong. */
		struct span given = token.class == MP_STR && token.s.len > 0 ? token.s : SPAN("?");

		buf_reserve(&l->token, given.len);
		buf_span(&l->token, given);
	} else if (span_is_str(mp_get_str(params, "client", SPAN_NONE), "cli")) {
		snprintf(id, sizeof(id), "cli:%u", l->front->access.owner_uid);
		l->who = principal_of(l->front, PRINCIPAL_CLI, id, POLICY_SCOPES_OPEN | POLICY_SCOPE_LOCAL);
	}
}

static void
answer_greeting(struct local *l, struct exchange *x)
{
	struct buf out = { .max = 0 };

	json_put_cstr(&out, "server", "carrel");
	json_put_cstr(&out, "version", CARREL_VERSION);
	json_put_cstr(&out, "principal", l->who->id);
	mcp_answer(x, buf_view(&out));
	buf_fini(&out);
}

static void
forget_hello(struct exchange *x)
{
	struct local *l = x->waiting.of;

	l->hello = NULL;
}

static void
handle_hello(struct local *l, struct exchange *x, const struct mp_value *params)
{
	if (l->spoken) {
		mcp_error(x, 200, RPC_INVALID_REQUEST, "carrel/hello must come first", SPAN_NONE);
		return;
	}
	read_greeting(l, params);
	switch (local_pass(l, NULL)) {
	case GATE_PASS:
		answer_greeting(l, x);
		break;
	case GATE_REFUSED:
		refuse_request(l, x);
		break;
	case GATE_WAITS:
		l->hello = x;
		exchange_wait(x, forget_hello, l);
		break;
	}
}

static void
handle_status(struct local *l, struct exchange *x, const struct mp_value *params)
{
	(void)params;
	status_ask(l->front, x);
}

static void
handle_clear_quarantine(struct local *l, struct exchange *x, const struct mp_value *params)
{
	struct buf out = { .max = 0 };

	(void)params;
	json_put_uint(&out, "cleared", router_clear_quarantine(l->front->router));
	mcp_answer(x, buf_view(&out));
	buf_fini(&out);
}

/* True when the method is one of carrel's own. */
static bool
administer(struct local *l, struct exchange *x, const struct rpc *rpc)
{
	static const struct {
		const char *name;
		bool administration; /* only for the project's own command line */
		void (*handle)(struct local *l, struct exchange *x, const struct mp_value *params);
	} rows[] = {
		{ "carrel/hello", false, handle_hello },
		{ "carrel/status", true, handle_status },
		{ "carrel/clear-quarantine", true, handle_clear_quarantine },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!span_is_str(rpc->method, rows[i].name))
			continue;
		if (rows[i].administration && (x->scopes & POLICY_SCOPE_LOCAL) == 0)
			mcp_forbidden(x, POLICY_SCOPE_LOCAL);
		else
			rows[i].handle(l, x, &rpc->params);
		return true;
	}
	return false;
}

static struct exchange *
new_exchange(struct local *l, enum mcp_revision revision, const struct mp_value *id)
{
	struct exchange *x = exchange_new(l->front, &line_transport, l, l->who, revision, id);

	TAILQ_INSERT_TAIL(&l->exchanges, x, of_client);
	x->accepts.can = l->can;
	x->accepts.notices = l->notices;
	x->earlier = l->name;
	return x;
}

static void
serve_request(struct local *l, const struct rpc *rpc)
{
	struct mcp_refusal refusal = { .code = 0 };
	struct span version;
	bool modern = mcp_has_claim(&rpc->meta);
	struct exchange *x = new_exchange(l, modern ? MCP_2026_07_28 : l->revision, &rpc->id);

	if (l->refusal.code != ERR_NONE) {
		refuse_request(l, x);
		return;
	}
	if (administer(l, x, rpc))
		return;
	if (modern && mcp_check_meta(&rpc->meta, &version, &refusal) && mcp_check_version(version, &refusal))
		exchange_accept(x, &rpc->meta);
	if (refusal.code != 0)
		mcp_error(x, 400, refusal.code, refusal.message, buf_view(&refusal.data));
	else if (!mcp_dispatch(x, rpc->method, &rpc->params))
		mcp_error(x, 404, RPC_METHOD_NOT_FOUND, "there is no such method", SPAN_NONE);
	buf_fini(&refusal.data);
}

/* A notification: gets no answer. */
static void
take_notice(struct local *l, const struct rpc *rpc, const struct mp_value *message)
{
	struct exchange *x;

	if (rpc->kind == RPC_RESPONSE)
		elicit_answered(l->front, l, NULL, message);
	else if (span_is_str(rpc->method, "notifications/initialized"))
		subscriber_of(l);
	else if (span_is_str(rpc->method, "notifications/cancelled") &&
	    (x = exchange_find(l->front, l, NULL, &rpc->params)) != NULL)
		exchange_withdraw(x);
}

static void
serve_batched(struct local *l, struct batch *b, const struct mp_value *message)
{
	struct exchange *x;
	struct rpc rpc;

	rpc_read(message, &rpc);
	if (rpc.kind == RPC_NOTIFICATION || rpc.kind == RPC_RESPONSE) {
		if (l->refusal.code == ERR_NONE)
			take_notice(l, &rpc, message);
		return;
	}
	x = new_exchange(l, l->revision, &rpc.id);
	x->batch = b;
	b->owed++;
	if (l->refusal.code != ERR_NONE)
		refuse_request(l, x);
	else if (rpc.kind == RPC_INVALID)
		mcp_error(x, 400, RPC_INVALID_REQUEST, rpc.problem, SPAN_NONE);
	else if (span_is_str(rpc.method, "initialize"))
		mcp_error(x, 400, RPC_INVALID_REQUEST, "initialize must not be part of a batch", SPAN_NONE);
	else if (!mcp_dispatch(x, rpc.method, &rpc.params))
		mcp_error(x, 404, RPC_METHOD_NOT_FOUND, "there is no such method", SPAN_NONE);
}

static void
serve_batch(struct local *l, const struct mp_value *messages)
{
	const char *problem = batch_problem(messages, l->revision);
	struct mp_iter it = mp_iter(messages);
	struct mp_value message;
	struct batch *b;

	if (problem != NULL) {
		send_error(l, NULL, RPC_INVALID_REQUEST, problem);
		return;
	}
	b = batch_new();
	while (!l->dead && mp_next(&it, &message))
		serve_batched(l, b, &message);
	batch_answered(l, b);
}

static void
serve_message(struct local *l, const struct mp_value *message)
{
	struct rpc rpc;

	if (message->class == MP_ARRAY) {
		serve_batch(l, message);
		return;
	}
	rpc_read(message, &rpc);
	if (rpc.kind == RPC_REQUEST) {
		serve_request(l, &rpc);
		l->spoken = true;
	} else if (rpc.kind == RPC_INVALID)
		send_error(l, &rpc.id, RPC_INVALID_REQUEST, rpc.problem);
	else if (l->refusal.code == ERR_NONE)
		take_notice(l, &rpc, message);
}

static void
serve_line(struct local *l, struct span line)
{
	struct buf parsed = { .max = 0 };
	struct mp_value message;
	enum json_fault fault;
	size_t at;

	fault = json_read(line, &parsed, &at);
	if (fault != JSON_OK || !mp_value(buf_view(&parsed), &message))
		send_error(l, NULL, rpc_code_of_fault(fault), json_fault_text(fault));
	else
		serve_message(l, &message);
	buf_fini(&parsed);
}

static bool
is_blank(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\r')
			return false;
	return true;
}

static void
refuse_long_line(struct local *l)
{
	send_error(l, NULL, RPC_INVALID_REQUEST, "the line is longer than limits.body_bytes allows");
	l->closing = true;
}

/* Whether the next message can be served or refused now; false: it waits for a verdict. */
static bool
may_serve(struct local *l)
{
	if (l->waiting != NULL)
		return false;
	if (l->admitted) {
		l->admitted = false;
		return true;
	}
	if (l->refusal.code == ERR_SERVICE_UNAVAILABLE)
		l->refusal.code = ERR_NONE; /* the check failed for the previous message only; ask again */
	return l->refusal.code != ERR_NONE || local_pass(l, NULL) != GATE_WAITS;
}

static void
serve_lines(struct local *l)
{
	size_t begin = 0;
	uint8_t *lf;

	while (!l->dead && !l->closing && l->scanned < l->in.len &&
	    (lf = memchr(l->in.p + l->scanned, '\n', l->in.len - l->scanned)) != NULL) {
		struct span line = span_of(l->in.p + begin, (size_t)(lf - l->in.p) - begin);

		if (line.len > l->front->conf.body_max)
			refuse_long_line(l);
		else if (!is_blank(line) && !may_serve(l))
			break;
		else if (!is_blank(line))
			serve_line(l, line);
		begin = l->scanned = (size_t)(lf - l->in.p) + 1;
	}
	buf_consume(&l->in, begin);
	l->scanned = l->waiting != NULL ? 0 : l->in.len;
	if (l->in.len == 0)
		buf_reset(&l->in, 4096);
	if (!l->closing && l->waiting == NULL && l->in.len > l->front->conf.body_max)
		refuse_long_line(l);
}

static void
local_told(void *arg, const struct verdict *verdict)
{
	struct local *l = arg;
	struct exchange *x = l->hello;
	enum gate gate;

	l->waiting = NULL;
	gate = local_pass(l, verdict);
	if (x == NULL)
		l->admitted = true; /* let in, or refused with l->refusal */
	else {
		l->hello = NULL;
		exchange_end_wait(x);
		if (gate == GATE_PASS)
			answer_greeting(l, x);
		else
			refuse_request(l, x);
	}
	if (l->dead)
		return;
	throttle(l);
	serve_lines(l);
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct local *l = arg;
	uint8_t *p = buf_reserve(&l->in, READ_BLOCK);
	ssize_t n = read(fd, p, READ_BLOCK);

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		local_client_drop(l); /* the client has left */
		return;
	}
	l->in.len += (size_t)n;
	serve_lines(l);
}

struct locals *
locals_new(struct front *f)
{
	struct locals *ls = mem_new(1, sizeof(*ls));

	ls->front = f;
	TAILQ_INIT(&ls->all);
	return ls;
}

void
locals_add(struct locals *ls, int fd, uint32_t uid)
{
	struct local *l;
	char id[64];

	if (ls->n >= LOCAL_MAX) {
		close(fd);
		return;
	}
	l = mem_new(1, sizeof(*l));
	evutil_make_socket_nonblocking(fd);
	snprintf(id, sizeof(id), "local:%u", uid);
	l->front = ls->front;
	l->fd = fd;
	l->who = principal_of(ls->front, PRINCIPAL_LOCAL, id, POLICY_SCOPES_OPEN);
	l->revision = MCP_LATEST_LEGACY;
	TAILQ_INIT(&l->exchanges);
	TAILQ_INSERT_TAIL(&ls->all, l, all);
	ls->n++;
	event_assign(&l->readable, ls->front->base, fd, EV_READ | EV_PERSIST, on_readable, l);
	event_assign(&l->writable, ls->front->base, fd, EV_WRITE | EV_PERSIST, on_writable, l);
	l->reading = true;
	event_add(&l->readable, NULL);
}

static void
local_free(struct locals *ls, struct local *l)
{
	TAILQ_REMOVE(&ls->all, l, all);
	ls->n--;
	out_fini(&l->out);
	buf_wipe(&l->token);
	buf_fini(&l->in);
	close(l->fd);
	free(l->name);
	free(l);
}

bool
locals_turn(struct locals *ls)
{
	struct local *l, *next;

	if (!ls->burying)
		return false;
	ls->burying = false;
	for (l = TAILQ_FIRST(&ls->all); l != NULL; l = next) {
		next = TAILQ_NEXT(l, all);
		if (l->dead)
			local_free(ls, l);
	}
	if (ls->front->conf.private && ls->n == 0)
		ls->front->stop.begun = true; /* a private front ends with its client */
	return true;
}

unsigned
locals_count(const struct locals *ls)
{
	return ls->n;
}

void
locals_close_idle(struct locals *ls)
{
	struct local *l;

	TAILQ_FOREACH(l, &ls->all, all)
		if (TAILQ_EMPTY(&l->exchanges) && out_is_empty(&l->out))
			local_client_drop(l);
}

void
locals_free(struct locals *ls)
{
	struct local *l;

	if (ls == NULL)
		return;
	while ((l = TAILQ_FIRST(&ls->all)) != NULL) {
		local_client_drop(l);
		local_free(ls, l);
	}
	free(ls);
}
