// libs: carrel_auth carrel_child carrel_project carrel_ipc carrel_policy carrel_base
/*
 * test_store_down.c - whatever call of the store fails, nobody hears of a wrong password, a revoked token or an
 * unknown code for it, and nobody gets in; when the store works again, so does everything.
 */
#include <sqlite3.h>

#include "tests/unit/auth_rig.h"
#include "workers/auth/admin.h"
#include "workers/auth/oauth/metadata.h"
#include "workers/auth/store/store_audit.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/tokens/uses.h"
#include "workers/auth/oauth/accounts.h"
#include "workers/auth/oauth/authorize.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/oauth/redeem.h"
#include "workers/auth/store/store_token.h"
#include "workers/auth/store/store_user.h"

#define FRONT		UINT64_C(7)
#define PWHASH		UINT64_C(9)
#define DIGEST		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$aGFzaA"
#define DOCUMENT	"https://client.example.com/oauth/client.json"
#define TOKEN		"crlmcp_AbCdEfGh_0123456789abcdef0123456789abcdef"
#define CALLS_MAX	200u	/* of the store, in one act */

/* --- a store that fails --------------------------------------------------------------------- */

static struct {
	unsigned	calls, from, to;	/* these fail; from 0: none */
	bool		failed;
} down;

int __real_sqlite3_step(sqlite3_stmt *q);
int __wrap_sqlite3_step(sqlite3_stmt *q);

int
__wrap_sqlite3_step(sqlite3_stmt *q)
{
	down.calls++;
	if (down.from == 0 || down.calls < down.from || down.calls > down.to)
		return __real_sqlite3_step(q);
	down.failed = true;
	return SQLITE_IOERR;
}

static void
fail_calls(unsigned from, unsigned to)
{
	down.calls = 0;
	down.from = from;
	down.to = to;
	down.failed = false;
}

/* --- what was said -------------------------------------------------------------------------- */

static struct {
	unsigned	outcome;	/* of SIGNED_IN */
	bool		answered;
	uint64_t	job;		/* of HASH; 0: none */
	unsigned	nkeys;		/* of KEYS; only when told */
	bool		told_keys;
} sent;

int __wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg);
int __wrap_serve_fetch(uint64_t serial, struct span url);

int
__wrap_serve_send(uint64_t peer, unsigned type, uint64_t id, const void *msg)
{
	struct mp_value keys;

	(void)peer;
	if (type == IPC_MSG_SIGNED_IN) {
		sent.answered = true;
		sent.outcome = (unsigned)((const struct ipc_signed_in *)msg)->outcome;
	} else if (type == IPC_MSG_HASH)
		sent.job = id;
	else if (type == IPC_MSG_KEYS) {
		sent.told_keys = true;
		assert_true(mp_value(((const struct ipc_keys *)msg)->keys, &keys));
		sent.nkeys = (unsigned)keys.n;
	}
	return 0;
}

int
__wrap_serve_fetch(uint64_t serial, struct span url)
{
	(void)serial;
	(void)url;
	return 0;
}

/* --- calls, whose state is the rig's ---------------------------------------------------------- */

static struct {
	uint64_t	grants, sessions;	/* of the user in the last answer */
} told;

void *__wrap_call_state(struct call *c);
struct span __wrap_call_principal(const struct call *c);
struct span __wrap_call_request(const struct call *c);
void __wrap_call_result(struct call *c, struct span head);

void *
__wrap_call_state(struct call *c)
{
	return c;
}

struct span
__wrap_call_principal(const struct call *c)
{
	(void)c;
	return SPAN("cli:1000");
}

struct span
__wrap_call_request(const struct call *c)
{
	(void)c;
	return SPAN("r-0000abcd-1");
}

void
__wrap_call_result(struct call *c, struct span head)
{
	struct mp_value map, user;

	(void)c;
	assert_true(mp_value(head, &map) && mp_get(&map, "user", &user));
	told.grants = mp_get_uint(&user, "grants", UINT64_MAX);
	told.sessions = mp_get_uint(&user, "sessions", UINT64_MAX);
}

