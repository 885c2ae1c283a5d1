/*
 * oauth_login - the pages on which people sign in and out, and on which the first administrator is made.
 */
#pragma once

#include "front/front.h"
#include "front/oauth/oauth_request.h"

#define OAUTH_LOGIN	"/api/oauth/login"
#define OAUTH_SIGNED_OUT "/api/oauth/signed-out"
#define OAUTH_LOGIN_UNNAMED	\
	SPAN("Users sign in at the proxy in front of this server, and it has not named one.")

void oauth_login_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_logout_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_signed_out_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* Open a session for the user that a trusted proxy names. */
void oauth_login_asserted(struct oauth_request *r,
    void (*told)(struct oauth_request *r, const union ipc_any *answer));

/*
 * The path that the browser is sent to after the login: an authorization, or one of our
 * pages that need a user; nothing else.
 * Empty: none.  go_on: redirect there, or to the login page; a user just signed in gets the key of the
 * administration page, too.
 */
struct span oauth_login_next(struct oauth_request *r);
void oauth_login_go_on(struct oauth_request *r);

/* Show why the sign-in failed. */
void oauth_login_refused(struct oauth_request *r, const struct ipc_signed_in *a);
