/* tools_entity - entity_details: tables and columns as the latest scan has them. */
#pragma once

#include "workers/search/answer/search.h"

/* A table as entity_details describes it, all columns; one map appended. */
void search_put_table(const struct connection *from, const struct schema_table *t, struct buf *out);

int tool_entity_details(struct call *c, const struct mp_value *args, struct err *err);

/* The same from the scan alone, while another call waits for the database. */
int tool_entity_details_meanwhile(struct call *c, const struct mp_value *args, struct err *err);
