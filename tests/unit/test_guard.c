// libs: carrel_guard_pg carrel_policy carrel_base
/* test_guard.c - the guard without a database: trees, names, sizes, positions. */
#include <pg_query.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "workers/sql/postgres/guard/guard_catalogue.h"
#include "workers/sql/postgres/guard/guard_pg.h"
#include "workers/sql/postgres/guard/guard_tree.h"
#include "tests/unit/harness.h"

static struct guard_catalogue *catalogue;
static struct guard_pg *guard;

static void
add(const char *schema, const char *name, const char *extension, unsigned properties, unsigned min, unsigned max)
{
	guard_catalogue_add_function(catalogue, span_str(schema), span_str(name), span_str(extension), properties, min,
	    max);
}

static int
set_up(void **state)
{
	static const char *const system[] = { "count", "sum", "repeat", "generate_series", "chr", "array_fill",
		"length", "concat", "lpad", "format", "current_setting" };

	(void)state;
	catalogue = guard_catalogue_new();
	guard = guard_pg_new();
	guard_catalogue_add_path(catalogue, SPAN("pg_catalog"));
	guard_catalogue_add_path(catalogue, SPAN("public"));
	for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++)
		add("pg_catalog", system[i], "", GUARD_FN_SYSTEM, 1, 2);
	add("pg_catalog", "random", "", GUARD_FN_SYSTEM | GUARD_FN_VOLATILE, 0, 0);
	add("pg_catalog", "pg_read_file", "", GUARD_FN_SYSTEM | GUARD_FN_VOLATILE | GUARD_FN_ONE_ARGUMENT, 1, 1);
	add("pg_catalog", "pg_file_write", "adminpack", 0, 3, 3);
	add("public", "similarity", "pg_trgm", 0, 2, 2);
	add("public", "set_limit", "pg_trgm", GUARD_FN_VOLATILE, 1, 1);
	add("public", "embed", "vector", 0, 1, 1);
	add("public", "pure", "", 0, 1, 1);
	add("public", "writes", "", GUARD_FN_VOLATILE, 0, 0);
	add("public", "owners", "", GUARD_FN_DEFINER, 0, 0);
	add("public", "native", "", GUARD_FN_OPAQUE, 0, 0);
	add("public", "job", "", GUARD_FN_PROCEDURE, 0, 0);
	add("public", "sum", "", GUARD_FN_VOLATILE, 3, 3);
	add("public", "of_row", "", GUARD_FN_VOLATILE | GUARD_FN_ONE_ARGUMENT | GUARD_FN_TAKES_ROW, 1, 1);
	add("public", "of_number", "", GUARD_FN_VOLATILE | GUARD_FN_ONE_ARGUMENT, 1, 1);
	add("other", "hidden", "", 0, 0, 0);
	add("pg_catalog", "gen_random_uuid", "", GUARD_FN_SYSTEM | GUARD_FN_VOLATILE, 0, 0);
	add("public", "gen_random_uuid", "pgcrypto", GUARD_FN_VOLATILE | GUARD_FN_SHADOWED, 0, 0);
	guard_catalogue_add_operator(catalogue, SPAN("public"), SPAN("<<>>"), false,
	    &(struct guard_behind){ SPAN("writes"), SPAN(""), GUARD_FN_VOLATILE });
	guard_catalogue_add_operator(catalogue, SPAN("public"), SPAN("<->"), false,
	    &(struct guard_behind){ SPAN("distance"), SPAN("vector"), 0 });
	guard_catalogue_add_type(catalogue, SPAN("public"), SPAN("odd"),
	    &(struct guard_behind){ SPAN("writes"), SPAN(""), GUARD_FN_VOLATILE });
	guard_catalogue_add_holder(catalogue, SPAN("public"), SPAN("pair"), SPAN("public"), SPAN("pairs"));
	guard_catalogue_add_holder(catalogue, SPAN("public"), SPAN("odd"), SPAN("public"), SPAN("pair"));
	guard_catalogue_add_holder(catalogue, SPAN("public"), SPAN("fine"), SPAN("public"), SPAN("also_fine"));
	guard_catalogue_seal(catalogue);
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

static enum err_code
check(const char *sql, struct err *err, struct guard_finding *found)
{
	*err = (struct err){ 0 };
	return guard_pg_check(guard, catalogue, span_str(sql), 0, found, err) == 0 ? ERR_NONE : err->code;
}

static void
expect(const char *sql, enum err_code code, const char *piece)
{
	struct guard_finding found;
	struct err err;
	enum err_code got = check(sql, &err, &found);

	if (got != code || strstr(err.message, piece) == NULL)
		fail_msg("%s: %s: %s", sql, err_name(got), err.message);
}

static void
names_are_judged_by_the_worst_a_call_could_mean(void **state)
{
	(void)state;
	expect("SELECT count(*), pure(1), similarity('a', 'b'), random(), other.hidden()", ERR_NONE, "");
	expect("SELECT sum(1)", ERR_NONE, "");
	expect("SELECT sum(1, 2, 3)", ERR_FORBIDDEN_SQL, "VOLATILE");
	expect("SELECT pg_catalog.sum(1, 2, 3)", ERR_NONE, "");
	expect("SELECT hidden()", ERR_INVALID_SQL, "no function hidden()");
	expect("SELECT pure(1, 2)", ERR_INVALID_SQL, "no function pure()");
	expect("SELECT writes()", ERR_FORBIDDEN_SQL, "VOLATILE");
	expect("SELECT public.writes()", ERR_FORBIDDEN_SQL, "VOLATILE");
	expect("SELECT owners()", ERR_FORBIDDEN_SQL, "SECURITY DEFINER");
	expect("SELECT native()", ERR_FORBIDDEN_SQL, "PL/pgSQL");
	expect("SELECT job()", ERR_FORBIDDEN_SQL, "procedure");
	expect("SELECT embed('x')", ERR_FORBIDDEN_SQL, "extension");
	expect("SELECT gen_random_uuid()", ERR_NONE, "");
	expect("SELECT public.gen_random_uuid()", ERR_FORBIDDEN_SQL, "extension");
	expect("SELECT set_limit(1)", ERR_FORBIDDEN_SQL, "VOLATILE");
	expect("SELECT pg_file_write('a', 'b', false)", ERR_FORBIDDEN_SQL, "files");
	expect("SELECT \"pg_read_file\"('x')", ERR_FORBIDDEN_SQL, "files");
	expect("SELECT * FROM pg_cursors", ERR_FORBIDDEN_SQL, "the session that Carrel holds");
	expect("SELECT * FROM pg_locks", ERR_FORBIDDEN_SQL, "what other sessions do");
	expect("SELECT dblink('x', 'y')", ERR_FORBIDDEN_SQL, "other servers");
	expect("SELECT a.b.c()", ERR_FORBIDDEN_SQL, "more than two parts");
	expect("SELECT 1 <<>> 2", ERR_FORBIDDEN_SQL, "the operator <<>>");
	expect("SELECT 1 OPERATOR(pg_catalog.<<>>) 2, a <-> b", ERR_NONE, "");
	expect("SELECT 1::odd", ERR_FORBIDDEN_SQL, "the type odd");
	expect("SELECT 1::pair", ERR_FORBIDDEN_SQL, "the type pair");
	expect("SELECT NULL::public.pairs", ERR_FORBIDDEN_SQL, "the type pairs");
	expect("SELECT NULL::also_fine, other.pair '1'", ERR_NONE, "");
	expect("SELECT domain_in('1', 5, -1)", ERR_FORBIDDEN_SQL, "told by number");
	expect("SELECT 1 FROM x ORDER BY 1 USING <<>>", ERR_FORBIDDEN_SQL, "the operator <<>>");
	expect("SELECT 1 <<>> ANY (SELECT 1)", ERR_FORBIDDEN_SQL, "the operator <<>>");
}

