/* inspect - the functions of the tools that look at what was found, and ask for metrics (tools.json). */
#ifndef WORKERS_SEARCH_INSPECT_INSPECT_H
#define WORKERS_SEARCH_INSPECT_INSPECT_H

#include "workers/search/answer/search.h"

int tool_connection_list(struct call *c, const struct mp_value *args, struct err *err);
int tool_wiki_read(struct call *c, const struct mp_value *args, struct err *err);
int tool_entity_details(struct call *c, const struct mp_value *args, struct err *err);

/* The same from the scan alone, while another call waits for the database. */
int tool_entity_details_meanwhile(struct call *c, const struct mp_value *args, struct err *err);
int tool_sl_read_source(struct call *c, const struct mp_value *args, struct err *err);
int tool_sl_query(struct call *c, const struct mp_value *args, struct err *err);
int tool_ask_query(struct call *c, const struct mp_value *args, struct err *err);
int tool_sl_compile(struct call *c, const struct mp_value *args, struct err *err);

#endif
