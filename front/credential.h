/*
 * credential - the steps of the gateway that find out who asks: by the static token, by a connectivity token,
 * which carrel-auth knows, or, without any, by being the owner's own process.
 */
#ifndef FRONT_CREDENTIAL_H
#define FRONT_CREDENTIAL_H

#include "front/gateway.h"

/* The credential of an HTTP request, or none.  A credential decides alone, also when it is wrong. */
enum gate credential_head(struct passage *p);

/* The credential that a local client gave with its greeting. */
enum gate credential_message(struct passage *p);

/* What became of it: refuse what is not valid now. */
enum gate credential_stands(struct passage *p);

/* 401 with a challenge, 429 for an address that is blocked, 503 where nobody can tell now. */
enum gate credential_refuse_http(struct passage *p, const struct gate_refusal *r);

#endif
