/*
 * json_rows - objects of a JSON array, or JSON lines, as records.
 *
 * A nested object becomes columns of its own, order.total as order_total, NESTED_MAX levels deep; lists and deeper
 * objects stay JSON text, numbers with the digits that the file has.  A list in place of a record has its fields by
 * position, any other value is a single field.
 */
#pragma once

#include "workers/import/rows_records.h"
#include "workers/import/source_text.h"

#define JSON_ROWS_NESTED_MAX	3

/* As csv_open(). */
struct import_rows *json_rows_open(struct import_source *s, struct err *err);
