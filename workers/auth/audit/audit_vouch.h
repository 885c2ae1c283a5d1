/*
 * audit_vouch - whether a row of the audit's table is part of the chain, for those who look at single rows.  Rows
 * that stood behind the newest entry when writing began stay where they are; the chain goes on without them, and a
 * setting names them.
 */
#pragma once

#include "workers/auth/audit/audit.h"

int audit_vouch_begin(struct audit *a, struct audit_vouching *v, struct err *err);

/*
 * Within the transaction of audit_vouch_begin(): whether a row is part of the chain, by its own hash and by what
 * follows it, the next entry or the head.  -1, else 0 with *vouched.
 */
int audit_vouch(struct audit *a, const struct audit_vouching *v, uint64_t seq, struct span text, struct span hash,
    bool *vouched, struct err *err);

/* Within a transaction: note the rows of a finding as not the chain's. */
int audit_foreign_add(struct audit *a, const struct audit_finding *f, struct err *err);