/* --- acts ------------------------------------------------------------------------------------ */

/* What came of an act.  UNAVAILABLE is said of the store, GRANTED lets somebody in or does what was asked. */
enum came { UNAVAILABLE, GRANTED, REFUSED };

static char refresh[OAUTH_REFRESH_MAX + 1], old_refresh[OAUTH_REFRESH_MAX + 1], grant[STORE_GRANT_ID + 1];
static char code[OAUTH_SECRET + 1], link_text[OAUTH_SECRET + 1];

static enum came
came_of(unsigned outcome)
{
	return outcome == IPC_OAUTH_UNAVAILABLE || outcome == IPC_OAUTH_BUSY ? UNAVAILABLE :
	    outcome == IPC_OAUTH_DONE || outcome == IPC_OAUTH_CONSENT        ? GRANTED :
									       REFUSED;
}

static enum came
log_in(struct auth_rig *r, bool good)
{
	struct ipc_login m = { .address = SPAN(ADDRESS), .name = SPAN("grace"), .password = SPAN("correct horse") };

	login_take(r->a, FRONT, 1, &m);
	if (sent.job != 0)
		assert_true(hashing_take(r->a, sent.job, &(struct ipc_hashed){ .good = good, .digest = SPAN("") }));
	assert_true(sent.answered);
	return came_of(sent.outcome);
}

static enum came
right_password(struct auth_rig *r)
{
	return log_in(r, true);
}

static enum came
wrong_password(struct auth_rig *r)
{
	return log_in(r, false);
}

static enum came
proxy_user(struct auth_rig *r)
{
	struct ipc_login m = { .address = SPAN(ADDRESS), .asserted = SPAN("grace") };

	r->a->conf.proxy_users = true;
	login_take(r->a, FRONT, 1, &m);
	r->a->conf.proxy_users = false;
	return came_of(sent.outcome);
}

static enum came
proxy_user_at_first_sight(struct auth_rig *r)
{
	struct ipc_login m = { .address = SPAN(ADDRESS), .asserted = SPAN("newcomer") };

	r->a->conf.proxy_users = true;
	snprintf(r->a->conf.proxy_role, sizeof(r->a->conf.proxy_role), "viewer");
	login_take(r->a, FRONT, 1, &m);
	r->a->conf.proxy_users = false;
	return came_of(sent.outcome);
}

static enum came
first_administrator(struct auth_rig *r)
{
	struct ipc_setup m = { .address = SPAN(ADDRESS),
		.link = span_str(link_text),
		.name = SPAN("root"),
		.password = SPAN("correct horse battery") };

	login_setup(r->a, FRONT, 1, &m);
	if (sent.job != 0)
		assert_true(hashing_take(r->a, sent.job, &(struct ipc_hashed){ .good = true, .digest = SPAN(DIGEST) }));
	return came_of(sent.outcome);
}

static enum came
page_of_a_session(struct auth_rig *r)
{
	struct store_user u;
	uint64_t expires;
	struct err err;
	int found = login_user(r->a, span_str(r->session), SPAN(""), r->now_ms, &u, &expires, &err);

	return found < 0 ? UNAVAILABLE : found == 1 ? GRANTED : REFUSED;
}

