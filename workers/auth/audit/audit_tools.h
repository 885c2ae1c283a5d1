/* audit_tools - the tools of the audit. */
#pragma once

#include "workers/shared/tool.h"

/* A pair of a map, the bytes in hexadecimal. */
void audit_tools_put_hex(struct buf *out, const char *key, const uint8_t *bytes, size_t n);

int run_audit_page(struct call *c, const struct mp_value *args, struct err *err);
int run_audit_find(struct call *c, const struct mp_value *args, struct err *err);
int run_audit_state(struct call *c, const struct mp_value *args, struct err *err);
