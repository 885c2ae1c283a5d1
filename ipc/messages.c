/* messages.c - messages.def as tables, with the one encoder and the one decoder. */
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "ipc/messages.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* The largest encoding of a field, to bound a whole body. */
#define MOST_U64(high)	9
#define MOST_STR(high)	((size_t)(high) + 5)
#define MOST_BIN(high)	((size_t)(high) + 5)
#define MOST_RAW(high)	((size_t)(high))

#define ROW(T, kind, field, low, high)					\
	{ #field, IPC_KIND_##kind, offsetof(T, field), (low), (high) },
#define MOST(T, kind, field, low, high)	+ MOST_##kind(high)

#define MESSAGE(NAME, name, number, sender, receiver)			\
	static const struct ipc_field fields_##NAME[] = {		\
		FIELDS_##NAME(ROW, struct ipc_##name)			\
	};
#include "ipc/messages.def"
#undef MESSAGE

static const struct ipc_schema schemas[] = {
#define MESSAGE(NAME, name, number, sender, receiver)			\
	{ #NAME, number, sender, receiver, sizeof(struct ipc_##name),	\
	  COUNT(fields_##NAME), fields_##NAME,				\
	  5 FIELDS_##NAME(MOST, ) },
#include "ipc/messages.def"
#undef MESSAGE
};

/* Message number to row of schemas[], plus one; 0 for a number that is not used. */
enum {
#define MESSAGE(NAME, name, number, sender, receiver)	AT_##NAME,
#include "ipc/messages.def"
#undef MESSAGE
};
static const uint8_t row_of[] = {
#define MESSAGE(NAME, name, number, sender, receiver)	[number] = AT_##NAME + 1,
#include "ipc/messages.def"
#undef MESSAGE
};

/* The words of all vocabularies with their values, for ipc_version(). */
#define WORD_TEXT(WORD, value, ...)	#WORD "=" #value ","
#define VOCABULARY(NAME, ...)	#NAME ":" WORDS_##NAME(WORD_TEXT)
#define MASK(NAME, ...)		#NAME ":" WORDS_##NAME(WORD_TEXT)
#define MESSAGE(...)
static const char vocabularies[] =
#include "ipc/messages.def"
    "";
#undef MESSAGE
#undef MASK
#undef VOCABULARY

const struct ipc_schema *
ipc_schema(unsigned type)
{
	if (type >= COUNT(row_of) || row_of[type] == 0)
		return NULL;
	return &schemas[row_of[type] - 1];
}

size_t
ipc_schema_count(void)
{
	return COUNT(schemas);
}

const struct ipc_schema *
ipc_schema_at(size_t i)
{
	return i < COUNT(schemas) ? &schemas[i] : NULL;
}

static enum ipc_fault
translate(enum mp_fault fault)
{
	switch (fault) {
	case MP_OK:
		return IPC_OK;
	case MP_TRUNCATED:
		return IPC_TRUNCATED;
	case MP_TRAILING:
		return IPC_TRAILING;
	case MP_TOO_DEEP:
		return IPC_TOO_DEEP;
	case MP_BAD_TYPE:
		return IPC_BAD_TYPE;
	case MP_BAD_UTF8:
		return IPC_BAD_UTF8;
	}
	return IPC_BAD_TYPE;
}

/* Decode the field at the front of rest into slot; *len is how much of rest it took. */
static enum ipc_fault
unpack_field(const struct ipc_field *f, struct span rest, uint8_t *slot, size_t *len)
{
	static const enum mp_class class_of[] = {
		[IPC_KIND_U64] = MP_UINT, [IPC_KIND_STR] = MP_STR, [IPC_KIND_BIN] = MP_BIN,
	};
	enum mp_fault fault = mp_scan_front(rest, 1, len);
	struct span span = { rest.p, *len };
	struct mp_value v;
	uint64_t measure;

	if (fault != MP_OK)
		return translate(fault);
	if (f->kind == IPC_KIND_RAW) {
		measure = span.len;
		memcpy(slot, &span, sizeof(span));
	} else {
		if (mp_head(rest.p, rest.len, &v) == 0 || v.class != class_of[f->kind])
			return IPC_BAD_TYPE;
		if (f->kind == IPC_KIND_U64) {
			measure = v.u;
			memcpy(slot, &v.u, sizeof(v.u));
		} else {
			measure = v.s.len;
			memcpy(slot, &v.s, sizeof(v.s));
		}
	}
	return measure < f->low || measure > f->high ? IPC_OUT_OF_RANGE : IPC_OK;
}

enum ipc_fault
ipc_unpack(unsigned type, enum ipc_role from, enum ipc_role to,
    struct span body, void *msg, size_t msg_size)
{
	const struct ipc_schema *s = ipc_schema(type);
	union ipc_any out;
	struct mp_value v;
	enum ipc_fault fault;
	size_t at, len;

	if (s == NULL || s->size != msg_size)
		return IPC_UNKNOWN;
	if ((s->from & (unsigned)from) == 0 || (s->to & (unsigned)to) == 0)
		return IPC_NOT_ALLOWED;
	if ((at = mp_head(body.p, body.len, &v)) == 0)
		return v.class == MP_REFUSED ? IPC_BAD_TYPE : IPC_TRUNCATED;
	if (v.class != MP_ARRAY || v.n != s->nfields)
		return IPC_BAD_TYPE;
	for (size_t i = 0; i < s->nfields; i++, at += len) {
		const struct ipc_field *f = &s->fields[i];

		fault = unpack_field(f, span_of(body.p + at, body.len - at), (uint8_t *)&out + f->offset, &len);
		if (fault != IPC_OK)
			return fault;
	}
	if (at != body.len)
		return IPC_TRAILING;
	memcpy(msg, &out, msg_size);
	return IPC_OK;
}

enum ipc_fault
ipc_unpack_any(unsigned type, enum ipc_role from, enum ipc_role to, struct span body, union ipc_any *msg)
{
	const struct ipc_schema *s = ipc_schema(type);

	return s == NULL ? IPC_UNKNOWN : ipc_unpack(type, from, to, body, msg, s->size);
}

/* Append one field; false when it breaks its row. */
static bool
pack_field(const struct ipc_field *f, const uint8_t *slot, struct buf *out)
{
	struct span s = { NULL, 0 };
	uint64_t measure;
	size_t len;

	if (f->kind == IPC_KIND_U64)
		memcpy(&measure, slot, sizeof(measure));
	else {
		memcpy(&s, slot, sizeof(s));
		measure = s.len;
	}
	if (measure < f->low || measure > f->high)
		return false;
	switch (f->kind) {
	case IPC_KIND_U64:
		mp_put_uint(out, measure);
		return true;
	case IPC_KIND_STR:
		if (!utf8_valid(s.p, s.len))
			return false;
		mp_put_str(out, s);
		return true;
	case IPC_KIND_BIN:
		mp_put_bin(out, s);
		return true;
	case IPC_KIND_RAW:
		/* The value lies one level deep in the body's array, as the receiver checks it. */
		if (mp_scan_front(s, 1, &len) != MP_OK || len != s.len)
			return false;
		buf_span(out, s);
		return true;
	}
	return false;
}

/* Upper bound of the packed size of msg. */
static size_t
pack_bound(const struct ipc_schema *s, const void *msg)
{
	size_t most = 5;

	for (size_t i = 0; i < s->nfields; i++) {
		struct span span = { NULL, 4 };

		if (s->fields[i].kind != IPC_KIND_U64)
			memcpy(&span, (const uint8_t *)msg + s->fields[i].offset, sizeof(span));
		most += span.len + 5;
	}
	return most;
}

int
ipc_pack(unsigned type, const void *msg, struct buf *out)
{
	const struct ipc_schema *s = ipc_schema(type);
	size_t before = out->len, bound;

	if (s == NULL || out->full)
		return -1;
	/* Grow at most once: realloc() would leave copies of a secret behind. */
	if ((bound = pack_bound(s, msg)) <= IPC_BODY_MAX)
		(void)buf_reserve(out, bound);
	out->full = false; /* the bound may be beyond the ceiling and the message not */
	mp_put_array(out, s->nfields);
	for (size_t i = 0; i < s->nfields; i++) {
		const struct ipc_field *f = &s->fields[i];

		if (!pack_field(f, (const uint8_t *)msg + f->offset, out))
			goto fail;
	}
	if (!out->full)
		return 0;
fail:
	out->len = before;
	out->full = false;
	return -1;
}

const char *
ipc_type_name(unsigned type)
{
	const struct ipc_schema *s = ipc_schema(type);

	return s != NULL ? s->name : "UNKNOWN";
}

static uint64_t
mix_u64(uint64_t h, uint64_t n)
{
	return hash_more(h, &n, sizeof(n));
}

uint64_t
ipc_version(void)
{
	uint64_t h = hash_more(HASH_START, vocabularies, sizeof(vocabularies));

	for (size_t i = 0; i < COUNT(schemas); i++) {
		const struct ipc_schema *s = &schemas[i];

		h = hash_more(h, s->name, strlen(s->name) + 1);
		h = mix_u64(mix_u64(mix_u64(h, s->type), s->from), s->to);
		for (size_t j = 0; j < s->nfields; j++) {
			const struct ipc_field *f = &s->fields[j];

			h = hash_more(h, f->name, strlen(f->name) + 1);
			h = mix_u64(mix_u64(mix_u64(h, f->kind), f->low), f->high);
		}
	}
	return h;
}

const char *
ipc_pool_state_name(enum ipc_pool_state state)
{
#define POOL_TEXT(WORD, value, text)	[value] = text,
	static const char *const names[] = { WORDS_POOL(POOL_TEXT) };
#undef POOL_TEXT

	return state <= IPC_POOL_HIGH ? names[state] : NULL;
}

const char *
ipc_fault_name(enum ipc_fault fault)
{
	switch (fault) {
	case IPC_OK:
		return "ok";
	case IPC_TRUNCATED:
		return "truncated";
	case IPC_TRAILING:
		return "trailing bytes";
	case IPC_TOO_DEEP:
		return "too deep";
	case IPC_BAD_TYPE:
		return "bad type";
	case IPC_BAD_UTF8:
		return "bad UTF-8";
	case IPC_OUT_OF_RANGE:
		return "out of range";
	case IPC_NOT_ALLOWED:
		return "not allowed";
	case IPC_UNKNOWN:
		return "unknown message";
	case IPC_TOO_LONG:
		return "too long";
	case IPC_OUT_OF_STATE:
		return "out of state";
	case IPC_STRAY_FD:
		return "stray descriptor";
	}
	return "unknown fault";
}
