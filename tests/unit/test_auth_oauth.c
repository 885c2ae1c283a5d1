// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_auth_oauth.c - authorizations, consents, codes, refresh tokens, clients and keys, with a clock that is wound. */
#include "tests/unit/auth_rig.h"

#include "base/text/b64.h"
#include "base/json/json_read.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/oauth/redeem.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_user.h"

#define ASKED	((uint32_t)(POLICY_SCOPES_RESEARCH))

/* --- authorization ----------------------------------------------------------------------- */

static void
a_client_that_is_not_known_is_told_to_the_user_alone(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);

	m.client_id = SPAN("nobody");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_INVALID_CLIENT);
	assert_true(r->authorized.shown);
	m = rig_request(r);
	m.client_id = SPAN("");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_INVALID_REQUEST);
	assert_true(r->authorized.shown);
	m = rig_request(r);
	m.redirect_uri = SPAN("");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_INVALID_REQUEST);
	assert_true(r->authorized.shown);
	m.redirect_uri = SPAN("https://evil.example/cb");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_INVALID_REQUEST);
	assert_true(r->authorized.shown);
	assert_true(r->authorized.message.len > 0);
	m = rig_request(r);
	m.issuer = SPAN("http://evil.example");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_UNAVAILABLE);
}

static void
other_errors_go_to_the_client(void **state)
{
	struct auth_rig *r = *state;
	struct {
		struct span response_type, challenge, method, resource, scope;
		enum ipc_oauth outcome;
	} rows[] = {
		{ SPAN("token"), SPAN(CHALLENGE), SPAN("S256"), SPAN(""), SPAN(""),
		    IPC_OAUTH_UNSUPPORTED_RESPONSE_TYPE },
		{ SPAN(""), SPAN(CHALLENGE), SPAN("S256"), SPAN(""), SPAN(""), IPC_OAUTH_INVALID_REQUEST },
		{ SPAN("code"), SPAN(""), SPAN(""), SPAN(""), SPAN(""), IPC_OAUTH_INVALID_REQUEST },
		{ SPAN("code"), SPAN(CHALLENGE), SPAN(""), SPAN(""), SPAN(""), IPC_OAUTH_INVALID_REQUEST },
		{ SPAN("code"), SPAN(CHALLENGE), SPAN("plain"), SPAN(""), SPAN(""), IPC_OAUTH_INVALID_REQUEST },
		{ SPAN("code"), SPAN("short"), SPAN("S256"), SPAN(""), SPAN(""), IPC_OAUTH_INVALID_REQUEST },
		{ SPAN("code"), SPAN(CHALLENGE), SPAN("S256"), SPAN("https://other.example/mcp"), SPAN(""),
		    IPC_OAUTH_INVALID_TARGET },
		{ SPAN("code"), SPAN(CHALLENGE), SPAN("S256"), SPAN(""), SPAN("openid profile"),
		    IPC_OAUTH_INVALID_SCOPE },
		{ SPAN("code"), SPAN(CHALLENGE), SPAN("S256"), SPAN(""), SPAN("ext:sql connectivity:admin"),
		    IPC_OAUTH_ACCESS_DENIED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ipc_authorize m = rig_request(r);

		m.response_type = rows[i].response_type;
		m.challenge = rows[i].challenge;
		m.challenge_method = rows[i].method;
		m.resource = rows[i].resource;
		m.scope = rows[i].scope;
		assert_int_equal(rig_authorize(r, &m), rows[i].outcome);
		assert_false(r->authorized.shown);
		assert_true(r->authorized.message.len > 0);
	}
}

static void
a_user_signs_in_then_says_yes_or_no(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);

	m.session = SPAN("");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_LOGIN);
	m.session = SPAN("0000000000000000000000000000000000000000000");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_LOGIN);
	m = rig_request(r);
	m.scope = SPAN("");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	assert_int_equal(r->authorized.offered, POLICY_SCOPES_CONTRIBUTOR);
	assert_int_equal(r->authorized.ticked, POLICY_SCOPES_CONTRIBUTOR);
	assert_true(span_is(r->authorized.user, SPAN("ada")));
	assert_true(span_is(r->authorized.client_name, SPAN("A client")));
	assert_int_equal(r->authorized.client_source, IPC_CLIENT_REGISTERED);
	m.decision = IPC_DECISION_DENY;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_ACCESS_DENIED);
	assert_false(r->authorized.shown);
	m.decision = IPC_DECISION_ALLOW;
	m.ticked = POLICY_SCOPE_EXT_SQL; /* which was not offered */
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_ACCESS_DENIED);
	m.ticked = POLICY_SCOPE_RESEARCH_READ;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	assert_int_equal(r->authorized.code.len, OAUTH_SECRET);
}

static void
administrative_scopes_are_not_ticked_unless_they_were(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);
	char boss[OAUTH_SECRET + 1];

	rig_add_user(r, "boss", "admin");
	rig_sign_in(r, "boss", boss);
	m.session = span_str(boss);
	m.scope = SPAN("");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	assert_int_equal(r->authorized.offered, POLICY_SCOPES_ADMIN);
	assert_int_equal(r->authorized.ticked, POLICY_SCOPES_CONTRIBUTOR);
	m.decision = IPC_DECISION_ALLOW;
	m.ticked = POLICY_SCOPE_EXT_SQL | POLICY_SCOPE_RESEARCH_READ;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.decision = IPC_DECISION_NONE;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	assert_int_equal(r->authorized.ticked, POLICY_SCOPES_CONTRIBUTOR | POLICY_SCOPE_EXT_SQL);
}

static void
what_was_said_is_remembered_for_a_while(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);

	(void)rig_code(r, m);
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.scope = SPAN("research:read");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.prompt = SPAN("consent");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	m.prompt = SPAN("");
	m.scope = SPAN("research:read data_agent:read");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	m.scope = SPAN("research:read");
	rig_wind(r, 90 * DAY_MS);
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	m.look = 1;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
}

