/*
 * store_handover - what one node asks the node that writes the project to do, in the order of asking; errors as in
 * store.h.  Not for a store of the node's own alone.
 *
 * A handover waits, is begun by the writing node and by no other, and ends there.  One that was not begun in time is
 * begun no more.  The texts are encrypted (workers/auth/handovers.h).
 */
#pragma once

#include "workers/auth/store/store.h"

#define STORE_HANDOVER_ID	32	/* hexadecimal digits, drawn by the node that asks */
#define STORE_HANDOVERS		100u	/* that wait; beyond, none is accepted */

enum store_handover_state { STORE_HANDOVER_WAITS, STORE_HANDOVER_BEGUN, STORE_HANDOVER_ENDED };

/* Spans die with the query. */
struct store_handover {
	struct span	id, node, writer, sealed;	/* node: that asks; writer: that began it, empty: none */
	enum store_handover_state state;
	bool		late;	/* it was not begun in time */
	bool		gone;	/* the node that began it has no lease */
	bool		again;	/* this node began it before */
};

/* Ask; it may be begun within patience_ms: 1; 0: too many wait; -1. */
int store_handover_give(struct store *s, const char *id, uint64_t patience_ms, struct span sealed, struct err *err);

/* This node's own one: fn is called with it, and 1; 0: it is not there; -1. */
int store_handover_look(struct store *s, struct span id, void (*fn)(void *arg, const struct store_handover *h),
    void *arg, struct err *err);

/* Remove it: 1; 0: it is begun and has not ended, or is not there; -1. */
int store_handover_take_back(struct store *s, struct span id, struct err *err);

/* Begin the oldest, if this node writes; before it what this node began and did not end.  As store_handover_look(). */
int store_handover_next(struct store *s, bool writes, void (*fn)(void *arg, const struct store_handover *h), void *arg,
    struct err *err);

/* It has ended, and sealed says how: 1; 0: it is not this node's to end; -1. */
int store_handover_end(struct store *s, struct span id, struct span sealed, struct err *err);

/* How many this node may take, as its last question had it. */
uint64_t store_handovers_open(const struct store *s);
