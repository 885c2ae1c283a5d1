/*
 * sqltext - splits SQL into words without parsing it: enough to find the end
 * of a statement and its first word.  Nothing here decides what is safe; the
 * database's own parser does.
 */
#ifndef WORKERS_SQL_SQLTEXT_H
#define WORKERS_SQL_SQLTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

enum sqltext_dialect { SQLTEXT_SQLITE, SQLTEXT_POSTGRES };

enum sqltext_kind {
	SQLTEXT_END,
	SQLTEXT_WORD,		/* an unquoted identifier or keyword */
	SQLTEXT_QUOTED,		/* a quoted identifier */
	SQLTEXT_STRING,		/* any string literal */
	SQLTEXT_NUMBER,
	SQLTEXT_PUNCT,		/* one byte */
	SQLTEXT_BROKEN		/* an unterminated comment, string or identifier */
};

struct sqltext_token {
	enum sqltext_kind	kind;
	struct span		text;	/* including the quotes */
};

struct sqltext {
	enum sqltext_dialect	dialect;
	struct span		text;
	size_t			at;
};

/* Skips white space and comments, and returns the next token. */
struct sqltext_token sqltext_next(struct sqltext *s);

/* True when the token is this keyword, in any case. */
bool sqltext_is(const struct sqltext_token *t, const char *keyword);

/*
 * True if the token, taken as a name, is this one: unquoted, ASCII letters in
 * any case.  SQLite accepts a string where a name is required.
 */
bool sqltext_names(const struct sqltext_token *t, const char *name);

/* True when the token is this one byte of punctuation. */
bool sqltext_is_punct(const struct sqltext_token *t, char c);

/* Finds the statement in text.  *body: without leading white space and comments, up to the first ';', without it. */
enum sqltext_shape {
	SQLTEXT_ONE,
	SQLTEXT_NONE,		/* only comments */
	SQLTEXT_SEVERAL,
	SQLTEXT_UNENDED		/* an unterminated comment or quote; *body is the rest */
};
enum sqltext_shape sqltext_statement(enum sqltext_dialect dialect, struct span text,
    struct span *body);

/*
 * The work of PostgreSQL's scanner on the operator characters of text, in characters.  It reads a whole run of them
 * before it decides where an operator or a comment ends, and then starts again after that: a run of n costs n².
 */
size_t sqltext_operator_work(struct span text);

/*
 * For PostgreSQL 'a' -- comment, line break, 'b' is one literal; libpg_query's
 * scanner does not know that.  Writes the text with such comments as spaces;
 * without any it returns false and writes nothing.
 */
bool sqltext_join_literals(struct buf *out, struct span text);

/* Appends name as a quoted identifier: "with ""quotes"" doubled". */
void sqltext_put_name(struct buf *out, struct span name);

#endif
