/* expr_call - private to this folder: function calls: arguments, DISTINCT, FILTER, WITHIN GROUP, OVER. */
#pragma once

#include "semantic/expr_parser.h"

/* Skip a balanced bracket, adopting nothing: OVER (…), type modifiers. */
void expr_skip_brackets(struct parser *ps);

/* A call whose opening bracket is at ps->at. */
struct expr *expr_read_call(struct parser *ps, struct span name, size_t start);