static enum came
page_of_no_session(struct auth_rig *r)
{
	struct store_user u;
	uint64_t expires;
	struct err err;
	int found = login_user(r->a, SPAN("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), SPAN(""), r->now_ms, &u,
	    &expires, &err);

	return found < 0 ? UNAVAILABLE : found == 1 ? GRANTED : REFUSED;
}

static enum came
consent_page(struct auth_rig *r)
{
	struct ipc_authorize m = rig_request(r);

	m.look = 1;
	return came_of(rig_authorize(r, &m));
}

static enum came
allowed(struct auth_rig *r)
{
	struct ipc_authorize m = rig_request(r);

	m.decision = IPC_DECISION_ALLOW;
	m.ticked = POLICY_SCOPES_ALL;
	return came_of(rig_authorize(r, &m));
}

static enum came
denied(struct auth_rig *r)
{
	struct ipc_authorize m = rig_request(r);

	m.decision = IPC_DECISION_DENY;
	return came_of(rig_authorize(r, &m));
}

static enum came
code_redeemed(struct auth_rig *r)
{
	struct ipc_redeem m = rig_redemption(r, span_str(code));

	return came_of(rig_send(r, &m));
}

static enum came
code_used_before(struct auth_rig *r)
{
	return code_redeemed(r);
}

static enum came
code_unknown(struct auth_rig *r)
{
	struct ipc_redeem m = rig_redemption(r, SPAN("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));

	return came_of(rig_send(r, &m));
}

static enum came
refreshed(struct auth_rig *r)
{
	struct ipc_redeem m = rig_refreshing(r, refresh);

	return came_of(rig_send(r, &m));
}

static enum came
refresh_token_used_before(struct auth_rig *r)
{
	struct ipc_redeem m = rig_refreshing(r, old_refresh);

	return came_of(rig_send(r, &m));
}

static enum came
came_of_verdict(unsigned verdict)
{
	return verdict == IPC_VERDICT_UNKNOWN ? UNAVAILABLE : verdict == IPC_VERDICT_GOOD ? GRANTED : REFUSED;
}

static enum came
grant_verified(struct auth_rig *r)
{
	return came_of_verdict(rig_verdict(r, grant, NULL));
}

static enum came
token_verified(struct auth_rig *r)
{
	char principal[32];
	struct ipc_verified out;

	tokens_verify(r->a, span_str(TOKEN), r->now_ms, &out, principal);
	return came_of_verdict((unsigned)out.verdict);
}

static enum came
registered(struct auth_rig *r)
{
	char id[33];

	/* Each from an address of its own: the rate is not what is looked at. */
	rig_wind(r, 61 * SECOND_MS);
	return came_of(rig_register(r, "Another", REDIRECT, "203.0.113.9", id));
}

static enum came
revoked(struct auth_rig *r)
{
	struct ipc_revoke m = { .token = span_str(refresh), .client_id = span_str(r->client),
		.address = SPAN(ADDRESS) };
	struct ipc_revoked out;

	redeem_revoke(r->a, &m, r->now_ms, &out);
	return came_of((unsigned)out.outcome);
}

static struct auth_rig *deciding;

static void
decide(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_authorize *m)
{
	(void)peer;
	(void)id;
	authorize_answer(a, m, deciding->now_ms, deciding->now_ns, &deciding->said, &deciding->authorized);
}

static enum came
document_of_a_client(struct auth_rig *r)
{
	struct ipc_authorize m = rig_request(r);
	struct ipc_fetched f = { .serial = 1, .outcome = IPC_FETCH_DONE, .client_name = SPAN("Documented"),
		.keep_s = 60 };
	struct buf list = { 0 };

	r->a->conf.client_metadata = true;
	r->a->metadata = metadata_new();
	deciding = r;
	m.client_id = SPAN(DOCUMENT);
	mp_put_array(&list, 1);
	mp_put_cstr(&list, REDIRECT);
	f.redirects = buf_view(&list);
	if (metadata_wait(r->a, FRONT, 1, &m, decide))
		metadata_take(r->a, &f);
	else
		decide(r->a, FRONT, 1, &m);
	metadata_free(r->a->metadata);
	r->a->metadata = NULL;
	buf_fini(&list);
	return came_of((unsigned)r->authorized.outcome);
}

/* What a front is told of keys is all of them, or nothing; what signs stays. */
static enum came
keys_of_a_front(struct auth_rig *r)
{
	oauth_greet(r->a, FRONT);
	oauth_tend(r->a, r->now_ms);
	assert_int_not_equal(r->a->oauth->key.kid[0], '\0');
	if (!sent.told_keys)
		return UNAVAILABLE;
	return sent.nkeys > 0 ? GRANTED : REFUSED;
}

static enum came
logged_out(struct auth_rig *r)
{
	struct ipc_logout m = { .session = span_str(r->session), .address = SPAN(ADDRESS) };
	struct ipc_signed_out out;

	login_out(r->a, &m, &out);
	return came_of((unsigned)out.outcome);
}

/* The role of ada, who has a grant and a session: the answer says so, or there is none. */
static enum came
user_changed(struct auth_rig *r)
{
	static bool other;
	struct buf args = { 0 };
	struct mp_value map;
	struct err err;
	int result;

	mp_put_map(&args, 2);
	mp_pair_cstr(&args, "name", "ada");
	mp_pair_cstr(&args, "role", other ? "viewer" : "contributor");
	assert_true(mp_value(buf_view(&args), &map));
	told.grants = told.sessions = 0;
	result = user_set_run((struct call *)(void *)r->a, &map, &err);
	buf_fini(&args);
	if (result != 0)
		return err.code == ERR_SERVICE_UNAVAILABLE ? UNAVAILABLE : REFUSED;
	other = !other;
	assert_int_equal(told.grants, 1);
	assert_int_equal(told.sessions, 1);
	return GRANTED;
}

/* --- the table ------------------------------------------------------------------------------- */

static void
have_code(struct auth_rig *r)
{
	snprintf(code, sizeof(code), "%.*s", SPAN_FMT(rig_code(r, rig_request(r))));
}

static void
have_used_code(struct auth_rig *r)
{
	have_code(r);
	assert_int_equal(code_redeemed(r), GRANTED);
}

static void
have_grant(struct auth_rig *r)
{
	rig_grant(r, refresh, grant);
}

/* By the clock of whoever changes users. */
static void
have_grant_now(struct auth_rig *r)
{
	r->now_ms = clock_unix_ms();
	have_grant(r);
}

static void
have_old_refresh(struct auth_rig *r)
{
	struct ipc_redeem m;

	have_grant(r);
	memcpy(old_refresh, refresh, sizeof(old_refresh));
	m = rig_refreshing(r, old_refresh);
	assert_int_equal(rig_send(r, &m), IPC_OAUTH_DONE);
	rig_wind(r, 60 * SECOND_MS);
}

static void
have_link(struct auth_rig *r)
{
	struct buf url = { 0 };
	uint64_t expires;
	struct err err;

	assert_int_equal(login_setup_link(r->a, clock_unix_ms(), &url, &expires, &err), 1);
	snprintf(link_text, sizeof(link_text), "%s", strstr(buf_cstr(&url), "setup=") + 6);
	buf_fini(&url);
}

static void
have_token(struct auth_rig *r)
{
	struct store_token t = { .has_secret = true, .created_ms = r->now_ms, .scopes = POLICY_SCOPE_RESEARCH_READ };
	struct span id, secret;
	struct err err;

	r->a->enabled = true;
	snprintf(r->a->conf.token_prefix, sizeof(r->a->conf.token_prefix), "crlmcp");
	assert_true(token_split(span_str(TOKEN), r->a->conf.token_prefix, &id, &secret));
	snprintf(t.id, sizeof(t.id), "%.*s", SPAN_FMT(id));
	token_mac(r->a->conf.token_key, secret, t.mac);
	assert_int_equal(store_token_add(r->a->store, &t, &err), 0);
}

static const struct act {
	const char	*name;
	enum came	 (*run)(struct auth_rig *r);
	enum came	 right;		/* what comes of it while the store works */
	void		 (*before)(struct auth_rig *r);	/* NULL: nothing */
	const char	*action;	/* on record once, as done, when it was granted; NULL: none */
} acts[] = {
#define ACT(run, right, before, action)	{ #run, run, right, before, action }
	ACT(right_password, GRANTED, NULL, "login"),
	ACT(wrong_password, REFUSED, NULL, NULL),
	ACT(proxy_user, GRANTED, NULL, "login"),
	ACT(proxy_user_at_first_sight, GRANTED, NULL, "user.add"),
	ACT(first_administrator, GRANTED, have_link, "user.add"),
	ACT(page_of_a_session, GRANTED, NULL, NULL),
	ACT(page_of_no_session, REFUSED, NULL, NULL),
	ACT(consent_page, GRANTED, NULL, NULL),
	ACT(allowed, GRANTED, NULL, "oauth.authorize"),
	ACT(denied, REFUSED, NULL, NULL),
	ACT(code_redeemed, GRANTED, have_code, "oauth.token"),
	ACT(code_used_before, REFUSED, have_used_code, NULL),
	ACT(code_unknown, REFUSED, NULL, NULL),
	ACT(refreshed, GRANTED, have_grant, "oauth.refresh"),
	ACT(refresh_token_used_before, REFUSED, have_old_refresh, NULL),
	ACT(grant_verified, GRANTED, have_grant, NULL),
	ACT(token_verified, GRANTED, have_token, NULL),
	ACT(registered, GRANTED, NULL, "client.register"),
	ACT(revoked, GRANTED, have_grant, "oauth.revoke"),
	ACT(document_of_a_client, GRANTED, NULL, "client.register"),
	ACT(keys_of_a_front, GRANTED, NULL, NULL),
	ACT(logged_out, GRANTED, NULL, "logout"),
	ACT(user_changed, GRANTED, have_grant_now, "user.set"),
#undef ACT
};

#define NACTS	(sizeof(acts) / sizeof(acts[0]))

/* The acts that ask once more by themselves, so that one failed call alone may do no harm. */
static bool
asks_again(const struct act *act)
{
	return act->run == keys_of_a_front;
}

static int
down_set_up(void **state)
{
	struct store_user u = { .name = "grace", .role = "viewer", .digest = DIGEST };
	struct auth_rig *r;
	struct err err;

	fail_calls(0, 0);
	if (rig_set_up(state) != 0)
		return -1;
	r = *state;
	assert_int_equal(store_user_add(r->a->store, &u, &err), 0);
	hashing_attached(r->a, PWHASH);
	r->a->admin = admin_new(SPAN(""));
	return 0;
}

static int
down_tear_down(void **state)
{
	struct auth_rig *r = *state;

	admin_free(r->a->admin);
	return rig_tear_down(state);
}

static enum came
run_act(struct auth_rig *r, const struct act *act)
{
	memset(&sent, 0, sizeof(sent));
	return act->run(r);
}

/* The act with the store failing at its first call, its second, … until it needs no more of them. */
static void
fail_each_call(struct auth_rig *r, const struct act *act, bool for_good)
{
	enum came came;
	unsigned n = 0;
	bool failed;

	do {
		fail_calls(n + 1, for_good ? UINT32_MAX : n + 1);
		came = run_act(r, act);
		failed = down.failed;
		fail_calls(0, 0);
		if (came != UNAVAILABLE && came != act->right)
			fail_msg("%s: call %u of the store failed, and it was %s", act->name, n + 1,
			    came == GRANTED ? "granted" : "refused");
		if (failed && act->right == GRANTED && came == GRANTED && !asks_again(act))
			fail_msg("%s: granted although call %u of the store failed", act->name, n + 1);
		assert_true(++n < CALLS_MAX);
	} while (failed);
	assert_int_equal(came, act->right);
	assert_true(n > 1);
}

struct tale {
	char		action[64];
	unsigned	n;
};

static bool
count_entry(void *arg, uint64_t seq, struct span text, struct span hash)
{
	char entry[AUDIT_ENTRY_MAX + 1];
	struct tale *t = arg;

	(void)seq;
	(void)hash;
	snprintf(entry, sizeof(entry), "%.*s", SPAN_FMT(text));
	t->n += strstr(entry, t->action) != NULL && strstr(entry, "\"outcome\":\"ok\"") != NULL;
	return true;
}

static unsigned
done_on_record(struct auth_rig *r, const char *action)
{
	struct tale t = { .n = 0 };
	struct err err;

	snprintf(t.action, sizeof(t.action), "\"action\":\"%s\"", action);
	assert_int_equal(store_audit_rows(r->a->store, 0, true, SIZE_MAX, count_entry, &t, &err), 0);
	return t.n;
}

static void
fail_all(struct auth_rig *r, bool for_good, size_t i)
{
	unsigned before;

	if (acts[i].before != NULL)
		acts[i].before(r);
	before = acts[i].action == NULL ? 0 : done_on_record(r, acts[i].action);
	fail_each_call(r, &acts[i], for_good);
	if (acts[i].action != NULL && done_on_record(r, acts[i].action) != before + 1)
		fail_msg("%s: on record as %s %u times more, not once", acts[i].name, acts[i].action,
		    done_on_record(r, acts[i].action) - before);
}

static void
what_cannot_be_decided_is_neither_granted_nor_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * NACTS; i++) {
		void *rig;

		assert_int_equal(down_set_up(&rig), 0);
		fail_all(rig, i >= NACTS, i % NACTS);
		assert_int_equal(down_tear_down(&rig), 0);
	}
}

/* --- what is done from time to time ------------------------------------------------------------- */

#define LATER_MS	(10 * SECOND_MS)	/* when it is tried once more, at the latest */

static uint64_t
used_at(struct auth_rig *r)
{
	struct store_grant g;
	struct err err;

	assert_int_equal(store_grant(r->a->store, span_str(grant), &g, &err), 1);
	return g.last_used_ms;
}

static void
have_used_grant(struct auth_rig *r)
{
	have_grant(r);
	rig_wind(r, HOUR_MS);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_GOOD);
}

