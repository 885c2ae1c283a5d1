#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/text/b64.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "workers/auth/oauth/device.h"
#include "workers/auth/oauth/redeem.h"
#include "workers/auth/oauth/roles.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_user.h"

#define DAY_MS		(UINT64_C(24) * 3600 * 1000)
#define PREFIX		"crlrt_"
#define MAC_CHARACTERS	43
#define EARLY_MS	500u	/* a poll may come so much too early */

static const char unavailable[] = "the server cannot decide this now; try again in a moment";

void
refresh_make(const uint8_t key[AUTH_KEY], const char *grant, uint64_t turn, char out[OAUTH_REFRESH_MAX + 1])
{
	uint8_t mac[crypto_auth_hmacsha256_BYTES];
	struct buf text = BUF_MAX(OAUTH_REFRESH_MAX);

	buf_printf(&text, "%s%s_%" PRIu64, PREFIX, grant, turn);
	crypto_auth_hmacsha256(mac, text.p, text.len, key);
	buf_byte(&text, '_');
	b64url_encode(&text, span_of(mac, sizeof(mac)));
	snprintf(out, OAUTH_REFRESH_MAX + 1, "%s", buf_cstr(&text));
	buf_wipe(&text);
}

bool
refresh_read(const uint8_t key[AUTH_KEY], struct span text, char grant[STORE_GRANT_ID + 1], uint64_t *turn)
{
	char own[OAUTH_REFRESH_MAX + 1];
	size_t at = strlen(PREFIX) + STORE_GRANT_ID;

	if (text.len > OAUTH_REFRESH_MAX || text.len < at + 2 + MAC_CHARACTERS + 1 || !span_begins(text, PREFIX) ||
	    text.p[at] != '_')
		return false;
	memcpy(grant, text.p + strlen(PREFIX), STORE_GRANT_ID);
	grant[STORE_GRANT_ID] = '\0';
	for (size_t i = 0; i < STORE_GRANT_ID; i++)
		if (!ascii_is_alnum((uint8_t)grant[i]))
			return false;
	*turn = 0;
	for (at++; at < text.len && ascii_is_digit(text.p[at]) && *turn < UINT64_C(1) << 50; at++)
		*turn = *turn * 10 + (uint64_t)(text.p[at] - '0');
	/* Compare with the canonical form: any other spelling is refused. */
	refresh_make(key, grant, *turn, own);
	return strlen(own) == text.len && sodium_memcmp(own, text.p, text.len) == 0;
}

struct redemption {
	struct auth			*a;
	const struct ipc_redeem		*m;
	uint64_t			 now_ms;
	struct store_client		 client;
	struct store_code		 code;
	struct store_grant		 grant;
	struct store_user		 user;
	struct role_share		 share;		/* of the access token */
	char				 resource[STORE_URI_MAX + 1];	/* of the access token; empty: both */
	struct redeem_said		*said;
	struct ipc_redeemed		*out;
	bool				 ended;		/* this request ended the grant */
	struct err			 err;
};

static bool
redeem_say(struct redemption *r, enum ipc_oauth outcome, const char *message)
{
	r->out->outcome = outcome;
	r->out->message = span_str(message);
	return false;
}

static bool
redeem_unavailable(struct redemption *r)
{
	log_error("a token cannot be issued: %s", r->err.message);
	return redeem_say(r, IPC_OAUTH_UNAVAILABLE, unavailable);
}

static bool
redeem_invalid(struct redemption *r, const char *message)
{
	return redeem_say(r, IPC_OAUTH_INVALID_GRANT, message);
}

static bool
redeem_client(struct redemption *r)
{
	int found;

	if (r->m->client_id.len == 0)
		return redeem_say(r, IPC_OAUTH_INVALID_REQUEST, "client_id is missing");
	if ((found = oauth_client(r->a, r->m->client_id, SPAN(""), &r->client, &r->err)) < 0)
		return redeem_unavailable(r);
	return found == 1 ||
	    redeem_say(r, IPC_OAUTH_INVALID_CLIENT, "this client is not known here any more; register it again");
}

