/* create - makes a demo project on disk: copies the text files and makes the warehouse. */
#pragma once

#include "demo/warehouse.h"

/*
 * Makes a project in dir (created if missing): a copy of the files below
 * source_dir, the warehouse as <dir>/warehouse.db, and the empty directories
 * of a project.  duckdb: path of DuckDB's library; then the warehouse is
 * <dir>/warehouse.duckdb.  NULL: SQLite.  Nothing that exists is overwritten: if a file already
 * exists, the call fails and what was made so far stays.
 */
int demo_create(const char *dir, const char *source_dir, const char *duckdb, struct err *err);
