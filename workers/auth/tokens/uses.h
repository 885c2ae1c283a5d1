/* uses - how often tokens were used, gathered here and written to the store every few seconds. */
#pragma once

#include "workers/auth/auth.h"

/* The token was just found good in the store, until expires_ms (0: without an end). */
void uses_verified(struct auth *a, struct span id, uint64_t expires_ms, uint64_t now_ms);

/* Count a use of the credential "token:<id>".  False: it is no longer valid. */
bool uses_count(struct auth *a, struct span principal, uint64_t now_ms);

/* Write the uses that are not in the store yet. */
void uses_write(struct auth *a, uint64_t now_ms);
