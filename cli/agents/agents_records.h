/*
 * agents_records - the files of the clients that setup-agents writes to (project/agents.h), and the records by which
 * entries made in these files are found again.
 */
#ifndef CLI_AGENTS_AGENTS_RECORDS_H
#define CLI_AGENTS_AGENTS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "project/agents.h"

/* A skill's file in the form that the target expects.  -1: the file is not a skill. */
int agent_dress(struct arena *a, enum agent_skill dress, struct span skill, struct buf *out);

/* The bundle for Claude Desktop: a ZIP file of the skills and the stdio server. */
struct agent_file {
	const char	*path;
	struct span	 text;
};
void agent_zip(const struct agent_file *files, size_t n, struct buf *out);

/* --- files -------------------------------------------------------------------------- */

/* The absolute path of a place's pattern; NULL with *err when HOME is not set. */
const char *agent_path(struct arena *a, const char *pattern, const char *project_dir, struct err *err);

/* The deepest existing directory above path; in a. */
const char *agent_root(struct arena *a, const char *path);

/*
 * Below, path is a file of the project, or below the home directory or
 * $CODEX_HOME and the like, or in another directory that was asked for.  In the
 * project and in the requested directory no symbolic link is followed, neither
 * in place of the file nor in its path.  In the home directory a link is followed
 * if its target belongs to the user and lies in the home directory too; the link
 * stays.  Every other file is left unchanged, with *err.
 */

/* The whole file: 1, 0 if absent, -1 with *err. */
int agent_read(const char *project_dir, const char *path, struct buf *out, struct err *err);

/*
 * Replace or make the file, directories included, atomically.  What was there
 * is kept in .carrel/agents/backup first.  was: the content that the caller
 * read; -1 if the file has changed since.
 */
int agent_write(const char *project_dir, const char *path, const struct buf *was, bool existed, struct span text,
    struct err *err);

/* Remove the file, after a copy as above, and the directories above it that are empty, up to top. */
int agent_remove(const char *project_dir, const char *path, const char *top, struct err *err);

/* --- the manifest --------------------------------------------------------------------- */

#define AGENT_PATH_MAX	4

struct agent_record {
	const char	*target, *scope, *path;
	bool		 is_key;		/* a member of a JSON file or a table of a TOML one, else a whole file */
	bool		 is_table;
	size_t		 nkeys;
	const char	*keys[AGENT_PATH_MAX];
	unsigned	 made;			/* how many of the keys were not there before */
	bool		 made_file;
	bool		 made_line;		/* a line feed was added to the last line of a TOML file */
	const char	*put;			/* the entry as it was put in, or the mark of the file; NULL: an older version's */
	const char	*was;			/* the entry that was replaced, to be restored; NULL: none */
	const char	*below;			/* directories below this one were made for it; NULL: not known */
	/* the enclosing object as it was, where removing the entry would not restore it; else NULL */
	const char	*hole;
};

struct agent_manifest {
	size_t			 n, cap;
	struct agent_record	*v;		/* in the arena */
};

/* .carrel/agents/install-manifest.json; a missing file counts as empty. */
int agent_manifest_read(struct arena *a, const char *project_dir, struct agent_manifest *m, struct err *err);
int agent_manifest_write(const char *project_dir, const struct agent_manifest *m, struct err *err);

/* The record of the same place; NULL: none. */
const struct agent_record *agent_manifest_find(const struct agent_manifest *m, const struct agent_record *r);

/* Add the record, or bring the one of the same place up to date. */
void agent_manifest_add(struct arena *a, struct agent_manifest *m, const struct agent_record *r);

/* --- one entry in the text of a client's file ------------------------------------------ */

/* comments: JSON with comments.  None of these reads or writes a file; texts returned lie in a or in text. */

/* The entry's value, or the lines of its table: 1, 0, -1. */
int agent_entry_get(const struct agent_record *r, bool comments, struct span text, struct span *value, struct err *err);

/* The text with the entry put in or replaced, into *out. */
int agent_entry_set(const struct agent_target *t, const struct agent_record *r, struct span text, struct span entry,
    struct buf *out, struct err *err);

/* How many keys on the path are missing from the text. */
unsigned agent_entry_missing(struct span text, const struct agent_record *r, bool comments);

/* Keep in r->hole the enclosing object as it was, if removing the entry would not restore it. */
void agent_entry_keep_hole(struct arena *a, struct agent_record *r, struct span was, struct span with, bool comments);

/* The text without the entry, and without the objects made for it that hold nothing else. */
int agent_entry_without(struct arena *a, const struct agent_record *r, bool comments, struct span *text,
    struct err *err);

/* The text with what the entry, at value in it, had replaced. */
struct span agent_entry_with_old(struct arena *a, const struct agent_record *r, struct span text, struct span value);

/* Equal but for white space? */
bool agent_same_ink(struct span a, struct span b);

/* Is the text an empty object? */
bool agent_is_empty(struct span text);

/* --- files and entries that several projects of one user share ------------------------- */

/* The name by which the entry of r is shared, in place of a file's path below; in a. */
const char *agent_entry_id(struct arena *a, const struct agent_record *r);

/* Another project of this user that uses the file or entry; NULL: none, or not known. */
const char *agent_other_user(struct arena *a, const char *path, const char *project_dir);

/* This project uses the file at path, which lies outside of it. */
int agent_share(struct arena *a, const char *path, const char *project_dir, struct err *err);

/* Forget this project's use of the file.  *user is another project that still uses it, or NULL. */
int agent_unshare(struct arena *a, const char *path, const char *project_dir, const char **user, struct err *err);

#endif
