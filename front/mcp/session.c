#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <sodium.h>

#include "base/system/ended.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "front/mcp/session.h"
#include "front/wire/signer.h"

#define MAC_LEN		16
#define RAW_LEN		(SESSION_BODY + MAC_LEN)
#define RAW_MAX		(RAW_LEN + SESSION_CLIENT_MAX)
#define BUCKETS		4096
#define OWNER_BUCKETS	256
#define VERSION		2
#define ASKS_A_SWEEP	256u	/* questions to other fronts per sweep; further sessions wait for the next sweep */

_Static_assert(RAW_LEN * 4 / 3 == SESSION_ID_LEN, "base64url without padding");

struct session_entry {
	SLIST_ENTRY(session_entry)	 hash;
	TAILQ_ENTRY(session_entry)	 order;		/* in order of last use */
	struct session_owner		*owner;
	uint8_t			 body[SESSION_BODY];
	unsigned		 notices;
	char			*client;	/* NULL: not known */
	uint64_t		 used;		/* unix seconds */
	uint64_t		 asked;		/* when the other fronts were asked; 0: not since the last use */
	void			*own;		/* see sessions_hooks() */
};

SLIST_HEAD(bucket, session_entry);
TAILQ_HEAD(entries, session_entry);

/* The sessions of one principal. */
struct session_owner {
	SLIST_ENTRY(session_owner)	 hash;
	LIST_ENTRY(session_owner)	 all;
	struct entries		 live;
	size_t			 n;
	uint64_t		 name;		/* as stored in session bodies */
};

struct sessions {
	struct signer			 signer;
	struct bucket			 buckets[BUCKETS];
	SLIST_HEAD(, session_owner)		 named[OWNER_BUCKETS];
	LIST_HEAD(, session_owner)		 owners;
	size_t				 nlive;
	struct ended			*ended;
	void				 (*gone)(void *own);
	bool				 (*in_use)(void *own);
	bool				 shared, scattered;
	uint64_t			 idle_s;
};

/*
 * --- the body: version 1, revision (low 3 bits) and capabilities 1, birth 8, owner 8 (both
 * big-endian), random 8 -------------------------------------------------
 */

#define BIRTH_AT	2
#define OWNER_AT	10
#define RANDOM_AT	18

static uint64_t
read_number(const uint8_t *p)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

static void
put_number(uint8_t *p, uint64_t v)
{
	for (size_t i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> (56 - 8 * i));
}

uint64_t
session_expiry(const uint8_t body[SESSION_BODY])
{
	return read_number(body + BIRTH_AT) + SESSION_LIFE_S;
}

uint64_t
session_owner(const uint8_t body[SESSION_BODY])
{
	return read_number(body + OWNER_AT);
}

static void
session_sign(const struct sessions *s, const uint8_t body[SESSION_BODY], struct span principal, struct span client,
    uint8_t mac[MAC_LEN])
{
	crypto_auth_hmacsha256_state state = s->signer.keyed;
	uint8_t full[crypto_auth_hmacsha256_BYTES];

	crypto_auth_hmacsha256_update(&state, body, SESSION_BODY);
	crypto_auth_hmacsha256_update(&state, principal.p, principal.len);
	/* No principal has a zero byte: none of it can pass for the beginning of a client. */
	if (client.len > 0) {
		crypto_auth_hmacsha256_update(&state, (const uint8_t *)"", 1);
		crypto_auth_hmacsha256_update(&state, client.p, client.len);
	}
	crypto_auth_hmacsha256_final(&state, full);
	memcpy(mac, full, MAC_LEN);
}

static struct bucket *
bucket_of(struct sessions *s, const uint8_t body[SESSION_BODY])
{
	/* The tail is random and serves as the hash. */
	return &s->buckets[(body[SESSION_BODY - 1] | (unsigned)body[SESSION_BODY - 2] << 8) % BUCKETS];
}

