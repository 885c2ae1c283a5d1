// libs: carrel_jose
/* test_jose.c - tokens of other issuers: which are verified, by which key, and what their claims have to say. */
#include <stdio.h>
#include <stdlib.h>

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include "base/json/json_read.h"
#include "base/text/b64.h"
#include "tests/unit/harness.h"
#include "workers/jose/id_token.h"

#define CLAIMS(more)	"{\"iss\":\"https://id\",\"aud\":\"carrel\",\"sub\":\"1001\",\"nonce\":\"n\",\"iat\":1000," \
	"\"exp\":1300" more "}"
#define NOW	UINT64_C(1100)

static EVP_PKEY *rsa, *rsa_weak, *ec, *edwards;
static struct buf set_text, set_mp;	/* the key set of the three good keys, and the weak one */
static struct mp_value set;

static void
put_b64(struct buf *out, const char *member, const uint8_t *p, size_t n)
{
	buf_printf(out, ",\"%s\":\"", member);
	b64url_encode(out, span_of(p, n));
	buf_byte(out, '"');
}

static void
put_bn(struct buf *out, const char *member, EVP_PKEY *key, const char *name)
{
	BIGNUM *n = NULL;
	uint8_t raw[1024];

	assert_int_equal(EVP_PKEY_get_bn_param(key, name, &n), 1);
	put_b64(out, member, raw, (size_t)BN_bn2bin(n, raw));
	BN_free(n);
}

static void
put_rsa(struct buf *out, const char *kid, EVP_PKEY *key)
{
	buf_printf(out, "{\"kty\":\"RSA\",\"use\":\"sig\",\"kid\":\"%s\"", kid);
	put_bn(out, "n", key, OSSL_PKEY_PARAM_RSA_N);
	put_bn(out, "e", key, OSSL_PKEY_PARAM_RSA_E);
	buf_byte(out, '}');
}

static void
put_ec(struct buf *out, const char *kid, const char *more)
{
	uint8_t point[65];
	size_t n = 0;

	assert_int_equal(EVP_PKEY_get_octet_string_param(ec, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof(point), &n), 1);
	buf_printf(out, "{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"%s\"%s", kid, more);
	put_b64(out, "x", point + 1, 32);
	put_b64(out, "y", point + 33, 32);
	buf_byte(out, '}');
}

static void
put_edwards(struct buf *out, const char *kid)
{
	uint8_t x[32];
	size_t n = sizeof(x);

	assert_int_equal(EVP_PKEY_get_raw_public_key(edwards, x, &n), 1);
	buf_printf(out,
	    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"alg\":\"EdDSA\",\"key_ops\":[\"verify\"],\"kid\":\"%s\"", kid);
	put_b64(out, "x", x, 32);
	buf_byte(out, '}');
}

static void
read_set(struct buf *text, struct buf *mp, struct mp_value *out)
{
	size_t at;

	assert_int_equal(json_read(buf_view(text), mp, &at), JSON_OK);
	assert_true(mp_value(buf_view(mp), out));
}

static int
set_up(void **state)
{
	(void)state;
	rsa = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048);
	rsa_weak = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)1024);
	ec = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
	edwards = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	buf_str(&set_text, "{\"keys\":[");
	put_rsa(&set_text, "r", rsa);
	buf_byte(&set_text, ',');
	put_rsa(&set_text, "weak", rsa_weak);
	buf_byte(&set_text, ',');
	put_ec(&set_text, "e", "");
	buf_byte(&set_text, ',');
	put_ec(&set_text, "enc", ",\"use\":\"enc\"");
	buf_byte(&set_text, ',');
	put_ec(&set_text, "private", ",\"d\":\"AA\"");
	buf_byte(&set_text, ',');
	put_edwards(&set_text, "d");
	buf_str(&set_text, ",{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"off\",\"x\":\"");
	for (unsigned i = 0; i < 2; i++) {
		b64url_encode(&set_text,
		    span_of("\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1", 32));
		buf_str(&set_text, i == 0 ? "\",\"y\":\"" : "\"}");
	}
	buf_str(&set_text, ",{\"kty\":\"oct\",\"kid\":\"o\",\"k\":\"AAAA\"}]}");
	read_set(&set_text, &set_mp, &set);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	EVP_PKEY_free(rsa);
	EVP_PKEY_free(rsa_weak);
	EVP_PKEY_free(ec);
	EVP_PKEY_free(edwards);
	buf_fini(&set_text);
	buf_fini(&set_mp);
	return 0;
}

/* r and s of a DER signature, 32 bytes each. */
static size_t
halves_of(const uint8_t *der, size_t n, uint8_t out[64])
{
	ECDSA_SIG *s = d2i_ECDSA_SIG(NULL, &der, (long)n);

	assert_non_null(s);
	assert_int_equal(BN_bn2binpad(ECDSA_SIG_get0_r(s), out, 32), 32);
	assert_int_equal(BN_bn2binpad(ECDSA_SIG_get0_s(s), out + 32, 32), 32);
	ECDSA_SIG_free(s);
	return 64;
}

