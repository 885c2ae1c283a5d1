/* session.c - see session.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <sodium.h>

#include "base/mem.h"
#include "front/session.h"

#define MAC_LEN		16
#define RAW_LEN		(SESSION_BODY + MAC_LEN)
#define BUCKETS		4096
#define VERSION		1
#define ASKS_A_SWEEP	256u	/* of other fronts; the rest is asked about in the next */

_Static_assert(RAW_LEN * 4 / 3 == SESSION_ID_LEN, "base64url without padding");

struct entry {
	SLIST_ENTRY(entry)	 hash;
	TAILQ_ENTRY(entry)	 order;		/* of use among the live, of ending among the ended */
	uint8_t			 body[SESSION_BODY];
	bool			 ended;
	unsigned		 notices;
	uint64_t		 used;		/* unix seconds */
	uint64_t		 asked;		/* the other fronts, then; 0: not since it was used */
	void			*own;		/* see sessions_hooks() */
};

SLIST_HEAD(bucket, entry);
TAILQ_HEAD(entries, entry);

struct sessions {
	crypto_auth_hmacsha256_state	 keyed;		/* the key already taken in */
	struct bucket			 buckets[BUCKETS];
	struct entries			 live, ended;
	size_t				 nlive, nended;
	uint64_t			 watermark;	/* born up to then: ended, forgotten */
	void				 (*gone)(void *own);
	bool				 (*in_use)(void *own);
	bool				 shared;
};

/*
 * --- the body: version 1, revision (low 3 bits) and capabilities 1, birth 8
 * big-endian, random 16 ------------------------------------------------------------
 */

static uint64_t
birth_of(const uint8_t body[SESSION_BODY])
{
	uint64_t t = 0;

	for (size_t i = 2; i < 10; i++)
		t = t << 8 | body[i];
	return t;
}

uint64_t
session_expiry(const uint8_t body[SESSION_BODY])
{
	return birth_of(body) + SESSION_LIFE_S;
}

static void
sign(const struct sessions *s, const uint8_t body[SESSION_BODY], struct span principal,
    uint8_t mac[MAC_LEN])
{
	crypto_auth_hmacsha256_state state = s->keyed;
	uint8_t full[crypto_auth_hmacsha256_BYTES];

	crypto_auth_hmacsha256_update(&state, body, SESSION_BODY);
	crypto_auth_hmacsha256_update(&state, principal.p, principal.len);
	crypto_auth_hmacsha256_final(&state, full);
	memcpy(mac, full, MAC_LEN);
}

/* --- the table -------------------------------------------------------------------- */

static struct bucket *
bucket_of(struct sessions *s, const uint8_t body[SESSION_BODY])
{
	/* The tail is random, so it is its own hash. */
	return &s->buckets[(body[SESSION_BODY - 1] | (unsigned)body[SESSION_BODY - 2] << 8) % BUCKETS];
}

static struct entry *
find(struct sessions *s, const uint8_t body[SESSION_BODY])
{
	struct entry *e;

	SLIST_FOREACH(e, bucket_of(s, body), hash)
		if (memcmp(e->body, body, SESSION_BODY) == 0)
			return e;
	return NULL;
}

static void
let_go(const struct sessions *s, struct entry *e)
{
	void *own = e->own;

	e->own = NULL;
	if (own != NULL)
		s->gone(own);
}

static void
forget(struct sessions *s, struct entry *e)
{
	let_go(s, e);
	SLIST_REMOVE(bucket_of(s, e->body), e, entry, hash);
	if (e->ended) {
		TAILQ_REMOVE(&s->ended, e, order);
		s->nended--;
	} else {
		TAILQ_REMOVE(&s->live, e, order);
		s->nlive--;
	}
	free(e);
}

static struct entry *
remember(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s)
{
	struct entry *e;

	if (s->nlive >= SESSION_KNOWN_MAX)
		forget(s, TAILQ_FIRST(&s->live));
	e = mem_new(1, sizeof(*e));
	memcpy(e->body, body, SESSION_BODY);
	e->used = unix_s;
	SLIST_INSERT_HEAD(bucket_of(s, body), e, hash);
	TAILQ_INSERT_TAIL(&s->live, e, order);
	s->nlive++;
	return e;
}

static void
use(struct sessions *s, struct entry *e, uint64_t unix_s)
{
	e->used = unix_s;
	e->asked = 0;
	TAILQ_REMOVE(&s->live, e, order);
	TAILQ_INSERT_TAIL(&s->live, e, order);
}

static void
mark_ended(struct sessions *s, struct entry *e)
{
	let_go(s, e);
	TAILQ_REMOVE(&s->live, e, order);
	s->nlive--;
	e->ended = true;
	TAILQ_INSERT_TAIL(&s->ended, e, order);
	if (++s->nended > SESSION_ENDED_MAX) {
		struct entry *oldest = TAILQ_FIRST(&s->ended);

		if (birth_of(oldest->body) > s->watermark)
			s->watermark = birth_of(oldest->body);
		forget(s, oldest);
	}
}

/* --- what others call ----------------------------------------------------------------- */

struct sessions *
sessions_new(const uint8_t key[32])
{
	static const char purpose[] = "carrel session id 1";
	struct sessions *s = mem_new(1, sizeof(*s));
	uint8_t own[crypto_auth_hmacsha256_KEYBYTES];

	/* A key of its own, so that no other kind of signed value can pass for a session. */
	crypto_auth_hmacsha256(own, (const uint8_t *)purpose, sizeof(purpose) - 1, key);
	crypto_auth_hmacsha256_init(&s->keyed, own, sizeof(own));
	sodium_memzero(own, sizeof(own));
	TAILQ_INIT(&s->live);
	TAILQ_INIT(&s->ended);
	return s;
}

