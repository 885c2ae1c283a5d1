/* metering_sums - the numbers for /metrics: the supervisor's own counts, and the sums of the fronts' reports. */
#pragma once

#include "supervisor/death.h"
#include "supervisor/supervisor.h"

/* c's process has ended.  The numbers of a front that has ended stay in the sum. */
void metering_ended(struct child *c, const struct death *d);

/* Another process is started in its place. */
void metering_restarted(struct child *c);

/* Append the sum, as metrics_pack() writes it. */
void metering_pack(struct supervisor *sup, struct buf *out);
