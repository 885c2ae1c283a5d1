#include "workers/auth/files/file_seal.h"

#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/mp.h"
#include "workers/auth/sealed.h"

static const char sealing[] = "files: their pieces and heads", naming[] = "files: their names",
		  telling[] = "files: digests of their pieces", whole[] = "files: digests of their contents";

_Static_assert(FILE_DIGEST == crypto_generichash_BYTES && FILES_KEY == AUTH_KEY, "as the library has them");

/* The digest of two texts, for one purpose. */
static void
digest_of(const struct files *f, const char *purpose, struct span a, struct span b, uint8_t digest[FILE_DIGEST])
{
	uint8_t key[crypto_generichash_KEYBYTES];
	crypto_generichash_state state;

	crypto_generichash(key, sizeof(key), (const uint8_t *)purpose, strlen(purpose), f->key, FILES_KEY);
	crypto_generichash_init(&state, key, sizeof(key), FILE_DIGEST);
	crypto_generichash_update(&state, a.p, a.len);
	crypto_generichash_update(&state, b.p, b.len);
	crypto_generichash_final(&state, digest, FILE_DIGEST);
	sodium_memzero(key, sizeof(key));
}

void
file_seal_name(const struct files *f, const char *name, uint8_t key[FILE_DIGEST])
{
	digest_of(f, naming, span_str(name), SPAN(""), key);
}

void
file_seal_piece(const struct files *f, const uint8_t key[FILE_DIGEST], struct span piece, uint8_t digest[FILE_DIGEST])
{
	digest_of(f, telling, span_of(key, FILE_DIGEST), piece, digest);
}

void
file_seal_whole(const struct files *f, struct span digests, uint64_t size, uint8_t digest[FILE_DIGEST])
{
	char text[24];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)size);
	digest_of(f, whole, span_str(text), digests, digest);
}

void
file_seal_put(const struct files *f, struct span text, struct buf *out)
{
	sealed_put_with(f->key, sealing, text, out);
}

bool
file_seal_open(const struct files *f, struct span sealed, struct buf *out)
{
	return sealed.len > 0 && sealed_open_with(f->key, sealing, sealed, out);
}

void
file_seal_put_head(const struct files *f, const struct file_head *h, struct buf *out)
{
	char hex[2 * FILE_DIGEST + 1];
	struct buf plain = { 0 };

	sodium_bin2hex(hex, sizeof(hex), h->digest, FILE_DIGEST);
	mp_put_pairs(&plain, mp_cstr("name", h->name), mp_uint("revision", h->revision), mp_uint("size", h->size),
	    mp_bool("removed", h->removed), mp_cstr("digest", hex));
	file_seal_put(f, buf_view(&plain), out);
	buf_fini(&plain);
}

bool
file_seal_open_head(const struct files *f, struct span sealed, struct file_head *h)
{
	struct buf plain = { 0 };
	struct mp_value v;
	size_t n;
	bool good = file_seal_open(f, sealed, &plain) && mp_value(buf_view(&plain), &v) && v.class == MP_MAP;

	if (good) {
		struct span name = mp_get_str(&v, "name", SPAN("")), digest = mp_get_str(&v, "digest", SPAN(""));

		good = name.len < sizeof(h->name) &&
		    sodium_hex2bin(h->digest, FILE_DIGEST, (const char *)digest.p, digest.len, NULL, &n, NULL) == 0 &&
		    n == FILE_DIGEST;
		snprintf(h->name, sizeof(h->name), "%.*s", SPAN_FMT(name));
		h->revision = mp_get_uint(&v, "revision", 0);
		h->size = mp_get_uint(&v, "size", 0);
		h->removed = mp_get_bool(&v, "removed", false);
	}
	buf_fini(&plain);
	return good;
}
