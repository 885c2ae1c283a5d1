/*
 * value_text - texts as values: the types that a text fits, and the conversion.
 *
 * A column's type is the narrowest that fits all its texts.  Nothing is guessed: 007 and +49 stay text, the order of
 * day and month is only known from a day beyond 12 in the same column, and a number whose digits a double does not keep
 * stays text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/* Ways to read a text; a column keeps those that fit all of its texts. */
enum value_reading {
	VALUE_FLAG		= 1 << 0,	/* true/false, yes/no, ja/nein, t/f, y/n */
	VALUE_INTEGER		= 1 << 1,	/* 64 bits */
	VALUE_POINT		= 1 << 2,	/* 1234.5, 1e9 */
	VALUE_COMMA		= 1 << 3,	/* 1234,5 */
	VALUE_POINT_GROUPED	= 1 << 4,	/* 1,234.5 */
	VALUE_COMMA_GROUPED	= 1 << 5,	/* 1.234,5 */
	VALUE_YMD		= 1 << 6,	/* 2024-02-29, 2024/02/29, 2024.02.29 */
	VALUE_DMY_POINT		= 1 << 7,	/* 29.02.2024 */
	VALUE_DMY		= 1 << 8,	/* 29/02/2024, 29-02-2024 */
	VALUE_MDY		= 1 << 9,	/* 02/29/2024, 02-29-2024 */
	VALUE_DAY_NAMED		= 1 << 10,	/* 29-Feb-2024, 29 Feb 2024 */
	/* The text after the day.  A day without a clock fits VALUE_TIMED as well, as midnight. */
	VALUE_TIMED		= 1 << 11,	/* 29.02.2024 13:05[:06[.7]] */
	VALUE_ZONED		= 1 << 12,	/* the same with Z or +02:00 */
	VALUE_DAY_ONLY		= 1 << 13,
	VALUE_POINT_WHOLE	= 1 << 14,	/* 1,234,567: 64 bits, as VALUE_INTEGER */
	VALUE_COMMA_WHOLE	= 1 << 15,	/* 1.234.567 */
	VALUE_BIT		= 1 << 16	/* as VALUE_FLAG, and 1/0 */
};

/* The styles with a decimal point, and with a decimal comma. */
#define VALUE_POINTS	(VALUE_POINT | VALUE_POINT_GROUPED | VALUE_POINT_WHOLE)
#define VALUE_COMMAS	(VALUE_COMMA | VALUE_COMMA_GROUPED | VALUE_COMMA_WHOLE)
#define VALUE_WHOLES	(VALUE_INTEGER | VALUE_POINT_WHOLE | VALUE_COMMA_WHOLE)
#define VALUE_NUMBERS	(VALUE_INTEGER | VALUE_POINTS | VALUE_COMMAS)
#define VALUE_FLAGS	(VALUE_FLAG | VALUE_BIT)
#define VALUE_DAYS	(VALUE_YMD | VALUE_DMY_POINT | VALUE_DMY | VALUE_MDY | VALUE_DAY_NAMED)
#define VALUE_CLOCKS	(VALUE_TIMED | VALUE_ZONED | VALUE_DAY_ONLY)
#define VALUE_ALL	(VALUE_FLAGS | VALUE_NUMBERS | VALUE_DAYS | VALUE_CLOCKS)

/* The ways of `among` that fit t, which has no surrounding white space; 0: only text. */
unsigned value_readings(struct span t, unsigned among);

/* Why t, which is written as a number, fits no number; NULL: it is not written as one. */
const char *value_number_fault(struct span t);

/* NULL, NA, n/a, -, \N and the like: null in columns other than text. */
bool value_is_nothing(struct span t);

/* Convert t, which must fit; `as` is one bit. */
int64_t value_integer(struct span t);
double value_number(struct span t, unsigned as);
bool value_flag(struct span t);

/*
 * "2024-02-29", or with a clock "2024-02-29 13:05:06[.7]"; with a zone in UTC and a final Z.  `as`: one of VALUE_DAYS
 * and one of VALUE_CLOCKS.  Returns the length.
 */
#define VALUE_TIME_MAX	48
size_t value_time(struct span t, unsigned as, char out[VALUE_TIME_MAX]);
