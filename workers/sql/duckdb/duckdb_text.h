/* duckdb_text - how a statement of DuckDB is cut into tokens (base/text/sqltext.h): PostgreSQL's rules. */
#pragma once

#include "base/text/sqltext.h"

#define SQLTEXT_DUCKDB								\
	((enum sqltext_dialect)(SQLTEXT_NESTED | SQLTEXT_RETURNS | SQLTEXT_ESCAPES | SQLTEXT_CONTINUED |	\
	    SQLTEXT_DOLLARS))
