/*
 * secrets - what in a text has the form of a secret: connectivity tokens of any prefix, refresh tokens, JWTs, the 43
 * characters of codes, links and sessions, passwords in URLs, and values that a name such as `password` precedes
 * (policy/secrets.def).  Encoded texts are decoded first, however often they were encoded: percent signs, and the
 * escapes of JSON and SQL.  Pure.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

#define POLICY_SECRET_FIXED_MIN	8u	/* bytes: shorter ones occur in ordinary texts */
#define POLICY_SECRET_DRAWN	43u	/* characters of base64url, from 32 random bytes */

/*
 * Append text to out with "***" for each secret in it, and for `fixed` (shorter than POLICY_SECRET_FIXED_MIN: none).
 * What tells which secret it was stays: the id of a token, the user of a URL, the name in front.  false if none,
 * and nothing is appended.
 */
bool policy_secrets_hide(struct span text, struct span fixed, struct buf *out);
