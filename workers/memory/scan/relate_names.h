/* relate_names - interprets the names of tables and columns as keys.  Pure. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"

/* "orderItems", "Order Items", "ORDER_ITEMS" → "order_items", in a; empty when a is full. */
struct span relate_fold(struct arena *a, struct span name);

/* The same for a table, without a warehouse prefix (dim_, stg_ …). */
struct span relate_fold_table(struct arena *a, struct span name);

/* The last word in the singular: "order_items" → "order_item", "statuses" → "status". */
struct span relate_singular(struct arena *a, struct span folded);

/*
 * The subject of a column named like a key: "customer" of "customer_id", "kd" of "kd_nr", and of words that are run
 * together, as PostgreSQL keeps an unquoted DepartmentID, "department"; empty: not like a key.
 */
struct span relate_base(struct span folded);

/* "concept_id_1" -> "concept_id". */
struct span relate_unnumbered(struct span folded);

/* The prefix that all names share, as c_ in c_custkey, c_name: an abbreviation of their table; 0 if none. */
size_t relate_common_prefix(const struct span *folded, size_t n);

/* A person by what they did: "creator", "approved_by"; and what tables of persons are called, the likeliest first. */
bool relate_is_role(struct span folded);
extern const char *const relate_persons[];

/* "parent_id", "manager_id" and the like: a reference to the column's own table. */
bool relate_is_self(struct span folded);

/* Whether a key's name does not name its table: "id", "code", "no". */
bool relate_is_generic(struct span folded);

/* Whether the column may be part of a composite key: a key, a sequence number, a period. */
bool relate_is_part(struct span folded);
