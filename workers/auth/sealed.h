/* sealed - what the store of several nodes keeps and cannot read: each purpose has a key, derived of the root key. */
#pragma once

#include "workers/auth/auth.h"

/* Append text, encrypted, to out. */
void sealed_put(const struct auth *a, const char *purpose, struct span text, struct buf *out);

/* Append what was encrypted to out; of an empty text nothing.  False: it is not what this key made. */
bool sealed_open(const struct auth *a, const char *purpose, struct span sealed, struct buf *out);

/* The same with the key that all of these are derived of. */
void sealed_put_with(const uint8_t root[AUTH_KEY], const char *purpose, struct span text, struct buf *out);
bool sealed_open_with(const uint8_t root[AUTH_KEY], const char *purpose, struct span sealed, struct buf *out);
