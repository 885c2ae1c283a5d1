// libs: carrel_front_rig carrel_policy
/* test_front_oauth.c - the documents of OAuth as they are served, and access tokens at /mcp and elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/mp.h"
#include "tests/unit/front_auth.h"
#include "tests/unit/front_worker.h"
#include "tests/unit/jws_made.h"

#define LIST	RPC("2", "tools/list", META)
#define MODERN	"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n"
#define GRANT	"grantAAAAAAAAAAAAAAAAAA"
#define PUBLIC	"https://carrel.example.org"
#define ALL_SCOPES "research:read research:query memory:write ontologies:read data_agent:read data_agent:write " \
	"ext:datasets ext:schema ext:search ext:sql connectivity:admin"

static struct rig *r;
static int fd;
static char issuer[64];

static void
say_keys(uint8_t seed, uint64_t until)
{
	uint8_t public[32], secret[64];
	struct buf keys = { .max = 0 };

	jws_pair(seed, public, secret);
	mp_put_array(&keys, 1);
	mp_put_map(&keys, 3);
	mp_pair_cstr(&keys, "kid", "key-1");
	mp_put_cstr(&keys, "x");
	mp_put_bin(&keys, span_of(public, sizeof(public)));
	mp_pair_uint(&keys, "until", until);
	auth_say(r, IPC_MSG_KEYS, 0, &(struct ipc_keys){ .keys = buf_view(&keys) });
	buf_fini(&keys);
}

static void
begin(const struct rig_options *o)
{
	r = rig_start(o);
	auth_start(r);
	say_keys(1, 0);
	auth_token(r, &(struct played_token){ .text = GRANT, .principal = "user:ada", .keep_ms = 60000,
	    .scopes = POLICY_SCOPES_VIEWER, .may = POLICY_SCOPES_CONTRIBUTOR });
	fd = rig_connect(r);
	snprintf(issuer, sizeof(issuer), "http://localhost:%u", r->port);
}

static int
set_up(void **state)
{
	(void)state;
	begin(&(struct rig_options){ .token = "static.secret.x", .auth_failures = 1000, .oauth = true });
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
	char text[32768];

	snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n%s\r\n%s", method,
	    path, strlen(body), headers, body);
	rig_send(fd, text);
	return rig_read(fd);
}

static struct reply
get(const char *path)
{
	return ask("GET", path, "", "");
}

static struct reply
list_at(const char *path, const char *token)
{
	static char headers[16384];

	snprintf(headers, sizeof(headers), MODERN "Content-Type: application/json\r\n%s%s%s",
	    token != NULL ? "Authorization: Bearer " : "", token != NULL ? token : "", token != NULL ? "\r\n" : "");
	return ask("POST", path, headers, LIST);
}

/* --- tokens ------------------------------------------------------------------------------------------ */

struct claims {
	const char	*iss, *aud;	/* aud: JSON; NULL: the right ones */
	int64_t		 iat, exp;	/* from now; 0: -1 and 900 */
	const char	*scope, *sid, *client;
};

static const char *
token_of(const struct claims *c, const char *header, uint8_t seed)
{
	int64_t now = (int64_t)(clock_unix_ms() / 1000);
	char claims[2048], aud[128];

	snprintf(aud, sizeof(aud), "\"%s/mcp\"", issuer);
	snprintf(claims, sizeof(claims),
	    "{\"iss\":\"%s\",\"aud\":%s,\"sub\":\"ada\",\"client_id\":\"%s\",\"scope\":\"%s\",\"iat\":%lld,"
	    "\"exp\":%lld,\"jti\":\"j\",\"sid\":\"%s\"}",
	    c->iss != NULL ? c->iss : issuer, c->aud != NULL ? c->aud : aud, c->client != NULL ? c->client : "c1",
	    c->scope != NULL ? c->scope : ALL_SCOPES, (long long)(now + (c->iat != 0 ? c->iat : -1)),
	    (long long)(now + (c->exp != 0 ? c->exp : 900)), c->sid != NULL ? c->sid : GRANT);
	return jws_made(header != NULL ? header : JWS_HEADER_GOOD, claims, seed);
}

static const char *
good(void)
{
	return token_of(&(struct claims){ NULL }, NULL, 1);
}

static void
assert_refused(const char *token)
{
	struct reply a = list_at("/mcp", token);

	assert_int_equal(a.status, 401);
	assert_holds(rig_header(&a, "WWW-Authenticate"), "error=\"invalid_token\"");
}

