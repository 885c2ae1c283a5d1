/*
 * sqltext - cuts SQL into tokens without parsing it.  Statements are cut by a database's rules: enough to find their
 * end and their first word.  Nothing there decides what is safe; the database's own parser does.  Expressions of the
 * semantic layer (semantic/lex.h) and of measures (workers/memory/read/formula.h) are cut by other rules.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

/* What a dialect has besides words, numbers, 'texts', "names" and comments. */
enum sqltext_dialect {
	SQLTEXT_PLAIN = 0,
	SQLTEXT_NESTED = 1 << 0,	/* block comments nest, and have to end */
	SQLTEXT_RETURNS = 1 << 1,	/* a carriage return ends a line comment, too */
	SQLTEXT_ESCAPES = 1 << 2,	/* E'text', with escapes */
	SQLTEXT_CONTINUED = 1 << 3,	/* which goes on in the 'text' behind a line break */
	SQLTEXT_PREFIXES = 1 << 4,	/* B'text', N'text' and X'text' are one token */
	SQLTEXT_DOLLARS = 1 << 5,	/* $tag$text$tag$ */
	SQLTEXT_BACKTICKS = 1 << 6,	/* `name` */
	SQLTEXT_BRACKETS = 1 << 7,	/* [name] */
	SQLTEXT_MARKS = 1 << 8,		/* a byte-order mark in front of a token is white space */
	SQLTEXT_BACKSLASHES = 1 << 9,	/* 'text' and "text", which is text as well, have escapes */
	SQLTEXT_HASHES = 1 << 10,	/* # begins a line comment, and -- only before white space */

	SQLTEXT_EXPRESSION = SQLTEXT_ESCAPES | SQLTEXT_PREFIXES | SQLTEXT_DOLLARS | SQLTEXT_BACKTICKS
};

enum sqltext_kind {
	SQLTEXT_END,
	SQLTEXT_SPACE,		/* white space; only from sqltext_piece() */
	SQLTEXT_COMMENT,	/* only from sqltext_piece() */
	SQLTEXT_WORD,		/* an unquoted identifier or keyword */
	SQLTEXT_QUOTED,		/* a quoted identifier */
	SQLTEXT_STRING,		/* any string literal */
	SQLTEXT_NUMBER,		/* a digit, and the digits, letters and dots behind it */
	SQLTEXT_PUNCT,		/* one byte */
	SQLTEXT_BROKEN		/* an unterminated comment, string or identifier, to the end of the text */
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

/* The byte that stands so far ahead; -1 behind the end. */
static inline int
sqltext_peek(const struct sqltext *s, size_t ahead)
{
	return s->at + ahead < s->text.len ? s->text.p[s->at + ahead] : -1;
}

/* Returns what follows: each byte of the text is part of one piece. */
struct sqltext_token sqltext_piece(struct sqltext *s);

/* Skips white space and comments and returns what follows. */
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

/*
 * Finds the one statement in text.  *body: from behind leading white space
 * and comments up to the first ';', without it.
 */
enum sqltext_shape {
	SQLTEXT_ONE,
	SQLTEXT_NONE,		/* only comments */
	SQLTEXT_SEVERAL,
	SQLTEXT_UNENDED		/* an unterminated comment or quote; *body is the rest */
};
enum sqltext_shape sqltext_statement(enum sqltext_dialect dialect, struct span text,
    struct span *body);

/* The name or text that a token stands for, without its quotes; empty when the arena is full. */
const char *sqltext_unquoted(struct arena *a, struct span token);

/* Appends name as a quoted identifier: "with ""quotes"" doubled". */
void sqltext_put_name(struct buf *out, struct span name);