/* A token of this header and these claims, signed by key; the caller frees it. */
static char *
made(const char *header, const char *claims, EVP_PKEY *key)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	uint8_t raw[1024], halves[64];
	struct buf out = { .max = 0 };
	size_t n = sizeof(raw);
	char *text;

	b64url_encode(&out, span_str(header));
	buf_byte(&out, '.');
	b64url_encode(&out, span_str(claims));
	assert_int_equal(EVP_DigestSignInit(c, NULL, key == edwards ? NULL : EVP_sha256(), NULL, key), 1);
	assert_int_equal(EVP_DigestSign(c, raw, &n, out.p, out.len), 1);
	buf_byte(&out, '.');
	if (key == ec) {
		n = halves_of(raw, n, halves);
		b64url_encode(&out, span_of(halves, n));
	} else
		b64url_encode(&out, span_of(raw, n));
	EVP_MD_CTX_free(c);
	text = strdup(buf_cstr(&out));
	buf_fini(&out);
	return text;
}

/* What becomes of the text with this set. */
static enum sign_in
judged(const char *text, const struct mp_value *keys)
{
	struct jose t;
	enum sign_in reason = jose_read(span_str(text), &t);

	if (reason == SIGN_IN_DONE)
		reason = jose_verify(&t, keys);
	jose_fini(&t);
	return reason;
}

static void
each_algorithm_with_its_key(void **state)
{
	const struct {
		const char *header;
		EVP_PKEY *key;
		enum sign_in reason;
	} rows[] = {
		{ "{\"alg\":\"RS256\",\"kid\":\"r\",\"typ\":\"JWT\",\"x5t\":\"a\"}", rsa, SIGN_IN_DONE },
		{ "{\"alg\":\"ES256\",\"kid\":\"e\"}", ec, SIGN_IN_DONE },
		{ "{\"alg\":\"EdDSA\",\"kid\":\"d\"}", edwards, SIGN_IN_DONE },
		{ "{\"alg\":\"EdDSA\"}", edwards, SIGN_IN_DONE },  /* the only one that fits */
		{ "{\"alg\":\"RS256\"}", rsa, SIGN_IN_KEY_UNFIT }, /* two fit */
		{ "{\"alg\":\"RS256\",\"kid\":\"r\"}", rsa_weak, SIGN_IN_SIGNATURE },
		{ "{\"alg\":\"RS256\",\"kid\":\"weak\"}", rsa_weak, SIGN_IN_KEY_UNFIT },
		{ "{\"alg\":\"ES256\",\"kid\":\"enc\"}", ec, SIGN_IN_KEY_UNFIT },
		{ "{\"alg\":\"ES256\",\"kid\":\"private\"}", ec, SIGN_IN_KEY_UNFIT },
		{ "{\"alg\":\"ES256\",\"kid\":\"off\"}", ec, SIGN_IN_KEY_UNFIT }, /* no point of the curve */
		{ "{\"alg\":\"ES256\",\"kid\":\"r\"}", ec, SIGN_IN_KEY_UNFIT },
		{ "{\"alg\":\"RS256\",\"kid\":\"e\"}", rsa, SIGN_IN_KEY_UNFIT },
		{ "{\"alg\":\"RS256\",\"kid\":\"o\"}", rsa, SIGN_IN_KEY_UNFIT },
		{ "{\"alg\":\"EdDSA\",\"kid\":\"R\"}", edwards, SIGN_IN_KEY_UNKNOWN },
		{ "{\"alg\":\"none\",\"kid\":\"r\"}", rsa, SIGN_IN_ALGORITHM },
		{ "{\"alg\":\"HS256\",\"kid\":\"r\"}", rsa, SIGN_IN_ALGORITHM },
		{ "{\"alg\":\"rs256\",\"kid\":\"r\"}", rsa, SIGN_IN_ALGORITHM },
		{ "{\"alg\":\"RS512\",\"kid\":\"r\"}", rsa, SIGN_IN_ALGORITHM },
		{ "{\"alg\":[\"RS256\"],\"kid\":\"r\"}", rsa, SIGN_IN_ALGORITHM },
		{ "{\"kid\":\"r\"}", rsa, SIGN_IN_ALGORITHM },
		{ "{\"alg\":\"RS256\",\"kid\":7}", rsa, SIGN_IN_HEADER },
		{ "{\"alg\":\"RS256\",\"kid\":\"\"}", rsa, SIGN_IN_HEADER },
		{ "{\"alg\":\"RS256\",\"kid\":\"r\",\"crit\":[\"exp\"]}", rsa, SIGN_IN_HEADER },
		{ "{\"alg\":\"RS256\",\"kid\":\"r\",\"jwk\":{}}", rsa, SIGN_IN_HEADER },
		{ "{\"alg\":\"RS256\",\"kid\":\"r\",\"jku\":\"https://id/keys\"}", rsa, SIGN_IN_HEADER },
		{ "{\"alg\":\"RS256\",\"alg\":\"none\"}", rsa, SIGN_IN_FORM },
		{ "[]", rsa, SIGN_IN_FORM },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = made(rows[i].header, CLAIMS(""), rows[i].key);

		if (judged(text, &set) != rows[i].reason)
			fail_msg("%s: %s", rows[i].header, sign_in_code(judged(text, &set)));
		free(text);
	}
}

