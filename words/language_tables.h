/* language_tables - what language_make.c writes, for language.c; private to workers/search */
#ifndef WORDS_LANGUAGE_TABLES_H
#define WORDS_LANGUAGE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

/* Sorted by text; its links are those from `links` on, up to the next word's. */
struct language_entry {
	uint32_t	text, links;
	uint16_t	rank;		/* 0: not among the common ones */
	uint8_t		len;
	bool		german;		/* and no English word */
};

struct language_edge {
	uint16_t	word;		/* in language_entries */
	uint8_t		percent, link;
};

extern const char language_pool[];
extern const struct language_entry language_entries[];	/* and one more */
extern const struct language_edge language_edges[];
extern const uint32_t language_nentries;

#endif
