#include "workers/auth/oauth/provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/text/b64.h"
#include "base/text/percent.h"
#include "workers/auth/oauth/events.h"
#include "workers/auth/oauth/member.h"
#include "workers/auth/worker.h"
#include "workers/shared/serve.h"

#define PATIENCE_NS	(UINT64_C(20) * CLOCK_SECOND)	/* of one step; the front waits for thirty seconds in all */
#define STATE_RANDOM	16u
#define STATE_MAC	16u
#define STATE_BYTES	(STATE_RANDOM + 8u + STATE_MAC)
#define DERIVED		(43 + 1)	/* 32 bytes in base64url, and a NUL */
#define NIL		SPAN("\xc0")	/* as msgpack */

/* A browser that waits for a step: to depart, or, once it came back, to be signed in. */
struct journey {
	TAILQ_ENTRY(journey)	 entry;
	uint64_t		 peer, id, due_ns;
	uint64_t		 serial;	/* of its step; 0: it waits for the provider's configuration */
	uint64_t		 generation;	/* of the keys that its step was given */
	unsigned		 type;		/* DEPART or ARRIVE */
	struct buf		 request;	/* that, packed: it contains a code */
	struct login		*login;		/* of ARRIVE */
};

struct provider {
	TAILQ_HEAD(, journey)	 journeys;
	unsigned		 n;
	uint64_t		 last_serial;
	uint64_t		 discovering;	/* serial of the step; 0: none */
	uint64_t		 due_ns;	/* of that step */
	uint64_t		 known_ms;	/* until then the configuration is good; 0: it is not known */
	uint64_t		 failed_ms;	/* until then it is not asked for again */
	char			*authorization;
	bool			 says_issuer;
	struct buf		 keys;		/* msgpack; empty: none */
	uint64_t		 keys_ms;	/* until then they are good */
	uint64_t		 fetched_ms;	/* when they were fetched */
	uint64_t		 generation;	/* incremented with each key set */
	struct tally		*departed;	/* by address */
};

struct provider *
provider_new(const struct auth *a)
{
	struct provider *p;

	if (a->conf.oidc_issuer[0] == '\0')
		return NULL;
	p = mem_new(1, sizeof(*p));
	TAILQ_INIT(&p->journeys);
	p->departed = tally_new(60, a->conf.authorize_per_min);
	return p;
}

/* Ages are measured by a clock that is not set: a corrected date neither ends nor keeps a key. */
static uint64_t
provider_age_ms(void)
{
	return clock_boot_ns() / CLOCK_MS;
}

/* What is not answered yet is left without an answer: the caller has answered, or the process ends. */
static void
journey_free(struct provider *p, struct journey *j)
{
	TAILQ_REMOVE(&p->journeys, j, entry);
	p->n--;
	buf_wipe(&j->request);
	free(j);
}

void
provider_free(struct provider *p)
{
	struct journey *j;

	if (p == NULL)
		return;
	while ((j = TAILQ_FIRST(&p->journeys)) != NULL) {
		free(j->login);
		journey_free(p, j);
	}
	free(p->authorization);
	buf_fini(&p->keys);
	tally_free(p->departed);
	free(p);
}

/* 32 bytes that follow from purpose, state and browser under the key of what is sealed, in base64url. */
static void
derive(const struct auth *a, const char *purpose, struct span state, struct span visitor, char out[DERIVED])
{
	struct buf text = BUF_MAX(DERIVED);
	crypto_generichash_state h;
	uint8_t raw[32];

	crypto_generichash_init(&h, a->conf.seal_key, AUTH_KEY, sizeof(raw));
	/* With their NUL: no two purposes or states begin alike. */
	crypto_generichash_update(&h, (const uint8_t *)purpose, strlen(purpose) + 1);
	crypto_generichash_update(&h, state.p, state.len);
	crypto_generichash_update(&h, (const uint8_t *)"", 1);
	crypto_generichash_update(&h, visitor.p, visitor.len);
	crypto_generichash_final(&h, raw, sizeof(raw));
	b64url_encode(&text, span_of(raw, sizeof(raw)));
	snprintf(out, DERIVED, "%s", buf_cstr(&text));
	sodium_memzero(raw, sizeof(raw));
	sodium_memzero(&h, sizeof(h));
	buf_wipe(&text);
}