/* Of one client's consent another one has nothing, nor another user. */
static void
consents_are_one_users_for_one_client(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);
	char other[33], bob[OAUTH_SECRET + 1];

	(void)rig_code(r, m);
	assert_int_equal(rig_register(r, "Another", REDIRECT, ADDRESS, other), IPC_OAUTH_DONE);
	m.client_id = span_str(other);
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	rig_add_user(r, "bob", "contributor");
	rig_sign_in(r, "bob", bob);
	m = rig_request(r);
	m.session = span_str(bob);
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
}

/* Each redirect is asked for, a port of this machine as much as any other; the page is filled as it was before. */
static void
consents_are_for_one_redirect(void **state)
{
	static const char *const others[] = { "http://localhost:6666/callback", "http://localhost/callback",
		"http://127.0.0.1:53411/callback", "https://client.example/callback", "cursor://back" };
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);
	char id[33], boss[OAUTH_SECRET + 1], redirect[64];

	rig_add_user(r, "boss", "admin");
	rig_sign_in(r, "boss", boss);
	m.session = span_str(boss);
	m.scope = SPAN("research:read ext:sql");
	assert_int_equal(rig_register(r, "Native",
			     "http://localhost:1/callback\nhttp://127.0.0.1/callback\n"
			     "https://client.example/callback\ncursor://back",
			     ADDRESS, id),
	    IPC_OAUTH_DONE);
	m.client_id = span_str(id);
	m.redirect_uri = SPAN("http://localhost:53411/callback");
	m.decision = IPC_DECISION_ALLOW;
	m.ticked = POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_EXT_SQL;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.decision = IPC_DECISION_NONE;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		m.redirect_uri = span_str(others[i]);
		assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
		assert_int_equal(r->authorized.ticked, POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_EXT_SQL);
	}
	rig_wind(r, 65 * SECOND_MS);
	/* What another redirect was allowed is not remembered for this one. */
	m.redirect_uri = span_str(others[0]);
	m.decision = IPC_DECISION_ALLOW;
	m.ticked = POLICY_SCOPE_RESEARCH_READ;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.decision = IPC_DECISION_NONE;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	m.scope = SPAN("research:read");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.redirect_uri = SPAN("http://localhost:53411/callback");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	/* Ports without end are not remembered without end. */
	m.decision = IPC_DECISION_ALLOW;
	for (unsigned port = 2000; port < 2000 + STORE_CONSENTS_MAX; port++) {
		snprintf(redirect, sizeof(redirect), "http://localhost:%u/callback", port);
		rig_wind(r, SECOND_MS);
		m.redirect_uri = span_str(redirect);
		assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	}
	m.decision = IPC_DECISION_NONE;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.redirect_uri = SPAN("http://localhost:53411/callback");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
}

static void
pages_and_codes_are_counted_by_address(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);

	for (int i = 0; i < 10; i++) {
		/* The login page counts as the page of consent does. */
		m.session = i % 2 == 0 ? SPAN("") : rig_request(r).session;
		assert_int_equal(rig_authorize(r, &m), i % 2 == 0 ? IPC_OAUTH_LOGIN : IPC_OAUTH_CONSENT);
		/* The answer to a page that was counted does not, nor does a look. */
		m = rig_request(r);
		(void)rig_code(r, m);
		m.look = 1;
		(void)rig_authorize(r, &m);
		m.look = 0;
		m.prompt = SPAN("consent");
	}
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_TOO_MANY);
	assert_in_range(r->authorized.retry_after_s, 1, 64);
	assert_true(r->authorized.shown);
	m.address = SPAN("203.0.113.8");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	m.address = SPAN(ADDRESS);
	rig_wind(r, 65 * SECOND_MS);
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
}

static void
unknown_clients_are_taken_only_where_that_is_said(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);
	struct ipc_redeem t;

	m.client_id = SPAN("some-program");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_INVALID_CLIENT);
	r->a->conf.unregistered_loopback = true;
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	assert_int_equal(r->authorized.client_source, IPC_CLIENT_UNKNOWN);
	t = rig_redemption(r, rig_code(r, m));
	t.client_id = SPAN("some-program");
	assert_int_equal(rig_send(r, &t), IPC_OAUTH_DONE);
	/* Nothing is remembered for whoever calls itself so. */
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	m.redirect_uri = SPAN("https://evil.example/");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_INVALID_CLIENT);
	assert_true(r->authorized.shown);
}

/* --- codes ------------------------------------------------------------------------------------- */

static struct span
part(struct span token, unsigned n, struct buf *out)
{
	const uint8_t *p = token.p, *end = token.p + token.len, *dot;

	for (; n > 0; n--) {
		dot = memchr(p, '.', (size_t)(end - p));
		assert_non_null(dot);
		p = dot + 1;
	}
	dot = memchr(p, '.', (size_t)(end - p));
	buf_reset(out, SIZE_MAX);
	assert_true(b64url_decode(out, span_of(p, (size_t)((dot != NULL ? dot : end) - p))));
	return buf_view(out);
}

/* The claims as JSON, after the signature was checked. */
static void
check_access(struct auth_rig *r, struct buf *claims)
{
	struct span token = r->redeemed.access_token;
	struct buf signature = { 0 };
	const uint8_t *last = memrchr(token.p, '.', token.len);
	uint8_t public[32];
	char head[200];

	snprintf(head, sizeof(head), "{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"%s\"}", r->a->oauth->key.kid);
	(void)part(token, 0, claims);
	assert_string_equal(buf_cstr(claims), head);
	(void)part(token, 2, &signature);
	assert_int_equal(signature.len, SIGNING_BYTES);
	memcpy(public, r->a->oauth->key.secret + 32, 32);
	assert_int_equal(crypto_sign_verify_detached(signature.p, token.p, (size_t)(last - token.p), public), 0);
	(void)part(token, 1, claims);
	buf_fini(&signature);
}

