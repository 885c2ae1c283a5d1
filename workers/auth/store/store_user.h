/* store_user - users, their login sessions, consents and preferences in the store. */
#pragma once

#include "workers/auth/store/store_oauth.h"

int store_user_add(struct store *s, const struct store_user *u, struct err *err);

/* 1: found, 0: none, -1. */
int store_user(struct store *s, struct span name, struct store_user *out, struct err *err);

/* The same of the user with this digest, which is an identity's. */
int store_user_identified(struct store *s, const char *digest, struct store_user *out, struct err *err);

/* Call fn for each user, by name, with what is valid at now_ms, until it returns false. */
int store_users(struct store *s, uint64_t now_ms, bool (*fn)(void *arg, const struct store_user *u), void *arg,
    struct err *err);

/* The number of users with this role who can sign in. */
int store_users_of_role(struct store *s, const char *role, uint64_t *n, struct err *err);

/* Updates role, digest, disabled and changed_ms. */
int store_user_set(struct store *s, const struct store_user *u, struct err *err);
int store_user_login(struct store *s, const char *name, uint64_t now_ms, struct err *err);

/* Removes sessions, consents, preferences and claims as well; the grants have been ended before. */
int store_user_remove(struct store *s, const char *name, struct err *err);

int store_session_add(struct store *s, const struct store_session *l, struct err *err);
int store_session(struct store *s, const uint8_t digest[STORE_DIGEST], struct store_session *out, struct err *err);
int store_session_end(struct store *s, const uint8_t digest[STORE_DIGEST], struct err *err);

/* End all sessions of a user; *n: their number. */
int store_sessions_end(struct store *s, const char *user, uint64_t *n, struct err *err);

/* Remove the user's unredeemed codes; used ones stay, so that a replay is noticed. */
int store_codes_end(struct store *s, const char *user, struct err *err);

/* What user granted to client.  1: found, 0: none, -1. */
int store_consent(struct store *s, const char *user, struct span client, struct span redirect,
    struct store_consent *out, struct err *err);
int store_consent_set(struct store *s, const char *user, const char *client, const char *redirect, uint32_t scopes,
    const char *named, uint64_t now_ms, struct err *err);

/* The JSON preferences of a principal.  1: found, 0: none, -1.  Setting an empty text removes them. */
int store_preferences(struct store *s, struct span principal, struct buf *out, struct err *err);
int store_preferences_set(struct store *s, struct span principal, struct span text, struct err *err);
