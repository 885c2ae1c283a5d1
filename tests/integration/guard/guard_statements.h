/* guard_statements - files of SQL statements for the guard's tests, separated by empty lines. */
#pragma once

#include <stddef.h>

#include "base/buf.h"

/* Append text with every "{{piece|n}}" written out. */
void statements_expand(struct buf *out, const char *text);

/*
 * Calls fn for every statement in SOURCE_DIR/tests/guard/<folder>/<prefix>*.sql
 * in the order of names; the number of statements.  Within a statement the
 * line "\n" (backslash, n) stands for an empty line, and "{{text|n}}" for text
 * n times.
 */
size_t statements_each(const char *folder, const char *prefix,
    void (*fn)(const char *sql, void *arg), void *arg);
