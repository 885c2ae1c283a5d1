#include <string.h>

#include <sodium.h>

#include "base/json/compact_jws.h"
#include "base/text/b64.h"
#include "base/mp.h"
#include "front/wire/jws.h"

#define HEADER_MAX	512u	/* bytes of JSON */
#define TIME_MAX	(UINT64_C(1) << 40)	/* Unix seconds */

bool
jws_is_meant(struct span text)
{
	struct span part[COMPACT_PARTS];

	return compact_split(text, part);
}

static bool
read_signature(struct span part, uint8_t signature[JWS_SIGNATURE])
{
	struct buf bytes = BUF_MAX(JWS_SIGNATURE);
	bool ok = b64url_decode(&bytes, part) && !bytes.full && bytes.len == JWS_SIGNATURE;

	if (ok)
		memcpy(signature, bytes.p, JWS_SIGNATURE);
	buf_fini(&bytes);
	return ok;
}

/* Exactly these members: crit, jwk, jku, x5u and everything unknown are refused with the rest. */
static bool
take_header(struct span raw, struct jws *t)
{
	struct mp_value map;

	if (!mp_value(raw, &map) || map.class != MP_MAP || map.n != 3)
		return false;
	t->kid = mp_get_str(&map, "kid", SPAN_NONE);
	return t->kid.len > 0 && span_is_str(mp_get_str(&map, "alg", SPAN("")), "EdDSA") &&
	    span_is_str(mp_get_str(&map, "typ", SPAN("")), "at+jwt");
}

static bool
take_text(const struct mp_value *map, const char *name, struct span *out)
{
	*out = mp_get_str(map, name, SPAN_NONE);
	return out->len > 0;
}

static bool
take_time(const struct mp_value *map, const char *name, uint64_t *out)
{
	struct mp_value v;

	if (!mp_get(map, name, &v) || v.class != MP_UINT || v.u > TIME_MAX)
		return false;
	*out = v.u;
	return true;
}

static bool
take_audience(const struct mp_value *map, struct jws *t)
{
	struct mp_value v, element;
	struct mp_iter it;

	if (!mp_get(map, "aud", &v) || (v.class != MP_STR && v.class != MP_ARRAY))
		return false;
	t->audience = v.raw;
	it = mp_iter(&v);
	while (v.class == MP_ARRAY && mp_next(&it, &element))
		if (element.class != MP_STR)
			return false;
	return true;
}

static bool
take_claims(struct span raw, struct jws *t)
{
	struct mp_value map, v;

	if (!mp_value(raw, &map) || map.class != MP_MAP)
		return false;
	if (mp_get(&map, "nbf", &v) && !take_time(&map, "nbf", &t->not_before))
		return false;
	t->scope = mp_get_str(&map, "scope", SPAN_NONE);
	return take_text(&map, "iss", &t->issuer) && take_text(&map, "sub", &t->subject) &&
	    take_text(&map, "client_id", &t->client) && take_text(&map, "sid", &t->grant) && t->scope.p != NULL &&
	    take_time(&map, "iat", &t->issued) && take_time(&map, "exp", &t->expires) && take_audience(&map, t);
}

enum jws_fault
jws_read(struct span text, struct jws *t)
{
	struct span part[COMPACT_PARTS], header, claims;

	*t = (struct jws){ .room = BUF_MAX(2 * (JWS_MAX + HEADER_MAX)) };
	if (text.len > JWS_MAX || !compact_split(text, part) || !read_signature(part[2], t->signature))
		return JWS_FORM;
	t->covered = span_of(text.p, part[0].len + 1 + part[1].len);
	buf_reserve(&t->room, t->room.max); /* once: spans into it stay */
	if (!compact_read(part[0], HEADER_MAX, &t->room, &header) || !compact_read(part[1], JWS_MAX, &t->room, &claims))
		return JWS_FORM;
	if (!take_header(header, t))
		return JWS_HEADER;
	return take_claims(claims, t) ? JWS_OK : JWS_CLAIMS;
}

void
jws_fini(struct jws *t)
{
	buf_wipe(&t->room);
}

bool
jws_is_signed_by(const struct jws *t, const uint8_t key[JWS_KEY])
{
	return crypto_sign_verify_detached(t->signature, t->covered.p, t->covered.len, key) == 0;
}

bool
jws_is_for(const struct jws *t, struct span resource)
{
	struct mp_value v, element;
	struct mp_iter it;

	if (!mp_value(t->audience, &v))
		return false;
	if (v.class == MP_STR)
		return span_is(v.s, resource);
	it = mp_iter(&v);
	while (mp_next(&it, &element))
		if (element.class == MP_STR && span_is(element.s, resource))
			return true;
	return false;
}
