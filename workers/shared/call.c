#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/utf8.h"
#include "workers/shared/runtime.h"
#include "workers/shared/serve.h"
#include "workers/shared/call.h"

#define LEFT_OUT_MAX	24u	/* " +" and a number */

struct arena *
call_arena(struct call *c)
{
	return c->arena;
}

void *
call_state(struct call *c)
{
	return c->rt->state;
}

struct span
call_principal(const struct call *c)
{
	return c->from->msg.principal;
}

struct span
call_tool(const struct call *c)
{
	return c->from->msg.tool;
}

struct span
call_connection(const struct call *c)
{
	return c->from->msg.connection;
}

struct span
call_proof(const struct call *c)
{
	return c->from->msg.proof;
}

void
call_keep(struct call *c, struct buf *out)
{
	c->keep = out;
}

uint32_t
call_scopes(const struct call *c)
{
	return (uint32_t)c->from->msg.scopes;
}

struct span
call_request(const struct call *c)
{
	return c->from->msg.request_id;
}

uint64_t
call_deadline(const struct call *c)
{
	return c->from->msg.deadline_ns;
}

uint64_t
call_export_rows(const struct call *c)
{
	return c->from->msg.export_rows;
}

bool
call_export_parquet(const struct call *c)
{
	return c->from->msg.export_parquet != 0;
}

struct span
call_claims(const struct call *c)
{
	return c->from->msg.claims;
}

bool
call_is_inner(const struct call *c)
{
	return c->from->msg.asker != 0;
}

struct span
call_ticket(const struct call *c)
{
	return c->from->msg.ticket;
}

unsigned
call_can(const struct call *c)
{
	return (unsigned)c->from->msg.can;
}

struct span
call_asked_state(const struct call *c)
{
	return c->from->msg.state;
}

bool
call_asked_answer(const struct call *c, const char *key, struct mp_value *result)
{
	struct mp_value answers;

	return mp_value(c->from->msg.answers, &answers) && mp_get(&answers, key, result) && result->class == MP_MAP;
}

struct buf *
call_details(struct call *c)
{
	return &c->details;
}

bool
call_poll(struct call *c, struct err *err)
{
	uint64_t now = clock_ns();

	if (now - c->looked_ns >= SERVE_LOOK_NS) {
		c->looked_ns = now;
		serve_flush(c->rt);
		serve_pump(c->rt, 0, -1, 0);
	}
	return serve_may_go_on(c, now, err);
}

bool
call_wait_until(struct call *c, int fd, short events, uint64_t until, bool *ready, struct err *err)
{
	uint64_t now = clock_ns();

	*ready = false;
	if (!serve_may_go_on(c, now, err))
		return false;
	if (c->co == NULL && c->from->tool->waits && serve_another(c->rt))
		return true;
	if (c->co == NULL && (c->rt->holding = serve_holds(c->rt, now)))
		until = until < now + SERVE_LOOK_NS ? until : now + SERVE_LOOK_NS;
	else if (c->co == NULL)
		serve_flush(c->rt);
	if (until > c->from->msg.deadline_ns)
		until = c->from->msg.deadline_ns;
	if (c->rt->draining && until > c->rt->drain_until)
		until = c->rt->drain_until;
	if (until > now && until - now > CONTRACT_READY_MS * CLOCK_MS)
		until = now + CONTRACT_READY_MS * CLOCK_MS;
	if (c->co != NULL) {
		*ready = serve_park(c, fd, events, until);
		return true;
	}
	*ready = serve_pump(c->rt, until <= now ? 0 : (int)((until - now + CLOCK_MS - 1) / CLOCK_MS), fd, events);
	c->rt->holding = false;
	c->looked_ns = now;
	return true;
}

bool
call_wait(struct call *c, int fd, bool write, unsigned timeout_ms, struct err *err)
{
	uint64_t until = clock_ns() + timeout_ms * CLOCK_MS;
	bool ready;

	do
		if (!call_wait_until(c, fd, write ? POLLOUT : POLLIN, until, &ready, err))
			return false;
	while (!ready && clock_ns() < until);
	return serve_may_go_on(c, clock_ns(), err);
}