static void
a_code_becomes_tokens(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_redeem m = rig_redemption(r, rig_code(r, rig_request(r)));
	struct buf claims = { 0 }, map = { 0 };
	struct mp_value v;
	char grant[STORE_GRANT_ID + 1];
	uint64_t turn;
	size_t at;

	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	assert_int_equal(r->redeemed.scopes, ASKED);
	assert_int_equal(r->redeemed.expires_s, 900);
	assert_true(refresh_read(r->a->conf.refresh_key, r->redeemed.refresh_token, grant, &turn));
	assert_int_equal(turn, 1);
	check_access(r, &claims);
	assert_int_equal(json_read(buf_view(&claims), &map, &at), JSON_OK);
	assert_true(mp_value(buf_view(&map), &v));
	assert_true(span_is(mp_get_str(&v, "iss", SPAN("")), SPAN(ISSUER)));
	assert_true(span_is(mp_get_str(&v, "aud", SPAN("")), SPAN(ISSUER "/mcp")));
	assert_true(span_is(mp_get_str(&v, "sub", SPAN("")), SPAN("ada")));
	assert_true(span_is_str(mp_get_str(&v, "client_id", SPAN("")), r->client));
	assert_true(span_is_str(mp_get_str(&v, "sid", SPAN("")), grant));
	assert_true(span_is(mp_get_str(&v, "scope", SPAN("")), SPAN("research:read research:query memory:write")));
	assert_int_equal(mp_get_uint(&v, "iat", 0), r->now_ms / 1000);
	assert_int_equal(mp_get_uint(&v, "exp", 0), r->now_ms / 1000 + 900);
	assert_true(mp_get_str(&v, "jti", SPAN("")).len > 0);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_GOOD);
	buf_fini(&claims);
	buf_fini(&map);
}

static void
without_a_resource_a_token_is_for_both(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize z = rig_request(r);
	struct ipc_redeem m;
	struct buf claims = { 0 };

	z.resource = SPAN("");
	m = rig_redemption(r, rig_code(r, z));
	m.resource = SPAN("");
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	check_access(r, &claims);
	assert_non_null(strstr(buf_cstr(&claims), "\"aud\":[\"" ISSUER "/mcp\",\"" ISSUER "/api/data-agent/mcp\"]"));
	m = rig_redemption(r, rig_code(r, z));
	m.resource = SPAN(ISSUER "/api/data-agent/mcp/");
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	check_access(r, &claims);
	assert_non_null(strstr(buf_cstr(&claims), "\"aud\":\"" ISSUER "/api/data-agent/mcp\""));
	buf_fini(&claims);
}

/* Whatever is wrong with it, a code that was presented is used. */
static void
a_code_that_was_tried_is_burnt(void **state)
{
	struct auth_rig *r = *state;
	char other[33];

	assert_int_equal(rig_register(r, "Another", REDIRECT, ADDRESS, other), IPC_OAUTH_DONE);
	for (int i = 0; i < 8; i++) {
		struct ipc_redeem good = rig_redemption(r, rig_code(r, rig_request(r))), m = good;
		enum ipc_oauth expected = IPC_OAUTH_INVALID_GRANT;
		char code[OAUTH_SECRET + 1];

		memcpy(code, r->said.code, sizeof(code));
		good.code = m.code = span_str(code);
		switch (i) {
		case 0:
			m.verifier = SPAN("0000000000000000000000000000000000000000000");
			break;
		case 1:
			m.verifier = SPAN("");
			break;
		case 2:
			m.client_id = span_str(other);
			break;
		case 3:
			m.redirect_uri = SPAN("http://127.0.0.1:4712/cb");
			break;
		case 4:
			m.issuer = SPAN("http://localhost:7878");
			break;
		case 5:
			m.resource = SPAN(ISSUER "/api/data-agent/mcp");
			expected = IPC_OAUTH_INVALID_TARGET;
			break;
		case 6:
			m.client_id = SPAN("nobody");
			expected = IPC_OAUTH_INVALID_CLIENT;
			break;
		default:
			rig_wind(r, 600 * SECOND_MS);
			break;
		}
		assert_int_equal(rig_send(r, &m), expected);
		assert_int_equal(r->redeemed.access_token.len, 0);
		assert_int_equal(rig_send(r, &good), IPC_OAUTH_INVALID_GRANT);
		rig_wind(r, 61 * SECOND_MS);
	}
}

static void
a_code_that_is_used_again_ends_what_it_made(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_redeem m = rig_redemption(r, rig_code(r, rig_request(r)));
	char grant[STORE_GRANT_ID + 1], refresh[OAUTH_REFRESH_MAX + 1];
	uint64_t turn;

	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	memcpy(refresh, r->redeemed_said.refresh, sizeof(refresh));
	assert_true(refresh_read(r->a->conf.refresh_key, span_str(refresh), grant, &turn));
	rig_wind(r, DAY_MS);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_REVOKED);
	m = rig_refreshing(r, refresh);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
}

/* Two processes on one store, and a hundred redemptions: one of them has the tokens, and then nobody. */
static void
of_a_hundred_redemptions_one_wins(void **state)
{
	struct auth_rig *r = *state;
	struct auth *mine = r->a, *theirs = rig_open(r->path);
	struct ipc_redeem m = rig_redemption(r, rig_code(r, rig_request(r)));
	int won = 0;

	for (int i = 0; i < 100; i++) {
		r->a = i % 2 == 0 ? mine : theirs;
		won += rig_send(r, &m) == IPC_OAUTH_DONE;
	}
	assert_int_equal(won, 1);
	r->a = mine;
	rig_close(theirs);
}