/* Load the user, and limit the scopes to those of the role. */
static bool
redeem_user(struct redemption *r, const char *name, uint32_t granted, const struct policy_named *named)
{
	int found = oauth_user(r->a, span_str(name), &r->user, &r->err);

	if (found < 0)
		return redeem_unavailable(r);
	r->share = (struct role_share){ .scopes = granted, .named = *named };
	roles_both(&r->share, granted, named->text);
	roles_limit(r->a, span_str(found == 1 ? r->user.role : ""), &r->share);
	return r->share.scopes != 0 ||
	    redeem_invalid(r, "the user may not sign in any more, or has none of the granted scopes");
}

/* Check the requested resource: one of ours, and covered by the grant. */
static bool
redeem_resource(struct redemption *r, const char *granted)
{
	const char *part;

	snprintf(r->resource, sizeof(r->resource), "%s", granted);
	if (r->m->resource.len == 0)
		return true;
	if (!oauth_resource(r->m->issuer, r->m->resource, &part))
		return redeem_say(r, IPC_OAUTH_INVALID_TARGET, "resource is not one of this server");
	snprintf(r->resource, sizeof(r->resource), "%.*s%s", SPAN_FMT(r->m->issuer), part);
	return granted[0] == '\0' || strcmp(r->resource, granted) == 0 ||
	    redeem_say(r, IPC_OAUTH_INVALID_TARGET, "resource is not the one that was granted");
}

static struct oauth_note
redeem_entry(const struct redemption *r, enum audit_action action, const char *user, const char *grant)
{
	return (struct oauth_note){ .action = action,
		.surface = AUDIT_SURFACE_REST,
		.outcome = (enum ipc_oauth)r->out->outcome,
		.user = user,
		.target = span_str(grant),
		.client = r->client.name[0] != '\0' ? span_str(r->client.name) : r->m->client_id,
		.address = r->m->address,
		.receipt = r->m->receipt,
		.scopes = r->out->outcome == IPC_OAUTH_DONE ? r->share.scopes : 0,
		.named = r->share.named.text };
}

static int
redeem_note(struct redemption *r, enum audit_action action, const char *user, const char *grant)
{
	struct oauth_note n = redeem_entry(r, action, user, grant);

	return oauth_note(r->a, &n, &r->err);
}

/* Record a refusal that changes nothing; -1: it could not be recorded. */
static int
redeem_note_refusal(struct redemption *r, enum audit_action action, const char *user, const char *grant)
{
	struct oauth_note n = redeem_entry(r, action, user, grant);

	return r->out->outcome == IPC_OAUTH_UNAVAILABLE ? -1 : oauth_note_refusal(r->a, &n, &r->err);
}

static bool
verifier_fits(const struct ipc_redeem *m, const char *challenge)
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	struct buf text = BUF_MAX(64);
	bool same;

	if (!oauth_verifier_fine(m->verifier))
		return false;
	crypto_hash_sha256(digest, m->verifier.p, m->verifier.len);
	b64url_encode(&text, span_of(digest, sizeof(digest)));
	same = text.len == strlen(challenge) && sodium_memcmp(text.p, challenge, text.len) == 0;
	buf_fini(&text);
	return same;
}

static bool
check_code(struct redemption *r)
{
	const struct store_code *c = &r->code;

	if (c->expires_ms <= r->now_ms)
		return redeem_invalid(r, "the code has expired; authorize again");
	if (!span_is_str(r->m->client_id, c->client))
		return redeem_invalid(r, "the code was issued to another client");
	if (!span_is_str(r->m->issuer, c->issuer))
		return redeem_invalid(r, "the code was issued at another address of this server");
	if (!span_is_str(r->m->redirect_uri, c->redirect))
		return redeem_invalid(r, "redirect_uri is not the one that the code was sent to");
	if (!verifier_fits(r->m, c->challenge))
		return redeem_invalid(r, "code_verifier does not fit the code_challenge");
	return redeem_resource(r, c->resource) && redeem_user(r, c->user, c->scopes, &c->named);
}

