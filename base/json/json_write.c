/* json_write.c - msgpack into compact JSON, and text into JSON strings; see json_write.h. */
#include <math.h>
#include <string.h>

#include "base/text/b64.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"
#include "base/json/json_text.h"
#include "base/mp_head.h"
#include "base/text/num.h"
#include "base/text/safe_text.h"
#include "base/utf8.h"

#define SAFE_MAX	((UINT64_C(1) << 53) - 1)	/* the last integer a double has no neighbour for */

#define SLAB		((size_t)1024)	/* text is escaped in slabs, so that room is checked once for each */

/* For every special byte the letter of its short escape, 'u' for \u00xx; 0 for plain bytes. */
static const uint8_t letter[256] = {
	'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'b', 't', 'n', 'u', 'f', 'r', 'u', 'u',
	'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u',
	['"'] = '"', ['\\'] = '\\', [0x7f] = 'u',
};

/* Write c as its escape; returns what follows. */
static inline uint8_t *
put_escape(uint8_t *o, uint8_t c)
{
	static const char hex[] = "0123456789abcdef";

	*o++ = '\\';
	*o++ = letter[c];
	if (letter[c] == 'u') {
		*o++ = '0';
		*o++ = '0';
		*o++ = (uint8_t)hex[c >> 4];
		*o++ = (uint8_t)hex[c & 15];
	}
	return o;
}

/* Write the UTF-16 unit v as its escape; returns what follows. */
static uint8_t *
put_unit(uint8_t *o, uint32_t v)
{
	static const char hex[] = "0123456789abcdef";

	*o++ = '\\';
	*o++ = 'u';
	for (unsigned shift = 16; shift > 0; shift -= 4)
		*o++ = (uint8_t)hex[v >> (shift - 4) & 15];
	return o;
}

static uint8_t *
put_character(uint8_t *o, uint32_t c)
{
	if (c < 0x10000)
		return put_unit(o, c);
	return put_unit(put_unit(o, 0xd800 + ((c - 0x10000) >> 10)), 0xdc00 + ((c - 0x10000) & 0x3ff));
}

static inline void
copy_block(uint8_t *o, const uint8_t *s)
{
	block_store(o, block_load(s));
}

/* Bytes that are escaped whatever follows them: special ones and DEL. */
static inline block16
needs_escape(block16 v)
{
	return json_block_special(v) | block_is(v, 0x7f);
}

/* The same, and all that is no ASCII: as signed bytes these are less than a space as well. */
static inline block16
is_no_plain_ascii(block16 v)
{
	return block_below_or_high(v, ' ') | block_is(v, 0x7f) | block_is(v, '"') | block_is(v, '\\');
}

/*
 * The bytes that begin a character that may deceive (safe_text.h): c2, cd, d8, e1 to e3, ef to f3.  Of German,
 * Greek, Cyrillic, Chinese and Korean letters none does.
 */
static inline block16
may_hide(block16 v)
{
	block16 two = block_is(v, 0xc2) | block_is(v, 0xcd) | block_is(v, 0xd8);

	return two | block_at_most(v - block_of(0xe1), 0xe3 - 0xe1) | block_at_most(v - block_of(0xef), 0xf3 - 0xef);
}

/* Of these bytes the ones whose next byte excludes a deceptive character: most of Japanese, Arabic and emoji. */
static inline block16
is_acquitted(block16 v, block16 next)
{
	return (block_is(v, 0xe3) & ~block_is(next, 0x85)) | (block_is(v, 0xd8) & ~block_is(next, 0x9c)) |
	    (block_is(v, 0xf0) & block_is(next, 0x9f));
}

size_t
json_plain_ascii(struct span s)
{
	size_t at = 0;
	unsigned mask = 0;

	for (; s.len - at >= BLOCK && mask == 0; at += BLOCK)
		mask = block_mask(is_no_plain_ascii(block_load(s.p + at)));
	if (mask != 0)
		return at - BLOCK + (size_t)__builtin_ctz(mask);
	/* The zeroes behind the end are no plain ASCII. */
	return at + (size_t)__builtin_ctz(block_mask(is_no_plain_ascii(block_load_part(s.p + at, s.len - at))));
}

/* The number of bytes that must be readable where a block is escaped. */
#define MARGIN	((size_t)BLOCK + 2)

