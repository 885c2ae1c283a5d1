// libs: carrel_guard_pg carrel_policy carrel_base
/* test_columns.c - column rules: which pattern means which column, and where a statement names tables. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mp.h"
#include "policy/columns.h"
#include "workers/sql/postgres/guard/columns_pg.h"
#include "workers/sql/postgres/guard/columns_pg_copy.h"
#include "policy/tools.h"
#include "tests/unit/harness.h"

struct given {
	const char	*action, *pattern;
	uint32_t	 scopes;
};

static int
try_policy(struct columns **out, const struct given *rules, size_t n, struct err *err)
{
	struct buf b = { 0 };
	int r;

	mp_put_array(&b, n);
	for (size_t i = 0; i < n; i++) {
		mp_put_map(&b, 3);
		mp_pair_cstr(&b, "action", rules[i].action);
		mp_pair_cstr(&b, "pattern", rules[i].pattern);
		mp_pair_uint(&b, "scopes", rules[i].scopes);
	}
	r = columns_new(out, buf_view(&b), err);
	buf_fini(&b);
	return r;
}

static struct columns *
policy_of(const struct given *rules, size_t n)
{
	struct columns *p;
	struct err err;

	if (try_policy(&p, rules, n, &err) == -1)
		fail_msg("%s", err.message);
	return p;
}

static enum columns_action
decide(const struct columns *p, uint32_t scopes, const char *schema, const char *table, const char *column)
{
	return columns_decide(p, columns_view(p, scopes), span_str(schema), span_str(table), span_str(column));
}

static void
patterns(void **state)
{
	static const struct {
		const char *pattern, *schema, *table, *column;
		bool fits, binds;
	} cases[] = {
		{ "ssn", "public", "people", "ssn", true, true },
		{ "ssn", "public", "people", "SSN", true, true },
		{ "ssn", "public", "people", "ssn2", false, true },
		{ "*ssn*", "public", "people", "old_ssn_2", true, true },
		{ "people.ssn", "any", "people", "ssn", true, true },
		{ "people.ssn", "any", "person", "ssn", false, false },
		{ "*.ssn", "any", "person", "ssn", true, true },
		{ "app.people.ssn", "public", "people", "ssn", false, false },
		{ "app.people.ssn", "App", "People", "Ssn", true, true },
		{ "a*p.p*e.s*n", "app", "people", "ssn", true, true },
		{ "a*p.p*e.s*n", "app", "people", "ss", false, true },
		{ "people.*", "x", "people", "anything", true, true },
		{ "*.*.*", "x", "y", "z", true, true },
		{ "*a*a*", "", "", "banana", true, true },
		{ "*a*a*a*a*", "", "", "banana", false, true },
		{ "\"a.b\".c", "x", "a.b", "c", true, true },
		{ "\"*\".c", "x", "y", "c", false, false },
		{ "\"*\".c", "x", "*", "c", true, true },
		{ "\"say \"\"hi\"\"\"", "x", "y", "say \"hi\"", true, true },
		{ "größe", "x", "y", "größe", true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct columns *p = policy_of(&(struct given){ "hide", cases[i].pattern, 0 }, 1);
		bool fits = decide(p, 0, cases[i].schema, cases[i].table, cases[i].column) == COLUMNS_HIDE;
		bool binds = columns_binds(p, 0, span_str(cases[i].schema), span_str(cases[i].table));

		/* A table that is not bound has no column that fits, and one that is has another name at most. */
		if (fits != cases[i].fits || (fits && !binds) || binds != cases[i].binds)
			fail_msg("%s and %s.%s.%s: %d", cases[i].pattern, cases[i].schema, cases[i].table,
			    cases[i].column, fits);
		columns_free(p);
	}
}

static void
what_is_no_pattern(void **state)
{
	static const char *const bad[] = { "", ".", "a.", ".a", "a..b", "a.b.c.d", "\"a", "\"\"", "a\"b", "\"a\"b",
		"a\nb" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct columns *p = NULL;
		struct err err;

		if (try_policy(&p, &(struct given){ "hide", bad[i], 0 }, 1, &err) == 0)
			fail_msg("accepted: %s", bad[i]);
		columns_free(p);
	}
}

