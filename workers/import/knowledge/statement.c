/*
 * statement.c - see statement.h.
 *
 * A statement is cut into tokens by the rules of the connection's engine.  Its clauses are found by their words, and
 * what is in brackets by the brackets; a literal is passed over and goes nowhere.
 *
 * A column without a table's name counts where its query reads one table.  What a name in a query of FROM or WITH
 * stands for is not followed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/import/knowledge/statement.h"

#define STATEMENT_MAX	((size_t)64 << 10)	/* bytes, as a statement may have that is run */
#define SCRATCH		((size_t)64 << 20)	/* of one statement */
#define DEPTH_MAX	64			/* queries in queries */
#define TABLES_MAX	32			/* of one query, and its equalities; further ones are passed over */

/* A table of FROM, by the name that the query gives it. */
struct log_relation {
	struct span	alias;
	size_t		table;		/* EVIDENCE_NO_TABLE: of a query, or a function */
};

struct log_scope {
	const struct log_scope	*outer;
	unsigned		 depth;
	size_t			 n, nnames;
	struct log_relation		 v[TABLES_MAX];
	struct span		 names[TABLES_MAX];	/* of WITH */
};

/* An equality of columns of two relations, the lower table first. */
struct equality {
	const struct log_relation	*a, *b;
	struct span		 x, y;
	bool			 done;
};

struct log_statement {
	struct log_evidence		*e;
	struct arena		*scratch;
	size_t			 n, nequalities;
	struct sqltext_token	*t;
	size_t			*match;		/* of an opening bracket: its closing one */
	struct equality		 equalities[TABLES_MAX];
	bool			 broken;
	bool			 counting;	/* a first pass only finds out whether it is broken */
};

static bool
is_punct(const struct log_statement *s, size_t i, size_t end, char c)
{
	return i < end && sqltext_is_punct(&s->t[i], c);
}

static bool
is_word(const struct log_statement *s, size_t i, size_t end, const char *word)
{
	return i < end && sqltext_is(&s->t[i], word);
}

static bool
is_word_of(const struct log_statement *s, size_t i, size_t end, const char *const *words)
{
	return i < end && s->t[i].kind == SQLTEXT_WORD && span_is_any_word(s->t[i].text, words);
}

/* The token behind the one at i, and behind what its bracket holds. */
static size_t
next_of(const struct log_statement *s, size_t i)
{
	return sqltext_is_punct(&s->t[i], '(') ? s->match[i] + 1 : i + 1;
}

static bool
begins_query(const struct log_statement *s, size_t i, size_t end)
{
	while (is_punct(s, i, end, '('))
		i++;
	return is_word(s, i, end, "select") || is_word(s, i, end, "with");
}

static const char *const joins[] = { "join", "inner", "left", "right", "full", "cross", "outer", "natural", "semi",
	"anti", "asof", "straight_join", "positional", NULL };

/* Whether a join begins: left(a, 1) is a function. */
static bool
is_join(const struct log_statement *s, size_t i, size_t end)
{
	return is_word_of(s, i, end, joins) &&
	    !((is_word(s, i, end, "left") || is_word(s, i, end, "right")) && is_punct(s, i + 1, end, '('));
}

/* Words that are no name of a relation, nor of a column. */
static const char *const reserved[] = { "on", "using", "join", "inner", "left", "right", "full", "cross", "outer",
	"natural", "where", "group", "order", "having", "limit", "union", "intersect", "except", "as", "and", "or",
	"not", "null", "true", "false", "select", "from", "case", "when", "then", "else", "end", "between", "in",
	"is", "like", "exists", "semi", "anti", "asof", "straight_join", "positional", "lateral", "window", "for",
	"tablesample", "use", "force", "ignore", "final", NULL };
static const char *const clauses[] = { "from", "where", "group", "having", "window", "qualify", "order", "limit",
	"offset", "fetch", "for", NULL };
static const char *const set_words[] = { "union", "intersect", "except", "minus", NULL };
/* Words of a value. */
static const char *const values[] = { "null", "true", "false", "current_date", "current_timestamp", "current_time",
	"localtimestamp", "localtime", "date", "timestamp", "time", "interval", "day", "month", "year", "hour",
	"minute", "week", "and", "not", "escape", "array", "unknown", "any", NULL };