/* The MAC at the end of a state: of what is before it, the browser and the origin that it begins at. */
static void
put_mac(const struct auth *a, const uint8_t *raw, struct span visitor, struct span origin, uint8_t out[STATE_MAC])
{
	struct buf text = { 0 };

	buf_str(&text, "oidc state");
	buf_append(&text, raw, STATE_RANDOM + 8);
	buf_printf(&text, "%zu ", visitor.len);
	buf_span(&text, visitor);
	buf_span(&text, origin);
	crypto_generichash(out, STATE_MAC, text.p, text.len, a->conf.seal_key, AUTH_KEY);
	buf_wipe(&text);
}

static void
make_state(const struct auth *a, uint64_t now_ms, const struct ipc_depart *m, struct buf *out)
{
	uint8_t raw[STATE_BYTES];

	randombytes_buf(raw, STATE_RANDOM);
	for (unsigned i = 0; i < 8; i++)
		raw[STATE_RANDOM + i] = (uint8_t)(now_ms >> (8 * i));
	put_mac(a, raw, m->visitor, m->issuer, raw + STATE_RANDOM + 8);
	b64url_encode(out, span_of(raw, sizeof(raw)));
}

/*
 * Whether the browser brought back a state of its own that is good (DONE); if so, it is used from now on, on whichever
 * node.  -1 with *err: the store cannot tell.
 */
static int
take_state(struct auth *a, uint64_t now_ms, const struct ipc_arrive *m, struct err *err)
{
	struct buf raw = BUF_MAX(2 * STATE_BYTES);
	uint8_t mac[STATE_MAC], digest[STORE_DIGEST];
	int reason = SIGN_IN_STATE, taken;
	uint64_t made_ms = 0;

	if (m->visitor.len == 0 || !b64url_decode(&raw, m->state) || raw.len != STATE_BYTES)
		goto out;
	put_mac(a, raw.p, m->visitor, m->issuer, mac);
	if (sodium_memcmp(mac, raw.p + STATE_RANDOM + 8, STATE_MAC) != 0)
		goto out;
	for (unsigned i = 0; i < 8; i++)
		made_ms |= (uint64_t)raw.p[STATE_RANDOM + i] << (8 * i);
	if (made_ms > now_ms || now_ms - made_ms > PROVIDER_STATE_MS)
		reason = SIGN_IN_STATE_OLD;
	else {
		oauth_digest(m->state, digest);
		taken = store_nonce_take(a->store, digest, made_ms + 2 * PROVIDER_STATE_MS, err);
		reason = taken < 0 ? -1 : taken == 0 ? SIGN_IN_STATE_USED : SIGN_IN_DONE;
	}
out:
	buf_fini(&raw);
	return reason;
}

/* The path after our origin that the provider sends browsers back to. */
static void
put_redirect(struct span origin, struct buf *out)
{
	buf_span(out, origin);
	buf_str(out, OAUTH_ARRIVAL);
}

static void
put_parameter(struct buf *url, const char *name, struct span value)
{
	buf_printf(url, "%c%s=", memchr(url->p, '?', url->len) != NULL ? '&' : '?', name);
	percent_put(url, value, percent_is_unreserved);
}

static void
say_departed(uint64_t peer, uint64_t id, enum ipc_oauth outcome, const char *message, unsigned wait_s,
    struct span url)
{
	struct ipc_departed out = { .outcome = outcome, .message = span_str(message), .retry_after_s = wait_s,
		.url = url };

	(void)serve_send(peer, IPC_MSG_DEPARTED, id, &out);
}

