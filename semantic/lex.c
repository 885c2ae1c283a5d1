/* lex.c - SQL text into tokens; see lex.h. */
#include <string.h>

#include "base/ascii.h"
#include "base/text/sqltext.h"
#include "semantic/lex.h"

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

/* The token that the piece at k->start is or begins with; k->end 0: none. */
static void
lex_classify(struct span t, struct sqltext_token piece, bool after_operator, struct lex_token *k)
{
	switch (piece.kind) {
	case SQLTEXT_STRING:
		k->kind = LEX_STRING;
		break;
	case SQLTEXT_QUOTED:
		k->kind = LEX_QUOTED;
		if (piece.text.len == 2)
			k->end = 0; /* an empty name */
		break;
	case SQLTEXT_WORD:
		k->kind = LEX_NAME;
		k->name = piece.text;
		break;
	case SQLTEXT_BROKEN:
		k->end = 0;
		break;
	default:
		if (ascii_is_digit(t.p[k->start]) ||
		    (after_operator && t.p[k->start] == '.' && k->end < t.len && ascii_is_digit(t.p[k->end]))) {
			k->kind = LEX_NUMBER;
			k->end = number_end(t, k->start);
		} else {
			k->kind = LEX_OPERATOR;
			k->end = operator_end(t, k->start);
		}
	}
}

const struct lex_token *
lex_tokens(struct arena *a, struct span t, size_t *n, struct sem_problem *p)
{
	struct lex_token *out = arena_array(a, t.len + 1, sizeof(*out));
	struct sqltext s = { .dialect = SQLTEXT_EXPRESSION, .text = t };
	struct sqltext_token piece;
	size_t count = 0;

	if (out == NULL) {
		sem_fail(p, SEM_PARSE_ERROR, t, "The expression is too long.");
		return NULL;
	}
	while ((piece = sqltext_piece(&s)).kind != SQLTEXT_END) {
		struct lex_token k = { .start = s.at - piece.text.len, .end = s.at };
		uint8_t c;

		while (k.start < k.end && ascii_is_any(t.p[k.start], " \t\n\r"))
			k.start++;
		if (k.start == k.end)
			continue;
		c = t.p[k.start];
		if (piece.kind == SQLTEXT_COMMENT) {
			sem_fail(p, SEM_PARSE_ERROR, t,
			    "Comments are not allowed in expressions; remove the one at character %zu.", k.start + 1);
			return NULL;
		}
		/* U&"\0073sn" spells a name by its code points, so that no check would see it. */
		if ((c == 'u' || c == 'U') && piece.text.len == 1 && t.len - k.end >= 2 && t.p[k.end] == '&' &&
		    ascii_is_any(t.p[k.end + 1], "\"'")) {
			sem_fail(p, SEM_PARSE_ERROR, t,
			    "Unicode escapes (U&) are not allowed in expressions; write the characters themselves.");
			return NULL;
		}
		lex_classify(t, piece, count == 0 || out[count - 1].kind == LEX_OPERATOR, &k);
		if (k.end == 0) {
			sem_fail(p, SEM_PARSE_ERROR, t,
			    piece.kind == SQLTEXT_BROKEN || piece.kind == SQLTEXT_QUOTED || c == '$' ?
				"Something that starts with %c at character %zu is not closed." :
				"The character %c at position %zu has no place in an expression.",
			    c >= 0x20 && c < 0x7f ? c : '?', k.start + 1);
			return NULL;
		}
		if (k.kind == LEX_QUOTED)
			k.name = unquote(a, t, k.start, k.end);
		/* A keyword before a dot is a name: case.title, order.total. */
		if (c == '.' && k.kind == LEX_OPERATOR && count > 0 && out[count - 1].kind == LEX_NAME)
			out[count - 1].kind = LEX_QUOTED;
		out[count++] = k;
		s.at = k.end;
	}
	out[count] = (struct lex_token){ .kind = LEX_END, .start = t.len, .end = t.len };
	*n = count;
	return out;
}
