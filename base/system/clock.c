#include <time.h>

#include "base/system/clock.h"
#include "base/date.h"

static uint64_t
clock_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * CLOCK_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t
clock_ns(void)
{
	return clock_of(CLOCK_MONOTONIC);
}

uint64_t
clock_boot_ns(void)
{
	return clock_of(CLOCK_BOOTTIME);
}

uint64_t
clock_unix_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
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
	struct date d = date_of_days((int64_t)(s / 86400));
	unsigned second = (unsigned)(s % 86400);
	char *p = out;

	p = put_digits(p, (unsigned)d.year, 4);
	*p++ = '-';
	p = put_digits(p, d.month, 2);
	*p++ = '-';
	p = put_digits(p, d.day, 2);
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
