/*
 * mcp_surface.c - resources, prompts and completion: translates MCP's parameters to the call of a
 * worker's row (ipc/surface_calls.h), and the worker's answer to MCP.
 */
#include <stdio.h>
#include <string.h>

#include "base/json/json_write.h"
#include "base/json/json_put.h"
#include "base/system/log.h"
#include "front/mcp/app.h"
#include "front/wire/cursor.h"
#include "front/mcp/elicit.h"
#include "front/mcp/call_gate.h"
#include "front/mcp/exchange.h"
#include "front/mcp/mcp_handlers.h"
#include "front/mcp/mcp_surface.h"
#include "front/mcp/team_call.h"
#include "front/calls/team_values.h"
#include "ipc/surface_calls.h"

#define APP_TTL_MS	3600000	/* the page changes with the program alone */
#define POSITION_ROOM	(SURFACE_POSITION_MAX + 64)

/*
 * The methods, as rows.  A caller without the row's scopes gets an empty list, as in tools/list, and
 * is refused all else.  ttl_ms is how long an answer may be cached, -1 where the revision has no such
 * member.  Every answer is private: it depends on the caller's scopes.
 */
struct surface {
	const char	*row;
	const char	*items;		/* list methods: the result's member that holds the items */
	int		 ttl_ms;
	bool		 finds;		/* a "not found" error is about a resource */
	bool		 asks;		/* the worker may ask the client questions */
	/* Write the worker's arguments to args.  NULL, or what is wrong with params. */
	const char	*(*arguments)(struct exchange *x, const struct mp_value *params, struct buf *args);
};

static const char *list_arguments(struct exchange *x, const struct mp_value *params, struct buf *args);
static const char *read_arguments(struct exchange *x, const struct mp_value *params, struct buf *args);
static const char *prompt_arguments(struct exchange *x, const struct mp_value *params, struct buf *args);
static const char *complete_arguments(struct exchange *x, const struct mp_value *params, struct buf *args);

enum { RESOURCES, TEMPLATES, READ, PROMPTS, GET, COMPLETE };

static const struct surface surfaces[] = {
	[RESOURCES] = { "resources_list", "resources", 10000, false, false, list_arguments },
	[TEMPLATES] = { "resource_templates_list", "resourceTemplates", 300000, false, false, list_arguments },
	[READ]      = { "resource_read", NULL, 0, true, true, read_arguments },
	[PROMPTS]   = { "prompts_list", "prompts", 300000, false, false, list_arguments },
	[GET]       = { "prompt_get", NULL, -1, false, true, prompt_arguments },
	[COMPLETE]  = { "complete", NULL, -1, false, false, complete_arguments },
};

static void
put_caching(const struct exchange *x, const struct surface *s, struct buf *out)
{
	if (mcp_is_modern(x) && s->ttl_ms >= 0) {
		json_put_uint(out, "ttlMs", (uint64_t)s->ttl_ms);
		json_put_cstr(out, "cacheScope", "private");
	}
}

/* Append nextCursor for the position in the list's tail. */
static void
put_cursor(const struct exchange *x, const struct surface *s, struct span tail, struct buf *out)
{
	struct mp_value map;
	struct span next;

	if (s->items == NULL || tail.len == 0 || !mp_value(tail, &map))
		return;
	next = mp_get_str(&map, "next", SPAN_NONE);
	if (next.p == NULL)
		return;
	if (next.len > SURFACE_POSITION_MAX) {
		log_error("%s gave a position of %zu bytes", s->row, next.len);
		return;
	}
	json_put_key(out, "nextCursor");
	buf_byte(out, '"');
	cursor_put(&x->front->cursors, span_str(s->row), span_str(x->who->id), next, out);
	buf_byte(out, '"');
}

static int
code_of(const struct exchange *x, const struct err *err, struct span details)
{
	if (mcp_is_not_ready(err, details) && x->target.surface->finds && !mcp_is_modern(x))
		return RPC_ONTOLOGY_NOT_READY;
	switch (err_http(err->code)) {
	case 404:
	case 409:
		return x->target.surface->finds && !mcp_is_modern(x) ? RPC_RESOURCE_NOT_FOUND : RPC_INVALID_PARAMS;
	case 400:
		return RPC_INVALID_PARAMS;
	default:
		return RPC_INTERNAL;
	}
}

