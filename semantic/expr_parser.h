/* expr_parser.h - private to semantic/expr*.c: the parser's state and its parsing functions. */
#ifndef SEMANTIC_EXPR_PARSER_H
#define SEMANTIC_EXPR_PARSER_H

#include "semantic/expr.h"
#include "semantic/lex.h"

struct parser {
	struct arena		*arena;
	struct span		 text;
	const struct lex_token	*at;
	unsigned		 depth, nodes;
	struct sem_problem	*problem;
	bool			 failed;
};

/* Compares without case. */
bool parser_token_is(const struct parser *ps, const struct lex_token *t, const char *op);

/* The current token, and the word after it. */
bool parser_at_word(const struct parser *ps, const char *word);
bool parser_next_word(const struct parser *ps, const char *word);
bool parser_at_op(const struct parser *ps, const char *op);

/* Skip the current token if it is the given one; returns whether it was. */
bool parser_take_word(struct parser *ps, const char *word);
bool parser_take_op(struct parser *ps, const char *op);

/* Where the token before the current one ends. */
size_t parser_taken(const struct parser *ps);

/* Skip a balanced bracket, adopting nothing: OVER (…), type modifiers. */
void parser_skip_brackets(struct parser *ps);

/* Refuse the expression because of the current token, unless it is refused already.  Returns NULL. */
struct expr *parser_fail(struct parser *ps, const char *expected);

/* NULL when the child could not be parsed; adopting NULL changes nothing. */
struct expr *parser_node(struct parser *ps, enum expr_kind kind, size_t start);
void parser_adopt(struct expr *parent, struct expr *child);

/* A whole expression. */
struct expr *parser_or(struct parser *ps);

/* True when t starts the name of a join, source(columns), before a dot; the one at ps->at, taken. */
bool parser_is_named(const struct parser *ps, const struct lex_token *t);
const struct expr_named *parser_named(struct parser *ps);

/* A call whose opening bracket is at ps->at. */
struct expr *parser_call(struct parser *ps, struct span name, size_t start);

/* The sub-query whose opening bracket is at ps->at. */
struct expr *parser_subquery(struct parser *ps);

#endif
