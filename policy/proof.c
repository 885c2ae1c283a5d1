#include <string.h>

#include "base/buf.h"
#include "base/json/json_write.h"
#include "base/mp.h"
#include "policy/proof.h"

/* at, nonce, tag */
#define AT_TAG	(8 + PROOF_NONCE)

/* One text with a quote at the end of each string, so that no two different calls give the same text. */
static void
write_call(const struct proof_call *call, struct buf *out)
{
	struct mp_value args, v;
	struct mp_iter it;
	struct span name;

	json_write_string(out, call->tool);
	json_write_string(out, call->connection);
	if (!mp_value(call->args, &args) || args.class != MP_MAP)
		return;
	it = mp_iter(&args);
	while (mp_next_pair(&it, &name, &v)) {
		if (call->connection.len > 0 && span_is_str(name, "connectionId") && v.class == MP_STR &&
		    span_is(v.s, call->connection))
			continue;
		json_write_string(out, name);
		json_write(out, &v);
	}
}

static void
tag(const uint8_t key[PROOF_KEY], const uint8_t *head, const struct proof_call *call, uint8_t out[SIPHASH_SIZE])
{
	struct buf text = { 0 };
	struct siphash h;

	write_call(call, &text);
	siphash_begin(&h, key);
	siphash_more(&h, head, AT_TAG);
	siphash_more(&h, text.p, text.len);
	siphash_end(&h, out);
	buf_fini(&text);
}

void
proof_make(const uint8_t key[PROOF_KEY], const struct proof_call *call, uint64_t now_ns,
    const uint8_t nonce[PROOF_NONCE], uint8_t out[PROOF_SIZE])
{
	for (unsigned i = 0; i < 8; i++)
		out[i] = (uint8_t)(now_ns >> 8 * i);
	memcpy(out + 8, nonce, PROOF_NONCE);
	tag(key, out, call, out + AT_TAG);
}

/* Takes the same time for every wrong tag. */
static bool
is_same(const uint8_t *a, const uint8_t *b, size_t n)
{
	unsigned differs = 0;

	for (size_t i = 0; i < n; i++)
		differs |= (unsigned)(a[i] ^ b[i]);
	return differs == 0;
}

static bool
is_known(const struct proof_seen *seen, const uint8_t *nonce)
{
	size_t n = seen->n < PROOF_SEEN ? seen->n : PROOF_SEEN;

	for (size_t i = 0; i < n; i++)
		if (memcmp(seen->ring[i].nonce, nonce, PROOF_NONCE) == 0)
			return true;
	return false;
}

static void
proof_remember(struct proof_seen *seen, uint64_t at_ns, const uint8_t *nonce)
{
	size_t i = seen->n % PROOF_SEEN;

	/* From here on, a forgotten proof is refused for its age. */
	if (seen->n++ >= PROOF_SEEN && seen->ring[i].at_ns > seen->floor_ns)
		seen->floor_ns = seen->ring[i].at_ns;
	seen->ring[i].at_ns = at_ns;
	memcpy(seen->ring[i].nonce, nonce, PROOF_NONCE);
}

bool
proof_accept(struct proof_seen *seen, const uint8_t key[PROOF_KEY], struct span proof,
    const struct proof_call *call, uint64_t now_ns)
{
	uint8_t expected[SIPHASH_SIZE];
	uint64_t at = 0;

	if (proof.len != PROOF_SIZE)
		return false;
	tag(key, proof.p, call, expected);
	if (!is_same(expected, proof.p + AT_TAG, sizeof(expected)))
		return false;
	for (unsigned i = 0; i < 8; i++)
		at |= (uint64_t)proof.p[i] << 8 * i;
	if (at > now_ns || now_ns - at > PROOF_AGE_NS || at <= seen->floor_ns || is_known(seen, proof.p + 8))
		return false;
	proof_remember(seen, at, proof.p + 8);
	return true;
}
