/* show - summary and snippet of an answer: pure, per kind, never composed across fields, never invented. */
#pragma once

#include "workers/search/answer/search.h"

/* Summary and snippet of one answer, in out; {0}: it has none. */
struct span search_summary(const struct answers *a, const struct ranked *r, struct buf *out);
struct span search_snippet(const struct library *l, const struct answers *a, const struct ranked *r, enum field matched,
    struct buf *out);

/* The snippet for lists of many answers: of a page only what is around the words of the question. */
struct span search_brief_snippet(const struct library *l, const struct answers *a, const struct ranked *r,
    enum field matched, struct buf *out);
