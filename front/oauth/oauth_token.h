/*
 * oauth_token - what clients call themselves: token (RFC 6749 4.1.3 and 6), register (RFC 7591), revoke (RFC 7009).
 */
#pragma once

#include "front/front.h"
#include "front/wire/http_parse.h"

#define OAUTH_CLIENT_MAX	(16u * 1024)	/* bytes of a registration */

struct conn;
struct oauth_request;

/* The most bytes of a parameter. */
struct oauth_bound {
	const char	*name;
	size_t		 max;
};

/* A POST with a form of parameters within these bounds; else it is answered.  Returns NULL then. */
struct oauth_request *oauth_token_form(struct conn *c, const struct http_request *q, struct span body,
    const struct oauth_bound *bounds, size_t n);

/* Answer with the error of an outcome (RFC 6749 5.2). */
void oauth_token_refused(struct oauth_request *r, uint64_t outcome, struct span message, uint64_t retry_after_s);

void oauth_token_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_register_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_revoke_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
