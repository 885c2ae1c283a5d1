/* duckdb_file - the database file on disk: whether it can be opened, and whether it is still the same file. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

#define DUCKDB_FILE_VERSION	160

struct duckdb_file {
	char		*path;		/* as configured: this path is watched */
	char		*real;		/* without symbolic links: this path is opened */
	char		*wal;
	struct {
		bool	 there;
		dev_t	 dev;
		ino_t	 ino;
	} reach[2];			/* the file and its .wal before confinement: these may be opened */
	bool		 writable;	/* by this account, without confinement */
};

/* Call before confinement. */
void duckdb_file_init(struct duckdb_file *f, const char *path);
void duckdb_file_fini(struct duckdb_file *f);

/* -1 with ERR_DATABASE_UNAVAILABLE and a remedy: missing, unreadable, not a DuckDB file. */
int duckdb_file_look(const struct duckdb_file *f, struct err *err);

/* False if the file or its .wal came, went or was replaced since before confinement: a fresh process may succeed. */
bool duckdb_file_is_same(const struct duckdb_file *f);

/* A text that changes whenever the file's content may have changed; empty: unknown. */
void duckdb_file_version(const struct duckdb_file *f, char out[DUCKDB_FILE_VERSION]);
