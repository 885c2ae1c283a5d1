/* clock.c - see clock.h. */
#include <time.h>

#include "base/clock.h"

uint64_t
clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * CLOCK_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t
clock_unix_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/*
 * Days since 1970-01-01 to a date: whole 400-year eras, years counted from
 * March so that the leap day is a year's last.  Not gmtime_r(), which opens
 * /etc/localtime first: a confined process must not.
 */
static void
date_of(uint64_t days, unsigned *year, unsigned *month, unsigned *day)
{
	uint64_t since = days + 719468; /* since 0000-03-01 */
	uint64_t era = since / 146097, doe = since % 146097;
	uint64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	uint64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	uint64_t mp = (5 * doy + 2) / 153;

	*day = (unsigned)(doy - (153 * mp + 2) / 5 + 1);
	*month = (unsigned)(mp < 10 ? mp + 3 : mp - 9);
	*year = (unsigned)(yoe + era * 400 + (*month <= 2));
}

/* value in width decimal digits; returns what follows. */
static char *
put_digits(char *p, unsigned value, unsigned width)
{
	for (unsigned i = width; i > 0; i--, value /= 10)
		p[i - 1] = (char)('0' + value % 10);
	return p + width;
}

void
clock_iso8601(uint64_t unix_ms, char out[25])
{
	uint64_t s = unix_ms / 1000;
	unsigned year, month, day, second = (unsigned)(s % 86400);
	char *p = out;

	date_of(s / 86400, &year, &month, &day);
	p = put_digits(p, year, 4);
	*p++ = '-';
	p = put_digits(p, month, 2);
	*p++ = '-';
	p = put_digits(p, day, 2);
	*p++ = 'T';
	p = put_digits(p, second / 3600, 2);
	*p++ = ':';
	p = put_digits(p, second / 60 % 60, 2);
	*p++ = ':';
	p = put_digits(p, second % 60, 2);
	*p++ = '.';
	p = put_digits(p, (unsigned)(unix_ms % 1000), 3);
	*p++ = 'Z';
	*p = '\0';
}
