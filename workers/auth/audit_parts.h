/* audit_parts - private to audit.c and audit_retain.c. */
#ifndef WORKERS_AUTH_AUDIT_PARTS_H
#define WORKERS_AUTH_AUDIT_PARTS_H

#include "base/arena.h"
#include "base/buf.h"
#include "workers/auth/audit.h"
#include "workers/auth/store_audit.h"

/* An entry that waits for the end of the turn; its spans are in struct audit's arena. */
struct audit_taken {
	struct audit_entry	entry;
	uint64_t		peer, id;
	bool			again;
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
	bool			 ends_signed;	/* the newest entry is a checkpoint */
	bool			 unsigned_end;	/* this process committed entries behind the newest checkpoint */

	struct audit_taken	*taken;
	size_t			 ntaken, cap;
	struct arena		*arena;
	size_t			 gathered;	/* entries taken when waiting began; 0: nobody waited */
	unsigned		 alone, vain;	/* turns until waiting is tried again; how many it were last time */
	struct buf		 text, hex;	/* of one entry, while it is written */

	bool			 unsynced;
	uint64_t		 synced_ns, retained_ns;
	uint64_t		 written, failed;
	unsigned		 ntold;		/* failures in a row */
};

/* Within a transaction: write a checkpoint; at its end, when all is written, the head. */
int audit_checkpoint(struct audit *a, struct err *err);
int audit_seal(struct audit *a, struct err *err);

/* Once in a while: remove what is older than retention_days, in small steps. */
void audit_retain(struct audit *a, uint64_t now_ns);

#endif
