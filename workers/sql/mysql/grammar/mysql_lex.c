/* mysql_lex.c - see mysql_lex.h. */
#include "workers/sql/mysql/grammar/mysql_lex.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/text/sql_quote.h"
#include "base/utf8.h"

#define WORD_MAX	64u	/* characters of a name on the servers; no keyword is longer */

struct mysql_lexer {
	struct arena		*arena;
	struct span		 sql;
	size_t			 pos;
	bool			 parameters;
	size_t			*at;
	struct mysql_tokens	*out;
	struct err		*err;
};

struct mysql_word {
	const char	*word;
	bool		 begins_expression;
};

static const struct mysql_word words[] = {
#define RESERVED(word)		{ word, false },
#define EXPRESSION(word)	{ word, true },
#define CHARSET(name)
#include "workers/sql/mysql/grammar/mysql_words.def"
#undef RESERVED
#undef EXPRESSION
#undef CHARSET
};

static const char *const charsets[] = {
#define RESERVED(word)
#define EXPRESSION(word)
#define CHARSET(name)		name,
#include "workers/sql/mysql/grammar/mysql_words.def"
#undef RESERVED
#undef EXPRESSION
#undef CHARSET
	NULL
};

/* Longest first among those with the same beginning. */
static const char *const puncts[] = { "->>", "<=>", "->", "<=", "<>", "<<", ">=", ">>", "!=", "||", "&&", "(", ")", ",",
	".", ";", "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "<", ">", "=" };

/* Tokens that no statement here may have, each with its reason. */
static const struct {
	const char	*text, *why;
} refused[] = {
	{ ":=", "assignments to variables are not allowed; compute the value in a subquery" },
	{ "@", "variables are not allowed; write the value into the statement" },
	{ "?", "placeholders are not supported; write the values into the statement" },
	{ ":", "placeholders are not supported; write the values into the statement" },
	{ "\\", "a backslash is allowed only in a text; write NULL for \\N" },
	{ "{", "ODBC's { } is not allowed; write the expression without it" },
};

static int
fail_at(struct mysql_lexer *l, size_t at, enum err_code code, const char *why)
{
	*l->at = at;
	return err_set(l->err, code, "%s", why);
}

static const struct mysql_word *
word_find(struct span text)
{
	size_t low = 0, high = sizeof(words) / sizeof(words[0]);

	while (low < high) {
		size_t mid = (low + high) / 2, len = strlen(words[mid].word);
		int r = strncasecmp((const char *)text.p, words[mid].word, text.len < len ? text.len : len);

		if (r == 0)
			r = (text.len > len) - (text.len < len);
		if (r == 0)
			return &words[mid];
		if (r < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

bool
mysql_lex_is_reserved(struct span word)
{
	return word_find(word) != NULL;
}

bool
mysql_lex_begins_expression(struct span word)
{
	const struct mysql_word *w = word_find(word);

	return w != NULL && w->begins_expression;
}

static int
peek(const struct mysql_lexer *l, size_t ahead)
{
	return l->pos + ahead < l->sql.len ? l->sql.p[l->pos + ahead] : -1;
}

static bool
is_word_byte(int c)
{
	return c >= 0x80 || c == '_' || c == '$' || (c >= 0 && ascii_is_alnum((uint8_t)c));
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static void
add_token(struct mysql_lexer *l, enum mysql_token_kind kind, size_t from, struct span value)
{
	l->out->list[l->out->n++] = (struct mysql_token){ kind, span_of(l->sql.p + from, l->pos - from), value };
}

static void
add_plain(struct mysql_lexer *l, enum mysql_token_kind kind, size_t from)
{
	add_token(l, kind, from, span_of(l->sql.p + from, l->pos - from));
}

static int
skip_block(struct mysql_lexer *l)
{
	size_t from = l->pos;

	if (peek(l, 2) == '!' || (peek(l, 2) == 'M' && peek(l, 3) == '!'))
		return fail_at(l, from, ERR_FORBIDDEN_SQL,
		    "executable comments are not allowed; write their content into the statement or leave it out");
	if (peek(l, 2) == '+')
		return fail_at(l, from, ERR_FORBIDDEN_SQL, "optimizer hints are not allowed; leave them out");
	for (l->pos += 2; l->pos < l->sql.len; l->pos++) {
		if (peek(l, 0) == '/' && peek(l, 1) == '*')
			return fail_at(l, l->pos, ERR_FORBIDDEN_SQL, "a comment within a comment is not allowed");
		if (peek(l, 0) == '*' && peek(l, 1) == '/') {
			l->pos += 2;
			return 0;
		}
	}
	return fail_at(l, from, ERR_INVALID_SQL, "the comment that begins here does not end");
}

static bool
begins_line_comment(const struct mysql_lexer *l)
{
	int behind = peek(l, 2);

	return peek(l, 0) == '#' ||
	    (peek(l, 0) == '-' && peek(l, 1) == '-' && (behind < 0 || ascii_is_space((uint8_t)behind)));
}

static int
skip_blank(struct mysql_lexer *l)
{
	for (;;) {
		int c = peek(l, 0);

		if (c >= 0 && ascii_is_space((uint8_t)c))
			l->pos++;
		else if (begins_line_comment(l))
			while (l->pos < l->sql.len && peek(l, 0) != '\n')
				l->pos++;
		else if (c != '/' || peek(l, 1) != '*')
			return 0;
		else if (skip_block(l) == -1)
			return -1;
	}
}

/* The character that a backslash and c stand for.  LIKE's \% and \_ keep the backslash. */
static uint8_t
unescape_byte(uint8_t c)
{
	static const char from[] = "0bnrtZ", to[] = "\0\b\n\r\t\x1a";
	const char *p = c == '\0' ? NULL : strchr(from, c);

	return p == NULL ? c : (uint8_t)to[p - from];
}

/* From the opening quote behind the closing one; *value is without quotes and escapes. */
static int
read_quoted(struct mysql_lexer *l, enum sql_quote_rule rule, struct span *value)
{
	size_t from = l->pos, end = sql_quote_end(l->sql, from, l->sql.p[from], rule), n = 0;
	uint8_t quote = l->sql.p[from], *text = arena_alloc(l->arena, end == 0 ? 1 : end - from);

	if (end == 0)
		return fail_at(l, from, ERR_INVALID_SQL, "the quote that begins here does not end");
	if (text == NULL)
		return fail_at(l, from, ERR_SQL_TOO_LONG, "the statement is too large");
	for (l->pos++; l->pos < end - 1; l->pos++) {
		uint8_t c = l->sql.p[l->pos];

		if (c == quote)
			l->pos++;
		else if (c == '\\' && rule == SQL_QUOTE_ESCAPES) {
			c = l->sql.p[++l->pos];
			if (c == '%' || c == '_')
				text[n++] = '\\';
			else
				c = unescape_byte(c);
		}
		text[n++] = c;
	}
	l->pos = end;
	*value = span_of(text, n);
	return 0;
}

/* Names have characters up to U+FFFF on the servers, at most 64 of them, and do not end with a blank. */
static int
check_name(struct mysql_lexer *l, size_t from, struct span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.p[i] >= 0xf0)
			return fail_at(l, from, ERR_INVALID_SQL, "a name cannot have this character (above U+FFFF)");
	if (name.len == 0 || utf8_count(name) > WORD_MAX * 4 || name.p[name.len - 1] == ' ')
		return fail_at(l, from, ERR_INVALID_SQL,
		    "a name cannot be empty, longer than 256 characters, or end with a blank");
	return 0;
}

static int
read_name(struct mysql_lexer *l)
{
	size_t from = l->pos;
	struct span value;

	if (read_quoted(l, SQL_QUOTE_DOUBLED, &value) == -1 || check_name(l, from, value) == -1)
		return -1;
	add_token(l, MYSQL_TOKEN_NAME, from, value);
	return 0;
}

static int
read_string(struct mysql_lexer *l)
{
	size_t from = l->pos;
	struct span value;

	if (read_quoted(l, SQL_QUOTE_ESCAPES, &value) == -1)
		return -1;
	add_token(l, MYSQL_TOKEN_STRING, from, value);
	return 0;
}

static bool
is_bit_digit(int c, bool hex)
{
	return hex ? c >= 0 && strchr("0123456789abcdefABCDEF", c) != NULL && c != '\0' : c == '0' || c == '1';
}

/* 0x1F, X'1F' and the same with b: only digits, and nothing that the servers could take for more of it. */
static int
read_bits(struct mysql_lexer *l)
{
	size_t from = l->pos, digits;
	bool quoted = peek(l, 1) == '\'', hex = (peek(l, quoted ? 0 : 1) | 0x20) == 'x';

	l->pos += 2;
	digits = l->pos;
	while (is_bit_digit(peek(l, 0), hex))
		l->pos++;
	digits = l->pos - digits;
	if (quoted ? peek(l, 0) != '\'' || (hex && digits % 2 != 0) : digits == 0 || is_word_byte(peek(l, 0)))
		return fail_at(l, from, ERR_INVALID_SQL, "invalid literal of bits or hexadecimal digits");
	l->pos += quoted;
	add_plain(l, MYSQL_TOKEN_BITS, from);
	return 0;
}

static void
skip_digits(struct mysql_lexer *l)
{
	while (is_digit(peek(l, 0)))
		l->pos++;
}

static int
read_number(struct mysql_lexer *l)
{
	size_t from = l->pos;

	skip_digits(l);
	if (peek(l, 0) == '.') {
		l->pos++;
		skip_digits(l);
	}
	if ((peek(l, 0) | 0x20) == 'e' && is_digit(peek(l, peek(l, 1) == '+' || peek(l, 1) == '-' ? 2 : 1))) {
		l->pos += 2;
		skip_digits(l);
	}
	if (is_word_byte(peek(l, 0)) || peek(l, 0) == '.')
		return fail_at(l, from, ERR_INVALID_SQL,
		    "invalid number; a name that begins with a digit needs backticks");
	add_plain(l, MYSQL_TOKEN_NUMBER, from);
	return 0;
}

static bool
is_charset(struct span word)
{
	return word.len > 1 && word.p[0] == '_' && span_is_any_word(span_of(word.p + 1, word.len - 1), charsets);
}

/* Whether a literal of text or bits comes next. */
static bool
literal_follows(const struct mysql_lexer *l)
{
	int c = peek(l, 0), next = peek(l, 1);

	return c == '\'' || c == '"' || (next == '\'' && c >= 0 && strchr("xXbB", c) != NULL) ||
	    (c == '0' && next >= 0 && strchr("xb", next) != NULL);
}

static int
read_word(struct mysql_lexer *l)
{
	size_t from = l->pos;
	struct span word;

	while (is_word_byte(peek(l, 0)))
		l->pos++;
	word = span_of(l->sql.p + from, l->pos - from);
	if (span_is_word(word, "n") && peek(l, 0) == '\'') {
		add_token(l, MYSQL_TOKEN_CHARSET, from, SPAN("_utf8mb3"));
		return 0;
	}
	add_plain(l, MYSQL_TOKEN_WORD, from);
	if (!is_charset(word))
		return check_name(l, from, word);
	if (skip_blank(l) == -1)
		return -1;
	if (literal_follows(l))
		l->out->list[l->out->n - 1].kind = MYSQL_TOKEN_CHARSET;
	return 0;
}

static bool
is_at(const struct mysql_lexer *l, const char *text)
{
	return span_begins(span_of(l->sql.p + l->pos, l->sql.len - l->pos), text);
}

static int
read_parameter(struct mysql_lexer *l)
{
	size_t from = l->pos++;

	skip_digits(l);
	add_plain(l, MYSQL_TOKEN_PARAMETER, from);
	return 0;
}

static int
read_punct(struct mysql_lexer *l)
{
	size_t from = l->pos;

	if (l->parameters && peek(l, 0) == ':' && is_digit(peek(l, 1)))
		return read_parameter(l);

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (is_at(l, refused[i].text))
			return fail_at(l, from, ERR_FORBIDDEN_SQL, refused[i].why);
	for (size_t i = 0; i < sizeof(puncts) / sizeof(puncts[0]); i++)
		if (is_at(l, puncts[i])) {
			l->pos += strlen(puncts[i]);
			add_plain(l, MYSQL_TOKEN_PUNCT, from);
			return 0;
		}
	return fail_at(l, from, ERR_INVALID_SQL, "this character has no meaning in SQL");
}

/* A dot that has a digit behind it begins a number, unless it is behind a name. */
static bool
begins_number(const struct mysql_lexer *l)
{
	const struct mysql_token *last = l->out->n == 0 ? NULL : &l->out->list[l->out->n - 1];

	if (is_digit(peek(l, 0)))
		return true;
	return peek(l, 0) == '.' && is_digit(peek(l, 1)) &&
	    (last == NULL || (last->kind != MYSQL_TOKEN_WORD && last->kind != MYSQL_TOKEN_NAME) ||
		last->text.p + last->text.len != l->sql.p + l->pos);
}

static int
read_token(struct mysql_lexer *l)
{
	int c = peek(l, 0), next = peek(l, 1);

	if (c == '`')
		return read_name(l);
	if (c == '\'' || c == '"')
		return read_string(l);
	if ((c == '0' && (next == 'x' || next == 'b')) || (next == '\'' && strchr("xXbB", c) != NULL && c != '\0'))
		return read_bits(l);
	if (begins_number(l))
		return read_number(l);
	return is_word_byte(c) ? read_word(l) : read_punct(l);
}

static int
check_bytes(struct mysql_lexer *l)
{
	size_t bad = utf8_bad(l->sql.p, l->sql.len);

	if (bad < l->sql.len)
		return fail_at(l, bad, ERR_INVALID_SQL, "the statement is not valid UTF-8");
	for (size_t i = 0; i < l->sql.len; i++)
		if ((l->sql.p[i] < ' ' && !ascii_is_space(l->sql.p[i])) || l->sql.p[i] == 0x7f)
			return fail_at(l, i, ERR_INVALID_SQL,
			    "the statement has a control character; write it as an escape in a text, for example "
			    "'\\0'");
	return 0;
}

int
mysql_lex(struct arena *a, struct span sql, bool parameters, struct mysql_tokens *out, size_t *at, struct err *err)
{
	struct mysql_lexer l = { .arena = a, .sql = sql, .parameters = parameters, .at = at, .out = out, .err = err };

	*out = (struct mysql_tokens){ .list = arena_array(a, sql.len + 1, sizeof(*out->list)) };
	if (out->list == NULL)
		return fail_at(&l, 0, ERR_SQL_TOO_LONG, "the statement is too large");
	if (check_bytes(&l) == -1)
		return -1;
	for (;;) {
		if (skip_blank(&l) == -1)
			return -1;
		if (l.pos == sql.len)
			break;
		if (read_token(&l) == -1)
			return -1;
	}
	out->list[out->n] = (struct mysql_token){ MYSQL_TOKEN_END, span_of(sql.p + sql.len, 0), SPAN_NONE };
	return 0;
}
