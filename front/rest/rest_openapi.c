/* rest_openapi.c - the OpenAPI document of the REST interface, from the tools that workers announced. */
#include <stdio.h>
#include <string.h>

#include "base/json/document.h"
#include "base/json/json_put.h"
#include "base/utf8.h"
#include "front/calls/export_link.h"
#include "front/http/conn_write.h"
#include "front/rest/rest.h"
#include "front/rest/rest_openapi.h"
#include "web/pages.h"

/* The errors of every operation: the code of the example, and what the status means. */
static const struct {
	const char	*name, *text;
	enum err_code	 code;
} failures[] = {
	{ "Invalid", "The arguments or the statement cannot be served; the message says what to change.",
	    ERR_INVALID_ARGUMENTS },
	{ "Unauthorized", "No token was sent, or it is not valid, revoked or expired.", ERR_AUTH_INVALID },
	{ "Denied", "The token lacks the scope of this operation.", ERR_SCOPE_DENIED },
	{ "NotFound", "There is no such dataset, or none any more.", ERR_DATASET_NOT_FOUND },
	{ "Timeout", "The query took longer than is allowed.", ERR_QUERY_TIMEOUT },
	{ "TooLarge", "One row is larger than a result may be.", ERR_RESULT_TOO_LARGE },
	{ "Limited", "Too many calls; Retry-After says how many seconds to wait.", ERR_RATE_LIMITED },
	{ "Failed", "Something went wrong here; the log has more under the request_id.", ERR_INTERNAL },
	{ "Broken", "The database refused the query, or what served it stopped.", ERR_DATABASE_ERROR },
	{ "Unavailable", "Connectivity is off, or the service cannot answer at the moment.", ERR_SERVICE_UNAVAILABLE },
};

#define DESCRIPTION_MOST	299u		/* bytes, for importers of actions */
#define TOOL_ANSWER		"ToolAnswer"	/* the schema of what the team's tools with statements answer */
#define QUERY_ANSWER		"QueryAnswer"	/* and those with queries */
#define FAILURES	(sizeof(failures) / sizeof(failures[0]))

/* Add {"$ref":"#/components/kind/name"}. */
static void
put_reference(cJSON *parent, const char *key, const char *kind, const char *name)
{
	char at[96];

	snprintf(at, sizeof(at), "#/components/%s/%s", kind, name);
	document_put_text(document_put_object(parent, key), "$ref", at);
}

static void
put_header(cJSON *headers, const char *name)
{
	put_reference(headers, name, "headers", name);
}

/*
 * Append where clients reach this server: as configured, or by the name they used.  A document that is passed on is to
 * name an address, which checkers of documents ask for: localhost is any reader's own machine.
 */
static void
put_server(const struct access *a, struct span host, struct buf *out)
{
	struct buf url = { .max = 0 };

	if (a->public_url != NULL)
		buf_str(&url, a->public_url);
	else if (host.len >= 9 && http_same(span_of(host.p, 9), "localhost") && strcmp(a->host, "127.0.0.1") == 0)
		buf_printf(&url, "http://127.0.0.1%.*s", (int)host.len - 9, (const char *)host.p + 9);
	else
		buf_printf(&url, "http://%.*s", SPAN_FMT(host));
	buf_str(&url, REST_PATH);
	json_put_list(out, "servers");
	json_put_object(out, NULL);
	json_put_str(out, "url", buf_view(&url));
	json_put_cstr(out, "description", "This server");
	json_end_object(out);
	json_end_list(out);
	json_end_object(out);
	buf_fini(&url);
}

/* "ListDatasetsAnswer" of "listDatasets". */
struct schema_name {
	char	text[64];
};

static struct schema_name
schema_name(const struct rest_operation *op, const char *part)
{
	struct schema_name name;

	snprintf(name.text, sizeof(name.text), "%c%s%s", op->id[0] - 0x20, op->id + 1, part);
	return name;
}

static void
put_content(cJSON *parent, const char *schema, const char *example)
{
	cJSON *json = document_put_object(document_put_object(parent, "content"), "application/json");

	put_reference(json, "schema", "schemas", schema);
	document_put_json(json, "example", span_str(example));
}

