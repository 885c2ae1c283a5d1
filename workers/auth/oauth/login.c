#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/ascii.h"
#include "base/system/clock.h"
#include "base/system/log.h"
#include "base/mem.h"
#include "policy/scopes.h"
#include "words/passwords.h"
#include "workers/auth/admin.h"
#include "workers/auth/audit/audit.h"
#include "workers/auth/oauth/guesses.h"
#include "workers/auth/oauth/hashing.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/worker.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_token.h"
#include "workers/auth/store/store_user.h"
#include "workers/shared/serve.h"

#define SETUP		"setup"		/* setting in the store: the digest of the link, and its end */
#define SETUP_MS	(UINT64_C(3600) * 1000)
#define HOUR_MS		(UINT64_C(3600) * 1000)

/* A digest that no password matches: checking an unknown name takes as long as a known one. */
#define NOBODY	"$argon2id$v=19$m=65536,t=2,p=1$b25lIHNhbHQgZm9yIGFsbA$" \
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static const char unavailable[] = "the server cannot decide this now; try again in a moment";

int
login_check_name(struct span name, struct err *err)
{
	return oauth_user_fine(name) ? 0 :
				       err_set(err, ERR_INVALID_ARGUMENTS,
					   "a user's name is 1 to 64 small letters, digits, dots, dashes, "
					   "underscores and at signs, and begins with a letter or digit");
}

int
login_check_password(struct span password, struct err *err)
{
	if (password.len < OAUTH_PASSWORD_MIN || password.len > OAUTH_PASSWORD_MAX)
		return err_set(err, ERR_INVALID_ARGUMENTS, "a password has %d to %d bytes", OAUTH_PASSWORD_MIN,
		    OAUTH_PASSWORD_MAX);
	if (memchr(password.p, '\0', password.len) != NULL || memchr(password.p, '\n', password.len) != NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "a password is one line");
	if (passwords_is_common(password))
		return err_set(err, ERR_INVALID_ARGUMENTS,
		    "this password is among the commonest, or made of one: choose another, such as four words");
	return 0;
}

/* The user of a session, without regard to a proxy. */
static int
session_user(struct auth *a, struct span session, uint64_t now_ms, struct store_user *u, uint64_t *expires_ms,
    struct err *err)
{
	uint8_t digest[STORE_DIGEST];
	struct store_session s;
	int found;

	if (session.len != OAUTH_SECRET)
		return 0;
	oauth_digest(session, digest);
	if ((found = store_session(a->store, digest, &s, err)) != 1)
		return found;
	if (s.expires_ms <= now_ms)
		return 0;
	*expires_ms = s.expires_ms;
	return oauth_user(a, span_str(s.user), u, err);
}

int
login_user(struct auth *a, struct span session, struct span asserted, uint64_t now_ms, struct store_user *u,
    uint64_t *expires_ms, struct err *err)
{
	int found = session_user(a, session, now_ms, u, expires_ms, err);

	/* With a proxy, each request names the user: signing out there ends the session here. */
	if (found == 1 && (a->conf.proxy_users || asserted.len > 0))
		found = a->conf.proxy_users && span_is_folded(asserted, span_str(u->name));
	return found;
}

static int
end_session(struct auth *a, struct span session, struct err *err)
{
	uint8_t digest[STORE_DIGEST];

	if (session.len != OAUTH_SECRET)
		return 0;
	oauth_digest(session, digest);
	return store_session_end(a->store, digest, err);
}

struct login *
login_new(uint64_t peer, uint64_t id, struct span name, struct span address, struct span receipt)
{
	struct login *l = mem_new(1, sizeof(*l));

	l->peer = peer;
	l->id = id;
	auth_text(l->name, sizeof(l->name), name);
	auth_text(l->address, sizeof(l->address), address);
	auth_text(l->receipt, sizeof(l->receipt), receipt);
	return l;
}

void
login_say(struct login *l, enum ipc_oauth outcome, const char *message, unsigned retry_after_s)
{
	struct ipc_signed_in out = { .outcome = outcome, .message = span_str(message), .retry_after_s = retry_after_s };

	(void)serve_send(l->peer, IPC_MSG_SIGNED_IN, l->id, &out);
	sodium_memzero(l, sizeof(*l));
	free(l);
}

