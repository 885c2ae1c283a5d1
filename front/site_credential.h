/*
 * site_credential - the steps of the gateway that find out who asks: by the credential of the request, or, without any,
 * by its being the owner's own process.
 */
#pragma once

#include "front/gateway.h"

/* Judge the credential of an HTTP request, if any.  A wrong credential is refused, never ignored. */
enum gate site_credential(struct passage *p);

/* Judge the credential that a local client gave with its greeting. */
enum gate site_message(struct passage *p);

/* Refuse the request if its credential is not valid now. */
enum gate site_stands(struct passage *p);

/* Send 401 with a challenge, 429 for a blocked address, or 503 while carrel-auth cannot be asked. */
enum gate site_refuse(struct passage *p, const struct gate_refusal *r);
