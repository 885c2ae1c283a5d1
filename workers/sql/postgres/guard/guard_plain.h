/*
 * guard_plain - recognises statements that certainly leave no effect in a session, whatever the stored data: those
 * that run only the server's own stable and immutable functions over tables.  After such a statement the session's
 * state need not be checked, and it needs no transaction of its own for a rollback.
 *
 * A positive list: a relation, type or function that is not known to be harmless makes a statement not plain, which
 * costs one more round trip and refuses nothing.  Filled once by the worker, sealed, then only read.
 */
#pragma once

#include <stdbool.h>

#include "base/span.h"
#include "workers/sql/postgres/guard/guard_catalogue.h"
#include "workers/sql/postgres/guard/guard_tree.h"

struct guard_plain;

struct guard_plain *guard_plain_new(void);
void guard_plain_free(struct guard_plain *p);

/*
 * A user's function may run without being named (through an operator, a cast, a type): from now on
 * no statement is plain.
 */
void guard_plain_spoil(struct guard_plain *p);

/*
 * A relation.  visible: the search path finds it by its name without a schema.
 * table: reading it runs no code of a user: it is no view, no foreign table,
 * and has no row security.
 */
void guard_plain_add_relation(struct guard_plain *p, struct span schema, struct span name, bool visible, bool table);

/* A type of the server that its name without a schema means. */
void guard_plain_add_type(struct guard_plain *p, struct span name);

void guard_plain_seal(struct guard_plain *p);

/* tree: one that the guard has allowed with this catalogue. */
bool guard_plain_tree(const struct guard_plain *p, const struct guard_catalogue *c, const struct guard_tree *t);
