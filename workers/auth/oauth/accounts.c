#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/mem.h"
#include "base/system/clock.h"
#include "workers/auth/change.h"
#include "workers/auth/claims.h"
#include "workers/auth/nodes.h"
#include "workers/auth/oauth/hashing.h"
#include "workers/auth/oauth/accounts.h"
#include "workers/auth/oauth/login.h"
#include "workers/auth/oauth/roles.h"
#include "workers/auth/rows_list.h"
#include "workers/auth/tokens/tokens_form.h"
#include "workers/auth/tokens/connectivity.h"
#include "workers/auth/worker.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_claim.h"
#include "workers/auth/store/store_user.h"
#include "workers/shared/call.h"

#define LOOK_MS	5

static void
put_user(const struct store_user *u, struct buf *out)
{
	size_t map =
	    mp_open_pairs(out, mp_cstr("name", u->name), mp_cstr("role", u->role[0] != '\0' ? u->role : "none"));

	mp_put_cstr(out, "created_at");
	token_put_time(out, u->created_ms);
	mp_pair_bool(out, "disabled", u->disabled);
	mp_put_cstr(out, "last_login_at");
	token_put_time(out, u->last_login_ms);
	mp_add_pairs(out, mp_uint("grants", u->grants), mp_uint("sessions", u->sessions));
	mp_end(out, map);
}

static int
find_user(struct auth *a, const struct mp_value *args, struct store_user *u, struct err *err)
{
	int found = store_user(a->store, mp_get_str(args, "name", SPAN("")), u, err);

	return found != 0 ? found :
			    err_set(err, ERR_INVALID_ARGUMENTS, "there is no such user; `carrel user list` shows them");
}

/* The role of a call, if it names one, must be known here. */
static int
check_role(const struct auth *a, const struct mp_value *args, struct err *err)
{
	struct span role = mp_get_str(args, "role", SPAN(""));
	struct buf words = { 0 };

	if (role.len == 0 || roles_has(a, role))
		return 0;
	roles_text(a, &words);
	err_set(err, ERR_INVALID_ARGUMENTS, "\"%.*s\" is no role; there are %s", SPAN_FMT(role), buf_cstr(&words));
	buf_fini(&words);
	return -1;
}

struct awaited {
	bool			done;
	enum hashing_answer	answer;
	char			digest[STORE_PWHASH_MAX + 1];
};

static void
take_digest(struct auth *a, void *arg, enum hashing_answer answer, const char *digest)
{
	struct awaited *w = arg;

	(void)a;
	w->done = true;
	w->answer = answer;
	snprintf(w->digest, sizeof(w->digest), "%s", digest);
}

static int
digest_password(struct call *c, struct span password, char out[STORE_PWHASH_MAX + 1], struct err *err)
{
	struct auth *a = call_state(c);
	struct awaited w = { .done = false };

	if (login_check_password(password, err) != 0)
		return -1;
	if (!hashing_ask(a, SPAN(""), password, take_digest, &w))
		return err_set(err, ERR_BUSY, "too many passwords are being checked; try again in a moment");
	while (!w.done && call_wait(c, -1, false, LOOK_MS, err))
		hashing_tend(a, clock_ns());
	if (!w.done) {
		hashing_forget(a, &w);
		return -1;
	}
	if (w.answer != HASHING_YES)
		return err_set(err, ERR_SERVICE_UNAVAILABLE,
		    "the password was not digested: carrel-pwhash does not answer; see `carrel mcp logs`");
	memcpy(out, w.digest, sizeof(w.digest));
	return 0;
}

static int
set_claims(struct auth *a, const struct store_user *u, struct span claims, struct err *err)
{
	char principal[sizeof("user:") + STORE_USER_MAX];

	snprintf(principal, sizeof(principal), "user:%s", u->name);
	return store_claims_set(a->store, principal, claims, err);
}

static int
add_within(struct auth *a, const struct call *c, const struct store_user *u, struct span claims, struct err *err)
{
	struct store_user other;
	int found = store_user(a->store, span_str(u->name), &other, err);

	if (found != 0)
		return found < 0 ? -1 :
				   err_set(err, ERR_INVALID_ARGUMENTS,
				       "there is a user %s already; `carrel user set` changes one", u->name);
	if (store_user_add(a->store, u, err) != 0 || set_claims(a, u, claims, err) != 0)
		return -1;
	return change_record_role(a, c, AUDIT_ACTION_USER_ADD, u->name, u->role, NULL, err);
}

/* {"user": …} */
static void
answer_user(struct call *c, const struct store_user *u, const struct fronts_cut *ended, uint64_t grants)
{
	struct buf out = { 0 };

	mp_put_map(&out, ended == NULL ? 1 : 2);
	mp_put_cstr(&out, "user");
	put_user(u, &out);
	if (ended != NULL)
		connectivity_put_ended(ended, grants, &out);
	call_result(c, buf_view(&out));
	buf_fini(&out);
}