/* --- refresh tokens -------------------------------------------------------------------------------- */

static void
refresh_tokens_turn(void **state)
{
	struct auth_rig *r = *state;
	char first[OAUTH_REFRESH_MAX + 1], second[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1];
	struct ipc_redeem m;

	rig_grant(r, first, grant);
	m = rig_refreshing(r, first);
	rig_wind(r, HOUR_MS);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	memcpy(second, r->redeemed_said.refresh, sizeof(second));
	assert_string_not_equal(first, second);
	/* The same successor, for an answer that was lost. */
	for (int i = 0; i < 20; i++) {
		assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
		assert_string_equal(r->redeemed_said.refresh, second);
	}
	m = rig_refreshing(r, second);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_GOOD);
}

static void
an_old_refresh_token_ends_the_grant(void **state)
{
	struct auth_rig *r = *state;

	for (int i = 0; i < 4; i++) {
		char first[OAUTH_REFRESH_MAX + 1], second[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1];
		struct ipc_redeem m;

		rig_grant(r, first, grant);
		m = rig_refreshing(r, first);
		assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
		memcpy(second, r->redeemed_said.refresh, sizeof(second));
		if (i == 0)
			rig_wind(r, 30 * SECOND_MS); /* the grace is over */
		else if (i == 1)
			m.address = SPAN("198.51.100.1");
		else if (i == 2) {
			struct ipc_redeem next = rig_refreshing(r, second); /* its successor was used */

			assert_int_equal(rig_send(r, &next), IPC_OAUTH_DONE);
		} else {
			rig_wind(r, 30 * SECOND_MS);
			m.scope = SPAN("ext:sql"); /* it ends whatever else is asked with it */
		}
		assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
		assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_REVOKED);
		m = rig_refreshing(r, second);
		assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
	}
}

static void
a_refresh_token_of_another_client_ends_nothing(void **state)
{
	struct auth_rig *r = *state;
	char token[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1], other[33];
	struct ipc_redeem m;

	rig_grant(r, token, grant);
	assert_int_equal(rig_register(r, "Another", REDIRECT, ADDRESS, other), IPC_OAUTH_DONE);
	m = rig_refreshing(r, token);
	m.client_id = span_str(other);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
	m = rig_refreshing(r, token);
	m.issuer = SPAN("http://localhost:7878");
	m.resource = SPAN("");
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
	m.issuer = SPAN(ISSUER);
	m.client_id = SPAN("nobody");
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_CLIENT);
	m = rig_refreshing(r, token);
	m.resource = SPAN("https://evil.example/mcp");
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_TARGET);
	m.resource = SPAN(ISSUER "/api/data-agent/mcp");
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_TARGET);
	m = rig_refreshing(r, token);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
}

static void
forged_refresh_tokens_are_nothing(void **state)
{
	struct auth_rig *r = *state;
	char token[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1], later[OAUTH_REFRESH_MAX + 1];
	struct ipc_redeem m;

	rig_grant(r, token, grant);
	for (size_t i = 0; i < strlen(token); i++) {
		char was = token[i];

		token[i] = was == 'A' ? 'B' : 'A';
		m = rig_refreshing(r, token);
		assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
		token[i] = was;
	}
	/* Ours, but of a state of the store that is gone. */
	refresh_make(r->a->conf.refresh_key, grant, 7, later);
	m = rig_refreshing(r, later);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_GOOD);
}

static void
narrower_scopes_are_for_one_token_and_wider_ones_for_none(void **state)
{
	struct auth_rig *r = *state;
	char token[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1];
	struct ipc_redeem m;
	uint32_t scopes;

	rig_grant(r, token, grant);
	m = rig_refreshing(r, token);
	m.scope = SPAN("research:read");
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	assert_int_equal(r->redeemed.scopes, POLICY_SCOPE_RESEARCH_READ);
	m = rig_refreshing(r, r->redeemed_said.refresh);
	memcpy(token, r->redeemed_said.refresh, sizeof(token));
	m.refresh_token = span_str(token);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	assert_int_equal(r->redeemed.scopes, ASKED);
	memcpy(token, r->redeemed_said.refresh, sizeof(token));
	m.scope = SPAN("research:read data_agent:read");
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_SCOPE);
	m.scope = SPAN("nonsense");
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_SCOPE);
	assert_int_equal(rig_verdict(r, grant, &scopes), IPC_VERDICT_GOOD);
	assert_int_equal(scopes, ASKED);
}

static void
grants_end_with_time(void **state)
{
	struct auth_rig *r = *state;
	char token[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1];
	struct ipc_redeem m;

	rig_grant(r, token, grant);
	for (int day = 13; day <= 78; day += 13) {
		rig_wind(r, 13 * DAY_MS);
		m = rig_refreshing(r, token);
		assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
		memcpy(token, r->redeemed_said.refresh, sizeof(token));
	}
	rig_wind(r, 12 * DAY_MS);
	m = rig_refreshing(r, token);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_EXPIRED);
	rig_grant(r, token, grant);
	rig_wind(r, 14 * DAY_MS);
	m = rig_refreshing(r, token);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
}

/* --- users, clients, keys ------------------------------------------------------------------------------ */

static void
set_user(struct auth_rig *r, const char *role, bool disabled)
{
	struct store_user u;
	struct err err;

	assert_int_equal(store_user(r->a->store, SPAN("ada"), &u, &err), 1);
	snprintf(u.role, sizeof(u.role), "%s", role);
	u.disabled = disabled;
	u.changed_ms = r->now_ms;
	assert_int_equal(store_user_set(r->a->store, &u, &err), 0);
}

