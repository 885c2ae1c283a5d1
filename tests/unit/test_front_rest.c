// libs: carrel_front_rig carrel_policy
/* test_front_rest.c - the operations at /api/v1/ext: who may come, and that they answer as the tools do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json/json_read.h"
#include "tests/unit/front_auth.h"
#include "tests/unit/front_worker.h"

#define EXT		"/api/v1/ext"
#define ID		"5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11"
#define NO_SCOPE	"crlmcp_00000000_0123456789abcdef0123456789abcdef"

#define TOOL(name, properties, required)								\
	"{\"name\":\"" name "\",\"title\":\"t\",\"description\":\"d\",\"inputSchema\":"			\
	"{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "],"		\
	"\"additionalProperties\":false},\"outputSchema\":{\"type\":\"object\"},\"hints\":5,"		\
	"\"budgetMs\":30000,\"waits\":false}"
#define TEXT(name, most)										\
	"\"" name "\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":" most ",\"description\":\"x\"}"
#define TOP_K	"\"top_k\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":20,\"description\":\"x\"}"

static const char offered[] = "["
    TOOL("carrel_list_datasets", "", "") ","
    TOOL("carrel_get_schema", TEXT("dataset_id", "64"), "\"dataset_id\"") ","
    TOOL("carrel_search", TEXT("query", "1000") "," TEXT("dataset_id", "64") "," TOP_K, "\"query\"") ","
    TOOL("carrel_sql", TEXT("sql", "4096") "," TEXT("dataset_id", "64"), "\"sql\"") "]";

static struct rig *r;
static int fd;

static int
set_up(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .token = "static-secret", .open_too = true, .auth_failures = 1000,
	    .allowed_origin = "https://app.example" });
	auth_start(r);
	auth_token(r, &(struct played_token){ .text = TOKEN_A, .scopes = POLICY_SCOPES_TOKEN, .keep_ms = 60000 });
	auth_token(r, &(struct played_token){ .text = TOKEN_B, .scopes = POLICY_SCOPES_TOKEN });
	auth_token(r,
	    &(struct played_token){ .text = NO_SCOPE, .scopes = POLICY_SCOPE_RESEARCH_READ, .keep_ms = 60000 });
	rig_offer(r, IPC_SEARCH, offered);
	rig_worker(r, IPC_SEARCH, "");
	rig_sync(r);
	fd = rig_connect(r);
	fake_shared->begun = fake_shared->cancels = 0;
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	close(fd);
	rig_stop(r);
	return 0;
}

static struct reply
ask(const char *method, const char *path, const char *headers, const char *body)
{
	struct buf b = { .max = 0 };
	struct reply a;

	buf_printf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s", method, path, headers);
	if (body != NULL && strstr(headers, "Content-Type") == NULL)
		buf_str(&b, "Content-Type: application/json\r\n");
	if (body != NULL)
		buf_printf(&b, "Content-Length: %zu\r\n", strlen(body));
	buf_printf(&b, "\r\n%s", body != NULL ? body : "");
	rig_send_n(fd, b.p, b.len);
	buf_fini(&b);
	a = strcmp(method, "HEAD") == 0 ? rig_head(fd) : rig_read(fd);
	return a;
}

static struct reply
get(const char *path, const char *headers)
{
	return ask("GET", path, headers, NULL);
}

/* The answer is an envelope with this code, its receipt in the head as well. */
static void
assert_error(struct reply a, int status, const char *code)
{
	char begin[80], end[128], *receipt = rig_header(&a, "Carrel-Receipt");

	assert_non_null(receipt);
	snprintf(begin, sizeof(begin), "{\"error\":{\"code\":\"%s\",\"message\":\"", code);
	snprintf(end, sizeof(end), "},\"request_id\":\"%s\"}", receipt);
	if (a.status != status || strncmp(a.body, begin, strlen(begin)) != 0 ||
	    strstr(a.body, ",\"details\":{") == NULL || strlen(a.body) < strlen(end) ||
	    strcmp(a.body + strlen(a.body) - strlen(end), end) != 0)
		fail_msg("%d and %s, not %d %s (%s)", status, code, a.status, a.body, receipt);
}

