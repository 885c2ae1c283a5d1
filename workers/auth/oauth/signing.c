#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/text/b64.h"
#include "base/json/json_put.h"
#include "base/json/json_write.h"
#include "base/system/log.h"
#include "policy/oauth_texts.h"
#include "policy/scopes.h"
#include "workers/auth/oauth/signing.h"
#include "workers/auth/store/store.h"

_Static_assert(STORE_SEALED == crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + SIGNING_SEED, "as it is kept");
_Static_assert(sizeof(((struct signing *)NULL)->secret) == crypto_sign_SECRETKEYBYTES, "libsodium's form");

/* The key id of a public key, its RFC 7638 thumbprint. */
static void
signing_thumbprint(const uint8_t public[32], char kid[STORE_KID + 1])
{
	uint8_t digest[crypto_hash_sha256_BYTES];
	struct buf text = BUF_MAX(128);

	json_put_object(&text, NULL);
	json_put_cstr(&text, "crv", "Ed25519");
	json_put_cstr(&text, "kty", "OKP");
	json_put_key(&text, "x");
	buf_byte(&text, '"');
	b64url_encode(&text, span_of(public, 32));
	buf_byte(&text, '"');
	json_end_object(&text);
	crypto_hash_sha256(digest, text.p, text.len);
	buf_reset(&text, SIZE_MAX);
	b64url_encode(&text, span_of(digest, sizeof(digest)));
	snprintf(kid, STORE_KID + 1, "%s", buf_cstr(&text));
	buf_fini(&text);
}

/*
 * Decrypt the seed of k and make the signing key.  False: it is encrypted under another project key, or the row
 * has another key's public half or id.
 */
static bool
signing_open(const struct store_key *k, const uint8_t seal[32], struct signing *out)
{
	uint8_t seed[SIGNING_SEED], public[crypto_sign_PUBLICKEYBYTES];
	bool good = crypto_secretbox_open_easy(seed, k->sealed + crypto_secretbox_NONCEBYTES,
			STORE_SEALED - crypto_secretbox_NONCEBYTES, k->sealed, seal) == 0;

	if (good) {
		crypto_sign_seed_keypair(public, out->secret, seed);
		signing_thumbprint(public, out->kid);
		good = sodium_memcmp(public, k->public, sizeof(public)) == 0 && strcmp(out->kid, k->kid) == 0;
	}
	sodium_memzero(seed, sizeof(seed));
	return good;
}

static int
signing_draw(struct store *s, const uint8_t seal[32], uint64_t now_ms, struct err *err)
{
	struct store_key k = { .created_ms = now_ms };
	uint8_t seed[SIGNING_SEED], secret[crypto_sign_SECRETKEYBYTES];

	randombytes_buf(seed, sizeof(seed));
	crypto_sign_seed_keypair(k.public, secret, seed);
	signing_thumbprint(k.public, k.kid);
	randombytes_buf(k.sealed, crypto_secretbox_NONCEBYTES);
	crypto_secretbox_easy(k.sealed + crypto_secretbox_NONCEBYTES, seed, sizeof(seed), k.sealed, seal);
	sodium_memzero(seed, sizeof(seed));
	sodium_memzero(secret, sizeof(secret));
	return store_key_add(s, &k, err);
}

int
signing_rotate(struct store *s, const uint8_t seal[32], uint64_t now_ms, uint64_t until_ms, struct err *err)
{
	return store_keys_retire(s, until_ms, err) != 0 ? -1 : signing_draw(s, seal, now_ms, err);
}

struct signing_look {
	const uint8_t	*seal;
	struct signing	*out;
	bool		 found, strange;
};

/* The store lists the current key first, if there is one. */
static bool
signing_take(void *arg, const struct store_key *k)
{
	struct signing_look *l = arg;

	if (k->until_ms == 0) {
		l->found = signing_open(k, l->seal, l->out);
		l->strange = !l->found;
	}
	return false;
}

static int
signing_look_up(struct signing_look *l, struct store *s, struct err *err)
{
	l->found = l->strange = false;
	sodium_memzero(l->out, sizeof(*l->out));
	return store_keys(s, signing_take, l, err);
}

/* Make a new key, unless another process has made one meanwhile. */
static int
signing_renew(struct signing_look *l, struct store *s, uint64_t now_ms, uint64_t until_ms, struct err *err)
{
	int result;

	if (store_begin(s, err) != 0)
		return -1;
	result = signing_look_up(l, s, err);
	if (result == 0 && l->strange)
		log_warn("the signing key in the state store was encrypted for another .carrel/signing.key: a new one "
			 "is drawn");
	if (result == 0 && !l->found)
		result = signing_rotate(s, l->seal, now_ms, until_ms, err);
	if (result == 0)
		result = store_commit(s, err);
	else
		store_rollback(s);
	return result == 0 ? signing_look_up(l, s, err) : -1;
}

