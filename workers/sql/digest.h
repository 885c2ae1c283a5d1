/* digest - digests that replace hashed columns where this program computes them, and those of files. */
#pragma once

#include <stdbool.h>

#include "base/span.h"

#define DIGEST_TEXT	37	/* a UUID and its NUL */

/* A keyed digest in the form of a UUID, the same as the PostgreSQL worker has the server compute. */
void digest_text(const char *key, struct span value, char out[DIGEST_TEXT]);

#define DIGEST_FILE	65	/* SHA-256 in hexadecimal, and its NUL */

/* The digest of the rest of a file; false: it cannot be read. */
bool digest_file(int fd, char out[DIGEST_FILE]);
