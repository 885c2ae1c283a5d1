/* ask_values - finds words of a question among sampled values; see ask_model_tools.h. */
#ifndef WORKERS_SEARCH_ONTOLOGY_ASK_VALUES_H
#define WORKERS_SEARCH_ONTOLOGY_ASK_VALUES_H

#include "workers/search/ontology/ask_model_tools.h"

int tool_ask_values(struct call *c, const struct mp_value *args, struct err *err);

#endif
