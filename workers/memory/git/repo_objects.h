/*
 * repo_objects - where carrel-git's new objects go: loose files, each written
 * in the work directory and moved into place by repo_keep_put_object(), so that
 * a killed process leaves nothing among the objects.  Their data are on disk then; that
 * their names are is for one fsync(2) on the same file system to see to, before
 * anything points to them.
 */
#ifndef WORKERS_MEMORY_GIT_REPO_OBJECTS_H
#define WORKERS_MEMORY_GIT_REPO_OBJECTS_H

#include <git2.h>

struct repo_place;

/*
 * The objects of p (borrowed), to read with everything that git may read there
 * and to write as above.  NULL: libgit2 says why.  Freed with git_odb_free().
 */
git_odb *repo_objects_open(struct repo_place *p);

#endif
