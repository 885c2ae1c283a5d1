/*
 * json_rows - objects of a JSON array, or one after another (JSON lines), as records.
 *
 * An object within an object becomes columns of its own, order.total as
 * order_total, NESTED_MAX deep; lists and what lies deeper stay JSON text.  A list in
 * place of an object has its fields by position, anything else is one field.
 */
#ifndef WORKERS_IMPORT_JSON_ROWS_H
#define WORKERS_IMPORT_JSON_ROWS_H

#include "workers/import/rows.h"
#include "workers/import/source.h"

#define JSON_ROWS_NESTED_MAX	3

/* As csv_open(). */
struct rows *json_rows_open(struct source *s, struct err *err);

/* The names of the columns seen so far, which are as many as the last row had; valid until the next row. */
const struct span *json_rows_names(const struct rows *r);

#endif
