// libs: carrel_front
/* test_session.c - ids that carry their own session, and what ends one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#include "front/mcp/session.h"

#define NOW	UINT64_C(1800000000)
#define SESSION_IDLE_S	3600

static const uint8_t key[32] = { 1, 2, 3 }, other_key[32] = { 3, 2, 1 };

static void
test_round_trip(void **state)
{
	struct sessions *s = sessions_new(key, SESSION_IDLE_S), *restarted = sessions_new(key, SESSION_IDLE_S);
	struct sessions *stranger = sessions_new(other_key, SESSION_IDLE_S);
	char id[SESSION_ID_MAX + 1];
	struct session got;

	(void)state;
	session_begin(s, 3, 9, SPAN("local:1000"), SPAN(""), NOW, id);
	assert_int_equal(strlen(id), SESSION_ID_LEN);
	for (size_t i = 0; i < SESSION_ID_LEN; i++)
		assert_in_range(id[i], 0x21, 0x7e);
	assert_true(session_check(s, span_str(id), SPAN("local:1000"), NOW, &got));
	assert_int_equal(got.can, 9);
	assert_int_equal(got.notices, 0);
	session_set_notices(s, got.body, 3);
	assert_true(session_check(s, span_str(id), SPAN("local:1000"), NOW, &got));
	assert_int_equal(got.notices, 3);
	assert_int_equal(got.revision, 3);
	assert_int_equal(session_expiry(got.body), NOW + SESSION_LIFE_S);
	/* another front with the same key knows it, one with another does not */
	assert_true(session_check(restarted, span_str(id), SPAN("local:1000"), NOW + 5, &got));
	assert_false(session_check(stranger, span_str(id), SPAN("local:1000"), NOW, &got));
	/* bound to its principal */
	assert_false(session_check(s, span_str(id), SPAN("local:1001"), NOW, &got));
	assert_false(session_check(s, span_str(id), SPAN("static"), NOW, &got));
	sessions_free(s);
	sessions_free(restarted);
	sessions_free(stranger);
}

/* What the client said it is survives with its session, and nobody can change it. */
static void
test_client(void **state)
{
	static const char *const clients[] = { "desk 1.2", "desk", "", "na\xc3\xafve 1",
		"a name that is longer than what is kept of one, so that it does not fit and is cut, "
		"between its characters \xc3\xaf" };
	struct sessions *s = sessions_new(key, SESSION_IDLE_S), *restarted = sessions_new(key, SESSION_IDLE_S);
	char id[SESSION_ID_MAX + 1], bent[SESSION_ID_MAX + 1];
	struct session got;

	(void)state;
	for (size_t i = 0; i < sizeof(clients) / sizeof(clients[0]); i++) {
		struct span is = span_str(clients[i]);

		if (is.len > SESSION_CLIENT_MAX)
			is.len = SESSION_CLIENT_MAX;
		session_begin(s, 3, 0, SPAN("local:1"), span_str(clients[i]), NOW, id);
		for (size_t k = 0; id[k] != '\0'; k++) {
			memcpy(bent, id, sizeof(bent));
			bent[k] = bent[k] == 'A' ? 'B' : 'A';
			assert_false(session_check(restarted, span_str(bent), SPAN("local:1"), NOW, &got));
		}
		assert_true(session_check(s, span_str(id), SPAN("local:1"), NOW, &got));
		assert_true(span_is(session_client(s, got.body), is));
		assert_int_equal(session_client(restarted, got.body).len, 0);
		assert_true(session_check(restarted, span_str(id), SPAN("local:1"), NOW + 5, &got));
		assert_true(span_is(session_client(restarted, got.body), is));
		assert_false(session_check(restarted, span_of(id, strlen(id) - 4), SPAN("local:1"), NOW, &got));
	}
	assert_true(strlen(id) <= SESSION_ID_MAX);
	/* A principal whose name goes on as a client's begins is another. */
	session_begin(s, 3, 0, SPAN("local:1"), SPAN("000 x"), NOW, id);
	assert_false(session_check(restarted, span_str(id), SPAN("local:1000"), NOW, &got));
	assert_false(session_check(restarted, span_str(id), SPAN("local:1000 x"), NOW, &got));
	assert_true(session_check(restarted, span_str(id), SPAN("local:1"), NOW, &got));
	sessions_free(s);
	sessions_free(restarted);
}

