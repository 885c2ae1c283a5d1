/*
 * mp - MessagePack (msgpack.org specification), the one shape values have
 * between processes and inside them: JSON from strangers is read into it,
 * results are written from it.
 *
 * Writing appends to a struct buf; the bytes are made by msgpack-c's pack
 * templates.  Reading is our own, because msgpack-c's unpacker builds a tree
 * in memory of its own before anything is known of the value, takes any bytes
 * for text and any value for a key: mp_scan() allocates nothing, reads each
 * byte once and bounds depth and numbers before it believes them.  First it
 * accepts the whole value, then the readers below walk it where it lies.  A
 * reader given bytes that mp_scan() did not accept still stays inside the
 * span, but what it returns is unspecified.
 *
 * Left out on purpose: ext types (refused), non-string map keys (refused by
 * mp_scan).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define MP_DEPTH_MAX	40	/* JSON that comes in may have 32 levels; messages around it add a few */
#define MP_EMPTY_MAP	SPAN("\x80")	/* as msgpack */

enum mp_class {
	MP_REFUSED, MP_NIL, MP_BOOL, MP_INT, MP_UINT, MP_FLOAT, MP_STR, MP_BIN,
	MP_ARRAY, MP_MAP
};

/* Why bytes were refused.  Zero is success; each value has its own test. */
enum mp_fault {
	MP_OK = 0,
	MP_TRUNCATED,		/* the bytes end inside a value, or promise more values than bytes left */
	MP_TRAILING,		/* bytes after the one value */
	MP_TOO_DEEP,
	MP_BAD_TYPE,		/* ext, reserved byte, map key that is no string */
	MP_BAD_UTF8
};

struct mp_value {
	enum mp_class	class;
	union {
		bool		 boolean;
		int64_t		 i;	/* MP_INT: always negative */
		uint64_t	 u;	/* MP_UINT: zero and up */
		double		 f;
		struct span	 s;	/* STR, BIN: payload; borrows */
		size_t		 n;	/* ARRAY: elements; MAP: pairs */
	};
	struct span	raw;		/* the whole encoded value, children included */
};

static inline bool
mp_is_number(const struct mp_value *v)
{
	return v->class == MP_INT || v->class == MP_UINT || v->class == MP_FLOAT;
}

/* A number's value, rounded where a double cannot hold it. */
static inline double
mp_number(const struct mp_value *v)
{
	return v->class == MP_FLOAT ? v->f : v->class == MP_INT ? (double)v->i : (double)v->u;
}

void mp_put_nil(struct buf *b);
void mp_put_bool(struct buf *b, bool v);
void mp_put_int(struct buf *b, int64_t v);
void mp_put_uint(struct buf *b, uint64_t v);
void mp_put_double(struct buf *b, double v);
void mp_put_str(struct buf *b, struct span s);	/* s must be valid UTF-8 */
void mp_put_cstr(struct buf *b, const char *s);	/* NULL: nil */
void mp_put_bin(struct buf *b, struct span s);
void mp_put_array(struct buf *b, size_t n);
void mp_put_map(struct buf *b, size_t n);

/*
 * One pair of a map.  Nil stands for a NULL text; for a span whose p is NULL
 * with _maybe, and for any empty one with _some.
 */
void mp_pair_bool(struct buf *b, const char *key, bool v);
void mp_pair_uint(struct buf *b, const char *key, uint64_t v);
void mp_pair_known(struct buf *b, const char *key, bool known, uint64_t v);	/* nil when it is not known */
void mp_pair_double(struct buf *b, const char *key, double v);
void mp_pair_str(struct buf *b, const char *key, struct span s);
void mp_pair_maybe(struct buf *b, const char *key, struct span s);
void mp_pair_some(struct buf *b, const char *key, struct span s);
void mp_pair_cstr(struct buf *b, const char *key, const char *s);
void mp_pair_strs(struct buf *b, const char *key, const struct span *v, size_t n);	/* an ARRAY of texts */
void mp_pair_cstrs(struct buf *b, const char *key, const char *const *v, size_t n);
void mp_pair_array(struct buf *b, const char *key, size_t n);	/* its n elements follow */
void mp_pair_raw(struct buf *b, const char *key, struct span value);	/* encoded already */

