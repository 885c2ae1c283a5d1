/* traffic - web sessions and the costs of advertising. */
#pragma once

#include "demo/world.h"

void traffic_day(struct world *w, int day);		/* sessions, spend */
