// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/* test_auth_login.c - who signs in: by a password, a proxy or the first link, also while carrel-pwhash is away. */
#include "tests/unit/auth_rig.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/store/store_user.h"

#define FRONT		UINT64_C(7)
#define PWHASH		UINT64_C(9)
#define DIGEST		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$aGFzaA"
#define PASSWORD	"correct horse battery"

/* What was sent last, and how much: SIGNED_IN to the front, HASH to carrel-pwhash. */
static struct {
	unsigned	answers, jobs;
	uint64_t	answered, job, outcome, retry_s;
	char		session[OAUTH_SECRET + 1], user[65], message[256], digest[128];
	size_t		password;
} sent;

int __wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg);

int
__wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg)
{
	const struct ipc_signed_in *said = msg;
	const struct ipc_hash *hash = msg;

	if (type == IPC_MSG_HASH) {
		assert_int_equal(peer, PWHASH);
		sent.jobs++;
		sent.job = id;
		sent.password = hash->password.len;
		snprintf(sent.digest, sizeof(sent.digest), "%.*s", SPAN_FMT(hash->digest));
		return 0;
	}
	if (type != IPC_MSG_SIGNED_IN)
		return 0;
	assert_int_equal(peer, FRONT);
	sent.answers++;
	sent.answered = id;
	sent.outcome = said->outcome;
	sent.retry_s = said->retry_after_s;
	snprintf(sent.session, sizeof(sent.session), "%.*s", SPAN_FMT(said->session));
	snprintf(sent.user, sizeof(sent.user), "%.*s", SPAN_FMT(said->user));
	snprintf(sent.message, sizeof(sent.message), "%.*s", SPAN_FMT(said->message));
	return 0;
}

static int
login_set_up(void **state)
{
	struct auth_rig *r;
	struct store_user u = { .name = "grace", .role = "viewer", .digest = DIGEST };
	struct err err;

	memset(&sent, 0, sizeof(sent));
	if (rig_set_up(state) != 0)
		return -1;
	r = *state;
	assert_int_equal(store_user_add(r->a->store, &u, &err), 0);
	hashing_attached(r->a, PWHASH);
	return 0;
}

static void
ask(struct auth_rig *r, uint64_t id, const char *name, const char *address, struct span password)
{
	struct ipc_login m = { .address = span_str(address), .name = span_str(name), .password = password };

	login_take(r->a, FRONT, id, &m);
}

/* carrel-pwhash answers the job that it has. */
static void
hashed(struct auth_rig *r, bool good, const char *digest)
{
	assert_true(hashing_take(r->a, sent.job, &(struct ipc_hashed){ .good = good, .digest = span_str(digest) }));
}

static void
is_answered(uint64_t id, enum ipc_oauth outcome)
{
	if (sent.answered != id || sent.outcome != outcome)
		fail_msg("%llu: %llu %s", (unsigned long long)sent.answered, (unsigned long long)sent.outcome,
		    sent.message);
	assert_int_equal(sent.session[0] != '\0', outcome == IPC_OAUTH_DONE);
}

static void
is_signed_in(struct auth_rig *r, const char *name)
{
	struct store_user u;
	uint64_t expires;
	struct err err;

	assert_int_equal(login_user(r->a, span_str(sent.session), SPAN(""), clock_unix_ms(), &u, &expires, &err), 1);
	assert_string_equal(u.name, name);
	assert_string_equal(sent.user, name);
}

static void
change_grace(struct auth_rig *r, bool disabled, const char *digest)
{
	struct store_user u;
	struct err err;

	assert_int_equal(store_user(r->a->store, SPAN("grace"), &u, &err), 1);
	u.disabled = disabled;
	snprintf(u.digest, sizeof(u.digest), "%s", digest);
	assert_int_equal(store_user_set(r->a->store, &u, &err), 0);
}

/* --- by a password ----------------------------------------------------------------------------- */

static void
a_right_password_opens_a_session_in_place_of_the_one_before(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_login m = { .address = SPAN(ADDRESS), .name = SPAN("grace"), .password = SPAN(PASSWORD) };
	char first[OAUTH_SECRET + 1];
	struct store_user u;
	uint64_t expires;
	struct err err;

	login_take(r->a, FRONT, 1, &m);
	assert_int_equal(sent.answers, 0);
	assert_string_equal(sent.digest, DIGEST);
	assert_int_equal(sent.password, strlen(PASSWORD));
	hashed(r, true, "");
	is_answered(1, IPC_OAUTH_DONE);
	is_signed_in(r, "grace");
	memcpy(first, sent.session, sizeof(first));
	m.session = span_str(first);
	login_take(r->a, FRONT, 2, &m);
	hashed(r, true, "");
	is_answered(2, IPC_OAUTH_DONE);
	is_signed_in(r, "grace");
	assert_string_not_equal(first, sent.session);
	assert_int_equal(login_user(r->a, span_str(first), SPAN(""), clock_unix_ms(), &u, &expires, &err), 0);
}

