/* audit_filter - which entries a search wants, by the arguments of audit_page. */
#pragma once

#include "base/buf.h"
#include "base/mp.h"

#define AUDIT_FILTER_MEMBERS	4	/* that must equal an argument */

struct audit_filter {
	struct span	since, until, principal;	/* empty: any */
	struct span	wanted[AUDIT_FILTER_MEMBERS];
	struct buf	escaped;	/* a text as JSON escapes it in an entry; empty: any */
	bool		filters;	/* it does not want all of them */
};

/* Borrows from args. */
void audit_filter_read(struct audit_filter *f, const struct mp_value *args);
bool audit_filter_wants(const struct audit_filter *f, struct span text);
void audit_filter_fini(struct audit_filter *f);
