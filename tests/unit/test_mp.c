// libs: carrel_base PkgConfig::MSGPACK
/* test_mp.c - our msgpack against the library's, and every way bytes are refused. */
#include <msgpack.h>

#include "base/mp.h"
#include "tests/unit/harness.h"

static enum mp_fault
scan(const void *p, size_t n)
{
	/* A block of exactly n bytes, so that a sanitizer sees a look too far. */
	uint8_t *copy = malloc(n > 0 ? n : 1);
	enum mp_fault fault;

	assert_non_null(copy);
	if (n > 0)
		memcpy(copy, p, n);
	fault = mp_scan(span_of(copy, n));
	free(copy);
	return fault;
}

#define SCAN(literal)	scan(literal, sizeof(literal) - 1)

/* --- against msgpack-c ---------------------------------------------------- */

static int
append(void *b, const char *p, size_t n)
{
	buf_append(b, p, n);
	return 0;
}

/* One random value, written by both.  Sizes cross every head's boundary. */
static void
put_both(struct buf *ours, msgpack_packer *theirs, uint64_t *seed, unsigned depth)
{
	static const size_t sizes[] = { 0, 1, 15, 16, 31, 32, 255, 256, 300, 65535, 65536 };
	static char text[65536];
	uint64_t r = test_random(seed), v = test_random(seed) >> test_random(seed) % 64;
	size_t n = sizes[test_random(seed) % (depth == 0 ? 11 : 9)];
	double d;

	if (text[0] == '\0')
		memset(text, 'x', sizeof(text));
	switch (r % (depth < 3 ? 9 : 7)) {
	case 0:
		mp_put_nil(ours);
		msgpack_pack_nil(theirs);
		break;
	case 1:
		mp_put_bool(ours, v & 1);
		v & 1 ? msgpack_pack_true(theirs) : msgpack_pack_false(theirs);
		break;
	case 2:
		mp_put_uint(ours, v);
		msgpack_pack_uint64(theirs, v);
		break;
	case 3:
		mp_put_int(ours, (int64_t)(0 - v));
		msgpack_pack_int64(theirs, (int64_t)(0 - v));
		break;
	case 4:
		memcpy(&d, &v, sizeof(d));
		mp_put_double(ours, d);
		msgpack_pack_double(theirs, d);
		break;
	case 5:
		mp_put_str(ours, span_of(text, n));
		msgpack_pack_str(theirs, n);
		msgpack_pack_str_body(theirs, text, n);
		break;
	case 6:
		mp_put_bin(ours, span_of(text, n));
		msgpack_pack_bin(theirs, n);
		msgpack_pack_bin_body(theirs, text, n);
		break;
	case 7:
		n = n > 300 ? 300 : depth > 0 && n > 16 ? 3 : n;
		mp_put_array(ours, n);
		msgpack_pack_array(theirs, n);
		for (size_t i = 0; i < n; i++)
			put_both(ours, theirs, seed, depth + 1);
		break;
	default:
		n = n > 300 ? 300 : depth > 0 && n > 16 ? 3 : n;
		mp_put_map(ours, n);
		msgpack_pack_map(theirs, n);
		for (size_t i = 0; i < n; i++) {
			mp_put_str(ours, span_of(text, i % 40));
			msgpack_pack_str(theirs, i % 40);
			msgpack_pack_str_body(theirs, text, i % 40);
			put_both(ours, theirs, seed, depth + 1);
		}
		break;
	}
}