static uint64_t
refresh_end(const struct auth *a, uint64_t created_ms, uint64_t now_ms)
{
	uint64_t next = now_ms + a->conf.refresh_ttl_days * DAY_MS,
		 last = created_ms + a->conf.refresh_max_days * DAY_MS;

	return next < last ? next : last;
}

/* Create the grant of the code.  -1: the store failed. */
static int
add_grant(struct redemption *r)
{
	const struct store_code *c = &r->code;
	struct store_grant *g = &r->grant;

	oauth_draw_id(g->id, STORE_GRANT_ID);
	memcpy(g->user, c->user, sizeof(g->user));
	memcpy(g->client, c->client, sizeof(g->client));
	memcpy(g->resource, c->resource, sizeof(g->resource));
	memcpy(g->issuer, c->issuer, sizeof(g->issuer));
	g->scopes = c->scopes;
	g->named = c->named;
	g->turn = 1;
	g->created_ms = g->turned_ms = r->now_ms;
	snprintf(g->turned_for, sizeof(g->turned_for), "%.*s", SPAN_FMT(r->m->address));
	g->expires_ms = refresh_end(r->a, r->now_ms, r->now_ms);
	if (store_grant_add(r->a->store, g, &r->err) != 0)
		return -1;
	refresh_make(r->a->conf.refresh_key, g->id, g->turn, r->said->refresh);
	return 0;
}

/* Replayed code: revoke the grant it created. */
static int
end_replayed(struct redemption *r)
{
	int ended = r->code.grant[0] == '\0' ? 0 : store_grant_end(r->a->store, r->code.grant, r->now_ms, &r->err);

	if (redeem_client(r))
		(void)redeem_invalid(r, "the code was used before; authorize again");
	if (ended < 0 || r->out->outcome == IPC_OAUTH_UNAVAILABLE)
		return -1;
	r->ended = ended == 1;
	memcpy(r->grant.id, r->code.grant, sizeof(r->grant.id));
	memcpy(r->grant.user, r->code.user, sizeof(r->grant.user));
	return redeem_note(r, AUDIT_ACTION_OAUTH_CODE_REPLAY, r->code.user, r->code.grant);
}

/* Mark the code as used; it stays used even if the request is refused. */
static int
take_code(struct redemption *r)
{
	uint8_t digest[STORE_DIGEST];
	int taken;

	oauth_digest(r->m->code, digest);
	if ((taken = store_code_take(r->a->store, digest, r->now_ms, &r->code, &r->err)) < 0)
		return -1;
	(void)fault_point("auth.code_taken");
	if (taken == STORE_TAKE_UNKNOWN) {
		/* An unknown client is told so first, so that it registers again. */
		if (redeem_client(r))
			(void)redeem_invalid(r, "the code is not known, or has expired");
		return redeem_note_refusal(r, AUDIT_ACTION_OAUTH_TOKEN, NULL, "");
	}
	if (taken == STORE_TAKE_AGAIN)
		return end_replayed(r);
	if (redeem_client(r) && check_code(r)) {
		(void)redeem_say(r, IPC_OAUTH_DONE, "");
		if (add_grant(r) != 0 || store_code_granted(r->a->store, digest, r->grant.id, &r->err) != 0)
			return -1;
	}
	if (r->out->outcome == IPC_OAUTH_UNAVAILABLE)
		return -1;
	return redeem_note(r, AUDIT_ACTION_OAUTH_TOKEN, r->code.user, r->grant.id);
}

