/*
 * sqlite_bounds - functions whose time grows with the product of their
 * arguments' lengths, or with a number in an argument.  A single call could
 * compute for hours, and SQLite reads the clock only between calls.  instr()
 * and replace() are replaced by linear versions, the others by a check that
 * refuses such arguments and otherwise calls SQLite's own function.
 */
#pragma once

#include <sqlite3.h>

/* A substring of every refusal's message, by which refusals are recognised among errors. */
#define SQLITE_BOUNDS_SAYS	"would take too long"

struct sqlite_bounds;

/* Replaces the functions on db; longest: the limit for the bytes of a value.  NULL if SQLite fails. */
struct sqlite_bounds *sqlite_bounds_install(sqlite3 *db, int longest);

/* Call after db was closed.  Accepts NULL. */
void sqlite_bounds_free(struct sqlite_bounds *b);
