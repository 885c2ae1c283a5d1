#include "front/mcp/team_call.h"

#include "base/json/json_write.h"
#include "front/calls/router.h"
#include "front/calls/team_arguments.h"
#include "front/calls/team_values.h"
#include "front/team_check.h"

/* The values of the call, out of the message for the tool's worker. */
static struct mp_value
arguments_of(const struct exchange *x)
{
	struct mp_value message, arguments = { .class = MP_NIL };

	if (mp_value(buf_view(&x->target.args), &message))
		mp_get(&message, "arguments", &arguments);
	return arguments;
}

/* The value that is to be looked up, of x->target.values[x->target.looked_up] or a later one.  False: no more. */
static bool
find_value(struct exchange *x, struct mp_value *value)
{
	const struct tool_entry *tool = x->target.tool;
	struct mp_value arguments = arguments_of(x);

	for (; x->target.looked_up < tool->nvalues; x->target.looked_up++) {
		x->target.values = &tool->values[x->target.looked_up];
		if (mp_member(&arguments, x->target.values->parameter, value) && value->class != MP_NIL)
			return true;
	}
	return false;
}

/* x->out.details has the message until the router has copied it. */
static void
ask_values(struct exchange *x, const struct tool_entry *query, const struct mp_value *value, const struct sink *sink,
    struct call_request *q)
{
	buf_reset(&x->out.details, SIZE_MAX);
	team_values_put_call(query, value, &x->out.details);
	q->tool = query;
	q->msg.args = buf_view(&x->out.details);
	q->msg.connection = query->connection;
	q->sink = sink;
}

static void
start_next(struct exchange *x, struct call_request *q)
{
	struct mp_value params;

	mp_value(MP_EMPTY_MAP, &params);
	x->target.way->start(x, &params, q);
}

/* The query has ended; another call of the exchange begins. */
static void
end_query(struct exchange *x)
{
	if (x->stage == EXCHANGE_CALLING)
		(void)exchange_end_call(x);
}

static void
on_ran_as(void *arg, struct span text)
{
	audit_ran_as(arg, text);
}

static void go_on(struct exchange *x);

/* Another of the tool's values, or the same one in other letters, may be there since. */
static void
on_all(void *arg, struct tool_result *result)
{
	struct exchange *x = arg;
	struct mp_value arguments = arguments_of(x), value;
	struct schema_result issues;
	bool have = mp_member(&arguments, x->target.values->parameter, &value) &&
	    team_values_have(result, x->target.values, &value, &issues);

	result_free(result);
	end_query(x);
	if (have) {
		x->target.looked_up++;
		go_on(x);
	} else
		x->target.way->refuse(x, x->target.tool, &arguments, &issues);
}

static void
on_all_failed(void *arg, const struct err *err, struct span details)
{
	const struct exchange *x = arg;

	x->target.way->sink->failed(arg, err, details);
}

static const struct sink all_sink = { .ran_as = on_ran_as, .done = on_all, .failed = on_all_failed };

static void
ask_all_values(struct exchange *x)
{
	struct call_request q = { .tool = NULL };

	end_query(x);
	ask_values(x, &x->target.values->all, NULL, &all_sink, &q);
	start_next(x, &q);
}

static void
on_one(void *arg, struct tool_result *result)
{
	struct exchange *x = arg;
	struct result_facts facts;
	bool have = result_facts(result, &facts) && facts.rows > 0;

	result_free(result);
	if (!have) {
		ask_all_values(x);
		return;
	}
	end_query(x);
	x->target.looked_up++;
	go_on(x);
}

/* An enumeration of the database, for example, cannot be compared with a text that is no value of it. */
static void
on_one_failed(void *arg, const struct err *err, struct span details)
{
	if (err->code == ERR_DATABASE_ERROR || err->code == ERR_INVALID_SQL)
		ask_all_values(arg);
	else
		on_all_failed(arg, err, details);
}

static const struct sink one_sink = { .ran_as = on_ran_as, .done = on_one, .failed = on_one_failed };

