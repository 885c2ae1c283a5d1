/* rest_openapi - GET /api/v1/ext/openapi.json: the document of the operations in rest.def, for programs and people. */
#pragma once

#include "front/http/conn.h"

/* A handler of struct site_place. */
void rest_openapi(struct conn *c, const struct http_request *q, struct principal *who, struct span body);
