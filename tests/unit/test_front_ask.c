// libs: carrel_front_rig
/* test_front_ask.c - a worker asks the client in the middle of a call; its notices and content blocks. */
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "base/text/b64.h"
#include "base/system/clock.h"
#include "base/json/json_read.h"
#include "base/json/json_schema.h"
#include "tests/unit/front_rig.h"

#define TOOLS	"[{\"name\":\"wiki_read\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\","		\
	"\"properties\":{\"key\":{\"type\":\"string\"}},\"required\":[\"key\"]},\"hints\":1,\"budgetMs\":10000},"	\
	"{\"name\":\"discover_data\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},\"hints\":1,\"budgetMs\":10000}]"

static struct rig *r;
static int fd, other;

static int
begin(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	rig_offer(r, IPC_SEARCH, TOOLS);
	rig_worker(r, IPC_SEARCH, "");
	fd = rig_connect(r);
	other = rig_connect(r);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	close(fd);
	close(other);
	rig_stop(r);
	return 0;
}

/* --- modern ------------------------------------------------------------------------------------ */

#define ALL	"\"elicitation\":{},\"sampling\":{},\"roots\":{}"

/* Call wiki_read with key, client capabilities, and what a retry adds to params. */
static struct reply
call(const char *key, const char *caps, const char *more)
{
	struct buf body = { .max = 0 };
	struct reply a;

	buf_printf(&body,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wiki_read\","
	    "\"arguments\":{\"key\":\"%s\"}%s,\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{%s}}}}",
	    key, more, caps);
	a = rig_post(fd, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: wiki_read\r\n",
	    buf_cstr(&body));
	buf_fini(&body);
	return a;
}

/* The requestState of an answer; until the next one. */
static const char *
state_of(const struct reply *a)
{
	static char text[1024];
	const char *p = strstr(a->body, "\"requestState\":\"");

	assert_non_null(p);
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(p + 16, "\""), p + 16);
	return text;
}

static const char *
retry_with(const char *responses, const char *request_state)
{
	static char text[2048];

	snprintf(text, sizeof(text), ",\"inputResponses\":%s,\"requestState\":\"%s\"", responses, request_state);
	return text;
}

static void
test_input_required(void **state)
{
	struct reply a = call("ask elicit 1", ALL, "");
	char first[1024];

	(void)state;
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"resultType\":\"input_required\"");
	assert_holds(a.body,
	    "\"inputRequests\":{\"q0\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\"}}}");
	assert_lacks(a.body, "ttlMs");
	snprintf(first, sizeof(first), "%s", state_of(&a));
	/* what is no answer, or answers something else, is asked for again; with another state */
	a = call("ask elicit 1", ALL, retry_with("{\"q1\":{\"action\":\"accept\"}}", first));
	assert_holds(a.body, "\"inputRequests\":{\"q0\"");
	assert_string_not_equal(state_of(&a), first);
	a = call("ask elicit 1", ALL, retry_with("{\"q0\":12345}", first));
	assert_holds(a.body, "input_required");
	a = call("ask elicit 1", ALL, retry_with("null", first));
	assert_holds(a.body, "input_required");
	a = call("ask elicit 1", ALL, retry_with("[]", first));
	assert_holds(a.body, "input_required");
	a = call("ask elicit 1", ALL, retry_with("{\"q0\":{\"action\":\"accept\"}}", first));
	assert_holds(a.body, "\"structuredContent\":{\"answers\":{\"q0\":{\"action\":\"accept\"}},\"state\":\"kept\"}");
	assert_holds(a.body, "\"resultType\":\"complete\"");
}

static void
assert_refused(struct reply a)
{
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"error\":{\"code\":-32602");
	assert_lacks(a.body, "inputRequests");
}

