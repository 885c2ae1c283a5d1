/* files_tools - what the owner's commands ask of the files that nodes share. */
#pragma once

#include "workers/shared/tool.h"

/*
 * {remove?: a name below .carrel}: remove it on all nodes; then bring and send what there is, for some seconds at most:
 * {shared, files, missing, missing_bytes, unsent, aside, full, settled, trouble, away}.  Without shared the store is
 * the node's own.
 */
int files_share_run(struct call *c, const struct mp_value *args, struct err *err);
