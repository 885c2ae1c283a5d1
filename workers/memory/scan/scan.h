/* scan - the tool `scan`: reads introspection as rows, and writes one complete sync. */
#pragma once

#include "workers/memory/memory.h"

/* The tool `scan`. */
int scan_run(struct call *c, const struct mp_value *args, struct err *err);

/* The answer to a second scan while one runs. */
int scan_meanwhile(struct call *c, const struct mp_value *args, struct err *err);
