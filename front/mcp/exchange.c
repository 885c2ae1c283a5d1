/* exchange.c - see exchange.h: revisions, exchanges, and the envelopes of their answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/json/json_write.h"
#include "base/json/json_put.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "front/mcp/admission.h"
#include "front/mcp/audit_requests.h"
#include "front/mcp/elicit.h"
#include "front/calls/brief.h"
#include "front/mcp/exchange.h"
#include "front/mcp/mcp_handlers.h"
#include "front/mcp/observe.h"
#include "front/calls/metering.h"
#include "front/mcp/tasks.h"
#include "front/who/export_offer.h"

#define META_VERSION		"io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES	"io.modelcontextprotocol/clientCapabilities"
#define META_CLIENT		"io.modelcontextprotocol/clientInfo"
#define META_LOG_LEVEL		"io.modelcontextprotocol/logLevel"

#define SPARE_MAX	128u	/* ended exchanges kept for reuse */
#define KEEP		256u	/* bytes of id and token buffers that a spare exchange keeps */
#define KEEP_TEXT	4096u	/* bytes of each text buffer that a spare exchange keeps */

static const char *const revisions[MCP_REVISIONS] = {
	"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
};

const char *
mcp_revision_name(enum mcp_revision revision)
{
	return revision < MCP_REVISIONS ? revisions[revision] : "";
}

enum mcp_revision
mcp_revision_of(struct span name)
{
	unsigned i = 0;

	while (i < MCP_REVISIONS && !span_is_str(name, revisions[i]))
		i++;
	return (enum mcp_revision)i;
}

bool
mcp_has_claim(const struct mp_value *meta)
{
	struct mp_value version;

	return mp_get(meta, META_VERSION, &version);
}

bool
mcp_check_meta(const struct mp_value *meta, struct span *version, struct mcp_refusal *r)
{
	struct mp_value v, member;

	if (!mp_get(meta, META_VERSION, &v) || v.class != MP_STR)
		return mcp_refuse(r, RPC_INVALID_PARAMS, "_meta[\"" META_VERSION "\"] must be a string");
	*version = v.s;
	if (!mp_get(meta, META_CAPABILITIES, &v) || v.class != MP_MAP)
		return mcp_refuse(r, RPC_INVALID_PARAMS, "_meta[\"" META_CAPABILITIES "\"] must be an object");
	if (mp_get(meta, META_CLIENT, &v) &&
	    (v.class != MP_MAP || !mp_get(&v, "name", &member) || member.class != MP_STR ||
		!mp_get(&v, "version", &member) || member.class != MP_STR))
		return mcp_refuse(r, RPC_INVALID_PARAMS, "_meta[\"" META_CLIENT "\"] needs name and version");
	if (mp_get(meta, META_LOG_LEVEL, &v) && (v.class != MP_STR || mcp_level_of(v.s) == IPC_LEVELS))
		return mcp_refuse(r, RPC_INVALID_PARAMS, "_meta[\"" META_LOG_LEVEL "\"] is no log level");
	return true;
}

bool
mcp_check_version(struct span version, struct mcp_refusal *r)
{
	if (mcp_revision_of(version) == MCP_2026_07_28)
		return true;
	json_put_object(&r->data, NULL);
	json_put_list(&r->data, "supported");
	json_put_cstr(&r->data, NULL, mcp_revision_name(MCP_2026_07_28));
	json_end_list(&r->data);
	json_put_key(&r->data, "requested");
	json_write_string(&r->data, version);
	json_end_object(&r->data);
	return mcp_refuse(r, RPC_VERSION_UNSUPPORTED, "this protocol version is not supported");
}

static void
exchange_release(struct exchange *x)
{
	buf_fini(&x->id);
	buf_fini(&x->claims);
	buf_fini(&x->tools);
	buf_fini(&x->accepts.token);
	buf_fini(&x->target.subject);
	buf_fini(&x->target.params);
	buf_fini(&x->target.args);
	buf_fini(&x->target.export);
	buf_fini(&x->out.text);
	buf_fini(&x->out.details);
	buf_fini(&x->out.closing);
	buf_fini(&x->audit.texts);
	free(x);
}

