/* random_sqlite_words.c - see random_sqlite_words.h. */
#include "tests/integration/columns/random_sqlite_words.h"

#include <stdio.h>
#include <string.h>

#define DEEP	3

struct scope {
	struct drawn			*d;
	struct buf			*out;
	unsigned			 depth, n;
	const struct drawn_object	*objects[4];
	unsigned			 alias[4], next;
};

#define ONE_OF(s, ...)	buf_str((s)->out, (const char *const[]){ __VA_ARGS__ }[drawn_lot((s)->d,		\
    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))])

static void select_statement(struct scope *s);
static void expression(struct scope *s);

/* Views and indexes may show hashed columns under other names: with digests only tables are asked column by column. */
static const struct drawn_column *
column_in(struct scope *s, const struct drawn_object *o)
{
	for (unsigned i = 0; i < 20; i++) {
		const struct drawn_column *c = &o->columns[drawn_lot(s->d, o->n)];

		if (!s->d->hashed || (o->kind == DRAWN_TABLE && c->action != DRAWN_HASH && !c->computed))
			return c;
	}
	return NULL;
}

static void
column(struct scope *s)
{
	unsigned i = s->n == 0 ? 0 : drawn_lot(s->d, s->n);
	const struct drawn_object *o = s->n == 0 ? &s->d->objects[drawn_lot(s->d, s->d->n)] : s->objects[i];
	const struct drawn_column *c = o == NULL || o->n == 0 ? NULL : column_in(s, o);

	if (s->n > 0 && drawn_lot(s->d, 3) > 0)
		buf_printf(s->out, "a%u.", s->alias[i]);
	if (c == NULL || drawn_lot(s->d, 14) == 0)
		ONE_OF(s, "rowid", "oid", "_rowid_");
	else
		drawn_put_name(s->d, s->out, c->name);
}

static void
literal(struct scope *s)
{
	ONE_OF(s, "1", "0", "NULL", "'w1 x1'", "'CANARY5'", "'***'", "1010", "x'00'", "'w*'", "5.5");
}

static void
call(struct scope *s)
{
	ONE_OF(s, "upper(", "length(", "typeof(", "hex(", "coalesce(NULL, ", "json_quote(", "unicode(", "max(1, ",
	    "count(", "max(", "min(", "sum(", "group_concat(", "total(", "quote(", "json_array(", "abs(");
	expression(s);
	ONE_OF(s, ")", ")", ")", ")", ") FILTER (WHERE 1)", ") OVER ()", ") OVER (ORDER BY 1)");
}

/* A full-text function wants the table's own name, which an alias hides: it may fail, and must fail alike. */
static void
text_call(struct scope *s)
{
	const struct drawn_object *o = s->n == 0 ? NULL : s->objects[drawn_lot(s->d, s->n)];

	if (o == NULL) {
		literal(s);
		return;
	}
	ONE_OF(s, "snippet(", "highlight(", "bm25(", "matchinfo(", "offsets(");
	drawn_put_name(s->d, s->out, o->name);
	ONE_OF(s, ")", ", 0, '', '')", ", 0, '', '', '', 8)", ", 'pcnalx')");
}

static void
condition(struct scope *s)
{
	switch (drawn_lot(s->d, 8)) {
	case 0:
		column(s);
		ONE_OF(s, " MATCH 'w1'", " MATCH 'canary*'", " MATCH 'w0:canary*'", " MATCH 'name:w*'",
		    " MATCH '\"w1 x1\"'");
		break;
	case 1:
		buf_byte(s->out, '(');
		column(s);
		buf_str(s->out, ", ");
		column(s);
		ONE_OF(s, ") = (1, 'w1 x1')", ") > (0, 'CANARY3')", ") IN (VALUES (1, 2))");
		break;
	case 2:
		column(s);
		ONE_OF(s, " BETWEEN 1 AND 1010", " LIKE 'CANARY%'", " GLOB 'w*'", " IN (1, 2, 1007)", " > 'CANARY4'");
		break;
	case 3:
		expression(s);
		ONE_OF(s, " IS NULL", " IS NOT NULL");
		break;
	case 4:
		column(s);
		buf_str(s->out, " IN (");
		select_statement(s);
		buf_byte(s->out, ')');
		break;
	default:
		column(s);
		ONE_OF(s, " = ", " < ", " >= ", " IS ", " <> ");
		drawn_lot(s->d, 2) == 0 ? literal(s) : column(s);
	}
}