/* An unknown name, a user without a password and a disabled one cost a check, and are told in the same words. */
static void
who_has_no_password_is_checked_and_refused(void **state)
{
	struct auth_rig *r = *state;
	static const char *const names[] = { "nobody", "ada", "grace", "", "Not A Name" };
	char nobody[128] = "", words[256] = "";

	change_grace(r, true, DIGEST);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ask(r, i + 1, names[i], ADDRESS, SPAN(PASSWORD));
		assert_int_equal(sent.jobs, i + 1);
		if (i == 0)
			snprintf(nobody, sizeof(nobody), "%s", sent.digest);
		assert_string_equal(sent.digest, nobody);
		hashed(r, true, ""); /* whatever it says */
		is_answered(i + 1, IPC_OAUTH_ACCESS_DENIED);
		if (i == 0)
			snprintf(words, sizeof(words), "%s", sent.message);
		assert_string_equal(sent.message, words);
	}
}

static void
a_user_who_changes_meanwhile_is_not_signed_in(void **state)
{
	struct auth_rig *r = *state;

	ask(r, 1, "grace", ADDRESS, SPAN(PASSWORD));
	change_grace(r, true, DIGEST);
	hashed(r, true, "");
	is_answered(1, IPC_OAUTH_ACCESS_DENIED);
	change_grace(r, false, DIGEST);
	ask(r, 2, "grace", ADDRESS, SPAN(PASSWORD));
	change_grace(r, false, DIGEST "x");
	hashed(r, true, "");
	is_answered(2, IPC_OAUTH_ACCESS_DENIED);
}

static void
passwords_are_handed_on_up_to_their_bound(void **state)
{
	struct auth_rig *r = *state;
	static char much[OAUTH_PASSWORD_MAX + 1];

	memset(much, 'p', sizeof(much));
	ask(r, 1, "grace", ADDRESS, span_of(much, OAUTH_PASSWORD_MAX));
	assert_int_equal(sent.password, OAUTH_PASSWORD_MAX);
	hashed(r, false, "");
	ask(r, 2, "grace", ADDRESS, span_of(much, OAUTH_PASSWORD_MAX + 1));
	assert_int_equal(sent.password, 0);
	hashed(r, false, "");
	is_answered(2, IPC_OAUTH_ACCESS_DENIED);
}

static void
wrong_passwords_block_their_address_alone(void **state)
{
	struct auth_rig *r = *state;

	for (unsigned i = 0; i < OAUTH_WRONG_MAX; i++) {
		ask(r, i + 1, "nobody", ADDRESS, SPAN("wrong"));
		hashed(r, false, "");
		is_answered(i + 1, IPC_OAUTH_ACCESS_DENIED);
	}
	ask(r, 50, "grace", ADDRESS, SPAN(PASSWORD));
	is_answered(50, IPC_OAUTH_TOO_MANY);
	assert_in_range(sent.retry_s, 1, OAUTH_WRONG_S + OAUTH_WRONG_S / 15);
	assert_int_equal(sent.jobs, OAUTH_WRONG_MAX);
	ask(r, 51, "grace", "203.0.113.8", SPAN(PASSWORD));
	hashed(r, true, "");
	is_answered(51, IPC_OAUTH_DONE);
}

