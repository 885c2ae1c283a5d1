/* ignore - which paths a repository's .gitignore files leave out.  Pure: texts in, a verdict out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/* A file of patterns and the directory it speaks of, "" or "a/b" from the working tree on. */
struct ignore_file {
	struct span	dir, text;
};

/*
 * Whether path (a file's, from the working tree on) is ignored by these files,
 * the weakest first: info/exclude, then .gitignore from the outermost in.  A
 * pattern that would take too long to decide decides nothing.
 */
bool ignore_match(const struct ignore_file *files, size_t n, struct span path);
