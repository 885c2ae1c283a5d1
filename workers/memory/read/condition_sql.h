/*
 * condition_sql - a condition in SQL at the start of a text: comparisons of
 * the source's columns with literals, joined by and, or, not.  Pure.
 */
#pragma once

#include "workers/memory/read/condition.h"

/* The length of the condition on columns of the source at the start of s; 0: none. */
size_t condition_sql_length(const struct condition_of *of, struct span s);
