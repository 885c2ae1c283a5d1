/*
 * sqlite_file - the database file at rest: which way it can be opened by a
 * process that may not write, and whether it is still the same file.
 */
#ifndef WORKERS_SQL_SQLITE_SQLITE_FILE_H
#define WORKERS_SQL_SQLITE_SQLITE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"

struct sqlite_file {
	char		*path;		/* as configured: what is watched */
	char		*real;		/* without symbolic links: what is opened */
	char		*wal, *shm, *journal;	/* beside it */
	struct {
		bool	 there;
		dev_t	 dev;
		ino_t	 ino;
	} reach[4];			/* what those four were before confinement: what may be opened */
	struct timespec	 written;	/* the first of them, at that time */
	dev_t		 dev;
	ino_t		 ino;
	off_t		 size;
	struct timespec	 mtime;
	bool		 writable;	/* by this account, without our confinement */
	bool		 immutable;	/* in WAL mode with no -wal: may be read only as if nobody wrote */
};

/* Before confinement: resolve links, see whether the account could write. */
void sqlite_file_init(struct sqlite_file *f, const char *path);
void sqlite_file_fini(struct sqlite_file *f);

/*
 * Find out what lies there and how to open it.  -1 with
 * ERR_DATABASE_UNAVAILABLE and what to do about it.
 */
int sqlite_file_look(struct sqlite_file *f, struct err *err);

/*
 * False when one of the four files came, went or was replaced since before
 * confinement, or the database was written to: what could not be opened a
 * fresh process may find otherwise.
 */
bool sqlite_file_is_untouched(const struct sqlite_file *f);

/* The URI to open, read-only. */
void sqlite_file_uri(const struct sqlite_file *f, struct buf *out);

/*
 * True while what was opened is what lies there; an immutable one must also
 * be unchanged and still without a -wal.
 */
bool sqlite_file_is_same(const struct sqlite_file *f);

/*
 * A text that is another one when what the file holds may be: its change
 * counter (fileformat2.html section 1.3.7), sizes and times of it and its
 * -wal.  Empty when that cannot be told, because the -wal is being written.
 */
#define SQLITE_FILE_VERSION	160
void sqlite_file_version(const struct sqlite_file *f, char out[SQLITE_FILE_VERSION]);

#endif
