/*
 * sqlite_temp - SQLite's temporary files, in memory.
 *
 * The process may create no file, and PRAGMA temp_store=MEMORY makes the
 * sorter allocate each record by itself: once the heap is scattered, sorting
 * 100,000 records takes twice as long.  With temporary files the sorter packs
 * records into large blocks; here those files are blocks of the library's own
 * heap, under its ceiling (sqlite_memory.h).  SQLite, "The SQLite OS Interface
 * or VFS" (vfs.html); which files are temporary: "Temporary Files Used By
 * SQLite" (tempfiles.html).
 */
#pragma once

/*
 * Makes it the default VFS: temporary files are in memory, all others as
 * before.  Call once, after sqlite3_initialize().  Returns an SQLite result
 * code.
 */
int sqlite_temp_install(void);
