#include <string.h>

#include "base/json/json_read.h"
#include "base/json/json_put.h"
#include "base/text/percent.h"
#include "base/utf8.h"
#include "front/mcp/audit_requests.h"
#include "front/http/conn_write.h"
#include "front/mcp/call_gate.h"
#include "front/mcp/mcp_http.h"
#include "front/mcp/mcp_handlers.h"
#include "front/mcp/team_call.h"
#include "front/calls/team_values.h"
#include "front/rest/rest.h"
#include "front/site.h"
#include "front/who/export_offer.h"
#include "front/status.h"

#define VALUES_MOST	1000u	/* of a parameter, in one answer */
#define NAMED_MAX	64	/* bytes of a stranger's parameter name that are repeated to him */

const struct rest_operation rest_operations[REST_OPERATIONS] = {
#define OPERATION(verb, where, of, name, short_text, long_text, in, out)					\
	{ .path = where, .method = HTTP_##verb, .tool = #of, .id = name, .summary = short_text, .text = long_text,	\
	  .request = in, .answer = out },
#include "front/rest/rest.def"
#undef OPERATION
};

static void
rest_answer(struct exchange *x, const struct mcp_answer *a)
{
	struct conn *c = x->client;

	TAILQ_REMOVE(&c->exchanges, x, of_client);
	if (c->dead) {
		result_free(a->result);
		return;
	}
	c->quota = x->admission.quota;
	conn_answer(c, a);
}

bool
rest_can_notify(const struct exchange *x)
{
	(void)x;
	return false;
}

bool
rest_notify(struct exchange *x, struct span message)
{
	(void)x, (void)message;
	return true;
}

void
rest_cut(struct exchange *x)
{
	conn_drop(x->client);
}

static void
rest_result(struct exchange *x, struct tool_result *r)
{
	struct buf url = { .max = 0 }, offer = { .max = 0 };
	uint64_t until;

	if (exchange_offer(x, &url, &until)) {
		export_offer_put(x->front, result_file(r), buf_view(&url), until, &offer);
		result_put_last(r, "export", buf_view(&offer));
	}
	buf_fini(&url);
	buf_fini(&offer);
	result_begin(r, SPAN_NONE, SPAN_NONE, SPAN_NONE);
	exchange_finish(x, &(struct mcp_answer){ .status = 200, .result = r });
}

/* a holds what goes into the head; the status and the text are filled in here. */
static void
rest_fail(struct exchange *x, const struct err *err, struct span details, struct mcp_answer *a)
{
	const struct conn *c = x->client;
	struct buf *out = &x->out.text;

	audit_code(x, err->code);
	buf_reset(out, SIZE_MAX);
	json_put_object(out, NULL);
	json_put_object(out, "error");
	json_put_cstr(out, "code", err_name(err->code));
	json_put_cstr(out, "message", mcp_public_message(err));
	json_put_raw(out, "details", details.len > 0 ? details : SPAN("{}"));
	json_end_object(out);
	json_put_cstr(out, "request_id", c->receipt);
	json_end_object(out);
	a->status = err_http(err->code);
	a->before = buf_view(out);
	exchange_finish(x, a);
}

void
rest_failure(struct exchange *x, const struct err *err, struct span details)
{
	rest_fail(x, err, details, &(struct mcp_answer){ .retry_after = err_http(err->code) == 503 });
}

static const struct transport rest_transport = {
	.surface = AUDIT_SURFACE_REST, .address = http_address,
	.answer = rest_answer, .notify = rest_notify, .can_notify = rest_can_notify, .cut = rest_cut,
	.result = rest_result, .failure = rest_failure,
};

static void
rest_members(struct exchange *x, struct span members)
{
	struct buf *out = &x->out.text;

	buf_reset(out, SIZE_MAX);
	buf_byte(out, '{');
	buf_span(out, members);
	buf_byte(out, '}');
	exchange_finish(x, &(struct mcp_answer){ .status = 200, .before = buf_view(out) });
}

static const struct transport page_transport = {
	.surface = AUDIT_SURFACE_PAGE, .address = http_address,
	.answer = rest_answer, .notify = rest_notify, .can_notify = rest_can_notify, .cut = rest_cut,
	.result = rest_result, .failure = rest_failure, .members = rest_members,
};

