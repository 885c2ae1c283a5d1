/*
 * sync_step - one round of `carrel sync`.
 *
 * Every step leaves the repository whole, and the next round goes on from where it is: fetch; then the branch moves
 * forward to the remote's commit, or to a merge of both, or it is pushed.  A push that comes too late is fetched for
 * again.
 */
#pragma once

#include "cli/sync/sync_git.h"

struct sync_outcome {
	const char	*revision;	/* the branch's commit then; in the arena */
	bool		 pulled, pushed;
	struct buf	 proposed;	/* pages that conflicts became, a path a line; the caller's to free */
};

/* Take the lock, so that one sync runs at a time.  -1 with *err. */
int sync_open(struct sync_repo *r, const char *project_dir, const char *author, struct err *err);
void sync_close(struct sync_repo *r);

int sync_round(struct sync_repo *r, struct sync_outcome *o, struct err *err);
