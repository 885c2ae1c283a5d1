// libs: carrel_base
/* fuzz_json.c - whatever a stranger sends: refused, or a value that survives writing and reading again. */
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/json/json_walk.h"
#include "tests/fuzz/fuzz.h"

/* Numbers may change their form once (1e2 is written as 100), the text of a value not. */
static void
write_and_read(const struct buf *mp)
{
	struct buf text = BUF_MAX(0), mp2 = BUF_MAX(0), text2 = BUF_MAX(0);
	struct mp_value v;
	size_t at;

	require(mp_value(buf_view(mp), &v));
	json_write(&text, &v);
	require(json_read(buf_view(&text), &mp2, &at) == JSON_OK);
	require(mp_scan(buf_view(&mp2)) == MP_OK);
	require(mp_value(buf_view(&mp2), &v));
	json_write(&text2, &v);
	require(span_is(buf_view(&text), buf_view(&text2)));
	buf_fini(&text);
	buf_fini(&mp2);
	buf_fini(&text2);
}

/* The escaped text as a JSON string reads back as the text. */
static void
escape_and_read(struct span s)
{
	struct buf text = BUF_MAX(0), mp = BUF_MAX(0);
	struct mp_value v;
	size_t at;

	json_write_string(&text, s);
	require(json_read(buf_view(&text), &mp, &at) == JSON_OK);
	require(mp_value(buf_view(&mp), &v) && v.class == MP_STR && span_is(v.s, s));
	buf_fini(&text);
	buf_fini(&mp);
}

/* What json_read() takes, a walk passes; the strict one takes nothing that json_read() finds no JSON. */
static void
walk_and_compare(struct span text, enum json_fault fault)
{
	for (int strict = 0; strict <= 1; strict++) {
		struct json_walk w = { .text = text, .strict = strict == 1 };
		bool passed;

		json_walk_space(&w);
		json_walk_value(&w);
		json_walk_space(&w);
		require(w.at <= text.len);
		passed = !w.bad && w.at == text.len;
		require(passed || fault != JSON_OK);
		require(!passed || strict == 0 || fault == JSON_OK || fault == JSON_TOO_DEEP ||
		    fault == JSON_DUPLICATE_KEY || fault == JSON_TOO_LARGE);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf mp = BUF_MAX(0), small = BUF_MAX(100);
	enum json_fault fault;
	size_t at = SIZE_MAX;

	fault = json_read(span_of(data, size), &mp, &at);
	require(at <= size);
	walk_and_compare(span_of(data, size), fault);
	if (fault == JSON_OK) {
		require(mp_scan(buf_view(&mp)) == MP_OK);
		require(mp.len <= 5 * size + 5);
		write_and_read(&mp);
		/* Accepted text holds no NUL, so it may stand in a string. */
		escape_and_read(span_of(data, size));
	} else
		require(mp.len == 0);
	/* A ceiling may refuse, it may not change the answer otherwise. */
	if (json_read(span_of(data, size), &small, &at) == JSON_OK)
		require(fault == JSON_OK && span_is(buf_view(&small), buf_view(&mp)));
	else
		require(small.len == 0);
	buf_fini(&mp);
	buf_fini(&small);
	return 0;
}
