#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/mp.h"
#include "base/system/clock.h"
#include "front/calls/export_link.h"
#include "front/http/conn_write.h"
#include "front/mcp/audit_requests.h"
#include "front/mcp/exchange.h"
#include "front/mcp/mcp_handlers.h"
#include "front/mcp/mcp_http.h"
#include "front/mcp/team_call.h"
#include "front/oauth/oauth_login.h"
#include "front/oauth/oauth_reply.h"
#include "front/rest/rest.h"
#include "front/export/export_file.h"
#include "front/who/credential.h"
#include "front/who/export_offer.h"
#include "front/who/oauth_issuer.h"
#include "front/who/principal.h"
#include "front/who/verify_credential.h"
#include "front/wire/share.h"

#define KEEP	((size_t)64 * 1024)	/* bytes of the buffer of rows that are kept between chunks */
#define NO_LINK	"there is no such export: its link is not whole, or is another's"

/* An export on a connection, from the reading of its link to the last chunk. */
struct export_file {
	struct conn		*conn;
	struct exchange		*x;	/* NULL: not begun yet */
	struct buf		 path, room;	/* path: of the request; link borrows from room */
	struct export_link	 link;
	enum export_format	 format;
	struct export_rows	 rows;
	struct team_call_way	 way;	/* of a team's tool */
	struct buf		 text;	/* what was written of the rows and not handed to the connection */
	unsigned		 owed;	/* chunks that came since credit was given */
	bool			 asked, recorded;	/* its opening is to be, and is, on record */
	bool			 begun;	/* the head was sent */
	bool			 finished;	/* all rows have come */
};

void
export_file_forget(struct conn *c)
{
	struct export_file *e = c->file;

	if (e == NULL)
		return;
	c->file = NULL;
	export_rows_fini(&e->rows);
	buf_fini(&e->path);
	buf_fini(&e->room);
	buf_fini(&e->text);
	free(e);
}

/* More credit for the worker, if the client has read enough. */
static void
export_pace(struct export_file *e)
{
	unsigned owed = e->owed;

	if (!e->begun || e->x == NULL || e->x->stage != EXCHANGE_CALLING || out_pending(&e->conn->out) >= EXPORT_AHEAD)
		return;
	e->owed = 0;
	router_credit(e->x->calling.call, owed);
}

void
export_file_drained(struct conn *c)
{
	if (c->file != NULL)
		export_pace(c->file);
}

/* "export-20260131T120000.csv" */
static void
put_file_name(const struct export_file *e, struct buf *out)
{
	char now[25];

	clock_iso8601(clock_unix_ms(), now);
	buf_str(out, "export-");
	for (const char *p = now; *p != '.'; p++)
		if (*p != '-' && *p != ':')
			buf_byte(out, (uint8_t)*p);
	buf_printf(out, ".%s", export_format_ending(e->format));
}

static void
export_head(struct export_file *e)
{
	struct buf fields = { .max = 0 };

	buf_str(&fields, "Content-Disposition: attachment; filename=\"");
	put_file_name(e, &fields);
	buf_str(&fields, "\"\r\nX-Content-Type-Options: nosniff\r\nAccept-Ranges: none\r\nX-Accel-Buffering: no\r\n");
	if (!e->conn->head_only)
		buf_str(&fields, "Trailer: Carrel-Rows, Carrel-Truncated\r\n");
	conn_file_begin(e->conn,
	    &(struct http_reply){ .type = export_format_type(e->format), .fields = buf_cstr(&fields) });
	buf_fini(&fields);
	e->begun = true;
}

/* Hand what was written of the rows to the connection.  False: that is lost, and e with it. */
static bool
export_send(struct export_file *e)
{
	struct conn *c = e->conn;

	if (!e->recorded)
		return true;
	if (!e->begun)
		export_head(e);
	e->x->audit.note.exported = true;
	e->x->audit.note.rows = e->rows.rows;
	e->x->audit.note.bytes += e->text.len;
	if (e->text.len > 0)
		conn_stream_raw(c, buf_view(&e->text));
	buf_reset(&e->text, KEEP);
	conn_flush(c);
	if (c->dead)
		return false;
	export_pace(e);
	return true;
}

static void
export_finish(struct export_file *e)
{
	exchange_finish(e->x, &(struct mcp_answer){ .status = 200 });
}

