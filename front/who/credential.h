/*
 * credential - the steps of the gateway that find out who asks: by the static token, by a connectivity token,
 * which carrel-auth knows, or, without any, by being the owner's own process.
 */
#ifndef FRONT_WHO_CREDENTIAL_H
#define FRONT_WHO_CREDENTIAL_H

#include "front/gateway.h"

/* Find the credential of an HTTP request, if any.  A wrong credential is refused, never ignored. */
enum gate credential_head(struct passage *p);

/* The credential that a local client gave with its greeting. */
enum gate credential_message(struct passage *p);

/* Refuse the request if its credential is not valid now. */
enum gate credential_stands(struct passage *p);

/* The error code for carrel-auth's verdict on a credential that is not good. */
enum err_code credential_code(enum ipc_verdict verdict);

/* Send 401 with a challenge, 429 for a blocked address, or 503 while carrel-auth cannot be asked. */
enum gate credential_refuse_http(struct passage *p, const struct gate_refusal *r);

#endif
