#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <sodium.h>

#include "base/system/clock.h"
#include "base/mem.h"
#include "front/ending.h"
#include "front/who/auth_ask.h"
#include "front/front.h"
#include "front/who/verify_credential.h"
#include "policy/scopes.h"
#include "policy/token.h"

#define BUCKETS		1024u
#define KNOWN_BUCKETS	4096u
#define KNOWN_MAX	4096u	/* good credentials that are remembered; beyond: the least recently used is forgotten */
#define DIGEST		32u	/* bytes, BLAKE2b */

/* The rights of a credential. */
struct rights {
	uint32_t		 scopes, may;
	const struct user_grant	*grant;		/* of a user's; else NULL */
	struct span		 claims;	/* as CALL has them; empty: none */
	struct span		 tools, may_tools;	/* of the team's, as a principal has them */
};

/* A credential that carrel-auth found good.  Wrong ones are not remembered: strangers cannot fill the memory. */
struct known_credential {
	LIST_ENTRY(known_credential)	 of_bucket;
	TAILQ_ENTRY(known_credential)	 by_use;
	uint8_t			 digest[DIGEST];
	struct principal	*who;
	struct rights		 rights;
	struct buf		 claims, tools, may_tools;	/* those of rights */
	uint64_t		 until_ns, expires_unix_ms;	/* expires_unix_ms 0: it does not expire */
};

LIST_HEAD(known_bucket, known_credential);

struct verify_wait {
	LIST_ENTRY(verify_wait)		 of_bucket;
	TAILQ_ENTRY(verify_wait)	 by_age;
	struct verify			*of;
	uint64_t			 id, due_ns;
	uint8_t				 digest[DIGEST];
	struct buf			 secret;	/* what is asked for: a token, a grant, or VOUCH, packed */
	bool				 vouch;		/* of another issuer */
	struct buf			 claims;	/* of one: resource, client, metadata */
	size_t				 resource, client;	/* bytes of these */
	uint32_t			 scopes;
	struct policy_named		 named;		/* of ours: the team's tools that it names */
	uint64_t			 expires_unix_ms;
	char				 address[64];
	void				 (*told)(void *arg, const struct verdict *verdict);
	void				*arg;
};

LIST_HEAD(waits_bucket, verify_wait);

struct verify {
	struct known_bucket	 known[KNOWN_BUCKETS];	/* by digest */
	TAILQ_HEAD(, known_credential)	 by_use;	/* the least recently used first */
	unsigned		 nknown;
	struct waits_bucket	 buckets[BUCKETS];	/* by id */
	TAILQ_HEAD(, verify_wait) by_age;	/* oldest first */
	unsigned		 n;
	uint64_t		 last_id;
	bool			 watches;	/* some grant is watched */
	uint64_t		 watch_due_ns;
};

/* One access token can be valid for one resource and not for another. */
static void
digest_of(struct span secret, struct span resource, uint8_t digest[DIGEST])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, DIGEST);
	crypto_generichash_update(&state, secret.p, secret.len);
	if (resource.len > 0) {
		crypto_generichash_update(&state, (const uint8_t *)"\n", 1);
		crypto_generichash_update(&state, resource.p, resource.len);
	}
	crypto_generichash_final(&state, digest, DIGEST);
	sodium_memzero(&state, sizeof(state));
}

static void
known_drop(struct verify *v, struct known_credential *k)
{
	LIST_REMOVE(k, of_bucket);
	TAILQ_REMOVE(&v->by_use, k, by_use);
	v->nknown--;
	buf_fini(&k->claims);
	buf_fini(&k->tools);
	buf_fini(&k->may_tools);
	free(k);
}

/* Forget the credentials of a principal, or, with NULL, of everybody. */
static void
known_forget(struct verify *v, const struct principal *who)
{
	struct known_credential *k, *next;

	for (k = TAILQ_FIRST(&v->by_use); k != NULL; k = next) {
		next = TAILQ_NEXT(k, by_use);
		if (who == NULL || k->who == who)
			known_drop(v, k);
	}
}

static struct known_credential *
known_of(struct verify *v, const uint8_t digest[DIGEST], struct known_bucket **bucket)
{
	struct known_credential *k;

	*bucket = &v->known[(digest[0] | (unsigned)digest[1] << 8) % KNOWN_BUCKETS];
	LIST_FOREACH(k, *bucket, of_bucket)
		if (memcmp(k->digest, digest, DIGEST) == 0)
			return k;
	return NULL;
}