static void
test_state_is_bound(void **state)
{
	struct reply a = call("ask elicit 1", ALL, "");
	char good[1024], bad[1100];

	(void)state;
	snprintf(good, sizeof(good), "%s", state_of(&a));
	/* every character counts, and nothing may follow */
	for (size_t i = 0; i < strlen(good); i += 7) {
		snprintf(bad, sizeof(bad), "%s", good);
		bad[i] = bad[i] == 'A' ? 'B' : 'A';
		assert_refused(call("ask elicit 1", ALL, retry_with("{\"q0\":{}}", bad)));
	}
	snprintf(bad, sizeof(bad), "%s-TAMPERED", good);
	assert_refused(call("ask elicit 1", ALL, retry_with("{\"q0\":{}}", bad)));
	snprintf(bad, sizeof(bad), "%s=", good);
	assert_refused(call("ask elicit 1", ALL, retry_with("{\"q0\":{}}", bad)));
	bad[strlen(good) / 2] = '\0';
	assert_refused(call("ask elicit 1", ALL, retry_with("{\"q0\":{}}", bad)));
	assert_refused(call("ask elicit 1", ALL, retry_with("{\"q0\":{}}", "")));
	assert_refused(call("ask elicit 1", ALL, ",\"requestState\":7"));
	/* it belongs to these arguments */
	assert_refused(call("ask elicit 2", ALL, retry_with("{\"q0\":{},\"q1\":{}}", good)));
	a = call("ask elicit 1", ALL, retry_with("{\"q0\":{}}", good));
	assert_holds(a.body, "\"resultType\":\"complete\"");
}

/* The state good, signed as elicit.c does it, but valid until `until` (0: as long as good), for who, tool, args. */
static const char *
forge_state(const char *good, uint64_t until, const char *who, const char *tool, const char *args)
{
	static const char purpose[] = "carrel request state 1";
	static char text[1024];
	uint8_t key[32], derived[32];
	struct buf raw = { .max = 0 }, out = { .max = 0 }, packed = { .max = 0 };
	struct span parts[] = { SPAN(""), span_str(who), span_str(tool), SPAN("") };
	crypto_auth_hmacsha256_state mac;
	size_t at;

	assert_true(b64url_decode(&raw, span_str(good)) && raw.len > 17 + 32);
	assert_int_equal(json_read(span_str(args), &packed, &at), JSON_OK);
	parts[3] = buf_view(&packed);
	memset(key, 7, sizeof(key));
	crypto_auth_hmacsha256(derived, (const uint8_t *)purpose, sizeof(purpose) - 1, key);
	for (unsigned i = 0; until != 0 && i < 8; i++)
		raw.p[1 + i] = (uint8_t)(until >> (56 - 8 * i));
	crypto_auth_hmacsha256_init(&mac, derived, sizeof(derived));
	for (size_t i = 0; i < 4; i++) {
		struct span part = i == 0 ? span_of(raw.p, raw.len - 32) : parts[i];
		uint64_t len = htobe64(part.len);

		crypto_auth_hmacsha256_update(&mac, (const uint8_t *)&len, sizeof(len));
		crypto_auth_hmacsha256_update(&mac, part.p, part.len);
	}
	crypto_auth_hmacsha256_final(&mac, raw.p + raw.len - 32);
	b64url_encode(&out, buf_view(&raw));
	snprintf(text, sizeof(text), "%s", buf_cstr(&out));
	buf_fini(&packed);
	buf_fini(&raw);
	buf_fini(&out);
	return text;
}