static void
the_strictest_holds(void **state)
{
	static const struct given rules[] = { { "hash", "*.email", 0 }, { "hide", "a.email", POLICY_SCOPE_RESEARCH_QUERY },
		{ "mask", "a.*", 0 }, { "mask", "b.x", POLICY_SCOPE_MEMORY_WRITE } };
	struct columns *p = policy_of(rules, 4);

	(void)state;
	assert_int_equal(decide(p, 0, "s", "z", "email"), COLUMNS_HASH);
	assert_int_equal(decide(p, 0, "s", "a", "email"), COLUMNS_MASK);
	assert_int_equal(decide(p, POLICY_SCOPES_RESEARCH, "s", "a", "email"), COLUMNS_HIDE);
	assert_int_equal(decide(p, COLUMNS_ANYBODY, "s", "b", "x"), COLUMNS_MASK);
	assert_int_equal(decide(p, POLICY_SCOPE_RESEARCH_READ, "s", "b", "x"), COLUMNS_CLEAR);
	assert_int_equal(decide(p, 0, "s", "b", "y"), COLUMNS_CLEAR);
	/* Only scopes that some rule names tell callers apart. */
	assert_int_equal(columns_view(p, POLICY_SCOPE_RESEARCH_READ), 0);
	assert_true(columns_has(p, COLUMNS_HASH) && !columns_is_empty(p));
	columns_free(p);
	assert_true(columns_is_empty(NULL));
	assert_int_equal(columns_decide(NULL, 0, SPAN("a"), SPAN("b"), SPAN("c")), COLUMNS_CLEAR);
}

static void
what_cannot_be_read_is_refused(void **state)
{
	static const char *const bad[] = { "\xc0", "\x91\xc0", "\x91\x80",
		"\x91\x82\xa6" "action\xa4show\xa7pattern\xa1" "a", "\x91\x82\xa6" "action\xa4hide\xa7pattern\xa0" };
	struct columns *p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (columns_new(&p, span_str(bad[i]), &err) == 0)
			fail_msg("accepted number %zu", i);
		columns_free(p);
	}
}

static void
likes(void **state)
{
	struct columns *p = policy_of(&(struct given){ "mask", "a_b.c*\\%", 0 }, 1);

	(void)state;
	assert_null(columns_like(p, 0, 0));
	assert_string_equal(columns_like(p, 0, 1), "a\\_b");
	assert_string_equal(columns_like(p, 0, 2), "c%\\\\\\%");
	columns_free(p);
}

static void
digests(void **state)
{
	static const struct given rules[] = { { "mask", "a", 0 }, { "hide", "a", 0 }, { "mask", "a", 1 },
		{ "mask", "b", 0 } };
	char seen[5][COLUMNS_DIGEST_TEXT];

	(void)state;
	columns_digest(NULL, seen[4]);
	assert_string_equal(seen[4], "");
	for (size_t i = 0; i < 4; i++) {
		struct columns *p = policy_of(&rules[i], 1);

		columns_digest(p, seen[i]);
		columns_free(p);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(seen[i], seen[k]);
	}
}

/* --- where a statement names tables ------------------------------------------------------ */

/* Protected: public.secret, found without its schema, and app.other, which is not. */
static int
relation(void *arg, struct span schema, struct span name)
{
	(void)arg;
	if (span_is_str(name, "secret") && (schema.len == 0 || span_is_str(schema, "public")))
		return 0;
	return span_is_str(name, "other") && span_is_str(schema, "app") ? 1 : -1;
}

static const char *
refuses(void *arg, enum columns_pg_kind kind, struct span name)
{
	bool reads = (kind == COLUMNS_PG_FUNCTION && span_is_str(name, "peek")) ||
	    (kind == COLUMNS_PG_OPERATOR && (span_is_str(name, "@@@") || span_is_str(name, ">="))) ||
	    (kind == COLUMNS_PG_TYPE && span_is_str(name, "nosy"));

	(void)arg;
	return reads ? "it reads" : NULL;
}