/* The value of data.code; legacy clients know other names for errors about ontologies. */
static const char *
name_of(const struct exchange *x, const struct err *err)
{
	if (mcp_is_modern(x) || !x->target.surface->finds)
		return err_name(err->code);
	return err->code == ERR_ONTOLOGY_NOT_FOUND ? "ONTOLOGY_NOT_FOUND" :
	    err->code == ERR_DATASET_NOT_FOUND     ? "DATASET_NOT_FOUND" :
						     err_name(err->code);
}

/* The missing scopes, which the worker names where the method's own scope does not suffice. */
static uint32_t
scopes_lacking(const struct exchange *x, struct span details)
{
	uint32_t usual = policy_tool(span_str(x->target.surface->row))->scopes;
	struct mp_value map;

	return details.len > 0 && mp_value(details, &map) ? (uint32_t)mp_get_uint(&map, "scopes", usual) : usual;
}

/* {"code", "uri"?, the worker's details…, "request_id"} */
static void
put_data(const struct exchange *x, const struct err *err, struct span details, struct buf *out)
{
	char request_id[REQUEST_ID_MAX];
	struct mp_value map, v;
	struct mp_iter it;
	struct span key;

	json_put_object(out, NULL);
	json_put_cstr(out, "code", name_of(x, err));
	if (x->target.surface->finds) {
		json_put_key(out, "uri");
		json_write_string(out, buf_view(&x->target.subject));
	}
	if (details.len > 0 && mp_value(details, &map) && map.class == MP_MAP) {
		it = mp_iter(&map);
		while (mp_next_pair(&it, &key, &v)) {
			if (span_is_str(key, "code") || span_is_str(key, "uri") || span_is_str(key, "request_id"))
				continue;
			json_put_str(out, NULL, key);
			buf_byte(out, ':');
			json_write(out, &v);
		}
	}
	request_id_print(x->serial, request_id);
	json_put_cstr(out, "request_id", request_id);
	json_end_object(out);
}

static void
on_failed(void *arg, const struct err *err, struct span details)
{
	struct exchange *x = arg;
	struct buf *data = &x->out.details;

	mcp_log_failure(x, err);
	if (err->code == ERR_SCOPE_DENIED) {
		mcp_forbidden(x, scopes_lacking(x, details));
		return;
	}
	x->front->figures.failed++;
	audit_code(x, err->code);
	buf_reset(data, SIZE_MAX);
	put_data(x, err, details, data);
	mcp_error(x, 200, code_of(x, err, details), mcp_public_message(err), buf_view(data));
}

static void
on_done(void *arg, struct tool_result *result)
{
	struct exchange *x = arg;
	struct buf tail = { .max = 0 }, after = { .max = 0 };
	struct err e;

	if (result_is_empty(result)) {
		result_free(result);
		err_set(&e, ERR_INTERNAL, "the worker gave %s no result", x->target.surface->row);
		on_failed(x, &e, SPAN_NONE);
		return;
	}
	result_take_tail(result, &tail);
	put_cursor(x, x->target.surface, buf_view(&tail), &after);
	put_caching(x, x->target.surface, &after);
	mcp_answer_members(x, result, buf_view(&after));
	buf_fini(&tail);
	buf_fini(&after);
}

static void
on_asked(void *arg, const struct ipc_ask *msg)
{
	elicit_client(arg, msg, on_failed);
}

static void
on_ran_as(void *arg, struct span text)
{
	audit_ran_as(arg, text);
}

static const struct sink plain_sink = { .ran_as = on_ran_as, .done = on_done, .failed = on_failed };
static const struct sink asking_sink = { .ran_as = on_ran_as, .asked = on_asked, .done = on_done, .failed = on_failed };

