// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_auth_device.c - the device grant: codes, decisions, polls, guesses and races, with a clock that is wound. */
#include "tests/unit/auth_rig.h"

#include "workers/auth/oauth/device.h"

#define TTL_MS	UINT64_C(900000)

struct device_rig {
	struct auth_rig		*r;
	struct device_said	 said, looked;
	struct ipc_device_begun	 begun;
	struct ipc_device_shown	 shown;
	char			 code[OAUTH_SECRET + 1], word[16];
};

static int
set_up(void **state)
{
	struct device_rig *d = calloc(1, sizeof(*d));

	assert_int_equal(rig_set_up((void **)&d->r), 0);
	d->r->a->conf.device_code_ttl_s = 900;
	*state = d;
	return 0;
}

static int
tear_down(void **state)
{
	struct device_rig *d = *state;

	assert_int_equal(rig_tear_down((void **)&d->r), 0);
	free(d);
	return 0;
}

static struct ipc_device_begin
wish(const struct device_rig *d)
{
	return (struct ipc_device_begin){ .issuer = SPAN(ISSUER), .address = SPAN("198.51.100.9"),
		.client_id = span_str(d->r->client), .resource = SPAN(ISSUER "/mcp"),
		.scope = SPAN("research:read research:query ext:sql") };
}

static enum ipc_oauth
begin(struct device_rig *d, const struct ipc_device_begin *m)
{
	device_begin(d->r->a, m, d->r->now_ms, d->r->now_ns, &d->said, &d->begun);
	snprintf(d->code, sizeof(d->code), "%.*s", SPAN_FMT(d->begun.device_code));
	snprintf(d->word, sizeof(d->word), "%.*s", SPAN_FMT(d->begun.user_code));
	return (enum ipc_oauth)d->begun.outcome;
}

static void
begin_well(struct device_rig *d)
{
	struct ipc_device_begin m = wish(d);

	if (begin(d, &m) != IPC_OAUTH_DONE)
		fail_msg("%.*s", SPAN_FMT(d->begun.message));
}

static struct ipc_device_look
view(const struct device_rig *d, const char *word)
{
	return (struct ipc_device_look){ .issuer = SPAN(ISSUER), .address = SPAN(ADDRESS),
		.session = span_str(d->r->session), .user_code = span_str(word), .decision = IPC_DECISION_NONE };
}

static enum ipc_oauth
look(struct device_rig *d, const struct ipc_device_look *m)
{
	device_look(d->r->a, m, d->r->now_ms, d->r->now_ns, &d->looked, &d->shown);
	return (enum ipc_oauth)d->shown.outcome;
}

static enum ipc_oauth
decide(struct device_rig *d, const char *word, enum ipc_decision decision, uint32_t ticked)
{
	struct ipc_device_look m = view(d, word);

	m.decision = decision;
	m.ticked = ticked;
	return look(d, &m);
}

static struct ipc_redeem
polling(const struct device_rig *d)
{
	return (struct ipc_redeem){ .issuer = SPAN(ISSUER), .address = SPAN("198.51.100.9"),
		.grant_type = SPAN(DEVICE_GRANT), .client_id = span_str(d->r->client),
		.device_code = span_str(d->code) };
}

static enum ipc_oauth
poll_once(struct device_rig *d)
{
	struct ipc_redeem m = polling(d);

	return rig_send(d->r, &m);
}

