// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_provider.c - sign-in at an identity provider: how long a state is good, when what is asked again, who it is. */
#include "policy/sign_in.h"
#include "tests/unit/auth_rig.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/oauth/provider.h"

#define FRONT	UINT64_C(7)
#define ID	"https://id.example.org"
#define VISITOR	"0123456789abcdef"
#define NIL	SPAN("\xc0")
#define KEYS	SPAN("\x81\xa4keys\x90")

static struct auth_rig *rig;
static struct ipc_identify ordered;	/* the last step: serial and step alone */
static unsigned orders, departures, arrivals;
static uint64_t outcome;		/* of the last answer */
static char state[129], user[65], message[256];

int __wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg);
int __wrap_serve_identify(const struct ipc_identify *msg);
uint64_t __wrap_clock_unix_ms(void);
uint64_t __wrap_clock_ns(void);
uint64_t __wrap_clock_boot_ns(void);

static void
take_url(struct span url)
{
	const uint8_t *at = url.len == 0 ? NULL : memmem(url.p, url.len, "&state=", 7);
	size_t n = 0;

	if (at == NULL)
		return;
	for (at += 7; at + n < url.p + url.len && at[n] != '&'; n++)
		state[n] = (char)at[n];
	state[n] = '\0';
	assert_true(span_begins(url, ID "/authorize?tenant=a&response_type=code&client_id=carrel&redirect_uri="));
	assert_non_null(memmem(url.p, url.len, "&code_challenge_method=S256", 27));
}

int
__wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg)
{
	const struct ipc_departed *departed = msg;
	const struct ipc_signed_in *said = msg;

	(void)peer, (void)id;
	if (type == IPC_MSG_DEPARTED) {
		departures++;
		outcome = departed->outcome;
		take_url(departed->url);
	} else if (type == IPC_MSG_SIGNED_IN) {
		arrivals++;
		outcome = said->outcome;
		snprintf(user, sizeof(user), "%.*s", SPAN_FMT(said->user));
		snprintf(message, sizeof(message), "%.*s", SPAN_FMT(said->message));
	}
	return 0;
}

