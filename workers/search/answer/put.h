/* put - what the tools write alike, and which connection a call names; see search.h. */
#pragma once

#include "workers/search/answer/search.h"

/* The call's limit, between 1 and most; usual: when it says none. */
size_t search_limit(const struct mp_value *args, size_t usual, size_t most);

/* {catalog, db, name} */
void put_table_ref(struct buf *out, const struct schema *s, const struct schema_table *t);

void put_strings(struct buf *out, const char *key, const struct wiki_strings *s);
void put_provenance(struct buf *out, const struct wiki_page *w);

/* The answer of call stands on the scan of this connection; NULL: on none. */
void search_stands_on(struct call *call, const struct connection *c);

/*
 * The connection a call names, whose scan the answer then stands on.  *c is NULL when it names none.  -1: there is no
 * such connection.
 */
int search_connection(struct call *call, const struct mp_value *args, struct connection **c, struct err *err);

/* Send the map as the result, unless it did not fit. */
int search_finish(struct call *c, struct buf *out, struct err *err);
