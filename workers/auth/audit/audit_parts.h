/* audit_parts - private to this folder: the writer of the audit. */
#pragma once

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
	struct audit_point	 copied;	/* the newest copied one, when this process began */
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
	struct audit_memo	*memo;		/* what texts of earlier entries became */

	struct audit_journal	 journals[POLICY_JOURNAL_FILES];	/* by their numbers */
	struct buf		 copy;		/* scratch for a record */
	bool			 taking;	/* fronts may write to their journals */
	uint64_t		 settled_ns, busy_ns, left_ns;	/* times: journals read; an entry found in one;
                                                                 * abandoned ones searched */

	struct buf		 cross;		/* msgpack pairs of each checkpoint; empty: none */
	uint64_t		 signed_ns;	/* when this process wrote a checkpoint last, or began */

	uint64_t		 synced;	/* the newest entry that was on the disk at the last audit_sync() */
	bool			 unsynced;	/* something was committed, and audit_sync() not called since */
	uint64_t		 synced_ns, retained_ns;
	uint64_t		 written, failed;
	unsigned		 ntold;		/* failures in a row */
	const char		*room;		/* why the store's file system takes nothing more; NULL: it does */
	char			 failing[AUDIT_FAILING];	/* audit_failing() */
};