struct exchange *
exchange_new(struct front *f, const struct transport *t, void *client, struct principal *who,
    enum mcp_revision revision, const struct mp_value *id)
{
	struct exchange *x = TAILQ_FIRST(&f->spare.list);

	if (x != NULL) {
		TAILQ_REMOVE(&f->spare.list, x, of_client);
		f->spare.n--;
	} else
		x = mem_new(1, sizeof(*x));
	*x = (struct exchange){
		.front = f, .transport = t, .client = client, .who = who, .scopes = who->scopes, .revision = revision,
		.serial = ++f->serial, .began_ns = clock_ns(), .id = x->id, .claims = x->claims,
		.tools = x->tools,
		.accepts = { .permille = -1, .token = x->accepts.token },
		.target = { .params = x->target.params, .args = x->target.args, .subject = x->target.subject,
		    .export = x->target.export },
		.out = { .text = x->out.text, .details = x->out.details, .closing = x->out.closing },
		.audit = { .note = { .action = AUDIT_ACTIONS }, .texts = x->audit.texts },
	};
	if (who->grant != NULL)
		memcpy(x->under, who->grant->id, sizeof(x->under));
	buf_reset(&x->id, KEEP);
	buf_reset(&x->claims, KEEP);
	buf_span(&x->claims, buf_view(&who->claims));
	buf_reset(&x->tools, POLICY_NAMED_BYTES);
	buf_span(&x->tools, buf_view(&who->tools));
	buf_reset(&x->accepts.token, KEEP);
	buf_reset(&x->target.subject, KEEP);
	buf_reset(&x->target.params, KEEP_TEXT);
	buf_reset(&x->target.args, KEEP_TEXT);
	buf_reset(&x->target.export, KEEP_TEXT);
	buf_reset(&x->out.text, KEEP_TEXT);
	buf_reset(&x->out.details, KEEP_TEXT);
	if (id != NULL)
		rpc_put_id(&x->id, id);
	LIST_INSERT_HEAD(&f->running, x, running);
	f->figures.requests++;
	return x;
}

struct tool_caller
exchange_caller(struct exchange *x)
{
	return (struct tool_caller){ x->scopes, x->tools.len > 0 ? buf_cstr(&x->tools) : NULL };
}

struct tool_caller
exchange_reach(const struct exchange *x)
{
	return (struct tool_caller){ principal_reach(x->who),
		x->who->may_tools.len > 0 ? buf_cstr(&x->who->may_tools) : NULL };
}

void
exchange_accept(struct exchange *x, const struct mp_value *meta)
{
	struct mp_value v;

	mp_get(meta, META_CAPABILITIES, &v);
	x->accepts.can = elicit_can(&v);
	x->accepts.tasks = tasks_offered(x->front) && tasks_declared(&v);
	x->accepts.notices = mp_get(meta, META_LOG_LEVEL, &v) ? mcp_level_of(v.s) + 1 : 0;
}

static void
exchange_free(struct exchange *x)
{
	struct front *f = x->front;

	if (x->stage == EXCHANGE_CALLING)
		(void)exchange_end_call(x);
	if (x->admission.counted)
		x->who->in_flight--;
	audit_opening_forget(x);
	admission_release(f, &x->admission.grant);
	LIST_REMOVE(x, running);
	if (f->spare.n >= SPARE_MAX) {
		exchange_release(x);
		return;
	}
	TAILQ_INSERT_HEAD(&f->spare.list, x, of_client);
	f->spare.n++;
}

void
exchange_drain_pool(struct front *f)
{
	struct exchange *x;

	while ((x = TAILQ_FIRST(&f->spare.list)) != NULL) {
		TAILQ_REMOVE(&f->spare.list, x, of_client);
		exchange_release(x);
	}
	f->spare.n = 0;
}

