/*
 * tools - the tools of every SQL worker: sql_execution, sl_execution, ask_execution, introspect, profile, relate,
 * dataset_sample, dataset_texts, dataset_execution, fingerprint, connection_test, connection_grants, audit_sql.
 */
#pragma once

#include "workers/sql/driver.h"

/* The statement of a call, its argument sql: within its bounds, without NUL.  -1 with *err. */
int sql_read_statement(const struct mp_value *args, struct span *sql, struct err *err);

/*
 * Say what an export of the call's answer can be, of at most that many rows (0: of as many as any); -1 with *err: it is
 * asked for as a file that this engine does not write.
 */
int sql_offer_file(struct call *c, uint64_t rows, struct err *err);

/* Begin the rows of the call's answer, or of its export. */
void sql_begin_rows(struct call *c, struct result *r, uint64_t max_rows);

/* Milliseconds since that time of clock_ns(). */
double sql_elapsed_ms(uint64_t since);
