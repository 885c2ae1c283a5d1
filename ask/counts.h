/* counts - counts: of the rows of an entity, or of an entity by its events. */
#pragma once

#include "ask/measures.h"

struct span counts_label(struct plan *p, uint32_t source);	/* "number of orders", in the question's language */
/* The measure of the source that counts its rows; ASK_NONE: it has none. */
uint32_t counts_own_measure(const struct plan *p, uint32_t source);
/* Whether the model counts every row of the source: of one whose count leaves some out, nothing is read as rows. */
bool counts_every_row(const struct plan *p, uint32_t source);
/* Whether it does, or counts those that are in segments of the source. */
bool counts_tells_rows(const struct plan *p, uint32_t source);
/* Whether the model says otherwise how many there are: "number of check-ins", the sum of a column. */
bool counts_defines_number(const struct plan *p, uint32_t source);
/* Whether the word for rows of the source may mean a number column of theirs, or of the other source's, if any. */
bool counts_may_be_column(const struct plan *p, size_t item, uint32_t source, uint32_t other);
/* Whether rows have a quantity: how many of something are in them may then mean pieces. */
bool counts_has_quantity(const struct plan *p, uint32_t source);
void counts_rows(struct plan *p, uint32_t source);		/* by the source's own count, else by its key */

/*
 * "How many customers" where banks have a number no_of_customers, "how many faculty" where the table faculty has a
 * column faculty: rows, or the sum of the column?  True: the user is asked, or wants the column.
 */
bool counts_offer_column(struct plan *p, size_t item, uint32_t source, bool counting);

/*
 * Count an entity by the rows of an event that lead to it: "how many customers ordered".  False: no foreign key does,
 * or several, or the user is asked which measure is meant.
 */
bool counts_through(struct plan *p, size_t item, uint32_t counted, size_t event, uint32_t source);

/* "with orders", "made a trip": the words before the noun make it an event. */
bool counts_happens_before(const struct plan *p, size_t i);
