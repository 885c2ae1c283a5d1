/* locale_text - numbers and periods as people read them, in English and German. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/text/decimal.h"

/*
 * Append a number with its thousands grouped, rounded to `decimals` but to two significant digits where it would
 * vanish: "1,234.50" in English, "1.234,50" in German.
 */
void locale_put_decimal(struct buf *out, const struct decimal *d, unsigned decimals, bool german);

/* The same of one of several numbers that have fractions: a whole one has its zeros, "3,627.00". */
void locale_put_fractional(struct buf *out, const struct decimal *d, unsigned decimals, bool german);

/*
 * As locale_put_decimal() of a double.  From 2^53 on, where doubles are no exact integers, it has an exponent; NAN is a
 * dash.
 */
void locale_put_double(struct buf *out, double v, unsigned decimals, bool german);

/*
 * Append the period of a granularity (hour, day, week, month, quarter, year) that begins at an ISO date or timestamp:
 * "January 2025", "Q1 2025", "6 January 2025, 14:00"; brief: "Jan 2025".  Without a granularity, or where nothing of
 * it begins there, the day, with its time if it has one.  A text that is no date is appended as it is.
 */
void locale_put_period(struct buf *out, struct span begin, struct span granularity, bool german, bool brief);

/* The text with {1} to {9} replaced by the arguments, in a; args may be NULL where the text has no place for one. */
struct span locale_fill(struct arena *a, const char *text, const struct span *args);

/* An English noun in the plural, in a: "category" as "categories"; one that ends as a plural does is itself. */
struct span locale_plural(struct arena *a, struct span noun);

/* A unit as it stands behind a number: "%" for percent, "minutes", "Minuten"; one that is not known is itself. */
struct span locale_unit(struct span unit, bool german);

/* The name of a granularity: "month", "Monat"; empty: unknown. */
const char *locale_granularity(struct span granularity, bool german);

/* The name of a month, 0 to 11: "January", "Januar". */
const char *locale_month(unsigned month, bool german);
