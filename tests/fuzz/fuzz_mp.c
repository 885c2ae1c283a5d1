// libs: carrel_base
/* fuzz_mp.c - bytes from a process that may be compromised: the scanner, the readers, the JSON writers. */
#include "base/json/json_write.h"
#include "base/mp.h"
#include "tests/fuzz/fuzz.h"

/* Visit everything; in scanned bytes the parts make up the whole. */
static void
walk(const struct mp_value *v, bool scanned, unsigned depth)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value child;
	size_t n = 0;

	if (depth > MP_DEPTH_MAX)
		return;
	while (mp_next(&it, &child)) {
		require(child.raw.p >= v->raw.p && child.raw.p + child.raw.len <= v->raw.p + v->raw.len);
		walk(&child, scanned, depth + 1);
		n++;
	}
	if (scanned && v->class == MP_ARRAY)
		require(n == v->n && it.p == it.end);
	if (scanned && v->class == MP_MAP)
		require(n == 2 * v->n && it.p == it.end);
	(void)mp_get(v, "k", &child);
	(void)mp_get_uint(v, "n", 0);
}

/* Write every value again, as short as we do; the JSON must be the same. */
static void
write_again(struct buf *out, const struct mp_value *v)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value child;

	switch (v->class) {
	case MP_BOOL:
		mp_put_bool(out, v->boolean);
		break;
	case MP_INT:
		mp_put_int(out, v->i);
		break;
	case MP_UINT:
		mp_put_uint(out, v->u);
		break;
	case MP_FLOAT:
		mp_put_double(out, v->f);
		break;
	case MP_STR:
		mp_put_str(out, v->s);
		break;
	case MP_BIN:
		mp_put_bin(out, v->s);
		break;
	case MP_ARRAY:
	case MP_MAP:
		v->class == MP_ARRAY ? mp_put_array(out, v->n) : mp_put_map(out, v->n);
		while (mp_next(&it, &child))
			write_again(out, &child);
		break;
	default:
		mp_put_nil(out);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span bytes = { data, size };
	struct buf json = BUF_MAX(0), again = BUF_MAX(0), json2 = BUF_MAX(0);
	bool scanned = mp_scan(bytes) == MP_OK;
	struct mp_value v;

	if (!mp_value(bytes, &v)) {
		require(!scanned);
		return 0;
	}
	walk(&v, scanned, 0);
	/* Unscanned bytes give some text; only their bounds matter. */
	json_write(&json, &v);
	json_write_cell(&json2, &v);
	if (scanned) {
		write_again(&again, &v);
		require(again.len <= size || v.class == MP_FLOAT || memchr(data, 0xca, size) != NULL);
		require(mp_scan(buf_view(&again)) == MP_OK);
		require(mp_value(buf_view(&again), &v));
		json2.len = 0;
		json_write(&json2, &v);
		require(span_is(buf_view(&json), buf_view(&json2)));
	}
	buf_fini(&json);
	buf_fini(&again);
	buf_fini(&json2);
	return 0;
}
