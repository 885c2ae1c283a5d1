/* agents_files - other programs' files, read and replaced with care, and the manifest. */
#pragma once

#include "cli/agents/agents_records.h"

/* The absolute path of a place's pattern; NULL with *err when HOME is not set. */
const char *agent_path(struct arena *a, const char *pattern, const char *project_dir, struct err *err);

/* The deepest existing directory above path; in a. */
const char *agent_root(struct arena *a, const char *path);

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

/* .carrel/agents/install-manifest.json; a missing file counts as empty. */
int agent_manifest_read(struct arena *a, const char *project_dir, struct agent_manifest *m, struct err *err);
int agent_manifest_write(const char *project_dir, const struct agent_manifest *m, struct err *err);

/* The record of the same place; NULL: none. */
const struct agent_record *agent_manifest_find(const struct agent_manifest *m, const struct agent_record *r);

/* Add the record, or bring the one of the same place up to date. */
void agent_manifest_add(struct arena *a, struct agent_manifest *m, const struct agent_record *r);

/* The name by which the entry of r is shared, in place of a file's path below; in a. */
const char *agent_entry_id(struct arena *a, const struct agent_record *r);

/* Another project of this user that uses the file or entry; NULL: none, or not known. */
const char *agent_other_user(struct arena *a, const char *path, const char *project_dir);

/* This project uses the file at path, which lies outside of it. */
int agent_share(struct arena *a, const char *path, const char *project_dir, struct err *err);

/* Forget this project's use of the file.  *user is another project that still uses it, or NULL. */
int agent_unshare(struct arena *a, const char *path, const char *project_dir, const char **user, struct err *err);
