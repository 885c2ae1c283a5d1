#include "workers/auth/store/store_claim.h"

#include <stdio.h>

#include "workers/auth/store/store_driver.h"
#include "workers/auth/store/store_oauth.h"

#define REMOVED	"removed:"	/* the principal that stands for a removed account, before its digest */

int
store_claims(struct store *s, const char *principal, struct buf *out, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_CLAIMS, err, STORE_T(principal));
	int found = store_look(q, err);

	if (found != 1)
		return found;
	buf_span(out, store_column(q, 0));
	return store_found(q);
}

int
store_claims_set(struct store *s, const char *principal, struct span claims, struct err *err)
{
	if (claims.len == 0)
		return store_change(STORE_GIVEN(s, STORE_CLAIMS_REMOVE, err, STORE_T(principal)), NULL, err);
	return store_change(STORE_GIVEN(s, STORE_CLAIMS_SET, err, STORE_T(principal), STORE_B(claims.p, claims.len)),
	    NULL, err);
}

int
store_claims_mark_removed(struct store *s, const char *digest, bool removed, struct err *err)
{
	char principal[sizeof(REMOVED) + STORE_PWHASH_MAX];

	snprintf(principal, sizeof(principal), REMOVED "%s", digest);
	/* An empty map. */
	return store_claims_set(s, principal, removed ? SPAN("\x80") : SPAN(""), err);
}

int
store_claims_are_removed(struct store *s, const char *digest, struct err *err)
{
	char principal[sizeof(REMOVED) + STORE_PWHASH_MAX];
	struct buf claims = { 0 };
	int found;

	snprintf(principal, sizeof(principal), REMOVED "%s", digest);
	found = store_claims(s, principal, &claims, err);
	buf_fini(&claims);
	return found;
}