/* A pair as a value, for mp_put_pairs().  Nil stands for the same as above. */
struct mp_pair {
	const char	*key;	/* NULL: no pair */
	enum mp_pair_kind {
		MP_PAIR_NIL,
		MP_PAIR_BOOL,
		MP_PAIR_UINT,
		MP_PAIR_DOUBLE,
		MP_PAIR_STR,
		MP_PAIR_STRS,
		MP_PAIR_CSTRS,
		MP_PAIR_RAW
	}		 kind;
	union {
		bool			 boolean;
		uint64_t		 u;
		double			 f;
		struct span		 s;
		const struct span	*strs;
		const char *const	*cstrs;
	};
	size_t		 n;	/* of strs and cstrs */
};

/*
 * A map that counts itself, its pairs made by the functions below:
 *
 *	mp_put_pairs(out, mp_cstr("id", c->id), mp_when(c->late_ms > 0, mp_uint("lateMs", c->late_ms)));
 */
#define mp_put_pairs(b, ...)	mp_put_n_pairs((b), MP_PAIRS(__VA_ARGS__))
#define MP_PAIRS(...)											\
	(const struct mp_pair[]){ __VA_ARGS__ },							\
	    sizeof((const struct mp_pair[]){ __VA_ARGS__ }) / sizeof(struct mp_pair)
void mp_put_n_pairs(struct buf *b, const struct mp_pair *pairs, size_t n);

/* The same for a map that goes on: open it as mp_open_map() does, or only add the pairs. */
#define mp_open_pairs(b, ...)	mp_open_n_pairs((b), MP_PAIRS(__VA_ARGS__))
#define mp_add_pairs(b, ...)	mp_add_n_pairs((b), MP_PAIRS(__VA_ARGS__))
size_t mp_open_n_pairs(struct buf *b, const struct mp_pair *pairs, size_t n);
void mp_add_n_pairs(struct buf *b, const struct mp_pair *pairs, size_t n);

static inline struct mp_pair
mp_bool(const char *key, bool v)
{
	return (struct mp_pair){ .key = key, .kind = MP_PAIR_BOOL, .boolean = v };
}

static inline struct mp_pair
mp_uint(const char *key, uint64_t v)
{
	return (struct mp_pair){ .key = key, .kind = MP_PAIR_UINT, .u = v };
}

static inline struct mp_pair
mp_known(const char *key, bool known, uint64_t v)
{
	return (struct mp_pair){ .key = key, .kind = known ? MP_PAIR_UINT : MP_PAIR_NIL, .u = v };
}

static inline struct mp_pair
mp_double(const char *key, double v)
{
	return (struct mp_pair){ .key = key, .kind = MP_PAIR_DOUBLE, .f = v };
}

static inline struct mp_pair
mp_str(const char *key, struct span s)
{
	return (struct mp_pair){ .key = key, .kind = MP_PAIR_STR, .s = s };
}

static inline struct mp_pair
mp_maybe(const char *key, struct span s)
{
	return (struct mp_pair){ .key = key, .kind = s.p == NULL ? MP_PAIR_NIL : MP_PAIR_STR, .s = s };
}

static inline struct mp_pair
mp_some(const char *key, struct span s)
{
	return (struct mp_pair){ .key = key, .kind = s.len == 0 ? MP_PAIR_NIL : MP_PAIR_STR, .s = s };
}

static inline struct mp_pair
mp_cstr(const char *key, const char *s)
{
	return mp_maybe(key, s == NULL ? SPAN_NONE : span_str(s));
}

