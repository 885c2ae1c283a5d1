/*
 * sqlite_calls - system calls of SQLite whose answers are known.
 *
 * At every statement on a database in rollback mode the library takes a lock
 * in three steps, looks for a -journal and a -wal, and asks for the size of
 * the file.  Two facts make half of that superfluous:
 *
 * - Bytes 18 to 39 of the file tell its mode and its version, and each commit
 *   in rollback mode changes them, under a lock that excludes readers
 *   (fileformat2.html, 1.3.3 and 1.3.7).  While the read lock is held and the
 *   bytes are unchanged, the size is what it was, and there is no -wal if the
 *   mode is rollback: the mode is changed before the first -wal is made, and
 *   after the last one is removed.  The bytes are read through a mapping,
 *   without a call.
 * - The read lock of the PENDING byte protects nothing: it lets a writer that
 *   waits for its readers keep new ones away (lockingv3.html, 5).  It is
 *   asked for every few milliseconds, so such a writer waits that much longer
 *   at most.
 *
 * The -journal is looked for each time, since a crashed writer leaves one;
 * while there is one, no answer is kept or used.  A file on another machine is
 * not mapped; for it every call is made.  A file that is cut below its header
 * by other means than SQLite ends the worker by SIGBUS.
 * The functions replace the library's own by xSetSystemCall() (vfs.html).
 */
#pragma once

#include "workers/sql/sqlite/sqlite_file.h"

/*
 * Call once a process, after sqlite3_initialize() and sqlite_file_look(), and
 * before the database is opened; f outlives the connection.  Without a
 * mapping, or where the library has no such functions, nothing is changed.
 */
void sqlite_calls_install(const struct sqlite_file *f);
