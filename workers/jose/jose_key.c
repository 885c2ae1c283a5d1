#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "base/text/b64.h"
#include "workers/jose/jose_key.h"

#define RSA_BYTES_MIN	256u	/* 2048 bits: RFC 7518 3.3 */
#define RSA_BYTES_MAX	1024u
#define EXPONENT_MAX	8u	/* bytes */
#define COORDINATE	32u	/* of P-256 and Ed25519 */

/* The key that an algorithm takes. */
static const struct {
	const char *name, *type, *curve;
} algorithms[JOSE_ALGORITHMS] = {
	[JOSE_RS256] = { "RS256", "RSA", NULL },
	[JOSE_ES256] = { "ES256", "EC", "P-256" },
	[JOSE_EDDSA] = { "EdDSA", "OKP", "Ed25519" },
};

const char *
jose_algorithm_name(enum jose_algorithm algorithm)
{
	return algorithms[algorithm].name;
}

bool
jose_key_fits(const struct mp_value *key, enum jose_algorithm algorithm)
{
	const char *curve = algorithms[algorithm].curve;

	return span_is_str(mp_get_str(key, "kty", SPAN("")), algorithms[algorithm].type) &&
	    (curve == NULL || span_is_str(mp_get_str(key, "crv", SPAN("")), curve));
}

/* The member, if there, is this text. */
static bool
says_only(const struct mp_value *key, const char *member, const char *value)
{
	struct mp_value v;

	return !mp_get(key, member, &v) || (v.class == MP_STR && span_is_str(v.s, value));
}

static bool
may_verify(const struct mp_value *key)
{
	struct mp_value ops, each;
	struct mp_iter it;

	if (!mp_get(key, "key_ops", &ops))
		return true;
	for (it = mp_iter(&ops); ops.class == MP_ARRAY && mp_next(&it, &each);)
		if (each.class == MP_STR && span_is_str(each.s, "verify"))
			return true;
	return false;
}

/* Whether the key is public and may be used so.  A private key that was published is known to everybody. */
static bool
is_usable(const struct mp_value *key, enum jose_algorithm algorithm)
{
	struct mp_value v;

	return jose_key_fits(key, algorithm) && says_only(key, "use", "sig") &&
	    says_only(key, "alg", algorithms[algorithm].name) && may_verify(key) && !mp_get(key, "d", &v) &&
	    !mp_get(key, "k", &v);
}

/* Decode a member of min to max bytes and append it to out. */
static bool
read_number(const struct mp_value *key, const char *member, size_t min, size_t max, struct buf *out)
{
	size_t begin = out->len;

	return b64url_decode(out, mp_get_str(key, member, SPAN(""))) && out->len - begin >= min &&
	    out->len - begin <= max;
}

static EVP_PKEY *
make_key(const char *type, OSSL_PARAM_BLD *build)
{
	EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
	OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
	EVP_PKEY *made = NULL;

	if (c == NULL || params == NULL || EVP_PKEY_fromdata_init(c) != 1 ||
	    EVP_PKEY_fromdata(c, &made, EVP_PKEY_PUBLIC_KEY, params) != 1)
		made = NULL;
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(c);
	return made;
}

static EVP_PKEY *
rsa_key(const struct mp_value *key)
{
	struct buf n = BUF_MAX(2 * RSA_BYTES_MAX), e = BUF_MAX(RSA_BYTES_MAX);
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	BIGNUM *modulus = NULL, *exponent = NULL;
	EVP_PKEY *made = NULL;

	if (build != NULL && read_number(key, "n", RSA_BYTES_MIN, RSA_BYTES_MAX, &n) &&
	    read_number(key, "e", 1, EXPONENT_MAX, &e) && (n.p[0] & 0x80) != 0 && (n.p[n.len - 1] & 1) != 0 &&
	    (e.p[e.len - 1] & 1) != 0 && (e.len > 1 || e.p[0] > 1)) {
		modulus = BN_bin2bn(n.p, (int)n.len, NULL);
		exponent = BN_bin2bn(e.p, (int)e.len, NULL);
		if (modulus != NULL && exponent != NULL &&
		    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
		    OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
			made = make_key("RSA", build);
	}
	OSSL_PARAM_BLD_free(build);
	BN_free(modulus);
	BN_free(exponent);
	buf_fini(&n);
	buf_fini(&e);
	return made;
}

static EVP_PKEY *
ec_key(const struct mp_value *key)
{
	struct buf point = BUF_MAX(4 * COORDINATE);
	OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
	EVP_PKEY *made = NULL;

	buf_byte(&point, 4); /* uncompressed */
	if (build != NULL && read_number(key, "x", COORDINATE, COORDINATE, &point) &&
	    read_number(key, "y", COORDINATE, COORDINATE, &point) &&
	    OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
	    OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point.p, point.len) == 1)
		made = make_key("EC", build);
	OSSL_PARAM_BLD_free(build);
	buf_fini(&point);
	return made;
}

static EVP_PKEY *
edwards_key(const struct mp_value *key)
{
	struct buf x = BUF_MAX(2 * COORDINATE);
	EVP_PKEY *made = NULL;

	if (read_number(key, "x", COORDINATE, COORDINATE, &x))
		made = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, x.p, x.len);
	buf_fini(&x);
	return made;
}

EVP_PKEY *
jose_key(const struct mp_value *key, enum jose_algorithm algorithm)
{
	static EVP_PKEY *(*const make[JOSE_ALGORITHMS])(const struct mp_value *key) = {
		[JOSE_RS256] = rsa_key, [JOSE_ES256] = ec_key, [JOSE_EDDSA] = edwards_key,
	};

	return is_usable(key, algorithm) ? make[algorithm](key) : NULL;
}
