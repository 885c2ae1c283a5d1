// libs: carrel_front_rig carrel_policy
/* test_front_pages.c - the pages on which people sign in and agree, and the endpoints that clients call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mp.h"
#include "tests/unit/front_auth.h"
#include "tests/unit/jws_made.h"

#define SESSION	"sssssssssssssssssssssssssssssssssssssssssss"
#define FORM	"Content-Type: application/x-www-form-urlencoded\r\n"
#define HTML	"Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
#define REDIRECT "http://127.0.0.1:5/cb?x=1"
#define QUERY	"response_type=code&client_id=c1&redirect_uri=http%3A%2F%2F127.0.0.1%3A5%2Fcb%3Fx%3D1" \
	"&state=a%20%2B%26b&code_challenge=abc&code_challenge_method=S256&scope=research%3Aread+ext%3Asql&resource=x"
#define AUTHORIZE "/api/oauth/authorize?" QUERY

static struct rig *r;
static int fd;

/* What the front asked, and what it is to be answered. */
static struct {
	struct ipc_authorize	authorize;
	char	client_id[64], redirect[256], scope[64], challenge[64], asserted[64], session[64];
	char	name[64], password[64];
	char	issuer[64], code[64], verifier[64], token[64], grant[64], client_name[64], principal[64], link[64];
	unsigned decision, ticked, looks, logins, logouts;
	unsigned error;		/* of AUTHORIZE; 0: none */
	bool	 shown, done, denies_asserted;
} said;

#define KEEP(to, s)	snprintf(said.to, sizeof(said.to), "%.*s", SPAN_FMT(s))

static void
authorized(struct played_auth *a, uint64_t id, const struct ipc_authorize *m)
{
	bool known = strcmp(said.session, SESSION) == 0;
	struct ipc_authorized answer = {
		.outcome = IPC_OAUTH_DONE, .message = SPAN(""), .user = SPAN("ada"),
		.client_name = SPAN("Test <b>client"),
		.client_source = IPC_CLIENT_REGISTERED, .offered = POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_EXT_SQL,
		.ticked = POLICY_SCOPE_RESEARCH_READ,
	};

	if (said.error != 0) {
		answer.outcome = said.error;
		answer.shown = said.shown;
		answer.message = SPAN("The message of carrel-auth.");
		answer.retry_after_s = said.error == IPC_OAUTH_TOO_MANY ? 30 : 0;
	} else if (!known)
		answer.outcome = IPC_OAUTH_LOGIN;
	else if (m->decision == IPC_DECISION_DENY) {
		answer.outcome = IPC_OAUTH_ACCESS_DENIED;
		answer.message = SPAN("The user said no.");
	} else if (m->decision == IPC_DECISION_NONE && !said.done)
		answer.outcome = IPC_OAUTH_CONSENT;
	else
		answer.code = SPAN("the-code");
	channel_send(&a->ch, IPC_MSG_AUTHORIZED, id, &answer);
}

static void
signed_in(struct played_auth *a, uint64_t id, bool good, bool link_only)
{
	channel_send(&a->ch, IPC_MSG_SIGNED_IN, id, &(struct ipc_signed_in){
	    .outcome = good ? IPC_OAUTH_DONE : IPC_OAUTH_ACCESS_DENIED,
	    .message = good ? SPAN("") : SPAN("The name or the password is wrong."),
	    .session = good && !link_only ? SPAN(SESSION) : SPAN(""), .session_s = 43200, .user = SPAN("ada") });
}

