/* ask_values - finds words of a question among sampled values; see ask_model_tools.h. */
#pragma once

#include "workers/search/ontology/ask_model_tools.h"

int tool_ask_values(struct call *c, const struct mp_value *args, struct err *err);
