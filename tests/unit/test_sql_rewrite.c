// libs: carrel_sql_postgres carrel_guard_pg carrel_policy carrel_base
/* test_sql_rewrite.c - statements with their protected tables replaced: what is written, and where it comes from. */
#include <string.h>

#include "tests/unit/harness.h"
#include "workers/sql/postgres/postgres_rewrite.h"

static int
relation(void *arg, struct span schema, struct span name)
{
	(void)arg;
	return (schema.len == 0 || span_is_str(schema, "p")) &&
		(span_is_str(name, "t") || span_is_str(name, "Odd \"T")) ?
	    0 :
	    -1;
}

static const char *
refuses(void *arg, enum columns_pg_kind kind, struct span name)
{
	(void)arg, (void)kind, (void)name;
	return NULL;
}

static void
stand_in(void *arg, int number, struct pg_stand_in *out)
{
	(void)arg, (void)number;
	out->list = "a";
	out->source = "p.t";
}

/* 0, or -1 with what is wrong in err. */
static int
rewrite(const char *sql, struct pg_rewrite *r, struct err *err)
{
	static const struct columns_pg_names names = { .relation = relation, .refuses = refuses };
	struct columns_pg *finder = columns_pg_new();
	const struct columns_pg_use *uses;
	size_t n;
	int rc = columns_pg_find(finder, &names, span_str(sql), 0, &uses, &n, err);

	if (rc == 0)
		rc = pg_rewrite(r, span_str(sql), uses, n, stand_in, NULL, err);
	columns_pg_free(finder);
	return rc;
}

static void
what_is_written(void **state)
{
	static const struct {
		const char *sql, *text; /* NULL: refused */
	} cases[] = {
		{ "SELECT 1", "SELECT 1" },
		{ "SELECT * FROM t", "SELECT * FROM (SELECT a FROM p.t) AS \"t\"" },
		{ "SELECT * FROM t x", "SELECT * FROM (SELECT a FROM p.t) x" },
		{ "SELECT * FROM T AS x", "SELECT * FROM (SELECT a FROM p.t) AS x" },
		{ "SELECT * FROM p . t", "SELECT * FROM (SELECT a FROM p.t) AS \"t\"" },
		{ "SELECT * FROM p/**/./**/\"t\"--\n,u", "SELECT * FROM (SELECT a FROM p.t) AS \"t\"--\n,u" },
		{ "SELECT * FROM d.p.t", "SELECT * FROM (SELECT a FROM p.t) AS \"t\"" },
		{ "SELECT * FROM \"Odd \"\"T\"", "SELECT * FROM (SELECT a FROM p.t) AS \"Odd \"\"T\"" },
		{ "SELECT * FROM ONLY t", "SELECT * FROM (SELECT a FROM ONLY p.t) AS \"t\"" },
		{ "SELECT * FROM ONLY(t)x", "SELECT * FROM (SELECT a FROM ONLY p.t)x" },
		{ "SELECT * FROM t * x", "SELECT * FROM (SELECT a FROM p.t) x" },
		{ "TABLE t", "SELECT * FROM (SELECT a FROM p.t) AS \"t\"" },
		{ "TABLE ONLY p.t LIMIT 1", "SELECT * FROM (SELECT a FROM ONLY p.t) AS \"t\" LIMIT 1" },
		{ "SELECT * FROM t x TABLESAMPLE SYSTEM (5) REPEATABLE (1) WHERE true",
		    "SELECT * FROM (SELECT a FROM p.t TABLESAMPLE SYSTEM (5) REPEATABLE (1)) x  WHERE true" },
		{ "SELECT * FROM t TABLESAMPLE bernoulli((5))",
		    "SELECT * FROM (SELECT a FROM p.t TABLESAMPLE bernoulli((5))) AS \"t\" " },
		{ "SELECT p.t.a, d.p.t.* FROM p.t", "SELECT t.a, t.* FROM (SELECT a FROM p.t) AS \"t\"" },
		{ "SELECT 'ü', 't', $t$t$t$ FROM t", "SELECT 'ü', 't', $t$t$t$ FROM (SELECT a FROM p.t) AS \"t\"" },
		{ "WITH t AS (SELECT 1) SELECT * FROM t", "WITH t AS (SELECT 1) SELECT * FROM t" },
		{ "SELECT * FROM t a JOIN t b ON a.a = b.a",
		    "SELECT * FROM (SELECT a FROM p.t) a JOIN (SELECT a FROM p.t) b ON a.a = b.a" },
		{ "SELECT * FROM U&\"t\"", NULL },
		{ "SELECT * FROM U&\"\\0074\"", NULL },
		{ "SELECT * FROM p.U&\"t\"", NULL },
	};
	struct pg_rewrite r = { 0 };
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc = rewrite(cases[i].sql, &r, &err);

		if ((rc == 0) != (cases[i].text != NULL))
			fail_msg("%s: %d %s", cases[i].sql, rc, rc == 0 ? buf_cstr(&r.text) : err.message);
		if (rc == 0 && strcmp(buf_cstr(&r.text), cases[i].text) != 0)
			fail_msg("%s\nis %s\nnot %s", cases[i].sql, buf_cstr(&r.text), cases[i].text);
	}
	pg_rewrite_fini(&r);
}

static void
where_it_comes_from(void **state)
{
	static const char sql[] = "SELECT x, p.t.y FROM t WHERE z";
	struct pg_rewrite r = { 0 };
	struct err err;
	const char *text;

	(void)state;
	assert_int_equal(rewrite(sql, &r, &err), 0);
	text = buf_cstr(&r.text);
	assert_int_equal(pg_rewrite_origin(&r, (size_t)(strchr(text, 'x') - text)), 7);
	assert_int_equal(pg_rewrite_origin(&r, (size_t)(strchr(text, 'y') - text)), strchr(sql, 'y') - sql);
	assert_int_equal(pg_rewrite_origin(&r, (size_t)(strchr(text, 'z') - text)), strchr(sql, 'z') - sql);
	/* Inside of a stand-in: the name. */
	assert_int_equal(pg_rewrite_origin(&r, (size_t)(strstr(text, "p.t)") - text)), strstr(sql, "t WHERE") - sql);
	assert_true(pg_rewrite_is_ours(&r, (size_t)(strstr(text, "p.t)") - text)));
	assert_false(pg_rewrite_is_ours(&r, (size_t)(strchr(text, 'y') - text)));
	pg_rewrite_fini(&r);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written),
		cmocka_unit_test(where_it_comes_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
