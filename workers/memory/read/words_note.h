/* words_note - words and phrases by which memory reads what people write (words.def); each list ends with NULL. */
#ifndef WORKERS_MEMORY_READ_WORDS_NOTE_H
#define WORKERS_MEMORY_READ_WORDS_NOTE_H

#define WORDS(name, ...) extern const char *const words_##name[];
#include "workers/memory/read/words.def"
#undef WORDS

#endif