static void
a_device_is_let_in_by_its_user(void **state)
{
	struct device_rig *d = *state;
	struct ipc_device_look m;
	char grant[STORE_GRANT_ID + 1];
	uint32_t scopes;
	uint64_t turn;

	begin_well(d);
	assert_int_equal(strlen(d->code), OAUTH_SECRET);
	assert_int_equal(strlen(d->word), 9);
	assert_int_equal(d->word[4], '-');
	assert_int_equal(strspn(d->word, "BCDFGHJKLMNPQRSTVWXZ-"), 9);
	assert_int_equal(d->begun.expires_s, 900);
	assert_int_equal(d->begun.interval_s, 5);
	assert_int_equal(poll_once(d), IPC_OAUTH_AUTHORIZATION_PENDING);
	rig_wind(d->r, 61000);
	m = view(d, d->word);
	assert_int_equal(look(d, &m), IPC_OAUTH_CONSENT);
	assert_true(span_is_str(d->shown.user, "ada"));
	assert_true(span_is_str(d->shown.client_name, "A client"));
	assert_true(span_is_str(d->shown.from, "198.51.100.9"));
	assert_false(d->shown.same);
	m.address = SPAN("198.51.100.9");
	assert_int_equal(look(d, &m), IPC_OAUTH_CONSENT);
	assert_true(d->shown.same);
	assert_int_equal(d->shown.since_s, 61);
	assert_true(span_is_str(d->shown.resource, ISSUER "/mcp"));
	/* ada is a contributor: no ext:sql, whatever is ticked. */
	assert_int_equal(d->shown.offered, POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_RESEARCH_QUERY);
	assert_int_equal(poll_once(d), IPC_OAUTH_AUTHORIZATION_PENDING);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_EXT_SQL),
	    IPC_OAUTH_DONE);
	assert_int_equal(d->shown.ticked, POLICY_SCOPE_RESEARCH_READ);
	assert_int_equal(poll_once(d), IPC_OAUTH_DONE);
	assert_int_equal(d->r->redeemed.scopes, POLICY_SCOPE_RESEARCH_READ);
	assert_true(refresh_read(d->r->a->conf.refresh_key, span_str(d->r->redeemed_said.refresh), grant, &turn));
	assert_int_equal(rig_verdict(d->r, grant, &scopes), IPC_VERDICT_GOOD);
	assert_int_equal(scopes, POLICY_SCOPE_RESEARCH_READ);
}

/*
 * What the version before decides: its page shows no tools, and it writes the scopes that were allowed, which leaves
 * the tools that were asked for in the row.
 */
static void
what_a_page_did_not_show_is_not_allowed(void **state)
{
	struct device_rig *d = *state;
	struct ipc_device_begin m = wish(d);
	struct err err;

	mp_put_pairs(&d->r->a->conf.team, mp_uint("payroll", POLICY_SCOPE_RESEARCH_QUERY));
	m.scope = SPAN("research:read tools:payroll");
	assert_int_equal(begin(d, &m), IPC_OAUTH_DONE);
	assert_int_equal(store_device_decide(d->r->a->store, d->said.device.digest, STORE_DEVICE_ALLOWED, "ada",
			     POLICY_SCOPE_RESEARCH_READ, " payroll ", d->r->now_ms, &err),
	    1);
	assert_int_equal(poll_once(d), IPC_OAUTH_DONE);
	assert_int_equal(d->r->redeemed.scopes, POLICY_SCOPE_RESEARCH_READ);
	assert_true(span_is(d->r->redeemed.tools, SPAN("")));
	buf_fini(&d->r->a->conf.team);
}

/* Behind a proxy that does not say for whom it asks, everybody has one address: that is no reason to trust. */
static void
an_unknown_address_is_no_ones_own(void **state)
{
	struct device_rig *d = *state;
	struct ipc_device_begin begun = wish(d);
	struct ipc_device_look m;

	begun.address = SPAN("unknown");
	assert_int_equal(begin(d, &begun), IPC_OAUTH_DONE);
	m = view(d, d->word);
	m.address = SPAN("unknown");
	assert_int_equal(look(d, &m), IPC_OAUTH_CONSENT);
	assert_false(d->shown.same);
}

static void
a_code_is_read_however_it_is_typed(void **state)
{
	struct device_rig *d = *state;
	char typed[32];
	size_t n = 0;
	struct ipc_device_look m;

	begin_well(d);
	for (const char *p = d->word; *p != '\0'; p++) {
		if (*p != '-')
			typed[n++] = (char)(*p | 0x20);
		typed[n++] = ' ';
	}
	typed[n] = '\0';
	m = view(d, typed);
	assert_int_equal(look(d, &m), IPC_OAUTH_CONSENT);
	for (const char *const *wrong =
		 (const char *const[]){ "BCDFGHJ", "BCDFGHJKL", "AAAAAAAA", "BCDF_GHJK", "%", NULL };
	     *wrong != NULL; wrong++) {
		m = view(d, *wrong);
		assert_int_equal(look(d, &m), IPC_OAUTH_INVALID_GRANT);
	}
	m = view(d, "");
	assert_int_equal(look(d, &m), IPC_OAUTH_DONE);
	m.session = SPAN("");
	assert_int_equal(look(d, &m), IPC_OAUTH_LOGIN);
	m.user_code = span_str(d->word);
	assert_int_equal(look(d, &m), IPC_OAUTH_LOGIN);
}

