/* columns_random.c - see columns_random.h. */
#include "tests/integration/columns/columns_random.h"

#include <stddef.h>
#include <string.h>

#define DEEP	4

struct lot {
	uint64_t	 state;
	bool		 postgres, mysql;
	struct buf	*out;
	unsigned	 depth, alias, from;	/* aliases from..alias are in scope */
	unsigned	 table[64];		/* of each alias */
};

static const struct {
	const char	*name;
	const char	*columns[10];
	bool		 postgres;	/* only there */
} tables[] = {
	{ "customers", { "id", "name", "email", "ssn", "phone", "tenant", "notes", "domain", NULL }, false },
	{ "customers", { "id", "email", "ssn", "ssn", "email", "tenant", NULL }, false },
	{ "leads", { "id", "phone", "source", "email", NULL }, false },
	{ "orders", { "id", "customer_id", "amount", "status", NULL }, false },
	{ "all_view", { "id", "name", "email", "ssn", "phone", "domain", NULL }, false },
	{ "renamed_view", { "no", "b", "c", NULL }, false },
	{ "deep_view", { "no", "mail", "amount", NULL }, false },
	{ "agg_view", { "tenant", "n", "mails", NULL }, false },
	{ "filter_view", { "id", "name", NULL }, false },
	{ "row_view", { "id", "j", "whole", NULL }, true },
	{ "cast_view", { "id", "e", "s", NULL }, true },
	{ "mat", { "id", "e", "ssn", NULL }, true },
	{ "people", { "id", "name", "ssn", NULL }, true },
	{ "people_low", { "id", "name", "ssn", NULL }, true },
	{ "public.customers", { "id", "email", "ssn", "tenant", NULL }, true },
	{ "main.customers", { "id", "email", "ssn", "tenant", NULL }, false },
	{ "with_one", { "id", "email", "ssn", NULL }, false },
};

#define NTABLES	(sizeof(tables) / sizeof(tables[0]))

static unsigned
draw(struct lot *l, unsigned n)
{
	uint64_t z = l->state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return (unsigned)((z ^ z >> 31) % n);
}

static void
say(struct lot *l, const char *text)
{
	buf_str(l->out, text);
}

static void
say_one(struct lot *l, const char *const *list, unsigned n)
{
	say(l, list[draw(l, n)]);
}

#define ONE_OF(l, ...)	say_one(l, (const char *const[]){ __VA_ARGS__ },	\
    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void select_statement(struct lot *l);
static void expression(struct lot *l);

static void
column(struct lot *l)
{
	unsigned alias = l->alias > l->from ? l->from + draw(l, l->alias - l->from) : 0, n = 0;
	const char *const *list = tables[l->alias > l->from ? l->table[alias] : 0].columns;

	while (list[n] != NULL)
		n++;
	if (l->alias > l->from && draw(l, 12) > 0)
		buf_printf(l->out, "t%u.", alias);
	say(l, list[draw(l, n)]);
}

static void
literal(struct lot *l)
{
	ONE_OF(l, "1", "0", "NULL", "'c%'", "'CANARY_MINE'", "'***'", "2.5", "'a'", "''");
}

/* Something true or false, more often than not. */
static void
condition(struct lot *l)
{
	switch (draw(l, 6)) {
	case 0:
		expression(l);
		break;
	case 1:
		column(l);
		say(l, " = ");
		column(l);
		break;
	case 2:
		say(l, "EXISTS (");
		select_statement(l);
		say(l, ")");
		break;
	default:
		say(l, "(");
		expression(l);
		ONE_OF(l, ") IS NULL", ") IS NOT NULL");
	}
}

static void
call(struct lot *l)
{
	if (l->postgres)
		ONE_OF(l, "upper(", "length(", "pg_typeof(", "concat(", "to_jsonb(", "md5(", "concat(",
		    "quote_literal(", "to_json(", "coalesce(NULL, ", "json_build_array(", "hashtext(", "ROW(",
		    "pg_column_size(");
	else if (l->mysql)
		ONE_OF(l, "upper(", "length(", "concat(", "json_quote(", "hex(", "quote(", "coalesce(NULL, ", "abs(",
		    "json_array(", "md5(", "greatest(1, ", "ifnull(NULL, ", "nullif('c', ", "sformat('{}', ",
		    "convert_tz(now(), 'UTC', ", "~0 + ");
	else
		ONE_OF(l, "upper(", "length(", "max(1, ", "json_quote(", "hex(", "quote(", "typeof(", "coalesce(NULL, ",
		    "unicode(", "abs(", "json_array(");
	expression(l);
	say(l, ")");
}

