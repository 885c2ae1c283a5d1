/* sentences - splits a note into headings, sentences, table rows and code blocks, with their headings.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"

#define SENTENCES_MAX	4000

enum sentence_kind { SENTENCE_PROSE, SENTENCE_HEADING, SENTENCE_ROW, SENTENCE_CODE };

struct sentence {
	enum sentence_kind	kind;
	struct span		text;
	unsigned		block;		/* number of the paragraph or list item */
	unsigned		group;		/* number of the group of lines without an empty line between */
	unsigned		level;		/* of a heading: 1 is the highest, 0 is above the text */
	bool			open;		/* prose without a final mark, or with a colon */
	bool			quoted;		/* in a quotation, struck out, or in a comment */
	bool			said;		/* a proposal covers the whole sentence */
};

struct sentences {
	size_t		 n;
	bool		 cut;		/* further sentences were left out */
	struct sentence	*v;
};

/* above: lines that apply to all of content, such as those of its front matter.  -1: out of memory. */
int sentences_read(struct arena *a, struct span above, struct span content, struct sentences *out);

/* Whether the sentence `over` applies to `at`: it is in the same or an enclosing section, or is the heading of one. */
bool sentences_is_over(const struct sentences *s, size_t over, size_t at);

/* The index of the heading of the sentence's section; s->n: none. */
size_t sentences_heading(const struct sentences *s, size_t at);

/* That heading without its number, "2.1 Net revenue"; empty: none. */
struct span sentences_title(const struct sentences *s, size_t at);
