/* login_parts - what all ways of signing in have in common: a login from its request to its answer. */
#pragma once

#include "workers/auth/oauth/login.h"

struct login {
	uint64_t	 peer, id;
	bool		 owner;		/* asked by the owner's own process on this machine */
	char		 name[TALLY_NAME + 1], address[65], receipt[65];
	char		 session[OAUTH_SECRET + 1];	/* the session to replace; empty: none */
	char		 link[OAUTH_SECRET + 1];	/* of a SETUP; else empty */
	char		 digest[STORE_PWHASH_MAX + 1];	/* the digest to check; empty: no user of this name has a
                                                         * password */
	const char	*code;		/* of a refusal, for the audit; NULL: that of the outcome */
};

struct login *login_new(uint64_t peer, uint64_t id, struct span name, struct span address, struct span receipt);

/* Answer, and free l. */
void login_say(struct login *l, enum ipc_oauth outcome, const char *message, unsigned retry_after_s);

/* Append an entry of l within the open transaction. */
int login_note(struct auth *a, const struct login *l, enum audit_action action, enum ipc_oauth outcome,
    struct err *err);

/* Refuse because the store cannot tell who the user is; not counted as a wrong password. */
void login_unavailable(struct auth *a, struct login *l, const struct err *why);

/* Open a session in the open transaction, replacing the old one. */
int login_open_session(struct auth *a, const struct login *l, char session[OAUTH_SECRET + 1], struct err *err);

/* End the transaction, answer and free l.  result is 0 when session was opened in it.  -1: nothing was changed. */
int login_finish(struct auth *a, struct login *l, int result, char session[OAUTH_SECRET + 1], struct err *err);
