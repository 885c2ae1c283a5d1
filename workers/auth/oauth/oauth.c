/* oauth.c - see oauth.h: shared parts, and the work that is due by time or by changes of other processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/text/b64.h"
#include "base/system/clock.h"
#include "base/system/fault.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "policy/scopes.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/oauth/redeem.h"
#include "workers/auth/oauth/revoke.h"
#include "workers/auth/oauth/roles.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_guess.h"
#include "workers/auth/store/store_user.h"
#include "workers/shared/serve.h"

#define SCOPE_MOST	640	/* bytes of what an entry says was granted: its `policy` has 768 */
#define SWEEP_MS	600000	/* between searches for expired rows */
#define WRITE_MS	5000	/* between writes of uses */
#define LATE_MS		10000	/* the maximal delay until another process's commit is visible */
#define KEEP_ENDED_MS	(UINT64_C(24) * 3600 * 1000)	/* how long ended grants are kept, so that their tokens are
                                                         * still recognised */

int
oauth_open(struct auth *a, struct err *err)
{
	struct auth_oauth *o = a->oauth = mem_new(1, sizeof(*o));
	uint64_t now = store_now_ms(a->store);

	o->authorized = tally_new(60, a->conf.authorize_per_min);
	o->registered = tally_new(60, a->conf.register_per_min);
	o->refused = tally_new(60, OAUTH_REFUSALS);
	o->devices = tally_new(60, a->conf.authorize_per_min);
	o->wrong_words = tally_new(OAUTH_WRONG_S, OAUTH_WRONG_MAX);
	o->wrong_names = tally_new(OAUTH_WRONG_S, OAUTH_WRONG_MAX);
	o->wrong_addresses = tally_new(OAUTH_WRONG_S, OAUTH_WRONG_MAX);
	o->wrong_pairs = tally_new(OAUTH_WRONG_S, OAUTH_WRONG_MAX);
	o->blocked = tally_new(OAUTH_WRONG_S, 1);
	o->failed_names = tally_new(OAUTH_WRONG_S, OAUTH_WRONG_MAX);
	o->looked_ms = o->written_ms = now;
	TAILQ_INIT(&o->revocations);
	return signing_load(&o->key, a->store, a->conf.seal_key, a->conf.oauth, now,
	    now + a->conf.access_ttl_s * UINT64_C(1000), err);
}

void
oauth_close(struct auth *a)
{
	struct auth_oauth *o = a->oauth;

	if (o == NULL)
		return;
	if (a->store != NULL)
		redeem_write_uses(a);
	revoke_gone(a, 0);
	tally_free(o->authorized);
	tally_free(o->registered);
	tally_free(o->refused);
	tally_free(o->devices);
	tally_free(o->wrong_words);
	tally_free(o->wrong_names);
	tally_free(o->wrong_addresses);
	tally_free(o->wrong_pairs);
	tally_free(o->blocked);
	tally_free(o->failed_names);
	sodium_memzero(o, sizeof(*o));
	free(o);
	a->oauth = NULL;
}

static const char *const words[] = {
	[IPC_OAUTH_DONE] = "ok", [IPC_OAUTH_LOGIN] = "login_required", [IPC_OAUTH_CONSENT] = "consent_required",
	[IPC_OAUTH_INVALID_REQUEST] = "invalid_request", [IPC_OAUTH_INVALID_CLIENT] = "invalid_client",
	[IPC_OAUTH_INVALID_GRANT] = "invalid_grant", [IPC_OAUTH_INVALID_SCOPE] = "invalid_scope",
	[IPC_OAUTH_INVALID_TARGET] = "invalid_target", [IPC_OAUTH_ACCESS_DENIED] = "access_denied",
	[IPC_OAUTH_UNSUPPORTED_GRANT_TYPE] = "unsupported_grant_type",
	[IPC_OAUTH_UNSUPPORTED_RESPONSE_TYPE] = "unsupported_response_type",
	[IPC_OAUTH_INVALID_REDIRECT_URI] = "invalid_redirect_uri",
	[IPC_OAUTH_INVALID_CLIENT_METADATA] = "invalid_client_metadata", [IPC_OAUTH_TOO_MANY] = "rate_limited",
	[IPC_OAUTH_BUSY] = "busy", [IPC_OAUTH_UNAVAILABLE] = "service_unavailable",
	[IPC_OAUTH_AUTHORIZATION_PENDING] = "authorization_pending", [IPC_OAUTH_SLOW_DOWN] = "slow_down",
	[IPC_OAUTH_EXPIRED_TOKEN] = "expired_token",
};

