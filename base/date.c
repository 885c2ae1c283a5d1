/*
 * date.c - see date.h.  Days are counted in eras of 400 years from 0000-03-01: years that begin in March have the leap
 * day as their last.
 */
#include "base/date.h"

#define ERA_DAYS	146097
#define TO_1970		719468	/* days from 0000-03-01 */

int64_t
date_days(int64_t year, unsigned month, unsigned day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - TO_1970;
}

struct date
date_of_days(int64_t days)
{
	int64_t z = days + TO_1970;
	int64_t era = (z >= 0 ? z : z - (ERA_DAYS - 1)) / ERA_DAYS, of_era = z - era * ERA_DAYS;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned of_year = (unsigned)(of_era - (365 * year + year / 4 - year / 100)), m = (5 * of_year + 2) / 153;
	struct date d = { .month = m < 10 ? m + 3 : m - 9, .day = of_year - (153 * m + 2) / 5 + 1 };

	d.year = year + era * 400 + (d.month <= 2);
	return d;
}

bool
date_exists(int64_t year, unsigned month, unsigned day)
{
	struct date d = date_of_days(date_days(year, month, day));

	return month >= 1 && month <= 12 && day >= 1 && d.month == month && d.day == day;
}
