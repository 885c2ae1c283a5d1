/*
 * zones - the time zones that there are, read before the process can read nothing any more: a rule each, as
 * TZ takes it.  What they were before their last change is not known here, and nobody asks.
 */
#ifndef AGENT_ZONES_H
#define AGENT_ZONES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct zones;

/* Of the system's zone files; without these there is UTC alone. */
struct zones *zones_read(const char *directory);
void zones_free(struct zones *z);

/* Seconds east of UTC at this Unix time.  False: no such zone. */
bool zones_offset(const struct zones *z, struct span name, int64_t unix_s, int *out);

#endif
