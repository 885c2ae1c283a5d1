#include <string.h>

#include "base/siphash.h"

static uint64_t
siphash_rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static void
rounds(uint64_t v[4], unsigned n)
{
	while (n-- > 0) {
		v[0] += v[1];
		v[1] = siphash_rotate(v[1], 13) ^ v[0];
		v[0] = siphash_rotate(v[0], 32);
		v[2] += v[3];
		v[3] = siphash_rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = siphash_rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = siphash_rotate(v[1], 17) ^ v[2];
		v[2] = siphash_rotate(v[2], 32);
	}
}

/* Little end first, whatever the machine. */
static uint64_t
word(const uint8_t *p)
{
	uint64_t w = 0;

	for (unsigned i = 0; i < 8; i++)
		w |= (uint64_t)p[i] << 8 * i;
	return w;
}

static void
put_word(uint8_t *p, uint64_t w)
{
	for (unsigned i = 0; i < 8; i++)
		p[i] = (uint8_t)(w >> 8 * i);
}

static void
absorb(struct siphash *h, uint64_t w)
{
	h->v[3] ^= w;
	rounds(h->v, 2);
	h->v[0] ^= w;
}

void
siphash_begin(struct siphash *h, const uint8_t key[SIPHASH_KEY])
{
	uint64_t k0 = word(key), k1 = word(key + 8);

	*h = (struct siphash){ .v = {
		UINT64_C(0x736f6d6570736575) ^ k0, UINT64_C(0x646f72616e646f6d) ^ k1 ^ 0xee,
		UINT64_C(0x6c7967656e657261) ^ k0, UINT64_C(0x7465646279746573) ^ k1
	} };
}

void
siphash_more(struct siphash *h, const void *p, size_t n)
{
	const uint8_t *bytes = p;

	for (size_t i = 0; i < n; i++) {
		h->tail[h->len++ % 8] = bytes[i];
		if (h->len % 8 == 0)
			absorb(h, word(h->tail));
	}
}

void
siphash_end(struct siphash *h, uint8_t out[SIPHASH_SIZE])
{
	memset(h->tail + h->len % 8, 0, 8 - h->len % 8);
	h->tail[7] = (uint8_t)h->len;
	absorb(h, word(h->tail));
	h->v[2] ^= 0xee;
	rounds(h->v, 4);
	put_word(out, h->v[0] ^ h->v[1] ^ h->v[2] ^ h->v[3]);
	h->v[1] ^= 0xdd;
	rounds(h->v, 4);
	put_word(out + 8, h->v[0] ^ h->v[1] ^ h->v[2] ^ h->v[3]);
}