static void
what_is_denied_stays_denied(void **state)
{
	struct device_rig *d = *state;

	begin_well(d);
	assert_int_equal(decide(d, d->word, IPC_DECISION_DENY, POLICY_SCOPES_ALL), IPC_OAUTH_DONE);
	assert_int_equal(d->shown.ticked, 0);
	assert_int_equal(poll_once(d), IPC_OAUTH_ACCESS_DENIED);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPES_ALL), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(poll_once(d), IPC_OAUTH_ACCESS_DENIED);
	/* To allow nothing is to deny. */
	begin_well(d);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPE_EXT_SQL), IPC_OAUTH_DONE);
	assert_int_equal(poll_once(d), IPC_OAUTH_ACCESS_DENIED);
}

/* Two people, or two windows: the first one decides. */
static void
of_two_decisions_one_counts(void **state)
{
	struct device_rig *d = *state;
	char bob[OAUTH_SECRET + 1];
	struct ipc_device_look m;

	rig_add_user(d->r, "bob", "contributor");
	rig_sign_in(d->r, "bob", bob);
	begin_well(d);
	m = view(d, d->word);
	m.session = span_str(bob);
	assert_int_equal(look(d, &m), IPC_OAUTH_CONSENT);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPE_RESEARCH_READ), IPC_OAUTH_DONE);
	m.decision = IPC_DECISION_ALLOW;
	m.ticked = POLICY_SCOPES_ALL;
	assert_int_equal(look(d, &m), IPC_OAUTH_INVALID_GRANT);
	m.decision = IPC_DECISION_DENY;
	assert_int_equal(look(d, &m), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(poll_once(d), IPC_OAUTH_DONE);
	assert_int_equal(d->r->redeemed.scopes, POLICY_SCOPE_RESEARCH_READ);
}

/* Both looked when the row still waited: the row itself decides. */
static void
the_row_decides_a_race(void **state)
{
	struct device_rig *d = *state;
	struct store *s = d->r->a->store;
	uint64_t now = d->r->now_ms;
	struct err err;

	begin_well(d);
	assert_int_equal(store_device_decide(s, d->said.device.digest, STORE_DEVICE_ALLOWED, "ada", 1, "", now + TTL_MS,
			     &err),
	    0);
	assert_int_equal(store_device_decide(s, d->said.device.digest, STORE_DEVICE_DENIED, "bob", 0, "", now, &err),
	    1);
	assert_int_equal(store_device_decide(s, d->said.device.digest, STORE_DEVICE_ALLOWED, "ada", 1, "", now, &err),
	    0);
	assert_int_equal(store_device_take(s, d->said.device.digest, now, &err), 0);
	begin_well(d);
	assert_int_equal(store_device_decide(s, d->said.device.digest, STORE_DEVICE_ALLOWED, "ada", 1, "", now, &err),
	    1);
	assert_int_equal(store_device_take(s, d->said.device.digest, now + TTL_MS, &err), 0);
	assert_int_equal(store_device_take(s, d->said.device.digest, now, &err), 1);
	assert_int_equal(store_device_take(s, d->said.device.digest, now, &err), 0);
}

static void
who_polls_too_fast_waits_longer(void **state)
{
	struct device_rig *d = *state;

	begin_well(d);
	assert_int_equal(poll_once(d), IPC_OAUTH_AUTHORIZATION_PENDING);
	rig_wind(d->r, 4000);
	assert_int_equal(poll_once(d), IPC_OAUTH_SLOW_DOWN);
	rig_wind(d->r, 5000);
	assert_int_equal(poll_once(d), IPC_OAUTH_SLOW_DOWN); /* ten seconds now */
	rig_wind(d->r, 15000);
	assert_int_equal(poll_once(d), IPC_OAUTH_AUTHORIZATION_PENDING);
	/* What is allowed is given at once. */
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPES_ALL), IPC_OAUTH_DONE);
	assert_int_equal(poll_once(d), IPC_OAUTH_DONE);
	begin_well(d);
	assert_int_equal(poll_once(d), IPC_OAUTH_AUTHORIZATION_PENDING);
	for (int i = 0; i < 30; i++)
		assert_int_equal(poll_once(d), IPC_OAUTH_SLOW_DOWN);
	rig_wind(d->r, DEVICE_PAUSE_MAX_S * SECOND_MS);
	assert_int_equal(poll_once(d), IPC_OAUTH_AUTHORIZATION_PENDING);
}

