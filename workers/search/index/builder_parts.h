/*
 * builder_parts - the struct of a builder: builder.c fills it, builder_finish.c makes postings of it; private to
 * them.
 */
#pragma once

#include "base/array.h"
#include "workers/search/index/few.h"
#include "workers/search/index/segment.h"

/* What a word of a document counts, until its family is complete: then the weight becomes a byte. */
struct builder_word {
	float		weight;
	uint32_t	mask;
};

/* An exact term of the current document and its weight; all exact terms come from the name. */
struct exact {
	uint64_t	key;
	uint32_t	term;		/* VOCAB_NONE: not looked up yet */
	float		weight;
};

/*
 * A place that waits for the number of an exact term.  The terms lie far apart in memory, so a batch is prefetched
 * together.
 */
#define WAITING	128

struct waiting {
	uint64_t	key;
	size_t		entry, known;	/* in terms; in known_exacts, or SIZE_MAX */
};

struct builder {
	struct vocab	*vocab;
	bool		 forward;
	size_t		 ndocs, docs_cap;
	uint8_t		*kind;
	uint32_t	*parent, *item;
	uint32_t	*starts;		/* the document's first entry; one more, its end, once finished */

	/* Entries: the words of the documents, document by document. */
	size_t		 nentries, entries_cap;
	uint32_t	*terms;
	uint8_t		*weights, *masks;	/* of the entries before `family` */
	size_t		 family;		/* the first of the last document without parent, and of its children */
	size_t		 words_cap;
	struct builder_word *words;		/* of the entries from `family` on */

	/* The current document: its words are the entries from `first` on. */
	size_t		 first, listed;
	uint32_t	 few[FEW];		/* terms of the first entries; later entries have places */
	uint64_t	 maybe;			/* filter: a term whose bit is not set is not in the document */
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
		uint16_t	n, nexacts;	/* in use; no word: not taken apart yet */
	}		*names;			/* by key */
	size_t		 nknown, known_cap;
	struct known_word {
		uint32_t		term;
		struct builder_word	word;
	}		*known;
	size_t		 nknown_exacts, known_exacts_cap;
	struct exact	*known_exacts;
};
