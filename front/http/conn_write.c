/* conn_write.c - see conn.h: writing responses. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>

#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/json/json_put.h"
#include "front/http/caller.h"
#include "front/http/conn.h"
#include "front/http/conn_write.h"
#include "front/calls/metering.h"

#define EVENT_LINE_MAX	128	/* bytes of an event's lines before its data */
#define SMALL_BODY	7168u	/* bytes for which the buffer of a result does not grow */

static const char json_type[] = "application/json";

/* The response is sent: go on to the next request, or close. */
static void
response_ended(struct conn *c)
{
	c->mode = MODE_SINGLE;
	c->cors = NULL;
	c->place = NULL;
	c->rest = false;
	c->receipt[0] = '\0';
	c->quota = (struct http_quota){ 0 };
	caller_end(c);
	if (c->close && c->unread && !c->eof) {
		c->state = CONN_LINGER;
		shutdown(c->fd, SHUT_WR);
		conn_timer(c, TIMER_LINGER);
		return;
	}
	if (c->close || c->eof || c->front->stop.begun) {
		conn_drop(c);
		return;
	}
	c->state = CONN_HEAD;
	conn_settle(c);
	conn_timer(c, TIMER_IDLE);
	if (c->in.len > 0)
		conn_chore(c);
}

static void
after_write(struct conn *c, enum out_status status)
{
	if (status == OUT_DEAD) {
		conn_drop(c);
		return;
	}
	if (c->mode == MODE_FILE && c->state == CONN_SERVING)
		c->user->drained(c);
	if (status == OUT_MORE) {
		if (!c->write_armed)
			event_add(&c->writable, NULL);
		c->write_armed = true;
		if (c->timer != TIMER_WRITE) {
			c->taken = 0;
			conn_timer(c, TIMER_WRITE);
		}
		return;
	}
	if (c->write_armed)
		event_del(&c->writable);
	c->write_armed = false;
	if (c->state == CONN_FLUSHING)
		response_ended(c);
	else if (c->state == CONN_SERVING && c->mode == MODE_STREAM)
		conn_timer(c, TIMER_COMMENT);
	else if (c->state == CONN_SERVING)
		conn_timer(c, TIMER_NONE);
}

void
conn_flush(struct conn *c)
{
	size_t before = out_pending(&c->out);
	enum out_status status;

	if (c->dead)
		return;
	status = out_flush(&c->out, c->fd);
	c->taken += before - out_pending(&c->out); /* a file has no source, from which more would come */
	if (c->mode == MODE_FILE && c->timer == TIMER_WRITE && c->taken >= CONN_FILE_PACE)
		conn_timer(c, TIMER_NONE);
	after_write(c, status);
}

void
conn_on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;

	(void)fd, (void)what;
	if (c->mode != MODE_FILE)
		conn_timer(c, TIMER_NONE); /* the client read something: restart the deadline */
	conn_flush(c);
}

/* Queue one piece of a stream, as one chunk when the client speaks HTTP/1.1. */
static void
put_piece(struct conn *c, struct span opening, struct span before, struct blob *blob, struct span after,
    struct span ending)
{
	size_t n = opening.len + before.len + (blob == NULL ? 0 : blob->len) + after.len + ending.len;
	char size[20];

	if (c->minor > 0)
		out_bytes(&c->out, span_of(size, (size_t)snprintf(size, sizeof(size), "%zx\r\n", n)));
	out_bytes(&c->out, opening);
	out_bytes(&c->out, before);
	if (blob != NULL)
		out_blob(&c->out, blob);
	out_bytes(&c->out, after);
	out_bytes(&c->out, ending);
	if (c->minor > 0)
		out_bytes(&c->out, SPAN("\r\n"));
}

static void
complete_reply(const struct conn *c, struct http_reply *r)
{
	r->close = c->close;
	r->keep = c->keep && !c->close;
	r->cors_origin = span_str(c->cors);
	r->secure = c->front->access.secure;
	r->quota = c->quota;
	if (c->receipt[0] == '\0')
		return;
	r->receipt = c->receipt;
	r->no_store = true;
}

static enum http_body
framing_of(struct conn *c)
{
	if (c->minor > 0)
		return HTTP_BODY_CHUNKED;
	c->close = true;
	return HTTP_BODY_TO_CLOSE;
}

static void
put_head(struct buf *out, struct conn *c, struct http_reply *r)
{
	complete_reply(c, r);
	http_put_head(out, r, &c->front->date, clock_unix_ms() / 1000);
}

void
conn_reply(struct conn *c, struct http_reply *r, struct span body)
{
	struct buf whole = { .max = 0 };

	if (c->dead)
		return;
	r->body = body.len > 0 || r->status != 204 ? HTTP_BODY_LENGTH : HTTP_BODY_NONE;
	r->length = body.len;
	if (c->front->stop.begun)
		c->close = true;
	/* Tokens are sent so: all of it in one place, and wiped there. */
	(void)buf_reserve(&whole, 2 * HTTP_HEAD_ROOM + body.len);
	put_head(&whole, c, r);
	if (!c->head_only)
		buf_span(&whole, body);
	c->state = CONN_FLUSHING;
	after_write(c, out_send(&c->out, c->fd, buf_view(&whole), NULL, SPAN_NONE));
	buf_wipe(&whole);
}

