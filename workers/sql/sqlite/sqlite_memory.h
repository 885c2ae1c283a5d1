/*
 * sqlite_memory - SQLite's heap with a ceiling: past it an allocation fails,
 * the statement answers SQLITE_NOMEM and the worker lives on.  SQLite's own
 * hard heap limit needs its statistics, which cost a third of a short query.
 */
#ifndef WORKERS_SQL_SQLITE_SQLITE_MEMORY_H
#define WORKERS_SQL_SQLITE_SQLITE_MEMORY_H

#include <stddef.h>

/* Before any other call into SQLite.  Returns an SQLite result code. */
int sqlite_memory_install(size_t ceiling);

#endif
