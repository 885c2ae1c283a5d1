// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_issuers.c - other issuers' keys, their rotation and absence, and their subjects, with a clock that is wound. */
#include "tests/unit/auth_rig.h"

#include "policy/sign_in.h"
#include "workers/auth/oauth/issuers.h"
#include "workers/auth/oauth/member.h"
#include "workers/auth/store/store_claim.h"

#define ONE	"https://id.example/realms/main"
#define TWO	"https://other.example"
#define NIL	SPAN("\xc0")
#define KEYS	SPAN("\x81\xa4keys\x90")	/* {"keys": []} */
#define DONE	0
#define FRONT	7

static struct auth_rig *rig;
static struct ipc_identify ordered[8];
static char of[8][64];
static unsigned orders, told, ends, cuts;
static char told_issuer[64], ended[80], ended_grant[40];
static bool told_keys;
static struct ipc_verified verified;
static char principal[80], grant[40];

int __wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg);
int __wrap_serve_identify(const struct ipc_identify *msg);
uint64_t __wrap_clock_unix_ms(void);
uint64_t __wrap_clock_boot_ns(void);
uint64_t __wrap_clock_ns(void);

int
__wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg)
{
	const struct ipc_issuer_keys *keys = msg;
	const struct ipc_end *end = msg;

	(void)peer, (void)id;
	if (type == IPC_MSG_ISSUER_KEYS) {
		told++;
		told_keys = keys->keys.p[0] != 0xc0;
		snprintf(told_issuer, sizeof(told_issuer), "%.*s", SPAN_FMT(keys->issuer));
	} else if (type == IPC_MSG_END) {
		ends += end->scopes == 0;
		cuts += end->calls != 0;
		snprintf(ended, sizeof(ended), "%.*s", SPAN_FMT(end->principal));
		snprintf(ended_grant, sizeof(ended_grant), "%.*s", SPAN_FMT(end->grant));
	} else if (type == IPC_MSG_VERIFIED) {
		verified = *(const struct ipc_verified *)msg;
		snprintf(principal, sizeof(principal), "%.*s", SPAN_FMT(verified.principal));
		snprintf(grant, sizeof(grant), "%.*s", SPAN_FMT(verified.grant));
	}
	return 0;
}

