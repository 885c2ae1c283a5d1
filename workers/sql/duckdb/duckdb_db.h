/* duckdb_db - the declarations that the files of the DuckDB driver share. */
#pragma once

#include "workers/sql/driver.h"
#include "workers/sql/duckdb/duckdb_columns.h"
#include "workers/sql/duckdb/duckdb_file.h"
#include "workers/sql/duckdb/duckdb_files.h"
#include "workers/sql/duckdb/duckdb_guard.h"
#include "workers/sql/duckdb/duckdb_library.h"
#include "workers/sql/duckdb/duckdb_names.h"
#include "workers/sql/duckdb/duckdb_runner.h"
#include "workers/sql/duckdb/duckdb_session.h"

struct sql_db {
	const struct sql_config	*cfg;
	struct duckdb_file	 file;
	struct duckdb_files	 files;		/* in place of the file; none: it has a file */
	struct duckdb_runner	*runner;
	struct duck_database	*database;	/* NULL: closed, because nothing was asked for a while */
	struct duck_database	*parser;	/* in memory and empty: reads statements and runs none */
	struct duck_connection	*parser_connection;
	struct duckdb_columns	*columns;	/* NULL: there is no column policy */
	struct duckdb_names	 names;
	struct duckdb_guard	 guard;
	struct duckdb_session	 session;
	char			*library;	/* its path as configured; NULL: where it usually is */
	unsigned		 threads;	/* of the library, for statements */
	int			 opened;	/* how the last opening ended, and why not */
	struct err		 opening;
	uint64_t		 used_ns;	/* end of the last call */
};
