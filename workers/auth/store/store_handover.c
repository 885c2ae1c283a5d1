#include "workers/auth/store/store_handover.h"

#include "workers/auth/store/store_driver.h"

int
store_handover_give(struct store *s, const char *id, uint64_t patience_ms, struct span sealed, struct err *err)
{
	uint64_t n = 0;

	return store_count(STORE_GIVEN(s, STORE_HANDOVER_GIVE, err, STORE_T(id), STORE_T(s->node), STORE_N(patience_ms),
			       STORE_B(sealed.p, sealed.len), STORE_N(STORE_HANDOVERS)),
		   &n, err) != 0 ?
	    -1 :
	    n > 0;
}

int
store_handover_look(struct store *s, struct span id, void (*fn)(void *arg, const struct store_handover *h), void *arg,
    struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_HANDOVER_LOOK, err, STORE_S(id), STORE_T(s->node));
	struct store_handover h = { .id = id };
	uint64_t state;
	int found = store_look(q, err);

	if (found != 1)
		return found;
	state = store_column_uint(q, 0);
	h.state = state < STORE_HANDOVER_ENDED ? (enum store_handover_state)state : STORE_HANDOVER_ENDED;
	h.writer = store_column(q, 1);
	h.late = store_column_uint(q, 2) != 0;
	h.gone = store_column_uint(q, 3) != 0;
	h.sealed = store_column(q, 4);
	fn(arg, &h);
	return store_found(q);
}

int
store_handover_take_back(struct store *s, struct span id, struct err *err)
{
	return store_change_one(STORE_GIVEN(s, STORE_HANDOVER_TAKE_BACK, err, STORE_S(id), STORE_T(s->node)), err);
}

int
store_handover_next(struct store *s, bool writes, void (*fn)(void *arg, const struct store_handover *h), void *arg,
    struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_HANDOVER_NEXT, err, STORE_T(s->node), STORE_N(writes));
	struct store_handover h = { .state = STORE_HANDOVER_BEGUN };
	int found = store_look(q, err);

	if (found != 1)
		return found;
	h.id = store_column(q, 0);
	h.node = store_column(q, 1);
	h.again = store_column_uint(q, 2) > 1;
	h.sealed = store_column(q, 3);
	h.writer = span_str(s->node);
	fn(arg, &h);
	return store_found(q);
}

int
store_handover_end(struct store *s, struct span id, struct span sealed, struct err *err)
{
	uint64_t n = 0;

	return store_count(STORE_GIVEN(s, STORE_HANDOVER_END, err, STORE_S(id), STORE_T(s->node),
			       STORE_B(sealed.p, sealed.len)),
		   &n, err) != 0 ?
	    -1 :
	    n > 0;
}

uint64_t
store_handovers_open(const struct store *s)
{
	return s->handovers_open;
}
