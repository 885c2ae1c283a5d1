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

#endif