static struct oauth_note
note_of(const struct login *l, enum audit_action action)
{
	return (struct oauth_note){ .action = action,
		.surface = AUDIT_SURFACE_PAGE,
		.outcome = IPC_OAUTH_DONE,
		.target = span_str(l->name),
		.address = span_str(l->address),
		.receipt = span_str(l->receipt) };
}

int
login_note(struct auth *a, const struct login *l, enum audit_action action, enum ipc_oauth outcome, struct err *err)
{
	struct oauth_note n = note_of(l, action);

	n.outcome = outcome;
	n.user = outcome == IPC_OAUTH_DONE ? l->name : NULL;
	return oauth_note(a, &n, err);
}

int
login_note_role(struct auth *a, const struct login *l, enum audit_action action, const char *role, const char *before,
    struct err *err)
{
	struct oauth_note n = note_of(l, action);

	n.user = l->name;
	n.role = role;
	n.role_before = before;
	return oauth_note(a, &n, err);
}

/* Refuse, and record the refusal.  A failure to record changes nothing. */
static void
login_refuse(struct auth *a, struct login *l, enum ipc_oauth outcome, const char *message, unsigned retry_after_s)
{
	struct err err;
	int result = store_begin(a->store, &err);

	if (result == 0)
		result = oauth_commit(a, login_note(a, l, AUDIT_ACTION_LOGIN, outcome, &err), &err);
	if (result != 0)
		log_warn("a refused login is not on record: %s", err.message);
	login_say(l, outcome, message, retry_after_s);
}

void
login_unavailable(struct auth *a, struct login *l, const struct err *why)
{
	log_error("a login cannot be decided: %s", why->message);
	login_refuse(a, l, IPC_OAUTH_UNAVAILABLE, unavailable, 0);
}

int
login_open_session(struct auth *a, const struct login *l, char session[OAUTH_SECRET + 1], struct err *err)
{
	uint64_t now = store_now_ms(a->store);
	struct store_session s = { .created_ms = now, .expires_ms = now + a->conf.session_h * HOUR_MS };

	oauth_draw(session);
	oauth_digest(span_str(session), s.digest);
	snprintf(s.user, sizeof(s.user), "%.*s", STORE_USER_MAX, l->name);
	if (end_session(a, span_str(l->session), err) != 0 || store_session_add(a->store, &s, err) != 0 ||
	    store_user_login(a->store, l->name, now, err) != 0)
		return -1;
	return login_note(a, l, AUDIT_ACTION_LOGIN, IPC_OAUTH_DONE, err);
}

int
login_finish(struct auth *a, struct login *l, int result, char session[OAUTH_SECRET + 1], struct err *err)
{
	struct ipc_signed_in out = { .outcome = IPC_OAUTH_DONE, .session = span_str(session),
		.session_s = a->conf.session_h * 3600ull, .user = span_str(l->name) };

	if (oauth_commit(a, result, err) != 0) {
		login_unavailable(a, l, err);
		return -1;
	}
	(void)serve_send(l->peer, IPC_MSG_SIGNED_IN, l->id, &out);
	sodium_memzero(session, OAUTH_SECRET + 1);
	sodium_memzero(l, sizeof(*l));
	free(l);
	return 0;
}

static void
login_open(struct auth *a, struct login *l)
{
	char session[OAUTH_SECRET + 1] = "";
	struct err err;

	if (store_begin(a->store, &err) != 0) {
		login_unavailable(a, l, &err);
		return;
	}
	(void)login_finish(a, l, login_open_session(a, l, session, &err), session, &err);
}

