// libs: carrel_base carrel_ipc
/* test_ipc_schema.c - the message table: round trips, permissions, and every fault by name. */
#include <stdio.h>
#include <stdlib.h>

#include "ipc/messages.h"
#include "tests/unit/harness.h"

static void
table_is_sane(void **state)
{
	(void)state;
	for (size_t i = 0; i < ipc_schema_count(); i++) {
		const struct ipc_schema *s = ipc_schema_at(i);

		assert_ptr_equal(ipc_schema(s->type), s);
		assert_string_equal(ipc_type_name(s->type), s->name);
		assert_int_not_equal(s->from, 0);
		assert_int_not_equal(s->to, 0);
		assert_true(s->nfields > 0);
		for (size_t j = 0; j < s->nfields; j++) {
			const struct ipc_field *f = &s->fields[j];

			assert_true(f->low <= f->high);
			assert_true(f->offset < s->size);
			/* A RAW holds a value, and no value is empty. */
			if (f->kind == IPC_KIND_RAW)
				assert_true(f->low >= 1);
		}
	}
	assert_null(ipc_schema(0));
	assert_null(ipc_schema(31));
	assert_null(ipc_schema(9999));
	assert_null(ipc_schema_at(ipc_schema_count()));
	assert_string_equal(ipc_type_name(9999), "UNKNOWN");
}

static void
names(void **state)
{
	static const enum ipc_role roles[] = {
		IPC_SUPERVISOR, IPC_FRONT, IPC_SQL, IPC_SEARCH, IPC_MEMORY, IPC_AUTH, IPC_AGENT, IPC_GIT,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		assert_string_not_equal(ipc_role_name(roles[i]), "unknown");
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(ipc_role_name(roles[i]), ipc_role_name(roles[j]));
	}
	assert_string_equal(ipc_role_name(IPC_WORKER), "unknown");
	assert_string_equal(ipc_role_name((enum ipc_role)0), "unknown");
	for (int i = IPC_OK; i <= IPC_STRAY_FD; i++) {
		assert_string_not_equal(ipc_fault_name((enum ipc_fault)i), "unknown fault");
		for (int j = IPC_OK; j < i; j++)
			assert_string_not_equal(ipc_fault_name((enum ipc_fault)i), ipc_fault_name((enum ipc_fault)j));
	}
	assert_string_equal(ipc_fault_name((enum ipc_fault)99), "unknown fault");
}

/* --- a message with every field at one end of its range ------------------------ */

static void
put_u64(const struct ipc_field *f, uint8_t *msg, uint64_t v)
{
	memcpy(msg + f->offset, &v, sizeof(v));
}

static void
put_span(const struct ipc_field *f, uint8_t *msg, struct span s)
{
	memcpy(msg + f->offset, &s, sizeof(s));
}

/* len bytes fitting the kind: text, or one msgpack value of exactly that size (kept in b). */
static struct span
payload(struct buf *b, enum ipc_kind kind, size_t len)
{
	size_t at = b->len;

	if (kind == IPC_KIND_RAW && len > 1) {
		/* A bin that fills it: some lengths need a wider head than the shortest. */
		if (len == 2)
			buf_append(b, "\xc4\x00", 2);
		else if (len - 2 <= UINT8_MAX) {
			buf_byte(b, 0xc4);
			buf_byte(b, (uint8_t)(len - 2));
		} else {
			buf_byte(b, 0xc6);
			for (int shift = 24; shift >= 0; shift -= 8)
				buf_byte(b, (uint8_t)((len - 5) >> shift));
		}
	} else if (kind == IPC_KIND_RAW && len == 1)
		buf_byte(b, 0xc0);
	while (b->len - at < len)
		buf_byte(b, 'x');
	return span_of((void *)(uintptr_t)at, len);
}

