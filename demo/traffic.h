/* traffic - web sessions and the costs of advertising. */
#ifndef DEMO_TRAFFIC_H
#define DEMO_TRAFFIC_H

#include "demo/world.h"

void traffic_day(struct world *w, int day);		/* sessions, spend */

#endif