void
exchange_trace(struct exchange *x, const struct trace *t)
{
	if (!t->valid)
		return;
	x->context = *t;
	trace_print(t, x->trace);
}

void
exchange_begin_call(struct exchange *x, struct front_call *c)
{
	x->stage = EXCHANGE_CALLING;
	x->times.worker_ns = x->times.worker_ns == 0 ? clock_ns() : x->times.worker_ns;
	x->calling = (struct exchange_call){
		.call = c, .since_ns = clock_ns(), .writes = x->target.tool->policy->effect == POLICY_WRITES
	};
	if (x->admission.counted)
		return; /* a call before this one was the first part of the same work */
	x->admission.counted = true;
	x->who->in_flight++;
	x->front->figures.calls++;
}

struct front_call *
exchange_end_call(struct exchange *x)
{
	struct front_call *c = x->calling.call;

	if (x->calling.asking != NULL)
		elicit_drop(x);
	x->stage = EXCHANGE_SERVING;
	x->times.answered_ns = clock_ns();
	return c;
}

void
exchange_cancel_call(struct exchange *x)
{
	router_cancel(exchange_end_call(x));
}

void
exchange_wait(struct exchange *x, void (*forget)(struct exchange *x), void *of)
{
	x->stage = EXCHANGE_WAITING;
	x->waiting = (struct exchange_wait){ .forget = forget, .of = of };
}

void
exchange_end_wait(struct exchange *x)
{
	x->stage = EXCHANGE_SERVING;
}

/* Count x: answered with a, or, with a NULL, ended without an answer. */
static void
count_exchange(const struct exchange *x, const struct mcp_answer *a)
{
	const enum audit_surface surface = x->transport->surface;

	observe_exchange(x, a != NULL || x->stage == EXCHANGE_RECORDING ? x->audit.note.code : ERR_QUERY_CANCELLED,
	    a != NULL ? a->result : NULL);
	metering_request(x->front->metering, &(struct metered){
	    .tool = x->target.tool != NULL ? x->target.tool->policy : NULL,
	    .principal = x->who->id, .trace = x->trace, .serial = x->serial, .began_ns = x->began_ns,
	    /* An exchange that ends while its answer waits for the audit entry has an outcome already. */
	    .code = a != NULL || x->stage == EXCHANGE_RECORDING ? x->audit.note.code : ERR_QUERY_CANCELLED,
	    .external = surface == AUDIT_SURFACE_MCP || surface == AUDIT_SURFACE_REST,
	    .result = a != NULL ? a->result : NULL });
}

void
exchange_abandon(struct exchange *x)
{
	count_exchange(x, NULL);
	audit_cancelled(x);
	if (x->stage == EXCHANGE_WAITING)
		x->waiting.forget(x);
	else if (x->stage == EXCHANGE_CALLING && x->calling.writes)
		router_release(exchange_end_call(x));
	else if (x->stage == EXCHANGE_CALLING) {
		exchange_cancel_call(x);
		x->front->figures.cancelled++;
	}
	exchange_free(x);
}

static void
orphan_answer(struct exchange *x, const struct mcp_answer *a)
{
	(void)x;
	result_free(a->result);
}

static bool
orphan_notify(struct exchange *x, struct span message)
{
	(void)x, (void)message;
	return true;
}

static bool
orphan_can_notify(const struct exchange *x)
{
	(void)x;
	return false;
}

static void
orphan_withdraw(struct exchange *x)
{
	(void)x;
}

static const struct transport orphan_transport = {
	.answer = orphan_answer, .notify = orphan_notify, .can_notify = orphan_can_notify,
	.withdraw = orphan_withdraw,
};

void
exchange_orphan(struct exchange *x)
{
	x->transport = &orphan_transport;
	x->client = NULL;
}

