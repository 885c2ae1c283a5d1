/* tools_dataset_search - carrel_search: finds passages in the documents of published datasets. */
#ifndef WORKERS_SEARCH_DATASETS_TOOLS_DATASET_SEARCH_H
#define WORKERS_SEARCH_DATASETS_TOOLS_DATASET_SEARCH_H

#include "workers/search/datasets/datasets.h"

int tool_search(struct call *c, const struct mp_value *args, struct err *err);

#endif
