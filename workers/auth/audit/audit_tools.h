/* audit_tools - the tools of the audit. */
#ifndef WORKERS_AUTH_AUDIT_AUDIT_TOOLS_H
#define WORKERS_AUTH_AUDIT_AUDIT_TOOLS_H

#include "workers/shared/tool.h"

int run_audit_page(struct call *c, const struct mp_value *args, struct err *err);
int run_audit_find(struct call *c, const struct mp_value *args, struct err *err);
int run_audit_state(struct call *c, const struct mp_value *args, struct err *err);

#endif
