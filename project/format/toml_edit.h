/*
 * toml_edit - inserts, replaces or removes one table of another program's TOML file by its lines;
 * every other byte stays.  Parses strings, brackets, headers and keys only, so that a line inside a
 * string is not taken for a header.  Refused: a file that is invalid in these, and a table that is not
 * written as [table] with keys below.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define TOML_EDIT_PATH_MAX	8

/* keys: as they are, not quoted. */
struct toml_edit_path {
	size_t			 n;
	const char *const	*keys;
};

/*
 * The lines of the table and of those below it, header included, without blank
 * and comment lines behind: 1 with *lines, 0 when there are none, -1 with *err.
 */
int toml_edit_get(struct span text, struct toml_edit_path path, struct span *lines, struct err *err);

/* Append text with lines (a header and keys) in place of the table, or behind everything. */
int toml_edit_set(struct span text, struct toml_edit_path path, struct span lines, struct buf *out, struct err *err);

/* Append text without the table and the blank line that toml_edit_set() put before it; none is no failure. */
int toml_edit_remove(struct span text, struct toml_edit_path path, struct buf *out, struct err *err);

/* Append a key: bare when its characters allow that, else quoted. */
void toml_edit_key(const char *key, struct buf *out);
