/* change - a change of the store and its audit entry, in one transaction. */
#pragma once

#include "base/err.h"
#include "policy/audit_words.h"
#include "workers/auth/auth.h"

/* Append to the audit that c (NULL: a timed action) did this to target (NULL: no particular target). */
int change_record(struct auth *a, const struct call *c, enum audit_action action, const char *target,
    struct err *err);

/* The same of what another node was asked to have done here, for this principal of its. */
int change_record_for(struct auth *a, struct span principal, enum audit_action action, const char *target,
    struct err *err);

/* The same of what gives these scopes, and the tools that it names. */
int change_record_grant(struct auth *a, const struct call *c, enum audit_action action, const char *target,
    uint32_t scopes, const char *named, struct err *err);

/* The same of what makes or changes a user: its role, and the one before (NULL: it is new). */
int change_record_role(struct auth *a, const struct call *c, enum audit_action action, const char *target,
    const char *role, const char *before, struct err *err);

/*
 * End an open transaction: commit when result is 0, else roll back.  -1: nothing was changed, also when the commit
 * fails.
 */
int change_end(struct auth *a, int result, struct err *err);
