/*
 * repo_place - the files of a repository that git itself locks: HEAD, a branch,
 * the index.
 *
 * We lock them as git does, so that neither disturbs the other.  But each of
 * our locks is a hard link to a mark of ours: the next carrel-git recognises
 * the locks of a killed one by their inode and removes them, and never removes
 * a lock of another program.  flock(2) holds the mark itself, and the kernel
 * releases it when the process dies.  New objects and the next index are
 * written in a directory of ours and moved from there.
 *
 * A process with the right to write to .git does all this; in carrel-git that
 * is the keeper (repo_keep.h), and the process that reads the repository only
 * sends requests.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"

#define REPO_BRANCH_MAX	256
#define REPO_HEX		40
#define REPO_NEW_INDEX	"index"		/* in the work directory: the next index */
#define REPO_NEW_OBJECT	"object"	/* in the work directory: a new object */

struct repo_place {
	const char	*git_dir, *common_dir, *worktree;	/* borrowed; absolute */
	int		 git, common;		/* git_dir; the directory of objects and branches */
	int		 mark[2];		/* in git and common, locked; -1: not */
	bool		 index_locked;
	bool		 moved;			/* the branch was moved, which is allowed once */
	char		 branch[REPO_BRANCH_MAX];	/* "refs/heads/main" */
	int		 work;			/* the work directory, locked by the process that made it; -1: none */
	char		 work_path[4200];	/* absolute */
	int		 keeper;		/* the keeper's channel (repo_keep.h); -1: we act ourselves */
};

#define REPO_PLACE_NONE	{ .git = -1, .common = -1, .mark = { -1, -1 }, .work = -1, .keeper = -1 }

/* Opens the directories of the repository.  p is REPO_PLACE_NONE before. */
int repo_place_reach(struct repo_place *p, const char *git_dir, const char *common_dir, const char *worktree,
    struct err *err);

/*
 * Opens the repository and checks that a commit is allowed now.  -1 with *err and a remedy if not; then nothing was
 * changed.
 */
int repo_place_open(struct repo_place *p, const char *git_dir, const char *common_dir, const char *worktree,
    struct err *err);

/* Makes the work directory if it is missing. */
int repo_place_make_work(struct repo_place *p, struct err *err);

/* Takes the marks, removes what a dead process of ours left, and makes the work directory. */
int repo_place_hold(struct repo_place *p, struct err *err);

/* Reads the name of HEAD's branch. */
int repo_place_head(struct repo_place *p, struct err *err);

/* repo_place_hold() and repo_place_head(). */
int repo_place_begin(struct repo_place *p, struct err *err);

/* Releases all locks, removes the work directory, and closes everything. */
void repo_place_end(struct repo_place *p);

/* The branch's commit in hex.  1; 0: the branch has none yet; -1. */
int repo_place_tip(const struct repo_place *p, char hex[REPO_HEX + 1], struct err *err);

/* Locks the index against git; waits a little for another process's lock. */
int repo_place_lock_index(struct repo_place *p, struct err *err);

/*
 * Moves the branch to the commit next, if it still is at was (empty: it had none), and logs that as git does. who:
 * "Name <mail> seconds zone"; line: the reason.
 */
int repo_place_move(struct repo_place *p, const char *was, const char *next, const char *who, const char *line,
    struct err *err);

/*
 * Moves REPO_NEW_OBJECT to its place among the objects.  If that object
 * exists already, it stays and gets a fresh time stamp: nothing that exists
 * is ever replaced.
 */
int repo_place_put_object(const struct repo_place *p, const char *hex, struct err *err);

/* Moves REPO_NEW_INDEX into the index's place; the index's lock is held. */
int repo_place_put_index(const struct repo_place *p, struct err *err);