/* Which bytes of the block at s are to be escaped, or begin a character that must be looked at. */
static inline unsigned
mixed_mask(const uint8_t *s)
{
	block16 v = block_load(s);
	unsigned mask = block_mask(needs_escape(v) | may_hide(v)), left;

	if (mask == 0)
		return 0;
	left = mask & block_mask(v);
	if (left == 0)
		return mask;
	mask &= ~block_mask(is_acquitted(v, block_load(s + 1)));
	for (left &= mask; left != 0; left &= left - 1)
		if (!safe_text_may_hide(s + __builtin_ctz(left)))
			mask &= ~(left & -left);
	return mask;
}

/* How much of the text in front is plain ASCII, in pairs of blocks; that much is copied to o. */
static __attribute__((noinline)) size_t
copy_plain(uint8_t *o, const uint8_t *s, size_t len)
{
	size_t i = 0;

	for (; len - i >= 2 * BLOCK; i += 2 * BLOCK) {
		block16 a = block_load(s + i), b = block_load(s + i + BLOCK);

		if (block_mask(is_no_plain_ascii(a) | is_no_plain_ascii(b)) != 0)
			break;
		block_store(o + i, a);
		block_store(o + i + BLOCK, b);
	}
	return i;
}

/* How much of the text in front needs no escape, in blocks; that much is copied to o. */
static __attribute__((noinline)) size_t
copy_mixed(uint8_t *o, const uint8_t *s, size_t len)
{
	size_t i = 0;

	for (; len - i >= MARGIN && mixed_mask(s + i) == 0; i += BLOCK)
		copy_block(o + i, s + i);
	return i;
}

/*
 * Escape the first size bytes of the block at s, whose special bytes are in mask, behind which another block may be
 * read.  The mask is worked off bit by bit instead of being computed again after each: JSON in JSON is full
 * of quotes.
 */
static inline uint8_t *
escape_block(uint8_t *o, const uint8_t *s, unsigned mask, size_t size)
{
	size_t from = 0, n;

	for (; mask != 0; mask &= mask - 1) {
		n = (size_t)__builtin_ctz(mask);
		copy_block(o, s + from);
		o = put_escape(o + (n - from), s[n]);
		from = n + 1;
	}
	copy_block(o, s + from);
	return o + (size - from);
}

/* Where output and input are. */
struct write_place {
	uint8_t		*o;
	const uint8_t	*s;
};

/*
 * The same for a block that is not all ASCII, whose mixed_mask() is mask, of a text of len bytes; a character of which
 * a part stands behind the block goes with it.
 */
static __attribute__((noinline)) struct write_place
escape_mixed_block(uint8_t *o, const uint8_t *s, unsigned mask, size_t len)
{
	size_t size = len < BLOCK ? len : BLOCK, from = 0, n, skipped;
	uint32_t c = 0;

	for (; mask != 0; mask &= mask - 1) {
		n = (size_t)__builtin_ctz(mask);
		if (s[n] < 0x80)
			skipped = 1;
		else if ((skipped = safe_text_hidden(s + n, len - n, &c)) == 0)
			continue;
		copy_block(o, s + from);
		o += n - from;
		o = s[n] < 0x80 ? put_escape(o, s[n]) : put_character(o, c);
		from = n + skipped;
	}
	if (from >= size)
		return (struct write_place){ o, s + from };
	copy_block(o, s + from);
	return (struct write_place){ o + (size - from), s + size };
}

/* Escape a block that is not all ASCII, of a text of len bytes, and what follows as far as it needs no escape. */
static inline struct write_place
escape_mixed(uint8_t *o, const uint8_t *s, size_t len)
{
	size_t n = len < BLOCK ? len : BLOCK;
	unsigned mask = mixed_mask(s) & ((1u << n) - 1);

	if (mask != 0)
		return escape_mixed_block(o, s, mask, len);
	copy_block(o, s);
	if (len >= BLOCK + MARGIN)
		n += copy_mixed(o + n, s + n, len - n);
	return (struct write_place){ o + n, s + n };
}

/* Escape the first n bytes, at most a block, of a text of len bytes; text behind them may be escaped as well. */
static inline struct write_place
escape_next(struct write_place in, size_t len, size_t n, unsigned *last)
{
	block16 v = block_load(in.s);
	unsigned some = (1u << n) - 1, mask = block_mask(is_no_plain_ascii(v)) & some, before = *last;

	*last = mask;
	if (mask != 0 && (block_mask(v) & some) != 0)
		return escape_mixed(in.o, in.s, len);
	in = (struct write_place){ escape_block(in.o, in.s, mask, n), in.s + n };
	/* Two plain blocks in a row: the text is probably long. */
	if ((mask | before) == 0 && len >= 3 * BLOCK) {
		size_t plain = copy_plain(in.o, in.s, len - n);

		in = (struct write_place){ in.o + plain, in.s + plain };
	}
	return in;
}

