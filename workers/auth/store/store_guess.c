#include "workers/auth/store/store_guess.h"

#include "workers/auth/store/store_driver.h"

int
store_guess_begin(struct store *s, const struct store_guess *g, unsigned *wait, struct err *err)
{
	uint64_t n;

	if (store_count(STORE_GIVEN(s, STORE_GUESS_BEGIN, err, STORE_S(g->address), STORE_S(g->name), STORE_N(g->owner),
			    STORE_N(g->most), STORE_N(g->span_s), STORE_N(g->delay_s)),
		&n, err) != 0)
		return -1;
	*wait = (unsigned)n;
	return 0;
}

int
store_guess_right(struct store *s, const struct store_guess *g, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_GUESS_RIGHT, err, STORE_S(g->address), STORE_S(g->name)), NULL, err);
}

int
store_guess_wrong(struct store *s, const struct store_guess *g, bool slow, bool *blocked, struct err *err)
{
	uint64_t n;

	if (store_count(STORE_GIVEN(s, STORE_GUESS_WRONG, err, STORE_S(g->address), STORE_S(g->name), STORE_N(slow),
			    STORE_N(g->most), STORE_N(g->span_s)),
		&n, err) != 0)
		return -1;
	*blocked = n != 0;
	return 0;
}

int
store_guess_failure(struct store *s, struct span address, uint64_t most, uint64_t block_s, unsigned *seconds,
    struct err *err)
{
	uint64_t n;

	if (store_count(STORE_GIVEN(s, STORE_GUESS_FAILURE, err, STORE_S(address), STORE_N(most), STORE_N(block_s)), &n,
		err) != 0)
		return -1;
	*seconds = (unsigned)n;
	return 0;
}

int
store_event_take(struct store *s, struct span name, struct span also, uint64_t most, uint64_t span_s, unsigned *wait,
    struct err *err)
{
	uint64_t n;

	if (store_count(STORE_GIVEN(s, STORE_EVENT_TAKE, err, STORE_S(name), STORE_S(also), STORE_N(most),
			    STORE_N(span_s)),
		&n, err) != 0)
		return -1;
	*wait = (unsigned)n;
	return 0;
}

int
store_event_back(struct store *s, struct span name, struct span also, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_EVENT_BACK, err, STORE_S(name), STORE_S(also)), NULL, err);
}

int
store_guess_sweep(struct store *s, struct err *err)
{
	return store_change(store_statement(s, STORE_GUESSES_SWEEP, err), NULL, err);
}
