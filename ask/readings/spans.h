/* spans - private to the readings: the letters of a pattern, and what in a question each of them matches. */
#pragma once

#include "ask/readings/search.h"

/* The first item from i on that has a meaning of its own; the number of items: none. */
size_t spans_skip(const struct plan *p, size_t i);

/* Whether the item has no meaning of its own in a list of rows, and may stand between two spans. */
bool spans_is_skipped(const struct plan *p, size_t i);

/* The node of the rows that are the groups of a number, to which the root leads.  ASK_NONE: none, or not surely. */
uint32_t spans_rows_of_groups(const struct plan *p, const struct draft *d);

/* "kinds", of "kinds of payment methods"; "amount", of "the smallest amount of horsepower": before a column. */
bool spans_says_kind(const struct plan *p, size_t i);

/* "the oldest woman": whether the item is a segment of the root, and stands for the rows which are in it. */
bool spans_stands_for_rows(const struct plan *p, size_t i);

/* "delivered" where the question has a period: it may be about that, and is no state then. */
bool spans_may_date(const struct plan *p, size_t i);

/* Whether the word alone names the root's rows. */
bool spans_is_word_of_rows(const struct plan *p, size_t word);

/* Whether the item is a word that asks for rows: "list", "which". */
bool spans_asks(const struct plan *p, size_t i);

/* Whether a word in front of the item asks for a list: "show", "list the rows that". */
bool spans_asks_list(const struct plan *p, size_t end);

/* "details of", which is a column or all of them. */
bool spans_asks_whole(const struct plan *p, size_t i);

/* Whether the item names a source whose rows have names. */
bool spans_has_label(const struct plan *p, size_t i);

/* "which state is austin in", "in which state is austin": whether the item is what lies there. */
bool spans_is_located(const struct plan *p, size_t i);

/* Whether the item is a word or a number that some letter stands for, or is skipped, whatever the model says. */
bool spans_is_word(const struct plan *p, size_t i);

/* The letters of a pattern that have to match, as a set; those that any item may match are left out. */
uint64_t spans_needed(const char *pattern);

/* Find out which items are skipped, and which letters each of them, and those behind it, may match with any root. */
void spans_find_letters(const struct plan *p);

/* Match the rest of the row's pattern from item i on, in every way; row_ends is called for each. */
void spans_match(struct reading_search *s, const char *pattern, size_t i, const struct draft_spans *got);