static void
export_failed(void *arg, const struct err *err, struct span details)
{
	mcp_call_failed(arg, err, details);
}

/* The entry of its opening is written, or cannot be. */
static void
on_recorded(struct exchange *x, bool written)
{
	struct conn *c = x->client;
	struct export_file *e = c->file;
	struct err err;

	if (!written) {
		if (x->stage == EXCHANGE_CALLING)
			exchange_cancel_call(x);
		err_set(&err, ERR_SERVICE_UNAVAILABLE,
		    "The export could not be put on record, so none is given; try again later, and tell the server's "
		    "owner.");
		export_failed(x, &err, SPAN_NONE);
		return;
	}
	e->recorded = true;
	if (export_send(e) && e->finished)
		export_finish(e);
}

static void
on_rows(void *arg, struct span rows)
{
	struct exchange *x = arg;
	struct conn *c = x->client;
	struct export_file *e = c->file;
	struct err err;

	if (!export_rows_put(&e->rows, rows, &e->text)) {
		exchange_cancel_call(x);
		err_set(&err, ERR_INTERNAL, "the rows of an export have no shape");
		export_failed(x, &err, SPAN_NONE);
		return;
	}
	e->owed++;
	if (!e->asked) {
		e->asked = true;
		e->recorded = audit_opening(x, on_recorded);
	}
	(void)export_send(e);
}

static void
on_finished(void *arg, struct span front, const struct ipc_result *msg)
{
	struct exchange *x = arg;
	struct conn *c = x->client;
	struct export_file *e = c->file;
	struct mp_value tail;

	(void)front;
	(void)exchange_end_call(x); /* it frees itself */
	if (!e->asked) {            /* the names of the columns come before any result */
		struct err err;

		err_set(&err, ERR_INTERNAL, "the rows of an export have no shape");
		export_failed(x, &err, SPAN_NONE);
		return;
	}
	e->finished = true;
	x->audit.note.exported = true;
	x->audit.note.rows = e->rows.rows;
	x->audit.note.cut = mp_value(msg->tail, &tail) && mp_get_bool(&tail, "truncated", false);
	if (e->recorded)
		export_finish(e);
}

static void
on_ran_as(void *arg, struct span text)
{
	audit_ran_as(arg, text);
}

/* No progress is asked for. */
static const struct sink export_sink = {
	.continued = mcp_call_continued, .ran_as = on_ran_as, .rows = on_rows,
	.finished = on_finished, .failed = export_failed,
};

/* The end of the file, an error in its place, or, once it has begun, a connection that breaks off. */
static void
export_answer(struct exchange *x, const struct mcp_answer *a)
{
	struct conn *c = x->client;
	struct export_file *e = c->file;
	struct buf trailers = { .max = 0 };
	bool begun = e->begun, whole = e->finished && a->status == 200;

	TAILQ_REMOVE(&c->exchanges, x, of_client);
	buf_printf(&trailers, "Carrel-Rows: %llu\r\nCarrel-Truncated: %s\r\n", (unsigned long long)e->rows.rows,
	    x->audit.note.cut ? "true" : "false");
	export_file_forget(c);
	if (!c->dead && !begun) {
		c->quota = x->admission.quota;
		conn_answer(c, a);
	} else if (!c->dead && whole) {
		conn_file_end(c, buf_view(&trailers));
		conn_flush(c);
	} else
		conn_drop(c);
	buf_fini(&trailers);
}

static const struct transport export_transport = {
	.surface = AUDIT_SURFACE_REST, .address = http_address,
	.answer = export_answer, .notify = rest_notify, .can_notify = rest_can_notify, .cut = rest_cut,
	.failure = rest_failure,
};

static bool
export_find(struct exchange *x, const struct mp_value *params)
{
	static const struct held busy = {
		.code = ERR_BUSY,
		.retry_after = 5,
		.message =
		    "You have, or the server is sending, as many exports as it can at one time; try again when one "
		    "of them has ended.",
	};
	const struct exchange *other;
	struct err err;
	unsigned own = 0, n = 0;

	LIST_FOREACH(other, &x->front->running, running)
		if (other != x && other->transport == &export_transport) {
			n++;
			own += strcmp(other->who->id, x->who->id) == 0;
		}
	if (!share_allows(own, n, 1, EXPORTS_MAX)) {
		rest_hold(x, &busy);
		return false;
	}
	x->target.tool = tools_called(x->front->tools, mp_get_str(params, "name", SPAN_NONE), x->scopes);
	if (x->target.tool != NULL && export_link_is_for(x->target.tool))
		return true;
	err_set(&err, ERR_SERVICE_UNAVAILABLE, "The tool that this export is of is not available at the moment.");
	rest_failure(x, &err, SPAN_NONE);
	return false;
}