static void
depart_now(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_depart *m)
{
	struct buf url = { 0 }, state = { 0 }, redirect = { 0 }, challenge = { 0 };
	char verifier[DERIVED], nonce[DERIVED];
	uint8_t hash[crypto_hash_sha256_BYTES];

	make_state(a, store_now_ms(a->store), m, &state);
	derive(a, "oidc verifier", buf_view(&state), m->visitor, verifier);
	derive(a, "oidc nonce", buf_view(&state), m->visitor, nonce);
	crypto_hash_sha256(hash, (const uint8_t *)verifier, strlen(verifier));
	b64url_encode(&challenge, span_of(hash, sizeof(hash)));
	put_redirect(m->issuer, &redirect);
	buf_str(&url, a->provider->authorization);
	put_parameter(&url, "response_type", SPAN("code"));
	put_parameter(&url, "client_id", span_str(a->conf.oidc_client));
	put_parameter(&url, "redirect_uri", buf_view(&redirect));
	put_parameter(&url, "scope", span_str(a->conf.oidc_scopes));
	put_parameter(&url, "state", buf_view(&state));
	put_parameter(&url, "nonce", span_str(nonce));
	put_parameter(&url, "code_challenge", buf_view(&challenge));
	put_parameter(&url, "code_challenge_method", SPAN("S256"));
	say_departed(peer, id, IPC_OAUTH_DONE, "", 0, buf_view(&url));
	sodium_memzero(verifier, sizeof(verifier));
	buf_fini(&url);
	buf_fini(&state);
	buf_fini(&redirect);
	buf_fini(&challenge);
}

/* Order a step; the serial, 0: it cannot be ordered. */
static uint64_t
order_step(struct provider *p, struct ipc_identify *m)
{
	m->serial = ++p->last_serial;
	if (m->keys.len == 0)
		m->keys = NIL;
	return serve_identify(m) == 0 ? m->serial : 0;
}

static void
journey_end(struct auth *a, struct journey *j, enum sign_in reason)
{
	if (j->type == IPC_MSG_DEPART)
		say_departed(j->peer, j->id, IPC_OAUTH_UNAVAILABLE, sign_in_sentence(reason), 0, SPAN(""));
	else
		member_refuse(a, j->login, reason);
	journey_free(a->provider, j);
}

/* What its browser asked. */
static bool
journey_request(const struct journey *j, union ipc_any *m)
{
	return ipc_unpack_any(j->type, IPC_FRONT, IPC_AUTH, buf_view(&j->request), m) == IPC_OK;
}

/* The issuer that the answer names is checked before the code leaves (RFC 9207 2.4). */
static bool
is_from_provider(const struct auth *a, const struct ipc_arrive *m)
{
	return m->iss.len == 0 ? !a->provider->says_issuer : span_is_str(m->iss, a->conf.oidc_issuer);
}

/* Have the code exchanged, or the key set fetched to verify token (empty: the code is exchanged). */
static void
take_next_step(struct auth *a, struct journey *j, struct span token)
{
	struct provider *p = a->provider;
	struct buf redirect = { 0 };
	char verifier[DERIVED], nonce[DERIVED];
	struct ipc_identify order = { .step = token.len > 0 ? IPC_STEP_KEYS : IPC_STEP_EXCHANGE, .token = token };
	union ipc_any m;

	if (!journey_request(j, &m) || !is_from_provider(a, &m.arrive)) {
		journey_end(a, j, SIGN_IN_MIX_UP);
		return;
	}
	if (m.arrive.error.len > 0 || m.arrive.code.len == 0) {
		journey_end(a, j, SIGN_IN_DENIED);
		return;
	}
	derive(a, "oidc verifier", m.arrive.state, m.arrive.visitor, verifier);
	derive(a, "oidc nonce", m.arrive.state, m.arrive.visitor, nonce);
	put_redirect(m.arrive.issuer, &redirect);
	order.nonce = span_str(nonce);
	if (token.len == 0) {
		order.code = m.arrive.code;
		order.verifier = span_str(verifier);
		order.redirect_uri = buf_view(&redirect);
		order.keys = p->keys_ms > provider_age_ms() ? buf_view(&p->keys) : SPAN("");
	}
	j->generation = p->generation;
	j->due_ns = clock_ns() + PATIENCE_NS;
	if ((j->serial = order_step(p, &order)) == 0)
		journey_end(a, j, SIGN_IN_LOST);
	sodium_memzero(verifier, sizeof(verifier));
	buf_fini(&redirect);
}

