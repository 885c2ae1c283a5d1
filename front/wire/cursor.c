#include "base/text/b64.h"
#include "front/wire/cursor.h"

#define MAC_LEN		16u	/* of SIGNER_MAC */
#define VERSION		1

static void
cursor_sign(const struct signer *s, struct span list, struct span principal, struct span body, uint8_t mac[SIGNER_MAC])
{
	signer_sign_parts(s, (const struct span[]){ list, principal, body }, 3, mac);
}

void
cursor_put(const struct signer *s, struct span list, struct span principal, struct span position,
    struct buf *out)
{
	struct buf raw = { .max = 0 };
	uint8_t mac[SIGNER_MAC];

	buf_byte(&raw, VERSION);
	buf_span(&raw, position);
	cursor_sign(s, list, principal, buf_view(&raw), mac);
	buf_append(&raw, mac, MAC_LEN);
	b64url_encode(out, buf_view(&raw));
	buf_fini(&raw);
}

bool
cursor_read(const struct signer *s, struct span list, struct span principal, struct span text,
    struct buf *out)
{
	struct buf raw = { .max = CURSOR_MAX };
	uint8_t mac[SIGNER_MAC];
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
