/*
 * schema - the tables and columns of one connection's latest scan, packed into
 * a few arrays, and their part of the index.
 *
 * Built table by table while another is in use, then swapped in; never changed
 * afterwards.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "project/scan/snapshot.h"
#include "workers/search/index/shelf.h"
#include "words/names.h"

/* The number of a text of the schema: 0 is null. */
typedef uint32_t schema_text;

struct schema_column {
	schema_text	name, native_type, normalized_type, comment, description;
	uint32_t	samples;	/* where its list starts in samples; 0: none */
	uint32_t	labels;		/* of an enumeration, likewise; 0 if invalid */
	uint32_t	origin;		/* its default, generation expression and identity, likewise */
	uint8_t		dimension;	/* enum snapshot_dimension */
	bool		nullable, primary_key;
};

struct schema_key {
	schema_text	from_column, to_catalog, to_db, to_table, to_column, constraint;
};

struct schema_index {
	schema_text	name, definition;
	uint32_t	columns;	/* where its list starts in samples */
	bool		unique, primary;
};

struct schema_table {
	schema_text	catalog, db, name, comment, description, definition;
	schema_text	file;		/* it came from, in tables/ */
	uint8_t		kind;		/* enum snapshot_kind */
	bool		has_rows;
	int64_t		rows;
	uint32_t	column, ncolumns;	/* first in columns */
	uint32_t	key, nkeys;		/* first in keys */
	uint32_t	index, nindexes;	/* first in indexes */
	uint32_t	partitions;		/* where their list starts in samples; 0: none */
	uint32_t	checks;			/* a name, which may be null, and an expression each, likewise */
};

struct schema {
	struct shelf	 shelf;		/* first: see shelf.h */
	char		*sync_id, *driver, *extracted_at, *run_id, *fingerprint;	/* the last two may be NULL */
	struct segment	*segment;
	struct names	 texts;		/* by schema_text; the first means no text */
	size_t		 ntables, tables_cap;
	struct schema_table *tables;	/* by display string once finished */
	size_t		 ncolumns, columns_cap;
	struct schema_column *columns;
	size_t		 nkeys, keys_cap;
	struct schema_key *keys;
	size_t		 nsamples, samples_cap;
	schema_text	*samples;	/* lists of texts of any of these: count, then texts */
	size_t		 nindexes, indexes_cap;
	struct schema_index *indexes;
	bool		 has_details;	/* all details are there, and as the column policy of now wants them */
	uint32_t	*by_name;	/* tables by folded name */
	struct names	 folded;	/* every table's name, folded */
	uint32_t	*folded_name;	/* per table */
	struct schema_building *building;	/* NULL once finished */
};

/* null has p == NULL. */
struct span schema_span(const struct schema *s, schema_text t);

/* The list that starts there in samples: *n texts from the pointer returned. */
const schema_text *schema_list(const struct schema *s, uint32_t list, size_t *n);

/* Append the table's display string. */
void schema_display(const struct schema *s, const struct schema_table *t, struct buf *out);

/* Tables whose name is name, any case: *n of them, numbers ascending by display. */
const uint32_t *schema_named(const struct schema *s, struct span name, size_t *n);

/* The table or column of a document of the index; *column is NULL for a table. */
const struct schema_table *schema_of(const struct schema *s, const struct segment *seg, uint32_t doc,
    const struct schema_column **column);

size_t schema_bytes(const struct schema *s);
