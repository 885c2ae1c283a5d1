#include <stdlib.h>

#include "base/date.h"
#include "demo/calendar.h"

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators". */
static uint64_t
throw_dice(struct world *w)
{
	uint64_t z = (w->dice += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint32_t
below(struct world *w, uint32_t n)
{
	return (uint32_t)(((throw_dice(w) >> 32) * n) >> 32);
}

int
between(struct world *w, int low, int high)
{
	return low + (int)below(w, (uint32_t)(high - low + 1));
}

bool
chance(struct world *w, uint32_t permille)
{
	return below(w, 1000) < permille;
}

size_t
weighted(struct world *w, const uint16_t *weights, size_t n)
{
	uint32_t sum = 0, at;
	size_t i;

	for (i = 0; i < n; i++)
		sum += weights[i];
	at = below(w, sum);
	for (i = 0; i + 1 < n && at >= weights[i]; i++)
		at -= weights[i];
	return i;
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar. */
int
day_of(int year, int month, int day)
{
	return (int)date_days(year, (unsigned)month, (unsigned)day);
}

int
day_parse(const char *iso)
{
	return day_of(atoi(iso), atoi(iso + 5), atoi(iso + 8));
}

void
day_split(int day, int *year, int *month, int *mday)
{
	struct date d = date_of_days(day);

	*year = (int)d.year;
	*month = (int)d.month;
	*mday = (int)d.day;
}

int
weekday_of(int day)
{
	return (day + 3) % 7; /* 1970-01-01 was a Thursday */
}

/* The last Sunday of a month with 31 days, such as March and October. */
static int
last_sunday(int year, int month)
{
	int end = day_of(year, month, 31);

	return end - (weekday_of(end) + 1) % 7;
}

int
berlin_offset(int64_t utc)
{
	int year, month, mday;
	int64_t from, to;

	day_split((int)(utc / DAY_SECONDS), &year, &month, &mday);
	from = (int64_t)last_sunday(year, 3) * DAY_SECONDS + 3600;
	to = (int64_t)last_sunday(year, 10) * DAY_SECONDS + 3600;
	return utc >= from && utc < to ? 7200 : 3600;
}

int64_t
moment_of(struct world *w, int day)
{
	static const uint16_t hours[24] = { 3, 2, 1, 1, 1, 2, 8, 20, 30, 36, 40, 42,
		44, 40, 38, 38, 42, 50, 62, 74, 70, 48, 22, 8 };
	int hour = (int)weighted(w, hours, COUNT(hours));

	return (int64_t)day * DAY_SECONDS + hour * 3600 + (int)below(w, 3600);
}
