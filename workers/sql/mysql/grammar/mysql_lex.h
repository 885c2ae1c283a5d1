/*
 * mysql_lex - cuts a statement into tokens as MariaDB and MySQL do under the session that the driver sets: sql_mode
 * without ANSI_QUOTES, NO_BACKSLASH_ESCAPES and IGNORE_SPACE, and utf8mb4 as the character set of the connection.
 *
 * Strict: the text is UTF-8 without control characters, and whatever the servers read in several ways, by version or
 * by mode, is refused: executable comments, hints in comments, names that begin with a digit, variables, placeholders
 * but those of a statement that may have them: a colon and a number.
 * No byte of a UTF-8 character beyond ASCII is a quote or a backslash, so quotes end where they seem to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

enum mysql_token_kind {
	MYSQL_TOKEN_END,
	MYSQL_TOKEN_WORD,	/* a name without quotes, or a keyword */
	MYSQL_TOKEN_NAME,	/* `name`; value: without quotes */
	MYSQL_TOKEN_STRING,	/* 'text' or "text"; value: without quotes and escapes */
	MYSQL_TOKEN_NUMBER,	/* 1, 1.5, .5, 1e3 */
	MYSQL_TOKEN_BITS,	/* 0x1F, X'1F', 0b1, b'1' */
	MYSQL_TOKEN_CHARSET,	/* _utf8mb4 or N before a string or bits; value: _utf8mb4 */
	MYSQL_TOKEN_PARAMETER,	/* :1 */
	MYSQL_TOKEN_PUNCT
};

struct mysql_token {
	enum mysql_token_kind	kind;
	struct span		text;	/* in the statement */
	struct span		value;	/* as the server understands it; otherwise the text */
};

struct mysql_tokens {
	size_t			 n;	/* without the last one, which is MYSQL_TOKEN_END */
	struct mysql_token	*list;
};

/*
 * Cuts sql, which the tokens borrow, into tokens in the arena.  -1 with ERR_INVALID_SQL, ERR_FORBIDDEN_SQL or
 * ERR_SQL_TOO_LONG (the arena is full), and *at the byte that the message is about.  parameters: it may have them.
 */
int mysql_lex(struct arena *a, struct span sql, bool parameters, struct mysql_tokens *out, size_t *at,
    struct err *err);

/* Whether the servers take this word, in any case, for a keyword where a name could stand. */
bool mysql_lex_is_reserved(struct span word);

/* Whether a reserved word begins an expression: NULL, CASE, CURRENT_DATE. */
bool mysql_lex_begins_expression(struct span word);
