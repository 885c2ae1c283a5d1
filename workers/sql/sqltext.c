/* sqltext.c - see sqltext.h. */
#include "workers/sql/sqltext.h"

#include <string.h>

#include "base/ascii.h"
#include "base/sql_quote.h"

/* c is -1 at the end. */
static bool
is_space(int c)
{
	return c >= 0 && ascii_is_space((uint8_t)c);
}

static int
sqltext_peek(const struct sqltext *s, size_t ahead)
{
	return s->at + ahead < s->text.len ? s->text.p[s->at + ahead] : -1;
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool
is_word_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool
is_word(int c)
{
	return is_word_start(c) || is_digit(c) || c == '$';
}

/* At a block comment.  PostgreSQL's comments nest; SQLite's do not, and may be unterminated. */
static bool
skip_block_comment(struct sqltext *s)
{
	size_t depth = 0;

	while (s->at < s->text.len) {
		if (sqltext_peek(s, 0) == '/' && sqltext_peek(s, 1) == '*' &&
		    (depth == 0 || s->dialect == SQLTEXT_POSTGRES)) {
			depth++;
			s->at += 2;
		} else if (sqltext_peek(s, 0) == '*' && sqltext_peek(s, 1) == '/') {
			s->at += 2;
			if (--depth == 0)
				return true;
		} else
			s->at++;
	}
	return s->dialect == SQLTEXT_SQLITE;
}

/* Skips a "--" comment to the end of its line: SQLite knows only \n. */
static void
skip_line_comment(struct sqltext *s)
{
	for (int c; (c = sqltext_peek(s, 0)) != -1 && c != '\n'; s->at++)
		if (c == '\r' && s->dialect == SQLTEXT_POSTGRES)
			break;
}

/* At the beginning of a word SQLite treats a byte-order mark as white space. */
static bool
is_mark(const struct sqltext *s)
{
	return s->dialect == SQLTEXT_SQLITE && sqltext_peek(s, 0) == 0xEF && sqltext_peek(s, 1) == 0xBB &&
	    sqltext_peek(s, 2) == 0xBF;
}

static bool
skip_blank(struct sqltext *s)
{
	for (;;) {
		if (is_space(sqltext_peek(s, 0)))
			s->at++;
		else if (is_mark(s))
			s->at += 3;
		else if (sqltext_peek(s, 0) == '-' && sqltext_peek(s, 1) == '-')
			skip_line_comment(s);
		else if (sqltext_peek(s, 0) == '/' && sqltext_peek(s, 1) == '*') {
			if (!skip_block_comment(s))
				return false;
		} else
			return true;
	}
}

/* Continues at `end`; 0 means unterminated: the rest of the text is skipped. */
static bool
skip_to(struct sqltext *s, size_t end)
{
	s->at = end == 0 ? s->text.len : end;
	return end != 0;
}

/* At the opening quote.  False if it is unterminated. */
static bool
skip_quoted(struct sqltext *s, int close, enum sql_quote_rule rule)
{
	return skip_to(s, sql_quote_end(s->text, s->at, (uint8_t)close, rule));
}

/*
 * PostgreSQL: E'a', a line break and 'b' are one literal, and backslashes are
 * escapes in the second part, too.
 */
static bool
skip_escape_string(struct sqltext *s)
{
	for (;;) {
		bool newline = false;
		size_t end;

		if (!skip_quoted(s, '\'', SQL_QUOTE_ESCAPES))
			return false;
		for (end = s->at;; s->at++) {
			int c = sqltext_peek(s, 0);

			if (c == '-' && sqltext_peek(s, 1) == '-') {
				skip_line_comment(s);
				c = sqltext_peek(s, 0);
			}
			if (!is_space(c))
				break;
			newline = newline || c == '\n' || c == '\r';
		}
		if (!newline || sqltext_peek(s, 0) != '\'') {
			s->at = end;
			return true;
		}
	}
}

static enum sqltext_kind
skip_word(struct sqltext *s)
{
	int first = sqltext_peek(s, 0);

	if (s->dialect == SQLTEXT_POSTGRES && (first == 'e' || first == 'E') && sqltext_peek(s, 1) == '\'') {
		s->at++;
		return skip_escape_string(s) ? SQLTEXT_STRING : SQLTEXT_BROKEN;
	}
	while (is_word(sqltext_peek(s, 0)))
		s->at++;
	return SQLTEXT_WORD;
}

static enum sqltext_kind
skip_token(struct sqltext *s)
{
	int c = sqltext_peek(s, 0);
	bool lite = s->dialect == SQLTEXT_SQLITE;

	if (is_word_start(c))
		return skip_word(s);
	if (c == '\'')
		return skip_quoted(s, '\'', SQL_QUOTE_DOUBLED) ? SQLTEXT_STRING : SQLTEXT_BROKEN;
	if (c == '"' || (c == '`' && lite))
		return skip_quoted(s, c, SQL_QUOTE_DOUBLED) ? SQLTEXT_QUOTED : SQLTEXT_BROKEN;
	if (c == '[' && lite)
		return skip_quoted(s, ']', SQL_QUOTE_PLAIN) ? SQLTEXT_QUOTED : SQLTEXT_BROKEN;
	if (c == '$' && !lite && sql_dollar_tag(s->text, s->at) > 0)
		return skip_to(s, sql_dollar_end(s->text, s->at)) ? SQLTEXT_STRING : SQLTEXT_BROKEN;
	if (is_digit(c)) {
		while (sqltext_peek(s, 0) != '$' && (is_word(sqltext_peek(s, 0)) || sqltext_peek(s, 0) == '.'))
			s->at++;
		return SQLTEXT_NUMBER;
	}
	s->at++;
	return SQLTEXT_PUNCT;
}

struct sqltext_token
sqltext_next(struct sqltext *s)
{
	struct sqltext_token t = { .kind = SQLTEXT_BROKEN };
	size_t begin = s->at;

	if (skip_blank(s)) {
		begin = s->at;
		t.kind = begin == s->text.len ? SQLTEXT_END : skip_token(s);
	}
	if (s->at > s->text.len)
		s->at = s->text.len;
	t.text = span_of(s->text.p + begin, s->at - begin);
	return t;
}

bool
sqltext_is(const struct sqltext_token *t, const char *keyword)
{
	return t->kind == SQLTEXT_WORD && span_is_word(t->text, keyword);
}

bool
sqltext_names(const struct sqltext_token *t, const char *name)
{
	uint8_t open = t->text.len > 0 ? t->text.p[0] : 0, close = open == '[' ? ']' : open;
	bool quoted = t->kind == SQLTEXT_QUOTED || t->kind == SQLTEXT_STRING;
	size_t end = quoted ? t->text.len - 1 : t->text.len, i = quoted;

	if (!quoted && t->kind != SQLTEXT_WORD)
		return false;
	for (; i < end && *name != '\0'; i++, name++) {
		if (ascii_lower(t->text.p[i]) != ascii_lower((uint8_t)*name))
			return false;
		i += quoted && open != '[' && t->text.p[i] == close; /* a doubled quote */
	}
	return i == end && *name == '\0';
}

bool
sqltext_is_punct(const struct sqltext_token *t, char c)
{
	return t->kind == SQLTEXT_PUNCT && t->text.p[0] == (uint8_t)c;
}

enum sqltext_shape
sqltext_statement(enum sqltext_dialect dialect, struct span text, struct span *body)
{
	struct sqltext s = { .dialect = dialect, .text = text };
	struct sqltext_token t;
	bool begun = false, ended = false;
	size_t begin = 0;

	*body = text;
	for (;;) {
		t = sqltext_next(&s);
		if (t.kind == SQLTEXT_END)
			break;
		if (t.kind == SQLTEXT_BROKEN)
			return SQLTEXT_UNENDED;
		if (sqltext_is_punct(&t, ';')) {
			if (begun && !ended)
				*body = span_of(text.p + begin, (size_t)(t.text.p - text.p) - begin);
			ended = begun;
		} else if (ended)
			return SQLTEXT_SEVERAL;
		else if (!begun) {
			begun = true;
			begin = (size_t)(t.text.p - text.p);
		}
	}
	if (!begun)
		return SQLTEXT_NONE;
	if (!ended)
		*body = span_of(text.p + begin, text.len - begin);
	return SQLTEXT_ONE;
}

/* The characters of PostgreSQL's operators; comments begin and end with some of them, too. */
static bool
is_operator(int c)
{
	return c > 0 && strchr("~!@#^&|`?+-*/%<>=", c) != NULL;
}

/*
 * Counts the operator characters from here on, comments included, and moves s after them.  Characters within a comment
 * are not scanned twice.
 */
static size_t
skip_operators(struct sqltext *s, size_t *depth)
{
	size_t begin = s->at, within = *depth;

	while (is_operator(sqltext_peek(s, 0)) &&
	    (*depth > 0 || sqltext_peek(s, 0) != '-' || sqltext_peek(s, 1) != '-')) {
		bool opens = sqltext_peek(s, 0) == '/' && sqltext_peek(s, 1) == '*';
		bool closes = *depth > 0 && sqltext_peek(s, 0) == '*' && sqltext_peek(s, 1) == '/';

		*depth += opens;
		*depth -= closes;
		s->at += opens || closes ? 2 : 1;
		if (opens || closes)
			within = 0;
	}
	return within > 0 ? 0 : s->at - begin;
}

size_t
sqltext_operator_work(struct span text)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = text };
	size_t work = 0, depth = 0, begin, run;

	while (s.at < s.text.len) {
		begin = s.at;
		run = skip_operators(&s, &depth);
		work += run * run;
		if (s.at > begin)
			continue;
		if (depth > 0 || is_space(sqltext_peek(&s, 0)))
			s.at++;
		else if (sqltext_peek(&s, 0) == '-') /* of a line comment: the operator ends there */
			skip_line_comment(&s);
		else if (skip_token(&s) == SQLTEXT_BROKEN)
			break;
	}
	return work;
}

