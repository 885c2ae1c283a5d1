/*
 * audit_memo - what the texts of earlier entries became.
 *
 * The entries of a busy moment have the same callers, tools and connections, often the same statement.  Searching such
 * a text for secrets and escaping it costs several times what comparing it costs.  A memo has a few texts for each
 * member of an entry, short ones without a secret, and replaces them as others come.
 *
 * Of the entries in journals it also keeps some whole: a front's next call of the same tool by the same caller is
 * often told with the same bytes but for its receipt.  Such a record is neither parsed nor composed a second time.
 */
#pragma once

#include <stdbool.h>

#include "base/span.h"

#define AUDIT_MEMO_MEMBERS	16u	/* numbers of members; the caller says which is which */
#define AUDIT_MEMO_SLOTS	4u	/* texts kept for each, a power of two */
#define AUDIT_MEMO_TEXT		768u	/* bytes of a text and of what it became; longer ones are not kept */

#define AUDIT_MEMO_ENTRIES	32u	/* whole entries kept, a power of two */
#define AUDIT_MEMO_ENTRY	1024u	/* bytes of the record of one and of its text; longer ones are not kept */

struct audit_entry;
struct audit_memo;

struct audit_memo *audit_memo_new(void);
void audit_memo_free(struct audit_memo *m);

/* What this text became; borrowed until the next audit_memo_keep().  p NULL: it is not known, or m is NULL. */
struct span audit_memo_find(const struct audit_memo *m, unsigned member, struct span text);

/* Keep what it became, which is not empty, and has no more bytes than it may have. */
void audit_memo_keep(struct audit_memo *m, unsigned member, struct span text, struct span became);

/*
 * The entry that was read from these bytes of a record, with `known`, its text; false: it is not known, or m is NULL.
 * What it has borrows until the next audit_memo_keep_entry().
 */
bool audit_memo_find_entry(const struct audit_memo *m, struct span told, struct audit_entry *e);

/*
 * Keep the entry, whose spans are in e->told or empty, and the text of what was told, which has no secret, if the same
 * was told before: most statements come once.
 */
void audit_memo_keep_entry(struct audit_memo *m, const struct audit_entry *e, struct span text);
