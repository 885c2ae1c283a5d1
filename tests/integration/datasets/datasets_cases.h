/*
 * datasets_cases - statements over datasets, one a line of a file: verdict, piece and statement, with tabs between.
 * "allow" and a piece of the result, or "deny" and an error code (* is any).  In the statement @a, @b, @v and @n are
 * the names of two tables, a view and of what is not published; @A, @B and @V the same with dashes.  Whatever the
 * verdict is, nothing that holds CANARY comes out.
 */
#pragma once

#include "base/buf.h"
#include "tests/integration/sql/sql_harness.h"

/* sql with the names in their places, as dataset_execution is asked.  schema: of the tables; empty: none. */
const struct driver_answer *datasets_ask(struct driver *d, const char *schema, const char *sql, uint64_t rows,
    uint64_t ms, uint64_t memory);

/* All of a file's; how many. */
size_t datasets_run_cases(struct driver *d, const char *schema, const char *name);

/*
 * Statements drawn from those of two files: a part of one behind a part of another, and something else in the place of
 * a dataset.  Most are refused; what counts is that none brings out what is not published.
 */
void datasets_run_drawn(struct driver *d, const char *schema, const char *name, uint64_t n);

/* It fails with that code, or its result has that piece. */
void datasets_expect(struct driver *d, const char *schema, const char *sql, const char *code, const char *piece);
