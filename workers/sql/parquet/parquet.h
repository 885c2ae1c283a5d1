/*
 * parquet - writes a Parquet file whose bytes leave in order, as apache/parquet-format describes it: version 1, pages
 * of plain values, not compressed, each column annotated in both the old and the new form.
 *
 * How it is written
 *
 * Rows are taken apart by column as they come.  When the columns hold PARQUET_GROUP bytes, or PARQUET_GROUP_COLUMN
 * for each column up to PARQUET_GROUP_MOST, they leave as one row group with one page a column; what is kept of the
 * group is its description, which stands at the end of the file.  All descriptions take PARQUET_FOOTER bytes at most: a
 * file that would need more fails.  So memory is bounded by one row group, one row and that, however long the file is;
 * and a file that is cut has no end, which every reader refuses.
 *
 * A nested value is taken apart as Dremel does: each of its plain values has the level at which it repeats, and the
 * level down to which it is not missing.
 *
 *	p = parquet_new(write, arg);
 *	node = parquet_add(p, NULL, name, PARQUET_INT64);	per column, its nested ones below it
 *	parquet_begin(p, err);
 *	for each row {
 *		parquet_fixed(p, node, 0, &v) or parquet_null(p, node, 0, 0) …	per column
 *		parquet_row_done(p, err);
 *	}
 *	parquet_end(p, err);
 *	parquet_free(p);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define PARQUET_GROUP		((size_t)4 << 20)
#define PARQUET_GROUP_COLUMN	((size_t)16 << 10)
#define PARQUET_GROUP_MOST	((size_t)16 << 20)
#define PARQUET_FOOTER		((size_t)8 << 20)
#define PARQUET_PIECE		((size_t)60 << 10)	/* bytes that are written at once */
#define PARQUET_DEPTH		32u			/* nodes below each other; a deeper one is not added */

/* What a column holds.  Whole numbers and times are int32_t or int64_t, as the physical type in parquet.c says. */
enum parquet_type {
	PARQUET_BOOLEAN,	/* uint8_t, 0 or 1 */
	PARQUET_INT8, PARQUET_INT16, PARQUET_INT32, PARQUET_UINT8, PARQUET_UINT16, PARQUET_UINT32,	/* 4 bytes */
	PARQUET_INT64, PARQUET_UINT64,
	PARQUET_FLOAT, PARQUET_DOUBLE,
	PARQUET_DECIMAL32, PARQUET_DECIMAL64,	/* units, of at most 9 and 18 digits */
	PARQUET_DECIMAL128,			/* units of at most 38 digits, 16 bytes, the highest first */
	PARQUET_DATE,				/* int32_t, days since 1970-01-01 */
	PARQUET_TIME_MICROS, PARQUET_TIME_NANOS,
	PARQUET_TIMESTAMP_MILLIS, PARQUET_TIMESTAMP_MICROS, PARQUET_TIMESTAMP_NANOS,	/* of no zone */
	PARQUET_TIMESTAMP_UTC,			/* int64_t, microseconds */
	PARQUET_UUID,				/* 16 bytes */
	PARQUET_TEXT, PARQUET_JSON, PARQUET_BYTES,	/* by parquet_bytes() */
	PARQUET_STRUCT,				/* of its children */
	PARQUET_LIST,				/* of its one child */
	PARQUET_MAP,				/* of its two children; the first, the key, is never missing */
	PARQUET_TYPES
};

struct parquet_node {
	enum parquet_type	 type;
	struct buf		 name;
	unsigned		 width, scale;	/* of a decimal: digits, and those behind the point */
	unsigned		 def;		/* the level at which it is there */
	unsigned		 rep;		/* the level at which a further one of what it holds repeats */
	unsigned		 depth;
	bool			 required;	/* never missing */
	size_t			 n, cap;
	struct parquet_node	**children;
	struct parquet_leaf	*leaf;		/* NULL: it has children */
};

struct parquet;

/* Takes pieces of the file, in order; rows: how many of its rows are complete with this one.  -1 with *err to stop. */
typedef int parquet_write(void *arg, uint64_t rows, struct span bytes, struct err *err);

struct parquet *parquet_new(parquet_write *write, void *arg, const char *created_by);
void parquet_free(struct parquet *p);	/* accepts NULL */

/*
 * A column, or with a parent what that holds; the parent's children are added in order, before the next column.  The
 * name is copied.  NULL: it would be deeper than PARQUET_DEPTH.
 */
struct parquet_node *parquet_add(struct parquet *p, struct parquet_node *parent, struct span name,
    enum parquet_type type);

/* After all columns.  -1 with *err, as of all that follow. */
int parquet_begin(struct parquet *p, struct err *err);

/* It, or what is below it, is missing from the level def on: of a node that is missing itself its own less one. */
void parquet_null(struct parquet *p, struct parquet_node *node, unsigned rep, unsigned def);

/* A value, of the size that its type has; rep: 0, or the level at which it repeats. */
void parquet_fixed(struct parquet *p, struct parquet_node *node, unsigned rep, const void *v);
void parquet_bytes(struct parquet *p, struct parquet_node *node, unsigned rep, struct span v);

/* Bytes that the columns hold. */
size_t parquet_held(const struct parquet *p);

int parquet_row_done(struct parquet *p, struct err *err);
int parquet_end(struct parquet *p, struct err *err);
