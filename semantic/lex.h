/* lex - private to semantic/: SQL tokens with spans. */
#pragma once

#include "base/arena.h"
#include "base/span.h"
#include "semantic/problem.h"

/* LEX_QUOTED: never a keyword: written in quotes, or before a dot. */
enum lex_kind { LEX_END, LEX_NAME, LEX_QUOTED, LEX_STRING, LEX_NUMBER, LEX_OPERATOR };

struct lex_token {
	enum lex_kind	kind;
	size_t		start, end;
	struct span	name;	/* NAME, QUOTED: without quotes, doubled quotes undone */
};

static inline bool
lex_is_name(const struct lex_token *t)
{
	return t->kind == LEX_NAME || t->kind == LEX_QUOTED;
}

/* All tokens of text, LEX_END last, in a.  NULL with *p when a byte begins no token. */
const struct lex_token *lex_tokens(struct arena *a, struct span text, size_t *n, struct sem_problem *p);
