/*
 * chunker - the running text of a document as passages for the search: about 200 words each, overlapping.
 *
 * A passage ends at the end of a paragraph or sentence where one is near, never between a heading and what follows it
 * where that can be, and is never longer than CHUNKER_CHARACTERS.  What is written without blanks (Chinese, Japanese)
 * is counted by characters, two to a word.  Memory is that of two passages, whatever the document is.
 */
#ifndef WORKERS_IMPORT_CHUNKER_H
#define WORKERS_IMPORT_CHUNKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define CHUNKER_CHARACTERS	2000

struct chunker;

/*
 * One passage: valid UTF-8, blanks single, paragraphs divided by "\n"; page is the one it is of, 0 when there are
 * none.  text is borrowed.  -1 ends the work: nothing is passed any more.
 */
typedef int (*chunker_take)(void *arg, struct span text, uint32_t page);

struct chunker *chunker_new(chunker_take take, void *arg);
void chunker_free(struct chunker *c);

/*
 * What comes next of the paragraph.  Characters may be cut between two calls; a byte that is no UTF-8 is read as
 * U+FFFD.  Characters that deceive (base/safe_text.h) are left out, other controls are blanks.
 */
void chunker_text(struct chunker *c, struct span text);

/* The paragraph ends here; heading: it heads what follows.  Without text since the last end nothing happens. */
void chunker_paragraph(struct chunker *c, bool heading);

/* What comes from here on is of this page; from 1.  No passage has text of two pages. */
void chunker_page(struct chunker *c, uint32_t page);

/* Nothing comes any more.  -1: a passage was refused. */
int chunker_end(struct chunker *c);

/* A passage was refused: reading on is of no use. */
bool chunker_is_over(const struct chunker *c);

#endif
