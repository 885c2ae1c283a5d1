/* audit_tools - the tools of the audit. */
#pragma once

#include "workers/shared/tool.h"

int run_audit_page(struct call *c, const struct mp_value *args, struct err *err);
int run_audit_find(struct call *c, const struct mp_value *args, struct err *err);
int run_audit_state(struct call *c, const struct mp_value *args, struct err *err);