static const struct {
	const char *method, *path, *body;
} endpoints[] = {
	{ "GET", EXT "/datasets", NULL },
	{ "GET", EXT "/datasets/" ID "/schema", NULL },
	{ "POST", EXT "/search", "{\"query\":\"one\"}" },
	{ "POST", EXT "/sql", "{\"sql\":\"one\"}" },
};

#define ENDPOINTS	(sizeof(endpoints) / sizeof(endpoints[0]))

/* --- who may come ---------------------------------------------------------------------------- */

/* Off: nothing is there but health, whatever is sent, and nobody is asked whose a token is. */
static void
test_off(void **state)
{
	static const char *const paths[] = { EXT, EXT "/", EXT "/nothing", EXT "/openapi.json", EXT "/datasets/x" };
	static const char *const credentials[] = { "", AS(TOKEN_A), AS(TOKEN_C), AS("static-secret"),
		"Authorization: ?\r\n" };
	struct reply a;

	(void)state;
	auth_say(r, IPC_MSG_CONNECTIVITY, 0, &(struct ipc_connectivity){ .enabled = 0 });
	for (size_t i = 0; i < sizeof(credentials) / sizeof(credentials[0]); i++) {
		for (size_t j = 0; j < ENDPOINTS; j++)
			assert_error(ask(endpoints[j].method, endpoints[j].path, credentials[i], endpoints[j].body),
			    503, "service_unavailable");
		for (size_t j = 0; j < sizeof(paths) / sizeof(paths[0]); j++)
			assert_error(get(paths[j], credentials[i]), 503, "service_unavailable");
	}
	assert_error(ask("OPTIONS", EXT "/sql", "", NULL), 503, "service_unavailable");
	assert_error(ask("DELETE", EXT "/sql", "", NULL), 503, "service_unavailable");
	a = get(EXT "/health", "");
	assert_int_equal(a.status, 200);
	assert_true(strncmp(a.body, "{\"status\":\"", 11) == 0); /* "degraded" where the kernel confines less */
	assert_non_null(strstr(a.body, "\",\"connectivity_enabled\":false,\"version\":\"" CARREL_VERSION "\"}"));
	assert_int_equal(r->auth->verifies, 0);
	assert_int_equal(r->auth->failures, 0);
	auth_say(r, IPC_MSG_CONNECTIVITY, 0, &(struct ipc_connectivity){ .enabled = 1 });
	assert_int_equal(get(EXT "/datasets", AS(TOKEN_A)).status, 200);
	assert_non_null(strstr(get(EXT "/health", AS("wrong")).body, "\"connectivity_enabled\":true"));
	/* Entries that wait for a store which cannot be written make the health bad, until they are written. */
	auth_say(r, IPC_MSG_CONNECTIVITY, 0,
	    &(struct ipc_connectivity){ .enabled = 1, .failing = SPAN("the disk is full") });
	assert_int_equal(get(EXT "/datasets", AS(TOKEN_A)).status, 200);
	assert_non_null(strstr(get(EXT "/health", "").body, "\"status\":\"degraded\""));
	assert_non_null(strstr(get("/health", "").body, "\"reason\":\"the disk is full\""));
	auth_say(r, IPC_MSG_CONNECTIVITY, 0, &(struct ipc_connectivity){ .enabled = 1 });
	assert_int_equal(get(EXT "/datasets", AS(TOKEN_A)).status, 200);
	assert_null(strstr(get("/health", "").body, "the disk is full"));
}

/* Before carrel-auth has said that it is on, it is not. */
static void
test_before_it_is_known(void **state)
{
	(void)state;
	tear_down(NULL);
	r = rig_start(&(struct rig_options){ .token = NULL });
	fd = rig_connect(r);
	assert_error(get(EXT "/datasets", ""), 503, "service_unavailable");
	assert_int_equal(get(EXT "/health", "").status, 200);
}

