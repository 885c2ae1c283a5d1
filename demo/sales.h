/* sales - products, and a day's orders with everything that follows from them. */
#pragma once

#include "demo/world.h"

void sales_found(struct world *w);			/* products */
void sales_day(struct world *w, int day);		/* orders, items, payments, refunds, their tickets */
