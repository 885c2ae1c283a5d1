/* tool_words - translates the tools' messages for a person: the names that agents use become commands and options. */
#pragma once

#include "base/buf.h"
#include "base/span.h"

/* Append text to out, each name of tool_words.def in it replaced.  A name inside a longer one stays. */
void words_translate(struct span text, struct buf *out);
