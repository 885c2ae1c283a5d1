/*
 * sources - caches the semantic layer's files of each connection: parsing the manifest of a large database takes most
 * of a second, and it rarely changes between runs.
 */
#pragma once

#include "base/span.h"
#include "project/model/source.h"

struct sources;

struct sources *sources_new(void);
void sources_free(struct sources *s);

/*
 * The connection's current sources from the files below dir, composed.  Only files whose device, inode, size or time
 * changed are read; a file written within the last seconds is read again, as its time is not reliable. dir -1: there
 * are no files.  The set is borrowed until the next call for this connection; after changing a text in it, call
 * sources_forget().
 */
struct source_set *sources_read(struct sources *s, struct span connection, int dir);

/* The overlay or hand-written file of the source; NULL: only a shard defines it, or nothing does. */
const char *sources_file(const struct sources *s, struct span connection, struct span source);

/* The file at path was replaced: the next sources_read() reads it again. */
void sources_forget(struct sources *s, struct span connection, const char *path);
