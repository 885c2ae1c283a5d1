/*
 * superlatives - rows by a number of their own: "the largest city", "the stadium with the highest capacity".
 *
 * The answer is the row or rows with that number, by what names them, and the number.  "The largest city" says no
 * number: its word has to name one column of the cities ("largest": size, area, population, ...); if it names none or
 * several, the user is asked.  The number of rows is no size.
 */
#pragma once

#include "ask/plan.h"

/*
 * superlatives_read: "the largest city": measure the number that the word names; true: read, or the user is asked which
 * number.  superlatives_by_answer: the rows of the source are ranked by the measure of an answer, else ask by what.
 * superlatives_rank_rows: "the city
 * with the highest population": rank the rows of the root by the extreme that was measured.
 */
bool superlatives_read(struct plan *p);
void superlatives_by_answer(struct plan *p, size_t word, uint32_t source);
void superlatives_rank_rows(struct plan *p);
