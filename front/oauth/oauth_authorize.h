/*
 * oauth_authorize - GET and POST of /api/oauth/authorize (RFC 6749 4.1, RFC 9207), and what the login page knows of
 * the authorization that it is for.
 */
#pragma once

#include "front/front.h"
#include "front/oauth/oauth_request.h"
#include "front/wire/template.h"
#include "policy/scopes.h"

#define OAUTH_AUTHORIZE	"/api/oauth/authorize"

void oauth_authorize_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);

/* AUTHORIZE with these parameters.  look: only how it stands; the answer is for told(). */
void oauth_authorize_ask(struct oauth_request *r, const struct form *parameters, bool look,
    void (*told)(struct oauth_request *r, const union ipc_any *answer));

/* Show an error page, for errors that must not be sent to the redirect URI. */
void oauth_authorize_shown(struct oauth_request *r, const struct ipc_authorized *a);

/* The client's name on a page; empty: unknown. */
struct span oauth_authorize_client(const struct ipc_authorized *a, const struct form *parameters);

/* What the form of a page that asks says: the scopes that are ticked, and the button. */
uint32_t oauth_authorize_ticked(const struct form *body, struct policy_named *tools);
enum ipc_decision oauth_authorize_decision(const struct oauth_request *r);

/* The resource that is asked for, or, with an empty one, both. */
void oauth_authorize_put_resource(const struct oauth_request *r, struct span resource, struct buf *out);

/* Tick boxes for a page: rows with scope, sentence and ticked. */
#define OAUTH_SCOPES_MAX	(32u + POLICY_NAMED_MAX)
struct oauth_scopes {
	size_t			n;
	struct buf		names[OAUTH_SCOPES_MAX], sentences[OAUTH_SCOPES_MAX];
	struct template_value	values[OAUTH_SCOPES_MAX][3];
	struct template_row	rows[OAUTH_SCOPES_MAX];
};

/* Of the team's tools, which are ticked at first, by their titles. */
void oauth_authorize_list(const struct oauth_request *r, struct oauth_scopes *list, uint64_t offered, uint64_t ticked,
    struct span tools);
void oauth_authorize_list_fini(struct oauth_scopes *list);

/* The sentence that describes one scope on the consent page; NULL: the scope has none. */
const char *oauth_scope_sentence(uint32_t scope);