/* Fill msg; spans point into b only afterwards, as b moves while it grows. */
static void
fill(const struct ipc_schema *s, uint8_t *msg, struct buf *b, bool high, size_t cap)
{
	assert_non_null(buf_reserve(b, 1)); /* so that even nothing has an address */
	for (size_t i = 0; i < s->nfields; i++) {
		const struct ipc_field *f = &s->fields[i];
		uint64_t v = high ? f->high : f->low;

		if (f->kind == IPC_KIND_U64)
			put_u64(f, msg, v);
		else {
			if (v > cap)
				v = f->low > cap ? f->low : cap;
			put_span(f, msg, payload(b, f->kind, (size_t)v));
		}
	}
	for (size_t i = 0; i < s->nfields; i++) {
		const struct ipc_field *f = &s->fields[i];
		struct span span;

		if (f->kind == IPC_KIND_U64)
			continue;
		memcpy(&span, msg + f->offset, sizeof(span));
		span.p = b->p + (uintptr_t)span.p;
		put_span(f, msg, span);
	}
}

static unsigned
lowest_bit(unsigned mask)
{
	return mask & (0 - mask);
}

static void
assert_same(const struct ipc_schema *s, const uint8_t *a, const uint8_t *b)
{
	for (size_t i = 0; i < s->nfields; i++) {
		const struct ipc_field *f = &s->fields[i];
		struct span x, y;

		if (f->kind == IPC_KIND_U64) {
			assert_memory_equal(a + f->offset, b + f->offset, sizeof(uint64_t));
			continue;
		}
		memcpy(&x, a + f->offset, sizeof(x));
		memcpy(&y, b + f->offset, sizeof(y));
		if (!span_is(x, y))
			fail_msg("%s.%s differs", s->name, f->name);
	}
}

static void
round_trips(void **state)
{
	(void)state;
	for (size_t i = 0; i < ipc_schema_count(); i++)
		for (int high = 0; high < 2; high++) {
			const struct ipc_schema *s = ipc_schema_at(i);
			struct buf payloads = BUF_MAX(0), body = BUF_MAX(0);
			uint8_t *in = calloc(1, s->size), *out = calloc(1, s->size);

			assert_true(in != NULL && out != NULL);
			fill(s, in, &payloads, high, 200000);
			buf_str(&body, "before");
			assert_int_equal(ipc_pack(s->type, in, &body), 0);
			assert_memory_equal(body.p, "before", 6);
			buf_consume(&body, 6);
			assert_true(body.len <= s->body_max);
			assert_int_equal(ipc_unpack(s->type, (enum ipc_role)lowest_bit(s->from),
					     (enum ipc_role)lowest_bit(s->to), buf_view(&body), out, s->size),
			    IPC_OK);
			assert_same(s, in, out);
			free(in);
			free(out);
			buf_fini(&payloads);
			buf_fini(&body);
		}
}

/* Each field one below and one beyond its range: refused by sender and receiver alike. */
static void
bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ipc_schema_count(); i++) {
		const struct ipc_schema *s = ipc_schema_at(i);

		for (size_t j = 0; j < s->nfields; j++)
			for (int high = 0; high < 2; high++) {
				const struct ipc_field *f = &s->fields[j];
				struct buf payloads = BUF_MAX(0), extra = BUF_MAX(0), body = BUF_MAX(0);
				uint8_t *in = calloc(1, s->size);
				uint64_t wrong = high ? f->high + 1 : f->low - 1;

				assert_non_null(in);
				/* Ends of the number range have nothing beyond; huge lengths only cost time. */
				if ((high ? f->high == UINT64_MAX : f->low == 0) ||
				    (f->kind != IPC_KIND_U64 && wrong > 300000))
					goto next;
				fill(s, in, &payloads, false, SIZE_MAX);
				if (f->kind == IPC_KIND_U64)
					put_u64(f, in, wrong);
				else {
					(void)payload(&extra, f->kind, (size_t)wrong);
					put_span(f, in, buf_view(&extra));
				}
				buf_str(&body, "before");
				assert_int_equal(ipc_pack(s->type, in, &body), -1);
				assert_buf(&body, "before");
			next:
				free(in);
				buf_fini(&payloads);
				buf_fini(&extra);
				buf_fini(&body);
			}
	}
}