/* What is signed, piece by piece: only all of it together is taken, and only for ten minutes. */
static void
test_state_of_others_and_of_old(void **state)
{
	static const char own[] = "{\"key\":\"ask elicit 1\"}", others[] = "{\"key\":\"ask elicit 2\"}";
	static const struct {
		const char *who, *tool, *args, *says; /* who NULL: whoever asks; says NULL: it is taken */
		int64_t seconds;                      /* that it is valid still; 0: as it was given out */
	} cases[] = {
		{ NULL, "wiki_read", own, NULL, 0 },
		{ NULL, "wiki_read", own, NULL, 0 }, /* an answer that was lost may be asked for again */
		{ NULL, "wiki_read", own, NULL, 300 },
		{ NULL, "wiki_read", own, "has expired; make the request again", -1 },
		{ NULL, "wiki_read", own, "has expired; make the request again", -600 },
		{ NULL, "wiki_read", others, "not one that was given out for this request", 300 },
		{ NULL, "ask_question", own, "not one that was given out for this request", 300 },
		{ "local:4000000000", "wiki_read", own, "not one that was given out for this request", 300 },
		{ "", "wiki_read", own, "not one that was given out for this request", 300 },
	};
	char who[32], good[1024];
	struct reply a = call("ask elicit 1", ALL, "");
	uint64_t now = clock_unix_ms() / 1000, until = 0;
	struct buf raw = { .max = 0 };

	(void)state;
	snprintf(who, sizeof(who), "local:%u", (unsigned)getuid());
	snprintf(good, sizeof(good), "%s", state_of(&a));
	assert_true(b64url_decode(&raw, span_str(good)));
	for (unsigned i = 1; i < 9; i++)
		until = until << 8 | raw.p[i];
	buf_fini(&raw);
	assert_in_range(until, now + 540, now + 600);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *forged =
		    forge_state(good, cases[i].seconds == 0 ? 0 : (uint64_t)((int64_t)now + cases[i].seconds),
			cases[i].who != NULL ? cases[i].who : who, cases[i].tool, cases[i].args);

		if (cases[i].seconds == 0)
			assert_string_equal(forged, good);
		a = call("ask elicit 1", ALL, retry_with("{\"q0\":{}}", forged));
		if (cases[i].says == NULL) {
			assert_holds(a.body, "\"resultType\":\"complete\"");
			continue;
		}
		assert_refused(a);
		assert_holds(a.body, cases[i].says);
	}
}

