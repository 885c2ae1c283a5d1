/* surface - the MCP services of carrel-search other than tools: resources, prompts, completion. */
#ifndef WORKERS_SEARCH_SURFACE_SURFACE_H
#define WORKERS_SEARCH_SURFACE_SURFACE_H

#include "base/err.h"
#include "base/mp.h"
#include "workers/shared/tool.h"

/* Rows of toolset SURFACE: ipc/surface_calls.h describes arguments and results. */
int surface_resources_list(struct call *c, const struct mp_value *args, struct err *err);
int surface_templates_list(struct call *c, const struct mp_value *args, struct err *err);
int surface_resource_read(struct call *c, const struct mp_value *args, struct err *err);

int surface_prompts_list(struct call *c, const struct mp_value *args, struct err *err);
int surface_prompt_get(struct call *c, const struct mp_value *args, struct err *err);
int surface_complete(struct call *c, const struct mp_value *args, struct err *err);

#endif