void
sessions_free(struct sessions *s)
{
	struct entry *e;

	if (s == NULL)
		return;
	while ((e = TAILQ_FIRST(&s->live)) != NULL)
		forget(s, e);
	while ((e = TAILQ_FIRST(&s->ended)) != NULL)
		forget(s, e);
	sodium_memzero(&s->keyed, sizeof(s->keyed));
	free(s);
}

void
session_begin(struct sessions *s, unsigned revision, unsigned can, struct span principal,
    uint64_t unix_s, char id[SESSION_ID_LEN + 1])
{
	uint8_t raw[RAW_LEN] = { VERSION, (uint8_t)(revision | can << 3) };

	for (size_t i = 0; i < 8; i++)
		raw[2 + i] = (uint8_t)(unix_s >> (56 - 8 * i));
	randombytes_buf(raw + 10, SESSION_BODY - 10);
	sign(s, raw, principal, raw + SESSION_BODY);
	remember(s, raw, unix_s);
	sodium_bin2base64(id, SESSION_ID_LEN + 1, raw, RAW_LEN, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool
session_check(struct sessions *s, struct span id, struct span principal, uint64_t unix_s,
    struct session *out)
{
	uint8_t raw[RAW_LEN], mac[MAC_LEN];
	struct entry *e;
	size_t n;

	if (id.len != SESSION_ID_LEN ||
	    sodium_base642bin(raw, sizeof(raw), (const char *)id.p, id.len, NULL, &n, NULL,
	    sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 || n != RAW_LEN || raw[0] != VERSION)
		return false;
	sign(s, raw, principal, mac);
	if (sodium_memcmp(mac, raw + SESSION_BODY, MAC_LEN) != 0)
		return false;
	if (birth_of(raw) <= s->watermark || session_expiry(raw) <= unix_s)
		return false;
	e = find(s, raw);
	if (e == NULL)
		e = remember(s, raw, unix_s);	/* of before a restart, or of another node */
	else if (e->ended)
		return false;
	else if (!s->shared && unix_s > e->used && unix_s - e->used >= SESSION_IDLE_S &&
	    (e->own == NULL || !s->in_use(e->own)))
		return false;			/* the next sweep will end it; another front may know better */
	if (e->used != unix_s)
		use(s, e, unix_s);
	memcpy(out->body, raw, SESSION_BODY);
	out->revision = raw[1] & 7;
	out->can = raw[1] >> 3;
	out->notices = e->notices;
	return true;
}

void
session_set_notices(struct sessions *s, const uint8_t body[SESSION_BODY], unsigned notices)
{
	struct entry *e = find(s, body);

	if (e != NULL)
		e->notices = notices;
}

void
sessions_hooks(struct sessions *s, void (*gone)(void *own), bool (*in_use)(void *own))
{
	s->gone = gone;
	s->in_use = in_use;
}

void
sessions_share(struct sessions *s)
{
	s->shared = true;
}

void **
session_own(struct sessions *s, const uint8_t body[SESSION_BODY])
{
	struct entry *e = find(s, body);

	return e == NULL || e->ended ? NULL : &e->own;
}

void
session_end(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s)
{
	struct entry *e;

	if (session_expiry(body) <= unix_s)
		return;
	e = find(s, body);
	if (e == NULL)
		e = remember(s, body, unix_s);
	if (!e->ended)
		mark_ended(s, e);
}

static bool
is_idle(const struct sessions *s, const struct entry *e, uint64_t unix_s)
{
	if (unix_s <= e->used || unix_s - e->used < SESSION_IDLE_S)
		return false;
	return e->own == NULL || !s->in_use(e->own) || session_expiry(e->body) <= unix_s;
}

/* An idle one: it ends, unless another front is to be asked first. */
static void
sweep_one(struct sessions *s, struct entry *e, uint64_t unix_s, const struct sweep_hooks *hooks,
    unsigned *asks)
{
	if (hooks != NULL && hooks->ask != NULL && e->asked == 0) {
		if (++*asks > ASKS_A_SWEEP)
			return;
		e->asked = unix_s;
		hooks->ask(hooks->arg, e->body);
	} else if (e->asked == 0 || unix_s - e->asked >= SESSION_ASK_S) {
		mark_ended(s, e);
		if (hooks != NULL)
			hooks->ended(hooks->arg, e->body);
	}
}

void
sessions_sweep(struct sessions *s, uint64_t unix_s, const struct sweep_hooks *hooks)
{
	struct entry *e, *next;
	unsigned asks = 0;

	for (e = TAILQ_FIRST(&s->live); e != NULL && unix_s > e->used && unix_s - e->used >= SESSION_IDLE_S;
	    e = next) {
		next = TAILQ_NEXT(e, order);
		if (is_idle(s, e, unix_s))
			sweep_one(s, e, unix_s, hooks, &asks);
		else
			use(s, e, unix_s);
	}
	for (e = TAILQ_FIRST(&s->ended); e != NULL; e = next) {
		next = TAILQ_NEXT(e, order);
		if (session_expiry(e->body) <= unix_s)
			forget(s, e);
	}
}

bool
session_in_use(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s)
{
	struct entry *e = find(s, body);

	return e != NULL && !e->ended && !is_idle(s, e, unix_s);
}

void
session_used(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s)
{
	struct entry *e = find(s, body);

	if (e != NULL && !e->ended)
		use(s, e, unix_s);
}

size_t
sessions_known(const struct sessions *s)
{
	return s->nlive;
}
