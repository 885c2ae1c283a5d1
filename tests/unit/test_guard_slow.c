// libs: carrel_guard_pg carrel_policy carrel_base
/*
 * test_guard_slow.c - for every row of guard_slow.def: statements are drawn whose values are so large that the server
 * would compute on after its timeout, however they are made; each is refused, and the same with small values is not.
 */
#include <pg_query.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "tests/unit/harness.h"
#include "workers/sql/postgres/guard/guard_catalogue.h"
#include "workers/sql/postgres/guard/guard_pg.h"

#define DRAWN	150u	/* statements of each row and size */
#define TIMES	60.0	/* so many times the work of the row, at least */

static const struct {
	const char	*name;
	unsigned	 a, b;
	double		 work;
	bool		 is_operator;
} rows[] = {
#define SLOW_FUNCTION(name, a, b, work)	{ #name, a, b, work, false },
#define SLOW_OPERATOR(name, a, b, work)	{ #name, a, b, work, true },
#include "workers/sql/postgres/guard/guard_slow.def"
#undef SLOW_FUNCTION
#undef SLOW_OPERATOR
};

static struct guard_catalogue *catalogue;
static struct guard_pg *guard;
static uint64_t seed = 7;

static int
set_up(void **state)
{
	(void)state;
	catalogue = guard_catalogue_new();
	guard_catalogue_seal(catalogue);
	guard = guard_pg_new();
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	guard_catalogue_free(catalogue);
	guard_pg_free(guard);
	pg_query_exit();
	return 0;
}

static unsigned
draw(unsigned n)
{
	return (unsigned)(test_random(&seed) % n);
}

/* --- values ---------------------------------------------------------------------------------- */

/* A number, told in some way. */
static void
put_number(struct buf *out, unsigned long n)
{
	switch (draw(8)) {
	case 0:
		buf_printf(out, "(SELECT %lu)", n);
		break;
	case 1:
		buf_printf(out, "%lu * 1 + 0", n);
		break;
	case 2:
		buf_printf(out, "'%lu'::int", n);
		break;
	case 3:
		buf_printf(out, "length(repeat('x', %lu))", n);
		break;
	case 4:
		buf_printf(out, "(SELECT count(*) FROM generate_series(1, %lu))", n);
		break;
	case 5:
		buf_printf(out, "(SELECT max(n) FROM (VALUES (1), (%lu)) v(n))", n);
		break;
	default:
		buf_printf(out, "%lu", n);
		break;
	}
}

/* Rows with a text x of 32 bytes: " FROM …". */
static void
put_rows(struct buf *out, unsigned long n)
{
	unsigned long side = (unsigned long)ceil(sqrt((double)n));

	switch (draw(9)) {
	case 0:
		buf_printf(out,
		    " FROM (SELECT md5(a::text || b::text) AS x FROM generate_series(1, %lu) a, "
		    "generate_series(1, %lu) b) q",
		    side, side);
		break;
	case 1:
		buf_printf(out, " FROM (SELECT md5(g::text) AS x FROM generate_series(1, 1000000) g LIMIT %lu) q", n);
		break;
	case 2:
		buf_printf(out,
		    " FROM (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < %lu) "
		    "SELECT md5(n::text) AS x FROM r) q",
		    n);
		break;
	case 3:
		buf_printf(out, " FROM unnest(ARRAY(SELECT md5(g::text) FROM generate_series(1, %lu) g)) x", n);
		break;
	case 4:
		buf_printf(out, " FROM (SELECT md5(generate_series(1, %lu)::text) AS x) q", n);
		break;
	case 5:
		buf_printf(out,
		    " FROM (SELECT md5(g::text) AS x FROM generate_series(1, %lu) g UNION ALL "
		    "SELECT md5(h::text) FROM generate_series(1, %lu) h) q",
		    n / 2 + 1, n / 2 + 1);
		break;
	case 6:
		buf_printf(out, " FROM string_to_table(repeat(md5('a') || ',', %lu), ',') x", n);
		break;
	default:
		buf_str(out, " FROM (SELECT md5(g::text) AS x FROM generate_series(1, ");
		put_number(out, n);
		buf_str(out, ") g) q");
		break;
	}
}

