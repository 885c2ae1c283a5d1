/* search - the search worker's role and its tools' functions. */
#ifndef WORKERS_SEARCH_ANSWER_SEARCH_H
#define WORKERS_SEARCH_ANSWER_SEARCH_H

#include "workers/search/rank/answers.h"
#include "workers/shared/child.h"

extern const struct role search_role;

int tool_discover_data(struct call *c, const struct mp_value *args, struct err *err);
int tool_discover_explain(struct call *c, const struct mp_value *args, struct err *err);
int tool_same_subject(struct call *c, const struct mp_value *args, struct err *err);
int tool_wiki_search(struct call *c, const struct mp_value *args, struct err *err);
int tool_dictionary_search(struct call *c, const struct mp_value *args, struct err *err);

extern const struct tool search_tools[];

/* --- shared by the tools ------------------------------------------------------- */

/* What discover_data was asked: the first *n of a's answers, as many as it may give. */
int search_discover(struct call *c, const struct mp_value *args, struct answers *a, size_t *n, struct err *err);

/* The call's limit, between 1 and most; usual: when it says none. */
size_t search_limit(const struct mp_value *args, size_t usual, size_t most);

/* {catalog, db, name} */
void put_table_ref(struct buf *out, const struct schema *s, const struct schema_table *t);

void put_strings(struct buf *out, const char *key, const struct wiki_strings *s);
void put_provenance(struct buf *out, const struct wiki_page *w);

/* Summary and snippet of one answer, in out; {0}: it has none. */
struct span search_summary(const struct answers *a, const struct ranked *r, struct buf *out);
struct span search_snippet(const struct library *l, const struct answers *a, const struct ranked *r, enum field matched,
    struct buf *out);

/* The snippet for lists of many answers: of a page only what is around the words of the question. */
struct span search_brief_snippet(const struct library *l, const struct answers *a, const struct ranked *r,
    enum field matched, struct buf *out);

/* page_not_found, source_not_found with close names in the message and in details.  Return -1. */
int search_no_page(struct library *l, struct call *c, struct span key, struct err *err);
int search_no_source(struct library *l, struct call *c, const struct connection *from, struct span name,
    struct err *err);

/* ontology_not_found, with those that are ready in details.  known: there is one, and it is not ready.  Returns -1. */
int search_no_ontology(const struct library *l, struct call *c, struct span asked, bool known, struct err *err);

/* A table as entity_details describes it, all columns; one map appended. */
void search_put_table(const struct connection *from, const struct schema_table *t, struct buf *out);

/* The answer of call stands on the scan of this connection; NULL: on none. */
void search_stands_on(struct call *call, const struct connection *c);

/*
 * The connection a call names, whose scan the answer then stands on.  *c is NULL when it names none.  -1: there is no
 * such connection.
 */
int search_connection(struct call *call, const struct mp_value *args, struct connection **c, struct err *err);

/* Send the map as the result, unless it did not fit. */
int search_finish(struct call *c, struct buf *out, struct err *err);

#endif