static void
hear(struct played_auth *a, const struct ipc_frame *frame, const union ipc_any *m)
{
	static const uint8_t empty[] = { 0x80 };

	switch (frame->type) {
	case IPC_MSG_AUTHORIZE:
		KEEP(client_id, m->authorize.client_id);
		KEEP(redirect, m->authorize.redirect_uri);
		KEEP(scope, m->authorize.scope);
		KEEP(challenge, m->authorize.challenge);
		KEEP(session, m->authorize.session);
		KEEP(asserted, m->authorize.asserted);
		KEEP(issuer, m->authorize.issuer);
		said.decision = (unsigned)m->authorize.decision;
		said.ticked = (unsigned)m->authorize.ticked;
		said.looks += m->authorize.look != 0;
		authorized(a, frame->id, &m->authorize);
		break;
	case IPC_MSG_LOGIN:
		KEEP(name, m->login.name);
		KEEP(password, m->login.password);
		KEEP(asserted, m->login.asserted);
		said.logins++;
		signed_in(a, frame->id,
		    m->login.asserted.len > 0 ? !said.denies_asserted : span_is_str(m->login.password, "right &+%"),
		    false);
		break;
	case IPC_MSG_SETUP:
		KEEP(name, m->setup.name);
		KEEP(link, m->setup.link);
		signed_in(a, frame->id, span_is_str(m->setup.link, "good"), m->setup.name.len == 0);
		break;
	case IPC_MSG_LOGOUT:
		said.logouts++;
		channel_send(&a->ch, IPC_MSG_SIGNED_OUT, frame->id,
		    &(struct ipc_signed_out){ .outcome = IPC_OAUTH_DONE });
		break;
	case IPC_MSG_PAGE_SESSION: {
		bool known = span_is_str(m->page_session.session, SESSION);

		channel_send(&a->ch, IPC_MSG_PAGE_USER, frame->id, &(struct ipc_page_user){
		    .outcome = known ? IPC_OAUTH_DONE : IPC_OAUTH_LOGIN, .user = SPAN("ada") });
		break;
	}
	case IPC_MSG_REDEEM: {
		bool good = span_is_str(m->redeem.code, "the-code");

		KEEP(code, m->redeem.code);
		KEEP(verifier, m->redeem.verifier);
		channel_send(&a->ch, IPC_MSG_REDEEMED, frame->id, &(struct ipc_redeemed){
		    .outcome = good ? IPC_OAUTH_DONE : m->redeem.client_id.len == 0 ? IPC_OAUTH_INVALID_CLIENT :
			IPC_OAUTH_INVALID_GRANT,
		    .message = good ? SPAN("") : SPAN("No."), .access_token = SPAN("a.b.c"), .expires_s = 900,
		    .refresh_token = SPAN("crlrt_1"), .scopes = POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_EXT_SQL });
		break;
	}
	case IPC_MSG_REGISTER:
		KEEP(client_name, m->register_client.client_name);
		channel_send(&a->ch, IPC_MSG_REGISTERED, frame->id, &(struct ipc_registered){
		    .outcome = IPC_OAUTH_DONE, .message = SPAN(""), .client_id = SPAN("new"),
		    .issued_unix_s = 1795349240 });
		break;
	case IPC_MSG_REVOKE:
		KEEP(token, m->revoke.token);
		KEEP(grant, m->revoke.grant);
		channel_send(&a->ch, IPC_MSG_REVOKED, frame->id,
		    &(struct ipc_revoked){ .outcome = IPC_OAUTH_DONE, .message = SPAN("") });
		break;
	case IPC_MSG_PREFERENCES: {
		struct mp_value change, v;
		bool good = mp_value(m->preferences.change, &change) && !mp_get(&change, "bad", &v);

		KEEP(principal, m->preferences.principal);
		channel_send(&a->ch, IPC_MSG_PREFERRED, frame->id, &(struct ipc_preferred){
		    .outcome = good ? IPC_OAUTH_DONE : IPC_OAUTH_INVALID_REQUEST,
		    .message = good ? SPAN("") : SPAN("bad is no preference."),
		    .preferences = good ? m->preferences.change : span_of(empty, 1) });
		break;
	}
	default:
		break;
	}
}

static void
begin(const struct rig_options *o)
{
	memset(&said, 0, sizeof(said));
	r = rig_start(o);
	auth_start(r);
	r->auth->other = hear;
	fd = rig_connect(r);
}

static int
set_up(void **state)
{
	(void)state;
	begin(&(struct rig_options){ .token = "s", .open_too = true, .oauth = true });
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

	buf_printf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n%s\r\n%s", method, path,
	    strlen(body), headers, body);
	rig_send_n(fd, b.p, b.len);
	buf_fini(&b);
	a = rig_read(fd);
	return a;
}