/* The table's own statement of who may, against all pairs of single roles. */
static void
permissions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ipc_schema_count(); i++) {
		const struct ipc_schema *s = ipc_schema_at(i);
		struct buf payloads = BUF_MAX(0), body = BUF_MAX(0);
		uint8_t *msg = calloc(1, s->size);

		assert_non_null(msg);
		fill(s, msg, &payloads, false, SIZE_MAX);
		assert_int_equal(ipc_pack(s->type, msg, &body), 0);
		for (unsigned from = 1; from <= IPC_GIT; from <<= 1)
			for (unsigned to = 1; to <= IPC_GIT; to <<= 1)
				assert_int_equal(ipc_unpack(s->type, (enum ipc_role)from, (enum ipc_role)to,
						     buf_view(&body), msg, s->size),
				    (s->from & from) != 0 && (s->to & to) != 0 ? IPC_OK : IPC_NOT_ALLOWED);
		free(msg);
		buf_fini(&payloads);
		buf_fini(&body);
	}
}

/* A few lines of the table said again, so that a slip in it is noticed. */
static void
permissions_that_matter(void **state)
{
	static const struct {
		unsigned type, from, to;
	} rows[] = {
		{ IPC_MSG_CALL, IPC_FRONT, IPC_WORKER },
		{ IPC_MSG_SUBCALL, IPC_SEARCH | IPC_MEMORY | IPC_AGENT, IPC_FRONT },
		{ IPC_MSG_CONFIGURE_SQL, IPC_SUPERVISOR, IPC_SQL },
		{ IPC_MSG_ATTACH, IPC_SUPERVISOR, IPC_CHILD },
		{ IPC_MSG_SHUTDOWN, IPC_SUPERVISOR, IPC_CHILD },
		{ IPC_MSG_CONTINUE, IPC_SEARCH | IPC_MEMORY | IPC_AGENT, IPC_FRONT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ipc_schema(rows[i].type)->from, rows[i].from);
		assert_int_equal(ipc_schema(rows[i].type)->to, rows[i].to);
	}
	/* No worker talks to a worker. */
	for (size_t i = 0; i < ipc_schema_count(); i++) {
		const struct ipc_schema *s = ipc_schema_at(i);

		if ((s->from & IPC_WORKER) != 0 && (s->to & IPC_WORKER) != 0)
			assert_true((s->from & IPC_FRONT) != 0 && (s->to & IPC_FRONT) != 0);
	}
}

/* --- every fault ----------------------------------------------------------------- */

static enum ipc_fault
unpack_fail(const void *body, size_t len)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);
	struct ipc_fail msg, untouched;
	enum ipc_fault fault;

	assert_non_null(copy);
	memcpy(copy, body, len);
	memset(&msg, 0x5a, sizeof(msg));
	memset(&untouched, 0x5a, sizeof(untouched));
	fault = ipc_unpack(IPC_MSG_FAIL, IPC_SQL, IPC_FRONT, span_of(copy, len), &msg, sizeof(msg));
	if (fault != IPC_OK)
		assert_memory_equal(&msg, &untouched, sizeof(msg));
	free(copy);
	return fault;
}

#define UNPACK(literal)	unpack_fail(literal, sizeof(literal) - 1)

static void
fault_ok(void **state)
{
	(void)state;
	assert_int_equal(UNPACK("\x93\x1c\xa4"
				"busy\x80"),
	    IPC_OK);
	/* The same in forms longer than needed. */
	assert_int_equal(UNPACK("\xdc\x00\x03\xcd\x00\x1c\xd9\x04"
				"busy\xde\x00\x00"),
	    IPC_OK);
}

static void
fault_truncated(void **state)
{
	static const char body[] = "\x93\x1c\xa4"
				   "busy\x81\xa1k\x92\x01\x02";

	(void)state;
	assert_int_equal(UNPACK("\x93\x1c\xa4"
				"busy\x81\xa1k\x92\x01\x02"),
	    IPC_OK);
	for (size_t n = 0; n < sizeof(body) - 1; n++)
		assert_int_equal(unpack_fail(body, n), IPC_TRUNCATED);
	/* A promise of more values than there are bytes. */
	assert_int_equal(UNPACK("\x93\x1c\xa4"
				"busy\xdd\xff\xff\xff\xff"),
	    IPC_TRUNCATED);
	assert_int_equal(UNPACK("\x93\x1c\xdb\xff\xff\xff\xff"), IPC_TRUNCATED);
}

