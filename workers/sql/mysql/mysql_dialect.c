/*
 * mysql_dialect.c - the spelling of MariaDB (10.2 and later) and MySQL (8.0 and later).
 *
 * Text is compared there by the collation of its column, which as a rule takes "a" and "A" for the same.  So every
 * column of text is given a collation that compares bytes, wherever it stands; joins compare keys as they are as well,
 * so that indexes serve.  Division and AVG are decimal unless an operand is DOUBLE, which 1e0 is.
 */
#include <string.h>

#include "base/ascii.h"
#include "semantic/dialect.h"
#include "workers/sql/mysql/grammar/mysql_tree.h"
#include "workers/sql/mysql/mysql_text.h"

#define NAME_MAX_BYTES	64u	/* characters, on the servers */

#define BY_BYTES	" USING utf8mb4) COLLATE " MYSQL_BY_BYTES

/* Reserved words are others than elsewhere: every name is quoted.  Names have no characters above U+FFFF. */
static void
dialect_mysql_identifier(struct buf *out, struct span name)
{
	buf_byte(out, '`');
	for (size_t i = 0; i < name.len; i++) {
		if (name.p[i] >= 0xf0 && i + 3 < name.len) {
			buf_printf(out, "%02x%02x%02x", name.p[i + 1], name.p[i + 2], name.p[i + 3]);
			i += 3;
		} else
			buf_byte(out, name.p[i]);
		if (name.p[i] == '`')
			buf_byte(out, '`');
	}
	buf_str(out, name.len > 0 && name.p[name.len - 1] == ' ' ? "_`" : "`");
}

static const struct respelt {
	const char	*word, *spelling;
	const char	*before_bracket;	/* of a type; NULL: it is a function, whose spelling has the bracket */
} respelt[] = {
#define FUNCTION(word, spelling)	{ word, spelling, NULL },
#define TYPE(word, spelling, measured)	{ word, spelling, measured },
#include "workers/sql/mysql/mysql_respell.def"
#undef FUNCTION
#undef TYPE
};

static const struct respelt *
find_respelt(struct span word, bool type)
{
	for (size_t i = 0; i < sizeof(respelt) / sizeof(respelt[0]); i++)
		if ((respelt[i].before_bracket != NULL) == type && span_is_word(word, respelt[i].word))
			return &respelt[i];
	return NULL;
}

/* 'text' with doubled quotes, in which a backslash is only that. */
static void
put_literal(struct buf *out, struct span token)
{
	for (size_t i = 0; i < token.len; i++) {
		if (token.p[i] == '\\')
			buf_byte(out, '\\');
		buf_byte(out, token.p[i]);
	}
}

/* A unit without the s of its plural. */
static void
put_unit(struct buf *out, struct span unit)
{
	bool plural = unit.len > 1 && ascii_lower(unit.p[unit.len - 1]) == 's';

	buf_span(out, span_of(unit.p, unit.len - plural));
}

/* '90 days' as 90 DAY; False: it has another form. */
static bool
put_interval(struct buf *out, struct span token)
{
	struct span text = span_trim(span_of(token.p + 1, token.len - 2));
	size_t digits = 0, letters = 0, unit;

	while (digits < text.len && (ascii_is_digit(text.p[digits]) || (digits == 0 && text.p[0] == '-')))
		digits++;
	for (unit = digits; unit < text.len && text.p[unit] == ' '; unit++)
		;
	while (unit + letters < text.len && ascii_is_letter(text.p[unit + letters]))
		letters++;
	if (digits == 0 || letters == 0 || unit == digits || unit + letters < text.len)
		return false;
	buf_printf(out, "%.*s ", (int)digits, (const char *)text.p);
	put_unit(out, span_of(text.p + unit, letters));
	return true;
}

struct respelling {
	struct sqltext	 s;
	struct buf	*out;
	bool		 as, interval;	/* the word before */
	bool		 counted;	/* and a number between */
};

/* The byte behind white space; -1 at the end. */
static int
next_byte(const struct sqltext *s)
{
	size_t ahead = 0;

	while (sqltext_peek(s, ahead) >= 0 && ascii_is_space((uint8_t)sqltext_peek(s, ahead)))
		ahead++;
	return sqltext_peek(s, ahead);
}

static bool
respell_string(struct respelling *r, struct span token)
{
	if (token.p[0] != '\'' && ascii_lower(token.p[0]) != 'x' && ascii_lower(token.p[0]) != 'b')
		return false; /* E'…', N'…', $$…$$ */
	if (!r->interval || !put_interval(r->out, token))
		put_literal(r->out, token);
	return true;
}

static void
respell_word(struct respelling *r, struct span word)
{
	bool bracket = next_byte(&r->s) == '(';
	const struct respelt *known = r->as || bracket ? find_respelt(word, r->as) : NULL;

	if (known != NULL && !r->as)
		while (sqltext_piece(&r->s).text.p[0] != '(')
			;
	if (known != NULL)
		buf_str(r->out, r->as && bracket ? known->before_bracket : known->spelling);
	else if (r->interval && r->counted)
		put_unit(r->out, word);
	else
		buf_span(r->out, word);
	r->as = span_is_word(word, "as");
	r->interval = span_is_word(word, "interval");
	r->counted = false;
}

/* || is OR there, and :: does not exist. */
static bool
respell_punctuation(struct respelling *r, struct span byte)
{
	buf_span(r->out, byte);
	return !((byte.p[0] == '|' || byte.p[0] == ':') && sqltext_peek(&r->s, 0) == byte.p[0]);
}

