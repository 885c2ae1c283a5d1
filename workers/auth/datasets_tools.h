/* datasets_tools - the published tables with their ids and names, and the tools that show and change them. */
#pragma once

#include "workers/auth/auth.h"

/*
 * The dataset tools: datasets, dataset_publish, dataset_unpublish, dataset_remove, dataset_imported,
 * dataset_documented.
 */
int datasets_run(struct call *c, const struct mp_value *args, struct err *err);
int datasets_publish_run(struct call *c, const struct mp_value *args, struct err *err);
int datasets_unpublish_run(struct call *c, const struct mp_value *args, struct err *err);
int datasets_remove_run(struct call *c, const struct mp_value *args, struct err *err);
int datasets_documented_run(struct call *c, const struct mp_value *args, struct err *err);
int datasets_imported_run(struct call *c, const struct mp_value *args, struct err *err);
