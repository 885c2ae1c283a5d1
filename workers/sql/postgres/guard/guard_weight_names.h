/* guard_weight_names - which WITH query, relation and column a name in a statement means. */
#pragma once

#include "workers/sql/postgres/guard/guard_weight_parts.h"

/* Notes an excess and its place.  Only the first one is reported. */
void weight_exceed(struct guard_weight *w, enum guard_excess excess, uint32_t at, double size);

/* Compares two names; the number of comparisons is bounded. */
bool weight_same(struct guard_weight *w, struct span a, struct span b);

/*
 * Resolves which WITH query each name means, in one value including its children.  visible: the
 * innermost query in scope.
 */
void weight_resolve(struct guard_weight *w, uint32_t v, uint32_t visible);

struct column_list weight_no_columns(void);
void weight_add_column(struct guard_weight *w, struct column_list *list, struct weight_column c);

/* A copy of a list, with an Alias' colnames as the names of its first columns. */
struct column_list weight_copy_columns(struct guard_weight *w, uint32_t from, uint32_t names);

struct relation *weight_add_relation(struct guard_weight *w, struct weight_scope *s, struct relation r);

/*
 * The expression behind a column where it is named: the nearest one, and those of outer queries
 * while an inner relation with unknown columns may have it.
 */
struct weight_column weight_find_column(struct guard_weight *w, const struct weight_scope *s, struct span of,
    struct span name);
