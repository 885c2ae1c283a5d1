/*
 * repo_commit - commits a run's files on the branch that is checked out.
 *
 * The commit's tree is HEAD's with the run's own paths changed, so all other
 * changes that the user has made or staged stay uncommitted.  A path of the
 * run with uncommitted edits gets only the run's own changes, if the two can
 * be separated.  In the index only the entries of the run's paths are updated;
 * entries that the user has staged keep their content.  Nothing is checked
 * out; no hook, filter or attribute is used.
 */
#pragma once

#include "project/ignore.h"
#include "workers/memory/git/repo_keep.h"
#include "workers/memory/ingest/run.h"

struct repo_job {
	const char		*git_dir, *common_dir, *worktree, *prefix;	/* as struct repository has them */
	const char		*name, *mail;					/* author and committer */
	const struct ignore_file *ignores;
	size_t			 nignores;
	const struct run	*run;
	const struct repo_keeper *keeper;	/* the process that writes in .git; NULL: this one may */
};

/*
 * Commits the current step of the run.  1: *hex is the commit, which an
 * earlier attempt may have made; 0: HEAD already has all of it; -1 with *err:
 * no commit is possible now, and nothing was changed.  Call
 * git_libgit2_init() first.
 */
int repo_commit(const struct repo_job *job, char hex[REPO_HEX + 1], struct err *err);

/* Merges two changes of base into one text.  False if they overlap. */
bool repo_merge_texts(struct span base, struct span ours, struct span theirs, struct buf *out);
