/*
 * repo_commit - a run's files as one commit on the branch that is checked out.
 *
 * The tree is HEAD's with the run's own paths changed, so what else the user
 * has changed or staged stays theirs: an own path with uncommitted edits gets
 * only what the run changed in it, where that can be told apart.  In the index
 * only entries of own paths move along, and those the user has staged keep
 * what was staged.  Nothing is checked out, no hook, filter or attribute is
 * looked at.
 */
#ifndef WORKERS_MEMORY_GIT_REPO_COMMIT_H
#define WORKERS_MEMORY_GIT_REPO_COMMIT_H

#include "project/ignore.h"
#include "workers/memory/git/repo_keep.h"
#include "workers/memory/ingest/run.h"

struct repo_job {
	const char		*git_dir, *common_dir, *worktree, *prefix;	/* as struct repository has them */
	const char		*name, *mail;					/* author and committer */
	const struct ignore_file *ignores;
	size_t			 nignores;
	const struct run	*run;
	const struct repo_keeper *keeper;	/* who acts in .git; NULL: we may ourselves */
};

/*
 * Commit the step that the run is in.  1: *hex is the commit, also when an
 * earlier attempt made it; 0: HEAD holds all of it already; -1 with *err: no
 * commit is possible now, and nothing was changed.  git_libgit2_init() first.
 */
int repo_commit(const struct repo_job *job, char hex[REPO_HEX + 1], struct err *err);

#endif
