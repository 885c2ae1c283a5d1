#include "workers/telemetry/otlp_spans.h"

#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/json/json_put.h"

/* Values of the enums in opentelemetry/proto/trace/v1/trace.proto. */
#define KIND_INTERNAL	1u
#define KIND_SERVER	2u
#define KIND_CLIENT	3u
#define STATUS_ERROR	2u

struct span_head {
	uint8_t		 trace[16], id[8], parent[8];
	bool		 has_parent;
	const char	*name;
	unsigned	 kind;
	uint64_t	 start_ns, end_ns;	/* Unix */
	struct span	 error;			/* empty: it went well */
};

static void
put_hex(struct buf *out, const char *key, const uint8_t *bytes, size_t n)
{
	char text[65];

	sodium_bin2hex(text, sizeof(text), bytes, n);
	json_put_cstr(out, key, text);
}

void
otlp_spans_put_long(struct buf *out, const char *key, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	json_put_cstr(out, key, text);
}

static void
put_attribute(struct buf *out, const char *key, struct span value)
{
	if (value.len == 0)
		return;
	json_put_object(out, NULL);
	json_put_cstr(out, "key", key);
	json_put_object(out, "value");
	json_put_str(out, "stringValue", value);
	json_end_object(out);
	json_end_object(out);
}

static void
put_count(struct buf *out, const char *key, uint64_t n)
{
	json_put_object(out, NULL);
	json_put_cstr(out, "key", key);
	json_put_object(out, "value");
	otlp_spans_put_long(out, "intValue", n);
	json_end_object(out);
	json_end_object(out);
}

static void
open_span(struct buf *out, const struct span_head *h)
{
	json_put_object(out, NULL);
	put_hex(out, "traceId", h->trace, sizeof(h->trace));
	put_hex(out, "spanId", h->id, sizeof(h->id));
	if (h->has_parent)
		put_hex(out, "parentSpanId", h->parent, sizeof(h->parent));
	json_put_cstr(out, "name", h->name);
	json_put_uint(out, "kind", h->kind);
	otlp_spans_put_long(out, "startTimeUnixNano", h->start_ns);
	otlp_spans_put_long(out, "endTimeUnixNano", h->end_ns);
	json_put_object(out, "status");
	if (h->error.len > 0)
		json_put_uint(out, "code", STATUS_ERROR);
	json_end_object(out);
	json_put_list(out, "attributes");
	put_attribute(out, "error.type", h->error);
}

static void
close_span(struct buf *out)
{
	json_end_list(out);
	json_end_object(out);
}

/* A part of the call: its own span below the call's. */
static struct span_head
begin_part(const struct span_head *call, const char *name, unsigned kind, uint64_t start_ns, uint64_t end_ns)
{
	struct span_head h = *call;

	memcpy(h.parent, call->id, sizeof(h.parent));
	h.has_parent = true;
	randombytes_buf(h.id, sizeof(h.id));
	h.name = name;
	h.kind = kind;
	h.start_ns = start_ns;
	h.end_ns = end_ns > start_ns ? end_ns : start_ns;
	return h;
}

/* The well-known values of db.system.name. */
static const char *
system_of(struct span driver)
{
	return span_is_str(driver, "postgres") || span_is_str(driver, "postgresql") ? "postgresql" :
	    span_is_str(driver, "mysql")                                            ? "mysql" :
	    span_is_str(driver, "mariadb")                                          ? "mariadb" :
	    span_is_str(driver, "sqlite")                                           ? "sqlite" :
	    span_is_str(driver, "duckdb")                                           ? "duckdb" :
										      "other_sql";
}

/*
 * MCP's methods other than tools/call, by the rows of policy/tools.def that serve them.  What they are about (an
 * address of a resource, a name of a prompt) is a caller's text, and left out.
 */
static const struct {
	const char *tool, *method;
} methods[] = {
	{ "complete", "completion/complete" },
	{ "prompt_get", "prompts/get" },
	{ "prompts_list", "prompts/list" },
	{ "resource_read", "resources/read" },
	{ "resource_templates_list", "resources/templates/list" },
	{ "resources_list", "resources/list" },
};

static const char *
method_of(struct span tool)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (span_is_str(tool, methods[i].tool))
			return methods[i].method;
	return NULL;
}

static bool
is_mcp(const struct ipc_observed *m)
{
	return !span_is_str(m->surface, "rest");
}

/* The conventions for MCP, and for REST those for a tool that is executed. */
static void
name_call(const struct ipc_observed *m, char out[96])
{
	const char *method = method_of(m->tool);

	if (is_mcp(m) && method != NULL)
		snprintf(out, 96, "%s", method);
	else
		snprintf(out, 96, "%s %.*s", is_mcp(m) ? "tools/call" : "execute_tool", SPAN_FMT(m->tool));
}

