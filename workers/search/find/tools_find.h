/* tools_find - discover_data and wiki_search. */
#pragma once

#include "workers/search/answer/search.h"

int tool_discover_data(struct call *c, const struct mp_value *args, struct err *err);
int tool_wiki_search(struct call *c, const struct mp_value *args, struct err *err);

/* What discover_data was asked: the first *n of a's answers, as many as it may give. */
int search_discover(struct call *c, const struct mp_value *args, struct answers *a, size_t *n, struct err *err);