static void
write_grants(struct auth_rig *r, uint64_t now_ms)
{
	(void)now_ms;
	redeem_write_uses(r->a);
}

static bool
grants_written(struct auth_rig *r)
{
	return used_at(r) == r->now_ms;
}

static void
have_used_token(struct auth_rig *r)
{
	have_token(r);
	assert_int_equal(token_verified(r), GRANTED);
}

static void
write_tokens(struct auth_rig *r, uint64_t now_ms)
{
	uses_write(r->a, now_ms);
}

static bool
tokens_written(struct auth_rig *r)
{
	struct store_token t;
	struct err err;

	assert_int_equal(store_token(r->a->store, SPAN("AbCdEfGh"), &t, &err), 1);
	return t.last_used_ms == r->now_ms;
}

/* More than can be noted as lapsed at one time. */
static void
have_pending_tokens(struct auth_rig *r)
{
	struct store_token t = { .created_ms = r->now_ms - 2 * DAY_MS, .scopes = POLICY_SCOPE_RESEARCH_READ };
	struct err err;

	for (unsigned i = 0; i < 70; i++) {
		snprintf(t.id, sizeof(t.id), "Pending%c", 'A' + (int)i % 58);
		t.id[0] = i < 58 ? 'P' : 'Q';
		assert_int_equal(store_token_add(r->a->store, &t, &err), 0);
	}
	r->a->looked_ms = r->a->written_ms = r->now_ms;
	tokens_changed(r->a);
}

