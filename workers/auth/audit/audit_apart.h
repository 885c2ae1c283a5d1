/*
 * audit_apart - private to this folder: the records apart from the entries that vouch for both ends of the audit
 * (project/audit_ends.h): the head, the mark in the settings, and the copy of the head in a file next to the store.
 *
 * The copy is written after the store was synced and names an entry that was synced with it, so that it is never ahead
 * of the store, whatever is killed or loses its power.  It has one line: seq in 20 digits, hash and MAC as in the head.
 */
#pragma once

#include "workers/auth/audit/audit_parts.h"

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
