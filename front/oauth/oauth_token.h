/*
 * oauth_token - what clients call themselves: token (RFC 6749 4.1.3 and 6), register (RFC 7591), revoke (RFC 7009).
 */
#pragma once

#include "front/front.h"
#include "front/wire/http_parse.h"

#define OAUTH_CLIENT_MAX	(16u * 1024)	/* bytes of a registration */

struct conn;

void oauth_token_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_register_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_revoke_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
