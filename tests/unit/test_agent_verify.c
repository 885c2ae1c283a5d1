// libs: carrel_agent
/* test_agent_verify.c - the ten checks, each seen to pass, to warn or to fail, and to be unverified. */
#include <stdio.h>

#include "tests/unit/agent_sheet.h"
#include "workers/agent/answer/compose_sheet.h"
#include "workers/agent/verify/verify_answer.h"

static struct arena *arena;

static int
set_up(void **state)
{
	(void)state;
	arena = arena_new((size_t)64 << 20);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

/* --- a database that is played ------------------------------------------------------------- */

/* What a query answers that is asked otherwise; a row of the table each, the first that fits. */
struct played {
	const char *has;   /* in the query's arguments, as JSON; "" fits all */
	const char *lacks; /* not in them; NULL: anything may be */
	const char *rows;  /* NULL: it fails */
};

struct database {
	const struct played *played;
	unsigned asked;
	bool ends; /* a failed query means that the call has ended */
};

static struct data_rows
rows_of(const char *json, const char *plan)
{
	struct data_rows r = { .plan = { .class = MP_NIL }, .notes = { .class = MP_NIL } };
	struct buf packed = { 0 };
	struct mp_value all, row, cell;
	struct mp_iter it, in;
	size_t at, n = 0;

	assert_int_equal(json_read(span_str(json), &packed, &at), JSON_OK);
	assert_true(mp_value(arena_span(arena, buf_view(&packed)), &all));
	buf_fini(&packed);
	r.nrows = all.n;
	r.cells = arena_array(arena, 1000, sizeof(*r.cells));
	for (it = mp_iter(&all); mp_next(&it, &row);) {
		r.ncolumns = row.n;
		for (in = mp_iter(&row); mp_next(&in, &cell);)
			r.cells[n++] = cell;
	}
	if (plan != NULL) {
		struct buf bytes = { 0 };

		assert_int_equal(json_read(span_str(plan), &bytes, &at), JSON_OK);
		assert_true(mp_value(arena_span(arena, buf_view(&bytes)), &r.plan));
		buf_fini(&bytes);
	}
	return r;
}

static const struct answer_brief *playing_for;

static int
play_query(void *arg, const struct ask_query *q, const struct brief_change *change, struct data_rows *out,
    struct err *err)
{
	struct database *d = arg;
	struct buf args = { 0 }, json = { 0 };
	struct mp_value v;
	int r = -1;

	d->asked++;
	brief_put_query(&args, playing_for, q, change);
	assert_int_equal(mp_scan(buf_view(&args)), MP_OK);
	assert_true(mp_value(buf_view(&args), &v));
	json_write(&json, &v);
	for (const struct played *p = d->played; p != NULL && p->has != NULL && r != 0; p++)
		if (strstr(buf_cstr(&json), p->has) != NULL &&
		    (p->lacks == NULL || strstr(buf_cstr(&json), p->lacks) == NULL)) {
			if (p->rows == NULL)
				break;
			*out = rows_of(p->rows, NULL);
			r = 0;
		}
	buf_fini(&args);
	buf_fini(&json);
	return r == 0 ? 0 : err_set(err, ERR_DATABASE_ERROR, "the database has gone");
}

static bool
goes_on(void *arg, struct err *err)
{
	struct database *d = arg;

	(void)err;
	return !d->ends;
}

#define PLAIN_PLAN                                                                                               \
	"{\"joins\":[{\"from\":\"orders\",\"to\":\"customers\",\"on\":\"x\",\"relationship\":\"many_to_one\"}]," \
	"\"filters\":[]}"

static struct answer_check
checked(struct answer_brief *b, struct data_rows *rows, const struct played *played)
{
	struct database d = { .played = played };
	struct answer_check v = { .arena = arena,
		.brief = b,
		.rows = rows,
		.query = play_query,
		.may_go_on = goes_on,
		.arg = &d,
		.today = "2026-11-23" };
	struct err err;

	playing_for = b;
	assert_int_equal(verify_run(&v, &err), 0);
	return v;
}

static struct answer_brief
revenue_by_region(void)
{
	struct answer_brief b = { .shape = ASK_GROUPS, .connection = SPAN("shop"), .nqueries = 1 };
	struct ask_query *q = &b.queries[0];

	q->nmeasures = 1;
	q->measures[0] =
	    (struct ask_measure){ .expr = SPAN("orders.revenue"), .label = SPAN("Revenue"), .additive = true };
	q->ndimensions = 1;
	q->dimensions[0] = (struct ask_dimension){ .field = SPAN("customers.region"), .label = SPAN("region") };
	return b;
}

static void
assert_check(const struct answer_check *v, unsigned number, enum verify_outcome outcome)
{
	if (v->checks[number - 1].outcome != outcome)
		fail_msg("V%u: %d instead of %d: %.*s", number, v->checks[number - 1].outcome, outcome,
		    SPAN_FMT(v->checks[number - 1].note));
}

static void
assert_note(const struct answer_check *v, unsigned number, const char *part)
{
	assert_holds(arena_cstr(arena, v->checks[number - 1].note), part);
}

/* --- the checks -------------------------------------------------------------------------------- */

static void
sound_groups_pass(void **state)
{
	struct answer_brief b = revenue_by_region();
	struct data_rows r = rows_of("[[\"North\",3],[\"South\",4.5]]", PLAIN_PLAN);
	struct answer_check v =
	    checked(&b, &r, (const struct played[]){ { "", "dimensions", "[[7.5]]" }, { NULL, NULL, NULL } });

	(void)state;
	for (unsigned i = 1; i <= 5; i++)
		assert_check(&v, i, VERIFY_PASSED);
	assert_check(&v, 6, VERIFY_NOT_APPLICABLE);
	assert_check(&v, 7, VERIFY_PASSED);
	assert_null(verify_blocked(&v));
	assert_int_equal(v.ncaveats, 0);
}

static void
what_does_not_hold_blocks(void **state)
{
	static const struct {
		const char *rows, *plan, *total;
		unsigned check;
	} cases[] = {
		{ "[[\"North\",3],[\"North\",4]]", PLAIN_PLAN, "[[7]]", 2 },
		{ "[[\"North\",3],[\"South\",4]]",
		    "{\"joins\":[{\"from\":\"customers\",\"to\":\"orders\",\"on\":\"x\",\"relationship\":\"one_to_"
		    "many\"}],\"filters\":[]}",
		    "[[7]]", 3 },
		{ "[[\"North\",3],[\"South\",4]]", PLAIN_PLAN, "[[6.99]]", 5 },
		{ "[[\"North\",3],[null,4]]", PLAIN_PLAN, "[[8]]", 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows r = rows_of(cases[i].rows, cases[i].plan);
		struct answer_check v =
		    checked(&b, &r, (const struct played[]){ { "", NULL, cases[i].total }, { NULL, NULL, NULL } });

		assert_check(&v, cases[i].check, VERIFY_FAILED);
		assert_ptr_equal(verify_blocked(&v), &v.checks[cases[i].check - 1]);
	}
}

/* Two customers of one name are two rows, told apart by their key, which stands there for nothing else. */
static void
keys_are_shown_where_names_repeat(void **state)
{
	static const struct {
		const char *rows;
		size_t columns;
	} cases[] = { { "[[\"Ann\",1,3],[\"Ann\",2,4]]", 3 }, { "[[\"Ann\",1,3],[\"Bob\",2,4]]", 2 },
		{ "[[null,1,3],[null,2,4]]", 3 }, { "[]", 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows r = rows_of(cases[i].rows, PLAIN_PLAN);
		struct ask_query *q = &b.queries[0];

		q->dimensions[q->ndimensions++] =
		    (struct ask_dimension){ .field = SPAN("customers.id"), .label = SPAN("id"), .identity = true };
		verify_hide_keys(arena, q, &r);
		assert_int_equal(r.ncolumns, cases[i].columns);
		if (r.nrows == 0)
			continue;
		assert_int_equal(q->ndimensions + q->nmeasures, r.ncolumns);
		assert_int_equal(data_cell(&r, 1, r.ncolumns - 1)->u, 4);
	}
}

/* Of a list the key may come first, and two of one name are told apart, whatever else is shown of them. */
static void
keys_of_lists_are_shown_where_names_repeat(void **state)
{
	static const struct {
		const char *rows;
		bool first, keyed;
		size_t columns;
	} cases[] = { { "[[\"Ann\",3,1],[\"Ann\",4,2]]", false, true, 3 },
		{ "[[\"Ann\",3,1],[\"Bob\",3,2]]", false, true, 2 },
		{ "[[\"Ann\",3,1],[\"Ann\",4,2]]", false, false, 2 },
		{ "[[1,\"Ann\",3],[2,\"Bob\",3]]", true, false, 2 },
		{ "[[1,\"Ann\",3],[2,\"Ann\",3]]", true, false, 3 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = { .shape = ASK_LIST, .connection = SPAN("shop"), .nqueries = 1 };
		struct ask_query *q = &b.queries[0];
		struct data_rows r = rows_of(cases[i].rows, PLAIN_PLAN);
		size_t key = cases[i].first ? 0 : 2, name = cases[i].first ? 1 : 0;

		q->ndimensions = 3;
		q->dimensions[name] = (struct ask_dimension){ .field = SPAN("people.name"), .keyed = cases[i].keyed };
		q->dimensions[name + 1] = (struct ask_dimension){ .field = SPAN("people.age") };
		q->dimensions[key] = (struct ask_dimension){ .field = SPAN("people.id"), .identity = true };
		verify_hide_keys(arena, q, &r);
		assert_int_equal(r.ncolumns, cases[i].columns);
		assert_int_equal(q->ndimensions, cases[i].columns);
		if (r.ncolumns == 2)
			assert_true(span_is(q->dimensions[0].field, SPAN("people.name")));
	}
}

/* "sorted by weight", which is a column of text. */
static void
texts_of_numbers_are_ordered_as_numbers(void **state)
{
	static const struct {
		const char *rows, *all; /* all: what is read beyond the limit; NULL: there is no limit */
		bool descending, blocked;
		const char *first, *last;
	} cases[] = {
		{ "[[null],[\"10\"],[\"10.5\"],[\"9\"]]", NULL, false, false, NULL, "10.5" },
		{ "[[\"9\"],[\"10.5\"],[\"10\"],[null]]", NULL, true, false, "10.5", NULL },
		{ "[[\"10\"],[\"100\"],[\"9\"]]", "[[\"10\"],[\"100\"],[\"9\"],[\"8\"]]", false, false, "8", "9" },
		{ "[[\"10\"],[\"8\"],[\"9\"],[\"n/a\"]]", NULL, false, true, NULL, NULL },
		{ "[[\"1984\"],[\"Alien\"],[\"Brazil\"]]", NULL, false, false, "1984", "Brazil" },
		{ "[[10],[100],[9]]", NULL, false, false, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = { .shape = ASK_LIST, .connection = SPAN("shop"), .nqueries = 1 };
		struct ask_query *q = &b.queries[0];
		struct data_rows r = rows_of(cases[i].rows, PLAIN_PLAN);
		struct answer_check v;

		q->ndimensions = 1;
		q->dimensions[0] = (struct ask_dimension){ .field = SPAN("parts.weight"), .label = SPAN("weight") };
		q->order_by = q->dimensions[0].field;
		q->descending = cases[i].descending;
		q->limit = cases[i].all == NULL ? 0 : 2;
		v = checked(&b, &r, (const struct played[]){ { "", NULL, cases[i].all }, { NULL, NULL, NULL } });
		assert_int_equal(verify_blocked(&v) != NULL, cases[i].blocked);
		if (cases[i].blocked)
			assert_note(&v, 2, "weight");
		if (cases[i].first != NULL)
			assert_true(span_is_str(data_cell(&r, 0, 0)->s, cases[i].first));
		if (cases[i].last != NULL)
			assert_true(span_is_str(data_cell(&r, r.nrows - 1, 0)->s, cases[i].last));
	}
}

static void
sums_are_left_alone_where_they_say_nothing(void **state)
{
	struct answer_brief b = revenue_by_region();
	struct data_rows r = rows_of("[[\"North\",3],[\"South\",4]]", PLAIN_PLAN);
	struct answer_check v;

	(void)state;
	b.queries[0].measures[0].additive = false;
	v = checked(&b, &r, NULL);
	assert_check(&v, 5, VERIFY_NOT_APPLICABLE);
	/* Groups that a condition on groups left out are no part of the rows. */
	b.queries[0].measures[0].additive = true;
	r = rows_of("[[\"North\",3],[\"South\",4]]",
	    "{\"joins\":[],\"filters\":[{\"text\":\"orders.revenue > 2\",\"kind\":\"group\",\"appliedTo\":[]}]}");
	v = checked(&b, &r, NULL);
	assert_check(&v, 5, VERIFY_NOT_APPLICABLE);
}

#define GROUP_PLAN \
	"{\"joins\":[],\"filters\":[{\"text\":\"orders.revenue > 3\",\"kind\":\"group\",\"appliedTo\":[]}]}"

static struct answer_brief
regions_over_three(void)
{
	struct answer_brief b = revenue_by_region();

	b.queries[0].nfilters = 1;
	b.queries[0].filters[0] =
	    (struct ask_filter){ .sql = SPAN("orders.revenue > 3"), .field = SPAN("Revenue"), .groups = true };
	return b;
}

/* Groups that a condition leaves out are no missing rows: all groups are held against the total. */
static void
a_condition_on_groups_leaves_out_no_rows(void **state)
{
	static const struct {
		const char *shown, *all, *total;
		enum verify_outcome outcome;
	} cases[] = {
		{ "[[\"South\",4.5]]", "[[\"North\",3],[\"South\",4.5]]", "[[7.5]]", VERIFY_PASSED },
		{ "[]", "[[\"North\",3]]", "[[3]]", VERIFY_PASSED },
		{ "[[\"North\",null]]", "[[\"North\",null],[\"South\",4]]", "[[4]]", VERIFY_PASSED },
		{ "[[\"South\",4.5]]", "[[\"North\",3],[\"South\",4.5]]", "[[7]]", VERIFY_FAILED },
		{ "[[\"South\",4.5]]", "[[\"North\",3],[\"South\",9]]", "[[12]]", VERIFY_FAILED },
		{ "[[\"East\",4.5]]", "[[\"North\",3],[\"South\",4.5]]", "[[7.5]]", VERIFY_FAILED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = regions_over_three();
		struct data_rows r = rows_of(cases[i].shown, GROUP_PLAN);
		struct answer_check v = checked(&b, &r,
		    (const struct played[]){ { "dimensions", "> 3", cases[i].all },
			{ "", "dimensions", cases[i].total }, { NULL, NULL, NULL } });

		assert_check(&v, 5, cases[i].outcome);
	}
}

/* What an empty answer would be without another condition is asked by groups, not of the total. */
static void
no_group_is_explained_by_groups(void **state)
{
	struct answer_brief b = regions_over_three();
	struct data_rows r = rows_of("[]", GROUP_PLAN);
	struct answer_check v;

	(void)state;
	b.queries[0].nfilters = 2;
	b.queries[0].filters[1] = (struct ask_filter){ .sql = SPAN("orders.status = 'paid'"), .literal = true };
	v = checked(&b, &r,
	    (const struct played[]){ { "dimensions", "paid", "[]" }, { "dimensions", "> 3", "[[\"North\",2]]" },
		{ "", "dimensions", "[[2]]" }, { NULL, NULL, NULL } });
	assert_check(&v, 1, VERIFY_CAVEAT);
	assert_note(&v, 1, "without the condition orders.revenue > 3 there would be");
	assert_null(strstr(arena_cstr(arena, v.checks[0].note), "paid"));
}

static void
a_list_says_where_a_name_is_of_several(void **state)
{
	static const struct {
		const char *rows;
		enum verify_outcome outcome;
	} cases[] = { { "[[2]]", VERIFY_PASSED }, { "[[3]]", VERIFY_CAVEAT }, { NULL, VERIFY_UNVERIFIED } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows r = rows_of("[[\"Ann\"],[\"Bo\"]]", PLAIN_PLAN);
		struct answer_check v;

		b.shape = ASK_LIST;
		b.queries[0].nmeasures = 0;
		b.queries[0].rows = SPAN("count(customers.id)");
		v = checked(&b, &r,
		    (const struct played[]){
			{ "count(customers.id)", "dimensions", cases[i].rows }, { NULL, NULL, NULL } });
		assert_check(&v, 2, cases[i].outcome);
		assert_null(verify_blocked(&v));
	}
}

/* A list has no total: without a condition it is a list again. */
static void
an_empty_list_is_explained(void **state)
{
	struct answer_brief b = revenue_by_region();
	struct data_rows r = rows_of("[]", PLAIN_PLAN);
	struct answer_check v;

	(void)state;
	b.shape = ASK_LIST;
	b.queries[0].nmeasures = 0;
	b.queries[0].nfilters = 1;
	b.queries[0].filters[0] = (struct ask_filter){ .sql = SPAN("customers.age > 90"), .literal = true };
	v = checked(&b, &r,
	    (const struct played[]){
		{ "dimensions", "90", "[[\"North\"]]" }, { "dimensions", NULL, "[]" }, { NULL, NULL, NULL } });
	assert_check(&v, 1, VERIFY_CAVEAT);
	assert_note(&v, 1, "without the condition customers.age > 90 there would be");
	assert_check(&v, 9, VERIFY_CAVEAT);
}

static void
averages_say_what_they_leave_out(void **state)
{
	static const char no_joins[] = "{\"joins\":[],\"filters\":[]}";
	static const struct {
		const char *rows, *plan, *keyless, *says;
	} cases[] = {
		{ "[[\"North\",3],[\"South\",4]]", PLAIN_PLAN, "[[3.5]]", "Rows without region are in no group" },
		{ "[[\"North\",3],[\"South\",4]]", PLAIN_PLAN, "[[null]]", NULL },
		{ "[[\"North\",3],[\"South\",4]]", PLAIN_PLAN, "[[0]]", NULL },
		/* Without a join every row has its group. */
		{ "[[\"North\",3],[\"South\",4]]", no_joins, "[[3.5]]", NULL },
		/* A group of their own. */
		{ "[[\"North\",3],[null,4]]", PLAIN_PLAN, "[[4]]", "50 % of the rows have no region" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows r = rows_of(cases[i].rows, cases[i].plan);
		struct answer_check v;

		b.queries[0].measures[0].additive = false;
		v = checked(&b, &r,
		    (const struct played[]){
			{ "customers.region IS NULL", "dimensions", cases[i].keyless }, { NULL, NULL, NULL } });
		assert_check(&v, 4, cases[i].says != NULL ? VERIFY_CAVEAT : VERIFY_PASSED);
		assert_int_equal(v.ncaveats, cases[i].says != NULL);
		if (cases[i].says != NULL)
			assert_note(&v, 4, cases[i].says);
		assert_check(&v, 5, VERIFY_NOT_APPLICABLE);
		assert_null(verify_blocked(&v));
	}
}

static void
sums_that_lack_rows_are_explained(void **state)
{
	static const struct {
		const char *rows, *total, *keyless, *says;
		enum verify_outcome outcome;
	} cases[] = {
		/* Orders without a customer are in no group. */
		{ "[[\"North\",3],[\"South\",4]]", "[[10]]", "[[3]]", "30 % of Revenue has no region", VERIFY_CAVEAT },
		{ "[[\"North\",3],[null,1]]", "[[10]]", "[[7]]", "70 %", VERIFY_CAVEAT },
		/* A difference has no value where one side has none. */
		{ "[[\"North\",3],[\"South\",null]]", "[[10]]", "[[0]]", "A group has no Revenue", VERIFY_CAVEAT },
		/* What lacks a key does not make up for it. */
		{ "[[\"North\",3],[\"South\",4]]", "[[10]]", "[[2]]", "do not add up", VERIFY_FAILED },
		{ "[[\"North\",3],[\"South\",4]]", "[[10]]", "[[null]]", "do not add up", VERIFY_FAILED },
		{ "[[\"North\",3],[\"South\",4]]", "[[10]]", NULL, "do not add up", VERIFY_FAILED },
		{ "[[\"North\",3],[\"South\",4]]", "[[7]]", "[[3]]", "", VERIFY_PASSED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows r = rows_of(cases[i].rows, PLAIN_PLAN);
		struct answer_check v = checked(&b, &r,
		    (const struct played[]){ { "customers.region IS NULL", "dimensions", cases[i].keyless },
			{ "", "dimensions", cases[i].total }, { NULL, NULL, NULL } });

		assert_check(&v, 5, cases[i].outcome);
		assert_note(&v, 5, cases[i].says);
		assert_int_equal(verify_blocked(&v) != NULL, cases[i].outcome == VERIFY_FAILED);
	}
}

static void
nothing_is_explained(void **state)
{
	struct answer_brief b = revenue_by_region();
	struct ask_query *q = &b.queries[0];
	struct data_rows r = rows_of("[]", PLAIN_PLAN);
	struct answer_check v;

	(void)state;
	q->nfilters = 2;
	q->filters[0] = (struct ask_filter){ .sql = SPAN("customers.region = 'Atlantis'"), .literal = true };
	q->filters[1] = (struct ask_filter){ .sql = SPAN("orders.status = 'paid'"), .literal = true };
	v = checked(&b, &r,
	    (const struct played[]){
		{ "Atlantis", NULL, "[[null]]" }, { "paid", NULL, "[[5]]" }, { NULL, NULL, NULL } });
	assert_check(&v, 1, VERIFY_CAVEAT);
	assert_note(&v, 1, "without the condition customers.region = 'Atlantis' there would be");
	assert_check(&v, 9, VERIFY_CAVEAT);
	assert_note(&v, 9, "No row at all fulfils customers.region = 'Atlantis'");
	assert_null(verify_blocked(&v));
}

static bool
is_caveat(const struct answer_check *v, const char *part)
{
	for (size_t i = 0; i < v->ncaveats; i++)
		if (strstr(arena_cstr(arena, v->caveats[i]), part) != NULL)
			return true;
	return false;
}

static void
time_is_covered_or_not(void **state)
{
	static const struct {
		const char *start, *end, *extent, *says;
		enum verify_outcome outcome;
	} cases[] = {
		{ "2025-01-01", "2025-04-01", "[[\"2023-01-01\",\"2028-12-31\"]]", "", VERIFY_PASSED },
		{ "2022-01-01", "2023-04-01", "[[\"2023-01-01\",\"2028-12-31\"]]", "begin on 1 January 2023",
		    VERIFY_CAVEAT },
		{ "2026-01-01", "2026-10-01", "[[\"2023-01-01\",\"2026-08-20T10:00:00\"]]", "end on 20 August 2026",
		    VERIFY_CAVEAT },
		{ "2026-10-01", "2026-11-01", "[[\"2023-01-01\",\"2026-10-31\"]]", "", VERIFY_PASSED },
		{ "2026-10-01", "2027-01-01", "[[\"2023-01-01\",\"2028-12-31\"]]", "not over", VERIFY_CAVEAT },
		{ "2027-01-01", "2027-02-01", "[[\"2023-01-01\",\"2028-12-31\"]]", "", VERIFY_PASSED },
		/* What is still to come cannot be there; what has been must be. */
		{ "2026-11-01", "2026-12-01", "[[\"2023-01-01\",\"2026-03-31\"]]",
		    "end on 31 March 2026, before the period begins", VERIFY_CAVEAT },
		{ "2026-01-01", "2026-11-24", "[[\"2023-01-01\",\"2026-03-31 10:00:00+02\"]]",
		    "end on 31 March 2026, before", VERIFY_CAVEAT },
		{ "2026-03-01", "", "[[\"2023-01-01\",\"2026-03-31\"]]", "end on 31 March 2026, before the period does",
		    VERIFY_CAVEAT },
		{ "2026-01-01", "2027-01-01", "[[\"2023-01-01\",\"2026-11-23\"]]", "not over on 23 November 2026",
		    VERIFY_CAVEAT },
		{ "2022-01-01", "2022-04-01", "[[\"2023-01-01\",\"2026-11-23\"]]",
		    "begin on 1 January 2023, after the period ends", VERIFY_CAVEAT },
		{ "2025-01-01", "2025-04-01", "[[1700000000,1710000000]]", "dates cannot be read", VERIFY_UNVERIFIED },
		{ "2025-01-01", "2025-04-01", "[[\"-infinity\",\"infinity\"]]", "dates cannot be read",
		    VERIFY_UNVERIFIED },
		{ "2025-01-01", "2025-04-01", "[[null,null]]", "no data with a date", VERIFY_CAVEAT },
		{ "2025-01-01", "2025-04-01", NULL, "could not be made: the database has gone", VERIFY_UNVERIFIED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows r = rows_of("[[3]]", PLAIN_PLAN);
		struct answer_check v;

		b.queries[0].ndimensions = 0;
		b.queries[0].window = (struct ask_window){
			.field = SPAN("orders.day"), .start = span_str(cases[i].start), .end = span_str(cases[i].end)
		};
		v = checked(&b, &r,
		    (const struct played[]){ { "min(orders.day)", ">=", cases[i].extent }, { NULL, NULL, NULL } });
		assert_check(&v, 6, cases[i].outcome);
		if (v.ncaveats < 2)
			assert_note(&v, 6, cases[i].says);
		else
			assert_true(is_caveat(&v, cases[i].says));
	}
}

/* A period over the date of a joined source stands among the filters. */
static void
time_among_the_filters_is_checked(void **state)
{
	struct answer_brief b = revenue_by_region();
	struct data_rows r = rows_of("[[0]]", PLAIN_PLAN);
	struct ask_query *q = &b.queries[0];
	struct answer_check v;

	(void)state;
	q->ndimensions = 0;
	q->nfilters = 2;
	q->filters[0] = (struct ask_filter){
		.sql = SPAN("day"), .field = SPAN("orders.day"), .operator = SPAN(">="), .value = SPAN("2026-05-01")
	};
	q->filters[1] = (struct ask_filter){
		.sql = SPAN("day"), .field = SPAN("orders.day"), .operator = SPAN("<"), .value = SPAN("2026-06-01")
	};
	v = checked(&b, &r,
	    (const struct played[]){ { "min(orders.day)", ">=", "[[\"2023-01-01\",\"2026-03-31\"]]" },
		{ "", NULL, "[[0]]" }, { NULL, NULL, NULL } });
	assert_check(&v, 6, VERIFY_CAVEAT);
	assert_note(&v, 6, "end on 31 March 2026, before the period begins");
	assert_int_equal(v.uncovered.len > 0, 1);
	/* A condition on another column is no period. */
	q->filters[0].value = SPAN("5");
	q->filters[1].value = SPAN("7");
	v = checked(&b, &r, (const struct played[]){ { "", NULL, "[[0]]" }, { NULL, NULL, NULL } });
	assert_check(&v, 6, VERIFY_NOT_APPLICABLE);
}

static void
the_border_of_a_ranking(void **state)
{
	struct answer_brief b = revenue_by_region();
	struct data_rows r = rows_of("[[\"North\",5],[\"South\",4],[\"West\",4]]", PLAIN_PLAN);
	struct answer_check v;

	(void)state;
	b.shape = ASK_RANKING;
	b.queries[0].limit = 2;
	r.truncated = true;
	v = checked(&b, &r, NULL);
	assert_check(&v, 8, VERIFY_CAVEAT);
	assert_check(&v, 7, VERIFY_PASSED);
	assert_int_equal(r.nrows, 2);
	r = rows_of("[[\"North\",5],[\"South\",4],[\"West\",3]]", PLAIN_PLAN);
	v = checked(&b, &r, NULL);
	assert_check(&v, 8, VERIFY_PASSED);
	b.queries[0].limit = 1;
	b.queries[0].ties = true;
	r = rows_of("[[\"North\",5],[\"South\",5],[\"West\",4]]", PLAIN_PLAN);
	v = checked(&b, &r, NULL);
	assert_check(&v, 8, VERIFY_PASSED);
	assert_int_equal(r.nrows, 2);
	/* What has no region is no region. */
	r = rows_of("[[null,9],[\"\",8],[\"North\",5],[\"West\",4]]", PLAIN_PLAN);
	v = checked(&b, &r, NULL);
	assert_note(&v, 4, "What has no region is not ranked.");
	assert_int_equal(r.nrows, 1);
	assert_true(span_is(data_cell(&r, 0, 0)->s, SPAN("North")));
}

/* Groups whose names differ in the case of any letter alone: told, and no ranking.  Another letter is another name. */
static void
spellings_of_one_name(void **state)
{
	static const struct {
		const char *rows;
		size_t limit;
		unsigned outcome;
	} cases[] = {
		{ "[[\"K\u00d6LN\",5],[\"k\u00f6ln\",4]]", 0, VERIFY_CAVEAT },
		{ "[[\"K\u00d6LN\",5],[\"k\u00f6ln\",4]]", 1, VERIFY_FAILED },
		{ "[[\"K\u00f6ln\",5],[\"Koln\",4]]", 0, VERIFY_PASSED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows r = rows_of(cases[i].rows, PLAIN_PLAN);
		struct answer_check v;

		b.shape = cases[i].limit > 0 ? ASK_RANKING : ASK_GROUPS;
		b.queries[0].limit = cases[i].limit;
		v = checked(&b, &r, NULL);
		assert_check(&v, 2, cases[i].outcome);
	}
}

/* "The shop with the highest size": a list has no figure; the column that orders it ranks its rows. */
static void
the_border_of_a_list(void **state)
{
	struct answer_brief b = { .shape = ASK_LIST, .connection = SPAN("shop"), .nqueries = 1 };
	struct data_rows r = rows_of("[[\"B\",9,2],[\"C\",9,3],[\"A\",5,1]]", PLAIN_PLAN);
	struct ask_query *q = &b.queries[0];
	struct answer_check v;

	(void)state;
	q->ndimensions = 3;
	q->dimensions[0] = (struct ask_dimension){ .field = SPAN("shop.name"), .label = SPAN("name") };
	q->dimensions[1] = (struct ask_dimension){ .field = SPAN("shop.size"), .label = SPAN("size") };
	q->dimensions[2] =
	    (struct ask_dimension){ .field = SPAN("shop.shop_id"), .label = SPAN("shop id"), .identity = true };
	q->order_by = q->dimensions[1].field;
	q->limit = 1;
	q->ties = true;
	v = checked(&b, &r, NULL);
	assert_check(&v, 8, VERIFY_PASSED);
	assert_int_equal(r.nrows, 2);
}

static void
nulls_and_truncation_are_said(void **state)
{
	struct answer_brief b = revenue_by_region();
	struct data_rows r = rows_of("[[\"North\",3],[null,1]]", PLAIN_PLAN);
	struct answer_check v = checked(&b, &r, (const struct played[]){ { "", NULL, "[[4]]" }, { NULL, NULL, NULL } });

	(void)state;
	assert_check(&v, 4, VERIFY_CAVEAT);
	assert_note(&v, 4, "25 % of the total has no region");
	r = rows_of("[[\"North\",3],[\"South\",1]]", PLAIN_PLAN);
	r.truncated = true;
	v = checked(&b, &r, NULL);
	assert_check(&v, 7, VERIFY_CAVEAT);
	b.german = true;
	v = checked(&b, &r, NULL);
	assert_note(&v, 7, "Es gibt mehr Zeilen als diese 2.");
}

/* Why a quotient has no value: its divisor is asked for in the groups without one. */
static void
a_missing_quotient_is_explained(void **state)
{
#define DEFINED(expr, from)                                                                                          \
	"{\"joins\":[],\"filters\":[],\"measures\":[{\"name\":\"rate\",\"expr\":\"" expr "\",\"derivedFrom\":[" from \
	"]}]}"
#define SIMPLE DEFINED("100.0 * won / all_deals", "\"deals.won\",\"deals.all_deals\"")
	static const struct {
		const char *plan, *divisor, *says;
		unsigned check;
	} cases[] = {
		{ SIMPLE, "[[\"North\",3,4],[\"South\",null,0]]", "in 1 of 2 groups: its divisor is zero there", 10 },
		{ SIMPLE, "[[\"North\",3,4],[\"South\",null,[\"0.00\"]]]", "its divisor is zero there", 10 },
		{ SIMPLE, "[[\"North\",3,4],[\"South\",null,null]]", "its divisor has no value there", 10 },
		{ SIMPLE, "[[\"North\",3,4],[\"South\",null,7]]", "what is divided has no value there", 10 },
		{ SIMPLE, "[[\"North\",null,0],[\"South\",null,7]]", "its divisor is zero there, or a part of it has",
		    10 },
		{ SIMPLE, NULL, "its divisor is zero there, or a part of it has", 10 },
		{ DEFINED("won / sum(x)", "\"deals.won\""), "[[\"South\",null,0]]", "or a part of it has", 10 },
		{ DEFINED("won / all_deals + 1", "\"deals.won\",\"deals.all_deals\""), "[[\"South\",null,0]]",
		    "or a part of it has", 10 },
		/* Nothing is divided. */
		{ DEFINED("won - lost", "\"deals.won\",\"deals.lost\""), NULL, "Rate has no value in 1 of 2 groups.",
		    4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows r = rows_of("[[\"North\",3],[\"South\",null]]", cases[i].plan);
		struct answer_check v;

		b.queries[0].measures[0] =
		    (struct ask_measure){ .expr = SPAN("deals.rate"), .label = SPAN("Rate"), .ratio = true };
		v = checked(&b, &r,
		    (const struct played[]){
			{ "\"expr\":\" deals.all_deals\"", NULL, cases[i].divisor }, { NULL, NULL, NULL } });
		assert_check(&v, cases[i].check, VERIFY_CAVEAT);
		assert_note(&v, cases[i].check, cases[i].says);
	}
}

/* A check passes only over figures that it could read. */
static void
figures_that_are_none_are_not_passed(void **state)
{
	static const struct {
		const char *rows, *total;
		enum verify_outcome nulls, sums;
	} cases[] = {
		{ "[[\"North\",[\"3.10\"]],[\"South\",[\"4.20\"]]]", "[[[\"7.30\"]]]", VERIFY_PASSED, VERIFY_PASSED },
		{ "[[\"North\",[\"3.10\"]],[\"South\",[\"4.20\"]]]", "[[[\"7.31\"]]]", VERIFY_PASSED, VERIFY_FAILED },
		{ "[[\"North\",[\"0.1\"]],[\"South\",[\"0.2\"]]]", "[[[\"0.3\"]]]", VERIFY_PASSED, VERIFY_PASSED },
		{ "[[\"North\",0.1],[\"South\",0.2]]", "[[0.3]]", VERIFY_PASSED, VERIFY_PASSED },
		{ "[[\"North\",[\"12345678901234567.89\"]],[\"South\",[\"0.01\"]]]", "[[[\"12345678901234567.90\"]]]",
		    VERIFY_PASSED, VERIFY_PASSED },
		{ "[[\"North\",[\"12345678901234567.89\"]],[\"South\",[\"0.01\"]]]", "[[[\"12345678901234567.91\"]]]",
		    VERIFY_PASSED, VERIFY_FAILED },
		{ "[[\"North\",9007199254740993],[\"South\",1]]", "[[9007199254740994]]", VERIFY_PASSED,
		    VERIFY_PASSED },
		{ "[[\"North\",9007199254740993],[\"South\",1]]", "[[9007199254740995]]", VERIFY_PASSED,
		    VERIFY_FAILED },
		{ "[[\"North\",\"1 day\"],[\"South\",\"2 days\"]]", "[[\"3 days\"]]", VERIFY_UNVERIFIED,
		    VERIFY_UNVERIFIED },
		{ "[[\"North\",[\"NaN\"]],[\"South\",[\"1\"]]]", "[[[\"NaN\"]]]", VERIFY_UNVERIFIED,
		    VERIFY_UNVERIFIED },
		{ "[[\"North\",3],[\"South\",4]]", "[[\"7\"]]", VERIFY_PASSED, VERIFY_UNVERIFIED },
		{ "[[\"North\",3],[\"South\",4]]", "[]", VERIFY_PASSED, VERIFY_UNVERIFIED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows r = rows_of(cases[i].rows, PLAIN_PLAN);
		struct answer_check v =
		    checked(&b, &r, (const struct played[]){ { "", "IS NULL", cases[i].total }, { NULL, NULL, NULL } });

		assert_check(&v, 4, cases[i].nulls);
		assert_check(&v, 5, cases[i].sums);
		if (cases[i].sums == VERIFY_UNVERIFIED)
			assert_note(&v, 5, "Check V5 could not be made: Revenue is not a number.");
	}
}

/* A check that cannot run is not passed, and the next one is made; where the call has ended, nothing is. */
static void
a_check_that_fails_to_run(void **state)
{
	struct answer_brief b = revenue_by_region();
	struct data_rows r = rows_of("[[\"North\",3],[\"South\",4]]", NULL);
	struct answer_check v = checked(&b, &r, NULL);
	struct database gone = { .ends = true };
	struct err err;

	(void)state;
	assert_check(&v, 3, VERIFY_UNVERIFIED);
	assert_check(&v, 5, VERIFY_UNVERIFIED);
	assert_check(&v, 4, VERIFY_PASSED);
	assert_null(verify_blocked(&v));
	v = (struct answer_check){
		.arena = arena, .brief = &b, .rows = &r, .query = play_query, .may_go_on = goes_on, .arg = &gone
	};
	assert_int_equal(verify_run(&v, &err), -1);
	assert_int_equal(gone.asked, 1);
}

/* --- composing ------------------------------------------------------------------------------------ */

static const char *
composed(const struct answer_brief *b, const struct data_rows *rows, struct span *caveat)
{
	struct buf packed = { 0 }, json = { 0 };
	struct mp_value v;
	struct sheet *s;
	struct err err;
	const char *text;

	s = compose_sheet(arena, b, rows, caveat, &err);
	assert_non_null(s);
	sheet_put(&packed, s);
	assert_true(mp_value(buf_view(&packed), &v));
	json_write(&json, &v);
	text = arena_cstr(arena, buf_view(&json));
	buf_fini(&packed);
	buf_fini(&json);
	return text;
}

static void
shares_and_sides_are_figured_out(void **state)
{
	struct answer_brief b = revenue_by_region();
	struct data_rows rows[2] = { rows_of("[[\"North\",3],[\"South\",1]]", NULL), rows_of("[[8]]", NULL) };
	struct span caveat;

	(void)state;
	b.shape = ASK_SHARE;
	b.nqueries = 2;
	b.queries[1] = b.queries[0];
	b.queries[1].role = ASK_TOTAL;
	b.queries[1].ndimensions = 0;
	assert_holds(composed(&b, rows, &caveat), "\"data\":[[\"North\",3,8,37.5],[\"South\",1,8,12.5]]");
	assert_int_equal(caveat.len, 0);
	rows[1] = rows_of("[[0]]", NULL);
	assert_holds(composed(&b, rows, &caveat), "[\"North\",3,0,null]");
	assert_holds(arena_cstr(arena, caveat), "because the total is zero");

	/* The first named is the base of two values, the earlier one of two periods. */
	b.shape = ASK_COMPARE;
	b.queries[0].ndimensions = 0;
	b.queries[0].role = ASK_FIRST;
	b.queries[0].label = SPAN("Germany");
	b.queries[1].role = ASK_SECOND;
	b.queries[1].label = SPAN("France");
	rows[0] = rows_of("[[10]]", NULL);
	rows[1] = rows_of("[[8]]", NULL);
	assert_holds(composed(&b, rows, &caveat), "\"data\":[[\"Germany\",10,null,null],[\"France\",8,-2,-20]]");
	b.shape = ASK_PERIODS;
	b.queries[0].window.start = SPAN("2025-01-01");
	b.queries[1].window.start = SPAN("2024-01-01");
	assert_holds(composed(&b, rows, &caveat), "\"data\":[[\"Germany\",10,2,25],[\"France\",8,null,null]]");
	rows[1] = rows_of("[[null]]", NULL);
	assert_holds(composed(&b, rows, &caveat), "[[\"Germany\",10,null,null],[\"France\",null,null,null]]");
}

static void
decimals_are_exact(void **state)
{
	static const struct {
		const char *first, *second, *data;
	} cases[] = {
		{ "[[[\"0.10\"]]]", "[[[\"0.30\"]]]", "[[\"a\",0.1,null,null],[\"b\",0.3,0.2,200]]" },
		{ "[[0.1]]", "[[0.30000000000000004]]", "[[\"a\",0.1,null,null],[\"b\",0.3,0.2,200]]" },
		{ "[[[\"9007199254740993\"]]]", "[[9007199254740994]]",
		    "[[\"a\",\"9007199254740993\",null,null],[\"b\",\"9007199254740994\",1,1.11022302462516e-14]]" },
		{ "[[[\"12345678901234567.89\"]]]", "[[[\"12345678901234567.99\"]]]",
		    "[[\"a\",\"12345678901234567.89\",null,null],[\"b\",\"12345678901234567.99\",0.1,8.1000000729e-16]"
		    "]" },
		{ "[[\"1 day\"]]", "[[\"2 days\"]]", "[[\"a\",\"1 day\",null,null],[\"b\",\"2 days\",null,null]]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows rows[2] = { rows_of(cases[i].first, NULL), rows_of(cases[i].second, NULL) };
		struct span caveat;

		b.shape = ASK_COMPARE;
		b.nqueries = 2;
		b.queries[0].ndimensions = 0;
		b.queries[1] = b.queries[0];
		b.queries[0].role = ASK_FIRST;
		b.queries[0].label = SPAN("a");
		b.queries[1].role = ASK_SECOND;
		b.queries[1].label = SPAN("b");
		assert_holds(composed(&b, rows, &caveat), cases[i].data);
		assert_int_equal(caveat.len > 0, i == 4);
	}
}

static void
a_missing_percentage_has_its_reason(void **state)
{
	static const char *const cases[][2] = { { "[[0]]", "total is zero" }, { "[[[\"0.00\"]]]", "total is zero" },
		{ "[[null]]", "total has no value" }, { "[[\"3 days\"]]", "total is not a number" },
		{ "[[[\"NaN\"]]]", "total is not a number" }, { "[[[\"4.00\"]]]", "" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer_brief b = revenue_by_region();
		struct data_rows rows[2] = { rows_of("[[\"North\",[\"3.00\"]]]", NULL), rows_of(cases[i][0], NULL) };
		struct span caveat;
		const char *data;

		b.shape = ASK_SHARE;
		b.nqueries = 2;
		b.queries[1] = b.queries[0];
		b.queries[1].role = ASK_TOTAL;
		b.queries[1].ndimensions = 0;
		data = composed(&b, rows, &caveat);
		assert_holds(arena_cstr(arena, caveat), cases[i][1]);
		assert_holds(data, i == 5 ? "[\"North\",3,4,75]" : ",null]");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_groups_pass),
		cmocka_unit_test(what_does_not_hold_blocks),
		cmocka_unit_test(sums_are_left_alone_where_they_say_nothing),
		cmocka_unit_test(a_condition_on_groups_leaves_out_no_rows),
		cmocka_unit_test(no_group_is_explained_by_groups),
		cmocka_unit_test(a_list_says_where_a_name_is_of_several),
		cmocka_unit_test(an_empty_list_is_explained),
		cmocka_unit_test(sums_that_lack_rows_are_explained),
		cmocka_unit_test(averages_say_what_they_leave_out),
		cmocka_unit_test(nothing_is_explained),
		cmocka_unit_test(time_is_covered_or_not),
		cmocka_unit_test(time_among_the_filters_is_checked),
		cmocka_unit_test(the_border_of_a_ranking),
		cmocka_unit_test(spellings_of_one_name),
		cmocka_unit_test(the_border_of_a_list),
		cmocka_unit_test(nulls_and_truncation_are_said),
		cmocka_unit_test(a_missing_quotient_is_explained),
		cmocka_unit_test(keys_are_shown_where_names_repeat),
		cmocka_unit_test(keys_of_lists_are_shown_where_names_repeat),
		cmocka_unit_test(texts_of_numbers_are_ordered_as_numbers),
		cmocka_unit_test(figures_that_are_none_are_not_passed),
		cmocka_unit_test(a_check_that_fails_to_run),
		cmocka_unit_test(decimals_are_exact),
		cmocka_unit_test(a_missing_percentage_has_its_reason),
		cmocka_unit_test(shares_and_sides_are_figured_out),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
