/* digest - the digests that stand in place of hashed columns, for engines where this program computes them. */
#pragma once

#include "base/span.h"

#define DIGEST_TEXT	37	/* a UUID and its NUL */

/* A keyed digest in the form of a UUID, the same as the PostgreSQL worker has the server compute. */
void digest_text(const char *key, struct span value, char out[DIGEST_TEXT]);
