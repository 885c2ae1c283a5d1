// libs: carrel_search carrel_base
/* fuzz_uri.c - any bytes: a resource whose URI reads back as the same one, or a refusal. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "workers/search/library/uri.h"

static void
check(struct span s)
{
	if (!utf8_valid(s.p, s.len) || (s.len > 0 && memchr(s.p, 0, s.len) != NULL))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf scratch = { .max = 0 }, text = { .max = 0 }, again = { .max = 0 };
	struct uri u, same;

	if (uri_read("carrel", span_of(data, size), &scratch, &u)) {
		require((u.name.len == 0) == (u.kind == URI_ONTOLOGIES));
		require((u.connection.len == 0) == (u.kind == URI_WIKI || u.kind == URI_ONTOLOGIES));
		check(u.connection);
		check(u.name);
		uri_put("carrel", &u, &text);
		if (!uri_read("carrel", buf_view(&text), &again, &same) || same.kind != u.kind ||
		    !span_is(same.connection, u.connection) || !span_is(same.name, u.name))
			abort();
	}
	buf_fini(&scratch);
	buf_fini(&text);
	buf_fini(&again);
	return 0;
}
