/* auth_rig.h - carrel-auth without its process: a store of its own, and a clock that the test winds. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "policy/profile.h"
#include "policy/scopes.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/oauth/hashing.h"
#include "workers/auth/worker.h"
#include "workers/auth/oauth/authorize.h"
#include "workers/auth/oauth/redeem.h"
#include "workers/auth/oauth/register.h"
#include "workers/auth/store/sqlite/store_sqlite.h"
#include "workers/auth/store/store_user.h"

#define ISSUER		"http://127.0.0.1:7878"
#define REDIRECT	"http://127.0.0.1:4711/cb"
#define ADDRESS		"203.0.113.7"
#define VERIFIER	"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE	"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define SECOND_MS	UINT64_C(1000)
#define HOUR_MS		(3600 * SECOND_MS)
#define DAY_MS		(24 * HOUR_MS)

struct auth_rig {
	char		 dir[64], path[80];
	struct auth	*a;
	uint64_t	 now_ms, now_ns;	/* wound by the test */
	char		 client[33];		/* that registered itself for REDIRECT */
	char		 session[OAUTH_SECRET + 1];	/* of ada, a contributor */
	/* the last answers */
	struct authorize_said said;
	struct ipc_authorized authorized;
	struct redeem_said	redeemed_said;
	struct ipc_redeemed	redeemed;
};

/* On this store, which the rig closes; local: the one that has the audit. */
static inline struct auth *
rig_open_on(struct store *store, struct store *local)
{
	struct audit_settings audit = { .retention_days = 365 };
	struct auth *a = calloc(1, sizeof(*a));
	struct auth_conf *c = &a->conf;
	struct err err;

	c->oauth = c->registration = true;
	memset(c->refresh_key, 3, AUTH_KEY);
	memset(c->seal_key, 5, AUTH_KEY);
	c->public_url = mem_text(SPAN(""));
	snprintf(c->bind_host, sizeof(c->bind_host), "127.0.0.1");
	c->port = 7878;
	c->code_ttl_s = 600;
	c->access_ttl_s = 900;
	c->refresh_ttl_days = 14;
	c->refresh_max_days = 90;
	c->refresh_grace_s = 30;
	c->register_per_min = 30;
	c->authorize_per_min = 10;
	c->consent_days = 90;
	c->session_h = 12;
	mp_put_array(&c->redirect_schemes, 1);
	mp_put_cstr(&c->redirect_schemes, "cursor");
	a->store = store;
	a->own = local;
	a->tend = auth_tend;
	a->audit = audit_new(local, &audit);
	a->hashing = hashing_new();
	if (oauth_open(a, &err) != 0)
		fail_msg("%s", err.message);
	return a;
}

static inline struct auth *
rig_open(const char *path)
{
	struct err err;
	struct store *s = store_open(path, false, &err);

	if (s == NULL)
		fail_msg("%s", err.message);
	return rig_open_on(s, s);
}

static inline void
rig_close(struct auth *a)
{
	hashing_free(a);
	oauth_close(a);
	audit_free(a->audit);
	store_close(a->store);
	buf_fini(&a->conf.redirect_schemes);
	free(a->conf.public_url);
	free(a);
}

static inline void
rig_add_user(struct auth_rig *r, const char *name, const char *role)
{
	struct store_user u = { .created_ms = r->now_ms };
	struct err err;

	snprintf(u.name, sizeof(u.name), "%s", name);
	snprintf(u.role, sizeof(u.role), "%s", role);
	assert_int_equal(store_user_add(r->a->store, &u, &err), 0);
}

static inline void
rig_sign_in(struct auth_rig *r, const char *name, char session[OAUTH_SECRET + 1])
{
	struct store_session s = { .created_ms = r->now_ms, .expires_ms = r->now_ms + 400 * DAY_MS };
	struct err err;

	oauth_draw(session);
	oauth_digest(span_str(session), s.digest);
	snprintf(s.user, sizeof(s.user), "%s", name);
	assert_int_equal(store_session_add(r->a->store, &s, &err), 0);
}

static inline enum ipc_oauth
rig_register(struct auth_rig *r, const char *name, const char *redirect, const char *address, char id[33])
{
	struct register_said said;
	struct ipc_registered out;
	struct buf list = { 0 };
	struct ipc_register_client m = { .client_name = span_str(name), .address = span_str(address) };
	struct span rest = span_str(redirect), line;
	size_t n = 1;

	for (const char *p = redirect; (p = strchr(p, '\n')) != NULL; p++)
		n++;
	mp_put_array(&list, n);
	while (span_line(&rest, &line))
		mp_put_str(&list, line);
	m.redirects = buf_view(&list);
	register_answer(r->a, &m, r->now_ms, r->now_ns, &said, &out);
	snprintf(id, 33, "%.*s", SPAN_FMT(out.client_id));
	buf_fini(&list);
	return (enum ipc_oauth)out.outcome;
}

