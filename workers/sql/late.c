#include <stdbool.h>

#include "base/system/clock.h"
#include "workers/sql/late.h"

#define SLACK_MS	100	/* at most a tenth of the limit: engines stop a little early, so that the answer
                                 * arrives in time */

int
late_query(uint64_t ran_ns, const struct late_limit *limit, struct err *err)
{
	uint64_t ran_ms = ran_ns / CLOCK_MS, slack = limit->ms / 10 < SLACK_MS ? limit->ms / 10 : SLACK_MS;
	bool limited = ran_ms >= limit->ms - slack;

	if (limited)
		ran_ms = limit->ms;
	return err_set(err, ERR_QUERY_TIMEOUT,
	    "the query took too long and was stopped after %.3g s%s%s%s; aggregate less, filter on "
	    "an indexed column, or ask for fewer rows",
	    (double)ran_ms / 1000.0, limited ? " (" : "", limited ? limit->key : "", limited ? ")" : "");
}
