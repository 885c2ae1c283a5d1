/*
 * repo_objects - writes carrel-git's new objects: loose files, each made in the work
 * directory and moved into place by repo_keep_put_object(), so that a killed process
 * leaves nothing partial among the objects.  Their data are on disk then.  Their names
 * still need one fsync(2) on the same file system, before anything points to them.
 */
#pragma once

#include <git2.h>

struct repo_place;

/*
 * The objects of p (borrowed): reads everything that git may read there, and
 * writes as above.  NULL: libgit2 has the error.  Free it with git_odb_free().
 */
git_odb *repo_objects_open(struct repo_place *p);
