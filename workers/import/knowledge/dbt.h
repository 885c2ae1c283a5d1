/* dbt - the reader of dbt projects. */
#pragma once

#include "workers/import/knowledge/knowledge.h"

int dbt_read(struct knowledge *k, const struct knowledge_input *in, struct err *err);
