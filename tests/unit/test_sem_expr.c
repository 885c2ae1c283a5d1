// libs: carrel_semantic carrel_project carrel_base
/* The expression parser: what is understood has spans, what is not stays text, the rest is refused. */
#include "tests/unit/harness.h"

#include "semantic/expr.h"

static struct arena *arena;

static int
setup(void **state)
{
	(void)state;
	arena = arena_new((size_t)64 << 20);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static const struct expr *
parse(const char *text)
{
	struct sem_problem p = { 0 };
	const struct expr *e = expr_parse(arena, span_str(text), &p);

	if (e == NULL)
		fail_msg("%s: %s", text, p.message);
	return e;
}

static void
refuses(const char *text)
{
	struct sem_problem p = { 0 };

	if (expr_parse(arena, span_str(text), &p) != NULL)
		fail_msg("%s was taken", text);
	assert_int_equal(p.category, SEM_PARSE_ERROR);
	assert_true(p.message[0] != '\0');
}

/* All references below e, "a.b c", in text order. */
static void
list_refs(const struct expr *e, struct buf *out)
{
	if (e->kind == EXPR_REF)
		for (unsigned i = 0; i < e->nparts; i++)
			buf_printf(out, "%s%.*s", i > 0 ? "." : out->len > 0 ? " " : "", SPAN_FMT(e->parts[i]));
	for (const struct expr *c = e->first; c != NULL; c = c->next)
		list_refs(c, out);
}

static void
refs(const char *text, const char *want)
{
	struct buf out = { 0 };

	list_refs(parse(text), &out);
	if (strcmp(buf_cstr(&out), want) != 0)
		fail_msg("%s: names are %s, not %s", text, buf_cstr(&out), want);
	buf_fini(&out);
}

static void
finds_names(void **state)
{
	(void)state;
	refs("sum(l_extendedprice * (1 - l_discount) * (1 + l_tax))", "l_extendedprice l_discount l_tax");
	refs("count(distinct case when is_paid = true then user_id end)", "is_paid user_id");
	refs("count(order.order_id) + case.points and end.group = user.id",
	    "order.order_id case.points end.group user.id");
	refs("status != 'refunded' and t.\"Order Id\" >= 5", "status t.Order Id");
	refs("created_at >= current_date - interval '90 days'", "created_at");
	refs("at >= timestamp_sub(current_timestamp(), interval 90 day)", "at");
	refs("date_format(at - interval (weekday(day) % 7) day, '%Y')", "at day");
	refs("interval(a, b) + c", "a b c");
	refs("extract(year from o.day) = 2024", "o.day");
	refs("cast(a as double precision) + b::numeric(10, 2)", "a b");
	refs("a between b and c and d", "a b c d");
	refs("x not in (1, 'y', z) or x is not distinct from w", "x z x w");
	refs("n::text || 'a.b' like '%c.d%' escape '!'", "n");
	refs("sum(amount) filter (where status = 'paid')", "amount status");
	refs("percentile_cont(0.5) within group (order by price desc nulls last)", "price");
	refs("a at time zone 'UTC' < date '2024-01-01'", "a");
	refs("id in (select o.x from orders o where o.y = c.z)", "id o.x o.y c.z");
	refs("`q`.`r` + \"s\"\"t\"", "q.r s\"t");
	refs("db.sch.tab.col", "sch.tab.col");
	refs("$$a.b$$ = c and E'it\\'s d.e' <> f", "c f");
}

static void
knows_calls(void **state)
{
	const struct expr *e;

	(void)state;
	e = parse("COUNT(DISTINCT a)");
	assert_int_equal(e->kind, EXPR_CALL);
	assert_int_equal(e->flags, EXPR_DISTINCT | EXPR_AGGREGATE);
	assert_true(span_is_str(e->parts[0], "count"));
	assert_int_equal(parse("count(*)")->flags, EXPR_STAR | EXPR_AGGREGATE);
	assert_true((parse("sum(a) over (partition by b)")->flags & EXPR_OVER) != 0);
	assert_true((parse("mode() within group (order by a)")->flags & EXPR_WITHIN) != 0);
	assert_true((parse("min(a)")->flags & EXPR_AGGREGATE) != 0);
	assert_int_equal(parse("min(a, b)")->flags & EXPR_AGGREGATE, 0);
	assert_int_equal(parse("lower(a)")->flags, 0);
	assert_null(expr_find(parse("a in (select max(b) from t)"), EXPR_AGGREGATE));
	assert_non_null(expr_find(parse("1 + coalesce(sum(b), 0)"), EXPR_AGGREGATE));
}

static void
splits_at_the_top(void **state)
{
	const struct expr *e = parse("a between 1 and 2 and (b or c and d) and case when e and f then g end = 1");

	(void)state;
	assert_int_equal(e->kind, EXPR_AND);
	assert_int_equal(e->nchildren, 3);
	assert_int_equal(parse("a and b or c")->kind, EXPR_OR);
	assert_int_equal(parse("not a and b")->kind, EXPR_AND);
	e = parse("a - b / c");
	assert_int_equal(e->op, '-');
	assert_int_equal(e->last->op, '/');
	e = parse("a / b / c");
	assert_int_equal(e->first->op, '/');
}

static const struct expr *
subquery(const char *text)
{
	const struct expr *e = parse(text);

	while (e != NULL && e->kind != EXPR_SUBQUERY)
		e = e->last;
	assert_non_null(e);
	return e;
}

static void
tables(const char *text, const char *want)
{
	const struct expr *e = subquery(text);
	struct buf out = { 0 };

	for (size_t i = 0; i < e->ntables; i++)
		buf_printf(&out, "%s%.*s", i > 0 ? " " : "", SPAN_FMT(e->tables[i]));
	if (strcmp(buf_cstr(&out), want) != 0)
		fail_msg("%s: tables are %s, not %s", text, buf_cstr(&out), want);
	buf_fini(&out);
}

static void
looks_over_subqueries(void **state)
{
	(void)state;
	tables("a in (select b from t)", "t");
	tables("a in (select b from s.t as x, u y join v using (k), w)", "t u v w");
	tables("a in (select b from (select c from t) x, u)", "t u");
	tables("a in (select b from (t join u on t.a = u.a), v where f(g, h) = 1)", "t u v");
	tables("a in (select extract(year from d) from t where x is not distinct from y)", "t");
	tables("a in (select substring(d from 2), trim(both from e) from t)", "t");
	tables("a in (select b from lateral t)", "t");
	tables("a in (select b from t union table u)", "t u");
	tables("a in (with x as (select b from t) select b from x)", "t x");
	tables("exists (select 1 from f(1) g)", "f");
	assert_true((subquery("a in (select * from t)")->flags & EXPR_SUB_STAR) != 0);
	assert_true((subquery("a in (select t.*, 1 from t)")->flags & EXPR_SUB_STAR) != 0);
	assert_true((subquery("a in (select x from t as u(x, y))")->flags & EXPR_SUB_STAR) != 0);
	assert_true((subquery("a in (select u from t as u)")->flags & EXPR_SUB_ROW) != 0);
	assert_true((subquery("a in (select row_to_json(t) from t)")->flags & EXPR_SUB_ROW) != 0);
	assert_int_equal(subquery("a in (select count(*), b * c from t u where u.d = 1)")->flags, 0);
}

static void
refuses_what_it_must(void **state)
{
	static const char *const bad[] = { "", "a =", "a = 1; drop table x", "a -- b", "a /* b */", "'open", "\"open",
		"(a", "a)", "sum(a", "f(a,)", "a b", "case when a then b", "a between 1", "$1", "a in (select 1",
		"a . ", "between", "\"\"", "a ? b", "$x$ never closed" };
	struct buf deep = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuses(bad[i]);
	for (int i = 0; i < 2000; i++)
		buf_byte(&deep, '(');
	refuses(buf_cstr(&deep));
	buf_reset(&deep, SIZE_MAX);
	for (int i = 0; i < 2000; i++)
		buf_str(&deep, "- ");
	buf_byte(&deep, 'a');
	refuses(buf_cstr(&deep));
	buf_reset(&deep, SIZE_MAX);
	for (int i = 0; i < EXPR_BYTES_MAX; i++)
		buf_byte(&deep, 'a');
	buf_byte(&deep, 'a');
	refuses(buf_cstr(&deep));
	buf_reset(&deep, SIZE_MAX);
	for (int i = 0; i < 200; i++)
		buf_str(&deep, "(select ");
	refuses(buf_cstr(&deep));
	buf_fini(&deep);
}

/* Children stand inside their parents, in order and apart. */
static void
check_spans(const struct expr *e, size_t length)
{
	size_t at = e->start;

	assert_true(e->start <= e->end && e->end <= length);
	for (const struct expr *c = e->first; c != NULL; c = c->next) {
		assert_true(c->start >= at && c->end <= e->end);
		at = c->end;
		check_spans(c, length);
	}
}

static void
spans_nest(void **state)
{
	static const char *const words[] = { "a", "t.b", "1", "'x'", "+", "-", "/", "(", ")", ",", "and", "or", "not",
		"in", "is", "null", "case", "when", "then", "end", "sum(", "count(*)", "between", "like", "::int", "select",
		"from", "t", "=", "filter (where", "over ()", "*", "[", "]" };
	uint64_t seed = 7;
	size_t parsed = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct arena *a = arena_new((size_t)4 << 20);
		struct sem_problem p = { 0 };
		struct buf text = { 0 };
		const struct expr *e;

		for (uint64_t n = 1 + test_random(&seed) % 9; n > 0; n--)
			buf_printf(&text, "%s ", words[test_random(&seed) % (sizeof(words) / sizeof(words[0]))]);
		if ((e = expr_parse(a, buf_view(&text), &p)) != NULL) {
			check_spans(e, text.len);
			parsed++;
		}
		buf_fini(&text);
		arena_free(a);
	}
	assert_true(parsed > 200);
}

