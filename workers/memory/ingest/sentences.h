/*
 * sentences - a note as its headings, sentences, rows of tables and blocks of
 * code, in order, and what each stands under.  Pure.
 */
#ifndef WORKERS_MEMORY_INGEST_SENTENCES_H
#define WORKERS_MEMORY_INGEST_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"

#define SENTENCES_MAX	4000

enum sentence_kind { SENTENCE_PROSE, SENTENCE_HEADING, SENTENCE_ROW, SENTENCE_CODE };

struct sentence {
	enum sentence_kind	kind;
	struct span		text;
	unsigned		block;		/* a paragraph, an item of a list */
	unsigned		group;		/* number of the group of lines without an empty line between */
	unsigned		level;		/* of a heading: 1 is the highest, 0 stands above the text */
	bool			open;		/* prose that ends with no mark of its own, or with a colon */
	bool			quoted;		/* in a quotation, struck out, or in a comment */
	bool			said;		/* a proposal covers the whole sentence */
};

struct sentences {
	size_t		 n;
	bool		 cut;		/* further sentences were left out */
	struct sentence	*v;
};

/* above: lines that stand over all of content, such as the words of its front matter.  -1: out of memory. */
int sentences_read(struct arena *a, struct span above, struct span content, struct sentences *out);

/* Whether the sentence `over` stands in a section of `at`, or is the heading of one. */
bool sentences_is_over(const struct sentences *s, size_t over, size_t at);

#endif
