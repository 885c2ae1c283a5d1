/*
 * page_html - an answer of ask_question as an HTML file: the text, a chart, the rows, caveats and the computation.  It
 * has no scripts and fetches nothing, which its content security policy enforces.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "cli/show/view.h"

/* Append the page of an answer (structuredContent of ask_question, status answered). */
void page_put(struct arena *a, struct buf *out, struct span question, struct view answer);

/* Append the drawing of the first chart as a separate file.  False: there is no chart. */
bool page_put_svg(struct arena *a, struct buf *out, struct view answer);

/*
 * Split a line of a narrative: **strong** and backslashes are its only markdown.  put gets the text of each piece,
 * which may be empty, and whether it is strong.
 */
void page_pieces(struct span line, void (*put)(void *arg, struct span text, bool strong), void *arg);