static inline int
rig_set_up(void **state)
{
	static const char *const suffixes[] = POLICY_STATE_SUFFIXES;
	struct auth_rig *r = calloc(1, sizeof(*r));

	assert_true(sodium_init() >= 0);
	snprintf(r->dir, sizeof(r->dir), "/tmp/carrel-oauth-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	snprintf(r->path, sizeof(r->path), "%s/state.db", r->dir);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char name[100];
		int fd;

		snprintf(name, sizeof(name), "%s%s", r->path, suffixes[i]);
		assert_true((fd = open(name, O_CREAT | O_RDWR, 0600)) >= 0);
		close(fd);
	}
	r->a = rig_open(r->path);
	r->now_ms = UINT64_C(1795000000000);
	r->now_ns = 1000 * CLOCK_SECOND;
	rig_add_user(r, "ada", "contributor");
	rig_sign_in(r, "ada", r->session);
	assert_int_equal(rig_register(r, "A client", REDIRECT, ADDRESS, r->client), IPC_OAUTH_DONE);
	*state = r;
	return 0;
}

static inline int
rig_tear_down(void **state)
{
	struct auth_rig *r = *state;
	char command[128];

	redeem_said_fini(&r->redeemed_said);
	rig_close(r->a);
	snprintf(command, sizeof(command), "rm -rf %s", r->dir);
	assert_int_equal(system(command), 0);
	free(r);
	return 0;
}

static inline void
rig_wind(struct auth_rig *r, uint64_t ms)
{
	r->now_ms += ms;
	r->now_ns += ms * CLOCK_MS;
}

/* A request that is in order, of ada's browser. */
static inline struct ipc_authorize
rig_request(const struct auth_rig *r)
{
	return (struct ipc_authorize){ .issuer = SPAN(ISSUER), .address = SPAN(ADDRESS),
		.session = span_str(r->session), .client_id = span_str(r->client), .redirect_uri = SPAN(REDIRECT),
		.response_type = SPAN("code"),
		.challenge = SPAN(CHALLENGE), .challenge_method = SPAN("S256"), .resource = SPAN(ISSUER "/mcp"),
		.scope = SPAN("research:read research:query memory:write"), .decision = IPC_DECISION_NONE };
}

static inline enum ipc_oauth
rig_authorize(struct auth_rig *r, const struct ipc_authorize *m)
{
	authorize_answer(r->a, m, r->now_ms, r->now_ns, &r->said, &r->authorized);
	return (enum ipc_oauth)r->authorized.outcome;
}

/* A code for what m asks, all of it allowed; it is in r->said. */
static inline struct span
rig_code(struct auth_rig *r, struct ipc_authorize m)
{
	m.decision = IPC_DECISION_ALLOW;
	m.ticked = POLICY_SCOPES_ALL;
	if (rig_authorize(r, &m) != IPC_OAUTH_DONE)
		fail_msg("%.*s", SPAN_FMT(r->authorized.message));
	return span_str(r->said.code);
}

static inline enum ipc_oauth
rig_send(struct auth_rig *r, const struct ipc_redeem *m)
{
	redeem_said_fini(&r->redeemed_said);
	redeem_answer(r->a, m, r->now_ms, &r->redeemed_said, &r->redeemed);
	return (enum ipc_oauth)r->redeemed.outcome;
}

static inline struct ipc_redeem
rig_redemption(const struct auth_rig *r, struct span code)
{
	return (struct ipc_redeem){ .issuer = SPAN(ISSUER), .address = SPAN(ADDRESS),
		.grant_type = SPAN("authorization_code"), .client_id = span_str(r->client), .code = code,
		.redirect_uri = SPAN(REDIRECT), .verifier = SPAN(VERIFIER),
		.resource = SPAN(ISSUER "/mcp") };
}

static inline struct ipc_redeem
rig_refreshing(const struct auth_rig *r, const char *token)
{
	return (struct ipc_redeem){ .issuer = SPAN(ISSUER), .address = SPAN(ADDRESS),
		.grant_type = SPAN("refresh_token"), .client_id = span_str(r->client),
		.refresh_token = span_str(token), .resource = SPAN(ISSUER "/mcp") };
}

/* From nothing to a refresh token, in out; its grant too. */
static inline void
rig_grant(struct auth_rig *r, char out[OAUTH_REFRESH_MAX + 1], char grant[STORE_GRANT_ID + 1])
{
	struct ipc_redeem m = rig_redemption(r, rig_code(r, rig_request(r)));
	uint64_t turn;

	if (rig_send(r, &m) != IPC_OAUTH_DONE)
		fail_msg("%.*s", SPAN_FMT(r->redeemed.message));
	memcpy(out, r->redeemed_said.refresh, OAUTH_REFRESH_MAX + 1);
	assert_true(refresh_read(r->a->conf.refresh_key, span_str(out), grant, &turn));
}

static inline enum ipc_verdict
rig_verdict(struct auth_rig *r, const char *grant, uint32_t *scopes)
{
	struct ipc_verified out;
	char principal[80];

	redeem_verify(r->a, span_str(grant), r->now_ms, &out, principal);
	if (scopes != NULL)
		*scopes = (uint32_t)out.scopes;
	return (enum ipc_verdict)out.verdict;
}
