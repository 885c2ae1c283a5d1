#include "workers/auth/oauth/issuers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "policy/scopes.h"
#include "workers/auth/claims.h"
#include "workers/auth/oauth/member.h"
#include "workers/auth/worker.h"
#include "workers/shared/serve.h"

#define SERIALS		(UINT64_C(1) << 62)	/* those of the steps here; provider.h has those before */
#define PATIENCE_MS	20000u	/* of one step */
#define GRANT		32u	/* characters of what stands for a grant */
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

/* A subject with a token that has not ended. */
struct vouched {
	char		 grant[GRANT + 1], user[STORE_USER_MAX + 1];
	uint64_t	 until_ms;	/* of the store's clock */
};

struct issuers {
	struct issuer	*v;
	size_t		 n;
	uint64_t	 last_serial;
	struct vouched	*vouched;
	size_t		 nvouched, room;
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
	free(s->vouched);
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
		if (m->outcome != SIGN_IN_DONE)
			issuer_failed(a, i, now_ms);
		else if (i->step == IPC_STEP_ISSUER)
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

static void
vouched_end(struct auth *a, size_t at)
{
	struct issuers *s = a->issuers;

	oauth_tell_end(a, s->vouched[at].user, s->vouched[at].grant);
	s->vouched[at] = s->vouched[--s->nvouched];
}

static struct vouched *
vouched_find(const struct issuers *s, const char *grant)
{
	for (size_t i = 0; i < s->nvouched; i++)
		if (strcmp(s->vouched[i].grant, grant) == 0)
			return &s->vouched[i];
	return NULL;
}

/* Remember until when the subject has a token. */
static void
vouched_keep(struct auth *a, const char *grant, const char *user, uint64_t until_ms)
{
	struct issuers *s = a->issuers;
	struct vouched *known = vouched_find(s, grant);
	size_t first = 0;

	if (known != NULL && strcmp(known->user, user) == 0) {
		if (known->until_ms < until_ms)
			known->until_ms = until_ms;
		return;
	}
	/* The subject has an account since: what began under the other name ends. */
	if (known != NULL)
		vouched_end(a, (size_t)(known - s->vouched));
	for (size_t i = 1; i < s->nvouched; i++)
		if (s->vouched[i].until_ms < s->vouched[first].until_ms)
			first = i;
	if (s->nvouched == ISSUERS_VOUCHED)
		vouched_end(a, first);
	s->vouched = mem_grow(s->vouched, s->nvouched, &s->room, sizeof(*s->vouched));
	s->vouched[s->nvouched] = (struct vouched){ .until_ms = until_ms };
	snprintf(s->vouched[s->nvouched].grant, GRANT + 1, "%s", grant);
	snprintf(s->vouched[s->nvouched].user, STORE_USER_MAX + 1, "%s", user);
	s->nvouched++;
}

/* Each newer token of a subject is on record, the same one not again at each question.  -1: it cannot be put there. */
static int
vouched_note(struct auth *a, const struct ipc_vouch *m, const char *grant, const char *user)
{
	const struct vouched *known = vouched_find(a->issuers, grant);

	if ((known == NULL || known->until_ms < m->expires_unix_ms) && note_subject(a, m, user, NULL) != 0)
		return -1;
	vouched_keep(a, grant, user, m->expires_unix_ms);
	return 0;
}

/* Who the subject is here, and what it may: GOOD, REVOKED, INVALID or UNKNOWN. */
static enum ipc_verdict
judge_subject(struct auth *a, const struct issuer *i, const struct ipc_vouch *m, char user[STORE_USER_MAX + 1],
    char grant[GRANT + 1], uint32_t *may)
{
	char digest[STORE_PWHASH_MAX + 1], issuer[STORE_ISSUER_MAX + 1];
	const char *tail;
	struct store_user u;
	struct err err;
	int found;

	snprintf(issuer, sizeof(issuer), "%s", i->name);
	oauth_identity(issuer, m->subject, digest);
	tail = strchr(digest, ':') + 1;
	snprintf(grant, GRANT + 1, "%.*s", (int)GRANT, tail);
	name_subject(m->subject, tail, user);
	*may = policy_role_scopes(member_role(buf_view(&i->roles), m->groups));
	if ((found = store_user_identified(a->store, digest, &u, &err)) < 0) {
		log_error("a subject of %s cannot be looked up: %s", i->name, err.message);
		return IPC_VERDICT_UNKNOWN;
	}
	if (found == 1) {
		snprintf(user, STORE_USER_MAX + 1, "%s", u.name);
		*may &= oauth_user_scopes(&u);
	}
	if (*may != 0)
		return IPC_VERDICT_GOOD;
	(void)note_subject(a, m, user, found == 1 && u.disabled ? "user_disabled" : "no_role");
	return found == 1 ? IPC_VERDICT_REVOKED : IPC_VERDICT_INVALID;
}

void
issuers_vouch(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_vouch *m)
{
	struct ipc_verified out = { .verdict = IPC_VERDICT_INVALID };
	char user[STORE_USER_MAX + 1], principal[sizeof("user:") + STORE_USER_MAX], grant[GRANT + 1];
	const struct issuer *i = issuer_named(a->issuers, m->issuer);
	uint64_t now_ms = store_now_ms(a->store);
	uint32_t may = 0;

	if (store_lease_ms(a->store) == 0)
		out.verdict = IPC_VERDICT_UNKNOWN;
	else if (i != NULL && m->expires_unix_ms <= now_ms)
		out.verdict = IPC_VERDICT_EXPIRED;
	else if (i != NULL)
		out.verdict = judge_subject(a, i, m, user, grant, &may);
	if (out.verdict == IPC_VERDICT_GOOD && vouched_note(a, m, grant, user) != 0)
		out.verdict = IPC_VERDICT_UNKNOWN;
	if (out.verdict == IPC_VERDICT_GOOD) {
		snprintf(principal, sizeof(principal), "user:%s", user);
		out.principal = span_str(principal);
		out.grant = span_str(grant);
		out.may = may;
		out.scopes = m->scopes & may;
		out.expires_unix_ms = m->expires_unix_ms;
		out.keep_ms = fronts_keep_ms(store_lease_ms(a->store), m->expires_unix_ms, now_ms);
		claims_tell(a, principal, &out);
	}
	(void)serve_send(peer, IPC_MSG_VERIFIED, id, &out);
}

void
issuers_tend(struct auth *a)
{
	struct issuers *s = a->issuers;
	uint64_t now_ms = issuers_age_ms(), unix_ms;

	if (s == NULL)
		return;
	for (size_t k = 0; k < s->n; k++) {
		struct issuer *i = &s->v[k];

		if (i->serial != 0 && now_ms - i->since_ms >= PATIENCE_MS)
			issuer_failed(a, i, now_ms);
		if (i->serial == 0 && i->due_ms <= now_ms)
			order_issuer_step(a, i, IPC_STEP_ISSUER, now_ms);
	}
	unix_ms = store_now_ms(a->store);
	for (size_t k = s->nvouched; k-- > 0;)
		if (s->vouched[k].until_ms <= unix_ms)
			vouched_end(a, k);
}