static void
test_state_is_its_principals(void **state)
{
	static const char before[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"wiki_read\","
	    "\"arguments\":{\"key\":\"ask elicit 1\"},\"inputResponses\":{\"q0\":{}},\"requestState\":\"";
	static const char after[] = "\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
				    "\"io.modelcontextprotocol/clientCapabilities\":{" ALL "}}}}\n";
	struct reply a = call("ask elicit 1", ALL, "");
	int line = rig_local(r);
	char text[2048];

	(void)state;
	snprintf(text, sizeof(text), "%s%s%s", before, state_of(&a), after);
	/* the command line's user is another principal than a client on loopback */
	rig_send(line, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"carrel/hello\",\"params\":{\"client\":\"cli\"}}\n");
	assert_holds(rig_line(line), "cli:");
	rig_send(line, text);
	assert_holds(rig_line(line), "-32602");
	close(line);
}

static void
test_capabilities(void **state)
{
	static const struct {
		const char *key, *caps, *missing;
	} rows[] = {
		{ "ask elicit 1", "", "{\"elicitation\":{\"form\":{}}}" },
		{ "ask elicit 1", "\"sampling\":{}", "{\"elicitation\":{\"form\":{}}}" },
		{ "ask elicit 1", "\"elicitation\":{\"url\":{}}", "{\"elicitation\":{\"form\":{}}}" },
		{ "ask url 1", "\"elicitation\":{}", "{\"elicitation\":{\"url\":{}}}" },
		{ "ask sample 1", "\"elicitation\":{}", "{\"sampling\":{}}" },
		{ "ask roots 2", ALL, NULL },
		{ "ask sample 1", ALL, NULL },
		{ "ask url 1", "\"elicitation\":{\"form\":{},\"url\":{}}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply a = call(rows[i].key, rows[i].caps, "");

		assert_int_equal(a.status, rows[i].missing == NULL ? 200 : 400);
		if (rows[i].missing == NULL) {
			assert_holds(a.body, "input_required");
			continue;
		}
		assert_holds(a.body, "\"id\":1");
		assert_holds(a.body, "\"code\":-32021");
		assert_holds(a.body, rows[i].missing);
	}
	/* a worker may not make the client call tools */
	assert_holds(call("ask odd 1", ALL, "").body, "internal_error");
	assert_holds(call("ask roots 17", ALL, "").body, "internal_error");
}

/* --- legacy --------------------------------------------------------------------------------------- */

static char session[128];

static const char *
open_session(const char *caps)
{
	char body[512];
	struct reply a;

	snprintf(body, sizeof(body),
	    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
	    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{%s},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}"
	    "}}",
	    caps);
	a = rig_post(other, "", body);
	assert_int_equal(a.status, 200);
	snprintf(session, sizeof(session), "Mcp-Session-Id: %s\r\n", rig_header(&a, "Mcp-Session-Id"));
	return session;
}

/* Begin the call; its answer is a stream. */
static void
start(const char *key)
{
	char body[512], head[1024];

	snprintf(body, sizeof(body),
	    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{"
	    "\"name\":\"wiki_read\",\"arguments\":{\"key\":\"%s\"}}}",
	    key);
	snprintf(head, sizeof(head),
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json, text/event-stream\r\n%sContent-Length: %zu\r\n\r\n",
	    session, strlen(body));
	rig_send(fd, head);
	rig_send(fd, body);
}

/* The next message of the stream: what is no message is passed over. */
static const char *
next_message(void)
{
	const char *event, *data;

	for (;;) {
		event = rig_event(fd);
		if (event[0] == '\0')
			return event;
		if ((data = strstr(event, "data: {")) != NULL)
			return data + 6;
	}
}

/* The id of a request of the front's; until the next one. */
static const char *
id_of(const char *request)
{
	static char ids[4][64];
	static unsigned turn;
	char *id = ids[turn++ % 4];
	const char *p = strstr(request, "\"id\":\"");

	if (p == NULL)
		fail_msg("no request of the server's: %s", request);
	snprintf(id, 64, "%.*s", (int)strcspn(p + 6, "\""), p + 6);
	return id;
}

static int
answer(const char *id, const char *what)
{
	char body[512];

	snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",%s}", id, what);
	return rig_post(other, session, body).status;
}

static void
test_questions_and_answers(void **state)
{
	const char *first, *second, *message;

	(void)state;
	open_session(ALL);
	start("ask elicit 2");
	assert_int_equal(rig_head(fd).status, 200);
	message = next_message();
	assert_holds(message, "\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\"}");
	first = id_of(message);
	second = id_of(next_message());
	assert_string_not_equal(first, second);
	/* in any order; each once; of this session only */
	assert_int_equal(answer(second, "\"result\":{\"action\":\"decline\"}"), 202);
	assert_int_equal(answer(second, "\"result\":{\"action\":\"accept\"}"), 400);
	assert_int_equal(answer("no-such-id", "\"result\":{}"), 400);
	{
		char mine[128];

		snprintf(mine, sizeof(mine), "%s", session);
		open_session(ALL);
		assert_int_equal(answer(first, "\"result\":{\"action\":\"accept\"}"), 400);
		snprintf(session, sizeof(session), "%s", mine);
	}
	assert_int_equal(answer(first, "\"result\":{\"action\":\"accept\"}"), 202);
	message = next_message();
	assert_holds(message, "\"id\":5,\"result\":{\"content\"");
	assert_holds(message,
	    "\"structuredContent\":{\"answers\":{\"q1\":{\"action\":\"decline\"},"
	    "\"q0\":{\"action\":\"accept\"}},\"state\":\"kept\"}");
	assert_lacks(message, "resultType");
	assert_string_equal(next_message(), "");
	assert_int_equal(answer(first, "\"result\":{}"), 400);
}

static void
test_refusal_by_the_client(void **state)
{
	const char *message;

	(void)state;
	open_session(ALL);
	start("ask sample 1");
	assert_int_equal(rig_head(fd).status, 200);
	assert_int_equal(answer(id_of(next_message()), "\"error\":{\"code\":-1,\"message\":\"the user said no\"}"),
	    202);
	message = next_message();
	assert_holds(message, "\"isError\":true");
	assert_holds(message, "the user said no");
	assert_string_equal(next_message(), "");
}

static void
test_never_ending_questions(void **state)
{
	const char *message;
	unsigned rounds = 0;

	(void)state;
	open_session(ALL);
	start("ask roots 1 again");
	assert_int_equal(rig_head(fd).status, 200);
	for (; rounds < 100; rounds++) {
		message = next_message();
		if (strstr(message, "roots/list") == NULL)
			break;
		assert_int_equal(answer(id_of(message), "\"result\":{\"roots\":[]}"), 202);
	}
	assert_int_equal(rounds, 32);
	assert_holds(message, "asked too many times");
}

static void
test_who_cannot_be_asked(void **state)
{
	static const char body[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"wiki_read\","
	    "\"arguments\":{\"key\":\"ask elicit 1\"}}}";
	struct reply a;
	char head[512];

	(void)state;
	open_session("\"roots\":{}");
	start("ask elicit 1");
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "\"isError\":true");
	assert_holds(a.body, "elicitation");
	/* a client that takes no stream */
	open_session(ALL);
	snprintf(head, sizeof(head),
	    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	    "Accept: application/json\r\n%sContent-Length: %zu\r\n\r\n",
	    session, sizeof(body) - 1);
	rig_send(fd, head);
	rig_send(fd, body);
	a = rig_read(fd);
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "does not take requests");
}