int
__wrap_serve_identify(const struct ipc_identify *msg)
{
	struct buf packed = { 0 };

	assert_int_equal(ipc_pack(IPC_MSG_IDENTIFY, msg, &packed), 0);
	buf_fini(&packed);
	assert_true(orders < 8);
	snprintf(of[orders], sizeof(of[0]), "%.*s", SPAN_FMT(msg->of));
	ordered[orders++] = (struct ipc_identify){ .serial = msg->serial, .step = msg->step };
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

uint64_t
__wrap_clock_boot_ns(void)
{
	return __wrap_clock_ns();
}

static void
put_issuer(struct buf *out, const char *issuer, const char *group, const char *role)
{
	size_t map = mp_open_pairs(out, mp_cstr("issuer", issuer));

	mp_put_cstr(out, "roles");
	mp_put_map(out, 1);
	mp_pair_cstr(out, group, role);
	mp_end(out, map);
}

static int
set_up(void **s)
{
	if (rig_set_up(s) != 0)
		return -1;
	rig = *s;
	mp_put_array(&rig->a->conf.issuers, 2);
	put_issuer(&rig->a->conf.issuers, ONE, "analysts", "contributor");
	put_issuer(&rig->a->conf.issuers, TWO, "*", "viewer");
	rig->a->issuers = issuers_new(rig->a);
	fronts_add(&rig->a->fronts, FRONT);
	orders = told = ends = cuts = 0;
	return 0;
}

static int
tear_down(void **s)
{
	struct auth *a = rig->a;

	issuers_free(a->issuers);
	a->issuers = NULL;
	buf_fini(&a->conf.issuers);
	rig = NULL;
	return rig_tear_down(s);
}

static void
answer(unsigned order, uint64_t outcome, struct span keys)
{
	assert_true(issuers_take(rig->a, &(struct ipc_identified){ .serial = ordered[order].serial, .outcome = outcome,
	    .keep_s = 3600, .keys = keys, .groups = NIL }));
}

static void
wind(uint64_t ms)
{
	rig_wind(rig, ms);
	issuers_tend(rig->a);
}

/* Both issuers' keys are there. */
static void
begin_well(void)
{
	issuers_tend(rig->a);
	answer(0, DONE, NIL);
	answer(1, DONE, NIL);
	answer(2, DONE, KEYS);
	answer(3, DONE, KEYS);
	orders = told = 0;
}

static void
keys_are_fetched_when_they_are_due(void **s)
{
	(void)s;
	issuers_tend(rig->a);
	issuers_tend(rig->a);
	assert_int_equal(orders, 2);
	assert_string_equal(of[0], ONE);
	assert_string_equal(of[1], TWO);
	assert_int_equal(ordered[0].step, IPC_STEP_ISSUER);
	answer(0, DONE, NIL);
	assert_int_equal(orders, 3);
	assert_string_equal(of[2], ONE);
	assert_int_equal(ordered[2].step, IPC_STEP_KEYS);
	issuers_greet(rig->a, FRONT);
	assert_int_equal(told, 2);
	assert_false(told_keys);
	answer(2, DONE, KEYS);
	assert_int_equal(told, 3);
	assert_true(told_keys);
	assert_string_equal(told_issuer, ONE);
	answer(1, DONE, NIL);
	answer(3, DONE, KEYS);
	orders = 0;
	wind(3599 * SECOND_MS);
	assert_int_equal(orders, 0);
	rig->now_ms += DAY_MS; /* a clock that was set */
	issuers_tend(rig->a);
	assert_int_equal(orders, 0);
	wind(SECOND_MS);
	assert_int_equal(orders, 2);
	/* An answer to a step that was given up, or of a sign-in. */
	assert_true(issuers_take(rig->a, &(struct ipc_identified){ .serial = (UINT64_C(1) << 62) + 1, .keys = KEYS }));
	assert_false(issuers_take(rig->a, &(struct ipc_identified){ .serial = 1, .keys = KEYS }));
}

static void
a_missing_key_has_them_fetched_once_a_minute(void **s)
{
	(void)s;
	begin_well();
	for (int i = 0; i < 100; i++)
		issuers_miss(rig->a, SPAN(ONE));
	wind(1);
	assert_int_equal(orders, 0); /* they are fresh */
	wind(ISSUERS_MISS_MS);
	for (int i = 0; i < 100; i++) {
		issuers_miss(rig->a, SPAN(ONE));
		issuers_miss(rig->a, SPAN("https://unknown.example"));
		issuers_tend(rig->a);
	}
	assert_int_equal(orders, 1);
	assert_string_equal(of[0], ONE);
	answer(0, DONE, NIL);
	answer(1, DONE, KEYS);
	assert_int_equal(told, 1);
	issuers_miss(rig->a, SPAN(ONE));
	issuers_tend(rig->a);
	assert_int_equal(orders, 2);
	/* One that fails is not asked again at once either. */
	wind(ISSUERS_MISS_MS);
	issuers_miss(rig->a, SPAN(ONE));
	issuers_tend(rig->a);
	assert_int_equal(orders, 3);
	answer(2, SIGN_IN_PROVIDER, NIL);
	issuers_miss(rig->a, SPAN(ONE));
	wind(ISSUERS_FAILED_MS - 1);
	assert_int_equal(orders, 3);
}

static void
an_issuer_that_goes_away(void **s)
{
	(void)s;
	begin_well();
	wind(3600 * SECOND_MS);
	answer(0, SIGN_IN_PROVIDER, NIL);
	assert_int_equal(told, 0); /* its keys are used still */
	wind(ISSUERS_FAILED_MS);
	assert_int_equal(orders, 3);
	wind(20 * SECOND_MS); /* no answer at all, twice */
	wind(ISSUERS_FAILED_MS);
	assert_int_equal(told, 0);
	orders = 0;
	rig_wind(rig, ISSUERS_STALE_MS);
	issuers_tend(rig->a);
	wind(20 * SECOND_MS);
	assert_true(told > 0);
	assert_false(told_keys);
}

static struct ipc_vouch
vouch(const char *issuer, const char *subject, struct span groups)
{
	return (struct ipc_vouch){ .issuer = span_str(issuer), .subject = span_str(subject), .client = SPAN("agent"),
		.scopes = POLICY_SCOPES_ALL, .groups = groups, .expires_unix_ms = rig->now_ms + 60 * SECOND_MS,
		.address = SPAN(ADDRESS) };
}

static enum ipc_verdict
ask_who(const struct ipc_vouch *m)
{
	issuers_vouch(rig->a, FRONT, 1, m);
	return (enum ipc_verdict)verified.verdict;
}

#define ANALYSTS	SPAN("\x91\xa8" "analysts")

static void
subjects_of_two_issuers_are_two(void **s)
{
	struct ipc_vouch m = vouch(ONE, "Ada <root>\n", ANALYSTS);
	char first[80], first_grant[40];

	(void)s;
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
	assert_int_equal(verified.scopes, POLICY_SCOPES_CONTRIBUTOR);
	assert_memory_equal(principal, "user:ada..root..#", 17);
	assert_int_equal(strlen(principal), 17 + 16);
	assert_int_equal(strlen(grant), 32);
	snprintf(first, sizeof(first), "%s", principal);
	snprintf(first_grant, sizeof(first_grant), "%s", grant);
	m = vouch(TWO, "Ada <root>\n", NIL);
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
	assert_int_equal(verified.scopes, POLICY_SCOPES_VIEWER);
	assert_string_not_equal(principal, first);
	assert_string_not_equal(grant, first_grant);
	m = vouch(ONE, "ada", NIL);
	assert_int_equal(ask_who(&m), IPC_VERDICT_INVALID);
	m = vouch("https://unknown.example", "ada", ANALYSTS);
	assert_int_equal(ask_who(&m), IPC_VERDICT_INVALID);
	m = vouch(ONE, "ada", ANALYSTS);
	m.expires_unix_ms = rig->now_ms;
	assert_int_equal(ask_who(&m), IPC_VERDICT_EXPIRED);
	m = vouch(ONE, "ada", ANALYSTS);
	m.scopes = POLICY_SCOPE_RESEARCH_READ | POLICY_SCOPE_CONNECTIVITY_ADMIN;
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
	assert_int_equal(verified.scopes, POLICY_SCOPE_RESEARCH_READ);
	/* ada of this server is another one. */
	assert_string_not_equal(principal, "user:ada");
}

/* A role of tools alone: by the claim's names, or, of an issuer whose scopes are not read, all of them. */
static void
a_subject_may_have_tools_alone(void **s)
{
	struct auth_conf *c = &rig->a->conf;
	struct ipc_vouch m = vouch(ONE, "u-9",
	    SPAN("\x91\xa4"
		 "desk"));

	(void)s;
	mp_put_map(&c->roles, 1);
	mp_pair_cstr(&c->roles, "desk", "tools:stock tools:gone tools:orders");
	mp_put_map(&c->team, 3);
	mp_pair_uint(&c->team, "stock", 0);
	mp_pair_uint(&c->team, "orders", POLICY_SCOPE_RESEARCH_QUERY);
	mp_pair_uint(&c->team, "other", POLICY_SCOPE_RESEARCH_QUERY);
	buf_reset(&c->issuers, SIZE_MAX);
	mp_put_array(&c->issuers, 1);
	put_issuer(&c->issuers, ONE, "desk", "desk");
	issuers_free(rig->a->issuers);
	rig->a->issuers = issuers_new(rig->a);
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD); /* its claim names no tool */
	assert_int_equal(verified.scopes, 0);
	assert_true(span_is(verified.tools, SPAN("")));
	assert_true(span_is(verified.may_tools, SPAN(" stock orders ")));
	m.tools = SPAN(" other orders ");
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
	assert_int_equal(verified.scopes, POLICY_SCOPE_NAMED);
	assert_true(span_is(verified.tools, SPAN(" orders ")));
	m.tools = SPAN("");
	m.scopes = POLICY_SCOPES_ALL | POLICY_SCOPE_NAMED;
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
	assert_int_equal(verified.scopes, POLICY_SCOPE_NAMED);
	assert_true(span_is(verified.tools, SPAN(" stock orders ")));
	buf_fini(&c->roles);
	buf_fini(&c->team);
}

