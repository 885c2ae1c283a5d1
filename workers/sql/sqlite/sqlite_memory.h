/*
 * sqlite_memory - SQLite's heap with a limit: beyond it an allocation fails,
 * the statement ends with SQLITE_NOMEM, and the worker goes on.  SQLite's own
 * hard heap limit needs its statistics, which take a third of a short query's
 * time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Call before any other function of SQLite.  Returns an SQLite result code. */
int sqlite_memory_install(size_t ceiling);

/* Limits further use to `more` bytes, within the ceiling, until sqlite_memory_release(). */
void sqlite_memory_bound(uint64_t more);
void sqlite_memory_release(void);