void
call_progress(struct call *c, unsigned permille, const char *fmt, ...)
{
	struct ipc_progress msg = { .permille = permille };
	char text[512];
	va_list ap;

	if (c->from->msg.progress == 0 || c->finished || c->from->link->dead)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	msg.message = span_of(text, utf8_cut((const uint8_t *)text, strlen(text), sizeof(text) - 1));
	if (channel_send(&c->from->link->ch, IPC_MSG_PROGRESS, c->from->id, &msg) == -1)
		log_warn("%s: a line of progress does not fit its message", c->from->tool->name);
	serve_flush_link(c->rt, c->from->link);
}

int
call_rows(struct call *c, struct span rows, struct err *err)
{
	struct ipc_rows msg = { .rows = rows };
	struct worker_link *l = c->from->link;
	bool ready;

	if (c->credit == 0) /* for which the front has to have those before */
		serve_flush_link(c->rt, l);
	while (c->credit == 0 && !c->finished) {
		if (c->dropped)
			return err_set(err, ERR_QUERY_CANCELLED, "the answer is not wanted any more");
		if (!call_wait_until(c, -1, 0, UINT64_MAX, &ready, err))
			return -1;
	}
	if (!call_poll(c, err))
		return -1;
	if (c->finished)
		return err_set(err, ERR_INTERNAL, "rows after the answer");
	if (channel_send(&l->ch, IPC_MSG_ROWS, c->from->id, &msg) == -1)
		return err_set(err, ERR_RESULT_TOO_LARGE, "one row is larger than the result limit");
	c->credit--;
	c->rows_sent = true;
	if (channel_pending(&l->ch) >= SERVE_FLUSH_BYTES)
		serve_flush_link(c->rt, l);
	return 0;
}

/* Whether the list holds the scan it, n bytes, already. */
static bool
stands_on_it(const struct stands *s, const char *it, size_t n)
{
	const char *at = s->text;

	while (s->len > 0) {
		const char *end = strchr(at, ',');
		size_t len = end != NULL ? (size_t)(end - at) : strlen(at);

		if (len == n && memcmp(at, it, n) == 0)
			return true;
		if (end == NULL)
			return false;
		at = end + 2;
	}
	return false;
}

void
call_stands_on(struct call *c, struct span connection, struct span snapshot)
{
	struct stands *s = &c->stands;
	char it[IPC_SNAPSHOT_MAX + 1];
	size_t bare = connection.len > 0 ? connection.len + 1 : 0, before = s->n > 0 ? 2 : 0;
	int n;

	if (snapshot.len == 0)
		return;
	n = snprintf(it, sizeof(it), "%.*s%s%.*s", SPAN_FMT(connection), bare > 0 ? ":" : "", SPAN_FMT(snapshot));
	if (n < 0 || stands_on_it(s, it, (size_t)n))
		return;
	if ((size_t)n + before + LEFT_OUT_MAX > IPC_SNAPSHOT_MAX - s->len) {
		s->left_out++;
		return;
	}
	memcpy(s->text + s->len, ", ", before);
	memcpy(s->text + s->len + before, it, (size_t)n + 1);
	s->len += before + (size_t)n;
	s->bare = s->n++ == 0 ? bare : s->bare;
}

/* The list as text, with the number of scans that found no room; written into s, which keeps room for the number. */
static struct span
stands_text(struct stands *s)
{
	if (s->left_out > 0)
		s->len += (size_t)snprintf(s->text + s->len, sizeof(s->text) - s->len, "%s+%zu", s->len > 0 ? " " : "",
		    s->left_out);
	s->left_out = 0;
	return s->n == 1 ? span_str(s->text + s->bare) : span_str(s->text);
}

void
call_artifacts(struct call *c, const char *sha256)
{
	snprintf(c->artifacts, sizeof(c->artifacts), "%s", sha256);
}

void
call_exports(struct call *c, uint64_t rows, bool parquet)
{
	c->file_rows = rows < UINT32_MAX ? rows : 0;
	c->file_parquet = parquet;
}