static void
test_credentials(void **state)
{
	static const struct {
		unsigned verdict;
		int status;
		const char *code;
	} rows[] = {
		{ IPC_VERDICT_REVOKED, 401, "auth_revoked" },
		{ IPC_VERDICT_EXPIRED, 401, "auth_expired" },
		{ IPC_VERDICT_INVALID, 401, "auth_invalid" },
		{ IPC_VERDICT_UNKNOWN, 503, "service_unavailable" },
	};
	struct reply a;

	(void)state;
	for (size_t i = 0; i < ENDPOINTS; i++) {
		/* Not even the owner's own process comes without a token, nor with another kind of credential. */
		a = ask(endpoints[i].method, endpoints[i].path, "", endpoints[i].body);
		assert_error(a, 401, "auth_invalid");
		assert_non_null(strstr(rig_header(&a, "WWW-Authenticate"), "Bearer "));
		assert_error(ask(endpoints[i].method, endpoints[i].path, AS("static-secret"), endpoints[i].body), 401,
		    "auth_invalid");
		assert_int_equal(r->auth->failures, 0);
		assert_int_equal(ask(endpoints[i].method, endpoints[i].path, AS(TOKEN_A), endpoints[i].body).status,
		    200);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auth_set(r, TOKEN_B, rows[i].verdict);
		a = get(EXT "/datasets", AS(TOKEN_B));
		assert_error(a, rows[i].status, rows[i].code);
		assert_int_equal(rig_header(&a, "Retry-After") != NULL, rows[i].status == 503);
	}
	assert_error(get(EXT "/datasets", AS("crlmcp_x_y")), 401, "auth_invalid");
	assert_error(get(EXT "/datasets?access_token=" TOKEN_A, ""), 401, "auth_invalid");
	assert_error(get(EXT "/datasets?access_token=" TOKEN_A, AS(TOKEN_A)), 401, "auth_invalid");
	rig_until(r, &r->auth->failures, 3);
}

static void
test_scope(void **state)
{
	static const char *const scopes[] = { "ext:datasets", "ext:schema", "ext:search", "ext:sql" };
	struct reply a;

	(void)state;
	for (size_t i = 0; i < ENDPOINTS; i++) {
		a = ask(endpoints[i].method, endpoints[i].path, AS(NO_SCOPE), endpoints[i].body);
		assert_error(a, 403, "scope_denied");
		assert_non_null(strstr(rig_header(&a, "WWW-Authenticate"), "error=\"insufficient_scope\""));
		assert_non_null(strstr(rig_header(&a, "WWW-Authenticate"), scopes[i]));
		assert_non_null(strstr(a.body, "\"missing\":[\"ext:"));
	}
}

static void
test_host_and_origin(void **state)
{
	struct reply a;

	(void)state;
	rig_send(fd, "GET " EXT "/health HTTP/1.1\r\nHost: evil.example\r\n\r\n");
	assert_error(rig_read(fd), 403, "forbidden");
	rig_send(fd,
	    "GET " EXT "/datasets HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n" AS(TOKEN_A) "\r\n");
	assert_error(rig_read(fd), 403, "forbidden");
	a = get(EXT "/datasets", AS(TOKEN_A));
	assert_null(rig_header(&a, "Access-Control-Allow-Origin"));
	a = get(EXT "/datasets", AS(TOKEN_A) "Origin: https://app.example\r\n");
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Access-Control-Allow-Origin"), "https://app.example");
	assert_non_null(strstr(rig_header(&a, "Access-Control-Expose-Headers"), "carrel-receipt"));
	a = ask("OPTIONS", EXT "/sql", "Origin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n", NULL);
	assert_int_equal(a.status, 204);
	assert_non_null(rig_header(&a, "Access-Control-Allow-Methods"));
	assert_error(ask("OPTIONS", EXT "/sql", "", NULL), 405, "method_not_allowed");
}

/* --- the same answers as over MCP ------------------------------------------------------------ */