void
exchange_withdraw(struct exchange *x)
{
	count_exchange(x, NULL);
	audit_cancelled(x);
	if (x->stage == EXCHANGE_WAITING)
		x->waiting.forget(x);
	else if (x->stage == EXCHANGE_CALLING) {
		exchange_cancel_call(x);
		x->front->figures.cancelled++;
	}
	x->transport->withdraw(x);
	exchange_free(x);
}

struct exchange *
exchange_find(struct front *f, const void *client, const uint8_t *session,
    const struct mp_value *params)
{
	struct exchange *x;
	struct mp_value id;
	struct buf text = { .max = 8 * JSONRPC_ID_MAX };

	if (!mp_get(params, "requestId", &id) || !rpc_is_id(&id))
		return NULL;
	rpc_put_id(&text, &id);
	LIST_FOREACH(x, &f->running, running)
		if (x->stage != EXCHANGE_SERVING && x->stage != EXCHANGE_RECORDING &&
		    span_is(buf_view(&x->id), buf_view(&text)) &&
		    (client != NULL ? x->client == client :
				      x->session.known && memcmp(x->session.body, session, SESSION_BODY) == 0))
			break;
	buf_fini(&text);
	return x;
}

void
exchange_answer(struct exchange *x, const struct mcp_answer *a)
{
	count_exchange(x, a);
	x->transport->answer(x, a);
	exchange_free(x);
}

void
exchange_finish(struct exchange *x, const struct mcp_answer *a)
{
	(void)fault_point("front.before_answer");
	if (x->stage == EXCHANGE_CALLING)
		(void)exchange_end_call(x); /* the call has ended and freed itself */
	if (!audit_answer(x, a))
		exchange_answer(x, a);
}

/* Everything of a successful response up to the result's own members, with the comma before them. */
static void
put_opening_as(const struct exchange *x, struct buf *out, const char *type, bool has_members)
{
	json_put_object(out, NULL);
	json_put_cstr(out, "jsonrpc", "2.0");
	json_put_raw(out, "id", buf_view(&x->id));
	json_put_object(out, "result");
	if (mcp_is_modern(x)) {
		json_put_cstr(out, "resultType", type);
		buf_str(out, has_members ? "," : "");
	}
}

static void
put_opening(const struct exchange *x, struct buf *out, bool has_members)
{
	put_opening_as(x, out, "complete", has_members);
}

/* What a client can make of the result as a file: for people, so it is among what clients do not show their models. */
static void
put_export(const struct front *f, struct result_file file, struct span url, uint64_t until_unix_s, struct buf *out)
{
	struct buf object = { .max = 0 };
	struct mp_value v;

	export_offer_put(f, file, url, until_unix_s, &object);
	mp_value(buf_view(&object), &v);
	json_put_key(out, "carrel/export");
	json_write(out, &v);
	buf_fini(&object);
}

/* The same as a block of content, of a result that was cut: its person misses rows. */
static void
put_export_link(const struct front *f, struct result_file file, struct span url, uint64_t until_unix_s,
    struct buf *out)
{
	struct buf text = { .max = 0 };
	char until[25];

	clock_iso8601(until_unix_s * 1000, until);
	buf_printf(&text, "For the person who asks, as a file: up to %llu rows, by a link that opens until %s.",
	    (unsigned long long)export_offer_rows(f, file), until);
	json_put_object(out, NULL);
	json_put_cstr(out, "type", "resource_link");
	json_put_str(out, "uri", url);
	json_put_cstr(out, "name", "export.csv");
	json_put_cstr(out, "title", "The rows as CSV");
	json_put_str(out, "description", buf_view(&text));
	json_put_cstr(out, "mimeType", "text/csv");
	json_put_object(out, "annotations");
	json_put_list(out, "audience");
	json_put_cstr(out, NULL, "user");
	json_end_list(out);
	json_end_object(out);
	json_end_object(out);
	buf_fini(&text);
}

