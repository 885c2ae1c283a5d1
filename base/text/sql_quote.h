/*
 * sql_quote - names in quotes, and where quoted text of SQL ends, in every dialect that is read: for
 * base/text/sqltext.h, and for workers/memory/read/formula.h, which finds formulas in prose.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum sql_quote_rule {
	SQL_QUOTE_PLAIN,	/* the first closing quote ends it: [name] */
	SQL_QUOTE_DOUBLED,	/* two closing quotes are one in the text: 'text', "name", `name` */
	SQL_QUOTE_ESCAPES	/* the same, and a backslash escapes what follows it: E'text' of PostgreSQL */
};

/* Append a name as expressions of models write it: in double quotes unless it is plain. */
void sql_quote_name(struct buf *out, struct span name);

/* The position after the closing quote for the one at text.p[at]; 0: unterminated. */
size_t sql_quote_end(struct span text, size_t at, uint8_t close, enum sql_quote_rule rule);

/* The length of the "$tag$" that begins at text.p[at], a dollar; 0 if there is no such tag. */
size_t sql_dollar_tag(struct span text, size_t at);

/* The position after the "$tag$" that closes the one at text.p[at]; 0: unterminated. */
size_t sql_dollar_end(struct span text, size_t at);
