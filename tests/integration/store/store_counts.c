/* store_counts.c - calls of principals, counted over the nodes of one store. */
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>

#include "tests/integration/store/store_pair.h"
#include "workers/auth/store/store_guess.h"
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

static unsigned
guess(struct store *s, const struct store_guess *g)
{
	unsigned wait;

	must(store_guess_begin(s, g, &wait, &err));
	return wait;
}

static void
guess_wrong(struct store *s, const struct store_guess *g, bool expect_block)
{
	bool blocked;

	assert_int_equal(guess(s, g), 0);
	must(store_guess_wrong(s, g, true, &blocked, &err));
	assert_int_equal(blocked, expect_block);
}

#define GUESS(at, who)	{ .address = SPAN(at), .name = SPAN(who), .most = 10, .span_s = 900, .delay_s = 256 }

/* Wrong passwords from one address, on either node: ten, and none for a quarter of an hour. */
static void
test_guesses_of_an_address(void **state)
{
	struct store_pair *r = *state;
	const struct store_guess here = GUESS("192.0.2.1", "ada"), other = GUESS("192.0.2.2", "bob");
	struct store_guess name = here;
	char text[8];

	for (unsigned i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), "u%u", i);
		name.name = span_str(text);
		guess_wrong(i % 2 == 0 ? r->a : r->b, &name, i == 9);
	}
	assert_in_range(guess(r->a, &here), 890, 900);
	assert_in_range(guess(r->b, &here), 890, 900);
	assert_int_equal(guess(r->b, &other), 0);
	pair_psql("UPDATE carrel.blocked SET until = until - 901; UPDATE carrel.guess SET second = second - 901");
	assert_int_equal(guess(r->a, &here), 0);
	must(store_guess_sweep(r->a, &err));
}

/* A right one does not count; of attempts that are not decided, ten are at one time. */
static void
test_guesses_that_were_right(void **state)
{
	struct store_pair *r = *state;
	const struct store_guess here = GUESS("192.0.2.1", "ada");

	for (unsigned i = 0; i < 30; i++) {
		assert_int_equal(guess(i % 2 == 0 ? r->a : r->b, &here), 0);
		must(store_guess_right(i % 2 == 0 ? r->b : r->a, &here, &err));
	}
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(guess(i % 2 == 0 ? r->a : r->b, &here), 0);
	assert_int_equal(guess(r->a, &here), 1);
	must(store_guess_right(r->b, &here, &err));
	assert_int_equal(guess(r->b, &here), 0);
	assert_int_equal(guess(r->a, &here), 1);
}

/* One name from ever other addresses: ever slower, but not for the owner; each address keeps its block to itself. */
static void
test_guesses_of_a_name(void **state)
{
	struct store_pair *r = *state;
	struct store_guess g = GUESS("", "ada");
	char address[24];

	for (unsigned i = 0; i < 14; i++) {
		snprintf(address, sizeof(address), "198.51.100.%u", i);
		g.address = span_str(address);
		g.owner = i > 10; /* who waits for nobody */
		guess_wrong(i % 2 == 0 ? r->a : r->b, &g, false);
	}
	g.address = SPAN("198.51.100.77");
	g.owner = false;
	assert_in_range(guess(r->a, &g), 6, 8); /* the fourth beyond: eight seconds after the last */
	g.owner = true;
	assert_int_equal(guess(r->b, &g), 0);
	/* At an address where it was guessed wrong when it had too many, the name waits. */
	g.address = SPAN("198.51.100.13");
	assert_in_range(guess(r->a, &g), 890, 900);
	g.name = SPAN("bob");
	assert_int_equal(guess(r->a, &g), 0);
}

/* Five wrong credentials from an address on whichever node; the other node hears of the block. */
static void
test_failures(void **state)
{
	struct store_pair *r = *state;
	const char *word = NULL;
	unsigned seconds;

	for (unsigned i = 0; i < 5; i++) {
		must(store_guess_failure(i % 2 == 0 ? r->a : r->b, SPAN("2001:db8::1"), 5, 300, &seconds, &err));
		assert_int_equal(seconds, i == 4 ? 300 : 0);
	}
	must(store_guess_failure(r->b, SPAN("2001:db8::1"), 5, 300, &seconds, &err));
	assert_in_range(seconds, 299, 300);
	must(store_guess_failure(r->b, SPAN("2001:db8::2"), 5, 300, &seconds, &err));
	assert_int_equal(seconds, 0);
	for (unsigned i = 0; i < 100 && word == NULL; i++) {
		(void)poll(NULL, 0, 10);
		(void)store_changed_elsewhere(r->b);
		word = store_word(r->b);
	}
	assert_string_equal(word, "block 300 2001:db8::1");
	assert_null(store_word(r->b));
	(void)store_changed_elsewhere(r->a);
	assert_null(store_word(r->a)); /* its own */
	pair_psql("UPDATE carrel.blocked SET until = until - 301");
	must(store_guess_failure(r->a, SPAN("2001:db8::1"), 5, 300, &seconds, &err));
	assert_int_equal(seconds, 0);
}

static unsigned
take(struct store *s, const char *name, const char *also)
{
	unsigned wait = 0;

	must(store_event_take(s, span_str(name), span_str(also), 3, 60, &wait, &err));
	return wait;
}

/* Either name may have three within a minute, over both nodes; one that is taken back leaves room for another. */
static void
test_events(void **state)
{
	const struct store_pair *r = *state;

	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(take(i % 2 == 0 ? r->a : r->b, "word user:ada", "word 192.0.2.1"), 0);
	assert_in_range(take(r->b, "word user:ada", ""), 1, 60);
	assert_in_range(take(r->a, "word user:bob", "word 192.0.2.1"), 1, 60); /* of the address */
	assert_int_equal(take(r->a, "word user:bob", "word 192.0.2.2"), 0);
	must(store_event_back(r->a, SPAN("word user:ada"), SPAN("word 192.0.2.1"), &err));
	assert_int_equal(take(r->b, "word user:ada", "word 192.0.2.1"), 0);
	assert_in_range(take(r->b, "word user:ada", "word 192.0.2.1"), 1, 60);
	assert_int_equal(take(r->a, "register user:ada", ""), 0); /* another kind */
	pair_psql("UPDATE carrel.guess SET second = second - 61");
	assert_int_equal(take(r->a, "word user:ada", "word 192.0.2.1"), 0);
}

int
store_counts_tests(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(test_never_one_more),
		PAIR_TEST(test_window),
		PAIR_TEST(test_in_flight),
		PAIR_TEST(test_guesses_of_an_address),
		PAIR_TEST(test_guesses_that_were_right),
		PAIR_TEST(test_guesses_of_a_name),
		PAIR_TEST(test_failures),
		PAIR_TEST(test_events),
	};

	return pair_is_postgres() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
