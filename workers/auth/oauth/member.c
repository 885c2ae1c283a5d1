#include <stdio.h>

#include "base/ascii.h"
#include "base/system/log.h"
#include "policy/scopes.h"
#include "workers/auth/oauth/member.h"
#include "workers/auth/oauth/roles.h"
#include "workers/auth/store/store.h"
#include "workers/auth/store/store_claim.h"
#include "workers/auth/worker.h"

/*
 * Replace *best with the role of the group, if that has more; of two that have as much the one whose name is first, in
 * whatever order the groups come.
 */
static void
consider_group(const struct auth *a, const struct mp_value *roles, struct span group, struct span *best)
{
	struct mp_value role;
	unsigned rank, known = roles_rank(a, *best);

	if (span_is_str(group, "*") || !mp_member(roles, group, &role) || role.class != MP_STR)
		return;
	rank = roles_rank(a, role.s);
	if (rank > known || (rank == known && span_cmp(role.s, *best) < 0))
		*best = role.s;
}

/* What anybody has counts only if it is more than the role of each group. */
static void
consider_anybody(const struct auth *a, const struct mp_value *roles, struct span *best)
{
	struct mp_value role;

	if (mp_member(roles, SPAN("*"), &role) && role.class == MP_STR && roles_rank(a, role.s) > roles_rank(a, *best))
		*best = role.s;
}

struct span
member_role(const struct auth *a, struct span all, struct span raw)
{
	struct mp_value roles, groups, each;
	struct span best = SPAN("");
	struct mp_iter it;

	if (!mp_value(all, &roles) || !mp_value(raw, &groups))
		return best;
	if (groups.class == MP_STR)
		consider_group(a, &roles, groups.s, &best);
	for (it = mp_iter(&groups); groups.class == MP_ARRAY && mp_next(&it, &each);)
		if (each.class == MP_STR)
			consider_group(a, &roles, each.s, &best);
	consider_anybody(a, &roles, &best);
	return best;
}

void
member_refuse(struct auth *a, struct login *l, enum sign_in reason)
{
	bool later = reason == SIGN_IN_PROVIDER || reason == SIGN_IN_LOST;
	enum ipc_oauth outcome = later ? IPC_OAUTH_UNAVAILABLE : IPC_OAUTH_ACCESS_DENIED;
	const struct oauth_note note = { .action = AUDIT_ACTION_LOGIN, .surface = AUDIT_SURFACE_PAGE,
		.outcome = outcome, .target = span_str(l->name), .code = sign_in_code(reason),
		.address = span_str(l->address), .receipt = span_str(l->receipt) };
	struct err err;
	int result = store_begin(a->store, &err);

	if (result == 0)
		result = sign_in_is_cheap(reason) ? oauth_note_refusal(a, &note, &err) : oauth_note(a, &note, &err);
	result = oauth_commit(a, result, &err);
	if (result != 0)
		log_warn("a refused login is not on record: %s", err.message);
	login_say(l, outcome, sign_in_sentence(reason), 0);
}

/* What a sign-in makes of the account. */
struct membership {
	struct store_user	user;
	bool			known, changed;	/* changed: its role or its claims are others, or gone */
	bool			less;		/* so that calls under way may not go on */
};

/* The account of the identity, or a new one of its name.  DONE, a refusal, or -1 with *err. */
static int
find_member(struct auth *a, struct login *l, const struct ipc_identified *m, struct membership *b, struct err *err)
{
	struct store_user other;
	char digest[STORE_PWHASH_MAX + 1];
	int found;

	oauth_identity(a->conf.oidc_issuer, m->subject, digest);
	if ((found = store_user_identified(a->store, digest, &b->user, err)) < 0)
		return -1;
	if (found == 1) {
		b->known = true;
		auth_text(l->name, sizeof(l->name), span_str(b->user.name));
		return b->user.disabled ? SIGN_IN_DISABLED : SIGN_IN_DONE;
	}
	auth_text(l->name, sizeof(l->name), m->name);
	for (char *p = l->name; *p != '\0'; p++)
		*p = (char)ascii_lower((uint8_t)*p);
	if (m->name.len > TALLY_NAME || !oauth_user_fine(span_str(l->name)))
		return SIGN_IN_NAME;
	if ((found = store_user(a->store, span_str(l->name), &other, err)) != 0)
		return found < 0 ? -1 : SIGN_IN_NAME_TAKEN;
	b->user = (struct store_user){ .created_ms = store_now_ms(a->store) };
	auth_text(b->user.name, sizeof(b->user.name), span_str(l->name));
	auth_text(b->user.digest, sizeof(b->user.digest), span_str(digest));
	return SIGN_IN_DONE;
}