static void
what_is_altered_is_refused(void **state)
{
	static const char *const headers[] = { "{\"alg\":\"RS256\",\"kid\":\"r\"}", "{\"alg\":\"ES256\",\"kid\":\"e\"}",
		"{\"alg\":\"EdDSA\",\"kid\":\"d\"}" };
	EVP_PKEY *const keys[] = { rsa, ec, edwards };
	uint64_t seed = 7;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char *text = made(headers[i], CLAIMS(""), keys[i]);
		size_t n = strlen(text);

		for (unsigned turn = 0; turn < 100; turn++) {
			size_t at = test_random(&seed) % n;
			char was = text[at];

			text[at] = was == 'A' ? 'B' : 'A';
			assert_int_not_equal(judged(text, &set), SIGN_IN_DONE);
			text[at] = '\0';
			assert_int_not_equal(judged(text, &set), SIGN_IN_DONE);
			text[at] = was;
		}
		assert_int_equal(judged(text, &set), SIGN_IN_DONE);
		free(text);
	}
}

static void
sets_that_are_none(void **state)
{
	static const char *const texts[] = { "{}", "{\"keys\":7}", "{\"keys\":[]}", "{\"keys\":[7,\"r\",null]}",
		"{\"keys\":[{\"kid\":\"d\"}]}", "{\"keys\":[{\"kid\":\"d\",\"kty\":\"OKP\",\"crv\":\"Ed25519\"}]}",
		"{\"keys\":[{\"kid\":\"d\",\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AA\"}]}" };
	char *text = made("{\"alg\":\"EdDSA\",\"kid\":\"d\"}", CLAIMS(""), edwards);
	const struct mp_value nil = { .class = MP_NIL };

	(void)state;
	assert_int_equal(judged(text, &nil), SIGN_IN_KEY_UNKNOWN);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct buf from = { .max = 0 }, mp = { .max = 0 };
		struct mp_value keys;

		buf_str(&from, texts[i]);
		read_set(&from, &mp, &keys);
		assert_int_equal(judged(text, &keys), i < 4 ? SIGN_IN_KEY_UNKNOWN : SIGN_IN_KEY_UNFIT);
		buf_fini(&from);
		buf_fini(&mp);
	}
	free(text);
}

static enum sign_in
claims_judged(const char *claims, uint64_t now_s, struct id_token *out, struct buf *room)
{
	static const struct id_token_terms terms = { .issuer = SPAN("https://id"), .client = SPAN("carrel"),
		.nonce = SPAN("n"), .name_claim = SPAN("email"), .role_claim = SPAN("realm.roles") };
	struct mp_value map;
	size_t at;

	buf_reset(room, SIZE_MAX);
	assert_int_equal(json_read(span_str(claims), room, &at), JSON_OK);
	assert_true(mp_value(buf_view(room), &map));
	return id_token_check(&map, &terms, now_s, out);
}