/* --- documents ---------------------------------------------------------------------------------------- */

static void
documents_are_where_clients_look(void **state)
{
	static const struct {
		const char *path, *holds;
	} rows[] = {
		{ "/.well-known/oauth-protected-resource", "/mcp\",\"authorization_servers\"" },
		{ "/.well-known/oauth-protected-resource/mcp", "/mcp\",\"authorization_servers\"" },
		{ "/.well-known/oauth-protected-resource/api/data-agent/mcp", "/api/data-agent/mcp\",\"auth" },
		{ "/api/oauth/.well-known/oauth-protected-resource", "/mcp\",\"authorization_servers\"" },
		{ "/api/oauth/.well-known/oauth-protected-resource/mcp", "/mcp\",\"authorization_servers\"" },
		{ "/api/oauth/.well-known/oauth-protected-resource/api/data-agent/mcp", "/api/data-agent/mcp\"," },
		{ "/api/oauth/.well-known/protected-resource", "/api/data-agent/mcp\",\"authorization_servers\"" },
		{ "/.well-known/oauth-authorization-server", "\"registration_endpoint\"" },
		{ "/.well-known/openid-configuration", "\"subject_types_supported\":[\"public\"]" },
		{ "/api/oauth/.well-known/oauth-authorization-server", "\"registration_endpoint\"" },
		{ "/api/oauth/.well-known/openid-configuration", "\"id_token_signing_alg_values_supported\"" },
		{ "/api/oauth/jwks.json", "\"kid\":\"key-1\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply a = ask("GET", rows[i].path,
		    "Origin: https://inspector.example\r\nSec-Fetch-Site: cross-site\r\n"
		    "MCP-Protocol-Version: 2025-11-25\r\n",
		    "");

		assert_int_equal(a.status, 200);
		assert_holds(a.body, rows[i].holds);
		assert_lacks(a.body, "null");
		assert_string_equal(rig_header(&a, "Content-Type"), "application/json");
		assert_string_equal(rig_header(&a, "Cache-Control"), "max-age=300");
		assert_string_equal(rig_header(&a, "Access-Control-Allow-Origin"), "*");
		a = ask("OPTIONS", rows[i].path,
		    "Origin: https://inspector.example\r\n"
		    "Access-Control-Request-Method: GET\r\n",
		    "");
		assert_int_equal(a.status, 204);
		assert_string_equal(rig_header(&a, "Access-Control-Allow-Headers"),
		    "mcp-protocol-version, content-type, authorization");
		assert_string_equal(rig_header(&a, "Access-Control-Allow-Origin"), "*");
	}
	assert_int_equal(get("/.well-known/oauth-protected-resource/mcp/").status, 404);
	assert_int_equal(get("/.well-known/oauth-protected-resource/other").status, 404);
	assert_int_equal(get("/.well-known/oauth-authorization-server/mcp").status, 404);
}

/* Three names, each an issuer of its own; nothing else that Host says is ever repeated. */
static void
issuers_of_loopback(void **state)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
	char text[512], wanted[128];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct reply a;

		snprintf(text, sizeof(text),
		    "GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: %s:99\r\n\r\n", names[i]);
		rig_send(fd, text);
		a = rig_read(fd);
		snprintf(wanted, sizeof(wanted), "{\"issuer\":\"http://%s:%u\",", names[i], r->port);
		assert_holds(a.body, wanted);
	}
	rig_send(fd, "GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: host.internal:99\r\n\r\n");
	assert_lacks(rig_read(fd).body, "host.internal");
	rig_send(fd, "GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: evil.example\r\n\r\n");
	assert_int_equal(rig_read(fd).status, 403);
}

static int
set_up_public(void **state)
{
	(void)state;
	begin(&(struct rig_options){ .token = "s", .oauth = true, .public_url = PUBLIC "/carrel/" });
	snprintf(issuer, sizeof(issuer), "%s", PUBLIC "/carrel");
	return 0;
}

