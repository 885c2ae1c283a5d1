/*
 * access_token - what the front finds out about an access token by itself: its form, signature, issuer, audience and
 * times.  Whether its grant lives, only carrel-auth knows.
 */
#pragma once

#include <stdbool.h>

#include "front/wire/jws.h"
#include "front/who/verify_credential.h"

#define ACCESS_TOKEN_AHEAD_S	60u	/* how much the issuer's clock may be ahead */

enum access_token {
	ACCESS_TOKEN_SOUND,
	ACCESS_TOKEN_FORGED,	/* not signed by one of our keys: counts as a wrong credential */
	ACCESS_TOKEN_FOREIGN,	/* genuine, but for another resource or issuer, or not valid yet */
	ACCESS_TOKEN_EXPIRED,
	ACCESS_TOKEN_UNKNOWN	/* of another issuer, whose keys are not known now */
};

/* The scopes that a text names; names that this version does not know grant nothing. */
uint32_t access_token_scopes(struct span text);

/* Read the token, and check that one of our keys signed it.  The caller ends *t whatever is returned. */
bool access_token_is_ours(const struct front *f, struct span text, struct jws *t);

/*
 * Judge it for a resource of this issuer: at one of these paths (NULL ends them).  SOUND: *subject says what it is,
 * and borrows from text, t and room, which is filled with the resource's URL and that of its metadata.
 */
enum access_token access_token_judge(const struct front *f, struct span text, struct span issuer,
    const char *const paths[], struct jws *t, struct buf *room, struct verify_subject *subject);
