/*
 * store_copies - copies of the nodes' audits, in the store that they share; errors and transactions as in store.h.
 *
 * A chain is one node's audit.  Its rows have the text encrypted, in the clear what is looked for: number, time, hash,
 * receipt, and whether the entry is a checkpoint (audit_copies.h).  After `carrel state migrate --from` the rows are
 * in a node's own store, to be read there.
 */
#pragma once

#include "project/audit_chain.h"
#include "project/audit_cross.h"
#include "workers/auth/store/store_node.h"

#define STORE_COPIES_MAX	256	/* rows of a batch */

/* What is known of a chain as a whole; mac is the node's, over the other members but those after it. */
struct store_chain {
	uint8_t			id[AUDIT_CHAIN];
	char			node[STORE_NODE + 1];
	struct audit_point	newest;		/* copied */
	uint64_t		kept;		/* the first entry that retention kept */
	struct audit_point	checkpoint;	/* the newest copied one; seq 0: none */
	uint64_t		substance;	/* the newest copied entry that says more than what other nodes' do */
	uint64_t		days;		/* of its retention */
	uint8_t			mac[AUDIT_HASH];
	uint64_t		age_ms;		/* since its newest batch */
	uint64_t		first, last;	/* the rows that there are; 0: none */
};

/* A row; spans of one that is read die with the query. */
struct store_copied {
	uint64_t	seq;
	struct span	at;		/* as the entry has it; empty: it has none */
	bool		checkpoint;
	uint64_t	receipt;	/* its number; 0: none */
	uint8_t		hash[AUDIT_HASH];
	struct span	sealed;
};

/*
 * This node's chain, and the hash of its row `upto`, or of its newest row if that is older; has_hash false: that row
 * is not there.  1, 0: there is no such chain yet; -1.
 */
int store_chain(struct store *s, const uint8_t id[AUDIT_CHAIN], uint64_t upto, struct store_chain *out,
    uint8_t hash[AUDIT_HASH], bool *has_hash, struct err *err);

/* Forget how far it is copied, for a row that is not this node's word.  Its rows stay. */
int store_chain_forget(struct store *s, const uint8_t id[AUDIT_CHAIN], struct err *err);

/* All chains, by the names of their nodes. */
int store_chains(struct store *s, void (*fn)(void *arg, const struct store_chain *c), void *arg, struct err *err);

/*
 * Send rows of a chain without waiting, and that it is copied up to c->newest.  Rows that are there already stay as
 * they are, and a chain that is copied further too.  store_copies_sent(): 1: done, 0: not answered yet, -1: not done.
 */
int store_copies_send(struct store *s, const struct store_chain *c, const struct store_copied *rows, size_t n,
    struct err *err);
int store_copies_sent(struct store *s, struct err *err);

/* Rows of a chain from number `from` on, at most n. */
int store_copies_up(struct store *s, const uint8_t id[AUDIT_CHAIN], uint64_t from, uint64_t n,
    bool (*fn)(void *arg, const struct store_copied *row), void *arg, struct err *err);

/* A place in the order of all rows by time; rows before it are older. */
struct store_copies_place {
	char		at[25];
	uint8_t		chain[AUDIT_CHAIN];
	uint64_t	seq;
};

/* Rows of all chains that are older than `from` and not older than `since`, the newest first, at most n. */
int store_copies_down(struct store *s, const struct store_copies_place *from, struct span since, uint64_t n,
    bool (*fn)(void *arg, const struct store_copies_place *at, const struct store_copied *row), void *arg,
    struct err *err);

/* The rows with this receipt, until fn returns false. */
int store_copies_receipt(struct store *s, uint64_t number,
    bool (*fn)(void *arg, const uint8_t chain[AUDIT_CHAIN], const struct store_copied *row), void *arg,
    struct err *err);

/* Remove what nodes that are gone would have removed; there: the chains of those that are not, whatever their age. */
int store_copies_sweep(struct store *s, const uint8_t (*there)[AUDIT_CHAIN], size_t n, struct err *err);

/* For `carrel state migrate`, within transactions as store_copy() has them: all rows; *rows is increased. */
int store_copies_move(struct store *from, struct store *to, uint64_t *rows, struct err *err);
int store_copies_clear(struct store *s, struct err *err);
