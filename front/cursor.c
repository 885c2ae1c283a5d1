/* cursor.c - see cursor.h. */
#include "base/b64.h"
#include "front/cursor.h"

#define MAC_LEN		16u
#define VERSION		1

/* Each part is preceded by its length, so that bytes cannot move between parts. */
static void
sign_part(crypto_auth_hmacsha256_state *state, struct span part)
{
	uint8_t len[8];

	for (size_t i = 0; i < sizeof(len); i++)
		len[i] = (uint8_t)((uint64_t)part.len >> (56 - 8 * i));
	crypto_auth_hmacsha256_update(state, len, sizeof(len));
	crypto_auth_hmacsha256_update(state, part.p, part.len);
}

static void
cursor_sign(const struct signer *s, struct span list, struct span principal, struct span body, uint8_t mac[MAC_LEN])
{
	crypto_auth_hmacsha256_state state = s->keyed;
	uint8_t full[crypto_auth_hmacsha256_BYTES];

	sign_part(&state, list);
	sign_part(&state, principal);
	sign_part(&state, body);
	crypto_auth_hmacsha256_final(&state, full);
	memcpy(mac, full, MAC_LEN);
}

void
cursor_put(const struct signer *s, struct span list, struct span principal, struct span position,
    struct buf *out)
{
	struct buf raw = { .max = 0 };
	uint8_t mac[MAC_LEN];

	buf_byte(&raw, VERSION);
	buf_span(&raw, position);
	cursor_sign(s, list, principal, buf_view(&raw), mac);
	buf_append(&raw, mac, sizeof(mac));
	b64url_encode(out, buf_view(&raw));
	buf_fini(&raw);
}

bool
cursor_read(const struct signer *s, struct span list, struct span principal, struct span text,
    struct buf *out)
{
	struct buf raw = { .max = CURSOR_MAX };
	uint8_t mac[MAC_LEN];
	bool ours = false;

	if (text.len > CURSOR_MAX || !b64url_decode(&raw, text) || raw.len < 1 + MAC_LEN || raw.p[0] != VERSION)
		goto out;
	cursor_sign(s, list, principal, span_of(raw.p, raw.len - MAC_LEN), mac);
	ours = sodium_memcmp(mac, raw.p + raw.len - MAC_LEN, MAC_LEN) == 0;
	if (ours)
		buf_append(out, raw.p + 1, raw.len - 1 - MAC_LEN);
out:
	buf_fini(&raw);
	return ours;
}
