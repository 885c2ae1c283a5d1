/* verify_sums - V5: whether groups add up to their total. */
#pragma once

#include "workers/agent/verify/verify_found.h"

int verify_sums(struct answer_check *v, const struct ask_query *q, const struct data_rows *r, struct err *err);
