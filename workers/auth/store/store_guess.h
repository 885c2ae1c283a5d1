/*
 * store_guess - wrong passwords and wrong credentials, counted over the nodes that share the store; errors as in
 * store.h.  Not for a store of the node's own alone.  One statement each, by the store's clock.
 */
#pragma once

#include "workers/auth/store/store.h"

/* An attempt to sign in.  What is a name in the store has no blank in it. */
struct store_guess {
	struct span	address, name;
	bool		owner;			/* what others guess keeps it waiting for no moment */
	uint64_t	most, span_s, delay_s;	/* wrong ones in span_s; the longest wait for a name */
};

int store_guess_begin(struct store *s, const struct store_guess *g, unsigned *wait, struct err *err);
int store_guess_right(struct store *s, const struct store_guess *g, struct err *err);

/* slow: guesses of the name count from whichever address.  *blocked: the address is blocked from now on. */
int store_guess_wrong(struct store *s, const struct store_guess *g, bool slow, bool *blocked, struct err *err);

/*
 * A wrong credential from address.  *seconds: for so long it is blocked, on all nodes, which hear of it (store_word()):
 * after `most` within a minute, for block_s seconds; 0: it is not.
 */
int store_guess_failure(struct store *s, struct span address, uint64_t most, uint64_t block_s, unsigned *seconds,
    struct err *err);

/*
 * What may happen at most `most` times within span_s seconds, of either name; also may be empty.  *wait 0: it may, and
 * is counted; else the seconds until it may.  back: one that was counted did not happen.
 */
int store_event_take(struct store *s, struct span name, struct span also, uint64_t most, uint64_t span_s,
    unsigned *wait, struct err *err);
int store_event_back(struct store *s, struct span name, struct span also, struct err *err);

/* Remove counts that are of no use any more; due every minute. */
int store_guess_sweep(struct store *s, struct err *err);