/* The path's {id} is an argument of the tool, and has the argument's schema. */
static void
put_parameters(cJSON *operation, const struct rest_operation *op, const struct tool_entry *tool)
{
	struct mp_value properties, id;
	cJSON *parameter;

	if (strchr(op->path, '{') == NULL || !mp_get(&tool->input, "properties", &properties) ||
	    !mp_get(&properties, "dataset_id", &id))
		return;
	parameter = document_put_object(document_put_list(operation, "parameters"), NULL);
	document_put_text(parameter, "name", "dataset_id");
	document_put_text(parameter, "in", "path");
	document_put_bool(parameter, "required", true);
	document_put_text(parameter, "description", "The dataset's id, as listDatasets gives it.");
	document_put_value(parameter, "schema", &id);
}

/* content: the media types of the answer. */
static void
put_responses_of(cJSON *operation, void (*put_answer)(cJSON *answer, const void *of), const void *of)
{
	cJSON *responses = document_put_object(operation, "responses");
	cJSON *answer = document_put_object(responses, "200"), *headers;

	document_put_text(answer, "description", "The answer.");
	headers = document_put_object(answer, "headers");
	put_header(headers, "Carrel-Receipt");
	put_header(headers, "RateLimit");
	put_header(headers, "RateLimit-Policy");
	put_answer(answer, of);
	for (size_t i = 0; i < FAILURES; i++) {
		char status[4];

		snprintf(status, sizeof(status), "%d", err_http(failures[i].code));
		put_reference(responses, status, "responses", failures[i].name);
	}
}

static void
put_operation_answer(cJSON *answer, const void *of)
{
	const struct rest_operation *op = of;

	put_content(answer, schema_name(op, "Answer").text, op->answer);
}

/* The team's tools with statements answer alike, and those with queries. */
static const char *
answer_of(const struct tool_entry *tool)
{
	return tool->query.len > 0 ? QUERY_ANSWER : TOOL_ANSWER;
}

static void
put_tool_answer(cJSON *answer, const void *of)
{
	cJSON *json = document_put_object(document_put_object(answer, "content"), "application/json");

	put_reference(json, "schema", "schemas", answer_of(of));
}

/* A tool that holders of tokens may call by its row, not only by a token made for it. */
static bool
is_published(const struct tool_entry *tool)
{
	return (tool->scopes & POLICY_SCOPE_EXT_TOOLS) != 0 && tool_fault(tool) == NULL;
}

static void
put_team_tool(cJSON *paths, const struct tool_entry *tool)
{
	struct buf text = { .max = 0 };
	cJSON *operation, *request;

	buf_printf(&text, REST_TOOLS "%.*s", SPAN_FMT(tool->name));
	operation = document_put_object(document_put_object(paths, buf_cstr(&text)), "post");
	document_put_span(operation, "operationId", tool->name);
	document_put_texts(operation, "tags", "Tools", NULL);
	document_put_span(operation, "summary", tool->title);
	document_put_span(operation, "description",
	    span_of(tool->description.p, utf8_cut(tool->description.p, tool->description.len, DESCRIPTION_MOST)));
	request = document_put_object(operation, "requestBody");
	document_put_bool(request, "required", true);
	document_put_value(document_put_object(document_put_object(request, "content"), "application/json"), "schema",
	    &tool->input);
	put_responses_of(operation, put_tool_answer, tool);
	buf_fini(&text);
}

static void
put_values_answer(cJSON *answer, const void *of)
{
	cJSON *json = document_put_object(document_put_object(answer, "content"), "application/json");
	cJSON *schema = document_put_object(json, "schema"), *properties, *values;

	(void)of;
	document_put_text(schema, "type", "object");
	document_put_texts(schema, "required", "values", "total", "hasMore", NULL);
	properties = document_put_object(schema, "properties");
	values = document_put_object(properties, "values");
	document_put_text(values, "type", "array");
	document_put_text(document_put_object(values, "items"), "type", "string");
	document_put_text(document_put_object(properties, "total"), "type", "integer");
	document_put_text(document_put_object(properties, "hasMore"), "type", "boolean");
}

