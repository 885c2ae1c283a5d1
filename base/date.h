/*
 * date - days and dates of the Gregorian calendar, in both directions and before its introduction as well.  Nothing of
 * the C library: gmtime_r() opens /etc/localtime first, which a confined process must not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct date {
	int64_t		year;
	unsigned	month, day;	/* from 1 */
};

/* Days from 1970-01-01 to this date; negative before it. */
int64_t date_days(int64_t year, unsigned month, unsigned day);

/* The date that many days after 1970-01-01. */
struct date date_of_days(int64_t days);

bool date_exists(int64_t year, unsigned month, unsigned day);