/* Reduce the scopes of this access token only. */
static bool
narrow(struct redemption *r)
{
	bool any;
	struct role_share asked;

	roles_read(r->m->scope, &asked, &any);
	if (!any)
		return true;
	if (asked.scopes == 0 || !roles_within(&asked, r->grant.scopes, r->grant.named.text))
		return redeem_say(r, IPC_OAUTH_INVALID_SCOPE, "scope is wider than what was granted; authorize again");
	roles_both(&r->share, asked.scopes, asked.named.text);
	return r->share.scopes != 0 ||
	    redeem_say(r, IPC_OAUTH_INVALID_SCOPE, "the user's role has none of these scopes any more");
}

/* The row of the device's code: 1; 0: unknown; -1. */
static int
find_device(struct auth *a, struct span code, struct store_device *d, struct err *err)
{
	uint8_t digest[STORE_DIGEST];

	if (code.len != OAUTH_SECRET)
		return 0;
	oauth_digest(code, digest);
	return store_device(a->store, digest, d, err);
}

/* Whether the one who polls is the client that asked, at the same address of this server. */
static bool
device_is_of(const struct store_device *d, const struct ipc_redeem *m)
{
	return span_is_str(m->client_id, d->client) && span_is_str(m->issuer, d->issuer);
}

static bool
poll_say(struct ipc_redeemed *out, enum ipc_oauth outcome, const char *message)
{
	out->outcome = outcome;
	out->message = span_str(message);
	return true;
}

/* Keep when it polled, and how long it is to wait now.  No other node needs to hear of it. */
static bool
poll_keep(struct auth *a, const struct store_device *d, uint64_t now_ms, bool early, struct ipc_redeemed *out)
{
	uint64_t pause = d->pause_ms + (early ? DEVICE_PAUSE_S * UINT64_C(1000) : 0);
	struct err err;

	if (pause > DEVICE_PAUSE_MAX_S * UINT64_C(1000))
		pause = DEVICE_PAUSE_MAX_S * UINT64_C(1000);
	if (store_begin_uses(a->store, &err) == 0) {
		if (store_device_polled(a->store, d->digest, now_ms, pause, &err) != 0)
			store_rollback(a->store);
		else if (store_commit(a->store, &err) == 0)
			return early ?
			    poll_say(out, IPC_OAUTH_SLOW_DOWN, "wait five seconds longer between two polls") :
			    poll_say(out, IPC_OAUTH_AUTHORIZATION_PENDING, "the user has not decided yet");
	}
	log_error("a device's poll was not kept: %s", err.message);
	return poll_say(out, IPC_OAUTH_UNAVAILABLE, unavailable);
}

/* Whether its user has not allowed it (yet): then *out is the answer to this poll, and nothing can be taken. */
static bool
device_waits(struct auth *a, const struct ipc_redeem *m, uint64_t now_ms, struct ipc_redeemed *out)
{
	struct store_device d;
	struct err err;
	int found = find_device(a, m->device_code, &d, &err);

	if (found < 0) {
		log_error("a device's code cannot be looked up: %s", err.message);
		return poll_say(out, IPC_OAUTH_UNAVAILABLE, unavailable);
	}
	if (found == 0 || !device_is_of(&d, m) || d.state == STORE_DEVICE_TAKEN)
		return false;
	if (d.state == STORE_DEVICE_DENIED)
		return poll_say(out, IPC_OAUTH_ACCESS_DENIED, "the user did not allow it");
	if (d.expires_ms <= now_ms)
		return poll_say(out, IPC_OAUTH_EXPIRED_TOKEN, "the code has expired; start again");
	if (d.state == STORE_DEVICE_ALLOWED)
		return false;
	return poll_keep(a, &d, now_ms, d.polled_ms != 0 && now_ms + EARLY_MS < d.polled_ms + d.pause_ms, out);
}

/* What a device may have is what a code would say. */
static void
code_of_device(const struct store_device *d, struct store_code *c)
{
	memcpy(c->user, d->user, sizeof(c->user));
	memcpy(c->client, d->client, sizeof(c->client));
	memcpy(c->resource, d->resource, sizeof(c->resource));
	memcpy(c->issuer, d->issuer, sizeof(c->issuer));
	memcpy(c->grant, d->grant, sizeof(c->grant));
	c->scopes = d->scopes;
	c->named = d->named;
}

