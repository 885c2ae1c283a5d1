/*
 * audit - the only writer of the audit: links entries into the chain, and writes checkpoints and the head.  One struct
 * audit for each process; several processes may write to one store, each in transactions of its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "ipc/journal.h"
#include "policy/profile.h"
#include "workers/auth/audit/audit_entry.h"
#include "workers/auth/store/store.h"

struct audit;

#define AUDIT_FAILING	1100	/* bytes of what audit_failing() says, the end included */

struct audit_settings {
	uint8_t		mac_key[32], sign_seed[32];
	const char	*path;			/* of the store: the journals are in the same directory */
	uint8_t		journal_key[JOURNAL_KEY];
	struct span	secret;			/* no entry holds this text; or none */
	bool		has_journals;		/* journal_key is one */
	bool		disk;			/* the store is synced with each commit, and no journal is used */
	unsigned	retention_days;
	/* called for entries from journals; may be NULL */
	void		(*seen)(void *arg, const struct audit_entry *e);
	void		*arg;
};

/*
 * Entries that are left in journals are written to the store.  It is no error if the store cannot be used yet.  The
 * settings are copied, the store borrowed.
 */
struct audit *audit_new(struct store *s, const struct audit_settings *settings);

/* Write everything to the store, with a final checkpoint if anything was written, and free a. */
void audit_free(struct audit *a);

/*
 * Append e within an open transaction of the store; the caller commits it together with the change that e records.
 * seq, prev and a time of 0 are filled in.  After a rollback call audit_forget().
 */
int audit_append(struct audit *a, struct audit_entry *e, struct err *err);
void audit_forget(struct audit *a);

/*
 * Queue an entry, a map as audit_entry_read() expects it, for the next audit_turn().  again: the entry may be on
 * record already.  peer and id: who is answered; peer 0: no answer.  Returns the entry, valid until audit_turn();
 * NULL: not an entry that the tellers may send, and not queued.
 */
const struct audit_entry *audit_take(struct audit *a, unsigned tellers, bool again, uint64_t peer, uint64_t id,
    struct span entry);

/*
 * Write all queued entries in one transaction, then answer each: why is NULL after success, else a sentence.  Returns
 * the number of entries.
 */
size_t audit_turn(struct audit *a, void (*answer)(void *arg, uint64_t peer, uint64_t id, const char *why), void *arg);

/*
 * How long to wait for more entries before audit_turn(): a transaction costs as much as several entries, so concurrent
 * calls should share one.  Returns 0 for a while after waiting brought nothing.
 */
unsigned audit_gather_us(struct audit *a);

/*
 * Between calls, regularly: write the journals' entries to the store, sync the store, and remove entries older than
 * the retention.
 */
void audit_idle(struct audit *a, uint64_t now_ns);
/* The longest time until the next audit_idle(). */
unsigned audit_patience_ms(const struct audit *a);

/* The input of `carrel audit verify`. */
struct audit_state {
	struct audit_ends	ends;
	uint8_t			public[AUDIT_PUBLIC];
	uint64_t		written, failed;	/* by this process */
};

int audit_look(struct audit *a, struct audit_state *out, struct err *err);

/* What rows are compared with, as of one moment. */
struct audit_vouching {
	struct audit_point	top;		/* the newest entry that was written; seq 0: unknown */
	char			foreign[1024];	/* rows that findings named as inserted: "FROM-TO " each */
};

/*
 * For a node that shares its store with others (audit_copies.h).
 *
 * audit_witness(): this entry was copied there, with a hash that is the node's word: entries up to it that are missing
 * are found, and no number is used again.  audit_report(): a finding, in a checkpoint of its own.
 */
int audit_witness(struct audit *a, const struct audit_point *copied, struct err *err);
int audit_report(struct audit *a, const struct audit_finding *f, struct err *err);

/* Each checkpoint has these pairs from now on (project/audit_cross.h), msgpack. */
void audit_set_cross(struct audit *a, struct span pairs);

/* Write a checkpoint.  For how long entries have been without one, or with `also` since the last one; 0: none are. */
int audit_sign_end(struct audit *a, struct err *err);
uint64_t audit_unsigned_ns(const struct audit *a, uint64_t now_ns, bool also);

/* The newest entry that is on the disk; the first one that is kept, 0: not known yet. */
uint64_t audit_synced(const struct audit *a);
uint64_t audit_first(const struct audit *a);

/* Where the entry with this receipt is.  1: found, 0 if absent, -1. */
int audit_find(struct audit *a, struct span receipt, uint64_t *seq, struct err *err);

/* Load the head, once in each transaction: another process may have written. */
int audit_load(struct audit *a, struct err *err);

/* Within a transaction: write a checkpoint; audit_seal(): store the head at the end of the transaction. */
int audit_checkpoint(struct audit *a, struct err *err);
int audit_seal(struct audit *a, struct err *err);

/* Append an entry in the open transaction.  again: skip it if its receipt is known.  The head is not stored. */
int audit_write(struct audit *a, struct audit_entry *e, bool again, struct err *err);

/* Within a transaction, before any write: load the head; `finding` goes into a checkpoint. */
int audit_tell(struct audit *a, const char *finding, struct err *err);

/*
 * Finish a transaction: store the head, if anything was written, and commit.  After a failure no transaction is open.
 */
int audit_commit(struct audit *a, struct err *err);
int audit_roll_back(struct audit *a);
