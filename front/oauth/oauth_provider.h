/* oauth_provider - sign-in at the organization's identity provider: the browser's way there, and back. */
#pragma once

#include "front/front.h"
#include "front/http/conn.h"

#define OAUTH_DEPARTURE	"/api/oauth/organization"

void oauth_provider_depart(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_provider_arrive(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
