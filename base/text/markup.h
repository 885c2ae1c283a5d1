/* markup - text inside HTML, XML and SVG. */
#ifndef BASE_TEXT_MARKUP_H
#define BASE_TEXT_MARKUP_H

#include "base/buf.h"
#include "base/span.h"

/* Append text so that it is read as text in an element and in a quoted attribute: & < > " ' become references. */
void markup_escape(struct buf *out, struct span text);

#endif