/* The value of a session's cookie, as the front makes it for that account; "": of no account of this machine. */
static const char *
tagged(const char *session, const char *account)
{
	static char value[128];
	uint8_t signing[32], key[crypto_auth_hmacsha256_KEYBYTES], mac[crypto_auth_hmacsha256_BYTES];
	char text[256];
	size_t n = strlen(session);

	memset(signing, 7, sizeof(signing));
	crypto_generichash(key, sizeof(key), (const uint8_t *)"carrel forms 1", 14, signing, sizeof(signing));
	snprintf(text, sizeof(text), "cookie session of \"%s\" %s", account, session);
	crypto_auth_hmacsha256(mac, (const uint8_t *)text, strlen(text), key);
	snprintf(value, sizeof(value), "%s.", session);
	sodium_bin2base64(value + n + 1, sizeof(value) - n - 1, mac, sizeof(mac),
	    sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	return value;
}

static const char *
own(const char *session)
{
	char account[32];

	snprintf(account, sizeof(account), "local:%u", (unsigned)getuid());
	return tagged(session, account);
}

static const char *
cookie_of(const char *value)
{
	static char line[256];

	snprintf(line, sizeof(line), HTML "Cookie: other=1; carrel_session_%u=%s\r\n", r->port, value);
	return line;
}

static const char *
cookie(const char *session)
{
	return cookie_of(own(session));
}

/* The value of the page's field with this name. */
static const char *
field(const struct reply *a, const char *name)
{
	static char value[8192];
	char wanted[64];
	const char *p;
	size_t n;

	snprintf(wanted, sizeof(wanted), "name=\"%s\" value=\"", name);
	p = strstr(a->body, wanted);
	if (p == NULL)
		fail_msg("no field %s in %s", name, a->body);
	p += strlen(wanted);
	n = strcspn(p, "\"");
	snprintf(value, sizeof(value), "%.*s", (int)n, p);
	return value;
}

static void
assert_is_page(struct reply *a)
{
	assert_string_equal(rig_header(a, "Content-Type"), "text/html; charset=utf-8");
	assert_holds(rig_header(a, "Content-Security-Policy"),
	    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
	    "form-action 'self'");
	assert_string_equal(rig_header(a, "Referrer-Policy"), "same-origin");
	assert_string_equal(rig_header(a, "X-Content-Type-Options"), "nosniff");
	assert_string_equal(rig_header(a, "Cache-Control"), "no-store");
	assert_null(rig_header(a, "Access-Control-Allow-Origin"));
	assert_lacks(a->body, "<script");
	assert_lacks(a->body, "{{");
	assert_lacks(a->body, "<b>");
}

/* --- from the client to the login and back ----------------------------------------------------------- */

static void
nobody_is_signed_in(void **state)
{
	char wanted[1024];
	struct reply a = ask("GET", AUTHORIZE, HTML "Sec-Fetch-Site: cross-site\r\n", "");

	(void)state;
	assert_int_equal(a.status, 302);
	snprintf(wanted, sizeof(wanted),
	    "http://localhost:%u/api/oauth/login?next=%%2Fapi%%2Foauth%%2Fauthorize%%3Fresponse", r->port);
	assert_holds(rig_header(&a, "Location"), wanted);
	assert_string_equal(rig_header(&a, "Cache-Control"), "no-store");
	assert_string_equal(said.client_id, "c1");
	assert_string_equal(said.redirect, REDIRECT);
	assert_string_equal(said.scope, "research:read ext:sql");
	/* a program that shows no pages is told where the page is */
	a = ask("GET", AUTHORIZE, "Accept: application/json\r\n", "");
	assert_int_equal(a.status, 401);
	snprintf(wanted, sizeof(wanted),
	    "{\"error\":\"login_required\",\"login_url\":\"http://localhost:%u/api/oauth/login", r->port);
	assert_holds(a.body, wanted);
}

static void
login(void **state)
{
	char body[8192], headers[1024], visitor[512], *end;
	struct reply a = ask("GET", AUTHORIZE, HTML, "");
	const char *path = strstr(rig_header(&a, "Location"), "/api/oauth/login");
	char next[4096];

	(void)state;
	snprintf(next, sizeof(next), "%s", path);
	a = ask("GET", next, HTML, "");
	assert_int_equal(a.status, 200);
	assert_is_page(&a);
	assert_int_equal(said.looks, 1);
	assert_holds(a.body, "Test &lt;b&gt;client");
	/* a redirect behind the login is one of the form's, for a browser */
	assert_holds(rig_header(&a, "Content-Security-Policy"), "form-action 'self' http://127.0.0.1:5");
	snprintf(visitor, sizeof(visitor), "%s", rig_header(&a, "Set-Cookie"));
	assert_holds(visitor, "; HttpOnly; SameSite=Lax; Path=/; Max-Age=3600");
	end = strchr(visitor, ';');
	*end = '\0';
	snprintf(headers, sizeof(headers), FORM HTML "Origin: http://localhost:%u\r\nCookie: %s\r\n", r->port, visitor);
	snprintf(body, sizeof(body), "csrf=%s&username=ada&password=wrong&next=", field(&a, "csrf"));
	strcat(body, strstr(next, "next=") + 5);
	a = ask("POST", "/api/oauth/login", headers, body);
	assert_int_equal(a.status, 401);
	assert_is_page(&a);
	assert_holds(a.body, "role=\"alert\"");
	assert_holds(a.body, "The name or the password is wrong.");
	assert_holds(rig_header(&a, "Content-Security-Policy"), "form-action 'self' http://127.0.0.1:5");
	snprintf(body, sizeof(body), "csrf=%s&username=ada&password=right+%%26%%2B%%25&next=", field(&a, "csrf"));
	strcat(body, strstr(next, "next=") + 5);
	a = ask("POST", "/api/oauth/login", headers, body);
	assert_int_equal(a.status, 303);
	assert_string_equal(said.name, "ada");
	assert_string_equal(said.password, "right &+%");
	assert_holds(rig_header(&a, "Location"), "/api/oauth/authorize?" QUERY);
	snprintf(next, sizeof(next), "carrel_session_%u=%s; HttpOnly; SameSite=Lax; Path=/; Max-Age=43200", r->port,
	    own(SESSION));
	assert_string_equal(rig_header(&a, "Set-Cookie"), next);
}

/* Forms of other pages, and of nobody's. */
static void
forms_of_others(void **state)
{
	char headers[1024], body[1024];
	struct reply a = ask("GET", "/api/oauth/login", HTML, "");
	char csrf[64], visitor[256];

	(void)state;
	snprintf(csrf, sizeof(csrf), "%s", field(&a, "csrf"));
	snprintf(visitor, sizeof(visitor), "%s", rig_header(&a, "Set-Cookie"));
	*strchr(visitor, ';') = '\0';
	snprintf(body, sizeof(body), "csrf=%s&username=ada&password=x", csrf);
	for (unsigned i = 0; i < 5; i++) {
		static const char *const origins[] = {
			"https://evil.example", "null", "http://127.0.0.1:1", "http://localhost:1", "http://localhost",
		};

		snprintf(headers, sizeof(headers), FORM HTML "Origin: %s\r\nCookie: %s\r\n", origins[i], visitor);
		assert_int_equal(ask("POST", "/api/oauth/login", headers, body).status, 403);
	}
	snprintf(headers, sizeof(headers), FORM HTML "Sec-Fetch-Site: cross-site\r\nCookie: %s\r\n", visitor);
	assert_int_equal(ask("POST", "/api/oauth/login", headers, body).status, 403);
	/* without the cookie, with another one, with two */
	assert_int_equal(ask("POST", "/api/oauth/login", FORM HTML, body).status, 403);
	snprintf(headers, sizeof(headers), FORM HTML "Cookie: %sx\r\n", visitor);
	assert_int_equal(ask("POST", "/api/oauth/login", headers, body).status, 403);
	snprintf(headers, sizeof(headers), FORM HTML "Cookie: %s; %s\r\n", visitor, visitor);
	assert_int_equal(ask("POST", "/api/oauth/login", headers, body).status, 403);
	snprintf(headers, sizeof(headers), FORM HTML "Cookie: %s\r\n", visitor);
	assert_int_equal(ask("POST", "/api/oauth/login", headers, "username=ada&password=x").status, 403);
	assert_int_equal(said.logins, 0);
	assert_int_equal(ask("POST", "/api/oauth/login", headers, body).status, 401);
	assert_int_equal(said.logins, 1);
}

/* A login leads to an authorization, or nowhere. */
static void
open_redirects(void **state)
{
	static const char *const nexts[] = {
		"https%3A%2F%2Fevil.example%2F", "%2F%2Fevil.example%2F", "%2F%5Cevil.example", "%2Fmcp",
		"%2Fapi%2Foauth%2Fauthorize", "%2Fapi%2Foauth%2Fauthorizer%3Fx", "javascript%3Aalert(1)",
		"%2Fapi%2Foauth%2Fauthorize%3Fa%3D1%26a%3D2",
	};
	char path[512];

	(void)state;
	for (size_t i = 0; i < sizeof(nexts) / sizeof(nexts[0]); i++) {
		struct reply a;

		snprintf(path, sizeof(path), "/api/oauth/login?next=%s", nexts[i]);
		a = ask("GET", path, HTML, "");
		assert_int_equal(a.status, 200);
		assert_string_equal(field(&a, "next"), "");
	}
	assert_int_equal(said.looks, 0);
}

/* --- consent -------------------------------------------------------------------------------------------- */

static struct reply
decide(const char *decision, const char *more)
{
	char headers[1024], body[1024];
	struct reply a = ask("GET", AUTHORIZE, cookie(SESSION), "");

	assert_int_equal(a.status, 200);
	snprintf(body, sizeof(body), "csrf=%s&decision=%s%s", field(&a, "csrf"), decision, more);
	snprintf(headers, sizeof(headers), FORM "Origin: http://localhost:%u\r\n%s", r->port, cookie(SESSION));
	return ask("POST", AUTHORIZE, headers, body);
}

static void
consent(void **state)
{
	struct reply a = ask("GET", AUTHORIZE, cookie(SESSION), "");

	(void)state;
	assert_int_equal(a.status, 200);
	assert_is_page(&a);
	assert_holds(rig_header(&a, "Content-Security-Policy"), "form-action 'self' http://127.0.0.1:5");
	assert_holds(a.body, "Test &lt;b&gt;client");
	assert_holds(a.body, "unverified");
	assert_holds(a.body, "<strong>ada</strong>");
	assert_holds(a.body, "a program on this computer (127.0.0.1:5)");
	assert_holds(a.body, "name=\"scope\" value=\"research:read\" checked");
	assert_holds(a.body, "name=\"scope\" value=\"ext:sql\">");
	assert_lacks(a.body, "memory:write");
	assert_holds(a.body, "name=\"decision\" value=\"allow\"");
	assert_holds(a.body, "name=\"decision\" value=\"deny\"");
	a = decide("allow", "&scope=research%3Aread&scope=ext%3Asql&scope=unknown");
	assert_int_equal(a.status, 303);
	assert_int_equal(said.decision, IPC_DECISION_ALLOW);
	assert_int_equal(said.ticked, POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_EXT_SQL);
	/* each once, the query of the redirect kept, state as it was */
	{
		char wanted[512];

		snprintf(wanted, sizeof(wanted),
		    REDIRECT "&code=the-code&state=a%%20%%2B%%26b&iss=http%%3A%%2F%%2Flocalhost%%3A%u", r->port);
		assert_string_equal(rig_header(&a, "Location"), wanted);
	}
}

static void
saying_no(void **state)
{
	char wanted[512];
	struct reply a = decide("deny", "&scope=research%3Aread");

	(void)state;
	assert_int_equal(a.status, 303);
	assert_int_equal(said.ticked, 0);
	snprintf(wanted, sizeof(wanted),
	    REDIRECT "&error=access_denied&error_description=The%%20user%%20said%%20no."
		     "&state=a%%20%%2B%%26b&iss=http%%3A%%2F%%2Flocalhost%%3A%u",
	    r->port);
	assert_string_equal(rig_header(&a, "Location"), wanted);
	assert_int_equal(decide("perhaps", "").status, 400);
}

static void
consent_of_others(void **state)
{
	char headers[1024], body[256];
	struct reply a = ask("GET", AUTHORIZE, cookie(SESSION), "");
	char csrf[64];

	(void)state;
	snprintf(csrf, sizeof(csrf), "%s", field(&a, "csrf"));
	snprintf(body, sizeof(body), "csrf=%s&decision=allow&scope=research%%3Aread", csrf);
	said.decision = IPC_DECISION_NONE;
	snprintf(headers, sizeof(headers), FORM "Origin: https://evil.example\r\n%s", cookie(SESSION));
	assert_int_equal(ask("POST", AUTHORIZE, headers, body).status, 403);
	snprintf(headers, sizeof(headers), FORM "%s", cookie(SESSION));
	assert_int_equal(ask("POST", AUTHORIZE, headers, "decision=allow").status, 403);
	/* another session's form */
	snprintf(headers, sizeof(headers), FORM "%s", cookie("t" SESSION));
	assert_int_equal(ask("POST", AUTHORIZE, headers, body).status, 403);
	assert_int_equal(said.decision, IPC_DECISION_NONE);
	/* the parameters are the URL's: the form cannot bring others, nor any of them twice */
	snprintf(headers, sizeof(headers), FORM "%s", cookie(SESSION));
	assert_int_equal(ask("POST", AUTHORIZE "&client_id=c2", headers, body).status, 400);
	snprintf(body, sizeof(body), "csrf=%s&decision=allow&decision=deny", csrf);
	assert_int_equal(ask("POST", AUTHORIZE, headers, body).status, 400);
	assert_int_equal(said.decision, IPC_DECISION_NONE);
}

static void
remembered(void **state)
{
	struct reply a;

	(void)state;
	said.done = true;
	a = ask("GET", AUTHORIZE, cookie(SESSION), "");
	assert_int_equal(a.status, 302);
	assert_holds(rig_header(&a, "Location"), REDIRECT "&code=the-code&");
}

/* --- errors ---------------------------------------------------------------------------------------------- */

static void
errors_that_are_shown(void **state)
{
	static const struct {
		unsigned error;
		int status;
		const char *name;
	} rows[] = {
		{ IPC_OAUTH_INVALID_CLIENT, 400, "invalid_client" },
		{ IPC_OAUTH_INVALID_REQUEST, 400, "invalid_request" },
		{ IPC_OAUTH_TOO_MANY, 429, "temporarily_unavailable" },
		{ IPC_OAUTH_UNAVAILABLE, 503, "temporarily_unavailable" },
	};
	char wanted[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply a;

		said.error = rows[i].error;
		said.shown = rows[i].error < IPC_OAUTH_TOO_MANY;
		a = ask("GET", AUTHORIZE, cookie(SESSION), "");
		assert_int_equal(a.status, rows[i].status);
		assert_is_page(&a);
		assert_null(rig_header(&a, "Location"));
		assert_holds(a.body, "The message of carrel-auth.");
		assert_holds(a.body, rows[i].name);
		if (rows[i].status == 429)
			assert_string_equal(rig_header(&a, "Retry-After"), "30");
		a = ask("GET", AUTHORIZE, "Accept: application/json\r\n", "");
		assert_int_equal(a.status, rows[i].status);
		snprintf(wanted, sizeof(wanted),
		    "{\"error\":\"%s\",\"error_description\":\"The message of carrel-auth.\"}", rows[i].name);
		assert_string_equal(a.body, wanted);
	}
	said.error = 0;
	assert_int_equal(ask("GET", "/api/oauth/authorize?client_id=c1&client_id=c2", HTML, "").status, 400);
	assert_int_equal(ask("GET", "/api/oauth/authorize?client_id=%ff", HTML, "").status, 400);
}

static void
errors_that_are_redirected(void **state)
{
	static const struct {
		unsigned error;
		const char *name;
	} rows[] = {
		{ IPC_OAUTH_UNSUPPORTED_RESPONSE_TYPE, "unsupported_response_type" },
		{ IPC_OAUTH_INVALID_REQUEST, "invalid_request" },
		{ IPC_OAUTH_INVALID_TARGET, "invalid_target" },
		{ IPC_OAUTH_INVALID_SCOPE, "invalid_scope" },
		{ IPC_OAUTH_ACCESS_DENIED, "access_denied" },
	};
	char wanted[512];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reply a;

		said.error = rows[i].error;
		a = ask("GET", AUTHORIZE, HTML, "");
		assert_int_equal(a.status, 302);
		snprintf(wanted, sizeof(wanted),
		    REDIRECT "&error=%s&error_description=The%%20message%%20of%%20carrel-auth."
			     "&state=a%%20%%2B%%26b&iss=http%%3A%%2F%%2Flocalhost%%3A%u",
		    rows[i].name, r->port);
		assert_string_equal(rig_header(&a, "Location"), wanted);
	}
}

