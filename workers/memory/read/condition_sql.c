#include <string.h>

#include "project/model/source_find.h"
#include "base/ascii.h"
#include "workers/memory/read/condition_column.h"
#include "workers/memory/read/condition_sql.h"
#include "workers/memory/read/formula.h"

#define DEPTH_MAX	16

struct sql_reader {
	const struct condition_of	*of;
	struct span			 s;
	size_t				 at;
	unsigned			 depth;
};

static void
skip_blanks(struct sql_reader *r)
{
	while (r->at < r->s.len && ascii_is_space(r->s.p[r->at]))
		r->at++;
}

static bool
read_keyword(struct sql_reader *r, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(r);
	if (!span_begins_word(formula_from(r->s, r->at), word) ||
	    (r->at + n < r->s.len && formula_is_name(r->s.p[r->at + n])))
		return false;
	r->at += n;
	return true;
}

static bool
read_symbol(struct sql_reader *r, const char *text)
{
	size_t n = strlen(text);

	skip_blanks(r);
	if (r->s.len - r->at < n || memcmp(r->s.p + r->at, text, n) != 0)
		return false;
	r->at += n;
	return true;
}

static bool
read_literal(struct sql_reader *r)
{
	struct span rest;
	size_t n = 0;

	if (read_keyword(r, "true") || read_keyword(r, "false"))
		return true;
	skip_blanks(r);
	rest = formula_from(r->s, r->at);
	if (rest.len > 0 && rest.p[0] == '\'')
		n = formula_quoted(rest);
	else {
		n = rest.len > 0 && rest.p[0] == '-';
		if (n >= rest.len || !ascii_is_digit(rest.p[n]))
			return false;
		while (n < rest.len &&
		    (ascii_is_digit(rest.p[n]) ||
			(rest.p[n] == '.' && n + 1 < rest.len && ascii_is_digit(rest.p[n + 1]))))
			n++;
		/* In a sentence "5.000" may be five or five thousand. */
		if (n > 4 && n <= 7 + (rest.p[0] == '-') && rest.p[n - 4] == '.')
			return false;
		/* "500 euros", "2nd" */
		if (n < rest.len && (formula_is_name(rest.p[n]) || rest.p[n] >= 0x80 || rest.p[n] == '%'))
			return false;
	}
	r->at += n;
	return n > 0;
}

/* Reads a column of the source, qualified or not; *found NULL: unknown column. */
static bool
read_name(struct sql_reader *r, const struct source_column **found)
{
	struct span owner, last;

	skip_blanks(r);
	if (r->at == r->s.len || !formula_is_letter(r->s.p[r->at]))
		return false;
	r->at += formula_dotted(formula_from(r->s, r->at), &owner, &last);
	if (owner.len > 0 && !span_is(owner, r->of->name))
		return false;
	*found = source_find_column(r->of->source, last);
	return *found != NULL;
}

static bool
read_list(struct sql_reader *r)
{
	if (!read_symbol(r, "("))
		return false;
	do
		if (!read_literal(r))
			return false;
	while (read_symbol(r, ","));
	return read_symbol(r, ")");
}

static bool read_any(struct sql_reader *r);

static bool
read_primary(struct sql_reader *r)
{
	static const char *const operators[] = { "<>", "<=", ">=", "!=", "=", "<", ">" };
	const struct source_column *c;
	size_t mark;

	if (read_symbol(r, "("))
		return read_any(r) && read_symbol(r, ")");
	if (!read_name(r, &c))
		return false;
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (read_symbol(r, operators[i]))
			return read_literal(r);
	mark = r->at;
	if (read_keyword(r, "is")) {
		(void)read_keyword(r, "not");
		return read_keyword(r, "null") ||
		    (condition_is_boolean(c) && (read_keyword(r, "true") || read_keyword(r, "false")));
	}
	if (read_keyword(r, "between"))
		return read_literal(r) && read_keyword(r, "and") && read_literal(r);
	(void)read_keyword(r, "not");
	if (read_keyword(r, "in"))
		return read_list(r);
	if (read_keyword(r, "like"))
		return read_literal(r);
	r->at = mark;
	return condition_is_boolean(c);
}

static bool
read_negated(struct sql_reader *r)
{
	while (read_keyword(r, "not"))
		;
	return read_primary(r);
}

static bool
read_any(struct sql_reader *r)
{
	bool good;

	if (++r->depth > DEPTH_MAX)
		return false;
	do
		good = read_negated(r);
	while (good && (read_keyword(r, "and") || read_keyword(r, "or")));
	r->depth--;
	return good;
}

size_t
condition_sql_length(const struct condition_of *of, struct span s)
{
	struct sql_reader r = { .of = of, .s = s };

	return of->source != NULL && read_any(&r) ? r.at : 0;
}