static char *
over_mcp(const char *tool, const char *arguments)
{
	char fields[256], body[8192];
	struct reply a;
	char *begin, *end;

	snprintf(fields, sizeof(fields),
	    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\n" AS(TOKEN_A), tool);
	snprintf(body, sizeof(body), RPC("7", "tools/call", "\"name\":\"%s\",\"arguments\":%s," META), tool, arguments);
	a = rig_post(fd, fields, body);
	assert_int_equal(a.status, 200);
	begin = strstr(a.body, "\"structuredContent\":");
	if (begin == NULL)
		fail_msg("%s", a.body);
	begin += strlen("\"structuredContent\":");
	end = strstr(begin, ",\"isError\":true");
	if (end == NULL)
		end = strstr(begin, ",\"_meta\":{");
	assert_non_null(end);
	return strndup(begin, (size_t)(end - begin));
}

static const struct same {
	const char *method, *path, *body, *tool, *arguments;
	int status;
} same[] = {
	{ "GET", "/datasets", NULL, "carrel_list_datasets", "{}", 200 },
	{ "GET", "/datasets/" ID "/schema", NULL, "carrel_get_schema", "{\"dataset_id\":\"" ID "\"}", 200 },
	{ "GET", "/datasets/%35f3b6c1e%2D8a54%2d4f0b-9a52-0d9e4b7c2f11/schema", NULL, "carrel_get_schema",
	    "{\"dataset_id\":\"" ID "\"}", 200 },
	{ "GET", "/datasets/a%2Fb%20%C3%A9%22/schema", NULL, "carrel_get_schema",
	    "{\"dataset_id\":\"a/b \\u00e9\\\"\"}", 200 },
	{ "GET", "/datasets/fail%20dataset_not_found/schema", NULL, "carrel_get_schema",
	    "{\"dataset_id\":\"fail dataset_not_found\"}", 404 },
	{ "GET", "/datasets/0123456789012345678901234567890123456789012345678901234567890123456789/schema", NULL,
	    "carrel_get_schema",
	    "{\"dataset_id\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}", 400 },
	{ "POST", "/search", "{\"query\":\"rows 3\",\"top_k\":20}", "carrel_search",
	    "{\"query\":\"rows 3\",\"top_k\":20}", 200 },
	{ "POST", "/search", "{\"query\":\"one\",\"top_k\":21}", "carrel_search",
	    "{\"query\":\"one\",\"top_k\":21}", 400 },
	{ "POST", "/search", "{\"query\":\"one\",\"topk\":2}", "carrel_search", "{\"query\":\"one\",\"topk\":2}", 400 },
	{ "POST", "/search", "{}", "carrel_search", "{}", 400 },
	{ "POST", "/sql", "{\"sql\":\"one\"}", "carrel_sql", "{\"sql\":\"one\"}", 200 },
	{ "POST", "/sql", "{\"sql\":\"cells\"}", "carrel_sql", "{\"sql\":\"cells\"}", 200 },
	{ "POST", "/sql", "{\"sql\":\"rows 5000 40\"}", "carrel_sql", "{\"sql\":\"rows 5000 40\"}", 200 },
	{ "POST", "/sql", "{\"sql\":7}", "carrel_sql", "{\"sql\":7}", 400 },
	{ "POST", "/sql", "{\"sql\":\"\"}", "carrel_sql", "{\"sql\":\"\"}", 400 },
};

static char *
without_id(char *text)
{
	char *at = strstr(text, "\"request_id\":\"");

	if (at != NULL)
		*at = '\0';
	return text;
}

static void
check_same(const struct same *s)
{
	char path[512], *mcp = over_mcp(s->tool, s->arguments), *rest;
	struct reply a;

	snprintf(path, sizeof(path), EXT "%s", s->path);
	a = ask(s->method, path, AS(TOKEN_A), s->body);
	rest = strndup(a.body, a.len);
	if (a.status != s->status)
		fail_msg("%s: %d %s", s->path, a.status, rest);
	assert_non_null(rig_header(&a, "Carrel-Receipt"));
	assert_string_equal(rig_header(&a, "Content-Type"), "application/json");
	assert_string_equal(rig_header(&a, "Cache-Control"), "no-store");
	assert_string_equal(without_id(rest), without_id(mcp));
	free(rest);
	free(mcp);
}

static void
test_same_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		check_same(&same[i]);
}