/* carrel-auth is not there, or is lost while it is asked. */
static void
nobody_answers(void **state)
{
	struct reply a;

	(void)state;
	r->auth->other = NULL;
	rig_send(fd, "GET " AUTHORIZE " HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n");
	rig_sync(r);
	auth_lose(r);
	a = rig_read(fd);
	assert_int_equal(a.status, 503);
	assert_is_page(&a);
	a = ask("POST", "/api/oauth/token", FORM, "grant_type=authorization_code");
	assert_int_equal(a.status, 503);
	assert_string_equal(rig_header(&a, "Retry-After"), "1");
	assert_holds(a.body, "{\"error\":\"temporarily_unavailable\"");
	assert_int_equal(ask("GET", "/api/user-settings", "Authorization: Bearer s\r\n", "").status, 503);
}

/* The client leaves while carrel-auth is asked: the answer is nobody's. */
static void
leaving(void **state)
{
	int other = rig_connect(r);

	(void)state;
	auth_lose(r);
	auth_start(r);
	r->auth->other = NULL;
	rig_send(other, "GET " AUTHORIZE " HTTP/1.1\r\nHost: localhost\r\n\r\n");
	rig_sync(r);
	close(other);
	rig_sync(r);
	auth_say(r, IPC_MSG_AUTHORIZED, 1, &(struct ipc_authorized){ .outcome = IPC_OAUTH_LOGIN, .message = SPAN(""),
	    .client_source = IPC_CLIENT_UNKNOWN });
	r->auth->other = hear;
	assert_int_equal(ask("GET", "/api/oauth/login", HTML, "").status, 200);
	assert_int_equal(r->complaints, 0);
}

