/* mp.c - see mp.h; what is written is msgpack-c's; what is read only mp_head.h knows. */

#include <limits.h>
#include <msgpack/sysdep.h>
#include <msgpack/timestamp.h>

#include "base/block.h"
#include "base/mp.h"
#include "base/mp_head.h"
#include "base/utf8.h"

/* Where the next n bytes go, n small; NULL when full. */
static inline uint8_t *
mp_room(struct buf *b, size_t n)
{
	if (n <= b->cap - b->len && !b->full && b->p != NULL)
		return b->p + b->len;
	return buf_reserve(b, n);
}

/* A head, or a value without a payload: at most nine bytes.  0, or -1 when full, as the templates want it. */
static inline int
mp_append(struct buf *b, const void *bytes, size_t n)
{
	uint8_t *p = mp_room(b, n);

	if (p == NULL)
		return -1;
	memcpy(p, bytes, n);
	b->len += n;
	return 0;
}

#define msgpack_pack_inline_func(name)			static inline int pack##name
#define msgpack_pack_inline_func_cint(name)		static inline int pack##name
#define msgpack_pack_inline_func_fixint(name)		static inline int pack_fix##name
#define msgpack_pack_user				struct buf *
#define msgpack_pack_append_buffer(user, bytes, n)	return mp_append((user), (bytes), (n))
#include <msgpack/pack_template.h>

void
mp_put_nil(struct buf *b)
{
	pack_nil(b);
}

void
mp_put_bool(struct buf *b, bool v)
{
	if (v)
		pack_true(b);
	else
		pack_false(b);
}

void
mp_put_uint(struct buf *b, uint64_t v)
{
	pack_uint64(b, v);
}

void
mp_put_int(struct buf *b, int64_t v)
{
	pack_int64(b, v);
}

void
mp_put_double(struct buf *b, double v)
{
	pack_double(b, v);
}

/* A payload beyond 32 bits of length cannot be written: the buffer turns full. */
static bool
too_many(struct buf *b, size_t n)
{
	if (n <= UINT32_MAX)
		return false;
	b->full = true;
	return true;
}

void
mp_put_str(struct buf *b, struct span s)
{
	if (too_many(b, s.len))
		return;
	pack_str(b, s.len);
	buf_span(b, s);
}

void
mp_put_cstr(struct buf *b, const char *s)
{
	if (s == NULL)
		mp_put_nil(b);
	else
		mp_put_str(b, span_str(s));
}

void
mp_put_bin(struct buf *b, struct span s)
{
	if (too_many(b, s.len))
		return;
	pack_bin(b, s.len);
	buf_span(b, s);
}

void
mp_put_array(struct buf *b, size_t n)
{
	if (!too_many(b, n))
		pack_array(b, n);
}

void
mp_put_map(struct buf *b, size_t n)
{
	if (!too_many(b, n))
		pack_map(b, n);
}

void
mp_pair_bool(struct buf *b, const char *key, bool v)
{
	mp_put_cstr(b, key);
	mp_put_bool(b, v);
}

void
mp_pair_uint(struct buf *b, const char *key, uint64_t v)
{
	mp_put_cstr(b, key);
	mp_put_uint(b, v);
}

void
mp_pair_double(struct buf *b, const char *key, double v)
{
	mp_put_cstr(b, key);
	mp_put_double(b, v);
}

void
mp_pair_str(struct buf *b, const char *key, struct span s)
{
	mp_put_cstr(b, key);
	mp_put_str(b, s);
}

void
mp_pair_maybe(struct buf *b, const char *key, struct span s)
{
	mp_put_cstr(b, key);
	if (s.p == NULL)
		mp_put_nil(b);
	else
		mp_put_str(b, s);
}

void
mp_pair_some(struct buf *b, const char *key, struct span s)
{
	mp_pair_maybe(b, key, s.len == 0 ? SPAN_NONE : s);
}

void
mp_pair_known(struct buf *b, const char *key, bool known, uint64_t v)
{
	mp_put_cstr(b, key);
	if (known)
		mp_put_uint(b, v);
	else
		mp_put_nil(b);
}

