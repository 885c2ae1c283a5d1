// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/*
 * test_auth_clock.c - the time of day is set by a minute and by a day, forwards and back, while people are signed in:
 * nothing ends that has not expired by the new time, nothing is good once more that was used up, counts go on.
 */
#include "tests/unit/auth_rig.h"
#include "workers/auth/oauth/login.h"

#define MINUTE_MS	(60 * SECOND_MS)

/* How far the clock is set; the time that passes meanwhile is none. */
static const struct {
	int64_t	ms;
	bool	session;	/* the login of an hour ago, which lasts 12, is good */
	bool	code;		/* so is a code of a moment ago, which lasts ten minutes */
} jumps[] = {
	{ -(int64_t)DAY_MS, true, true }, { -(int64_t)MINUTE_MS, true, true }, { (int64_t)MINUTE_MS, true, true },
	{ (int64_t)DAY_MS, false, false },
};
#define JUMPS	(sizeof(jumps) / sizeof(jumps[0]))

static void
set_clock(struct auth_rig *r, int64_t ms)
{
	r->now_ms = (uint64_t)((int64_t)r->now_ms + ms);
}

static bool
is_signed_in(struct auth_rig *r, const char *session)
{
	struct store_user u;
	uint64_t expires;
	struct err err;

	return login_user(r->a, span_str(session), SPAN(""), r->now_ms, &u, &expires, &err) == 1;
}

static void
sessions_and_codes_are_as_old_as_the_clock_says(void **state)
{
	struct auth_rig *r = *state;
	struct store_session s = { .created_ms = r->now_ms - HOUR_MS, .expires_ms = r->now_ms + 11 * HOUR_MS };
	char session[OAUTH_SECRET + 1];
	struct err err;

	oauth_draw(session);
	oauth_digest(span_str(session), s.digest);
	snprintf(s.user, sizeof(s.user), "ada");
	assert_int_equal(store_session_add(r->a->store, &s, &err), 0);
	for (size_t i = 0; i < JUMPS; i++) {
		char code[128];
		struct ipc_redeem m;

		snprintf(code, sizeof(code), "%.*s", SPAN_FMT(rig_code(r, rig_request(r))));
		m = rig_redemption(r, span_str(code));
		set_clock(r, jumps[i].ms);
		assert_int_equal(is_signed_in(r, session), jumps[i].session);
		assert_int_equal(rig_send(r, &m) == IPC_OAUTH_DONE, jumps[i].code);
		/* A code is good once, whatever time it is. */
		set_clock(r, -jumps[i].ms);
		if (jumps[i].code)
			assert_int_equal(rig_send(r, &m), IPC_OAUTH_INVALID_GRANT);
		assert_true(is_signed_in(r, session));
		rig_wind(r, 2 * MINUTE_MS);
	}
}

/* Refreshed after each jump, there and back: it goes on, and the token before it stays used up. */
static void
grants_go_on(void **state)
{
	struct auth_rig *r = *state;
	char tokens[2 * JUMPS + 1][OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1];

	rig_grant(r, tokens[0], grant);
	for (size_t i = 0; i < 2 * JUMPS; i++) {
		struct ipc_redeem m = rig_refreshing(r, tokens[i]);

		set_clock(r, i % 2 == 0 ? jumps[i / 2].ms : -jumps[i / 2].ms);
		if (rig_send(r, &m) != IPC_OAUTH_DONE)
			fail_msg("jump %zu: %.*s", i, SPAN_FMT(r->redeemed.message));
		memcpy(tokens[i + 1], r->redeemed_said.refresh, sizeof(tokens[0]));
		assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_GOOD);
	}
	/* An old one is a theft, also by a clock that says that it was made a moment ago. */
	set_clock(r, -(int64_t)DAY_MS);
	struct ipc_redeem old = rig_refreshing(r, tokens[1]);
	assert_int_equal(rig_send(r, &old), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_REVOKED);
}

/* Rates are of the time that passes, not of the time of day. */
static void
counts_go_on(void **state)
{
	struct auth_rig *r = *state;
	unsigned pages = 0;

	for (size_t i = 0; i < 4 * JUMPS; i++) {
		struct ipc_authorize m = rig_request(r);

		pages += rig_authorize(r, &m) != IPC_OAUTH_TOO_MANY;
		set_clock(r, jumps[i % JUMPS].ms);
	}
	assert_int_equal(pages, r->a->conf.authorize_per_min);
	r->now_ns += 61 * CLOCK_SECOND;
	assert_int_not_equal(rig_authorize(r, &(struct ipc_authorize){ 0 }), IPC_OAUTH_TOO_MANY);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    sessions_and_codes_are_as_old_as_the_clock_says, rig_set_up, rig_tear_down),
		cmocka_unit_test_setup_teardown(grants_go_on, rig_set_up, rig_tear_down),
		cmocka_unit_test_setup_teardown(counts_go_on, rig_set_up, rig_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