/* One guess from each of many addresses: ever slower, but not for the owner, and not for other names. */
static void
guesses_from_everywhere_are_slow(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_login owner = {
		.address = SPAN("user:1000"), .owner = 1, .name = SPAN("grace"), .password = SPAN(PASSWORD)
	};
	char address[32];
	unsigned checked = 0, refused = 0;

	for (unsigned i = 0; i < 3 * OAUTH_WRONG_MAX; i++) {
		snprintf(address, sizeof(address), "198.51.100.%u", i);
		ask(r, i + 1, "grace", address, SPAN("wrong"));
		if (sent.jobs > checked) {
			checked = sent.jobs;
			hashed(r, false, "");
			is_answered(i + 1, IPC_OAUTH_ACCESS_DENIED);
		} else {
			is_answered(i + 1, IPC_OAUTH_TOO_MANY);
			assert_int_equal(sent.retry_s, 1);
			refused++;
		}
	}
	assert_int_equal(checked, OAUTH_WRONG_MAX + 1);
	assert_int_equal(refused, 2 * OAUTH_WRONG_MAX - 1);
	ask(r, 100, "another", "198.51.100.77", SPAN(PASSWORD));
	hashed(r, false, "");
	is_answered(100, IPC_OAUTH_ACCESS_DENIED);
	ask(r, 101, "grace", "198.51.100.77", SPAN(PASSWORD));
	is_answered(101, IPC_OAUTH_TOO_MANY);
	login_take(r->a, FRONT, 102, &owner);
	hashed(r, true, "");
	is_answered(102, IPC_OAUTH_DONE);
}

/* --- carrel-pwhash -------------------------------------------------------------------------------- */

static void
more_than_may_wait_are_busy_and_count_as_nothing(void **state)
{
	struct auth_rig *r = *state;
	char address[32];

	for (unsigned i = 0; i <= HASHING_WAITING; i++) {
		snprintf(address, sizeof(address), "198.51.100.%u", i);
		ask(r, i + 1, "grace", address, SPAN(PASSWORD));
	}
	assert_int_equal(sent.jobs, 1); /* one after the other */
	assert_int_equal(sent.answers, 0);
	for (unsigned i = 0; i < 2 * OAUTH_WRONG_MAX; i++) {
		ask(r, 100 + i, "ada", ADDRESS, SPAN(PASSWORD));
		is_answered(100 + i, IPC_OAUTH_BUSY);
	}
	sent.answers = 0;
	for (unsigned i = 0; i <= HASHING_WAITING; i++) {
		hashed(r, true, "");
		is_answered(i + 1, IPC_OAUTH_DONE);
	}
	assert_int_equal(sent.answers, HASHING_WAITING + 1);
	assert_int_equal(sent.jobs, HASHING_WAITING + 1);
}

static void
what_nobody_checks_in_time_is_busy_and_not_wrong(void **state)
{
	struct auth_rig *r = *state;

	hashing_detached(r->a, PWHASH);
	for (unsigned i = 0; i < 2 * OAUTH_WRONG_MAX; i++) {
		ask(r, i + 1, "grace", ADDRESS, SPAN(PASSWORD));
		hashing_tend(r->a, clock_ns());
		assert_int_equal(sent.answers, i);
		hashing_tend(r->a, clock_ns() + 3600 * CLOCK_SECOND);
		is_answered(i + 1, IPC_OAUTH_BUSY);
	}
	assert_int_equal(sent.jobs, 0);
}

static void
a_check_that_kills_twice_is_given_up(void **state)
{
	struct auth_rig *r = *state;

	ask(r, 1, "grace", ADDRESS, SPAN(PASSWORD));
	ask(r, 2, "ada", ADDRESS, SPAN(PASSWORD));
	hashing_detached(r->a, PWHASH + 1); /* another's end is nothing */
	hashing_detached(r->a, PWHASH);
	assert_int_equal(sent.answers, 0);
	hashing_attached(r->a, PWHASH);
	assert_int_equal(sent.jobs, 2);
	assert_string_equal(sent.digest, DIGEST);
	hashing_detached(r->a, PWHASH);
	is_answered(1, IPC_OAUTH_BUSY);
	hashing_attached(r->a, PWHASH);
	assert_int_equal(sent.jobs, 3);
	hashed(r, false, "");
	is_answered(2, IPC_OAUTH_ACCESS_DENIED);
}

static void
answers_that_were_not_asked_for_are_refused(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_hashed yes = { .good = 1 };

	assert_false(hashing_take(r->a, 1, &yes));
	ask(r, 1, "grace", ADDRESS, SPAN(PASSWORD));
	assert_false(hashing_take(r->a, sent.job + 1, &yes));
	assert_int_equal(sent.answers, 0);
	hashed(r, false, "");
	assert_false(hashing_take(r->a, sent.job, &yes));
	is_answered(1, IPC_OAUTH_ACCESS_DENIED);
}

/* --- by a proxy -------------------------------------------------------------------------------------- */