static void
answer_empty(struct exchange *x, const struct surface *s)
{
	struct buf members = { .max = 0 };

	json_put_raw(&members, s->items, SPAN("[]"));
	put_caching(x, s, &members);
	mcp_answer(x, buf_view(&members));
	buf_fini(&members);
}

static bool
find_row(struct exchange *x, const struct mp_value *params)
{
	(void)params;
	x->target.tool = tools_surface(x->front->tools, x->target.surface->row);
	return true; /* a method without its row does not exist */
}

static void
deny_row(struct exchange *x)
{
	if (x->target.surface->items != NULL)
		answer_empty(x, x->target.surface);
	else
		mcp_forbidden(x, x->target.tool->policy->scopes);
}

static void
hold_row(struct exchange *x, const struct held *held)
{
	struct buf *data = &x->out.details;
	struct err e;

	x->front->figures.failed++;
	err_set(&e, held->code, "%s", held->message);
	buf_reset(data, SIZE_MAX);
	put_data(x, &e, SPAN_NONE, data);
	mcp_error_until(x, err_http(held->code), RPC_INTERNAL, held->message, buf_view(data), held->retry_after);
}

static bool
row_arguments(struct exchange *x, const struct mp_value *params, struct call_request *q)
{
	const char *problem;

	buf_reset(&x->target.args, SIZE_MAX);
	problem = x->target.surface->arguments(x, params, &x->target.args);
	if (problem != NULL) {
		mcp_error(x, 200, RPC_INVALID_PARAMS, problem, SPAN_NONE);
		return false;
	}
	q->msg.args = buf_view(&x->target.args);
	q->sink = x->target.surface->asks ? &asking_sink : &plain_sink;
	return true;
}

static const struct call_kind row_call = {
	.find = find_row, .deny = deny_row, .hold = hold_row, .arguments = row_arguments, .failed = on_failed,
};

static void
mcp_surface_call(struct exchange *x, const struct surface *s, const struct mp_value *params)
{
	x->target.surface = s;
	call_gate_pass(x, &row_call, params);
}

static void
put_basic(const struct exchange *x, struct buf *args)
{
	mp_pair_bool(args, "basic", x->revision < MCP_2025_06_18);
}

static const char *
list_arguments(struct exchange *x, const struct mp_value *params, struct buf *args)
{
	struct buf position = { .max = POSITION_ROOM };
	const char *problem = NULL;
	struct mp_value cursor;
	bool goes_on = mp_get(params, "cursor", &cursor);

	if (goes_on &&
	    (cursor.class != MP_STR ||
		!cursor_read(&x->front->cursors, span_str(x->target.surface->row), span_str(x->who->id), cursor.s,
		    &position)))
		problem = "the cursor is not one that this list gave to this caller; begin without one";
	else {
		mp_put_map(args, goes_on ? 3 : 2);
		mp_pair_uint(args, "limit", SURFACE_PAGE_MAX);
		put_basic(x, args);
		if (goes_on)
			mp_pair_str(args, "position", buf_view(&position));
	}
	buf_fini(&position);
	return problem;
}

void
handle_resources_list(struct exchange *x, const struct mp_value *params)
{
	mcp_surface_call(x, &surfaces[RESOURCES], params);
}

void
handle_templates_list(struct exchange *x, const struct mp_value *params)
{
	mcp_surface_call(x, &surfaces[TEMPLATES], params);
}

void
handle_prompts_list(struct exchange *x, const struct mp_value *params)
{
	mcp_surface_call(x, &surfaces[PROMPTS], params);
}

static const char *
read_arguments(struct exchange *x, const struct mp_value *params, struct buf *args)
{
	struct mp_value uri;

	if (!mp_get(params, "uri", &uri) || uri.class != MP_STR || uri.s.len == 0)
		return "\"uri\" must be the URI of a resource; resources/list shows those there are";
	buf_span(&x->target.subject, span_of(uri.s.p, uri.s.len <= SURFACE_URI_MAX ? uri.s.len : 0));
	mp_put_map(args, 2);
	mp_pair_str(args, "uri", uri.s);
	put_basic(x, args);
	return NULL;
}

