/*
 * safe_text - characters that do not look like what they are.
 *
 * Controls move a terminal's cursor, bidirectional marks reverse the order of
 * text, separators begin new lines, and characters without width hide in a
 * word.  A person who approves a text must see the text that will be used.  So
 * terminals and JSON get these characters as escapes, and texts that are read
 * outside of Carrel (commits) are written without them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* True for C0 and C1 controls, DEL, and the other characters named above. */
bool safe_text_deceives(uint32_t c);

/*
 * The length of the character at s if it lies beyond ASCII and deceives, with
 * the character in *c.  0 for every other character and for invalid UTF-8.
 */
size_t safe_text_hidden(const uint8_t *s, size_t len, uint32_t *c);

/* Bit b: the byte 0x80 + b may follow this one in a character that deceives. */
extern const uint64_t shown_seconds[256];

/*
 * A filter for writers that look at much text: false if no character that
 * begins with the three bytes at s deceives.  safe_text_hidden() has the answer.
 */
static inline bool
safe_text_may_hide(const uint8_t *s)
{
	return (shown_seconds[*s] >> (s[1] & 0x3f) & 1) != 0 &&
	    /* Dashes and quotation marks stand between such characters. */
	    (*s != 0xe2 || (s[2] & 0xf0) != 0x90);
}

/*
 * As safe_text_hidden() for the character at s[at] of ordinary text: a joiner after a letter of a script that uses
 * joiners is allowed.
 */
size_t safe_text_hidden_in(struct span s, size_t at, uint32_t *c);

/*
 * Append text with these characters as escapes: "\\t", "\\x1b", "\\u202e",
 * "\\u{e0041}"; bytes that are no UTF-8 as "\\xff".  With lines, line feeds and
 * tabs stay.  Joiners stay between letters of the scripts that write them.
 */
void safe_text_escape(struct buf *out, struct span text, bool lines);

/*
 * Append text without these characters: a separator becomes a space, the others
 * are left out.  With lines, line feeds and tabs stay.
 */
void safe_text_strip(struct buf *out, struct span text, bool lines);