/* Keep the claims of the identity, in place of those before.  1: they are others, 0: they are the same; -1. */
static int
keep_claims(struct auth *a, const struct store_user *u, struct span claims, struct err *err)
{
	char principal[sizeof("user:") + STORE_USER_MAX];
	struct buf before = { 0 };
	int found;
	bool same;

	snprintf(principal, sizeof(principal), "user:%s", u->name);
	found = store_claims(a->store, principal, &before, err);
	same = span_is(buf_view(&before), claims);
	buf_fini(&before);
	return found < 0 ? -1 : same ? 0 : store_claims_set(a->store, principal, claims, err) != 0 ? -1 : 1;
}

static int
add_member(struct auth *a, const struct login *l, const struct store_user *u, struct span claims, struct err *err)
{
	if (store_user_add(a->store, u, err) != 0 || keep_claims(a, u, claims, err) < 0 ||
	    store_claims_mark_removed(a->store, u->digest, false, err) != 0)
		return -1;
	return login_note_role(a, l, AUDIT_ACTION_USER_ADD, u->role, NULL, err);
}

/* Give the account its role and claims, within the transaction.  One without a role loses all that it has open. */
static int
write_member(struct auth *a, const struct login *l, struct membership *b, struct span role, struct span claims,
    struct err *err)
{
	char before[sizeof(b->user.role)];
	uint64_t grants, sessions;
	int other;

	memcpy(before, b->user.role, sizeof(before));
	b->changed = b->known && !span_is_str(role, b->user.role);
	b->less = roles_lessen(a, span_str(b->user.disabled ? "" : b->user.role), role);
	auth_text(b->user.role, sizeof(b->user.role), role);
	if (!b->known)
		return role.len == 0 ? 0 : add_member(a, l, &b->user, claims, err);
	if ((other = keep_claims(a, &b->user, claims, err)) < 0)
		return -1;
	b->changed = b->changed || other == 1;
	b->less = b->less || other == 1;
	if (!b->changed)
		return 0;
	b->user.changed_ms = store_now_ms(a->store);
	if (store_user_set(a->store, &b->user, err) != 0 ||
	    (role.len == 0 && oauth_end_user(a, b->user.name, b->user.changed_ms, &grants, &sessions, err) != 0))
		return -1;
	return login_note_role(a, l, AUDIT_ACTION_USER_SET, b->user.role, before, err);
}

static void
tell_change(struct auth *a, const struct membership *b)
{
	char principal[sizeof("user:") + STORE_USER_MAX];

	snprintf(principal, sizeof(principal), "user:%s", b->user.name);
	if (b->changed)
		fronts_narrow(&a->fronts, principal, oauth_user_scopes(a, &b->user), b->less);
}

/* Within the transaction: DONE with an open session, or a refusal; -1 with *err: nothing may be kept. */
static int
decide_member(struct auth *a, struct login *l, const struct ipc_identified *m, struct membership *b,
    char session[OAUTH_SECRET + 1], struct err *err)
{
	struct span role = member_role(a, buf_view(&a->conf.oidc_roles), m->groups);
	int reason = find_member(a, l, m, b, err);

	if (reason != SIGN_IN_DONE)
		return reason;
	if (write_member(a, l, b, role, m->claims, err) != 0)
		return -1;
	if (role.len == 0)
		return SIGN_IN_NO_ROLE;
	return login_open_session(a, l, session, err) == 0 ? SIGN_IN_DONE : -1;
}

void
member_sign_in(struct auth *a, struct login *l, const struct ipc_identified *m)
{
	struct membership b = { .known = false };
	char session[OAUTH_SECRET + 1] = "";
	struct err err;
	int reason;

	if (store_begin(a->store, &err) != 0) {
		login_unavailable(a, l, &err);
		return;
	}
	reason = decide_member(a, l, m, &b, session, &err);
	if (reason <= SIGN_IN_DONE) {
		if (login_finish(a, l, reason, session, &err) == 0)
			tell_change(a, &b);
	} else if (oauth_commit(a, 0, &err) != 0)
		login_unavailable(a, l, &err);
	else {
		tell_change(a, &b);
		member_refuse(a, l, (enum sign_in)reason);
	}
}
