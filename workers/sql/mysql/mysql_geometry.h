/* mysql_geometry - a geometry as the server stores it, as the text that ST_AsText() gives.  Pure. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

#define MYSQL_GEOMETRY_DEPTH	16u	/* of collections in collections */

/* Appends "POINT(1 2)".  False: the bytes are none; out then holds anything behind what it had. */
bool mysql_geometry_text(struct buf *out, struct span stored);

/* The text as a cell; bytes that are no geometry stay bytes. */
void mysql_geometry_put(struct buf *out, struct span stored);