/* In the modern era who answers, and the receipt, which is the id of the request. */
static void
put_signature(const struct exchange *x, struct buf *out)
{
	char receipt[REQUEST_ID_MAX];

	request_id_print(x->serial, receipt);
	if (mcp_is_modern(x)) {
		json_put_object(out, "io.modelcontextprotocol/serverInfo");
		json_put_cstr(out, "name", "carrel");
		json_put_cstr(out, "title", "Carrel");
		json_put_cstr(out, "version", CARREL_VERSION);
		json_end_object(out);
	}
	json_put_cstr(out, "carrel/receipt", receipt);
}

/* The end of a result.  What a legacy client gets as an empty object stays one.  url empty: nothing can be exported. */
static struct span
close_with(struct exchange *x, bool has_members, struct result_file file, struct span url, uint64_t until_unix_s)
{
	struct buf *out = &x->out.closing;

	if (!has_members && !mcp_is_modern(x))
		return SPAN("}}");
	buf_reset(out, SIZE_MAX);
	buf_byte(out, ',');
	json_put_object(out, "_meta");
	put_signature(x, out);
	if (url.len > 0)
		put_export(x->front, file, url, until_unix_s, out);
	json_end_object(out);
	json_end_object(out);
	json_end_object(out);
	return buf_view(out);
}

static struct span
mcp_closing(struct exchange *x, bool has_members)
{
	return close_with(x, has_members, (struct result_file){ .rows = 0 }, SPAN_NONE, 0);
}

void
mcp_answer_session(struct exchange *x, struct span members, const char *session)
{
	struct buf *out = &x->out.text;

	if (x->transport->members != NULL) {
		x->transport->members(x, members);
		return;
	}
	buf_reset(out, SIZE_MAX);
	put_opening(x, out, members.len > 0);
	buf_span(out, members);
	buf_span(out, mcp_closing(x, members.len > 0));
	exchange_finish(x, &(struct mcp_answer){ .status = 200, .before = buf_view(out), .session = session });
}

void
mcp_answer(struct exchange *x, struct span members)
{
	mcp_answer_session(x, members, NULL);
}

void
mcp_answer_blob(struct exchange *x, struct blob *members)
{
	struct buf *out = &x->out.text;

	buf_reset(out, SIZE_MAX);
	put_opening(x, out, true);
	exchange_finish(x, &(struct mcp_answer){ .status = 200, .before = buf_view(out), .blob = members,
	    .after = mcp_closing(x, true) });
}

/* One line in place of the object's text.  links: further blocks of content, each with a comma before it. */
static void
put_brief(const struct tool_result *r, struct span links, struct buf *out)
{
	struct buf line = { .max = 0 };
	struct result_facts facts;

	if (result_facts(r, &facts))
		buf_printf(&line, "%s%llu row%s: see structuredContent.", facts.truncated ? "The first " : "",
		    (unsigned long long)facts.rows, facts.rows == 1 ? "" : "s");
	else
		buf_str(&line, "See structuredContent.");
	json_put_list(out, "content");
	json_put_object(out, NULL);
	json_put_cstr(out, "type", "text");
	json_put_str(out, "text", buf_view(&line));
	json_end_object(out);
	buf_span(out, links);
	json_end_list(out);
	json_put_key(out, "structuredContent");
	buf_fini(&line);
}

/* Start writing r with what out holds and its text; out then holds what is between text and object as well. */
static void
put_text_content(struct tool_result *r, struct span links, struct buf *out, struct span after)
{
	size_t before;

	json_put_list(out, "content");
	json_put_object(out, NULL);
	json_put_cstr(out, "type", "text");
	json_put_key(out, "text");
	buf_byte(out, '"');
	before = out->len;
	buf_byte(out, '"');
	json_end_object(out);
	buf_span(out, links);
	json_end_list(out);
	json_put_key(out, "structuredContent");
	result_begin(r, span_of(out->p, before), span_of(out->p + before, out->len - before), after);
}

/*
 * Append to out the text before the object r, and start writing r with that text.  brief: without the object's text.
 * False: r has no object, and out holds the whole response.
 */