static void
test_every_bit_counts(void **state)
{
	struct sessions *s = sessions_new(key, SESSION_IDLE_S);
	char id[SESSION_ID_MAX + 1], bent[SESSION_ID_MAX + 1];
	struct session got;

	(void)state;
	session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW, id);
	for (size_t i = 0; i < SESSION_ID_LEN; i++) {
		memcpy(bent, id, sizeof(bent));
		bent[i] = bent[i] == 'A' ? 'B' : 'A';
		assert_false(session_check(s, span_str(bent), SPAN("p"), NOW, &got));
	}
	assert_false(session_check(s, span_of(id, SESSION_ID_LEN - 1), SPAN("p"), NOW, &got));
	assert_false(session_check(s, SPAN("guess"), SPAN("p"), NOW, &got));
	assert_false(session_check(s, SPAN(""), SPAN("p"), NOW, &got));
	assert_int_equal(sessions_known(s), 1); /* a refused id leaves nothing behind */
	sessions_free(s);
}

static void
test_end(void **state)
{
	struct sessions *s = sessions_new(key, SESSION_IDLE_S), *next = sessions_new(key, SESSION_IDLE_S);
	char id[SESSION_ID_MAX + 1];
	struct session got;

	(void)state;
	session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW, id);
	assert_true(session_check(s, span_str(id), SPAN("p"), NOW, &got));
	session_end(s, got.body, NOW);
	session_end(s, got.body, NOW);
	assert_false(session_check(s, span_str(id), SPAN("p"), NOW, &got));
	/* what the supervisor hands to the next front */
	session_end(next, got.body, NOW);
	assert_false(session_check(next, span_str(id), SPAN("p"), NOW, &got));
	/* forgotten once it has expired anyway, and no session even so */
	sessions_sweep(s, NOW + SESSION_LIFE_S, NULL);
	assert_false(session_check(s, span_str(id), SPAN("p"), NOW + SESSION_LIFE_S, &got));
	sessions_free(s);
	sessions_free(next);
}

static unsigned swept;

static void
count(void *arg, const uint8_t body[SESSION_BODY])
{
	assert_ptr_equal(arg, &swept);
	assert_non_null(body);
	swept++;
}

static unsigned asked;

static void
ask(void *arg, const uint8_t body[SESSION_BODY])
{
	assert_ptr_equal(arg, &swept);
	assert_non_null(body);
	asked++;
}

/* One of several fronts ends what none of them saw, and only after it asked. */
static void
test_idle_among_many(void **state)
{
	const struct sweep_hooks hooks = { .ended = count, .ask = ask, .arg = &swept };
	struct sessions *here = sessions_new(key, SESSION_IDLE_S), *there = sessions_new(key, SESSION_IDLE_S);
	char id[SESSION_ID_MAX + 1];
	uint64_t now = NOW + SESSION_IDLE_S + 10;
	struct session got;

	(void)state;
	swept = asked = 0;
	sessions_share(here);
	session_begin(here, 1, 0, SPAN("p"), SPAN(""), NOW, id);
	assert_true(session_check(there, span_str(id), SPAN("p"), NOW + 20, &got));
	sessions_sweep(here, now, &hooks);
	assert_int_equal(asked, 1);
	assert_int_equal(swept, 0);
	assert_true(session_in_use(there, got.body, now));
	session_used(here, got.body, now);
	sessions_sweep(here, now + 60, &hooks);
	assert_int_equal(asked, 1);
	/* nobody saw it for an hour: asked again, no answer, ended */
	now += 60 + SESSION_IDLE_S;
	sessions_sweep(here, now, &hooks);
	assert_int_equal(asked, 2);
	assert_false(session_in_use(there, got.body, now));
	sessions_sweep(here, now + SESSION_ASK_S - 1, &hooks);
	assert_int_equal(swept, 0);
	sessions_sweep(here, now + SESSION_ASK_S, &hooks);
	assert_int_equal(swept, 1);
	assert_false(session_check(here, span_str(id), SPAN("p"), now + SESSION_ASK_S, &got));
	sessions_free(here);
	sessions_free(there);
}