/* Where an answer may come to another front nobody is asked; a signed state is good anywhere. */
static void
test_several_fronts(void **state)
{
	struct reply a;

	(void)state;
	end(NULL);
	r = rig_start(&(struct rig_options){ .fronts = 2 });
	rig_offer(r, IPC_SEARCH, TOOLS);
	rig_worker(r, IPC_SEARCH, "");
	fd = rig_connect(r);
	other = rig_connect(r);
	open_session(ALL);
	start("ask elicit 1");
	a = rig_read(fd);
	assert_holds(a.body, "\"isError\":true");
	assert_holds(call("ask elicit 1", ALL, "").body, "input_required");
	a = call("long", "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}", "");
	assert_holds(a.body, "\"resultType\":\"complete\"");
}

static void
test_session_ends_meanwhile(void **state)
{
	char bye[256];
	const char *id;

	(void)state;
	open_session(ALL);
	start("ask elicit 1");
	assert_int_equal(rig_head(fd).status, 200);
	id = id_of(next_message());
	snprintf(bye, sizeof(bye), "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n", session);
	rig_send(other, bye);
	assert_int_equal(rig_read(other).status, 200);
	assert_string_equal(next_message(), "");
	assert_int_equal(answer(id, "\"result\":{}"), 404);
}

static void
test_lines(void **state)
{
	int line = rig_local(r);
	char text[512];

	(void)state;
	rig_send(line,
	    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
	    "\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n");
	assert_holds(rig_line(line), "\"result\"");
	rig_send(line,
	    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"wiki_read\","
	    "\"arguments\":{\"key\":\"ask elicit 1\"}}}\n");
	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{\"action\":\"cancel\"}}\n",
	    id_of(rig_line(line)));
	rig_send(line, text);
	assert_holds(rig_line(line), "\"answers\":{\"q0\":{\"action\":\"cancel\"}}");
	/* gone in the middle of a question */
	rig_send(line,
	    "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":{\"name\":\"wiki_read\","
	    "\"arguments\":{\"key\":\"ask elicit 1\"}}}\n");
	assert_holds(rig_line(line), "elicitation/create");
	close(line);
	rig_sync(r);
}

/* --- notices and content --------------------------------------------------------------------------- */

static unsigned
notices(void)
{
	const char *message;
	unsigned n = 0;

	assert_int_equal(rig_head(fd).status, 200);
	while (message = next_message(), strstr(message, "notifications/message") != NULL) {
		assert_holds(message, "\"logger\":\"fake\",\"data\":\"line\"");
		n++;
	}
	assert_holds(message, "\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]");
	assert_lacks(message, "structuredContent");
	assert_string_equal(next_message(), "");
	return n;
}

static int
set_level(const char *level)
{
	char body[256];
	struct reply a;

	snprintf(body, sizeof(body),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":%s}}", level);
	a = rig_post(other, session, body);
	assert_int_equal(a.status, 200);
	return strcmp(a.body, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}") == 0 ? 0 : -1;
}

static void
test_log_levels(void **state)
{
	struct reply a;

	(void)state;
	open_session("");
	start("log"); /* nobody asked for any: one plain answer */
	a = rig_read(fd);
	assert_lacks(a.body, "notifications/message");
	assert_int_equal(set_level("\"debug\""), 0);
	start("log");
	assert_int_equal(notices(), 8);
	assert_int_equal(set_level("\"error\""), 0);
	start("log");
	assert_int_equal(notices(), 4);
	assert_int_equal(set_level("\"loud\""), -1);
	assert_int_equal(set_level("3"), -1);
	/* modern: per request */
	a = call("log", "", "");
	assert_lacks(a.body, "notifications/message");
	a = call("log", "},\"io.modelcontextprotocol/logLevel\":\"alert\",\"x\":{", "");
	assert_holds(a.body, "\"level\":\"alert\"");
	assert_holds(a.body, "\"level\":\"emergency\"");
	assert_lacks(a.body, "\"level\":\"critical\"");
	assert_holds(a.body, "\"resultType\":\"complete\"");
}

static void
test_content(void **state)
{
	struct reply a = call("content", "", "");

	(void)state;
	assert_holds(a.body,
	    "\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":\"hello\"}],\"_meta\"");
	a = call("both", "", "");
	assert_holds(a.body,
	    "\"content\":[{\"type\":\"text\",\"text\":\"hello\"}],\"structuredContent\":{\"n\":7},\"_meta\"");
}

/* Debug builds look at every result themselves. */
static void
test_results_are_as_announced(void **state)
{
	struct reply a;

	(void)state;
	rig_offer(r, IPC_SEARCH,
	    "[{\"name\":\"wiki_read\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"},"
	    "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"string\"}}},\"hints\":1,"
	    "\"budgetMs\":10000}]");
	a = call("both", "", "");
#ifdef CARREL_CHECK_RESULTS
	assert_holds(a.body, "internal_error");
	assert_true(rig_logged(r, "wiki_read does not fit its output schema: n must be a string"));
#else
	assert_holds(a.body, "\"structuredContent\":{\"n\":7}");
#endif
}