static bool
begin_result(struct tool_result *r, bool brief, struct span links, struct buf *out, struct span after)
{
	struct mp_value content;

	if (result_content(r).len == 0 && brief) {
		put_brief(r, links, out);
		result_begin(r, buf_view(out), SPAN_NONE, after);
		return true;
	}
	if (result_content(r).len == 0) {
		put_text_content(r, links, out, after);
		return true;
	}
	json_put_key(out, "content");
	mp_value(result_content(r), &content);
	json_write(out, &content);
	if (result_is_bare(r)) {
		buf_span(out, after);
		return false;
	}
	json_put_key(out, "structuredContent");
	result_begin(r, buf_view(out), SPAN_NONE, after);
	return true;
}

bool
exchange_offer(struct exchange *x, struct buf *url, uint64_t *until_unix_s)
{
	struct export_caller by = {
		.who = x->who, .grant = span_str(x->under), .tools = buf_view(&x->tools), .scopes = x->scopes
	};

	return export_offer(x->front, &by, buf_view(&x->target.export), url, until_unix_s);
}

void
mcp_answer_result(struct exchange *x, struct tool_result *r)
{
	struct buf *out = &x->out.text, url = { .max = 0 }, links = { .max = 0 };
	struct result_facts facts;
	uint64_t until = 0;
	bool goes_on;

	if (x->transport->result != NULL) {
		x->transport->result(x, r);
		return;
	}
	/* Revisions before 2025-06-18 have no links among the content. */
	if (exchange_offer(x, &url, &until) && x->revision >= MCP_2025_06_18 && result_facts(r, &facts) &&
	    facts.truncated) {
		buf_byte(&links, ',');
		put_export_link(x->front, result_file(r), buf_view(&url), until, &links);
	}
	buf_reset(out, SIZE_MAX);
	put_opening(x, out, true);
	goes_on = begin_result(r, x->front->conf.brief && brief_reads_structured(audit_client(x)), buf_view(&links),
	    out, close_with(x, true, result_file(r), buf_view(&url), until));
	buf_fini(&url);
	buf_fini(&links);
	if (goes_on) {
		exchange_finish(x, &(struct mcp_answer){ .status = 200, .result = r });
		return;
	}
	exchange_finish(x, &(struct mcp_answer){ .status = 200, .before = buf_view(out) });
	result_free(r);
}

void
mcp_keep_later(struct exchange *x, struct mcp_later *later)
{
	later->brief = x->front->conf.brief && brief_reads_structured(audit_client(x));
	later->shape = x->target.shape;
	later->scopes = x->scopes;
	memcpy(later->under, x->under, sizeof(later->under));
	buf_span(&later->tools, buf_view(&x->tools));
	buf_span(&later->export, buf_view(&x->target.export));
}

void
mcp_later_fini(struct mcp_later *later)
{
	buf_fini(&later->tools);
	buf_fini(&later->export);
}

void
mcp_put_result(struct front *f, struct principal *who, const struct mcp_later *later, struct tool_result *r,
    struct buf *out)
{
	struct buf before = { .max = 0 }, url = { .max = 0 }, links = { .max = 0 }, after = { .max = 0 };
	struct export_caller by = {
		.who = who, .grant = span_str(later->under), .tools = buf_view(&later->tools), .scopes = later->scopes
	};
	struct result_facts facts;
	uint64_t until;

	if (export_offer(f, &by, buf_view(&later->export), &url, &until)) {
		buf_byte(&after, ',');
		json_put_object(&after, "_meta");
		put_export(f, result_file(r), buf_view(&url), until, &after);
		json_end_object(&after);
		if (result_facts(r, &facts) && facts.truncated) {
			buf_byte(&links, ',');
			put_export_link(f, result_file(r), buf_view(&url), until, &links);
		}
	}
	if (begin_result(r, later->brief, buf_view(&links), &before, buf_view(&after)))
		while (result_fill(r, out))
			;
	else
		buf_span(out, buf_view(&before));
	buf_fini(&before);
	buf_fini(&url);
	buf_fini(&links);
	buf_fini(&after);
	result_free(r);
}