static const char *
oauth_word(enum ipc_oauth outcome)
{
	return words[outcome];
}

void
oauth_put_scope(uint32_t scopes, const char *named, struct buf *policy)
{
	struct buf scope = { 0 };
	struct span name;
	uint64_t more = 0;

	policy_scopes_text(scopes & ~POLICY_SCOPE_NAMED, &scope);
	while (named != NULL && policy_named_next(&named, &name))
		if (more > 0 || scope.len + strlen(" " POLICY_TOOL_SCOPE) + name.len > SCOPE_MOST)
			more++;
		else
			buf_printf(&scope, "%s" POLICY_TOOL_SCOPE "%.*s", scope.len > 0 ? " " : "", SPAN_FMT(name));
	if (more > 0)
		mp_put_pairs(policy, mp_str("scope", buf_view(&scope)), mp_uint("more_tools", more));
	else
		mp_put_pairs(policy, mp_str("scope", buf_view(&scope)));
	buf_fini(&scope);
}

static const char *
role_word(const char *role)
{
	return role[0] != '\0' ? role : "none";
}

void
oauth_put_role(const char *role, const char *before, struct buf *policy)
{
	bool changed = before != NULL && strcmp(before, role) != 0;

	mp_put_pairs(policy, mp_cstr("role", role_word(role)),
	    mp_when(changed, mp_cstr("role_before", changed ? role_word(before) : "")));
}

int
oauth_note(struct auth *a, const struct oauth_note *n, struct err *err)
{
	struct audit_entry e =
	    audit_entry_of(n->action, n->outcome == IPC_OAUTH_DONE ? AUDIT_OUTCOME_OK : AUDIT_OUTCOME_REFUSED);
	char id[sizeof("user:") + STORE_USER_MAX];
	struct buf policy = { 0 };
	int result;

	e.surface = n->surface;
	e.kind = AUDIT_KIND_NONE;
	if (n->user != NULL && n->user[0] != '\0') {
		snprintf(id, sizeof(id), "user:%s", n->user);
		e.id = span_str(id);
		e.kind = AUDIT_KIND_USER;
	}
	if (n->outcome != IPC_OAUTH_DONE)
		e.code = span_str(n->code != NULL ? n->code : oauth_word(n->outcome));
	e.target = n->target;
	e.client = n->client;
	e.address = oauth_address_shown(n->address);
	e.receipt = n->receipt;
	if (n->scopes != 0)
		oauth_put_scope(n->scopes, n->named, &policy);
	else if (n->role != NULL)
		oauth_put_role(n->role, n->role_before, &policy);
	e.policy = buf_view(&policy);
	result = audit_append(a->audit, &e, err);
	buf_fini(&policy);
	return result;
}

int
oauth_note_refusal(struct auth *a, const struct oauth_note *n, struct err *err)
{
	uint64_t now = clock_ns();

	if (tally_wait(a->oauth->refused, n->address, now) != 0)
		return 0;
	tally_add(a->oauth->refused, n->address, now);
	return oauth_note(a, n, err);
}

int
oauth_commit(struct auth *a, int result, struct err *err)
{
	if (result == 0)
		(void)fault_point("auth.before_commit");
	else
		store_rollback(a->store);
	if (result != 0 || store_commit(a->store, err) != 0) {
		audit_forget(a->audit);
		return -1;
	}
	(void)fault_point("auth.after_commit");
	return 0;
}

void
oauth_draw(char out[OAUTH_SECRET + 1])
{
	struct buf text = BUF_MAX(64);
	uint8_t raw[32];

	randombytes_buf(raw, sizeof(raw));
	b64url_encode(&text, span_of(raw, sizeof(raw)));
	snprintf(out, OAUTH_SECRET + 1, "%s", buf_cstr(&text));
	sodium_memzero(raw, sizeof(raw));
	buf_wipe(&text);
}

