#include <string.h>

#include "base/text/sql_quote.h"
#include "base/text/sqltext.h"
#include "workers/memory/read/formula.h"
#include "workers/memory/read/signals.h"

bool
formula_aggregates(struct span s)
{
	static const char *const names[] = { "sum", "avg", "count", "min", "max" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct span rest = s;
		const uint8_t *at;

		while ((at = signals_find(rest, names[i])) != NULL) {
			rest = span_of(at + strlen(names[i]), (size_t)(s.p + s.len - at) - strlen(names[i]));
			while (rest.len > 0 && rest.p[0] == ' ')
				rest = formula_from(rest, 1);
			if (rest.len > 0 && rest.p[0] == '(')
				return true;
		}
	}
	return false;
}

static const char *const keywords[] = { "and", "or", "not", "in", "is", "null", "like", "ilike", "between", "case",
	"when", "then", "else", "end", "distinct", "true", "false", "as", NULL };
static const char *const statement_words[] = { "select", "from", "where", "join", "group", "order", "having", "union",
	"insert", "update", "delete", "over", "limit", NULL };

size_t
formula_dotted(struct span s, struct span *owner, struct span *last)
{
	size_t at = 0, n;

	*owner = SPAN_NONE;
	for (;;) {
		for (n = 0; at + n < s.len && formula_is_name(s.p[at + n]); n++)
			;
		*last = span_of(s.p + at, n);
		at += n;
		if (at + 1 >= s.len || s.p[at] != '.' || !formula_is_letter(s.p[at + 1]))
			return at;
		*owner = *last;
		at++;
	}
}

static int
read_column(struct span owner, struct span column, struct formula_scope *scope, struct buf *bare, struct buf *asked,
    struct err *err)
{
	if (owner.len > 0 && scope->source.len == 0)
		scope->source = owner;
	if (scope->source.len == 0)
		return err_set(err, ERR_INVALID_QUERY,
		    "it does not say which source %.*s belongs to; write source.%.*s", SPAN_FMT(column),
		    SPAN_FMT(column));
	if (owner.len > 0 && !span_is(owner, scope->source) && !span_is(owner, scope->alias))
		return err_set(err, ERR_INVALID_QUERY, "it reads more than one source (%.*s and %.*s)",
		    SPAN_FMT(scope->source), SPAN_FMT(owner));
	buf_span(bare, column);
	buf_span(asked, scope->source);
	buf_byte(asked, '.');
	buf_span(asked, column);
	return 0;
}

size_t
formula_quoted(struct span s)
{
	return sql_quote_end(s, 0, '\'', SQL_QUOTE_DOUBLED);
}

