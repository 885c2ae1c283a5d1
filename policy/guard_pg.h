/*
 * guard_pg - may this statement be sent to a PostgreSQL database?
 *
 * PostgreSQL's own grammar (libpg_query) makes the tree; every node of it is
 * visited, and what is not known to be harmless is refused: kinds of nodes by
 * guard_nodes.def, names by guard_rules.c and by what the database itself
 * says about its functions.  Pure: no connection, no clock.
 *
 * libpg_query recurses once per operator and its grammar stops brackets at
 * 10,000; the bound on the text, not one on the nesting, keeps its stack within
 * 8 MiB (32,000 operators fit into the text, 64,000 into the stack).  How deep a
 * statement may nest is decided afterwards, on the tree.
 */
#ifndef POLICY_GUARD_PG_H
#define POLICY_GUARD_PG_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "policy/guard_catalogue.h"
#include "policy/guard_memory.h"

#define GUARD_TEXT_MAX		65536u	/* bytes of a statement */

struct guard_pg;

struct guard_pg *guard_pg_new(void);
void guard_pg_free(struct guard_pg *g);

/* What decides guard_finding.plain from now on; kept by the caller.  NULL, as at first: nothing is plain. */
struct guard_plain;
void guard_pg_use_plain(struct guard_pg *g, const struct guard_plain *plain);

/* Whether EXPLAIN may be given ANALYZE and BUFFERS; not at first. */
void guard_pg_allow_analyze(struct guard_pg *g, bool allowed);

/* What came to light beside the verdict. */
struct guard_finding {
	size_t	position;	/* characters from the start of the text, from 1; 0: none */
	bool	unknown;	/* refused for a function that nobody has: the catalogue may be old */
	bool	plain;		/* allowed, and it can leave nothing behind (guard_plain.h) */
	struct guard_memory	memory;	/* allowed: what the server keeps in memory for it */
};

/*
 * 0, or -1 with ERR_FORBIDDEN_SQL, ERR_INVALID_SQL or ERR_SQL_TOO_LONG; the
 * message names the construct, where it stands and what to do instead.
 * before: characters in front of sql in what the caller sent, for positions.
 */
int guard_pg_check(struct guard_pg *g, const struct guard_catalogue *c, struct span sql, size_t before,
    struct guard_finding *found, struct err *err);

/* The two halves of the guard, for those who want to know what each stops by itself. */
enum {
	GUARD_LAYER_PARSER	= 1 << 0,	/* what a statement is made of, relations, settings, size */
	GUARD_LAYER_FUNCTIONS	= 1 << 1,	/* functions, also those behind operators, types and fields */
	GUARD_LAYERS		= GUARD_LAYER_PARSER | GUARD_LAYER_FUNCTIONS
};

/* guard_pg_check() with only these layers; a text that is no statement passes none. */
int guard_pg_check_layers(struct guard_pg *g, const struct guard_catalogue *c, struct span sql, size_t before,
    unsigned layers, struct guard_finding *found, struct err *err);

#endif
