/* knowledge_query - models that are queries: their tables, their columns, and the file of their source. */
#pragma once

#include "workers/memory/ingest/knowledge_parts.h"

struct call;

/*
 * Gives each model that is a query a source of its own, once the models of tables have theirs: the database is asked
 * for its columns, for no rows.  One that does not run, or whose name a source has, is skipped.  -1 with *err: the
 * database did not answer.
 */
int know_place_queries(struct call *c, struct know *k, struct err *err);