/* What the readers see is what the library's object says. */
static void
compare(const struct mp_value *v, const msgpack_object *o)
{
	struct mp_iter it = mp_iter(v);
	struct mp_value child;
	struct span key;

	switch (o->type) {
	case MSGPACK_OBJECT_NIL:
		assert_int_equal(v->class, MP_NIL);
		break;
	case MSGPACK_OBJECT_BOOLEAN:
		assert_int_equal(v->class, MP_BOOL);
		assert_int_equal(v->boolean, o->via.boolean);
		break;
	case MSGPACK_OBJECT_POSITIVE_INTEGER:
		assert_int_equal(v->class, MP_UINT);
		assert_true(v->u == o->via.u64);
		break;
	case MSGPACK_OBJECT_NEGATIVE_INTEGER:
		assert_int_equal(v->class, MP_INT);
		assert_true(v->i == o->via.i64);
		break;
	case MSGPACK_OBJECT_FLOAT32:
	case MSGPACK_OBJECT_FLOAT64:
		assert_int_equal(v->class, MP_FLOAT);
		assert_memory_equal(&v->f, &o->via.f64, sizeof(v->f));
		break;
	case MSGPACK_OBJECT_STR:
		assert_int_equal(v->class, MP_STR);
		assert_true(span_is(v->s, span_of(o->via.str.ptr, o->via.str.size)));
		break;
	case MSGPACK_OBJECT_BIN:
		assert_int_equal(v->class, MP_BIN);
		assert_true(span_is(v->s, span_of(o->via.bin.ptr, o->via.bin.size)));
		break;
	case MSGPACK_OBJECT_ARRAY:
		assert_int_equal(v->class, MP_ARRAY);
		assert_int_equal(v->n, o->via.array.size);
		for (size_t i = 0; i < v->n; i++) {
			assert_true(mp_next(&it, &child));
			compare(&child, &o->via.array.ptr[i]);
		}
		assert_false(mp_next(&it, &child));
		break;
	case MSGPACK_OBJECT_MAP:
		assert_int_equal(v->class, MP_MAP);
		assert_int_equal(v->n, o->via.map.size);
		for (size_t i = 0; i < v->n; i++) {
			const msgpack_object *k = &o->via.map.ptr[i].key;

			assert_true(mp_next_pair(&it, &key, &child));
			assert_true(span_is(key, span_of(k->via.str.ptr, k->via.str.size)));
			compare(&child, &o->via.map.ptr[i].val);
		}
		assert_false(mp_next_pair(&it, &key, &child));
		break;
	default:
		fail_msg("unexpected type %d", (int)o->type);
	}
}

static void
same_bytes_as_the_library(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < 400; i++) {
		struct buf ours = BUF_MAX(0), theirs = BUF_MAX(0);
		msgpack_packer pk;
		msgpack_unpacked un;
		struct mp_value v;
		size_t off = 0;

		msgpack_packer_init(&pk, &theirs, append);
		put_both(&ours, &pk, &seed, 0);
		assert_int_equal(ours.len, theirs.len);
		assert_memory_equal(ours.p, theirs.p, ours.len);

		assert_int_equal(mp_scan(buf_view(&ours)), MP_OK);
		assert_true(mp_value(buf_view(&ours), &v));
		assert_true(span_is(v.raw, buf_view(&ours)));
		msgpack_unpacked_init(&un);
		assert_int_equal(msgpack_unpack_next(&un, (const char *)ours.p, ours.len, &off),
		    MSGPACK_UNPACK_SUCCESS);
		compare(&v, &un.data);
		msgpack_unpacked_destroy(&un);
		buf_fini(&ours);
		buf_fini(&theirs);
	}
}

