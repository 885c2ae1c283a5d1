/* sqlite_worker.h - what the two halves of the SQLite worker's tests share. */
#pragma once

#include <sqlite3.h>

/* A fresh directory for one test, and a path in it (until the next call). */
void new_directory(void);
const char *in_directory(const char *name);
void remove_directory(void);

/* Make or change a database as its application would. */
void change(const char *path, const char *sql);
sqlite3 *writer_open(const char *path, const char *sql);

/* The tests of the other files; how many failed. */
int sqlite_run_file_tests(void);
int sqlite_run_profile_tests(void);
int sqlite_run_scan_tests(void);
