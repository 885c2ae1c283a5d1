/*
 * oauth_device - the device grant (RFC 8628): the endpoint that a device begins at, and the page where its user types
 * the code and says whether the device may.
 */
#pragma once

#include "front/front.h"
#include "front/wire/http_parse.h"

#define OAUTH_DEVICE_PAGE	"/device"

struct conn;

void oauth_device_begin_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
void oauth_device_page_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
