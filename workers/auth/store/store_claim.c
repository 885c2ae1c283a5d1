#include "workers/auth/store/store_claim.h"

#include "workers/auth/store/store_driver.h"

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
