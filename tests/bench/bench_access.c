/* bench_access.c - what an access token that is not remembered costs the front before it asks, for one core. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/text/b64.h"
#include "base/system/clock.h"
#include "front/who/access_token.h"
#include "front/front.h"
#include "front/who/oauth_issuer.h"

#define ISSUER	"http://127.0.0.1:7878"
#define ROUNDS	2000u
#define RUNS	9
#define MOST_NS	15000.0	/* beside the signature, which costs what it costs on the machine */

static struct front f;

static void
make_token(const uint8_t secret[crypto_sign_SECRETKEYBYTES], struct buf *out)
{
	uint8_t signature[crypto_sign_BYTES];
	struct buf json = { 0 };
	unsigned long long now = clock_unix_ms() / 1000;

	b64url_encode(out, SPAN("{\"alg\":\"EdDSA\",\"typ\":\"at+jwt\",\"kid\":\"a-key\"}"));
	buf_byte(out, '.');
	buf_printf(&json,
	    "{\"aud\":\"" ISSUER "/mcp\",\"iss\":\"" ISSUER "\",\"sub\":\"ada\",\"client_id\":\"0123456789abcdef\","
	    "\"scope\":\"research:read "
	    "research:query\",\"sid\":\"0123456789abcdef\",\"jti\":\"x\",\"iat\":%llu,\"exp\":%llu}",
	    now, now + 900);
	b64url_encode(out, buf_view(&json));
	crypto_sign_detached(signature, NULL, out->p, out->len, secret);
	buf_byte(out, '.');
	b64url_encode(out, span_of(signature, sizeof(signature)));
	buf_fini(&json);
}

static double
judge_all(struct span token)
{
	static const char *const paths[] = { "/mcp", NULL };
	struct verify_subject subject;
	uint64_t since = clock_ns();
	struct buf room = { 0 };

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct jws t = { 0 };

		buf_reset(&room, SIZE_MAX);
		if (access_token_judge(&f, token, SPAN(ISSUER), paths, &t, &room, &subject) != ACCESS_TOKEN_SOUND)
			abort();
		jws_fini(&t);
	}
	buf_fini(&room);
	return (double)(clock_ns() - since) / ROUNDS;
}

/* The signature alone, of as many bytes. */
static double
check_all(const uint8_t *public, const uint8_t *secret, struct span text)
{
	uint8_t signature[crypto_sign_BYTES];
	uint64_t since;

	crypto_sign_detached(signature, NULL, text.p, text.len, secret);
	since = clock_ns();
	for (unsigned i = 0; i < ROUNDS; i++)
		if (crypto_sign_verify_detached(signature, text.p, text.len, public) != 0)
			abort();
	return (double)(clock_ns() - since) / ROUNDS;
}

int
main(void)
{
	uint8_t public[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES], key[32] = { 1 };
	struct ipc_configure_front conf = { .oauth = 1, .signing_key = { key, sizeof(key) } };
	struct buf keys = { 0 }, token = { 0 };
	double best = 1e9, alone = 1e9;

	if (sodium_init() < 0)
		return 1;
	crypto_sign_keypair(public, secret);
	f.oauth = oauth_new(&conf);
	mp_put_array(&keys, 1);
	mp_put_map(&keys, 3);
	mp_pair_cstr(&keys, "kid", "a-key");
	mp_put_cstr(&keys, "x");
	mp_put_bin(&keys, span_of(public, sizeof(public)));
	mp_pair_uint(&keys, "until", 0);
	if (!oauth_take_keys(&f, &(struct ipc_keys){ .keys = buf_view(&keys) }))
		abort();
	make_token(secret, &token);
	for (unsigned i = 0; i < RUNS; i++) {
		double ns = judge_all(buf_view(&token));

		if (ns < best)
			best = ns;
		ns = check_all(public, secret, buf_view(&token));
		if (ns < alone)
			alone = ns;
	}
	printf("an access token judged by the front: %.1f us, of which its signature %.1f us\n", best / 1000,
	    alone / 1000);
	buf_fini(&keys);
	buf_fini(&token);
	oauth_free(f.oauth);
	return best <= alone + MOST_NS ? 0 : 1;
}
