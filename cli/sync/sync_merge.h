/*
 * sync_merge - merges two commits without touching the working tree.
 *
 * Where both sides changed the same lines, the version of the remote stays in its place, and this node's becomes a wiki
 * page that is marked `status: proposed`, so that nothing is lost and a person decides.
 */
#pragma once

#include "cli/sync/sync_git.h"

/*
 * Merge theirs into ours: *commit has both as parents.  proposed gets the paths of new proposed pages, a line each.
 * -1 with *err: nothing but unused objects was made.
 */
int sync_merge(struct sync_repo *r, const char *ours, const char *theirs, const char **commit, struct buf *proposed,
    struct err *err);
