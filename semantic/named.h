/*
 * named - joins that a query names by their columns, and what to write where several ways lead to one source; see
 * sem_model_name() and sem_path_check().
 */
#pragma once

#include "semantic/model.h"

/*
 * m with one more node: the source reached by the joins that `named` says.  Both
 * live in a; nodes keep their numbers, and no other way changes.  Such a node
 * leads on only to nodes named from it.  m may be what an earlier call returned.
 * NULL with *p when no join is so.
 */
struct expr_named;
const struct sem_model *sem_model_name(const struct sem_model *m, struct arena *a, const struct expr_named *named,
    struct sem_problem *p);

/* Refuses with AMBIGUOUS_NAME; the candidates are what a query may write for each of the joins that share the alias. */
int sem_alias_ambiguous(const struct sem_model *m, struct span alias, struct sem_problem *p);

/* Refuses with AMBIGUOUS_JOIN_PATH, and says what to write for each way, when a shortest way from the root to node is not the only one. */
int sem_path_check(const struct sem_model *m, const struct sem_paths *paths, uint32_t node,
    struct sem_problem *p);
