/* names_row - private to this folder: which source and column a name in row position means; see sem_plan.h. */
#pragma once

#include "semantic/sem_plan.h"

/* The node a qualifier means; text is what the message quotes. */
int names_qualifier(struct sem_plan *c, struct span name, uint32_t scope, struct span text, uint32_t *node);

/* Sub-queries in a query may read the tables of known sources and no hidden column. */
int names_check_subqueries(struct sem_plan *c, const struct expr *e);

/* Refuse the query because several sources have a `what` of this name; they become the candidates. */
int names_ambiguous(struct sem_plan *c, const char *what, struct span name, struct sem_owners owners);

/* Refuse the query because the column of node is hidden. */
int names_hidden(struct sem_plan *c, uint32_t node, struct span name);

/* A name as it was written, for messages. */
struct span names_written(const struct expr *ref);

/* An order_by field as dimensions are named: a join in it without spaces, its columns in order. */
struct span names_order(struct sem_plan *c, struct span field);

/* Add to the model what the query names by its joins, source(columns).column. */
int names_resolve(struct sem_plan *c);

/* The node and column a name in row position means.  user: written in the query, so hidden columns are refused. */
int names_row_name(struct sem_plan *c, const struct expr *ref, uint32_t scope, bool user,
    uint32_t *node, const struct source_column **column, struct span *verbatim);

/* Every node that e mentions, computed columns included, without repeats. */
int names_row_sources(struct sem_plan *c, struct span text, const struct expr *e, uint32_t scope, bool user,
    uint32_t *list, size_t *n);

/* HIDDEN_COLUMN when name, as an order_by field, is a hidden column; 0 when it is anything else. */
int names_check_hidden(struct sem_plan *c, struct span name);
