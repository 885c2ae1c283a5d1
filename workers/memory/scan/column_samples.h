/* column_samples - queries the SQL workers for samples, several tables at once; see column_profile.h. */
#pragma once

#include "workers/memory/scan/column_profile.h"

/*
 * Samples every planned table, except those in d->recall.  A table that fails becomes a warning; -1 with *err when the
 * call is over or the database is gone.  Progress runs from..to.
 */
int profile_sample(struct profile *p, const struct deep *d, unsigned from, unsigned to, struct err *err);
