/* preferences_tools - the users' own project/config/preferences.h, and the tools that show and change them. */
#pragma once

#include "workers/auth/auth.h"

/* All preferences of principal into out, after `change` (a map; empty: none) was applied to the principal's own. */
int preferences_serve(struct auth *a, const struct call *c, struct span principal, struct span change, struct buf *out,
    struct err *err);

/* The tools preferences, preferences_get and preferences_set. */
int preferences_run(struct call *c, const struct mp_value *args, struct err *err);
int preferences_get_run(struct call *c, const struct mp_value *args, struct err *err);
int preferences_set_run(struct call *c, const struct mp_value *args, struct err *err);