/* What the library can write and we would write shorter is read all the same. */
static void
longer_forms(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		enum mp_class class;
		int64_t n;
	} rows[] = {
		{ "\xcc\x05", 2, MP_UINT, 5 },
		{ "\xcd\x00\x05", 3, MP_UINT, 5 },
		{ "\xce\x00\x00\x00\x05", 5, MP_UINT, 5 },
		{ "\xcf\0\0\0\0\0\0\0\x05", 9, MP_UINT, 5 },
		{ "\xd0\x05", 2, MP_UINT, 5 },
		{ "\xd0\xff", 2, MP_INT, -1 },
		{ "\xd1\x00\x05", 3, MP_UINT, 5 },
		{ "\xd1\xff\xff", 3, MP_INT, -1 },
		{ "\xd2\xff\xff\xff\xff", 5, MP_INT, -1 },
		{ "\xd2\x7f\xff\xff\xff", 5, MP_UINT, INT32_MAX },
		{ "\xd3\xff\xff\xff\xff\xff\xff\xff\xff", 9, MP_INT, -1 },
		{ "\xd3\x80\0\0\0\0\0\0\0", 9, MP_INT, INT64_MIN },
		{ "\xd2\x80\0\0\0", 5, MP_INT, INT32_MIN },
		{ "\xe0", 1, MP_INT, -32 },
	};
	struct mp_value v;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(scan(rows[i].bytes, rows[i].len), MP_OK);
		assert_true(mp_value(span_of(rows[i].bytes, rows[i].len), &v));
		assert_int_equal(v.class, rows[i].class);
		assert_true(v.i == rows[i].n);
	}
	assert_true(mp_value(SPAN("\xca\x3f\xc0\x00\x00"), &v));
	assert_int_equal(v.class, MP_FLOAT);
	assert_true(v.f == 1.5);
	assert_true(mp_value(SPAN("\xdb\0\0\0\x02hi"), &v));
	assert_true(span_is_str(v.s, "hi"));
}

/* --- the scanner ----------------------------------------------------------- */

static void
refuses_truncated(void **state)
{
	struct buf b = BUF_MAX(0);

	(void)state;
	assert_int_equal(SCAN(""), MP_TRUNCATED);
	mp_put_array(&b, 9);
	mp_put_uint(&b, UINT64_MAX);
	mp_put_int(&b, INT64_MIN);
	mp_put_double(&b, 0.5);
	mp_put_str(&b, SPAN("some text that needs a two-byte head"));
	mp_put_bin(&b, SPAN("bytes"));
	mp_put_map(&b, 1);
	mp_put_cstr(&b, "key");
	mp_put_nil(&b);
	mp_put_bool(&b, true);
	mp_put_cstr(&b, NULL);
	mp_put_array(&b, 0);
	assert_int_equal(scan(b.p, b.len), MP_OK);
	/* Every prefix is refused as what it is, and no look goes beyond it. */
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(scan(b.p, n), MP_TRUNCATED);
	buf_fini(&b);
}

static void
refuses_promises(void **state)
{
	(void)state;
	assert_int_equal(SCAN("\xdd\xff\xff\xff\xff"), MP_TRUNCATED);
	assert_int_equal(SCAN("\xdf\xff\xff\xff\xff"), MP_TRUNCATED);
	assert_int_equal(SCAN("\x93\x01\x02"), MP_TRUNCATED);
	assert_int_equal(SCAN("\xdb\xff\xff\xff\xff"
			      "abc"),
	    MP_TRUNCATED);
	assert_int_equal(SCAN("\xc6\x00\x00\x00\x04"
			      "abc"),
	    MP_TRUNCATED);
	/* Each level is plausible alone, together they promise more than is there. */
	assert_int_equal(SCAN("\x93\x93\x93\x01\x02\x03"), MP_TRUNCATED);
}

static void
refuses_trailing(void **state)
{
	(void)state;
	assert_int_equal(SCAN("\xc0\xc0"), MP_TRAILING);
	assert_int_equal(SCAN("\x91\x01\x02"), MP_TRAILING);
	assert_int_equal(SCAN("\x90\x00"), MP_TRAILING);
}

static void
refuses_too_deep(void **state)
{
	uint8_t deep[MP_DEPTH_MAX + 2];

	(void)state;
	memset(deep, 0x91, sizeof(deep));
	deep[MP_DEPTH_MAX] = 0xc0;
	assert_int_equal(scan(deep, MP_DEPTH_MAX + 1), MP_OK);
	deep[MP_DEPTH_MAX] = 0x90; /* an empty one is one too */
	assert_int_equal(scan(deep, MP_DEPTH_MAX + 1), MP_TOO_DEEP);
	deep[MP_DEPTH_MAX] = 0x91;
	deep[MP_DEPTH_MAX + 1] = 0xc0;
	assert_int_equal(scan(deep, MP_DEPTH_MAX + 2), MP_TOO_DEEP);
}