static bool
rest_find_team(struct exchange *x, const struct mp_value *params)
{
	struct err e;

	x->target.tool = tools_team_named(x->front->tools, mp_get_str(params, "name", SPAN_NONE));
	if (x->target.tool != NULL)
		return true;
	err_set(&e, ERR_PAGE_NOT_FOUND, "There is no such tool; " REST_PATH "/openapi.json says which there are.");
	rest_fail(x, &e, SPAN_NONE, &(struct mcp_answer){ .retry_after = 0 });
	return false;
}

static bool
rest_find(struct exchange *x, const struct mp_value *params)
{
	struct err e;

	bool page = x->transport == &page_transport;
	struct span name = mp_get_str(params, "name", SPAN_NONE);
	const struct policy_tool *row = policy_tool(name);

	x->target.tool = tools_find(x->front->tools, name, x->scopes);
	/* The administration page reads the list of ontologies, which is a row of the surface. */
	if (x->target.tool == NULL && page && row != NULL)
		x->target.tool = tools_surface(x->front->tools, row->name);
	if (x->target.tool != NULL)
		return true;
	err_set(&e, ERR_SERVICE_UNAVAILABLE, "This operation is not available here%s",
	    page ? " at the moment." : "; " REST_PATH "/openapi.json says what is.");
	rest_fail(x, &e, SPAN_NONE, &(struct mcp_answer){ .retry_after = 0 });
	return false;
}

void
rest_deny(struct exchange *x)
{
	struct tool_caller reach = exchange_reach(x);
	struct buf challenge = { .max = 0 };
	struct err e;

	buf_reset(&x->out.details, SIZE_MAX);
	json_put_object(&x->out.details, NULL);
	mcp_put_denial(x, tool_lacks(x->target.tool, &reach), &challenge);
	json_end_object(&x->out.details);
	err_set(&e, ERR_SCOPE_DENIED,
	    "The token lacks a scope that this operation needs; its owner makes one with that scope.");
	rest_fail(x, &e, buf_view(&x->out.details), &(struct mcp_answer){ .challenge = buf_cstr(&challenge) });
	buf_fini(&challenge);
}

void
rest_hold(struct exchange *x, const struct held *held)
{
	struct err e;

	err_set(&e, held->code, "%s", held->message);
	buf_reset(&x->out.details, SIZE_MAX);
	if (held->retry_after > 0) {
		json_put_object(&x->out.details, NULL);
		json_put_uint(&x->out.details, "retry_after_s", held->retry_after);
		json_end_object(&x->out.details);
	}
	rest_fail(x, &e, buf_view(&x->out.details), &(struct mcp_answer){ .retry_after = held->retry_after });
}

static const struct call_kind rest_call = {
	.find = rest_find, .deny = rest_deny, .hold = rest_hold, .arguments = mcp_call_arguments,
	.team = team_call_arguments, .failed = mcp_call_failed,
};

static const struct call_kind rest_team_call = {
	.find = rest_find_team, .deny = rest_deny, .hold = rest_hold, .arguments = mcp_call_arguments,
	.team = team_call_arguments, .failed = mcp_call_failed,
};

/* params: {name, arguments: {parameter}}. */
static struct span
parameter_of(const struct mp_value *params)
{
	struct mp_value args;

	return mp_get(params, "arguments", &args) ? mp_get_str(&args, "parameter", SPAN_NONE) : SPAN_NONE;
}

static bool
rest_find_values(struct exchange *x, const struct mp_value *params)
{
	struct err e;

	if (team_call_find_values(x, mp_get_str(params, "name", SPAN_NONE), parameter_of(params)))
		return true;
	err_set(&e, ERR_PAGE_NOT_FOUND,
	    "There is no such tool, or it has no such parameter; " REST_PATH "/openapi.json says which there are.");
	rest_fail(x, &e, SPAN_NONE, &(struct mcp_answer){ .retry_after = 0 });
	return false;
}

static void
rest_values(void *arg, struct tool_result *all)
{
	struct buf members = { .max = 0 };

	team_values_put(all, SPAN_NONE, VALUES_MOST, &members);
	result_free(all);
	rest_members(arg, buf_view(&members));
	buf_fini(&members);
}

static void
rest_ran_as(void *arg, struct span text)
{
	audit_ran_as(arg, text);
}

static const struct sink rest_values_sink = { .ran_as = rest_ran_as, .done = rest_values, .failed = mcp_call_failed };