/* NULL: the credential is not remembered, or no longer. */
static const struct known_credential *
known_find(const struct front *f, const uint8_t digest[DIGEST])
{
	struct verify *v = f->verify;
	struct known_bucket *bucket;
	struct known_credential *k = known_of(v, digest, &bucket);

	if (k == NULL)
		return NULL;
	if (k->until_ns <= clock_boot_ns() || (k->expires_unix_ms != 0 && k->expires_unix_ms <= lease_unix_ms(f))) {
		known_drop(v, k);
		return NULL;
	}
	TAILQ_REMOVE(&v->by_use, k, by_use);
	TAILQ_INSERT_TAIL(&v->by_use, k, by_use);
	return k;
}

static void
known_keep(struct verify *v, const struct known_credential *what)
{
	struct known_bucket *bucket;
	struct known_credential *k = known_of(v, what->digest, &bucket);

	if (k != NULL)
		known_drop(v, k);
	if (v->nknown >= KNOWN_MAX)
		known_drop(v, TAILQ_FIRST(&v->by_use));
	k = mem_new(1, sizeof(*k));
	*k = *what;
	buf_span(&k->claims, what->rights.claims);
	buf_span(&k->tools, what->rights.tools);
	buf_span(&k->may_tools, what->rights.may_tools);
	k->rights.claims = buf_view(&k->claims);
	k->rights.tools = buf_view(&k->tools);
	k->rights.may_tools = buf_view(&k->may_tools);
	LIST_INSERT_HEAD(bucket, k, of_bucket);
	TAILQ_INSERT_TAIL(&v->by_use, k, by_use);
	v->nknown++;
}

/* The principal has these rights by the current request's credential. */
static void
verify_adopt(struct principal *who, const struct rights *rights)
{
	who->scopes = rights->scopes;
	who->may = rights->may;
	who->grant = rights->grant;
	principal_put_claims(who, rights->claims);
	principal_put_tools(who, rights->tools, rights->may_tools);
}

bool
verify_recall(struct front *f, struct span secret, struct span resource, struct verdict *out)
{
	uint8_t digest[DIGEST];
	const struct known_credential *k;

	digest_of(secret, resource, digest);
	k = known_find(f, digest);
	sodium_memzero(digest, sizeof(digest));
	if (k == NULL)
		return false;
	*out = (struct verdict){ .what = IPC_VERDICT_GOOD, .who = k->who };
	verify_adopt(k->who, &k->rights);
	return true;
}

void
verify_drop(struct front *f, const struct principal *who)
{
	known_forget(f->verify, who);
}

struct verify *
verify_new(void)
{
	struct verify *v = mem_new(1, sizeof(*v));

	TAILQ_INIT(&v->by_use);
	TAILQ_INIT(&v->by_age);
	return v;
}

void
verify_free(struct verify *v)
{
	if (v == NULL)
		return;
	while (!TAILQ_EMPTY(&v->by_age))
		verify_forget(TAILQ_FIRST(&v->by_age));
	known_forget(v, NULL);
	free(v);
}

static void
verify_send(struct front *f, const struct verify_wait *w)
{
	union ipc_any m;

	if (w->vouch) {
		if (ipc_unpack_any(IPC_MSG_VOUCH, IPC_FRONT, IPC_AUTH, buf_view(&w->secret), &m) == IPC_OK)
			auth_say(f, IPC_MSG_VOUCH, w->id, &m.vouch);
		return;
	}
	auth_say(f, IPC_MSG_VERIFY, w->id, &(struct ipc_verify){
	    .kind = w->resource > 0 ? IPC_CREDENTIAL_GRANT : IPC_CREDENTIAL_TOKEN,
	    .secret = buf_view(&w->secret), .address = span_str(w->address) });
}