/* The next query for a value, or the tool itself. */
static void
prepare_next(struct exchange *x, struct call_request *q)
{
	struct mp_value value;

	if (find_value(x, &value)) {
		ask_values(x, &x->target.values->one, &value, &one_sink, q);
		return;
	}
	q->tool = x->target.tool;
	q->msg.args = buf_view(&x->target.args);
	q->msg.connection = x->target.tool->connection;
	q->sink = x->target.way->sink;
}

static void
go_on(struct exchange *x)
{
	struct call_request q = { .tool = NULL };

	prepare_next(x, &q);
	start_next(x, &q);
}

/*
 * The tool's worker gets its name, the arguments, and the scope of the row behind it.  The audit has the arguments
 * where it has a statement of others.
 */
static void
wrap_arguments(struct exchange *x, const struct mp_value *args)
{
	const struct tool_entry *tool = x->target.tool;
	struct buf text = { .max = 0 }, message = { .max = 0 };

	json_write(&text, args);
	audit_statement(x, tool->connection, buf_view(&text));
	buf_fini(&text);
	team_arguments_put_call(tool, args->raw, false, &message);
	buf_fini(&x->target.args); /* which held args */
	x->target.args = message;
}

/* A tool whose statement cannot be run is refused, save for the owner's command line, which tries it. */
bool
team_call_arguments(struct exchange *x, const struct mp_value *args, const struct team_call_way *way,
    struct call_request *q)
{
	const struct tool_entry *tool = x->target.tool;
	const char *fault = tool_fault(tool);
	struct err e;

	if (fault != NULL)
		team_check_one(x->front, tool); /* the statement may have become valid since */
	if (fault == NULL || x->who->kind == PRINCIPAL_CLI) {
		wrap_arguments(x, args);
		x->target.way = way;
		x->target.looked_up = 0;
		prepare_next(x, q);
		return true;
	}
	err_set(&e, ERR_SERVICE_UNAVAILABLE,
	    "The tool %.*s cannot be served as it is configured: %.400s (its owner mends its statement; `carrel tool "
	    "try "
	    "%.*s` tries it)",
	    SPAN_FMT(tool->name), fault, SPAN_FMT(tool->name));
	mcp_tool_error(x, &e, SPAN_NONE);
	return false;
}

/* The parameter's schema. */
static bool
find_parameter(const struct tool_entry *tool, struct span parameter, struct mp_value *schema)
{
	struct mp_value properties;

	return mp_get(&tool->input, "properties", &properties) && mp_member(&properties, parameter, schema);
}

bool
team_call_find_values(struct exchange *x, struct span tool, struct span parameter)
{
	const struct tool_entry *found = tools_team_named(x->front->tools, tool);
	struct buf params = { .max = 0 };
	struct mp_value v, schema;
	size_t map = mp_open_map(&params), name;

	mp_put_cstr(&params, "name");
	name = mp_open_str(&params);
	buf_printf(&params, "%.*s.%.*s", SPAN_FMT(tool), SPAN_FMT(parameter));
	mp_close_str(&params, name);
	mp_end(&params, map);
	if (mp_value(buf_view(&params), &v))
		audit_begin(x, AUDIT_ACTION_TOOL_CALL, &v);
	buf_fini(&params);
	x->target.tool = found;
	x->target.values = found == NULL ? NULL : tool_values_of(found, parameter);
	return found != NULL && find_parameter(found, parameter, &schema);
}

struct mp_value
team_call_listed(const struct exchange *x, struct span parameter)
{
	struct mp_value schema, listed = { .class = MP_NIL };

	if (find_parameter(x->target.tool, parameter, &schema))
		mp_get(&schema, "enum", &listed);
	return listed;
}

void
team_call_ask_values(struct exchange *x, struct call_request *q, const struct sink *sink)
{
	audit_statement(x, x->target.tool->connection, x->target.values->dimension);
	ask_values(x, &x->target.values->all, NULL, sink, q);
}