static bool
rest_values_arguments(struct exchange *x, const struct mp_value *params, struct call_request *q)
{
	struct buf members = { .max = 0 };
	struct mp_value listed;

	if (x->target.values != NULL) {
		team_call_ask_values(x, q, &rest_values_sink);
		return true;
	}
	listed = team_call_listed(x, parameter_of(params));
	team_values_put_listed(&listed, SPAN_NONE, VALUES_MOST, &members);
	rest_members(x, buf_view(&members));
	buf_fini(&members);
	return false;
}

static const struct call_kind rest_values_call = {
	.find = rest_find_values, .deny = rest_deny, .hold = rest_hold, .arguments = rest_values_arguments,
	.failed = mcp_call_failed,
};

/* Append s without its percent-encoding.  False: what that says is no text. */
static bool
unescape(struct span s, struct buf *out)
{
	for (size_t i = 0; i < s.len;) {
		int c = percent_next(s, &i);

		if (c == -1)
			return false;
		buf_byte(out, (uint8_t)c);
	}
	return utf8_valid(out->p, out->len);
}

static const struct rest_operation *
operation_of(const struct conn *c)
{
	for (size_t i = 0; i < REST_OPERATIONS; i++)
		if (strcmp(c->place->path + strlen(REST_PATH), rest_operations[i].path) == 0)
			return &rest_operations[i];
	return NULL;
}

/* The segment of path in the place of {id}; p NULL: the operation's path has no {id}. */
static struct span
id_in(const struct rest_operation *op, struct span path)
{
	const char *brace = strchr(op->path, '{');
	size_t at, n = 0;

	if (brace == NULL)
		return SPAN_NONE;
	at = strlen(REST_PATH) + (size_t)(brace - op->path);
	while (at + n < path.len && path.p[at + n] != '/')
		n++;
	return span_of(path.p + at, n);
}

/* No operation takes parameters in the query: refuse the first one by its name. */
static int
check_query(struct span query, struct buf *details, struct err *err)
{
	size_t n = 0;

	while (n < query.len && query.p[n] != '=' && query.p[n] != '&')
		n++;
	if (query.len == 0)
		return 0;
	n = n < NAMED_MAX ? n : NAMED_MAX;
	json_put_object(details, NULL);
	json_put_list(details, "issues");
	json_put_object(details, NULL);
	json_put_str(details, "path", span_of(query.p, n));
	json_put_cstr(details, "problem", "is not a parameter of this operation");
	json_end_object(details);
	json_end_list(details);
	json_end_object(details);
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "There is no parameter \"%.*s\"; the arguments of this operation are in its path or in a JSON body.",
	    (int)n, (const char *)query.p);
}

/* The members of the body become the arguments. */
static int
take_body(const char *example, struct span body, struct buf *args, struct err *err)
{
	struct buf parsed = { .max = 0 };
	struct mp_value value = { .class = MP_NIL };
	enum json_fault fault;
	size_t at;

	fault = json_read(body, &parsed, &at);
	if (fault == JSON_OK && mp_value(buf_view(&parsed), &value) && value.class == MP_MAP)
		buf_span(args, value.raw);
	buf_fini(&parsed);
	if (args->len > 0)
		return 0;
	if (fault == JSON_OK)
		return err_set(err, ERR_INVALID_ARGUMENTS, "The body must be a JSON object, such as %s.", example);
	return err_set(err, ERR_INVALID_ARGUMENTS,
	    "The body is not JSON: %s (at byte %zu); send an object, such as %s.", json_fault_text(fault), at, example);
}

static int
take_path(struct span id, struct buf *args, struct err *err)
{
	struct buf text = { .max = 0 };
	int result = 0;

	if (unescape(id, &text)) {
		mp_put_pairs(args, mp_str("dataset_id", buf_view(&text)));
	} else
		result = err_set(err, ERR_INVALID_ARGUMENTS, "The dataset's id in the path is no text in UTF-8.");
	buf_fini(&text);
	return result;
}

static int
read_arguments(const struct rest_operation *op, const struct http_request *q, struct span body, struct buf *args,
    struct buf *details, struct err *err)
{
	struct span id = id_in(op, q->path);

	if (check_query(q->query, details, err) != 0)
		return -1;
	if (op->method == HTTP_POST)
		return take_body(op->request, body, args, err);
	if (id.p != NULL)
		return take_path(id, args, err);
	mp_put_map(args, 0);
	return 0;
}

