/*
 * table_text - aligned columns for a terminal.
 *
 * Cells come from databases and wikis, so nothing in them reaches the
 * terminal as a command: control characters and bidirectional overrides are
 * shown as escapes.  Widths are those of the characters on screen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

#define TABLE_COLUMNS_MAX	1000	/* further ones are not shown */
#define TABLE_CELL_MAX		200	/* columns on screen; a longer cell ends in an ellipsis */

struct text_table;

/* A table in a; headers is NULL-terminated and may be empty: then there is no head line. */
struct text_table *table_new(struct arena *a, const char *const *headers);

/* Add one more column with this header; only before the first row. */
void table_column(struct text_table *t, struct span header);

/* Start a row; then its cells from left to right.  Missing ones are empty. */
void table_row(struct text_table *t);
void table_cell(struct text_table *t, struct span text);
void table_cell_number(struct text_table *t, struct span text);	/* right-aligned */
void table_cell_faint(struct text_table *t, struct span text);	/* NULL and its like */
void table_cellf(struct text_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

size_t table_rows(const struct text_table *t);

/*
 * Append it to out, no line wider than width (0: no bound): the widest columns
 * give way first, and where that is not enough every row becomes a block.
 */
void table_print(const struct text_table *t, unsigned width, bool colour, struct buf *out);

/* From now on cells are not cut, however long: for output to a file or a program.  Call before the first table. */
void table_whole(bool whole);

/* Append the table as CSV (RFC 4180): headers and cells as they came, faint cells empty. */
void table_csv(const struct text_table *t, struct buf *out);

/* Append text as a terminal may see it: valid UTF-8, no control characters; newlines and tabs only when lines. */
void table_safe(struct span text, bool lines, struct buf *out);

/* The screen columns that safe text takes; the number of its bytes that fit into that many columns. */
size_t table_width(struct span text);
size_t table_fit(struct span text, size_t columns);