static void
public_url_decides_alone(void **state)
{
	struct reply a;

	(void)state;
	a = ask("GET", "/.well-known/oauth-protected-resource/carrel/mcp", "X-Forwarded-Host: evil.example\r\n", "");
	assert_int_equal(a.status, 200);
	assert_holds(a.body,
	    "{\"resource\":\"" PUBLIC "/carrel/mcp\",\"authorization_servers\":[\"" PUBLIC "/carrel\"]");
	a = get("/.well-known/oauth-authorization-server/carrel");
	assert_holds(a.body, "{\"issuer\":\"" PUBLIC "/carrel\",");
	assert_string_equal(rig_header(&a, "Strict-Transport-Security"), "max-age=31536000");
	a = list_at("/mcp", NULL);
	assert_int_equal(a.status, 401);
	assert_holds(rig_header(&a, "WWW-Authenticate"),
	    "resource_metadata=\"" PUBLIC "/.well-known/oauth-protected-resource/carrel/mcp\"");
	a = list_at("/mcp", token_of(&(struct claims){ .aud = "\"" PUBLIC "/carrel/mcp\"" }, NULL, 1));
	assert_int_equal(a.status, 200);
	assert_refused(token_of(&(struct claims){ .iss = "http://localhost" }, NULL, 1));
}

static int
set_up_off(void **state)
{
	(void)state;
	begin(&(struct rig_options){ .token = "s", .auth_failures = 1000 });
	return 0;
}

/* Without OAuth nothing of it is there, and a 401 is what it was. */
static void
off(void **state)
{
	static const char *const paths[] = {
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
		"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
		"/api/oauth/jwks.json", "/api/oauth/authorize", "/api/oauth/login",
		"/api/oauth/style.css", "/api/oauth/token", "/api/oauth/register", "/api/oauth/revoke",
		"/api/oauth/device", "/device", "/api/data-agent/mcp",
	};
	struct reply a;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_int_equal(get(paths[i]).status, 404);
		assert_int_equal(ask("OPTIONS", paths[i], "Origin: https://x.example\r\n", "").status, 403);
	}
	a = list_at("/mcp", NULL);
	assert_int_equal(a.status, 401);
	assert_string_equal(rig_header(&a, "WWW-Authenticate"), "Bearer scope=\"" ALL_SCOPES "\"");
	assert_int_equal(list_at("/mcp", good()).status, 401);
	assert_int_equal(r->auth->verifies, 0);
}

/* --- 401 and 403 ----------------------------------------------------------------------------------------- */

static void
challenges(void **state)
{
	char wanted[512];
	struct reply a;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *path = i == 0 ? "/mcp" : "/api/data-agent/mcp";

		snprintf(wanted, sizeof(wanted),
		    "Bearer resource_metadata=\"%s/.well-known/oauth-protected-resource%s\", scope=\"" ALL_SCOPES "\"",
		    issuer, path);
		a = list_at(path, NULL);
		assert_int_equal(a.status, 401);
		assert_string_equal(rig_header(&a, "WWW-Authenticate"), wanted);
		assert_holds(a.body, "{\"error\":\"unauthorized\",");
		assert_holds(a.body, "\"message\":\"");
		/* clients begin with a bare GET, too */
		a = get(path);
		assert_int_equal(a.status, 401);
		assert_string_equal(rig_header(&a, "WWW-Authenticate"), wanted);
		a = list_at(path, "a.b.c");
		assert_holds(rig_header(&a, "WWW-Authenticate"),
		    "Bearer error=\"invalid_token\", error_description=\"");
	}
}

/* Until carrel-auth could read the keys, a token is neither good nor wrong. */
static void
keys_that_are_not_told_yet(void **state)
{
	struct reply a;

	(void)state;
	auth_say(r, IPC_MSG_KEYS, 0, &(struct ipc_keys){ .keys = SPAN("\x90") });
	a = list_at("/mcp", good());
	assert_int_equal(a.status, 503);
	a = get("/api/oauth/jwks.json");
	assert_string_equal(a.body, "{\"keys\":[]}");
	say_keys(1, 0);
	assert_int_equal(list_at("/mcp", good()).status, 200);
	a = get("/api/oauth/jwks.json");
	assert_int_equal(strncmp(a.body, "{\"keys\":[{", 10), 0);
}

