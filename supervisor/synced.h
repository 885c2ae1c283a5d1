/* synced - tells carrel-auth what `carrel sync` did last, where nodes share a store. */
#pragma once

#include "supervisor/supervisor.h"

/* Each second; nothing without a shared store or without `sync` in the configuration. */
void synced_tick(struct supervisor *sup, uint64_t now_ns);