/* Whether params name the page of charts, which the front itself serves while ask_question is offered. */
static bool
is_app(const struct exchange *x, const struct mp_value *params)
{
	return tools_answers(x->front->tools) && span_is_str(mp_get_str(params, "uri", SPAN_NONE), APP_URI);
}

static void
answer_app(struct exchange *x)
{
	struct buf members = { .max = 0 };

	x->target.surface = &surfaces[READ];
	buf_str(&x->target.subject, APP_URI);
	app_put_content(&members);
	if (mcp_is_modern(x)) {
		json_put_uint(&members, "ttlMs", APP_TTL_MS);
		json_put_cstr(&members, "cacheScope", "public");
	}
	mcp_answer(x, buf_view(&members));
	buf_fini(&members);
}

void
handle_resources_read(struct exchange *x, const struct mp_value *params)
{
	if (is_app(x, params))
		answer_app(x);
	else
		mcp_surface_call(x, &surfaces[READ], params);
}

/* Append a map of strings; the member may be missing from params.  False: not a map of strings. */
static bool
put_texts(struct buf *args, const struct mp_value *from, const char *name)
{
	struct mp_value map, v;
	struct mp_iter it;
	struct span key;

	if (!mp_get(from, name, &map))
		mp_value(MP_EMPTY_MAP, &map);
	if (map.class != MP_MAP)
		return false;
	it = mp_iter(&map);
	while (mp_next_pair(&it, &key, &v))
		if (v.class != MP_STR)
			return false;
	mp_pair_raw(args, "arguments", map.raw);
	return true;
}

static const char *
prompt_arguments(struct exchange *x, const struct mp_value *params, struct buf *args)
{
	struct mp_value name;

	if (!mp_get(params, "name", &name) || name.class != MP_STR)
		return "\"name\" must be the name of a prompt; prompts/list shows those there are";
	mp_put_map(args, 3);
	mp_pair_str(args, "name", name.s);
	if (!put_texts(args, params, "arguments"))
		return "\"arguments\" must be an object whose values are strings";
	put_basic(x, args);
	return NULL;
}

void
handle_prompts_get(struct exchange *x, const struct mp_value *params)
{
	mcp_surface_call(x, &surfaces[GET], params);
}

/* Check ref and argument as the revisions define them.  NULL, or the problem. */
static const char *
complete_arguments(struct exchange *x, const struct mp_value *params, struct buf *args)
{
	static const char *const kinds[][2] = { { "ref/prompt", "name" }, { "ref/resource", "uri" } };
	struct mp_value ref, argument, type, v, context;
	bool known = false;

	(void)x;
	if (!mp_get(params, "ref", &ref) || !mp_get(&ref, "type", &type) || type.class != MP_STR)
		return "\"ref\" must be {type: \"ref/prompt\", name} or {type: \"ref/resource\", uri}";
	for (size_t i = 0; i < 2; i++)
		known |= span_is_str(type.s, kinds[i][0]) && mp_get(&ref, kinds[i][1], &v) && v.class == MP_STR;
	if (!known)
		return "\"ref\" must be {type: \"ref/prompt\", name} or {type: \"ref/resource\", uri}";
	if (!mp_get(params, "argument", &argument) || !mp_get(&argument, "name", &v) || v.class != MP_STR ||
	    !mp_get(&argument, "value", &v) || v.class != MP_STR)
		return "\"argument\" must be {name, value}, both strings";
	mp_put_map(args, 3);
	mp_pair_raw(args, "ref", ref.raw);
	mp_pair_raw(args, "argument", argument.raw);
	mp_put_cstr(args, "context");
	mp_put_map(args, 1);
	if (mp_get(params, "context", &context) && context.class != MP_MAP)
		return "\"context\" must be an object";
	if (!put_texts(args, &context, "arguments"))
		return "\"context.arguments\" must be an object whose values are strings";
	return NULL;
}

/*
 * Values of a parameter of a team's tool: of ref {type: "ref/resource", uri: "SCHEME://tools/NAME/{PARAMETER}"}, with
 * PARAMETER as the argument's name.  False: ref is another one.
 */
