/*
 * repository - finds the git repository of a project, without git and without trusting its content.
 *
 * Only directories are looked up here; carrel-git reads the repository's configuration, in its sandbox.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

struct repository {
	char	worktree[PATH_MAX];	/* where .git lies; all four are absolute and resolved, */
	char	git_dir[PATH_MAX];	/* of this working tree */
	char	common_dir[PATH_MAX];	/* objects and branches; the same unless the tree is a linked one */
	char	prefix[PATH_MAX];	/* but this: from the working tree to the project, "" or "a/b" */
};

/*
 * Search from project_dir (absolute, resolved) upwards, within its file system.  1: found; 0 if absent; -1 with
 * *err: one exists but is not used, because of its owner or its form.
 */
int repository_find(const char *project_dir, struct repository *r, struct err *err);

#define REPOSITORY_COMMIT	64	/* hexadecimal digits of a commit at most: 40, or 64 */

/* The commit that is checked out; false: the branch has no commit, or HEAD has a form that git does not write. */
bool repository_commit(const struct repository *r, char commit[REPOSITORY_COMMIT + 1]);
