/*
 * cell - the one reader of a cell of a result's rows, as SQL workers write it (workers/sql/value.h): nil, a boolean, an
 * integer, a double, text, bytes, a map for a value that was cut, and, for a decimal number, an ARRAY of exactly one
 * STR with the server's digits ("NaN" and "Infinity" among them).  A text is never a number, whatever it looks like.
 */
#pragma once

#include <stdbool.h>

#include "base/text/decimal.h"
#include "base/mp.h"

/* The digits of a decimal number.  False: the cell is of another kind. */
bool cell_digits(const struct mp_value *cell, struct span *out);

/* The cell's number, exact.  False: it has none, or none of at most 38 digits. */
bool cell_decimal(const struct mp_value *cell, struct decimal *out);

/* The cell's number, rounded where a double cannot hold it.  False: it has none that is finite. */
bool cell_number(const struct mp_value *cell, double *out);

/* Whether two cells are equal; numbers are whatever their kind. */
bool cell_is(const struct mp_value *a, const struct mp_value *b);

/*
 * Append the cell as a plain value of a message: a decimal becomes a number if a reader of JSON has it exactly, else
 * text.  Everything else is copied.
 */
void cell_put_value(struct buf *out, const struct mp_value *cell);

/* Append the cell as people read it: text as it is, a number by its digits, anything else as JSON. */
void cell_put_text(struct buf *out, const struct mp_value *cell);
