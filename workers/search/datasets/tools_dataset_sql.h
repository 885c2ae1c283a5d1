/*
 * tools_dataset_sql - carrel_sql: finds the datasets that a statement names, and runs it on the worker of their
 * connection.  That worker decides whether it may run, with the database's own grammar; here only its tokens are
 * scanned.
 */
#ifndef WORKERS_SEARCH_DATASETS_TOOLS_DATASET_SQL_H
#define WORKERS_SEARCH_DATASETS_TOOLS_DATASET_SQL_H

#include "workers/search/datasets/datasets.h"

int tool_sql(struct call *c, const struct mp_value *args, struct err *err);

#endif
