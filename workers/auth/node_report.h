/* node_report - what this node says of the store that several share: for status, doctor and /metrics. */
#pragma once

#include <stdint.h>

#include "workers/auth/store/store_node.h"

struct auth;

struct node_report {
	uint64_t		reported_ns, looked_ns;
	struct store_server	server;		/* as it was seen last */
};

/* Report when it is time; nothing where the store is a file. */
void node_report_tend(struct auth *a);