static void
fault_trailing(void **state)
{
	(void)state;
	assert_int_equal(UNPACK("\x93\x1c\xa4"
				"busy\x80\x00"),
	    IPC_TRAILING);
	assert_int_equal(UNPACK("\x93\x1c\xa4"
				"busy\x80\xc1"),
	    IPC_TRAILING);
}

/* The envelope is a level of its own: what a sender may pack, a receiver may unpack. */
static void
fault_too_deep(void **state)
{
	struct ipc_fail msg = { .code = 1, .message = SPAN("m") };
	uint8_t deep[MP_DEPTH_MAX + 1];
	struct buf body = BUF_MAX(0);

	(void)state;
	memset(deep, 0x91, sizeof(deep));
	deep[MP_DEPTH_MAX - 1] = 0x07;
	msg.details = span_of(deep, MP_DEPTH_MAX);
	assert_int_equal(ipc_pack(IPC_MSG_FAIL, &msg, &body), 0);
	assert_int_equal(unpack_fail(body.p, body.len), IPC_OK);

	deep[MP_DEPTH_MAX - 1] = 0x91;
	deep[MP_DEPTH_MAX] = 0x07;
	msg.details = span_of(deep, MP_DEPTH_MAX + 1);
	body.len = 0;
	assert_int_equal(ipc_pack(IPC_MSG_FAIL, &msg, &body), -1);
	mp_put_array(&body, 3);
	mp_put_uint(&body, 1);
	mp_put_cstr(&body, "m");
	buf_span(&body, msg.details);
	assert_int_equal(unpack_fail(body.p, body.len), IPC_TOO_DEEP);
	buf_fini(&body);
}

static void
fault_bad_type(void **state)
{
	(void)state;
	assert_int_equal(UNPACK("\xc0"), IPC_BAD_TYPE);
	assert_int_equal(UNPACK("\x83\xa1"
				"a\x01\xa1"
				"b\x01\xa1"
				"c\x01"),
	    IPC_BAD_TYPE);
	assert_int_equal(UNPACK("\x92\x1c\xa4"
				"busy"),
	    IPC_BAD_TYPE); /* a field is missing */
	assert_int_equal(UNPACK("\x94\x1c\xa4"
				"busy\x80\x01"),
	    IPC_BAD_TYPE); /* one too many */
	assert_int_equal(UNPACK("\x93\xff\xa4"
				"busy\x80"),
	    IPC_BAD_TYPE); /* negative */
	assert_int_equal(UNPACK("\x93\xcb\x3f\xf0\0\0\0\0\0\0\xa4"
				"busy\x80"),
	    IPC_BAD_TYPE);
	assert_int_equal(UNPACK("\x93\x1c\xc4\x04"
				"busy\x80"),
	    IPC_BAD_TYPE); /* bin for str */
	assert_int_equal(UNPACK("\x93\x1c\xa4"
				"busy\xc1"),
	    IPC_BAD_TYPE);
	assert_int_equal(UNPACK("\x93\x1c\xa4"
				"busy\xd4\x01\x02"),
	    IPC_BAD_TYPE); /* ext */
	assert_int_equal(UNPACK("\x93\x1c\xa4"
				"busy\x81\x01\x02"),
	    IPC_BAD_TYPE); /* key */
	assert_int_equal(UNPACK("\xc1"), IPC_BAD_TYPE);
}

static void
fault_bad_utf8(void **state)
{
	struct ipc_fail msg = { .code = 1, .message = SPAN("\xff"), .details = SPAN("\x80") };
	struct buf body = BUF_MAX(0);

	(void)state;
	assert_int_equal(UNPACK("\x93\x1c\xa2\xc3\x28\x80"), IPC_BAD_UTF8);
	assert_int_equal(UNPACK("\x93\x1c\xa1m\x81\xa1k\xa1\xff"), IPC_BAD_UTF8);
	assert_int_equal(ipc_pack(IPC_MSG_FAIL, &msg, &body), -1);
	assert_int_equal(body.len, 0);
	buf_fini(&body);
}

