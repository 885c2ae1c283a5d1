/* nodes_tools - the owner's commands about the nodes that share a store. */
#pragma once

#include "workers/shared/tool.h"

int nodes_status(struct call *c, const struct mp_value *args, struct err *err);
int nodes_drain(struct call *c, const struct mp_value *args, struct err *err);
int nodes_release(struct call *c, const struct mp_value *args, struct err *err);
int nodes_accept_loss(struct call *c, const struct mp_value *args, struct err *err);
