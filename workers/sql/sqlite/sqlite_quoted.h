/*
 * sqlite_quoted - double-quoted text, which SQLite's own tools take for a
 * string if no column has that name: WHERE airline = "JetBlue Airways".  Here
 * the library is set never to do that.  Instead, a word that it could not find
 * is rewritten as a string, one word at a time and only in the caller's
 * statement, and the statement is compiled again.  A word that is similar to
 * the name of a column in reach, or equal to the name of a hidden column,
 * stays an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "workers/sql/sqlite/sqlite_db.h"

#define SQLITE_QUOTED_MAX	100	/* words of one statement; each costs one compilation */

/* The names that could be meant in one statement. */
struct sqlite_quoted {
	bool	 read;
	char	**names;
	size_t	 n, cap;
};

/*
 * Call after SQLite failed to compile sql.  Returns the text with the unknown
 * word as a string, which the caller frees.  NULL: it is another error, or must
 * stay an error.
 */
char *sqlite_quoted_as_text(struct sqlite_quoted *q, struct sql_db *db, struct span sql);

void sqlite_quoted_fini(struct sqlite_quoted *q);
