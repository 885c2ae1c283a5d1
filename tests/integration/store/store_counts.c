/* store_counts.c - calls of principals, counted over the nodes of one store. */
#include <sched.h>
#include <sys/mman.h>

#include "tests/integration/store/store_pair.h"
#include "workers/auth/store/store_limits.h"

#define RACES	100	/* at most 127: exit statuses are added */

static struct err err;

static struct store_admission
admit(struct store *s, const struct store_admit *ask)
{
	struct store_admission got;

	must(store_admit(s, ask, &got, &err));
	return got;
}

/* Two processes want the last call of each of RACES quotas; how many calls were admitted. */
static unsigned
race(const struct store_pair *r, void (*fill)(struct store_admit *ask, unsigned round, int node))
{
	unsigned *ready = mmap(NULL, sizeof(*ready), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned admitted = 0;
	int status;

	assert_true(ready != MAP_FAILED);
	for (int node = 0; node < 2; node++)
		if (fork() == 0) {
			struct store *s = pair_open(r, pair_local(r, 3 + node));
			unsigned mine = 0;

			for (unsigned i = 0; i < RACES; i++) {
				struct store_admit ask = { .own = 0 };

				fill(&ask, i, node);
				__atomic_add_fetch(ready, 1, __ATOMIC_SEQ_CST);
				while (__atomic_load_n(ready, __ATOMIC_SEQ_CST) < 2 * (i + 1))
					sched_yield();
				mine += admit(s, &ask).verdict == STORE_ADMITTED;
			}
			_exit((int)mine);
		}
	for (int node = 0; node < 2; node++) {
		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status));
		admitted += (unsigned)WEXITSTATUS(status);
	}
	munmap(ready, sizeof(*ready));
	return admitted;
}

static void
of_principal(struct store_admit *ask, unsigned round, int node)
{
	(void)node;
	ask->who = SPAN("token:a");
	ask->quotas[0].most = 1;
	snprintf(ask->quotas[0].name, sizeof(ask->quotas[0].name), "token:a %u", round);
}

static void
of_all(struct store_admit *ask, unsigned round, int node)
{
	ask->who = node == 0 ? SPAN("token:a") : SPAN("token:b");
	ask->of_all.most = 1;
	snprintf(ask->of_all.name, sizeof(ask->of_all.name), "tokens %u", round);
}

static void
in_flight(struct store_admit *ask, unsigned round, int node)
{
	static char who[32];

	(void)node;
	snprintf(who, sizeof(who), "token:%u", round);
	ask->who = span_str(who);
	ask->most = 1;
}

static void
test_never_one_more(void **state)
{
	struct store_pair *r = *state;
	struct store_admit ask = {
		.who = SPAN("token:a"), .quotas = { { "token:a", 1 } }, .of_all = { "tokens 0", 1 }
	};

	assert_int_equal(race(r, of_principal), RACES);
	assert_int_equal(race(r, of_all), RACES);
	/* The processes are gone, and their leases are not: their calls count. */
	assert_int_equal(race(r, in_flight), RACES);
	/* What one quota refuses counts in no other. */
	assert_int_equal(admit(r->a, &ask).verdict, STORE_RATE);
	ask.of_all.most = 0;
	assert_int_equal(admit(r->a, &ask).verdict, STORE_ADMITTED);
}

/* As windows in memory: second by second, and the wait is until the oldest have left. */
static void
test_window(void **state)
{
	struct store_pair *r = *state;
	const struct store_admit ask = { .who = SPAN("token:a"),
		.quotas = { { "token:a call", 30 }, { "token:a sql", 10 } } };
	struct store_admission got;

	pair_psql("INSERT INTO carrel.rate SELECT 'token:a call', floor(extract(epoch FROM clock_timestamp())) - ago, n"
		  " FROM (VALUES (70, 30), (50, 20), (41, 9)) AS v(ago, n)");
	got = admit(r->a, &ask);
	assert_int_equal(got.verdict, STORE_ADMITTED);
	assert_int_equal(got.limit, 30);
	assert_int_equal(got.remaining, 0);
	assert_in_range(got.reset_s, 9, 10);
	got = admit(r->b, &ask);
	assert_int_equal(got.verdict, STORE_RATE);
	assert_in_range(got.retry_s, 9, 10); /* when the 20 of 50 s ago leave */
	assert_int_equal(got.remaining, 0);
	pair_psql("UPDATE carrel.rate SET n = 1 WHERE n = 20");
	got = admit(r->b, &ask);
	assert_int_equal(got.verdict, STORE_ADMITTED);
	assert_int_equal(got.limit, 10);
	assert_int_equal(got.remaining, 8);
	must(store_limits_sweep(r->a, &err));
	assert_int_equal(admit(r->b, &ask).verdict, STORE_ADMITTED);
}

static struct store_admit
flight(uint64_t own)
{
	return (struct store_admit){ .who = SPAN("token:a"), .own = own, .most = 3 };
}

static void
test_in_flight(void **state)
{
	struct store_pair *r = *state;
	struct store_admit first = flight(0), second = flight(1);
	struct store *again;

	assert_int_equal(admit(r->a, &first).verdict, STORE_ADMITTED);
	assert_int_equal(admit(r->a, &second).verdict, STORE_ADMITTED);
	assert_int_equal(admit(r->b, &first).verdict, STORE_ADMITTED);
	assert_int_equal(admit(r->b, &second).verdict, STORE_IN_FLIGHT);
	must(store_released(r->a, SPAN("token:a"), 1, &err));
	assert_int_equal(admit(r->b, &second).verdict, STORE_ADMITTED);
	assert_int_equal(admit(r->b, &(struct store_admit){ .who = SPAN("token:b"), .most = 1 }).verdict,
	    STORE_ADMITTED);
	/* What a process left behind ends with it: when its node starts again, and with its lease. */
	assert_int_equal(admit(r->a, &second).verdict, STORE_IN_FLIGHT);
	again = pair_open(r, r->local[1]);
	assert_int_equal(admit(r->a, &second).verdict, STORE_ADMITTED);
	must(store_released(again, SPAN("token:a"), 1, &err));
	assert_int_equal(admit(r->a, &second).verdict, STORE_ADMITTED);
	second.own = 2;
	assert_int_equal(admit(r->a, &second).verdict, STORE_IN_FLIGHT);
	pair_psql("UPDATE carrel.node SET until = until - 60000 WHERE name = 'b'");
	assert_int_equal(admit(r->a, &second).verdict, STORE_ADMITTED);
	must(store_limits_sweep(r->a, &err));
	store_close(again);
}

int
store_counts_tests(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(test_never_one_more),
		PAIR_TEST(test_window),
		PAIR_TEST(test_in_flight),
	};

	return pair_is_postgres() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
