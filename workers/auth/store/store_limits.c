#include "workers/auth/store/store_limits.h"

#include "workers/auth/store/store_driver.h"

int
store_admit(struct store *s, const struct store_admit *ask, struct store_admission *out, struct err *err)
{
	const struct store_quota *q = ask->quotas;
	struct store_query *row = STORE_GIVEN(s, STORE_ADMIT, err, STORE_S(ask->who), STORE_T(s->node),
	    STORE_N(s->epoch), STORE_N(ask->own), STORE_N(ask->most), STORE_T(q[0].name), STORE_N(q[0].most),
	    STORE_T(q[1].name), STORE_N(q[1].most), STORE_T(ask->of_all.name), STORE_N(ask->of_all.most));

	if (store_look(row, err) != 1)
		return -1;
	out->verdict = (enum store_verdict)store_column_uint(row, 0);
	out->retry_s = store_column_uint(row, 1);
	out->limit = store_column_uint(row, 2);
	out->remaining = store_column_uint(row, 3);
	out->reset_s = store_column_uint(row, 4);
	out->in_flight = store_column_uint(row, 5);
	store_found(row);
	return 0;
}

int
store_released(struct store *s, struct span who, uint64_t own, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_RELEASED, err, STORE_S(who), STORE_T(s->node), STORE_N(s->epoch),
				STORE_N(own)),
	    NULL, err);
}

int
store_limits_sweep(struct store *s, struct err *err)
{
	return store_change(store_statement(s, STORE_LIMITS_SWEEP, err), NULL, err);
}
