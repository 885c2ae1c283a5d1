/* duckdb_errors - DuckDB's errors as ours. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"

struct sql_db;

/* The library's error of that type, for the caller.  Returns -1. */
int duckdb_errors_explain(struct sql_db *db, int error, struct span message, struct err *err);

/* The part of the library's message that is for callers. */
struct span duckdb_errors_sentence(struct span message);

/* Whether it met the limit of addresses, which it reports as an exception of C++ of no kind of its own. */
bool duckdb_errors_lacks_memory(struct span message);
