/* mention - resolves what a text names among the sources of a connection.  Pure. */
#pragma once

#include <stdbool.h>

#include "base/span.h"
#include "project/model/source.h"

/* A column or a measure; borrowed from the set. */
struct mention {
	const struct source		*source;
	const struct source_column	*column;	/* NULL: a measure */
	const struct source_measure	*measure;
};

/*
 * Whether the word names a source, in the singular or plural, or a column or measure: one spelled as a name of a
 * database, or any other if the word is the subject of a sentence.
 */
bool mention_is_known(const struct source_set *set, struct span word, bool subject);

/*
 * How many columns and measures these words are: a name of a database, with or without its source, or all that a
 * measure or column is called.  Of several those count whose source the sentence names.  *out: the first.
 */
size_t mention_find(const struct source_set *set, struct span words, struct span sentence, struct mention *out);

/*
 * Another measure than source.name that is called name or words, by its name, label or a synonym; *owner: its source.
 * NULL: none.
 */
const struct source_measure *mention_measure(const struct source_set *set, struct span source, struct span name,
    struct span words, const struct source **owner);

/*
 * The same of a part of the words, where nothing but words of questions is next to it: a measure called "net revenue
 * in" would be read in place of net revenue.
 */
const struct source_measure *mention_within(const struct source_set *set, struct span source, struct span name,
    struct span words, const struct source **owner);
