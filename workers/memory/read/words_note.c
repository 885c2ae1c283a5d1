#include <stddef.h>

#include "workers/memory/read/words_note.h"

#define WORDS(name, ...) const char *const words_##name[] = { __VA_ARGS__, NULL };
#include "workers/memory/read/words.def"
#undef WORDS
