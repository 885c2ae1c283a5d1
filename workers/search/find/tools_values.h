/* tools_values - dictionary_search: which columns hold a literal value, as far as was sampled. */
#pragma once

#include "workers/search/answer/search.h"

int tool_dictionary_search(struct call *c, const struct mp_value *args, struct err *err);
