/*
 * tools - the tools of every SQL worker: sql_execution, sl_execution, ask_execution, introspect, profile, relate,
 * dataset_sample, dataset_texts, dataset_execution, fingerprint, connection_test, connection_grants, audit_sql.
 */
#pragma once

#include "workers/sql/driver.h"

/* The statement of a call, its argument sql: within its bounds, without NUL.  -1 with *err. */
int sql_read_statement(const struct mp_value *args, struct span *sql, struct err *err);

/* Milliseconds since that time of clock_ns(). */
double sql_elapsed_ms(uint64_t since);
