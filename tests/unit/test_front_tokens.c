// libs: carrel_front_rig carrel_policy
/* test_front_tokens.c - connectivity tokens, as the front hears of them from carrel-auth. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "front/who/verify_credential.h"
#include "tests/unit/front_auth.h"

#define PING	RPC("1", "ping", "")
#define LIST	RPC("2", "tools/list", META)
#define MODERN	"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n"
#define CALL_SQL(sql)	RPC("3", "tools/call",								\
	"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"" sql "\"}," META)
#define MODERN_CALL	"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
#define NAMED(name)	MODERN_CALL "Mcp-Name: " name "\r\n"

static struct rig *r;
static int fd;

static int
set_up(void **state)
{
	(void)state;
	r = rig_start(&(struct rig_options){ .token = "static-secret", .auth_failures = 1000 });
	auth_start(r);
	auth_token(r, &(struct played_token){ .text = TOKEN_A, .scopes = POLICY_SCOPES_TOKEN, .keep_ms = 60000 });
	auth_token(r, &(struct played_token){ .text = TOKEN_B, .scopes = POLICY_SCOPES_TOKEN });
	fd = rig_connect(r);
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

static void
await(_Atomic int *value, int wanted)
{
	rig_until(r, value, wanted);
	assert_int_equal(*value, wanted);
}

static struct reply
list_as(const char *headers)
{
	char fields[512];

	snprintf(fields, sizeof(fields), MODERN "%s", headers);
	return rig_post(fd, fields, LIST);
}

static void
assert_refused(struct reply a, int status, const char *code)
{
	char member[64];

	snprintf(member, sizeof(member), "\"code\":\"%s\"", code);
	if (a.status != status || strstr(a.body, member) == NULL)
		fail_msg("%d and %s, not %d %s", status, code, a.status, a.body);
}

/* --- who it is ------------------------------------------------------------------------------ */

static void
test_good(void **state)
{
	(void)state;
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
	assert_int_equal(r->auth->verifies, 1); /* remembered */
	assert_int_equal(list_as(AS(TOKEN_B)).status, 200);
	assert_int_equal(list_as(AS(TOKEN_B)).status, 200);
	assert_int_equal(r->auth->verifies, 3); /* not to be remembered */
	assert_int_equal(list_as(AS("static-secret")).status, 200);
	assert_int_equal(r->auth->verifies, 3);
	assert_int_equal(r->auth->failures, 0);
}

/* Forms that no token has cost no look-up. */
static void
test_forms(void **state)
{
	static const char *const forms[] = {
		"crlmcp_aaaaaaaa_0123456789abcdef0123456789abcde", "crlmcp_aaaaaaaa_0123456789abcdef0123456789abcdef0",
		"crlmcp_aaaaaaaa_0123456789ABCDEF0123456789abcdef", "crlmcp_aaaaaaa_0123456789abcdef0123456789abcdef",
		"crlmcp_aaaaaaa-_0123456789abcdef0123456789abcdef", "CRLMCP_aaaaaaaa_0123456789abcdef0123456789abcdef",
		"1crlmcp_aaaaaaaa_0123456789abcdef0123456789abcdef", "c_aaaaaaaa_0123456789abcdef0123456789abcdef",
		"abcdefghijklmnopq_aaaaaaaa_0123456789abcdef0123456789abcdef",
		"crlmcp_aaaaaaaa0123456789abcdef0123456789abcdef",
		"crlmcp__aaaaaaaa_0123456789abcdef0123456789abcdef",
		"crlmcp_aaaaaaaa_0123456789abcdef0123456789abcdef_",
		"_", "crlmcp", "crlmcp_", "static-secre", "static-secret2",
	};
	char field[256];

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(field, sizeof(field), "Authorization: Bearer %s\r\n", forms[i]);
		assert_refused(list_as(field), 401, "auth_invalid");
	}
	assert_int_equal(r->auth->verifies, 0);
	await(&r->auth->failures, (int)(sizeof(forms) / sizeof(forms[0])));
	assert_string_equal(r->auth->address + strcspn(r->auth->address, ":"), strchr(r->auth->address, ':'));
	assert_true(strncmp(r->auth->address, "user:", 5) == 0);
}