/* The call of the tool itself is an export's; queries for values of its parameters before it are not. */
static void
make_export(const struct exchange *x, struct call_request *q)
{
	const struct conn *c = x->client;

	if (q->sink != &export_sink)
		return;
	q->msg.export_rows = x->front->conf.export_rows;
	q->msg.export_parquet = c->file->format == EXPORT_PARQUET;
	q->msg.deadline_ns = clock_ns() + x->front->conf.export_ms * CLOCK_MS;
}

static void
start_export(struct exchange *x, const struct mp_value *params, struct call_request *q)
{
	make_export(x, q);
	mcp_start_call(x, params, q);
}

static bool
export_arguments(struct exchange *x, const struct mp_value *params, struct call_request *q)
{
	if (!mcp_call_arguments(x, params, q))
		return false;
	if (!tool_is_team(x->target.tool))
		q->sink = &export_sink;
	make_export(x, q);
	return true;
}

static bool
export_team(struct exchange *x, const struct mp_value *args, const struct team_call_way *way, struct call_request *q)
{
	struct conn *c = x->client;
	struct export_file *e = c->file;

	e->way = (struct team_call_way){ .sink = &export_sink, .start = start_export, .refuse = way->refuse };
	return team_call_arguments(x, args, &e->way, q);
}

static const struct call_kind export_call = {
	.find = export_find, .deny = rest_deny, .hold = rest_hold, .arguments = export_arguments,
	.team = export_team, .failed = export_failed,
};

/* Its owner asks. */
static void
export_begin(struct export_file *e, struct principal *who)
{
	struct conn *c = e->conn;
	struct mp_value params;

	e->rows.format = e->format;
	if (c->head_only) {
		export_head(e);
		export_file_forget(c);
		conn_flush(c);
		return;
	}
	mp_value(e->link.call, &params);
	e->x = rest_exchange(c, who, &export_transport);
	audit_begin(e->x, AUDIT_ACTION_EXPORT, &params);
	call_gate_pass(e->x, &export_call, &params);
}

static void
export_refuse(struct export_file *e, int status, enum err_code code, const char *message)
{
	struct conn *c = e->conn;

	export_file_forget(c);
	conn_refuse(c, status, message, &(struct http_reply){ .refusal = code });
}

static bool
is_owner(const struct export_file *e, const struct principal *who)
{
	struct buf owner = { .max = 0 };
	bool same;

	export_offer_put_owner(e->conn->front, who, &owner);
	/* Another grant of the same user and client may have been given less, and this one may have been taken back. */
	same = span_is(buf_view(&owner), e->link.owner) &&
	    span_is_str(e->link.grant, who->grant != NULL ? who->grant->id : "");
	buf_fini(&owner);
	return same;
}

/* The parts of a user's binding: "user:name\nclient\nresource". */
static bool
cut_owner(struct span owner, struct span part[3])
{
	for (unsigned i = 0; i < 3; i++) {
		const uint8_t *end = memchr(owner.p, '\n', owner.len);
		size_t n = i == 2 || end == NULL ? owner.len : (size_t)(end - owner.p);

		if (i < 2 && end == NULL)
			return false;
		part[i] = span_of(owner.p, n);
		owner = span_of(owner.p + n + (i < 2), owner.len - n - (i < 2));
	}
	return true;
}

static void
on_grant(void *conn, const struct verdict *verdict)
{
	struct conn *c = conn;
	struct export_file *e = c->file;

	c->waiting = NULL;
	if (verdict->what != IPC_VERDICT_GOOD) {
		export_refuse(e, verdict->what == IPC_VERDICT_UNKNOWN ? 503 : 401, credential_code(verdict->what),
		    "what this export was given to is not valid any more: ask your agent for another one");
		return;
	}
	export_begin(e, verdict->who);
}