static struct session_entry *
find_session(struct sessions *s, const uint8_t body[SESSION_BODY])
{
	struct session_entry *e;

	SLIST_FOREACH(e, bucket_of(s, body), hash)
		if (memcmp(e->body, body, SESSION_BODY) == 0)
			return e;
	return NULL;
}

static void
let_go(const struct sessions *s, struct session_entry *e)
{
	void *own = e->own;

	e->own = NULL;
	if (own != NULL)
		s->gone(own);
}

static struct session_owner *
owner_of(struct sessions *s, uint64_t name)
{
	struct session_owner *o;

	SLIST_FOREACH(o, &s->named[name % OWNER_BUCKETS], hash)
		if (o->name == name)
			return o;
	o = mem_new(1, sizeof(*o));
	o->name = name;
	TAILQ_INIT(&o->live);
	SLIST_INSERT_HEAD(&s->named[name % OWNER_BUCKETS], o, hash);
	LIST_INSERT_HEAD(&s->owners, o, all);
	return o;
}

static void
session_free(struct sessions *s, struct session_entry *e)
{
	struct session_owner *o = e->owner;

	let_go(s, e);
	SLIST_REMOVE(bucket_of(s, e->body), e, session_entry, hash);
	TAILQ_REMOVE(&o->live, e, order);
	s->nlive--;
	free(e->client);
	free(e);
	if (--o->n > 0)
		return;
	SLIST_REMOVE(&s->named[o->name % OWNER_BUCKETS], o, session_owner, hash);
	LIST_REMOVE(o, all);
	free(o);
}

static struct session_owner *
session_largest(const struct sessions *s)
{
	struct session_owner *o, *most = LIST_FIRST(&s->owners);

	LIST_FOREACH(o, &s->owners, all)
		if (o->n > most->n)
			most = o;
	return most;
}

static struct session_entry *
session_remember(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s)
{
	struct session_owner *o;
	struct session_entry *e;

	if (s->nlive >= SESSION_KNOWN_MAX)
		session_free(s, TAILQ_FIRST(&session_largest(s)->live));
	o = owner_of(s, session_owner(body));
	e = mem_new(1, sizeof(*e));
	memcpy(e->body, body, SESSION_BODY);
	e->owner = o;
	e->used = unix_s;
	SLIST_INSERT_HEAD(bucket_of(s, body), e, hash);
	TAILQ_INSERT_TAIL(&o->live, e, order);
	s->nlive++;
	if (++o->n > SESSION_KNOWN_EACH)
		session_free(s, TAILQ_FIRST(&o->live));
	return e;
}

static void
use(struct session_entry *e, uint64_t unix_s)
{
	e->used = unix_s;
	e->asked = 0;
	TAILQ_REMOVE(&e->owner->live, e, order);
	TAILQ_INSERT_TAIL(&e->owner->live, e, order);
}

/* Forget the session here and remember that it has ended. */
static void
mark_ended(struct sessions *s, struct session_entry *e)
{
	ended_add(s->ended, e->owner->name, span_of(e->body, SESSION_BODY), session_expiry(e->body));
	session_free(s, e);
}

bool
session_has_ended(const struct sessions *s, const uint8_t body[SESSION_BODY])
{
	return ended_has(s->ended, session_owner(body), span_of(body, SESSION_BODY), session_expiry(body));
}

struct sessions *
sessions_new(const uint8_t key[32], uint64_t idle_s)
{
	struct sessions *s = mem_new(1, sizeof(*s));

	signer_init(&s->signer, SIGNER_SESSION, key);
	s->idle_s = idle_s;
	s->ended = ended_new(SESSION_ENDED_EACH, SESSION_ENDED_MAX);
	return s;
}

void
sessions_free(struct sessions *s)
{
	if (s == NULL)
		return;
	while (!LIST_EMPTY(&s->owners))
		session_free(s, TAILQ_FIRST(&LIST_FIRST(&s->owners)->live));
	ended_free(s->ended);
	sodium_memzero(&s->signer, sizeof(s->signer));
	free(s);
}

