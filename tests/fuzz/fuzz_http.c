// libs: carrel_front
/*
 * fuzz_http.c - heads and chunked bodies, whole and in two pieces: the verdict
 * must not depend on how the bytes arrive.
 */
#include <stdlib.h>
#include <string.h>

#include "front/wire/http_parse.h"
#include "tests/fuzz/fuzz.h"

/* Memory of exactly that size, so that reading past the end is seen. */
static uint8_t *
exactly(const uint8_t *p, size_t n)
{
	uint8_t *q = malloc(n == 0 ? 1 : n);

	if (q == NULL)
		abort();
	memcpy(q, p, n);
	return q;
}

static int
scan_at(const uint8_t *data, size_t size, size_t cut)
{
	struct http_scan scan = { 0, 0 };
	uint8_t *first = exactly(data, cut), *all = exactly(data, size);
	int n = http_scan_head(&scan, span_of(first, cut));

	if (n == 0)
		n = http_scan_head(&scan, span_of(all, size));
	free(first);
	free(all);
	return n;
}

static int
unchunk(const uint8_t *data, size_t size, size_t cut, struct buf *out)
{
	struct http_chunked c = { 0 };
	size_t used, more = 0;
	int status = http_chunked_read(&c, span_of(data, cut), &used, out, 4096);

	if (used > cut)
		abort();
	if (status == 0)
		status = http_chunked_read(&c, span_of(data + used, size - used), &more, out, 4096);
	if (used + more > size || out->len > 4096)
		abort();
	return status;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf a = { .max = 0 }, b = { .max = 0 };
	size_t cut = size == 0 ? 0 : data[size - 1] % (size + 1);
	struct http_request q;
	int whole = scan_at(data, size, size), parts = scan_at(data, size, cut);

	/* A refusal may come earlier than the end of the first piece, and then for an earlier reason. */
	if (whole > 0 && parts > 0 && whole != parts)
		abort();
	if (whole > 0 && parts < 0)
		abort();
	if (whole > 0) {
		uint8_t *head = exactly(data, (size_t)whole);

		if (http_parse_head(span_of(head, (size_t)whole), &q) == 0 &&
		    (q.path.len == 0 || q.field[HTTP_HOST].p == NULL))
			abort();
		free(head);
	}
	if (unchunk(data, size, size, &a) == 1 &&
	    (unchunk(data, size, cut, &b) != 1 || !span_is(buf_view(&a), buf_view(&b))))
		abort();
	buf_fini(&a);
	buf_fini(&b);
	return 0;
}
