/*
 * zones - the system's time zones, read before the sandbox closes: one rule each, in the form of TZ.  Only the current
 * rules are known, not earlier ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct zones;

/* Read the system's zone files; without them only UTC is known. */
struct zones *zones_read(const char *directory);
void zones_free(struct zones *z);

/* Seconds east of UTC at this Unix time.  False: unknown zone. */
bool zones_offset(const struct zones *z, struct span name, int64_t unix_s, int *out);
