/* clock.c - see clock.h. */
#include <stdio.h>
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

void
clock_iso8601(uint64_t unix_ms, char out[25])
{
	time_t s = (time_t)(unix_ms / 1000);
	struct tm tm;
	size_t n;

	gmtime_r(&s, &tm);
	n = strftime(out, 25, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + n, 25 - n, ".%03uZ", (unsigned)(unix_ms % 1000));
}
