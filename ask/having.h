/*
 * having - a question that begins with the groups: one comparison says how many of something, or how much, each must
 * have.  The answer is the groups that meet it, with their number.
 */
#pragma once

#include "ask/plan.h"

/* A word that may introduce groups or values: "which", "list the". */
bool having_may_lead(const struct plan *p, size_t i);

/*
 * "high-value customers", where an answer or a preference says which measure of them, and how much.  False: the word is
 * no condition on a measure, or the user is asked.
 */
bool having_of_threshold(struct plan *p, size_t word, size_t group);
/* Add the key of the row that a group names, so that rows of the same name are separate groups. */
void having_add_key(struct plan *p, struct plan_column at);
/* said: the number as people wrote it, NULL: with its unit */
void having_set(struct plan *p, struct plan_having having, const struct span *said);
void having_groups(struct plan *p);
void having_filter(struct plan *p, struct ask_query *q);