void
oauth_draw_id(char *out, size_t len)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	for (size_t i = 0; i < len; i++)
		out[i] = letters[randombytes_uniform(sizeof(letters) - 1)];
	out[len] = '\0';
}

void
oauth_digest(struct span secret, uint8_t digest[STORE_DIGEST])
{
	crypto_generichash(digest, STORE_DIGEST, secret.p, secret.len, NULL, 0);
}

/* Whether an unregistered client with a redirect to this machine is allowed. */
static bool
is_unregistered(const struct auth *a, struct span id, struct span redirect)
{
	if (!a->conf.unregistered_loopback || id.len == 0 || id.len > 256 ||
	    (redirect.len > 0 && !oauth_redirect_loopback(redirect)))
		return false;
	for (size_t i = 0; i < id.len; i++)
		if (id.p[i] <= ' ' || id.p[i] >= 0x7f)
			return false;
	return true;
}

int
oauth_client(struct auth *a, struct span id, struct span redirect, struct store_client *out, struct err *err)
{
	int found = id.len == 0 || id.len > STORE_CLIENT_MAX ? 0 : store_client(a->store, id, out, err);

	if (found != 0 || !is_unregistered(a, id, redirect))
		return found;
	memset(out, 0, sizeof(*out));
	memcpy(out->id, id.p, id.len);
	out->source = IPC_CLIENT_UNKNOWN;
	return 1;
}

uint32_t
oauth_user_scopes(const struct auth *a, const struct store_user *u)
{
	struct role_share s;

	roles_share(a, span_str(u->role), &s);
	return u->disabled ? 0 : s.scopes;
}

int
oauth_user(struct auth *a, struct span name, struct store_user *out, struct err *err)
{
	int found = store_user(a->store, name, out, err);

	return found != 1 ? found : oauth_user_scopes(a, out) != 0;
}

#define IDENTITY	"oidc:"	/* Argon2's digests begin with '$' */

bool
oauth_is_identity(const char *digest)
{
	return strncmp(digest, IDENTITY, strlen(IDENTITY)) == 0;
}

/* No issuer has a NUL in it, so that no two pairs are one text. */
void
oauth_identity(const char *issuer, struct span subject, char *digest)
{
	struct buf pair = { 0 }, text = BUF_MAX(STORE_PWHASH_MAX);
	uint8_t raw[STORE_DIGEST];

	buf_append(&pair, issuer, strlen(issuer) + 1);
	buf_span(&pair, subject);
	oauth_digest(buf_view(&pair), raw);
	buf_str(&text, IDENTITY);
	b64url_encode(&text, span_of(raw, sizeof(raw)));
	snprintf(digest, STORE_PWHASH_MAX + 1, "%s", buf_cstr(&text));
	buf_fini(&pair);
	buf_fini(&text);
}

int
oauth_end_user(struct auth *a, const char *name, uint64_t now_ms, uint64_t *grants, uint64_t *sessions,
    struct err *err)
{
	return store_grants_end_user(a->store, name, now_ms, grants, err) != 0 ||
		store_sessions_end(a->store, name, sessions, err) != 0 || store_codes_end(a->store, name, err) != 0 ?
	    -1 :
	    0;
}

void
oauth_tell_end(struct auth *a, const char *user, const char *grant)
{
	fronts_end_grant(&a->fronts, user, grant);
}

/*
 * Put the keys.  False: the store failed.  The fronts keep their keys, and are told when the store can be read again.
 */
static bool
put_keys(struct auth *a, struct buf *out)
{
	struct err err;

	if (signing_put_keys(a->store, a->conf.seal_key, store_now_ms(a->store), out, &err) == 0)
		return true;
	log_error("the signing keys cannot be read: %s", err.message);
	a->oauth->look_due = true;
	return false;
}

void
oauth_tell_keys(struct auth *a)
{
	struct buf keys = { 0 };
	struct ipc_keys msg;

	if (put_keys(a, &keys)) {
		msg.keys = buf_view(&keys);
		fronts_tell(&a->fronts, IPC_MSG_KEYS, 0, &msg);
	}
	buf_fini(&keys);
}