static void
respell_name(struct respelling *r, struct span token)
{
	struct buf name = { 0 };

	for (size_t i = 1; i + 1 < token.len; i++) {
		buf_byte(&name, token.p[i]);
		i += token.p[i] == token.p[0];
	}
	dialect_mysql_identifier(r->out, buf_view(&name));
	buf_fini(&name);
}

static bool
dialect_mysql_respell(struct buf *out, struct span text)
{
	struct respelling r = { .s = { .dialect = SQLTEXT_EXPRESSION, .text = text }, .out = out };
	struct sqltext_token t;
	bool known = true;

	while (known && (t = sqltext_piece(&r.s)).kind != SQLTEXT_END) {
		if (t.kind == SQLTEXT_WORD)
			respell_word(&r, t.text);
		else if (t.kind == SQLTEXT_QUOTED)
			respell_name(&r, t.text);
		else if (t.kind == SQLTEXT_STRING)
			known = respell_string(&r, t.text);
		else if (t.kind == SQLTEXT_PUNCT)
			known = respell_punctuation(&r, t.text);
		else
			buf_span(out, t.text);
		r.counted = r.counted || t.kind == SQLTEXT_NUMBER;
	}
	return known;
}

static const struct dialect_around *
dialect_mysql_column(struct span type, bool text)
{
	static const char *const texts[] = { "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum",
		"set", NULL };
	static const struct dialect_around by_bytes = { "CONVERT(", BY_BYTES, "", "" };
	bool known = false;

	for (size_t i = 0; texts[i] != NULL; i++)
		known = known || span_begins_word(type, texts[i]);
	return (type.len == 0 ? text : known) ? &by_bytes : NULL;
}

static void
dialect_mysql_bucket(struct buf *out, enum dialect_grain grain, struct span x)
{
	switch (grain) {
	case GRAIN_HOUR:
		buf_printf(out, "DATE_FORMAT(%.*s, '%%Y-%%m-%%d %%H:00:00')", SPAN_FMT(x));
		break;
	case GRAIN_DAY:
		buf_printf(out, "DATE_FORMAT(%.*s, '%%Y-%%m-%%d')", SPAN_FMT(x));
		break;
	case GRAIN_WEEK: /* WEEKDAY is 0 on Mondays */
		buf_printf(out, "DATE_FORMAT(%.*s - INTERVAL (WEEKDAY(%.*s)) DAY, '%%Y-%%m-%%d')", SPAN_FMT(x),
		    SPAN_FMT(x));
		break;
	case GRAIN_MONTH:
		buf_printf(out, "DATE_FORMAT(%.*s, '%%Y-%%m-01')", SPAN_FMT(x));
		break;
	case GRAIN_QUARTER:
		buf_printf(out, "DATE_FORMAT(%.*s - INTERVAL ((MONTH(%.*s) - 1) %% 3) MONTH, '%%Y-%%m-01')",
		    SPAN_FMT(x), SPAN_FMT(x));
		break;
	case GRAIN_YEAR:
		buf_printf(out, "DATE_FORMAT(%.*s, '%%Y-01-01')", SPAN_FMT(x));
		break;
	case GRAIN_DECADE:
		buf_printf(out, "CONCAT(LEFT(DATE_FORMAT(%.*s, '%%Y'), 3), '0-01-01')", SPAN_FMT(x));
		break;
	case GRAIN_NONE:
		buf_span(out, x);
		break;
	}
}

/* There is no aggregate.  The value below the place, and of the way to the one above it what the place says. */
static void
dialect_mysql_ranked(struct buf *out, struct span x, struct span before, struct span place)
{
	static const char value[] = "MAX(CASE WHEN %.*s = %s(%.*s) THEN %.*s END)";

	buf_byte(out, '(');
	buf_printf(out, value, SPAN_FMT(before), "FLOOR", SPAN_FMT(place), SPAN_FMT(x));
	buf_str(out, " + MAX(");
	buf_printf(out, "%.*s - FLOOR(%.*s)) * (", SPAN_FMT(place), SPAN_FMT(place));
	buf_printf(out, value, SPAN_FMT(before), "CEILING", SPAN_FMT(place), SPAN_FMT(x));
	buf_str(out, " - ");
	buf_printf(out, value, SPAN_FMT(before), "FLOOR", SPAN_FMT(place), SPAN_FMT(x));
	buf_str(out, "))");
}

/* NULL is the smallest value already, and columns of text compare by bytes. */
static void
dialect_mysql_order(struct buf *out, struct span x, bool text, bool descending)
{
	(void)text;
	buf_span(out, x);
	buf_str(out, descending ? " DESC" : "");
}

static const char *const aggregates[] = { "sum", "avg", "count", "min", "max", "stddev", "stddev_pop", "stddev_samp",
	"variance", "var_pop", "var_samp", "string_agg", "group_concat", "listagg", "any_value", "bool_and", "bool_or",
	"every", NULL };

const struct dialect dialect_mysql = {
	.text = SQLTEXT_MYSQL,
	.name_max = NAME_MAX_BYTES,
	.identifier = dialect_mysql_identifier,
	.respell = dialect_mysql_respell,
	.bucket = dialect_mysql_bucket,
	.day = { "CAST(", " AS date)", "", "" },
	.divide = " * 1e0 / ",
	.concat = "CONCAT",
	.mean = { "", "", "(", ") * 1e0" },
	.column = dialect_mysql_column,
	.keys_twice = true,
	.separator = " SEPARATOR ",
	.ranked = dialect_mysql_ranked,
	.aggregates = aggregates,
	.order = dialect_mysql_order,
	.extreme = { "", "", "CONVERT(", BY_BYTES },
	.boolean_side = "MAX",
	.typed_nulls = false,
};