static void
refuses_types(void **state)
{
	static const uint8_t refused[] = {
		0xc1, 0xc7, 0xc8, 0xc9, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8,
	};
	uint8_t bytes[20] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(refused); i++) {
		bytes[0] = refused[i];
		assert_int_equal(scan(bytes, sizeof(bytes)), MP_BAD_TYPE);
	}
	/* Map keys. */
	assert_int_equal(SCAN("\x81\x01\x02"), MP_BAD_TYPE);
	assert_int_equal(SCAN("\x81\xc4\x01k\x02"), MP_BAD_TYPE);
	assert_int_equal(SCAN("\x81\x90\x02"), MP_BAD_TYPE);
	assert_int_equal(SCAN("\x82\xa1k\x91\x01\x01\x02"), MP_BAD_TYPE);
	assert_int_equal(SCAN("\x82\xa1k\x91\x01\xa1l\x81\xa1m\x02"), MP_OK);
}

static void
refuses_bad_utf8(void **state)
{
	(void)state;
	assert_int_equal(SCAN("\xa1\xff"), MP_BAD_UTF8);
	assert_int_equal(SCAN("\xa2\xc0\x80"), MP_BAD_UTF8);
	assert_int_equal(SCAN("\x81\xa3\xed\xa0\x80\xc0"), MP_BAD_UTF8);
	assert_int_equal(SCAN("\xc4\x01\xff"), MP_OK);
}

static void
scans_the_front(void **state)
{
	uint8_t deep[4] = { 0x91, 0x91, 0x01, 0x07 };
	size_t len = 0;

	(void)state;
	assert_int_equal(mp_scan_front(SPAN("\x92\x01\x02\x03\x04"), 0, &len), MP_OK);
	assert_int_equal(len, 3);
	assert_int_equal(mp_scan_front(span_of(deep, 4), MP_DEPTH_MAX - 2, &len), MP_OK);
	assert_int_equal(len, 3);
	assert_int_equal(mp_scan_front(span_of(deep, 4), MP_DEPTH_MAX - 1, &len), MP_TOO_DEEP);
	assert_int_equal(mp_scan_front(span_of(deep + 2, 2), MP_DEPTH_MAX, &len), MP_OK);
	assert_int_equal(mp_scan_front(span_of(deep + 2, 2), MP_DEPTH_MAX + 1, &len), MP_TOO_DEEP);
}

/* --- readers ---------------------------------------------------------------- */

static void
members(void **state)
{
	struct buf b = BUF_MAX(0);
	struct mp_value map, v;
	size_t mark;

	(void)state;
	mark = mp_open_map(&b);
	mp_put_cstr(&b, "name");
	mp_put_cstr(&b, "shop");
	mp_put_cstr(&b, "list");
	mp_put_array(&b, 2);
	mp_put_uint(&b, 1);
	mp_put_cstr(&b, "name");
	mp_put_cstr(&b, "n");
	mp_put_uint(&b, 300);
	mp_put_cstr(&b, "minus");
	mp_put_int(&b, -300);
	mp_put_cstr(&b, "yes");
	mp_put_bool(&b, true);
	mp_close(&b, mark, 5);
	assert_int_equal(mp_scan(buf_view(&b)), MP_OK);
	assert_true(mp_value(buf_view(&b), &map));

	assert_true(span_is_str(mp_get_str(&map, "name", SPAN("?")), "shop"));
	assert_true(span_is_str(mp_get_str(&map, "n", SPAN("?")), "?"));
	assert_true(span_is_str(mp_get_str(&map, "nam", SPAN("?")), "?"));
	assert_true(mp_get_uint(&map, "n", 7) == 300);
	assert_true(mp_get_uint(&map, "minus", 7) == 7);
	assert_true(mp_get_uint(&map, "absent", 7) == 7);
	assert_true(mp_get_bool(&map, "yes", false));
	assert_true(mp_get_bool(&map, "n", true));
	assert_true(mp_get(&map, "list", &v));
	assert_int_equal(v.class, MP_ARRAY);
	assert_int_equal(v.n, 2);
	assert_true(span_is(v.raw, SPAN("\x92\x01\xa4name")));
	assert_false(mp_get(&map, "absent", &v));
	assert_int_equal(v.class, MP_NIL);
	assert_false(mp_get(&v, "name", &v));
	buf_fini(&b);
}