static void
what_claims_have_to_say(void **state)
{
#define WITH(iss, aud, sub, nonce, times) "{\"iss\":" iss ",\"aud\":" aud ",\"sub\":" sub ",\"nonce\":" nonce times "}"
#define ID	"\"https://id\""
#define TIMES	",\"iat\":1000,\"exp\":1300"
	static const struct {
		const char *claims;
		enum sign_in reason;
	} rows[] = {
		{ CLAIMS(""), SIGN_IN_DONE },
		{ CLAIMS(",\"azp\":\"carrel\""), SIGN_IN_DONE },
		{ CLAIMS(",\"nbf\":1160"), SIGN_IN_DONE },
		{ WITH(ID, "[\"carrel\"]", "\"s\"", "\"n\"", TIMES), SIGN_IN_DONE },
		{ WITH(ID, "[\"a\",\"carrel\"]", "\"s\"", "\"n\"", TIMES ",\"azp\":\"carrel\""), SIGN_IN_DONE },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"n\"", ",\"iat\":1000.5,\"exp\":1300.25"), SIGN_IN_DONE },
		{ WITH("\"https://id/\"", "\"carrel\"", "\"s\"", "\"n\"", TIMES), SIGN_IN_ISSUER },
		{ WITH("7", "\"carrel\"", "\"s\"", "\"n\"", TIMES), SIGN_IN_ISSUER },
		{ WITH(ID, "\"carrels\"", "\"s\"", "\"n\"", TIMES), SIGN_IN_AUDIENCE },
		{ WITH(ID, "[]", "\"s\"", "\"n\"", TIMES), SIGN_IN_AUDIENCE },
		{ WITH(ID, "{\"carrel\":1}", "\"s\"", "\"n\"", TIMES), SIGN_IN_AUDIENCE },
		{ WITH(ID, "[\"carrel\",\"a\"]", "\"s\"", "\"n\"", TIMES), SIGN_IN_AUDIENCE },
		{ WITH(ID, "[\"a\",\"b\"]", "\"s\"", "\"n\"", TIMES ",\"azp\":\"carrel\""), SIGN_IN_AUDIENCE },
		{ CLAIMS(",\"azp\":\"another\""), SIGN_IN_AUDIENCE },
		{ CLAIMS(",\"azp\":null"), SIGN_IN_AUDIENCE },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"m\"", TIMES), SIGN_IN_NONCE },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"\"", TIMES), SIGN_IN_NONCE },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"n\"", ",\"iat\":1000,\"exp\":1040"), SIGN_IN_EXPIRED },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"n\"", ",\"iat\":400,\"exp\":9000"), SIGN_IN_EXPIRED },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"n\"", ",\"iat\":1161,\"exp\":9000"), SIGN_IN_EARLY },
		{ CLAIMS(",\"nbf\":1161"), SIGN_IN_EARLY },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"n\"", ",\"iat\":1000"), SIGN_IN_CLAIMS },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"n\"", ",\"exp\":1300"), SIGN_IN_CLAIMS },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"n\"", ",\"iat\":-1,\"exp\":1300"), SIGN_IN_CLAIMS },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"n\"", ",\"iat\":1000,\"exp\":1e300"), SIGN_IN_CLAIMS },
		{ WITH(ID, "\"carrel\"", "\"s\"", "\"n\"", ",\"iat\":1000,\"exp\":\"1300\""), SIGN_IN_CLAIMS },
		{ WITH(ID, "\"carrel\"", "\"\"", "\"n\"", TIMES), SIGN_IN_CLAIMS },
		{ WITH(ID, "\"carrel\"", "7", "\"n\"", TIMES), SIGN_IN_CLAIMS },
		{ "{}", SIGN_IN_ISSUER },
	};
	struct buf room = { .max = 0 };
	struct id_token out;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (claims_judged(rows[i].claims, NOW, &out, &room) != rows[i].reason)
			fail_msg("%s: %s", rows[i].claims,
			    sign_in_code(claims_judged(rows[i].claims, NOW, &out, &room)));
	assert_int_equal(claims_judged(CLAIMS(""), 1359, &out, &room), SIGN_IN_DONE);
	assert_int_equal(claims_judged(CLAIMS(""), 1360, &out, &room), SIGN_IN_EXPIRED);
	buf_fini(&room);
}

static void
names_and_groups(void **state)
{
	static const struct {
		const char *claims, *name;
		enum mp_class groups;
	} rows[] = {
		{ CLAIMS(",\"email\":\"a@b\",\"realm\":{\"roles\":[\"x\"]}"), "a@b", MP_ARRAY },
		{ CLAIMS(",\"email\":\"a@b\",\"email_verified\":true,\"realm\":{\"roles\":\"x\"}"), "a@b", MP_STR },
		{ CLAIMS(",\"email\":\"a@b\",\"email_verified\":\"true\""), "a@b", MP_NIL },
		{ CLAIMS(",\"email\":\"a@b\",\"email_verified\":false"), "", MP_NIL },
		{ CLAIMS(",\"email\":\"a@b\",\"email_verified\":\"false\""), "", MP_NIL },
		{ CLAIMS(",\"email\":7,\"realm\":[]"), "", MP_NIL },
		{ CLAIMS(",\"realm.roles\":[],\"realm\":7"), "", MP_ARRAY },
		{ CLAIMS(",\"realm\":{\"role\":\"x\"}"), "", MP_NIL },
	};
	struct buf room = { .max = 0 };
	struct id_token out;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(claims_judged(rows[i].claims, NOW, &out, &room), SIGN_IN_DONE);
		if (!span_is_str(out.name, rows[i].name) || out.groups.class != rows[i].groups)
			fail_msg("%s", rows[i].claims);
	}
	buf_fini(&room);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_algorithm_with_its_key),
		cmocka_unit_test(what_is_altered_is_refused),
		cmocka_unit_test(sets_that_are_none),
		cmocka_unit_test(what_claims_have_to_say),
		cmocka_unit_test(names_and_groups),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
