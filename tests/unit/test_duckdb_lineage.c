// libs: carrel_sql_duckdb carrel_sql carrel_base
/* test_duckdb_lineage.c - what a statement may do with masked columns, on trees of the library's own parser. */
#include <string.h>

#include "tests/unit/duckdb_rig.h"
#include "workers/sql/duckdb/duckdb_lineage.h"
#include "workers/sql/duckdb/duckdb_tree.h"

/* people (id, name, m masked, h hashed), leads (id, m), and views that are not there yet or never. */
static struct duckdb_shape_column of_people[] = { { { 0 }, COLUMNS_CLEAR }, { { 0 }, COLUMNS_CLEAR },
	{ { 0 }, COLUMNS_MASK }, { { 0 }, COLUMNS_HASH } };
static struct duckdb_shape_column of_leads[] = { { { 0 }, COLUMNS_CLEAR }, { { 0 }, COLUMNS_CLEAR } };
static const struct duckdb_seen people = { DUCKDB_SEEN, { 4, 4, of_people, false } },
				leads = { DUCKDB_SEEN, { 2, 2, of_leads, false } },
				early = { .state = DUCKDB_SEEN_LATER }, refused = { .state = DUCKDB_SEEN_NEVER };

static const struct duckdb_seen *
find(void *arg, struct span schema, struct span name)
{
	static const struct {
		const char *name;
		const struct duckdb_seen *seen;
	} all[] = { { "people", &people }, { "leads", &leads }, { "early", &early }, { "refused", &refused } };

	(void)arg;
	if (schema.len > 0 && !span_is_word(schema, "main"))
		return NULL;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (span_is_word(name, all[i].name))
			return all[i].seen;
	return NULL;
}

/* The columns as text, "name:action" each, '+' if there may be more; or the error. */
static const char *
follow(const char *sql, struct duckdb_lineage *l)
{
	static const char marks[] = { [COLUMNS_CLEAR] = 'c', [COLUMNS_HASH] = 'h', [COLUMNS_MASK] = 'm' };
	static char out[1024];
	struct duckdb_shape shape;
	struct err err;
	size_t n = 0;

	for (size_t i = 0; i < 4; i++)
		of_people[i].name = span_str((const char *const[]){ "id", "name", "m", "h" }[i]);
	for (size_t i = 0; i < 2; i++)
		of_leads[i].name = span_str((const char *const[]){ "id", "m" }[i]);
	arena_reset(arena);
	*l = (struct duckdb_lineage){ .find = find, .arena = arena };
	out[0] = '\0';
	if (duckdb_lineage_follow(l, tree_of(span_str(sql)), &shape, &err) == -1) {
		snprintf(out, sizeof(out), "%s", err.message);
		return out;
	}
	for (size_t i = 0; i < shape.n; i++)
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%.*s:%c ", SPAN_FMT(shape.columns[i].name),
		    marks[shape.columns[i].action]);
	snprintf(out + n, sizeof(out) - n, "%s", shape.open ? "+" : "");
	return out;
}

