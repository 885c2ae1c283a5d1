/* dialect_notes - what to know before writing SQL for a connection: SCHEME://dialect/{connection}. */
#ifndef SURFACE_DIALECT_NOTES_H
#define SURFACE_DIALECT_NOTES_H

#include <stdbool.h>

#include "base/buf.h"
#include "workers/search/library/library.h"

/* True when there are notes on its database: it is one that can be served. */
bool dialect_notes_any(const struct connection *c);

/* Append them as Markdown, with what the connection's own configuration adds. */
void dialect_notes_put(const struct connection *c, struct buf *out);

#endif
