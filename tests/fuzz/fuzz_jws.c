// libs: carrel_front
/* fuzz_jws.c - any bytes: a token whose texts are in it, or a refusal; and none that a key signed which did not. */
#include <stdlib.h>

#include "base/utf8.h"
#include "front/wire/jws.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nobodys[JWS_KEY] = { 9 };
	struct jws t;

	if (jws_read(span_of(data, size), &t) == JWS_OK) {
		if (!jws_is_meant(span_of(data, size)) || t.covered.len >= size || t.kid.len == 0 || t.grant.len == 0 ||
		    !utf8_valid(t.client.p, t.client.len) || jws_is_signed_by(&t, nobodys))
			abort();
		jws_is_for(&t, SPAN("https://h/mcp"));
	}
	jws_fini(&t);
	return 0;
}