/* "=" is meant by CASE, IN (SELECT …), USING and NATURAL JOIN, too. */
static void
equality_may_be_unwritten(void **state)
{
	static const char *const means[] = { "SELECT CASE a WHEN b THEN 1 END FROM x", "SELECT 1 FROM x WHERE a IN (SELECT b FROM y)",
		"SELECT 1 FROM x JOIN y USING (a)", "SELECT 1 FROM x NATURAL JOIN y", "SELECT nullif(a, b) FROM x",
		"SELECT 1 FROM x WHERE a NOT IN (SELECT b FROM y)" };
	static const char *const does_not[] = { "SELECT CASE WHEN a THEN 1 END FROM x", "SELECT 1 FROM x WHERE EXISTS (SELECT b FROM y)",
		"SELECT 1 FROM x JOIN y ON true", "SELECT (SELECT 1), ARRAY(SELECT 2)", "SELECT 1 < ANY (SELECT 1)" };
	struct guard_catalogue *was = catalogue;

	(void)state;
	catalogue = guard_catalogue_new();
	guard_catalogue_add_path(catalogue, SPAN("public"));
	guard_catalogue_add_operator(catalogue, SPAN("public"), SPAN("="), false,
	    &(struct guard_behind){ SPAN("same"), SPAN(""), GUARD_FN_VOLATILE });
	guard_catalogue_seal(catalogue);
	for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++)
		expect(means[i], ERR_FORBIDDEN_SQL, "the operator =");
	for (size_t i = 0; i < sizeof(does_not) / sizeof(does_not[0]); i++)
		expect(does_not[i], ERR_NONE, "");
	guard_catalogue_free(catalogue);
	catalogue = was;
}