int
user_add_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct span name = mp_get_str(args, "name", SPAN(""));
	struct store_user u = { .created_ms = store_now_ms(a->store) };
	struct buf room = { 0 };
	struct span claims;
	int result = -1;

	if (login_check_name(name, err) != 0)
		return -1;
	if (check_role(a, args, err) != 0)
		return -1;
	auth_text(u.name, sizeof(u.name), name);
	auth_text(u.role, sizeof(u.role), mp_get_str(args, "role", SPAN("")));
	if (claims_read(args, &room, &claims, err) >= 0 &&
	    digest_password(c, mp_get_str(args, "password", SPAN("")), u.digest, err) == 0 &&
	    store_begin(a->store, err) == 0)
		result = oauth_commit(a, add_within(a, c, &u, claims, err), err);
	buf_fini(&room);
	if (result != 0)
		return -1;
	answer_user(c, &u, NULL, 0);
	return 0;
}

struct user_list {
	struct store_user	*v;
	size_t			 n, room;
};

static bool
list_user(void *arg, const struct store_user *u)
{
	struct user_list *l = arg;

	l->v = mem_grow(l->v, l->n, &l->room, sizeof(*l->v));
	l->v[l->n++] = *u;
	return true;
}

/* Of those that have any: {NAME: {CLAIM: VALUE}}. */
static int
put_claims(struct auth *a, const struct user_list *users, struct buf *out, struct err *err)
{
	char principal[sizeof("user:") + STORE_USER_MAX];
	size_t mark = mp_open_map(out), n = 0;
	struct buf claims = { 0 };
	int found = 0;

	for (size_t i = 0; i < users->n && found >= 0; i++) {
		snprintf(principal, sizeof(principal), "user:%s", users->v[i].name);
		buf_reset(&claims, IPC_CLAIMS_MAX);
		if ((found = store_claims(a->store, principal, &claims, err)) != 1)
			continue;
		mp_put_cstr(out, users->v[i].name);
		buf_span(out, buf_view(&claims));
		n++;
	}
	mp_close(out, mark, n);
	buf_fini(&claims);
	return found < 0 ? -1 : 0;
}

/* {"users": […], "claims": {…}} */
int
user_list_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct user_list users = { .n = 0 };
	struct buf out = { 0 };
	int result = store_users(a->store, store_now_ms(a->store), list_user, &users, err);
	size_t map, mark;

	(void)args;
	map = mp_open_map(&out);
	mark = mp_pair_open_array(&out, "users");
	for (size_t i = 0; i < users.n; i++)
		put_user(&users.v[i], &out);
	mp_end(&out, mark);
	mp_put_cstr(&out, "roles");
	roles_put(a, &out);
	mp_put_cstr(&out, "claims");
	if (result == 0)
		result = put_claims(a, &users, &out, err);
	mp_end(&out, map);
	if (result == 0)
		call_result(c, buf_view(&out));
	free(users.v);
	buf_fini(&out);
	return result;
}

struct user_change {
	struct store_user	user;
	bool			narrows, ends;	/* narrows: the role or the claims change; ends: all sessions and
                                                 * grants of the user end */
	bool			reclaims;	/* it has these claims from now on */
	char			before[STORE_ROLE_MAX + 1];	/* its role */
	bool			less;		/* calls under way had more scopes, or other claims */
	struct span		claims;
	uint64_t		grants, logins;	/* how many ended */
};

static bool
take_counts(void *arg, const struct store_user *each)
{
	struct store_user *u = arg;

	if (strcmp(u->name, each->name) != 0)
		return true;
	u->grants = each->grants;
	u->sessions = each->sessions;
	return false;
}

/* Count what stays open before the commit: if counting fails, the change can still be rolled back. */
static int
set_within(struct auth *a, const struct call *c, struct user_change *ch, struct err *err)
{
	if (store_user_set(a->store, &ch->user, err) != 0 ||
	    (ch->reclaims && set_claims(a, &ch->user, ch->claims, err) != 0) ||
	    (ch->ends && oauth_end_user(a, ch->user.name, ch->user.changed_ms, &ch->grants, &ch->logins, err) != 0) ||
	    store_users(a->store, ch->user.changed_ms, take_counts, &ch->user, err) != 0)
		return -1;
	return change_record_role(a, c, AUDIT_ACTION_USER_SET, ch->user.name, ch->user.role, ch->before, err);
}

static int
remove_within(struct auth *a, const struct call *c, struct user_change *ch, struct err *err)
{
	if (oauth_end_user(a, ch->user.name, store_now_ms(a->store), &ch->grants, &ch->logins, err) != 0 ||
	    store_user_remove(a->store, ch->user.name, err) != 0 ||
	    (oauth_is_identity(ch->user.digest) &&
		store_claims_mark_removed(a->store, ch->user.digest, true, err) != 0))
		return -1;
	return change_record(a, c, AUDIT_ACTION_USER_REMOVE, ch->user.name, err);
}