/* The reason of a refusal: the error code's name, else the status's name. */
static enum err_code
code_of(int status, enum err_code refusal)
{
	if (refusal != ERR_NONE)
		return refusal;
	return status == 401 ? ERR_AUTH_INVALID :
	    status == 429    ? ERR_RATE_LIMITED :
	    status == 503    ? ERR_BUSY :
	    status == 500    ? ERR_INTERNAL :
			       ERR_NONE;
}

static void
put_code(struct buf *out, int status, enum err_code refusal)
{
	if (code_of(status, refusal) != ERR_NONE) {
		buf_str(out, err_name(code_of(status, refusal)));
		return;
	}
	for (const char *p = http_reason(status); *p != '\0'; p++)
		buf_byte(out, *p == ' ' ? '_' : (uint8_t)(*p | 0x20));
}

/* Append the error: in OAuth clients' form for 401, in that of REST at paths of REST and of the page. */
static void
put_refusal(const struct conn *c, struct buf *body, int status, enum err_code refusal, const char *message)
{
	bool flat = status == 401 && !c->rest;
	struct buf code = { 0 };

	put_code(&code, status, refusal);
	json_put_object(body, NULL);
	if (flat)
		json_put_cstr(body, "error", "unauthorized");
	else
		json_put_object(body, "error");
	json_put_str(body, "code", buf_view(&code));
	json_put_cstr(body, "message", message);
	if (c->rest) {
		json_put_object(body, "details");
		json_end_object(body);
	}
	if (!flat)
		json_end_object(body);
	if (c->rest)
		json_put_cstr(body, "request_id", c->receipt);
	json_end_object(body);
	buf_fini(&code);
}

void
conn_refuse(struct conn *c, int status, const char *message, struct http_reply *extra)
{
	struct http_reply plain = { .status = status }, *r = extra != NULL ? extra : &plain;
	struct buf body = { .max = 0 }, code = { .max = 0 };

	metering_refusal(c->front, code_of(status, r->refusal));
	r->status = status;
	r->type = json_type;
	put_refusal(c, &body, status, r->refusal, message);
	put_code(&code, status, r->refusal);
	if (!c->user->refused(c, r, buf_view(&code), buf_view(&body)))
		conn_reply(c, r, buf_view(&body));
	buf_fini(&body);
	buf_fini(&code);
}

void
conn_stream_begin(struct conn *c)
{
	struct buf head = { .max = 0 };
	struct http_reply r = {
		.status = 200, .body = framing_of(c), .type = "text/event-stream", .stream = true
	};

	put_head(&head, c, &r);
	out_bytes(&c->out, buf_view(&head));
	buf_fini(&head);
	c->mode = MODE_STREAM;
	c->state = CONN_SERVING;
}

void
conn_array_begin(struct conn *c)
{
	struct buf head = { .max = 0 };
	struct http_reply r = { .status = 200, .body = framing_of(c), .type = json_type };

	put_head(&head, c, &r);
	out_bytes(&c->out, buf_view(&head));
	buf_fini(&head);
	c->mode = MODE_ARRAY;
	c->state = CONN_SERVING;
	c->first = true;
}

void
conn_file_begin(struct conn *c, struct http_reply *r)
{
	struct buf head = { .max = 0 };
	int unsent = CONN_FILE_PACE;

	r->status = 200;
	r->body = HTTP_BODY_CHUNKED;
	put_head(&head, c, r);
	out_bytes(&c->out, buf_view(&head));
	buf_fini(&head);
	c->mode = MODE_FILE;
	/* The kernel keeps no more of it than we do, and says at once that the client has read some. */
	if (setsockopt(c->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent)) != 0)
		log_debug("the kernel holds more of a file than is meant");
	c->state = c->head_only ? CONN_FLUSHING : CONN_SERVING;
}

void
conn_file_end(struct conn *c, struct span trailers)
{
	out_bytes(&c->out, SPAN("0\r\n"));
	out_bytes(&c->out, trailers);
	out_bytes(&c->out, SPAN("\r\n"));
	c->state = CONN_FLUSHING;
}

void
conn_stream_end(struct conn *c)
{
	if (c->dead)
		return;
	if (c->mode == MODE_ARRAY)
		put_piece(c, SPAN_NONE, c->first ? SPAN("[]") : SPAN("]"), NULL, SPAN_NONE, SPAN_NONE);
	if (c->minor > 0)
		out_bytes(&c->out, SPAN("0\r\n\r\n"));
	c->state = CONN_FLUSHING;
}

