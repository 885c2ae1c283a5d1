/*
 * Days count from 1970-01-01.  Named periods are whole ones; "last" is the last complete one, "last N" the last N
 * complete ones; to-date ends with today.
 */
#pragma once

#include "ask/ask.h"
#include "ask/words_function.h"

#define ASK_OPEN	INT32_MIN	/* unbounded on this side */

struct ask_period {
	int32_t	start, end;		/* end: the first day after the period */
	bool	fiscal;			/* a fiscal year, by the preferences */
	bool	fiscal_unsaid;		/* a fiscal period, but the preferences have no fiscal calendar */
	bool	day_or_month;		/* 03/04/2025, when the order of day and month is unknown */
	bool	future;			/* "next quarter" */
	bool	bare;			/* a number that may be a year: 2025 */
	bool	assumed_year;		/* a month or quarter whose year was assumed */
	bool	range;			/* made of the two `parts` */
	struct { int32_t start, end; struct span text; } parts[2];
};

/* The number of words of the longest time phrase at t; 0: none. */
size_t ask_period_at(const struct ask_context *c, enum ask_language language, const struct ask_token *t, size_t n,
    struct ask_period *out);

/* Extend first by second if second begins where first ends and neither is ambiguous. */
bool ask_period_join(struct ask_period *first, const struct ask_period *second);

/* "2025-03-31" into out. */
void ask_period_day(int32_t day, char out[11]);
int32_t ask_period_days(int64_t year, unsigned month, unsigned day);
int32_t ask_period_today(const struct ask_context *c);
