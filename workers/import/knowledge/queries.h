/* queries - statements that were run, as evidence: joins, standing filters, and tables that are used together. */
#pragma once

#include "workers/import/knowledge/knowledge.h"

/* Reads files of SQL, logs of slow queries, and CSV of pg_stat_statements or of MariaDB's digests. */
int queries_read(struct knowledge *k, const struct knowledge_input *in, struct err *err);
