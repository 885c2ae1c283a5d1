/*
 * letters - titles and subjects of any language as parts of names.
 */
#ifndef WORKERS_MEMORY_INGEST_LETTERS_H
#define WORKERS_MEMORY_INGEST_LETTERS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"

/*
 * text in a's memory with Latin letters as people write them without accents
 * ("Umsätze" is "Umsaetze"), all other letters and digits as they are, and a blank
 * for everything else but '_'.  *mixed, unless NULL: a word of it has letters of Latin and
 * of another alphabet.  Empty when text is not UTF-8.
 */
struct span letters_plain(struct arena *a, struct span text, bool *mixed);

#endif
