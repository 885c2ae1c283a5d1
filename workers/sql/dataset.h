/* dataset - the tools of published tables that run on their connection; see tools.c for the others. */
#pragma once

#include "workers/sql/driver.h"

/* {columns, types?} and the first rows of a table; with `count` a single row with the number of rows. */
int dataset_sample_run(struct call *c, const struct mp_value *args, struct err *err);

/*
 * A page of a column's texts: {columns}, rows of the key's cells and the text, {row_count, truncated, named}.
 * truncated: there are more rows; named: the cells before the text are the row's key.  Without a key all rows are one
 * page, up to a limit.  A column that the policy protects from anybody is refused.
 */
int dataset_texts_run(struct call *c, const struct mp_value *args, struct err *err);

/* carrel_sql: {columns}, rows, {row_count, truncated, execution_ms, limits_applied, request_id}. */
int dataset_execution_run(struct call *c, const struct mp_value *args, struct err *err);
