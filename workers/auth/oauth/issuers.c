#include "workers/auth/oauth/issuers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "policy/identity.h"
#include "policy/scopes.h"
#include "workers/auth/claims.h"
#include "workers/auth/oauth/member.h"
#include "workers/auth/oauth/roles.h"
#include "workers/auth/oauth/vouched.h"
#include "workers/auth/store/store_claim.h"
#include "workers/auth/worker.h"
#include "workers/shared/serve.h"

#define SERIALS		(UINT64_C(1) << 62)	/* those of the steps here; provider.h has those before */
#define PATIENCE_MS	20000u	/* of one step */
#define SUBJECT_SHOWN	40u	/* characters of a subject in the name of its principal */
#define DIGEST_SHOWN	16u	/* of the digest behind it: 96 bits */
#define NIL		SPAN("\xc0")	/* as msgpack */

struct issuer {
	char		*name;
	struct buf	 roles;		/* msgpack: a map */
	struct buf	 keys;		/* msgpack; empty: not known */
	uint64_t	 fetched_ms, due_ms;	/* by issuers_age_ms(): when they were, and are to be, fetched */
	uint64_t	 serial, since_ms;	/* of the step that is being taken; 0: none */
	unsigned	 step;
};

struct issuers {
	struct issuer	*v;
	size_t		 n;
	uint64_t	 last_serial;
	struct vouched	*vouched;
};

/* Ages are measured by a clock that is not set. */
static uint64_t
issuers_age_ms(void)
{
	return clock_boot_ns() / CLOCK_MS;
}

struct issuers *
issuers_new(const struct auth *a)
{
	struct mp_value all, each, roles;
	struct mp_iter it;
	struct issuers *s;

	if (!mp_value(buf_view(&a->conf.issuers), &all) || all.class != MP_ARRAY || all.n == 0)
		return NULL;
	s = mem_new(1, sizeof(*s));
	s->v = mem_new(all.n, sizeof(*s->v));
	s->last_serial = SERIALS;
	s->vouched = vouched_new();
	for (it = mp_iter(&all); mp_next(&it, &each);) {
		struct issuer *i = &s->v[s->n++];

		i->name = mem_text(mp_get_str(&each, "issuer", SPAN("")));
		if (mp_get(&each, "roles", &roles))
			buf_span(&i->roles, roles.raw);
	}
	return s;
}

void
issuers_free(struct issuers *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].name);
		buf_fini(&s->v[i].roles);
		buf_fini(&s->v[i].keys);
	}
	free(s->v);
	vouched_free(s->vouched);
	free(s);
}

static struct issuer *
issuer_named(struct issuers *s, struct span name)
{
	for (size_t i = 0; s != NULL && i < s->n; i++)
		if (span_is_str(name, s->v[i].name))
			return &s->v[i];
	return NULL;
}

/* ---- keys ------------------------------------------------------------------- */

static struct ipc_issuer_keys
keys_message(const struct issuer *i)
{
	return (struct ipc_issuer_keys){ .issuer = span_str(i->name),
		.keys = i->keys.len > 0 ? buf_view(&i->keys) : NIL };
}

void
issuers_greet(struct auth *a, uint64_t peer)
{
	for (size_t i = 0; a->issuers != NULL && i < a->issuers->n; i++) {
		struct ipc_issuer_keys m = keys_message(&a->issuers->v[i]);

		(void)serve_send(peer, IPC_MSG_ISSUER_KEYS, 0, &m);
	}
}

static void
tell_issuer_keys(struct auth *a, const struct issuer *i)
{
	struct ipc_issuer_keys m = keys_message(i);

	fronts_tell(&a->fronts, IPC_MSG_ISSUER_KEYS, 0, &m);
}

static void
issuer_failed(struct auth *a, struct issuer *i, uint64_t now_ms)
{
	i->serial = 0;
	i->due_ms = now_ms + ISSUERS_FAILED_MS;
	if (i->keys.len > 0 && now_ms - i->fetched_ms >= ISSUERS_STALE_MS) {
		log_warn("the keys of %s are a day old and cannot be fetched: its tokens are not accepted", i->name);
		buf_reset(&i->keys, SIZE_MAX);
		tell_issuer_keys(a, i);
	}
}

static void
order_issuer_step(struct auth *a, struct issuer *i, unsigned step, uint64_t now_ms)
{
	struct ipc_identify m = { .serial = ++a->issuers->last_serial, .of = span_str(i->name), .step = step,
		.keys = NIL };

	i->serial = m.serial;
	i->step = step;
	i->since_ms = now_ms;
	if (serve_identify(&m) != 0)
		issuer_failed(a, i, now_ms);
}

