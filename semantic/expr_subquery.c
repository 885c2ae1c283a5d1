#include "semantic/expr.h"
#include "semantic/expr_subquery.h"

/* One bracket level of the sub-query. */
struct bracket_level {
	bool	select;		/* it holds a SELECT: a FROM in it is a clause, not EXTRACT's or TRIM's */
	bool	from;		/* inside its FROM clause: a comma separates tables */
};

struct subquery_scan {
	struct parser		*ps;
	struct expr		*e;
	struct span		*tables, *words, *aliases;
	size_t			 ntables, nwords, naliases;
	struct bracket_level		 levels[EXPR_DEPTH_MAX];
	unsigned		 depth;
};

static bool
is_word(const struct lex_token *t, const char *word)
{
	return t->kind == LEX_NAME && span_is_word(t->name, word);
}

static bool
is_any_word(const struct lex_token *t, const char *const *words)
{
	for (; *words != NULL; words++)
		if (is_word(t, *words))
			return true;
	return false;
}

/* Words that follow a table without naming it. */
static const char *const after_table[] = { "where", "group", "order", "having", "limit", "offset",
	"fetch", "union", "except", "intersect", "join", "inner", "left", "right", "full", "cross",
	"natural", "on", "using", "window", "tablesample", "for", NULL };

/*
 * The table whose name begins at t: the last part of a.b.c, then [AS] alias.
 * Returns its last token.
 */
static const struct lex_token *
take_table(struct subquery_scan *s, const struct lex_token *t)
{
	while (lex_is_name(&t[0]) && expr_token_is(s->ps, &t[1], ".") && lex_is_name(&t[2]))
		t += 2;
	s->tables[s->ntables++] = t->name;
	if (is_word(&t[1], "as") && lex_is_name(&t[2]))
		t += 2;
	else if (lex_is_name(&t[1]) && !is_any_word(&t[1], after_table))
		t++;
	/* An alias hides the table's own name: that one then means the outer query's. */
	s->aliases[s->naliases++] = t->name;
	/* c(a, b) renames columns, hidden ones too. */
	if (expr_token_is(s->ps, &t[1], "("))
		s->e->flags |= EXPR_SUB_STAR;
	return t;
}

/* t is where a table is expected. */
static const struct lex_token *
at_table(struct subquery_scan *s, const struct lex_token *t)
{
	while (is_word(t, "lateral") || is_word(t, "only"))
		t++;
	return lex_is_name(t) ? take_table(s, t) : t - 1;
}

static bool
begins_table(const struct subquery_scan *s, const struct lex_token *t)
{
	const struct bracket_level *l = &s->levels[s->depth];

	if (is_word(t, "from"))
		return l->select && !is_word(t - 1, "distinct");
	return is_word(t, "join") || is_word(t, "table") || (l->from && expr_token_is(s->ps, t, ","));
}

static const struct lex_token *
open_bracket(struct subquery_scan *s, const struct lex_token *t)
{
	bool join_list = s->levels[s->depth].from && (begins_table(s, t - 1) || expr_token_is(s->ps, t - 1, "("));

	if (s->depth + 1 == EXPR_DEPTH_MAX) {
		s->ps->at = t;
		expr_fail(s->ps, "less nesting");
		return t;
	}
	s->depth++;
	s->levels[s->depth].select = is_word(&t[1], "select") || is_word(&t[1], "with") || is_word(&t[1], "values");
	s->levels[s->depth].from = join_list && !s->levels[s->depth].select;
	return s->levels[s->depth].from ? at_table(s, t + 1) : t;
}

static const struct lex_token *
take_qualified(struct subquery_scan *s, const struct lex_token *t)
{
	struct expr *ref = expr_node(s->ps, EXPR_REF, t->start);

	s->words[s->nwords++] = t[2].name;
	if (ref == NULL)
		return t + 2;
	ref->parts[0] = t->name;
	ref->parts[1] = t[2].name;
	ref->nparts = 2;
	ref->written = span_of(s->ps->text.p + t->start, t[2].end - t->start);
	ref->end = t[2].end;
	expr_adopt(s->e, ref);
	return t + 2;
}

/* Read the token t and what belongs to it; returns the last token read. */
static const struct lex_token *
look_at(struct subquery_scan *s, const struct lex_token *t)
{
	static const char *const ends_from[] = { "where", "group", "having", "order", "limit", "window",
		"union", "except", "intersect", "select", NULL };
	const struct parser *ps = s->ps;
	struct bracket_level *l = &s->levels[s->depth];

	if (expr_token_is(ps, t, "("))
		return open_bracket(s, t);
	if (expr_token_is(ps, t, ")")) {
		s->depth--;
		return t;
	}
	if (expr_token_is(ps, t, "*") &&
	    (expr_token_is(ps, t + 1, ",") || expr_token_is(ps, t + 1, ")") || is_word(t + 1, "from")) &&
	    !expr_token_is(ps, t - 1, "("))
		s->e->flags |= EXPR_SUB_STAR;
	if (begins_table(s, t)) {
		l->from = l->from || !is_word(t, "table");
		return at_table(s, t + 1);
	}
	if (is_any_word(t, ends_from))
		l->from = false;
	if (!lex_is_name(t))
		return t;
	if (expr_token_is(ps, t + 1, ".") && lex_is_name(&t[2]) && !expr_token_is(ps, t + 3, "("))
		return take_qualified(s, t);
	s->words[s->nwords++] = t->name;
	return t;
}

/* A table's name or alias where a column could stand is its whole row, hidden columns included. */
static void
find_whole_rows(struct subquery_scan *s)
{
	for (size_t i = 0; i < s->nwords; i++)
		for (size_t k = 0; k < s->naliases; k++)
			if (span_is_folded(s->words[i], s->aliases[k]))
				s->e->flags |= EXPR_SUB_ROW;
}

struct expr *
expr_read_subquery(struct parser *ps)
{
	const struct lex_token *open = ps->at, *t;
	struct subquery_scan s = { .ps = ps, .e = expr_node(ps, EXPR_SUBQUERY, open->start) };
	size_t n = 0, depth = 0;

	do {
		depth += expr_token_is(ps, &open[n], "(");
		depth -= expr_token_is(ps, &open[n], ")");
	} while (open[n++].kind != LEX_END && depth > 0);
	s.tables = arena_array(ps->arena, n + 1, sizeof(*s.tables));
	s.words = arena_array(ps->arena, n + 1, sizeof(*s.words));
	s.aliases = arena_array(ps->arena, n + 1, sizeof(*s.aliases));
	if (s.e == NULL || s.tables == NULL || s.words == NULL || s.aliases == NULL)
		return expr_fail(ps, "a shorter expression");
	s.levels[0] = (struct bracket_level){ false, false };
	for (t = open; t->kind != LEX_END && !ps->failed; t++) {
		t = look_at(&s, t);
		if (s.depth == 0)
			break;
	}
	if (ps->failed)
		return NULL;
	if (t->kind == LEX_END) {
		ps->at = t;
		return expr_fail(ps, "a closing bracket");
	}
	find_whole_rows(&s);
	s.e->end = t->end;
	s.e->tables = s.tables;
	s.e->ntables = s.ntables;
	s.e->aliases = s.aliases;
	s.e->naliases = s.naliases;
	s.e->words = s.words;
	s.e->nwords = s.nwords;
	ps->at = t + 1;
	return s.e;
}