/* A name as this reader keeps it: in lower case, since engines fold it and the scan decides. */
static bool
name_at(const struct log_statement *s, size_t i, size_t end, struct span *out)
{
	char *text;

	if (i >= end || (s->t[i].kind != SQLTEXT_WORD && s->t[i].kind != SQLTEXT_QUOTED) ||
	    is_word_of(s, i, end, reserved))
		return false;
	text = mem_must(arena_cstr(s->scratch, span_str(sqltext_unquoted(s->scratch, s->t[i].text))));
	for (char *p = text; *p != '\0'; p++)
		*p = (char)ascii_lower((uint8_t)*p);
	*out = span_str(text);
	/* What could not be told from a reference, or from the words of a join. */
	return out->len > 0 && strpbrk(text, "{}.:=`\n\r") == NULL && strstr(text, " and ") == NULL;
}

/* The names of "a.b.c" from *i on, the last two of them; returns how many there are. */
static size_t
take_names(const struct log_statement *s, size_t *i, size_t end, struct span *qualifier, struct span *name)
{
	size_t n = 0;

	*qualifier = *name = SPAN_NONE;
	while (name_at(s, *i, end, name)) {
		n++;
		++*i;
		if (!is_punct(s, *i, end, '.'))
			return n;
		*qualifier = *name;
		++*i;
	}
	return 0;
}

static void read_query(struct log_statement *s, size_t i, size_t end, const struct log_scope *outer);
static void read_conditions(struct log_statement *s, size_t i, size_t end, const struct log_scope *in);

/* The queries in brackets, wherever they stand. */
static void
read_inner(struct log_statement *s, size_t i, size_t end, const struct log_scope *in)
{
	for (; i < end; i++)
		if (is_punct(s, i, end, '(') && begins_query(s, i + 1, end)) {
			read_query(s, i + 1, s->match[i], in);
			i = s->match[i];
		}
}

/* The relation of a column from *i on, whose name is *column; NULL: none that is known here. */
static const struct log_relation *
take_column(const struct log_statement *s, size_t *i, size_t end, const struct log_scope *in, struct span *column)
{
	struct span qualifier;
	size_t n = take_names(s, i, end, &qualifier, column);

	if (n == 0 || is_punct(s, *i, end, '('))
		return NULL;
	if (n == 1)
		return in->n == 1 && in->v[0].table != EVIDENCE_NO_TABLE ? &in->v[0] : NULL;
	for (; in != NULL; in = in->outer)
		for (size_t r = 0; r < in->n; r++)
			if (span_is(in->v[r].alias, qualifier))
				return in->v[r].table != EVIDENCE_NO_TABLE ? &in->v[r] : NULL;
	return NULL;
}

/* Whether the tokens are values: nothing in them may be a column. */
static bool
is_value(const struct log_statement *s, size_t i, size_t end)
{
	for (; i < end; i++) {
		bool cast = i > 0 && (is_punct(s, i - 1, end, ':') || is_word(s, i - 1, end, "as"));

		if (s->t[i].kind == SQLTEXT_QUOTED || is_word(s, i, end, "select"))
			return false;
		if (s->t[i].kind == SQLTEXT_WORD && !cast && !is_punct(s, i + 1, end, '(') &&
		    !is_word_of(s, i, end, values))
			return false;
	}
	return true;
}

/* The comparison from *i on; NULL if it is not one.  *valued: values follow. */
static const char *
take_operator(const struct log_statement *s, size_t *i, size_t end, bool *valued)
{
	static const struct {
		const char *words[2], *name;
		bool alone; /* no value follows */
	} forms[] = { { { "not", "in" }, "NOT IN", false }, { { "not", "like" }, "NOT LIKE", false },
		{ { "not", "between" }, "NOT BETWEEN", false }, { { "is", "not" }, "IS NOT NULL", true },
		{ { "is", "null" }, "IS NULL", true }, { { "is", "true" }, "IS TRUE", true },
		{ { "is", "false" }, "IS FALSE", true }, { { "in", NULL }, "IN", false },
		{ { "like", NULL }, "LIKE", false }, { { "ilike", NULL }, "ILIKE", false },
		{ { "between", NULL }, "BETWEEN", false } };
	static const char *const signs[] = { "<=", ">=", "<>", "!=", "=", "<", ">" };

	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
		if (is_word(s, *i, end, forms[f].words[0]) &&
		    (forms[f].words[1] == NULL || is_word(s, *i + 1, end, forms[f].words[1]))) {
			*i += forms[f].words[1] == NULL ? 1 : 2;
			*valued = !forms[f].alone;
			/* IS NOT NULL, and no other word. */
			return f != 3 || is_word(s, *i, end, "null") ? forms[f].name : NULL;
		}
	for (size_t f = 0; f < sizeof(signs) / sizeof(signs[0]); f++)
		if (is_punct(s, *i, end, signs[f][0]) &&
		    (signs[f][1] == '\0' || is_punct(s, *i + 1, end, signs[f][1]))) {
			*i += strlen(signs[f]);
			*valued = true;
			/* A longer operator is another one. */
			return *i < end && s->t[*i].kind == SQLTEXT_PUNCT &&
				strchr("=<>@~!|&#", s->t[*i].text.p[0]) != NULL ?
			    NULL :
			    signs[f];
		}
	return NULL;
}

