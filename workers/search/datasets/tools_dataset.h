/*
 * tools_dataset - carrel_list_datasets, carrel_get_schema, and the owner's commands on datasets.  carrel-auth says at
 * each call which tables are published; the workers of their connections say what is in them.
 */
#pragma once

#include "workers/search/datasets/datasets.h"

int tool_list_datasets(struct call *c, const struct mp_value *args, struct err *err);
int tool_get_schema(struct call *c, const struct mp_value *args, struct err *err);

/* For the owner: the list with all details, and whether a table can be published. */
int tool_dataset_list(struct call *c, const struct mp_value *args, struct err *err);
int tool_dataset_check(struct call *c, const struct mp_value *args, struct err *err);

/* All published datasets, or only the one with this id or name.  Borrows from the call.  -1 with *err. */
int datasets_ask(struct call *c, struct span id, struct datasets *out, struct err *err);

/* -1 with the error that there is no dataset of this id. */
int datasets_none(struct span id, struct err *err);

/* -1 with the error that what of a dataset is not on this node yet. */
int datasets_lack(const struct dataset *d, const char *what, struct err *err);

/*
 * Ask the databases of all datasets for their columns, with at most `rows` sample rows, and for their number of rows,
 * unless known or skipped.  Answers that are late are missing.
 */
int datasets_look(struct datasets *all, unsigned rows, struct err *err);
void datasets_fini(struct datasets *all);

/* The table in the latest scan; NULL: no scan, or not in it. */
const struct schema_table *datasets_scanned(const struct connection *from, const struct dataset *d);