static void
a_proxy_names_users(void **state)
{
	struct auth_rig *r = *state;
	struct ipc_login m = { .address = SPAN(ADDRESS), .asserted = SPAN("Turing") };

	login_take(r->a, FRONT, 1, &m);
	is_answered(1, IPC_OAUTH_UNAVAILABLE); /* no proxy is configured */
	r->a->conf.proxy_users = true;
	ask(r, 2, "grace", ADDRESS, SPAN(PASSWORD));
	is_answered(2, IPC_OAUTH_UNAVAILABLE); /* and now passwords are none */
	login_take(r->a, FRONT, 3, &m);
	is_answered(3, IPC_OAUTH_ACCESS_DENIED); /* unknown, and strangers get no role */
	snprintf(r->a->conf.proxy_role, sizeof(r->a->conf.proxy_role), "viewer");
	login_take(r->a, FRONT, 4, &m);
	is_answered(4, IPC_OAUTH_DONE);
	assert_string_equal(sent.user, "turing");
	m.asserted = SPAN("not a name");
	login_take(r->a, FRONT, 5, &m);
	is_answered(5, IPC_OAUTH_ACCESS_DENIED);
	change_grace(r, true, DIGEST);
	m.asserted = SPAN("grace");
	login_take(r->a, FRONT, 6, &m);
	is_answered(6, IPC_OAUTH_ACCESS_DENIED);
	r->a->conf.oauth = false;
	m.asserted = SPAN("ada");
	login_take(r->a, FRONT, 7, &m);
	is_answered(7, IPC_OAUTH_UNAVAILABLE);
	assert_int_equal(sent.jobs, 0);
}

/* --- by the first link --------------------------------------------------------------------------------- */

static void
first_link(struct auth_rig *r, uint64_t now_ms, char link[OAUTH_SECRET + 1])
{
	struct buf url = { 0 };
	uint64_t expires;
	struct err err;

	assert_int_equal(login_setup_link(r->a, now_ms, &url, &expires, &err), 1);
	assert_true(url.len > OAUTH_SECRET);
	snprintf(link, OAUTH_SECRET + 1, "%s", buf_cstr(&url) + url.len - OAUTH_SECRET);
	buf_fini(&url);
}

static void
set_up_as(struct auth_rig *r, uint64_t id, const char *link, const char *name, struct span password)
{
	struct ipc_setup m = {
		.address = SPAN(ADDRESS), .link = span_str(link), .name = span_str(name), .password = password
	};

	login_setup(r->a, FRONT, id, &m);
}

static void
the_first_link_makes_one_administrator(void **state)
{
	static char much[OAUTH_PASSWORD_MAX + 1];
	static const struct {
		const char *name;
		size_t password;
	} wrong[] = { { "Root", 12 }, { "a b", 12 }, { "root", OAUTH_PASSWORD_MIN - 1 },
		{ "root", OAUTH_PASSWORD_MAX + 1 } };
	struct auth_rig *r = *state;
	char link[OAUTH_SECRET + 1];
	struct buf out = { 0 };
	uint64_t expires;
	struct err err;

	for (size_t i = 0; i < sizeof(much); i++)
		much[i] = (char)('a' + i * i % 23);
	first_link(r, clock_unix_ms(), link);
	set_up_as(r, 1, link, "", SPAN(PASSWORD));
	is_answered(1, IPC_OAUTH_INVALID_REQUEST);
	set_up_as(r, 1, link, "root", SPAN("password1234"));
	is_answered(1, IPC_OAUTH_INVALID_REQUEST);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		set_up_as(r, 2, link, wrong[i].name, span_of(much, wrong[i].password));
		is_answered(2, IPC_OAUTH_INVALID_REQUEST);
	}
	set_up_as(r, 3, link, "root", SPAN("twelve\nbytes and a line"));
	is_answered(3, IPC_OAUTH_INVALID_REQUEST);
	set_up_as(r, 4, link, "root", span_of("twelve bytes\0.", 14));
	is_answered(4, IPC_OAUTH_INVALID_REQUEST);
	assert_int_equal(sent.jobs, 0);
	set_up_as(r, 5, link, "grace", span_of(much, OAUTH_PASSWORD_MAX));
	assert_string_equal(sent.digest, "");
	hashed(r, true, DIGEST);
	is_answered(5, IPC_OAUTH_INVALID_REQUEST); /* there is one, and the link stays good */
	set_up_as(r, 6, link, "root", span_of(much, OAUTH_PASSWORD_MIN));
	hashed(r, true, DIGEST);
	is_answered(6, IPC_OAUTH_DONE);
	is_signed_in(r, "root");
	set_up_as(r, 7, link, "root2", SPAN(PASSWORD));
	is_answered(7, IPC_OAUTH_ACCESS_DENIED);
	assert_int_equal(login_setup_link(r->a, clock_unix_ms(), &out, &expires, &err), 0);
	buf_fini(&out);
}

