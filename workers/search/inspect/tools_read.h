/* tools_read - connection_list, wiki_read and sl_read_source. */
#pragma once

#include "workers/search/answer/search.h"

/* page_not_found, source_not_found with close names in the message and in details.  Return -1. */
int search_no_page(struct library *l, struct call *c, struct span key, struct err *err);
int search_no_source(struct library *l, struct call *c, const struct connection *from, struct span name,
    struct err *err);

int tool_connection_list(struct call *c, const struct mp_value *args, struct err *err);
int tool_wiki_read(struct call *c, const struct mp_value *args, struct err *err);
int tool_sl_read_source(struct call *c, const struct mp_value *args, struct err *err);