/* Every code of a failed call, with its status. */
static void
test_same_errors(void **state)
{
	static const enum err_code codes[] = {
		ERR_FORBIDDEN_SQL, ERR_INVALID_SQL, ERR_SQL_TOO_LONG, ERR_DATASET_NOT_FOUND, ERR_TABLE_NOT_FOUND,
		ERR_AMBIGUOUS_TABLE, ERR_COLUMN_NOT_FOUND, ERR_QUERY_TIMEOUT, ERR_QUERY_CANCELLED, ERR_RESULT_TOO_LARGE,
		ERR_DATABASE_ERROR, ERR_DATABASE_UNAVAILABLE, ERR_SERVICE_UNAVAILABLE, ERR_BUSY, ERR_QUARANTINED,
		ERR_INTERNAL
	};
	char body[128];

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		snprintf(body, sizeof(body), "{\"sql\":\"fail %s\"}", err_name(codes[i]));
		check_same(&(struct same){ "POST", "/sql", body, "carrel_sql", body, err_http(codes[i]) });
	}
}

/* --- requests that are none ------------------------------------------------------------------ */

static void
test_bad_requests(void **state)
{
	static const char *const bodies[] = { "", "{", "[]", "\"x\"", "null",
		"{\"sql\":\"one\"} x", "{\"sql\":\"one\",\"sql\":\"one\"}",
		"{\"sql\":\"\\ud800\"}", "{\"sql\":\"\xff\"}", "{\"sql\":1e999}" };
	static const struct {
		const char *method, *path, *headers, *body;
		int status;
		const char *code;
	} rows[] = {
		{ "GET", EXT "/datasets?limit=3", "", NULL, 400, "invalid_arguments" },
		{ "GET", EXT "/datasets/" ID "/schema?dataset_id=x", "", NULL, 400, "invalid_arguments" },
		{ "POST", EXT "/sql?sql=one", "", "{\"sql\":\"one\"}", 400, "invalid_arguments" },
		{ "GET", EXT "/datasets/%ff/schema", "", NULL, 400, "invalid_arguments" },
		{ "GET", EXT "/datasets/%C3/schema", "", NULL, 400, "invalid_arguments" },
		{ "POST", EXT "/sql", "Content-Type: text/plain\r\n", "{\"sql\":\"one\"}", 415,
		    "unsupported_media_type" },
		{ "POST", EXT "/datasets", "", "{}", 405, "method_not_allowed" },
		{ "GET", EXT "/sql", "", NULL, 405, "method_not_allowed" },
		{ "DELETE", EXT "/health", "", NULL, 405, "method_not_allowed" },
		{ "GET", EXT, "", NULL, 404, "not_found" },
		{ "GET", EXT "/", "", NULL, 404, "not_found" },
		{ "GET", EXT "/datasets/", "", NULL, 404, "not_found" },
		{ "GET", EXT "/datasets//schema", "", NULL, 404, "not_found" },
		{ "GET", EXT "/datasets/a/b/schema", "", NULL, 404, "not_found" },
		{ "GET", EXT "/%64atasets", "", NULL, 404, "not_found" },
		{ "GET", EXT "/datasets/../datasets", "", NULL, 404, "not_found" },
		{ "GET", EXT "/openapi.json/", "", NULL, 404, "not_found" },
	};
	struct reply a;
	char headers[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		assert_error(ask("POST", EXT "/sql", AS(TOKEN_A), bodies[i]), 400, "invalid_arguments");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(headers, sizeof(headers), AS(TOKEN_A) "%s", rows[i].headers);
		a = ask(rows[i].method, rows[i].path, headers, rows[i].body);
		assert_error(a, rows[i].status, rows[i].code);
		assert_int_equal(rig_header(&a, "Allow") != NULL, rows[i].status == 405);
	}
	assert_error(ask("POST", EXT "/sql", AS(TOKEN_A), NULL), 415, "unsupported_media_type");
	/* What only looks like the interface is none of it. */
	a = get("/api/v1/extra", "");
	assert_int_equal(a.status, 404);
	assert_null(rig_header(&a, "Carrel-Receipt"));
	a = get(EXT "/datasets/%zz/schema", AS(TOKEN_A));
	assert_int_equal(a.status, 400);
}