static inline struct mp_pair
mp_strs(const char *key, const struct span *v, size_t n)
{
	return (struct mp_pair){ .key = key, .kind = MP_PAIR_STRS, .strs = v, .n = n };
}

static inline struct mp_pair
mp_cstrs(const char *key, const char *const *v, size_t n)
{
	return (struct mp_pair){ .key = key, .kind = MP_PAIR_CSTRS, .cstrs = v, .n = n };
}

/* A value that is encoded already. */
static inline struct mp_pair
mp_raw(const char *key, struct span value)
{
	return (struct mp_pair){ .key = key, .kind = MP_PAIR_RAW, .s = value };
}

/* The pair, or none. */
static inline struct mp_pair
mp_when(bool there, struct mp_pair pair)
{
	return there ? pair : (struct mp_pair){ .key = NULL };
}

/*
 * A container whose size is known only at its end: mp_open_*() writes a
 * 32-bit head and returns its place.  mp_end() counts what was written since
 * and shortens the head; mp_close() takes the number of elements (ARRAY) or
 * pairs (MAP) from a caller that counted many of them.
 */
size_t mp_open_array(struct buf *b);
size_t mp_open_map(struct buf *b);
size_t mp_pair_open_array(struct buf *b, const char *key);	/* as a member of a map */
void mp_end(struct buf *b, size_t mark);
void mp_close(struct buf *b, size_t mark, size_t n);

/* The same for a string: append its bytes in between; the head ends up shortest. */
size_t mp_open_str(struct buf *b);
void mp_close_str(struct buf *b, size_t mark);

/*
 * Check that the bytes are exactly one value we are willing to look at:
 * complete, nothing after it, at most MP_DEPTH_MAX deep, no ext types, every
 * str valid UTF-8, never more values promised than bytes left.  Never
 * allocates, never recurses, reads each byte once.
 */
enum mp_fault mp_scan(struct span body);

/*
 * The same for one value at the front of bytes that already lies inside depth
 * containers; what follows it is not looked at.  On MP_OK *len is its length.
 */
enum mp_fault mp_scan_front(struct span bytes, size_t depth, size_t *len);

/*
 * Read one head: class and, for STR and BIN, where the payload is.  Fills *v
 * save raw.  Returns the length of the head, 0 when it is of a refused type
 * (class MP_REFUSED) or cut short (any other class).  The payload of a STR or
 * BIN may reach beyond left.  The scanner's and the readers' only look at bytes.
 */
size_t mp_head(const uint8_t *p, size_t left, struct mp_value *v);

/* Walks the elements of an array, or keys and values of a map in turn. */
struct mp_iter {
	const uint8_t	*p, *end;
	size_t		 left;		/* elements, or pairs * 2, still to come */
};

/*
 * The one value that bytes, accepted by mp_scan(), hold.  False when they do
 * not even start like one.  Costs nothing: a container is not walked.
 */
bool mp_value(struct span bytes, struct mp_value *v);

/* Iterate over an ARRAY or MAP value; of any other class: nothing. */
struct mp_iter mp_iter(const struct mp_value *v);
bool mp_next(struct mp_iter *it, struct mp_value *v);
bool mp_next_pair(struct mp_iter *it, struct span *key, struct mp_value *v);

/* The member of a map.  False, and *v of class MP_NIL, if there is no such member, or map is of another class. */
bool mp_member(const struct mp_value *map, struct span key, struct mp_value *v);

static inline bool
mp_get(const struct mp_value *map, const char *key, struct mp_value *v)
{
	return mp_member(map, span_str(key), v);
}

/* Typed members: the value when present and of that class, else otherwise. */
struct span mp_get_str(const struct mp_value *map, const char *key, struct span otherwise);
uint64_t mp_get_uint(const struct mp_value *map, const char *key, uint64_t otherwise);
bool mp_get_bool(const struct mp_value *map, const char *key, bool otherwise);
