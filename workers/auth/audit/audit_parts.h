/* audit_parts - private to audit.c, audit_apart.c, audit_journals.c, audit_retain.c and audit_vouch.c. */
#ifndef WORKERS_AUTH_AUDIT_AUDIT_PARTS_H
#define WORKERS_AUTH_AUDIT_AUDIT_PARTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/store/store_audit.h"

#define AUDIT_SETTLE_MS	45u	/* the usual maximal time of an entry in a journal */

/* An entry queued for audit_turn(); its spans are in struct audit's arena. */
struct audit_taken {
	struct audit_entry	entry;
	uint64_t		peer, id;
	bool			again;
};

/* A front's journal, or an abandoned one. */
struct audit_journal {
	struct journal	file;		/* not mapped: unused slot */
	uint64_t	peer;		/* its front; 0: abandoned */
	bool		placed;		/* file.at is the position that the store has */
	bool		doubtful;	/* the store does not know this file, so file.at may be too early */
	bool		displaced;	/* file.at is not stored yet */
	const char	*finding;	/* evidence of a manipulation, for the next checkpoint */
};

#define AUDIT_TOGETHER	64u	/* receipts in one row of the store */

/* The receipts of n entries from seq on in the open transaction, not yet written to the store. */
struct audit_receipts {
	uint64_t	low, high, seq;	/* of their numbers */
	size_t		n;
	uint64_t	numbers[AUDIT_TOGETHER];
};

struct audit {
	struct store		*store;
	struct audit_settings	 settings;
	uint8_t			 public[AUDIT_PUBLIC];

	/* the newest entry, as far as this process knows */
	bool			 known;
	bool			 in_step;	/* the head was loaded in the open transaction */
	uint64_t		 seq, first_seq;
	uint8_t			 hash[AUDIT_HASH];
	struct store_head	 head;		/* as last written */
	struct audit_findings	 findings;	/* each is for a checkpoint of its own, the last one first */
	bool			 was_used;	/* at its start the store had what only calls on record put there */
	struct audit_receipts	 receipts;
	bool			 ends_signed;	/* the newest entry is a checkpoint */
	bool			 unsigned_end;	/* this process committed entries after the newest checkpoint */

	struct audit_taken	*taken;
	size_t			 ntaken, cap;
	struct arena		*arena;
	size_t			 gathered;	/* entries queued when waiting began; 0: not waiting */
	unsigned		 alone, vain;	/* turns until waiting is tried again; the length of the last pause */
	struct buf		 text, hex;	/* scratch for the entry that is written */

	struct audit_journal	 journals[POLICY_JOURNAL_FILES];	/* by their numbers */
	struct buf		 copy;		/* scratch for a record */
	bool			 taking;	/* fronts may write to their journals */
	uint64_t		 settled_ns, busy_ns, left_ns;	/* times: journals read; an entry found in one;
                                                                 * abandoned ones searched */

	bool			 unsynced;	/* something was committed, and audit_sync() not called since */
	uint64_t		 synced_ns, retained_ns;
	uint64_t		 written, failed;
	unsigned		 ntold;		/* failures in a row */
};

/* --- audit_apart.c --- */

/*
 * Within a transaction: read head, mark and copy, and what this process knows.  audit_ends_write(), after the chain's
 * next place was chosen: put what is missing of them in place, except the head.
 */
int audit_ends_read(struct audit *a, struct store_head *head, struct audit_ends *out, struct err *err);
int audit_ends_write(struct audit *a, const struct audit_ends *ends, struct err *err);

/* Within a transaction, after audit_load(): the first entry that is kept is this one. */
int audit_mark(struct audit *a, uint64_t first, struct err *err);

/* Sync the store, then the copy of the head. */
void audit_sync(struct audit *a);

/* Within a transaction: note the rows of a finding as not the chain's (audit_vouch.c). */
int audit_foreign_add(struct audit *a, const struct audit_finding *f, struct err *err);

/* --- audit.c --- */

/* Load the head, once in each transaction: another process may have written. */
int audit_load(struct audit *a, struct err *err);

/* Within a transaction: write a checkpoint; audit_seal(): store the head at the end of the transaction. */
int audit_checkpoint(struct audit *a, struct err *err);
int audit_seal(struct audit *a, struct err *err);

/* Append an entry in the open transaction.  again: skip it if its receipt is known.  The head is not stored. */
int audit_write(struct audit *a, struct audit_entry *e, bool again, struct err *err);

/* Note that entry seq has the receipt with this number (0: none); audit_receipts_write() stores the notes. */
int audit_receipts_note(struct audit *a, uint64_t seq, uint64_t number, struct err *err);
int audit_receipts_write(struct audit *a, struct err *err);

/* The oldest entry with the receipt of this number.  1: found, in *seq; 0: none; -1. */
int audit_receipt_find(struct audit *a, uint64_t number, uint64_t *seq, struct err *err);

/* Within a transaction, before any write: load the head; `finding` goes into a checkpoint. */
int audit_tell(struct audit *a, const char *finding, struct err *err);

/*
 * Finish a transaction: store the head, if anything was written, and commit.  After a failure no transaction is open.
 */
int audit_commit(struct audit *a, struct err *err);
int audit_roll_back(struct audit *a);

/* Allow or forbid the fronts to write to their journals. */
void audit_take_from(struct audit *a, bool taking);
void audit_journals_begin(struct audit *a);
void audit_journals_free(struct audit *a);
void audit_journals_idle(struct audit *a, uint64_t now_ns);

/* Once in a while: remove entries older than retention_days, in small steps. */
void audit_retain(struct audit *a, uint64_t now_ns);

#endif