bool
issuers_take(struct auth *a, const struct ipc_identified *m)
{
	uint64_t now_ms = issuers_age_ms();
	struct mp_value keys;

	if (m->serial <= SERIALS)
		return false;
	for (size_t k = 0; a->issuers != NULL && k < a->issuers->n; k++) {
		struct issuer *i = &a->issuers->v[k];

		if (i->serial != m->serial)
			continue;
		if (m->reason.len > 0)
			log_warn("the keys of %s: %.*s", i->name, SPAN_FMT(m->reason));
		if (m->outcome != SIGN_IN_DONE && i->step == IPC_STEP_ISSUER && m->missing != 0)
			order_issuer_step(a, i, IPC_STEP_SERVER, now_ms);
		else if (m->outcome != SIGN_IN_DONE)
			issuer_failed(a, i, now_ms);
		else if (i->step == IPC_STEP_ISSUER || i->step == IPC_STEP_SERVER)
			order_issuer_step(a, i, IPC_STEP_KEYS, now_ms);
		else if (!mp_value(m->keys, &keys) || keys.class != MP_MAP)
			issuer_failed(a, i, now_ms);
		else {
			i->serial = 0;
			i->fetched_ms = now_ms;
			i->due_ms = now_ms + m->keep_s * 1000;
			buf_reset(&i->keys, SIZE_MAX);
			buf_span(&i->keys, m->keys);
			tell_issuer_keys(a, i);
		}
	}
	return true;
}

void
issuers_miss(struct auth *a, struct span name)
{
	struct issuer *i = issuer_named(a->issuers, name);
	uint64_t now_ms = issuers_age_ms();

	if (i != NULL && i->keys.len > 0 && now_ms - i->fetched_ms >= ISSUERS_MISS_MS && i->due_ms > now_ms &&
	    now_ms - i->since_ms >= ISSUERS_MISS_MS)
		i->due_ms = now_ms;
}

/* ---- subjects --------------------------------------------------------------- */

/* The principal's name of a subject without an account: "#" is in no name of one. */
static void
name_subject(struct span subject, const char *digest, char name[STORE_USER_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < subject.len && n < SUBJECT_SHOWN; i++)
		name[n++] = (char)(ascii_is_alnum(subject.p[i]) || ascii_is_any(subject.p[i], "._@-") ?
			ascii_lower(subject.p[i]) :
			'.');
	snprintf(name + n, STORE_USER_MAX + 1 - n, "#%.*s", (int)DIGEST_SHOWN, digest);
}

/* Put on record who came by which issuer; refused: with this code.  -1: it is not. */
static int
note_subject(struct auth *a, const struct ipc_vouch *m, const char *user, const char *code)
{
	struct buf target = { 0 };
	struct err err;
	struct oauth_note note = { .action = AUDIT_ACTION_LOGIN, .surface = AUDIT_SURFACE_MCP,
		.outcome = code == NULL ? IPC_OAUTH_DONE : IPC_OAUTH_ACCESS_DENIED, .user = user, .code = code,
		.client = m->client, .address = m->address };
	int result = store_begin(a->store, &err);

	buf_printf(&target, "%.*s %.*s", SPAN_FMT(m->issuer), SPAN_FMT(m->subject));
	note.target = buf_view(&target);
	if (result == 0)
		result = oauth_commit(a, code == NULL ? oauth_note(a, &note, &err) : oauth_note_refusal(a, &note, &err),
		    &err);
	if (result != 0)
		log_error("a token of %.*s is not on record: %s", SPAN_FMT(m->issuer), err.message);
	buf_fini(&target);
	return result;
}

/* An account that was removed keeps its identity out until that one signs in again: it may have been less here. */
static int
was_removed(struct auth *a, const char *digest, uint32_t *may)
{
	struct err err;
	int removed = store_claims_are_removed(a->store, digest, &err);

	if (removed < 0)
		log_error("whether an account was removed cannot be looked up: %s", err.message);
	if (removed == 1)
		*may = 0;
	return removed;
}

/* What was found about a token. */
struct vouch_finding {
	struct vouched_token	 token;
	enum ipc_verdict	 verdict;
	struct role_share	 share, whole;	/* what it allows, and what its role could */
	const char		*code;	/* why it is refused */
};

/* Who the subject is here, and what it may: GOOD, REVOKED, INVALID or UNKNOWN. */
static void
judge_subject(struct auth *a, const struct issuer *i, const struct ipc_vouch *m, struct vouch_finding *f)
{
	char digest[STORE_PWHASH_MAX + 1], issuer[STORE_ISSUER_MAX + 1];
	struct span role = member_role(a, buf_view(&i->roles), m->groups);
	const char *tail;
	struct store_user u;
	struct err err;
	int found, removed = 0;

	snprintf(issuer, sizeof(issuer), "%s", i->name);
	oauth_identity(issuer, m->subject, digest);
	tail = strchr(digest, ':') + 1;
	snprintf(f->token.grant, sizeof(f->token.grant), "%.*s", (int)VOUCHED_GRANT, tail);
	name_subject(m->subject, tail, f->token.user);
	f->share = (struct role_share){ .scopes = (uint32_t)m->scopes };
	auth_text(f->share.named.text, sizeof(f->share.named.text), m->tools);
	f->whole = ROLE_ALL;
	roles_limit(a, role, &f->share);
	roles_limit(a, role, &f->whole);
	vouched_describe(&f->token, m, f->whole.scopes, f->whole.named.text);
	if ((found = store_user_identified(a->store, digest, &u, &err)) == 1) {
		snprintf(f->token.user, sizeof(f->token.user), "%s", u.name);
		roles_limit(a, span_str(u.disabled ? "" : u.role), &f->share);
		roles_limit(a, span_str(u.disabled ? "" : u.role), &f->whole);
	} else if (found == 0)
		removed = was_removed(a, digest, &f->whole.scopes);
	else
		log_error("a subject of %s cannot be looked up: %s", i->name, err.message);
	f->verdict = found < 0 || removed < 0 ? IPC_VERDICT_UNKNOWN :
	    f->whole.scopes != 0              ? IPC_VERDICT_GOOD :
	    found == 1 || removed == 1        ? IPC_VERDICT_REVOKED :
						IPC_VERDICT_INVALID;
	f->code = found == 1 && u.disabled ? "user_disabled" : removed == 1 ? "user_removed" : "no_role";
}