/* ":12" for a name at byte 12, "cut:7" for a qualification that goes. */
static void
find(const char *sql, char *out, size_t cap)
{
	static const struct columns_pg_names names = { .relation = relation, .refuses = refuses };
	struct columns_pg *p = columns_pg_new();
	const struct columns_pg_use *uses;
	struct err err;
	size_t n, len = 0;

	out[0] = '\0';
	if (columns_pg_find(p, &names, span_str(sql), 0, &uses, &n, &err) == -1)
		snprintf(out, cap, "%s", err_name(err.code));
	else
		for (size_t i = 0; i < n && len < cap; i++)
			len += (size_t)snprintf(out + len, cap - len, "%s%s:%zu%s%s%s", i > 0 ? " " : "",
			    uses[i].cut > 0 ? "cut" : "", uses[i].at, uses[i].only ? "o" : "",
			    uses[i].aliased ? "a" : "", uses[i].sampled ? "s" : "");
	columns_pg_free(p);
}

static void
names_in_statements(void **state)
{
	static const struct {
		const char *sql, *places;
	} cases[] = {
		{ "SELECT * FROM secret", ":14" },
		{ "SELECT * FROM secret s", ":14a" },
		{ "SELECT * FROM ONLY secret", ":19o" },
		{ "SELECT * FROM public.secret", ":14" },
		{ "SELECT * FROM db.public.secret", ":14" },
		{ "SELECT * FROM app.secret", "" },
		{ "SELECT * FROM other", "" },
		{ "SELECT * FROM app.other", ":14" },
		{ "SELECT * FROM \"Secret\"", "" },
		{ "SELECT * FROM SECRET", ":14" },
		{ "TABLE secret", ":6" },
		{ "SELECT * FROM secret TABLESAMPLE SYSTEM (1)", ":14s" },
		{ "SELECT public.secret.id FROM public.secret", "cut:7 :29" },
		{ "SELECT public.secret.* FROM public.secret", "cut:7 :28" },
		{ "SELECT db.public.secret.id FROM public.secret", "cut:7 :32" },
		{ "SELECT secret.id FROM secret", ":22" },
		{ "SELECT (SELECT 1 FROM secret)", ":22" },
		{ "SELECT 1 FROM a JOIN secret ON true", ":21" },
		{ "SELECT 1 FROM (a CROSS JOIN secret)", ":28" },
		{ "SELECT 1 UNION SELECT 2 FROM secret", ":29" },
		{ "(SELECT 1 FROM secret) UNION ALL (SELECT 2 FROM secret)", ":15 :48" },
		{ "SELECT 1 FROM a, LATERAL (SELECT * FROM secret) x", ":40" },
		{ "SELECT 1 ORDER BY (SELECT 1 FROM secret)", ":33" },
		{ "SELECT 1 LIMIT (SELECT 1 FROM secret)", ":30" },
		{ "SELECT 1 GROUP BY (SELECT 1 FROM secret)", ":33" },
		{ "SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM secret))", ":52" },
		{ "SELECT sum(1) OVER (ORDER BY (SELECT 1 FROM secret))", ":44" },
		{ "VALUES ((SELECT 1 FROM secret))", ":23" },
		{ "SELECT ARRAY(SELECT 1 FROM secret)", ":27" },
		{ "SELECT * FROM generate_series(1, (SELECT 1 FROM secret))", ":48" },
		{ "SELECT 1 FROM a TABLESAMPLE SYSTEM ((SELECT 1 FROM secret))", ":51" },
		{ "EXPLAIN SELECT 1 FROM secret", ":22" },
		/* WITH */
		{ "WITH secret AS (SELECT 1) SELECT * FROM secret", "" },
		{ "WITH secret AS (SELECT 1) SELECT * FROM public.secret", ":40" },
		{ "WITH secret AS (SELECT * FROM secret) SELECT * FROM secret", ":30" },
		{ "WITH RECURSIVE secret AS (SELECT * FROM secret) SELECT * FROM secret", "" },
		{ "WITH a AS (SELECT * FROM secret), secret AS (SELECT 1) SELECT * FROM secret, a", ":25" },
		{ "WITH secret AS (SELECT 1), a AS (SELECT * FROM secret) SELECT * FROM a", "" },
		{ "WITH RECURSIVE a AS (SELECT * FROM secret), secret AS (SELECT 1) SELECT * FROM a", "" },
		{ "SELECT * FROM (WITH secret AS (SELECT 1) SELECT * FROM secret) x, secret", ":66" },
		{ "WITH a AS (WITH secret AS (SELECT 1) SELECT * FROM secret) SELECT * FROM secret, a", ":73" },
		{ "WITH secret AS (SELECT 1) SELECT (SELECT 1 FROM secret) UNION SELECT * FROM secret", "" },
		{ "(WITH secret AS (SELECT 1) SELECT * FROM secret) UNION SELECT * FROM secret", ":69" },
		{ "SELECT * FROM secret UNION (WITH secret AS (SELECT 1) SELECT * FROM secret)", ":14" },
		{ "WITH \"Secret\" AS (SELECT 1) SELECT * FROM secret", ":42" },
		{ "WITH secret AS (SELECT 1) SELECT 1 ORDER BY (SELECT 1 FROM secret)", "" },
		{ "SELECT 1 WHERE EXISTS (WITH secret AS (SELECT 1) SELECT 1 FROM secret) AND EXISTS (SELECT 1 FROM "
		  "secret)",
		    ":97" },
		/* refused */
		{ "SELECT * FROM secret AS s(a, b)", "forbidden_sql" },
		{ "SELECT peek(1)", "forbidden_sql" },
		{ "SELECT x.peek FROM x", "forbidden_sql" },
		{ "SELECT (x).peek FROM x", "forbidden_sql" },
		{ "SELECT * FROM peek(1)", "forbidden_sql" },
		{ "SELECT 1 @@@ 2", "forbidden_sql" },
		{ "SELECT 1 OPERATOR(public.@@@) 2", "forbidden_sql" },
		{ "SELECT 1::nosy", "forbidden_sql" },
		{ "SELECT CAST(1 AS public.nosy)", "forbidden_sql" },
		{ "SELECT 1 ORDER BY 1 USING @@@", "forbidden_sql" },
		{ "SELECT 1 = 2, CASE 1 WHEN 2 THEN 3 END", "" },
		{ "SELECT 1 WHERE 1 BETWEEN 0 AND 2", "forbidden_sql" },
		{ "SELECT 1 WHERE 1 BETWEEN SYMMETRIC 0 AND 2", "forbidden_sql" },
		{ "SELECT 1 WHERE 1 NOT BETWEEN 0 AND 2", "" },
		{ "SELECT 1 WHERE 1 @@@ ANY (SELECT 2)", "forbidden_sql" },
		{ "SELECT peek FROM x", "" },
		{ "SELECT FROM WHERE", "invalid_sql" },
	};
	char found[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		find(cases[i].sql, found, sizeof(found));
		if (strcmp(found, cases[i].places) != 0)
			fail_msg("%s\nis \"%s\", not \"%s\"", cases[i].sql, found, cases[i].places);
	}
}

