/* datahub - datasets and glossary terms of DataHub. */
#pragma once

#include "workers/import/knowledge/knowledge.h"

int datahub_read(struct knowledge *k, const struct knowledge_input *in, struct err *err);
