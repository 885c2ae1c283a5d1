/*
 * sync_git - runs git for `carrel sync`.
 *
 * git gets a short environment without Carrel's secrets, no terminal, so that it cannot ask for a password, and runs no
 * hook.  Remotes are reached by SSH or as files; the keys are those of the account's own SSH.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "project/repository.h"
#include "project/sync_record.h"

#define SYNC_OID	40	/* hexadecimal digits of a commit */

struct sync_repo {
	struct arena		*arena;
	struct repository	 where;
	const char		*remote, *branch;
	const char		*name, *mail;	/* of commits */
	int			 lock;		/* the record's file, held while a sync runs; -1: none */
	struct sync_record	 record;
	char			 index[4200];	/* path of an index of our own; empty: the repository's */
};

/*
 * Run git with these arguments, NULL behind the last; in is its standard input.  The exit code, with its output in out
 * (appended; may be NULL); -1 with *err: git could not be run, ended by a signal or took too long.
 */
int sync_git(const struct sync_repo *r, struct span in, struct buf *out, struct err *err, const char *const argv[]);

#define SYNC_GIT(r, out, err, ...) sync_git(r, SPAN_NONE, out, err, (const char *const[]){ __VA_ARGS__, NULL })

/* The same, and -1 with what git said for an exit code other than 0. */
int sync_git_must(const struct sync_repo *r, struct span in, struct buf *out, struct err *err,
    const char *const argv[]);

#define SYNC_GIT_MUST(r, out, err, ...) \
	sync_git_must(r, SPAN_NONE, out, err, (const char *const[]){ __VA_ARGS__, NULL })

/* The path within the repository of what lies in the project; in the arena. */
const char *sync_git_path(const struct sync_repo *r, const char *in_project);

/* The output as one line, without its end; in the arena. */
const char *sync_git_line(const struct sync_repo *r, const struct buf *out);