static void
add_equality(struct log_statement *s, const struct log_relation *a, struct span x, const struct log_relation *b,
    struct span y)
{
	bool turned = a->table > b->table || (a->table == b->table && span_cmp(x, y) > 0);

	if (a == b || s->nequalities == sizeof(s->equalities) / sizeof(s->equalities[0]))
		return;
	s->equalities[s->nequalities++] =
	    turned ? (struct equality){ b, a, y, x, false } : (struct equality){ a, b, x, y, false };
}

/* One condition: an equality of columns, or a column and values. */
static void
read_condition(struct log_statement *s, size_t i, size_t end, const struct log_scope *in)
{
	size_t begin = i;
	struct span x, y;
	const struct log_relation *a, *b;
	const char *operator;
	bool valued = false;

	if (is_punct(s, i, end, '(') && s->match[i] == end - 1 && !begins_query(s, i + 1, end)) {
		read_conditions(s, i + 1, end - 1, in);
		return;
	}
	read_inner(s, i, end, in);
	if (is_word(s, i, end, "not"))
		i++;
	if ((a = take_column(s, &i, end, in, &x)) == NULL)
		return;
	if (i == end) {
		evidence_add(s->e, FACT_FILTER, a->table, 0, x,
		    begin + 1 < i && is_word(s, begin, end, "not") ? "NOT" : "IS TRUE");
		return;
	}
	if (is_word(s, begin, end, "not") || (operator= take_operator(s, &i, end, &valued)) == NULL)
		return;
	begin = i;
	if (strcmp(operator, "=") == 0 && (b = take_column(s, &i, end, in, &y)) != NULL && i == end)
		add_equality(s, a, x, b, y);
	else if (!valued || (begin < end && is_value(s, begin, end)))
		evidence_add(s->e, FACT_FILTER, a->table, 0, x, operator);
}

/* The conditions between ANDs.  With an OR among them none of them has to hold. */
static void
read_conditions(struct log_statement *s, size_t i, size_t end, const struct log_scope *in)
{
	size_t begin = i, cases = 0;
	bool between = false, optional = false;

	for (size_t at = i; at < end; at = next_of(s, at)) {
		cases += is_word(s, at, end, "case");
		cases -= cases > 0 && is_word(s, at, end, "end");
		optional = optional || (cases == 0 && (is_word(s, at, end, "or") || is_word(s, at, end, "xor")));
	}
	if (optional) {
		read_inner(s, i, end, in);
		return;
	}
	for (; i < end; i = next_of(s, i)) {
		cases += is_word(s, i, end, "case");
		cases -= cases > 0 && is_word(s, i, end, "end");
		between = between || (cases == 0 && is_word(s, i, end, "between"));
		if (cases > 0 || !is_word(s, i, end, "and"))
			continue;
		if (!between) {
			read_condition(s, begin, i, in);
			begin = i + 1;
		}
		between = false;
	}
	read_condition(s, begin, end, in);
}

static void read_from(struct log_statement *s, size_t i, size_t end, struct log_scope *in);

/* One relation of FROM with its alias, from i on; returns what is behind. */
static size_t
read_relation(struct log_statement *s, size_t i, size_t end, struct log_scope *in)
{
	struct span schema, name, alias;
	size_t table = EVIDENCE_NO_TABLE, n;
	bool named = true;

	while (is_word(s, i, end, "lateral") || is_word(s, i, end, "only"))
		i++;
	if (is_punct(s, i, end, '(')) {
		named = begins_query(s, i + 1, end);
		if (named)
			read_query(s, i + 1, s->match[i], in);
		else
			read_from(s, i + 1, s->match[i], in);
		i = s->match[i] + 1;
		name = SPAN_NONE;
	} else if ((n = take_names(s, &i, end, &schema, &name)) == 0)
		return i + 1;
	else if (is_punct(s, i, end, '('))
		i = s->match[i] + 1;
	else {
		for (const struct log_scope *o = in; o != NULL && n == 1; o = o->outer)
			for (size_t w = 0; w < o->nnames; w++)
				n = span_is(o->names[w], name) ? 0 : n;
		if (n > 0)
			table = s->counting ? evidence_table(s->e, schema, name) : EVIDENCE_NO_TABLE;
	}
	i += is_word(s, i, end, "as");
	if (!name_at(s, i, end, &alias))
		alias = name;
	else
		i++;
	if (named && in->n < TABLES_MAX)
		in->v[in->n++] = (struct log_relation){ alias, table };
	/* Lists of columns, samples and hints. */
	while (i < end && !is_punct(s, i, end, ',') && !is_join(s, i, end) && !is_word(s, i, end, "on") &&
	    !is_word(s, i, end, "using"))
		i = next_of(s, i);
	return i;
}