struct verify_wait *
verify_ask(struct front *f, const struct verify_subject *subject, struct span address,
    void (*told)(void *arg, const struct verdict *verdict), void *arg)
{
	struct verify *v = f->verify;
	struct verify_wait *w;

	if (v->n >= VERIFY_MAX)
		return NULL;
	w = mem_new(1, sizeof(*w));
	w->of = v;
	w->id = ++v->last_id;
	w->due_ns = clock_ns() + VERIFY_MS * CLOCK_MS;
	w->told = told;
	w->arg = arg;
	w->resource = subject->resource.len;
	w->client = subject->client.len;
	w->scopes = subject->scopes;
	w->named = subject->named;
	w->expires_unix_ms = subject->expires_unix_ms;
	w->vouch = subject->vouch != NULL;
	if (w->vouch) {
		struct ipc_vouch m = *subject->vouch;

		m.address = address;
		(void)ipc_pack(IPC_MSG_VOUCH, &m, &w->secret);
	} else {
		buf_reserve(&w->secret, subject->secret.len); /* once: nothing is left behind by growing */
		buf_span(&w->secret, w->resource > 0 ? subject->grant : subject->secret);
	}
	buf_span(&w->claims, subject->resource);
	buf_span(&w->claims, subject->client);
	buf_span(&w->claims, subject->metadata);
	digest_of(subject->secret, subject->resource, w->digest);
	snprintf(w->address, sizeof(w->address), "%.*s", SPAN_FMT(address));
	LIST_INSERT_HEAD(&v->buckets[w->id % BUCKETS], w, of_bucket);
	TAILQ_INSERT_TAIL(&v->by_age, w, by_age);
	v->n++;
	verify_send(f, w);
	return w;
}

void
verify_forget(struct verify_wait *w)
{
	struct verify *v = w->of;

	LIST_REMOVE(w, of_bucket);
	TAILQ_REMOVE(&v->by_age, w, by_age);
	v->n--;
	buf_wipe(&w->secret);
	buf_fini(&w->claims);
	sodium_memzero(w->digest, sizeof(w->digest));
	free(w);
}

static void
verify_tell(struct verify_wait *w, const struct verdict *verdict)
{
	void (*told)(void *arg, const struct verdict *verdict) = w->told;
	void *arg = w->arg;

	verify_forget(w);
	told(arg, verdict);
}

/* The tools by name that both the grant and the access token allow; of another issuer's carrel-auth has read both. */
static void
named_of(const struct verify_wait *w, const struct ipc_verified *m, struct policy_named *out)
{
	*out = (struct policy_named){ "" };
	if (m->tools.len > POLICY_NAMED_BYTES)
		return;
	memcpy(out->text, m->tools.p, m->tools.len);
	if (!w->vouch)
		policy_named_limit(out, w->named.text);
}

/* The principal of a user's verdict.  NULL: carrel-auth broke the protocol. */
static struct principal *
user_of(struct front *f, const struct verify_wait *w, const struct ipc_verified *m)
{
	static const char kind[] = "user:";
	struct span claims = buf_view(&w->claims), rest = span_of(claims.p + w->resource, claims.len - w->resource);
	struct user_grant *grant;
	struct policy_named named;
	struct principal *who;
	char id[sizeof(who->id)];

	if (m->principal.len < sizeof(kind) || m->principal.len >= sizeof(id) ||
	    memcmp(m->principal.p, kind, sizeof(kind) - 1) != 0 ||
	    ((m->scopes | m->may) & ~(uint64_t)(POLICY_SCOPES_ALL | POLICY_SCOPE_NAMED)) != 0 ||
	    w->vouch != (m->grant.len > 0))
		return NULL;
	snprintf(id, sizeof(id), "%.*s", SPAN_FMT(m->principal));
	who = principal_of_user(f, id, span_of(rest.p, w->client), span_of(claims.p, w->resource));
	if (who->metadata == NULL)
		who->metadata = mem_text(span_of(rest.p + w->client, rest.len - w->client));
	grant = principal_grant(who, w->vouch ? m->grant : buf_view(&w->secret));
	if (w->vouch) {
		grant->watched = false;
		if (grant->until_unix_ms < w->expires_unix_ms)
			grant->until_unix_ms = w->expires_unix_ms;
	}
	named_of(w, m, &named);
	verify_adopt(who, &(struct rights){ .scopes = (uint32_t)m->scopes & w->scopes & ~POLICY_SCOPE_NAMED,
	    .may = (uint32_t)m->may & ~POLICY_SCOPE_NAMED, .tools = span_str(named.text), .may_tools = m->may_tools,
	    .grant = grant, .claims = m->claims });
	return who;
}

