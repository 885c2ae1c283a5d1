/*
 * sqltext - SQL cut into words without being parsed: enough to find where a
 * statement ends and with which word it begins.  Nothing here decides what is
 * safe; the database's own parser does.
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
	SQLTEXT_BROKEN		/* a comment, string or identifier that never ends */
};

struct sqltext_token {
	enum sqltext_kind	kind;
	struct span		text;	/* quotes included */
};

struct sqltext {
	enum sqltext_dialect	dialect;
	struct span		text;
	size_t			at;
};

/* Skips white space and comments and returns what follows. */
struct sqltext_token sqltext_next(struct sqltext *s);

/* True when the token is this keyword, in any case. */
bool sqltext_is(const struct sqltext_token *t, const char *keyword);

/*
 * True when the token, taken as a name, is this one: quotes undone, ASCII
 * letters in any case.  SQLite takes a string for a name where one must stand.
 */
bool sqltext_names(const struct sqltext_token *t, const char *name);

/* True when the token is this one byte of punctuation. */
bool sqltext_is_punct(const struct sqltext_token *t, char c);

/*
 * Find the one statement in text.  *body is it, without white space and
 * comments in front, up to but not including the first ';'.
 */
enum sqltext_shape {
	SQLTEXT_ONE,
	SQLTEXT_NONE,		/* nothing but comments */
	SQLTEXT_SEVERAL,
	SQLTEXT_UNENDED		/* a comment or quote that never ends; *body is the rest */
};
enum sqltext_shape sqltext_statement(enum sqltext_dialect dialect, struct span text,
    struct span *body);

/*
 * How long PostgreSQL's scanner looks at the operator characters of text, in
 * characters.  It reads all that stand in a row before it decides where an
 * operator or a comment ends, and then begins behind that: a row of n costs n².
 */
size_t sqltext_operator_work(struct span text);

/*
 * For PostgreSQL 'a' -- comment, line break, 'b' is one literal; libpg_query's
 * scanner does not know that.  Writes the text with such comments as spaces,
 * or nothing and returns false when there is none.
 */
bool sqltext_join_literals(struct buf *out, struct span text);

/* Append name as a quoted identifier: "with ""quotes"" doubled". */
void sqltext_put_name(struct buf *out, struct span name);

#endif
