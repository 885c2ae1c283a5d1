/*
 * expr_subquery - private to this folder: sub-queries are not parsed, only looked over: which tables they read, which
 * names they mention, which qualified names are not their own.
 */
#pragma once

#include "semantic/expr_parser.h"

/* The sub-query whose opening bracket is at ps->at. */
struct expr *expr_read_subquery(struct parser *ps);