/* The principal of a connectivity token's verdict.  NULL: carrel-auth broke the protocol. */
static struct principal *
verified_principal(struct front *f, const struct verify_wait *w, const struct ipc_verified *m)
{
	static const char kind[] = "token:";
	struct principal *who;
	char id[64];

	if (w->resource > 0)
		return user_of(f, w, m);
	if (m->principal.len != sizeof(kind) - 1 + POLICY_TOKEN_ID ||
	    memcmp(m->principal.p, kind, sizeof(kind) - 1) != 0 || (m->scopes & ~(uint64_t)POLICY_SCOPES_TOKEN) != 0)
		return NULL;
	snprintf(id, sizeof(id), "%.*s", SPAN_FMT(m->principal));
	who = principal_of(f, PRINCIPAL_TOKEN, id, (uint32_t)m->scopes);
	principal_put_tools(who, m->tools, SPAN(""));
	principal_put_claims(who, m->claims);
	return who;
}

static void
verify_keep(struct front *f, const struct verify_wait *w, const struct ipc_verified *m, struct principal *who)
{
	struct known_credential k = {
		.who = who,
		.rights = { .scopes = who->scopes, .may = who->may, .grant = who->grant,
		    .claims = buf_view(&who->claims), .tools = buf_view(&who->tools),
		    .may_tools = buf_view(&who->may_tools) },
		.until_ns = clock_boot_ns() + m->keep_ms * CLOCK_MS,
		.expires_unix_ms = m->expires_unix_ms,
	};

	if (m->keep_ms == 0)
		return;
	if (w->expires_unix_ms != 0 && (k.expires_unix_ms == 0 || w->expires_unix_ms < k.expires_unix_ms))
		k.expires_unix_ms = w->expires_unix_ms;
	memcpy(k.digest, w->digest, DIGEST);
	known_keep(f->verify, &k);
}

bool
verify_take(struct front *f, uint64_t id, const struct ipc_verified *m)
{
	struct verdict verdict = { .what = (enum ipc_verdict)m->verdict };
	struct verify_wait *w;

	LIST_FOREACH(w, &f->verify->buckets[id % BUCKETS], of_bucket)
		if (w->id == id)
			break;
	if (w == NULL)
		return true; /* the asker dropped the question */
	if (verdict.what == IPC_VERDICT_GOOD) {
		if ((verdict.who = verified_principal(f, w, m)) == NULL)
			return false;
		verify_keep(f, w, m, verdict.who);
	}
	verify_tell(w, &verdict);
	return true;
}

/* Another carrel-auth does not know which tokens of other issuers were presented: this front ends what they opened. */
static void
watch_grants(struct front *f)
{
	struct principal *p;
	struct user_grant *g;

	LIST_FOREACH(p, &f->principals, next)
		LIST_FOREACH(g, &p->grants, next) {
			g->watched = g->until_unix_ms != 0;
			f->verify->watches = f->verify->watches || g->watched;
		}
}

/* A grant that is watched and has ended; NULL: none, and whether any is watched still. */
static const struct user_grant *
watched_over(struct front *f, struct principal **of)
{
	uint64_t now_ms = lease_unix_ms(f);
	const struct user_grant *g;
	struct principal *p;
	bool any = false;

	LIST_FOREACH(p, &f->principals, next)
		LIST_FOREACH(g, &p->grants, next) {
			if (g->watched && g->until_unix_ms <= now_ms) {
				*of = p;
				return g;
			}
			any = any || g->watched;
		}
	f->verify->watches = any;
	return NULL;
}

static void
end_watched(struct front *f, uint64_t now)
{
	const struct user_grant *g;
	struct principal *p;

	if (!f->verify->watches || now < f->verify->watch_due_ns)
		return;
	f->verify->watch_due_ns = now + CLOCK_SECOND;
	while ((g = watched_over(f, &p)) != NULL) {
		struct ipc_end end = { .principal = span_str(p->id), .grant = span_str(g->id),
			.verdict = IPC_VERDICT_EXPIRED };

		principal_unwatch(f, end.principal, end.grant);
		ending_take(f, 0, &end);
	}
}

void
verify_channel(struct front *f, bool up)
{
	struct verify_wait *w;

	if (!up) {
		known_forget(f->verify, NULL);
		watch_grants(f);
		return;
	}
	TAILQ_FOREACH(w, &f->verify->by_age, by_age)
		verify_send(f, w);
}

void
verify_tick(struct front *f, uint64_t now)
{
	const struct verdict unknown = { .what = IPC_VERDICT_UNKNOWN };
	struct verify_wait *w;

	end_watched(f, now);
	while ((w = TAILQ_FIRST(&f->verify->by_age)) != NULL && w->due_ns <= now)
		verify_tell(w, &unknown);
}
