/* calendar - the demo's random numbers, days and clock, in integers only. */
#pragma once

#include "demo/world.h"

uint32_t below(struct world *w, uint32_t n);		/* 0 … n-1 */
int between(struct world *w, int low, int high);	/* both included */
bool chance(struct world *w, uint32_t permille);

/* A random index, with the probability of its weight. */
size_t weighted(struct world *w, const uint16_t *weights, size_t n);

int day_of(int year, int month, int day);
int day_parse(const char *iso);
void day_split(int day, int *year, int *month, int *mday);
int weekday_of(int day);				/* 0 Monday … 6 Sunday */

/* Seconds east of UTC in Berlin at this UTC time, by the EU's rule. */
int berlin_offset(int64_t utc);

/* A moment of that day, with the distribution of visits to a shop: more in the evening than at night. */
int64_t moment_of(struct world *w, int day);