static void
test_idle(void **state)
{
	struct sessions *s = sessions_new(key, SESSION_IDLE_S);
	char idle[SESSION_ID_MAX + 1], busy[SESSION_ID_MAX + 1];
	struct session got;

	(void)state;
	session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW, idle);
	session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW, busy);
	assert_true(session_check(s, span_str(busy), SPAN("p"), NOW + SESSION_IDLE_S - 1, &got));
	/* idle for too long is over even before the sweep */
	assert_false(session_check(s, span_str(idle), SPAN("p"), NOW + SESSION_IDLE_S, &got));
	swept = 0;
	sessions_sweep(s, NOW + SESSION_IDLE_S, &(struct sweep_hooks){ .ended = count, .arg = &swept });
	assert_int_equal(swept, 1);
	assert_false(session_check(s, span_str(idle), SPAN("p"), NOW + SESSION_IDLE_S, &got));
	assert_true(session_check(s, span_str(busy), SPAN("p"), NOW + SESSION_IDLE_S, &got));
	assert_int_equal(sessions_known(s), 1);
	sessions_free(s);
}

static void
test_life(void **state)
{
	struct sessions *s = sessions_new(key, SESSION_IDLE_S);
	char id[SESSION_ID_MAX + 1];
	struct session got;

	(void)state;
	session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW, id);
	for (uint64_t t = 0; t < SESSION_LIFE_S; t += SESSION_IDLE_S / 2)
		assert_true(session_check(s, span_str(id), SPAN("p"), NOW + t, &got));
	assert_false(session_check(s, span_str(id), SPAN("p"), NOW + SESSION_LIFE_S, &got));
	sessions_free(s);
}

/* More live ones than are kept: the oldest are forgotten, not ended. */
static void
test_bound_of_live(void **state)
{
	struct sessions *s = sessions_new(key, SESSION_IDLE_S);
	char first[SESSION_ID_MAX + 1], id[SESSION_ID_MAX + 1];
	struct session got;

	(void)state;
	session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW, first);
	for (size_t i = 0; i < SESSION_KNOWN_EACH + 10; i++)
		session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW, id);
	assert_int_equal(sessions_known(s), SESSION_KNOWN_EACH);
	assert_true(session_check(s, span_str(first), SPAN("p"), NOW, &got));
	sessions_free(s);
}

/* More ended ones than are kept: an ended session never comes back to life. */
static void
test_bound_of_ended(void **state)
{
	struct sessions *s = sessions_new(key, SESSION_IDLE_S);
	char first[SESSION_ID_MAX + 1], id[SESSION_ID_MAX + 1], later[SESSION_ID_MAX + 1];
	struct session got;

	(void)state;
	session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW, first);
	assert_true(session_check(s, span_str(first), SPAN("p"), NOW, &got));
	session_end(s, got.body, NOW);
	for (size_t i = 0; i < SESSION_ENDED_EACH; i++) {
		session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW + 1, id);
		assert_true(session_check(s, span_str(id), SPAN("p"), NOW + 1, &got));
		session_end(s, got.body, NOW + 1);
	}
	session_begin(s, 1, 0, SPAN("p"), SPAN(""), NOW + 2, later);
	assert_false(session_check(s, span_str(first), SPAN("p"), NOW + 2, &got));
	assert_true(session_check(s, span_str(later), SPAN("p"), NOW + 2, &got));
	sessions_free(s);
}

