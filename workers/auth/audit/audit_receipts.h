/*
 * audit_receipts - private to this folder: maps receipts to entries.  Successive entries have receipts with close
 * numbers: many of them share one row of the store.
 */
#pragma once

#include "workers/auth/audit/audit_parts.h"

/* Note that entry seq has the receipt with this number (0: none); audit_receipts_write() stores the notes. */
int audit_receipts_note(struct audit *a, uint64_t seq, uint64_t number, struct err *err);
int audit_receipts_write(struct audit *a, struct err *err);

/* The oldest entry with the receipt of this number.  1: found, in *seq; 0: none; -1. */
int audit_receipt_find(struct audit *a, uint64_t number, uint64_t *seq, struct err *err);