void
call_ran_as(struct call *c, const char *text)
{
	struct ipc_ran_as msg = { .text = span_str(text) };

	if (!c->finished && !c->from->link->dead)
		(void)channel_send(&c->from->link->ch, IPC_MSG_RAN_AS, c->from->id, &msg);
}

static void
send_result(struct call *c, struct ipc_result *msg)
{
	struct err err;

	msg->snapshot = stands_text(&c->stands);
	msg->artifacts = span_str(c->artifacts);
	msg->file_rows = c->file_rows;
	msg->file_parquet = c->file_parquet;
	if (c->own && c->keep != NULL)
		buf_span(c->keep, msg->head);
	if (c->finished || c->from->link->dead) {
		c->finished = true;
		return;
	}
	if (channel_send(&c->from->link->ch, IPC_MSG_RESULT, c->from->id, msg) == 0) {
		c->finished = true;
		return;
	}
	err_set(&err, ERR_INTERNAL, "the result does not fit its message (%zu + %zu + %zu bytes)", msg->head.len,
	    msg->tail.len, msg->content.len);
	serve_fail(c, &err);
}

void
call_result_texts(struct call *c, struct span head, const char *rows_field, struct span tail, struct span texts)
{
	send_result(c, &(struct ipc_result){ .head = head, .rows_field = span_str(rows_field),
	    .tail = tail, .content = SPAN("\x90"), .texts = texts });
}

void
call_result_rows(struct call *c, struct span head, const char *rows_field, struct span tail)
{
	call_result_texts(c, head, rows_field, tail, SPAN_NONE);
}

void
call_result(struct call *c, struct span head)
{
	call_result_rows(c, head, NULL, MP_EMPTY_MAP);
}

void
call_result_content(struct call *c, struct span head, struct span content)
{
	send_result(c, &(struct ipc_result){ .head = head, .tail = MP_EMPTY_MAP,
	    .content = content });
}

void
call_notice(struct call *c, enum ipc_level level, const char *logger, struct span data)
{
	struct ipc_notice msg = { .level = level, .logger = span_str(logger), .data = data };

	if (c->from->msg.notices == 0 || level + 1u < c->from->msg.notices || c->finished || c->from->link->dead)
		return;
	if (channel_send(&c->from->link->ch, IPC_MSG_NOTICE, c->from->id, &msg) == -1)
		log_warn("%s: a line for the client's log does not fit its message", c->from->tool->name);
	serve_flush_link(c->rt, c->from->link);
}

void
call_lasts(struct call *c, bool required)
{
	struct ipc_lasting msg = { .required = required };

	if (c->finished || c->rows_sent || c->from->link->dead)
		return;
	(void)channel_send(&c->from->link->ch, IPC_MSG_LONG, c->from->id, &msg);
	serve_flush_link(c->rt, c->from->link);
}

void
call_ask(struct call *c, struct span requests, struct span state)
{
	struct ipc_ask msg = { .requests = requests, .state = state };
	struct err err;

	if (c->finished || c->from->link->dead) {
		c->finished = true;
		return;
	}
	if (!c->rows_sent && channel_send(&c->from->link->ch, IPC_MSG_ASK, c->from->id, &msg) == 0) {
		c->finished = true;
		return;
	}
	err_set(&err, ERR_INTERNAL, "the questions to the client do not fit their message");
	serve_fail(c, &err);
}

void
call_continue(struct call *c, const char *tool, struct span connection, struct span args, struct span head)
{
	struct ipc_continue_with msg = {
		.tool = span_str(tool), .connection = connection, .args = args, .head = head,
		.snapshot = stands_text(&c->stands),
	};
	struct err err;

	if (c->finished || c->from->link->dead) {
		c->finished = true;
		return;
	}
	if (!c->rows_sent && channel_send(&c->from->link->ch, IPC_MSG_CONTINUE, c->from->id, &msg) == 0) {
		c->finished = true;
		return;
	}
	err_set(&err, ERR_INTERNAL, "the continuation does not fit its message");
	serve_fail(c, &err);
}
