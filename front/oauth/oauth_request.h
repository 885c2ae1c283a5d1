/*
 * oauth_request - one HTTP request of the pages or of an endpoint of OAuth, while carrel-auth is asked for it.
 *
 * The request owns copies of all that it needs: the bytes it came in are gone when carrel-auth answers.  It ends with
 * its reply, or with its connection.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "front/wire/address.h"
#include "front/http/conn.h"
#include "front/wire/form.h"
#include "front/calls/router.h"
#include "ipc/messages.h"

#define OAUTH_SESSION_MAX	128u	/* bytes of a session in a cookie */
#define OAUTH_CSRF		43	/* characters of what a form bears against forgery */

struct auth_ask;

struct oauth_request {
	struct conn	*conn;
	struct front	*front;
	struct auth_ask	*ask;		/* the question to carrel-auth that is open; NULL: none */
	void		(*told)(struct oauth_request *r, const union ipc_any *answer);
	struct form	 query, body;
	struct form	 next;		/* parameters of the authorization that a login is for */
	struct buf	 target;	/* path and query of an authorization request, as they came */
	struct span	 issuer;
	struct buf	 cookies;	/* Set-Cookie lines of the reply */
	struct buf	 call;		/* of the administration page: msgpack, name and arguments */
	struct buf	 came_for;	/* the path that the sign-in elsewhere is for; empty: none */
	struct buf	 asserted;	/* the user that a trusted proxy names; empty: none */
	char		 account[24];	/* at the other end: "local:1000"; empty: elsewhere, or behind a proxy */
	char		 session[OAUTH_SESSION_MAX + 1];	/* empty: none */
	char		 local[OAUTH_SESSION_MAX + 1];	/* of the administration page, by a link; empty: none */
	char		 visitor[OAUTH_SESSION_MAX + 1];	/* of a form before there is a session */
	char		 address[ADDRESS_TEXT_MAX];
	char		 receipt[REQUEST_ID_MAX];
	bool		 owner;		/* the owner's own process asks, not through a proxy */
	bool		 html, json, post;	/* what is accepted; the method */
	bool		 forged;	/* its form lacks a valid token against forgery */
	bool		 keyed;		/* of the administration page: it carries the page's key */
	bool		 arrived;	/* the browser comes back from the identity provider */
	bool		 asserted_tried;	/* carrel-auth was asked for a session of the asserted user */
	/* what came of a login, for the page that says so */
	int		 status;
	unsigned	 retry_after;
	struct buf	 wrong;
};

/* The request that c serves.  Forms are read by oauth_request_forms(). */
struct oauth_request *oauth_request_begin(struct conn *c, const struct http_request *q);
void oauth_request_end(struct oauth_request *r);	/* NULL: nothing */

/*
 * Read the query, and the body of a POST, which has to be a form.  many: the one field of the body that may come more
 * than once, or NULL.  Returns NULL, or what is wrong with them.
 */
const char *oauth_request_forms(struct oauth_request *r, const struct http_request *q, struct span body,
    const char *many);

/* Ask carrel-auth.  told() hears the answer, or NULL if absent; at once when it cannot be asked now. */
void oauth_request_ask(struct oauth_request *r, unsigned type, const void *msg, unsigned answered,
    void (*told)(struct oauth_request *r, const union ipc_any *answer));

/* The session or the visitor that the reply's cookie is to be. */
void oauth_request_sign_in(struct oauth_request *r, struct span session, uint64_t seconds);
void oauth_request_sign_out(struct oauth_request *r);

/*
 * For a sign-in at the identity provider: a visitor's cookie, which binds it to this browser, and one with the path
 * that it is for.  A path that is too long for a cookie is not kept.
 */
void oauth_request_depart(struct oauth_request *r, struct span next);

/* The browser is back: take the path into came_for, and have the cookie removed. */
void oauth_request_arrive(struct oauth_request *r, const struct http_request *q);

/* The session of the administration page that the reply's cookie is to be; empty: none any more. */
void oauth_request_enter(struct oauth_request *r, struct span session, uint64_t seconds);

/*
 * The key of the administration page, which is its token against forgery, too.  The page keeps it where only its own
 * origin reads it, so that the cookie alone is nothing.  False: no user is signed in.
 */
bool oauth_request_page_key(const struct oauth_request *r, char out[OAUTH_CSRF + 1]);

/*
 * What the forms of the reply bear, and whether this request's form bears it.  signed_in: it must be that of the
 * session; else that of a page which was shown before there was one is good as well.
 */
void oauth_request_csrf(struct oauth_request *r, char out[OAUTH_CSRF + 1]);
bool oauth_request_is_own(const struct oauth_request *r, bool signed_in);
