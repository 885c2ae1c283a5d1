/* synced - what other nodes bring: tells carrel-auth what `carrel sync` did last, and serves what they imported. */
#pragma once

#include "supervisor/supervisor.h"

/* Each second; nothing without a shared store. */
void synced_tick(struct supervisor *sup, uint64_t now_ns);