void
conn_stream_raw(struct conn *c, struct span event)
{
	put_piece(c, event, SPAN_NONE, NULL, SPAN_NONE, SPAN_NONE);
}

void
conn_comment(struct conn *c)
{
	conn_stream_raw(c, SPAN(":\n\n"));
	conn_flush(c);
}

/* The bytes before a message and after the message.  line is room for the first. */
static void
brackets(struct conn *c, struct span fields, char line[EVENT_LINE_MAX], struct span *opening, struct span *ending)
{
	if (c->mode == MODE_ARRAY) {
		*opening = c->first ? SPAN("[") : SPAN(",");
		*ending = SPAN_NONE;
		c->first = false;
		return;
	}
	/* One "data:" line is enough: the JSON holds no line breaks. */
	*opening = span_of(line, (size_t)snprintf(line, EVENT_LINE_MAX, "%.*sdata: ", SPAN_FMT(fields)));
	*ending = SPAN("\n\n");
}

void
conn_stream_put_source(struct conn *c, struct span fields, struct out_source source)
{
	char line[EVENT_LINE_MAX];
	struct span opening, ending;

	brackets(c, fields, line, &opening, &ending);
	put_piece(c, opening, SPAN_NONE, NULL, SPAN_NONE, SPAN_NONE);
	out_source(&c->out, source, c->minor > 0);
	if (ending.len > 0)
		put_piece(c, ending, SPAN_NONE, NULL, SPAN_NONE, SPAN_NONE);
}

void
conn_stream_put(struct conn *c, struct span fields, const struct mcp_answer *a)
{
	char line[EVENT_LINE_MAX];
	struct span opening, ending;

	if (a->result != NULL) {
		conn_stream_put_source(c, fields, (struct out_source){ result_fill, result_release, a->result });
		return;
	}
	brackets(c, fields, line, &opening, &ending);
	put_piece(c, opening, a->before, a->blob, a->after, ending);
}

/*
 * A result that fits one block is written at once, with its length.  A larger result is written in
 * chunks, block by block, as the client reads.
 */
static enum out_status
send_result(struct conn *c, struct http_reply *r, struct tool_result *result)
{
	struct buf block = { .max = 0 }, head = { .max = 0 };
	struct span whole;
	enum out_status status;
	char size[20];
	bool more, secret = result_is_secret(result);

	buf_reserve(&block, HTTP_HEAD_ROOM + SMALL_BODY); /* room for the head directly before the body */
	block.len = HTTP_HEAD_ROOM;
	if (secret)
		buf_reserve(&block, OUT_BLOCK); /* all of it in one place */
	more = result_fill(result, &block);
	r->body = more ? framing_of(c) : HTTP_BODY_LENGTH;
	r->length = block.len - HTTP_HEAD_ROOM;
	put_head(&head, c, r);
	if (c->head_only) {
		more = false;
		block.len = HTTP_HEAD_ROOM;
	}
	if (more && c->minor > 0) {
		buf_append(&head, size, (size_t)snprintf(size, sizeof(size), "%zx\r\n", r->length));
		buf_append(&block, "\r\n", 2);
	}
	whole = span_of(block.p + HTTP_HEAD_ROOM - head.len, block.len - HTTP_HEAD_ROOM + head.len);
	memcpy(block.p + HTTP_HEAD_ROOM - head.len, head.p, head.len);
	if (more) {
		out_bytes(&c->out, whole);
		out_source(&c->out, (struct out_source){ result_fill, result_release, result }, c->minor > 0);
		if (c->minor > 0)
			out_bytes(&c->out, SPAN("0\r\n\r\n"));
		status = out_flush(&c->out, c->fd);
	} else {
		result_free(result);
		status = out_send(&c->out, c->fd, whole, NULL, SPAN_NONE);
	}
	buf_fini(&head);
	if (secret)
		buf_wipe(&block);
	buf_fini(&block);
	return status;
}

void
conn_answer(struct conn *c, const struct mcp_answer *a)
{
	struct buf front = { .max = 0 };
	struct http_reply r = {
		.status = a->status, .body = HTTP_BODY_LENGTH, .type = json_type,
		.session = a->session, .challenge = a->challenge, .retry_after = a->retry_after,
		.length = a->before.len + (a->blob == NULL ? 0 : a->blob->len) + a->after.len,
	};

	if (c->front->stop.begun)
		c->close = true;
	c->state = CONN_FLUSHING;
	if (a->result != NULL) {
		after_write(c, send_result(c, &r, a->result));
		return;
	}
	put_head(&front, c, &r);
	if (c->head_only) {
		after_write(c, out_send(&c->out, c->fd, buf_view(&front), NULL, SPAN_NONE));
		buf_fini(&front);
		return;
	}
	buf_span(&front, a->before);
	if (a->blob == NULL)
		buf_span(&front, a->after);
	after_write(c, out_send(&c->out, c->fd, buf_view(&front), a->blob, a->blob == NULL ? SPAN_NONE : a->after));
	buf_fini(&front);
}
