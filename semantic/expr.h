/*
 * expr - SQL expressions as people write them in measures and filters: a
 * tokenizer and a small parser whose nodes are spans of the text.
 *
 * Nothing is re-printed: rewriting copies the text and replaces the spans it
 * understands, so whatever is not understood stays verbatim.  Refused here
 * (parse_error): comments, ';', parameters (save by expr_parse_bound()), unbalanced brackets, unterminated
 * strings, text after the expression.  Window functions and sub-queries are
 * recognised and left to the caller.  Pure, never recurses deeper than
 * EXPR_DEPTH_MAX.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "semantic/problem.h"

#define EXPR_BYTES_MAX	16384	/* longer text is a parse_error */
#define EXPR_DEPTH_MAX	120
#define EXPR_NODES_MAX	4000	/* also bounds how deep a chain of operators nests */

enum expr_kind {
	EXPR_OTHER,	/* literal, keyword construct: its children are what is inside */
	EXPR_REF,	/* [a.]b: parts[0..nparts) */
	EXPR_CALL,	/* function call; children: arguments, then FILTER and WITHIN GROUP parts */
	EXPR_BINARY,	/* two children, op between them */
	EXPR_AND,	/* n children */
	EXPR_OR,
	EXPR_NOT,
	EXPR_PAREN,	/* one child */
	EXPR_SUBQUERY	/* ( SELECT … ); children: qualified references that are not its own */
};

enum expr_flags {
	EXPR_DISTINCT	= 1 << 0,	/* CALL: f(DISTINCT …) */
	EXPR_STAR	= 1 << 1,	/* CALL: f(*) */
	EXPR_OVER	= 1 << 2,	/* CALL: has an OVER clause */
	EXPR_FILTER	= 1 << 3,	/* CALL: has FILTER (WHERE …) */
	EXPR_WITHIN	= 1 << 4,	/* CALL: has WITHIN GROUP (ORDER BY …) */
	EXPR_AGGREGATE	= 1 << 5,	/* CALL: an aggregate by its name */
	EXPR_SUB_STAR	= 1 << 6,	/* SUBQUERY: selects * somewhere, or renames a table's columns */
	EXPR_SUB_ROW	= 1 << 7	/* SUBQUERY: names a table where a column could stand */
};

#define EXPR_PARTS_MAX	3
#define EXPR_NAMED_MAX	8	/* columns a join is named by */

/*
 * A source reached by one of its joins, as a query may write it: stations(start_station_id),
 * or stations(trips.start_station_id), or countries(stations(start_station_id).country_id).
 */
struct expr_named {
	struct span			 name;		/* how it is written, without spaces, columns in order */
	struct span			 source;
	const struct expr_named		*from;		/* the source that the columns belong to; NULL: not named */
	size_t				 ncolumns;	/* 0: a plain name, which is in from */
	struct span			 columns[EXPR_NAMED_MAX];
};

struct expr {
	enum expr_kind	 kind;
	unsigned	 flags;
	size_t		 start, end;		/* byte offsets in the text */
	struct expr	*first, *last, *next;	/* children in text order; sibling */
	unsigned	 nchildren, nargs;	/* CALL: the first nargs children are arguments */
	/* REF: the names, unquoted.  CALL: parts[0] is the lower-cased name. */
	struct span	 parts[EXPR_PARTS_MAX];
	unsigned	 nparts;
	struct span	 written;		/* REF: all of it, in the text */
	const struct expr_named *named;		/* REF: what parts[nparts - 2] names, when it names a join */
	/* BINARY: '+', '-', '*', '/', '%' or 0 for any other operator */
	char		 op;
	size_t		 op_start;		/* BINARY: where the operator stands */
	/* CALL: where the argument text begins (after '(' and DISTINCT) and the ')' */
	size_t		 args_start, args_end;
	/* SUBQUERY: tables after FROM and JOIN, the names they go by, and every plain identifier inside */
	const struct span *tables, *aliases, *words;
	size_t		 ntables, naliases, nwords;
};

/* Whether the word alone is no name in an expression: "group". */
bool expr_is_reserved(struct span word);

/* Parse text into a tree in a; NULL with *p (category PARSE_ERROR) when it is refused. */
const struct expr *expr_parse(struct arena *a, struct span text, struct sem_problem *p);

/*
 * The same of a text that may have parameters, :name, where a value can stand: those of parameters, for which a name is
 * written into the result as it stands here.
 */
struct expr_parameters {
	size_t			 n;
	const struct span	*names;
};
const struct expr *expr_parse_bound(struct arena *a, struct span text, const struct expr_parameters *parameters,
    struct sem_problem *p);

/* The first CALL that satisfies flag below e, not inside sub-queries; NULL if absent. */
const struct expr *expr_find(const struct expr *e, unsigned flag);

/* True when name (lower case) is an aggregate function. */
bool expr_is_aggregate(struct span name, size_t nargs);

struct parser;
struct lex_token;

/* Compares without case. */
bool expr_token_is(const struct parser *ps, const struct lex_token *t, const char *op);

/* The current token, and the word after it. */
bool expr_at_word(const struct parser *ps, const char *word);
bool expr_next_word(const struct parser *ps, const char *word);
bool expr_at_op(const struct parser *ps, const char *op);

/* Skip the current token if it is the given one; returns whether it was. */
bool expr_take_word(struct parser *ps, const char *word);
bool expr_take_op(struct parser *ps, const char *op);

/* Where the token before the current one ends. */
size_t expr_taken(const struct parser *ps);

/* Refuse the expression because of the current token, unless it is refused already.  Returns NULL. */
struct expr *expr_fail(struct parser *ps, const char *expected);

/* NULL when the child could not be parsed; adopting NULL changes nothing. */
struct expr *expr_node(struct parser *ps, enum expr_kind kind, size_t start);
void expr_adopt(struct expr *parent, struct expr *child);

/* A whole expression. */
struct expr *expr_or(struct parser *ps);
