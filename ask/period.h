/*
 * period - time phrases as half-open ranges of days: "last quarter", "from March to May 2025", "since 2024".
 *
 * Days count from 1970-01-01.  Named periods are whole ones; "last" is the complete one before the current
 * one, and the last N the N complete ones; to-date ends with today.
 */
#ifndef ASK_PERIOD_H
#define ASK_PERIOD_H

#include "ask/ask.h"
#include "ask/words.h"

#define ASK_OPEN	INT32_MIN	/* no bound on this side */

struct ask_period {
	int32_t	start, end;		/* end is the first day that does not belong to it */
	bool	fiscal_unsaid;		/* a fiscal period, and there is no fiscal calendar */
	bool	day_or_month;		/* 03/04/2025, and nothing says which is the day */
	bool	future;			/* "next quarter" */
	bool	bare;			/* a number that may be a year: 2025 */
	bool	assumed_year;		/* a month or quarter without one */
	bool	range;			/* of two: `parts` */
	struct { int32_t start, end; struct span text; } parts[2];
};

/* The number of words that the longest time phrase at t takes; 0: there is none. */
size_t ask_period_at(const struct ask_context *c, enum ask_language language, const struct ask_token *t, size_t n,
    struct ask_period *out);

/* Make first both of them, where second begins as it ends and both are clear. */
bool ask_period_join(struct ask_period *first, const struct ask_period *second);

/* "2025-03-31" into out. */
void ask_period_day(int32_t day, char out[11]);
int32_t ask_period_days(int year, unsigned month, unsigned day);
int32_t ask_period_today(const struct ask_context *c);

#endif
