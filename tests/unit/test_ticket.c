// libs: carrel_front
/* test_ticket.c - leave to ask after a call: whose it is, what it gives, how long, and that nothing else is one. */
#include "tests/unit/harness.h"

#include <sodium.h>

#include "base/buf.h"
#include "base/system/clock.h"
#include "front/calls/ticket.h"
#include "ipc/messages.h"
#include "policy/tools.h"

#define EXPIRY_AT	1	/* 8 bytes, unix seconds */
#define MAC_LEN		32

static const uint8_t key[32] = "a key", other_key[32] = "b key";
static struct signer signer;

static void
put(struct buf *out)
{
	const uint32_t scopes =
	    POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_RESEARCH_QUERY | POLICY_SCOPE_MEMORY_WRITE | POLICY_SCOPE_LOCAL;

	ticket_put(&signer, &(struct ticket){ SPAN("token:anna"), SPAN("req-1"), SPAN("trace"), scopes }, out);
}

/* The ticket with another time of expiry, signed as the front signs. */
static void
set_expiry(struct buf *ticket, uint64_t unix_s)
{
	static const char purpose[] = "carrel run ticket 1";
	uint8_t derived[32];

	for (unsigned i = 0; i < 8; i++)
		ticket->p[EXPIRY_AT + i] = (uint8_t)(unix_s >> (8 * (7 - i)));
	crypto_auth_hmacsha256(derived, (const uint8_t *)purpose, sizeof(purpose) - 1, key);
	crypto_auth_hmacsha256(ticket->p + ticket->len - MAC_LEN, ticket->p, ticket->len - MAC_LEN, derived);
}

static int
begin(void **state)
{
	(void)state;
	signer_init(&signer, SIGNER_TICKET, key);
	return sodium_init() < 0 ? -1 : 0;
}

static void
gives_what_research_may(void **state)
{
	struct buf b = { .max = IPC_TICKET_MAX };
	struct ticket t;
	struct err err;

	(void)state;
	put(&b);
	signer_init(&signer, SIGNER_TICKET, key); /* a front that is started again */
	assert_int_equal(ticket_read(&signer, buf_view(&b), &t, &err), 0);
	assert_true(span_is_str(t.principal, "token:anna") && span_is_str(t.request, "req-1") &&
	    span_is_str(t.trace, "trace"));
	assert_int_equal(t.scopes, POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_RESEARCH_QUERY);
	buf_fini(&b);
}

static void
another_project_gives_none(void **state)
{
	struct buf b = { .max = IPC_TICKET_MAX };
	struct ticket t;
	struct err err;

	(void)state;
	signer_init(&signer, SIGNER_TICKET, other_key);
	put(&b);
	signer_init(&signer, SIGNER_TICKET, key);
	assert_int_equal(ticket_read(&signer, buf_view(&b), &t, &err), -1);
	assert_int_equal(err.code, ERR_SCOPE_DENIED);
	buf_fini(&b);
}

static void
no_byte_may_change(void **state)
{
	struct buf b = { .max = IPC_TICKET_MAX };
	struct ticket t;
	struct err err;

	(void)state;
	put(&b);
	for (size_t i = 0; i < b.len * 8; i++) {
		b.p[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_int_equal(ticket_read(&signer, buf_view(&b), &t, &err), -1);
		assert_int_equal(err.code, ERR_SCOPE_DENIED);
		b.p[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(ticket_read(&signer, span_of(b.p, len), &t, &err), -1);
	assert_int_equal(ticket_read(&signer, buf_view(&b), &t, &err), 0);
	buf_fini(&b);
}

static void
ends_after_its_time(void **state)
{
	uint64_t now = clock_unix_ms() / 1000;
	struct buf b = { .max = IPC_TICKET_MAX };
	struct ticket t;
	struct err err;

	(void)state;
	put(&b);
	set_expiry(&b, now + 60); /* the signature is as the front makes it */
	assert_int_equal(ticket_read(&signer, buf_view(&b), &t, &err), 0);
	set_expiry(&b, now - 1);
	assert_int_equal(ticket_read(&signer, buf_view(&b), &t, &err), -1);
	assert_int_equal(err.code, ERR_AUTH_EXPIRED);
	assert_holds(err.message, "hand the text in again");
	set_expiry(&b, 0);
	assert_int_equal(ticket_read(&signer, buf_view(&b), &t, &err), -1);
	buf_fini(&b);

	b = (struct buf){ .max = IPC_TICKET_MAX };
	put(&b);
	now = 0;
	for (unsigned i = 0; i < 8; i++)
		now = now << 8 | b.p[EXPIRY_AT + i];
	assert_in_range(now, clock_unix_ms() / 1000 + TICKET_S - 5, clock_unix_ms() / 1000 + TICKET_S);
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(gives_what_research_may, begin), cmocka_unit_test_setup(another_project_gives_none, begin),
		cmocka_unit_test_setup(no_byte_may_change, begin), cmocka_unit_test_setup(ends_after_its_time, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
