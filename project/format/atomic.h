/*
 * atomic - writes files completely or not at all.
 *
 * Everything is relative to a directory descriptor; symbolic links are not followed, neither in a path nor as the file
 * that is removed or replaced.  A new file or directory is made under a temporary name, synced, and renamed into
 * place; a crash leaves names that begin with ATOMIC_PREFIX, which the next writer removes.
 *
 * Only system calls of the memory profile are used; modes are given to open(2) and mkdir(2) and so follow the umask.
 * New files are 0640 at most, as they may contain data of databases.  A replacement keeps the old file's mode.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

#define ATOMIC_PREFIX		".carrel-tmp-"	/* hidden, so that readers pass over it */
#define ATOMIC_NAME_MAX		255
#define ATOMIC_DEPTH_MAX	16	/* of a tree that is synced or removed */

/*
 * Set *err: why what (a name below the project) could not be written; returns -1.  Full disks, missing permission and
 * read-only file systems are named, with a remedy.
 */
int atomic_fail(struct err *err, const char *what, int error);

/* Open the directory path below dir, creating missing parts.  Returns the descriptor or -1. */
int atomic_open_dir(int dir, const char *path, struct err *err);

/* A directory in dir with a fresh temporary name, which goes to name.  Returns the descriptor or -1. */
int atomic_temp_dir(int dir, char name[ATOMIC_NAME_MAX + 1], struct err *err);

/* Write the new file name in dir, not synced.  Refuses one that exists. */
int atomic_write_new(int dir, const char *name, struct span content, struct err *err);

/*
 * Make name in to the same file as in from, by a hard link, or by copying its
 * content where the file system has none.  Refuses one that exists.
 */
int atomic_link(int from, int to, const char *name, struct span content, struct err *err);

/* Sync every file and directory below dir, and dir itself; files made by atomic_link() are synced already. */
int atomic_sync_tree(int dir, struct err *err);

/*
 * Rename the synced directory temp of from to name in to, where nothing may be
 * yet; then sync both.  A failure leaves it under its temporary name.
 */
int atomic_publish(int from, const char *temp, int to, const char *name, struct err *err);

/*
 * Replacing a file in two steps, so that several replacements can fail before
 * the first one shows: stage writes and syncs, commit renames.
 */
struct atomic_stage {
	int	dir;				/* borrowed */
	char	name[ATOMIC_NAME_MAX + 1], temp[ATOMIC_NAME_MAX + 1];
};
int atomic_stage(int dir, const char *name, struct span content, struct atomic_stage *stage, struct err *err);
int atomic_commit(struct atomic_stage *stage, struct err *err);
void atomic_abandon(struct atomic_stage *stage);	/* after a commit: nothing */

/* atomic_stage() and atomic_commit() in one. */
int atomic_replace(int dir, const char *name, struct span content, struct err *err);

/*
 * The same with a single wait for the disk, for files whose last version may be lost in a power failure (but is never
 * partial): it becomes durable with the next sync on that file system, as the journal keeps the order.
 */
int atomic_replace_lazily(int dir, const char *name, struct span content, struct err *err);

/* As above for files of a repository: their permissions follow the umask. */
int atomic_replace_shared(int dir, const char *name, struct span content, struct err *err);

/* A file that is not there yet, on disk when this returns, in one wait: renamed first, then synced. */
int atomic_create(int dir, const char *name, struct span content, struct err *err);

/* A fresh temporary name, for what is moved away from target rather than written; it tells what it is for. */
void atomic_name(char name[ATOMIC_NAME_MAX + 1], const char *target);

/* Whether it is a temporary name for target. */
bool atomic_is_for(const char *name, const char *target);

/* Remove name from dir, a file or a whole tree; a missing one is no failure. */
int atomic_remove(int dir, const char *name, struct err *err);

/* Remove what crashed writers left in dir: every name that begins with ATOMIC_PREFIX. */
int atomic_sweep(int dir, struct err *err);