void
mp_pair_cstr(struct buf *b, const char *key, const char *s)
{
	mp_put_cstr(b, key);
	mp_put_cstr(b, s);
}

void
mp_pair_array(struct buf *b, const char *key, size_t n)
{
	mp_put_cstr(b, key);
	mp_put_array(b, n);
}

void
mp_pair_raw(struct buf *b, const char *key, struct span value)
{
	mp_put_cstr(b, key);
	buf_span(b, value);
}

void
mp_pair_strs(struct buf *b, const char *key, const struct span *v, size_t n)
{
	mp_pair_array(b, key, n);
	for (size_t i = 0; i < n; i++)
		mp_put_str(b, v[i]);
}

void
mp_pair_cstrs(struct buf *b, const char *key, const char *const *v, size_t n)
{
	mp_pair_array(b, key, n);
	for (size_t i = 0; i < n; i++)
		mp_put_cstr(b, v[i]);
}

static void
put_pair(struct buf *b, const struct mp_pair *p)
{
	switch (p->kind) {
	case MP_PAIR_NIL:
		mp_put_cstr(b, p->key);
		mp_put_nil(b);
		break;
	case MP_PAIR_BOOL:
		mp_pair_bool(b, p->key, p->boolean);
		break;
	case MP_PAIR_UINT:
		mp_pair_uint(b, p->key, p->u);
		break;
	case MP_PAIR_DOUBLE:
		mp_pair_double(b, p->key, p->f);
		break;
	case MP_PAIR_STR:
		mp_pair_str(b, p->key, p->s);
		break;
	case MP_PAIR_STRS:
		mp_pair_strs(b, p->key, p->strs, p->n);
		break;
	case MP_PAIR_CSTRS:
		mp_pair_cstrs(b, p->key, p->cstrs, p->n);
		break;
	case MP_PAIR_RAW:
		mp_pair_raw(b, p->key, p->s);
		break;
	}
}

void
mp_add_n_pairs(struct buf *b, const struct mp_pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pairs[i].key != NULL)
			put_pair(b, &pairs[i]);
}

void
mp_put_n_pairs(struct buf *b, const struct mp_pair *pairs, size_t n)
{
	size_t there = 0;

	for (size_t i = 0; i < n; i++)
		there += pairs[i].key != NULL;
	mp_put_map(b, there);
	mp_add_n_pairs(b, pairs, n);
}

size_t
mp_open_n_pairs(struct buf *b, const struct mp_pair *pairs, size_t n)
{
	size_t mark = mp_open_map(b);

	mp_add_n_pairs(b, pairs, n);
	return mark;
}

/* Heads of the widest kind, whose number is filled in later. */
size_t
mp_open_array(struct buf *b)
{
	size_t mark = b->len;

	pack_array(b, UINT32_MAX);
	return mark;
}

size_t
mp_open_map(struct buf *b)
{
	size_t mark = b->len;

	pack_map(b, UINT32_MAX);
	return mark;
}

size_t
mp_pair_open_array(struct buf *b, const char *key)
{
	mp_put_cstr(b, key);
	return mp_open_array(b);
}

void
mp_close(struct buf *b, size_t mark, size_t n)
{
	/* In a full buffer the head may be missing; a full buffer is not read. */
	if (too_many(b, n) || b->full)
		return;
	_msgpack_store32(b->p + mark + 1, (uint32_t)n);
}

#define OPEN_HEAD	5u	/* bytes of a head that mp_open_*() writes */

/* Values in bytes that we wrote ourselves. */
static size_t
count_values(struct span bytes)
{
	struct mp_iter it = { .p = bytes.p, .end = bytes.p + bytes.len, .left = SIZE_MAX };
	struct mp_value v;
	size_t n = 0;

	while (it.p < it.end && mp_next(&it, &v))
		n++;
	return n;
}

void
mp_end(struct buf *b, size_t mark)
{
	struct span body;
	bool map;
	size_t n;

	if (b->full)
		return;
	map = b->p[mark] == 0xdf;
	body = span_of(b->p + mark + OPEN_HEAD, b->len - mark - OPEN_HEAD);
	n = count_values(body) / (map ? 2 : 1);
	b->len = mark;
	map ? mp_put_map(b, n) : mp_put_array(b, n);
	memmove(b->p + b->len, body.p, body.len);
	b->len += body.len;
}