static void
codes_expire_allowed_or_not(void **state)
{
	struct device_rig *d = *state;
	struct err err;

	begin_well(d);
	rig_wind(d->r, TTL_MS);
	assert_int_equal(poll_once(d), IPC_OAUTH_EXPIRED_TOKEN);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPES_ALL), IPC_OAUTH_INVALID_GRANT);
	begin_well(d);
	rig_wind(d->r, TTL_MS - 1);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPES_ALL), IPC_OAUTH_DONE);
	rig_wind(d->r, 1);
	assert_int_equal(poll_once(d), IPC_OAUTH_EXPIRED_TOKEN);
	/* A device that comes late is told so for a while, then its code is none. */
	assert_int_equal(store_oauth_sweep(d->r->a->store, d->r->now_ms, 0, &err), 0);
	assert_int_equal(poll_once(d), IPC_OAUTH_EXPIRED_TOKEN);
	assert_int_equal(store_oauth_sweep(d->r->a->store, d->r->now_ms + TTL_MS + 1, 0, &err), 0);
	assert_int_equal(poll_once(d), IPC_OAUTH_INVALID_GRANT);
}

static void
a_code_that_is_taken_again_ends_what_it_made(void **state)
{
	struct device_rig *d = *state;
	char grant[STORE_GRANT_ID + 1];
	uint64_t turn;

	begin_well(d);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPES_ALL), IPC_OAUTH_DONE);
	assert_int_equal(poll_once(d), IPC_OAUTH_DONE);
	assert_true(refresh_read(d->r->a->conf.refresh_key, span_str(d->r->redeemed_said.refresh), grant, &turn));
	assert_int_equal(rig_verdict(d->r, grant, NULL), IPC_VERDICT_GOOD);
	assert_int_equal(poll_once(d), IPC_OAUTH_INVALID_GRANT);
	assert_int_equal(rig_verdict(d->r, grant, NULL), IPC_VERDICT_REVOKED);
}

static void
codes_are_one_clients_at_one_address(void **state)
{
	struct device_rig *d = *state;
	struct ipc_redeem m;
	char other[33];

	assert_int_equal(rig_register(d->r, "Other", REDIRECT, ADDRESS, other), IPC_OAUTH_DONE);
	begin_well(d);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPES_ALL), IPC_OAUTH_DONE);
	m = polling(d);
	m.client_id = span_str(other);
	assert_int_equal(rig_send(d->r, &m), IPC_OAUTH_INVALID_GRANT);
	m.client_id = SPAN("nobody");
	assert_int_equal(rig_send(d->r, &m), IPC_OAUTH_INVALID_CLIENT);
	m = polling(d);
	m.issuer = SPAN("http://localhost:7878");
	assert_int_equal(rig_send(d->r, &m), IPC_OAUTH_INVALID_GRANT);
	m = polling(d);
	m.device_code = SPAN("0000000000000000000000000000000000000000000");
	assert_int_equal(rig_send(d->r, &m), IPC_OAUTH_INVALID_GRANT);
	m.device_code = SPAN("");
	assert_int_equal(rig_send(d->r, &m), IPC_OAUTH_INVALID_REQUEST);
	m = polling(d);
	m.resource = SPAN(ISSUER "/api/data-agent/mcp");
	assert_int_equal(rig_send(d->r, &m), IPC_OAUTH_INVALID_TARGET);
	/* Tried with a wrong resource, it is burnt, as a code is. */
	assert_int_equal(poll_once(d), IPC_OAUTH_INVALID_GRANT);
}

static void
requests_are_checked_and_counted(void **state)
{
	struct device_rig *d = *state;
	struct ipc_device_begin m = wish(d);

	m.client_id = SPAN("");
	assert_int_equal(begin(d, &m), IPC_OAUTH_INVALID_REQUEST);
	m.client_id = SPAN("nobody");
	assert_int_equal(begin(d, &m), IPC_OAUTH_INVALID_CLIENT);
	d->r->a->conf.unregistered_loopback = true;
	assert_int_equal(begin(d, &m), IPC_OAUTH_INVALID_CLIENT);
	m = wish(d);
	m.scope = SPAN("openid");
	assert_int_equal(begin(d, &m), IPC_OAUTH_INVALID_SCOPE);
	m = wish(d);
	m.resource = SPAN("https://other.example/mcp");
	assert_int_equal(begin(d, &m), IPC_OAUTH_INVALID_TARGET);
	m = wish(d);
	m.issuer = SPAN("https://other.example");
	assert_int_equal(begin(d, &m), IPC_OAUTH_UNAVAILABLE);
	for (unsigned i = 5; i < 10; i++)
		begin_well(d);
	m = wish(d);
	assert_int_equal(begin(d, &m), IPC_OAUTH_TOO_MANY);
	assert_true(d->begun.retry_after_s > 0);
	m.address = SPAN("198.51.100.10");
	assert_int_equal(begin(d, &m), IPC_OAUTH_DONE);
	d->r->a->conf.device_code_ttl_s = 0;
	m.address = SPAN("198.51.100.11");
	assert_int_equal(begin(d, &m), IPC_OAUTH_UNAVAILABLE);
	assert_int_equal(poll_once(d), IPC_OAUTH_UNSUPPORTED_GRANT_TYPE);
}

