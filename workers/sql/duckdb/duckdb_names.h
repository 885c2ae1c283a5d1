/* duckdb_names - the relations and macros of the open database, by which the guard resolves what a statement names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "base/table.h"

#define DUCKDB_SCHEMA	"main"	/* searched for a name without a schema */

/* Names are equal whatever the case of their ASCII letters, as in DuckDB. */
struct duckdb_names {
	char		*database;	/* its name as a catalog */
	size_t		 n, cap;
	struct duckdb_name {
		char	*schema;	/* NULL: a macro */
		char	*name;
		char	*fault;		/* why it cannot be read; NULL: it can */
	}		*v;
	struct table	 by_name;
};

void duckdb_names_add(struct duckdb_names *names, struct span schema, struct span name);
void duckdb_names_add_macro(struct duckdb_names *names, struct span name);

/* A relation of the schema that is searched, which is not there, and why. */
void duckdb_names_add_fault(struct duckdb_names *names, struct span name, struct span fault);

/* Why a relation of that name cannot be read; NULL if it can, or does not exist. */
const char *duckdb_names_fault(const struct duckdb_names *names, struct span name);

/* catalog and schema may be empty. */
bool duckdb_names_has(const struct duckdb_names *names, struct span catalog, struct span schema, struct span name);
bool duckdb_names_has_macro(const struct duckdb_names *names, struct span name);

/* Whether a token of the SQL is the name, as an identifier; strings: or as a text, which FROM takes for a name. */
bool duckdb_names_in(struct span sql, const char *name, bool strings);

void duckdb_names_fini(struct duckdb_names *names);
