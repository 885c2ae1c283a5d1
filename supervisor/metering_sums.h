/* metering_sums - the numbers for /metrics: the supervisor's own counts, and the sums of the fronts' reports. */
#pragma once

#include "project/repository.h"
#include "supervisor/death.h"
#include "supervisor/supervisor.h"

/* c's process has ended.  The numbers of a front that has ended stay in the sum. */
void metering_ended(struct child *c, const struct death *d);

/* Another process is started in its place. */
void metering_restarted(struct child *c);

/* The commit of the project's repository that is checked out; false: it lies in none. */
bool metering_revision(const struct supervisor *sup, char commit[REPOSITORY_COMMIT + 1]);

/* Append the sum, as metrics_pack() writes it. */
void metering_pack(struct supervisor *sup, struct buf *out);
