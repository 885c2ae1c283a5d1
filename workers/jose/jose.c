#include <string.h>

#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/json/compact_jws.h"
#include "base/text/b64.h"
#include "workers/jose/jose_key.h"

#define HEADER_MAX	4096u	/* bytes of JSON */
#define TIME_MAX	(UINT64_C(1) << 40)	/* Unix seconds */
#define SIGNATURE_MAX	1024u	/* of RSA with 8192 bits */
#define ES256_HALF	32u

/* Members of a header that would change what is verified, or with which key. */
static const char *const forbidden[] = { "crit", "b64", "jwk", "jku", "x5u", "zip", "enc", NULL };

/* "none" and the HS family are no row: with them a public key, or nothing, would do as the secret. */
static bool
read_algorithm(struct span name, enum jose_algorithm *out)
{
	for (unsigned i = 0; i < JOSE_ALGORITHMS; i++)
		if (span_is_str(name, jose_algorithm_name((enum jose_algorithm)i))) {
			*out = (enum jose_algorithm)i;
			return true;
		}
	return false;
}

static enum sign_in
take_header(struct span raw, struct jose *t)
{
	struct mp_value map, v;

	if (!mp_value(raw, &map) || map.class != MP_MAP)
		return SIGN_IN_FORM;
	for (size_t i = 0; forbidden[i] != NULL; i++)
		if (mp_get(&map, forbidden[i], &v))
			return SIGN_IN_HEADER;
	if (mp_get(&map, "kid", &v) && (v.class != MP_STR || v.s.len == 0))
		return SIGN_IN_HEADER;
	t->kid = mp_get_str(&map, "kid", SPAN(""));
	t->typ = mp_get_str(&map, "typ", SPAN(""));
	return read_algorithm(mp_get_str(&map, "alg", SPAN("")), &t->algorithm) ? SIGN_IN_DONE : SIGN_IN_ALGORITHM;
}

/* Decode the signature, which stays at the end of room. */
static bool
take_signature(struct span part, struct jose *t)
{
	size_t begin = t->room.len;

	if (!b64url_decode(&t->room, part) || t->room.full || t->room.len - begin > SIGNATURE_MAX)
		return false;
	t->signature = span_of(t->room.p + begin, t->room.len - begin);
	return true;
}

enum sign_in
jose_read(struct span text, struct jose *t)
{
	struct span part[COMPACT_PARTS], header, claims;
	enum sign_in reason;

	*t = (struct jose){ .room = BUF_MAX(3 * JOSE_TOKEN_MAX) };
	if (text.len > JOSE_TOKEN_MAX || !compact_split(text, part))
		return SIGN_IN_FORM;
	t->covered = span_of(text.p, part[0].len + 1 + part[1].len);
	buf_reserve(&t->room, t->room.max); /* once: spans into it stay */
	if (!compact_read(part[0], HEADER_MAX, &t->room, &header))
		return SIGN_IN_FORM;
	if ((reason = take_header(header, t)) != SIGN_IN_DONE)
		return reason;
	return compact_read(part[1], JOSE_TOKEN_MAX, &t->room, &claims) && mp_value(claims, &t->claims) &&
		t->claims.class == MP_MAP && take_signature(part[2], t) ?
	    SIGN_IN_DONE :
	    SIGN_IN_FORM;
}

void
jose_fini(struct jose *t)
{
	buf_wipe(&t->room);
}

/* The two halves of an ES256 signature (RFC 7518 3.4) as libcrypto has them; the length, 0: they are no signature. */
static size_t
ecdsa_form(struct span halves, uint8_t **out)
{
	ECDSA_SIG *s = ECDSA_SIG_new();
	BIGNUM *r, *v;
	int len = 0;

	if (s == NULL || halves.len != 2 * (size_t)ES256_HALF) {
		ECDSA_SIG_free(s);
		return 0;
	}
	r = BN_bin2bn(halves.p, ES256_HALF, NULL);
	v = BN_bin2bn(halves.p + ES256_HALF, ES256_HALF, NULL);
	if (r != NULL && v != NULL && ECDSA_SIG_set0(s, r, v) == 1)
		len = i2d_ECDSA_SIG(s, out);
	else {
		BN_free(r);
		BN_free(v);
	}
	ECDSA_SIG_free(s);
	return len > 0 ? (size_t)len : 0;
}

