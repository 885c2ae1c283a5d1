/*
 * repo_keep - acts in .git for a process that must not.
 *
 * carrel-git parses a repository, which may be hostile, and is confined to
 * reading it and to writing in one work directory.  Before that, it forks two
 * processes for a handful of fixed acts of repo_place.h.
 *
 * The keeper takes requests from the reader.  It parses HEAD, the branch and
 * packed-refs, may create and move files in objects/ and refs/ and append to
 * logs/, and may do nothing else in .git.  A compromised reader can make it add
 * objects, none of which replaces another, and move HEAD's branch, once.
 *
 * The hand takes requests from the keeper: the number of an act, and nothing
 * else.  Landlock grants rights on directories, not on single files, so a
 * process that locks and moves .git/index has the kernel's permission to move
 * and remove any file in .git.  For this reason the hand can write no file, can
 * create none that could be executed, and reads only a note of ours.
 *
 * Whatever happens to the other processes, the hand unlocks, cleans up and ends.
 * A reader that loses its keeper ends too, so that a commit that may exist is
 * never reported as refused.
 */
#pragma once

#include "workers/memory/git/repo_place.h"

struct repo_keeper {
	int	fd;
	char	work_path[4200];	/* empty: it could not be made; repo_keep_begin() reports why */
};

/* The confinement of the keeper and the hand, by the profiles git-keeper and git-hand. */
struct repo_terms {
	uint64_t	memory_max;
	bool		best_effort;
};

/*
 * Forks both for a repository; returns when they are confined.  Call before
 * the caller's own confinement, with the umask for new files.
 */
int repo_keep_start(struct repo_keeper *k, const char *git_dir, const char *common_dir, const struct repo_terms *terms,
    struct err *err);

/*
 * Lets one of them try an act of policy/acts.def.  Returns the errno; 0: it succeeded; -1: it was
 * not tried.  If the kernel kills that process for the act, this one ends, too.
 */
int repo_keep_probe(const struct repo_keeper *k, unsigned part, unsigned act, struct span path);

/* Lets the keeper clean up and end; returns afterwards. */
void repo_keep_stop(struct repo_keeper *k);

/*
 * The acts of repo_place.h, through the keeper that repo_keep_begin() got, or
 * in the calling process if that was NULL.
 */
int repo_keep_begin(struct repo_place *p, const struct repo_keeper *k, struct err *err);
int repo_keep_lock_index(struct repo_place *p, struct err *err);
int repo_keep_put_object(struct repo_place *p, const char *hex, struct err *err);
int repo_keep_put_index(struct repo_place *p, struct err *err);
int repo_keep_move(struct repo_place *p, const char *was, const char *next, const char *who, const char *line,
    struct err *err);
void repo_keep_end(struct repo_place *p);
