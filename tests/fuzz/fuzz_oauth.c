// libs: carrel_policy carrel_base
/* fuzz_oauth.c - any bytes: a redirect that leads where it says, or a refusal. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/oauth_texts.h"
#include "policy/scopes.h"
#include "tests/fuzz/fuzz.h"

#define ISSUER	"https://h.example"

/* A redirect goes into a header and a browser: nothing in it may end the one or mislead the other. */
static void
check_redirect(struct span uri)
{
	for (size_t i = 0; i < uri.len; i++)
		if (uri.p[i] <= ' ' || uri.p[i] >= 0x7f || uri.p[i] == '#' || uri.p[i] == '\\')
			abort();
	if (!oauth_redirect_same(uri, uri))
		abort();
	if (oauth_redirect_loopback(uri) && !span_begins(uri, "http://"))
		abort();
	if (span_begins(uri, "javascript:") || span_begins(uri, "data:"))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t packed[] = "\x92\xa6"
					"cursor\xaa"
					"javascript";
	struct span text = span_of(data, size), half = span_of(data, size / 2),
		    rest = span_of(data + size / 2, size - size / 2);
	struct mp_value schemes;
	const char *part;
	bool any;

	if (!mp_value(span_of(packed, sizeof(packed) - 1), &schemes))
		abort();
	if (oauth_redirect_fine(text, &schemes))
		check_redirect(text);
	/* What is the same as a good one is a good one. */
	if (oauth_redirect_fine(half, &schemes) && oauth_redirect_same(half, rest) &&
	    !oauth_redirect_fine(rest, &schemes))
		abort();
	if ((oauth_scopes(text, &any) & ~(uint32_t)POLICY_SCOPES_ALL) != 0)
		abort();
	if (oauth_resource(SPAN(ISSUER), text, &part) && size > strlen(ISSUER) + strlen(part) + 1)
		abort();
	(void)oauth_has_word(half, rest);
	(void)oauth_issuer_fine(text, "", 7878);
	if (oauth_challenge_fine(text) && size != OAUTH_CHALLENGE)
		abort();
	if (oauth_verifier_fine(text) && (size < OAUTH_VERIFIER_MIN || size > OAUTH_VERIFIER_MAX))
		abort();
	if (oauth_user_fine(text) && size > 64)
		abort();
	return 0;
}
