/* repo_index - updates the index after a commit, entry by entry; other entries are not changed. */
#pragma once

#include <git2.h>
#include <stdbool.h>

#include "workers/memory/git/repo_place.h"

struct run_change;

/* One path that a commit changed. */
struct repo_path {
	char			 path[2048];	/* relative to the working tree */
	const struct run_change	*change;
	bool			 was, is;	/* existed before; exists after */
	git_oid			 old, new;
	git_filemode_t		 mode;
};

/*
 * Reads the index, whose lock is held, into a file of ours; p is borrowed.  NULL with
 * *err if its format cannot be written back: then there must be no commit, because the
 * user's next commit would undo it.
 */
struct repo_index *repo_index_open(struct repo_place *p, git_repository *repo, git_odb *odb, struct err *err);

/* Brings the entries of paths up to date and puts the index in place. */
void repo_index_follow(struct repo_index *e, const struct repo_path *paths, size_t n);

void repo_index_close(struct repo_index *e);