static void
password_checked(struct auth *a, void *arg, enum hashing_answer answer, const char *digest)
{
	struct login *l = arg;
	struct store_user u;
	struct err err;
	int found = 0;

	(void)digest;
	/* A check that failed to run does not count as a wrong password. */
	if (answer != HASHING_NO)
		guesses_right(a, l);
	if (answer == HASHING_LOST) {
		login_say(l, IPC_OAUTH_BUSY, "passwords cannot be checked now; try again in a moment", 0);
		return;
	}
	/* Read the user again: the account may have been disabled or changed meanwhile. */
	if (answer == HASHING_YES && l->digest[0] != '\0')
		found = oauth_user(a, span_str(l->name), &u, &err);
	if (found < 0) {
		login_unavailable(a, l, &err);
		return;
	}
	if (found == 1 && strcmp(u.digest, l->digest) == 0) {
		login_open(a, l);
		return;
	}
	if (answer == HASHING_NO)
		guesses_wrong(a, l, true);
	login_refuse(a, l, IPC_OAUTH_ACCESS_DENIED, "that name and password do not belong together", 0);
}

static void
login_by_password(struct auth *a, struct login *l, struct span password)
{
	struct store_user u = { .digest = "" };
	struct err err;
	unsigned wait;
	int found;

	if (guesses_begin(a, l, &wait, &err) != 0) {
		login_unavailable(a, l, &err);
		return;
	}
	if (wait != 0) {
		login_refuse(a, l, IPC_OAUTH_TOO_MANY, "too many wrong passwords; wait before the next one", wait);
		return;
	}
	if ((found = oauth_user(a, span_str(l->name), &u, &err)) < 0) {
		guesses_right(a, l);
		login_unavailable(a, l, &err);
		return;
	}
	if (found == 1 && !oauth_is_identity(u.digest))
		memcpy(l->digest, u.digest, sizeof(l->digest));
	/* No password is longer; hashing it would only cost time. */
	if (password.len > OAUTH_PASSWORD_MAX)
		password.len = 0;
	if (!hashing_ask(a, span_str(l->digest[0] != '\0' ? l->digest : NOBODY), password, password_checked, l)) {
		guesses_right(a, l);
		login_say(l, IPC_OAUTH_BUSY, "too many sign in at this moment; try again", 0);
	}
}

/* Add a user whom the proxy names for the first time, in the open transaction. */
static int
add_asserted(struct auth *a, const struct login *l, struct err *err)
{
	struct store_user u = { .created_ms = store_now_ms(a->store) };

	snprintf(u.name, sizeof(u.name), "%.*s", STORE_USER_MAX, l->name);
	snprintf(u.role, sizeof(u.role), "%.*s", STORE_ROLE_MAX, a->conf.proxy_role);
	if (store_user_add(a->store, &u, err) != 0)
		return -1;
	return login_note_role(a, l, AUDIT_ACTION_USER_ADD, u.role, NULL, err);
}

static void
login_by_proxy(struct auth *a, struct login *l)
{
	char session[OAUTH_SECRET + 1] = "";
	struct store_user u;
	struct err err;
	int found, result;

	if (!oauth_user_fine(span_str(l->name))) {
		login_refuse(a, l, IPC_OAUTH_ACCESS_DENIED, "the proxy gave a name that no user here can have", 0);
		return;
	}
	if ((found = store_user(a->store, span_str(l->name), &u, &err)) < 0) {
		login_unavailable(a, l, &err);
		return;
	}
	if (found == 1 ? u.disabled : a->conf.proxy_role[0] == '\0') {
		login_refuse(a, l, IPC_OAUTH_ACCESS_DENIED,
		    "this user is not known here, or may not sign in; ask the owner of the server", 0);
		return;
	}
	if (store_begin(a->store, &err) != 0) {
		login_unavailable(a, l, &err);
		return;
	}
	result = found == 1 ? 0 : add_asserted(a, l, &err);
	(void)login_finish(a, l, result == 0 ? login_open_session(a, l, session, &err) : -1, session, &err);
}

void
login_take(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_login *m)
{
	struct login *l = login_new(peer, id, m->asserted.len > 0 ? m->asserted : m->name, m->address, m->receipt);

	l->owner = m->owner != 0;
	auth_text(l->session, sizeof(l->session), m->session.len == OAUTH_SECRET ? m->session : SPAN(""));
	for (char *p = l->name; m->asserted.len > 0 && *p != '\0'; p++)
		*p = (char)ascii_lower((uint8_t)*p);
	if (!a->conf.oauth || (m->asserted.len > 0) != a->conf.proxy_users)
		login_say(l, IPC_OAUTH_UNAVAILABLE,
		    a->conf.proxy_users ? "users are named by the proxy before this server" : "OAuth is off", 0);
	else if (m->asserted.len > 0)
		login_by_proxy(a, l);
	else if (a->conf.oidc_only)
		login_say(l, IPC_OAUTH_ACCESS_DENIED, "passwords are off; sign in with your organization", 0);
	else
		login_by_password(a, l, m->password);
}