static void
a_role_holds_at_the_next_request(void **state)
{
	struct auth_rig *r = *state;
	char token[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1];
	struct ipc_authorize z = rig_request(r);
	struct ipc_redeem m;
	uint32_t scopes;

	rig_grant(r, token, grant);
	set_user(r, "viewer", false);
	assert_int_equal(rig_verdict(r, grant, &scopes), IPC_VERDICT_GOOD);
	assert_int_equal(scopes, POLICY_SCOPE_RESEARCH_READ);
	m = rig_refreshing(r, token);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	assert_int_equal(r->redeemed.scopes, POLICY_SCOPE_RESEARCH_READ);
	set_user(r, "viewer", true);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_REVOKED);
	m = rig_refreshing(r, r->redeemed_said.refresh);
	memcpy(token, r->redeemed_said.refresh, sizeof(token));
	m.refresh_token = span_str(token);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(rig_authorize(r, &z), IPC_OAUTH_LOGIN);
	set_user(r, "admin", false);
	assert_int_equal(rig_verdict(r, grant, &scopes), IPC_VERDICT_GOOD);
	assert_int_equal(scopes, ASKED);
}

static bool
keep_entry(void *arg, uint64_t seq, struct span text, struct span hash)
{
	struct buf *out = arg;

	(void)seq, (void)hash;
	buf_span(out, text);
	buf_byte(out, '\n');
	return true;
}

/* How many entries of this action in the audit have both texts. */
static unsigned
entries_with(struct auth_rig *r, const char *action, const char *one, const char *other)
{
	struct buf text = { 0 };
	struct span rest, line;
	char word[128], entry[AUDIT_ENTRY_MAX + 1];
	unsigned n = 0;
	struct err err;

	snprintf(word, sizeof(word), "\"action\":\"%s\"", action);
	assert_int_equal(store_audit_rows(r->a->store, 0, true, SIZE_MAX, keep_entry, &text, &err), 0);
	rest = buf_view(&text);
	while (span_line(&rest, &line))
		if (snprintf(entry, sizeof(entry), "%.*s", SPAN_FMT(line)) > 0 && strstr(entry, word) != NULL &&
		    strstr(entry, one) != NULL && strstr(entry, other) != NULL)
			n++;
	buf_fini(&text);
	return n;
}

static unsigned
recorded(struct auth_rig *r, const char *action, const char *code, const char *id)
{
	char words[2][128];

	snprintf(words[0], sizeof(words[0]), "\"code\":\"%s\"", code);
	snprintf(words[1], sizeof(words[1]), "\"id\":%s", id);
	return entries_with(r, action, words[0], words[1]);
}

/* Rows of the version before, which knows no tools: it writes their scopes alone. */
static void
tools_of_rows_count_with_their_bit_alone(void **state)
{
	struct auth_rig *r = *state;
	struct store *s = r->a->store;
	struct store_grant g = { .user = "ada", .scopes = POLICY_SCOPE_RESEARCH_READ, .named = { " payroll " },
		.expires_ms = r->now_ms + HOUR_MS };
	struct store_code c = { .user = "ada", .scopes = POLICY_SCOPE_RESEARCH_READ, .named = { " payroll " },
		.expires_ms = r->now_ms + HOUR_MS };
	struct store_consent b;
	struct err err;

	for (unsigned i = 0; i < 2; i++) {
		const char *left = i == 0 ? "" : " payroll ";

		oauth_draw_id(g.id, STORE_GRANT_ID);
		c.digest[0] = (uint8_t)(i + 1);
		assert_int_equal(store_grant_add(s, &g, &err), 0);
		assert_int_equal(store_grant(s, span_str(g.id), &g, &err), 1);
		assert_string_equal(g.named.text, left);
		assert_int_equal(store_code_add(s, &c, &err), 0);
		assert_int_equal(store_code_take(s, c.digest, r->now_ms, &c, &err), STORE_TAKE_FIRST);
		assert_string_equal(c.named.text, left);
		assert_int_equal(store_consent_set(s, "ada", r->client, REDIRECT, g.scopes, " payroll ", r->now_ms,
				     &err),
		    0);
		assert_int_equal(store_consent(s, "ada", span_str(r->client), SPAN(REDIRECT), &b, &err), 1);
		assert_string_equal(b.named.text, left);
		g.scopes = c.scopes |= POLICY_SCOPE_NAMED;
		snprintf(g.named.text, sizeof(g.named.text), " payroll ");
		snprintf(c.named.text, sizeof(c.named.text), " payroll ");
	}
}

/* A consent keeps the tools that were not asked for again. */
static void
a_consent_keeps_other_tools(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);

	mp_put_pairs(&r->a->conf.team, mp_uint("payroll", POLICY_SCOPE_RESEARCH_QUERY),
	    mp_uint("stock", POLICY_SCOPE_RESEARCH_QUERY));
	m.scope = SPAN("tools:payroll");
	m.decision = IPC_DECISION_ALLOW;
	m.ticked_tools = SPAN(" payroll ");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.scope = SPAN("research:read tools:stock");
	m.ticked = POLICY_SCOPE_RESEARCH_READ;
	m.ticked_tools = SPAN("");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.decision = IPC_DECISION_NONE;
	m.scope = SPAN("tools:payroll");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	m.scope = SPAN("tools:stock");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_CONSENT);
	buf_fini(&r->a->conf.team);
}