void
mcp_answer_as(struct exchange *x, const char *type, struct span members)
{
	struct buf *out = &x->out.text;

	buf_reset(out, SIZE_MAX);
	put_opening_as(x, out, type, true);
	buf_span(out, members);
	buf_span(out, mcp_closing(x, true));
	exchange_finish(x, &(struct mcp_answer){ .status = 200, .before = buf_view(out) });
}

void
mcp_answer_subscription(struct exchange *x)
{
	struct buf *out = &x->out.text;

	buf_reset(out, SIZE_MAX);
	put_opening(x, out, true);
	json_put_object(out, "_meta");
	json_put_raw(out, "io.modelcontextprotocol/subscriptionId", buf_view(&x->id));
	put_signature(x, out);
	json_end_object(out);
	json_end_object(out);
	json_end_object(out);
	exchange_finish(x, &(struct mcp_answer){ .status = 200, .before = buf_view(out) });
}

void
mcp_answer_members(struct exchange *x, struct tool_result *r, struct span after)
{
	struct buf *out = &x->out.text;
	size_t opening;

	buf_reset(out, SIZE_MAX);
	put_opening(x, out, true);
	opening = out->len;
	if (after.len > 0)
		buf_byte(out, ',');
	buf_span(out, after);
	buf_span(out, mcp_closing(x, true));
	result_begin_members(r, span_of(out->p, opening), span_of(out->p + opening, out->len - opening));
	exchange_finish(x, &(struct mcp_answer){ .status = 200, .result = r });
}

const char *
mcp_public_message(const struct err *err)
{
	return err->message[0] != '\0' && err->code != ERR_INTERNAL ? err->message : err_text(err->code);
}

void
mcp_log_failure(const struct exchange *x, const struct err *err)
{
	char request_id[REQUEST_ID_MAX];

	if (err->code != ERR_INTERNAL && err->code != ERR_WORKER_LOST)
		return;
	request_id_print(x->serial, request_id);
	log_request(span_str(request_id));
	log_trace(span_str(x->trace));
	log_warn("a call failed: %s: %s", err_name(err->code), err->message);
	log_request(SPAN_NONE);
}

void
mcp_error_until(struct exchange *x, int status, int code, const char *message, struct span data,
    unsigned retry_after)
{
	struct buf *out = &x->out.text;
	bool told = mcp_is_modern(x) || status == 503 || status == 429;

	if (x->audit.note.code == ERR_NONE)
		audit_code(x, status == 503 ? ERR_BUSY : status == 429 ? ERR_RATE_LIMITED : ERR_INVALID_ARGUMENTS);
	buf_reset(out, SIZE_MAX);
	rpc_put_error(out, buf_view(&x->id), code, message, data);
	exchange_finish(x, &(struct mcp_answer){
	    .status = told ? status : 200, .before = buf_view(out), .retry_after = told ? retry_after : 0 });
}

void
mcp_error(struct exchange *x, int status, int code, const char *message, struct span data)
{
	mcp_error_until(x, status, code, message, data, status == 503 ? 1 : 0);
}

void
mcp_error_named(struct exchange *x, int status, int code, const char *message, enum err_code name)
{
	struct buf data = { .max = 0 };

	json_put_object(&data, NULL);
	json_put_cstr(&data, "code", err_name(name));
	json_end_object(&data);
	mcp_error(x, status, code, message, buf_view(&data));
	buf_fini(&data);
}

