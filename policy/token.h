/*
 * token - the form of connectivity tokens: prefix, "_", an id of eight letters and digits, "_", a secret of 32
 * lower-case hexadecimal digits.  Pure.  What has another form is no token, and costs no look-up.
 */
#pragma once

#include <stdbool.h>

#include "base/span.h"

#define POLICY_TOKEN_PREFIX_MAX	16u
#define POLICY_TOKEN_ID		8u
#define POLICY_TOKEN_SECRET	32u

/* Whether text has that form.  prefix NULL: any that can be configured. */
bool policy_token_is(const char *prefix, struct span text);