/* Two use the link at once: the second is too late. */
static void
the_first_link_is_good_once(void **state)
{
	struct auth_rig *r = *state;
	char link[OAUTH_SECRET + 1];

	first_link(r, clock_unix_ms(), link);
	set_up_as(r, 1, link, "root", SPAN(PASSWORD));
	set_up_as(r, 2, link, "other", SPAN(PASSWORD));
	hashed(r, true, DIGEST);
	is_answered(1, IPC_OAUTH_DONE);
	hashed(r, true, DIGEST);
	is_answered(2, IPC_OAUTH_INVALID_REQUEST);
}

static void
other_links_are_refused_and_then_blocked(void **state)
{
	struct auth_rig *r = *state;
	char link[OAUTH_SECRET + 1], wrong[OAUTH_SECRET + 1];

	first_link(r, clock_unix_ms() - 2 * HOUR_MS, link);
	set_up_as(r, 1, link, "root", SPAN(PASSWORD));
	is_answered(1, IPC_OAUTH_ACCESS_DENIED); /* too old */
	first_link(r, clock_unix_ms(), link);
	set_up_as(r, 2, "", "root", SPAN(PASSWORD));
	is_answered(2, IPC_OAUTH_ACCESS_DENIED);
	memcpy(wrong, link, sizeof(wrong));
	wrong[OAUTH_SECRET - 1] ^= 1;
	for (unsigned i = 2; i < OAUTH_WRONG_MAX; i++) {
		set_up_as(r, 3, wrong, "root", SPAN(PASSWORD));
		is_answered(3, IPC_OAUTH_ACCESS_DENIED);
	}
	set_up_as(r, 4, link, "", SPAN(""));
	is_answered(4, IPC_OAUTH_TOO_MANY);
	assert_in_range(sent.retry_s, 1, OAUTH_WRONG_S + OAUTH_WRONG_S / 15);
}

static void
the_first_link_needs_oauth_and_somebody_who_digests(void **state)
{
	struct auth_rig *r = *state;
	char link[OAUTH_SECRET + 1], address[32];

	first_link(r, clock_unix_ms(), link);
	r->a->conf.oauth = false;
	set_up_as(r, 1, link, "root", SPAN(PASSWORD));
	is_answered(1, IPC_OAUTH_ACCESS_DENIED);
	r->a->conf.oauth = true;
	for (unsigned i = 0; i <= HASHING_WAITING; i++) {
		snprintf(address, sizeof(address), "198.51.100.%u", i);
		ask(r, 100 + i, "nobody", address, SPAN(PASSWORD));
	}
	set_up_as(r, 2, link, "root", SPAN(PASSWORD));
	is_answered(2, IPC_OAUTH_BUSY);
	hashing_detached(r->a, PWHASH);
	hashing_tend(r->a, clock_ns() + 3600 * CLOCK_SECOND);
	set_up_as(r, 3, link, "root", SPAN(PASSWORD));
	hashing_tend(r->a, clock_ns() + 3600 * CLOCK_SECOND);
	is_answered(3, IPC_OAUTH_BUSY);
}

int
main(void)
{
#define LOGIN(test)	cmocka_unit_test_setup_teardown(test, login_set_up, rig_tear_down)
	const struct CMUnitTest tests[] = {
		LOGIN(a_right_password_opens_a_session_in_place_of_the_one_before),
		LOGIN(who_has_no_password_is_checked_and_refused),
		LOGIN(a_user_who_changes_meanwhile_is_not_signed_in),
		LOGIN(passwords_are_handed_on_up_to_their_bound),
		LOGIN(wrong_passwords_block_their_address_alone),
		LOGIN(guesses_from_everywhere_are_slow),
		LOGIN(more_than_may_wait_are_busy_and_count_as_nothing),
		LOGIN(what_nobody_checks_in_time_is_busy_and_not_wrong),
		LOGIN(a_check_that_kills_twice_is_given_up),
		LOGIN(answers_that_were_not_asked_for_are_refused),
		LOGIN(a_proxy_names_users),
		LOGIN(the_first_link_makes_one_administrator),
		LOGIN(the_first_link_is_good_once),
		LOGIN(other_links_are_refused_and_then_blocked),
		LOGIN(the_first_link_needs_oauth_and_somebody_who_digests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