static const struct guard_tree *
read_definition(struct columns_pg *finder, const char *definition)
{
	static const struct columns_pg_names names = { .relation = relation, .refuses = refuses };
	const struct columns_pg_use *uses;
	struct err err;
	size_t n;

	return columns_pg_find(finder, &names, span_str(definition), 0, &uses, &n, &err) == -1 ?
	    NULL :
	    columns_pg_tree(finder);
}

static void
stored_copies(void **state)
{
	static const struct {
		const char *definition;
		bool copies;
	} cases[] = {
		{ "SELECT id, mail FROM t", true },
		{ "SELECT t.mail AS m, t.id + 1 AS n FROM t WHERE t.id > 1 ORDER BY t.id", true },
		{ "WITH w AS (SELECT mail AS m FROM t) SELECT s.x FROM (SELECT w.m AS x FROM w) s", true },
		{ "SELECT count(*) AS n, g.i FROM t, LATERAL generate_series(1, 3) g(i) GROUP BY g.i", true },
		{ "SELECT mail FROM t WHERE (EXISTS (SELECT 1 FROM u WHERE u.id = t.id))", true },
		{ "SELECT concat(mail) FROM t", false },
		{ "SELECT mail::text FROM t", false },
		{ "SELECT 1 FROM t WHERE mail > 'a'", false },
		{ "SELECT id FROM t ORDER BY t.mail", false },
		{ "SELECT id FROM t GROUP BY id, mail", false },
		{ "SELECT t.* FROM t", false },
		{ "SELECT row_to_json(t.*) FROM t", false },
		{ "SELECT mail FROM t UNION ALL SELECT name FROM t", false },
		{ "SELECT concat(s.b) FROM (SELECT id, mail FROM t) s(a, b)", false },
		{ "WITH w(a) AS (SELECT mail FROM t) SELECT concat(w.a) FROM w", false },
		{ "SELECT concat(s.m) FROM (SELECT mail AS m FROM t) s", false },
		{ "SELECT concat(u.y) FROM (SELECT s.x AS y FROM (SELECT mail AS x FROM t) s) u", false },
		{ "SELECT (SELECT mail FROM t) AS m", false },
		{ "WITH w AS (SELECT mail AS m FROM t) SELECT concat((SELECT m FROM w)) AS x", false },
		{ "SELECT v.x FROM t, LATERAL (VALUES (t.mail)) v(x)", false },
		{ "SELECT x FROM t, LATERAL unnest(ARRAY[t.mail]) x", false },
		{ "SELECT sum(id) OVER (ORDER BY mail) FROM t", false },
		{ "SELECT count(*) FILTER (WHERE mail IS NULL) FROM t", false },
		{ "SELECT (t.mail).part FROM t", false },
		{ "SELECT no syntax", true },
		{ "SELECT FROM FROM", false },
		{ "", true },
	};
	const struct span names[] = { SPAN("mail"), SPAN("ssn") };
	struct columns_pg *finder = columns_pg_new();
	const struct guard_tree *tree;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (((tree = read_definition(finder, cases[i].definition)) != NULL &&
			columns_pg_copies(tree, names, 2)) != cases[i].copies)
			fail_msg("%s", cases[i].definition);
	columns_pg_free(finder);
}

