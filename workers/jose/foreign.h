/* foreign - the claims of an access token of another issuer (RFC 9068), and whom and what it is for. */
#pragma once

#include "workers/jose/jose.h"

#define FOREIGN_SKEW_S		60u	/* how much the issuer's clock may be ahead */
#define FOREIGN_SUBJECT		255u	/* bytes */
#define FOREIGN_CLIENT		256u

/* What a token has to say, and which claims are read of it. */
struct foreign_terms {
	struct span	issuer, audience;
	struct span	typ;			/* of the header; "at+jwt" also in its long form */
	struct span	scope_claim, role_claim;	/* scope_claim empty: it is not looked at */
	uint64_t	max_age_s;		/* since iat, however late exp is */
};

/* Spans borrow from the token. */
struct foreign {
	struct span	subject;
	struct span	client;		/* empty: it is not named, or too long */
	struct mp_value	scopes, groups;	/* a str, an array, or MP_NIL */
	uint64_t	issued_s, until_s;	/* iat; exp, or the end of max_age_s */
};

/* Check header and claims of a token; its signature is checked apart.  DONE, or HEADER, ISSUER, AUDIENCE, … */
enum sign_in foreign_check(const struct jose *t, const struct foreign_terms *terms, uint64_t now_s,
    struct foreign *out);