static void
strings_of_unknown_length(void **state)
{
	static const size_t sizes[] = { 0, 1, 31, 32, 255, 256, 65535, 65536, 70000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buf open = BUF_MAX(0), put = BUF_MAX(0);
		size_t mark;

		mp_put_nil(&open);
		mark = mp_open_str(&open);
		for (size_t n = 0; n < sizes[i]; n++)
			buf_byte(&open, (uint8_t)('a' + n % 26));
		mp_close_str(&open, mark);
		mp_put_bool(&open, true);

		mp_put_nil(&put);
		mp_put_str(&put, span_of(open.p + open.len - 1 - sizes[i], sizes[i]));
		mp_put_bool(&put, true);
		assert_true(span_is(buf_view(&open), buf_view(&put)));
		buf_fini(&open);
		buf_fini(&put);
	}
}

static void
full_buffers_stay_harmless(void **state)
{
	(void)state;
	for (size_t max = 1; max < 40; max++) {
		struct buf b = BUF_MAX(max);
		size_t mark = mp_open_map(&b), str;

		mp_put_cstr(&b, "key");
		str = mp_open_str(&b);
		buf_str(&b, "a value");
		mp_close_str(&b, str);
		mp_put_cstr(&b, "other");
		mp_put_double(&b, 1.5);
		mp_close(&b, mark, 2);
		assert_true(b.len <= max);
		assert_int_equal(b.full, max < 32);
		buf_fini(&b);
	}
}

/* Bytes nobody scanned: the readers say something, but from inside. */
static void
readers_stay_inside(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t n = test_random(&seed) % 24;
		uint8_t *p = malloc(n + 1);
		struct mp_value v, child;
		struct span key;
		struct mp_iter it;

		for (size_t j = 0; j < n; j++)
			p[j] = (uint8_t)(test_random(&seed) % 3 == 0 ? 0x80 + test_random(&seed) % 32 :
								       test_random(&seed));
		p = realloc(p, n > 0 ? n : 1);
		if (mp_value(span_of(p, n), &v)) {
			for (it = mp_iter(&v); mp_next(&it, &child);) {
				assert_true(child.raw.p >= p && child.raw.p + child.raw.len <= p + n);
				if (child.class == MP_STR || child.class == MP_BIN)
					assert_true(child.s.p + child.s.len <= p + n);
			}
			for (it = mp_iter(&v); mp_next_pair(&it, &key, &child);)
				assert_true(key.p + key.len <= p + n);
			(void)mp_get(&v, "k", &child);
		}
		(void)scan(p, n);
		free(p);
	}
}

