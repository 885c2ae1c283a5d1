/*
 * store_audit - the audit's rows: more of store.h, with its rules for errors and transactions.
 *
 * Texts and hashes are opaque here; what they hold is project/audit_chain.h's.
 */
#ifndef WORKERS_AUTH_STORE_AUDIT_H
#define WORKERS_AUTH_STORE_AUDIT_H

#include "project/audit_chain.h"
#include "workers/auth/store.h"

/* receipt: the number of the entry's receipt, by which it is found; 0: by none.  A second entry with it is not. */
int store_audit_add(struct store *s, uint64_t seq, struct span text, struct span hash, uint64_t receipt,
    struct err *err);

/* The entry with this receipt.  1: *seq, 0: none, -1. */
int store_audit_receipt(struct store *s, uint64_t receipt, uint64_t *seq, struct err *err);

struct store_head {
	bool		exists;
	uint64_t	seq;
	char		hash[AUDIT_HASH_TEXT + 1], mac[AUDIT_HASH_TEXT + 1];	/* whatever stands there, cut to fit */
};

int store_audit_head(struct store *s, struct store_head *head, struct err *err);
int store_audit_set_head(struct store *s, const struct store_head *head, struct err *err);

/* The least and the greatest number; zeros: there are no entries. */
int store_audit_bounds(struct store *s, uint64_t *first, uint64_t *last, struct err *err);

/*
 * Entries from number `from` on, upwards or downwards, at most n of them, until fn returns false.  text and hash are
 * valid during fn.
 */
int store_audit_rows(struct store *s, uint64_t from, bool upwards, size_t n,
    bool (*fn)(void *arg, uint64_t seq, struct span text, struct span hash), void *arg, struct err *err);

/* Remove the entries from and to, both included, and what finds those with these receipts. */
int store_audit_remove(struct store *s, uint64_t from, uint64_t to, struct err *err);
int store_audit_forget_receipt(struct store *s, uint64_t receipt, struct err *err);

#endif