/* The user has allowed it: only one poll takes it.  As for a code, what was taken stays so if this is refused. */
static int
take_allowed(struct redemption *r, const struct store_device *d)
{
	int taken = store_device_take(r->a->store, d->digest, r->now_ms, &r->err);

	if (taken < 0)
		return -1;
	if (taken == 0)
		(void)redeem_say(r, IPC_OAUTH_EXPIRED_TOKEN, "the code has expired; start again");
	else if (redeem_resource(r, d->resource) && redeem_user(r, d->user, d->scopes, &d->named)) {
		(void)redeem_say(r, IPC_OAUTH_DONE, "");
		if (add_grant(r) != 0 || store_device_granted(r->a->store, d->digest, r->grant.id, &r->err) != 0)
			return -1;
	}
	if (r->out->outcome == IPC_OAUTH_UNAVAILABLE)
		return -1;
	return redeem_note(r, AUDIT_ACTION_OAUTH_TOKEN, d->user, r->grant.id);
}

static int
take_device(struct redemption *r)
{
	struct store_device d;
	int found = find_device(r->a, r->m->device_code, &d, &r->err);

	if (found < 0)
		return -1;
	if (found == 1)
		code_of_device(&d, &r->code);
	if (found == 1 && d.state == STORE_DEVICE_TAKEN)
		return end_replayed(r);
	if (!redeem_client(r))
		return redeem_note_refusal(r, AUDIT_ACTION_OAUTH_TOKEN, NULL, "");
	if (found == 0 || !device_is_of(&d, r->m)) {
		(void)redeem_invalid(r, "the code is not known, or was issued to another client; start again");
		return redeem_note_refusal(r, AUDIT_ACTION_OAUTH_TOKEN, NULL, "");
	}
	return take_allowed(r, &d);
}

static bool
check_grant(struct redemption *r)
{
	const struct store_grant *g = &r->grant;

	if (g->ended_ms != 0 || g->expires_ms <= r->now_ms)
		return redeem_invalid(r, "the grant has ended; authorize again");
	if (!span_is_str(r->m->client_id, g->client))
		return redeem_invalid(r, "the refresh token was issued to another client");
	if (!span_is_str(r->m->issuer, g->issuer))
		return redeem_invalid(r, "the refresh token was issued at another address of this server");
	return redeem_resource(r, g->resource) && redeem_user(r, g->user, g->scopes, &g->named) && narrow(r);
}

/* Whether to repeat the last answer, for a client whose answer was lost, or another process of it. */
static bool
is_graceful(const struct redemption *r, uint64_t turn)
{
	const struct store_grant *g = &r->grant;

	return turn + 1 == g->turn && r->now_ms < g->turned_ms + r->a->conf.refresh_grace_s * UINT64_C(1000) &&
	    span_is_str(r->m->address, g->turned_for);
}

/* A used refresh token was presented: end the grant, also for the holder of the new one. */
static int
end_reused(struct redemption *r)
{
	int ended = store_grant_end(r->a->store, r->grant.id, r->now_ms, &r->err);

	if (ended < 0)
		return -1;
	r->ended = ended == 1;
	(void)redeem_invalid(r, "the refresh token was used before, so that the grant ends; authorize again");
	return redeem_note(r, AUDIT_ACTION_OAUTH_REFRESH_REUSE, r->grant.user, r->grant.id);
}

