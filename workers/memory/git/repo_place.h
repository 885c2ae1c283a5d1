/*
 * repo_place - the files of a repository that git itself locks: HEAD, a branch,
 * the index.
 *
 * We lock as git does, so that neither steps on the other, but a lock of ours
 * is a hard link to a mark of ours: what a killed carrel-git left behind is
 * known by its inode and taken away by the next one, and nobody else's lock
 * ever is.  The mark itself is held by flock(2), which death releases.
 *
 * What is composed (objects, the next index) is written in a directory of ours
 * and moved from there.  All this is done by whoever may write to .git; in
 * carrel-git that is the keeper (repo_keep.h), and the process that reads the
 * repository only asks.
 */
#ifndef WORKERS_MEMORY_GIT_REPO_PLACE_H
#define WORKERS_MEMORY_GIT_REPO_PLACE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define REPO_BRANCH_MAX	256
#define REPO_HEX		40
#define REPO_NEW_INDEX	"index"		/* in the work directory: what becomes the index */
#define REPO_NEW_OBJECT	"object"	/* and an object */

struct repo_place {
	const char	*git_dir, *common_dir, *worktree;	/* borrowed; absolute */
	int		 git, common;		/* git_dir, and where objects and branches are */
	int		 mark[2];		/* in git and common, locked; -1: not */
	bool		 index_locked;
	bool		 moved;			/* the branch, once in a life */
	char		 branch[REPO_BRANCH_MAX];	/* "refs/heads/main" */
	int		 work;			/* the work directory, locked by whoever made it; -1: none */
	char		 work_path[4200];	/* absolute */
	int		 keeper;		/* whom to ask, as repo_keep.h says; -1: nobody, we act ourselves */
};

#define REPO_PLACE_NONE	{ .git = -1, .common = -1, .mark = { -1, -1 }, .work = -1, .keeper = -1 }

/* Open the directories of the repository.  p is REPO_PLACE_NONE before. */
int repo_place_reach(struct repo_place *p, const char *git_dir, const char *common_dir, const char *worktree,
    struct err *err);

/*
 * The same and see that a commit may be made in it now.  -1 with
 * *err: not, and what to do.  Nothing was changed then.
 */
int repo_place_open(struct repo_place *p, const char *git_dir, const char *common_dir, const char *worktree,
    struct err *err);

/* Make the work directory, unless there is one. */
int repo_place_make_work(struct repo_place *p, struct err *err);

/* Take the marks, take away what a dead one of us left, and make the work directory. */
int repo_place_hold(struct repo_place *p, struct err *err);

/* Read which branch HEAD is on. */
int repo_place_head(struct repo_place *p, struct err *err);

/* Both. */
int repo_place_begin(struct repo_place *p, struct err *err);

/* Unlock whatever is locked, take the work directory away, and close. */
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

/*
 * Move REPO_NEW_OBJECT to its place among the objects.  One that is there
 * already stays and is young again: nothing that exists is ever replaced.
 */
int repo_place_put_object(const struct repo_place *p, const char *hex, struct err *err);

/* Move REPO_NEW_INDEX to where the index is, whose lock is held. */
int repo_place_put_index(const struct repo_place *p, struct err *err);

#endif
