/* resources - parts of resources.c that prompts use as well. */
#pragma once

#include "workers/search/answer/search.h"
#include "workers/search/library/uri.h"

/* Whether the caller has the scope that resources of this kind need. */
bool resources_may_read(const struct call *c, enum uri_kind kind);

/* Append {uri, mimeType, text}. */
void resources_put_content(struct buf *out, struct span uri, const char *type, struct span text);

/*
 * The table with this name, in any form that entity_details accepts.  NULL with scan_missing, table_not_found or
 * ambiguous_table.
 */
const struct schema_table *resources_find_table(struct call *c, const struct connection *from, struct span name,
    struct err *err);

/* Append the URI of a table and its content, JSON. */
void resources_put_table(const struct library *l, const struct connection *from, const struct schema_table *t,
    struct buf *uri, struct buf *content);

/* Rows of toolset SURFACE: ipc/surface_calls.h describes arguments and results. */
int surface_resources_list(struct call *c, const struct mp_value *args, struct err *err);
int surface_templates_list(struct call *c, const struct mp_value *args, struct err *err);
int surface_resource_read(struct call *c, const struct mp_value *args, struct err *err);
