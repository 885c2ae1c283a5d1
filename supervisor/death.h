/* death - what a child's end means for its restart, for its peers and for users.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ipc/messages.h"
#include "policy/metrics.h"
#include "supervisor/restart.h"

/* The reason for which we killed it, if we did. */
enum death_by {
	DEATH_BY_OTHERS,
	DEATH_BY_WATCHDOG,	/* it passed its deadline, or owed a pong */
	DEATH_BY_SLOW_START,	/* not ready within CONTRACT_READY_MS */
	DEATH_BY_FAULT,		/* it broke the protocol */
	DEATH_BY_STOP		/* still running after the grace period of SHUTDOWN */
};

struct death {
	bool		signalled;
	int		status;		/* exit code, or signal */
	enum death_by	by;
};

enum life_event death_event(const struct death *d);
/* The cause that DETACH reports to the other ends of the child's channels. */
enum ipc_detach_cause death_cause(const struct death *d);

/* The reason under which /metrics counts the death. */
enum metric_reason death_reason(const struct death *d);

/* "crashed (segmentation fault)", "lost its database connection". */
void death_text(const struct death *d, char *out, size_t cap);
