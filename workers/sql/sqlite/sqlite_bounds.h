/*
 * sqlite_bounds - functions whose time grows with the product of their
 * arguments' lengths, or with a number that stands in one: a single call could
 * compute for hours, and SQLite looks at the clock only between calls.  instr()
 * and replace() are replaced by linear ones, the others by one that refuses
 * such arguments and otherwise asks SQLite's own.
 */
#ifndef WORKERS_SQL_SQLITE_SQLITE_BOUNDS_H
#define WORKERS_SQL_SQLITE_SQLITE_BOUNDS_H

#include <sqlite3.h>

/* What the refusals have in common, for those who sort errors. */
#define SQLITE_BOUNDS_SAYS	"would take too long"

struct sqlite_bounds;

/* Replace them on db; longest is the most bytes of a value.  NULL: SQLite could not. */
struct sqlite_bounds *sqlite_bounds_install(sqlite3 *db, int longest);

/* After db was closed.  Accepts NULL. */
void sqlite_bounds_free(struct sqlite_bounds *b);

#endif