/* {"a": true, "b": 7, "c": 0.5, "d": "x", "e": "", …}: what is nil, and what only empty. */
static void
pairs_of_a_map(void **state)
{
	struct buf b = { 0 };

	(void)state;
	mp_put_map(&b, 11);
	mp_pair_bool(&b, "a", true);
	mp_pair_uint(&b, "b", 7);
	mp_pair_double(&b, "c", 0.5);
	mp_pair_str(&b, "d", SPAN("x"));
	mp_pair_str(&b, "e", span_of(NULL, 0));
	mp_pair_maybe(&b, "f", SPAN(""));
	mp_pair_maybe(&b, "g", span_of(NULL, 0));
	mp_pair_some(&b, "h", SPAN(""));
	mp_pair_some(&b, "i", SPAN("y"));
	mp_pair_cstr(&b, "j", "z");
	mp_pair_cstr(&b, "k", NULL);
	assert_int_equal(mp_scan(buf_view(&b)), MP_OK);
	assert_buf(&b,
	    "\x8b\xa1"
	    "a\xc3\xa1"
	    "b\x07\xa1"
	    "c\xcb\x3f\xe0\0\0\0\0\0\0\xa1"
	    "d\xa1x\xa1"
	    "e\xa0"
	    "\xa1"
	    "f\xa0\xa1"
	    "g\xc0\xa1"
	    "h\xc0\xa1"
	    "i\xa1y\xa1"
	    "j\xa1z\xa1"
	    "k\xc0");
	buf_fini(&b);
}

/* What counts itself is what was counted by hand. */
static void
maps_count_themselves(void **state)
{
	static const char *const names[] = { "a", "b" };
	struct buf by_hand = { 0 }, pairs = { 0 }, open = { 0 };
	size_t mark, inner;

	(void)state;
	for (size_t n = 0; n < 40; n += 13) {
		buf_reset(&by_hand, SIZE_MAX);
		buf_reset(&open, SIZE_MAX);
		mp_put_map(&by_hand, 1);
		mp_put_cstr(&by_hand, "list");
		mp_put_array(&by_hand, n);
		mark = mp_open_map(&open);
		mp_put_cstr(&open, "list");
		inner = mp_open_array(&open);
		for (size_t i = 0; i < n; i++) {
			mp_put_uint(&by_hand, i);
			mp_put_uint(&open, i);
		}
		mp_end(&open, inner);
		mp_end(&open, mark);
		assert_true(span_is(buf_view(&by_hand), buf_view(&open)));
	}
	buf_reset(&by_hand, SIZE_MAX);
	mp_put_map(&by_hand, 7);
	mp_pair_cstr(&by_hand, "none", NULL);
	mp_pair_some(&by_hand, "empty", SPAN(""));
	mp_pair_known(&by_hand, "unknown", false, 7);
	mp_pair_bool(&by_hand, "yes", true);
	mp_pair_double(&by_hand, "half", 0.5);
	mp_pair_cstrs(&by_hand, "names", names, 2);
	mp_pair_uint(&by_hand, "raw", 3);
	mp_put_pairs(&pairs, mp_cstr("none", NULL), mp_some("empty", SPAN("")), mp_known("unknown", false, 7),
	    mp_when(false, mp_uint("left out", 1)), mp_bool("yes", true), mp_double("half", 0.5),
	    mp_cstrs("names", names, 2), mp_when(true, mp_raw("raw", SPAN("\x03"))));
	assert_true(span_is(buf_view(&by_hand), buf_view(&pairs)));
	buf_fini(&by_hand);
	buf_fini(&pairs);
	buf_fini(&open);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_bytes_as_the_library),
		cmocka_unit_test(longer_forms),
		cmocka_unit_test(refuses_truncated),
		cmocka_unit_test(refuses_promises),
		cmocka_unit_test(refuses_trailing),
		cmocka_unit_test(refuses_too_deep),
		cmocka_unit_test(refuses_types),
		cmocka_unit_test(refuses_bad_utf8),
		cmocka_unit_test(scans_the_front),
		cmocka_unit_test(members),
		cmocka_unit_test(strings_of_unknown_length),
		cmocka_unit_test(full_buffers_stay_harmless),
		cmocka_unit_test(readers_stay_inside),
		cmocka_unit_test(pairs_of_a_map),
		cmocka_unit_test(maps_count_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
