/*
 * match - private to the readings: readers of those letters of letters.def that are more than a function word (spans.c
 * has the others).  A reader captures what it finds at item i, in each way that it can be read, and goes on behind it.
 */
#pragma once

#include "ask/readings/search.h"

typedef void matcher(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got);

/* match_columns.c has those of columns, match_values.c of values, match.c the rest. */
#define LETTER(letter, from, reader) matcher match_##reader;
#define WORD(letter, kind, item)
#define FLAG(letter, kind, flag)
#include "ask/readings/letters.def"
#undef LETTER
#undef WORD
#undef FLAG

/* The pattern behind its first letter.  The next span begins behind the n items from i on. */
const char *match_behind(const char *pattern);
void match_go_on(struct reading_search *s, const char *pattern, size_t i, size_t n, const struct draft_spans *got);

/* Whether the item only leads to what is asked for: "show me", "where", "is there". */
bool match_leads(const struct plan *p, size_t i);

/* The item behind the words between a column and the rows that it is of, from i on. */
size_t match_skip_to_owner(const struct plan *p, size_t i);

/* The node that a word for rows names in front of a column: the root or one of its parents. */
uint32_t match_owner_at(const struct plan *p, size_t i);

/* "gold", of gold customers: a word that can only be a condition. */
bool match_is_adjective(const struct plan *p, size_t i);

/*
 * Capture the adjective at i, which describes the rows that follow.  False: the item is no adjective, a comma or "of"
 * follows ("numbers of wines", where one is called Numbers), or there is no room.
 */
bool match_take_adjective(const struct plan *p, size_t i, char of, struct draft_spans *s);

/* Whether "with" or "have" is among the words of the item; article: "a". */
bool match_says_with(const struct plan *p, size_t i, bool article);

/* Whether a comma precedes any of the items. */
bool match_any_comma(const struct plan *p, size_t first, size_t last);

/* The length in bytes of the common beginning: 4 or more, with at most 4 bytes of each word behind it; else 0. */
size_t match_common_stem(struct span a, struct span b);

/* "climbed", of climbers: the verb of their name; named: they have to be named, too. */
bool match_is_verb(const struct plan *p, size_t i, bool named);

/* Whether the item is a verb made of the name of the source: "climbed", of climbers. */
bool match_is_verb_of(const struct plan *p, size_t i, uint32_t source);

/* The only column of the source whose name the item is a verb of: "directed", of director.  ASK_NONE: 0, or several. */
uint32_t match_verb_column(const struct plan *p, size_t i, uint32_t source);