static void
sweep_tokens(struct auth_rig *r, uint64_t now_ms)
{
	r->a->looked_ms = now_ms;
	tokens_tend(r->a, now_ms);
	tokens_tend(r->a, now_ms);
}

static bool
tokens_lapsed(struct auth_rig *r)
{
	return done_on_record(r, "token.lapse") == 70;
}

static const struct chore {
	const char	*name;
	void		 (*before)(struct auth_rig *r);
	void		 (*run)(struct auth_rig *r, uint64_t now_ms);
	bool		 (*done)(struct auth_rig *r);
} chores[] = {
	{ "uses of grants", have_used_grant, write_grants, grants_written },
	{ "uses of tokens", have_used_token, write_tokens, tokens_written },
	{ "tokens that lapse", have_pending_tokens, sweep_tokens, tokens_lapsed },
};

#define NCHORES	(sizeof(chores) / sizeof(chores[0]))

/* The n-th call of the store fails, and what was to be done is done the next time.  False: there was no such call. */
static bool
do_later(const struct chore *chore, unsigned n)
{
	struct auth_rig *r;
	void *rig;
	bool failed;

	assert_int_equal(down_set_up(&rig), 0);
	r = rig;
	chore->before(r);
	fail_calls(n, n);
	chore->run(r, r->now_ms);
	failed = down.failed;
	fail_calls(0, 0);
	if (failed && chore->done(r))
		fail_msg("%s: done although call %u of the store failed", chore->name, n);
	chore->run(r, r->now_ms + LATER_MS);
	if (!chore->done(r))
		fail_msg("%s: not done after call %u of the store had failed", chore->name, n);
	assert_int_equal(down_tear_down(&rig), 0);
	return failed;
}

