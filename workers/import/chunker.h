/*
 * chunker - cuts the running text of a document into passages for the search: about 200 words each, overlapping.
 *
 * A passage ends at the end of a nearby paragraph or sentence, if possible not between a heading and the text after
 * it, and never exceeds CHUNKER_CHARACTERS.  Text without blanks (Chinese, Japanese) is counted by characters, two to
 * a word.  Memory is bounded by two passages, however long the document.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define CHUNKER_CHARACTERS	2000

struct chunker;

/*
 * Called for each passage: valid UTF-8, single blanks, paragraphs separated by "\n"; page is its page, 0 for documents
 * without pages.  text is borrowed.  -1 stops: no further passage is passed.
 */
typedef int (*chunker_take)(void *arg, struct span text, uint32_t page);

struct chunker *chunker_new(chunker_take take, void *arg);
void chunker_free(struct chunker *c);

/*
 * Append text to the paragraph.  Calls may split characters; an invalid byte becomes U+FFFD. Deceptive characters
 * (base/text/safe_text.h) are dropped, other control characters become blanks.
 */
void chunker_text(struct chunker *c, struct span text);

/* End the paragraph; heading: it is the heading of the next one.  No effect without text since the last end. */
void chunker_paragraph(struct chunker *c, bool heading);

/* The following text is on this page, from 1.  No passage spans two pages. */
void chunker_page(struct chunker *c, uint32_t page);

/* End the document.  -1: a passage was refused. */
int chunker_end(struct chunker *c);

/* A passage was refused: further text is ignored. */
bool chunker_is_over(const struct chunker *c);