void
oauth_greet(struct auth *a, uint64_t peer)
{
	struct buf keys = { 0 };
	struct ipc_keys msg;

	if (!a->conf.oauth)
		return;
	if (put_keys(a, &keys)) {
		msg.keys = buf_view(&keys);
		(void)serve_send(peer, IPC_MSG_KEYS, 0, &msg);
	}
	buf_fini(&keys);
	a->oauth->look_due = true;
}

void
oauth_changed_elsewhere(struct auth *a)
{
	if (a->oauth != NULL)
		a->oauth->look_due = true;
}

static bool
tell_ended(void *arg, const struct store_grant *g)
{
	oauth_tell_end(arg, g->user, g->id);
	return true;
}

struct oauth_look {
	struct auth	*a;
	uint64_t	 since_ms, newest_ms;
};

static bool
tell_user(void *arg, const struct store_user *u)
{
	struct oauth_look *l = arg;
	char principal[sizeof("user:") + STORE_USER_MAX];

	if (u->changed_ms < l->since_ms)
		return true;
	snprintf(principal, sizeof(principal), "user:%s", u->name);
	/* What changed is not known: calls end as well, once. */
	fronts_narrow(&l->a->fronts, principal, oauth_user_scopes(l->a, u), u->changed_ms > l->a->oauth->cut_ms);
	if (u->changed_ms > l->newest_ms)
		l->newest_ms = u->changed_ms;
	return true;
}

/* Find grants that ended, users that changed, and keys that other processes made since the last look. */
static int
oauth_look(struct auth *a, uint64_t now_ms, struct err *err)
{
	struct auth_oauth *o = a->oauth;
	struct oauth_look l = { .a = a, .since_ms = o->looked_ms > LATE_MS ? o->looked_ms - LATE_MS : 1 };

	if (store_grants(a->store, SPAN(""), SPAN(""), l.since_ms, now_ms, tell_ended, a, err) != 0 ||
	    store_users(a->store, now_ms, tell_user, &l, err) != 0 ||
	    signing_load(&o->key, a->store, a->conf.seal_key, a->conf.oauth, now_ms,
		now_ms + a->conf.access_ttl_s * UINT64_C(1000), err) != 0)
		return -1;
	oauth_tell_keys(a);
	if (l.newest_ms > o->cut_ms)
		o->cut_ms = l.newest_ms;
	o->looked_ms = now_ms;
	return 0;
}

/* Remove expired rows, and clients that never got a grant. */
static void
oauth_sweep(struct auth *a, uint64_t now_ms)
{
	uint64_t before = now_ms > KEEP_ENDED_MS ? now_ms - KEEP_ENDED_MS : 0;
	struct err err;
	int result = store_begin(a->store, &err);

	if (result == 0 &&
	    ((result = store_oauth_sweep(a->store, now_ms, before, &err)) != 0 ||
		(store_is_shared(a->store) && (result = store_guess_sweep(a->store, &err)) != 0) ||
		(result = store_clients_drop(a->store, now_ms - OAUTH_IDLE_CLIENT_MS, now_ms, 1000, &err)) != 0))
		store_rollback(a->store);
	else if (result == 0)
		result = store_commit(a->store, &err);
	if (result != 0)
		log_warn("what has ended in the state store was not removed: %s", err.message);
}

void
oauth_tend(struct auth *a, uint64_t now_ms)
{
	struct auth_oauth *o = a->oauth;
	struct err err;

	if (!a->conf.oauth)
		return;
	if (o->look_due) {
		o->look_due = false;
		if (oauth_look(a, now_ms, &err) != 0) {
			log_warn("what has ended cannot be looked up: %s", err.message);
			o->look_due = true;
		}
	}
	if (now_ms - o->swept_ms >= SWEEP_MS) {
		o->swept_ms = now_ms;
		oauth_sweep(a, now_ms);
	}
	if (now_ms - o->written_ms >= WRITE_MS) {
		o->written_ms = now_ms;
		redeem_write_uses(a);
	}
}
