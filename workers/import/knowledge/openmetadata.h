/* openmetadata - tables and glossary terms of OpenMetadata. */
#pragma once

#include "workers/import/knowledge/knowledge.h"

int openmetadata_read(struct knowledge *k, const struct knowledge_input *in, struct err *err);
