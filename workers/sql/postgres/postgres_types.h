/*
 * postgres_types - names of types by their OID.  The server's own types are
 * read once; users' and extensions' types on their first occurrence.
 */
#pragma once

#include <libpq-fe.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

#define PG_TYPES_MAX	8192	/* names kept; further types are called "oid:n" */

struct pg_types {
	size_t		 n, cap;
	struct table	 by_oid;
	struct pg_type_name {
		Oid	 oid;
		char	*name;
	}		*v;
};

/* NULL if the name is not known (yet). */
const char *pg_types_name(const struct pg_types *types, Oid oid);

/* Adds the rows of "SELECT oid, format_type(oid, NULL) …". */
void pg_types_learn(struct pg_types *types, const PGresult *res);

void pg_types_fini(struct pg_types *types);
