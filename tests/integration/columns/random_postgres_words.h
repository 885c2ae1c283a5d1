/*
 * random_postgres_words - a PostgreSQL schema, a policy and statements drawn by
 * lot: every kind of object through which a protected column may be reached.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

/* What a column's values are to a caller, in all tables. */
enum drawn_action { DRAWN_OPEN, DRAWN_HASHED, DRAWN_MASKED, DRAWN_HIDDEN };

#define DRAWN_COLUMNS	4	/* s, m, h: text; n: a number */

struct drawn {
	uint64_t		 state;
	enum drawn_action	 action[DRAWN_COLUMNS];
	struct buf		*out;
	unsigned		 depth;
	unsigned		 heirs_by;	/* what decides in which heir a row is: 0: s, 1: n */
};

/* Decides on a policy, too. */
void drawn_begin(struct drawn *d, uint64_t seed);

/* The policy as JSON. */
void drawn_policy(struct drawn *d, struct buf *out);

/* One statement a line; those that fail are left out. */
void drawn_schema(struct drawn *d, struct buf *out);

/* The rows of database number which (0, 1): only values of masked and hidden columns are others. */
void drawn_rows(struct drawn *d, unsigned which, struct buf *out);

void drawn_statement(struct drawn *d, struct buf *out);