/* Escape what stands from in.s to end, as far as two blocks can be read that end in front of limit. */
static inline struct write_place
escape_blocks(struct write_place in, const uint8_t *end, const uint8_t *limit)
{
	unsigned last = 1;

	while (end - in.s >= BLOCK && limit - in.s >= 2 * BLOCK)
		in = escape_next(in, (size_t)(end - in.s), BLOCK, &last);
	if (in.s < end && limit - in.s >= 2 * BLOCK)
		in = escape_next(in, (size_t)(end - in.s), (size_t)(end - in.s), &last);
	return in;
}

/* The end of a text behind which nothing may be read, from a copy with room behind it. */
static __attribute__((noinline)) uint8_t *
escape_copy(uint8_t *o, const uint8_t *s, size_t len)
{
	uint8_t copy[4 * BLOCK];

	memcpy(copy, s, len);
	return escape_blocks((struct write_place){ o, copy }, copy + len, copy + sizeof(copy)).o;
}

/* The same, without the copy as long as no escape is needed, which is mostly the case. */
static inline uint8_t *
escape_end(uint8_t *o, const uint8_t *s, size_t len)
{
	while (len > 0) {
		size_t n = len < BLOCK ? len : BLOCK;
		block16 v = len < BLOCK ? block_load_part(s, len) : block_load(s);

		if ((block_mask(needs_escape(v) | may_hide(v)) & ((1u << n) - 1)) != 0)
			return escape_copy(o, s, len);
		block_store(o, v);
		o += n;
		s += n;
		len -= n;
	}
	return o;
}

/*
 * Escape len bytes to o, where JSON_GROWTH * len + 16 bytes are writable, from
 * s, where readable >= len bytes may be looked at: whole blocks are loaded and
 * stored before it is known how much of them counts.
 */
static inline uint8_t *
escape_slab(uint8_t *o, const uint8_t *s, size_t len, size_t readable)
{
	struct write_place p = escape_blocks((struct write_place){ o, s }, s + len, s + readable);

	return p.s >= s + len ? p.o : escape_end(p.o, p.s, (size_t)(s + len - p.s));
}

/* The escape of the first character of s, its length returned; 0: it is written as it stands. */
static inline size_t
escape_character(struct span s, uint8_t out[JSON_ESCAPE_MAX], size_t *took)
{
	uint32_t c;

	*took = 1;
	if (letter[s.p[0]] != 0)
		return (size_t)(put_escape(out, s.p[0]) - out);
	if (s.p[0] < 0x80 || (*took = safe_text_hidden(s.p, s.len, &c)) == 0)
		return 0;
	return (size_t)(put_character(out, c) - out);
}

size_t
json_escape_character(struct span s, uint8_t out[JSON_ESCAPE_MAX], size_t *took)
{
	static const uint8_t replacement[] = { 0xef, 0xbf, 0xbd }; /* U+FFFD */
	size_t n = escape_character(s, out, took);

	if (n > 0)
		return n;
	*took = s.p[0] < 0x80 ? 1 : s.p[0] < 0xe0 ? 2 : s.p[0] < 0xf0 ? 3 : 4;
	if (*took <= s.len && utf8_valid(s.p, *took)) {
		memcpy(out, s.p, *took);
		return *took;
	}
	*took = 1;
	memcpy(out, replacement, sizeof(replacement));
	return sizeof(replacement);
}

/* As json_escape(), for a buffer so close to its ceiling that no spare room can be reserved. */
static void
escape_exactly(struct buf *out, struct span s)
{
	uint8_t escape[JSON_ESCAPE_MAX];

	for (size_t at = 0, took; at < s.len; at += took) {
		size_t n = escape_character(span_of(s.p + at, s.len - at), escape, &took);

		if (n > 0)
			buf_append(out, escape, n);
		else {
			buf_byte(out, s.p[at]);
			took = 1;
		}
	}
}

/* The length of the next slab of s, which does not end inside a character. */
static size_t
slab_of(struct span s)
{
	size_t n = SLAB;

	if (s.len <= SLAB)
		return s.len;
	while (n > SLAB - 4 && (s.p[n] & 0xc0) == 0x80)
		n--;
	return n;
}