/* --- how questions in plain language fail ------------------------------------------------------- */

#define QUESTIONS								\
	"[{\"name\":\"ask_question\",\"description\":\"d\","			\
	"\"inputSchema\":{\"type\":\"object\","				\
	"\"properties\":{\"question\":{\"type\":\"string\",\"minLength\":1},"	\
	"\"ontologyId\":{\"type\":\"string\",\"pattern\":\"" SCHEMA_UUID "\"}},"	\
	"\"required\":[\"question\"]},\"hints\":1,\"budgetMs\":10000}]"

#define ONTOLOGY "5f3b6c1e-8a54-4f0b-9a52-0d9e4b7c2f11"

static int
begin_questions(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .token = NULL });
	rig_offer(r, IPC_AGENT, QUESTIONS);
	rig_worker(r, IPC_AGENT, "");
	fd = rig_connect(r);
	other = rig_connect(r);
	return 0;
}

/* In a legacy session when headers are its own; in the modern era when they are NULL. */
static struct reply
question(const char *headers, const char *args)
{
	static const char modern[] = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
				     "Mcp-Name: ask_question\r\n";
	char body[512];

	snprintf(body, sizeof(body),
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ask_question\","
	    "\"arguments\":%s%s}}",
	    args,
	    headers != NULL ? "" :
			      ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
			      "\"io.modelcontextprotocol/clientCapabilities\":{}}");
	return rig_post(fd, headers != NULL ? headers : modern, body);
}