/* A pseudonym of the principal, for places where the name would reveal too much. */
static uint64_t
name_owner(const struct sessions *s, struct span principal)
{
	static const uint8_t blank[SESSION_BODY];
	uint8_t mac[MAC_LEN];

	session_sign(s, blank, principal, SPAN_NONE, mac);
	return read_number(mac);
}

static void
set_client(struct session_entry *e, struct span client)
{
	if (client.len == 0)
		return;
	free(e->client);
	e->client = mem_text(span_of(client.p, utf8_cut(client.p, client.len, SESSION_CLIENT_MAX)));
}

void
session_begin(struct sessions *s, unsigned revision, unsigned can, struct span principal, struct span client,
    uint64_t unix_s, char id[SESSION_ID_MAX + 1])
{
	uint8_t raw[RAW_MAX] = { VERSION, (uint8_t)(revision | can << 3) };

	if (client.len > 0)
		client.len = utf8_cut(client.p, client.len, SESSION_CLIENT_MAX);
	put_number(raw + BIRTH_AT, unix_s);
	put_number(raw + OWNER_AT, name_owner(s, principal));
	randombytes_buf(raw + RANDOM_AT, SESSION_BODY - RANDOM_AT);
	session_sign(s, raw, principal, client, raw + SESSION_BODY);
	if (client.len > 0)
		memcpy(raw + RAW_LEN, client.p, client.len);
	set_client(session_remember(s, raw, unix_s), client);
	sodium_bin2base64(id, SESSION_ID_MAX + 1, raw, RAW_LEN + client.len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* The bytes of an id, signed or not, and the client behind them. */
static bool
read_id(struct span id, uint8_t raw[RAW_MAX], struct span *client)
{
	size_t n;

	if (id.len < SESSION_ID_LEN || id.len > SESSION_ID_MAX ||
	    sodium_base642bin(raw, RAW_MAX, (const char *)id.p, id.len, NULL, &n, NULL,
		sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
	    n < RAW_LEN || raw[0] != VERSION)
		return false;
	*client = span_of(raw + RAW_LEN, n - RAW_LEN);
	return true;
}

bool
session_check(struct sessions *s, struct span id, struct span principal, uint64_t unix_s,
    struct session *out)
{
	uint8_t raw[RAW_MAX], mac[MAC_LEN];
	struct span client;
	struct session_entry *e;

	if (!read_id(id, raw, &client))
		return false;
	session_sign(s, raw, principal, client, mac);
	if (sodium_memcmp(mac, raw + SESSION_BODY, MAC_LEN) != 0)
		return false;
	if (session_expiry(raw) <= unix_s || session_has_ended(s, raw))
		return false;
	e = find_session(s, raw);
	if (e == NULL) { /* created before a restart, or by another front */
		e = session_remember(s, raw, unix_s);
		set_client(e, client);
	} else if (!s->shared && unix_s > e->used && unix_s - e->used >= s->idle_s &&
	    (e->own == NULL || !s->in_use(e->own)))
		return false; /* idle; the next sweep ends it. With several fronts another one may have seen it. */
	if (e->used != unix_s)
		use(e, unix_s);
	memcpy(out->body, raw, SESSION_BODY);
	out->revision = raw[1] & 7;
	out->can = raw[1] >> 3;
	out->notices = e->notices;
	return true;
}

void
session_set_client(struct sessions *s, const uint8_t body[SESSION_BODY], struct span client)
{
	struct session_entry *e = find_session(s, body);

	if (e != NULL)
		set_client(e, client);
}

struct span
session_client(const struct sessions *s, const uint8_t body[SESSION_BODY])
{
	/* A look-up changes nothing. */
	const struct session_entry *e = find_session((struct sessions *)s, body);

	return e == NULL || e->client == NULL ? SPAN_NONE : span_str(e->client);
}

void
session_set_notices(struct sessions *s, const uint8_t body[SESSION_BODY], unsigned notices)
{
	struct session_entry *e = find_session(s, body);

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

void
sessions_scatter(struct sessions *s)
{
	s->shared = s->scattered = true;
}

void **
session_own(struct sessions *s, const uint8_t body[SESSION_BODY])
{
	struct session_entry *e = find_session(s, body);

	return e == NULL ? NULL : &e->own;
}

void
session_end(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s)
{
	struct session_entry *e = find_session(s, body);

	if (e != NULL)
		mark_ended(s, e);
	else if (session_expiry(body) > unix_s)
		ended_add(s->ended, session_owner(body), span_of(body, SESSION_BODY), session_expiry(body));
}

bool
session_of(const struct sessions *s, struct span principal, uint8_t body[SESSION_BODY])
{
	uint64_t name = name_owner(s, principal);
	const struct session_owner *o;

	SLIST_FOREACH(o, &s->named[name % OWNER_BUCKETS], hash)
		if (o->name == name) {
			memcpy(body, TAILQ_FIRST(&o->live)->body, SESSION_BODY);
			return true; /* an owner has one at least */
		}
	return false;
}

void
session_end_before(struct sessions *s, uint64_t owner, uint64_t expires)
{
	ended_add(s->ended, owner, SPAN_NONE, expires);
}

static bool
is_idle(const struct sessions *s, const struct session_entry *e, uint64_t unix_s)
{
	if (unix_s <= e->used || unix_s - e->used < s->idle_s)
		return false;
	return e->own == NULL || !s->in_use(e->own) || session_expiry(e->body) <= unix_s;
}

/* An idle session: end it, or first ask the other fronts. */
static void
sweep_one(struct sessions *s, struct session_entry *e, uint64_t unix_s, const struct sweep_hooks *hooks,
    unsigned *asks)
{
	if (s->scattered)
		session_free(s, e);
	else if (hooks != NULL && hooks->ask != NULL && e->asked == 0) {
		if (++*asks > ASKS_A_SWEEP)
			return;
		e->asked = unix_s;
		hooks->ask(hooks->arg, e->body);
	} else if (e->asked == 0 || unix_s - e->asked >= SESSION_ASK_S) {
		uint8_t body[SESSION_BODY];

		memcpy(body, e->body, SESSION_BODY);
		mark_ended(s, e);
		if (hooks != NULL)
			hooks->ended(hooks->arg, body);
	}
}

static void
sweep_owner(struct sessions *s, struct session_owner *o, uint64_t unix_s, const struct sweep_hooks *hooks,
    unsigned *asks)
{
	struct session_entry *e, *next;

	/* The owner is freed with its last session. */
	for (e = TAILQ_FIRST(&o->live); e != NULL && unix_s > e->used && unix_s - e->used >= s->idle_s; e = next) {
		next = TAILQ_NEXT(e, order);
		if (is_idle(s, e, unix_s))
			sweep_one(s, e, unix_s, hooks, asks);
		else
			use(e, unix_s);
	}
}

void
sessions_sweep(struct sessions *s, uint64_t unix_s, const struct sweep_hooks *hooks)
{
	struct session_owner *o, *next;
	unsigned asks = 0;

	for (o = LIST_FIRST(&s->owners); o != NULL; o = next) {
		next = LIST_NEXT(o, all);
		sweep_owner(s, o, unix_s, hooks, &asks);
	}
	ended_sweep(s->ended, unix_s);
}

bool
session_in_use(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s)
{
	struct session_entry *e = find_session(s, body);

	return e != NULL && !is_idle(s, e, unix_s);
}

void
session_used(struct sessions *s, const uint8_t body[SESSION_BODY], uint64_t unix_s)
{
	struct session_entry *e = find_session(s, body);

	if (e != NULL)
		use(e, unix_s);
}

size_t
sessions_known(const struct sessions *s)
{
	return s->nlive;
}
