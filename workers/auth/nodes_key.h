/* nodes_key - the key that nodes share: each has it in a file of its own, and the store has a digest of it. */
#pragma once

#include "workers/auth/auth.h"

/*
 * Whether this node's key is that of the others: what one signs and keeps encrypted, all read.  The first node settles
 * which it is.  -1: it is not, or the store is away; the store is used no more.
 */
int nodes_key_check(struct auth *a, struct err *err);
