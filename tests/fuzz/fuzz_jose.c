// libs: carrel_jose
/* fuzz_jose.c - any bytes: a token and a key set, parted by a line's end; nothing that is not signed is verified. */
#include <stdlib.h>
#include <string.h>

#include "base/json/json_read.h"
#include "tests/fuzz/fuzz.h"
#include "workers/jose/id_token.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct id_token_terms terms = { .issuer = SPAN("https://id"), .client = SPAN("carrel"),
		.nonce = SPAN("n"), .name_claim = SPAN("email"), .role_claim = SPAN("a.b") };
	const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
	size_t n = end == NULL ? size : (size_t)(end - data), at;
	struct buf keys = BUF_MAX(1u << 20);
	struct mp_value set;
	struct id_token id;
	struct jose t;

	if (jose_read(span_of(data, n), &t) == SIGN_IN_DONE) {
		if (t.claims.class != MP_MAP || t.covered.len >= n || t.algorithm >= JOSE_ALGORITHMS)
			abort();
		(void)id_token_check(&t.claims, &terms, 1100, &id);
		if (end != NULL && json_read(span_of(end + 1, size - n - 1), &keys, &at) == JSON_OK &&
		    mp_value(buf_view(&keys), &set))
			(void)jose_verify(&t, &set);
	}
	jose_fini(&t);
	buf_fini(&keys);
	return 0;
}