static bool
find_tool_ref(const struct exchange *x, const struct mp_value *params, struct span *tool, struct span *parameter)
{
	struct span rest;
	struct mp_value ref;
	const uint8_t *slash;
	char begin[128];
	size_t n = (size_t)snprintf(begin, sizeof(begin), "%s://tools/", x->front->conf.scheme);

	if (!mp_get(params, "ref", &ref) || !span_is_str(mp_get_str(&ref, "type", SPAN_NONE), "ref/resource"))
		return false;
	rest = mp_get_str(&ref, "uri", SPAN_NONE);
	if (n >= sizeof(begin) || rest.len <= n || !span_begins(rest, begin))
		return false;
	rest = span_of(rest.p + n, rest.len - n);
	if ((slash = memchr(rest.p, '/', rest.len)) == NULL)
		return false;
	*tool = span_of(rest.p, (size_t)(slash - rest.p));
	*parameter = span_of(slash + 1, rest.len - tool->len - 1);
	if (parameter->len <= 2 || parameter->p[0] != '{' || parameter->p[parameter->len - 1] != '}')
		return false;
	*parameter = span_of(parameter->p + 1, parameter->len - 2);
	return true;
}

static struct span
argument_of(const struct mp_value *params, const char *member)
{
	struct mp_value argument;

	return mp_get(params, "argument", &argument) ? mp_get_str(&argument, member, SPAN_NONE) : SPAN_NONE;
}

static bool
find_values(struct exchange *x, const struct mp_value *params)
{
	struct span tool, parameter;
	const char *problem = complete_arguments(x, params, &x->target.args);

	if (problem == NULL &&
	    (!find_tool_ref(x, params, &tool, &parameter) || !span_is(argument_of(params, "name"), parameter)))
		problem = "\"argument.name\" must be the variable of the template";
	if (problem == NULL && !team_call_find_values(x, tool, parameter))
		problem = "there is no such tool, or it has no such parameter; tools/list shows those there are";
	if (problem != NULL)
		mcp_error(x, 200, RPC_INVALID_PARAMS, problem, SPAN_NONE);
	return problem == NULL;
}

static void
answer_completion(struct exchange *x, struct tool_result *all, const struct mp_value *listed, struct span typed)
{
	struct buf members = { .max = 0 };

	json_put_object(&members, "completion");
	if (all != NULL)
		team_values_put(all, typed, SURFACE_VALUES_MAX, &members);
	else
		team_values_put_listed(listed, typed, SURFACE_VALUES_MAX, &members);
	json_end_object(&members);
	result_free(all);
	mcp_answer(x, buf_view(&members));
	buf_fini(&members);
}

static void
on_values(void *arg, struct tool_result *all)
{
	struct exchange *x = arg;

	answer_completion(x, all, NULL, buf_view(&x->target.subject));
}

static const struct sink values_sink = { .ran_as = on_ran_as, .done = on_values, .failed = on_failed };

static bool
values_arguments(struct exchange *x, const struct mp_value *params, struct call_request *q)
{
	struct mp_value listed;

	if (x->target.values == NULL) {
		listed = team_call_listed(x, argument_of(params, "name"));
		answer_completion(x, NULL, &listed, argument_of(params, "value"));
		return false;
	}
	buf_reset(&x->target.subject, SIZE_MAX);
	buf_span(&x->target.subject, argument_of(params, "value"));
	team_call_ask_values(x, q, &values_sink);
	return true;
}

static const struct call_kind values_call = {
	.find = find_values, .deny = mcp_deny_tool, .hold = hold_row, .arguments = values_arguments,
	.failed = on_failed,
};

void
handle_complete(struct exchange *x, const struct mp_value *params)
{
	struct span tool, parameter;

	if (find_tool_ref(x, params, &tool, &parameter)) {
		x->target.surface = &surfaces[COMPLETE];
		call_gate_pass(x, &values_call, params);
		return;
	}
	mcp_surface_call(x, &surfaces[COMPLETE], params);
}
