/* verify_nulls - V4 and V10: what has no key or no value, and why a quotient has none. */
#pragma once

#include "workers/agent/verify/verify_found.h"

/* V4 and V10, V5.  -1 with *err only when the call must end. */
int verify_nulls(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err);
