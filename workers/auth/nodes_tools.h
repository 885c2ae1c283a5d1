/* nodes_tools - the owner's commands about the nodes that share a store. */
#pragma once

#include "workers/shared/tool.h"

int cluster_status_run(struct call *c, const struct mp_value *args, struct err *err);
int cluster_accept_loss_run(struct call *c, const struct mp_value *args, struct err *err);
