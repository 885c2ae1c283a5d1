// libs: carrel_test_support carrel_project carrel_ipc carrel_base m
/* test_search_explain.c - what is said about an answer adds up to its place. */
#include <math.h>

#include "tests/unit/search_rig.h"

#define EPSILON	1e-4

static double
number(const struct mp_value *v, const char *key)
{
	struct mp_value n;

	assert_true(mp_get(v, key, &n));
	return n.class == MP_UINT ? (double)n.u : n.class == MP_INT ? (double)n.i : n.f;
}

/* The sum of one number over a list of maps. */
static double
sum(const struct mp_value *v, const char *list, const char *key)
{
	struct mp_value all, one;
	struct mp_iter it;
	double s = 0;

	assert_true(mp_get(v, list, &all));
	it = mp_iter(&all);
	while (mp_next(&it, &one))
		s += number(&one, key);
	return s;
}

static void
check_ref(const struct mp_value *ref, double *best)
{
	struct mp_value lanes, lane;
	struct mp_iter it;
	double fused = sum(ref, "lanes", "contribution");

	assert_true(mp_get(ref, "lanes", &lanes));
	assert_true(lanes.n == 1 || lanes.n == 2);
	it = mp_iter(&lanes);
	while (mp_next(&it, &lane)) {
		double words = sum(&lane, "reasons", "score");
		double matched = number(&lane, "matched");
		double score = number(&lane, "spread") *
		    (matched * number(ref, "nameBonus") + number(&lane, "family") + number(&lane, "connection"));

		assert_true(fabs(words * number(&lane, "kept") - matched) <= EPSILON * matched + EPSILON);
		assert_true(number(&lane, "share") <= 1 && number(&lane, "kept") <= 1);
		assert_true(fabs(score - number(&lane, "score")) <= EPSILON * score + EPSILON);
		assert_true(fabs(sum(&lane, "fields", "score") - words) <= EPSILON * words + EPSILON);
		assert_true(fabs(number(&lane, "contribution") - 1 / (60 + number(&lane, "rank"))) <= EPSILON);
	}
	if (*best <= 0)
		*best = fused;
	assert_true(fabs(fused / *best - number(ref, "score")) <= EPSILON);
}

/* The same answers in the same order as discover_data, each adding up. */
static void
check(const char *query)
{
	struct mp_value plain, explained, refs, other, ref, same;
	struct buf args = { 0 }, a = { 0 }, b = { 0 };
	struct mp_iter it, jt;
	double best = 0;
	size_t at;

	buf_str(&args, "{\"query\":");
	json_write_string(&args, span_str(query));
	buf_str(&args, ",\"limit\":20}");
	assert_int_equal(json_read(span_str(rig_call("discover_data", buf_cstr(&args))), &a, &at), JSON_OK);
	assert_int_equal(json_read(span_str(rig_call("discover_explain", buf_cstr(&args))), &b, &at), JSON_OK);
	assert_true(mp_value(buf_view(&a), &plain) && mp_get(&plain, "refs", &refs));
	assert_true(mp_value(buf_view(&b), &explained) && mp_get(&explained, "refs", &other));
	assert_int_equal(refs.n, other.n);
	it = mp_iter(&refs);
	jt = mp_iter(&other);
	while (mp_next(&it, &ref) && mp_next(&jt, &same)) {
		assert_true(span_is(mp_get_str(&ref, "id", SPAN("")), mp_get_str(&same, "id", SPAN("?"))));
		check_ref(&same, &best);
	}
	buf_fini(&args);
	buf_fini(&a);
	buf_fini(&b);
}

static void
places_are_explained(void **state)
{
	static const char *const queries[] = {
		"revenue", "net revenue by country", "cutsomer segmnets", "orders.status", "status of an order", "AOV",
		"Rechnungsadresse", "customer_lifetime.repeat_rate", "xyzzy", "???", "refnud rate", "postal code"
	};

	(void)state;
	rig_start(SOURCE_DIR "/demo/project",
	    "[{\"id\":\"warehouse\",\"driver\":\"sqlite\",\"name\":\"w\",\"schemas\":[]}]");
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		check(queries[i]);
	assert_holds(rig_call("discover_explain", "{\"query\":\"cutsomer\"}"),
	    "{\"word\":\"customer\",\"likeness\":0.790123,\"as\":\"guess\",\"guessed\":true}");
	/* Reasons come in the order of the question's words. */
	assert_holds(rig_call("discover_explain", "{\"query\":\"country revenue\",\"limit\":1}"),
	    "\"reasons\":[{\"words\":[\"country\"],");
	assert_holds(rig_call("discover_explain", "{\"query\":\"revenue country\",\"limit\":1}"),
	    "\"reasons\":[{\"words\":[\"revenue\"],");
	rig_fail("discover_explain", "{\"query\":\"x\",\"connectionId\":\"nowhere\"}", "connection_not_found",
	    "nowhere");
	rig_stop();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