/* --- in and out -------------------------------------------------------------------------------------------- */

static void
signing_out(void **state)
{
	char headers[1024], body[128], wanted[128];
	struct reply a = ask("GET", "/api/oauth/login", cookie(SESSION), "");

	(void)state;
	assert_int_equal(a.status, 200);
	assert_holds(a.body, "signed in as <strong>ada</strong>");
	snprintf(body, sizeof(body), "csrf=%s", field(&a, "csrf"));
	snprintf(headers, sizeof(headers), FORM "%s", cookie(SESSION));
	assert_int_equal(ask("POST", "/api/oauth/logout", headers, "csrf=x").status, 403);
	assert_int_equal(said.logouts, 0);
	a = ask("POST", "/api/oauth/logout", headers, body);
	assert_int_equal(a.status, 303);
	assert_int_equal(said.logouts, 1);
	snprintf(wanted, sizeof(wanted), "carrel_session_%u=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0", r->port);
	assert_string_equal(rig_header(&a, "Set-Cookie"), wanted);
	a = ask("GET", "/api/oauth/signed-out", HTML, "");
	assert_int_equal(a.status, 200);
	assert_is_page(&a);
	assert_int_equal(ask("GET", "/api/oauth/logout", HTML, "").status, 405);
}

/* A cookie is good for the account that it was made for: not for another one, not untagged, not behind a proxy. */
static void
cookies_of_others(void **state)
{
	char headers[1024];

	(void)state;
	assert_int_equal(ask("GET", AUTHORIZE, cookie(SESSION), "").status, 200);
	assert_string_equal(said.session, SESSION);
	assert_int_equal(ask("GET", AUTHORIZE, cookie_of(SESSION), "").status, 302);
	assert_int_equal(ask("GET", AUTHORIZE, cookie_of(tagged(SESSION, "local:4711")), "").status, 302);
	assert_int_equal(ask("GET", AUTHORIZE, cookie_of(tagged(SESSION, "")), "").status, 302);
	assert_int_equal(ask("GET", AUTHORIZE, cookie_of(tagged(SESSION, "?")), "").status, 302);
	assert_string_equal(said.session, "");
	snprintf(headers, sizeof(headers), "X-Forwarded-For: 203.0.113.1\r\n%s", cookie(SESSION));
	assert_int_equal(ask("GET", AUTHORIZE, headers, "").status, 200); /* nobody's proxy: nothing */
	close(fd);
	rig_stop(r);
	begin(&(struct rig_options){ .token = "s", .open_too = true, .oauth = true, .trusts_loopback = true });
	snprintf(headers, sizeof(headers), "X-Forwarded-For: 203.0.113.1\r\n%s", cookie(SESSION));
	assert_int_equal(ask("GET", AUTHORIZE, headers, "").status, 302);
	snprintf(headers, sizeof(headers), "X-Forwarded-For: 203.0.113.1\r\n%s", cookie_of(tagged(SESSION, "")));
	assert_int_equal(ask("GET", AUTHORIZE, headers, "").status, 200);
}

