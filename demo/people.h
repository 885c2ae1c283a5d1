/* people - the demo's customers, their regions, and the staff. */
#pragma once

#include "demo/world.h"

void people_found(struct world *w);			/* regions, rates, staff, customers from before */
void people_day(struct world *w, int day);		/* today's sign-ups */
void people_finish(struct world *w);			/* addresses, memberships */
int people_pick(struct world *w, int day);		/* index of a customer who buys today */

/* Units of the region's currency for one euro, times 10000, in that day's month. */
int64_t fx_rate(int region, int day);