/* What was granted, in consents and in tokens: as many tools by name as have room, then their number. */
static void
what_is_granted_is_on_record(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_authorize m = rig_request(r);
	struct ipc_redeem n;
	struct buf scope = { 0 }, ticked = { 0 };
	char name[64];

	mp_put_map(&r->a->conf.team, 20);
	buf_str(&scope, "research:read");
	buf_byte(&ticked, ' ');
	for (unsigned i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "tool_%02u_whose_name_is_as_long_as_they_may_be", i);
		mp_pair_uint(&r->a->conf.team, name, POLICY_SCOPE_RESEARCH_QUERY);
		buf_printf(&scope, " tools:%s", name);
		buf_printf(&ticked, "%s ", name);
	}
	m.scope = SPAN("research:read tools:tool_00_whose_name_is_as_long_as_they_may_be");
	m.decision = IPC_DECISION_ALLOW;
	m.ticked = POLICY_SCOPE_RESEARCH_READ;
	m.ticked_tools = SPAN(" tool_00_whose_name_is_as_long_as_they_may_be ");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	n = rig_redemption(r, span_str(r->said.code));
	assert_int_equal(rig_send(r, &n), IPC_OAUTH_DONE);
#define FIRST	"\"policy\":{\"scope\":\"research:read tools:tool_00_whose_name_is_as_long_as_they_may_be"
	assert_int_equal(entries_with(r, "oauth.authorize", FIRST "\"}", ""), 1);
	assert_int_equal(entries_with(r, "oauth.token", FIRST "\"}", ""), 1);
	m.scope = buf_view(&scope);
	m.ticked_tools = buf_view(&ticked);
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	assert_int_equal(entries_with(r, "oauth.authorize", FIRST " tools:tool_01_", ""), 1);
	assert_int_equal(entries_with(r, "oauth.authorize", "\"more_tools\":8}", ""), 1);
	assert_int_equal(entries_with(r, "oauth.authorize", "omitted", ""), 0);
	m.decision = IPC_DECISION_DENY;
	m.prompt = SPAN("consent");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_ACCESS_DENIED);
	assert_int_equal(entries_with(r, "oauth.authorize", "\"policy\":null", ""), 1);
	buf_fini(&r->a->conf.team);
	buf_fini(&scope);
	buf_fini(&ticked);
}

static void
what_is_refused_is_on_record(void **state)
{
	struct auth_rig *r = *state;
	char token[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1], other[33];
	struct ipc_revoked revoked;
	struct ipc_authorize m;
	struct ipc_redeem n;

	rig_grant(r, token, grant);
	assert_int_equal(rig_register(r, "Another", REDIRECT, ADDRESS, other), IPC_OAUTH_DONE);
	n = rig_refreshing(r, token);
	n.client_id = span_str(other);
	assert_int_equal(rig_send(r, &n), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(recorded(r, "oauth.refresh", "invalid_grant", "\"user:ada\""), 1);
	n = rig_refreshing(r, token);
	n.resource = SPAN("https://evil.example/mcp");
	assert_int_equal(rig_send(r, &n), IPC_OAUTH_INVALID_TARGET);
	assert_int_equal(recorded(r, "oauth.refresh", "invalid_target", "\"user:ada\""), 1);
	redeem_revoke(r->a, &(struct ipc_revoke){ .client_id = span_str(other), .token = span_str(token),
	    .address = SPAN(ADDRESS) }, r->now_ms, &revoked);
	assert_int_equal(recorded(r, "oauth.revoke", "invalid_grant", "null"), 1);
	redeem_revoke(r->a, &(struct ipc_revoke){ .client_id = span_str(r->client), .token = span_str(token),
	    .address = SPAN(ADDRESS) }, r->now_ms, &revoked);
	n = rig_refreshing(r, token);
	assert_int_equal(rig_send(r, &n), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(recorded(r, "oauth.refresh", "invalid_grant", "\"user:ada\""), 2);
	/* Of nobody. */
	n = rig_refreshing(r, "crlrt_forged");
	assert_int_equal(rig_send(r, &n), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(recorded(r, "oauth.refresh", "invalid_grant", "null"), 1);
	n = rig_redemption(r, SPAN("no code at all"));
	assert_int_equal(rig_send(r, &n), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(recorded(r, "oauth.token", "invalid_grant", "null"), 1);
	/* An open redirect, a confused resource. */
	m = rig_request(r);
	m.address = SPAN("203.0.113.8");
	m.redirect_uri = SPAN("https://evil.example/cb");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_INVALID_REQUEST);
	assert_int_equal(recorded(r, "oauth.authorize", "invalid_request", "null"), 1);
	m = rig_request(r);
	m.address = SPAN("203.0.113.8");
	m.resource = SPAN("https://evil.example/mcp");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_INVALID_TARGET);
	assert_int_equal(recorded(r, "oauth.authorize", "invalid_target", "null"), 1);
	/* Neither is a question to the user, nor a flood. */
	m = rig_request(r);
	m.address = SPAN("203.0.113.8");
	assert_int_equal(rig_authorize(r, &m), IPC_OAUTH_DONE);
	assert_int_equal(recorded(r, "oauth.authorize", "consent_required", "null"), 0);
	n = rig_refreshing(r, "crlrt_forged");
	n.address = SPAN("203.0.113.9");
	for (unsigned i = 0; i < 3 * OAUTH_REFUSALS; i++)
		assert_int_equal(rig_send(r, &n), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(recorded(r, "oauth.refresh", "invalid_grant", "null"), 1 + OAUTH_REFUSALS);
}

static void
a_client_revokes_its_own(void **state)
{
	struct auth_rig *r = *state;
	char token[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1], other[33];
	struct ipc_revoke m = { .client_id = span_str(r->client) };
	struct ipc_revoked out;

	assert_int_equal(rig_register(r, "Another", REDIRECT, ADDRESS, other), IPC_OAUTH_DONE);
	rig_grant(r, token, grant);
	m.token = SPAN("unknown");
	redeem_revoke(r->a, &m, r->now_ms, &out);
	assert_int_equal(out.outcome, IPC_OAUTH_DONE);
	m.token = span_str(token);
	m.client_id = span_str(other);
	redeem_revoke(r->a, &m, r->now_ms, &out);
	assert_int_equal(out.outcome, IPC_OAUTH_DONE);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_GOOD);
	m.client_id = span_str(r->client);
	redeem_revoke(r->a, &m, r->now_ms, &out);
	assert_int_equal(out.outcome, IPC_OAUTH_DONE);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_REVOKED);
	/* By an access token, whose grant the front has read. */
	rig_grant(r, token, grant);
	m.token = SPAN("eyJ.x.y");
	m.grant = span_str(grant);
	redeem_revoke(r->a, &m, r->now_ms, &out);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_REVOKED);
}