void
json_escape(struct buf *out, struct span s)
{
	while (s.len > 0) {
		size_t n = slab_of(s), most = JSON_GROWTH * n + 16;
		uint8_t *o;

		if (out->full)
			return;
		if (out->max != 0 && (out->len > out->max || out->max - out->len < most))
			escape_exactly(out, span_of(s.p, n));
		else if ((o = buf_reserve(out, most)) != NULL)
			out->len = (size_t)(escape_slab(o, s.p, n, s.len) - out->p);
		s = span_of(s.p + n, s.len - n);
	}
}

/* As escape_slab(), sooner for a short text without an escape, as most cells are. */
static inline uint8_t *
escape_short(uint8_t *o, struct span s, size_t readable)
{
	block16 v;

	if (s.len >= BLOCK)
		return escape_slab(o, s.p, s.len, readable);
	v = readable >= BLOCK ? block_load(s.p) : block_load_part(s.p, s.len);
	if ((block_mask(is_no_plain_ascii(v)) & ((1u << s.len) - 1)) != 0)
		return escape_slab(o, s.p, s.len, readable);
	block_store(o, v);
	return o + s.len;
}

/* json_write_string() where readable >= s.len bytes may be looked at. */
static inline void
write_string(struct buf *out, struct span s, size_t readable)
{
	uint8_t *o;

	if (s.len > 0 && s.len <= SLAB && out->cap - out->len >= JSON_GROWTH * s.len + 18 && !out->full) {
		o = out->p + out->len;
		*o++ = '"';
		o = escape_short(o, s, readable);
		*o++ = '"';
		out->len = (size_t)(o - out->p);
		return;
	}
	buf_byte(out, '"');
	json_escape(out, s);
	buf_byte(out, '"');
}

void
json_write_string(struct buf *out, struct span s)
{
	write_string(out, s, s.len);
}

#define NUMBER_MAX	32	/* room for any number, quoted or not */

static size_t
digits_of(uint64_t n)
{
	static const uint64_t power[] = {
		0, UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000),
		UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000),
		UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000),
		UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
		UINT64_C(10000000000000000), UINT64_C(100000000000000000),
		UINT64_C(1000000000000000000), UINT64_C(10000000000000000000),
	};
	/* 1233 / 4096 is log10(2): a guess from the bits, too low by one at most. */
	size_t bits = 64 - (size_t)__builtin_clzll(n | 1), guess = bits * 1233 >> 12;

	return guess + (n >= power[guess]);
}

/* Print n to o, in front a '-' when negative; returns what follows. */
static uint8_t *
print_uint(uint8_t *o, uint64_t n, bool negative)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	bool quoted = n > SAFE_MAX;
	uint8_t *p;

	if (quoted)
		*o++ = '"';
	if (negative)
		*o++ = '-';
	p = o += digits_of(n);
	for (; n >= 100; n /= 100)
		memcpy(p -= 2, pairs + n % 100 * 2, 2);
	if (n >= 10)
		memcpy(p - 2, pairs + n * 2, 2);
	else
		p[-1] = (uint8_t)('0' + n);
	if (quoted)
		*o++ = '"';
	return o;
}

static uint8_t *
print_double(uint8_t *o, double v)
{
	const char *word = isnan(v) ? "\"NaN\"" : isinf(v) == 0 ? NULL : v > 0 ? "\"Infinity\"" : "\"-Infinity\"";

	if (word == NULL)
		return o + num_print_double(v, (char *)o);
	memcpy(o, word, strlen(word));
	return o + strlen(word);
}

static inline uint8_t *
print_number(uint8_t *o, const struct mp_value *v)
{
	if (v->class == MP_FLOAT)
		return print_double(o, v->f);
	if (v->class == MP_INT)
		return print_uint(o, 0 - (uint64_t)v->i, true);
	return print_uint(o, v->u, false);
}

/* As write_number(), for a buffer that has to grow or is close to its ceiling. */
static void __attribute__((noinline))
write_number_apart(struct buf *out, const struct mp_value *v)
{
	uint8_t text[NUMBER_MAX];

	buf_append(out, text, (size_t)(print_number(text, v) - text));
}

static inline void
write_number(struct buf *out, const struct mp_value *v)
{
	if (out->cap - out->len >= NUMBER_MAX && !out->full)
		out->len = (size_t)(print_number(out->p + out->len, v) - out->p);
	else
		write_number_apart(out, v);
}