static void
expression(struct scope *s)
{
	unsigned kind = s->depth >= DEEP ? drawn_lot(s->d, 4) : drawn_lot(s->d, 9);

	s->depth++;
	switch (kind) {
	case 3:
		literal(s);
		break;
	case 4:
		call(s);
		break;
	case 5:
		buf_str(s->out, "(CASE WHEN ");
		condition(s);
		buf_str(s->out, " THEN 1 ELSE 2 END)");
		break;
	case 6:
		buf_byte(s->out, '(');
		select_statement(s);
		ONE_OF(s, ")", " LIMIT 1)");
		break;
	case 7:
		text_call(s);
		break;
	case 8:
		buf_str(s->out, "EXISTS (");
		select_statement(s);
		buf_byte(s->out, ')');
		break;
	default:
		column(s);
	}
	s->depth--;
}

/* What SQLite keeps beside the tables. */
static void
inner_table(struct scope *s)
{
	const struct drawn_object *o = &s->d->objects[drawn_lot(s->d, s->d->n)];
	char name[64];

	if (drawn_lot(s->d, 2) == 0) {
		ONE_OF(s, "sqlite_stat1", "sqlite_stat4", "sqlite_sequence", "sqlite_temp_schema", "dbstat",
		    "json_each('[1,2]')", "temp.sqlite_master", "pragma_table_list");
		return;
	}
	snprintf(name, sizeof(name), "%s%s", o->name, (const char *const[]){ "_content", "_data", "_idx", "_docsize", "_segments",
	    "_segdir", "_stat", "_node", "_rowid", "_config", "_parent" }[drawn_lot(s->d, 11)]);
	drawn_put_name(s->d, s->out, name);
}

static void
table(struct scope *s)
{
	const struct drawn_object *o = &s->d->objects[drawn_lot(s->d, s->d->n)];
	unsigned how = drawn_lot(s->d, 20);

	if (s->d->hashed)
		while (o->kind != DRAWN_TABLE)
			o = &s->d->objects[drawn_lot(s->d, s->d->n)];
	s->objects[s->n] = o;
	s->alias[s->n] = s->next++;
	if (how == 0) {
		inner_table(s);
		s->objects[s->n] = NULL;
	} else if (how == 1 && !s->d->hashed) {
		ONE_OF(s, "pragma_table_info(", "pragma_index_list(", "pragma_table_xinfo(", "json_each(");
		buf_str(s->out, "'t0')");
		s->objects[s->n] = NULL;
	} else {
		if (how < 7)
			ONE_OF(s, "main.", "\"main\".", "temp.", "main . ", "\xEF\xBB\xBFmain.", "'main'.",
			    "[MAIN]./**/");
		if (how == 7) {
			buf_byte(s->out, '\'');
			for (const char *p = o->name; *p != '\0'; p++)
				buf_byte(s->out, (uint8_t)*p);
			buf_byte(s->out, '\'');
		} else
			drawn_put_name(s->d, s->out, o->name);
		if (how == 8)
			ONE_OF(s, "('w1')", "('canary*')", "('w1 OR canary5')");
	}
	buf_printf(s->out, drawn_lot(s->d, 2) == 0 ? " AS a%u" : " a%u", s->alias[s->n]);
	if (how == 9)
		ONE_OF(s, " NOT INDEXED", " INDEXED BY i0", " INDEXED BY i1");
	s->n++;
}

