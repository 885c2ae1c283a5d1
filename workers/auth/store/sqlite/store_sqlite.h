/* store_sqlite - the store in a file of SQLite: shared by the files here, and by tests. */
#pragma once

#include <sys/types.h>

#include <sqlite3.h>

#include "workers/auth/store/store_driver.h"

#define STORE_FILES	3	/* the file, its log, the log's index */

struct store_sqlite {
	struct store	 base;
	sqlite3		*db;
	char		*path;
	struct sqlite_query {
		struct store_query	 base;
		sqlite3_stmt		*stmt;	/* NULL: not prepared yet */
	}		 queries[STORE_NSTATEMENTS];
	uint64_t	 seen;		/* data_version */
	bool		 writing;
	bool		 full;		/* the file system was full, possibly because of the log */
	struct {
		dev_t	dev;
		ino_t	ino;
	}		 files[STORE_FILES];	/* as opened; ino 0: unknown yet */
};

/*
 * The store in a file.  path: an absolute path; the store's files exist and belong to this user only.  disk:
 * store_commit() waits until the data is on the disk, not only in the kernel.  Creates the tables in an empty store;
 * updates an older one after making a copy of it.  NULL with *err; code ERR_DATABASE_UNAVAILABLE when a retry may
 * succeed.
 */
struct store *store_open(const char *path, bool disk, struct err *err);

/* -1 with SQLite's last message and advice. */
int store_fail(struct store_sqlite *s, int code, struct err *err);

/* store_open() with these steps; store_open() itself uses store_steps. */
struct store *store_open_with(const char *path, bool disk, const char *const *steps, int n, struct err *err);
extern const char *const store_steps[];
extern const int store_nsteps;

/* sqlite3_exec() */
int store_exec(struct store_sqlite *s, const char *sql, struct err *err);