int
__wrap_serve_identify(const struct ipc_identify *msg)
{
	struct buf packed = { 0 };

	assert_int_equal(ipc_pack(IPC_MSG_IDENTIFY, msg, &packed), 0);
	buf_fini(&packed);
	ordered = (struct ipc_identify){ .serial = msg->serial, .step = msg->step };
	orders++;
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
wind(uint64_t ms)
{
	rig->now_ms += ms;
	rig->now_ns += ms * CLOCK_MS;
	provider_tend(rig->a, rig->now_ns);
}

static int
set_up(void **s)
{
	struct auth_conf *c;

	if (rig_set_up(s) != 0)
		return -1;
	rig = *s;
	c = &rig->a->conf;
	c->oidc_issuer = mem_text(SPAN(ID));
	c->oidc_client = mem_text(SPAN("carrel"));
	c->oidc_scopes = mem_text(SPAN("openid"));
	mp_put_map(&c->oidc_roles, 3);
	mp_pair_cstr(&c->oidc_roles, "readers", "viewer");
	mp_pair_cstr(&c->oidc_roles, "owners", "admin");
	mp_pair_cstr(&c->oidc_roles, "writers", "contributor");
	rig->a->provider = provider_new(rig->a);
	orders = departures = arrivals = 0;
	state[0] = '\0';
	return 0;
}

static int
tear_down(void **s)
{
	struct auth *a = rig->a;

	provider_free(a->provider);
	free(a->conf.oidc_issuer);
	free(a->conf.oidc_client);
	free(a->conf.oidc_scopes);
	buf_fini(&a->conf.oidc_roles);
	a->provider = NULL;
	rig = NULL;
	return rig_tear_down(s);
}

static void
depart(void)
{
	provider_depart(rig->a, FRONT, 1, &(struct ipc_depart){ .issuer = SPAN(ISSUER), .address = SPAN(ADDRESS),
	    .receipt = SPAN("r-1-1"), .visitor = SPAN(VISITOR) });
}

static void
arrive_as(const char *with, struct span visitor, const char *code, const char *iss, const char *error)
{
	provider_arrive(rig->a, FRONT, 2, &(struct ipc_arrive){ .issuer = SPAN(ISSUER), .address = SPAN(ADDRESS),
	    .receipt = SPAN("r-1-2"), .visitor = visitor, .state = span_str(with), .code = span_str(code),
	    .iss = span_str(iss), .error = span_str(error) });
}

static void
arrive(void)
{
	arrive_as(state, SPAN(VISITOR), "a code", ID, "");
}

static void
answer(enum sign_in reason, struct span keys, const char *token, const char *subject, const char *name,
    const char *group)
{
	struct buf groups = { 0 };
	struct ipc_identified m = { .serial = ordered.serial, .outcome = reason, .keep_s = 3600, .keys = keys,
		.token = span_str(token), .subject = span_str(subject), .name = span_str(name),
		.authorization = SPAN(ID "/authorize?tenant=a"), .says_issuer = 1 };

	mp_put_cstr(&groups, group);
	m.groups = buf_view(&groups);
	provider_take(rig->a, &m);
	buf_fini(&groups);
}

/* Depart, with the configuration fetched if it has to be. */
static void
set_out(void)
{
	unsigned before = orders;

	depart();
	if (orders > before) {
		assert_int_equal(ordered.step, IPC_STEP_DISCOVER);
		answer(SIGN_IN_DONE, NIL, "", "", "", NULL);
	}
	assert_int_equal(outcome, IPC_OAUTH_DONE);
}

static void
is_refused(enum sign_in reason)
{
	assert_int_equal(outcome,
	    reason == SIGN_IN_PROVIDER || reason == SIGN_IN_LOST ? IPC_OAUTH_UNAVAILABLE : IPC_OAUTH_ACCESS_DENIED);
	assert_string_equal(message, sign_in_sentence(reason));
}

static void
a_state_is_good_once_for_ten_minutes(void **s)
{
	(void)s;
	set_out();
	arrive_as(state, SPAN("another browser"), "c", ID, "");
	is_refused(SIGN_IN_STATE);
	arrive_as(state, SPAN(""), "c", ID, "");
	is_refused(SIGN_IN_STATE);
	wind(PROVIDER_STATE_MS);
	arrive();
	assert_int_equal(ordered.step, IPC_STEP_EXCHANGE);
	arrive();
	is_refused(SIGN_IN_STATE_USED);
	set_out();
	wind(PROVIDER_STATE_MS + 1);
	arrive();
	is_refused(SIGN_IN_STATE_OLD);
	rig->now_ms -= PROVIDER_STATE_MS + 2; /* a clock that was set back */
	arrive();
	is_refused(SIGN_IN_STATE_OLD);
	state[5] = state[5] == 'A' ? 'B' : 'A';
	arrive();
	is_refused(SIGN_IN_STATE);
	assert_int_equal(orders, 2);
}

static void
what_the_answer_says_of_its_issuer(void **s)
{
	(void)s;
	set_out();
	arrive_as(state, SPAN(VISITOR), "c", "", "");
	is_refused(SIGN_IN_MIX_UP);
	set_out();
	arrive_as(state, SPAN(VISITOR), "c", ID "/", "");
	is_refused(SIGN_IN_MIX_UP);
	set_out();
	arrive_as(state, SPAN(VISITOR), "", ID, "access_denied");
	is_refused(SIGN_IN_DENIED);
	set_out();
	arrive_as(state, SPAN(VISITOR), "", ID, "");
	is_refused(SIGN_IN_DENIED);
	assert_int_equal(orders, 1); /* no code has left */
}

static void
keys_are_fetched_again_once_a_minute(void **s)
{
	(void)s;
	set_out();
	arrive();
	answer(SIGN_IN_KEY_UNKNOWN, NIL, "a.b.c", "", "", NULL);
	assert_int_equal(ordered.step, IPC_STEP_KEYS);
	answer(SIGN_IN_DONE, KEYS, "", "1", "grace", "readers");
	assert_int_equal(outcome, IPC_OAUTH_DONE);
	assert_string_equal(user, "grace");
	set_out();
	arrive();
	answer(SIGN_IN_KEY_UNKNOWN, NIL, "a.b.c", "", "", NULL);
	is_refused(SIGN_IN_KEY_UNKNOWN);
	wind(PROVIDER_KEYS_MS);
	set_out();
	arrive();
	answer(SIGN_IN_KEY_UNKNOWN, NIL, "a.b.c", "", "", NULL);
	assert_int_equal(ordered.step, IPC_STEP_KEYS);
	answer(SIGN_IN_KEY_UNKNOWN, KEYS, "", "", "", NULL);
	is_refused(SIGN_IN_KEY_UNKNOWN);
}

/* A date that is corrected is no time that went by: neither the configuration nor the keys are older or younger. */
static void
a_clock_that_is_set_changes_no_age(void **s)
{
	(void)s;
	set_out();
	rig->now_ms += 30 * DAY_MS;
	depart();
	assert_int_equal(orders, 1);
	rig->now_ms -= 60 * DAY_MS;
	depart();
	assert_int_equal(orders, 1);
	wind(2 * DAY_MS);
	depart();
	assert_int_equal(orders, 2);
	assert_int_equal(ordered.step, IPC_STEP_DISCOVER);
}

static void
a_provider_that_fails(void **s)
{
	(void)s;
	depart();
	depart();
	assert_int_equal(orders, 1);
	answer(SIGN_IN_PROVIDER, NIL, "", "", "", NULL);
	assert_int_equal(departures, 2);
	assert_int_equal(outcome, IPC_OAUTH_UNAVAILABLE);
	depart();
	assert_int_equal(orders, 1);
	wind(PROVIDER_FAILED_MS);
	set_out();
	arrive();
	wind(19999);
	assert_int_equal(arrivals, 0);
	wind(1);
	is_refused(SIGN_IN_LOST);
	answer(SIGN_IN_DONE, NIL, "", "1", "grace", "readers"); /* too late */
	assert_int_equal(arrivals, 1);
}

/* One whole sign-in. */
static void
sign_in(const char *subject, const char *name, const char *group)
{
	wind(60000);
	set_out();
	arrive();
	assert_int_equal(ordered.step, IPC_STEP_EXCHANGE);
	answer(SIGN_IN_DONE, NIL, "", subject, name, group);
}

static void
has_role(const char *name, const char *role)
{
	struct store_user u;
	struct err err;

	assert_int_equal(store_user(rig->a->store, span_str(name), &u, &err), 1);
	assert_string_equal(u.role, role);
}

static void
who_it_is(void **s)
{
	struct store_user u;
	struct err err;

	(void)s;
	sign_in("1", "Grace@Example.org", "writers");
	assert_string_equal(user, "grace@example.org");
	has_role("grace@example.org", "contributor");
	sign_in("1", "another name", "owners"); /* the identity keeps its account */
	assert_string_equal(user, "grace@example.org");
	has_role("grace@example.org", "admin");
	sign_in("2", "grace@example.org", "readers");
	is_refused(SIGN_IN_NAME_TAKEN);
	sign_in("2", "ada", "readers"); /* an account with a password */
	is_refused(SIGN_IN_NAME_TAKEN);
	sign_in("2", "", "readers");
	is_refused(SIGN_IN_NAME);
	sign_in("2", "two words", "readers");
	is_refused(SIGN_IN_NAME);
	sign_in("2", "eve", "Readers");
	is_refused(SIGN_IN_NO_ROLE);
	sign_in("2", "eve", NULL);
	is_refused(SIGN_IN_NO_ROLE);
	assert_int_equal(store_user(rig->a->store, SPAN("eve"), &u, &err), 0);
	sign_in("1", "grace", NULL);
	is_refused(SIGN_IN_NO_ROLE);
	has_role("grace@example.org", "");
	assert_int_equal(oauth_user(rig->a, SPAN("grace@example.org"), &u, &err), 0);
	sign_in("1", "grace", "readers");
	assert_int_equal(outcome, IPC_OAUTH_DONE);
	assert_int_equal(store_user(rig->a->store, SPAN("grace@example.org"), &u, &err), 1);
	u.disabled = true;
	assert_int_equal(store_begin(rig->a->store, &err), 0);
	assert_int_equal(store_user_set(rig->a->store, &u, &err), 0);
	assert_int_equal(store_commit(rig->a->store, &err), 0);
	sign_in("1", "grace", "owners");
	is_refused(SIGN_IN_DISABLED);
	has_role("grace@example.org", "viewer");
}

static void
passwords_can_be_off(void **s)
{
	struct ipc_login m = {
		.address = SPAN(ADDRESS), .name = SPAN("ada"), .password = SPAN("correct horse battery")
	};
	struct ipc_setup setup = {
		.address = SPAN(ADDRESS), .name = SPAN("root"), .password = SPAN("correct horse battery")
	};
	struct buf before = { 0 }, link = { 0 };
	uint64_t expires;
	struct err err;

	(void)s;
	assert_int_equal(login_setup_link(rig->a, rig->now_ms, &before, &expires, &err), 1);
	rig->a->conf.oidc_only = true;
	setup.link = span_of(before.p + before.len - OAUTH_SECRET, OAUTH_SECRET);
	message[0] = '\0';
	login_setup(rig->a, FRONT, 2, &setup);
	assert_int_equal(outcome, IPC_OAUTH_ACCESS_DENIED);
	assert_non_null(strstr(message, "link"));
	buf_fini(&before);
	login_take(rig->a, FRONT, 3, &m);
	assert_int_equal(outcome, IPC_OAUTH_ACCESS_DENIED);
	assert_non_null(strstr(message, "passwords are off"));
	assert_int_equal(login_setup_link(rig->a, rig->now_ms, &link, &expires, &err), 0);
	buf_fini(&link);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_state_is_good_once_for_ten_minutes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_the_answer_says_of_its_issuer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keys_are_fetched_again_once_a_minute, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_clock_that_is_set_changes_no_age, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_provider_that_fails, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_it_is, set_up, tear_down),
		cmocka_unit_test_setup_teardown(passwords_can_be_off, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