/* A scope that the role has: 403, and what to ask for.  One that it lacks: no challenge, which nobody could meet. */
static void
step_up(void **state)
{
	char headers[8192], wanted[512];
	struct reply a;

	(void)state;
	rig_worker(r, IPC_SQL, "warehouse");
	snprintf(headers, sizeof(headers),
	    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: sql_execution\r\n"
	    "Content-Type: application/json\r\nAuthorization: Bearer %s\r\n",
	    good());
	a = ask("POST", "/mcp", headers,
	    RPC("3", "tools/call",
		"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"rows 1\"}," META));
	assert_int_equal(a.status, 403);
	snprintf(wanted, sizeof(wanted),
	    "Bearer error=\"insufficient_scope\", scope=\"research:read research:query ontologies:read "
	    "data_agent:read\", "
	    "resource_metadata=\"%s/.well-known/oauth-protected-resource/mcp\"",
	    issuer);
	assert_string_equal(rig_header(&a, "WWW-Authenticate"), wanted);
	assert_holds(a.body, "\"missing\":[\"research:query\"],\"code\":\"FORBIDDEN\"");

	auth_token(r, &(struct played_token){ .text = "viewer", .principal = "user:bob", .keep_ms = 60000,
	    .scopes = POLICY_SCOPES_VIEWER, .may = POLICY_SCOPES_VIEWER });
	snprintf(headers, sizeof(headers),
	    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: sql_execution\r\n"
	    "Content-Type: application/json\r\nAuthorization: Bearer %s\r\n",
	    token_of(&(struct claims){ .sid = "viewer" }, NULL, 1));
	a = ask("POST", "/mcp", headers,
	    RPC("3", "tools/call",
		"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"rows 1\"}," META));
	assert_int_equal(a.status, 200);
	assert_null(rig_header(&a, "WWW-Authenticate"));
	assert_holds(a.body, "\"code\":\"FORBIDDEN\"");
}

/* --- access tokens ---------------------------------------------------------------------------------------- */

static void
a_good_one(void **state)
{
	(void)state;
	assert_int_equal(list_at("/mcp", good()).status, 200);
	assert_int_equal(r->auth->verifies, 1);
	/* remembered: the same one is not asked for again */
	assert_int_equal(list_at("/mcp", good()).status, 200);
	assert_int_equal(r->auth->verifies, 1);
	/* a static token that looks like one is still that */
	assert_int_equal(list_at("/mcp", "static.secret.x").status, 200);
}

static void
what_is_none(void **state)
{
	char text[4096];
	char *dot;

	(void)state;
	assert_refused(token_of(&(struct claims){ NULL }, NULL, 2)); /* another key */
	assert_refused(token_of(&(struct claims){ NULL }, "{\"alg\":\"none\",\"typ\":\"at+jwt\",\"kid\":\"key-1\"}",
	    1));
	assert_refused(token_of(&(struct claims){ NULL }, "{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"key-1\"}",
	    1));
	assert_refused(token_of(&(struct claims){ NULL }, "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"key-1\"}", 1));
	assert_refused(token_of(&(struct claims){ NULL }, "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"key-2\"}",
	    1));
	assert_refused(token_of(&(struct claims){ NULL },
	    "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"key-1\",\"jku\":\"https://e/\"}", 1));
	snprintf(text, sizeof(text), "%s", good());
	dot = strrchr(text, '.');
	dot[1] = '\0'; /* unsigned */
	assert_refused(text);
	assert_refused(token_of(&(struct claims){ .iss = "https://other.example" }, NULL, 1));
	assert_refused(token_of(&(struct claims){ .aud = "\"https://other.example/mcp\"" }, NULL, 1));
	assert_refused(token_of(&(struct claims){ .exp = -1 }, NULL, 1));
	assert_refused(token_of(&(struct claims){ .iat = 90 }, NULL, 1));
	/* none of these cost carrel-auth a look-up */
	assert_int_equal(r->auth->verifies, 0);
	/* a clock that is a little ahead is no reason */
	assert_int_equal(list_at("/mcp", token_of(&(struct claims){ .iat = 30 }, NULL, 1)).status, 200);
	assert_refused(token_of(&(struct claims){ .sid = "unknown" }, NULL, 1));
}

/* What was made here, though not for here or now, is nobody's guess. */
static void
genuine_ones_are_no_guesses(void **state)
{
	(void)state;
	assert_refused(token_of(&(struct claims){ .exp = -1 }, NULL, 1));
	assert_refused(token_of(&(struct claims){ .aud = "\"https://other.example/mcp\"" }, NULL, 1));
	assert_int_equal(list_at("/api/data-agent/mcp", good()).status, 401);
	rig_sync(r);
	assert_int_equal(r->auth->failures, 0);
	assert_refused(token_of(&(struct claims){ NULL }, NULL, 2));
	rig_until(r, &r->auth->failures, 1);
	assert_int_equal(r->auth->failures, 1);
}