static void
test_bad(void **state)
{
	static const struct {
		unsigned verdict;
		const char *code;
	} rows[] = {
		{ IPC_VERDICT_REVOKED, "auth_revoked" },
		{ IPC_VERDICT_EXPIRED, "auth_expired" },
		{ IPC_VERDICT_INVALID, "auth_invalid" },
	};
	struct reply a;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auth_set(r, TOKEN_B, rows[i].verdict);
		a = list_as(AS(TOKEN_B));
		assert_refused(a, 401, rows[i].code);
		assert_non_null(strstr(a.body, "{\"error\":\"unauthorized\","));
		assert_non_null(strstr(rig_header(&a, "WWW-Authenticate"), "Bearer error=\"invalid_token\""));
		assert_null(strstr(a.body, "BBBBBBBB"));
	}
	await(&r->auth->failures, 1); /* genuine tokens do not count */
	auth_set(r, TOKEN_B, IPC_VERDICT_UNKNOWN);
	a = list_as(AS(TOKEN_B));
	assert_refused(a, 503, "service_unavailable");
	assert_non_null(rig_header(&a, "Retry-After"));
	/* an unknown one */
	assert_refused(list_as(AS(TOKEN_C)), 401, "auth_invalid");
}

/* Not in the target, where logs would keep it; not even a right one, and not beside a right one. */
static void
test_query(void **state)
{
	static const char *const targets[] = {
		"/mcp?access_token=" TOKEN_A, "/mcp?x=1&access_token=" TOKEN_A, "/mcp?access_token=",
		"/mcp?x_access_token=1",
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		for (unsigned j = 0; j < 2; j++) {
			snprintf(text, sizeof(text),
			    "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
			    "Accept: application/json\r\n" MODERN "%sContent-Length: %zu\r\n\r\n" LIST,
			    targets[i], j == 0 ? "" : AS(TOKEN_A), strlen(LIST));
			rig_send(fd, text);
			if (i == 3 && j == 1)
				assert_int_equal(rig_read(fd).status, 200); /* another name */
			else
				assert_refused(rig_read(fd), 401, "auth_invalid");
		}
}

static void
test_off(void **state)
{
	int before;

	(void)state;
	auth_say(r, IPC_MSG_CONNECTIVITY, 0, &(struct ipc_connectivity){ .enabled = 0 });
	before = r->auth->verifies;
	assert_refused(list_as(AS(TOKEN_A)), 401, "auth_invalid");
	assert_int_equal(r->auth->verifies, before);
	assert_int_equal(r->auth->failures, 0);
	auth_say(r, IPC_MSG_CONNECTIVITY, 0, &(struct ipc_connectivity){ .enabled = 1 });
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
}

/* What is remembered ends with the token. */
static void
test_expiry(void **state)
{
	(void)state;
	auth_token(r, &(struct played_token){ .text = TOKEN_C, .scopes = POLICY_SCOPES_TOKEN, .keep_ms = 60000,
	    .expires_unix_ms = clock_unix_ms() + 30000 });
	assert_int_equal(list_as(AS(TOKEN_C)).status, 200);
	assert_int_equal(list_as(AS(TOKEN_C)).status, 200);
	assert_int_equal(r->auth->verifies, 1);
	rig_wind(r, 30000);
	auth_set(r, TOKEN_C, IPC_VERDICT_EXPIRED);
	assert_refused(list_as(AS(TOKEN_C)), 401, "auth_expired");
}

/* --- while it is found out ---------------------------------------------------------------------- */

#define HEAD_OF(fields)	"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"		\
	"Accept: application/json, text/event-stream\r\n" MODERN AS(TOKEN_A) fields "\r\n"

static void
tell(unsigned verdict)
{
	auth_say(r, IPC_MSG_VERIFIED, r->auth->last_id, &(struct ipc_verified){ .verdict = verdict,
	    .principal = SPAN("token:aaaaaaaa"), .scopes = POLICY_SCOPES_TOKEN });
}

static void
send_length(void)
{
	char head[1024];

	snprintf(head, sizeof(head), HEAD_OF("Content-Length: %zu\r\n"), strlen(LIST));
	rig_send(fd, head);
}

/* A body that comes before, in the middle of, and after the verdict; with a length and in chunks. */
static void
test_bodies(void **state)
{
	char chunk[32];

	(void)state;
	r->auth->silent = true;
	/* all of it at once, and the next request behind it */
	send_length();
	rig_send(fd, LIST);
	send_length();
	rig_send(fd, LIST);
	await(&r->auth->verifies, 1);
	tell(IPC_VERDICT_GOOD);
	assert_int_equal(rig_read(fd).status, 200);
	await(&r->auth->verifies, 2);
	tell(IPC_VERDICT_GOOD);
	assert_int_equal(rig_read(fd).status, 200);
	/* half of it, then the verdict: which is asked for again when the body is there */
	send_length();
	rig_send_n(fd, LIST, 10);
	await(&r->auth->verifies, 3);
	tell(IPC_VERDICT_GOOD);
	rig_send(fd, LIST + 10);
	await(&r->auth->verifies, 4);
	tell(IPC_VERDICT_GOOD);
	assert_int_equal(rig_read(fd).status, 200);
	/* in chunks */
	rig_send(fd, HEAD_OF("Transfer-Encoding: chunked\r\n"));
	await(&r->auth->verifies, 5);
	snprintf(chunk, sizeof(chunk), "%zx\r\n", strlen(LIST));
	rig_send(fd, chunk);
	tell(IPC_VERDICT_GOOD);
	rig_send(fd, LIST "\r\n0\r\n\r\n");
	await(&r->auth->verifies, 6);
	tell(IPC_VERDICT_GOOD);
	assert_int_equal(rig_read(fd).status, 200);
	/* revoked while the body was on its way */
	send_length();
	await(&r->auth->verifies, 7);
	tell(IPC_VERDICT_GOOD);
	rig_send(fd, LIST);
	await(&r->auth->verifies, 8);
	tell(IPC_VERDICT_REVOKED);
	assert_refused(rig_read(fd), 401, "auth_revoked");
	/* the connection goes on, as the body was read */
	r->auth->silent = false;
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
}

/* Refused by its head: what follows is no request. */
static void
test_refused_unread(void **state)
{
	(void)state;
	r->auth->silent = true;
	send_length();
	await(&r->auth->verifies, 1);
	tell(IPC_VERDICT_INVALID);
	assert_refused(rig_read(fd), 401, "auth_invalid");
	rig_send(fd, LIST);
	assert_true(rig_closed(fd));
	r->auth->silent = false;
	close(fd);
	fd = rig_connect(r);
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
}

/* A large body behind a request that waits stays with the client, and arrives whole. */
static void
test_large_body(void **state)
{
	const size_t size = 3 << 20;
	char *body = malloc(size + 1), head[1024];
	struct pollfd p = { fd, POLLOUT, 0 };
	pid_t writer;

	(void)state;
	memset(body, ' ', size);
	memcpy(body, LIST, strlen(LIST));
	body[size] = '\0';
	r->auth->silent = true;
	snprintf(head, sizeof(head), HEAD_OF("Content-Length: %zu\r\n"), size);
	rig_send(fd, head);
	if ((writer = fork()) == 0) {
		rig_send_n(fd, body, size);
		_exit(0);
	}
	await(&r->auth->verifies, 1);
	/* until all has been sent, or no more fits */
	while (waitpid(writer, NULL, WNOHANG) == 0 && poll(&p, 1, 0) == 1)
		rig_pump(r, 5);
	tell(IPC_VERDICT_GOOD);
	await(&r->auth->verifies, 2);
	tell(IPC_VERDICT_GOOD);
	assert_int_equal(rig_read(fd).status, 200);
	waitpid(writer, NULL, 0);
	free(body);
}

static void
test_client_leaves(void **state)
{
	uint64_t id;

	(void)state;
	r->auth->silent = true;
	for (unsigned i = 0; i < 3; i++) {
		send_length();
		if (i != 1)
			rig_send(fd, LIST);
		await(&r->auth->verifies, (int)i + 1);
		id = r->auth->last_id;
		close(fd);
		rig_sync(r);
		tell(i == 2 ? IPC_VERDICT_INVALID : IPC_VERDICT_GOOD);
		/* twice, and for nobody: neither is an offence */
		auth_say(r, IPC_MSG_VERIFIED, id, &(struct ipc_verified){ .verdict = IPC_VERDICT_INVALID });
		auth_say(r, IPC_MSG_VERIFIED, 4711, &(struct ipc_verified){ .verdict = IPC_VERDICT_INVALID });
		fd = rig_connect(r);
	}
	r->auth->silent = false;
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
	assert_int_equal(r->complaints, 0);
}

/* The channel is lost in the middle: the question is asked again; what was remembered is forgotten. */
static void
test_channel_lost(void **state)
{
	(void)state;
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
	auth_lose(r);
	send_length();
	rig_send(fd, LIST);
	rig_sync(r);
	assert_int_equal(r->auth->verifies, 1);
	auth_start(r);
	assert_int_equal(rig_read(fd).status, 200);
	assert_int_equal(r->auth->verifies, 2);
	r->auth->silent = true;
	send_length();
	rig_send(fd, LIST);
	assert_int_equal(rig_read(fd).status, 200); /* from memory */
	auth_lose(r);
	auth_start(r);
	r->auth->silent = true;
	send_length();
	rig_send(fd, LIST);
	await(&r->auth->verifies, 3);
	auth_lose(r);
	r->auth->silent = false;
	auth_start(r);
	assert_int_equal(rig_read(fd).status, 200);
	assert_int_equal(r->auth->verifies, 4);
}

/* Who comes before carrel-auth has spoken for the first time waits until it has. */
static void
test_early(void **state)
{
	(void)state;
	tear_down(NULL);
	r = rig_start(&(struct rig_options){ .token = "static-secret" });
	fd = rig_connect(r);
	send_length();
	rig_send(fd, LIST);
	rig_sync(r);
	auth_start(r);
	assert_refused(rig_read(fd), 401, "auth_invalid"); /* it does not know that one yet */
	assert_int_equal(r->auth->verifies, 1);
}

/* Nobody answers: the client is told to come again. */
static void
test_patience(void **state)
{
	struct reply a;

	(void)state;
	r->auth->silent = true;
	send_length();
	rig_send(fd, LIST);
	await(&r->auth->verifies, 1);
	rig_wind(r, VERIFY_MS);
	a = rig_read(fd);
	assert_refused(a, 503, "service_unavailable");
	assert_non_null(rig_header(&a, "Retry-After"));
	r->auth->silent = false;
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
}

/* carrel-auth may not make anybody the owner, or somebody with more than a token can have. */
static void
test_too_much(void **state)
{
	static const struct {
		const char *principal;
		uint32_t scopes;
	} rows[] = {
		{ "local:0", POLICY_SCOPES_TOKEN },
		{ "static", POLICY_SCOPES_TOKEN },
		{ "token:", 0 },
		{ "token:aaaaaaaa", POLICY_SCOPE_LOCAL },
		{ "token:aaaaaaaa", POLICY_SCOPE_MEMORY_WRITE },
		{ "token:aaaaaaaab", POLICY_SCOPES_TOKEN },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r->auth->silent = true;
		send_length();
		rig_send(fd, LIST);
		await(&r->auth->verifies, 2 * (int)i + 1);
		auth_say(r, IPC_MSG_VERIFIED, r->auth->last_id, &(struct ipc_verified){ .verdict = IPC_VERDICT_GOOD,
		    .principal = span_str(rows[i].principal), .scopes = rows[i].scopes });
		assert_int_equal(r->complaints, i + 1);
		auth_lose(r);
		r->auth->silent = false;
		auth_start(r);
		assert_int_equal(rig_read(fd).status, 200);
		auth_lose(r);
		auth_start(r);
	}
}

/* --- blocked addresses ------------------------------------------------------------------------- */

static void
test_blocked(void **state)
{
	char name[64];
	struct reply a;

	(void)state;
	snprintf(name, sizeof(name), "user:%u", (unsigned)getuid());
	auth_say(r, IPC_MSG_BLOCK, 0, &(struct ipc_block){ .address = SPAN("192.0.2.1"), .seconds = 60 });
	auth_say(r, IPC_MSG_BLOCK, 0, &(struct ipc_block){ .address = SPAN("2001:db8:1:2::/64"), .seconds = 60 });
	auth_say(r, IPC_MSG_BLOCK, 0, &(struct ipc_block){ .address = SPAN("unknown"), .seconds = 60 });
	assert_refused(list_as(AS(TOKEN_C)), 401, "auth_invalid");
	auth_say(r, IPC_MSG_BLOCK, 0, &(struct ipc_block){ .address = span_str(name), .seconds = 60 });
	a = list_as(AS(TOKEN_C));
	assert_refused(a, 429, "ip_blocked");
	assert_true(atoi(rig_header(&a, "Retry-After")) >= 59);
	assert_refused(list_as(""), 401, "auth_invalid"); /* who is behind the address can sign in */
	assert_refused(list_as(AS("nothing")), 429, "ip_blocked");
	await(&r->auth->failures, 1);
	/* valid ones never notice */
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
	assert_int_equal(list_as(AS(TOKEN_B)).status, 200);
	assert_int_equal(list_as(AS("static-secret")).status, 200);
	auth_say(r, IPC_MSG_BLOCK, 0, &(struct ipc_block){ .address = span_str(name), .seconds = 0 });
	assert_refused(list_as(AS(TOKEN_C)), 401, "auth_invalid");
	assert_int_equal(r->complaints, 0);
}

/* The next after enough wrong ones is refused, also before carrel-auth has said so. */
static void
test_counted_here(void **state)
{
	(void)state;
	tear_down(NULL);
	r = rig_start(&(struct rig_options){ .token = "static-secret", .auth_failures = 3 });
	auth_start(r);
	auth_token(r, &(struct played_token){ .text = TOKEN_A, .scopes = POLICY_SCOPES_TOKEN });
	fd = rig_connect(r);
	for (int i = 0; i < 3; i++)
		assert_refused(list_as(i == 1 ? AS(TOKEN_C) : AS("nothing")), 401, "auth_invalid");
	assert_refused(list_as(AS(TOKEN_C)), 429, "ip_blocked");
	assert_refused(list_as(""), 401, "auth_invalid"); /* who is behind the address can sign in */
	assert_int_equal(list_as(AS(TOKEN_A)).status, 200);
	await(&r->auth->failures, 3);
}

/* --- scopes ---------------------------------------------------------------------------------------- */

static void
test_scopes(void **state)
{
	struct reply a;

	(void)state;
	rig_worker(r, IPC_SQL, "warehouse");
	auth_token(r, &(struct played_token){ .text = TOKEN_C, .scopes = POLICY_SCOPE_RESEARCH_READ });
	a = list_as(AS(TOKEN_C));
	assert_null(strstr(a.body, "sql_execution"));
	assert_non_null(strstr(a.body, "discover_data"));
	a = list_as(AS(TOKEN_A));
	assert_non_null(strstr(a.body, "sql_execution"));
	assert_null(strstr(a.body, "memory_ingest"));
	/* what a token could have */
	a = rig_post(fd, NAMED("sql_execution") AS(TOKEN_C), CALL_SQL("one"));
	assert_int_equal(a.status, 403);
	assert_string_equal(rig_header(&a, "WWW-Authenticate"),
	    "Bearer error=\"insufficient_scope\", scope=\"research:read research:query\"");
	assert_non_null(strstr(a.body, "\"code\":1403"));
	assert_non_null(strstr(a.body,
	    "\"data\":{\"required\":[\"research:query\"],\"missing\":[\"research:query\"],\"code\":\"FORBIDDEN\"}"));
	/* what none can have: asking for another would not help */
	a = rig_post(fd, NAMED("memory_ingest") AS(TOKEN_A),
	    RPC("4", "tools/call", "\"name\":\"memory_ingest\",\"arguments\":{\"content\":\"x\"}," META));
	assert_int_equal(a.status, 200);
	assert_null(rig_header(&a, "WWW-Authenticate"));
	assert_non_null(strstr(a.body, "\"code\":1403"));
	assert_non_null(strstr(a.body, "\"missing\":[\"memory:write\"]"));
	a = rig_post(fd, NAMED("sql_execution") AS(TOKEN_A), CALL_SQL("one"));
	assert_int_equal(a.status, 200);
	assert_non_null(strstr(a.body, "\"rowCount\":1"));
}

/* The same in a session of an older revision, whose codes are others. */
static void
test_scopes_legacy(void **state)
{
	char session[256];
	struct reply a;

	(void)state;
	auth_token(r, &(struct played_token){ .text = TOKEN_C, .scopes = POLICY_SCOPE_RESEARCH_READ });
	a = rig_post(fd, AS(TOKEN_C),
	    RPC("1", "initialize",
		"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":"
		"\"1\"}"));
	snprintf(session, sizeof(session), "Mcp-Session-Id: %s\r\n" AS(TOKEN_C), rig_header(&a, "Mcp-Session-Id"));
	a = rig_post(fd, session,
	    RPC("3", "tools/call",
		"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"one\"}"));
	assert_int_equal(a.status, 403);
	assert_non_null(rig_header(&a, "WWW-Authenticate"));
	assert_non_null(strstr(a.body, "\"code\":-32001"));
	assert_non_null(strstr(a.body, "\"missing\":[\"research:query\"]"));
	a = rig_post(fd, session,
	    RPC("4", "tools/call", "\"name\":\"memory_ingest\",\"arguments\":{\"content\":\"x\"}"));
	assert_int_equal(a.status, 200);
	assert_null(rig_header(&a, "WWW-Authenticate"));
	assert_non_null(strstr(a.body, "\"code\":-32001"));
}

/* A session of one token is nobody else's; both eras. */
static void
test_sessions(void **state)
{
	char session[256], other[512];
	struct reply a;

	(void)state;
	a = rig_post(fd, AS(TOKEN_A),
	    RPC("1", "initialize",
		"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":"
		"\"1\"}"));
	assert_int_equal(a.status, 200);
	snprintf(session, sizeof(session), "Mcp-Session-Id: %s\r\n", rig_header(&a, "Mcp-Session-Id"));
	snprintf(other, sizeof(other), "%s" AS(TOKEN_A), session);
	assert_int_equal(rig_post(fd, other, PING).status, 200);
	snprintf(other, sizeof(other), "%s" AS(TOKEN_B), session);
	assert_int_equal(rig_post(fd, other, PING).status, 404);
	snprintf(other, sizeof(other), "%s" AS(TOKEN_C), session);
	assert_refused(rig_post(fd, other, PING), 401, "auth_invalid");
	assert_refused(rig_post(fd, session, PING), 401, "auth_invalid");
}

/* --- local clients ------------------------------------------------------------------------------- */

static const char *
line_as(int local, const char *text)
{
	rig_send(local, text);
	rig_send(local, "\n");
	return rig_line(local);
}

#define HELLO(token)	RPC("1", "carrel/hello", "\"client\":\"stdio\",\"token\":\"" token "\"")

static void
test_lines(void **state)
{
	int local = rig_local(r);

	(void)state;
	assert_non_null(strstr(line_as(local, HELLO(TOKEN_A)), "\"principal\":\"token:aaaaaaaa\""));
	assert_non_null(strstr(line_as(local, LIST), "sql_execution"));
	assert_int_equal(r->auth->verifies, 1);
	close(local);
	/* a verdict that is not remembered is asked for at every message, and none is served before */
	local = rig_local(r);
	r->auth->silent = true;
	rig_send(local, HELLO(TOKEN_B) "\n" LIST "\n" PING "\n");
	await(&r->auth->verifies, 2);
	auth_say(r, IPC_MSG_VERIFIED, r->auth->last_id, &(struct ipc_verified){ .verdict = IPC_VERDICT_GOOD,
	    .principal = SPAN("token:BBBBBBBB"), .scopes = POLICY_SCOPE_RESEARCH_READ });
	assert_non_null(strstr(rig_line(local), "token:BBBBBBBB"));
	await(&r->auth->verifies, 3);
	auth_say(r, IPC_MSG_VERIFIED, r->auth->last_id, &(struct ipc_verified){ .verdict = IPC_VERDICT_GOOD,
	    .principal = SPAN("token:BBBBBBBB"), .scopes = POLICY_SCOPE_RESEARCH_READ });
	assert_non_null(strstr(rig_line(local), "discover_data"));
	await(&r->auth->verifies, 4);
	auth_say(r, IPC_MSG_VERIFIED, r->auth->last_id, &(struct ipc_verified){ .verdict = IPC_VERDICT_REVOKED });
	assert_non_null(strstr(rig_line(local), "\"code\":\"auth_revoked\""));
	assert_true(rig_closed(local));
	close(local);
	/* wrong ones */
	r->auth->silent = false;
	local = rig_local(r);
	assert_non_null(strstr(line_as(local, HELLO(TOKEN_C)), "\"code\":\"auth_invalid\""));
	assert_true(rig_closed(local));
	close(local);
	local = rig_local(r);
	assert_non_null(strstr(line_as(local, RPC("1", "carrel/hello", "\"client\":\"cli\",\"token\":7")),
	    "\"code\":\"auth_invalid\""));
	assert_true(rig_closed(local));
	close(local);
	/* one that leaves while it waits */
	r->auth->silent = true;
	local = rig_local(r);
	rig_send(local, HELLO(TOKEN_B) "\n");
	await(&r->auth->verifies, 6);
	close(local);
	r->auth->silent = false;
	local = rig_local(r);
	assert_non_null(strstr(line_as(local, HELLO("static-secret")), "\"principal\":\"static\""));
	close(local);
}

/* Nobody can tell whose the token is: nothing is served, and the next message asks again. */
static void
test_lines_unknown(void **state)
{
	int local = rig_local(r);

	(void)state;
	assert_non_null(strstr(line_as(local, HELLO(TOKEN_B)), "token:BBBBBBBB"));
	auth_set(r, TOKEN_B, IPC_VERDICT_UNKNOWN);
	assert_non_null(strstr(line_as(local, LIST), "\"code\":\"service_unavailable\""));
	assert_non_null(strstr(line_as(local, LIST), "\"code\":\"service_unavailable\""));
	auth_set(r, TOKEN_B, IPC_VERDICT_GOOD);
	assert_non_null(strstr(line_as(local, LIST), "\"tools\":"));
	close(local);
}

int
main(void)
{
#define ONE(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		ONE(test_good), ONE(test_forms), ONE(test_bad), ONE(test_off), ONE(test_query), ONE(test_expiry),
		ONE(test_bodies), ONE(test_refused_unread), ONE(test_large_body), ONE(test_client_leaves),
		ONE(test_channel_lost), ONE(test_patience), ONE(test_early), ONE(test_too_much), ONE(test_blocked),
		ONE(test_counted_here), ONE(test_scopes), ONE(test_scopes_legacy), ONE(test_sessions), ONE(test_lines),
		ONE(test_lines_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