static bool
is_signed(const struct jose *t, EVP_PKEY *key)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	struct span signature = t->signature;
	uint8_t *der = NULL;
	bool good;

	if (t->algorithm == JOSE_ES256) {
		signature.len = ecdsa_form(t->signature, &der);
		signature.p = der;
	}
	good = c != NULL && signature.len > 0 &&
	    EVP_DigestVerifyInit(c, NULL, t->algorithm == JOSE_EDDSA ? NULL : EVP_sha256(), NULL, key) == 1 &&
	    EVP_DigestVerify(c, signature.p, signature.len, t->covered.p, t->covered.len) == 1;
	OPENSSL_free(der);
	EVP_MD_CTX_free(c);
	ERR_clear_error();
	return good;
}

/*
 * The key that verifies t.  DONE, KEY_UNKNOWN, or KEY_UNFIT: the named key is not of the algorithm's kind, or none is
 * named and several fit.
 */
static enum sign_in
choose_key(const struct jose *t, const struct mp_value *keys, struct mp_value *out)
{
	struct mp_iter it = mp_iter(keys);
	struct mp_value each;
	bool named = false;
	size_t n = 0;

	while (mp_next(&it, &each)) {
		if (each.class != MP_MAP || (t->kid.len > 0 && !span_is(mp_get_str(&each, "kid", SPAN("")), t->kid)))
			continue;
		named = true;
		if (!jose_key_fits(&each, t->algorithm))
			continue;
		*out = each;
		n++;
	}
	return n == 1 ? SIGN_IN_DONE : named && (n > 1 || t->kid.len > 0) ? SIGN_IN_KEY_UNFIT : SIGN_IN_KEY_UNKNOWN;
}

enum sign_in
jose_verify(const struct jose *t, const struct mp_value *set)
{
	struct mp_value keys, chosen;
	enum sign_in reason;
	EVP_PKEY *key;

	if (!mp_get(set, "keys", &keys) || keys.class != MP_ARRAY)
		return SIGN_IN_KEY_UNKNOWN;
	if (keys.n > JOSE_KEYS_MAX)
		return SIGN_IN_KEY_UNFIT;
	if ((reason = choose_key(t, &keys, &chosen)) != SIGN_IN_DONE)
		return reason;
	if ((key = jose_key(&chosen, t->algorithm)) == NULL) {
		ERR_clear_error();
		return SIGN_IN_KEY_UNFIT;
	}
	reason = is_signed(t, key) ? SIGN_IN_DONE : SIGN_IN_SIGNATURE;
	EVP_PKEY_free(key);
	return reason;
}

bool
jose_time(const struct mp_value *claims, const char *name, uint64_t *out)
{
	struct mp_value v;

	if (!mp_get(claims, name, &v) || (v.class != MP_UINT && v.class != MP_FLOAT) ||
	    !(mp_number(&v) >= 0 && mp_number(&v) < (double)TIME_MAX))
		return false;
	*out = v.class == MP_UINT ? v.u : (uint64_t)v.f;
	return true;
}

struct mp_value
jose_claim(const struct mp_value *claims, struct span name)
{
	struct mp_value v, at = *claims;
	const uint8_t *dot;

	if (mp_member(claims, name, &v))
		return v;
	for (; (dot = memchr(name.p, '.', name.len)) != NULL; at = v) {
		if (!mp_member(&at, span_of(name.p, (size_t)(dot - name.p)), &v) || v.class != MP_MAP)
			return (struct mp_value){ .class = MP_NIL };
		name = span_of(dot + 1, name.len - (size_t)(dot + 1 - name.p));
	}
	(void)mp_member(&at, name, &v);
	return v;
}

void
jose_warm(void)
{
	static const char *const names[] = { "RSA", "ECDSA", "ED25519" };

	EVP_MD_free(EVP_MD_fetch(NULL, "SHA256", NULL));
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		EVP_SIGNATURE_free(EVP_SIGNATURE_fetch(NULL, names[k], NULL));
		ERR_clear_error();
	}
}
