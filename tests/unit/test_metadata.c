// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/*
 * test_metadata.c - clients whose id is the URL of a document: what is the document's fault is told as an unknown
 * client, for good; what is nobody's but the moment's, as unavailable, with when to ask again.
 */
#include "tests/unit/auth_rig.h"
#include "workers/auth/oauth/metadata.h"
#include "workers/auth/oauth/authorize.h"

#define SITE	"https://client.example.com/"

static struct auth_rig *rig;
static uint64_t fetches, told;	/* the last serial; answers */
static bool unstarted;

int __wrap_serve_fetch(uint64_t serial, struct span url);
uint64_t __wrap_clock_unix_ms(void);
uint64_t __wrap_clock_ns(void);

int
__wrap_serve_fetch(uint64_t serial, struct span url)
{
	(void)url;
	if (unstarted)
		return -1;
	fetches = serial;
	return 0;
}

uint64_t
__wrap_clock_unix_ms(void)
{
	return rig == NULL ? UINT64_C(1795000000000) : rig->now_ms;
}

uint64_t
__wrap_clock_ns(void)
{
	return rig == NULL ? CLOCK_SECOND : rig->now_ns;
}

static int
set_up(void **state)
{
	if (rig_set_up(state) != 0)
		return -1;
	rig = *state;
	rig->a->conf.client_metadata = true;
	rig->a->metadata = metadata_new();
	fetches = told = 0;
	unstarted = false;
	return 0;
}

static int
tear_down(void **state)
{
	metadata_free(rig->a->metadata);
	rig->a->metadata = NULL;
	rig = NULL;
	return rig_tear_down(state);
}

static void
decide(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_authorize *m)
{
	(void)peer;
	(void)id;
	told++;
	authorize_answer(a, m, rig->now_ms, rig->now_ns, &rig->said, &rig->authorized);
}

/* A client of this name asks, from this address.  False: its document is waited for. */
static bool
ask(const char *name, const char *address)
{
	struct ipc_authorize m = rig_request(rig);
	char url[128];

	snprintf(url, sizeof(url), SITE "%s.json", name);
	m.client_id = span_str(url);
	m.address = span_str(address);
	if (metadata_wait(rig->a, 1, 1, &m, decide))
		return false;
	decide(rig->a, 1, 1, &m);
	return true;
}

static void
answer(uint64_t serial, enum ipc_fetch_outcome outcome)
{
	struct ipc_fetched f = { .serial = serial, .outcome = outcome, .reason = SPAN("because"), .keep_s = 60 };
	struct buf list = { 0 };

	mp_put_array(&list, outcome == IPC_FETCH_DONE ? 1 : 0);
	if (outcome == IPC_FETCH_DONE) {
		f.client_name = SPAN("Documented");
		mp_put_cstr(&list, REDIRECT);
	}
	f.redirects = buf_view(&list);
	metadata_take(rig->a, &f);
	buf_fini(&list);
}

/* The last answer: of the moment, with when to ask again; or for good. */
static void
passes(unsigned at_least_s, unsigned at_most_s)
{
	assert_int_equal(rig->authorized.outcome, IPC_OAUTH_UNAVAILABLE);
	assert_int_equal(rig->authorized.shown, 1);
	assert_in_range(rig->authorized.retry_after_s, at_least_s, at_most_s);
}

static void
is_for_good(void)
{
	assert_int_equal(rig->authorized.outcome, IPC_OAUTH_INVALID_CLIENT);
	assert_int_equal(rig->authorized.retry_after_s, 0);
}

static bool
is_let_in(void)
{
	return rig->authorized.outcome == IPC_OAUTH_CONSENT || rig->authorized.outcome == IPC_OAUTH_LOGIN ||
	    rig->authorized.outcome == IPC_OAUTH_DONE;
}

/* Whatever became of the first fetch, and what is said then and within the minute. */
static void
what_is_at_fault_decides(void **state)
{
	(void)state;
	assert_false(ask("unfit", ADDRESS));
	answer(fetches, IPC_FETCH_UNFIT);
	is_for_good();
	assert_true(ask("unfit", ADDRESS));
	is_for_good();

	assert_false(ask("lost", ADDRESS));
	answer(fetches, IPC_FETCH_LOST);
	passes(60, 60);
	rig_wind(rig, 20 * SECOND_MS);
	assert_true(ask("lost", ADDRESS));
	passes(40, 40);

	assert_false(ask("silent", ADDRESS));
	rig_wind(rig, 16 * SECOND_MS);
	metadata_tend(rig->a, rig->now_ns);
	passes(60, 60);

	rig_wind(rig, 61 * SECOND_MS);
	assert_false(ask("lost", ADDRESS));
	answer(fetches, IPC_FETCH_DONE);
	assert_true(is_let_in());
}

static void
a_fetch_that_cannot_begin_is_none_of_the_clients(void **state)
{
	(void)state;
	unstarted = true;
	assert_true(ask("any", ADDRESS));
	passes(1, 120);
	unstarted = false;
	assert_false(ask("any", ADDRESS));
	answer(fetches, IPC_FETCH_DONE);
	assert_true(is_let_in());
}

/* Five a minute of an address, ten of all; and a client whose document is had does not hear of it. */
static void
too_many_fetches_pass(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k" };

	(void)state;
	for (unsigned i = 0; i < METADATA_FETCHES_HERE; i++)
		assert_false(ask(names[i], ADDRESS));
	assert_true(ask("f", ADDRESS));
	passes(1, 120);
	/* The answer of one that waited, behind the refusal of another. */
	answer(1, IPC_FETCH_DONE);
	assert_true(is_let_in());
	for (unsigned i = METADATA_FETCHES_HERE; i < METADATA_FETCHES; i++)
		assert_false(ask(names[i], "203.0.113.8"));
	assert_true(ask("k", "203.0.113.9"));
	passes(1, 120);
	assert_true(ask("a", "203.0.113.9"));
	assert_true(is_let_in());
	/* The document is old, and no new one can be had. */
	rig->now_ms += 61 * SECOND_MS;
	assert_true(ask("a", "203.0.113.9"));
	passes(1, 120);
}

/* So many wait for one document. */
static void
too_many_who_wait_pass(void **state)
{
	char address[32];

	(void)state;
	for (unsigned i = 0; i < METADATA_WAITING; i++) {
		snprintf(address, sizeof(address), "198.51.100.%u", i);
		assert_false(ask("one", address));
	}
	assert_true(ask("one", ADDRESS));
	passes(1, 120);
	told = 0;
	answer(fetches, IPC_FETCH_DONE);
	assert_int_equal(told, METADATA_WAITING);
	assert_true(is_let_in());
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_at_fault_decides, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_fetch_that_cannot_begin_is_none_of_the_clients, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_many_fetches_pass, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_many_who_wait_pass, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
