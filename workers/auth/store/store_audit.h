/*
 * store_audit - the audit's rows; errors and transactions as in store.h.
 *
 * Texts and hashes are opaque here; project/audit_chain.h defines their content.
 */
#pragma once

#include "project/audit_chain.h"
#include "workers/auth/store/store.h"

int store_audit_add(struct store *s, uint64_t seq, struct span text, struct span hash, struct err *err);

/*
 * The receipts of successive entries from seq on: behind has one byte for each, its number's distance from `number`.
 */
struct store_receipts {
	uint64_t	number, seq;
	struct span	behind;
};

int store_audit_receipts_add(struct store *s, const struct store_receipts *r, struct err *err);

/* The oldest entry with the receipt of this number.  1: found, in *seq; 0: none; -1. */
int store_audit_receipt(struct store *s, uint64_t number, uint64_t *seq, struct err *err);

struct store_head {
	unsigned	rows;		/* of the table; the other members are of the first */
	uint64_t	seq;
	char		hash[AUDIT_HASH_TEXT + 1], mac[AUDIT_HASH_TEXT + 1];	/* as stored, cut to fit */
};

int store_audit_head(struct store *s, struct store_head *head, struct err *err);
int store_audit_set_head(struct store *s, const struct store_head *head, struct err *err);
int store_audit_clear_heads(struct store *s, struct err *err);

/* The hash that entry seq has as its prev, into out.  1: found, 0: there is no such entry, -1. */
int store_audit_prev(struct store *s, uint64_t seq, char out[AUDIT_HASH_TEXT + 1], struct err *err);

/* Whether there are tokens, users, clients or datasets: each was put on record when it was made. */
int store_audit_used(struct store *s, bool *used, struct err *err);

/* The least and the greatest number; both 0: there are no entries. */
int store_audit_bounds(struct store *s, uint64_t *first, uint64_t *last, struct err *err);

/*
 * Call fn for entries from number `from` on, upwards or downwards, at most n, until it returns false.  text and hash
 * are valid during fn.
 */
int store_audit_rows(struct store *s, uint64_t from, bool upwards, size_t n,
    bool (*fn)(void *arg, uint64_t seq, struct span text, struct span hash), void *arg, struct err *err);

/*
 * Remove the entries from `from` to `to`, both included.  forget_receipt: the receipts from this number on, of entries
 * before `before`.
 */
int store_audit_remove(struct store *s, uint64_t from, uint64_t to, struct err *err);
int store_audit_forget_receipt(struct store *s, uint64_t number, uint64_t before, struct err *err);