/* The values that a parameter of a published tool may have for the caller. */
static void
put_tool_values(cJSON *paths, const struct tool_entry *tool, const struct tool_values *values)
{
	struct buf text = { .max = 0 };
	cJSON *operation;

	buf_printf(&text, REST_TOOLS "%.*s" REST_VALUES "%.*s", SPAN_FMT(tool->name), SPAN_FMT(values->parameter));
	operation = document_put_object(document_put_object(paths, buf_cstr(&text)), "get");
	buf_reset(&text, SIZE_MAX);
	buf_printf(&text, "%.*s_%.*s_values", SPAN_FMT(tool->name), SPAN_FMT(values->parameter));
	document_put_text(operation, "operationId", buf_cstr(&text));
	document_put_texts(operation, "tags", "Tools", NULL);
	document_put_text(operation, "summary", "The values of a parameter");
	document_put_span(operation, "description", values->all.description);
	put_responses_of(operation, put_values_answer, NULL);
	buf_fini(&text);
}

/* What a tool answers, and the link to its rows as a file, where results have one. */
static void
put_answer_with_export(cJSON *answer, const struct mp_value *output)
{
	cJSON *all = document_put_list(answer, "allOf"), *more, *link, *properties, *formats;

	document_put_value(all, NULL, output);
	more = document_put_object(all, NULL);
	document_put_text(more, "type", "object");
	link = document_put_object(document_put_object(more, "properties"), "export");
	document_put_text(link, "type", "object");
	document_put_text(link, "description",
	    "By this link the holder of the same token gets the rows as a file: as CSV, or with another of the formats "
	    "as the "
	    "ending of url.");
	document_put_texts(link, "required", "url", "formats", "maxRows", "expiresAt", NULL);
	properties = document_put_object(link, "properties");
	document_put_text(document_put_object(properties, "url"), "type", "string");
	formats = document_put_object(properties, "formats");
	document_put_text(formats, "type", "array");
	document_put_text(document_put_object(formats, "items"), "type", "string");
	document_put_text(document_put_object(properties, "maxRows"), "type", "integer");
	document_put_text(document_put_object(properties, "expiresAt"), "type", "string");
}

static void
put_team_tools(const struct tools *tools, bool exports, cJSON *paths, cJSON *schemas)
{
	const struct tool_entry *tool;

	for (size_t i = 0; (tool = tools_team(tools, i)) != NULL; i++) {
		if (!is_published(tool) || tool->output.class != MP_MAP)
			continue;
		put_team_tool(paths, tool);
		for (size_t k = 0; k < tool->nvalues; k++)
			put_tool_values(paths, tool, &tool->values[k]);
		if (cJSON_HasObjectItem(schemas, answer_of(tool)))
			continue;
		if (exports)
			put_answer_with_export(document_put_object(schemas, answer_of(tool)), &tool->output);
		else
			document_put_value(schemas, answer_of(tool), &tool->output);
	}
}

static void
put_operation(cJSON *paths, const struct rest_operation *op, const struct tool_entry *tool)
{
	size_t before = strcspn(op->path, "{"), behind = before + strcspn(op->path + before, "}");
	struct buf path = { .max = 0 };
	cJSON *operation, *request;

	/* {id} is called as the argument is. */
	buf_append(&path, op->path, before);
	if (op->path[before] != '\0')
		buf_printf(&path, "{dataset_id%s", op->path + behind);
	operation =
	    document_put_object(document_put_object(paths, buf_cstr(&path)), op->method == HTTP_POST ? "post" : "get");
	buf_fini(&path);
	document_put_text(operation, "operationId", op->id);
	document_put_texts(operation, "tags", "Datasets", NULL);
	document_put_text(operation, "summary", op->summary);
	document_put_text(operation, "description", op->text);
	put_parameters(operation, op, tool);
	if (op->request != NULL) {
		request = document_put_object(operation, "requestBody");
		document_put_bool(request, "required", true);
		put_content(request, schema_name(op, "Request").text, op->request);
	}
	put_responses_of(operation, put_operation_answer, op);
}

