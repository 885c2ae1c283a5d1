#include <string.h>

#include "workers/memory/read/signals.h"
#include "workers/memory/read/statement.h"

/* "orders o" or "main.orders as o". */
static bool
read_table(struct span s, struct formula_scope *scope)
{
	struct span owner;
	size_t n;

	s = span_trim(s);
	if (s.len == 0 || !formula_is_letter(s.p[0]))
		return false;
	n = formula_dotted(s, &owner, &scope->source);
	s = span_trim(formula_from(s, n));
	if (s.len > 3 && span_begins_word(s, "as "))
		s = span_trim(formula_from(s, 3));
	scope->alias = s;
	for (size_t i = 0; i < s.len; i++)
		if (!formula_is_name(s.p[i]))
			return false;
	return true;
}

bool
statement_item(struct span *list, struct span *item)
{
	size_t depth = 0, i;

	if (list->len == 0)
		return false;
	for (i = 0; i < list->len && (depth > 0 || list->p[i] != ','); i++) {
		depth += list->p[i] == '(';
		depth -= list->p[i] == ')' && depth > 0;
	}
	*item = span_trim(span_of(list->p, i));
	*list = i < list->len ? formula_from(*list, i + 1) : SPAN_NONE;
	return true;
}

bool
statement_read(struct span text, struct statement *s)
{
	static const char *const ends[] = { "group", "order", "limit", "having", "window", "fetch", "offset", "union",
		"intersect", "except", NULL };
	const uint8_t *select = signals_find(text, "select"), *semicolon;
	struct span rest, tables;
	size_t stop, end, at;

	*s = (struct statement){ .fault = NULL };
	if (select == NULL)
		return false;
	rest = formula_from(text, (size_t)(select + 6 - text.p));
	stop = formula_outer_word(rest, "from");
	if (stop == rest.len || !formula_aggregates(s->list = span_of(rest.p, stop)))
		return false;
	rest = formula_from(rest, stop + 4);
	if ((semicolon = memchr(rest.p, ';', rest.len)) != NULL) {
		if (signals_find(span_of(semicolon, (size_t)(rest.p + rest.len - semicolon)), "select") != NULL)
			s->fault = "it is one of several statements; hand them in one by one";
		rest.len = (size_t)(semicolon - rest.p);
	}
	if (memmem(text.p, text.len, "--", 2) != NULL || memmem(text.p, text.len, "/*", 2) != NULL)
		s->fault = "its statement holds a comment, which may say more";
	else if (span_begins_word(span_trim(s->list), "distinct") || span_begins_word(span_trim(s->list), "top "))
		s->fault = "its statement selects some of the rows";
	else if (formula_outer_word(rest, "having") < rest.len)
		s->fault = "its statement has a having clause";
	else if (formula_outer_word(rest, "group") == rest.len &&
	    (formula_outer_word(rest, "limit") < rest.len || formula_outer_word(rest, "offset") < rest.len ||
		formula_outer_word(rest, "fetch") < rest.len))
		s->fault = "its statement limits its rows";
	else if (formula_outer_word(rest, "union") < rest.len || formula_outer_word(rest, "intersect") < rest.len ||
	    formula_outer_word(rest, "except") < rest.len)
		s->fault = "its statement is made of several";
	else if (signals_find(span_of(text.p, (size_t)(select - text.p)), "with") != NULL ||
	    signals_find(rest, "select") != NULL)
		s->fault = "its statement has a query within it";
	end = rest.len;
	for (const char *const *e = ends; *e != NULL; e++)
		if ((at = formula_outer_word(rest, *e)) < end)
			end = at;
	rest.len = end;
	tables = span_of(rest.p, formula_outer_word(rest, "where"));
	if (tables.len < rest.len)
		s->filter = formula_from(rest, tables.len + 5);
	if (s->fault == NULL && (signals_find(tables, "join") != NULL || !read_table(tables, &s->scope)))
		s->fault = "its statement reads more than one table";
	return true;
}
