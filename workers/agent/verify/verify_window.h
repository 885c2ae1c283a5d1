/* verify_window - V6: whether there are data of the whole period, and whether it is over. */
#pragma once

#include "workers/agent/verify/verify_answer.h"

/* The window of a query; one over the date of a source that is joined stands among the filters. */
struct ask_window verify_window_of(const struct ask_query *q);

/* -1 with *err only when the call must end. */
int verify_window(struct answer_check *v, const struct ask_query *q, struct err *err);
