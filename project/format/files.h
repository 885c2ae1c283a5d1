/*
 * files - reads below a directory that others may write to.
 *
 * Paths are relative to a directory descriptor, made of plain components, and no component may be a symbolic link: a
 * file is inside the directory or is refused.  Only regular files are read, up to a maximal size.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

#define FILES_NAME_MAX	255
#define FILES_PATH_MAX	1024

enum files_fault {
	FILES_OK = 0,
	FILES_MISSING,
	FILES_BAD_PATH,		/* absolute, "..", empty component, too long */
	FILES_LINK,		/* a component is a symbolic link */
	FILES_NOT_REGULAR,	/* a directory, device, socket or pipe where a file was wanted, or the reverse */
	FILES_TOO_LARGE,
	FILES_UNREADABLE	/* permission, input/output error */
};

/* Identifies a version of a file, by its size and the time of its last write. */
struct files_stamp {
	uint64_t	device, inode;
	int64_t		size, mtime_ns;
};

static inline bool
files_stamp_is(const struct files_stamp *a, const struct files_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size && a->mtime_ns == b->mtime_ns;
}

/* A clause for messages: "is a symbolic link". */
const char *files_fault_text(enum files_fault fault);

/* A connection id or wiki key: ^[a-zA-Z0-9][a-zA-Z0-9_-]*$, at most FILES_NAME_MAX. */
bool files_is_id(struct span s);

/* Open the directory path below dir; the caller closes *fd.  "." is dir itself. */
enum files_fault files_open_dir(int dir, const char *path, int *fd);

/* Open the file path below dir to read; the caller closes *fd.  *stamp may be NULL. */
enum files_fault files_open(int dir, const char *path, int *fd, struct files_stamp *stamp);

/*
 * Append the whole file path below dir to out, at most max bytes.  *stamp (may
 * be NULL) is taken before reading, so a later change always shows.  On a
 * fault out is as before.
 */
enum files_fault files_read(int dir, const char *path, size_t max, struct buf *out,
    struct files_stamp *stamp);

/* The stamp of path itself (a link is FILES_LINK); *is_dir may be NULL. */
enum files_fault files_stat(int dir, const char *path, struct files_stamp *stamp, bool *is_dir);

/* The stamp of what is open; of zero bytes when it cannot be told. */
struct files_stamp files_stamp_of(int fd);

struct files_entry {
	const char	*name;
	bool		 is_dir;	/* otherwise a regular file; everything else is left out */
	bool		 is_link;	/* a symbolic link, listed so that it can be reported */
};

struct files_list {
	size_t			 n;
	struct files_entry	*entries;	/* sorted by name, byte order */
};

/*
 * List dir (a directory descriptor) without ".", "..", hidden names and names
 * that are not UTF-8.  Names are in a.  FILES_TOO_LARGE when a is full.
 */
enum files_fault files_list(int dir, struct arena *a, struct files_list *list);
