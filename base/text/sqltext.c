#include "base/text/sqltext.h"

#include "base/ascii.h"
#include "base/text/sql_quote.h"

/* Whether the two characters stand there. */
static bool
sqltext_sees(const struct sqltext *s, const char pair[2])
{
	return sqltext_peek(s, 0) == pair[0] && sqltext_peek(s, 1) == pair[1];
}

static bool
sqltext_has(const struct sqltext *s, enum sqltext_dialect rule)
{
	return (s->dialect & rule) != 0;
}

static bool
is_space(int c)
{
	return c >= 0 && ascii_is_space((uint8_t)c);
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

/* At "/" "*". */
static enum sqltext_kind
skip_block_comment(struct sqltext *s)
{
	size_t depth = 0;

	while (s->at < s->text.len) {
		if (sqltext_sees(s, "/*") && (depth == 0 || sqltext_has(s, SQLTEXT_NESTED))) {
			depth++;
			s->at += 2;
		} else if (sqltext_sees(s, "*/")) {
			s->at += 2;
			if (--depth == 0)
				return SQLTEXT_COMMENT;
		} else
			s->at++;
	}
	return sqltext_has(s, SQLTEXT_NESTED) ? SQLTEXT_BROKEN : SQLTEXT_COMMENT;
}

/* Skips a "--" comment to the end of its line. */
static enum sqltext_kind
skip_line_comment(struct sqltext *s)
{
	for (int c; (c = sqltext_peek(s, 0)) != -1 && c != '\n'; s->at++)
		if (c == '\r' && sqltext_has(s, SQLTEXT_RETURNS))
			break;
	return SQLTEXT_COMMENT;
}

/* A byte-order mark where something begins. */
static bool
is_mark(const struct sqltext *s)
{
	return sqltext_has(s, SQLTEXT_MARKS) && sqltext_peek(s, 0) == 0xEF && sqltext_peek(s, 1) == 0xBB &&
	    sqltext_peek(s, 2) == 0xBF;
}

/* Goes on behind the end of something, which 0 says is missing: then everything is part of it. */
static enum sqltext_kind
skip_to(struct sqltext *s, size_t end, enum sqltext_kind kind)
{
	s->at = end == 0 ? s->text.len : end;
	return end == 0 ? SQLTEXT_BROKEN : kind;
}

/* At the opening quote. */
static enum sqltext_kind
skip_quoted(struct sqltext *s, int close, enum sql_quote_rule rule, enum sqltext_kind kind)
{
	return skip_to(s, sql_quote_end(s->text, s->at, (uint8_t)close, rule), kind);
}

/* At the opening quote of E'a'.  With a line break and 'b' behind it, that is one literal, and has escapes, too. */
static enum sqltext_kind
skip_escape_string(struct sqltext *s)
{
	for (;;) {
		bool newline = false;
		size_t end;

		if (skip_quoted(s, '\'', SQL_QUOTE_ESCAPES, SQLTEXT_STRING) == SQLTEXT_BROKEN)
			return SQLTEXT_BROKEN;
		if (!sqltext_has(s, SQLTEXT_CONTINUED))
			return SQLTEXT_STRING;
		for (end = s->at;; s->at++) {
			int c = sqltext_peek(s, 0);

			if (sqltext_sees(s, "--")) {
				skip_line_comment(s);
				c = sqltext_peek(s, 0);
			}
			if (!is_space(c))
				break;
			newline = newline || c == '\n' || c == '\r';
		}
		if (!newline || sqltext_peek(s, 0) != '\'') {
			s->at = end;
			return SQLTEXT_STRING;
		}
	}
}

static enum sqltext_kind
skip_word(struct sqltext *s)
{
	int first = ascii_lower((uint8_t)sqltext_peek(s, 0));

	if (sqltext_peek(s, 1) == '\'' && first == 'e' && sqltext_has(s, SQLTEXT_ESCAPES)) {
		s->at++;
		return skip_escape_string(s);
	}
	if (sqltext_peek(s, 1) == '\'' && ascii_is_any((uint8_t)first, "bnx") && sqltext_has(s, SQLTEXT_PREFIXES)) {
		s->at++;
		return skip_quoted(s, '\'', SQL_QUOTE_DOUBLED, SQLTEXT_STRING);
	}
	while (is_word(sqltext_peek(s, 0)))
		s->at++;
	return SQLTEXT_WORD;
}

static enum sqltext_kind
skip_token(struct sqltext *s)
{
	int c = sqltext_peek(s, 0);

	if (is_word_start(c))
		return skip_word(s);
	if (sqltext_has(s, SQLTEXT_BACKSLASHES) && (c == '\'' || c == '"'))
		return skip_quoted(s, c, SQL_QUOTE_ESCAPES, SQLTEXT_STRING);
	if (c == '\'')
		return skip_quoted(s, '\'', SQL_QUOTE_DOUBLED, SQLTEXT_STRING);
	if (c == '"' || (c == '`' && sqltext_has(s, SQLTEXT_BACKTICKS)))
		return skip_quoted(s, c, SQL_QUOTE_DOUBLED, SQLTEXT_QUOTED);
	if (c == '[' && sqltext_has(s, SQLTEXT_BRACKETS))
		return skip_quoted(s, ']', SQL_QUOTE_PLAIN, SQLTEXT_QUOTED);
	if (c == '$' && sqltext_has(s, SQLTEXT_DOLLARS) && sql_dollar_tag(s->text, s->at) > 0)
		return skip_to(s, sql_dollar_end(s->text, s->at), SQLTEXT_STRING);
	if (is_digit(c)) {
		while (sqltext_peek(s, 0) != '$' && (is_word(sqltext_peek(s, 0)) || sqltext_peek(s, 0) == '.'))
			s->at++;
		return SQLTEXT_NUMBER;
	}
	s->at++;
	return SQLTEXT_PUNCT;
}

static bool
begins_line_comment(const struct sqltext *s)
{
	int behind = sqltext_peek(s, 2);

	if (!sqltext_has(s, SQLTEXT_HASHES))
		return sqltext_sees(s, "--");
	return sqltext_peek(s, 0) == '#' || (sqltext_sees(s, "--") && (behind == -1 || is_space(behind)));
}

static enum sqltext_kind
skip_piece(struct sqltext *s)
{
	if (is_mark(s)) {
		s->at += 3;
		return SQLTEXT_SPACE;
	}
	if (is_space(sqltext_peek(s, 0))) {
		while (is_space(sqltext_peek(s, 0)))
			s->at++;
		return SQLTEXT_SPACE;
	}
	if (begins_line_comment(s))
		return skip_line_comment(s);
	if (sqltext_sees(s, "/*"))
		return skip_block_comment(s);
	return skip_token(s);
}

struct sqltext_token
sqltext_piece(struct sqltext *s)
{
	size_t begin = s->at;
	enum sqltext_kind kind = begin == s->text.len ? SQLTEXT_END : skip_piece(s);

	if (s->text.len == 0)
		return (struct sqltext_token){ .kind = SQLTEXT_END };
	if (s->at > s->text.len)
		s->at = s->text.len;
	return (struct sqltext_token){ .kind = kind, .text = span_of(s->text.p + begin, s->at - begin) };
}

struct sqltext_token
sqltext_next(struct sqltext *s)
{
	struct sqltext_token t;

	do
		t = sqltext_piece(s);
	while (t.kind == SQLTEXT_SPACE || t.kind == SQLTEXT_COMMENT);
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

const char *
sqltext_unquoted(struct arena *a, struct span token)
{
	bool quoted = token.len >= 2 && strchr("\"'`[", token.p[0]) != NULL;
	uint8_t doubled = !quoted || token.p[0] == '[' ? '\0' : token.p[0];
	char *text = arena_alloc(a, token.len + 1);
	size_t n = 0;

	if (text == NULL)
		return "";
	for (size_t i = quoted; i < token.len - quoted; i++) {
		text[n++] = (char)token.p[i];
		i += doubled != '\0' && token.p[i] == doubled;
	}
	text[n] = '\0';
	return text;
}

void
sqltext_put_name(struct buf *out, struct span name)
{
	buf_quoted(out, name, '"');
}
