/*
 * sqlite_file - the database file on disk: how a process without write access
 * can open it, and whether it is still the same file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"

struct sqlite_file {
	char		*path;		/* as configured: this path is watched */
	char		*real;		/* without symbolic links: this path is opened */
	char		*wal, *shm, *journal;	/* its other files */
	struct {
		bool	 there;
		dev_t	 dev;
		ino_t	 ino;
	} reach[4];			/* the four files before confinement: these may be opened */
	struct timespec	 written;	/* modification time of the first one, then */
	dev_t		 dev;
	ino_t		 ino;
	off_t		 size;
	struct timespec	 mtime;
	bool		 writable;	/* by this account, without confinement */
	bool		 mappable;	/* on a disk of this machine: its pages may be mapped */
	bool		 immutable;	/* in WAL mode without -wal: readable only without a writer */
};

/* Call before confinement: resolves links, and checks whether the account could write. */
void sqlite_file_init(struct sqlite_file *f, const char *path);
void sqlite_file_fini(struct sqlite_file *f);

/*
 * Finds out which files exist and how to open them.  -1 with
 * ERR_DATABASE_UNAVAILABLE and a remedy.
 */
int sqlite_file_look(struct sqlite_file *f, struct err *err);

/*
 * False if one of the four files came, went or was replaced since before
 * confinement, or the database was written to: a fresh process may succeed
 * where this one failed.
 */
bool sqlite_file_is_untouched(const struct sqlite_file *f);

/* The URI to open, read-only. */
void sqlite_file_uri(const struct sqlite_file *f, struct buf *out);

/*
 * True as long as the opened files are those on disk; an immutable one must
 * also be unchanged and still without a -wal.
 */
bool sqlite_file_is_same(const struct sqlite_file *f);

/*
 * A text that changes whenever the file's content may have changed: its
 * change counter (fileformat2.html section 1.3.7), sizes and times of the
 * file and its -wal.  Empty while a -wal is being written, because then it is
 * unknown.  The head is the file's first bytes, as the open connection reads
 * them: closing another descriptor of the file would give up its locks.
 */
#define SQLITE_FILE_HEADER	28
#define SQLITE_FILE_VERSION	160
void sqlite_file_version(const struct sqlite_file *f, const uint8_t head[SQLITE_FILE_HEADER],
    char out[SQLITE_FILE_VERSION]);