/* The provider's configuration is known. */
static void
journey_go_on(struct auth *a, struct journey *j)
{
	union ipc_any m;

	if (j->type == IPC_MSG_ARRIVE)
		take_next_step(a, j, SPAN(""));
	else if (journey_request(j, &m)) {
		depart_now(a, j->peer, j->id, &m.depart);
		journey_free(a->provider, j);
	}
}

/* Go on with all that wait for the configuration, or end them. */
static void
resume_all(struct auth *a, enum sign_in reason)
{
	struct journey *j, *next;

	for (j = TAILQ_FIRST(&a->provider->journeys); j != NULL; j = next) {
		next = TAILQ_NEXT(j, entry);
		if (j->serial == 0 && reason == SIGN_IN_DONE)
			journey_go_on(a, j);
		else if (j->serial == 0)
			journey_end(a, j, reason);
	}
}

static void
discover(struct auth *a)
{
	struct provider *p = a->provider;

	if (p->discovering != 0)
		return;
	p->due_ns = clock_ns() + PATIENCE_NS;
	if (p->failed_ms > provider_age_ms())
		resume_all(a, SIGN_IN_PROVIDER);
	else if ((p->discovering = order_step(p, &(struct ipc_identify){ .step = IPC_STEP_DISCOVER })) == 0)
		resume_all(a, SIGN_IN_LOST);
}

/* The browser's request waits for the configuration of the provider, or goes on at once. */
static void
journey_begin(struct auth *a, uint64_t peer, uint64_t id, unsigned type, const void *m, struct login *login)
{
	struct provider *p = a->provider;
	struct journey *j = mem_new(1, sizeof(*j));

	*j = (struct journey){ .peer = peer, .id = id, .type = type, .login = login };
	(void)ipc_pack(type, m, &j->request);
	TAILQ_INSERT_TAIL(&p->journeys, j, entry);
	p->n++;
	if (p->n > PROVIDER_PENDING)
		journey_end(a, j, SIGN_IN_LOST);
	else if (p->known_ms > provider_age_ms())
		journey_go_on(a, j);
	else
		discover(a);
}

void
provider_depart(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_depart *m)
{
	struct event e = { "depart", m->address, SPAN(""), a->conf.authorize_per_min, 60, NULL };
	uint64_t now_ns = clock_ns();
	struct err err;
	int wait;

	if (a->provider == NULL || !oauth_issuer_fine(m->issuer, a->conf.public_url, a->conf.port))
		say_departed(peer, id, IPC_OAUTH_UNAVAILABLE, "users do not sign in elsewhere", 0, SPAN(""));
	else {
		e.tally = a->provider->departed;
		if ((wait = events_take(a, &e, now_ns, &err)) == 0)
			journey_begin(a, peer, id, IPC_MSG_DEPART, m, NULL);
		else if (wait > 0)
			say_departed(peer, id, IPC_OAUTH_TOO_MANY,
			    "too many sign-ins are begun from this address; wait", (unsigned)wait, SPAN(""));
		else
			say_departed(peer, id, IPC_OAUTH_UNAVAILABLE,
			    "the server cannot decide this now; try again in a moment", 0, SPAN(""));
	}
}

