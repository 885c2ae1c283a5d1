/* dialect_notes - notes for writing SQL for a connection: SCHEME://dialect/{connection}. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "workers/search/library/library.h"

/* Whether there are notes on its database. */
bool dialect_notes_any(const struct connection *c);

/* Append the notes as Markdown, with additions from the connection's configuration. */
void dialect_notes_put(const struct connection *c, struct buf *out);