static void
put_call(struct buf *out, const struct ipc_observed *m, const struct span_head *h)
{
	const char *method = method_of(m->tool);

	open_span(out, h);
	if (is_mcp(m))
		put_attribute(out, "mcp.method.name", span_str(method != NULL ? method : "tools/call"));
	if (method == NULL || !is_mcp(m)) {
		put_attribute(out, "gen_ai.tool.name", m->tool);
		put_attribute(out, "gen_ai.operation.name", SPAN("execute_tool"));
	}
	put_attribute(out, "carrel.surface", m->surface);
	put_attribute(out, "carrel.connection", m->connection);
	put_attribute(out, "carrel.outcome", m->outcome);
	put_attribute(out, "carrel.receipt", m->receipt);
	put_attribute(out, "enduser.id", m->principal);
	if (m->has_rows != 0)
		put_count(out, "carrel.rows", m->rows);
	close_span(out);
}

static unsigned
put_worker(struct buf *out, const struct ipc_observed *m, const struct span_head *call, struct span driver)
{
	char name[48], digest[33] = "";
	struct span_head worker, database;
	uint64_t from;

	snprintf(name, sizeof(name), "worker %.*s", SPAN_FMT(m->worker));
	worker =
	    begin_part(call, name, KIND_INTERNAL, m->start_unix_ns + m->worker_from, m->start_unix_ns + m->worker_to);
	open_span(out, &worker);
	put_attribute(out, "carrel.connection", m->connection);
	close_span(out);
	if (m->database_ns == 0 || driver.len == 0)
		return 1;
	/* Of its beginning nothing is known but that it lies within the worker's time. */
	from = m->worker_to - m->worker_from > m->database_ns ? m->worker_to - m->database_ns : m->worker_from;
	database = begin_part(&worker, "query", KIND_CLIENT, m->start_unix_ns + from, m->start_unix_ns + m->worker_to);
	open_span(out, &database);
	put_attribute(out, "db.system.name", span_str(system_of(driver)));
	put_attribute(out, "carrel.connection", m->connection);
	if (m->digest.len == 16)
		sodium_bin2hex(digest, sizeof(digest), m->digest.p, m->digest.len);
	put_attribute(out, "carrel.statement.digest", span_str(digest));
	if (m->has_rows != 0)
		put_count(out, "db.response.returned_rows", m->rows);
	close_span(out);
	return 2;
}

unsigned
otlp_spans_put(struct buf *out, const struct ipc_observed *m, struct span driver)
{
	char name[96];
	struct span_head call = { .kind = KIND_SERVER, .start_ns = m->start_unix_ns,
		.end_ns = m->start_unix_ns + m->end,
		.error = m->code, .has_parent = m->parent.len == 8 };
	struct span_head part;
	unsigned n = 2;

	name_call(m, name);
	call.name = name;
	randombytes_buf(call.id, sizeof(call.id));
	if (m->trace.len == 16)
		memcpy(call.trace, m->trace.p, 16);
	else
		randombytes_buf(call.trace, sizeof(call.trace));
	if (call.has_parent)
		memcpy(call.parent, m->parent.p, 8);
	put_call(out, m, &call);
	call.error = SPAN("");
	part = begin_part(&call, "gateway", KIND_INTERNAL, m->start_unix_ns,
	    m->start_unix_ns + (m->admission_from > 0 ? m->admission_from : m->end));
	open_span(out, &part);
	close_span(out);
	if (m->admission_from > 0) {
		part = begin_part(&call, "admission", KIND_INTERNAL, m->start_unix_ns + m->admission_from,
		    m->start_unix_ns + m->admission_to);
		open_span(out, &part);
		close_span(out);
		n++;
	}
	return m->worker.len == 0 ? n : n + put_worker(out, m, &call, driver);
}

void
otlp_spans_resource(struct buf *out, const struct otlp_service *s)
{
	json_put_object(out, "resource");
	json_put_list(out, "attributes");
	put_attribute(out, "service.name", SPAN("carrel"));
	put_attribute(out, "service.version", SPAN(CARREL_VERSION));
	put_attribute(out, "service.instance.id", s->instance);
	json_end_list(out);
	json_end_object(out);
}

void
otlp_spans_scope(struct buf *out)
{
	json_put_object(out, "scope");
	json_put_cstr(out, "name", "carrel");
	json_end_object(out);
}

void
otlp_spans_request(struct buf *out, const struct otlp_service *s, struct span spans)
{
	json_put_object(out, NULL);
	json_put_list(out, "resourceSpans");
	json_put_object(out, NULL);
	otlp_spans_resource(out, s);
	json_put_list(out, "scopeSpans");
	json_put_object(out, NULL);
	otlp_spans_scope(out);
	json_put_list(out, "spans");
	buf_span(out, spans);
	json_end_list(out);
	json_end_object(out);
	json_end_list(out);
	json_end_object(out);
	json_end_list(out);
	json_end_object(out);
}