/* What a newer token says is so from now on: calls under way end. */
static void
tell_other(struct auth *a, const struct vouch_finding *f)
{
	char principal[sizeof("user:") + STORE_USER_MAX];
	struct ipc_end msg = { .grant = span_str(f->token.grant), .scopes = f->whole.scopes, .calls = 1,
		.verdict = IPC_VERDICT_GOOD };

	snprintf(principal, sizeof(principal), "user:%s", f->token.user);
	msg.principal = span_str(principal);
	fronts_tell(&a->fronts, IPC_MSG_END, ++a->fronts.last_id, &msg);
}

/* Each newer token of a subject is on record, the same one not again at each question. */
static void
weigh_token(struct auth *a, const struct ipc_vouch *m, struct vouch_finding *f)
{
	enum vouched_verdict weight = vouched_weigh(a->issuers->vouched, &f->token);

	if (f->verdict == IPC_VERDICT_UNKNOWN)
		return;
	if (f->verdict == IPC_VERDICT_GOOD && weight == VOUCHED_OUTDATED) {
		f->verdict = IPC_VERDICT_EXPIRED;
		f->code = "token_outdated";
	}
	if (f->verdict != IPC_VERDICT_GOOD) {
		if (weight == VOUCHED_OTHER)
			vouched_refuse(a, a->issuers->vouched, &f->token);
		(void)note_subject(a, m, f->token.user, f->code);
		return;
	}
	if (weight != VOUCHED_KNOWN && note_subject(a, m, f->token.user, NULL) != 0) {
		f->verdict = IPC_VERDICT_UNKNOWN;
		return;
	}
	if (weight == VOUCHED_OTHER)
		tell_other(a, f);
	vouched_keep(a, a->issuers->vouched, &f->token);
}

/* The claims of the token, or where it has none of those that are kept, those of its subject's account. */
static void
tell_claims(struct auth *a, const struct ipc_vouch *m, const char *principal, struct ipc_verified *out)
{
	if (m->claims.len > 0)
		out->claims = m->claims;
	else
		claims_tell(a, principal, out);
}

void
issuers_vouch(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_vouch *m)
{
	struct ipc_verified out = { .verdict = IPC_VERDICT_INVALID };
	char principal[sizeof("user:") + STORE_USER_MAX];
	const struct issuer *i = issuer_named(a->issuers, m->issuer);
	struct vouch_finding f = { .verdict = IPC_VERDICT_INVALID };
	uint64_t now_ms = store_now_ms(a->store);

	if (store_lease_ms(a->store) == 0)
		f.verdict = IPC_VERDICT_UNKNOWN;
	else if (i != NULL && m->expires_unix_ms <= now_ms)
		f.verdict = IPC_VERDICT_EXPIRED;
	else if (i != NULL && identity_is_claims(m->claims)) {
		judge_subject(a, i, m, &f);
		weigh_token(a, m, &f);
	}
	out.verdict = f.verdict;
	if (out.verdict == IPC_VERDICT_GOOD) {
		snprintf(principal, sizeof(principal), "user:%s", f.token.user);
		out.principal = span_str(principal);
		out.grant = span_str(f.token.grant);
		roles_tell(a, &f.share, &f.whole, &out);
		out.expires_unix_ms = m->expires_unix_ms;
		out.keep_ms = fronts_keep_ms(store_lease_ms(a->store), m->expires_unix_ms, now_ms);
		tell_claims(a, m, principal, &out);
	}
	(void)serve_send(peer, IPC_MSG_VERIFIED, id, &out);
}

void
issuers_tend(struct auth *a)
{
	struct issuers *s = a->issuers;
	uint64_t now_ms = issuers_age_ms();

	if (s == NULL)
		return;
	for (size_t k = 0; k < s->n; k++) {
		struct issuer *i = &s->v[k];

		if (i->serial != 0 && now_ms - i->since_ms >= PATIENCE_MS)
			issuer_failed(a, i, now_ms);
		if (i->serial == 0 && i->due_ms <= now_ms)
			order_issuer_step(a, i, IPC_STEP_ISSUER, now_ms);
	}
	vouched_tend(a, s->vouched, store_now_ms(a->store));
}