/* readable: how many bytes from a STR's first on may be looked at. */
static inline void
write_scalar(struct buf *out, const struct mp_value *v, size_t readable)
{
	switch (v->class) {
	case MP_BOOL:
		buf_str(out, v->boolean ? "true" : "false");
		break;
	case MP_INT:
	case MP_UINT:
	case MP_FLOAT:
		write_number(out, v);
		break;
	case MP_STR:
		write_string(out, v->s, readable);
		break;
	case MP_BIN:
		buf_byte(out, '{');
		json_write_string(out, SPAN("base64"));
		buf_str(out, ":\"");
		b64_encode(out, v->s);
		buf_str(out, "\"}");
		break;
	default:
		buf_str(out, "null");
		break;
	}
}

/* A container that is being written. */
struct json_level {
	size_t	left;		/* elements, or keys and values, still to come */
	bool	map;
};

/* Write what precedes the next value of the container. */
static void
write_separator(struct buf *out, struct json_level *l, size_t of)
{
	if (l->map && (of - l->left) % 2 == 1)
		buf_byte(out, ':');
	else if (l->left != of)
		buf_byte(out, ',');
}

/* Write the one value at the front of bytes; returns its length, 0 when it is cut short. */
static size_t
write_value(struct buf *out, struct span bytes)
{
	struct json_level levels[MP_DEPTH_MAX];
	size_t sizes[MP_DEPTH_MAX], depth = 0, at = 0, n;
	struct mp_value v;

	do {
		if ((n = mp_head_read(bytes.p + at, bytes.len - at, &v)) == 0)
			return 0;
		at += n;
		if (depth > 0) {
			write_separator(out, &levels[depth - 1], sizes[depth - 1]);
			levels[depth - 1].left--;
		}
		if (v.class == MP_ARRAY || v.class == MP_MAP) {
			if (depth == MP_DEPTH_MAX)
				return 0;
			levels[depth].map = v.class == MP_MAP;
			levels[depth].left = sizes[depth] = v.class == MP_MAP ? v.n * 2 : v.n;
			depth++;
			buf_byte(out, v.class == MP_MAP ? '{' : '[');
		} else {
			if (mp_payload(&v) > bytes.len - at)
				return 0;
			write_scalar(out, &v, bytes.len - at);
			at += mp_payload(&v);
		}
		for (; depth > 0 && levels[depth - 1].left == 0; depth--)
			buf_byte(out, levels[depth - 1].map ? '}' : ']');
	} while (depth > 0);
	return at;
}

void
json_write(struct buf *out, const struct mp_value *v)
{
	if (v->class == MP_ARRAY || v->class == MP_MAP)
		(void)write_value(out, v->raw);
	else
		write_scalar(out, v, mp_payload(v));
}

/* The array cell at the front of bytes: a decimal number, or whatever it is. */
static size_t __attribute__((noinline))
write_array_cell(struct buf *out, struct span bytes)
{
	struct mp_value v, text;
	size_t n = mp_head_read(bytes.p, bytes.len, &v), m;

	if (n == 0 || v.n != 1 || (m = mp_head_read(bytes.p + n, bytes.len - n, &text)) == 0 || text.class != MP_STR ||
	    text.s.len > bytes.len - n - m)
		return write_value(out, bytes);
	if (json_is_exact(text.s))
		buf_span(out, text.s);
	else
		json_write_string(out, text.s);
	return n + m + text.s.len;
}

void
json_write_cell(struct buf *out, const struct mp_value *v)
{
	if (v->class == MP_ARRAY)
		(void)write_array_cell(out, v->raw);
	else
		json_write(out, v);
}

void
json_write_cell_text(struct buf *out, const struct mp_value *v)
{
	uint8_t text[NUMBER_MAX];
	struct mp_value digits;
	struct mp_iter it;

	if (v->class == MP_INT || v->class == MP_UINT || v->class == MP_FLOAT) {
		struct span number = span_of(text, (size_t)(print_number(text, v) - text));

		if (number.p[0] == '"')
			buf_span(out, number);
		else
			json_write_string(out, number);
	} else if (v->class == MP_ARRAY && v->n == 1 && (it = mp_iter(v), mp_next(&it, &digits)) &&
	    digits.class == MP_STR)
		json_write_string(out, digits.s);
	else
		json_write_cell(out, v);
}