static void
fault_out_of_range(void **state)
{
	uint8_t body[2100] = "\x93\x1c\xda\x08\x01";

	(void)state;
	assert_int_equal(UNPACK("\x93\x00\xa4"
				"busy\x80"),
	    IPC_OUT_OF_RANGE);
	assert_int_equal(UNPACK("\x93\xcc\xff\xa4"
				"busy\x80"),
	    IPC_OUT_OF_RANGE);
	assert_int_equal(UNPACK("\x93\x1c\xa0\x80"), IPC_OUT_OF_RANGE);
	memset(body + 5, 'x', 0x801);
	body[5 + 0x801] = 0x80;
	assert_int_equal(unpack_fail(body, 5 + 0x801 + 1), IPC_OUT_OF_RANGE);
}

static void
fault_not_allowed(void **state)
{
	struct ipc_ping ping;

	(void)state;
	assert_int_equal(ipc_unpack(IPC_MSG_PING, IPC_FRONT, IPC_SQL, SPAN("\x91\x01"), &ping, sizeof(ping)),
	    IPC_NOT_ALLOWED);
	assert_int_equal(ipc_unpack(IPC_MSG_PING, IPC_SUPERVISOR, IPC_SUPERVISOR, SPAN("\x91\x01"), &ping,
			     sizeof(ping)),
	    IPC_NOT_ALLOWED);
	assert_int_equal(ipc_unpack(IPC_MSG_PING, IPC_SUPERVISOR, IPC_SQL, SPAN("\x91\x01"), &ping, sizeof(ping)),
	    IPC_OK);
}

static void
fault_unknown(void **state)
{
	struct buf body = BUF_MAX(0);
	struct ipc_ping ping = { .serial = 1 };

	(void)state;
	assert_int_equal(ipc_unpack(9999, IPC_SUPERVISOR, IPC_SQL, SPAN("\x91\x01"), &ping, sizeof(ping)), IPC_UNKNOWN);
	assert_int_equal(ipc_unpack(0, IPC_SUPERVISOR, IPC_SQL, SPAN("\x91\x01"), &ping, sizeof(ping)), IPC_UNKNOWN);
	/* A struct of another message. */
	assert_int_equal(ipc_unpack(IPC_MSG_PING, IPC_SUPERVISOR, IPC_SQL, SPAN("\x91\x01"), &ping, 1), IPC_UNKNOWN);
	assert_int_equal(ipc_pack(9999, &ping, &body), -1);
	buf_fini(&body);
}

/* IPC_TOO_LONG, IPC_OUT_OF_STATE and IPC_STRAY_FD: test_channel.c, test_state.c, test_ipc_control.c. */

/* A RAW must be one value; a sender that got it wrong is told so. */
static void
raw_is_one_value(void **state)
{
	static const char *const wrong[] = { "\x01\x02", "\x92\x01", "\xc1", "\x81\x01\x01" };
	struct ipc_fail msg = { .code = 1, .message = SPAN("m") };
	struct buf body = BUF_MAX(0);

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		msg.details = span_str(wrong[i]);
		assert_int_equal(ipc_pack(IPC_MSG_FAIL, &msg, &body), -1);
		assert_int_equal(body.len, 0);
	}
	buf_fini(&body);
}

/* Every ceiling either carries the whole message or leaves nothing behind. */
static void
pack_into_little_room(void **state)
{
	struct ipc_fail msg = {
		.code = ERR_BUSY, .message = SPAN("all workers are busy"), .details = SPAN("\x81\xa1k\x01")
	};
	struct buf whole = BUF_MAX(0);

	(void)state;
	assert_int_equal(ipc_pack(IPC_MSG_FAIL, &msg, &whole), 0);
	for (size_t max = 1; max <= whole.len + 1; max++) {
		struct buf b = BUF_MAX(max);

		assert_int_equal(ipc_pack(IPC_MSG_FAIL, &msg, &b), max >= whole.len ? 0 : -1);
		assert_int_equal(b.len, max >= whole.len ? whole.len : 0);
		assert_false(b.full);
		buf_fini(&b);
	}
	whole.full = true;
	assert_int_equal(ipc_pack(IPC_MSG_FAIL, &msg, &whole), -1);
	buf_fini(&whole);
}