/* Length of the bracketed text at the start of s, its brackets included; 0: no bracket closes it. */
static size_t
formula_bracketed(struct span s)
{
	size_t depth = 0, n;

	for (size_t i = 0; i < s.len; i += n) {
		n = 1;
		if (s.p[i] == '\'' && (n = formula_quoted(formula_from(s, i))) == 0)
			return 0;
		depth += s.p[i] == '(';
		if (s.p[i] == ')' && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* "case ... end" at the start of s; 0: the expression does not end. */
static size_t
case_length(struct span s)
{
	size_t depth = 0, n;

	for (size_t i = 0; i < s.len; i += n) {
		struct span owner, last;

		n = 1;
		if (s.p[i] == '\'' && (n = formula_quoted(formula_from(s, i))) == 0)
			return 0;
		if (!formula_is_letter(s.p[i]))
			continue;
		n = formula_dotted(formula_from(s, i), &owner, &last);
		depth += owner.len == 0 && span_is_word(last, "case");
		if (owner.len == 0 && span_is_word(last, "end") && --depth == 0)
			return i + n;
	}
	return 0;
}

/* An operand at the start of s, signs included. */
static size_t
operand_length(struct span s)
{
	struct span owner, last;
	size_t i = 0, n = 0;

	while (i < s.len && strchr("+- \t\n", s.p[i]) != NULL)
		i++;
	if (i == s.len)
		return 0;
	if (s.p[i] == '(')
		n = formula_bracketed(formula_from(s, i));
	else if (s.p[i] == '\'')
		n = formula_quoted(formula_from(s, i));
	else if (ascii_is_digit(s.p[i]))
		while (i + n < s.len &&
		    (formula_is_name(s.p[i + n]) ||
			(s.p[i + n] == '.' && i + n + 1 < s.len && ascii_is_digit(s.p[i + n + 1]))))
			n++;
	else if (formula_is_letter(s.p[i])) {
		n = formula_dotted(formula_from(s, i), &owner, &last);
		if (owner.len == 0 && span_is_word(last, "case"))
			n = case_length(formula_from(s, i));
		else if (i + n < s.len && s.p[i + n] == '(') {
			size_t call = formula_bracketed(formula_from(s, i + n));

			n = call == 0 ? 0 : n + call;
		}
	}
	return n == 0 ? 0 : i + n;
}

size_t
formula_length(struct span s)
{
	size_t end = operand_length(s), i, n;

	while (end > 0) {
		for (i = end; i < s.len && strchr(" \t\n", s.p[i]) != NULL; i++)
			;
		if (i == s.len || strchr("+-*/%|", s.p[i]) == NULL)
			break;
		i += s.p[i] == '|' && i + 1 < s.len && s.p[i + 1] == '|' ? 2 : 1;
		if ((n = operand_length(formula_from(s, i))) == 0)
			break;
		end = i + n;
	}
	return end;
}

struct span
formula_source(struct span formula)
{
	struct span owner, last;
	size_t n;

	for (size_t i = 0; i < formula.len; i += n) {
		n = 1;
		if (formula.p[i] == '\'' && (n = formula_quoted(formula_from(formula, i))) == 0)
			break;
		if (!formula_is_letter(formula.p[i]))
			continue;
		n = formula_dotted(formula_from(formula, i), &owner, &last);
		if (owner.len > 0)
			return owner;
	}
	return SPAN_NONE;
}

size_t
formula_outer_word(struct span s, const char *word)
{
	size_t depth = 0, n, len = strlen(word);

	for (size_t i = 0; i < s.len; i += n) {
		n = 1;
		if (s.p[i] == '\'' && (n = formula_quoted(formula_from(s, i))) == 0)
			return s.len;
		depth += s.p[i] == '(';
		if (s.p[i] == ')' && depth > 0)
			depth--;
		if (!formula_is_letter(s.p[i]))
			continue;
		while (i + n < s.len && formula_is_name(s.p[i + n]))
			n++;
		if (depth == 0 && n == len && span_begins_word(formula_from(s, i), word))
			return i;
	}
	return s.len;
}

static int
read_name(struct span s, size_t *len, struct formula_scope *scope, struct buf *bare, struct buf *asked, struct err *err)
{
	struct span owner, last, after;

	*len = formula_dotted(s, &owner, &last);
	after = span_trim(formula_from(s, *len));
	if (owner.len == 0 && span_is_any_word(last, statement_words))
		return err_set(err, ERR_INVALID_QUERY, "%.*s cannot appear in a measure", SPAN_FMT(last));
	if (owner.len > 0 || !(span_is_any_word(last, keywords) || (after.len > 0 && after.p[0] == '(')))
		return read_column(owner, last, scope, bare, asked, err);
	buf_span(bare, last);
	buf_span(asked, last);
	return 0;
}

/* A number, without letters that are no ASCII. */
static bool
is_plain_number(struct sqltext_token t)
{
	size_t n = 0;

	while (n < t.text.len && t.text.p[n] < 0x80)
		n++;
	return t.kind == SQLTEXT_NUMBER && n == t.text.len;
}

int
formula_forms(struct span s, struct formula_scope *scope, struct buf *bare, struct buf *asked, struct err *err)
{
	struct sqltext tokens = { .dialect = SQLTEXT_PLAIN, .text = s };
	struct sqltext_token t;
	int depth = 0;
	size_t n;

	for (size_t i = 0; i < s.len; i += n) {
		uint8_t c = s.p[i];

		if (formula_is_letter(c)) {
			if (read_name(formula_from(s, i), &n, scope, bare, asked, err) != 0)
				return -1;
			continue;
		}
		if (ascii_is_any(c, " \t\r\n")) {
			buf_byte(bare, ' ');
			buf_byte(asked, ' ');
			n = 1;
			continue;
		}
		tokens.at = i;
		t = sqltext_piece(&tokens);
		if (t.kind == SQLTEXT_BROKEN && c == '\'')
			return err_set(err, ERR_INVALID_QUERY, "a quoted text in the expression does not end");
		if (t.kind == SQLTEXT_COMMENT)
			return err_set(err, ERR_INVALID_QUERY, "its formula holds a comment");
		if (t.kind != SQLTEXT_STRING && !is_plain_number(t) &&
		    (t.kind != SQLTEXT_PUNCT || !ascii_is_any(c, "+-*/%()<>=!,|.")))
			return err_set(err, ERR_INVALID_QUERY, "its formula is not one that a measure can have");
		depth += c == '(' ? 1 : c == ')' ? -1 : 0;
		if (depth < 0)
			break;
		buf_span(bare, t.text);
		buf_span(asked, t.text);
		n = t.text.len;
	}
	return depth == 0 ? 0 : err_set(err, ERR_INVALID_QUERY, "the brackets of its formula do not match");
}
