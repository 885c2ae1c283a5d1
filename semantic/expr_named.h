/*
 * expr_named - private to this folder: source(columns).column, by which a query says which of several joins it means;
 * see expr.h.
 */
#pragma once

#include "semantic/expr_parser.h"

/* True when t starts the name of a join, source(columns), before a dot; the one at ps->at, taken. */
bool expr_is_named(const struct parser *ps, const struct lex_token *t);
const struct expr_named *expr_read_named(struct parser *ps);
