// libs: carrel_front
/* test_jws.c - which texts are access tokens; forged and altered ones are not. */
#include "front/wire/jws.h"
#include "tests/unit/jws_made.h"

#define WHO	"\"iss\":\"i\",\"aud\":\"a\",\"sub\":\"s\",\"client_id\":\"c\""
#define TIMES	"\"scope\":\"\",\"iat\":1,\"exp\":2,\"sid\":\"g\"}"

#define CLAIMS(more)	"{\"iss\":\"https://h\",\"aud\":\"https://h/mcp\",\"sub\":\"ada\",\"client_id\":\"c1\"," \
	"\"scope\":\"research:read\",\"iat\":1000,\"exp\":2000,\"jti\":\"j\",\"sid\":\"g1\"" more "}"

static enum jws_fault
fault_of(const char *text)
{
	struct jws t;
	enum jws_fault fault = jws_read(span_str(text), &t);

	jws_fini(&t);
	return fault;
}

static void
what_is_read(void **state)
{
	uint8_t public[32], secret[64];
	struct jws t;

	(void)state;
	jws_pair(1, public, secret);
	assert_int_equal(jws_read(span_str(jws_made(JWS_HEADER_GOOD, CLAIMS(), 1)), &t), JWS_OK);
	assert_true(span_is_str(t.kid, "key-1") && span_is_str(t.issuer, "https://h"));
	assert_true(span_is_str(t.subject, "ada") && span_is_str(t.client, "c1"));
	assert_true(span_is_str(t.grant, "g1") && span_is_str(t.scope, "research:read"));
	assert_true(t.issued == 1000 && t.expires == 2000 && t.not_before == 0);
	assert_true(jws_is_for(&t, SPAN("https://h/mcp")));
	assert_false(jws_is_for(&t, SPAN("https://h/mcp/")));
	assert_false(jws_is_for(&t, SPAN("https://h")));
	assert_true(jws_is_signed_by(&t, public));
	jws_pair(2, public, secret);
	assert_false(jws_is_signed_by(&t, public));
	jws_fini(&t);
}

static void
an_audience_can_be_several(void **state)
{
	struct jws t;

	(void)state;
	assert_int_equal(
	    jws_read(span_str(jws_made(JWS_HEADER_GOOD,
			 "{\"iss\":\"i\",\"aud\":[\"a\",\"b\"],\"sub\":\"s\",\"client_id\":\"c\",\"scope\":\"\","
			 "\"iat\":1,\"exp\":2,\"sid\":\"g\",\"nbf\":7}",
			 1)),
		&t),
	    JWS_OK);
	assert_true(jws_is_for(&t, SPAN("a")) && jws_is_for(&t, SPAN("b")) && !jws_is_for(&t, SPAN("c")));
	assert_int_equal(t.not_before, 7);
	jws_fini(&t);
}

static void
headers(void **state)
{
	static const char *const wrong[] = {
		"{\"alg\":\"none\",\"typ\":\"at+jwt\",\"kid\":\"k\"}",
		"{\"alg\":\"HS256\",\"typ\":\"at+jwt\",\"kid\":\"k\"}",
		"{\"alg\":\"Ed25519\",\"typ\":\"at+jwt\",\"kid\":\"k\"}",
		"{\"alg\":\"eddsa\",\"typ\":\"at+jwt\",\"kid\":\"k\"}",
		"{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"k\"}",
		"{\"alg\":\"EdDSA\",\"typ\":\"AT+JWT\",\"kid\":\"k\"}",
		"{\"alg\":\"EdDSA\",\"kid\":\"k\"}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\"}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"\"}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":7}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k\",\"crit\":[\"exp\"]}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k\",\"jwk\":{\"kty\":\"OKP\"}}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k\",\"jku\":\"https://evil/\"}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k\",\"x5u\":\"https://evil/\"}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k\",\"cty\":\"x\"}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"zip\":\"DEF\"}",
		"[]",
		"\"EdDSA\"",
	};
	static const char *const no_json[] = {
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k\",\"kid\":\"l\"}",
		"{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"k\"} x",
		"{",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(fault_of(jws_made(wrong[i], CLAIMS(), 1)), JWS_HEADER);
	for (size_t i = 0; i < sizeof(no_json) / sizeof(no_json[0]); i++)
		assert_int_equal(fault_of(jws_made(no_json[i], CLAIMS(), 1)), JWS_FORM);
}