static void
what_could_not_be_written_is_written_later(void **state)
{
	(void)state;
	for (size_t i = 0; i < NCHORES; i++) {
		unsigned n = 1;

		while (do_later(&chores[i], n))
			assert_true(++n < 20 * CALLS_MAX);
		assert_true(n > 2);
	}
}

/* There is room for so many; without the store the one longest ago is given up, and no other. */
static void
without_the_store_the_newest_uses_are_kept(void **state)
{
	struct auth_rig *r = *state;
	struct auth_oauth *o = r->a->oauth;

	have_used_grant(r);
	assert_int_equal(o->nuses, 1);
	while (o->nuses < OAUTH_USES) {
		o->uses[o->nuses] = o->uses[0];
		o->uses[o->nuses].last_ms = r->now_ms + 2 * o->nuses;
		o->uses[o->nuses++].id[0] = '!';
	}
	o->uses[0].id[0] = '?';
	fail_calls(3, UINT32_MAX);
	assert_int_equal(rig_verdict(r, grant, NULL), IPC_VERDICT_GOOD);
	assert_true(down.failed);
	fail_calls(0, 0);
	assert_int_equal(o->nuses, OAUTH_USES);
	assert_string_equal(o->uses[0].id, grant);
	assert_int_equal(o->uses[1].last_ms, r->now_ms + 2);
	redeem_write_uses(r->a);
	assert_int_equal(o->nuses, 0);
	assert_true(grants_written(r));
}