/* By a link whose secret is in the part of the address that is never sent; the page's key comes with the answer. */
static void
first_administrator(void **state)
{
	char headers[256], cookies[256];
	struct reply a;

	(void)state;
	snprintf(headers, sizeof(headers), "Content-Type: application/json\r\nOrigin: http://localhost:%u\r\n",
	    r->port);
	a = ask("POST", "/admin/api/setup", headers,
	    "{\"link\":\"good\",\"name\":\"root\",\"password\":\"long enough\"}");
	assert_int_equal(a.status, 200);
	assert_string_equal(said.name, "root");
	assert_string_equal(said.link, "good");
	assert_holds(a.body, "\"signed_in\":true,\"csrf\":\"");
	snprintf(cookies, sizeof(cookies), "%s", rig_header(&a, "Set-Cookie"));
	assert_holds(cookies, own(SESSION));
	assert_int_equal(
	    ask("POST", "/admin/api/setup", headers, "{\"link\":\"bad\",\"name\":\"x\",\"password\":\"y\"}").status,
	    401);
	assert_int_equal(ask("POST", "/admin/api/setup", headers, "{\"name\":\"x\",\"password\":\"y\"}").status, 400);
	assert_int_equal(ask("POST", "/admin/api/setup",
			     "Content-Type: application/json\r\nOrigin: http://localhost:1\r\n",
			     "{\"link\":\"good\",\"name\":\"x\",\"password\":\"y\"}")
			     .status,
	    403);
	assert_int_equal(ask("GET", "/api/oauth/setup?link=good", HTML, "").status, 404);
}

/* The root leads browsers to the page; programs are told that there is nothing. */
static void
root(void **state)
{
	struct reply a = ask("GET", "/", "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n", "");

	(void)state;
	assert_int_equal(a.status, 302);
	assert_string_equal(rig_header(&a, "Location"), "admin");
	assert_int_equal(ask("GET", "/", "Accept: */*\r\n", "").status, 404);
	assert_int_equal(ask("GET", "/", "", "").status, 404);
}

static int
set_up_proxied(void **state)
{
	(void)state;
	begin(&(struct rig_options){ .token = "s", .oauth = true, .proxy_header = "X-Remote-User",
	    .trusts_loopback = true,
	    .public_url = "https://carrel.example.org" });
	return 0;
}

/* The proxy's word replaces the login, not the consent; two words are none. */
static void
users_of_a_proxy(void **state)
{
	struct reply a = ask("GET", AUTHORIZE, HTML "x-remote-user:  ada \r\n", "");
	char wanted[256];

	(void)state;
	assert_int_equal(a.status, 200);
	assert_string_equal(said.asserted, "ada");
	assert_int_equal(said.logins, 1);
	assert_holds(a.body, "name=\"decision\" value=\"allow\"");
	snprintf(wanted, sizeof(wanted),
	    "__Host-carrel_session=%s; HttpOnly; SameSite=Lax; Path=/; Max-Age=43200; Secure", tagged(SESSION, ""));
	assert_string_equal(rig_header(&a, "Set-Cookie"), wanted);
	a = ask("GET", AUTHORIZE, HTML "X-Remote-User: ada\r\nX-Remote-User: root\r\n", "");
	assert_int_equal(a.status, 401);
	a = ask("GET", AUTHORIZE, HTML, "");
	assert_int_equal(a.status, 401);
	assert_int_equal(said.logins, 1);
	said.denies_asserted = true;
	assert_int_equal(ask("GET", AUTHORIZE, HTML "X-Remote-User: eve\r\n", "").status, 403);
}

