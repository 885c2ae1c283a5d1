/*
 * audit_journals - moves entries from journals into the store, many at a time: those that fronts wrote, and those
 * left by ended processes.  The transaction also stores the position that each journal was read up to.
 */
#pragma once

#include "workers/auth/audit/audit.h"

/* The journal of this number is peer's from now on; fd is taken over. */
void audit_journals_open(struct audit *a, uint64_t peer, unsigned number, int fd);

/* peer is gone: its journal is read a last time. */
void audit_journal_gone(struct audit *a, uint64_t peer);

/* Write all entries of the journals to the store. */
int audit_settle(struct audit *a, struct err *err);

/* Why entries of journals could not be written to the store, or soon cannot; "": they can. */
const char *audit_failing(const struct audit *a);

/* Allow or forbid the fronts to write to their journals. */
void audit_take_from(struct audit *a, bool taking);
void audit_journals_begin(struct audit *a);
void audit_journals_free(struct audit *a);
void audit_journals_idle(struct audit *a, uint64_t now_ns);
