/*
 * formula - parses the text of a measure's expression: its length, and its column names with and without their source.
 * Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* The source that qualifies the names of an expression. */
struct formula_scope {
	struct span	source, alias;		/* source empty: the expression's own qualifier says */
};

static inline bool
formula_is_letter(uint8_t c)
{
	return ascii_is_letter(c) || c == '_';
}

static inline bool
formula_is_name(uint8_t c)
{
	return formula_is_letter(c) || ascii_is_digit(c);
}

/* s after its first `at` bytes. */
static inline struct span
formula_from(struct span s, size_t at)
{
	return span_of(s.p + at, s.len - at);
}

/* Whether s calls an aggregate function of the semantic layer. */
bool formula_aggregates(struct span s);

/* Reads a.b.c at the start of s: *last is c, *owner is b (empty for a bare name).  Returns the length. */
size_t formula_dotted(struct span s, struct span *owner, struct span *last);

/* Length of the quoted text at the start of s, with its quotes; 0: the quote is not closed. */
size_t formula_quoted(struct span s);

/* The length of the arithmetic expression at the start of s: 10 for "sum(a) / 2 in euros".  0: none. */
size_t formula_length(struct span s);

/* The qualifier of the formula's first qualified name, not yet checked to be a source; empty: none. */
struct span formula_source(struct span formula);

/* The position of a word in s outside of brackets; s.len: not found. */
size_t formula_outer_word(struct span s, const char *word);

/*
 * Appends s to both buffers: with bare column names, and with source.column.  An empty source in the scope is filled
 * in.  -1: s has more than names, numbers, strings and operators, or uses several sources.
 */
int formula_forms(struct span s, struct formula_scope *scope, struct buf *bare, struct buf *asked, struct err *err);