#define STR_HEAD_MAX	5

size_t
mp_open_str(struct buf *b)
{
	size_t mark = b->len;

	pack_str(b, UINT32_MAX);
	return mark;
}

void
mp_close_str(struct buf *b, size_t mark)
{
	size_t len;

	if (b->full)
		return;
	len = b->len - mark - STR_HEAD_MAX;
	if (too_many(b, len))
		return;
	b->len = mark;
	pack_str(b, len);
	memmove(b->p + b->len, b->p + mark + STR_HEAD_MAX, len);
	b->len += len;
}

size_t
mp_head(const uint8_t *p, size_t left, struct mp_value *v)
{
	return mp_head_read(p, left, v);
}

/* Is the text at p, of left bytes that may be looked at, valid?  Most text is short ASCII. */
static inline bool
text_valid(const uint8_t *p, size_t len, size_t left)
{
	if (len <= BLOCK && left >= BLOCK && (block_mask(block_load(p)) & ((1u << len) - 1)) == 0)
		return true;
	return utf8_valid(p, len);
}

enum mp_fault
mp_scan_front(struct span bytes, size_t depth, size_t *len)
{
	size_t pending[MP_DEPTH_MAX + 1]; /* values still due at each level */
	bool map[MP_DEPTH_MAX + 1];       /* what kind of container the level is in */
	size_t promised = 1;              /* values still due at all levels */
	size_t at = 0;

	if (depth > MP_DEPTH_MAX)
		return MP_TOO_DEEP;
	/*
	 * Every value takes at least one byte, so bytes that still owe more
	 * values than there are bytes left are a lie.  Comparing the total over
	 * all levels, not each array on its own, also stops a chain of nested
	 * heads that are each plausible alone.
	 */
	const size_t floor = depth;
	pending[depth] = 1;
	map[depth] = false;
	while (promised > 0) {
		struct mp_value v;
		size_t n, more;

		if (promised > bytes.len - at)
			return MP_TRUNCATED;
		if ((n = mp_head_read(bytes.p + at, bytes.len - at, &v)) == 0)
			return v.class == MP_REFUSED ? MP_BAD_TYPE : MP_TRUNCATED;
		/* An even number of pending values in a map: a key is next. */
		if (map[depth] && pending[depth] % 2 == 0 && v.class != MP_STR)
			return MP_BAD_TYPE;
		at += n;
		if (mp_payload(&v) > bytes.len - at)
			return MP_TRUNCATED;
		if (v.class == MP_STR && !text_valid(v.s.p, v.s.len, bytes.len - at))
			return MP_BAD_UTF8;
		at += mp_payload(&v);

		promised--;
		pending[depth]--;
		if (v.class == MP_ARRAY || v.class == MP_MAP) {
			if (depth == MP_DEPTH_MAX)
				return MP_TOO_DEEP;
			more = mp_children(&v);
			if (more > bytes.len - at)
				return MP_TRUNCATED;
			pending[++depth] = more;
			map[depth] = v.class == MP_MAP;
			promised += more;
		}
		while (depth > floor && pending[depth] == 0)
			depth--;
	}
	*len = at;
	return MP_OK;
}

enum mp_fault
mp_scan(struct span body)
{
	size_t len;
	enum mp_fault fault = mp_scan_front(body, 0, &len);

	if (fault == MP_OK && len != body.len)
		return MP_TRAILING;
	return fault;
}