/* The words of a vocabulary follow one another, so that its ends bound the field. */
static void
vocabularies_have_no_gaps(void **state)
{
#define WORD_VALUE(WORD, value, ...)	(value),
#define VOCABULARY(NAME, name, first, last)                                                                   \
	{                                                                                                     \
		const unsigned words[] = { WORDS_##NAME(WORD_VALUE) };                                        \
		for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)                               \
			assert_int_equal(words[i], IPC_##NAME##_LOW + i);                                     \
		assert_int_equal(IPC_##NAME##_HIGH, IPC_##NAME##_LOW + sizeof(words) / sizeof(words[0]) - 1); \
	}
#define MASK(NAME, name)                                                                        \
	{                                                                                       \
		const unsigned bits[] = { WORDS_##NAME(WORD_VALUE) };                           \
		for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)                   \
			assert_int_equal(bits[i], 1u << i);                                     \
		assert_int_equal(IPC_##NAME##_ALL, (1u << sizeof(bits) / sizeof(bits[0])) - 1); \
	}
#define MESSAGE(...)
#include "ipc/messages.def"
#undef MESSAGE
#undef MASK
#undef VOCABULARY
	(void)state;
	for (unsigned i = IPC_POOL_LOW; i <= IPC_POOL_HIGH; i++)
		assert_non_null(ipc_pool_state_name((enum ipc_pool_state)i));
	assert_string_equal(ipc_pool_state_name(IPC_POOL_UNAVAILABLE), "unavailable");
	assert_null(ipc_pool_state_name((enum ipc_pool_state)0));
	assert_null(ipc_pool_state_name((enum ipc_pool_state)(IPC_POOL_HIGH + 1)));
}

static void
words_bound_their_fields(void **state)
{
	struct ipc_attach attach = { .generation = 1 };
	struct ipc_changed changed = { .uris = SPAN("\x90") };
	struct buf body = BUF_MAX(4096);
	union ipc_any any;

	(void)state;
	for (unsigned kind = 0; kind <= IPC_ATTACH_HIGH + 1; kind++) {
		attach.kind = kind;
		assert_int_equal(ipc_pack(IPC_MSG_ATTACH, &attach, &body),
		    kind >= IPC_ATTACH_LOW && kind <= IPC_ATTACH_HIGH ? 0 : -1);
	}
	buf_reset(&body, SIZE_MAX);
	changed.lists = IPC_LISTS_ALL + 1;
	assert_int_equal(ipc_pack(IPC_MSG_CHANGED, &changed, &body), -1);
	changed.lists = IPC_LISTS_ALL;
	assert_int_equal(ipc_pack(IPC_MSG_CHANGED, &changed, &body), 0);
	/* Any message by its type alone. */
	assert_int_equal(ipc_unpack_any(IPC_MSG_CHANGED, IPC_SEARCH, IPC_FRONT, buf_view(&body), &any), IPC_OK);
	assert_int_equal(any.changed.lists, IPC_LISTS_ALL);
	assert_int_equal(ipc_unpack_any(IPC_MSG_CHANGED, IPC_FRONT, IPC_SEARCH, buf_view(&body), &any),
	    IPC_NOT_ALLOWED);
	assert_int_equal(ipc_unpack_any(65000, IPC_SEARCH, IPC_FRONT, buf_view(&body), &any), IPC_UNKNOWN);
	buf_fini(&body);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vocabularies_have_no_gaps),
		cmocka_unit_test(words_bound_their_fields),
		cmocka_unit_test(table_is_sane),
		cmocka_unit_test(names),
		cmocka_unit_test(round_trips),
		cmocka_unit_test(bounds),
		cmocka_unit_test(permissions),
		cmocka_unit_test(permissions_that_matter),
		cmocka_unit_test(fault_ok),
		cmocka_unit_test(fault_truncated),
		cmocka_unit_test(fault_trailing),
		cmocka_unit_test(fault_too_deep),
		cmocka_unit_test(fault_bad_type),
		cmocka_unit_test(fault_bad_utf8),
		cmocka_unit_test(fault_out_of_range),
		cmocka_unit_test(fault_not_allowed),
		cmocka_unit_test(fault_unknown),
		cmocka_unit_test(raw_is_one_value),
		cmocka_unit_test(pack_into_little_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