static void
good_for_its_resource_only(void **state)
{
	char aud[256];

	(void)state;
	assert_int_equal(list_at("/api/data-agent/mcp", good()).status, 401);
	snprintf(aud, sizeof(aud), "\"%s/api/data-agent/mcp\"", issuer);
	assert_int_equal(list_at("/api/data-agent/mcp", token_of(&(struct claims){ .aud = aud }, NULL, 1)).status, 200);
	assert_refused(token_of(&(struct claims){ .aud = aud }, NULL, 1));
	snprintf(aud, sizeof(aud), "[\"%s/mcp\",\"%s/api/data-agent/mcp\"]", issuer, issuer);
	assert_int_equal(list_at("/api/data-agent/mcp", token_of(&(struct claims){ .aud = aud }, NULL, 1)).status, 200);
	assert_int_equal(list_at("/mcp", token_of(&(struct claims){ .aud = aud }, NULL, 1)).status, 200);
	/* under another of the loopback names it is another issuer's */
	snprintf(aud, sizeof(aud),
	    "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
	    "Authorization: Bearer ");
	rig_send(fd, aud);
	rig_send(fd, good());
	rig_send(fd, "\r\n\r\n");
	assert_int_equal(rig_read(fd).status, 401);
	/* no other credential is good there */
	assert_int_equal(list_at("/api/data-agent/mcp", "static.secret.x").status, 401);
	assert_int_equal(list_at("/api/data-agent/mcp", TOKEN_A).status, 401);
}

/* The token of a session decides at every request: the same session of another client or resource is none. */
static void
sessions_are_bound(void **state)
{
	char headers[8192], session[128];
	struct reply a;

	(void)state;
	snprintf(headers, sizeof(headers),
	    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	    "Authorization: Bearer %s\r\n",
	    good());
	a = ask("POST", "/mcp", headers,
	    RPC("1", "initialize",
		"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
		"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}"));
	assert_int_equal(a.status, 200);
	snprintf(session, sizeof(session), "%s", rig_header(&a, "Mcp-Session-Id"));
	for (unsigned i = 0; i < 2; i++) {
		snprintf(headers, sizeof(headers),
		    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
		    "Mcp-Session-Id: %s\r\nAuthorization: Bearer %s\r\n",
		    session, token_of(&(struct claims){ .client = i == 0 ? "c1" : "c2" }, NULL, 1));
		a = ask("POST", "/mcp", headers, RPC("2", "ping", ""));
		assert_int_equal(a.status, i == 0 ? 200 : 404);
	}
	snprintf(headers, sizeof(headers),
	    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	    "Mcp-Session-Id: %s\r\nAuthorization: Bearer static.secret.x\r\n",
	    session);
	assert_int_equal(ask("POST", "/mcp", headers, RPC("2", "ping", "")).status, 404);
	/* the end of the grant is the end of the session */
	auth_set(r, GRANT, IPC_VERDICT_REVOKED);
	auth_say(r, IPC_MSG_END, 9, &(struct ipc_end){ .principal = SPAN("user:ada"), .grant = SPAN(GRANT),
	    .verdict = IPC_VERDICT_REVOKED });
	rig_until(r, &r->auth->ended, 1);
	assert_int_equal(r->auth->last_ended.sessions, 1);
	snprintf(headers, sizeof(headers), "Mcp-Session-Id: %s\r\n", session);
	assert_refused(good());
}

