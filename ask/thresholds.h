/*
 * thresholds - words for which an answer or the asker's preferences define a condition: large means total >= 1000.
 *
 * A condition is a column or a measure, an operator and a value.  Without a name it applies to the only number of the
 * entity after the word; one about money to the only money that adds up over the entity.
 */
#pragma once

#include "ask/plan.h"

/* A condition in its parts. */
struct plan_threshold {
	struct span		 field;		/* "orders.total", "net revenue"; empty: nothing is named */
	const char		*operator;
	struct span		 value;
	bool			 is_number, preferred;
	double			 number;
	enum ask_measured	 unit;		/* that stands with the number; ASK_MEASURED: none */
};

/*
 * Whether the word at item i is a condition on a measure for each row of the source.  Then the item names the measures
 * that it may mean.
 */
bool thresholds_on_measure(struct plan *p, size_t i, uint32_t source, struct plan_threshold *out);

/* Name a preference among the caveats. */
void thresholds_tell(struct plan *p, size_t i, struct span of, const struct plan_threshold *t);

/* Whether an answer or a preference says what the word means. */
bool thresholds_is_said(const struct plan *p, size_t i);

void thresholds_read(struct plan *p);		/* words that mean conditions on columns */

/* Suggest conditions on the numbers of what the item is said of. */
void thresholds_suggest(struct plan *p, size_t i, struct ask_clarification *q);
