/*
 * login - sign-in: by a password, a trusted proxy, or the link for the first administrator; and a login from its
 * request to its answer, which signing in elsewhere (member.h) has as well.
 */
#pragma once

#include "workers/auth/oauth/oauth.h"
#include "workers/auth/store/store_user.h"

void login_take(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_login *m);
void login_setup(struct auth *a, uint64_t peer, uint64_t id, const struct ipc_setup *m);
void login_out(struct auth *a, const struct ipc_logout *m, struct ipc_signed_out *out);

/* The user of the session cookie: 1 with *u; 0: none.  asserted: see messages.def. */
int login_user(struct auth *a, struct span session, struct span asserted, uint64_t now_ms, struct store_user *u,
    uint64_t *expires_ms, struct err *err);

/* Whether a name or a password is acceptable for a new user; *err says why not. */
int login_check_name(struct span name, struct err *err);
int login_check_password(struct span password, struct err *err);

/* The origin of this server for browsers: public_url, else a loopback name and the port. */
void login_put_origin(const struct auth *a, struct buf *out);

/* Put the link for the first administrator into out: 1; 0: no link is wanted; -1. */
int login_setup_link(struct auth *a, uint64_t now_ms, struct buf *out, uint64_t *expires_ms, struct err *err);

struct login {
	uint64_t	 peer, id;
	bool		 owner;		/* asked by the owner's own process on this machine */
	char		 name[TALLY_NAME + 1], address[65], receipt[65];
	char		 session[OAUTH_SECRET + 1];	/* the session to replace; empty: none */
	char		 link[OAUTH_SECRET + 1];	/* of a SETUP; else empty */
	char		 digest[STORE_PWHASH_MAX + 1];	/* the digest to check; empty: no user of this name has a
                                                         * password */
};

struct login *login_new(uint64_t peer, uint64_t id, struct span name, struct span address, struct span receipt);

/* Answer, and free l. */
void login_say(struct login *l, enum ipc_oauth outcome, const char *message, unsigned retry_after_s);

/* Append an entry of l within the open transaction. */
int login_note(struct auth *a, const struct login *l, enum audit_action action, enum ipc_oauth outcome,
    struct err *err);

/* The same of a user that is made or changed: its role, and the one before (NULL: it is new). */
int login_note_role(struct auth *a, const struct login *l, enum audit_action action, const char *role,
    const char *before, struct err *err);

/* Refuse because the store cannot tell who the user is; not counted as a wrong password. */
void login_unavailable(struct auth *a, struct login *l, const struct err *why);

/* Open a session in the open transaction, replacing the old one. */
int login_open_session(struct auth *a, const struct login *l, char session[OAUTH_SECRET + 1], struct err *err);

/* End the transaction, answer and free l.  result is 0 when session was opened in it.  -1: nothing was changed. */
int login_finish(struct auth *a, struct login *l, int result, char session[OAUTH_SECRET + 1], struct err *err);