static int
set_up_unproxied(void **state)
{
	(void)state;
	begin(&(struct rig_options){ .token = "s", .oauth = true, .proxy_header = "X-Remote-User" });
	return 0;
}

static void
nobody_else_names_users(void **state)
{
	(void)state;
	assert_int_equal(ask("GET", AUTHORIZE, HTML "X-Remote-User: ada\r\nX-Forwarded-For: 1.2.3.4\r\n", "").status,
	    401);
	assert_string_equal(said.asserted, "");
	assert_int_equal(said.logins, 0);
}

/* --- endpoints of clients ------------------------------------------------------------------------------------ */

static void
tokens(void **state)
{
	struct reply a = ask("POST", "/api/oauth/token", FORM,
	    "grant_type=authorization_code&code=the-code&code_verifier=v&redirect_uri=x&resource=y&client_id=c1");

	(void)state;
	assert_int_equal(a.status, 200);
	assert_string_equal(a.body,
	    "{\"access_token\":\"a.b.c\",\"token_type\":\"Bearer\",\"expires_in\":900,\"refresh_token\":\"crlrt_1\","
	    "\"scope\":\"research:read ext:sql\"}");
	assert_string_equal(rig_header(&a, "Cache-Control"), "no-store");
	assert_string_equal(rig_header(&a, "Content-Type"), "application/json");
	assert_string_equal(said.verifier, "v");
	a = ask("POST", "/api/oauth/token", FORM, "grant_type=authorization_code&code=other&client_id=c1");
	assert_int_equal(a.status, 400);
	assert_string_equal(a.body, "{\"error\":\"invalid_grant\",\"error_description\":\"No.\"}");
	assert_int_equal(ask("POST", "/api/oauth/token", FORM, "code=other").status, 401);
	a = ask("POST", "/api/oauth/token", FORM, "code=1&code=2");
	assert_int_equal(a.status, 400);
	assert_holds(a.body, "\"invalid_request\"");
	a = ask("POST", "/api/oauth/token", "Content-Type: application/json\r\n", "{}");
	assert_int_equal(a.status, 400);
	assert_holds(a.body, "\"invalid_request\"");
	assert_int_equal(ask("GET", "/api/oauth/token", "", "").status, 405);
}

static void
registrations(void **state)
{
	static const struct {
		const char *body, *error;
	} rows[] = {
		{ "{}", "invalid_redirect_uri" },
		{ "{\"redirect_uris\":[]}", "invalid_redirect_uri" },
		{ "{\"redirect_uris\":\"http://localhost/\"}", "invalid_redirect_uri" },
		{ "{\"redirect_uris\":[7]}", "invalid_redirect_uri" },
		{ "{\"redirect_uris\":[\"http://localhost/\"],\"client_name\":7}", "invalid_client_metadata" },
		{ "[]", "invalid_client_metadata" },
		{ "{", "invalid_client_metadata" },
	};
	struct reply a = ask("POST", "/api/oauth/register", "Content-Type: application/json\r\n",
	    "{\"client_name\":\"A \\\"name\\\"\",\"redirect_uris\":[\"cursor://x/cb\",\"http://localhost:8787/cb\"],"
	    "\"token_endpoint_auth_method\":\"client_secret_basic\",\"grant_types\":[\"authorization_code\","
	    "\"implicit\"],"
	    "\"logo_uri\":null}");
	char *large = malloc(70000);

	(void)state;
	assert_int_equal(a.status, 201);
	assert_string_equal(a.body,
	    "{\"client_id\":\"new\",\"client_id_issued_at\":1795349240,"
	    "\"redirect_uris\":[\"cursor://x/cb\",\"http://localhost:8787/"
	    "cb\"],\"token_endpoint_auth_method\":\"none\","
	    "\"grant_types\":[\"authorization_code\",\"refresh_token\"],\"response_types\":[\"code\"],"
	    "\"client_name\":\"A \\\"name\\\"\"}");
	assert_string_equal(rig_header(&a, "Cache-Control"), "no-store");
	a = ask("POST", "/api/oauth/register", "Content-Type: application/json\r\n",
	    "{\"redirect_uris\":[\"http://localhost/\"],\"client_name\":null}");
	assert_int_equal(a.status, 201);
	assert_lacks(a.body, "null");
	assert_lacks(a.body, "client_name");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		a = ask("POST", "/api/oauth/register", "Content-Type: application/json\r\n", rows[i].body);
		assert_int_equal(a.status, 400);
		assert_holds(a.body, rows[i].error);
	}
	memset(large, ' ', 69999);
	large[20000] = '\0';
	a = ask("POST", "/api/oauth/register", "Content-Type: application/json\r\n", large);
	assert_int_equal(a.status, 400);
	assert_holds(a.body, "invalid_client_metadata");
	large[20000] = ' ';
	large[69999] = '\0';
	assert_int_equal(ask("POST", "/api/oauth/register", "Content-Type: application/json\r\n", large).status, 413);
	free(large);
}