/* A text, an array or a document of at least n bytes. */
static void
put_large(struct buf *out, unsigned long n)
{
	static const char *const gathers[] = { "string_agg(x, ' ')", "array_agg(x)", "json_agg(x)", "jsonb_agg(x)",
		"jsonb_object_agg(x, 1)", "array_to_string(array_agg(x), ',')", "to_jsonb(array_agg(x))" };

	switch (draw(10)) {
	case 0:
		buf_printf(out, "repeat('ab', %lu)", n / 2 + 1);
		break;
	case 1:
		buf_printf(out, "to_jsonb(ARRAY(SELECT generate_series(1, %lu)::text))", n / 4 + 1);
		break;
	case 2:
		buf_str(out, "ARRAY(SELECT x");
		put_rows(out, n / 32 + 1);
		buf_byte(out, ')');
		break;
	case 3:
		buf_printf(out, "string_to_array(repeat('a,', %lu), ',')", n / 2 + 1);
		break;
	case 4:
		buf_printf(out, "(WITH c AS MATERIALIZED (SELECT repeat('x', %lu) AS s) SELECT max(s) FROM c)", n);
		break;
	default:
		buf_printf(out, "(SELECT %s", gathers[draw(7)]);
		put_rows(out, n / 32 + 1);
		buf_byte(out, ')');
		break;
	}
}

static void
put_wrapped(struct buf *out, unsigned long n, unsigned depth)
{
	static const char *const wraps[][2] = {
		{ "upper(", ")" }, { "unaccent(", ")" }, { "(", " || 'b')" }, { "coalesce(", ", 'y')" },
		{ "(SELECT ", ")" },
		{ "(", ")::text" }, { "(CASE WHEN true THEN ", " END)" }, { "(ARRAY[", "])[1]" },
		{ "nullif(", ", 'z')" },
		{ "greatest('a', ", ")" }, { "concat('z', ", ", 'y')" }, { "(json_build_object('k', ", ") ->> 'k')" },
		{ "(SELECT max(v) FROM unnest(ARRAY[", "]) v)" }, { "(SELECT t.v FROM (SELECT ", " AS v) t)" },
		{ "(SELECT v FROM (VALUES (", ")) t(v))" }, { "ltrim(", ")" },
		{ "xmlserialize(content xmlelement(name a, ", ") AS text)" },
	};
	size_t which = draw(sizeof(wraps) / sizeof(wraps[0]));

	if (depth == 0 || draw(3) == 0) {
		put_large(out, n);
		return;
	}
	buf_str(out, wraps[which][0]);
	put_wrapped(out, n, depth - 1);
	buf_str(out, wraps[which][1]);
}

/* --- statements -------------------------------------------------------------------------------- */

static void
put_statement(struct buf *out, size_t row, unsigned long left, unsigned long right, unsigned depth)
{
	buf_str(out, "SELECT ");
	if (rows[row].is_operator) {
		put_wrapped(out, rows[row].a == 0 ? left : 1, depth);
		buf_printf(out, " %s ", rows[row].name);
		put_wrapped(out, rows[row].b == 1 ? right : 1, depth);
		return;
	}
	buf_printf(out, "pg_catalog.%s(", rows[row].name);
	for (unsigned i = 0; i < 2; i++) {
		buf_str(out, i > 0 ? ", " : "");
		if (i == rows[row].a || i == rows[row].b)
			put_wrapped(out, i == rows[row].a ? left : right, depth);
		else
			buf_str(out, "'a'");
	}
	buf_byte(out, ')');
}

static void
check_row(size_t row, double work, bool allowed)
{
	struct buf sql = { .max = 0 };
	double left = sqrt(work) * (1 + draw(3)), right = work / left;
	struct guard_finding found;
	struct err err = { .message = "" };
	bool passed;

	if (rows[row].a == rows[row].b)
		left = right = sqrt(work);
	put_statement(&sql, row, (unsigned long)left + 1, (unsigned long)right + 1, allowed ? 1 : 3);
	passed = guard_pg_check_layers(guard, catalogue, buf_view(&sql), 0, GUARD_LAYER_PARSER, &found, &err) == 0;
	if (passed != allowed)
		fail_msg("%s: %.0f and %.0f bytes, %s\n%s", rows[row].name, left, right,
		    allowed ? err.message : "it passes", buf_cstr(&sql));
	buf_fini(&sql);
}

static void
large_values_are_refused_however_they_are_made(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned n = 0; n < DRAWN; n++)
			check_row(i, fmin(rows[i].work * TIMES, 2e13), false);
}

static void
small_values_are_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned n = 0; n < DRAWN; n++)
			check_row(i, 1e3, true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_values_are_refused_however_they_are_made),
		cmocka_unit_test(small_values_are_not),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