/* A parameter is a value: where it may stand, what it is called, and nowhere without leave. */
static void
knows_parameters(void **state)
{
	static const struct span names[] = { { (const uint8_t *)"a", 1 }, { (const uint8_t *)"end", 3 } };
	static const struct expr_parameters two = { 2, names };
	static const char *const good[] = { ":a", "x = :a", ":a IS NULL OR x = :a", "x >= :a::int", "f(:a, :end)",
		"x IN (:a, 2)", "x BETWEEN :a AND :end", "v[1:2] = :a", "x = ':b'" };
	static const char *const bad[] = { ":", ":b", ": a", ":A", "x :a", ":a b", ":\"a\"", "x::a :a", ":1", "::a",
		":a.b" };
	struct sem_problem p = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (expr_parse_bound(arena, span_str(good[i]), &two, &p) == NULL)
			fail_msg("%s: %s", good[i], p.message);
		if (strstr(good[i], ":a") != NULL)
			refuses(good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (expr_parse_bound(arena, span_str(bad[i]), &two, &p) != NULL)
			fail_msg("%s was taken", bad[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_names),
		cmocka_unit_test(knows_calls),
		cmocka_unit_test(splits_at_the_top),
		cmocka_unit_test(looks_over_subqueries),
		cmocka_unit_test(refuses_what_it_must),
		cmocka_unit_test(spans_nest),
		cmocka_unit_test(knows_parameters),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