static void
what_registers_is_checked_and_counted(void **state)
{
	struct auth_rig *r = *state;
	char id[33], name[OAUTH_CLIENT_NAME_MAX + 2];

	assert_int_equal(rig_register(r, "x", "http://evil.example/", ADDRESS, id), IPC_OAUTH_INVALID_REDIRECT_URI);
	assert_int_equal(rig_register(r, "a\x1b[31m", REDIRECT, ADDRESS, id), IPC_OAUTH_INVALID_CLIENT_METADATA);
	assert_int_equal(rig_register(r, "gpj.\xe2\x80\xae", REDIRECT, ADDRESS, id), IPC_OAUTH_INVALID_CLIENT_METADATA);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(rig_register(r, name, REDIRECT, ADDRESS, id), IPC_OAUTH_INVALID_CLIENT_METADATA);
	assert_int_equal(rig_register(r, "", "cursor://host/cb", ADDRESS, id), IPC_OAUTH_DONE);
	for (int i = 0; i < 24; i++)
		assert_int_equal(rig_register(r, "x", REDIRECT, ADDRESS, id), IPC_OAUTH_DONE);
	assert_int_equal(rig_register(r, "x", REDIRECT, ADDRESS, id), IPC_OAUTH_TOO_MANY);
	assert_int_equal(rig_register(r, "x", REDIRECT, "198.51.100.1", id), IPC_OAUTH_DONE);
	r->a->conf.registration = false;
	assert_int_equal(rig_register(r, "x", REDIRECT, "198.51.100.1", id), IPC_OAUTH_ACCESS_DENIED);
}

static void
clients_without_a_grant_make_room(void **state)
{
	struct auth_rig *r = *state;
	char token[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1], id[33];
	struct ipc_authorize z = rig_request(r);
	struct err err;
	uint64_t n;

	rig_grant(r, token, grant);
	assert_int_equal(store_begin(r->a->store, &err), 0);
	for (int i = 1; i < OAUTH_CLIENTS_MAX; i++) {
		struct store_client c = { .source = IPC_CLIENT_REGISTERED, .created_ms = r->now_ms + (uint64_t)i };

		snprintf(c.id, sizeof(c.id), "filler%d", i);
		assert_int_equal(store_client_add(r->a->store, &c, &err), 0);
	}
	assert_int_equal(store_commit(r->a->store, &err), 0);
	rig_wind(r, HOUR_MS);
	assert_int_equal(rig_register(r, "one more", REDIRECT, ADDRESS, id), IPC_OAUTH_DONE);
	assert_int_equal(store_clients_count(r->a->store, &n, &err), 0);
	assert_int_equal(n, OAUTH_CLIENTS_MAX);
	/* The oldest without a grant is gone; the one with a grant, which is older, is not. */
	assert_int_equal(store_client(r->a->store, SPAN("filler1"), &(struct store_client){ .source = 0 }, &err), 0);
	assert_int_equal(rig_authorize(r, &z), IPC_OAUTH_DONE);
	/* After a day all the others go. */
	assert_int_equal(store_clients_drop(r->a->store, r->now_ms - OAUTH_IDLE_CLIENT_MS, r->now_ms, 20000, &err), 0);
	assert_int_equal(store_clients_count(r->a->store, &n, &err), 0);
	assert_int_equal(n, OAUTH_CLIENTS_MAX);
	rig_wind(r, 2 * DAY_MS);
	assert_int_equal(store_clients_drop(r->a->store, r->now_ms - OAUTH_IDLE_CLIENT_MS, r->now_ms, 20000, &err), 0);
	assert_int_equal(store_clients_count(r->a->store, &n, &err), 0);
	assert_int_equal(n, 1);
}

static bool
count_key(void *arg, const struct store_key *k)
{
	(void)k;
	++*(int *)arg;
	return true;
}

static void
keys_overlap_when_they_rotate(void **state)
{
	struct auth_rig *r = *state;
	struct signing first = r->a->oauth->key, other = { .kid = "" };
	uint8_t seal[32] = { 9 };
	struct buf keys = { 0 };
	struct mp_value v;
	struct err err;
	int n = 0;

	assert_int_equal(strlen(first.kid), STORE_KID);
	assert_int_equal(store_begin(r->a->store, &err), 0);
	assert_int_equal(signing_rotate(r->a->store, r->a->conf.seal_key, r->now_ms, r->now_ms + 900 * SECOND_MS, &err),
	    0);
	assert_int_equal(store_commit(r->a->store, &err), 0);
	assert_int_equal(signing_load(&r->a->oauth->key, r->a->store, r->a->conf.seal_key, true, r->now_ms, 0, &err),
	    0);
	assert_string_not_equal(first.kid, r->a->oauth->key.kid);
	assert_int_equal(signing_put_keys(r->a->store, r->a->conf.seal_key, r->now_ms, &keys, &err), 0);
	assert_true(mp_value(buf_view(&keys), &v));
	assert_int_equal(v.n, 2);
	buf_reset(&keys, SIZE_MAX);
	assert_int_equal(signing_put_keys(r->a->store, r->a->conf.seal_key, r->now_ms + 900 * SECOND_MS, &keys, &err),
	    0);
	assert_true(mp_value(buf_view(&keys), &v));
	assert_int_equal(v.n, 1);
	buf_fini(&keys);
	/* However often they rotate, a front is told of no more than it takes. */
	for (int i = 0; i < SIGNING_KEYS + 4; i++) {
		assert_int_equal(store_begin(r->a->store, &err), 0);
		assert_int_equal(signing_rotate(r->a->store, r->a->conf.seal_key, r->now_ms,
				     r->now_ms + 900 * SECOND_MS, &err),
		    0);
		assert_int_equal(store_commit(r->a->store, &err), 0);
	}
	keys = (struct buf){ 0 };
	assert_int_equal(signing_put_keys(r->a->store, r->a->conf.seal_key, r->now_ms, &keys, &err), 0);
	assert_true(mp_value(buf_view(&keys), &v));
	assert_int_equal(v.n, SIGNING_KEYS);
	buf_fini(&keys);
	/* With another project key nothing can be read: a new one signs, and the old ones verify for a while. */
	assert_int_equal(signing_load(&other, r->a->store, seal, false, r->now_ms, 0, &err), 0);
	assert_string_equal(other.kid, "");
	assert_int_equal(signing_load(&other, r->a->store, seal, true, r->now_ms, r->now_ms + 1000, &err), 0);
	assert_int_equal(strlen(other.kid), STORE_KID);
	assert_int_equal(store_keys(r->a->store, count_key, &n, &err), 0);
	assert_int_equal(n, SIGNING_KEYS + 7);
}