static int
turn_grant(struct redemption *r, uint64_t turn)
{
	struct store_grant *g = &r->grant;
	bool graceful = is_graceful(r, turn);

	if (turn > g->turn) {
		/* The token is genuine, but newer than this state of the store. */
		(void)redeem_invalid(r, "the refresh token is not known; authorize again");
		return redeem_note_refusal(r, AUDIT_ACTION_OAUTH_REFRESH, g->user, g->id);
	}
	if (turn < g->turn && !graceful)
		return end_reused(r);
	if (!graceful &&
	    store_grant_turn(r->a->store, g->id, turn, r->now_ms, r->m->address,
		refresh_end(r->a, g->created_ms, r->now_ms), &r->err) != 1)
		return -1;
	(void)redeem_say(r, IPC_OAUTH_DONE, "");
	refresh_make(r->a->conf.refresh_key, g->id, turn + 1, r->said->refresh);
	return redeem_note(r, AUDIT_ACTION_OAUTH_REFRESH, g->user, g->id);
}

/* Find the grant of the refresh token: 1; 0 with the reason set; -1. */
static int
find_refreshed(struct redemption *r, uint64_t *turn)
{
	int found;

	if (!redeem_client(r))
		return 0;
	found = refresh_read(r->a->conf.refresh_key, r->m->refresh_token, r->grant.id, turn);
	if (found == 0) {
		r->grant.id[0] = '\0';
		(void)redeem_invalid(r, "the refresh token is not known; authorize again");
	} else if ((found = store_grant(r->a->store, span_str(r->grant.id), &r->grant, &r->err)) == 0)
		(void)redeem_invalid(r, "the grant has ended; authorize again");
	return found;
}

static int
take_refresh(struct redemption *r)
{
	uint64_t turn = 0;
	int found = find_refreshed(r, &turn);

	if (found < 0)
		return -1;
	/* A reused token of the same client ends the grant, whatever else is wrong. */
	if (found == 1 && r->grant.ended_ms == 0 && turn < r->grant.turn && !is_graceful(r, turn) &&
	    span_is_str(r->m->client_id, r->grant.client))
		return end_reused(r);
	if (found == 0 || !check_grant(r))
		return redeem_note_refusal(r, AUDIT_ACTION_OAUTH_REFRESH, r->grant.user, r->grant.id);
	return turn_grant(r, turn);
}

static void
give_access(struct redemption *r)
{
	struct access_claims claims = { .issuer = r->grant.issuer, .resource = r->resource, .user = r->grant.user,
		.client = r->grant.client, .grant = r->grant.id, .scopes = r->share.scopes,
		.named = r->share.named.text, .now_s = r->now_ms / 1000,
		.ttl_s = r->a->conf.access_ttl_s };

	signing_access_token(&r->a->oauth->key, &claims, &r->said->access);
	r->out->access_token = buf_view(&r->said->access);
	r->out->refresh_token = span_str(r->said->refresh);
	r->out->expires_s = r->a->conf.access_ttl_s;
	r->out->scopes = r->share.scopes;
	r->out->tools = span_str(r->share.named.text);
}

/* One transaction, committed even for a refusal: the code stays used. */
static void
redeem(struct redemption *r, int (*take)(struct redemption *r))
{
	int result;

	if (store_begin(r->a->store, &r->err) != 0) {
		(void)redeem_unavailable(r);
		return;
	}
	result = take(r);
	if (oauth_commit(r->a, result, &r->err) != 0) {
		(void)redeem_unavailable(r);
		return;
	}
	if (r->ended)
		oauth_tell_end(r->a, r->grant.user, r->grant.id);
	if (r->out->outcome == IPC_OAUTH_DONE)
		give_access(r);
}

void
redeem_answer(struct auth *a, const struct ipc_redeem *m, uint64_t now_ms, struct redeem_said *said,
    struct ipc_redeemed *out)
{
	struct redemption r = { .a = a, .m = m, .now_ms = now_ms, .said = said, .out = out };

