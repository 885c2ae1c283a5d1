/* tools_explain - discover_explain: as discover_data, with why each answer stands where it does. */
#ifndef WORKERS_SEARCH_FIND_TOOLS_EXPLAIN_H
#define WORKERS_SEARCH_FIND_TOOLS_EXPLAIN_H

#include "workers/search/answer/search.h"

int tool_discover_explain(struct call *c, const struct mp_value *args, struct err *err);

#endif
