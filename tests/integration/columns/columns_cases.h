/*
 * columns_cases - files of statements for the column policy's tests, one a
 * line: verdict, a piece of the answer, the statement, with tabs between.
 * "allow": the piece is in the result; "deny": it is in the message.  "#"
 * begins a remark.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tests/integration/sql/sql_harness.h"

#define CANARY	"CANARY"	/* in every protected value, and nowhere else */

/* Everything an answer says is without the canary; statements name it themselves at times. */
void columns_assert_clean(struct driver *d, const char *sql, const struct driver_answer *a);

/* Runs SOURCE_DIR/tests/integration/columns/<name>; how many cases there were. */
size_t columns_run_cases(struct driver *d, const char *name);

/*
 * Statements drawn by lot, to two workers whose databases differ in protected
 * values alone: the same answer, to the byte, or the same error.
 */
void columns_compare(struct driver *one, struct driver *other, bool postgres);
