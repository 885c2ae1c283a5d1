/* care - support tickets, and the times until they are answered. */
#pragma once

#include "demo/world.h"

void care_ticket(struct world *w, int64_t customer_id, int64_t order_id, int64_t at, int category);
void care_day(struct world *w, int day);		/* tickets about no order */
