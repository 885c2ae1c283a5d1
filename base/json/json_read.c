/* json_read.c - strict JSON from strangers, read into msgpack in one pass; see json_read.h. */
#include <stdlib.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/json/json_text.h"
#include "base/text/num.h"
#include "base/utf8.h"

#define TEXT_MAX	((size_t)1 << 30)	/* offsets below fit 32 bits even in the output */
#define KEYS_INLINE	32			/* keys of open objects before the heap is needed */
#define KEYS_LINEAR	16			/* up to here every pair of keys is compared */

/* A key of an object that is still open. */
struct json_key {
	uint32_t	off, len;	/* its bytes in the output, from the value's start */
	uint32_t	at;		/* its place in the text */
};

struct json_reader {
	const uint8_t	*start, *p, *end;
	struct buf	*out;
	size_t		 base;			/* where the value starts in out */
	bool		 digits;		/* numbers stay text, as BIN */
	enum json_fault	 fault;
	const uint8_t	*trouble;

	struct {
		size_t	mark, n, keys;		/* head in out, members so far, first key */
		bool	map;
	} open[JSON_DEPTH_MAX];
	size_t		 depth;

	struct json_key	*keys;			/* inline_keys, or the heap */
	size_t		 nkeys, keys_cap;
	struct json_key	 inline_keys[KEYS_INLINE];
};

/* The tokens that may come next. */
enum expect { VALUE, VALUE_OR_END, KEY, KEY_OR_END, AFTER };

static void
json_read_fail(struct json_reader *r, enum json_fault fault, const uint8_t *at)
{
	if (r->fault == JSON_OK) {
		r->fault = fault;
		r->trouble = at;
	}
}

static void
skip_space(struct json_reader *r)
{
	r->p = json_skip_space(r->p, r->end);
}

static bool
next_is(const struct json_reader *r, uint8_t c)
{
	return r->p < r->end && *r->p == c;
}

static void
key_add(struct json_reader *r, struct json_key key)
{
	if (r->nkeys == r->keys_cap) {
		size_t cap = r->keys_cap * 2;
		struct json_key *old = r->keys == r->inline_keys ? NULL : r->keys;
		struct json_key *grown = realloc(old, cap * sizeof(*grown));

		if (grown == NULL)
			abort(); /* out of memory is fatal; the supervisor restarts us */
		if (old == NULL)
			memcpy(grown, r->inline_keys, sizeof(r->inline_keys));
		r->keys = grown;
		r->keys_cap = cap;
	}
	r->keys[r->nkeys++] = key;
}

/* Shorter keys first: equal keys end up side by side, and most comparisons end at the length. */
static int
key_cmp(const struct json_reader *r, const struct json_key *a, const struct json_key *b)
{
	const uint8_t *bytes = r->out->p + r->base;

	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return a->len == 0 ? 0 : memcmp(bytes + a->off, bytes + b->off, a->len);
}

static int
key_order(const struct json_reader *r, const struct json_key *a, const struct json_key *b)
{
	int c = key_cmp(r, a, b);

	return c != 0 ? c : (a->at > b->at) - (a->at < b->at);
}

static void
sift_down(const struct json_reader *r, struct json_key *k, size_t root, size_t n)
{
	struct json_key moved = k[root];
	size_t child;

	while ((child = 2 * root + 1) < n) {
		if (child + 1 < n && key_order(r, &k[child], &k[child + 1]) < 0)
			child++;
		if (key_order(r, &moved, &k[child]) >= 0)
			break;
		k[root] = k[child];
		root = child;
	}
	k[root] = moved;
}

/* Heapsort: in place, no worst case, and unlike qsort() no system calls. */
static void
key_sort(const struct json_reader *r, struct json_key *k, size_t n)
{
	for (size_t i = n / 2; i > 0; i--)
		sift_down(r, k, i - 1, n);
	for (size_t i = n; i > 1; i--) {
		struct json_key last = k[i - 1];

		k[i - 1] = k[0];
		k[0] = last;
		sift_down(r, k, 0, i - 1);
	}
}

