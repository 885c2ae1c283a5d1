/*
 * store_loss - what each node remembers of a store that nodes share, so that one that lost commits is not relied on.
 *
 * A standby that had not got everything may be promoted, and a backup may be restored: what was revoked last is good
 * there, and codes and refresh tokens that were used are not.  Each commit has a number and a random mark.  A node
 * keeps those of the newest commit that it knows of in its own store, before it acts upon it.  A store with a smaller
 * number is behind; one with another mark at that number went another way.  Both are refused until the owner accepts
 * the loss: the store's epoch is incremented, and each node repeats what its own audit says was ended since a day
 * before the last commit that is left, and puts that on record.
 *
 * Functions return 0, or -1 with *err.  own: the node's own store, which keeps these settings.
 */
#pragma once

#include "workers/auth/store/store.h"

/*
 * Setting of the shared store: its epoch, and a node that refuses it, so that nodes which know nothing of what is lost
 * refuse it as well.  Of no effect in another epoch.
 */
#define STORE_LOSS_FOUND	"store.lost"

/* The newest commit that is known.  identity: of the store, drawn when its tables were made; 0: none is known. */
struct store_point {
	uint64_t	identity, epoch, number, mark;	/* mark 0: not known */
};

enum store_judgement { STORE_GOES_ON, STORE_NEWER, STORE_ELSEWHERE_ACCEPTED, STORE_LOST };

/* then: the mark that the store has at seen's number; 0: it keeps none. */
enum store_judgement store_loss_judge(const struct store_point *seen, const struct store_point *now, uint64_t then);

int store_loss_recall(struct store *own, struct store_point *seen, struct err *err);
int store_loss_remember(struct store *own, const struct store_point *now, struct err *err);

/* The node that refuses the store as it is now, by the setting's value; empty: none. */
const char *store_loss_finder(const char *found, const struct store_point *now);
int store_loss_tell(struct store *s, const struct store_point *now, struct err *err);

/*
 * Note that the store is refused; -1 with the sentence that says why, and what to do.  by: the node that knows; empty:
 * this one.
 */
int store_loss_refuse(struct store *own, const struct store_point *seen, const struct store_point *now, const char *by,
    struct err *err);

/* The owner accepts the loss: the node takes it up when it connects next.  -1 also if no store is refused. */
int store_loss_accept(struct store *own, struct err *err);
bool store_loss_is_accepted(struct store *own, const struct store_point *seen);

/*
 * End in s what the audit in own says was ended, as above.  over, unless 0: this node is the first that accepts, and
 * the epoch becomes a greater one than this.  In a transaction of its own.
 */
int store_loss_repeat(struct store *s, struct store *own, uint64_t over, struct err *err);

/* What store_loss_repeat() did and no entry says yet, as a text: 1; 0: nothing.  Forget it, in an open transaction. */
int store_loss_noted(struct store *own, struct buf *out, struct err *err);
int store_loss_forget_note(struct store *own, struct err *err);