static void
expression(struct lot *l)
{
	unsigned kind = l->depth >= DEEP || draw(l, 2) == 0 ? draw(l, 4) : draw(l, 16);

	l->depth++;
	switch (kind) {
	case 0:
	case 1:
	case 2:
	case 4:
		column(l);
		break;
	case 3:
		literal(l);
		break;
	case 5:
		expression(l);
		ONE_OF(l, " = ", " < ", " || ", " + ", " LIKE ", " <> ", l->mysql ? " <=> " : " IS DISTINCT FROM ",
		    " AND ");
		expression(l);
		break;
	case 6: /* what any type can do */
		say(l, l->postgres || l->mysql ? "(concat(" : "(concat_of(");
		if (!l->postgres && !l->mysql) {
			l->out->len -= strlen("concat_of(");
			say(l, "'' || (");
		}
		expression(l);
		ONE_OF(l, ") LIKE 'c%')", ") < 'd')", ") = '***')", ") || 'x')");
		break;
	case 7:
	case 8:
		call(l);
		break;
	case 9:
		say(l, "(CASE WHEN ");
		condition(l);
		ONE_OF(l, " THEN 1 ELSE 2", " THEN NULL ELSE ");
		if (l->out->p[l->out->len - 1] == ' ')
			expression(l);
		say(l, " END)");
		break;
	case 10:
		say(l, "(");
		expression(l);
		ONE_OF(l, ") IS NULL", ") IS NOT NULL");
		break;
	case 11:
		say(l, "EXISTS (");
		select_statement(l);
		say(l, ")");
		break;
	case 12:
		say(l, "(");
		select_statement(l);
		say(l, " LIMIT 1)");
		break;
	case 13:
		expression(l);
		say(l, " IN (");
		select_statement(l);
		say(l, ")");
		break;
	case 14:
		say(l, "CAST(");
		expression(l);
		if (l->mysql)
			ONE_OF(l, " AS char)", " AS signed)", " AS decimal(9, 2))");
		else
			ONE_OF(l, " AS text)", " AS int)", " AS numeric)");
		break;
	default:
		if (l->postgres && l->alias > l->from) /* a whole row */
			buf_printf(l->out, draw(l, 2) == 0 ? "to_jsonb(t%u)::text" : "t%u::text", l->from);
		else
			column(l);
		break;
	}
	l->depth--;
}

static void
table(struct lot *l)
{
	unsigned i;

	do
		i = draw(l, NTABLES);
	while (tables[i].postgres && !l->postgres);
	if (l->depth < DEEP && draw(l, 8) == 0) {
		say(l, l->postgres && draw(l, 2) == 0 ? "LATERAL (" : "(");
		l->depth++;
		select_statement(l);
		l->depth--;
		say(l, ")");
	} else
		say(l, l->mysql && strncmp(tables[i].name, "main.", 5) == 0 ? "shop.customers" : tables[i].name);
	l->table[l->alias] = i;
	buf_printf(l->out, " t%u", l->alias++);
}

static void
from_clause(struct lot *l)
{
	unsigned n = 1 + draw(l, 3) / 2;

	say(l, " FROM ");
	table(l);
	for (unsigned i = 1; i < n && l->alias < 60; i++)
		switch (draw(l, 4)) {
		case 0:
			say(l, " NATURAL JOIN ");
			table(l);
			break;
		case 1:
			say(l, " JOIN ");
			table(l);
			ONE_OF(l, " USING (id)", " USING (email)", " USING (ssn)", " USING (phone)");
			break;
		case 2:
			say(l, " LEFT JOIN ");
			table(l);
			say(l, " ON ");
			condition(l);
			break;
		default:
			say(l, ", ");
			table(l);
		}
}

static void
target_list(struct lot *l)
{
	unsigned n = 1 + draw(l, 2);

	if (draw(l, 6) == 0) {
		ONE_OF(l, "count(*), count(", "max(", "count(DISTINCT ",
		    l->postgres  ? "array_agg(" :
			l->mysql ? "min(" :
				   "group_concat(",
		    "sum(");
		expression(l);
		say(l, ")");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		say(l, i > 0 ? ", " : "");
		if (draw(l, 6) == 0)
			say(l, "*");
		else {
			expression(l);
			if (draw(l, 3) == 0)
				ONE_OF(l, " AS email", " AS ssn", " AS x", " AS id");
		}
	}
}

/* The list is written before the aliases it may name: their number is known only then, so it is written behind. */
static void
select_statement(struct lot *l)
{
	struct buf from = { 0 }, *out = l->out;
	unsigned before = l->from, mark = l->alias;

	if (l->alias >= 56) {
		say(l, "SELECT 1");
		return;
	}
	l->depth++;
	l->from = mark;
	l->out = &from;
	from_clause(l);
	l->out = out;
	say(l, draw(l, 8) == 0 ? "SELECT DISTINCT " : "SELECT ");
	target_list(l);
	buf_span(l->out, buf_view(&from));
	buf_fini(&from);
	if (draw(l, 3) == 0) {
		say(l, " WHERE ");
		condition(l);
	}
	if (draw(l, 6) == 0) {
		say(l, " GROUP BY ");
		column(l);
	}
	if (l->depth == 1 && draw(l, 4) == 0) {
		say(l, " ORDER BY ");
		draw(l, 2) == 0 ? say(l, "1") : column(l);
	}
	l->from = before;
	if (before < mark) /* names of the statement around stay in scope there */
		l->alias = l->alias > 56 ? 56 : l->alias;
	l->depth--;
}

void
columns_random(uint64_t number, enum columns_dialect dialect, struct buf *out)
{
	static const char *const explain[] = { "EXPLAIN QUERY PLAN ", "EXPLAIN (COSTS OFF) ", "EXPLAIN " };
	struct lot l = { .state = number * UINT64_C(0xD1342543DE82EF95) + 1,
		.postgres = dialect == COLUMNS_POSTGRES,
		.mysql = dialect == COLUMNS_MYSQL,
		.out = out };

	if (draw(&l, 12) == 0)
		say(&l, explain[dialect]);
	ONE_OF(&l, "WITH with_one AS (SELECT * FROM customers) ",
	    "WITH with_one AS (SELECT id, email, ssn FROM customers) ",
	    "WITH with_one AS (SELECT id, email, 1 AS ssn FROM customers) ",
	    "WITH customers AS (SELECT * FROM customers), "
	    "with_one AS (SELECT * FROM customers) ",
	    "WITH with_one(id, email, ssn) AS (SELECT id, email, name FROM customers) ");
	select_statement(&l);
	if (draw(&l, 8) == 0) {
		ONE_OF(&l, " UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT ");
		select_statement(&l);
	}
	if (!l.mysql) /* which rows come first is not always the same there */
		say(&l, " LIMIT 50");
}