/* USING between two relations; of more it does not say which one has the column. */
static void
read_using(struct log_statement *s, size_t i, size_t end, const struct log_scope *in)
{
	struct span name;

	for (; i < end && in->n == 2; i++)
		if (in->v[0].table != EVIDENCE_NO_TABLE && in->v[1].table != EVIDENCE_NO_TABLE &&
		    name_at(s, i, end, &name))
			add_equality(s, &in->v[0], name, &in->v[1], name);
}

/* FROM; the conditions of ON come when all relations are known. */
static void
read_from(struct log_statement *s, size_t i, size_t end, struct log_scope *in)
{
	size_t begin = i;

	while (i < end) {
		if (is_punct(s, i, end, ',') || is_join(s, i, end))
			i++;
		else if (is_word(s, i, end, "using") && is_punct(s, i + 1, end, '(')) {
			read_using(s, i + 2, s->match[i + 1], in);
			i = s->match[i + 1] + 1;
		} else if (is_word(s, i, end, "on"))
			while (i < end && !is_punct(s, i, end, ',') && !is_join(s, i, end))
				i = next_of(s, i);
		else
			i = read_relation(s, i, end, in);
	}
	for (i = begin; i < end; i = next_of(s, i))
		if (is_word(s, i, end, "on")) {
			size_t on = i + 1, to = on;

			while (to < end && !is_punct(s, to, end, ',') && !is_join(s, to, end) &&
			    !is_word(s, to, end, "on"))
				to = next_of(s, to);
			read_conditions(s, on, to, in);
			i = to - 1;
		}
}

/* Whether a clause begins there: not at the FROM of IS DISTINCT FROM. */
static bool
begins_clause(const struct log_statement *s, size_t i, size_t begin, size_t end)
{
	bool distinct = i > begin + 1 && is_word(s, i - 1, end, "distinct") &&
	    (is_word(s, i - 2, end, "is") || is_word(s, i - 2, end, "not"));

	return is_word_of(s, i, end, clauses) && !distinct && !(i > begin && is_punct(s, i - 1, end, '.'));
}

static void
read_select(struct log_statement *s, size_t i, size_t end, const struct log_scope *outer)
{
	struct log_scope *in = mem_must(arena_alloc(s->scratch, sizeof(*in)));
	size_t begin = i, from = end, next;

	*in = (struct log_scope){ .outer = outer, .depth = outer == NULL ? 1 : outer->depth + 1 };
	for (size_t at = i; at < end && from == end; at = next_of(s, at))
		from = begins_clause(s, at, begin, end) && is_word(s, at, end, "from") ? at : end;
	for (size_t round = 0; round < 2; round++)
		for (size_t at = round == 0 ? from : begin; at < end; at = next) {
			for (next = at + 1; next < end && !begins_clause(s, next, begin, end);)
				next = next_of(s, next);
			if (round == 0 && at == from)
				read_from(s, at + 1, next, in);
			else if (round == 1 && is_word(s, at, end, "where"))
				read_conditions(s, at + 1, next, in);
			else if (round == 1 && at != from)
				read_inner(s, at + 1, next, in);
		}
}

/* The names of WITH and their queries, from i on; returns what is behind. */
static size_t
read_with(struct log_statement *s, size_t i, size_t end, struct log_scope *in)
{
	i += is_word(s, i, end, "recursive");
	do {
		if (in->nnames == TABLES_MAX || !name_at(s, i, end, &in->names[in->nnames]))
			break;
		in->nnames++;
		i++;
		if (is_punct(s, i, end, '('))
			i = s->match[i] + 1;
		while (is_word(s, i, end, "as") || is_word(s, i, end, "not") || is_word(s, i, end, "materialized"))
			i++;
		if (!is_punct(s, i, end, '('))
			break;
		read_query(s, i + 1, s->match[i], in);
		i = s->match[i] + 1;
		if (!is_punct(s, i, end, ','))
			return i;
		i++;
	} while (i < end);
	s->broken = true;
	return end;
}

