/*
 * repo_keep - who acts in .git for a process that must not.
 *
 * carrel-git parses a repository, which may be hostile, and is confined to read
 * it and to write in one work directory.  Its keeper is a process that it forks
 * before: it parses nothing but HEAD, the branch and packed-refs, and does a
 * handful of fixed acts of repo_place.h: lock, move an object or the index from
 * the work directory to its place, move the branch that HEAD is on, once.  Who
 * has taken over the reader can ask for those and for nothing else: no hook,
 * no configuration, no other branch, nothing replaced among the objects.
 *
 * Whatever happens to the reader, the keeper unlocks, cleans up and ends.  A
 * reader that loses its keeper ends too, so that nobody takes a commit for
 * refused that may stand.
 */
#ifndef WORKERS_MEMORY_GIT_REPO_KEEP_H
#define WORKERS_MEMORY_GIT_REPO_KEEP_H

#include "workers/memory/git/repo_place.h"

struct repo_keeper {
	int	fd;
	char	work_path[4200];	/* empty: it could not be made; beginning says why */
};

/* Fork one for a repository.  Before any confinement; umask as files are to have it. */
int repo_keep_start(struct repo_keeper *k, const char *git_dir, const char *common_dir, struct err *err);

/* Have it clean up and end; returns when it did. */
void repo_keep_stop(struct repo_keeper *k);

/*
 * The acts of repo_place.h, by the keeper that was given to the first, or by
 * the calling process when that was NULL.
 */
int repo_keep_begin(struct repo_place *p, const struct repo_keeper *k, struct err *err);
int repo_keep_lock_index(struct repo_place *p, struct err *err);
int repo_keep_put_object(struct repo_place *p, const char *hex, struct err *err);
int repo_keep_put_index(struct repo_place *p, struct err *err);
int repo_keep_move(struct repo_place *p, const char *was, const char *next, const char *who, const char *line,
    struct err *err);
void repo_keep_end(struct repo_place *p);

#endif
