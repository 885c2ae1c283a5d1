/* conversation - messages of fronts and carrel-pwhash other than calls, and their answers. */
#pragma once

#include "workers/auth/auth.h"

/* struct role: a front or carrel-pwhash connects, sends a message that is not a call, or disconnects. */
void conversation_begin(void *state, uint64_t peer, enum ipc_role role);
enum ipc_fault conversation_hear(void *state, uint64_t peer, uint64_t id, unsigned type, const union ipc_any *msg);
void conversation_end(void *state, uint64_t peer);
