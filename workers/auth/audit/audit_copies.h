/*
 * audit_copies - this node's audit, copied into the store that nodes share, and the newest checkpoints of the others,
 * for its own.  With a store of the node's own alone there is nothing to copy, and c is NULL.
 */
#pragma once

#include "workers/auth/audit/audit.h"
#include "workers/auth/store/store_copies.h"

#define AUDIT_COPIES_KEY	32
#define AUDIT_COPIES_LATE_S	60	/* entries that wait for longer are a problem to be told of */

struct audit_copies;

struct audit_copies_settings {
	struct audit	*audit;
	struct store	*own, *shared;
	const char	*node;
	const uint8_t	*key;		/* AUDIT_COPIES_KEY bytes; all nodes have them */
	unsigned	 retention_days;
};

/* All but the key is borrowed. */
struct audit_copies *audit_copies_new(const struct audit_copies_settings *settings);

/* Between calls, as often as possible: it waits for no answer that is longer than a few numbers. */
void audit_copies_tend(struct audit_copies *c, uint64_t now_ns);

/* At an orderly end: a checkpoint, and what is not copied yet, for half a second at most.  Free c. */
void audit_copies_free(struct audit_copies *c);

/* What is not copied: entries, and for how long the oldest has been waiting. */
struct audit_copies_lag {
	uint64_t	entries, ms;
};

struct audit_copies_lag audit_copies_lag(const struct audit_copies *c);

/* The store gives this node's copies a time that is long past: others would take it for gone. */
bool audit_copies_misdated(const struct audit_copies *c);

/* Remove the old copies of nodes that are gone. */
int audit_copies_sweep(struct audit_copies *c, struct err *err);

/* This node's chain; all zeros: it has none yet. */
const uint8_t *audit_copies_id(const struct audit_copies *c);

/*
 * The keys of what is kept in the store: of the encryption of entries, and of the MACs of chains.  Nodes derive them
 * from what the root key gives them, also those that have no shared store any more.
 */
struct audit_copies_keys {
	uint8_t	seal[32], mac[32];
};

void audit_copies_derive(const uint8_t key[AUDIT_COPIES_KEY], struct audit_copies_keys *out);

/* Whether the record of a chain is the word of a node. */
bool audit_copies_vouched(const struct audit_copies_keys *k, const struct store_chain *chain);

/* The text of a row into out, which is emptied; false: the row is not as a node of this key wrote it. */
bool audit_copies_open(const struct audit_copies_keys *k, const uint8_t chain[AUDIT_CHAIN],
    const struct store_copied *row, struct buf *out);