/* An operation whose tool no worker offers. */
static void
test_not_offered(void **state)
{
	(void)state;
	assert_non_null(strstr(get(EXT "/openapi.json", "").body, "/sql"));
	rig_offer(r, IPC_SEARCH, "[]");
	rig_sync(r);
	for (size_t i = 0; i < ENDPOINTS; i++)
		assert_error(ask(endpoints[i].method, endpoints[i].path, AS(TOKEN_A), endpoints[i].body), 503,
		    "service_unavailable");
	assert_null(strstr(get(EXT "/openapi.json", "").body, "/sql"));
}

/* --- heads ------------------------------------------------------------------------------------ */

static void
test_quota(void **state)
{
	struct reply a;

	(void)state;
	a = get(EXT "/datasets", AS(TOKEN_A));
	assert_null(rig_header(&a, "RateLimit"));
	r->auth->limit = 30;
	r->auth->remaining = 29;
	a = get(EXT "/datasets", AS(TOKEN_A));
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "RateLimit"), "\"token\";r=29;t=42");
	assert_string_equal(rig_header(&a, "RateLimit-Policy"), "\"token\";q=30;w=60");
	a = get(EXT "/health", ""); /* on the same connection, of nobody's quota */
	assert_null(rig_header(&a, "RateLimit"));
	r->auth->admission = IPC_ADMISSION_RATE;
	r->auth->retry_after = 7;
	r->auth->remaining = 0;
	for (size_t i = 0; i < ENDPOINTS; i++) {
		a = ask(endpoints[i].method, endpoints[i].path, AS(TOKEN_A), endpoints[i].body);
		assert_error(a, 429, "rate_limited");
		assert_string_equal(rig_header(&a, "Retry-After"), "7");
		assert_string_equal(rig_header(&a, "RateLimit"), "\"token\";r=0;t=42");
		assert_non_null(strstr(a.body, "\"retry_after_s\":7"));
	}
	assert_int_equal(r->auth->sql, 1);
	r->auth->admission = IPC_ADMISSION_ENDED;
	assert_error(get(EXT "/datasets", AS(TOKEN_A)), 401, "auth_revoked");
}

static void
test_head(void **state)
{
	struct reply a;

	(void)state;
	a = ask("HEAD", EXT "/datasets", AS(TOKEN_A), NULL);
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Content-Length"), "11"); /* {"args":{}} */
	a = ask("HEAD", EXT "/datasets/fail%20dataset_not_found/schema", AS(TOKEN_A), NULL);
	assert_int_equal(a.status, 404);
	a = ask("HEAD", EXT "/datasets", "", NULL);
	assert_int_equal(a.status, 401);
	a = ask("HEAD", EXT "/openapi.json", "", NULL);
	assert_int_equal(a.status, 200);
	/* nothing of the bodies was sent */
	assert_string_equal(get(EXT "/datasets", AS(TOKEN_A)).body, "{\"args\":{}}");
}

static void
test_on_record(void **state)
{
	struct reply a;
	const char *entry;
	char receipt[128];

	(void)state;
	a = ask("POST", EXT "/sql", AS(TOKEN_A), "{\"sql\":\"rows 3\"}");
	snprintf(receipt, sizeof(receipt), "\"receipt\":\"%s\"", rig_header(&a, "Carrel-Receipt"));
	entry = auth_entry(r, 1);
	assert_non_null(strstr(entry, receipt));
	assert_non_null(strstr(entry, "\"surface\":\"rest\",\"action\":\"mcp.tool.call\",\"target\":\"carrel_sql\""));
	assert_non_null(strstr(entry, "\"statement\":\"rows 3\""));
	assert_non_null(strstr(entry, "\"outcome\":\"ok\""));
	/* a refused credential, and arguments that are none */
	a = get(EXT "/datasets", "");
	snprintf(receipt, sizeof(receipt), "\"receipt\":\"%s\"", rig_header(&a, "Carrel-Receipt"));
	entry = auth_entry(r, 2);
	assert_non_null(strstr(entry, receipt));
	assert_non_null(strstr(entry, "\"surface\":\"rest\",\"action\":\"auth\",\"target\":\"" EXT "/datasets\""));
	a = get(EXT "/datasets?x", AS(TOKEN_A));
	snprintf(receipt, sizeof(receipt), "\"receipt\":\"%s\"", rig_header(&a, "Carrel-Receipt"));
	entry = auth_entry(r, 3);
	assert_non_null(strstr(entry, receipt));
	assert_non_null(strstr(entry, "\"code\":\"invalid_arguments\""));
}