/* The end of a grant cuts off what it began, and nothing of the same user's by another grant. */
static void
a_grant_ends_alone(void **state)
{
	char headers[8192];
	int other = rig_connect(r);
	struct reply a;

	(void)state;
	rig_worker(r, IPC_SQL, "warehouse");
	auth_token(r, &(struct played_token){ .text = "g2", .principal = "user:ada", .keep_ms = 60000,
	    .scopes = POLICY_SCOPES_CONTRIBUTOR, .may = POLICY_SCOPES_CONTRIBUTOR });
	auth_token(r, &(struct played_token){ .text = "g3", .principal = "user:ada", .keep_ms = 60000,
	    .scopes = POLICY_SCOPES_CONTRIBUTOR, .may = POLICY_SCOPES_CONTRIBUTOR });
	for (unsigned i = 0; i < 2; i++) {
		char text[16384];
		const char *body = RPC("3", "tools/call",
		    "\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"wait\"}," META);

		snprintf(headers, sizeof(headers), "%s",
		    token_of(&(struct claims){ .sid = i == 0 ? "g2" : "g3" }, NULL, 1));
		snprintf(text, sizeof(text),
		    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
		    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: sql_execution\r\n"
		    "Authorization: Bearer %s\r\nContent-Length: %zu\r\n\r\n%s",
		    headers, strlen(body), body);
		rig_send(i == 0 ? fd : other, text);
	}
	rig_until(r, &r->auth->admits, 2);
	auth_say(r, IPC_MSG_END, 9, &(struct ipc_end){ .principal = SPAN("user:ada"), .grant = SPAN("g2"),
	    .verdict = IPC_VERDICT_REVOKED });
	a = rig_read(fd);
	assert_holds(a.body, "auth_revoked");
	rig_until(r, &r->auth->ended, 1);
	assert_int_equal(r->auth->last_ended.calls, 1);
	fake_shared->let = 1;
	a = rig_read(other);
	assert_int_equal(a.status, 200);
	assert_lacks(a.body, "auth_revoked");
	close(other);
}

/* A narrower scope of the token narrows that token only. */
static void
scopes_of_the_token(void **state)
{
	char headers[8192];
	struct reply a;

	(void)state;
	auth_token(r, &(struct played_token){ .text = "g2", .principal = "user:ada", .keep_ms = 60000,
	    .scopes = POLICY_SCOPES_CONTRIBUTOR, .may = POLICY_SCOPES_CONTRIBUTOR });
	snprintf(headers, sizeof(headers),
	    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: sql_execution\r\n"
	    "Content-Type: application/json\r\nAuthorization: Bearer %s\r\n",
	    token_of(&(struct claims){ .sid = "g2", .scope = "research:read unknown:scope" }, NULL, 1));
	a = ask("POST", "/mcp", headers,
	    RPC("3", "tools/call",
		"\"name\":\"sql_execution\",\"arguments\":{\"connectionId\":\"warehouse\",\"sql\":\"rows 1\"}," META));
	assert_int_equal(a.status, 403);
	assert_holds(rig_header(&a, "WWW-Authenticate"), "scope=\"research:read research:query\"");
}

static void
keys_that_are_over(void **state)
{
	(void)state;
	say_keys(1, clock_unix_ms() - 1000);
	assert_refused(good());
	say_keys(2, 0);
	assert_refused(good());
	say_keys(1, clock_unix_ms() + 100000);
	assert_int_equal(list_at("/mcp", good()).status, 200);
}

/* A lease that ends so many seconds from now, of a store whose clock is ahead by these. */
static void
say_lease(int left_s, int ahead_s)
{
	uint64_t now = clock_boot_ns();

	auth_say(r, IPC_MSG_LEASE, 0,
	    &(struct ipc_lease){ .until_ns = now + (uint64_t)left_s * CLOCK_SECOND,
		.cancel_ns = now + UINT64_C(100) * CLOCK_SECOND,
		.unix_ms = clock_unix_ms() + (uint64_t)ahead_s * 1000,
		.at_ns = now });
	rig_sync(r);
}

static void
the_store_says_until_when(void **state)
{
	(void)state;
	say_lease(60, 0);
	assert_int_equal(list_at("/mcp", good()).status, 200);
	say_lease(60, 3600);
	assert_refused(good());
	say_lease(-1, 0);
	assert_int_equal(list_at("/mcp", good()).status, 503);
	assert_int_equal(list_at("/mcp", "static.secret.x").status, 503);
	say_lease(60, 0);
	assert_int_equal(list_at("/mcp", good()).status, 200);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(documents_are_where_clients_look, set_up, tear_down),
		cmocka_unit_test_setup_teardown(issuers_of_loopback, set_up, tear_down),
		cmocka_unit_test_setup_teardown(public_url_decides_alone, set_up_public, tear_down),
		cmocka_unit_test_setup_teardown(off, set_up_off, tear_down),
		cmocka_unit_test_setup_teardown(challenges, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keys_that_are_not_told_yet, set_up, tear_down),
		cmocka_unit_test_setup_teardown(step_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_good_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(genuine_ones_are_no_guesses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(good_for_its_resource_only, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sessions_are_bound, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_grant_ends_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(scopes_of_the_token, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keys_that_are_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_store_says_until_when, set_up, tear_down),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
