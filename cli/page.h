/*
 * page - an answer of ask_question as one HTML file: in words, as a chart, as rows, with what to be careful about and
 * how it was computed.  It has no script and fetches nothing, which its content security policy holds it to.
 */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "cli/view.h"

/* Append the page of an answer (structuredContent of ask_question, status answered). */
void page_put(struct arena *a, struct buf *out, struct span question, struct view answer);

/* Append the drawing of its first chart as a file of its own.  False: it has no chart. */
bool page_put_svg(struct arena *a, struct buf *out, struct view answer);

/*
 * One line of a narrative, in pieces: **strong** and backslashes are the markdown that it uses.  put gets the text of
 * each piece, which may be empty, and whether it is strong.
 */
void page_pieces(struct span line, void (*put)(void *arg, struct span text, bool strong), void *arg);

#endif
