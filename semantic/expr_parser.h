/* expr_parser.h - private to semantic/expr*.c: the parser's state and its parsing functions. */
#pragma once

#include "semantic/expr.h"
#include "semantic/lex.h"

struct parser {
	struct arena		*arena;
	struct span		 text;
	const struct lex_token	*at;
	unsigned		 depth, nodes;
	struct sem_problem	*problem;
	const struct expr_parameters *parameters;	/* NULL: the text may have none */
	bool			 failed;
};
