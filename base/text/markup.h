/* markup - text inside HTML, XML and SVG. */
#pragma once

#include "base/buf.h"
#include "base/span.h"

/* Append text so that it is read as text in an element and in a quoted attribute: & < > " ' become references. */
void markup_escape(struct buf *out, struct span text);