/*
 * Of several groups the one whose role includes more counts, by the number of scopes, then of tools; of two that
 * include as much, the one whose name is first; "*" only if it includes more than each.
 */
static void
of_groups_the_one_with_more_counts(void **s)
{
	static const struct {
		const char *groups[2], *role;
	} cases[] = {
		{ { "ops", NULL }, "stock" }, /* as much as "*" */
		{ { "nobody", NULL }, "lists" },
		{ { "both", "ops" }, "pair" },
		{ { "ops", "both" }, "pair" },
		{ { "sql", "three" }, "three" }, /* three small scopes, and one whose bit is larger */
		{ { "three", "sql" }, "three" },
		{ { "equal", "ops" }, "equal" },
		{ { "ops", "equal" }, "equal" },
		{ { "ops", "unknown" }, "stock" },
	};
	struct auth_conf *c = &rig->a->conf;
	struct buf roles = { 0 }, groups = { 0 };

	(void)s;
	mp_put_pairs(&c->roles, mp_cstr("stock", "tools:stock"), mp_cstr("equal", "tools:orders"),
	    mp_cstr("lists", "tools:lists"), mp_cstr("pair", "tools:stock tools:orders"), mp_cstr("sql", "ext:sql"),
	    mp_cstr("three", "research:read research:query memory:write"));
	mp_put_pairs(&roles, mp_cstr("*", "lists"), mp_cstr("ops", "stock"), mp_cstr("both", "pair"),
	    mp_cstr("sql", "sql"), mp_cstr("three", "three"), mp_cstr("equal", "equal"), mp_cstr("unknown", "gone"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span role;

		buf_reset(&groups, SIZE_MAX);
		mp_put_array(&groups, cases[i].groups[1] == NULL ? 1 : 2);
		mp_put_cstr(&groups, cases[i].groups[0]);
		if (cases[i].groups[1] != NULL)
			mp_put_cstr(&groups, cases[i].groups[1]);
		role = member_role(rig->a, buf_view(&roles), buf_view(&groups));
		if (!span_is_str(role, cases[i].role))
			fail_msg("%s: %.*s", cases[i].groups[0], SPAN_FMT(role));
	}
	buf_fini(&roles);
	buf_fini(&groups);
	buf_fini(&c->roles);
}

/* Who signed in here with the same identity is that user: with the smaller of both roles, or none. */
static void
an_identity_with_an_account_is_that_user(void **s)
{
	struct store_user u = { .name = "grace", .role = "viewer", .created_ms = rig->now_ms };
	struct ipc_vouch m = vouch(ONE, "u-7", ANALYSTS);
	struct err err;

	(void)s;
	oauth_identity(ONE, SPAN("u-7"), u.digest);
	assert_int_equal(store_user_add(rig->a->store, &u, &err), 0);
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
	assert_string_equal(principal, "user:grace");
	assert_int_equal(verified.may, POLICY_SCOPES_VIEWER);
	u.disabled = true;
	assert_int_equal(store_user_set(rig->a->store, &u, &err), 0);
	assert_int_equal(ask_who(&m), IPC_VERDICT_REVOKED);
	u.disabled = false;
	u.role[0] = '\0';
	assert_int_equal(store_user_set(rig->a->store, &u, &err), 0);
	assert_int_equal(ask_who(&m), IPC_VERDICT_REVOKED);
}

static void
what_a_token_opened_ends_with_it(void **s)
{
	struct ipc_vouch m = vouch(ONE, "u-1", ANALYSTS), longer = m;

	(void)s;
	longer.expires_unix_ms += 30 * SECOND_MS;
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
	assert_int_equal(ask_who(&longer), IPC_VERDICT_GOOD);
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
	wind(60 * SECOND_MS);
	assert_int_equal(ends, 0);
	wind(30 * SECOND_MS);
	assert_int_equal(ends, 1);
	assert_string_equal(ended, principal);
	assert_string_equal(ended_grant, grant);
	wind(SECOND_MS);
	assert_int_equal(ends, 1);
}

#define ACME	SPAN("\x81\xa6" "tenant\xa4" "acme")
#define GLOBEX	SPAN("\x81\xa6" "tenant\xa6" "globex")

static void
the_newest_token_of_a_client_counts(void **s)
{
	struct ipc_vouch m = vouch(ONE, "u-1", ANALYSTS), newer = m, other = m, less = m;

	(void)s;
	m.claims = ACME;
	m.issued_unix_ms = 1000;
	newer.claims = GLOBEX;
	newer.issued_unix_ms = 2000;
	other.client = SPAN("other");
	other.claims = ACME;
	other.issued_unix_ms = 1500;
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
	assert_true(span_is(verified.claims, ACME));
	assert_int_equal(ask_who(&newer), IPC_VERDICT_GOOD);
	assert_true(span_is(verified.claims, GLOBEX));
	assert_int_equal(cuts, 1); /* what runs as of acme */
	assert_int_equal(ends, 0);
	assert_string_equal(ended_grant, grant);
	assert_int_equal(ask_who(&m), IPC_VERDICT_EXPIRED);
	assert_int_equal(ask_who(&other), IPC_VERDICT_GOOD);
	assert_int_equal(ask_who(&newer), IPC_VERDICT_GOOD);
	assert_int_equal(cuts, 1);
	/* A group is gone: what tokens opened ends, and older ones are no good, also while they are valid. */
	less.claims = GLOBEX;
	less.issued_unix_ms = 3000;
	less.groups = NIL;
	less.expires_unix_ms -= 30 * SECOND_MS;
	assert_int_equal(ask_who(&less), IPC_VERDICT_INVALID);
	assert_int_equal(ends, 1);
	assert_int_equal(ask_who(&newer), IPC_VERDICT_EXPIRED);
	wind(40 * SECOND_MS);
	assert_int_equal(ask_who(&newer), IPC_VERDICT_EXPIRED);
	/* What is no map of texts was no front's to say. */
	other.claims = SPAN("\x91\xa4"
			    "acme");
	assert_int_equal(ask_who(&other), IPC_VERDICT_INVALID);
}

static void
a_removed_account_keeps_its_identity_out(void **s)
{
	struct store_user u = { .name = "grace", .role = "viewer", .created_ms = rig->now_ms };
	struct ipc_vouch m = vouch(ONE, "u-7", ANALYSTS);
	struct err err;

	(void)s;
	oauth_identity(ONE, SPAN("u-7"), u.digest);
	assert_int_equal(store_claims_mark_removed(rig->a->store, u.digest, true, &err), 0);
	assert_int_equal(ask_who(&m), IPC_VERDICT_REVOKED);
	assert_int_equal(store_claims_mark_removed(rig->a->store, u.digest, false, &err), 0);
	assert_int_equal(ask_who(&m), IPC_VERDICT_GOOD);
}

static void
an_issuer_that_describes_itself_as_a_server_alone(void **s)
{
	(void)s;
	issuers_tend(rig->a);
	assert_true(issuers_take(rig->a, &(struct ipc_identified){ .serial = ordered[0].serial,
	    .outcome = SIGN_IN_PROVIDER, .missing = 1, .keys = NIL, .groups = NIL }));
	assert_int_equal(orders, 3);
	assert_int_equal(ordered[2].step, IPC_STEP_SERVER);
	answer(2, DONE, NIL);
	assert_int_equal(ordered[3].step, IPC_STEP_KEYS);
	answer(3, DONE, KEYS);
	assert_true(told_keys);
	/* One that has neither is not asked without end. */
	assert_true(issuers_take(rig->a, &(struct ipc_identified){ .serial = ordered[1].serial,
	    .outcome = SIGN_IN_PROVIDER, .missing = 1, .keys = NIL, .groups = NIL }));
	assert_true(issuers_take(rig->a, &(struct ipc_identified){ .serial = ordered[4].serial,
	    .outcome = SIGN_IN_PROVIDER, .missing = 1, .keys = NIL, .groups = NIL }));
	assert_int_equal(orders, 5);
}

int
main(void)
{
#define TEST(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(keys_are_fetched_when_they_are_due),
		TEST(a_missing_key_has_them_fetched_once_a_minute),
		TEST(an_issuer_that_goes_away),
		TEST(subjects_of_two_issuers_are_two),
		TEST(of_groups_the_one_with_more_counts),
		TEST(a_subject_may_have_tools_alone),
		TEST(an_identity_with_an_account_is_that_user),
		TEST(what_a_token_opened_ends_with_it),
		TEST(the_newest_token_of_a_client_counts),
		TEST(a_removed_account_keeps_its_identity_out),
		TEST(an_issuer_that_describes_itself_as_a_server_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
