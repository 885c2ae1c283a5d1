/* letters - converts titles and subjects of any language into parts of names. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"

/*
 * text in a's memory with Latin letters in plain spelling ("Umsätze" becomes "Umsaetze"), all other letters and digits
 * unchanged, and a blank for everything else but '_'.  *mixed, unless NULL: some word mixes Latin with another script.
 * Empty when text is not UTF-8.
 */
struct span letters_plain(struct arena *a, struct span text, bool *mixed);
