/* verify.c - see verify.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <sodium.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "front/auth_link.h"
#include "front/front.h"
#include "front/verdicts.h"
#include "front/verify.h"
#include "policy/token.h"

#define BUCKETS		1024u

struct verify_wait {
	LIST_ENTRY(verify_wait)		 of_bucket;
	TAILQ_ENTRY(verify_wait)	 by_age;
	struct verify			*of;
	uint64_t			 id, due_ns;
	uint8_t				 digest[VERDICT_DIGEST];
	struct buf			 secret;
	char				 address[64];
	void				 (*told)(void *arg, const struct verdict *verdict);
	void				*arg;
};

LIST_HEAD(waits_bucket, verify_wait);

struct verify {
	struct verdicts		*known;
	struct waits_bucket	 buckets[BUCKETS];	/* by id */
	TAILQ_HEAD(, verify_wait) by_age;	/* oldest first */
	unsigned		 n;
	uint64_t		 last_id;
};

struct verify *
verify_new(void)
{
	struct verify *v = mem_new(1, sizeof(*v));

	v->known = verdicts_new();
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
	verdicts_free(v->known);
	free(v);
}

/* --- what is remembered --------------------------------------------------------------------- */

static void
digest_of(struct span secret, uint8_t digest[VERDICT_DIGEST])
{
	crypto_hash_sha256(digest, secret.p, secret.len);
}

bool
verify_recall(struct front *f, struct span secret, struct verdict *out)
{
	uint8_t digest[VERDICT_DIGEST];
	uint32_t scopes = 0;

	digest_of(secret, digest);
	out->what = IPC_VERDICT_GOOD;
	out->who = verdicts_find(f->verify->known, digest, clock_ns(), clock_unix_ms(), &scopes);
	sodium_memzero(digest, sizeof(digest));
	if (out->who == NULL)
		return false;
	out->who->scopes = scopes;
	return true;
}

void
verify_drop(struct front *f, const struct principal *who)
{
	verdicts_forget(f->verify->known, who);
}

/* --- asking --------------------------------------------------------------------------------- */

static void
verify_send(struct front *f, const struct verify_wait *w)
{
	auth_say(f, IPC_MSG_VERIFY, w->id, &(struct ipc_verify){
	    .kind = IPC_CREDENTIAL_TOKEN, .secret = buf_view(&w->secret), .address = span_str(w->address) });
}

struct verify_wait *
verify_ask(struct front *f, struct span secret, struct span address,
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
	buf_reserve(&w->secret, secret.len); /* once: nothing is left behind by growing */
	buf_span(&w->secret, secret);
	digest_of(secret, w->digest);
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

/* --- answers -------------------------------------------------------------------------------- */

/* Only what a connectivity token can be.  NULL: carrel-auth may not say so. */
static struct principal *
principal_of(struct front *f, const struct ipc_verified *m)
{
	static const char kind[] = "token:";
	char id[64];

	if (m->principal.len != sizeof(kind) - 1 + POLICY_TOKEN_ID ||
	    memcmp(m->principal.p, kind, sizeof(kind) - 1) != 0 || (m->scopes & ~(uint64_t)POLICY_SCOPES_TOKEN) != 0)
		return NULL;
	snprintf(id, sizeof(id), "%.*s", SPAN_FMT(m->principal));
	return front_principal(f, PRINCIPAL_TOKEN, id, (uint32_t)m->scopes);
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
		return true; /* nobody waits for it any more */
	if (verdict.what == IPC_VERDICT_GOOD) {
		if ((verdict.who = principal_of(f, m)) == NULL)
			return false;
		if (m->keep_ms > 0)
			verdicts_keep(f->verify->known, w->digest, verdict.who, (uint32_t)m->scopes,
			    clock_ns() + m->keep_ms * CLOCK_MS, m->expires_unix_ms);
	}
	verify_tell(w, &verdict);
	return true;
}

void
verify_channel(struct front *f, bool up)
{
	struct verify_wait *w;

	if (!up) {
		verdicts_forget(f->verify->known, NULL);
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

	while ((w = TAILQ_FIRST(&f->verify->by_age)) != NULL && w->due_ns <= now)
		verify_tell(w, &unknown);
}
