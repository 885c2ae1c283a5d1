/*
 * keys - what identifies the rows of tables without a declared key: a deep scan counts whether a column that is named
 * like the table's key, or like what its rows are called, has another value in each of all rows.
 *
 * A unique column is no key for that alone: a number or a moment may be unique by chance, and the key of another thing
 * says nothing about how many of these there are.  keys.c has the rules as tables.
 */
#pragma once

#include "workers/memory/scan/relate.h"

/*
 * Counts the candidates and notes what is unique in m, r's manifest.  A count that fails proves nothing.  -1 with *err
 * when the call is over.  Progress runs from..to.
 */
int keys_prove(const struct relate *r, struct manifest *m, struct span driver, const struct deep *d, unsigned from,
    unsigned to, struct err *err);
