/*
 * repo_place - the files of a repository that git itself locks: HEAD, a branch,
 * the index.
 *
 * We lock as git does, so that neither steps on the other, but a lock of ours
 * is a hard link to a mark of ours: what a killed carrel-git left behind is
 * known by its inode and taken away by the next one, and nobody else's lock
 * ever is.  The mark itself is held by flock(2), which death releases.
 */
#ifndef WORKERS_MEMORY_REPO_PLACE_H
#define WORKERS_MEMORY_REPO_PLACE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define REPO_BRANCH_MAX	256
#define REPO_HEX		40

struct repo_place {
	const char	*git_dir, *worktree;	/* borrowed; absolute */
	int		 git, common;		/* git_dir, and where objects and branches are */
	int		 mark[2];		/* in git and common, locked; -1: not */
	bool		 index_locked;
	char		 branch[REPO_BRANCH_MAX];	/* "refs/heads/main" */
};

/*
 * Open the repository and see that a commit may be made in it now.  -1 with
 * *err: not, and what to do.  Nothing was changed then.
 */
int repo_place_open(struct repo_place *p, const char *git_dir, const char *common_dir, const char *worktree,
    struct err *err);

/* Take the marks, take away what a dead one of us left, and read which branch HEAD is on. */
int repo_place_begin(struct repo_place *p, struct err *err);

/* Unlock whatever is locked, and close. */
void repo_place_end(struct repo_place *p);

/* The branch's commit in hex; 1, 0: it has none yet, -1. */
int repo_place_tip(const struct repo_place *p, char hex[REPO_HEX + 1], struct err *err);

/* Lock the index against git; waits a little for another's lock. */
int repo_place_lock_index(struct repo_place *p, struct err *err);

/*
 * Make next the branch's commit if it is still was (empty: it had none), and
 * log it as git does.  who is "Name <mail> seconds zone", line the reason.
 */
int repo_place_move(struct repo_place *p, const char *was, const char *next, const char *who, const char *line,
    struct err *err);

/* A file of ours in git_dir that becomes the index: the name to write it under. */
#define REPO_NEW_INDEX	"carrel-index"

#endif