static void
claims(void **state)
{
	static const char *const wrong[] = {
		"[]", "{}",
		"{\"iss\":7,\"aud\":\"a\",\"sub\":\"s\",\"client_id\":\"c\"," TIMES,
		"{\"iss\":\"i\",\"aud\":7,\"sub\":\"s\",\"client_id\":\"c\"," TIMES,
		"{\"iss\":\"i\",\"aud\":[7],\"sub\":\"s\",\"client_id\":\"c\"," TIMES,
		"{" WHO ",\"scope\":\"\",\"iat\":1,\"exp\":2}",
		"{" WHO ",\"iat\":1,\"exp\":2,\"sid\":\"g\"}",
		"{" WHO ",\"scope\":\"\",\"exp\":2,\"sid\":\"g\"}",
		"{" WHO ",\"scope\":\"\",\"iat\":1,\"sid\":\"g\"}",
		"{" WHO ",\"scope\":\"\",\"iat\":1,\"exp\":-2,\"sid\":\"g\"}",
		"{" WHO ",\"scope\":\"\",\"iat\":1,\"exp\":2.5,\"sid\":\"g\"}",
		"{" WHO ",\"scope\":\"\",\"iat\":1,"
		"\"exp\":9223372036854775807,\"sid\":\"g\"}",
		"{" WHO ",\"scope\":\"\",\"iat\":1,\"exp\":\"2\",\"sid\":\"g\"}",
		"{" WHO ",\"scope\":\"\",\"iat\":1,\"exp\":2,\"sid\":\"g\","
		"\"nbf\":\"soon\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(fault_of(jws_made(JWS_HEADER_GOOD, wrong[i], 1)), JWS_CLAIMS);
	assert_int_equal(fault_of(jws_made(JWS_HEADER_GOOD, CLAIMS(",\"more\":{\"a\":[1.5,null]}"), 1)), JWS_OK);
}

static void
forms(void **state)
{
	char text[16384], good[2048];
	char *dot;

	(void)state;
	snprintf(good, sizeof(good), "%s", jws_made(JWS_HEADER_GOOD, CLAIMS(), 1));
	assert_int_equal(fault_of(""), JWS_FORM);
	assert_int_equal(fault_of("a.b"), JWS_FORM);
	assert_int_equal(fault_of("..."), JWS_FORM);
	assert_int_equal(fault_of("a.b.c.d"), JWS_FORM);
	snprintf(text, sizeof(text), "%s.", good);
	assert_int_equal(fault_of(text), JWS_FORM);
	snprintf(text, sizeof(text), "%s=", good); /* padding */
	assert_int_equal(fault_of(text), JWS_FORM);
	snprintf(text, sizeof(text), "%s\n", good);
	assert_int_equal(fault_of(text), JWS_FORM);
	/* without a signature */
	snprintf(text, sizeof(text), "%s", good);
	dot = strrchr(text, '.');
	dot[1] = '\0';
	assert_int_equal(fault_of(text), JWS_FORM);
	*dot = '\0';
	assert_int_equal(fault_of(text), JWS_FORM);
	/* another signature of the same bytes: the last character has bits that are not used */
	snprintf(text, sizeof(text), "%s", good);
	text[strlen(text) - 1] = text[strlen(text) - 1] == 'A' ? 'B' : (char)(text[strlen(text) - 1] + 1);
	assert_int_equal(fault_of(text), JWS_FORM);
	/* the other alphabet of base64 */
	memset(text, '+', 86);
	text[86] = '\0';
	assert_int_equal(fault_of(text), JWS_FORM);
	memset(text, 'a', JWS_MAX + 1);
	text[JWS_MAX + 1] = '\0';
	assert_int_equal(fault_of(text), JWS_FORM);
	assert_true(jws_is_meant(span_str(good)));
	assert_false(jws_is_meant(SPAN("crlmcp_aaaaaaaa_0123")));
}

/* No byte of header or claims can be another one. */
static void
every_byte_is_signed(void **state)
{
	uint8_t public[32], secret[64];
	char text[2048];
	size_t end;

	(void)state;
	jws_pair(1, public, secret);
	snprintf(text, sizeof(text), "%s", jws_made(JWS_HEADER_GOOD, CLAIMS(), 1));
	end = (size_t)(strrchr(text, '.') - text);
	for (size_t i = 0; i < end; i++) {
		char was = text[i];
		struct jws t;

		text[i] = was == 'x' ? 'y' : 'x';
		assert_false(jws_read(span_str(text), &t) == JWS_OK && jws_is_signed_by(&t, public));
		jws_fini(&t);
		text[i] = was;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read),
		cmocka_unit_test(an_audience_can_be_several),
		cmocka_unit_test(headers),
		cmocka_unit_test(claims),
		cmocka_unit_test(forms),
		cmocka_unit_test(every_byte_is_signed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
