/*
 * sources - the semantic layer's files of each connection, as this worker read
 * them last: the manifest of a large database takes most of a second, and few
 * runs find any of it changed.
 */
#ifndef WORKERS_MEMORY_INGEST_SOURCES_H
#define WORKERS_MEMORY_INGEST_SOURCES_H

#include "base/span.h"
#include "project/source.h"

struct sources;

struct sources *sources_new(void);
void sources_free(struct sources *s);

/*
 * The connection's sources as the files below dir say now, composed.  Only
 * files whose device, inode, size or time have changed are read; one that was
 * written within the last seconds is read again, since its time may not tell.
 * dir -1: there are none.
 * The set is borrowed until the next call for this connection; whoever puts
 * another text into it says so with sources_forget().
 */
struct source_set *sources_read(struct sources *s, struct span connection, int dir);

/* The file, no shard, that defines the source; NULL: only a shard knows it, or nobody does. */
const char *sources_file(const struct sources *s, struct span connection, struct span source);

/* The file at path was replaced: the next sources_read() reads it again. */
void sources_forget(struct sources *s, struct span connection, const char *path);

#endif