	*said = (struct redeem_said){ .refresh = "" };
	*out = (struct ipc_redeemed){ .outcome = IPC_OAUTH_UNAVAILABLE };
	if (!a->conf.oauth || !oauth_issuer_fine(m->issuer, a->conf.public_url, a->conf.port) ||
	    a->oauth->key.kid[0] == '\0')
		(void)redeem_say(&r, IPC_OAUTH_UNAVAILABLE,
		    "OAuth is off, or this is not where clients find the server");
	else if (m->grant_type.len == 0)
		(void)redeem_say(&r, IPC_OAUTH_INVALID_REQUEST, "grant_type is missing");
	else if (span_is(m->grant_type, SPAN("authorization_code"))) {
		if (m->code.len == 0)
			(void)redeem_say(&r, IPC_OAUTH_INVALID_REQUEST, "code is missing");
		else
			redeem(&r, take_code);
	} else if (span_is_str(m->grant_type, DEVICE_GRANT) && a->conf.device_code_ttl_s > 0) {
		if (m->device_code.len == 0)
			(void)redeem_say(&r, IPC_OAUTH_INVALID_REQUEST, "device_code is missing");
		else if (!device_waits(a, m, now_ms, out))
			redeem(&r, take_device);
	} else if (span_is(m->grant_type, SPAN("refresh_token"))) {
		if (m->refresh_token.len == 0)
			(void)redeem_say(&r, IPC_OAUTH_INVALID_REQUEST, "refresh_token is missing");
		else
			redeem(&r, take_refresh);
	} else
		(void)redeem_say(&r, IPC_OAUTH_UNSUPPORTED_GRANT_TYPE,
		    "grant_type must be authorization_code or refresh_token");
	store_client_fini(&r.client);
}

void
redeem_said_fini(struct redeem_said *said)
{
	buf_wipe(&said->access);
	sodium_memzero(said->refresh, sizeof(said->refresh));
}

/*
 * Find the grant of the token: 1 if it is the client's own and has not ended; else 0, with g->id set when it is known.
 */
static int
find_revoked(struct auth *a, const struct ipc_revoke *m, struct store_grant *g, struct err *err)
{
	char id[STORE_GRANT_ID + 1];
	struct span name = m->grant;
	uint64_t turn;
	int found;

	if (refresh_read(a->conf.refresh_key, m->token, id, &turn))
		name = span_str(id);
	g->id[0] = '\0';
	if (name.len != STORE_GRANT_ID)
		return 0;
	if ((found = store_grant(a->store, name, g, err)) != 1)
		return found;
	return g->ended_ms == 0 && span_is_str(m->client_id, g->client);
}

/* Record a revocation without effect: the token is another client's, or its grant has ended. */
static void
note_unrevoked(struct auth *a, struct oauth_note *note)
{
	struct err err;
	int result = store_begin(a->store, &err);

	note->outcome = IPC_OAUTH_INVALID_GRANT;
	if (result == 0)
		result = oauth_commit(a, oauth_note_refusal(a, note, &err), &err);
	if (result != 0)
		log_warn("a refused revocation is not on record: %s", err.message);
}

bool
redeem_revoke(struct auth *a, const struct ipc_revoke *m, uint64_t now_ms, struct ipc_revoked *out)
{
	struct oauth_note note = { .action = AUDIT_ACTION_OAUTH_REVOKE, .surface = AUDIT_SURFACE_REST,
		.outcome = IPC_OAUTH_DONE, .client = m->client_id, .address = m->address, .receipt = m->receipt };
	struct store_grant g;
	struct err err;
	int found = find_revoked(a, m, &g, &err), result;

	*out = (struct ipc_revoked){ .outcome = IPC_OAUTH_DONE };
	note.target = span_str(g.id);
	if (found == 0 && g.id[0] != '\0')
		note_unrevoked(a, &note);
	if (found == 0)
		return g.id[0] != '\0' && span_is_str(m->client_id, g.client);
	note.user = g.user;
	if (found == 1 && store_begin(a->store, &err) == 0) {
		result = store_grant_end(a->store, g.id, now_ms, &err) < 0 ? -1 : oauth_note(a, &note, &err);
		if (oauth_commit(a, result, &err) == 0) {
			oauth_tell_end(a, g.user, g.id);
			return true;
		}
	}
	log_error("a token was not revoked: %s", err.message);
	out->outcome = IPC_OAUTH_UNAVAILABLE;
	out->message = SPAN("the server cannot revoke it now; try again in a moment");
	return false;
}

