/* postgres_scan - what the scanners of PostgreSQL and of libpg_query make of a text before they parse it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

/*
 * The work of PostgreSQL's scanner on the operator characters of text, in
 * characters.  It reads a whole run of them before it decides where an operator
 * or a comment ends, and then starts again behind that: a run of n costs n².
 */
size_t postgres_scan_work(struct span text);

/*
 * For PostgreSQL 'a' -- comment, line break, 'b' is one literal; libpg_query's
 * scanner does not know that.  Writes the text with such comments as spaces;
 * without any it returns false and writes nothing.
 */
bool postgres_scan_join(struct buf *out, struct span text);
