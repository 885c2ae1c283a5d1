/*
 * audit_memo - what the texts of earlier entries became.
 *
 * The entries of a busy moment have the same callers, tools and connections, often the same statement.  Searching such
 * a text for secrets and escaping it costs several times what comparing it costs.  A memo has a few texts for each
 * member of an entry, short ones without a secret, and replaces them as others come.
 */
#pragma once

#include "base/span.h"

#define AUDIT_MEMO_MEMBERS	16u	/* numbers of members; the caller says which is which */
#define AUDIT_MEMO_SLOTS	4u	/* texts kept for each, a power of two */
#define AUDIT_MEMO_TEXT		768u	/* bytes of a text and of what it became; longer ones are not kept */

struct audit_memo;

struct audit_memo *audit_memo_new(void);
void audit_memo_free(struct audit_memo *m);

/* What this text became; borrowed until the next audit_memo_keep().  p NULL: it is not known, or m is NULL. */
struct span audit_memo_find(const struct audit_memo *m, unsigned member, struct span text);

/* Keep what it became, which is not empty, and has no more bytes than it may have. */
void audit_memo_keep(struct audit_memo *m, unsigned member, struct span text, struct span became);
