/* id_token - the claims of an identity token (OpenID Connect Core 1.0, 2 and 3.1.3.7), and who they say it is. */
#pragma once

#include "workers/jose/jose.h"

#define ID_TOKEN_SKEW_S		60u	/* how much the clocks of both servers may differ */
#define ID_TOKEN_AGE_S		600u	/* how old a token of a sign-in that ends now may be */
#define ID_TOKEN_SUBJECT	255u	/* bytes: OpenID Connect Core 2 */
#define ID_TOKEN_NAME		256u	/* of the name */
#define ID_TOKEN_GROUPS		1000u	/* as many are read */

/* What the token has to say, and which claims are read of it. */
struct id_token_terms {
	struct span	issuer, client, nonce;
	struct span	name_claim, role_claim;	/* a name, or names with dots between: members of members */
};

/* Spans borrow from the token. */
struct id_token {
	struct span	subject;
	struct span	name;		/* empty: the claim is missing, or no text */
	struct mp_value	groups;		/* a str, or an array; MP_NIL: the claim is missing */
};

/*
 * Append a map of those of the names, each as the role claim is named, that the token says: texts, and numbers and
 * truth values as text.  Others, longer ones and a mail address that is not verified are left out; nothing: it says
 * none of them.
 */
void id_token_keep(const struct mp_value *claims, const struct mp_value *names, struct buf *out);

/* Check the claims of a token whose signature was verified. */
enum sign_in id_token_check(const struct mp_value *claims, const struct id_token_terms *terms, uint64_t now_s,
    struct id_token *out);
