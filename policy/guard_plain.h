/*
 * guard_plain - which statements can leave nothing behind in a session,
 * whatever their data: those that run nothing but the server's own stable and
 * immutable functions over tables.  Behind such a statement the session need
 * not be asked whether it is what it was, and no transaction of its own is
 * needed to take something back.
 *
 * A positive list: a relation, type or function that is not known here to be
 * harmless makes a statement not plain, which costs a round of questions and
 * refuses nothing.
 *
 * Filled once by the worker, sealed, then only read.
 */
#ifndef POLICY_GUARD_PLAIN_H
#define POLICY_GUARD_PLAIN_H

#include <stdbool.h>

#include "base/span.h"
#include "policy/guard_catalogue.h"
#include "policy/guard_tree.h"

struct guard_plain;

struct guard_plain *guard_plain_new(void);
void guard_plain_free(struct guard_plain *p);

/* Something of a user may run without being named (an operator, a cast, a type): no statement is plain. */
void guard_plain_spoil(struct guard_plain *p);

/*
 * A relation.  visible: its name without a schema means it.  table: reading it
 * runs nothing of a user's: no view, no foreign table, no row security.
 */
void guard_plain_add_relation(struct guard_plain *p, struct span schema, struct span name, bool visible, bool table);

/* A type of the server's that its name alone means. */
void guard_plain_add_type(struct guard_plain *p, struct span name);

void guard_plain_seal(struct guard_plain *p);

/* Of a tree that the guard has let through with this catalogue. */
bool guard_plain_tree(const struct guard_plain *p, const struct guard_catalogue *c, const struct guard_tree *t);

#endif