int
signing_load(struct signing *k, struct store *s, const uint8_t seal[32], bool draw, uint64_t now_ms, uint64_t until_ms,
    struct err *err)
{
	struct signing now;
	struct signing_look l = { .seal = seal, .out = &now };
	int result = signing_look_up(&l, s, err);

	/* If the store fails, the loaded key stays. */
	if (result == 0 && !l.found && draw)
		result = signing_renew(&l, s, now_ms, until_ms, err);
	if (result == 0)
		*k = now;
	sodium_memzero(&now, sizeof(now));
	return result;
}

struct signing_list {
	struct buf	*out;
	const uint8_t	*seal;
	uint64_t	 now_ms;
	size_t		 n, strange;
};

static bool
signing_put(void *arg, const struct store_key *k)
{
	struct signing_list *l = arg;
	struct signing own;
	bool good;
	size_t map;

	if (k->until_ms != 0 && k->until_ms <= l->now_ms)
		return true;
	good = signing_open(k, l->seal, &own);
	sodium_memzero(&own, sizeof(own));
	if (!good) {
		l->strange++;
		return true;
	}
	map = mp_open_pairs(l->out, mp_cstr("kid", k->kid));
	mp_put_cstr(l->out, "x");
	mp_put_bin(l->out, span_of(k->public, sizeof(k->public)));
	mp_pair_uint(l->out, "until", k->until_ms);
	mp_end(l->out, map);
	return ++l->n < SIGNING_KEYS;
}

int
signing_put_keys(struct store *s, const uint8_t seal[32], uint64_t now_ms, struct buf *out, struct err *err)
{
	size_t mark = mp_open_array(out);
	struct signing_list l = { .out = out, .seal = seal, .now_ms = now_ms };
	int result = store_keys(s, signing_put, &l, err);

	mp_close(out, mark, l.n);
	if (l.strange > 0)
		log_warn("%zu of the signing keys in the state store were not made with this .carrel/signing.key, and "
			 "verify "
			 "nothing",
		    l.strange);
	return result;
}

static void
signing_sign(const struct signing *k, struct span text, uint8_t signature[SIGNING_BYTES])
{
	crypto_sign_detached(signature, NULL, text.p, text.len, k->secret);
}

static void
put_audience(struct buf *json, const struct access_claims *c)
{
	if (c->resource[0] != '\0') {
		json_put_cstr(json, "aud", c->resource);
		return;
	}
	json_put_list(json, "aud");
	for (size_t i = 0; i < OAUTH_RESOURCES; i++) {
		buf_str(json, i == 0 ? "\"" : ",\"");
		json_escape(json, span_str(c->issuer));
		buf_printf(json, "%s\"", oauth_resources[i]);
	}
	json_end_list(json);
}

static void
put_claims(struct buf *json, const struct access_claims *c)
{
	uint8_t raw[12];
	struct buf text = BUF_MAX(4096), id = BUF_MAX(32);

	randombytes_buf(raw, sizeof(raw));
	b64url_encode(&id, span_of(raw, sizeof(raw)));
	policy_scopes_text(c->scopes, &text);
	policy_named_text(c->named, &text);
	json_put_object(json, NULL);
	put_audience(json, c);
	json_put_cstr(json, "iss", c->issuer);
	json_put_cstr(json, "sub", c->user);
	json_put_cstr(json, "client_id", c->client);
	json_put_cstr(json, "scope", buf_cstr(&text));
	json_put_cstr(json, "sid", c->grant);
	json_put_cstr(json, "jti", buf_cstr(&id));
	json_put_uint(json, "iat", c->now_s);
	json_put_uint(json, "exp", c->now_s + c->ttl_s);
	json_end_object(json);
	buf_fini(&text);
	buf_fini(&id);
}

void
signing_access_token(const struct signing *k, const struct access_claims *claims, struct buf *out)
{
	struct buf json = BUF_MAX(16384);
	uint8_t signature[SIGNING_BYTES];
	size_t start = out->len;

	json_put_object(&json, NULL);
	json_put_cstr(&json, "alg", "EdDSA");
	json_put_cstr(&json, "typ", "at+jwt");
	json_put_cstr(&json, "kid", k->kid);
	json_end_object(&json);
	b64url_encode(out, buf_view(&json));
	buf_byte(out, '.');
	buf_reset(&json, SIZE_MAX);
	put_claims(&json, claims);
	b64url_encode(out, buf_view(&json));
	signing_sign(k, span_of(out->p + start, out->len - start), signature);
	buf_byte(out, '.');
	b64url_encode(out, span_of(signature, sizeof(signature)));
	buf_fini(&json);
}