static void
put_schemas(cJSON *schemas, const struct rest_operation *op, const struct tool_entry *tool, bool exports)
{
	cJSON *answer;

	if (op->request != NULL)
		document_put_value(schemas, schema_name(op, "Request").text, &tool->input);
	if (tool->output.class == MP_MAP && exports && export_link_is_for(tool))
		put_answer_with_export(document_put_object(schemas, schema_name(op, "Answer").text), &tool->output);
	else if (tool->output.class == MP_MAP)
		document_put_value(schemas, schema_name(op, "Answer").text, &tool->output);
	else {
		answer = document_put_object(schemas, schema_name(op, "Answer").text);
		document_put_text(answer, "type", "object");
		document_put_object(answer, "properties");
	}
}

/* One of the responses that all operations share. */
static void
put_failure(cJSON *responses, const char *name, const char *text, enum err_code code)
{
	int status = err_http(code);
	cJSON *response = document_put_object(responses, name), *example = document_new();
	cJSON *headers, *error, *details;
	struct buf json = { .max = 0 };

	document_put_text(response, "description", text);
	headers = document_put_object(response, "headers");
	put_header(headers, "Carrel-Receipt");
	if (status == 429 || status == 503)
		put_header(headers, "Retry-After");
	if (status == 401)
		put_header(headers, "WWW-Authenticate");
	error = document_put_object(example, "error");
	document_put_text(error, "code", err_name(code));
	document_put_text(error, "message", err_text(code));
	details = document_put_object(error, "details");
	if (code == ERR_RATE_LIMITED)
		document_put_uint(details, "retry_after_s", 12);
	document_put_text(example, "request_id", "r-0f5a3c7e-2a");
	document_finish(&json, example);
	put_content(response, "Error", buf_cstr(&json));
	buf_fini(&json);
}

/* web/openapi.json, with the operations whose tools are offered; put_server() makes it whole. */
static void
compose(const struct tools *tools, bool exports, struct buf *out)
{
	cJSON *document = document_read(span_str(web_openapi_json));
	cJSON *paths = cJSON_GetObjectItem(document, "paths");
	cJSON *components = cJSON_GetObjectItem(document, "components");
	cJSON *health = cJSON_DetachItemFromObject(paths, "/health");

	for (size_t i = 0; i < REST_OPERATIONS; i++) {
		const struct rest_operation *op = &rest_operations[i];
		const struct tool_entry *tool = tools_find(tools, span_str(op->tool), 0);

		if (tool != NULL) {
			put_operation(paths, op, tool);
			put_schemas(cJSON_GetObjectItem(components, "schemas"), op, tool, exports);
		}
	}
	put_team_tools(tools, exports, paths, cJSON_GetObjectItem(components, "schemas"));
	cJSON_AddItemToObject(paths, "/health", health); /* the last of them */
	for (size_t i = 0; i < FAILURES; i++)
		put_failure(cJSON_GetObjectItem(components, "responses"), failures[i].name, failures[i].text,
		    failures[i].code);
	document_finish(out, document);
	out->len--; /* the closing brace */
}

void
rest_openapi(struct conn *c, const struct http_request *q, struct principal *who, struct span body)
{
	struct front *f = c->front;
	struct http_reply r = { .status = 200, .type = "application/json" };
	struct buf out = { .max = 0 };

	(void)who, (void)body;
	if (f->openapi.text.len == 0 || f->openapi.changes != tools_changes(f->tools)) {
		f->openapi.changes = tools_changes(f->tools);
		buf_reset(&f->openapi.text, SIZE_MAX);
		compose(f->tools, f->conf.export_rows > 0, &f->openapi.text);
	}
	buf_span(&out, buf_view(&f->openapi.text));
	put_server(&f->access, q->field[HTTP_HOST], &out);
	conn_reply(c, &r, buf_view(&out));
	buf_fini(&out);
}
