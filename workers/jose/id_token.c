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
static struct span
name_of(const struct mp_value *claims, struct span claim)
{
	struct mp_value v = jose_claim(claims, claim), verified;
	bool denied = span_is_str(claim, "email") && mp_get(claims, "email_verified", &verified) &&
	    !(verified.class == MP_BOOL && verified.boolean) &&
	    !(verified.class == MP_STR && span_is_str(verified.s, "true")); /* some providers write it so */

	return v.class != MP_STR || v.s.len > ID_TOKEN_NAME || denied ? SPAN("") : v.s;
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
