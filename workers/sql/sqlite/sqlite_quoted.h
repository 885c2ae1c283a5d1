/*
 * sqlite_quoted - text in double quotes, which SQLite's own tools take for a
 * string where no column has the name: WHERE airline = "JetBlue Airways".
 *
 * The library itself is set never to do that.  A word it could not find is
 * written as a string here, one at a time and in the caller's statement alone,
 * and the whole is compiled anew; what is nearly the name of a column that
 * could be meant, or the name of a hidden one, stays an error.
 */
#ifndef WORKERS_SQL_SQLITE_SQLITE_QUOTED_H
#define WORKERS_SQL_SQLITE_SQLITE_QUOTED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "workers/sql/sqlite/sqlite_db.h"

#define SQLITE_QUOTED_MAX	100	/* of one statement; each costs a compilation */

/* The names that the words of one statement could have meant. */
struct sqlite_quoted {
	bool	 read;
	char	**names;
	size_t	 n, cap;
};

/*
 * After SQLite failed to compile sql: the text with the word it did not find as
 * a string, to be freed; NULL: this is another error, or has to stay one.
 */
char *sqlite_quoted_as_text(struct sqlite_quoted *q, struct sql_db *db, struct span sql);

void sqlite_quoted_fini(struct sqlite_quoted *q);

/* Whether text may be a slip of the pen for this name: few edits, or the same but for case, underscores and blanks. */
bool sqlite_quoted_is_near(const char *text, const char *name);

#endif
