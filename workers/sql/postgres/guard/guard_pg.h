/*
 * guard_pg - may this statement be sent to a PostgreSQL database?
 *
 * PostgreSQL's own grammar (libpg_query) makes the tree.  Every node of the tree
 * is visited, and everything that is not known to be harmless is refused: kinds
 * of nodes by guard_nodes.def, names by guard_rules.c and by the database's own
 * description of its functions.  Pure: no connection, no clock.
 *
 * libpg_query recurses once per operator, and its grammar stops brackets at a
 * depth of 10,000.  The limit on the text, not a limit on nesting, keeps its
 * stack within 8 MiB (32,000 operators fit into the text, 64,000 into the
 * stack).  The nesting limit applies afterwards, on the tree.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "workers/sql/postgres/guard/guard_catalogue.h"
#include "workers/sql/postgres/guard/guard_memory.h"

#define GUARD_TEXT_MAX		65536u	/* bytes of a statement */

struct guard_pg;

struct guard_pg *guard_pg_new(void);
void guard_pg_free(struct guard_pg *g);

/* Decides guard_finding.plain from now on.  The caller keeps ownership.  NULL, the default: no statement is plain. */
struct guard_plain;
void guard_pg_use_plain(struct guard_pg *g, const struct guard_plain *plain);

/* Whether the statements that follow may have placeholders. */
void guard_pg_allow_parameters(struct guard_pg *g, bool allowed);

/* Whether EXPLAIN may have ANALYZE and BUFFERS.  The default is no. */
void guard_pg_allow_analyze(struct guard_pg *g, bool allowed);

/* Rows of others are hidden by who asks: where a row is stored tells how many there are.  The default is no. */
void guard_pg_hide_places(struct guard_pg *g, bool hidden);

/* Further results. */
struct guard_finding {
	size_t	position;	/* characters from the start of the text, from 1; 0: none */
	bool	unknown;	/* refused for a function that is unknown: the catalogue may be out of date */
	bool	plain;		/* allowed, and certain to leave no effect behind (guard_plain.h) */
	struct guard_memory	memory;	/* allowed: the parts that the server keeps in memory */
};

/*
 * Returns 0, or -1 with ERR_FORBIDDEN_SQL, ERR_INVALID_SQL or
 * ERR_SQL_TOO_LONG; the message names the construct, its position and an
 * alternative.  before: number of characters in front of sql in the caller's
 * text, for positions.
 */
int guard_pg_check(struct guard_pg *g, const struct guard_catalogue *c, struct span sql, size_t before,
    struct guard_finding *found, struct err *err);

/* The two halves of the guard, so that audits can tell what each one stops by itself. */
enum {
	GUARD_LAYER_PARSER	= 1 << 0,	/* kinds of nodes, relations, settings, size */
	GUARD_LAYER_FUNCTIONS	= 1 << 1,	/* functions, including those called by operators, types and fields */
	GUARD_LAYERS		= GUARD_LAYER_PARSER | GUARD_LAYER_FUNCTIONS
};

/* guard_pg_check() with only these layers.  A text that is not a statement passes none of them. */
int guard_pg_check_layers(struct guard_pg *g, const struct guard_catalogue *c, struct span sql, size_t before,
    unsigned layers, struct guard_finding *found, struct err *err);
