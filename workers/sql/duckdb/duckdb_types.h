/* duckdb_types - the types of results, and their names. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "workers/sql/duckdb/duckdb_library.h"

/* A column's type, with the labels of its enumerations and its children. */
struct duckdb_type {
	enum duck_type_id	 id, stored;	/* stored: of a DECIMAL or an ENUM, what holds it */
	unsigned		 width, scale;	/* of a DECIMAL */
	uint64_t		 size;		/* of an ARRAY */
	char			*alias;		/* "JSON"; NULL: none */
	/* Members of a STRUCT or UNION, labels of an ENUM: names; else NULL. */
	uint64_t		 n;
	char			**names;
	struct duckdb_type	**children;	/* n; of a LIST and ARRAY one, of a MAP key and value */
};

/* The types of a result's columns, for duckdb_types_free(). */
void duckdb_types_read(struct duck_result *result, struct duckdb_type ***out, uint64_t *n);

/* Whether values of the type are printed here; others are by the engine's own cast to VARCHAR. */
bool duckdb_types_is_printed(const struct duckdb_type *type);
void duckdb_types_free(struct duckdb_type **types, uint64_t n);

/* The engine's name of the type: "DECIMAL(10,2)", "STRUCT(a INTEGER, b VARCHAR[])". */
void duckdb_types_put_name(struct buf *out, const struct duckdb_type *type);
