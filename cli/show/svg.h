/*
 * svg - a chart of ask_question as an SVG drawing: no scripts, no links, nothing to fetch.  Texts of the answer stay
 * text, never markup.
 */
#pragma once

#include "cli/show/picture.h"

/* The style that drawings share: classes only, light and dark. */
extern const char svg_style[];

/* Append text as the content of an element, or of an attribute in double quotes, of XML and of HTML. */
void svg_escape(struct buf *out, struct span text);

/*
 * Append the drawing of a picture that picture_read() took: as a file of its own with its style, or as an element of
 * a page that has svg_style.
 */
void svg_put(struct buf *out, const struct picture *p, bool file);
