/*
 * unindexed - files of the project that the index leaves out, read when they
 * are asked for: sources of connections that are not configured, and the text
 * of files that cannot be used as they stand.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "workers/search/library/library.h"

/* Whether semantic-layer/<id>/ is there for a connection that is not configured. */
bool unindexed_connection(const struct library *l, struct span id);

/*
 * The source of an unconfigured connection: its YAML, and it parsed as a
 * msgpack map.  False: it has none of that name; near is filled with the
 * names there are, at most 20.
 */
bool unindexed_source(const struct library *l, struct span id, struct span name, struct buf *yaml, struct buf *parsed,
    struct buf *near);

/* Append the text of a file below a place of the project; false: unreadable, or not UTF-8. */
bool unindexed_text(const struct library *l, enum place place, const char *path, struct buf *out);

/* The name a broken source file gives its source: what stands behind `name:`, else the file's stem. */
struct span unindexed_name(const char *path, struct span text);