/* Reads white space and line comments, and writes them as spaces.  False if there is anything else, or no comment. */
static bool
blank_comments(uint8_t *p, uint8_t *end)
{
	bool found = false;

	while (p < end) {
		if (p + 1 < end && p[0] == '-' && p[1] == '-') {
			found = true;
			for (; p < end && *p != '\n' && *p != '\r'; p++)
				*p = ' ';
		} else if (is_space(*p))
			p++;
		else
			return false;
	}
	return found;
}

bool
sqltext_join_literals(struct buf *out, struct span text)
{
	struct sqltext s = { .dialect = SQLTEXT_POSTGRES, .text = text };
	struct sqltext_token t, before = { .kind = SQLTEXT_END };
	bool joined = false;

	out->len = 0;
	if (memmem(text.p, text.len, "--", 2) == NULL)
		return false;
	buf_span(out, text);
	for (t = sqltext_next(&s); t.kind != SQLTEXT_END && t.kind != SQLTEXT_BROKEN;
	     before = t, t = sqltext_next(&s)) {
		size_t from = (size_t)(before.text.p - text.p) + before.text.len, to = (size_t)(t.text.p - text.p);

		if (before.kind == SQLTEXT_STRING && t.kind == SQLTEXT_STRING && t.text.p[0] == '\'')
			joined = blank_comments(out->p + from, out->p + to) || joined;
	}
	return joined;
}

void
sqltext_put_name(struct buf *out, struct span name)
{
	buf_quoted(out, name, '"');
}
