/* builder_parts - what a builder holds, for builder.c, which fills it, and builder_finish.c, which makes postings of it; private to them. */
#ifndef SEARCH_BUILDER_PARTS_H
#define SEARCH_BUILDER_PARTS_H

#include "workers/search/array.h"
#include "workers/search/index/few.h"
#include "workers/search/index/segment.h"
#include "workers/search/words/text_short.h"

/* A word of a document; its weight becomes a byte at the end. */
struct entry {
	uint32_t	term, doc;
	float		weight;
	uint8_t		mask;
};

/* What is found exactly only in the document in work, all of it of the name. */
struct exact {
	uint64_t	key;
	uint32_t	term;		/* VOCAB_NONE: not looked up yet */
	float		weight;
};

/*
 * Where an exact term is missing that was not looked up yet: each is far from
 * the others, so many are fetched before the first of them is needed.
 */
#define WAITING	128

struct waiting {
	uint64_t	key;
	size_t		entry, known;	/* in entries; in known_exacts, or SIZE_MAX */
};

struct builder {
	struct vocab	*vocab;
	bool		 forward;
	size_t		 ndocs, docs_cap;
	uint8_t		*kind;
	uint32_t	*parent, *item;
	size_t		 nentries, entries_cap;
	struct entry	*entries;		/* document by document */

	/* The document in work: its words are entries from first on, so many of them are listed. */
	size_t		 first, listed;
	size_t		 family;		/* entries from here on are of the last document without parent, and its children */
	uint32_t	 few[FEW];		/* the terms of the first, by which they are found; the others have places */
	uint64_t	 maybe;			/* a bit of 64 for each term: what has none is not among them */
	struct array_u32 field;			/* terms of the field in work */
	float		 scale;
	uint8_t		 joined[TEXT_WORD_MAX];
	size_t		 nexacts, exacts_cap;
	struct exact	*exacts;
	size_t		 new_known;		/* from here on known_exacts are those of this document, in the same order */

	size_t		 nwaiting;
	struct waiting	 waiting[WAITING];
	size_t		 nnames;
	struct known_name {
		uint32_t	at, exact_at;	/* in known and known_exacts, */
		uint16_t	n, nexacts;	/* so many; no word: not taken apart yet */
	}		*names;			/* by key */
	size_t		 nknown, known_cap;
	struct entry	*known;
	size_t		 nknown_exacts, known_exacts_cap;
	struct exact	*known_exacts;
};

/* Look up what waits. */
void builder_settle(struct builder *b);

#endif
