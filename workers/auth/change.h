/* change - a change of the store and what the audit says of it, in one transaction. */
#ifndef WORKERS_AUTH_CHANGE_H
#define WORKERS_AUTH_CHANGE_H

#include "base/err.h"
#include "policy/audit.h"
#include "workers/auth/auth.h"

/* Append to the audit that c (NULL: nobody, it was time) did this to target (NULL: nothing in particular). */
int change_record(struct auth *a, const struct call *c, enum audit_action action, const char *target,
    struct err *err);

/*
 * The end of a transaction that began well: result is 0 when what was done in it was.  Otherwise, and when the
 * commit fails, nothing of it happened, and -1 is returned.
 */
int change_end(struct auth *a, int result, struct err *err);

#endif