/* The keys of the object that ends here: each only once. */
static void
keys_close(struct json_reader *r, size_t first)
{
	struct json_key *k = r->keys + first;
	size_t n = r->nkeys - first;
	uint32_t at = UINT32_MAX;

	r->nkeys = first;
	if (r->out->full)
		return;
	if (n <= KEYS_LINEAR) {
		for (size_t i = 1; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (k[i].len == k[j].len && key_cmp(r, &k[i], &k[j]) == 0) {
					json_read_fail(r, JSON_DUPLICATE_KEY, r->start + k[i].at);
					return;
				}
		return;
	}
	key_sort(r, k, n);
	for (size_t i = 1; i < n; i++)
		if (key_cmp(r, &k[i], &k[i - 1]) == 0 && k[i].at < at)
			at = k[i].at;
	if (at != UINT32_MAX)
		json_read_fail(r, JSON_DUPLICATE_KEY, r->start + at);
}

/* p is after "\u".  Returns the position after the character, NULL on a fault. */
static const uint8_t *
read_unicode(struct json_reader *r, const uint8_t *p)
{
	size_t len;
	int32_t c = json_escape_unicode(p, r->end, &len);

	if (c <= 0 || json_is_surrogate(c))
		return NULL;
	utf8_put(r->out, (uint32_t)c);
	return p + len;
}

/* r->p is at a backslash. */
static void
read_escape(struct json_reader *r)
{
	const uint8_t *p = r->p + 1;

	if (p == r->end) {
		json_read_fail(r, JSON_SYNTAX, p);
		return;
	}
	if (*p == 'u')
		p = read_unicode(r, p + 1);
	else if (json_escape_letter(*p) != 0)
		buf_byte(r->out, json_escape_letter(*p++));
	else
		p = NULL;
	if (p == NULL)
		json_read_fail(r, JSON_BAD_ESCAPE, r->p);
	else
		r->p = p;
}

/* The bytes up to the next quote, backslash or control character; checks them. */
static struct span
read_run(struct json_reader *r)
{
	struct span run = { r->p, json_plain(r->p, (size_t)(r->end - r->p)) };
	size_t bad = utf8_bad(run.p, run.len);

	if (bad != run.len)
		json_read_fail(r, JSON_BAD_UTF8, run.p + bad);
	r->p += run.len;
	if (r->p == r->end || *r->p < 0x20)
		json_read_fail(r, JSON_SYNTAX, r->p);
	return run;
}

/* r->p is at the opening quote; appends a STR. */
static void
read_string(struct json_reader *r)
{
	struct span run;
	size_t mark;

	r->p++;
	run = read_run(r);
	if (r->fault != JSON_OK)
		return;
	if (*r->p == '"') {
		mp_put_str(r->out, run);
		r->p++;
		return;
	}
	mark = mp_open_str(r->out);
	buf_span(r->out, run);
	while (r->fault == JSON_OK && *r->p != '"') {
		read_escape(r);
		if (r->fault == JSON_OK)
			buf_span(r->out, read_run(r));
	}
	if (r->fault != JSON_OK)
		return;
	r->p++;
	mp_close_str(r->out, mark);
}

static size_t
digits(const uint8_t *p, size_t left)
{
	size_t n = 0;

	while (n < left && p[n] >= '0' && p[n] <= '9')
		n++;
	return n;
}

/* The length of the number s starts with, 0 when it does not; *integer: neither '.' nor exponent. */
static size_t
number_len(struct span s, bool *integer)
{
	size_t i = s.len > 0 && s.p[0] == '-', n;

	*integer = true;
	if ((n = digits(s.p + i, s.len - i)) == 0)
		return 0;
	i += s.p[i] == '0' ? 1 : n;
	if (i < s.len && s.p[i] == '.') {
		*integer = false;
		if ((n = digits(s.p + i + 1, s.len - i - 1)) == 0)
			return 0;
		i += 1 + n;
	}
	if (i < s.len && (s.p[i] | 0x20) == 'e') {
		*integer = false;
		i++;
		if (i < s.len && (s.p[i] == '+' || s.p[i] == '-'))
			i++;
		if ((n = digits(s.p + i, s.len - i)) == 0)
			return 0;
		i += n;
	}
	return i;
}

bool
json_is_number(struct span s)
{
	bool integer;

	return s.len > 0 && number_len(s, &integer) == s.len;
}

/* From here on doubles are no exact integers (2^53). */
#define INTEGER_END 9007199254740992.0

bool
json_is_exact(struct span s)
{
	size_t digits = 0;

	for (size_t i = 0; i < s.len; i++)
		if ((s.p[i] | 0x20) == 'e')
			return false;
		else if (s.p[i] >= '0' && s.p[i] <= '9')
			digits += digits > 0 || s.p[i] != '0';
	return digits <= JSON_EXACT_DIGITS && json_is_number(s);
}

static bool
put_integer(struct buf *out, struct span s)
{
	bool negative = s.p[0] == '-';
	uint64_t n = 0, most = negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;

	for (size_t i = negative; i < s.len; i++) {
		uint64_t digit = (uint64_t)(s.p[i] - '0');

		if (n > (most - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	if (negative)
		mp_put_int(out, (int64_t)(0 - n));
	else
		mp_put_uint(out, n);
	return true;
}

static void
read_number(struct json_reader *r)
{
	struct span s = { r->p, (size_t)(r->end - r->p) };
	bool integer;
	double d;

	if ((s.len = number_len(s, &integer)) == 0) {
		json_read_fail(r, JSON_SYNTAX, r->p);
		return;
	}
	if (r->digits)
		mp_put_bin(r->out, s);
	else if (integer && !(s.len == 2 && s.p[0] == '-' && s.p[1] == '0')) {
		if (!put_integer(r->out, s))
			json_read_fail(r, JSON_BAD_NUMBER, r->p);
	} else if (!num_read_double((const char *)s.p, s.len, &d))
		json_read_fail(r, JSON_BAD_NUMBER, r->p);
	else if (d > -INTEGER_END && d < INTEGER_END && d == (double)(int64_t)d && (d != 0 || s.p[0] != '-'))
		mp_put_int(r->out, (int64_t)d);
	else
		mp_put_double(r->out, d);
	r->p += s.len;
}

static bool
literal(struct json_reader *r, const char *word, size_t len)
{
	if ((size_t)(r->end - r->p) < len || memcmp(r->p, word, len) != 0) {
		json_read_fail(r, JSON_SYNTAX, r->p);
		return false;
	}
	r->p += len;
	return true;
}

static enum expect
open_container(struct json_reader *r)
{
	bool map = *r->p == '{';

	if (r->depth == JSON_DEPTH_MAX) {
		json_read_fail(r, JSON_TOO_DEEP, r->p);
		return AFTER;
	}
	r->open[r->depth].map = map;
	r->open[r->depth].n = 0;
	r->open[r->depth].keys = r->nkeys;
	r->open[r->depth].mark = map ? mp_open_map(r->out) : mp_open_array(r->out);
	r->depth++;
	r->p++;
	return map ? KEY_OR_END : VALUE_OR_END;
}

/* r->p is at a bracket of either kind. */
static enum expect
close_container(struct json_reader *r)
{
	size_t d = r->depth - 1;

	if (*r->p != (r->open[d].map ? '}' : ']')) {
		json_read_fail(r, JSON_SYNTAX, r->p);
		return AFTER;
	}
	mp_close(r->out, r->open[d].mark, r->open[d].n);
	if (r->open[d].map)
		keys_close(r, r->open[d].keys);
	r->depth--;
	r->p++;
	return AFTER;
}

static enum expect
read_value(struct json_reader *r)
{
	if (r->p == r->end) {
		json_read_fail(r, JSON_SYNTAX, r->p);
		return AFTER;
	}
	if (r->depth > 0)
		r->open[r->depth - 1].n++;
	switch (*r->p) {
	case '{':
	case '[':
		return open_container(r);
	case '"':
		read_string(r);
		break;
	case 't':
		if (literal(r, "true", 4))
			mp_put_bool(r->out, true);
		break;
	case 'f':
		if (literal(r, "false", 5))
			mp_put_bool(r->out, false);
		break;
	case 'n':
		if (literal(r, "null", 4))
			mp_put_nil(r->out);
		break;
	default:
		read_number(r);
		break;
	}
	return AFTER;
}

/* A key and its colon. */
static enum expect
read_key(struct json_reader *r)
{
	size_t mark = r->out->len;
	uint32_t at = (uint32_t)(r->p - r->start);
	struct mp_value v;

	if (!next_is(r, '"')) {
		json_read_fail(r, JSON_SYNTAX, r->p);
		return KEY;
	}
	read_string(r);
	skip_space(r);
	if (r->fault == JSON_OK && !next_is(r, ':'))
		json_read_fail(r, JSON_SYNTAX, r->p);
	if (r->fault != JSON_OK || r->out->full)
		return KEY;
	r->p++;
	(void)mp_head(r->out->p + mark, r->out->len - mark, &v);
	key_add(r, (struct json_key){
		.off = (uint32_t)((size_t)(v.s.p - r->out->p) - r->base),
		.len = (uint32_t)v.s.len, .at = at });
	return VALUE;
}

/* After a value inside a container. */
static enum expect
read_after(struct json_reader *r)
{
	if (next_is(r, ',')) {
		r->p++;
		return r->open[r->depth - 1].map ? KEY : VALUE;
	}
	if (next_is(r, '}') || next_is(r, ']'))
		return close_container(r);
	json_read_fail(r, JSON_SYNTAX, r->p);
	return AFTER;
}

static void
read_text(struct json_reader *r)
{
	enum expect expect = VALUE;

	while (r->fault == JSON_OK) {
		skip_space(r);
		if (r->out->full)
			json_read_fail(r, JSON_TOO_LARGE, r->p);
		else if (expect == AFTER && r->depth == 0)
			break;
		else if (expect == AFTER)
			expect = read_after(r);
		else if ((expect == VALUE_OR_END && next_is(r, ']')) || (expect == KEY_OR_END && next_is(r, '}')))
			expect = close_container(r);
		else if (expect == KEY || expect == KEY_OR_END)
			expect = read_key(r);
		else
			expect = read_value(r);
	}
	if (r->fault == JSON_OK && r->p != r->end)
		json_read_fail(r, JSON_TRAILING, r->p);
}

static enum json_fault
read_as(struct span text, bool digits, struct buf *out, size_t *at)
{
	bool was_full = out->full;
	struct json_reader r;

	if (text.p == NULL)
		text = SPAN("");
	r.start = r.p = text.p;
	r.end = text.p + text.len;
	r.out = out;
	r.base = out->len;
	r.fault = JSON_OK;
	r.trouble = text.p;
	r.depth = r.nkeys = 0;
	r.digits = digits;
	r.keys = r.inline_keys;
	r.keys_cap = KEYS_INLINE;
	if (was_full || text.len > TEXT_MAX)
		json_read_fail(&r, JSON_TOO_LARGE, text.p);
	else if (text.len >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
		json_read_fail(&r, JSON_MARKED, text.p);
	else
		read_text(&r);
	if (r.keys != r.inline_keys)
		free(r.keys);
	if (r.fault != JSON_OK) {
		out->len = r.base;
		out->full = was_full;
	}
	*at = (size_t)(r.trouble - r.start);
	return r.fault;
}

enum json_fault
json_read(struct span text, struct buf *out, size_t *at)
{
	return read_as(text, false, out, at);
}

enum json_fault
json_read_digits(struct span text, struct buf *out, size_t *at)
{
	return read_as(text, true, out, at);
}

const char *
json_fault_text(enum json_fault fault)
{
	switch (fault) {
	case JSON_OK:
		return "no fault";
	case JSON_SYNTAX:
		return "not valid JSON";
	case JSON_TRAILING:
		return "something follows the value";
	case JSON_TOO_DEEP:
		return "nested too deep";
	case JSON_DUPLICATE_KEY:
		return "duplicate key";
	case JSON_BAD_UTF8:
		return "not valid UTF-8";
	case JSON_MARKED:
		return "a byte-order mark in front, which is not allowed";
	case JSON_BAD_ESCAPE:
		return "bad escape sequence in a string";
	case JSON_BAD_NUMBER:
		return "number does not fit";
	case JSON_TOO_LARGE:
		return "too large";
	}
	return "unknown fault";
}