/* The table t with hidden columns is written as t where the relation is it, and as public.u where it is not. */
static void
views_hand_on(void **state)
{
	static const struct {
		const char *definition;
		bool hands_on;
	} cases[] = {
		{ "SELECT id, ssn FROM public.t", true },
		{ "SELECT t.ssn::text AS s FROM public.t", true },
		{ "SELECT ssn FROM public.t UNION ALL SELECT ssn FROM public.t", true },
		{ "SELECT to_jsonb(t.*) AS j FROM public.t", true },
		{ "SELECT t.id FROM public.t WHERE (t.* IS NULL)", false },
		{ "SELECT t.id FROM public.t, public.u WHERE (u.* IS NULL)", true },
		{ "SELECT t.id FROM public.t GROUP BY t.id HAVING count(t.*) > 1", false },
		{ "SELECT DISTINCT t.ssn FROM public.t", false },
		{ "SELECT DISTINCT t.id FROM public.t", true },
		{ "SELECT DISTINCT ON (t.id) t.id, t.ssn FROM public.t", false },
		{ "SELECT DISTINCT to_jsonb(t.*) AS j FROM public.t", false },
		{ "SELECT u.ssn FROM public.u UNION SELECT t.ssn FROM public.t", false },
		{ "SELECT u.id FROM public.u UNION SELECT t.id FROM public.t", true },
		{ "SELECT u.ssn FROM public.u EXCEPT ALL SELECT t.ssn FROM public.t", false },
		{ "SELECT s.x FROM (SELECT DISTINCT t.ssn AS x FROM public.t) s", false },
		{ "SELECT u.id FROM public.t JOIN public.u ON u.id = t.id WHERE u.ssn IS NULL", true },
		{ "SELECT x.id FROM public.t x JOIN public.u t ON x.id = t.id WHERE t.ssn IS NULL", true },
		{ "SELECT x.id FROM public.t x JOIN public.u t ON x.id = t.id WHERE x.ssn IS NULL", false },
		{ "SELECT id FROM public.t WHERE ssn IS NULL", false },
		{ "SELECT id FROM public.u UNION ALL SELECT id FROM public.t WHERE ssn IS NULL", false },
		{ "SELECT count(t.ssn) AS n FROM public.t", false },
		{ "SELECT CASE WHEN t.ssn IS NULL THEN 0 END AS n FROM public.t", false },
		{ "SELECT s.x FROM (SELECT t.ssn AS x FROM public.t) s WHERE s.x IS NULL", false },
		{ "WITH u AS (SELECT t.ssn FROM public.t) SELECT 1 AS n FROM u WHERE u.ssn IS NULL", false },
		{ "SELECT u.id FROM public.u WHERE (EXISTS (SELECT 1 FROM public.t WHERE t.id = u.id AND t.ssn IS "
		  "NULL))",
		    false },
		{ "SELECT u.id FROM public.u JOIN public.t USING (ssn)", false },
		{ "SELECT u.id FROM public.u JOIN public.t USING (id)", true },
		{ "SELECT x.a FROM public.t x(a, s) WHERE x.s IS NULL", false },
		{ "SELECT x.a FROM public.u x(a, s) WHERE x.s IS NULL", true },
		{ "SELECT q.a FROM (SELECT id, ssn FROM public.t) q(a, s) WHERE q.s IS NULL", false },
		{ "SELECT q.a FROM (SELECT id, day FROM public.t) q(a, s) WHERE q.s IS NULL", true },
		{ "WITH w(a, s) AS (SELECT id, ssn FROM public.t) SELECT w.a FROM w WHERE w.s IS NULL", false },
	};
	const struct span name = SPAN("ssn");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct columns_pg *finder = columns_pg_new();
		const struct guard_tree *tree = read_definition(finder, cases[i].definition);
		const char *at = cases[i].definition;
		size_t places[4], n = 0;

		for (; (at = strstr(at, "public.t")) != NULL; at++)
			places[n++] = (size_t)(at - cases[i].definition);
		assert_non_null(tree);
		if (columns_pg_hands_on(tree, &name, 1, places, n) != cases[i].hands_on)
			fail_msg("%s", cases[i].definition);
		columns_pg_free(finder);
	}
}