/* --- ends --------------------------------------------------------------------------------------- */

static void
test_client_leaves(void **state)
{
	(void)state;
	rig_send(fd,
	    "POST " EXT "/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" AS(
		TOKEN_A) "Content-Length: 14\r\n\r\n{\"sql\":\"wait\"}");
	rig_until(r, &fake_shared->begun, 1);
	close(fd);
	rig_until(r, &fake_shared->cancels, 1);
	assert_int_equal(fake_shared->cancels, 1);
	fd = rig_connect(r);
	assert_int_equal(get(EXT "/datasets", AS(TOKEN_A)).status, 200);
}

static void
test_token_ends(void **state)
{
	(void)state;
	rig_send(fd,
	    "POST " EXT "/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" AS(
		TOKEN_A) "Content-Length: 14\r\n\r\n{\"sql\":\"wait\"}");
	rig_until(r, &fake_shared->begun, 1);
	auth_say(r, IPC_MSG_END, 1, &(struct ipc_end){ .principal = SPAN("token:aaaaaaaa"),
	    .verdict = IPC_VERDICT_REVOKED });
	assert_error(rig_read(fd), 401, "auth_revoked");
	rig_until(r, &fake_shared->cancels, 1);
}

/* --- the document ------------------------------------------------------------------------------- */

static void
member(const struct mp_value *of, const char *name, struct mp_value *out)
{
	if (!mp_get(of, name, out))
		fail_msg("no member %s", name);
}

static void
check_operation(const struct mp_value *paths, const char *path, const char *method)
{
	struct mp_value item, op, v;

	member(paths, path, &item);
	member(&item, method, &op);
	member(&op, "operationId", &v);
	member(&op, "description", &v);
	assert_true(v.s.len > 40 && v.s.len < 300);
	member(&op, "responses", &v);
	member(&v, "200", &item);
	member(&v, "401", &item);
	member(&v, "429", &item);
	member(&v, "503", &item);
}

static void
test_openapi(void **state)
{
	struct buf parsed = { .max = 0 };
	struct mp_value doc, paths, v, server;
	struct mp_iter it;
	struct reply a = get(EXT "/openapi.json", AS("wrong")); /* needs none, so none is looked at */
	char *text = strndup(a.body, a.len);
	size_t at;

	(void)state;
	assert_int_equal(a.status, 200);
	assert_non_null(rig_header(&a, "Carrel-Receipt"));
	assert_int_equal(json_read(span_str(text), &parsed, &at), JSON_OK);
	assert_true(mp_value(buf_view(&parsed), &doc));
	member(&doc, "openapi", &v);
	assert_true(span_is_str(v.s, "3.1.0"));
	member(&doc, "servers", &v);
	it = mp_iter(&v);
	assert_true(mp_next(&it, &server));
	member(&server, "url", &v);
	assert_true(span_is_str(v.s, "http://127.0.0.1" EXT));
	member(&doc, "paths", &paths);
	check_operation(&paths, "/datasets", "get");
	check_operation(&paths, "/datasets/{dataset_id}/schema", "get");
	check_operation(&paths, "/search", "post");
	check_operation(&paths, "/sql", "post");
	member(&paths, "/health", &v);
	assert_string_equal(get(EXT "/openapi.json", "").body, text); /* kept */
	free(text);
	buf_fini(&parsed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_off),
		TEST(test_before_it_is_known),
		TEST(test_credentials),
		TEST(test_scope),
		TEST(test_host_and_origin),
		TEST(test_same_answers),
		TEST(test_same_errors),
		TEST(test_bad_requests),
		TEST(test_not_offered),
		TEST(test_quota),
		TEST(test_head),
		TEST(test_on_record),
		TEST(test_client_leaves),
		TEST(test_token_ends),
		TEST(test_openapi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
