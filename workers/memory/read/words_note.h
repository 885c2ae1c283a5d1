/* words_note - words and phrases by which memory reads what people write (words.def); each list ends with NULL. */
#pragma once

#define WORDS(name, ...) extern const char *const words_##name[];
#include "workers/memory/read/words.def"
#undef WORDS
