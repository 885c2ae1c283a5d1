/*
 * sheet - the rows of an answer, with the roles of their columns.  Cells borrow from the query results; everything
 * else lives in the arena of the call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/text/decimal.h"
#include "base/mp.h"

#define SHEET_COLUMNS_MAX	12u

enum sheet_role {
	SHEET_KEY,	/* names a group */
	SHEET_TIME,	/* names a period */
	SHEET_VALUE,	/* a figure */
	SHEET_OTHER	/* anything else: not drawn */
};

struct sheet_column {
	struct span	name;		/* as shown */
	enum sheet_role	role;
	struct span	unit;		/* of a figure: "EUR", "%"; empty: unknown */
	struct span	granularity;	/* of a period: "month"; empty: unknown */
	bool		names;		/* numbers of the column name things: their order says nothing */
	size_t		key;		/* the column that tells rows of the same name apart; 0: none */
	bool		additive;	/* figures may be summed over the rows */
	bool		fractions;	/* not all figures are whole */
};

struct sheet {
	size_t			 ncolumns, nrows;
	struct sheet_column	 columns[SHEET_COLUMNS_MAX];
	struct mp_value		*cells;		/* row by row */
	bool			 truncated;	/* there are more rows */
	bool			 german;	/* the language of the question */
};

/* A sheet with room for nrows, its cells nil.  NULL: a is full. */
struct sheet *sheet_new(struct arena *a, size_t ncolumns, size_t nrows);

static inline struct mp_value *
sheet_cell(const struct sheet *t, size_t row, size_t column)
{
	return &t->cells[row * t->ncolumns + column];
}

/* A cell with this value, in a, as base/json/cell.h reads it.  Nil when a is full, or v is not a number that fits. */
struct mp_value sheet_figure(struct arena *a, double v);
struct mp_value sheet_decimal(struct arena *a, const struct decimal *d);
struct mp_value sheet_text(struct arena *a, struct span text);

/* The cell as people read a key: "(none)", "(empty)", "Ann (7)", "January 2025"; brief: "Jan 2025". */
void sheet_put_key(struct buf *out, const struct sheet *t, size_t row, size_t column, bool brief);

/* Whether the keys of a column have an order of their own: periods, and numbers that are no names. */
bool sheet_is_ordered(const struct sheet *t, size_t column);

/* Note of each column whether its figures have fractions. */
void sheet_note_fractions(struct sheet *t);

/* The column of this role after the given number of others; ncolumns: none. */
size_t sheet_column_of(const struct sheet *t, enum sheet_role role, size_t after);
size_t sheet_count(const struct sheet *t, enum sheet_role role);

/* {headers, data, rowCount, truncated}; figures that are doubles have 15 significant digits, free of binary noise. */
void sheet_put(struct buf *out, const struct sheet *t);