/* The session is the owner's: does the grant still live that the link was given to, and what may it? */
static void
ask_grant(struct export_file *e, const struct span part[3])
{
	struct conn *c = e->conn;
	struct verify_subject subject = {
		.secret = e->link.grant, .resource = part[2], .client = part[1], .grant = e->link.grant,
		.scopes = e->link.scopes, .expires_unix_ms = e->link.until_unix_s * 1000,
	};
	struct buf secret = { .max = 0 };

	if (e->link.scopes_tools.len < sizeof(subject.named.text))
		memcpy(subject.named.text, e->link.scopes_tools.p, e->link.scopes_tools.len);
	/* What is remembered of the grant is remembered under the link, which is no credential. */
	buf_str(&secret, "export ");
	buf_span(&secret, buf_view(&e->path));
	subject.secret = buf_view(&secret);
	c->waiting = verify_ask(c->front, &subject, SPAN_NONE, on_grant, c);
	buf_fini(&secret);
	if (c->waiting == NULL)
		export_refuse(e, 503, ERR_SERVICE_UNAVAILABLE, "the server is busy; try again in a moment");
}

static void
on_session(struct oauth_request *r, const union ipc_any *answer)
{
	struct conn *c = r->conn;
	struct export_file *e = c->file;
	struct span part[3], user = SPAN_NONE;

	if (answer == NULL || answer->page_user.outcome == IPC_OAUTH_UNAVAILABLE) {
		export_file_forget(c);
		oauth_reply_unavailable(r, true);
		return;
	}
	if (answer->page_user.outcome != IPC_OAUTH_DONE) {
		struct buf next = { .max = 0 };

		buf_span(&next, buf_view(&e->path));
		export_file_forget(c);
		oauth_reply_to_own(r, OAUTH_LOGIN "?next=", buf_view(&next));
		buf_fini(&next);
		return;
	}
	if (cut_owner(e->link.owner, part))
		user = span_of(part[0].p + strlen("user:"), part[0].len - strlen("user:"));
	if (user.p == NULL || !span_is(user, answer->page_user.user)) {
		export_file_forget(c);
		oauth_reply_refuse(r, 404, ERR_NONE, NO_LINK);
		return;
	}
	oauth_request_end(r);
	ask_grant(e, part);
}

/* Read the link of a request into a new export.  NULL: the request was refused. */
static struct export_file *
export_open(struct conn *c, const struct http_request *q)
{
	struct front *f = c->front;
	struct export_file *e = mem_new(1, sizeof(*e));

	e->conn = c;
	c->file = e;
	buf_span(&e->path, q->path);
	if (!export_link_read(&f->links, q->path, &e->room, &e->link, &e->format))
		export_refuse(e, 404, ERR_NONE, NO_LINK);
	else if (e->format == EXPORT_FORMATS)
		export_refuse(e, 404, ERR_NONE, "an export is .csv, .jsonl or, of DuckDB connections, .parquet");
	else if (f->conf.export_rows == 0)
		export_refuse(e, 404, ERR_NONE, "results are not exported here (limits.export_rows)");
	else if (c->minor == 0)
		export_refuse(e, 400, ERR_INVALID_ARGUMENTS,
		    "an export needs HTTP/1.1, by which a file that is cut is told from a whole one");
	else
		return e;
	return NULL;
}

bool
export_file_by_session(struct conn *c, const struct http_request *q)
{
	struct buf room = { .max = 0 };
	struct export_link link;
	enum export_format format;
	bool users = c->front->oauth->enabled && export_link_read(&c->front->links, q->path, &room, &link, &format) &&
	    span_begins(link.owner, "user:");

	buf_fini(&room);
	return users;
}

void
export_file_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct export_file *e = export_open(c, q);
	bool late = e != NULL && clock_unix_ms() / 1000 >= e->link.until_unix_s;
	struct oauth_request *r;

	(void)body;
	if (e == NULL)
		return;
	if (who != NULL && !is_owner(e, who)) {
		export_refuse(e, 404, ERR_NONE, NO_LINK);
		return;
	}
	if (late) {
		export_refuse(e, 410, ERR_NONE, "this link has lapsed: ask for the result again");
		return;
	}
	if (who != NULL) {
		export_begin(e, who);
		return;
	}
	c->state = CONN_SERVING;
	conn_timer(c, TIMER_NONE);
	r = oauth_request_begin(c, q);
	oauth_request_ask(r, IPC_MSG_PAGE_SESSION, &(struct ipc_page_session){
	    .session = span_str(r->session), .asserted = buf_view(&r->asserted) }, IPC_MSG_PAGE_USER, on_session);
}
