/*
 * file_place - the files in the project's directory: below .carrel, imports/imports.db and documents/UUID/NAME.jsonl
 * with its .vectors.  Links are not followed, and nothing else is touched.
 */
#pragma once

#include "workers/auth/files/file_parts.h"

/* Whether a name is one of these. */
bool file_place_is_name(const char *name);

/* Call fn for each of them; and say what was kept aside, in f.  False: errno: a directory cannot be read. */
bool file_place_scan(struct files *f, void (*fn)(struct files *f, const char *name, const struct file_stamp *now));

/* The directory of a file, made if make is set, and what the file is called there.  -1: errno. */
int file_place_directory(const struct files *f, const char *name, bool make, const char **base);

/* How it is now; false: errno; it is not a file, or is not there. */
bool file_place_look(int dir, const char *base, struct file_stamp *out);

/*
 * For imports.db: no other process changes it while *fd is open, or looks at it (alone).  False: one does, or its
 * log has something that is not in it.  Other files are never changed: *fd is -1.
 */
bool file_place_hold(int dir, const char *name, bool alone, int *fd);

/* A file that is written before it takes the place of another; it gets a name that no other process uses. */
int file_place_begin(int dir, char *incoming, size_t size);
/* Whether a file of that size fits. */
bool file_place_has_room(int dir, uint64_t size);
/* Put it there; all of it is on the disk.  False: errno. */
bool file_place_end(int dir, int out, const char *incoming, const char *base);
void file_place_forget(int dir, const char *incoming);

/* Remove a file, and its directory if it was the last of a dataset's; keep one under another name. */
bool file_place_remove(const struct files *f, const char *name);
bool file_place_aside(int dir, const char *base, char *now, size_t size);