void
provider_arrive(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_arrive *m)
{
	struct login *l = login_new(peer, id, SPAN(""), m->address, m->receipt);
	struct err err;
	int reason;

	auth_text(l->session, sizeof(l->session), m->session.len == OAUTH_SECRET ? m->session : SPAN(""));
	if (a->provider == NULL || !oauth_issuer_fine(m->issuer, a->conf.public_url, a->conf.port))
		login_say(l, IPC_OAUTH_UNAVAILABLE, "users do not sign in elsewhere", 0);
	else if ((reason = take_state(a, store_now_ms(a->store), m, &err)) < 0)
		login_unavailable(a, l, &err);
	else if (reason != SIGN_IN_DONE)
		member_refuse(a, l, (enum sign_in)reason);
	else
		journey_begin(a, peer, id, IPC_MSG_ARRIVE, m, l);
}

static void
keep_configuration(struct auth *a, const struct ipc_identified *m)
{
	struct provider *p = a->provider;
	uint64_t now_ms = provider_age_ms();

	p->discovering = 0;
	if (m->outcome != SIGN_IN_DONE) {
		p->failed_ms = now_ms + PROVIDER_FAILED_MS;
		resume_all(a, (enum sign_in)m->outcome);
		return;
	}
	free(p->authorization);
	p->authorization = mem_text(m->authorization);
	p->says_issuer = m->says_issuer != 0;
	p->known_ms = now_ms + m->keep_s * 1000;
	resume_all(a, SIGN_IN_DONE);
}

static void
keep_keys(struct provider *p, const struct ipc_identified *m)
{
	struct mp_value keys;

	if (!mp_value(m->keys, &keys) || keys.class != MP_MAP)
		return;
	buf_reset(&p->keys, SIZE_MAX);
	buf_span(&p->keys, m->keys);
	p->fetched_ms = provider_age_ms();
	p->keys_ms = p->fetched_ms + m->keep_s * 1000;
	p->generation++;
}

/* A key that is not known may be new; but not each token that names one has the key set fetched. */
static bool
may_fetch_keys(const struct provider *p, const struct journey *j)
{
	return j->generation != p->generation || p->fetched_ms == 0 ||
	    provider_age_ms() - p->fetched_ms >= PROVIDER_KEYS_MS || p->keys_ms <= provider_age_ms();
}

/* NULL: the step was given up after its deadline. */
static struct journey *
journey_of(struct provider *p, uint64_t serial)
{
	struct journey *j;

	TAILQ_FOREACH(j, &p->journeys, entry)
		if (j->serial == serial)
			return j;
	return NULL;
}

void
provider_take(struct auth *a, const struct ipc_identified *m)
{
	struct provider *p = a->provider;
	struct login *l;
	struct journey *j;

	if (p == NULL || m->outcome >= SIGN_INS)
		return;
	if (m->reason.len > 0)
		log_warn("sign-in at %s: %.*s", a->conf.oidc_issuer, SPAN_FMT(m->reason));
	if (m->serial == p->discovering) {
		keep_configuration(a, m);
		return;
	}
	keep_keys(p, m);
	if ((j = journey_of(p, m->serial)) == NULL)
		return;
	if (m->outcome == SIGN_IN_KEY_UNKNOWN && m->token.len > 0 && may_fetch_keys(p, j))
		take_next_step(a, j, m->token);
	else if (m->outcome != SIGN_IN_DONE)
		journey_end(a, j, (enum sign_in)m->outcome);
	else {
		l = j->login;
		journey_free(p, j);
		member_sign_in(a, l, m);
	}
}

void
provider_tend(struct auth *a, uint64_t now_ns)
{
	struct provider *p = a->provider;
	struct journey *j, *next;

	if (p == NULL)
		return;
	if (p->discovering != 0 && p->due_ns <= now_ns)
		keep_configuration(a, &(struct ipc_identified){ .outcome = SIGN_IN_LOST });
	for (j = TAILQ_FIRST(&p->journeys); j != NULL; j = next) {
		next = TAILQ_NEXT(j, entry);
		if (j->serial != 0 && j->due_ns <= now_ns)
			journey_end(a, j, SIGN_IN_LOST);
	}
}
