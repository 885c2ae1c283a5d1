#include "base/system/clock.h"
#include "front/calls/ticket.h"
#include "ipc/messages.h"
#include "policy/tools.h"

/* version 1, expiry 8 big-endian unix seconds, scopes 4, then three times length 2 and text, MAC 32 */
#define VERSION		1
#define HEAD_LEN	13u

_Static_assert(HEAD_LEN + 3 * 2 + 256 + 64 + 32 + SIGNER_MAC <= IPC_TICKET_MAX, "the longest ticket fits its field");

static void
put_number(struct buf *out, uint64_t v, unsigned bytes)
{
	while (bytes-- > 0)
		buf_byte(out, (uint8_t)(v >> (8 * bytes)));
}

static uint64_t
ticket_number(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

void
ticket_put(const struct signer *s, const struct ticket *t, struct buf *out)
{
	const struct span texts[] = { t->principal, t->request, t->trace };
	uint8_t mac[SIGNER_MAC];
	size_t start = out->len;

	buf_byte(out, VERSION);
	put_number(out, clock_unix_ms() / 1000 + TICKET_S, 8);
	put_number(out, t->scopes & (POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_RESEARCH_QUERY), 4);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put_number(out, texts[i].len, 2);
		buf_span(out, texts[i]);
	}
	signer_sign(s, out->p + start, out->len - start, mac);
	buf_append(out, mac, sizeof(mac));
}

int
ticket_read(const struct signer *s, struct span raw, struct ticket *t, struct err *err)
{
	struct span *const texts[] = { &t->principal, &t->request, &t->trace };
	size_t at = HEAD_LEN, end = raw.len - SIGNER_MAC;
	uint8_t mac[SIGNER_MAC];

	if (raw.len < HEAD_LEN + SIGNER_MAC || raw.len > IPC_TICKET_MAX || raw.p[0] != VERSION)
		return err_set(err, ERR_SCOPE_DENIED, "The run's ticket was not made by this project.");
	signer_sign(s, raw.p, end, mac);
	if (sodium_memcmp(mac, raw.p + end, SIGNER_MAC) != 0)
		return err_set(err, ERR_SCOPE_DENIED, "The run's ticket was not made by this project.");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t len;

		if (end - at < 2 || (len = (size_t)ticket_number(raw.p + at, 2)) > end - at - 2)
			return err_set(err, ERR_SCOPE_DENIED, "The run's ticket was not made by this project.");
		*texts[i] = span_of(raw.p + at + 2, len);
		at += 2 + len;
	}
	t->scopes = (uint32_t)ticket_number(raw.p + 9, 4);
	if (ticket_number(raw.p + 1, 8) <= clock_unix_ms() / 1000)
		return err_set(err, ERR_AUTH_EXPIRED,
		    "The run's leave to ask in its caller's name has expired; hand the text in again.");
	return 0;
}
