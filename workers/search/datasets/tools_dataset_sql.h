/*
 * tools_dataset_sql - carrel_sql: finds the datasets that a statement names, and runs it on the worker of their
 * connection.  That worker decides whether it may run, with the database's own grammar; here only its tokens are
 * scanned.
 */
#pragma once

#include "workers/search/datasets/datasets.h"

int tool_sql(struct call *c, const struct mp_value *args, struct err *err);
