/* audit_pages - the audit's entries, page by page from carrel-auth. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define AUDIT_NEWEST	(((uint64_t)1 << 53) - 1)	/* no entry has a greater number */

struct cli;
struct client;

/* An entry as audit_page gives it; borrowed. */
struct audit_line {
	uint64_t	seq;
	struct span	text, hash;
	bool		vouched;	/* by what follows it; of a copy: by its node */
	struct span	node;		/* of a copy: the node's name */
};

typedef bool audit_line_fn(void *arg, const struct audit_line *row);

/* The range and filters of a search. */
struct audit_look {
	struct cli	*cli;
	struct client	*client;
	bool		 down;
	uint64_t	 from;
	const char	*since, *until;	/* NULL or "": any */
	bool		 filters;	/* the filters of the options apply */
	bool		 all;		/* of all nodes, the newest first; `from` is not used */
	const char	*chain;		/* of this chain's copy, upwards; NULL: this node's audit */
	char		 after[128];	/* of all nodes: where the page before ended */
};

/*
 * Hand every entry from l->from on to fn, until it returns false or the entries end; l->from is then where the next
 * look would begin.  -1: said why.
 */
int audit_pages_each(struct audit_look *l, audit_line_fn *fn, void *arg);
