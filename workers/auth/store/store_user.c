#include <string.h>

#include "workers/auth/store/store_claim.h"
#include "workers/auth/store/store_user.h"
#include "workers/auth/store/store_driver.h"

/* Reads STORE_USER_COLUMNS and the two counts. */
static void
read_user(struct store_query *q, struct store_user *u)
{
	memset(u, 0, sizeof(*u));
	store_column_text(q, 0, u->name, sizeof(u->name));
	store_column_text(q, 1, u->role, sizeof(u->role));
	store_column_text(q, 2, u->digest, sizeof(u->digest));
	u->disabled = store_column_uint(q, 3) != 0;
	u->created_ms = store_column_uint(q, 4);
	u->changed_ms = store_column_uint(q, 5);
	u->last_login_ms = store_column_uint(q, 6);
	u->grants = store_column_uint(q, 7);
	u->sessions = store_column_uint(q, 8);
}

/* Remove the preferences and claims of the principal "user:<name>": another user may get the name. */
static int
forget_principal(struct store *s, const char *name, struct err *err)
{
	char principal[sizeof("user:") + STORE_USER_MAX] = "user:";

	strncat(principal, name, STORE_USER_MAX);
	return store_claims_set(s, principal, SPAN(""), err) != 0 ?
	    -1 :
	    store_preferences_set(s, span_str(principal), SPAN(""), err);
}

int
store_user_add(struct store *s, const struct store_user *u, struct err *err)
{
	/* An earlier program may have removed a user of the name, and left its claims. */
	if (forget_principal(s, u->name, err) != 0)
		return -1;
	return store_change(STORE_GIVEN(s, STORE_USER_ADD, err, STORE_T(u->name), STORE_T(u->role), STORE_T(u->digest),
				STORE_N(u->disabled), STORE_N(u->created_ms)),
	    NULL, err);
}

static int
one_user(struct store_query *q, struct store_user *out, struct err *err)
{
	int found = store_look(q, err);

	if (found != 1)
		return found;
	read_user(q, out);
	return store_found(q);
}

int
store_user(struct store *s, struct span name, struct store_user *out, struct err *err)
{
	return one_user(STORE_GIVEN(s, STORE_USER, err, STORE_S(name)), out, err);
}

int
store_user_identified(struct store *s, const char *digest, struct store_user *out, struct err *err)
{
	return one_user(STORE_GIVEN(s, STORE_USER_IDENTIFIED, err, STORE_T(digest)), out, err);
}

int
store_users(struct store *s, uint64_t now_ms, bool (*fn)(void *arg, const struct store_user *u), void *arg,
    struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_USERS, err, STORE_N(now_ms));
	struct store_user u;
	int found;

	while ((found = store_look(q, err)) == 1) {
		read_user(q, &u);
		if (!fn(arg, &u)) {
			store_found(q);
			return 0;
		}
	}
	return found;
}

int
store_users_of_role(struct store *s, const char *role, uint64_t *n, struct err *err)
{
	return store_count(STORE_GIVEN(s, STORE_USERS_OF_ROLE, err, STORE_T(role)), n, err);
}

int
store_user_set(struct store *s, const struct store_user *u, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_USER_SET, err, STORE_T(u->name), STORE_T(u->role), STORE_T(u->digest),
				STORE_N(u->disabled), STORE_N(u->changed_ms)),
	    NULL, err);
}

int
store_user_login(struct store *s, const char *name, uint64_t now_ms, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_USER_LOGIN, err, STORE_T(name), STORE_N(now_ms)), NULL, err);
}

int
store_user_remove(struct store *s, const char *name, struct err *err)
{
	static const enum store_statement all[] = {
		STORE_USER_REMOVE, STORE_LOGINS_END, STORE_CONSENTS_OF_USER_REMOVE,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (store_change(STORE_GIVEN(s, all[i], err, STORE_T(name)), NULL, err) != 0)
			return -1;
	return forget_principal(s, name, err);
}

int
store_session_add(struct store *s, const struct store_session *l, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_LOGIN_ADD, err, STORE_B(l->digest, STORE_DIGEST), STORE_T(l->user),
				STORE_N(l->created_ms), STORE_N(l->expires_ms)),
	    NULL, err);
}

int
store_session(struct store *s, const uint8_t digest[STORE_DIGEST], struct store_session *out, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_LOGIN, err, STORE_B(digest, STORE_DIGEST));
	int found = store_look(q, err);

	if (found != 1)
		return found;
	memset(out, 0, sizeof(*out));
	memcpy(out->digest, digest, STORE_DIGEST);
	store_column_text(q, 0, out->user, sizeof(out->user));
	out->created_ms = store_column_uint(q, 1);
	out->expires_ms = store_column_uint(q, 2);
	return store_found(q);
}

int
store_session_end(struct store *s, const uint8_t digest[STORE_DIGEST], struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_LOGIN_END, err, STORE_B(digest, STORE_DIGEST)), NULL, err);
}

int
store_sessions_end(struct store *s, const char *user, uint64_t *n, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_LOGINS_END, err, STORE_T(user)), n, err);
}

int
store_codes_end(struct store *s, const char *user, struct err *err)
{
	return store_change(STORE_GIVEN(s, STORE_CODES_END, err, STORE_T(user)), NULL, err) != 0 ?
	    -1 :
	    store_change(STORE_GIVEN(s, STORE_DEVICES_END, err, STORE_T(user)), NULL, err);
}

int
store_consent(struct store *s, const char *user, struct span client, struct span redirect, struct store_consent *out,
    struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_CONSENT, err, STORE_T(user), STORE_S(client), STORE_S(redirect));
	int found = store_look(q, err);

	*out = (struct store_consent){ .scopes = 0 };
	if (found != 1)
		return found;
	out->scopes = (uint32_t)store_column_uint(q, 0);
	out->at_ms = store_column_uint(q, 1);
	out->exact = store_column_uint(q, 2) != 0;
	store_column_named(q, 3, out->scopes, &out->named);
	return store_found(q);
}

int
store_consent_set(struct store *s, const char *user, const char *client, const char *redirect, uint32_t scopes,
    const char *named, uint64_t now_ms, struct err *err)
{
	if (store_change(STORE_GIVEN(s, STORE_CONSENT_SET, err, STORE_T(user), STORE_T(client), STORE_T(redirect),
			     STORE_N(scopes), STORE_N(now_ms), STORE_T(named)),
		NULL, err) != 0)
		return -1;
	return store_change(STORE_GIVEN(s, STORE_CONSENTS_TRIM, err, STORE_T(user), STORE_T(client),
				STORE_N(STORE_CONSENTS_MAX)),
	    NULL, err);
}

int
store_preferences(struct store *s, struct span principal, struct buf *out, struct err *err)
{
	struct store_query *q = STORE_GIVEN(s, STORE_PREFERENCES, err, STORE_S(principal));
	int found = store_look(q, err);

	if (found != 1)
		return found;
	buf_span(out, store_column(q, 0));
	return store_found(q);
}

int
store_preferences_set(struct store *s, struct span principal, struct span text, struct err *err)
{
	if (text.len == 0)
		return store_change(STORE_GIVEN(s, STORE_PREFERENCES_REMOVE, err, STORE_S(principal)), NULL, err);
	return store_change(STORE_GIVEN(s, STORE_PREFERENCES_SET, err, STORE_S(principal), STORE_S(text)), NULL, err);
}
