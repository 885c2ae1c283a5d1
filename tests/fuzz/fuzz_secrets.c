// libs: carrel_policy carrel_base
/* fuzz_secrets.c - any bytes: what is hidden once stays hidden, and what was appended to is kept. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "policy/secrets.h"
#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf out = { .max = 0 };
	bool hidden;

	buf_str(&out, "before");
	hidden = policy_secrets_hide(span_of(data, size), SPAN("s3cret-w0rd"), &out);
	if (hidden != (out.len > 6) || memcmp(out.p, "before", 6) != 0)
		abort();
	if (hidden && memmem(out.p, out.len, "s3cret-w0rd", 11) != NULL)
		abort();
	buf_fini(&out);
	return 0;
}
