// libs: carrel_sql_postgres carrel_guard_pg carrel_policy carrel_base
/*
 * fuzz_columns.c - any statement over two protected tables: what is rewritten
 * is a statement again, names them only in the stand-ins, and every place of it
 * has an origin.  The same as the definition of a stored copy.  A first byte of 0xFF: the rest are column patterns.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mp.h"
#include "policy/columns.h"
#include "workers/sql/postgres/guard/columns_pg.h"
#include "workers/sql/postgres/guard/columns_pg_copy.h"
#include "workers/sql/postgres/postgres_rewrite.h"

static int
relation(void *arg, struct span schema, struct span name)
{
	(void)arg;
	if (schema.len > 0 && !span_is_str(schema, "public") && !span_is_str(schema, "a b"))
		return -1;
	return span_is_str(name, "secret") ? 0 : span_is_str(name, "odd \"name") ? 1 : -1;
}

static const char *
refuses(void *arg, enum columns_pg_kind kind, struct span name)
{
	(void)arg;
	return kind == COLUMNS_PG_FUNCTION && span_is_str(name, "peek") ? "it reads" : NULL;
}

static void
stand_in(void *arg, int number, struct pg_stand_in *out)
{
	(void)arg;
	out->list = number == 0 ? "id" : "\"x \"\" y\"";
	out->sorted = number != 0;
	out->source = number == 0 ? "\"public\".\"secret\"" : "\"a b\".\"odd \"\"name\"";
}

static const struct columns_pg_names in_database = { .relation = relation, .refuses = refuses };
static struct columns_pg *finder;

static void
try_statement(struct span sql)
{
	struct pg_rewrite r = { 0 };
	const struct columns_pg_use *uses;
	struct err err;
	size_t n;

	if (finder == NULL)
		finder = columns_pg_new();
	if (columns_pg_find(finder, &in_database, sql, 0, &uses, &n, &err) == 0 &&
	    pg_rewrite(&r, sql, uses, n, stand_in, NULL, &err) == 0) {
		if (n == 0 && !span_is(buf_view(&r.text), sql))
			abort();
		for (size_t i = 0; i <= r.text.len; i++)
			if (pg_rewrite_origin(&r, i) > sql.len)
				abort();
		if (columns_pg_find(finder, &in_database, buf_view(&r.text), 0, &uses, &n, &err) == 0) {
			for (size_t i = 0; i < n; i++)
				if (!pg_rewrite_is_ours(&r, uses[i].at))
					abort();
		} else if (err.code == ERR_INVALID_SQL)
			abort();
	}
	pg_rewrite_fini(&r);
}

/* What only copies some columns also only copies fewer. */
static void
try_definition(struct span sql)
{
	const struct span names[] = { SPAN("id"), SPAN("x") };
	const struct columns_pg_use *uses;
	struct err err;
	size_t n;

	if (columns_pg_find(finder, &in_database, sql, 0, &uses, &n, &err) == 0 &&
	    columns_pg_copies(columns_pg_tree(finder), names, 2) &&
	    (!columns_pg_copies(columns_pg_tree(finder), names, 1) ||
		!columns_pg_copies(columns_pg_tree(finder), NULL, 0)))
		abort();
}

static void
try_pattern(struct span pattern)
{
	struct columns *p = NULL;
	struct buf rules = { 0 };
	struct err err;

	mp_put_array(&rules, 1);
	mp_put_map(&rules, 2);
	mp_pair_cstr(&rules, "action", "hide");
	mp_pair_str(&rules, "pattern", pattern);
	if (columns_new(&p, buf_view(&rules), &err) == 0)
		(void)columns_decide(p, 0, SPAN("public"), pattern, SPAN("***a*b"));
	columns_free(p);
	buf_fini(&rules);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0 && data[0] == 0xFF)
		try_pattern(span_of(data + 1, size - 1));
	else if (size < 8192) {
		try_statement(span_of(data, size));
		try_definition(span_of(data, size));
	}
	return 0;
}