static bool
forge_key(void *arg, const struct store_key *k)
{
	struct store_key *forged = arg;

	memcpy(forged->sealed, k->sealed, STORE_SEALED);
	return false;
}

static size_t
keys_told(struct auth_rig *r)
{
	struct buf keys = { 0 };
	struct mp_value v;
	struct err err;
	size_t n;

	assert_int_equal(signing_put_keys(r->a->store, r->a->conf.seal_key, r->now_ms, &keys, &err), 0);
	assert_true(mp_value(buf_view(&keys), &v));
	n = v.n;
	buf_fini(&keys);
	return n;
}

/* Who can write the store's rows and has not the project's key: no key of his verifies, whichever seed its row has. */
static void
keys_that_others_wrote_verify_nothing(void **state)
{
	struct auth_rig *r = *state;
	struct store_key forged = { .kid = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", .public = { 1 },
		.created_ms = r->now_ms + 1, .until_ms = r->now_ms + DAY_MS };
	struct store_key copied = { .created_ms = r->now_ms, .until_ms = r->now_ms + DAY_MS };
	uint8_t secret[64];
	struct err err;

	assert_int_equal(keys_told(r), 1);
	assert_int_equal(store_key_add(r->a->store, &forged, &err), 0); /* no seed at all */
	assert_int_equal(keys_told(r), 1);
	assert_int_equal(store_keys(r->a->store, forge_key, &copied, &err), 0);
	crypto_sign_keypair(copied.public, secret);
	memcpy(copied.kid, "BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", STORE_KID + 1);
	assert_int_equal(store_key_add(r->a->store, &copied, &err), 0); /* with the seed of another */
	assert_int_equal(keys_told(r), 1);
}

/* Nothing that is still good is swept, and nothing that is not stays. */
static void
what_has_ended_is_swept(void **state)
{
	struct auth_rig *r = *state;
	char token[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1];
	struct ipc_redeem m = rig_redemption(r, rig_code(r, rig_request(r)));
	struct store_grant g;
	struct err err;
	uint64_t turn;

	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	memcpy(token, r->redeemed_said.refresh, sizeof(token));
	assert_true(refresh_read(r->a->conf.refresh_key, span_str(token), grant, &turn));
	rig_wind(r, DAY_MS);
	assert_int_equal(store_oauth_sweep(r->a->store, r->now_ms, r->now_ms - DAY_MS, &err), 0);
	/* The code is remembered as long as what it made. */
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_REVOKED);
	rig_wind(r, 2 * DAY_MS);
	assert_int_equal(store_oauth_sweep(r->a->store, r->now_ms, r->now_ms - DAY_MS, &err), 0);
	assert_int_equal(store_grant(r->a->store, span_str(grant), &g, &err), 0);
}

int
main(void)
{
#define TEST(f)	cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_client_that_is_not_known_is_told_to_the_user_alone),
		TEST(other_errors_go_to_the_client),
		TEST(a_user_signs_in_then_says_yes_or_no),
		TEST(administrative_scopes_are_not_ticked_unless_they_were),
		TEST(what_was_said_is_remembered_for_a_while),
		TEST(consents_are_one_users_for_one_client),
		TEST(consents_are_for_one_redirect),
		TEST(pages_and_codes_are_counted_by_address),
		TEST(unknown_clients_are_taken_only_where_that_is_said),
		TEST(a_code_becomes_tokens),
		TEST(without_a_resource_a_token_is_for_both),
		TEST(a_code_that_was_tried_is_burnt),
		TEST(a_code_that_is_used_again_ends_what_it_made),
		TEST(of_a_hundred_redemptions_one_wins),
		TEST(refresh_tokens_turn),
		TEST(an_old_refresh_token_ends_the_grant),
		TEST(a_refresh_token_of_another_client_ends_nothing),
		TEST(forged_refresh_tokens_are_nothing),
		TEST(narrower_scopes_are_for_one_token_and_wider_ones_for_none),
		TEST(grants_end_with_time),
		TEST(a_role_holds_at_the_next_request),
		TEST(tools_of_rows_count_with_their_bit_alone),
		TEST(a_consent_keeps_other_tools),
		TEST(what_is_granted_is_on_record),
		TEST(what_is_refused_is_on_record),
		TEST(a_client_revokes_its_own),
		TEST(what_registers_is_checked_and_counted),
		TEST(clients_without_a_grant_make_room),
		TEST(keys_overlap_when_they_rotate),
		TEST(keys_that_others_wrote_verify_nothing),
		TEST(what_has_ended_is_swept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
