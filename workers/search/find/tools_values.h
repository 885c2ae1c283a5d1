/* tools_values - dictionary_search: which columns hold a literal value, as far as was sampled. */
#ifndef WORKERS_SEARCH_FIND_TOOLS_VALUES_H
#define WORKERS_SEARCH_FIND_TOOLS_VALUES_H

#include "workers/search/answer/search.h"

int tool_dictionary_search(struct call *c, const struct mp_value *args, struct err *err);

#endif