static void
test_follows_columns(void **state)
{
	static const struct {
		const char *sql, *columns;
	} cases[] = {
		{ "SELECT * FROM people", "id:c name:c m:m h:h " },
		{ "FROM main.people p SELECT p.m AS x, p.h, upper(name)", "x:m h:h :c " },
		{ "SELECT main.people.m FROM people", "m:m " },
		{ "SELECT p.* EXCLUDE (name) REPLACE (id + 1 AS id) RENAME (m AS n) FROM people p, leads l",
		    "id:c n:m h:h " },
		{ "SELECT COLUMNS('m') FROM people", "id:c name:c m:m h:h +" },
		{ "SELECT count(m), m IS NULL, m IS NOT NULL AS is_there FROM people", ":c :c is_there:c " },
		{ "SELECT m FROM leads", "m:c " },
		{ "SELECT upper(l.m) FROM people p JOIN leads l ON l.id = p.id", ":c " },
		{ "WITH x AS (SELECT id AS a, m AS b FROM people) SELECT upper(a), b FROM x", ":c b:m " },
		{ "WITH x(b, a, c) AS (FROM people) SELECT c, upper(a) FROM x", "c:m :c " },
		{ "WITH people AS (SELECT 'a' AS m) SELECT upper(m) FROM people", ":c " },
		{ "SELECT x.q FROM (SELECT m AS q FROM people) x", "q:m " },
		{ "SELECT c FROM people AS p(a, b, c)", "c:m " },
		{ "SELECT (SELECT m FROM people) AS s, EXISTS (SELECT m FROM people)", "s:m :c " },
		{ "SELECT id, (SELECT p.m) FROM people p", "id:c :m " },
		{ "SELECT id, m FROM people UNION ALL SELECT id, m FROM leads", "id:c m:m " },
		{ "SELECT name FROM people UNION ALL SELECT m FROM people", "name:m " },
		{ "SELECT m FROM people UNION ALL BY NAME SELECT id FROM leads", "m:m id:c +" },
		{ "WITH RECURSIVE r AS (SELECT id, m FROM people UNION ALL SELECT id, m FROM r) FROM r", "id:c m:m " },
		{ "WITH x AS MATERIALIZED (FROM people) SELECT m FROM x", "m:m " },
		{ "SELECT q.e FROM people p, LATERAL (SELECT p.m AS e) q", "e:m " },
		{ "SELECT name AS m FROM people ORDER BY m", "m:c " },
		{ "SELECT id, m FROM people ORDER BY 1, id LIMIT 2", "id:c m:m " },
		{ "SELECT DISTINCT ON (id) id, m FROM people", "id:c m:m " },
		{ "SELECT id, count(*) FROM people GROUP BY ALL", "id:c :c " },
		{ "SELECT h FROM people GROUP BY h ORDER BY h", "h:h " },
		{ "SELECT * FROM people JOIN leads USING (id)", "id:c name:c m:m h:h id:c m:c +" },
		{ "SELECT * FROM range(3)", "+" },
		{ "DESCRIBE people", "+" },
		{ "SELECT * FROM other.people", "+" },
		{ "VALUES (1, 2)", "+" },
	};
	struct duckdb_lineage l;

	(void)state;
	if (parser == NULL)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(follow(cases[i].sql, &l), cases[i].columns) != 0)
			fail_msg("%s: %s", cases[i].sql, follow(cases[i].sql, &l));
}

static void
test_refuses_what_masks_cannot_answer(void **state)
{
	static const char *const cases[] = {
		"SELECT upper(m) FROM people", "SELECT upper(p.m) FROM people p",
		"SELECT upper(main.people.m) FROM people", "SELECT id FROM people WHERE m = 'x'",
		"SELECT m || '' FROM people", "SELECT [m] FROM people", "SELECT {'a': m} FROM people",
		"SELECT CASE WHEN id = 1 THEN m END FROM people", "SELECT m::INTEGER FROM people",
		"SELECT count(DISTINCT m) FROM people", "SELECT count(id) FILTER (WHERE m > 'a') FROM people",
		"SELECT count(m ORDER BY m) FROM people", "SELECT min(m) OVER () FROM people",
		"SELECT sum(id) OVER (ORDER BY m) FROM people", "SELECT id FROM people ORDER BY m",
		"SELECT id, m FROM people ORDER BY 2", "SELECT m AS x FROM people ORDER BY x",
		"SELECT id, m FROM people ORDER BY ALL", "SELECT m AS x, upper(x) FROM people",
		"SELECT m FROM people GROUP BY m", "SELECT m FROM people GROUP BY 1",
		"SELECT m, count(*) FROM people GROUP BY ALL", "SELECT DISTINCT m FROM people",
		"SELECT DISTINCT ON (m) id FROM people", "SELECT DISTINCT * FROM people",
		"SELECT id FROM people HAVING max(m) > 'a'",
		"SELECT id FROM people QUALIFY row_number() OVER (PARTITION BY m) = 1",
		"SELECT 1 FROM people p JOIN leads l ON l.m = p.m", "SELECT 1 FROM people JOIN leads USING (m)",
		"SELECT 1 FROM people NATURAL JOIN leads", "SELECT m FROM people UNION SELECT m FROM leads",
		"SELECT m FROM leads EXCEPT SELECT m FROM people",
		"SELECT m FROM leads INTERSECT ALL SELECT m FROM people",
		"SELECT 1 FROM leads WHERE m IN (SELECT m FROM people)",
		"SELECT 1 WHERE (SELECT m FROM people) = 'x'",
		"SELECT 1 FROM leads WHERE EXISTS (SELECT 1 FROM people WHERE people.m = leads.m)",
		"SELECT upper(COLUMNS(*)) FROM people", "SELECT #3 FROM people",
		"FROM (PIVOT people ON id IN (1) USING count(*))", "FROM (UNPIVOT people ON m INTO NAME n VALUE v)",
		"SELECT upper(b) FROM (SELECT m AS b FROM people)",
		"WITH x AS (SELECT m AS b FROM people) SELECT 1 FROM x WHERE b = 'x'",
		"SELECT upper(c) FROM people AS p(a, b, c)",
		"WITH RECURSIVE r AS (SELECT m FROM people UNION SELECT m FROM r) FROM r",
		"WITH RECURSIVE r AS (SELECT m FROM people UNION ALL SELECT upper(m) FROM r) FROM r",
		"SELECT * REPLACE (upper(m) AS m) FROM people",
		"SELECT upper(x) FROM (SELECT * RENAME (m AS x) FROM people)",
		"SELECT q.e FROM people p, LATERAL (SELECT upper(p.m) AS e) q",
		"SELECT * FROM range((SELECT m FROM people))", "SELECT list_transform([1], x -> m) FROM people",
		"WITH x AS MATERIALIZED (FROM people) SELECT upper(m) FROM x",
	};
	struct duckdb_lineage l;

	(void)state;
	if (parser == NULL)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strstr(follow(cases[i], &l), "is masked") == NULL)
			fail_msg("%s: %s", cases[i], follow(cases[i], &l));
	(void)follow("SELECT id, upper(m) FROM people", &l);
	assert_int_equal(l.at, strlen("SELECT id, upper("));
}

