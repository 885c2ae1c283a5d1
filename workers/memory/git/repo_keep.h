/*
 * repo_keep - who acts in .git for a process that must not.
 *
 * carrel-git parses a repository, which may be hostile, and is confined to read
 * it and to write in one work directory.  Before that it forks two processes
 * for a handful of fixed acts of repo_place.h.
 *
 * The keeper hears the reader.  It parses HEAD, the branch and packed-refs, may
 * make and move files in objects/ and refs/ and append to logs/, and nothing
 * else of .git.  Who has taken over the reader can ask it to add objects, of
 * which none is replaced, and to move the branch that HEAD is on, once.
 *
 * The hand hears the keeper: which act, and nothing beside that.  Landlock knows
 * no file without its directory, so whoever locks and moves .git/index may move
 * and remove files in all of .git by the kernel's leave; for that it can write
 * no file and make none that could be executed, and reads but a note of ours.
 *
 * Whatever happens to the others, the hand unlocks, cleans up and ends.  A
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

/* How it is confined, by the profiles git-keeper and git-hand. */
struct repo_terms {
	uint64_t	memory_max;
	bool		best_effort;
};

/*
 * Fork both for a repository; returns when they are confined.  Before any
 * confinement of one's own; umask as files are to have it.
 */
int repo_keep_start(struct repo_keeper *k, const char *git_dir, const char *common_dir, const struct repo_terms *terms,
    struct err *err);

/* Have one of them try an act of policy/acts.def: the errno, 0: it succeeded, -1: it was not tried.  Ends with whom the kernel kills for it. */
int repo_keep_probe(const struct repo_keeper *k, unsigned part, unsigned act, struct span path);

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
