/*
 * guard_fold_functions - private to this folder: the size of the value that a function returns, from the sizes of its
 * arguments.
 */
#pragma once

#include "workers/sql/postgres/guard/guard_fold_parts.h"

/*
 * The value that the function of this name returns for these arguments: of one that is not known here, as large as the
 * largest of them.
 */
struct guard_known fold_function_value(struct span name, const struct fold_call *c);

/* Whether the function returns something small whatever its arguments are. */
bool fold_function_is_small(struct span name);
