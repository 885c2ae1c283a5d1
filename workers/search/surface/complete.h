/* complete - values for the variables of templates and the arguments of prompts (ipc/surface_calls.h). */
#pragma once

#include "workers/search/surface/surface.h"

int surface_complete(struct call *c, const struct mp_value *args, struct err *err);
