/* audit_parts - private to audit.c, audit_journals.c and audit_retain.c. */
#ifndef WORKERS_AUTH_AUDIT_PARTS_H
#define WORKERS_AUTH_AUDIT_PARTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "workers/auth/audit.h"
#include "workers/auth/store_audit.h"

#define AUDIT_SETTLE_MS	45u	/* an entry is in a journal for hardly longer while all goes well */

/* An entry that waits for the end of the turn; its spans are in struct audit's arena. */
struct audit_taken {
	struct audit_entry	entry;
	uint64_t		peer, id;
	bool			again;
};

/* A front's journal, or one that nobody holds any more. */
struct audit_journal {
	struct journal	file;		/* not mapped: there is none */
	uint64_t	peer;		/* whose it is; 0: nobody's */
	bool		placed;		/* file.at is where the store stopped */
	bool		doubtful;	/* or may be further on: the store does not know this file */
	bool		displaced;	/* the store is yet to learn where file.at is */
	const char	*finding;	/* what shows that somebody changed it */
};

#define AUDIT_TOGETHER	64u	/* receipts in a row of the store */

/* The receipts of n entries from seq on, of the transaction that is open: the store is not told of them yet. */
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
	bool			 in_step;	/* looked up in the transaction that is open */
	uint64_t		 seq, first_seq;
	uint8_t			 hash[AUDIT_HASH];
	struct store_head	 head;		/* as it was written last */
	const char		*finding;	/* what was wrong with the head; goes into the next checkpoint */
	struct audit_receipts	 receipts;
	bool			 ends_signed;	/* the newest entry is a checkpoint */
	bool			 unsigned_end;	/* this process committed entries behind the newest checkpoint */

	struct audit_taken	*taken;
	size_t			 ntaken, cap;
	struct arena		*arena;
	size_t			 gathered;	/* entries taken when waiting began; 0: nobody waited */
	unsigned		 alone, vain;	/* turns until waiting is tried again; how many it were last time */
	struct buf		 text, hex;	/* of one entry, while it is written */

	struct audit_journal	 journals[POLICY_JOURNAL_FILES];	/* by their numbers */
	struct buf		 copy;		/* of a record */
	bool			 taking;	/* fronts may put entries into their journals */
	uint64_t		 settled_ns, busy_ns, left_ns;	/* journals read; with a result; left ones looked for */

	bool			 unsynced;
	uint64_t		 synced_ns, retained_ns;
	uint64_t		 written, failed;
	unsigned		 ntold;		/* failures in a row */
};

/* Within a transaction: write a checkpoint; at its end, when all is written, the head. */
int audit_checkpoint(struct audit *a, struct err *err);
int audit_seal(struct audit *a, struct err *err);

/* Append an entry in the transaction that is open; unless again, and its receipt is known.  The head is left. */
int audit_write(struct audit *a, struct audit_entry *e, bool again, struct err *err);

/* The entry seq has the receipt of this number (0: none); the store is told when audit_receipts_write() is called. */
int audit_receipts_note(struct audit *a, uint64_t seq, uint64_t number, struct err *err);
int audit_receipts_write(struct audit *a, struct err *err);

/* The oldest entry with the receipt of this number.  1: *seq, 0: there is none, -1. */
int audit_receipt_find(struct audit *a, uint64_t number, uint64_t *seq, struct err *err);

/* Within a transaction, before anything is written: load the head; what was found goes into a checkpoint. */
int audit_tell(struct audit *a, const char *finding, struct err *err);

/* The end of a transaction: the head, if anything was written, and the commit.  After a failure nothing is open. */
int audit_commit(struct audit *a, struct err *err);
int audit_roll_back(struct audit *a);

/* Fronts may put entries into their journals from now on, or not any more. */
void audit_take_from(struct audit *a, bool taking);
void audit_journals_begin(struct audit *a);
void audit_journals_free(struct audit *a);
void audit_journals_idle(struct audit *a, uint64_t now_ns);

/* Once in a while: remove what is older than retention_days, in small steps. */
void audit_retain(struct audit *a, uint64_t now_ns);

#endif