static void
test_waits_for_views(void **state)
{
	struct duckdb_lineage l;

	(void)state;
	if (parser == NULL)
		skip();
	assert_non_null(strstr(follow("SELECT 1 FROM early", &l), "view early"));
	assert_true(l.later);
	assert_non_null(strstr(follow("SELECT (SELECT 1 FROM main.refused)", &l), "view refused"));
	assert_false(l.later);
	assert_string_equal(follow("WITH refused AS (SELECT 1 AS a) FROM refused", &l), "a:c ");
}

static void
test_refuses_what_is_no_query(void **state)
{
	struct duckdb_lineage l = { .find = find, .arena = arena };
	struct duckdb_shape shape;
	struct err err;

	(void)state;
	assert_int_equal(duckdb_lineage_follow(&l, SPAN("{"), &shape, &err), -1);
	assert_int_equal(duckdb_lineage_follow(&l, SPAN("{\"error\":true}"), &shape, &err), -1);
	assert_int_equal(duckdb_lineage_follow(&l, SPAN("{\"statements\":[{\"node\":{\"type\":\"NEW_NODE\"}}]}"),
			     &shape, &err),
	    -1);
	assert_int_equal(err.code, ERR_FORBIDDEN_SQL);
}

/* Names that are looked for in many wide places, and lists that grow with each level. */
static void
test_bounds_its_work(void **state)
{
	struct buf deep = { 0 }, wide = { 0 };
	struct duckdb_lineage l;

	(void)state;
	if (parser == NULL)
		skip();
	for (unsigned i = 0; i < 40; i++)
		buf_str(&deep, "SELECT *, * FROM (");
	buf_str(&deep, "FROM people");
	for (unsigned i = 0; i < 40; i++)
		buf_byte(&deep, ')');
	assert_non_null(strstr(follow(buf_cstr(&deep), &l), "too many columns"));
	buf_str(&wide, "SELECT nothing FROM people");
	for (unsigned i = 0; i < 400; i++)
		buf_printf(&wide, ", people p%u", i);
	assert_string_equal(follow(buf_cstr(&wide), &l), "nothing:c ");
	buf_fini(&deep);
	buf_fini(&wide);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follows_columns),
		cmocka_unit_test(test_refuses_what_masks_cannot_answer),
		cmocka_unit_test(test_waits_for_views),
		cmocka_unit_test(test_refuses_what_is_no_query),
		cmocka_unit_test(test_bounds_its_work),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
