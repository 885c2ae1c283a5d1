/*
 * mutate - one name as people may write it: in other cases, with other marks
 * between its words, misspelt, shortened, turned round.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

#define NAME_WORDS_MAX	12

/* The folded words of a name. */
struct name {
	size_t		n;
	struct {
		char	text[72];
	}		words[NAME_WORDS_MAX];
};

/* False: it has none, or too many. */
bool name_read(struct name *name, struct span text);

/* All words written in one: two names with one key are the same. */
void name_key(const struct name *name, struct buf *out);

/* The words with `between` between them, appended. */
void name_write(const struct name *name, const char *between, struct buf *out);

struct mutation {
	const char	*title;
	bool		 spells;	/* it makes a word that must not be another one */
	bool		 qualifies;	/* it says whose the thing is */
	/*
	 * Append what is asked; seed decides what is left to chance.  False: it
	 * cannot be made of this name.  above: whose it is, NULL for nobody's.
	 */
	bool		(*make)(const struct name *name, const struct name *above, uint64_t seed, struct buf *out);
};

extern const struct mutation mutations[];
extern const size_t mutations_n;
