/* lex.c - SQL text into tokens; see lex.h. */
#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/sql_quote.h"
#include "semantic/lex.h"

static bool
is_name_start(uint8_t c)
{
	return ascii_is_letter(c) || c == '_' || c >= 0x80;
}

static size_t
number_end(struct span t, size_t at)
{
	size_t i = at;

	while (i < t.len && (ascii_is_digit(t.p[i]) || t.p[i] == '.' || t.p[i] == '_'))
		i++;
	if (i < t.len && (t.p[i] == 'e' || t.p[i] == 'E')) {
		size_t j = i + 1;

		if (j < t.len && (t.p[j] == '+' || t.p[j] == '-'))
			j++;
		if (j < t.len && ascii_is_digit(t.p[j])) {
			while (j < t.len && ascii_is_digit(t.p[j]))
				j++;
			i = j;
		}
	}
	return i;
}

/* Longest operator first. */
static size_t
operator_end(struct span t, size_t at)
{
	static const char *const wide[] = { "!~~*", "->>", "#>>", "!~*", "!~~", "~~*", "<=>",
		"::", "||", "<>", "!=", "<=", ">=", "==", "->", "#>", "@>", "<@", "&&", "~*", "!~",
		"<<", ">>", "~~", "@@" };
	static const char narrow[] = "+-*/%^=<>(),.[]|&~#@!?:";

	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		size_t n = strlen(wide[i]);

		if (n <= t.len - at && memcmp(t.p + at, wide[i], n) == 0)
			return at + n;
	}
	return memchr(narrow, t.p[at], sizeof(narrow) - 1) != NULL ? at + 1 : 0;
}

static struct span
unquote(struct arena *a, struct span t, size_t start, size_t end)
{
	struct span inner = { t.p + start + 1, end - start - 2 };
	uint8_t q = t.p[start], *out;
	size_t n = 0;

	if (memchr(inner.p, q, inner.len) == NULL)
		return inner;
	if ((out = arena_alloc(a, inner.len)) == NULL)
		return inner;
	for (size_t i = 0; i < inner.len; i++) {
		out[n++] = inner.p[i];
		if (inner.p[i] == q)
			i++;
	}
	return span_of(out, n);
}

static bool
is_string_prefix(struct span t, size_t at, size_t *quote, bool *backslash)
{
	uint8_t c = t.p[at] | 0x20;

	*backslash = c == 'e';
	if ((c == 'e' || c == 'b' || c == 'x' || c == 'n') && at + 1 < t.len && t.p[at + 1] == '\'') {
		*quote = at + 1;
		return true;
	}
	return false;
}

const struct lex_token *
lex_tokens(struct arena *a, struct span t, size_t *n, struct sem_problem *p)
{
	struct lex_token *out = arena_array(a, t.len + 1, sizeof(*out));
	size_t count = 0, at = 0;

	if (out == NULL) {
		sem_fail(p, SEM_PARSE_ERROR, t, "The expression is too long.");
		return NULL;
	}
	while (at < t.len) {
		uint8_t c = t.p[at];
		struct lex_token k = { .start = at };
		size_t quote = at;
		bool backslash = false;

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			at++;
			continue;
		}
		if ((c == '-' && at + 1 < t.len && t.p[at + 1] == '-') ||
		    (c == '/' && at + 1 < t.len && t.p[at + 1] == '*')) {
			sem_fail(p, SEM_PARSE_ERROR, t,
			    "Comments are not allowed in expressions; remove the one at character %zu.", at + 1);
			return NULL;
		}
		/* U&"\0073sn" spells a name by its code points, so that no check would see it. */
		if ((c == 'u' || c == 'U') && at + 2 < t.len && t.p[at + 1] == '&' &&
		    (t.p[at + 2] == '"' || t.p[at + 2] == '\'')) {
			sem_fail(p, SEM_PARSE_ERROR, t,
			    "Unicode escapes (U&) are not allowed in expressions; write the characters themselves.");
			return NULL;
		}
		if (c == '\'' || is_string_prefix(t, at, &quote, &backslash)) {
			k.kind = LEX_STRING;
			k.end = sql_quote_end(t, quote, '\'', backslash ? SQL_QUOTE_ESCAPES : SQL_QUOTE_DOUBLED);
		} else if (c == '"' || c == '`') {
			k.kind = LEX_QUOTED;
			k.end = sql_quote_end(t, at, c, SQL_QUOTE_DOUBLED);
			if (k.end == at + 2)
				k.end = 0; /* an empty name */
		} else if (c == '$') {
			k.kind = LEX_STRING;
			k.end = sql_dollar_end(t, at);
		} else if (is_name_start(c)) {
			k.kind = LEX_NAME;
			for (k.end = at + 1; k.end < t.len &&
			     (is_name_start(t.p[k.end]) || ascii_is_digit(t.p[k.end]) || t.p[k.end] == '$');
			     k.end++)
				;
			k.name = span_of(t.p + at, k.end - at);
		} else if (ascii_is_digit(c) ||
		    (c == '.' && at + 1 < t.len && ascii_is_digit(t.p[at + 1]) &&
			(count == 0 || (out[count - 1].kind == LEX_OPERATOR)))) {
			k.kind = LEX_NUMBER;
			k.end = number_end(t, at);
		} else {
			k.kind = LEX_OPERATOR;
			k.end = operator_end(t, at);
		}
		if (k.end == 0) {
			sem_fail(p, SEM_PARSE_ERROR, t,
			    c == '\'' || c == '"' || c == '`' || c == '$' || quote != at ?
				"Something that starts with %c at character %zu is not closed." :
				"The character %c at position %zu has no place in an expression.",
			    c >= 0x20 && c < 0x7f ? c : '?', at + 1);
			return NULL;
		}
		if (k.kind == LEX_QUOTED)
			k.name = unquote(a, t, k.start, k.end);
		out[count++] = k;
		at = k.end;
	}
	out[count] = (struct lex_token){ .kind = LEX_END, .start = t.len, .end = t.len };
	*n = count;
	return out;
}
