#include <stdio.h>
#include <string.h>

#include "base/text/identity_text.h"
#include "workers/jose/id_token.h"

/*
 * Whether the token is for this client: the only audience, or one of several with azp naming it.  azp, where it stands,
 * is this client in any case.
 */
static bool
is_for(const struct mp_value *claims, struct span client)
{
	struct mp_value aud, azp, each;
	bool has_azp = mp_get(claims, "azp", &azp), found = false;
	struct mp_iter it;

	if (!mp_get(claims, "aud", &aud) || (has_azp && (azp.class != MP_STR || !span_is(azp.s, client))))
		return false;
	if (aud.class == MP_STR)
		return span_is(aud.s, client);
	if (aud.class != MP_ARRAY || (aud.n > 1 && !has_azp))
		return false;
	for (it = mp_iter(&aud); mp_next(&it, &each);)
		found |= each.class == MP_STR && span_is(each.s, client);
	return found;
}

static enum sign_in
check_times(const struct mp_value *claims, uint64_t now_s)
{
	uint64_t issued, expires, before = 0;
	struct mp_value v;

	if (!jose_time(claims, "iat", &issued) || !jose_time(claims, "exp", &expires) ||
	    (mp_get(claims, "nbf", &v) && !jose_time(claims, "nbf", &before)))
		return SIGN_IN_CLAIMS;
	if (issued > now_s + ID_TOKEN_SKEW_S || before > now_s + ID_TOKEN_SKEW_S)
		return SIGN_IN_EARLY;
	return expires + ID_TOKEN_SKEW_S <= now_s || issued + ID_TOKEN_AGE_S + ID_TOKEN_SKEW_S < now_s ?
	    SIGN_IN_EXPIRED :
	    SIGN_IN_DONE;
}

/* A mail address that the provider says is not verified is no name: any user could have given it.  Many do not say. */
static bool
is_denied(const struct mp_value *claims, struct span claim)
{
	struct mp_value verified;

	return span_is_str(claim, "email") && mp_get(claims, "email_verified", &verified) &&
	    !(verified.class == MP_BOOL && verified.boolean) &&
	    !(verified.class == MP_STR && span_is_str(verified.s, "true")); /* some providers write it so */
}

static struct span
name_of(const struct mp_value *claims, struct span claim)
{
	struct mp_value v = jose_claim(claims, claim);

	return v.class != MP_STR || v.s.len > ID_TOKEN_NAME || is_denied(claims, claim) ? SPAN("") : v.s;
}

/* A claim as text; empty: it cannot be one. */
static struct span
text_of(const struct mp_value *v, char room[32])
{
	if (v->class == MP_STR)
		return v->s;
	if (v->class == MP_BOOL)
		return v->boolean ? SPAN("true") : SPAN("false");
	if (v->class == MP_UINT)
		snprintf(room, 32, "%llu", (unsigned long long)v->u);
	else if (v->class == MP_INT)
		snprintf(room, 32, "%lld", (long long)v->i);
	else
		return SPAN("");
	return span_str(room);
}

void
id_token_keep(const struct mp_value *claims, const struct mp_value *names, struct buf *out)
{
	struct buf map = { 0 };
	size_t mark = mp_open_map(&map), n = 0;
	struct mp_iter it = mp_iter(names);
	struct mp_value name;

	while (n < IDENTITY_CLAIMS_MAX && mp_next(&it, &name)) {
		struct mp_value v = name.class == MP_STR ? jose_claim(claims, name.s) : (struct mp_value){ 0 };
		char room[32];
		struct span text = text_of(&v, room);

		if (!identity_text_is_value(text) || is_denied(claims, name.s) ||
		    map.len + name.s.len + text.len + 16 > IDENTITY_CLAIMS_BYTES)
			continue;
		mp_put_str(&map, name.s);
		mp_put_str(&map, text);
		n++;
	}
	mp_close(&map, mark, n);
	if (n > 0)
		buf_span(out, buf_view(&map));
	buf_fini(&map);
}

enum sign_in
id_token_check(const struct mp_value *claims, const struct id_token_terms *terms, uint64_t now_s,
    struct id_token *out)
{
	enum sign_in reason;

	if (!span_is(mp_get_str(claims, "iss", SPAN("")), terms->issuer))
		return SIGN_IN_ISSUER;
	if (!is_for(claims, terms->client))
		return SIGN_IN_AUDIENCE;
	if (terms->nonce.len == 0 || !span_is(mp_get_str(claims, "nonce", SPAN("")), terms->nonce))
		return SIGN_IN_NONCE;
	if ((reason = check_times(claims, now_s)) != SIGN_IN_DONE)
		return reason;
	out->subject = mp_get_str(claims, "sub", SPAN(""));
	if (out->subject.len == 0 || out->subject.len > ID_TOKEN_SUBJECT)
		return SIGN_IN_CLAIMS;
	out->name = name_of(claims, terms->name_claim);
	out->groups = jose_claim(claims, terms->role_claim);
	return SIGN_IN_DONE;
}
