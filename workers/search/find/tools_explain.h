/* tools_explain - discover_explain: as discover_data, with why each answer stands where it does. */
#pragma once

#include "workers/search/answer/search.h"

int tool_discover_explain(struct call *c, const struct mp_value *args, struct err *err);
