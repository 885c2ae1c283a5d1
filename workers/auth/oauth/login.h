/* login - sign-in: by a password, a trusted proxy, or the link for the first administrator. */
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
