/* tools_dataset_text - text columns of published tables whose content the owner wants to be searchable. */
#pragma once

#include "workers/search/datasets/datasets.h"

/* A page of the texts of a published table's column, for the index of passages. */
int tool_dataset_column(struct call *c, const struct mp_value *args, struct err *err);

/* Exclude from the search the documents that the current column policies protect from anybody. */
void datasets_withhold(struct call *c, const struct datasets *all);
