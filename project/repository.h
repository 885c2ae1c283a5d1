/*
 * repository - the git repository a project lies in, found without git and
 * without believing anything that lies in it.
 *
 * Only directories are looked for here; what the repository says of itself is
 * for carrel-git to read, in its confinement.
 */
#ifndef PROJECT_REPOSITORY_H
#define PROJECT_REPOSITORY_H

#include <limits.h>

#include "base/err.h"

struct repository {
	char	worktree[PATH_MAX];	/* where .git lies; all four are absolute and resolved, */
	char	git_dir[PATH_MAX];	/* of this working tree */
	char	common_dir[PATH_MAX];	/* objects and branches; the same unless the tree is a linked one */
	char	prefix[PATH_MAX];	/* but this: from the working tree to the project, "" or "a/b" */
};

/*
 * Look from project_dir (absolute, resolved) upwards, not beyond its file
 * system.  1: found; 0: there is none; -1 with *err: there is one that is not
 * used, because of its owner or its form, and why.
 */
int repository_find(const char *project_dir, struct repository *r, struct err *err);

#endif