/* What a failure of the agent is in each era: a number and a name of its own, or a result like any other's. */
static void
test_questions_fail_as_their_era_knows_it(void **state)
{
	static const struct {
		const char *code;
		int rpc; /* legacy; 0: in-band there, too */
		const char *name;
	} rows[] = {
		{ "ontology_not_found", -32002, "ONTOLOGY_NOT_FOUND" },
		{ "query_timeout", -32004, "AGENT_TIMEOUT" },
		{ "database_error", -32005, "DATABASE_CONNECTION_ERROR" },
		{ "database_unavailable", -32005, "DATABASE_CONNECTION_ERROR" },
		{ "busy", 0, NULL },
		{ "rate_limited", 0, NULL },
		{ "invalid_query", 0, NULL },
		{ "query_cancelled", 0, NULL },
		{ "service_unavailable", 0, NULL },
	};
	static const char *const revisions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL };
	char args[120], wanted[200];

	(void)state;
	for (size_t v = 0; v < sizeof(revisions) / sizeof(revisions[0]); v++) {
		const char *headers = revisions[v] == NULL ? NULL : rig_session(fd, revisions[v]);

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct reply a;

			snprintf(args, sizeof(args), "{\"ontologyId\":\"" ONTOLOGY "\",\"question\":\"fail %s\"}",
			    rows[i].code);
			a = question(headers, args);
			assert_int_equal(a.status, 200);
			if (headers == NULL || rows[i].rpc == 0) {
				assert_holds(a.body, "\"isError\":true");
				snprintf(wanted, sizeof(wanted), "\"error\":{\"code\":\"%s\"", rows[i].code);
				assert_holds(a.body, wanted);
				continue;
			}
			snprintf(wanted, sizeof(wanted), "\"error\":{\"code\":%d,", rows[i].rpc);
			assert_holds(a.body, wanted);
			snprintf(wanted, sizeof(wanted),
			    "\"data\":{\"code\":\"%s\",\"ontologyId\":\"" ONTOLOGY "\",\"question\":\"fail %s\","
			    "\"detail\":\"",
			    rows[i].name, rows[i].code);
			assert_holds(a.body, wanted);
			assert_lacks(a.body, "\"result\"");
		}
	}
}

static void
test_bad_questions_are_named(void **state)
{
	static const char *const old[] = { "2025-06-18", "2025-03-26", "2024-11-05" };
	struct reply a;

	(void)state;
	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
		a = question(rig_session(fd, old[i]), "{\"question\":\"\"}");
		assert_holds(a.body, "\"error\":{\"code\":-32602,");
		assert_holds(a.body, "\"data\":{\"issues\":[{\"path\":\"");
		assert_holds(a.body, ",\"code\":\"VALIDATION_ERROR\"}");
	}
	a = question(rig_session(fd, "2025-11-25"), "{\"question\":\"\"}");
	assert_holds(a.body, "\"error\":{\"code\":\"invalid_arguments\"");
	a = question(NULL, "{}");
	assert_holds(a.body, "\"error\":{\"code\":\"invalid_arguments\"");
	a = question(NULL, "{\"question\":\"q\",\"ontologyId\":\"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\"}");
	assert_holds(a.body, "\"path\":\"ontologyId\",\"problem\":\"must be a UUID\"");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_input_required, begin, end),
		cmocka_unit_test_setup_teardown(test_state_is_bound, begin, end),
		cmocka_unit_test_setup_teardown(test_state_of_others_and_of_old, begin, end),
		cmocka_unit_test_setup_teardown(test_state_is_its_principals, begin, end),
		cmocka_unit_test_setup_teardown(test_capabilities, begin, end),
		cmocka_unit_test_setup_teardown(test_questions_and_answers, begin, end),
		cmocka_unit_test_setup_teardown(test_refusal_by_the_client, begin, end),
		cmocka_unit_test_setup_teardown(test_never_ending_questions, begin, end),
		cmocka_unit_test_setup_teardown(test_who_cannot_be_asked, begin, end),
		cmocka_unit_test_setup_teardown(test_several_fronts, begin, end),
		cmocka_unit_test_setup_teardown(test_session_ends_meanwhile, begin, end),
		cmocka_unit_test_setup_teardown(test_lines, begin, end),
		cmocka_unit_test_setup_teardown(test_log_levels, begin, end),
		cmocka_unit_test_setup_teardown(test_content, begin, end),
		cmocka_unit_test_setup_teardown(test_results_are_as_announced, begin, end),
		cmocka_unit_test_setup_teardown(test_questions_fail_as_their_era_knows_it, begin_questions, end),
		cmocka_unit_test_setup_teardown(test_bad_questions_are_named, begin_questions, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