static void
from_clause(struct scope *s)
{
	unsigned n = 1 + drawn_lot(s->d, 4) / 3;

	buf_str(s->out, " FROM ");
	table(s);
	for (unsigned i = 1; i < n; i++) {
		const struct drawn_object *o = s->objects[0];

		switch (drawn_lot(s->d, 5)) {
		case 0:
			if (s->d->hashed)
				return;
			buf_str(s->out, " NATURAL JOIN ");
			table(s);
			break;
		case 1:
			if (s->d->hashed || o == NULL || o->n == 0)
				return;
			buf_str(s->out, " JOIN (SELECT ");
			ONE_OF(s, "'CANARY5'", "'CANARY3 w1'", "1007", "'w1 x1'", "1");
			buf_str(s->out, " AS ");
			i = drawn_lot(s->d, o->n);
			drawn_put_name(s->d, s->out, o->columns[i].name);
			buf_printf(s->out, ") a%u USING (", s->next++);
			drawn_put_name(s->d, s->out, o->columns[i].name);
			buf_byte(s->out, ')');
			return;
		case 2:
			buf_str(s->out, " LEFT JOIN ");
			table(s);
			buf_str(s->out, " ON ");
			condition(s);
			break;
		default:
			buf_str(s->out, ", ");
			table(s);
		}
	}
}

static void
target_list(struct scope *s)
{
	if (!s->d->hashed && s->depth < 2 && drawn_lot(s->d, 4) == 0) {
		buf_byte(s->out, '*');
		return;
	}
	if (drawn_lot(s->d, 6) == 0) {
		buf_str(s->out, "count(*)");
		return;
	}
	for (unsigned i = 0, n = s->depth > 1 ? 1 : 1 + drawn_lot(s->d, 3); i < n; i++) {
		buf_str(s->out, i > 0 ? ", " : "");
		expression(s);
	}
}

static void
select_statement(struct scope *around)
{
	struct scope own = { .d = around->d, .depth = around->depth + 1, .next = around->next };
	struct buf from = { 0 };

	own.out = &from;
	from_clause(&own);
	own.out = around->out;
	buf_str(own.out, !own.d->hashed && drawn_lot(own.d, 10) == 0 ? "SELECT DISTINCT " : "SELECT ");
	target_list(&own);
	buf_span(own.out, buf_view(&from));
	buf_fini(&from);
	if (drawn_lot(own.d, 3) == 0) {
		buf_str(own.out, " WHERE ");
		condition(&own);
	}
	if (drawn_lot(own.d, 8) == 0) {
		buf_str(own.out, " GROUP BY ");
		column(&own);
	}
	if (own.depth == 1 && drawn_lot(own.d, 5) == 0) {
		buf_str(own.out, " ORDER BY ");
		column(&own);
		ONE_OF(&own, "", " DESC", " COLLATE NOCASE");
	}
	if (own.depth == 1 && drawn_lot(own.d, 3) == 0)
		ONE_OF(&own, " LIMIT 1", " LIMIT 5", " LIMIT 3 OFFSET 2");
	around->next = own.next;
}

void
drawn_statement(struct drawn *d, struct buf *out)
{
	struct scope s = { .d = d, .out = out };

	switch (drawn_lot(d, 24)) {
	case 0:
		buf_str(out, "EXPLAIN QUERY PLAN ");
		break;
	case 1:
		buf_str(out, "EXPLAIN ");
		break;
	case 2:
		buf_str(out, "WITH ");
		drawn_put_name(d, out, d->objects[0].name);
		buf_str(out, " AS (SELECT * FROM ");
		drawn_put_name(d, out, d->objects[0].name);
		buf_str(out, ") ");
		break;
	default:
		break;
	}
	select_statement(&s);
	if (!d->hashed && drawn_lot(d, 12) == 0) {
		ONE_OF(&s, " UNION ", " UNION ALL ", " EXCEPT ");
		s.depth = 1;
		select_statement(&s);
	}
}