/* Guesses are few, for one user from many addresses and for many users at one address; a good code does not help. */
static void
guesses_are_counted(void **state)
{
	struct device_rig *d = *state;
	char bob[OAUTH_SECRET + 1], address[32];
	struct ipc_device_look m;

	rig_add_user(d->r, "bob", "contributor");
	rig_sign_in(d->r, "bob", bob);
	begin_well(d);
	for (unsigned i = 0; i < OAUTH_WRONG_MAX; i++) {
		m = view(d, "BBBB-BBBB");
		snprintf(address, sizeof(address), "192.0.2.%u", i);
		m.address = span_str(address);
		assert_int_equal(look(d, &m), IPC_OAUTH_INVALID_GRANT);
	}
	m = view(d, d->word);
	assert_int_equal(look(d, &m), IPC_OAUTH_TOO_MANY);
	assert_true(d->shown.retry_after_s > 0);
	m.session = span_str(bob);
	assert_int_equal(look(d, &m), IPC_OAUTH_CONSENT);
	m.user_code = SPAN("CCCCCCCC");
	for (unsigned i = 0; i < OAUTH_WRONG_MAX; i++)
		assert_int_equal(look(d, &m), IPC_OAUTH_INVALID_GRANT);
	m = view(d, d->word);
	assert_int_equal(look(d, &m), IPC_OAUTH_TOO_MANY);
	rig_wind(d->r, (OAUTH_WRONG_S + 60) * SECOND_MS);
	begin_well(d);
	m = view(d, d->word);
	assert_int_equal(look(d, &m), IPC_OAUTH_CONSENT);
}

/* Who loses the role, is disabled or signs out everywhere before the device comes, has let nothing in. */
static void
what_was_allowed_ends_with_its_user(void **state)
{
	struct device_rig *d = *state;
	uint64_t grants, sessions;
	struct store_user u;
	struct err err;

	begin_well(d);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPES_ALL), IPC_OAUTH_DONE);
	assert_int_equal(oauth_end_user(d->r->a, "ada", d->r->now_ms, &grants, &sessions, &err), 0);
	assert_int_equal(poll_once(d), IPC_OAUTH_INVALID_GRANT);
	rig_sign_in(d->r, "ada", d->r->session);
	begin_well(d);
	assert_int_equal(decide(d, d->word, IPC_DECISION_ALLOW, POLICY_SCOPES_ALL), IPC_OAUTH_DONE);
	assert_int_equal(store_user(d->r->a->store, SPAN("ada"), &u, &err), 1);
	u.disabled = true;
	assert_int_equal(store_user_set(d->r->a->store, &u, &err), 0);
	assert_int_equal(poll_once(d), IPC_OAUTH_INVALID_GRANT);
}

/* The store has neither code in clear. */
static void
codes_are_kept_as_digests(void **state)
{
	struct device_rig *d = *state;
	char command[256], plain[16];
	size_t n = 0;

	begin_well(d);
	for (const char *p = d->word; *p != '\0'; p++)
		if (*p != '-')
			plain[n++] = *p;
	plain[n] = '\0';
	snprintf(command, sizeof(command), "cat %s/* | grep -aqE '%s|%s|%s'", d->r->dir, d->code, d->word, plain);
	assert_int_not_equal(system(command), 0);
	snprintf(command, sizeof(command), "cat %s/* | grep -aqF '%s'", d->r->dir, d->r->client);
	assert_int_equal(system(command), 0);
}

int
main(void)
{
#define TEST(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_device_is_let_in_by_its_user),
		TEST(what_a_page_did_not_show_is_not_allowed),
		TEST(an_unknown_address_is_no_ones_own),
		TEST(a_code_is_read_however_it_is_typed),
		TEST(what_is_denied_stays_denied),
		TEST(of_two_decisions_one_counts),
		TEST(the_row_decides_a_race),
		TEST(who_polls_too_fast_waits_longer),
		TEST(codes_expire_allowed_or_not),
		TEST(a_code_that_is_taken_again_ends_what_it_made),
		TEST(codes_are_one_clients_at_one_address),
		TEST(requests_are_checked_and_counted),
		TEST(guesses_are_counted),
		TEST(what_was_allowed_ends_with_its_user),
		TEST(codes_are_kept_as_digests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