void
login_out(struct auth *a, const struct ipc_logout *m, struct ipc_signed_out *out)
{
	struct oauth_note note = { .action = AUDIT_ACTION_LOGOUT, .surface = AUDIT_SURFACE_PAGE,
		.outcome = IPC_OAUTH_DONE, .address = m->address, .receipt = m->receipt };
	struct store_user u;
	uint64_t expires;
	struct err err;
	int found = admin_leave(a, m, &err);

	*out = (struct ipc_signed_out){ .outcome = IPC_OAUTH_DONE };
	if (found == 1)
		return;
	if (found == 0)
		found = session_user(a, m->session, store_now_ms(a->store), &u, &expires, &err);
	if (found == 0)
		return;
	note.user = u.name;
	if (found == 1 && store_begin(a->store, &err) == 0 &&
	    oauth_commit(a, end_session(a, m->session, &err) != 0 ? -1 : oauth_note(a, &note, &err), &err) == 0)
		return;
	log_error("a user was not signed out: %s", err.message);
	out->outcome = IPC_OAUTH_UNAVAILABLE;
}

static int
count_admins(struct auth *a, uint64_t *n, struct err *err)
{
	return store_users_of_role(a->store, policy_role_name(POLICY_ROLE_ADMIN), n, err);
}

static void
setup_text(struct span link, uint64_t until_ms, char out[128])
{
	uint8_t digest[STORE_DIGEST];
	char hex[2 * STORE_DIGEST + 1];

	oauth_digest(link, digest);
	sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest));
	snprintf(out, 128, "%s %llu", hex, (unsigned long long)until_ms);
}

/* Whether link is the one that was issued: 1, 0, -1. */
static int
setup_is_good(struct auth *a, struct span link, uint64_t now_ms, struct err *err)
{
	struct buf kept = BUF_MAX(256);
	char text[128];
	uint64_t admins = 1, until;
	int found = store_setting(a->store, SETUP, &kept, err);

	if (found == 1 && link.len == OAUTH_SECRET && kept.len > 2 * STORE_DIGEST + 1) {
		until = strtoull(buf_cstr(&kept) + 2 * STORE_DIGEST + 1, NULL, 10);
		setup_text(link, until, text);
		found = until > now_ms && strlen(text) == kept.len && sodium_memcmp(text, kept.p, kept.len) == 0;
		if (found == 1)
			found = count_admins(a, &admins, err) != 0 ? -1 : admins == 0;
	} else if (found == 1)
		found = 0;
	buf_fini(&kept);
	return found;
}

void
login_put_origin(const struct auth *a, struct buf *out)
{
	const char *host = a->conf.bind_host, *url = a->conf.public_url;
	size_t n = strlen(url);

	while (n > 0 && url[n - 1] == '/')
		n--;
	if (n > 0)
		buf_append(out, url, n);
	else
		buf_printf(out, "http://%s:%u",
		    strcmp(host, "::1") == 0           ? "[::1]" :
			strcmp(host, "127.0.0.1") == 0 ? "127.0.0.1" :
							 "localhost",
		    a->conf.port);
}

int
login_setup_link(struct auth *a, uint64_t now_ms, struct buf *out, uint64_t *expires_ms, struct err *err)
{
	char link[OAUTH_SECRET + 1], text[128];
	uint64_t admins;
	int result;

	if (!a->conf.oauth || a->conf.proxy_users || a->conf.oidc_only)
		return 0;
	if (count_admins(a, &admins, err) != 0)
		return -1;
	if (admins > 0)
		return 0;
	oauth_draw(link);
	*expires_ms = now_ms + SETUP_MS;
	setup_text(span_str(link), *expires_ms, text);
	if (store_begin(a->store, err) != 0)
		return -1;
	result = store_set_setting(a->store, SETUP, span_str(text), err);
	if (oauth_commit(a, result, err) != 0)
		return -1;
	login_put_origin(a, out);
	/* Browsers keep the part after the # to themselves: no proxy logs it. */
	buf_printf(out, "%s%s", OAUTH_SETUP_LINK, link);
	sodium_memzero(link, sizeof(link));
	return 1;
}