static void
the_configuration_may_trust_functions(void **state)
{
	struct guard_catalogue *c = guard_catalogue_new();
	static const char *const names[] = { "writes", "owners", "native", "embed", "job", "dblink", "random",
		"nothing" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		guard_catalogue_trust(c, SPAN("public"), span_str(names[i]));
	guard_catalogue_add_function(c, SPAN("public"), SPAN("writes"), SPAN(""), GUARD_FN_VOLATILE, 0, 0);
	guard_catalogue_add_function(c, SPAN("public"), SPAN("owners"), SPAN(""), GUARD_FN_DEFINER | GUARD_FN_VOLATILE,
	    0, 0);
	guard_catalogue_add_function(c, SPAN("public"), SPAN("native"), SPAN(""), GUARD_FN_OPAQUE, 0, 0);
	guard_catalogue_add_function(c, SPAN("public"), SPAN("embed"), SPAN("vectors"), 0, 1, 1);
	guard_catalogue_add_function(c, SPAN("public"), SPAN("job"), SPAN(""), GUARD_FN_PROCEDURE, 0, 0);
	guard_catalogue_add_function(c, SPAN("public"), SPAN("dblink"), SPAN("dblink"), GUARD_FN_VOLATILE, 1, 2);
	guard_catalogue_add_function(c, SPAN("pg_catalog"), SPAN("nextval"), SPAN(""),
	    GUARD_FN_VOLATILE | GUARD_FN_SYSTEM, 1, 1);
	guard_catalogue_add_function(c, SPAN("other"), SPAN("writes"), SPAN(""), GUARD_FN_VOLATILE, 0, 0);
	guard_catalogue_add_path(c, SPAN("pg_catalog"));
	guard_catalogue_add_path(c, SPAN("public"));
	guard_catalogue_seal(c);
	assert_int_equal(guard_catalogue_function(c, SPAN(""), SPAN("writes"), 0), GUARD_MAY);
	assert_int_equal(guard_catalogue_function(c, SPAN("public"), SPAN("owners"), 0), GUARD_MAY);
	assert_int_equal(guard_catalogue_function(c, SPAN(""), SPAN("native"), 0), GUARD_MAY);
	assert_int_equal(guard_catalogue_function(c, SPAN(""), SPAN("embed"), 1), GUARD_MAY);
	/* Not those. */
	assert_int_equal(guard_catalogue_function(c, SPAN("other"), SPAN("writes"), 0), GUARD_VOLATILE);
	assert_int_equal(guard_catalogue_function(c, SPAN(""), SPAN("job"), 0), GUARD_PROCEDURE);
	assert_int_equal(guard_catalogue_function(c, SPAN(""), SPAN("dblink"), 2), GUARD_DENIED);
	assert_int_equal(guard_catalogue_function(c, SPAN(""), SPAN("nextval"), 1), GUARD_DENIED);
	/* What each was trusted with. */
	assert_int_equal(guard_catalogue_trusted(c, 0), GUARD_VOLATILE);
	assert_int_equal(guard_catalogue_trusted(c, 1), GUARD_DEFINER);
	assert_int_equal(guard_catalogue_trusted(c, 3), GUARD_NOT_LISTED);
	assert_int_equal(guard_catalogue_trusted(c, 5), GUARD_DENIED);
	assert_int_equal(guard_catalogue_trusted(c, 7), GUARD_UNKNOWN);
	guard_catalogue_free(c);
}

static void
the_layers_stop_different_things(void **state)
{
	static const struct {
		const char *sql;
		bool parser, functions; /* stop it */
	} cases[] = {
		{ "SELECT 1", false, false },
		{ "DELETE FROM t", true, false },
		{ "DELETE FROM t WHERE writes() = 1", true, true },
		{ "SELECT writes()", false, true },
		{ "SELECT 1; SELECT writes()", true, true },
		{ "SELECT * FROM pg_authid", true, false },
		{ "SHOW hba_file", true, false },
		{ "SELECT current_setting('hba_file')", false, true },
		{ "SELECT repeat('x', 1000000000)", true, false },
		{ "WITH x AS (DELETE FROM t RETURNING nextval('s')) SELECT * FROM x", true, true },
		{ "COPY t TO PROGRAM 'id'", true, false },
		{ "SELECT 1 <<>> 2", false, true },
		{ "SELECT (t).of_number FROM t", false, true },
		{ "DO $$ BEGIN END $$", true, false },
		{ "INSERT INTO t SELECT pg_sleep(1)", true, true },
		{ "EXPLAIN ANALYZE SELECT 1", true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct guard_finding found;
		struct err err;
		bool parser = guard_pg_check_layers(guard, catalogue, span_str(cases[i].sql), 0, GUARD_LAYER_PARSER,
				  &found, &err) == -1;
		bool functions = guard_pg_check_layers(guard, catalogue, span_str(cases[i].sql), 0,
				     GUARD_LAYER_FUNCTIONS, &found, &err) == -1;

		if (parser != cases[i].parser || functions != cases[i].functions)
			fail_msg("%s: parser %d, functions %d", cases[i].sql, parser, functions);
		/* Together they stop what either stops. */
		assert_int_equal(guard_pg_check(guard, catalogue, span_str(cases[i].sql), 0, &found, &err) == -1,
		    parser || functions);
	}
}

static void
a_field_may_be_a_function(void **state)
{
	(void)state;
	expect("SELECT ('x').pg_read_file", ERR_FORBIDDEN_SQL, "files");
	expect("SELECT (t).of_number FROM t", ERR_FORBIDDEN_SQL, "VOLATILE");
	expect("SELECT t.of_row FROM t", ERR_FORBIDDEN_SQL, "VOLATILE");
	expect("SELECT t.of_number, of_row FROM t", ERR_NONE, "");
	expect("SELECT x.of_number FROM generate_series(1, 2) x", ERR_FORBIDDEN_SQL, "VOLATILE");
	expect("SELECT t.*, (t).pure, (t).name FROM t", ERR_NONE, "");
}

static void
settings_are_a_list(void **state)
{
	(void)state;
	expect("SHOW TimeZone", ERR_NONE, "");
	expect("SHOW timezone", ERR_NONE, "");
	expect("SHOW hba_file", ERR_FORBIDDEN_SQL, "SHOW is allowed only");
	expect("SELECT current_setting('TimeZone')", ERR_NONE, "");
	expect("SELECT current_setting('data_directory')", ERR_FORBIDDEN_SQL, "allowed only");
	expect("SELECT current_setting('time' || 'zone')", ERR_FORBIDDEN_SQL, "allowed only");
	expect("SELECT public.current_setting('TimeZone')", ERR_FORBIDDEN_SQL, "allowed only");
}

static void
constants_are_added_up(void **state)
{
	(void)state;
	expect("SELECT repeat('x', 16000000), repeat('', 5)", ERR_NONE, "");
	expect("SELECT repeat(repeat(repeat(chr(120), 1000), 1000), 1000)", ERR_FORBIDDEN_SQL, "954 MB");
	expect("SELECT repeat('x', 2 * 10 ^ 8)", ERR_FORBIDDEN_SQL, "repeat()");
	expect("SELECT repeat('x', (SELECT 100 * 1000 * 1000)::int)", ERR_FORBIDDEN_SQL, "repeat()");
	expect("SELECT repeat('x', coalesce(NULL, 100000000))", ERR_FORBIDDEN_SQL, "repeat()");
	expect("SELECT repeat('x', least(5, 100000000))", ERR_NONE, "");
	expect("SELECT repeat('x', n) FROM t", ERR_NONE, "");
	expect("SELECT lpad('x', 1000000000)", ERR_FORBIDDEN_SQL, "lpad()");
	expect("SELECT array_fill(0, ARRAY[100, 100]), array_fill(0, '{10,10}')", ERR_NONE, "");
	expect("SELECT array_fill(0, ARRAY[10000, 10000])", ERR_FORBIDDEN_SQL, "array_fill()");
	expect("SELECT array_fill(0, '{10000,10000}'::int[])", ERR_FORBIDDEN_SQL, "array_fill()");
	expect("SELECT format('%1$-20s|%s', 'x', 'y')", ERR_NONE, "");
	expect("SELECT format('%99999999s', 'x')", ERR_FORBIDDEN_SQL, "format()");
	expect("SELECT * FROM generate_series(1, 1000000)", ERR_NONE, "");
	expect("SELECT * FROM generate_series(0, - 1000000000, -1)", ERR_FORBIDDEN_SQL, "1000000000 rows");
	expect("SELECT * FROM generate_series(1, 1000000000, 1000)", ERR_NONE, "");
	expect("SELECT * FROM generate_series(100, 1)", ERR_NONE, "");
}

/* By the parser's half alone: no catalogue. */
static void
expect_size(const char *sql, enum err_code code, const char *piece)
{
	struct guard_finding found;
	struct err err = { 0 };
	enum err_code got =
	    guard_pg_check_layers(guard, catalogue, span_str(sql), 0, GUARD_LAYER_PARSER, &found, &err) == 0 ?
	    ERR_NONE :
	    err.code;

	if (got != code || strstr(err.message, piece) == NULL)
		fail_msg("%s: %s: %s", sql, err_name(got), err.message);
}

/* head, then body n times with every '#' as its number from 1 and every '@' as the one before, then tail. */
static void
expect_steps(const char *head, const char *body, unsigned n, const char *tail, enum err_code code, const char *says)
{
	struct buf sql = { 0 };

	buf_str(&sql, head);
	for (unsigned i = 1; i <= n; i++)
		for (const char *p = body; *p != '\0'; p++) {
			if (*p == '#')
				buf_printf(&sql, "%u", i);
			else if (*p == '@')
				buf_printf(&sql, "%u", i - 1);
			else
				buf_byte(&sql, (uint8_t)*p);
		}
	buf_str(&sql, tail);
	expect_size(buf_cstr(&sql), code, says);
	buf_fini(&sql);
}

static void
copies_are_counted(void **state)
{
	static const char *const doubling[][3] = {
		{ "WITH a0 AS NOT MATERIALIZED (SELECT 1 AS x)", ", a# AS NOT MATERIALIZED (SELECT 1 AS x FROM a@ p, a@ q)",
		  "SELECT count(*) FROM a24" },
		/* One that is named once is copied with what holds it. */
		{ "WITH a0 AS (SELECT 1 AS x)", ", b# AS (SELECT x FROM a@), c# AS NOT MATERIALIZED (SELECT x FROM b#)"
		  ", a# AS NOT MATERIALIZED (SELECT 1 AS x FROM c# p, c# q)", "SELECT 1 FROM a24" },
		{ "WITH a0 AS NOT MATERIALIZED (SELECT 1 AS x)", ", a# AS NOT MATERIALIZED (SELECT x FROM a@ UNION ALL SELECT x FROM a@)",
		  "SELECT count(*) FROM a24" },
		{ "WITH a0 AS NOT MATERIALIZED (SELECT 1 AS x)", ", a# AS NOT MATERIALIZED (SELECT (SELECT x FROM a@) + (SELECT x FROM a@) AS x)",
		  "SELECT x FROM a24" },
		{ "WITH a0 AS NOT MATERIALIZED (SELECT 1 AS x)", ", a# AS NOT MATERIALIZED (SELECT q.x FROM a@ p, LATERAL (SELECT x FROM a@) q)",
		  "SELECT x FROM a24" },
		{ "WITH a0(x) AS NOT MATERIALIZED (VALUES (1))", ", a#(x) AS NOT MATERIALIZED (SELECT 1 WHERE EXISTS (SELECT FROM a@) AND 1 IN (SELECT x FROM a@))",
		  "TABLE a24" },
		/* Names that only look like further references. */
		{ "WITH a0 AS (SELECT 1 AS x)", ", b# AS (SELECT 1 FROM a@), c# AS NOT MATERIALIZED (SELECT 1 FROM b#)"
		  ", d# AS (WITH b# AS (SELECT 1) SELECT 1 FROM b#, public.b#)"
		  ", a# AS NOT MATERIALIZED (SELECT 1 FROM c# p, c# q)", "TABLE a24" },
		{ "WITH RECURSIVE z AS NOT MATERIALIZED (SELECT 1 FROM a24)", ", a# AS NOT MATERIALIZED (SELECT 1 FROM a@ p, a@ q)",
		  "TABLE z" },
		{ "EXPLAIN WITH a0 AS NOT MATERIALIZED (SELECT 1 AS x)", ", a# AS NOT MATERIALIZED (SELECT 1 AS x FROM a@ p CROSS JOIN a@ q)",
		  "SELECT count(*) FROM a24" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(doubling) / sizeof(doubling[0]); i++)
		expect_steps(doubling[i][0], doubling[i][1], 24, doubling[i][2], ERR_FORBIDDEN_SQL, "MATERIALIZED");
	expect_size("WITH a AS NOT MATERIALIZED (SELECT 1 AS x) SELECT * FROM a p, a q, a r", ERR_NONE, "");
	/* What is computed once is not copied. */
	expect_steps("WITH a0 AS (SELECT 1 AS x)", ", a# AS (SELECT p.x FROM a@ p, a@ q)", 100,
	    "SELECT count(*) FROM a100", ERR_NONE, "");
	expect_steps("WITH a0 AS MATERIALIZED (SELECT 1 AS x)", ", a# AS MATERIALIZED (SELECT x FROM a@)", 100,
	    "SELECT count(*) FROM a100", ERR_NONE, "");
}

static void
columns_are_counted_where_they_are_named(void **state)
{
	(void)state;
	expect_steps("WITH a0 AS (SELECT id AS x FROM t)", ", a# AS (SELECT x + x AS x FROM a@)", 24,
	    "SELECT x FROM a24", ERR_FORBIDDEN_SQL, "parts");
	expect_steps("WITH a0(x) AS (SELECT id FROM t)", ", a#(y, x) AS (SELECT 1, p.x || p.x FROM a@ AS p(x, y))", 24,
	    "SELECT 1 FROM a24", ERR_NONE, ""); /* a constant is renamed x */
	expect_steps("WITH a0(x) AS (SELECT id FROM t)", ", a#(x, y) AS (SELECT p.x || p.x, 1 FROM a@ AS p(x, y))", 24,
	    "SELECT 1 FROM a24", ERR_FORBIDDEN_SQL, "parts");
	expect_steps("WITH a0 AS (SELECT id AS x FROM t)", ", a# AS (SELECT ROW(a@, a@) AS x FROM a@)", 24,
	    "SELECT x FROM a24", ERR_FORBIDDEN_SQL, "parts");
	expect_steps("WITH a0 AS (SELECT id AS x FROM t)", ", a# AS (SELECT x + 1 AS x, x AS y FROM a@)", 24,
	    "SELECT 1 FROM a24", ERR_NONE, "");
	/* LIMIT and MATERIALIZED compute it once. */
	expect_steps("WITH a0 AS (SELECT id AS x FROM t)", ", a# AS (SELECT x + x AS x FROM a@ OFFSET 0)", 24,
	    "SELECT x FROM a24", ERR_NONE, "");
	expect_steps("WITH a0 AS (SELECT id AS x FROM t)", ", a# AS MATERIALIZED (SELECT x + x AS x FROM a@)", 24,
	    "SELECT x FROM a24", ERR_NONE, "");
}

static void
operands_are_counted_where_they_are_copied(void **state)
{
	struct buf sql = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		static const char *const ends[] = { " BETWEEN 0 AND 1)::int", " NOT BETWEEN SYMMETRIC 0 AND 1)::int",
			" IN (id, 1))::int", " NOT IN (1, (SELECT 1)))::int" };

		buf_reset(&sql, SIZE_MAX);
		buf_str(&sql, "SELECT ");
		for (int n = 0; n < 30; n++)
			buf_byte(&sql, '(');
		buf_str(&sql, "id");
		for (int n = 0; n < 30; n++)
			buf_str(&sql, ends[i]);
		buf_str(&sql, " FROM t");
		expect_size(buf_cstr(&sql), ERR_FORBIDDEN_SQL, "parts");
	}
	buf_fini(&sql);
	expect_size("SELECT * FROM t WHERE (id BETWEEN 1 AND 2) AND (id IN (1, 2, 3)) AND id BETWEEN SYMMETRIC 4 AND 2",
	    ERR_NONE, "");
	expect_steps("SELECT 1 FROM t", " JOIN t t# ON true", 300, "", ERR_FORBIDDEN_SQL, "parts");
	expect_steps("SELECT 1 FROM t", " JOIN t t# ON true", 40, "", ERR_NONE, "");
	expect_size("SELECT 1 FROM t GROUP BY CUBE(1,2,3,4,5,6,7,8,9,10), ROLLUP(11,12)", ERR_NONE, "");
	expect_size("SELECT 1 FROM t GROUP BY CUBE(1,2,3,4,5,6,7,8,9,10), ROLLUP(11,12,13,14)", ERR_FORBIDDEN_SQL,
	    "grouping sets");
	expect_steps("SELECT 1 FROM t GROUP BY GROUPING SETS (CUBE(1,2,3,4,5,6,7,8,9,10,11)",
	    ", CUBE(1,2,3,4,5,6,7,8,9,10,11)", 2, ")", ERR_FORBIDDEN_SQL, "grouping sets");
}

/* n tables in a list, each joined with the one before it: # and @ are their numbers. */
static void
expect_joined(const char *head, const char *between, unsigned n, const char *condition, const char *tail, int code)
{
	struct buf sql = { 0 };
	char one[64];

	buf_str(&sql, head);
	for (unsigned i = 0; i < n; i++) {
		snprintf(one, sizeof(one), "%st t%u", i == 0 ? "" : between, i);
		buf_str(&sql, one);
	}
	for (unsigned i = 1; i < n; i++) {
		buf_str(&sql, i == 1 ? " WHERE " : " AND ");
		for (const char *c = condition; *c != '\0'; c++) {
			snprintf(one, sizeof(one), "%u", *c == '#' ? i : i - 1);
			if (*c == '#' || *c == '@')
				buf_str(&sql, one);
			else
				buf_byte(&sql, (uint8_t)*c);
		}
	}
	buf_str(&sql, tail);
	expect_size(buf_cstr(&sql), code, code == ERR_NONE ? "" : "orders of the statement's joins");
	buf_fini(&sql);
}

static void
orders_of_joins_are_counted(void **state)
{
	static const char *const keys[] = { "t#.id = t@.id", "t#.id OPERATOR(pg_catalog.=) t@.id", "t#.id IN (t@.id)",
		"NOT t#.id <> t@.id", "(t#.id, 1) = (t@.id, 1)", "t#.id::text = t@.id::text", "t#.id + 1 = t@.id + 1" };
	static const char star[] =
	    "SELECT count(*) FROM f, t t0, t t1, t t2, t t3, t t4, t t5, t t6, t t7, t t8, t t9 WHERE f.a = t0.id "
	    "AND f.b = t1.id AND f.c = t2.id AND f.d = t3.id AND f.e = t4.id AND f.f = t5.id AND f.g = t6.id AND f.h = "
	    "t7.id AND "
	    "f.i = t8.id AND f.j = t9.id AND t9.name = 'x' AND t8.id > 1";
	/* Six tables share a key, each of five of them has another one of its own. */
	static const char shared[] =
	    "SELECT min(mi.id) FROM t AS ci, t AS cn, t AS it1, t AS it2, t AS k, t AS mc, t AS mi, "
	    "t AS mi_idx, t AS mk, t AS n, t AS t WHERE ci.name IN ('(writer)', '(story)') AND it1.name = 'genres' AND "
	    "it2.name = 'votes' AND t.id = mi.movie_id AND t.id = mi_idx.movie_id AND t.id = ci.movie_id AND t.id = "
	    "mk.movie_id AND "
	    "t.id = mc.movie_id AND ci.movie_id = mi.movie_id AND ci.movie_id = mi_idx.movie_id AND ci.movie_id = "
	    "mk.movie_id AND "
	    "ci.movie_id = mc.movie_id AND mi.movie_id = mi_idx.movie_id AND mi.movie_id = mk.movie_id AND mi.movie_id "
	    "= mc.movie_id "
	    "AND n.id = ci.person_id AND it1.id = mi.info_type_id AND it2.id = mi_idx.info_type_id AND k.id = "
	    "mk.keyword_id AND "
	    "cn.id = mc.company_id";
	struct buf sql = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		expect_joined("SELECT count(*) FROM ", ", ", 11, keys[i], "", ERR_FORBIDDEN_SQL);
		expect_joined("SELECT count(*) FROM ", ", ", 9, keys[i], "", ERR_NONE);
		expect_joined("SELECT count(*) FROM ", ", ", 17, keys[i], "", ERR_NONE);
	}
	expect_joined("SELECT count(*) FROM (SELECT 1 FROM ", ", ", 11, "t#.a = t@.b", ") q", ERR_FORBIDDEN_SQL);
	expect_joined("WITH q AS (SELECT 1 FROM ", ", ", 11, "t#.a = t@.b", ") SELECT * FROM q", ERR_FORBIDDEN_SQL);
	expect_joined("SELECT count(*) FROM ", ", ", 11, "id# = id@", "", ERR_FORBIDDEN_SQL);
	expect_joined("SELECT count(*) FROM ", " NATURAL JOIN ", 17, "t#.a = t@.b", "", ERR_NONE);
	for (int i = 0; i < 30; i++) {
		buf_str(&sql, i == 0 ? "" : " UNION ALL ");
		buf_str(&sql,
		    "SELECT a.id FROM t a, t b, t c, t d, t e, t f, t g, t h WHERE a.id = b.id AND b.id = c.id AND "
		    "c.id = d.id AND d.id = e.id AND e.id = f.id AND f.id = g.id AND g.id = h.id");
		if (i == 3)
			expect_size(buf_cstr(&sql), ERR_NONE, "");
	}
	expect_size(buf_cstr(&sql), ERR_FORBIDDEN_SQL, "orders of the statement's joins");
	buf_reset(&sql, SIZE_MAX);
	buf_str(&sql, "SELECT 1 FROM t WHERE true");
	for (int i = 0; i < 12; i++)
		buf_str(&sql, " AND id IN (SELECT id FROM t)");
	expect_size(buf_cstr(&sql), ERR_NONE, "");
	for (int i = 0; i < 130; i++)
		buf_str(&sql, " AND id IN (SELECT id FROM t)");
	expect_size(buf_cstr(&sql), ERR_FORBIDDEN_SQL, "orders of the statement's joins");
	buf_fini(&sql);
	expect_size(star, ERR_NONE, "");
	expect_size(shared, ERR_NONE, "");
}

static void
what_is_gathered_is_added_up(void **state)
{
	(void)state;
	expect_size("SELECT cardinality(array_agg(repeat('x',16000000))) FROM generate_series(1,10000)",
	    ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT array_agg(v) FROM (SELECT repeat('x', 1000000) AS v) s, generate_series(1, 1000)",
	    ERR_FORBIDDEN_SQL, "gathered");
	expect_size(
	    "WITH s AS (SELECT repeat('x', 1000000) AS v FROM generate_series(1, 1000)) SELECT json_agg(v) FROM s",
	    ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT ARRAY(SELECT repeat('x', 1000000) FROM generate_series(1, 1000))", ERR_FORBIDDEN_SQL,
	    "gathered");
	expect_size("SELECT ARRAY(SELECT generate_series(1, 5000) FROM generate_series(1, 10000))", ERR_FORBIDDEN_SQL,
	    "gathered");
	expect_size("SELECT jsonb_agg(a) FROM generate_series(1, 100000) a, generate_series(1, 100000) b",
	    ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT array_agg(x) FROM (VALUES (repeat('x', 16000000)), ('b')) v(x), generate_series(1, 100)",
	    ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT string_agg(s, '') FROM (SELECT array_agg(repeat('x', 1000000)) AS s FROM "
		    "generate_series(1, 100)) q, "
		    "generate_series(1, 100)",
	    ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT x || x FROM (SELECT x || x AS x FROM (SELECT repeat('x', 8000000) AS x) a) b",
	    ERR_FORBIDDEN_SQL, "16 MB");
	expect_size("SELECT repeat(x, 1000) FROM (SELECT repeat('x', 1000000) AS x) a", ERR_FORBIDDEN_SQL, "repeat()");
	expect_size("SELECT repeat('x', n) FROM generate_series(1, 9000000, 100000) AS g(n)", ERR_NONE, "");
	expect_size("SELECT repeat(repeat('x', n), n) FROM generate_series(1, 900000) AS g(n)", ERR_FORBIDDEN_SQL,
	    "repeat()");
	expect_size("SELECT array_agg(repeat('x', 10000)) FROM t", ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT json_agg(v) FROM t JOIN (SELECT repeat('x', 10000) AS v) s ON true", ERR_FORBIDDEN_SQL,
	    "gathered");
	expect_size("SELECT ARRAY(SELECT repeat('x', 10000) FROM t)", ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT string_agg(repeat(name, id), '') FROM t", ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT array_agg(lpad(name, id)) FROM t", ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT jsonb_agg(array_fill(id, ARRAY[id])) FROM t", ERR_FORBIDDEN_SQL, "gathered");
	expect_size("SELECT repeat('x', id), lpad(name, id) || repeat('-', id) || repeat('+', id) FROM t", ERR_NONE,
	    "");
	expect_size("SELECT string_agg(repeat('#', least(id, 50)), ' '), json_agg(lpad(id::text, 6, '0')) FROM t",
	    ERR_NONE, "");
	expect_size("SELECT array_agg(i) FROM generate_series(1, 1000000) i", ERR_NONE, "");
	expect_size("SELECT string_agg(md5(i::text), ',') FROM generate_series(1, 1000000) i", ERR_NONE, "");
	expect_size("SELECT array_agg(n) FROM (SELECT count(*) AS n FROM generate_series(1, 10000) a, "
		    "generate_series(1, 10000) b) q",
	    ERR_NONE, "");
	expect_size("SELECT json_agg(q) FROM (SELECT a FROM generate_series(1, 100000) a, generate_series(1, 100000) b "
		    "LIMIT 10) q",
	    ERR_NONE, "");
}

/* r(n, x, y): how the recursive part goes on. */
static void
expect_recursion(const char *columns, const char *rest, enum err_code code, bool brief)
{
	struct guard_finding found;
	struct err err = { 0 };
	enum err_code got;
	char sql[1024];

	snprintf(sql, sizeof(sql),
	    "WITH RECURSIVE r(n, x, y) AS (SELECT 1, 'ab', 'cd' UNION ALL SELECT %s FROM %s) SELECT max(x) FROM r",
	    columns, rest);
	got = guard_pg_check_layers(guard, catalogue, span_str(sql), 0, GUARD_LAYER_PARSER, &found, &err) == 0 ?
	    ERR_NONE :
	    err.code;
	if (got != code || (code != ERR_NONE && strstr(err.message, "multiplies") == NULL) ||
	    (code == ERR_NONE && found.memory.brief != brief))
		fail_msg("%s: %s: %s", sql, err_name(got), err.message);
}

static void
recursions_that_multiply_are_refused(void **state)
{
	static const char *const multiply[] = {
		"n + 1, x || x, y", "n + 1, r.x || '' || (r.x), y", "n + 1, x || y, x || y", "n + 1, y || y, x", "n + 1, repeat(x, 2), y",
		"n + 1, repeat(x, n), y", "n + 1, concat(x, y), concat(y, x)", "n + 1, format('%s%s', x, x), y", "n + 1, ARRAY[x, x]::text, y",
		"n + 1, jsonb_build_array(x, x)::text, y", "n + 1, CASE WHEN n > 0 THEN x || x ELSE x END, y",
		"n + 1, coalesce(x || x, ''), y", "n + 1, (SELECT string_agg(e, '') FROM unnest(ARRAY[x, x]) e), y",
		"n + 1, ROW(x)::text, y", "n + 1, r::text, y", "n + 1, quote_literal(x), y", "n + 1, to_json(x)::text, y",
		"n + 1, encode(x::bytea, 'hex'), y", "n + 1, ARRAY[x]::text, y", "n + 1, format('%L', x), y", "n + 1, xmlelement(name a, x)::text, y",
		"n + 1, replace(x, 'a', x), y", "n + 1, ROW(r.*, r.*)::text, y", "n + 1, upper(x) || lower(x), y",
		"n + 1, array_to_string(string_to_array(x, ',') || string_to_array(x, ','), ','), y", "n + 1, row_to_json(r)::text || x, y",
	};
	static const char *const add[] = {
		"n + 1, x || 'a', y", "n + 1, x || n, y || x", "n + 1, r.x || '/' || t.name, t.path || r.y", "n + 1, upper(x), y",
		"n * 2, md5(x || x), left(y || y, 10)", "n + 1, CASE WHEN n > 2 THEN x ELSE x || 'a' END, coalesce(y, x)",
		"n + 1, format('%s/%s', x, t.name), y || quote_literal(t.name)", "n + 1, (x || 'a')::text, y || ARRAY[t.id]::text",
		"n + length(x || x), x, y", "n + 1, greatest(x, y), y || repeat('a', 10)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(multiply) / sizeof(multiply[0]); i++) {
		expect_recursion(multiply[i], "r", ERR_FORBIDDEN_SQL, false);
		expect_recursion(multiply[i], "t JOIN r ON true WHERE x <> y", ERR_FORBIDDEN_SQL, false);
		expect_recursion(multiply[i], "r WHERE n < 100", ERR_FORBIDDEN_SQL, false);
	}
	for (size_t i = 0; i < sizeof(add) / sizeof(add[0]); i++)
		expect_recursion(add[i], "r, t", ERR_NONE, false);
	/* A counter that counts bounds them. */
	expect_recursion("n + 1, x || x, y", "r WHERE n < 10", ERR_NONE, true);
	expect_recursion("n + 1, x || x, y", "r WHERE length(x) < 100000 AND n <= 5 + 5", ERR_NONE, true);
	expect_recursion("n + 1, x || x, y", "r WHERE n < 40", ERR_FORBIDDEN_SQL, false);
	expect_recursion("n, x || x, y", "r WHERE n < 10", ERR_FORBIDDEN_SQL, false);
	expect_recursion("n - 1, x || x, y", "r WHERE n < 10", ERR_FORBIDDEN_SQL, false);
	expect_recursion("n + 1, x || x, y", "r WHERE n < 10 OR true", ERR_FORBIDDEN_SQL, false);
	/* Behind a sub-select nothing is seen of it. */
	expect_recursion("n + 1, z, y", "(SELECT n, x || x AS z, y FROM r) q", ERR_NONE, true);
}

static void
values_of_one_row_are_added_up(void **state)
{
	struct buf sql = { 0 };
	struct guard_finding found;
	struct err err;

	(void)state;
	expect_steps("SELECT 1", ", length(repeat('#x', 4000000))", 300, "", ERR_FORBIDDEN_SQL, "together");
	expect_steps("SELECT 1", ", length(repeat('#x', 4000000))", 20, "", ERR_NONE, "");
	expect_steps("SELECT 1", ", length(s || s || '#')", 20, " FROM (SELECT repeat('x', 7000000) AS s) q",
	    ERR_FORBIDDEN_SQL, "together");
	expect_steps("SELECT 1", ", length(s || '#')", 20, " FROM (SELECT repeat('x', 7000000) AS s) q", ERR_NONE, "");
	expect_steps("SELECT 1", ", repeat('#', n)", 5, " FROM t", ERR_NONE, "");
	expect_steps("SELECT 1", ", (SELECT count(*) FROM generate_series(1, 9000000 + #))", 100, "", ERR_NONE, "");
	for (int i = 0; i < 2; i++) {
		buf_reset(&sql, SIZE_MAX);
		buf_str(&sql, "SELECT 1");
		for (int n = 0; n < (i == 0 ? 5 : 12); n++)
			buf_str(&sql, ", repeat('x', n)");
		buf_str(&sql, " FROM t");
		assert_int_equal(guard_pg_check_layers(guard, catalogue, buf_view(&sql), 0, GUARD_LAYER_PARSER, &found,
				     &err),
		    0);
		assert_int_equal(found.memory.brief, i == 1);
	}
	buf_fini(&sql);
}

/* head, n times open, middle, n times close, tail. */
static void
expect_nested(const char *open, const char *middle, const char *close, unsigned n, enum err_code code, const char *says)
{
	struct buf sql = { 0 };

	buf_str(&sql, "SELECT ");
	for (unsigned i = 0; i < n; i++)
		buf_str(&sql, open);
	buf_str(&sql, middle);
	for (unsigned i = 0; i < n; i++)
		buf_str(&sql, close);
	buf_str(&sql, " FROM t");
	expect_size(buf_cstr(&sql), code, says);
	buf_fini(&sql);
}

static void
values_in_values_are_quoted_again(void **state)
{
	static const char *const nested[][3] = {
		{ "ROW(", "'\"'", ")::text" }, { "ARRAY[", "'\"'", "]::text" }, { "quote_literal(", "''''", ")" }, { "quote_ident(", "'\"'", ")" },
		{ "to_json(", "'\"'::text", ")::text" }, { "encode(", "'ab'", "::bytea, 'hex')" }, { "format('%L', ", "''''", ")" },
		{ "xmlelement(name a, ", "'<'", ")::text" }, { "quote_literal(", "name", ")" }, { "ROW(", "name", ")::text" },
		{ "jsonb_build_array(", "'\"'", ")::text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(nested) / sizeof(nested[0]); i++) {
		expect_nested(nested[i][0], nested[i][1], nested[i][2], 27, ERR_FORBIDDEN_SQL, "MB");
		expect_nested(nested[i][0], nested[i][1], nested[i][2], 4, ERR_NONE, "");
	}
	expect_nested("(SELECT x || x FROM (SELECT ", "name", " AS x FROM t OFFSET 0) q)", 27, ERR_FORBIDDEN_SQL, "MB");
	expect_nested("(SELECT x || x FROM (SELECT ", "name", " AS x FROM t OFFSET 0) q)", 8, ERR_NONE, "");
	expect_size("SELECT 'a'::char(20000000)", ERR_FORBIDDEN_SQL, "MB");
	expect_size("SELECT cast('1' AS bit(800000000))", ERR_FORBIDDEN_SQL, "MB");
	expect_size("SELECT array_agg('a'::char(10000000)) FROM generate_series(1, 1000)", ERR_FORBIDDEN_SQL,
	    "gathered");
	expect_steps("SELECT 1", ", octet_length('#'::char(10000000))", 30, "", ERR_FORBIDDEN_SQL, "together");
	expect_size("SELECT 'a'::char(10), name::varchar(20), '101'::bit(3), 1.5::numeric(10, 2) FROM t", ERR_NONE, "");
	expect_size("SELECT jsonb_pretty(('[' || doc || ']')::jsonb), jsonb_pretty(doc) FROM t", ERR_NONE, "");
	expect_steps("SELECT 1", ", jsonb_pretty((repeat('[', 500#) || repeat(']', 500#))::jsonb)", 20, "",
	    ERR_FORBIDDEN_SQL, "MB");
	expect_size("SELECT polygon(60000000, circle '<(0,0),1>')", ERR_FORBIDDEN_SQL, "MB");
	expect_size("SELECT polygon(12, circle '<(0,0),1>')", ERR_NONE, "");
}

/* What the guard finds that the server would keep in memory. */
static void
expect_kept(const char *sql, bool gathers, bool hashes, bool distinct, double doubt, double made)
{
	struct guard_finding found;
	struct err err;

	if (guard_pg_check_layers(guard, catalogue, span_str(sql), 0, GUARD_LAYER_PARSER, &found, &err) == -1)
		fail_msg("%s: %s", sql, err.message);
	if (found.memory.gathers != gathers || found.memory.hashes != hashes || found.memory.distinct != distinct ||
	    found.memory.doubt != doubt || found.memory.made != made)
		fail_msg("%s: gathers %d, hashes %d, distinct %d, doubt %g, made %g", sql, found.memory.gathers,
		    found.memory.hashes, found.memory.distinct, found.memory.doubt, found.memory.made);
}

static void
what_is_kept_in_memory_is_told(void **state)
{
	(void)state;
	expect_kept("SELECT a, count(*), sum(b) FROM t GROUP BY 1", false, false, false, 1, 1);
	expect_kept("SELECT array_agg(a) FROM t WHERE a = 1 AND b > now() AND c IN (1, 2) AND d LIKE 'x%' AND e IS "
		    "NULL AND f AND 2 < g",
	    true, false, false, 1, 1);
	expect_kept("SELECT pg_catalog.json_agg(t) FROM t JOIN u ON u.id = t.u_id JOIN v USING (id)", true, false,
	    false, 1, 1);
	expect_kept("SELECT ARRAY(SELECT a FROM t) FROM t WHERE a::text = b::text AND c <> d", true, false, false, 1,
	    1);
	expect_kept("SELECT string_agg(a, '') FROM t WHERE lower(a) = 'x'", true, true, false, 200, 1);
	expect_kept("SELECT array_agg(a) FROM t, u WHERE t.a * 0 = u.a * 0 AND t.b + 1 > u.b", true, true, false, 600,
	    1);
	expect_kept("SELECT array_agg(a) FROM t WHERE t.a = t.a AND starts_with(b, 'x')", true, true, false, 600, 1);
	expect_kept("SELECT array_agg(a) FROM t WHERE NOT (a + 1 = 2) OR b IS NULL", true, true, false, 200, 1);
	expect_kept("SELECT array_agg(a) FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.x = t.x)", true, false, false,
	    30, 1);
	expect_kept("SELECT array_agg(a) FROM t WHERE a > random()", true, false, false, 3, 1);
	expect_kept("SELECT a FROM t GROUP BY a HAVING max(b) - 1 > 1", false, false, false, 3, 1);
	expect_kept("SELECT 1 FROM t WHERE a IN (SELECT b FROM u)", false, true, false, 1, 1);
	expect_kept("SELECT a FROM t EXCEPT SELECT a FROM u", false, true, false, 1, 1);
	expect_kept("SELECT a FROM t UNION SELECT a FROM u", false, false, false, 1, 1);
	expect_kept("WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r) SELECT 1 FROM r", false, false, true,
	    1, 1);
	expect_kept("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT 1 FROM r", false, false,
	    false, 1, 1);
	expect_kept("WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT 2 FROM t) SELECT 1 FROM r", false, false, false, 1,
	    1);
	expect_kept("SELECT array_agg(n) FROM generate_series(1, 100) n", true, false, false, 1, 1);
	expect_kept("SELECT array_agg(n) FROM t, generate_series(1, t.a) n", true, false, false, 1, 1e4);
	expect_kept("SELECT array_agg(n) FROM t, unnest(t.tags) n, jsonb_each(t.doc)", true, false, false, 1, 1e6);
	expect_kept("SELECT array_agg(n) FROM unnest(array_fill(1, ARRAY[10000])) n", true, false, false, 1, 200);
}

static void
what_is_not_interrupted_is_bounded_by_both_arguments(void **state)
{
	static const char *const calls[] = {
		"strpos(repeat('a', 1000000), 'b' || repeat('a', 500000))", "position('b' || repeat('a', 500000) IN repeat('a', 1000000))",
		"replace(repeat('a', 1000000), 'b' || repeat('a', 500000), '')", "split_part(repeat('a', 1000000), 'b' || repeat('a', 500000), 1)",
		"string_to_array(repeat('a', 1000000), 'b' || repeat('a', 500000))", "repeat('a', 1000000) LIKE '%' || repeat('a', 500000) || 'b'",
		"repeat('a', 1000000) NOT ILIKE '%' || repeat('a', 500000)", "btrim(repeat('a', 1000000), repeat('b', 1000000))",
		"trim(both repeat('b', 1000000) from repeat('a', 1000000))", "string_to_array(repeat('a,', 100000), ',') && string_to_array(repeat('b,', 100000), ',')",
		"(repeat('9', 130000)::numeric) % (repeat('7', 65000)::numeric)", "div(repeat('9', 130000)::numeric, repeat('7', 65000)::numeric)",
		"strpos(name, repeat('a', 500000))", "array_fill(1, ARRAY[500000]) @> array_fill(2, ARRAY[500000])",
		"(SELECT array_agg(i) FROM generate_series(1, 500000) i) <@ (SELECT array_agg(i) FROM generate_series(1, 500000) i)",
		"strpos(repeat('a', id), 'b' || repeat('a', id / 2))", "strpos(lpad('a', id), rpad('b', id))",
		"(repeat('9', id)::numeric) / (repeat('7', id)::numeric)", "array_fill(1, ARRAY[id]) && array_fill(2, ARRAY[id])",
		"strpos(left(repeat('a', id), -1), 'b' || substr(repeat('a', id), 5))", "repeat('a', length(name)) LIKE '%' || repeat('a', 1000) || 'b'",
		"(SELECT max(strpos(s, 'b' || s)) FROM (SELECT repeat('a', id) AS s) q)",
		"(SELECT max(strpos(t, 'b' || t)) FROM (WITH RECURSIVE r(n, t) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, t || 'a' FROM r) TABLE r) q)",
		"numeric_div(repeat('9', 130000)::numeric, repeat('7', 65000)::numeric)", "bytealike(repeat('a', 1000000)::bytea, ('%' || repeat('a', 500000) || 'b')::bytea)",
		"normalize(repeat(U&'\\0315', 10000) || repeat(U&'\\0327', 10000))", "repeat('a', 100000) IS NFKD NORMALIZED",
		"polygon(8000, circle '<(0,0),1>') && polygon(8000, circle '<(0,0),0.5>')", "poly_overlap(polygon(8000, c), polygon(8000, d))",
		"index((repeat('a.', 40000) || 'a')::ltree, (repeat('a.', 20000) || 'b')::ltree)", "xml_is_well_formed(repeat(' a', 100000))",
		"('<a ' || (SELECT string_agg('x' || i || '=\"1\"', ' ') FROM generate_series(1, 40000) i) || '/>')::xml",
		"xmlparse(document repeat(name, id))",
		"xpath(name, x)", "xpath('//*[//*[//*[//*]]]', x)", "xpath_exists('//a//b//c', x)", "xmlexists('//*[count(//*)=1]' PASSING x)",
	};
	char sql[512];

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		snprintf(sql, sizeof(sql), "SELECT %s FROM t", calls[i]);
		expect_size(sql, ERR_FORBIDDEN_SQL, "interrupt");
	}
	expect_size("SELECT * FROM xmltable('//*[//*[//*]]' PASSING x COLUMNS a text)", ERR_FORBIDDEN_SQL, "interrupt");
	expect_size("SELECT * FROM xmltable('/r' PASSING x COLUMNS a text PATH '//*[//*[//*]]')", ERR_FORBIDDEN_SQL,
	    "interrupt");
	expect_size("SELECT * FROM xmltable('/r/a' PASSING x COLUMNS a text PATH 'b/@c', n int)", ERR_NONE, "");
	expect_size("SELECT strpos(name, 'abc'), replace(repeat('x', 1000), 'x', 'y'), name LIKE '%abc%' FROM t",
	    ERR_NONE, "");
	expect_size("WITH RECURSIVE r(n, t) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, t || 'a' FROM r WHERE strpos(t, "
		    "'b' || t) = 0) "
		    "SELECT n FROM r",
	    ERR_FORBIDDEN_SQL, "interrupt");
	expect_size("WITH RECURSIVE r(n, path, all_of) AS (SELECT id, name, ARRAY[id] FROM t UNION ALL SELECT t.id, "
		    "r.path || '/' || t.name, "
		    "all_of || t.id FROM t JOIN r ON t.id = r.n WHERE NOT all_of @> ARRAY[t.id] AND r.path NOT LIKE "
		    "'%/' || t.name || '/%') "
		    "SELECT path, json_agg(all_of), array_agg(path) FROM r JOIN t ON t.id = r.n WHERE all_of && "
		    "ARRAY[1, t.id] AND path LIKE '%x%' "
		    "AND strpos(path, name) > 0 GROUP BY 1",
	    ERR_NONE, "");
	expect_size("SELECT rpad(name, id) LIKE '%x%', strpos(string_agg(name, ','), 'abc'), array_agg(name) && "
		    "ARRAY['a', name] FROM t "
		    "GROUP BY 1",
	    ERR_NONE, "");
	expect_size("SELECT normalize(name), name IS NORMALIZED, name::xml, xmlparse(content '<a/>'), index(a, b), a "
		    "&& b FROM t",
	    ERR_NONE, "");
	expect_size("SELECT strpos(repeat('a', 1000000), 'abc'), ARRAY[1, 2] && ARRAY[2], x - 1, y / 2 FROM t",
	    ERR_NONE, "");
	expect_size("SELECT xpath('/a/b[@c=1]/text()', x), xpath('//a', x), xmlexists('//b[. = 1]' PASSING x) FROM t",
	    ERR_NONE, "");
}

/* A value that is not known yet is judged as a column's is, and stands for no literal that is asked for. */
static void
placeholders_are_for_statements_that_may_have_them(void **state)
{
	(void)state;
	expect("SELECT $1", ERR_INVALID_SQL, "placeholders are not supported");
	guard_pg_allow_parameters(guard, true);
	expect("SELECT $1, 'a' || $2 FROM pg_class WHERE relname = $1 LIMIT $3", ERR_NONE, "");
	expect("SELECT current_setting($1)", ERR_FORBIDDEN_SQL, "current_setting() is allowed only");
	expect("SELECT writes() WHERE $1", ERR_FORBIDDEN_SQL, "writes");
	expect("DELETE FROM t WHERE a = $1", ERR_FORBIDDEN_SQL, "DELETE");
	guard_pg_allow_parameters(guard, false);
	expect("SELECT $1", ERR_INVALID_SQL, "placeholders are not supported");
}

static void
positions_count_characters(void **state)
{
	struct guard_finding found;
	struct err err;

	(void)state;
	assert_int_equal(check("SELECT 'é', writes()", &err, &found), ERR_FORBIDDEN_SQL);
	assert_int_equal(found.position, 13);
	assert_int_equal(check("SELECT 'é' FROM", &err, &found), ERR_INVALID_SQL);
	assert_int_equal(found.position, 16);
	assert_int_equal(guard_pg_check(guard, catalogue, SPAN("SELECT writes()"), 5, &found, &err), -1);
	assert_int_equal(found.position, 13);
	assert_int_equal(check("SELECT nobody()", &err, &found), ERR_INVALID_SQL);
	assert_true(found.unknown);
	assert_int_equal(check("SELECT writes()", &err, &found), ERR_FORBIDDEN_SQL);
	assert_false(found.unknown);
}

static void
one_statement_of_the_right_kind(void **state)
{
	struct guard_finding found;
	struct err err;

	(void)state;
	expect("SELECT 1; SELECT 2", ERR_FORBIDDEN_SQL, "several statements");
	expect("-- nothing", ERR_INVALID_SQL, "no statement");
	expect("", ERR_INVALID_SQL, "no statement");
	expect("CREATE TABLE x(a int)", ERR_FORBIDDEN_SQL, "CreateStmt");
	expect("EXPLAIN (ANALYZE) SELECT 1", ERR_FORBIDDEN_SQL, "EXPLAIN ANALYZE");
	/* Functions outside of every query. */
	expect("EXPLAIN WITH w AS (SELECT 1) MERGE INTO orders o USING customers c ON abs(o.id) = c.id "
	       "WHEN MATCHED THEN DELETE",
	    ERR_FORBIDDEN_SQL, "");
	expect("MERGE INTO orders o USING customers c ON o.id = sum(c.id) OVER () WHEN MATCHED THEN DELETE",
	    ERR_FORBIDDEN_SQL, "");
	expect("CREATE TABLE x (a int DEFAULT array_agg(1))", ERR_FORBIDDEN_SQL, "");
	expect("CREATE INDEX i ON orders (abs(id))", ERR_FORBIDDEN_SQL, "");
	expect("EXECUTE p(generate_series(1, 3))", ERR_FORBIDDEN_SQL, "");
	expect("CALL abs(array_agg(1))", ERR_FORBIDDEN_SQL, "");
	expect("UPDATE orders SET id = abs(id) WHERE sum(id) > 1", ERR_FORBIDDEN_SQL, "");
	expect("EXPLAIN (BUFFERS) SELECT 1", ERR_FORBIDDEN_SQL, "this option");
	expect("EXPLAIN SHOW TimeZone", ERR_INVALID_SQL, "syntax error");
	expect("SELECT $1", ERR_INVALID_SQL, "placeholders");
	expect("SELECT 1 FROM t TABLESAMPLE bernoulli(1)", ERR_NONE, "");
	expect("SELECT 1 FROM t TABLESAMPLE tsm.rows(1)", ERR_FORBIDDEN_SQL, "sampling");
	assert_int_equal(guard_pg_check(guard, catalogue, SPAN("SELECT 1\0; DROP TABLE x"), 0, &found, &err), -1);
	assert_non_null(strstr(err.message, "NUL"));
}

/* The deepest texts that fit, on a stack of 8 MiB: refused, not crashed. */
static void
nothing_nests_deeper_than_the_stack(void **state)
{
	static const struct {
		const char *open, *middle, *close;
	} nests[] = {
		{ "NOT ", "true", "" },
		{ "", "1", "+1" },
		{ "- ", "1", "" },
		{ "", "1", "::int" },
		{ "(", "1", ")" },
		{ "CASE WHEN ", "true", " THEN 1 END" },
		{ "ARRAY[", "1", "]" },
		{ "(SELECT ", "1", ")" },
		{ "pure(", "1", ")" },
		{ "", "1", "||1" },
		{ "", "1", " IS NULL" },
		{ "(1,", "1", ")" },
		{ "", "1", " UNION SELECT 1" },
		{ "", "1", "<1" },
		{ "", "a", "[1]" },
		{ "", "(a)", ".b" },
	};
	struct rlimit old, small;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_STACK, &old), 0);
	small = old;
	if (small.rlim_cur > (rlim_t)8 << 20)
		small.rlim_cur = (rlim_t)8 << 20;
	assert_int_equal(setrlimit(RLIMIT_STACK, &small), 0);
	for (size_t i = 0; i < sizeof(nests) / sizeof(nests[0]); i++) {
		size_t each = strlen(nests[i].open) + strlen(nests[i].close), n = (GUARD_TEXT_MAX - 32) / each;
		struct guard_finding found;
		struct buf b = { 0 };
		struct err err;

		buf_str(&b, "SELECT ");
		for (size_t k = 0; k < n; k++)
			buf_str(&b, nests[i].open);
		buf_str(&b, nests[i].middle);
		for (size_t k = 0; k < n; k++)
			buf_str(&b, nests[i].close);
		assert_true(b.len <= GUARD_TEXT_MAX);
		(void)guard_pg_check(guard, catalogue, buf_view(&b), 0, &found, &err);
		buf_fini(&b);
	}
	setrlimit(RLIMIT_STACK, &old);
	expect("SELECT 1", ERR_NONE, "");
}

static void
broken_trees_are_refused(void **state)
{
	static const char *const broken[] = { "", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1}x", "{\"a\":1,}",
		"{\"a\":\"\\u0000\"}", "{\"a\":\"\\u00e9\"}", "{\"a\":\"\\x\"}", "{\"a\":\"", "{\"a\":tru}", "{\"a\":-}",
		"{\"a\":1.5}", "{a:1}", "{\"a\":[1,]}", "{\"a\":[1}", "{\"a\" :1}", "{\"a\":99999999999999}" };
	struct guard_tree t = { 0 };
	struct buf deep = { 0 };
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		snprintf(text, sizeof(text), "%s", broken[i]);
		if (guard_tree_read(&t, text) != GUARD_TREE_BROKEN)
			fail_msg("%s", broken[i]);
	}
	snprintf(text, sizeof(text), "{\"stmts\":[{\"stmt\":{}},{}],\"str\":\"\\u003ca\\\"\\n\",\"version\":-7}");
	assert_int_equal(guard_tree_read(&t, text), GUARD_TREE_OK);
	assert_true(span_is_str(guard_tree_string(&t, 0, GUARD_str), "<a\"\n"));
	assert_int_equal(guard_tree_number(&t, 0, GUARD_version), -7);
	buf_str(&deep, "{\"a\":");
	for (int i = 0; i < 3000; i++)
		buf_byte(&deep, '[');
	buf_byte(&deep, '\0');
	assert_int_equal(guard_tree_read(&t, (char *)deep.p), GUARD_TREE_TOO_DEEP);
	buf_fini(&deep);
	guard_tree_fini(&t);
}