static unsigned let_go;

static void
gone(void *own)
{
	assert_non_null(own);
	let_go++;
}

static bool
never_in_use(void *own)
{
	assert_non_null(own);
	return false;
}

/* What one principal opens, leaves and ends costs no other one a session, nor what is kept with it. */
static void
test_principals_apart(void **state)
{
	struct sessions *s = sessions_new(key, SESSION_IDLE_S), *next = sessions_new(key, SESSION_IDLE_S);
	char mine[SESSION_ID_MAX + 1], over[SESSION_ID_MAX + 1], id[SESSION_ID_MAX + 1], name[32];
	struct session got, ended;

	(void)state;
	sessions_hooks(s, gone, never_in_use);
	let_go = 0;
	session_begin(s, 1, 0, SPAN("local:1000"), SPAN(""), NOW, mine);
	assert_true(session_check(s, span_str(mine), SPAN("local:1000"), NOW, &got));
	*session_own(s, got.body) = &let_go;
	session_set_notices(s, got.body, 3);
	session_begin(s, 1, 0, SPAN("local:1000"), SPAN(""), NOW, over);
	assert_true(session_check(s, span_str(over), SPAN("local:1000"), NOW, &ended));
	session_end(s, ended.body, NOW);
	for (unsigned i = 0; i < 66000; i++) {
		session_begin(s, 1, 0, SPAN("static"), SPAN(""), NOW + 1 + i / 7000, id);
		assert_true(session_check(s, span_str(id), SPAN("static"), NOW + 1 + i / 7000, &ended));
		session_end(s, ended.body, NOW + 1 + i / 7000);
	}
	/* many who each leave as many as they may */
	for (unsigned i = 0; i < 5 * SESSION_KNOWN_EACH; i++) {
		snprintf(name, sizeof(name), "user:%u", i % 5);
		session_begin(s, 1, 0, span_str(name), SPAN(""), NOW + 20, id);
	}
	assert_int_equal(sessions_known(s), SESSION_KNOWN_MAX);
	assert_int_equal(let_go, 0);
	assert_true(session_check(s, span_str(mine), SPAN("local:1000"), NOW + 20, &got));
	assert_int_equal(got.notices, 3);
	assert_ptr_equal(*session_own(s, got.body), &let_go);
	assert_false(session_check(s, span_str(over), SPAN("local:1000"), NOW + 20, &got));
	/* a front that hears of the rest knows whose it is */
	assert_true(session_check(next, span_str(id), span_str(name), NOW + 20, &got));
	session_end_before(next, session_owner(got.body), session_expiry(got.body));
	assert_false(session_check(next, span_str(id), span_str(name), NOW + 20, &got));
	assert_true(session_check(next, span_str(mine), SPAN("local:1000"), NOW + 20, &got));
	sessions_free(s);
	assert_int_equal(let_go, 1);
	sessions_free(next);
}

/* How long is a matter of configuration. */
static void
test_idle_for(void **state)
{
	static const unsigned times[] = { 60, 900, 86399 };
	char id[SESSION_ID_MAX + 1];
	struct session got;

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct sessions *s = sessions_new(key, times[i]);

		session_begin(s, 3, 0, SPAN("p"), SPAN(""), NOW, id);
		assert_true(session_check(s, span_str(id), SPAN("p"), NOW + times[i] - 1, &got));
		assert_false(session_check(s, span_str(id), SPAN("p"), NOW + 2 * (uint64_t)times[i] - 1, &got));
		sessions_free(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_client),
		cmocka_unit_test(test_every_bit_counts),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_idle_among_many),
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_bound_of_live),
		cmocka_unit_test(test_bound_of_ended),
		cmocka_unit_test(test_idle_for),
		cmocka_unit_test(test_principals_apart),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