/* A query, or several with UNION between them. */
static void
read_query(struct log_statement *s, size_t i, size_t end, const struct log_scope *outer)
{
	struct log_scope *in = mem_must(arena_alloc(s->scratch, sizeof(*in)));

	*in = (struct log_scope){ .outer = outer, .depth = outer == NULL ? 1 : outer->depth + 1 };
	if (in->depth > DEPTH_MAX) {
		s->broken = true;
		return;
	}
	if (is_word(s, i, end, "with"))
		i = read_with(s, i + 1, end, in);
	while (i < end) {
		size_t to = i;

		while (to < end && !is_word_of(s, to, end, set_words))
			to = next_of(s, to);
		if (is_punct(s, i, end, '('))
			read_query(s, i + 1, s->match[i], in);
		else if (is_word(s, i, end, "select"))
			read_select(s, i + 1, to, in);
		else if (!is_word(s, i, end, "values") && !is_word(s, i, end, "table"))
			s->broken = true;
		i = to + 1;
		while (is_word(s, i, end, "all") || is_word(s, i, end, "distinct"))
			i++;
	}
}

static int
order_equalities(const void *a, const void *b)
{
	const struct equality *x = a, *y = b;
	int r = span_cmp(x->x, y->x);

	return r != 0 ? r : span_cmp(x->y, y->y);
}

/* All equalities of two relations are one join. */
static void
take_joins(struct log_statement *s)
{
	struct buf on = { 0 };

	qsort(s->equalities, s->nequalities, sizeof(s->equalities[0]), order_equalities);
	for (size_t i = 0; i < s->nequalities; i++) {
		const struct equality *e = &s->equalities[i];

		if (e->done)
			continue;
		on.len = 0;
		for (size_t j = i; j < s->nequalities; j++) {
			struct equality *o = &s->equalities[j];

			if (o->done || o->a != e->a || o->b != e->b)
				continue;
			buf_printf(&on, "%s%.*s = %.*s", on.len > 0 ? " AND " : "", SPAN_FMT(o->x), SPAN_FMT(o->y));
			o->done = true;
		}
		evidence_add(s->e, FACT_JOIN, e->a->table, e->b->table, buf_view(&on), "");
	}
	buf_fini(&on);
}

/* Cuts the text into s; false: its brackets or quotes do not end. */
static bool
cut_statement(struct log_statement *s, enum sqltext_dialect dialect, struct span text)
{
	struct sqltext cut = { dialect, text, 0 };
	size_t open[2 * DEPTH_MAX], depth = 0, max = text.len + 1;

	s->t = mem_must(arena_array(s->scratch, max, sizeof(*s->t)));
	s->match = mem_must(arena_array(s->scratch, max, sizeof(*s->match)));
	while ((s->t[s->n] = sqltext_next(&cut)).kind != SQLTEXT_END) {
		if (s->t[s->n].kind == SQLTEXT_BROKEN)
			return false;
		if (sqltext_is_punct(&s->t[s->n], '(')) {
			if (depth == sizeof(open) / sizeof(open[0]))
				return false;
			open[depth++] = s->n;
		} else if (sqltext_is_punct(&s->t[s->n], ')')) {
			if (depth == 0)
				return false;
			s->match[open[--depth]] = s->n;
		}
		s->n++;
	}
	return depth == 0;
}

enum statement_reading
statement_read(struct log_evidence *e, enum sqltext_dialect text, struct span sql, uint64_t calls)
{
	struct arena *scratch;
	struct log_statement *s;
	enum statement_reading r = STATEMENT_READ;

	if (sql.len > STATEMENT_MAX)
		return STATEMENT_LARGE;
	scratch = arena_new(SCRATCH);
	s = mem_must(arena_alloc(scratch, sizeof(*s)));
	s->e = e;
	s->scratch = scratch;
	if (!cut_statement(s, text, sql))
		r = STATEMENT_BROKEN;
	else if (!begins_query(s, 0, s->n))
		r = STATEMENT_OTHER;
	else {
		read_query(s, 0, s->n, NULL);
		r = s->broken ? STATEMENT_BROKEN : STATEMENT_READ;
	}
	if (r == STATEMENT_READ) {
		evidence_begin(e, calls);
		s->counting = true;
		s->nequalities = 0;
		read_query(s, 0, s->n, NULL);
		take_joins(s);
		evidence_pairs(e);
	}
	arena_free(scratch);
	return r;
}