static void
stored_orders(void **state)
{
	static const struct {
		const char *definition;
		bool orderless;
	} cases[] = {
		{ "SELECT id, mail FROM t", true },
		{ "SELECT DISTINCT t.day, count(*) AS n, max(t.id) AS m FROM t WHERE (t.id > 1) GROUP BY t.day", true },
		{ "SELECT lower(t.a) FROM t WHERE (EXISTS (SELECT 1 FROM u WHERE (u.id = t.id)))", true },
		{ "SELECT array_agg(id) AS a FROM t", false },
		{ "SELECT a FROM t WHERE (id IN (SELECT id FROM u LIMIT 1))", false },
		{ "SELECT id FROM t OFFSET 3", false },
		{ "SELECT DISTINCT ON (a) a, id FROM t", false },
		{ "SELECT count(*) OVER () AS n FROM t", false },
		{ "SELECT ARRAY(SELECT id FROM t) AS a", false },
		{ "SELECT t.tableoid FROM t", false },
		{ "SELECT t.* FROM t", false },
		{ "SELECT mine.sum(id) FROM t", false },
		{ "SELECT id FROM t TABLESAMPLE bernoulli (50)", false },
		{ "SELECT FROM FROM", false },
	};
	struct columns_pg *finder = columns_pg_new();
	const struct guard_tree *tree;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (((tree = read_definition(finder, cases[i].definition)) != NULL && columns_pg_ignores_order(tree)) !=
		    cases[i].orderless)
			fail_msg("%s", cases[i].definition);
	columns_pg_free(finder);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),
		cmocka_unit_test(what_is_no_pattern),
		cmocka_unit_test(the_strictest_holds),
		cmocka_unit_test(what_cannot_be_read_is_refused),
		cmocka_unit_test(likes),
		cmocka_unit_test(digests),
		cmocka_unit_test(names_in_statements),
		cmocka_unit_test(stored_copies), cmocka_unit_test(views_hand_on),
		cmocka_unit_test(stored_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
