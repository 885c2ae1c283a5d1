/*
 * sync_record - what `carrel sync` did last, in the file carrel-sync of the repository's directory, which is its lock.
 *
 * Rounds are numbered, so that "a round that began after I knew" can be told without comparing clocks: a node that
 * hears of a new revision remembers `begun`, and has it once `done` is a later round.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "project/repository.h"

#define SYNC_RECORD	"carrel-sync"

struct sync_record {
	uint64_t	begun, done;	/* numbers of rounds: the newest, and the newest that succeeded */
	char		served[REPOSITORY_COMMIT + 1];	/* the remote's commit that the branch has; or "" */
	char		remote[REPOSITORY_COMMIT + 1];	/* as it was fetched last; or "" */
};

/* Read the record from the file's beginning; false: the file has no record, and *out is zero. */
bool sync_record_read(int fd, struct sync_record *out);

/* The record of the repository; false: no round was made, or it cannot be read. */
bool sync_record_find(const char *git_dir, struct sync_record *out);

/* Write the record over the one before; it always has the same length.  False: errno. */
bool sync_record_write(int fd, const struct sync_record *r);
