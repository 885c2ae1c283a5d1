/* json_write.c - msgpack into compact JSON, and text into JSON strings; see json.h. */
#include <math.h>
#include <string.h>

#include "base/b64.h"
#include "base/json.h"
#include "base/json_scan.h"
#include "base/mp_head.h"
#include "base/num.h"
#include "base/safe_text.h"
#include "base/utf8.h"

#define SAFE_MAX	((UINT64_C(1) << 53) - 1)	/* the last integer a double has no neighbour for */

/* --- strings ------------------------------------------------------------ */

#define SLAB		((size_t)1024)	/* text is escaped in slabs, so that room is checked once for each */
#define ESCAPE_MAX	6		/* the longest escape of one byte */

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

#ifdef __SSE2__
static inline void
copy_block(uint8_t *o, const uint8_t *s)
{
	_mm_storeu_si128((__m128i *)(void *)o, _mm_loadu_si128((const __m128i *)(const void *)s));
}

static inline __m128i
is_byte(__m128i v, uint8_t c)
{
	return _mm_cmpeq_epi8(v, _mm_set1_epi8((char)c));
}

/* Of the bytes beyond ASCII those that may begin a character that deceives (base/safe_text.h); next: what follows. */
static inline __m128i
may_hide(__m128i v, __m128i next)
{
	/* Two of them begin much of what is written in Japanese and Arabic: there the next byte tells. */
	__m128i kana = _mm_and_si128(is_byte(v, 0xe3), is_byte(next, 0x85));
	__m128i arabic = _mm_and_si128(is_byte(v, 0xd8), is_byte(next, 0x9c));
	__m128i two = _mm_or_si128(is_byte(v, 0xc2), is_byte(v, 0xcd));
	__m128i three = _mm_or_si128(_mm_or_si128(is_byte(v, 0xe1), is_byte(v, 0xe2)), is_byte(v, 0xef));
	__m128i four = _mm_or_si128(is_byte(v, 0xf0), is_byte(v, 0xf3));

	return _mm_or_si128(_mm_or_si128(_mm_or_si128(kana, arabic), two), _mm_or_si128(three, four));
}

/* Every bit of the bytes that are special, DEL, or no ASCII. */
static inline __m128i
care(__m128i v)
{
	/* As signed bytes what is no ASCII is less than a space as well. */
	__m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(' '));

	return _mm_or_si128(_mm_or_si128(low, is_byte(v, 0x7f)), _mm_or_si128(is_byte(v, '"'), is_byte(v, '\\')));
}

/* Bit i is set when byte i is one of them. */
static inline unsigned
care_mask(__m128i v)
{
	return (unsigned)_mm_movemask_epi8(care(v));
}

/* How much of the text in front is plain ASCII, in pairs of blocks; that much is copied to o. */
static __attribute__((noinline)) size_t
copy_plain(uint8_t *o, const uint8_t *s, size_t len)
{
	size_t i = 0;

	for (; len - i >= 2 * JSON_BLOCK; i += 2 * JSON_BLOCK) {
		__m128i a = _mm_loadu_si128((const __m128i *)(const void *)(s + i));
		__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(s + i + JSON_BLOCK));

		if (_mm_movemask_epi8(_mm_or_si128(care(a), care(b))) != 0)
			break;
		_mm_storeu_si128((__m128i *)(void *)(o + i), a);
		_mm_storeu_si128((__m128i *)(void *)(o + i + JSON_BLOCK), b);
	}
	return i;
}

/*
 * Escape the block at s, whose special bytes are in mask, behind which another
 * block may be looked at.  The mask is worked off bit by bit instead of being
 * made anew behind each special byte: JSON in JSON is full of quotes.
 */
