/* repo_index - the index led along after a commit, entry by entry, nothing else touched. */
#ifndef WORKERS_MEMORY_GIT_REPO_INDEX_H
#define WORKERS_MEMORY_GIT_REPO_INDEX_H

#include <git2.h>
#include <stdbool.h>

#include "workers/memory/git/repo_place.h"

struct run_change;

/* One path that a commit changed. */
struct repo_path {
	char			 path[2048];	/* from the working tree on */
	const struct run_change	*change;
	bool			 was, is;	/* there before and after */
	git_oid			 old, new;
	git_filemode_t		 mode;
};

/*
 * Read the index, whose lock is held, into a file of ours; p is borrowed.  NULL with *err
 * when it is in a form we cannot write back: then there must be no commit, or
 * the user's next one would undo it.
 */
struct repo_index *repo_index_open(struct repo_place *p, git_repository *repo, git_odb *odb, struct err *err);

/* Bring the entries of paths from old to new and put the index in place. */
void repo_index_follow(struct repo_index *e, const struct repo_path *paths, size_t n);

void repo_index_close(struct repo_index *e);

/* Both changes of base in one text; false: they cannot be told apart. */
bool repo_merge_texts(struct span base, struct span ours, struct span theirs, struct buf *out);

#endif
