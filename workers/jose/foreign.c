#include "workers/jose/foreign.h"

#define AUDIENCES_MAX	100u
#define LONG_FORM	"application/"

/* Claims of identity tokens, which browsers see and no resource may take (RFC 9068 5). */
static const char *const of_identity[] = { "nonce", "at_hash", "c_hash", "s_hash", NULL };

static bool
foreign_is_typ(struct span typ, struct span wanted)
{
	if (span_begins(typ, LONG_FORM))
		typ = span_of(typ.p + sizeof(LONG_FORM) - 1, typ.len - (sizeof(LONG_FORM) - 1));
	return span_is_folded(typ, wanted);
}

static bool
foreign_is_for(const struct mp_value *claims, struct span audience)
{
	struct mp_value aud, each;
	struct mp_iter it;
	bool found = false;

	if (!mp_get(claims, "aud", &aud))
		return false;
	if (aud.class == MP_STR)
		return span_is(aud.s, audience);
	if (aud.class != MP_ARRAY || aud.n > AUDIENCES_MAX)
		return false;
	for (it = mp_iter(&aud); mp_next(&it, &each);) {
		if (each.class != MP_STR)
			return false;
		found |= span_is(each.s, audience);
	}
	return found;
}

static enum sign_in
foreign_times(const struct mp_value *claims, const struct foreign_terms *terms, uint64_t now_s, struct foreign *out)
{
	uint64_t before = 0;
	struct mp_value v;

	if (!jose_time(claims, "iat", &out->issued_s) || !jose_time(claims, "exp", &out->until_s) ||
	    (mp_get(claims, "nbf", &v) && !jose_time(claims, "nbf", &before)))
		return SIGN_IN_CLAIMS;
	if (out->issued_s > now_s + FOREIGN_SKEW_S || before > now_s + FOREIGN_SKEW_S)
		return SIGN_IN_EARLY;
	if (out->until_s > out->issued_s + terms->max_age_s)
		out->until_s = out->issued_s + terms->max_age_s;
	return out->until_s <= now_s ? SIGN_IN_EXPIRED : SIGN_IN_DONE;
}

/* The client that the token was given to, as RFC 9068 and older servers call it. */
static struct span
foreign_client(const struct mp_value *claims)
{
	static const char *const names[] = { "client_id", "azp", "appid", NULL };
	struct span client = SPAN("");

	for (size_t i = 0; names[i] != NULL && client.len == 0; i++)
		client = mp_get_str(claims, names[i], SPAN(""));
	for (size_t i = 0; i < client.len; i++)
		if (client.p[i] <= ' ' || client.p[i] >= 0x7f)
			return SPAN("");
	return client.len <= FOREIGN_CLIENT ? client : SPAN("");
}

static struct mp_value
foreign_list(const struct mp_value *claims, struct span name)
{
	struct mp_value v = name.len > 0 ? jose_claim(claims, name) : (struct mp_value){ .class = MP_NIL };

	return v.class == MP_STR || v.class == MP_ARRAY ? v : (struct mp_value){ .class = MP_NIL };
}

enum sign_in
foreign_check(const struct jose *t, const struct foreign_terms *terms, uint64_t now_s, struct foreign *out)
{
	struct mp_value v;
	enum sign_in reason;

	/* Without the name of a key, a key that is new would be tried for whatever was signed. */
	if (!foreign_is_typ(t->typ, terms->typ) || t->kid.len == 0)
		return SIGN_IN_HEADER;
	if (!span_is(mp_get_str(&t->claims, "iss", SPAN("")), terms->issuer))
		return SIGN_IN_ISSUER;
	if (!foreign_is_for(&t->claims, terms->audience))
		return SIGN_IN_AUDIENCE;
	for (size_t i = 0; of_identity[i] != NULL; i++)
		if (mp_get(&t->claims, of_identity[i], &v))
			return SIGN_IN_CLAIMS;
	if ((reason = foreign_times(&t->claims, terms, now_s, out)) != SIGN_IN_DONE)
		return reason;
	out->subject = mp_get_str(&t->claims, "sub", SPAN(""));
	if (out->subject.len == 0 || out->subject.len > FOREIGN_SUBJECT)
		return SIGN_IN_CLAIMS;
	out->client = foreign_client(&t->claims);
	out->scopes = foreign_list(&t->claims, terms->scope_claim);
	out->groups = foreign_list(&t->claims, terms->role_claim);
	return SIGN_IN_DONE;
}