static inline uint8_t *
escape_block(uint8_t *o, const uint8_t *s, unsigned mask)
{
	size_t from = 0, n;

	for (; mask != 0; mask &= mask - 1) {
		n = (size_t)__builtin_ctz(mask);
		copy_block(o, s + from);
		o = put_escape(o + (n - from), s[n]);
		from = n + 1;
	}
	copy_block(o, s + from);
	return o + (JSON_BLOCK - from);
}

/* Where both are after some text. */
struct place {
	uint8_t		*o;
	const uint8_t	*s;
};

/*
 * The same for a block that is not all ASCII, or as much of one as there is of
 * the len bytes of text; a character of which a part stands behind the block
 * goes with it.
 */
static __attribute__((noinline)) struct place
escape_mixed_block(uint8_t *o, const uint8_t *s, unsigned mask, size_t len)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
	__m128i next = _mm_loadu_si128((const __m128i *)(const void *)(s + 1));
	size_t size = len < JSON_BLOCK ? len : JSON_BLOCK, from = 0, n, skipped;
	uint32_t c = 0;

	mask = (mask & ~(unsigned)_mm_movemask_epi8(v)) | (unsigned)_mm_movemask_epi8(may_hide(v, next));
	mask &= (1u << size) - 1;
	for (; mask != 0; mask &= mask - 1) {
		n = (size_t)__builtin_ctz(mask);
		if (s[n] < 0x80)
			skipped = 1;
		else if ((skipped = shown_hidden(s + n, len - n, &c)) == 0)
			continue;
		copy_block(o, s + from);
		o += n - from;
		o = s[n] < 0x80 ? put_escape(o, s[n]) : put_character(o, c);
		from = n + skipped;
	}
	if (from >= size)
		return (struct place){ o, s + from };
	copy_block(o, s + from);
	return (struct place){ o + (size - from), s + size };
}
#endif

/* Byte by byte. */
static __attribute__((noinline)) uint8_t *
escape_bytes(uint8_t *o, const uint8_t *s, size_t len)
{
	uint32_t c = 0;

	for (size_t n; len > 0; s += n, len -= n) {
		n = 1;
		if (letter[*s] != 0)
			o = put_escape(o, *s);
		else if (*s < 0x80)
			*o++ = *s;
		else if ((n = shown_hidden(s, len, &c)) != 0)
			o = put_character(o, c);
		else {
			n = 1;
			*o++ = *s;
		}
	}
	return o;
}

/*
 * Escape len bytes to o, where ESCAPE_MAX * len + 16 bytes are writable, from
 * s, where readable >= len bytes may be looked at: whole blocks are loaded and
 * stored before it is known how much of them counts.
 */
static inline uint8_t *
escape_slab(uint8_t *o, const uint8_t *s, size_t len, size_t readable)
{
#ifdef __SSE2__
	unsigned last = 1;

	while (len >= JSON_BLOCK && readable >= 2 * JSON_BLOCK) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
		unsigned mask = care_mask(v);
		size_t n = JSON_BLOCK;

		if (mask == 0 || _mm_movemask_epi8(v) == 0) {
			o = escape_block(o, s, mask);
			/* Two in a row: of a long text, most likely. */
			if ((mask | last) == 0 && len >= 3 * JSON_BLOCK) {
				size_t plain = copy_plain(o, s + n, len - n);

				o += plain;
				n += plain;
			}
		} else {
			struct place p = escape_mixed_block(o, s, mask, len);

			n = (size_t)(p.s - s);
			o = p.o;
		}
		last = mask;
		s += n;
		len -= n;
		readable -= n;
	}
	while (len > 0 && readable >= JSON_BLOCK) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
		unsigned mask = care_mask(v);
		size_t n = JSON_BLOCK;

		_mm_storeu_si128((__m128i *)(void *)o, v);
		if (len < JSON_BLOCK) {
			n = len;
			mask &= (1u << len) - 1;
		}
		if (mask == 0)
			o += n;
		else {
			n = (size_t)__builtin_ctz(mask);
			if (s[n] >= 0x80 && readable >= 2 * JSON_BLOCK) {
				struct place p = escape_mixed_block(o, s, mask, len);

				n = (size_t)(p.s - s);
				o = p.o;
			} else if (s[n] >= 0x80)
				return escape_bytes(o + n, s + n, len - n);
			else {
				o = put_escape(o + n, s[n]);
				n++;
			}
		}
		s += n;
		len -= n;
		readable -= n;
	}
