/* settings - GET and PATCH of /api/user-settings: the preferences of the caller, {"dataAgent": {…}}. */
#pragma once

#include "front/front.h"
#include "front/wire/http_parse.h"

struct conn;

void settings_serve(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
