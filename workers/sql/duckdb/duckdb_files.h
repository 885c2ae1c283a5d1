/*
 * duckdb_files - a connection over Parquet, CSV and JSON files in place of a database file.
 *
 * The files of each pattern are found before confinement, which lets them and nothing else be read.  Each pattern is a
 * view in a database in memory over the function that reads its files.  The types of CSV and JSON columns, and how CSV
 * files are written, are found when the view is made, and again when a file of that table has changed; statements
 * detect nothing.  A view that cannot be made, or not soon, is left out, and a statement that names it is told why.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "base/system/wildcards.h"

struct duck_connection;
struct duckdb_runner;

struct duckdb_files {
	size_t		 n, cap;	/* 0: the connection has a database file */
	struct duckdb_files_table {
		char	*function, *name, *pattern;
		size_t	 fixed;		/* bytes of the pattern without wildcards (wildcards.h) */
		char	*fault;		/* why there is no view; NULL: there is one */
		struct buf query;	/* of the view; empty: not found yet */
		uint64_t content;	/* of what was in the files when the view was made */
		struct wildcards found;
	}		*v;
	char		**all;		/* of all tables, up to a NULL; owned by them */
	const char	*_Atomic looked_at;	/* the table whose view is being made; NULL: none */
	uint64_t	 identity;	/* of the files before confinement */
	bool		 policed;	/* a column policy protects columns by the names in the files */
};

/* Adds a table: function, fixed, name and pattern with a tab between. */
void duckdb_files_add(struct duckdb_files *f, struct span line);

/* Finds the files of all tables.  Call before confinement. */
void duckdb_files_find(struct duckdb_files *f);

void duckdb_files_fini(struct duckdb_files *f);

/* Puts the statement that lets the library read the files when it may read no other. */
void duckdb_files_put_allowed(const struct duckdb_files *f, struct buf *sql);

/* On the library's thread, which r interrupts where files take long: makes the views in that database. */
void duckdb_files_make(struct duckdb_files *f, struct duck_connection *c, struct duckdb_runner *r, const char *database);

/* False if a file came, went or was replaced since before confinement: a fresh process may read what is there now. */
bool duckdb_files_are_same(const struct duckdb_files *f);

/* False if what is in them may have changed since the views were made. */
bool duckdb_files_are_unchanged(const struct duckdb_files *f);

/* -1 with *err: a file of the table changed, so that what was read may be of other columns.  t may be NULL. */
int duckdb_files_check(const struct duckdb_files_table *t, struct err *err);

/* The table of that name if its files are CSV or JSON, of which each statement reads all columns; else NULL. */
const struct duckdb_files_table *duckdb_files_texts(const struct duckdb_files *f, const char *name);

/* A number that changes with what is in the files. */
uint64_t duckdb_files_version(const struct duckdb_files *f);

/* Puts the message with the paths of files cut to what the owner wrote, and without lines of the files themselves. */
void duckdb_files_put_message(const struct duckdb_files *f, const char *message, struct buf *out);
