/*
 * paths - opens, reads and replaces files safely.  Everything below the project directory is opened
 * relative to a directory descriptor, component by component, so that a symbolic link planted there is
 * never followed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define PATHS_ID_MAX	128

/* A mark below .carrel/memory/: the memory worker has something to keep, and a place for it is missing. */
#define PATHS_PLACES_WANTED	"places-wanted"

/* ^[a-zA-Z0-9][a-zA-Z0-9_-]*$, at most PATHS_ID_MAX bytes: connections, wiki keys. */
bool paths_is_id(struct span s);

/*
 * Open rel ("wiki/global/a.md": no leading '/', no empty, "." or ".."
 * components) below dirfd without following any symlink.  flags and mode as
 * open(2), O_CLOEXEC is added.  Returns the descriptor, or -1 with errno:
 * ELOOP or ENOTDIR for a symlink, EINVAL for a path of the wrong form.
 */
int paths_open(int dirfd, const char *rel, int flags, mode_t mode);

/*
 * Make the directories of rel that are missing, in the same way; a link among
 * them is refused.  Returns 0, or -1 with errno.
 */
int paths_make(int dirfd, const char *rel, mode_t mode);

/* The protection that a file needs before its content is trusted. */
enum paths_trust {
	PATHS_ANY,		/* whatever lies there */
	PATHS_OURS,		/* owned by root or us, not writable by others */
	PATHS_SECRET		/* also not accessible to others, not writable by the group */
};

/*
 * Append a regular file of at most max bytes to out; relative to dirfd, the
 * last symlink followed, so that mounted configuration works.  Returns 0, or
 * -1 with *err; ERR_PAGE_NOT_FOUND when there is no such file.
 */
int paths_read(int dirfd, const char *path, enum paths_trust trust, size_t max,
    struct buf *out, struct err *err);

/*
 * Replace dirfd's file `name` by content: temporary name, fsync, rename,
 * fsync of the directory.  Returns 0, or -1 with *err and no trace left.
 */
int paths_replace(int dirfd, const char *name, mode_t mode, struct span content, struct err *err);

/*
 * The same without waiting for the disk, for files about a living process: after a crash of the machine the file may
 * be empty.
 */
int paths_replace_fleeting(int dirfd, const char *name, mode_t mode, struct span content, struct err *err);