/* Where the values at p + at end, due of them with their children; 0 when they are cut short. */
static __attribute__((noinline)) size_t
mp_end_of(const uint8_t *p, size_t left, size_t at, size_t due)
{
	struct mp_value child;
	size_t n;

	for (; due > 0; due--) {
		if (due > left - at)
			return 0;
		/* Short texts and small numbers, as most are, need no look at their heads. */
		if (p[at] >= 0xa0 && p[at] <= 0xbf)
			n = 1 + (p[at] & 0x1f);
		else if (p[at] <= 0x7f || p[at] >= 0xe0)
			n = 1;
		else {
			if ((n = mp_head_read(p + at, left - at, &child)) == 0 || mp_payload(&child) > left - at - n)
				return 0;
			n += mp_payload(&child);
			due += mp_children(&child);
		}
		if (n > left - at)
			return 0;
		at += n;
	}
	return at;
}

/* Length of the whole value at p, whose head of n bytes is in v; 0 when it is cut short. */
static inline size_t
mp_whole(const uint8_t *p, size_t left, size_t n, const struct mp_value *v)
{
	size_t due = mp_children(v);

	if (due > 0)
		return mp_end_of(p, left, n, due);
	return mp_payload(v) > left - n ? 0 : n + mp_payload(v);
}

bool
mp_value(struct span bytes, struct mp_value *v)
{
	size_t n = mp_head_read(bytes.p, bytes.len, v);

	/* A container's inside was mp_scan()'s to check; walking it here would double the work. */
	if (n == 0 || mp_payload(v) > bytes.len - n || mp_children(v) > bytes.len - n ||
	    (v->class != MP_ARRAY && v->class != MP_MAP && n + mp_payload(v) != bytes.len)) {
		*v = (struct mp_value){ .class = MP_NIL };
		return false;
	}
	v->raw = bytes;
	return true;
}

struct mp_iter
mp_iter(const struct mp_value *v)
{
	struct mp_value head_only;
	size_t n;

	if ((v->class != MP_ARRAY && v->class != MP_MAP) || (n = mp_head_read(v->raw.p, v->raw.len, &head_only)) == 0)
		return (struct mp_iter){ NULL, NULL, 0 };
	return (struct mp_iter){ v->raw.p + n, v->raw.p + v->raw.len, mp_children(v) };
}

bool
mp_next(struct mp_iter *it, struct mp_value *v)
{
	size_t left = (size_t)(it->end - it->p), n, len;

	if (it->left == 0 || (n = mp_head_read(it->p, left, v)) == 0 || (len = mp_whole(it->p, left, n, v)) == 0) {
		it->left = 0;
		*v = (struct mp_value){ .class = MP_NIL };
		return false;
	}
	v->raw = span_of(it->p, len);
	it->p += len;
	it->left--;
	return true;
}

bool
mp_next_pair(struct mp_iter *it, struct span *key, struct mp_value *v)
{
	if (mp_next(it, v) && v->class == MP_STR) {
		*key = v->s;
		if (mp_next(it, v))
			return true;
	}
	it->left = 0;
	*key = SPAN_NONE;
	*v = (struct mp_value){ .class = MP_NIL };
	return false;
}

/* Pass over the next value. */
static inline void
mp_skip(struct mp_iter *it)
{
	size_t n = mp_end_of(it->p, (size_t)(it->end - it->p), 0, it->left > 0);

	it->p += n;
	it->left = n > 0 ? it->left - 1 : 0;
}

bool
mp_member(const struct mp_value *map, struct span key, struct mp_value *v)
{
	struct mp_iter it;

	if (map->class == MP_MAP)
		for (it = mp_iter(map); mp_next(&it, v) && v->class == MP_STR; mp_skip(&it))
			if (span_is(v->s, key))
				return mp_next(&it, v);
	*v = (struct mp_value){ .class = MP_NIL };
	return false;
}

struct span
mp_get_str(const struct mp_value *map, const char *key, struct span otherwise)
{
	struct mp_value v;

	return mp_get(map, key, &v) && v.class == MP_STR ? v.s : otherwise;
}

uint64_t
mp_get_uint(const struct mp_value *map, const char *key, uint64_t otherwise)
{
	struct mp_value v;

	return mp_get(map, key, &v) && v.class == MP_UINT ? v.u : otherwise;
}

bool
mp_get_bool(const struct mp_value *map, const char *key, bool otherwise)
{
	struct mp_value v;

	return mp_get(map, key, &v) && v.class == MP_BOOL ? v.boolean : otherwise;
}
