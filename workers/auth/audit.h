/*
 * audit - the one writer of the audit: gives entries their place in the chain, and the chain its checkpoints and its
 * head.  One struct audit a process; several processes may write to one store, each in transactions of its own.
 */
#ifndef WORKERS_AUTH_AUDIT_H
#define WORKERS_AUTH_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "ipc/journal.h"
#include "policy/profile.h"
#include "workers/auth/audit_entry.h"
#include "workers/auth/store.h"

struct audit;

struct audit_settings {
	uint8_t		mac_key[32], sign_seed[32];
	const char	*path;			/* of the store: the journals are beside it */
	uint8_t		journal_key[JOURNAL_KEY];
	struct span	secret;			/* no entry holds this text; or none */
	bool		has_journals;		/* journal_key is one */
	bool		disk;			/* the store is synced with each commit, and no journal is used */
	unsigned	retention_days;
	void		(*seen)(void *arg, const struct audit_entry *e);	/* of entries from journals; or NULL */
	void		*arg;
};

/*
 * What was left in journals is taken in; a store that cannot be used now may be later: that is no error.  The settings
 * are copied, the store borrowed.
 */
struct audit *audit_new(struct store *s, const struct audit_settings *settings);

/* Bring all into the store, write the checkpoint of the end, when anything was written, and free a. */
void audit_free(struct audit *a);

/*
 * Append e within a transaction of the store that is open, and that the caller commits together with what e tells
 * of: its seq, prev and, when it is 0, its time are filled in.  After a rollback: audit_forget().
 */
int audit_append(struct audit *a, struct audit_entry *e, struct err *err);
void audit_forget(struct audit *a);

/* --- from the fronts and the supervisor ------------------------------------------------------- */

/*
 * Take an entry, a map as audit_entry_read() wants it, for the next audit_turn().  again: it may have been written.
 * peer and id: who is answered; peer 0: nobody.  Returns what it says, until then; NULL: it is none that one of
 * tellers may tell, and was not taken.
 */
const struct audit_entry *audit_take(struct audit *a, unsigned tellers, bool again, uint64_t peer, uint64_t id,
    struct span entry);

/*
 * Write all that was taken in one transaction, then answer each: why is NULL when it is written, else a sentence.
 * Returns how many were taken.
 */
size_t audit_turn(struct audit *a, void (*answer)(void *arg, uint64_t peer, uint64_t id, const char *why), void *arg);

/*
 * How long more may be waited for before audit_turn(): a transaction costs as much as several entries, so that
 * where many call at the same time they share one.  Where nothing more came of it, it is not tried for a while.
 */
unsigned audit_gather_us(struct audit *a);

/*
 * Between calls, again and again: bring what is in the journals into the store and what was committed to the disk,
 * remove what is older than retention.
 */
void audit_idle(struct audit *a, uint64_t now_ns);
/* When audit_idle() is wanted next, at the latest. */
unsigned audit_patience_ms(const struct audit *a);

/* --- journals: audit_journals.c ------------------------------------------------------------------ */

/* The journal of this number is peer's from now on; fd is taken over. */
void audit_journals_open(struct audit *a, uint64_t peer, unsigned number, int fd);

/* peer is gone: its journal is looked at for a last time. */
void audit_journal_gone(struct audit *a, uint64_t peer);

/* Bring into the store all that is in journals. */
int audit_settle(struct audit *a, struct err *err);

/* --- reading ---------------------------------------------------------------------------------- */

/* What `carrel audit verify` begins with. */
struct audit_state {
	bool		has_head, head_sound;
	uint64_t	head_seq, first_seq;	/* 0: no entries */
	uint8_t		head_hash[AUDIT_HASH], public[AUDIT_PUBLIC];
	uint64_t	last_seq;	/* of the entries themselves */
	uint64_t	written, failed;	/* by this process */
};

int audit_look(struct audit *a, struct audit_state *out, struct err *err);

/* Where the entry with this receipt is.  1: found, 0: there is none, -1. */
int audit_find(struct audit *a, struct span receipt, uint64_t *seq, struct err *err);

#endif
