/* words.c - see words.h. */
#include <stddef.h>

#include "workers/memory/ingest/words.h"

#define WORDS(name, ...) const char *const words_##name[] = { __VA_ARGS__, NULL };
#include "workers/memory/ingest/words.def"
#undef WORDS