/* --- logins ------------------------------------------------------------------------------------ */

static void
what_the_store_cannot_say_is_no_failed_attempt(void **state)
{
	struct auth_rig *r = *state;

	for (unsigned i = 0; i < 3 * OAUTH_WRONG_MAX; i++) {
		fail_calls(1 + i % 2, 1 + i % 2);
		assert_int_equal(run_act(r, &acts[0]), UNAVAILABLE);
	}
	fail_calls(0, 0);
	assert_int_equal(run_act(r, &acts[0]), GRANTED);
}

static bool
see_unavailable(void *arg, uint64_t seq, struct span text, struct span hash)
{
	char entry[AUDIT_ENTRY_MAX + 1];
	unsigned *n = arg;

	(void)seq;
	(void)hash;
	snprintf(entry, sizeof(entry), "%.*s", SPAN_FMT(text));
	*n += strstr(entry, "\"service_unavailable\"") != NULL && strstr(entry, "\"grace\"") != NULL;
	return true;
}

/* The store fails while the password is checked, and takes an entry again afterwards. */
static void
a_login_that_could_not_be_decided_is_on_record(void **state)
{
	struct auth_rig *r = *state;
	unsigned seen = 0;
	struct err err;

	fail_calls(2, 2);
	assert_int_equal(run_act(r, &acts[0]), UNAVAILABLE);
	fail_calls(0, 0);
	assert_int_equal(store_audit_rows(r->a->store, 0, true, SIZE_MAX, see_unavailable, &seen, &err), 0);
	assert_int_equal(seen, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_decided_is_neither_granted_nor_refused),
		cmocka_unit_test(what_could_not_be_written_is_written_later),
		cmocka_unit_test_setup_teardown(without_the_store_the_newest_uses_are_kept, down_set_up,
		    down_tear_down),
		cmocka_unit_test_setup_teardown(what_the_store_cannot_say_is_no_failed_attempt, down_set_up,
		    down_tear_down),
		cmocka_unit_test_setup_teardown(a_login_that_could_not_be_decided_is_on_record, down_set_up,
		    down_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