static void
revocations(void **state)
{
	uint8_t public[32], secret[64];
	struct buf keys = { .max = 0 };
	char body[20000];

	(void)state;
	jws_pair(1, public, secret);
	mp_put_array(&keys, 1);
	mp_put_map(&keys, 3);
	mp_pair_cstr(&keys, "kid", "key-1");
	mp_put_cstr(&keys, "x");
	mp_put_bin(&keys, span_of(public, sizeof(public)));
	mp_pair_uint(&keys, "until", 0);
	auth_say(r, IPC_MSG_KEYS, 0, &(struct ipc_keys){ .keys = buf_view(&keys) });
	buf_fini(&keys);
	assert_int_equal(ask("POST", "/api/oauth/revoke", FORM, "token=crlrt_1&client_id=c1&token_type_hint=x").status,
	    200);
	assert_string_equal(said.token, "crlrt_1");
	assert_string_equal(said.grant, "");
	for (uint8_t seed = 1; seed <= 2; seed++) {
		snprintf(body, sizeof(body), "client_id=c1&token=%s",
		    jws_made(JWS_HEADER_GOOD,
			"{\"iss\":\"i\",\"aud\":\"a\",\"sub\":\"s\",\"client_id\":\"c\",\"scope\":\"\",\"iat\":1,"
			"\"exp\":2,"
			"\"sid\":\"the-grant\"}",
			seed));
		assert_int_equal(ask("POST", "/api/oauth/revoke", FORM, body).status, 200);
		assert_string_equal(said.grant, seed == 1 ? "the-grant" : "");
	}
	assert_int_equal(ask("POST", "/api/oauth/revoke", FORM, "client_id=c1").status, 400);
}

static void
settings(void **state)
{
	char local[64];
	struct reply a =
	    ask("PATCH", "/api/user-settings", "Content-Type: application/json\r\nAuthorization: Bearer s\r\n",
		"{\"dataAgent\":{\"weekStart\":\"monday\",\"defaultOntology\":null}}");

	(void)state;
	assert_int_equal(a.status, 200);
	assert_string_equal(a.body, "{\"dataAgent\":{\"weekStart\":\"monday\",\"defaultOntology\":null}}");
	assert_string_equal(said.principal, "static");
	a = ask("GET", "/api/user-settings", "", "");
	assert_int_equal(a.status, 200);
	assert_string_equal(a.body, "{\"dataAgent\":{}}");
	snprintf(local, sizeof(local), "local:%u", (unsigned)getuid());
	assert_string_equal(said.principal, local);
	a = ask("PATCH", "/api/user-settings", "Content-Type: application/json\r\n", "{\"dataAgent\":{\"bad\":1}}");
	assert_int_equal(a.status, 400);
	assert_holds(a.body, "bad is no preference.");
	assert_int_equal(ask("PATCH", "/api/user-settings", "Content-Type: application/json\r\n", "{\"x\":{}}").status,
	    400);
	assert_int_equal(ask("PATCH", "/api/user-settings", "Content-Type: application/json\r\n", "{").status, 400);
	assert_int_equal(ask("PATCH", "/api/user-settings", "", "{\"dataAgent\":{}}").status, 415);
	assert_int_equal(ask("PATCH", "/api/user-settings",
			     "Content-Type: application/json\r\n"
			     "Origin: https://evil.example\r\n",
			     "{\"dataAgent\":{}}")
			     .status,
	    403);
	auth_token(r, &(struct played_token){ .text = TOKEN_A, .scopes = POLICY_SCOPES_TOKEN, .keep_ms = 60000 });
	assert_int_equal(ask("GET", "/api/user-settings", AS(TOKEN_A), "").status, 403);
}

static void
style(void **state)
{
	struct reply a = ask("GET", "/api/oauth/style.css", "", "");

	(void)state;
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Content-Type"), "text/css; charset=utf-8");
	assert_holds(a.body, "prefers-color-scheme: dark");
	assert_lacks(a.body, "url(");
	a = ask("GET", "/api/oauth/icon.svg", "", "");
	assert_int_equal(a.status, 200);
	assert_string_equal(rig_header(&a, "Content-Type"), "image/svg+xml");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_is_signed_in, set_up, tear_down),
		cmocka_unit_test_setup_teardown(login, set_up, tear_down),
		cmocka_unit_test_setup_teardown(forms_of_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(open_redirects, set_up, tear_down),
		cmocka_unit_test_setup_teardown(consent, set_up, tear_down),
		cmocka_unit_test_setup_teardown(saying_no, set_up, tear_down),
		cmocka_unit_test_setup_teardown(consent_of_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(remembered, set_up, tear_down),
		cmocka_unit_test_setup_teardown(errors_that_are_shown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(errors_that_are_redirected, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nobody_answers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(leaving, set_up, tear_down),
		cmocka_unit_test_setup_teardown(signing_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cookies_of_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(first_administrator, set_up, tear_down),
		cmocka_unit_test_setup_teardown(root, set_up, tear_down),
		cmocka_unit_test_setup_teardown(users_of_a_proxy, set_up_proxied, tear_down),
		cmocka_unit_test_setup_teardown(nobody_else_names_users, set_up_unproxied, tear_down),
		cmocka_unit_test_setup_teardown(tokens, set_up, tear_down),
		cmocka_unit_test_setup_teardown(registrations, set_up, tear_down),
		cmocka_unit_test_setup_teardown(revocations, set_up, tear_down),
		cmocka_unit_test_setup_teardown(settings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(style, set_up, tear_down),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