static int
write_uses(struct auth *a, struct err *err)
{
	const struct auth_oauth *o = a->oauth;

	if (store_begin_uses(a->store, err) != 0)
		return -1;
	for (size_t i = 0; i < o->nuses; i++)
		if (store_grant_used(a->store, o->uses[i].id, o->uses[i].last_ms, err) != 0) {
			store_rollback(a->store);
			return -1;
		}
	return store_commit(a->store, err);
}

void
redeem_write_uses(struct auth *a)
{
	struct err err;

	if (a->oauth->nuses == 0)
		return;
	if (write_uses(a, &err) == 0)
		a->oauth->nuses = 0;
	else
		log_warn("when grants were used last was not written, and is kept for the next time: %s", err.message);
}

/* A slot for a new grant: without room the uses are written; if that fails, the oldest use is dropped. */
static size_t
make_use(struct auth *a)
{
	struct auth_oauth *o = a->oauth;
	size_t oldest = 0;

	if (o->nuses == OAUTH_USES)
		redeem_write_uses(a);
	if (o->nuses < OAUTH_USES)
		return o->nuses++;
	for (size_t i = 1; i < o->nuses; i++)
		if (o->uses[i].last_ms < o->uses[oldest].last_ms)
			oldest = i;
	return oldest;
}

static void
note_use(struct auth *a, const char *id, uint64_t now_ms)
{
	struct auth_oauth *o = a->oauth;
	size_t i = 0;

	while (i < o->nuses && strcmp(o->uses[i].id, id) != 0)
		i++;
	if (i == o->nuses)
		i = make_use(a);
	memcpy(o->uses[i].id, id, sizeof(o->uses[i].id));
	o->uses[i].last_ms = now_ms;
}

/* What the grant allows now: all that it has and the role still may be granted. */
static void
verify_share(struct auth *a, const struct store_user *u, const struct store_grant *g, struct ipc_verified *out)
{
	struct role_share granted = { .scopes = g->scopes, .named = g->named }, whole = ROLE_ALL;

	roles_both(&granted, g->scopes, g->named.text);
	roles_limit(a, span_str(u->role), &granted);
	roles_limit(a, span_str(u->role), &whole);
	roles_tell(a, &granted, &whole, out);
}

void
redeem_verify(struct auth *a, struct span grant, uint64_t now_ms, struct ipc_verified *out, char principal[80])
{
	struct store_user u;
	struct store_grant g;
	struct err err;
	int found;

	*out = (struct ipc_verified){ .verdict = IPC_VERDICT_INVALID };
	if (!a->conf.oauth || grant.len != STORE_GRANT_ID)
		return;
	found = store_grant(a->store, grant, &g, &err);
	if (found == 1) {
		snprintf(principal, 80, "user:%s", g.user);
		out->principal = span_str(principal);
		found = g.ended_ms != 0 ? 0 : oauth_user(a, span_str(g.user), &u, &err);
		out->verdict = IPC_VERDICT_REVOKED;
	}
	if (found < 0) {
		log_error("a grant cannot be looked up: %s", err.message);
		out->verdict = IPC_VERDICT_UNKNOWN;
	}
	if (found != 1)
		return;
	out->verdict = g.expires_ms > now_ms ? IPC_VERDICT_GOOD : IPC_VERDICT_EXPIRED;
	if (out->verdict != IPC_VERDICT_GOOD)
		return;
	verify_share(a, &u, &g, out);
	out->expires_unix_ms = g.expires_ms;
	out->keep_ms = fronts_keep_ms(store_lease_ms(a->store), g.expires_ms, now_ms);
	note_use(a, g.id, now_ms);
}