#else
	(void)readable;
#endif
	return len == 0 ? o : escape_bytes(o, s, len);
}

/* The escape of the first character of s, its length returned; 0: it is written as it stands. */
static inline size_t
escape_character(struct span s, uint8_t out[JSON_ESCAPE_MAX], size_t *took)
{
	uint32_t c;

	*took = 1;
	if (letter[s.p[0]] != 0)
		return (size_t)(put_escape(out, s.p[0]) - out);
	if (s.p[0] < 0x80 || (*took = shown_hidden(s.p, s.len, &c)) == 0)
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

/* As json_escape(), for a buffer too close to its ceiling to be generous with. */
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

/* So many bytes of s that none of its characters is cut. */
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
		size_t n = slab_of(s), most = ESCAPE_MAX * n + 16;
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

/* json_write_string() where readable >= s.len bytes may be looked at. */
static inline void
write_string(struct buf *out, struct span s, size_t readable)
{
	uint8_t *o;

	if (s.len > 0 && s.len <= SLAB && out->cap - out->len >= ESCAPE_MAX * s.len + 18 && !out->full) {
		o = out->p + out->len;
		*o++ = '"';
		o = escape_slab(o, s.p, s.len, readable);
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

/* --- numbers ------------------------------------------------------------ */

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

/* --- values ------------------------------------------------------------- */

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
		buf_str(out, "{\"base64\":\"");
		b64_encode(out, v->s);
		buf_str(out, "\"}");
		break;
	default:
		buf_str(out, "null");
		break;
	}
}

/* A container that is being written. */
struct level {
	size_t	left;		/* elements, or keys and values, still to come */
	bool	map;
};

/* Write what stands in front of the next value of the container. */
static void
write_separator(struct buf *out, struct level *l, size_t of)
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
	struct level levels[MP_DEPTH_MAX];
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
	if (json_is_number(text.s))
		buf_span(out, text.s);
	else
		json_write_string(out, text.s);
	return n + m + text.s.len;
}

/* One cell at the front of bytes; returns its length, 0 when it is cut short. */
static inline size_t
write_cell(struct buf *out, struct span bytes)
{
	struct mp_value v;
	size_t n = mp_head_read(bytes.p, bytes.len, &v);

	if (n == 0 || mp_payload(&v) > bytes.len - n)
		return 0;
	if (v.class == MP_ARRAY)
		return write_array_cell(out, bytes);
	if (v.class == MP_MAP)
		return write_value(out, bytes);
	write_scalar(out, &v, bytes.len - n);
	return n + mp_payload(&v);
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

void
json_write_rows(struct buf *out, const struct mp_value *rows)
{
	struct mp_iter it = mp_iter(rows); /* nothing unless rows is a container */
	struct mp_value row;

	for (size_t i = 0, count = it.left; i < count; i++) {
		size_t left = (size_t)(it.end - it.p), n = mp_head_read(it.p, left, &row);

		if (n == 0)
			return;
		if (i > 0)
			buf_byte(out, ',');
		if (row.class != MP_ARRAY) {
			if ((n = write_value(out, span_of(it.p, left))) == 0)
				return;
			it.p += n;
			continue;
		}
		it.p += n;
		buf_byte(out, '[');
		for (size_t j = 0; j < row.n; j++) {
			if (j > 0)
				buf_byte(out, ',');
			n = write_cell(out, span_of(it.p, (size_t)(it.end - it.p)));
			if (n == 0)
				return;
			it.p += n;
		}
		buf_byte(out, ']');
	}
}