void
mcp_put_tool_error(struct buf *out, uint64_t serial, const struct err *err, struct span details)
{
	const char *message = mcp_public_message(err);
	char request_id[REQUEST_ID_MAX];

	request_id_print(serial, request_id);
	json_put_list(out, "content");
	json_put_object(out, NULL);
	json_put_cstr(out, "type", "text");
	json_put_cstr(out, "text", message);
	json_end_object(out);
	json_end_list(out);
	json_put_object(out, "structuredContent");
	json_put_object(out, "error");
	json_put_cstr(out, "code", err_name(err->code));
	json_put_cstr(out, "message", message);
	json_put_raw(out, "details", details.len > 0 ? details : SPAN("{}"));
	json_end_object(out);
	json_put_cstr(out, "request_id", request_id);
	json_end_object(out);
	json_put_bool(out, "isError", true);
}

void
mcp_tool_error(struct exchange *x, const struct err *err, struct span details)
{
	struct buf *out = &x->out.text;

	x->front->figures.failed++;
	audit_code(x, err->code);
	if (x->transport->failure != NULL) {
		x->transport->failure(x, err, details);
		return;
	}
	buf_reset(out, SIZE_MAX);
	put_opening(x, out, true);
	mcp_put_tool_error(out, x->serial, err, details);
	buf_span(out, mcp_closing(x, true));
	exchange_finish(x, &(struct mcp_answer){ .status = 200, .before = buf_view(out) });
}

/* A member of a denial: scopes, or the own one of the tool that is called. */
static void
put_lacking(struct exchange *x, const char *key, uint32_t scopes, bool own)
{
	struct buf *out = &x->out.details;

	json_put_key(out, key);
	if (own)
		buf_printf(out, "[\"" POLICY_TOOL_SCOPE "%.*s\"]", SPAN_FMT(x->target.tool->name));
	else
		policy_scopes_json(scopes, out);
}

void
mcp_put_denial(struct exchange *x, uint32_t required, struct buf *challenge)
{
	bool own = required == 0 && x->target.tool != NULL;
	struct buf scopes = { .max = 0 };

	put_lacking(x, "required", required, own);
	put_lacking(x, "missing", required & ~x->scopes, own);
	buf_str(challenge, "Bearer error=\"insufficient_scope\", scope=\"");
	policy_scopes_text(x->scopes | required, &scopes);
	if (x->tools.len > 0)
		policy_named_text(buf_cstr(&x->tools), &scopes);
	if (own)
		buf_printf(&scopes, "%s" POLICY_TOOL_SCOPE "%.*s", scopes.len > 0 ? " " : "",
		    SPAN_FMT(x->target.tool->name));
	buf_span(challenge, buf_view(&scopes));
	buf_byte(challenge, '"');
	buf_fini(&scopes);
}

void
mcp_forbidden(struct exchange *x, uint32_t required)
{
	struct buf *data = &x->out.details, *out = &x->out.text;
	struct buf challenge = { .max = 0 };
	/* A token, and a user by the role, can have the own scope of a tool. */
	struct tool_caller reach = exchange_reach(x);
	bool grantable = required == 0 ? x->who->kind == PRINCIPAL_TOKEN ||
		(x->target.tool != NULL && policy_named_has(reach.tools, x->target.tool->name)) :
					 (required & ~x->scopes & ~reach.scopes) == 0;

	audit_code(x, ERR_SCOPE_DENIED);
	buf_reset(data, SIZE_MAX);
	buf_reset(out, SIZE_MAX);
	json_put_object(data, NULL);
	mcp_put_denial(x, required, &challenge);
	if (x->who->metadata != NULL)
		buf_printf(&challenge, ", resource_metadata=\"%s\"", x->who->metadata);
	json_put_cstr(data, "code", "FORBIDDEN");
	json_end_object(data);
	rpc_put_error(out, buf_view(&x->id), mcp_is_modern(x) ? RPC_FORBIDDEN_MODERN : RPC_FORBIDDEN_LEGACY,
	    "The caller lacks a scope that this tool needs.", buf_view(data));
	exchange_finish(x, &(struct mcp_answer){ .status = grantable ? 403 : 200, .before = buf_view(out),
	    .challenge = grantable ? buf_cstr(&challenge) : NULL });
	buf_fini(&challenge);
}
