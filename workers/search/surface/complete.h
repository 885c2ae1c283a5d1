/* complete - values for the variables of templates and the arguments of prompts (ipc/surface_calls.h). */
#ifndef WORKERS_SEARCH_SURFACE_COMPLETE_H
#define WORKERS_SEARCH_SURFACE_COMPLETE_H

#include "workers/search/surface/surface.h"

int surface_complete(struct call *c, const struct mp_value *args, struct err *err);

#endif