struct exchange *
rest_exchange(struct conn *c, struct principal *who, const struct transport *t)
{
	/* As in the newest revision, where wrong arguments are an error of the tool and not of the protocol. */
	struct exchange *x = exchange_new(c->front, t, c, who, MCP_2026_07_28, NULL);

	exchange_trace(x, &c->trace);
	TAILQ_INSERT_TAIL(&c->exchanges, x, of_client);
	c->state = CONN_SERVING;
	conn_timer(c, TIMER_NONE);
	request_id_print(x->serial, c->receipt);
	return x;
}

struct exchange *
rest_page_exchange(struct conn *c, struct principal *who)
{
	return rest_exchange(c, who, &page_transport);
}

void
rest_page_call(struct conn *c, struct principal *who, const struct mp_value *params)
{
	struct exchange *x = rest_page_exchange(c, who);

	audit_begin(x, AUDIT_ACTION_TOOL_CALL, params);
	call_gate_pass(x, &rest_call, params);
}

/* result 0: the arguments were read; otherwise e and details say what is wrong with them. */
static void
rest_begin(struct exchange *x, const struct call_kind *kind, struct span tool, int result, struct span args,
    const struct err *e, struct span details)
{
	struct buf params = { .max = 0 };
	struct mp_value value = { .class = MP_NIL };

	mp_put_pairs(&params, mp_str("name", tool), mp_when(result == 0, mp_raw("arguments", args)));
	mp_value(buf_view(&params), &value);
	audit_begin(x, AUDIT_ACTION_TOOL_CALL, &value);
	if (result == 0)
		call_gate_pass(x, kind, &value);
	else
		mcp_tool_error(x, e, details);
	buf_fini(&params);
}

void
rest_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	const struct rest_operation *op = operation_of(c);
	struct exchange *x = rest_exchange(c, who, &rest_transport);
	struct buf args = { .max = 0 }, details = { .max = 0 };
	struct err e = { .code = ERR_NONE };
	int result = read_arguments(op, q, body, &args, &details, &e);

	rest_begin(x, &rest_call, span_str(op->tool), result, buf_view(&args), &e, buf_view(&details));
	buf_fini(&args);
	buf_fini(&details);
}

void
rest_tool_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct exchange *x = rest_exchange(c, who, &rest_transport);
	struct buf args = { .max = 0 }, details = { .max = 0 };
	struct err e = { .code = ERR_NONE };
	size_t before = strlen(REST_PATH REST_TOOLS);
	int result = check_query(q->query, &details, &e);

	if (result == 0)
		result = take_body("{}", body, &args, &e);
	rest_begin(x, &rest_team_call, span_of(q->path.p + before, q->path.len - before), result, buf_view(&args), &e,
	    buf_view(&details));
	buf_fini(&args);
	buf_fini(&details);
}

void
rest_values_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct exchange *x = rest_exchange(c, who, &rest_transport);
	struct buf args = { .max = 0 }, details = { .max = 0 };
	struct err e = { .code = ERR_NONE };
	size_t before = strlen(REST_PATH REST_TOOLS), behind, values = strlen(REST_VALUES);
	const uint8_t *name = q->path.p + before;
	int result = check_query(q->query, &details, &e);

	(void)body;
	for (behind = 0; name[behind] != '/';) /* as the place has it */
		behind++;
	mp_put_pairs(&args,
	    mp_str("parameter", span_of(name + behind + values, q->path.len - before - behind - values)));
	rest_begin(x, &rest_values_call, span_of(name, behind), result, buf_view(&args), &e, buf_view(&details));
	buf_fini(&args);
	buf_fini(&details);
}

void
rest_health(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct front *f = c->front;
	struct http_reply r = { .status = 200, .type = "application/json" };
	struct buf out = { .max = 0 };

	(void)q, (void)who, (void)body;
	json_put_object(&out, NULL);
	json_put_cstr(&out, "status", status_is_well(f) ? "ok" : "degraded");
	json_put_bool(&out, "connectivity_enabled", f->auth.connectivity);
	json_put_cstr(&out, "version", CARREL_VERSION);
	json_end_object(&out);
	conn_reply(c, &r, buf_view(&out));
	buf_fini(&out);
}
