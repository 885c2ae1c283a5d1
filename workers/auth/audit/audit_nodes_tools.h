/*
 * audit_nodes_tools - the audits of all nodes for the owner, from their copies in the store that nodes share; the
 * other tools of the audit call these where they are asked for more than this node's.
 */
#pragma once

#include "workers/shared/tool.h"

/* The chains that there are. */
int run_audit_nodes(struct call *c, const struct mp_value *args, struct err *err);

/*
 * audit_page with `chain`: rows of one chain from a number on; with `allNodes`: of all of them, the newest first,
 * `after` a place that a page before ended at.  audit_find, where this node's audit has no such receipt.
 */
int audit_nodes_page(struct call *c, const struct mp_value *args, struct err *err);
int audit_nodes_find(struct call *c, const struct mp_value *args, struct err *err);