static void
places_of_rows_are_refused_where_rows_are_hidden(void **state)
{
	static const char *const refused[] = { "SELECT ctid FROM t", "SELECT o.ctid FROM t o",
		"SELECT (o).ctid FROM t o",
		"SELECT 1 FROM t WHERE ctid = '(1,1)'", "SELECT \"ctid\" FROM t", "SELECT U&\"\\0063tid\" FROM t",
		"SELECT 1 FROM public.t ORDER BY public.t.ctid DESC" };
	struct guard_finding found;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(check(refused[i], &err, &found), ERR_NONE);
		guard_pg_hide_places(guard, true);
		if (check(refused[i], &err, &found) != ERR_FORBIDDEN_SQL)
			fail_msg("%s passed", refused[i]);
		assert_int_equal(check("SELECT 'ctid' FROM t", &err, &found), ERR_NONE);
		guard_pg_hide_places(guard, false);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_judged_by_the_worst_a_call_could_mean),
		cmocka_unit_test(equality_may_be_unwritten),
		cmocka_unit_test(the_configuration_may_trust_functions),
		cmocka_unit_test(the_layers_stop_different_things),
		cmocka_unit_test(a_field_may_be_a_function),
		cmocka_unit_test(settings_are_a_list),
		cmocka_unit_test(constants_are_added_up),
		cmocka_unit_test(copies_are_counted),
		cmocka_unit_test(columns_are_counted_where_they_are_named),
		cmocka_unit_test(operands_are_counted_where_they_are_copied),
		cmocka_unit_test(orders_of_joins_are_counted),
		cmocka_unit_test(what_is_gathered_is_added_up),
		cmocka_unit_test(recursions_that_multiply_are_refused),
		cmocka_unit_test(values_of_one_row_are_added_up),
		cmocka_unit_test(what_is_kept_in_memory_is_told),
		cmocka_unit_test(values_in_values_are_quoted_again),
		cmocka_unit_test(what_is_not_interrupted_is_bounded_by_both_arguments),
		cmocka_unit_test(placeholders_are_for_statements_that_may_have_them),
		cmocka_unit_test(positions_count_characters),
		cmocka_unit_test(one_statement_of_the_right_kind),
		cmocka_unit_test(nothing_nests_deeper_than_the_stack),
		cmocka_unit_test(broken_trees_are_refused),
		cmocka_unit_test(places_of_rows_are_refused_where_rows_are_hidden),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
