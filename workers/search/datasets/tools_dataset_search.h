/* tools_dataset_search - carrel_search: finds passages in the documents of published datasets. */
#pragma once

#include "workers/search/datasets/datasets.h"

int tool_search(struct call *c, const struct mp_value *args, struct err *err);