/* Tell the fronts to cut off or narrow what the user has open; *ended: the count of what they cut off. */
static void
tell_fronts(struct call *c, const struct user_change *ch, struct fronts_cut *ended)
{
	struct auth *a = call_state(c);
	struct buf principal = BUF_MAX(128);
	struct ipc_end msg = { .verdict = IPC_VERDICT_REVOKED };

	*ended = (struct fronts_cut){ .calls = 0 };
	if (ch->ends || ch->narrows) {
		buf_printf(&principal, "user:%s", ch->user.name);
		msg.principal = buf_view(&principal);
		msg.scopes = ch->ends ? 0 : oauth_user_scopes(a, &ch->user);
		msg.calls = ch->less;
		fronts_say_and_wait(&a->fronts, c, &msg);
		nodes_wait(c);
		*ended = a->fronts.total;
	}
	ended->sessions += ch->logins;
	buf_fini(&principal);
}

/* digest: of the new password; empty: the password stays. */
static void
read_change(const struct auth *a, const struct mp_value *args, const char *digest, struct user_change *ch)
{
	struct span role = mp_get_str(args, "role", SPAN(""));
	bool disabled = ch->user.disabled;

	memcpy(ch->before, ch->user.role, sizeof(ch->before));
	ch->narrows = ch->reclaims;
	if (role.len > 0) {
		ch->narrows = ch->narrows || !span_is_str(role, ch->user.role);
		auth_text(ch->user.role, sizeof(ch->user.role), role);
	}
	ch->user.disabled = mp_get_bool(args, "disabled", disabled);
	ch->less = ch->reclaims || (ch->user.disabled && !disabled) ||
	    roles_lessen(a, span_str(ch->before), span_str(ch->user.role));
	ch->ends = (ch->user.disabled && !disabled) || mp_get_bool(args, "sign_out", false) || digest[0] != '\0';
	if (digest[0] != '\0')
		snprintf(ch->user.digest, sizeof(ch->user.digest), "%s", digest);
}

/* A password would take the account from the identity that signs in as it; claims come with each sign-in. */
static bool
is_provided(const struct store_user *u, const struct mp_value *args, struct err *err)
{
	struct mp_value v;

	if (!oauth_is_identity(u->digest))
		return false;
	if (mp_get(args, "password", &v))
		return err_set(err, ERR_INVALID_ARGUMENTS,
			   "%s signs in with the organization's provider and has no password; `carrel user remove` "
			   "frees the "
			   "name",
			   u->name) != 0;
	return mp_get(args, "claims", &v) &&
	    err_set(err, ERR_INVALID_ARGUMENTS,
		"%s signs in with the organization's provider, whose claims it has: change them there, and it has them "
		"from the next sign-in on",
		u->name) != 0;
}

int
user_set_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct user_change ch = { .ends = false };
	char digest[STORE_PWHASH_MAX + 1] = "";
	struct fronts_cut ended;
	struct buf room = { 0 };
	struct mp_value v;
	int result = -1, given = claims_read(args, &room, &ch.claims, err);

	if (given >= 0 && check_role(a, args, err) == 0 && find_user(a, args, &ch.user, err) == 1 &&
	    !is_provided(&ch.user, args, err) &&
	    (!mp_get(args, "password", &v) ||
		digest_password(c, mp_get_str(args, "password", SPAN("")), digest, err) == 0) &&
	    store_begin(a->store, err) == 0) {
		/* Read the user again inside the transaction: digesting the password took a while. */
		if (find_user(a, args, &ch.user, err) == 1) {
			ch.reclaims = given == 1;
			read_change(a, args, digest, &ch);
			ch.user.changed_ms = store_now_ms(a->store);
			result = set_within(a, c, &ch, err);
		}
		result = oauth_commit(a, result, err);
	}
	buf_fini(&room);
	if (result != 0)
		return -1;
	tell_fronts(c, &ch, &ended);
	answer_user(c, &ch.user, &ended, ch.grants);
	return 0;
}

int
user_remove_run(struct call *c, const struct mp_value *args, struct err *err)
{
	struct auth *a = call_state(c);
	struct user_change ch = { .ends = true };
	struct fronts_cut ended;
	struct buf out = { 0 };
	int result;

	if (store_begin(a->store, err) != 0)
		return -1;
	result = find_user(a, args, &ch.user, err) == 1 ? remove_within(a, c, &ch, err) : -1;
	if (oauth_commit(a, result, err) != 0)
		return -1;
	tell_fronts(c, &ch, &ended);
	mp_put_map(&out, 2);
	mp_pair_cstr(&out, "removed", ch.user.name);
	connectivity_put_ended(&ended, ch.grants, &out);
	call_result(c, buf_view(&out));
	buf_fini(&out);
	return 0;
}