static const char bad_link[] =
    "this link is no good any more: it is good for one user and for an hour; `carrel mcp start` prints another one "
    "while there is no administrator";

static int
setup_write(struct auth *a, const struct login *l, const char *digest, char session[OAUTH_SECRET + 1], struct err *err)
{
	struct store_user u = { .created_ms = store_now_ms(a->store) }, other;
	int good = setup_is_good(a, span_str(l->link), u.created_ms, err), found;

	if (good != 1)
		return good < 0 ? -1 : err_set(err, ERR_INVALID_ARGUMENTS, "%s", bad_link);
	auth_text(u.role, sizeof(u.role), span_str(policy_role_name(POLICY_ROLE_ADMIN)));
	snprintf(u.name, sizeof(u.name), "%.*s", STORE_USER_MAX, l->name);
	snprintf(u.digest, sizeof(u.digest), "%s", digest);
	if ((found = store_user(a->store, span_str(u.name), &other, err)) != 0)
		return found < 0 ? -1 : err_set(err, ERR_INVALID_ARGUMENTS, "there is a user of that name already");
	if (store_user_add(a->store, &u, err) != 0 || store_set_setting(a->store, SETUP, SPAN("used"), err) != 0 ||
	    login_note_role(a, l, AUDIT_ACTION_USER_ADD, u.role, NULL, err) != 0)
		return -1;
	return login_open_session(a, l, session, err);
}

static void
setup_hashed(struct auth *a, void *arg, enum hashing_answer answer, const char *digest)
{
	char session[OAUTH_SECRET + 1] = "";
	struct login *l = arg;
	struct err err;
	int result;

	if (answer != HASHING_YES) {
		login_say(l, IPC_OAUTH_BUSY, "passwords cannot be set now; try again in a moment", 0);
		return;
	}
	if (store_begin(a->store, &err) != 0) {
		login_unavailable(a, l, &err);
		return;
	}
	if ((result = setup_write(a, l, digest, session, &err)) != 0 && err.code == ERR_INVALID_ARGUMENTS) {
		store_rollback(a->store);
		audit_forget(a->audit);
		login_say(l, IPC_OAUTH_INVALID_REQUEST, err.message, 0);
		return;
	}
	(void)login_finish(a, l, result, session, &err);
}

void
login_setup(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_setup *m)
{
	struct login *l = login_new(peer, id, m->name, m->address, m->receipt);
	struct err err;
	unsigned wait = 0;
	/* A link of before is no way in where users do not have passwords any more. */
	bool may = a->conf.oauth && !a->conf.proxy_users && !a->conf.oidc_only;
	int good = guesses_begin(a, l, &wait, &err);

	if (good == 0 && may && wait == 0)
		good = setup_is_good(a, m->link, store_now_ms(a->store), &err);
	/* Links are rate-limited like passwords. */
	if (wait == 0 && good != 0)
		guesses_right(a, l);
	else if (wait == 0)
		guesses_wrong(a, l, false);
	if (wait != 0)
		login_say(l, IPC_OAUTH_TOO_MANY, "too many links were tried; wait before the next one", wait);
	else if (good < 0)
		login_unavailable(a, l, &err);
	else if (good == 0)
		login_say(l, IPC_OAUTH_ACCESS_DENIED, bad_link, 0);
	else if (login_check_name(m->name, &err) != 0 || login_check_password(m->password, &err) != 0)
		login_say(l, IPC_OAUTH_INVALID_REQUEST, err.message, 0);
	else {
		memcpy(l->link, m->link.p, OAUTH_SECRET);
		if (!hashing_ask(a, SPAN(""), m->password, setup_hashed, l))
			login_say(l, IPC_OAUTH_BUSY, "too many sign in at this moment; try again", 0);
	}
}
